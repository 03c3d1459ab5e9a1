//! Patterns of a policy: of repos, of web origins, and of those who attest to packages.
//! Such as `acme/*`, `https://*.acme.example` and `https://forge.example/acme/*`.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use tool_hub_manifest::{KeyFingerprint, Origin, PackageSigner, RepoId, SignerIdentity};

/// The text is no pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {what}: {rule}")]
pub struct PatternError {
    text: String,
    what: &'static str,
    rule: &'static str,
}

/// Repos: one, `acme/notes`; those whose names begin alike, `acme/notes-*`; or all of an owner,
/// `acme/*`. Letters count as they are written.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct RepoPattern {
    owner: String,
    name: String,
    /// True if more may follow the name.
    is_open: bool,
}

/// Web origins: one, or those of all hosts below a domain, `https://*.acme.example`, which the
/// domain itself is not.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum OriginPattern {
    /// This one.
    One(Origin),
    /// Those below this one: of its scheme and port.
    Below(Origin),
}

/// Publishers: one, `https://forge.example/acme/x/release.yml`, or those whose names begin alike
/// up to a slash, `https://forge.example/acme/*`. ` by ` and an issuer may follow, and ` under `
/// and the key of a root; otherwise it is any that is trusted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PublisherPattern {
    subject: String,
    /// True if more has to follow the name.
    is_open: bool,
    issuer: Option<String>,
    root: Option<KeyFingerprint>,
}

impl PublisherPattern {
    /// True if `publisher` is one of these.
    pub fn holds(&self, publisher: &PackageSigner) -> bool {
        let PackageSigner::Identity(identity) = publisher else {
            return false;
        };
        let is_named = match identity.subject().strip_prefix(&self.subject) {
            Some(rest) => rest.is_empty() != self.is_open,
            None => false,
        };
        let issuer = self.issuer.as_deref();
        is_named
            && issuer.is_none_or(|issuer| identity.issuer() == Some(issuer))
            && self.root.is_none_or(|root| identity.root() == root)
    }
}

impl FromStr for PublisherPattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let refused = || PatternError {
            text: text.chars().take(120).collect(),
            what: "a pattern of publishers",
            rule: "write a whole name, or one that ends in /*; ` by ISSUER` and ` under SHA256:…` may follow",
        };
        let (name, root) = match text.rsplit_once(" under ") {
            Some((name, root)) => (name, Some(root.parse().map_err(|_| refused())?)),
            None => (text, None),
        };
        let (name, issuer) = match name.split_once(" by ") {
            Some((name, issuer)) => (name, Some(issuer.to_owned())),
            None => (name, None),
        };
        let (subject, is_open) = match name.strip_suffix('*') {
            Some(rest) if rest.trim_end_matches('/').contains('/') && rest.ends_with('/') => {
                (rest, true)
            }
            Some(_) => return Err(refused()),
            None => (name, false),
        };
        // The rules for the names of identities hold for those of a pattern.
        let any = root.unwrap_or_else(|| KeyFingerprint::of(b""));
        SignerIdentity::new(subject.to_owned(), issuer.clone(), any).map_err(|_| refused())?;
        Ok(Self {
            subject: subject.to_owned(),
            is_open,
            issuer,
            root,
        })
    }
}

impl fmt::Display for PublisherPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.subject)?;
        if self.is_open {
            f.write_str("*")?;
        }
        if let Some(issuer) = &self.issuer {
            write!(f, " by {issuer}")?;
        }
        match self.root {
            Some(root) => write!(f, " under {root}"),
            None => Ok(()),
        }
    }
}

impl TryFrom<String> for PublisherPattern {
    type Error = PatternError;

    fn try_from(text: String) -> Result<Self, PatternError> {
        text.parse()
    }
}

impl RepoPattern {
    /// True if `repo` is one of these.
    pub fn holds(&self, repo: &RepoId) -> bool {
        let is_named = match self.is_open {
            true => repo.name().starts_with(&self.name),
            false => repo.name() == self.name,
        };
        repo.owner() == self.owner && is_named
    }
}

impl OriginPattern {
    /// True if `origin` is one of these.
    pub fn holds(&self, origin: &Origin) -> bool {
        match self {
            Self::One(one) => one == origin,
            Self::Below(domain) => {
                let below = origin.host().strip_suffix(domain.host());
                let is_below = below.is_some_and(|below| below.len() > 1 && below.ends_with('.'));
                let kind = |it: &Origin| (it.scheme(), it.port());
                is_below && kind(origin) == kind(domain)
            }
        }
    }
}

