//! Types of the values of columns, as the record models define them.

use serde::Deserialize;
use serde_json::Value;

/// Kind of the values of a column.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// True or false.
    Boolean,
    /// A 64-bit integer.
    Integer,
    /// A double.
    Number,
    /// Text.
    Text,
    /// A value of any shape, kept as JSON text.
    Json,
    /// A list of items.
    List,
    /// Items by text.
    Mapping,
    /// Named members.
    Record,
    /// A record whose model has its own validation; every value is refused.
    Checked,
}

/// The type of the values of a column.
#[derive(Clone, Debug, Deserialize)]
pub struct Shape {
    /// Kind of value.
    pub kind: Kind,
    /// The only allowed texts; empty if any text is allowed.
    #[serde(default)]
    pub choices: Vec<String>,
    /// Whether JSON must hold an object.
    #[serde(default)]
    pub is_object: bool,
    /// Shape of the values in a list or a mapping.
    pub item: Option<Box<Shape>>,
    /// Fields of a record, at most 64.
    #[serde(default)]
    pub members: Vec<Member>,
}

/// Most members of a record: one bit each records which members were seen.
pub const MOST_MEMBERS: usize = u64::BITS as usize;

/// One field of a record.
#[derive(Clone, Debug, Deserialize)]
pub struct Member {
    /// Name of the field.
    pub name: String,
    /// The name as most files write it, with quotes and a colon.
    #[serde(skip)]
    pub key: String,
    /// What its values are.
    pub shape: Shape,
    /// Whether the member must be present.
    pub required: bool,
    /// Whether the member may be null.
    pub nullable: bool,
    /// Value of an absent member; for an empty list or object, that it is empty.
    #[serde(default)]
    pub default: Value,
}

impl Shape {
    /// Parses the shape of a record from JSON.
    ///
    /// # Errors
    ///
    /// A message, if the text does not describe a record that columns can hold.
    pub fn record(json: &str) -> Result<Self, String> {
        let mut shape: Self = serde_json::from_str(json).map_err(|error| error.to_string())?;
        if shape.kind != Kind::Record {
            return Err("expected the shape of a record".to_owned());
        }
        shape.check()?;
        shape.write_keys();
        Ok(shape)
    }

    fn write_keys(&mut self) {
        for member in &mut self.members {
            member.key = format!("{}:", Value::from(member.name.as_str()));
            member.shape.write_keys();
        }
        if let Some(item) = &mut self.item {
            item.write_keys();
        }
    }

    fn check(&self) -> Result<(), String> {
        if self.members.len() > MOST_MEMBERS {
            return Err(format!("a record has more than {MOST_MEMBERS} members"));
        }
        if matches!(self.kind, Kind::List | Kind::Mapping) && self.item.is_none() {
            return Err("a list or mapping lacks the shape of its items".to_owned());
        }
        let items = self.item.iter().map(|item| &**item);
        let members = self.members.iter().map(|member| &member.shape);
        items.chain(members).try_for_each(Self::check)
    }

    /// Returns the position of a member.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|member| member.name == name)
    }
}
