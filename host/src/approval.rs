//! Trust: what a tool is and asks for, what a person allowed it, and what it is refused.

pub(crate) mod approved;
pub(crate) mod claims;
pub(crate) mod denial;
pub(crate) mod inspection;
pub(crate) mod terms;
