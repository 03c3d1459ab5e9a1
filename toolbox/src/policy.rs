//! The policy of an organisation, `policy.toml`: rules on the tools that may be used on a machine.
//!
//! They say from where tools come, who signs them, and what they may do at most.
//!
//! The administrator's file lies where no variable changes it, and binds every user; a user can add
//! one. All that are found apply, each by itself, so that a second file only forbids more. A file
//! that cannot be read forbids everything.

pub mod document;
pub mod error;
pub mod pattern;
pub mod policies;
pub mod rule;
pub mod subject;
