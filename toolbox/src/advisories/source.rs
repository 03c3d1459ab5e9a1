//! The `AdvisorySource`: a data set of the registry, a URL, or a path, also that of a bundle.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tool_hub_manifest::{RepoId, is_this_machine};
use url::Url;

use super::error::AdvisoryError;
use crate::bundle::origin::EXTENSION;

/// A place of advisories as a user names it. What starts with `.`, `/` or `~` is a path, what has
/// `://` a URL, what ends in `.tools` the path of a bundle, everything else a data set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum AdvisorySource {
    /// A data set of the user's registry.
    Dataset(RepoId),
    /// A file to download.
    Url(Url),
    /// A file, a bundle or a directory.
    Path(PathBuf),
}

impl AdvisorySource {
    /// The bundle that it is, if it is one by its name.
    pub fn bundle(&self) -> Option<&Path> {
        match self {
            Self::Path(path) if path.to_string_lossy().ends_with(EXTENSION) => Some(path),
            _ => None,
        }
    }
}

impl FromStr for AdvisorySource {
    type Err = AdvisoryError;

    fn from_str(text: &str) -> Result<Self, AdvisoryError> {
        let refused = |rule: String| AdvisoryError::NotASource {
            text: text.chars().take(200).collect(),
            rule,
        };
        if text.starts_with(['.', '/', '~']) {
            return Ok(Self::Path(PathBuf::from(text)));
        }
        if !text.contains("://") {
            if text.ends_with(EXTENSION) {
                return Ok(Self::Path(PathBuf::from(text)));
            }
            let repo = text.parse::<RepoId>();
            return repo
                .map(Self::Dataset)
                .map_err(|_| refused("write owner/name, an https URL, or ./a/path".to_owned()));
        }
        let url: Url = text.parse().map_err(|error| refused(format!("{error}")))?;
        match is_private(&url) {
            true => Ok(Self::Url(url)),
            false => Err(refused(
                "only https keeps others from changing advisories on the way".to_owned(),
            )),
        }
    }
}

/// True if nobody on the way can change what `url` answers: by https, or on this machine.
pub(crate) fn is_private(url: &Url) -> bool {
    match url.scheme() {
        "https" => true,
        "http" => is_this_machine(url),
        _ => false,
    }
}

impl TryFrom<String> for AdvisorySource {
    type Error = AdvisoryError;

    fn try_from(text: String) -> Result<Self, AdvisoryError> {
        text.parse()
    }
}

impl From<AdvisorySource> for String {
    fn from(source: AdvisorySource) -> Self {
        source.to_string()
    }
}

impl fmt::Display for AdvisorySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dataset(repo) => repo.fmt(f),
            Self::Url(url) => url.fmt(f),
            Self::Path(path) => path.display().fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_told_apart() {
        for (text, expect) in [
            ("acme/advisories", "dataset"),
            ("https://osv.example/tool-hub/all.zip", "url"),
            ("http://127.0.0.1:9/all.zip", "url"),
            ("http://[::1]/all.zip", "url"),
            ("./advisories", "path"),
            ("~/advisories", "path"),
            ("x.tools", "path"),
            ("https://osv.example/x.tools", "url"),
            ("http://osv.example/all.zip", "only https"),
            ("http://127.0.0.1.evil.example/x", "only https"),
            ("file:///etc", "only https"),
            ("acme", "write owner/name"),
            ("https://", "empty host"),
        ] {
            match text.parse::<AdvisorySource>() {
                Ok(source) => {
                    let kind = match source {
                        AdvisorySource::Dataset(_) => "dataset",
                        AdvisorySource::Url(_) => "url",
                        AdvisorySource::Path(_) => "path",
                    };
                    assert_eq!(kind, expect, "{text}");
                }
                Err(error) => {
                    let error = error.to_string();
                    assert!(error.contains(expect), "{error}");
                }
            }
        }
    }
}
