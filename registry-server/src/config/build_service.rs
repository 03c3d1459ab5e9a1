//! The build services whose identity tokens are understood.

/// A build service. Each names its claims in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BuildService {
    /// GitHub Actions, also of GitHub Enterprise.
    GitHub,
    /// GitLab CI/CD, also of a server of one's own.
    GitLab,
}

impl BuildService {
    /// `github` or `gitlab`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::GitHub => "github",
            Self::GitLab => "gitlab",
        }
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        [Self::GitHub, Self::GitLab]
            .into_iter()
            .find(|service| service.word() == word)
    }

    /// The issuer of the public service.
    pub(crate) fn public_issuer(self) -> &'static str {
        match self {
            Self::GitHub => "https://token.actions.githubusercontent.com",
            Self::GitLab => "https://gitlab.com",
        }
    }
}
