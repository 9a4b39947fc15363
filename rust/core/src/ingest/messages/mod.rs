//! Rows with a list of messages and the keys that identify the attempt.
//!
//! `readers/messages` is the specification. Messages of every shape that it knows are read here; a
//! list about which it would report anything is left to it.

mod arguments;
mod calls;
mod columns;
mod conversation;
mod evidence;
mod fenced;
mod instances;
mod outcomes;
pub(super) mod places;
mod readings;
mod recognition;
mod record;
mod results;
mod roles;
mod shapes;
mod target;
mod tools;
mod usage;
mod views;
mod waiting;

pub(super) use calls::Call;
pub(super) use columns::{write_failure, write_text};
pub(super) use conversation::Conversation;
pub(super) use fenced::read_fenced;
pub(super) use instances::read_instance;
pub(super) use record::{may_hold_secret, read, read_list};
pub(super) use shapes::{Message, is_one};
pub(super) use target::{Beside, Nothing, Target};
pub(super) use usage::Usage;
