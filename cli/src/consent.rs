//! Consent to a tool: the report that a person reads before it may run, and the record of their
//! approval.

pub(crate) mod approval;
pub(crate) mod approvals;
pub(crate) mod difference;
pub(crate) mod grant_flags;
pub(crate) mod report;
pub(crate) mod sensitive;
pub(crate) mod signature;
