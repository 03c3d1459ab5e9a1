//! The `NotApproved` reasons why a tool of the toolbox does not run as it stands.

/// The reason why a tool is not approved as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotApproved {
    /// Nobody approved it.
    Never,
    /// The approved tool came from another place.
    OtherPlace,
    /// The record does not say under which name it was approved.
    Unnamed,
    /// The record is not among this user's approvals.
    NotByThisUser,
}

impl NotApproved {
    /// The reason as the end of a sentence about the tool.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Never => "was never approved",
            Self::OtherPlace => "was approved from another place than the toolbox names",
            Self::Unnamed => {
                "was approved by an older `tool`, which did not record under which name"
            }
            Self::NotByThisUser => "is recorded in toolbox.lock, but not with your approval",
        }
    }
}
