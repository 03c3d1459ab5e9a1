//! The rules of one policy, each judged by itself: what is expected, what was found, does it pass.

use std::collections::BTreeSet;
use std::fmt::{self, Display};
use std::path::PathBuf;
use std::sync::Arc;

use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};
use tool_hub_manifest::{
    Access, KeyFingerprint, Origin, PackageSigner, RepoId, ServerAddress, Source, VariableName,
};
use tool_hub_signing::TrustedRoot;
use url::Url;

use super::document::{DirectoryRule, PolicyDocument, ServerRule};
use super::subject::{OriginSubject, RightsSubject};
use crate::registry_address::is_same;

/// A rule, and how a tool fares with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleOutcome {
    /// The key in `policy.toml`, such as `signers.allowed`.
    pub rule: &'static str,
    /// What the rule allows.
    pub expected: String,
    /// What the tool has.
    pub found: String,
    /// True if the tool may be used as far as this rule goes.
    pub passes: bool,
}

/// A rule of a policy refuses a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyRefusal {
    /// The tool, as its user names it.
    pub tool: String,
    /// The policy.
    pub file: PathBuf,
    /// The rule.
    pub outcome: RuleOutcome,
    /// Whom to ask, if the policy says so.
    pub contact: Option<String>,
}

impl Display for PolicyRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RuleOutcome {
            rule,
            expected,
            found,
            ..
        } = &self.outcome;
        write!(
            f,
            "{} is refused by the rule `{rule}` of {}: expected {expected}, found {found}",
            self.tool,
            self.file.display()
        )
    }
}

impl PolicyDocument {
    /// The rules on where a tool comes from, who signed it or attests to it, and what is said of
    /// its version. `roots` are those that the policy trusts.
    pub(super) fn judge_origin(
        &self,
        subject: &OriginSubject<'_>,
        roots: &[Arc<TrustedRoot>],
    ) -> Vec<RuleOutcome> {
        let mut outcomes = self.judge_place(subject.source);
        let is_server = matches!(subject.source, Source::Server { .. });
        let signer = subject.signer;
        let found = signer.map_or_else(|| "no signature".to_owned(), |key| key.to_string());
        if self.signers.required == Some(true) && !is_server {
            outcomes.push(RuleOutcome {
                rule: "signers.required",
                expected: "a signed package".to_owned(),
                found: found.clone(),
                passes: signer.is_some(),
            });
        }
        if let Some(allowed) = self.signers.allowed.as_ref().filter(|_| !is_server) {
            outcomes.push(RuleOutcome {
                rule: "signers.allowed",
                expected: format!("a signature by {}", one_of(allowed)),
                found,
                passes: signer.is_some_and(|signer| allowed.contains(signer)),
            });
        }
        if !is_server {
            outcomes.extend(self.judge_publishers(subject, roots));
        }
        if let Some(least) = self.versions.refuse_yanked {
            let severity = subject.yank.map(|yank| yank.severity);
            outcomes.push(RuleOutcome {
                rule: "versions.refuse_yanked",
                expected: format!("no version yanked as {least} or worse"),
                found: match severity {
                    Some(severity) => format!("one yanked as {severity}"),
                    None => "one that is not yanked".to_owned(),
                },
                passes: severity.is_none_or(|severity| severity < least),
            });
        }
        if let Some(least) = self.versions.refuse_advised {
            let worst = subject.advisories.iter().max_by_key(|it| it.severity);
            outcomes.push(RuleOutcome {
                rule: "versions.refuse_advised",
                expected: format!("no advisory of severity {least} or worse"),
                found: match worst {
                    Some(worst) => format!("{} ({})", worst.id, worst.severity),
                    None => "none that is known".to_owned(),
                },
                passes: worst.is_none_or(|worst| worst.severity < least),
            });
        }
        if let (Some(days), Source::Registry { .. }) = (self.versions.min_age_days, subject.source)
        {
            let at = subject
                .logged
                .map(|entry| OffsetDateTime::parse(&entry.at, &Rfc3339));
            let age = at
                .and_then(Result::ok)
                .map(|at| OffsetDateTime::now_utc() - at);
            outcomes.push(RuleOutcome {
                rule: "versions.min_age_days",
                expected: format!("at least {days} days since it was published"),
                found: match age {
                    Some(age) => format!("{} days", age.whole_days()),
                    None => "no time of the registry's log".to_owned(),
                },
                passes: age.is_some_and(|age| age >= Duration::days(i64::from(days))),
            });
        }
        outcomes
    }

