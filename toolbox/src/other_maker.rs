//! The refusal of a tool that somebody else made than what was approved.

/// A tool is signed or built by somebody else than what the user approved last from its repo.
#[derive(Debug, thiserror::Error)]
#[error("`{tool}` was {before} when you approved it, and is {now} now")]
pub struct OtherMaker {
    /// The tool, or the way to one that it depends on.
    pub tool: String,
    /// The signer or builder of what was approved, in words.
    pub before: String,
    /// Those of this version, in words.
    pub now: String,
}
