//! Consent to a tool: report, differences, questions, checks of directories, record of approval.

pub(crate) mod approval;
pub(crate) mod approvals;
pub(crate) mod difference;
pub(crate) mod function_signature;
pub(crate) mod grant_flags;
pub(crate) mod report;
pub(crate) mod sensitive;
