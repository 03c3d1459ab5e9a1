//! The `Detail` of a report: enough to decide, or everything.

/// The extent of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// The grounds of a decision: author, rights, functions, oddities.
    Decision,
    /// Also descriptions in full, digests, how the component was made, and what it imports.
    Everything,
}
