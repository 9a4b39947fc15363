//! Writing turns, calls, usages and failures to their columns.

use std::borrow::Cow;

use super::super::certainty::require;
use super::super::column::Column;
use super::super::raw::{Uncertain, is_certain};
use super::calls::Call;
use super::conversation::Draft;
use super::places::{CallPlaces, Places, TurnPlaces, UsagePlaces};
use super::target::Beside;
use super::usage::Usage;

impl UsagePlaces {
    /// Writes a usage to row `row` of its column.
    pub(in super::super) fn write(
        &self,
        column: &mut Column,
        row: usize,
        usage: Usage,
    ) -> Option<()> {
        if !column.is_wanted() {
            return Some(());
        }
        column.pad(row);
        let row = column.len();
        let fields = column.columns(row)?;
        let counts = [
            usage.input,
            usage.output,
            usage.cached,
            usage.written,
            usage.reasoning,
            usage.total,
        ];
        for (count, &place) in counts.into_iter().zip(&self.counts) {
            if let Some(count) = count {
                require(fields[place].integer(row, count))?;
            }
        }
        if let Some(cost) = usage.cost {
            require(fields[self.cost].number(row, cost))?;
        }
        column.close();
        Some(())
    }
}

/// Writes the failure of a run to `row` of its column.
pub(in super::super) fn write_failure(
    column: &mut Column,
    row: usize,
    places: &Places,
    reason: &str,
    message: Option<&str>,
) -> Option<()> {
    if !column.is_wanted() {
        return Some(());
    }
    column.pad(row);
    let at = column.len();
    let fields = column.columns(at)?;
    write_text(&mut fields[places.failure_reason], at, reason)?;
    if let Some(text) = message {
        write_text(&mut fields[places.failure_message], at, text)?;
    }
    column.close();
    Some(())
}

/// Writes text to `row` of a column, if the column is wanted.
pub(in super::super) fn write_text(column: &mut Column, row: usize, text: &str) -> Option<()> {
    require(!column.is_wanted() || column.text(row, text))
}

/// Returns the text of an answer.
pub(super) fn text<'n>(draft: &Draft<'n>) -> Result<Option<Cow<'n, str>>, Uncertain> {
    match &draft.texts[..] {
        [] => Ok(None),
        [text] => text.certain().map(Some),
        texts => {
            let texts: Result<Vec<_>, _> = texts.iter().map(|text| text.certain()).collect();
            Ok(Some(Cow::Owned(texts?.concat())))
        }
    }
}

impl TurnPlaces {
    pub(super) fn write(
        &self,
        fields: &mut [Column],
        turn: usize,
        draft: &Draft<'_>,
    ) -> Option<()> {
        if fields[self.program].is_wanted() {
            let programs: Result<Vec<_>, _> = draft.calls.iter().map(Call::program).collect();
            let programs: Vec<String> = programs.ok()?.into_iter().flatten().collect();
            if !programs.is_empty() {
                require(fields[self.program].text(turn, &programs.join("\n")))?;
            }
        }
        if fields[self.text].is_wanted() {
            if let Some(text) = text(draft).ok()? {
                require(fields[self.text].text(turn, &text))?;
            }
        }
        if let Some(agent) = draft.agent.filter(|_| fields[self.agent].is_wanted()) {
            require(fields[self.agent].text(turn, &agent.text()?))?;
        }
        let fault = draft.calls.iter().find(|call| call.success == Some(false));
        if let Some(fault) = fault {
            require(fields[self.success].boolean(turn, false))?;
            let reason = if fault.arguments.is_text() {
                "parse_error"
            } else {
                "tool_error"
            };
            let error = &mut fields[self.error];
            if error.is_wanted() {
                error.pad(turn);
                let row = error.len();
                let about = error.columns(row)?;
                write_text(&mut about[self.error_reason], row, reason)?;
                if let Some(message) = &fault.error {
                    write_text(&mut about[self.error_message], row, message)?;
                }
                error.close();
            }
        } else if !draft.calls.is_empty() && draft.calls.iter().all(|c| c.success == Some(true)) {
            require(fields[self.success].boolean(turn, true))?;
        }
        if let Some(usage) = draft.usage {
            self.usage_fields
                .write(&mut fields[self.usage], turn, usage)?;
        }
        Some(())
    }

    pub(super) fn write_calls(
        &self,
        fields: &mut [Column],
        turn: usize,
        draft: &Draft<'_>,
        beside: &impl Beside,
    ) -> Option<()> {
        let column = &mut fields[self.calls];
        if !column.is_wanted() {
            return Some(());
        }
        let calls = column.items(turn)?;
        for call in &draft.calls {
            let row = calls.len();
            let fields = calls.columns(row)?;
            self.call.write(fields, row, call)?;
            if let Some(seconds) = beside.call_seconds(call) {
                require(fields[self.call.duration].number(row, seconds))?;
            }
            calls.close();
        }
        column.close();
        Some(())
    }
}

impl CallPlaces {
    pub(super) fn write(&self, fields: &mut [Column], row: usize, call: &Call<'_>) -> Option<()> {
        write_text(&mut fields[self.name], row, &call.name)?;
        if fields[self.arguments].is_wanted() {
            if let Some(json) = call.arguments.json().ok()? {
                require(fields[self.arguments].text(row, &json))?;
            }
        }
        if let Some(id) = &call.id {
            write_text(&mut fields[self.id], row, id)?;
        }
        if fields[self.result].is_wanted() {
            if let Some(result) = &call.result {
                let is_plain = !result.json.contains('\\');
                require(is_plain || is_certain(&result.json))?;
                require(result.json == "null" || fields[self.result].text(row, &result.json))?;
            }
        }
        if let Some(success) = call.success {
            require(fields[self.success].boolean(row, success))?;
        }
        if let Some(error) = &call.error {
            write_text(&mut fields[self.error], row, error)?;
        }
        Some(())
    }
}
