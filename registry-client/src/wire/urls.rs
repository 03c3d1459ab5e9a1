//! Builds the URLs of a registry's API and pages, by the kind of repo.

use hf_hub::repository::{RepoType as _, RepoTypeAny};
use tool_hub_manifest::RepoId;
use url::Url;

use super::Wire;

impl Wire {
    pub(crate) fn kind(&self) -> RepoTypeAny {
        self.kind
    }

    /// The address for questions about `repo`, with `segments` after it.
    pub(crate) fn about(&self, repo: &RepoId, segments: &[&str]) -> Url {
        let place = ["api", self.kind.plural(), repo.owner(), repo.name()];
        self.url(&[&place, segments].concat())
    }

    /// The address for people and downloads of `repo`, with `segments` after it.
    pub(crate) fn page_of(&self, repo: &RepoId, segments: &[&str]) -> Url {
        let prefix = self.kind.url_prefix().split_terminator('/');
        let place: Vec<&str> = prefix.chain([repo.owner(), repo.name()]).collect();
        self.url(&[&place, segments].concat())
    }

    /// The endpoint's URL with `segments` added, each percent-encoded as one segment.
    pub(crate) fn url(&self, segments: &[&str]) -> Url {
        let mut url = self.endpoint.clone();
        // The endpoint was checked to be http or https, and such URLs have segments.
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }
}
