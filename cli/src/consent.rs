//! Consent to a tool: report, differences, questions, signatures, record of approval.

pub(crate) mod approval;
pub(crate) mod capability_flags;
pub(crate) mod difference;
pub(crate) mod grant_flags;
pub(crate) mod inspection_report;
pub(crate) mod signing;