impl FromStr for RepoPattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let refused = || PatternError {
            text: text.chars().take(120).collect(),
            what: "a pattern of repos",
            rule: "write owner/name, owner/prefix-* or owner/*",
        };
        let (whole, is_open) = match text.strip_suffix('*') {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        // What is left open is completed, so that one rule says which names there are.
        let completed = if is_open {
            format!("{whole}x")
        } else {
            whole.to_owned()
        };
        let repo: RepoId = completed.parse().map_err(|_| refused())?;
        let (owner, name) = whole.split_once('/').ok_or_else(refused)?;
        debug_assert_eq!(owner, repo.owner());
        Ok(Self {
            owner: owner.to_owned(),
            name: name.to_owned(),
            is_open,
        })
    }
}

impl FromStr for OriginPattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let refused = || PatternError {
            text: text.chars().take(120).collect(),
            what: "a pattern of origins",
            rule: "write https://api.example.com or https://*.example.com",
        };
        match text.split_once("://*.") {
            Some((scheme, domain)) => {
                let origin: Origin = format!("{scheme}://{domain}")
                    .parse()
                    .map_err(|_| refused())?;
                // Below a whole top-level domain is everybody; below an address is nobody.
                let is_domain = origin.host().contains('.')
                    && origin.host().parse::<std::net::IpAddr>().is_err();
                is_domain.then_some(Self::Below(origin)).ok_or_else(refused)
            }
            None => text.parse().map(Self::One).map_err(|_| refused()),
        }
    }
}

impl TryFrom<String> for RepoPattern {
    type Error = PatternError;

    fn try_from(text: String) -> Result<Self, PatternError> {
        text.parse()
    }
}

impl TryFrom<String> for OriginPattern {
    type Error = PatternError;

    fn try_from(text: String) -> Result<Self, PatternError> {
        text.parse()
    }
}

impl fmt::Display for RepoPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)?;
        if self.is_open {
            f.write_str("*")
        } else {
            Ok(())
        }
    }
}

impl fmt::Display for OriginPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(origin) => origin.fmt(f),
            Self::Below(domain) => {
                let text = domain.to_string();
                let (scheme, rest) = text.split_once("://").unwrap_or(("", &text));
                write!(f, "{scheme}://*.{rest}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_repos(pattern: &str, inside: &[&str], outside: &[&str]) {
        let parsed: RepoPattern = pattern.parse().unwrap();
        assert_eq!(parsed.to_string(), pattern);
        for repo in inside {
            assert!(parsed.holds(&repo.parse().unwrap()), "{pattern} {repo}");
        }
        for repo in outside {
            assert!(!parsed.holds(&repo.parse().unwrap()), "{pattern} {repo}");
        }
    }

    #[test]
    fn look_alikes_are_other_repos() {
        check_repos(
            "acme/*",
            &["acme/notes", "acme/x"],
            &["acme2/notes", "ACME/notes", "a/acme"],
        );
        check_repos(
            "acme/notes",
            &["acme/notes"],
            &["acme/notes2", "acme/Notes", "acrne/notes"],
        );
        check_repos(
            "acme/notes-*",
            &["acme/notes-a"],
            &["acme/notes", "acme/note-a"],
        );
        for text in [
            "*", "*/notes", "acme", "acme/", "acme/**", "a*/x", "acme/a/b", "", "аcme/*",
        ] {
            assert!(text.parse::<RepoPattern>().is_err(), "{text}");
        }
    }

    #[track_caller]
    fn check_origins(pattern: &str, inside: &[&str], outside: &[&str]) {
        let parsed: OriginPattern = pattern.parse().unwrap();
        assert_eq!(parsed.to_string(), pattern);
        for origin in inside {
            assert!(parsed.holds(&origin.parse().unwrap()), "{pattern} {origin}");
        }
        for origin in outside {
            assert!(
                !parsed.holds(&origin.parse().unwrap()),
                "{pattern} {origin}"
            );
        }
    }

    #[test]
    fn look_alikes_are_other_origins() {
        check_origins(
            "https://*.acme.example",
            &["https://api.acme.example", "https://a.b.acme.example"],
            &[
                "https://acme.example",
                "https://notacme.example",
                "https://acme.example.evil.example",
                "http://api.acme.example",
                "https://api.acme.example:8443",
            ],
        );
        check_origins(
            "https://a.example",
            &["https://a.example"],
            &["https://b.a.example"],
        );
        check_origins(
            "http://*.a.example:81",
            &["http://x.a.example:81"],
            &["http://x.a.example"],
        );
        for text in [
            "*",
            "https://*",
            "https://*.com",
            "https://*.127.0.0.1",
            "https://a.*",
            "acme.example",
        ] {
            assert!(text.parse::<OriginPattern>().is_err(), "{text}");
        }
    }
}
