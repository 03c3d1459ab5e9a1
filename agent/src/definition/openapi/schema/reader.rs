//! The state of reading the schemas of one function, and its bounds.

use super::super::document::OpenApiDocument;
use crate::definition::loss::LossKind;

/// The deepest nesting of schemas, alternatives and objects together, that is read.
pub(super) const DEPTH_MAX: usize = 12;
/// The most members of all nested objects of one function.
const MEMBERS_MAX: usize = 120;
/// The most schemas that are looked at for one function.
const STEPS_MAX: usize = 20_000;

/// Reads the schemas of one function.
pub(in crate::definition::openapi) struct SchemaReader<'a> {
    pub(super) document: &'a OpenApiDocument,
    pub(super) members_left: usize,
    pub(super) steps_left: usize,
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
            steps_left: STEPS_MAX,
            followed: Vec::new(),
            losses: Vec::new(),
        }
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
