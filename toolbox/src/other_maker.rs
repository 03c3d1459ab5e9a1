//! The `OtherMaker` of a tool: somebody else signed or built it than what the user approved last.

/// A tool is signed or built by somebody else than what the user approved last from its repo.
#[derive(Debug, thiserror::Error)]
#[error("`{tool}` was {before} when you approved it, and is {now} now")]
pub struct OtherMaker {
    /// The tool, or the way to one that it depends on.
    pub tool: String,
    /// The tool as a user names it to load it.
    pub subject: String,
    /// The part in which the maker is another one.
    pub role: MakerRole,
    /// The signer or builder of what was approved, in words.
    pub before: String,
    /// The signer or builder of this version, in words.
    pub now: String,
    /// The signer or builder of this version as flags name it, if there is one.
    pub name: Option<String>,
}

/// The parts that somebody has in a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MakerRole {
    /// The signer.
    Signer,
    /// Whoever attests to it.
    Publisher,
    /// The repository that it is built from.
    Repository,
}

impl MakerRole {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Signer => "signer",
            Self::Publisher => "publisher",
            Self::Repository => "repository",
        }
    }
}
