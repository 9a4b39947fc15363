//! Predictions in the formats of `ContextBench` and SWE-bench: a turn for each step, and the final
//! context.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::Row;
use super::context::Context;
use super::escapes::json_text;
use super::objects::{Into, Object, once};
use super::value::{Others, Text, only_if, refused};

/// Reads steps into the turns of a row; returns whether there is a list of steps.
struct Steps<'a, 'b> {
    row: &'a mut Row<'b>,
}

impl<'de> DeserializeSeed<'de> for Steps<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Steps<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of steps")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Row {
            columns,
            places,
            index,
            ..
        } = self.row;
        let column = &mut columns[places.turns];
        let turns = column.items(*index).ok_or_else(refused)?;
        let mut step = Context::default();
        loop {
            step.clear();
            let into = Into {
                target: &mut step,
                nullable: false,
            };
            if list.next_element_seed(into)?.is_none() {
                break;
            }
            only_if(step.are_keys_distinct())?;
            let turn = turns.len();
            let fields = turns.columns(turn).ok_or_else(refused)?;
            let views = &mut fields[places.turn_views];
            step.write(views, turn, &places.turn_view)
                .ok_or_else(refused)?;
            if !step.others.is_empty() && fields[places.turn_extra].is_wanted() {
                let extra = step.others.json(&[]);
                only_if(fields[places.turn_extra].text(turn, &extra))?;
            }
            turns.close();
        }
        column.close();
        Ok(())
    }
}

/// The value of `traj_data` of a prediction.
struct Data<'a, 'b, 'de> {
    row: &'a mut Row<'b>,
    has_steps: bool,
    context: Context<'de>,
}

impl<'de> Object<'de> for Data<'_, '_, 'de> {
    fn key<A: MapAccess<'de>>(&mut self, key: Text<'de>, map: &mut A) -> Result<(), A::Error> {
        if key.0 == "pred_steps" {
            only_if(!std::mem::replace(&mut self.has_steps, true))?;
            return map.next_value_seed(Steps {
                row: &mut *self.row,
            });
        }
        let name = match &*key.0 {
            "pred_files" => "files",
            "pred_spans" => "spans",
            "pred_symbols" => "symbols",
            _ => "",
        };
        self.context.part(name, key, map)
    }
}

/// A prediction.
struct Prediction<'a, 'b, 'de> {
    data: Data<'a, 'b, 'de>,
    seen: u16,
    id: Option<Text<'de>>,
    original: Option<Text<'de>>,
    others: Others<'de>,
}

impl<'de> Object<'de> for Prediction<'_, '_, 'de> {
    fn key<A: MapAccess<'de>>(&mut self, key: Text<'de>, map: &mut A) -> Result<(), A::Error> {
        match &*key.0 {
            "instance_id" => {
                once(&mut self.seen, 0)?;
                self.id = map.next_value()?;
            }
            "original_inst_id" => {
                once(&mut self.seen, 1)?;
                self.original = map.next_value()?;
            }
            "model_name_or_path" => {
                once(&mut self.seen, 2)?;
                self.text(self.data.row.places.model, map)?;
            }
            "model_patch" => {
                once(&mut self.seen, PATCH)?;
                self.text(self.data.row.places.final_patch, map)?;
            }
            "traj_data" => {
                once(&mut self.seen, DATA)?;
                map.next_value_seed(Into {
                    target: &mut self.data,
                    nullable: true,
                })?;
            }
            _ => self.others.add(key, map)?,
        }
        Ok(())
    }
}

const PATCH: u8 = 3;
const DATA: u8 = 4;

impl<'de> Prediction<'_, '_, 'de> {
    /// Reads a text, or null, into a column.
    fn text<A: MapAccess<'de>>(&mut self, column: usize, map: &mut A) -> Result<(), A::Error> {
        let row = self.data.row.index;
        match map.next_value::<Option<Text<'de>>>()? {
            Some(text) => only_if(self.data.row.columns[column].text(row, &text.0)),
            None => Ok(()),
        }
    }

    /// Writes the values that depend on the whole object.
    fn finish<E: serde::de::Error>(self) -> Result<(), E> {
        only_if(self.seen & (1 << PATCH | 1 << DATA) != 0)?;
        let Data { row, context, .. } = self.data;
        only_if(context.are_keys_distinct() && self.others.are_distinct())?;
        only_if(!row.is_foreign(&self.others))?;
        let places = row.places;
        let filled = |id: &Option<Text<'de>>| id.clone().filter(|id| !id.0.is_empty());
        let id = filled(&self.id)
            .or_else(|| filled(&self.original))
            .ok_or_else(refused)?;
        only_if(row.columns[places.task_id].text(row.index, &id.0))?;
        if context.is_recorded {
            let views = &mut row.columns[places.final_views];
            context
                .write(views, row.index, &places.final_view)
                .ok_or_else(refused)?;
        }
        let data = (!context.others.is_empty()).then(|| context.others.json(&[]));
        let mut more = Vec::new();
        if let Some(data) = &data {
            more.push(("traj_data", &**data));
        }
        let original = self.original.filter(|original| *original != id);
        let original = original.map(|original| json_text(&original.0));
        if let Some(original) = &original {
            more.push(("original_inst_id", &**original));
        }
        let has_extra = !(self.others.is_empty() && more.is_empty());
        if has_extra && row.columns[places.extra].is_wanted() {
            let extra = self.others.json(&more);
            only_if(row.columns[places.extra].text(row.index, &extra))?;
        }
        row.source()
    }
}

/// Reads a prediction into a row of the columns.
pub(super) fn read<'de, D: Deserializer<'de>>(
    row: &mut Row<'_>,
    deserializer: D,
) -> Result<(), D::Error> {
    let context = Context::default();
    let mut prediction = Prediction {
        data: Data {
            row,
            has_steps: false,
            context,
        },
        seen: 0,
        id: None,
        original: None,
        others: Others::default(),
    };
    Into {
        target: &mut prediction,
        nullable: false,
    }
    .deserialize(deserializer)?;
    prediction.finish()
}
