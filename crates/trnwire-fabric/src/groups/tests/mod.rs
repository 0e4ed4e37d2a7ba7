//! Tests of groups. Those against another expansion are in the crate's `tests/groups.rs`.

#![allow(clippy::arithmetic_side_effects, reason = "small numbers")]

mod any;
mod forms;
mod meaning;
mod modules;

use super::*;
