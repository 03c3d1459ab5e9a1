//! The modules that approve a tool: its inspection, the comparison of its terms, the `Approved`
//! tool, and messages of denials.

pub(crate) mod approved;
pub(crate) mod claims;
pub(crate) mod denial;
pub(crate) mod inspection;
pub(crate) mod terms;
