//! The issuers of identity tokens that a registry trusts, and the places of their keys.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use tool_hub_manifest::is_this_machine;
use url::Url;

use super::build_service::BuildService;

/// An issuer of identity tokens: a build service at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedIssuer {
    service: BuildService,
    url: Url,
    /// The text of the URL, as tokens have it in `iss`.
    text: String,
    /// The place of its keys.
    pub keys: IssuerKeys,
}

/// The place of the public keys of an issuer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum IssuerKeys {
    /// The issuer names it in `/.well-known/openid-configuration`.
    Discovered,
    /// A file with a JSON Web Key Set, for a registry that does not reach the issuer. It is read
    /// again for each token.
    File(PathBuf),
}

/// The reason why a text names no issuer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IssuerError {
    /// The kind of build service is not known.
    #[error("`{0}` is not a build service: write github, gitlab, github=URL or gitlab=URL")]
    Service(String),
    /// The address is no URL.
    #[error("the issuer is not a URL: {0}")]
    NotAUrl(#[from] url::ParseError),
    /// The address breaks a rule.
    #[error("the issuer {url} cannot be trusted: {rule}")]
    Url {
        /// The address.
        url: String,
        /// The rule that it breaks.
        rule: &'static str,
    },
}

impl TrustedIssuer {
    /// The kind of build service.
    pub(crate) fn service(&self) -> BuildService {
        self.service
    }

    /// The address, as tokens have it in `iss`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }
}

impl FromStr for TrustedIssuer {
    type Err = IssuerError;

    /// Reads `github` and `gitlab`, or `github=URL` and `gitlab=URL` for a server of one's own.
    fn from_str(text: &str) -> Result<Self, IssuerError> {
        let (word, address) = match text.split_once('=') {
            Some((word, address)) => (word, Some(address)),
            None => (text, None),
        };
        let service = BuildService::from_word(word)
            .ok_or_else(|| IssuerError::Service(word.chars().take(200).collect()))?;
        let address = address.unwrap_or(service.public_issuer());
        let url = Url::parse(address)?;
        let refused = |rule| {
            Err(IssuerError::Url {
                url: address.chars().take(200).collect(),
                rule,
            })
        };
        if url.scheme() != "https" && !(url.scheme() == "http" && is_this_machine(&url)) {
            return refused("its keys have to come over https");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refused("it must not hold a user or a password");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return refused("it must have neither query nor fragment");
        }
        Ok(Self {
            service,
            url,
            text: address.to_owned(),
            keys: IssuerKeys::Discovered,
        })
    }
}

impl fmt::Display for TrustedIssuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Result<(BuildService, &str), &str>) {
        let got = text.parse::<TrustedIssuer>();
        let got = got.as_ref().map(|it| (it.service(), it.as_str()));
        match (got, expect) {
            (Ok(got), Ok(expect)) => assert_eq!(got, expect),
            (Err(error), Err(expect)) => assert!(error.to_string().contains(expect), "{error}"),
            (got, expect) => panic!("{got:?}, not {expect:?}"),
        }
    }

    #[test]
    fn issuers() {
        let (github, gitlab) = (BuildService::GitHub, BuildService::GitLab);
        let public = "https://token.actions.githubusercontent.com";
        check("github", Ok((github, public)));
        check("gitlab", Ok((gitlab, "https://gitlab.com")));
        let own = "https://git.example.com:8443/gitlab";
        check(&format!("gitlab={own}"), Ok((gitlab, own)));
        let local = "http://127.0.0.1:8000";
        check(&format!("github={local}"), Ok((github, local)));
        check("gitlab=http://[::1]:1", Ok((gitlab, "http://[::1]:1")));
        check("circleci", Err("not a build service"));
        check("github=git.example.com", Err("not a URL"));
        check("github=http://git.example.com", Err("over https"));
        check("github=file:///etc/keys", Err("over https"));
        check("github=http://localhost.example.com", Err("over https"));
        check("github=https://a:b@git.example.com", Err("user"));
        check("github=https://git.example.com/?a=b", Err("query"));
    }
}
