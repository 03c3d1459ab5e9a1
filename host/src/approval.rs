//! Approval of tools: inspection, terms, a person's consent, and denials.

pub(crate) mod approved;
pub(crate) mod claims;
pub(crate) mod denial;
pub(crate) mod inspection;
pub(crate) mod terms;
