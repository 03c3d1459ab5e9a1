//! Repository kinds and ids, and the parsing of both from a request's path.

use std::fmt;

use utoipa::ToSchema;

use super::account_and_repository::{AccountName, NameError, RepositoryName};
use super::percent::decode;

/// Segments that follow an id in addresses of the API and have something after them.
const API_VERBS: [&str; 7] = [
    "revision",
    "tree",
    "paths-info",
    "commits",
    "branch",
    "tag",
    "preupload",
];
/// Segments that follow an id in addresses of files.
const FILE_VERBS: [&str; 2] = ["resolve", "raw"];

/// The kinds of repository the Hub knows. Tools live in models by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ToSchema)]
#[schema(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RepositoryKind {
    /// The default kind, without a prefix in web addresses.
    Model,
    /// A data set, under `datasets/`.
    Dataset,
    /// A space, under `spaces/`.
    Space,
    /// A kernel, under `kernels/`.
    Kernel,
}

impl RepositoryKind {
    const ALL: [Self; 4] = [Self::Model, Self::Dataset, Self::Space, Self::Kernel];

    /// The word in request bodies and in the database: `model`, `dataset`, `space` or `kernel`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Dataset => "dataset",
            Self::Space => "space",
            Self::Kernel => "kernel",
        }
    }

    /// The segment after `/api/`.
    #[must_use]
    pub(crate) fn plural(self) -> &'static str {
        match self {
            Self::Model => "models",
            Self::Dataset => "datasets",
            Self::Space => "spaces",
            Self::Kernel => "kernels",
        }
    }

    /// The text before the id in web addresses: nothing for a model, `datasets/` for a data set.
    #[must_use]
    pub(crate) fn web_prefix(self) -> &'static str {
        match self {
            Self::Model => "",
            Self::Dataset => "datasets/",
            Self::Space => "spaces/",
            Self::Kernel => "kernels/",
        }
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    fn from_plural(plural: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.plural() == plural)
    }
}

/// `owner/name` with its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RepositoryId {
    pub(crate) kind: RepositoryKind,
    pub(crate) owner: AccountName,
    pub(crate) name: RepositoryName,
}

impl RepositoryId {
    /// Reads `owner/name`.
    pub(crate) fn parse(kind: RepositoryKind, id: &str) -> Result<Self, NameError> {
        let grammar = || NameError::Grammar {
            name: id.chars().take(200).collect(),
        };
        let (owner, name) = id.split_once('/').ok_or_else(grammar)?;
        Ok(Self {
            kind,
            owner: owner.parse()?,
            name: name.parse()?,
        })
    }
}

impl fmt::Display for RepositoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

/// The repository that a request's path names, and the segments after the verb.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) id: RepositoryId,
    /// The segments after the verb, still percent-encoded, because a revision may hold encoded
    /// slashes.
    pub(crate) rest: Vec<String>,
}

impl Address {
    /// Reads `/api/{kinds}/{owner}/{name}[/{verb}[/{rest}]]` or
    /// `/[{kinds}/]{owner}/{name}/{verb}[/{rest}]`.
    ///
    /// `None` when the path names no valid repository, which clients hear as "not found".
    pub(crate) fn from_path(path: &str) -> Option<Self> {
        let mut segments = path.trim_start_matches('/').split('/').peekable();
        let kind = if segments.peek() == Some(&"api") {
            segments.next();
            RepositoryKind::from_plural(segments.next()?)?
        } else if let Some(kind) = segments.peek().and_then(|s| RepositoryKind::from_plural(s)) {
            segments.next();
            kind
        } else {
            RepositoryKind::Model
        };
        let owner = decode(segments.next()?)?.parse().ok()?;
        let name = decode(segments.next()?)?;
        let name = name.strip_suffix(".git").unwrap_or(&name).parse().ok()?;
        let _verb = segments.next();
        let rest = segments.map(str::to_owned).collect();
        Some(Self {
            id: RepositoryId { kind, owner, name },
            rest,
        })
    }

