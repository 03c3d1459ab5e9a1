//! What a person reads of a tool before it may run, and the record of what they agreed to.

pub(crate) mod approval;
pub(crate) mod approvals;
pub(crate) mod difference;
pub(crate) mod grant_flags;
pub(crate) mod report;
pub(crate) mod sensitive;
pub(crate) mod signature;
