//! The rules of one policy, each judged by itself: what is expected, what was found, does it pass.

use std::fmt::{self, Display};
use std::path::PathBuf;

use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};
use tool_hub_manifest::{Access, Origin, RepoId, ServerAddress, Source};
use url::Url;

use super::document::{DirectoryRule, PolicyDocument, ServerRule};
use super::subject::{OriginSubject, RightsSubject};

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
    /// The rules on where a tool comes from, who signed it, and what is said of its version.
    pub fn judge_origin(&self, subject: &OriginSubject<'_>) -> Vec<RuleOutcome> {
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

    /// The rules on the place alone, which can be judged before anything is fetched or started.
    pub fn judge_place(&self, source: &Source) -> Vec<RuleOutcome> {
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
    pub fn judge_repo(&self, endpoint: &Url, repo: &RepoId) -> Vec<RuleOutcome> {
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
                one_of(allowed),
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
        if let Some(allowed) = &ceiling.variables {
            let names: Vec<_> = grants.variables.iter().collect();
            let beyond = names
                .iter()
                .copied()
                .filter(|name| !allowed.contains(*name));
            outcomes.push(within(
                "capabilities.variables",
                one_of(allowed),
                beyond,
                &names,
            ));
        }
        if let Some(allowed) = &ceiling.credentials {
            let names: Vec<_> = grants.credentials.keys().collect();
            let beyond = names
                .iter()
                .copied()
                .filter(|name| !allowed.contains(*name));
            outcomes.push(within(
                "capabilities.credentials",
                one_of(allowed),
                beyond,
                &names,
            ));
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
        expected: format!("nothing but {expected}"),
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

/// The members of a list in words.
fn one_of<'a, T: Display + 'a>(list: impl IntoIterator<Item = &'a T>) -> String {
    let list: Vec<String> = list.into_iter().map(ToString::to_string).collect();
    match list.is_empty() {
        true => "none".to_owned(),
        false => list.join(" or "),
    }
}

/// True if two URLs of registries differ at most in a slash at the end.
fn is_same(one: &Url, other: &Url) -> bool {
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    one.origin() == other.origin() && path(one) == path(other)
}

#[cfg(test)]
mod tests {
    use tool_hub_manifest::{
        Grants, KeyFingerprint, LimitRequest, LogEntry, PackageSigner, Version,
    };

    use super::*;

    fn policy(text: &str) -> PolicyDocument {
        toml_edit::de::from_str(text).unwrap()
    }

    /// The rules that refuse, with what they found.
    fn refusing(outcomes: Vec<RuleOutcome>) -> Vec<String> {
        let refusing = outcomes.into_iter().filter(|outcome| !outcome.passes);
        refusing
            .map(|outcome| format!("{}: {}", outcome.rule, outcome.found))
            .collect()
    }

    fn from_registry(endpoint: &str) -> Source {
        Source::Registry {
            endpoint: endpoint.parse().unwrap(),
            repo: "acme/notes".parse().unwrap(),
            commit: "a".repeat(40).parse().unwrap(),
        }
    }

    #[test]
    fn places_are_judged() {
        let strict = policy(
            "sources = { registries = ['https://tools.example/'], repos = ['acme/*'], files = false, servers = 'remote' }",
        );
        let judged = |source: &Source| refusing(strict.judge_place(source));
        assert_eq!(judged(&from_registry("https://tools.example")), [""; 0]);
        let there = "https://tools.example.evil.example/";
        assert_eq!(
            judged(&from_registry(there)),
            [format!("sources.registries: {there}")]
        );
        let file = Source::File { path: "/a".into() };
        assert_eq!(judged(&file), ["sources.files: the file /a"]);
        let nobody = policy("sources.registries = []");
        assert_eq!(
            refusing(nobody.judge_place(&from_registry("https://a.example"))).len(),
            1
        );
        assert_eq!(policy("").judge_place(&file), []);
    }

    fn signer(text: &str) -> PackageSigner {
        text.parse().unwrap()
    }

    #[test]
    fn signers_are_judged_by_the_whole_name() {
        let root = KeyFingerprint::of(b"a root");
        let key = PackageSigner::Key(KeyFingerprint::of(b"a key"));
        let identity = |root| signer(&format!("ada@a.example under {root}"));
        let ada = identity(root);
        let signed = policy(&format!("signers.allowed = ['{key}', '{ada}']"));
        let source = from_registry("https://tools.example");
        let version = Version::new(1, 0, 0);
        let judged = |signer: Option<&PackageSigner>| {
            let subject = OriginSubject {
                source: &source,
                version: &version,
                signer,
                yank: None,
                advisories: Vec::new(),
                logged: None,
            };
            refusing(signed.judge_origin(&subject))
        };
        assert_eq!(judged(Some(&key)), [""; 0]);
        assert_eq!(judged(Some(&ada)), [""; 0]);
        let other_root = KeyFingerprint::of(b"another root");
        for other in [
            PackageSigner::Key(KeyFingerprint::of(b"another key")),
            PackageSigner::Key(root),
            identity(other_root),
            signer(&format!(
                "ada@a.example by https://issuer.example under {root}"
            )),
            signer(&format!("Ada@a.example under {root}")),
        ] {
            assert_eq!(judged(Some(&other)), [format!("signers.allowed: {other}")]);
        }
        assert_eq!(judged(None), ["signers.allowed: no signature"]);
    }

    #[test]
    fn age_is_told_by_the_registry_s_log_alone() {
        let patient = policy("versions.min_age_days = 7");
        let (source, version) = (from_registry("https://a.example"), Version::new(1, 0, 0));
        let file = Source::File { path: "/a".into() };
        let judged = |source: &Source, days_ago: Option<i64>| {
            let entry = days_ago.map(|days| LogEntry {
                built_from: None,
                index: 0,
                at: (OffsetDateTime::now_utc() - Duration::days(days))
                    .format(&Rfc3339)
                    .unwrap(),
                taken_new: true,
            });
            let subject = OriginSubject {
                source,
                version: &version,
                signer: None,
                yank: None,
                advisories: Vec::new(),
                logged: entry.as_ref(),
            };
            refusing(patient.judge_origin(&subject))
        };
        assert_eq!(judged(&source, Some(7)), [""; 0]);
        assert_eq!(judged(&source, Some(6)), ["versions.min_age_days: 6 days"]);
        assert_eq!(
            judged(&source, None),
            ["versions.min_age_days: no time of the registry's log"]
        );
        assert_eq!(judged(&file, None), [""; 0]);
    }

    #[test]
    fn rights_have_ceilings() {
        let ceiling = policy(
            "[capabilities]
            network = ['https://*.acme.example']
            directories = 'read'
            variables = ['LANG']
            credentials = []
            storage = false
            memory_mib = 64
            call_seconds = 5",
        );
        let grants: Grants = toml_edit::de::from_str(
            "network = ['https://a.acme.example', 'https://b.example']
            variables = ['LANG', 'TOKEN']
            storage = true
            credentials = { KEY = 'https://c.example' }
            directories = { notes = { path = '/n', access = 'read-write' } }",
        )
        .unwrap();
        let limits = LimitRequest {
            memory_mib: Some(65),
            call_seconds: Some(5),
        };
        let judged = |grants: &Grants, limits: &LimitRequest| {
            let limits = Some(limits);
            refusing(ceiling.judge_rights(&RightsSubject { grants, limits }))
        };
        assert_eq!(
            judged(&grants, &limits),
            [
                "capabilities.network: https://b.example, https://c.example",
                "capabilities.directories: read-write",
                "capabilities.variables: TOKEN",
                "capabilities.credentials: KEY",
                "capabilities.storage: storage",
                "capabilities.memory_mib: 65 MiB",
            ]
        );
        // A manifest that asks for no limit has the host's own.
        assert_eq!(
            judged(&Grants::none(), &LimitRequest::default()),
            [
                "capabilities.memory_mib: 256 MiB",
                "capabilities.call_seconds: 30 seconds"
            ]
        );
    }

    #[test]
    fn a_mistake_is_no_rule() {
        for text in [
            "signer.required = true",
            "signers.requird = true",
            "min_release_age = '3 days'",
            "required_attestations = true",
            "sources.repos = ['*']",
            "signers.allowed = ['SHA256:short']",
            "sources.servers = 'some'",
            "capabilities.memory_mib = -1",
        ] {
            assert!(
                toml_edit::de::from_str::<PolicyDocument>(text).is_err(),
                "{text}"
            );
        }
    }
}