    /// True if the path would name a repository if its id had an owner:
    /// `/api/{kinds}/{name}/{verb}/…` or `/[{kinds}/]{name}/{verb}/…`.
    pub(crate) fn lacks_owner(path: &str) -> bool {
        let mut segments = path.trim_start_matches('/').split('/').peekable();
        let of_the_api = segments.next_if_eq(&"api").is_some();
        let has_kind = segments
            .next_if(|segment| RepositoryKind::from_plural(segment).is_some())
            .is_some();
        let named = segments
            .next()
            .and_then(decode)
            .is_some_and(|name| name.parse::<RepositoryName>().is_ok());
        let verbs: &[&str] = if of_the_api { &API_VERBS } else { &FILE_VERBS };
        named
            && (has_kind || !of_the_api)
            && segments.next().is_some_and(|verb| verbs.contains(&verb))
    }

    /// Splits the rest into a revision and the segments after it.
    ///
    /// A revision is one percent-encoded segment, but the JavaScript client writes `refs/pr/1` as
    /// three.
    pub(crate) fn revision_and_rest(&self) -> Option<(String, &[String])> {
        let first = decode(self.rest.first()?)?;
        if first == "refs" && self.rest.len() >= 3 {
            let full = format!("refs/{}/{}", decode(&self.rest[1])?, decode(&self.rest[2])?);
            return Some((full, &self.rest[3..]));
        }
        Some((first, &self.rest[1..]))
    }

    /// Everything after the verb as one decoded text, for branch and tag names.
    pub(crate) fn rest_text(&self) -> Option<String> {
        decode(&self.rest.join("/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expect: Option<(&str, &str, &str, &str)>) {
        let got = Address::from_path(path).map(|address| {
            let (revision, rest) = address.revision_and_rest().unwrap_or_default();
            (
                address.id.kind.word(),
                address.id.to_string(),
                revision,
                rest.join("/"),
            )
        });
        let expect = expect.map(|(kind, id, revision, rest)| {
            (kind, id.to_owned(), revision.to_owned(), rest.to_owned())
        });
        assert_eq!(got, expect, "{path}");
    }

    #[test]
    fn addresses_whose_id_has_no_owner() {
        for path in [
            "/api/models/n/revision/main",
            "/api/datasets/n/tree/main/a",
            "/n/resolve/main/a",
            "/spaces/n/raw/main/a",
        ] {
            assert!(Address::lacks_owner(path), "{path}");
        }
        for path in [
            "/",
            "/n",
            "/api/n/revision/main",
            "/api/models/o/n/revision/main",
            "/api/models/n/frogs/main",
            "/o/n/resolve/main/a",
            "/api/models/%2e%2e/tree/main",
        ] {
            assert!(!Address::lacks_owner(path), "{path}");
        }
    }

    #[test]
    fn addresses() {
        check("/api/models/o/n", Some(("model", "o/n", "", "")));
        check(
            "/api/datasets/o/n/tree/main/a%2Fb",
            Some(("dataset", "o/n", "main", "a%2Fb")),
        );
        check(
            "/api/models/o/n/tree/refs%2Fpr%2F1/a",
            Some(("model", "o/n", "refs/pr/1", "a")),
        );
        check(
            "/api/models/o/n/tree/refs/pr/1/a",
            Some(("model", "o/n", "refs/pr/1", "a")),
        );
        check(
            "/o/n/resolve/main/a/b.txt",
            Some(("model", "o/n", "main", "a/b.txt")),
        );
        check(
            "/spaces/o/n/resolve/v1/a",
            Some(("space", "o/n", "v1", "a")),
        );
        check(
            "/o/n.git/info/lfs/objects/batch",
            Some(("model", "o/n", "lfs", "objects/batch")),
        );
        check("/api/models/o", None);
        check("/api/frogs/o/n", None);
        check("/api/models/o%2F..%2Fx/n", None);
        check("/api/models/o/%2e%2e", None);
        check("/api/models/o/%ff", None);
    }
}
