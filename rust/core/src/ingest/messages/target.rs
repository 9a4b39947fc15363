//! Writing a conversation to the columns of a row.

use std::borrow::Cow;

use memchr::{memchr2_iter, memmem};

use super::super::certainty::require;
use super::super::column::Column;
use super::super::places::View;
use super::calls::Call;
use super::columns::{text, write_text};
use super::conversation::{Conversation, Draft};
use super::places::Places;
use super::tools::{self, Tool};
use super::views::Watched;

/// Facts about calls and turns that are recorded outside of their messages.
pub(in super::super) trait Beside {
    /// Returns the exit code of a call's command, if it is recorded separately.
    fn exit_code(&self, _call: &Call<'_>) -> Option<i64> {
        None
    }

    /// Returns the duration of a call in seconds.
    fn call_seconds(&self, _call: &Call<'_>) -> Option<f64> {
        None
    }

    /// Returns the duration of a turn in seconds, by the index of the turn.
    fn turn_seconds(&self, _turn: usize, _calls: &[Call<'_>]) -> Option<f64> {
        None
    }
}

/// No such facts.
pub(in super::super) struct Nothing;

impl Beside for Nothing {}

/// The columns of a row, and their positions.
pub(in super::super) struct Target<'c> {
    pub columns: &'c mut [Column],
    pub row: usize,
    pub turns: usize,
    pub turn_views: usize,
    pub turn_view: &'c View,
    pub places: &'c Places,
}

impl Target<'_> {
    /// Returns whether any wanted column holds views or leaks.
    fn wants_views(&mut self) -> Option<bool> {
        let row = self.row;
        let wants_leaks = self.columns[self.places.leaks].is_wanted();
        let turns = self.columns[self.turns].items(row)?;
        let turn = turns.len();
        Some(wants_leaks || turns.columns(turn)?[self.turn_views].is_wanted())
    }

    /// Returns whether any wanted column holds the durations of turns or calls.
    pub(in super::super) fn wants_times(&mut self) -> Option<bool> {
        let places = &self.places.turn;
        let turns = self.columns[self.turns].items(self.row)?;
        let turn = turns.len();
        let fields = turns.columns(turn)?;
        let is_timed = fields[places.duration].is_wanted();
        let calls = fields[places.calls].items(turn)?;
        let call = calls.len();
        Some(is_timed || calls.columns(call)?[places.call.duration].is_wanted())
    }

    /// Writes a conversation to the row, except for its model; `None` if it is uncertain.
    pub(in super::super) fn write(
        &mut self,
        conversation: &mut Conversation<'_>,
        beside: &impl Beside,
    ) -> Option<()> {
        let drafts = &mut conversation.drafts;
        for draft in &mut *drafts {
            for call in &mut draft.calls {
                end_command(call, beside)?;
            }
        }
        let watched = if self.wants_views()? {
            Watched::of(drafts, beside).ok()?
        } else {
            Watched::default()
        };
        self.write_turns(drafts, &watched, beside)?;
        if let Some(leaks) = &watched.leaks {
            let column = &mut self.columns[self.places.leaks];
            self.places.leak.write(column, self.row, leaks)?;
        }
        let output = &mut self.columns[self.places.final_output];
        if output.is_wanted() {
            if let Some(text) = drafts.last().map(text).transpose().ok()?.flatten() {
                require(output.text(self.row, &text))?;
            }
        }
        let transcript = conversation.transcript.as_ref();
        if let Some(transcript) = transcript.filter(|text| !text.is_empty()) {
            write_text(
                &mut self.columns[self.places.transcript],
                self.row,
                transcript,
            )?;
        }
        Some(())
    }

    fn write_turns(
        &mut self,
        drafts: &[Draft<'_>],
        watched: &Watched,
        beside: &impl Beside,
    ) -> Option<()> {
        let column = &mut self.columns[self.turns];
        if !column.is_wanted() {
            return Some(());
        }
        let turns = column.items(self.row)?;
        for (index, draft) in drafts.iter().enumerate() {
            let turn = turns.len();
            let fields = turns.columns(turn)?;
            self.places.turn.write(fields, turn, draft)?;
            if let Some(seconds) = beside.turn_seconds(index, &draft.calls) {
                require(fields[self.places.turn.duration].number(turn, seconds))?;
            }
            self.places.turn.write_calls(fields, turn, draft, beside)?;
            if let Some(Some(views)) = watched.views.get(index) {
                self.turn_view
                    .write(&mut fields[self.turn_views], turn, views)?;
            }
            turns.close();
        }
        column.close();
        Some(())
    }
}

/// Records whether a command succeeded, if its exit code is known.
fn end_command(call: &mut Call<'_>, beside: &impl Beside) -> Option<()> {
    if call.tool != Tool::Shell || call.success == Some(false) {
        return Some(());
    }
    let Some(result) = call.result.as_ref().filter(|result| result.is_text()) else {
        return Some(());
    };
    let code = match beside.exit_code(call) {
        Some(code) => Some(code),
        None if may_tell(result.inside()) => tools::exit_code(&result.text()?).ok()?,
        None => None,
    };
    if let Some(code) = code {
        call.success = Some(code == 0);
        call.error = (code != 0).then(|| Cow::Owned(format!("exit code {code}")));
    }
    Some(())
}

/// Length of JSON that contains the last characters of a text, however they are escaped.
const ENDING: usize = 80 * 12;

/// Returns whether the end of a text may state an exit code.
fn may_tell(json: &str) -> bool {
    let bytes = json.as_bytes();
    let tail = &bytes[bytes.len().saturating_sub(ENDING)..];
    let is_exit = |at| {
        let word: Option<&[u8]> = tail.get(at..at + 3);
        word.is_some_and(|word| word.eq_ignore_ascii_case(b"xit"))
    };
    memchr2_iter(b'x', b'X', tail).any(is_exit) || memmem::find(tail, br"\u0").is_some()
}