    /// The rules on attestations, and on the roots that vouch for them and for signers.
    fn judge_publishers(
        &self,
        subject: &OriginSubject<'_>,
        trusted: &[Arc<TrustedRoot>],
    ) -> Vec<RuleOutcome> {
        let (rules, publishers) = (&self.attestations, subject.attested_by);
        let found = match publishers.is_empty() {
            true => "no attestation".to_owned(),
            false => one_of(publishers),
        };
        let mut outcomes = Vec::new();
        if rules.required == Some(true) {
            outcomes.push(RuleOutcome {
                rule: "attestations.required",
                expected: "a package with an attestation".to_owned(),
                found: found.clone(),
                passes: !publishers.is_empty(),
            });
        }
        if let Some(allowed) = &rules.publishers {
            let is_allowed = |it: &PackageSigner| allowed.iter().any(|pattern| pattern.holds(it));
            outcomes.push(RuleOutcome {
                rule: "attestations.publishers",
                expected: format!("an attestation by {}", one_of(allowed)),
                found,
                passes: publishers.iter().any(is_allowed),
            });
        }
        if self.roots.only == Some(true) {
            let identities = subject.signer.into_iter().chain(publishers);
            let roots = identities.filter_map(|signer| match signer {
                PackageSigner::Identity(identity) => Some(identity.root()),
                PackageSigner::Key(_) => None,
            });
            let roots: BTreeSet<KeyFingerprint> = roots.collect();
            let trusted = trusted.iter().flat_map(|root| root.fingerprints());
            let trusted: BTreeSet<KeyFingerprint> = trusted.collect();
            let others: Vec<_> = roots.difference(&trusted).collect();
            outcomes.push(RuleOutcome {
                rule: "roots.only",
                expected: none_but("no root", &trusted),
                found: match others.is_empty() {
                    true => one_of(&roots),
                    false => one_of(others.iter().copied()),
                },
                passes: others.is_empty(),
            });
        }
        outcomes
    }

    /// The rules on the place alone, which can be judged before anything is fetched or started.
    pub(super) fn judge_place(&self, source: &Source) -> Vec<RuleOutcome> {
        let sources = &self.sources;
        let mut outcomes = Vec::new();
        match source {
            Source::Registry { endpoint, repo, .. } => return self.judge_repo(endpoint, repo),
            Source::File { path } => {
                if let Some(allowed) = sources.files {
                    outcomes.push(RuleOutcome {
                        rule: "sources.files",
                        expected: may(allowed, "a tool of a registry", "any"),
                        found: format!("the file {}", path.display()),
                        passes: allowed,
                    });
                }
            }
            Source::Server { address } => {
                if let Some(allowed) = sources.servers {
                    let is_remote = matches!(address, ServerAddress::Remote(_));
                    outcomes.push(RuleOutcome {
                        rule: "sources.servers",
                        expected: match allowed {
                            ServerRule::None => "no MCP server",
                            ServerRule::Remote => "a remote MCP server",
                            ServerRule::All => "any MCP server",
                        }
                        .to_owned(),
                        found: match is_remote {
                            true => "a remote MCP server",
                            false => "a local MCP server",
                        }
                        .to_owned(),
                        passes: match allowed {
                            ServerRule::None => false,
                            ServerRule::Remote => is_remote,
                            ServerRule::All => true,
                        },
                    });
                }
            }
        }
        outcomes
    }

    /// The rules on a repo of a registry, which can be judged before anybody is asked.
    pub(super) fn judge_repo(&self, endpoint: &Url, repo: &RepoId) -> Vec<RuleOutcome> {
        let sources = &self.sources;
        let mut outcomes = Vec::new();
        if let Some(registries) = &sources.registries {
            outcomes.push(RuleOutcome {
                rule: "sources.registries",
                expected: format!("the registry {}", one_of(registries)),
                found: endpoint.to_string(),
                passes: registries.iter().any(|one| is_same(one, endpoint)),
            });
        }
        if let Some(repos) = &sources.repos {
            outcomes.push(RuleOutcome {
                rule: "sources.repos",
                expected: one_of(repos),
                found: repo.to_string(),
                passes: repos.iter().any(|pattern| pattern.holds(repo)),
            });
        }
        outcomes
    }

    /// The rule on the mirror that is asked in place of the registry at `endpoint`. It decides what
    /// is heard of that registry, and what is not.
    pub(super) fn judge_mirror(&self, endpoint: &Url, mirror: &Url) -> Option<RuleOutcome> {
        let registries = self.sources.registries.as_ref()?;
        Some(RuleOutcome {
            rule: "sources.registries",
            expected: format!("no mirror, or one of these: {}", one_of(registries)),
            found: format!("{mirror}, which `mirrors` in config.toml names for {endpoint}"),
            passes: registries.iter().any(|one| is_same(one, mirror)),
        })
    }

