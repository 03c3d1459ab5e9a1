//! The state of reading the schemas of one function, and its bounds.

use serde_json::Value;

use super::super::document::OpenApiDocument;
use super::super::error::PartError;
use crate::definition::loss::LossKind;

/// The deepest nesting of schemas, alternatives and objects together, that is read.
pub(super) const DEPTH_MAX: usize = 12;
/// The most members of all nested objects of one function, and of one of its arguments.
const MEMBERS_MAX: usize = 120;
const ARGUMENT_MEMBERS_MAX: usize = 30;
/// The most values, with all that they hold, that are copied out of the document for one function.
const VALUES_MAX: usize = 2_000_000;

/// Reads the schemas of one function.
pub(in crate::definition::openapi) struct SchemaReader<'a> {
    pub(super) document: &'a OpenApiDocument,
    members_left: usize,
    argument_members_left: usize,
    pub(super) values_left: usize,
    /// The references that are being followed.
    pub(super) followed: Vec<String>,
    /// The parts of schemas that arguments do not have.
    pub(in crate::definition::openapi) losses: Vec<LossKind>,
}

impl<'a> SchemaReader<'a> {
    pub(in crate::definition::openapi) fn new(document: &'a OpenApiDocument) -> Self {
        Self {
            document,
            members_left: MEMBERS_MAX,
            argument_members_left: 0,
            values_left: VALUES_MAX,
            followed: Vec::new(),
            losses: Vec::new(),
        }
    }

    /// Begins an argument, whose nested objects have room of their own: a large one leaves some to
    /// those after it.
    pub(super) fn begin_argument(&mut self) {
        self.argument_members_left = ARGUMENT_MEMBERS_MAX;
    }

    /// True if there is room for an object of `count` members, which is taken.
    pub(super) fn take_members(&mut self, count: usize) -> bool {
        let fits = count <= self.members_left.min(self.argument_members_left);
        if fits {
            self.members_left -= count;
            self.argument_members_left -= count;
        }
        fits
    }

    /// True if there is room for a copy of `value`, which is taken.
    pub(super) fn take_room(&mut self, value: &Value) -> bool {
        let Some(left) = self.values_left.checked_sub(1) else {
            return false;
        };
        self.values_left = left;
        match value {
            Value::Array(items) => items.iter().all(|item| self.take_room(item)),
            Value::Object(members) => members.values().all(|member| self.take_room(member)),
            _ => true,
        }
    }

    /// Reads each of `parts` as if it stood alone, so that two may refer to the same schema. What
    /// is read of them afterwards follows the references of them all.
    pub(super) fn beside<'b, T>(
        &mut self,
        parts: impl Iterator<Item = &'b Value>,
        mut read: impl FnMut(&mut Self, &'b Value) -> Result<T, PartError>,
    ) -> Result<Vec<T>, PartError> {
        let (before, mut followed) = (self.followed.len(), Vec::new());
        let mut found = Vec::new();
        for part in parts {
            found.push(read(self, part)?);
            followed.extend(self.followed.drain(before..));
        }
        followed.sort_unstable();
        followed.dedup();
        self.followed.extend(followed);
        Ok(found)
    }

    pub(super) fn weakened(&mut self, pointer: &str, keyword: &str) {
        self.losses.push(LossKind::SchemaWeakened {
            pointer: pointer.to_owned(),
            keyword: keyword.to_owned(),
        });
    }

    pub(super) fn narrowed(&mut self, pointer: &str, keyword: &str) {
        self.losses.push(LossKind::Narrowed {
            pointer: pointer.to_owned(),
            keyword: keyword.to_owned(),
        });
    }
}
