//! Describes values by their annotations as pydantic 2 does, and reads its models and fields.
//!
//! A schema that pydantic refers to by a name stands where it is used, and the titles that it makes
//! of names are left out.

mod class_kind;
mod field;
mod named;
mod shape;
mod types;

pub(super) use types::{Schemas, Texts};