    /// The rules on the rights of a tool.
    pub fn judge_rights(&self, subject: &RightsSubject<'_>) -> Vec<RuleOutcome> {
        let (ceiling, grants) = (&self.capabilities, subject.grants);
        let mut outcomes = Vec::new();
        if let Some(allowed) = &ceiling.network {
            let origins = grants.network.iter().map(|(origin, _)| origin);
            let origins: Vec<&Origin> = origins.chain(grants.credentials.values()).collect();
            let is_allowed = |origin: &&Origin| allowed.iter().any(|it| it.holds(origin));
            let beyond = origins.iter().copied().filter(|origin| !is_allowed(origin));
            outcomes.push(within(
                "capabilities.network",
                none_but("nothing", allowed),
                beyond,
                &origins,
            ));
        }
        if let Some(most) = ceiling.directories {
            let kinds = grants.directories.values().map(|grant| match grant.access {
                Access::Read => DirectoryRule::Read,
                Access::ReadWrite => DirectoryRule::ReadWrite,
            });
            let found = kinds.max().unwrap_or(DirectoryRule::None);
            outcomes.push(RuleOutcome {
                rule: "capabilities.directories",
                expected: format!("at most {}", most.as_str()),
                found: found.as_str().to_owned(),
                passes: found <= most,
            });
        }
        let variables: Vec<&VariableName> = grants.variables.iter().collect();
        let keys = grants.credentials.keys().collect();
        for (rule, allowed, names) in [
            ("capabilities.variables", &ceiling.variables, variables),
            ("capabilities.credentials", &ceiling.credentials, keys),
        ] {
            if let Some(allowed) = allowed {
                let beyond = names.iter().copied();
                let beyond = beyond.filter(|name| !allowed.contains(*name));
                outcomes.push(within(rule, none_but("nothing", allowed), beyond, &names));
            }
        }
        if let Some(allowed) = ceiling.storage {
            outcomes.push(RuleOutcome {
                rule: "capabilities.storage",
                expected: may(allowed, "no storage", "any"),
                found: may(grants.storage, "none", "storage"),
                passes: allowed || !grants.storage,
            });
        }
        let Some(limits) = subject.call_limits() else {
            return outcomes;
        };
        if let Some(most) = ceiling.memory_mib {
            let found = limits.memory_bytes >> 20;
            outcomes.push(at_most("capabilities.memory_mib", most, found, "MiB"));
        }
        if let Some(most) = ceiling.call_seconds {
            let found = limits.call_ms.div_ceil(1_000);
            outcomes.push(at_most("capabilities.call_seconds", most, found, "seconds"));
        }
        outcomes
    }
}

/// A ceiling that a tool keeps to if nothing of what it has is `beyond`.
fn within<T: Display>(
    rule: &'static str,
    expected: String,
    beyond: impl Iterator<Item = T>,
    all: &[T],
) -> RuleOutcome {
    let beyond: Vec<String> = beyond.map(|one| one.to_string()).collect();
    RuleOutcome {
        rule,
        expected,
        found: match (beyond.is_empty(), all.is_empty()) {
            (false, _) => beyond.join(", "),
            (true, true) => "nothing".to_owned(),
            (true, false) => {
                let all: Vec<String> = all.iter().map(ToString::to_string).collect();
                all.join(", ")
            }
        },
        passes: beyond.is_empty(),
    }
}

fn at_most(rule: &'static str, most: u32, found: u64, unit: &str) -> RuleOutcome {
    RuleOutcome {
        rule,
        expected: format!("at most {most} {unit} a call, in the manifest"),
        found: format!("{found} {unit}"),
        passes: found <= u64::from(most),
    }
}

fn may(is_so: bool, no: &str, yes: &str) -> String {
    if is_so { yes } else { no }.to_owned()
}

/// What `none` says, but for the members of a list, if it has any.
fn none_but<'a, T: Display + 'a>(none: &str, list: impl IntoIterator<Item = &'a T>) -> String {
    let mut list = list.into_iter().peekable();
    match list.peek() {
        None => none.to_owned(),
        Some(_) => format!("{none} but {}", one_of(list)),
    }
}

/// The members of a list in words.
fn one_of<'a, T: Display + 'a>(list: impl IntoIterator<Item = &'a T>) -> String {
    let list: Vec<String> = list.into_iter().map(ToString::to_string).collect();
    match list.is_empty() {
        true => "none".to_owned(),
        false => list.join(" or "),
    }
}

#[cfg(test)]
mod tests;
