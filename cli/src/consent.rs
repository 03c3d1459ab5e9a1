//! Consent to a tool: flags, questions, inspection report, differences, and signed approvals.

pub(crate) mod approval;
pub(crate) mod authorship_json;
pub(crate) mod capability_flags;
pub(crate) mod dependency_flags;
pub(crate) mod difference;
pub(crate) mod grant_flags;
pub(crate) mod inspection_report;
pub(crate) mod maker_flags;
pub(crate) mod rights_flags;
pub(crate) mod signing;
