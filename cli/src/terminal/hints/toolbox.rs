//! Exit codes and hints for errors of the toolbox.

use tool_hub_manifest::RepoId;
use tool_hub_signing::SigningError;
use tool_hub_toolbox::Error;
use tool_hub_toolbox::advisories::advisory::RefusedVersion;
use tool_hub_toolbox::advisories::error::AdvisoryError;
use tool_hub_toolbox::bundle::error::BundleError;
use tool_hub_toolbox::keyless::error::KeylessError;
use tool_hub_toolbox::keyring_item::KeyringError;
use tool_hub_toolbox::log_writer::error::LogWriterError;
use tool_hub_toolbox::logged_version::error::LogError;
use tool_hub_toolbox::malicious_version::MaliciousVersion;
use tool_hub_toolbox::oauth::SignInError;
use tool_hub_toolbox::policy::error::PolicyError;
use tool_hub_toolbox::policy::rule::PolicyRefusal;
use tool_hub_toolbox::sensitive::finding::{Finding, Refusal};
use tool_hub_toolbox::signing_keys::error::SigningKeyError;
use url::Url;

use super::{Hint, one};
use crate::terminal::exit::Exit;
use crate::terminal::phrases::nearest;

impl Hint for Error {
    fn exit(&self) -> Exit {
        match self {
            _ if self.is_refusal() => Exit::Refused,
            Self::Document(source) | Self::Toolbox { source, .. } => source.exit(),
            Self::NotLoaded { source, .. } | Self::Dependency { source, .. } => source.exit(),
            Self::NotATool { source, .. } | Self::Host(source) => source.exit(),
            Self::NotVerified(source) | Self::NotThePackage { source, .. } => source.exit(),
            Self::Client(source) => source.exit(),
            Self::Store(source) => source.exit(),
            Self::Serialize { .. }
            | Self::NoHome
            | Self::NoToken { .. }
            | Self::NoTokenFor { .. }
            | Self::Time(_)
            | Self::Name(_) => Exit::Unexpected,
            _ => Exit::User,
        }
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::LeadsOut { .. } => one("remove the link, or edit its target yourself"),
            Self::NotAUrl { .. } => {
                one("write all of it, such as https://tools.example.com or http://127.0.0.1:8080")
            }
            Self::NotAToken { .. } => {
                one("set it to the whole token and nothing else, or unset it")
            }
            Self::Keyring(KeyringError::Absent(_)) => one(
                "run this in the desktop session that has the keyring; on a server credentials are kept in a file",
            ),
            Self::Keyring(_) => one("unlock the keyring and try again"),
            Self::SignIn {
                source: SignInError::Expired | SignInError::Refused,
                ..
            } => one("run the command again for another code"),
            Self::NoToolbox { .. } => {
                one("name the directory that it is in, or leave --toolbox out for the nearest one")
            }
            Self::UntrustedLock { .. } => one(
                "restore the file, or delete it and load the tools again: every one asks for approval",
            ),
            Self::NoSuchTool { name, known, .. } => {
                let known: Vec<&str> = known.iter().map(|key| key.as_str()).collect();
                vec![match (nearest(name, &known), known.is_empty()) {
                    (Some(nearest), _) => format!("did you mean `{nearest}`?"),
                    (None, false) => format!("the toolbox has: {}", known.join(", ")),
                    (None, true) => {
                        "the toolbox is empty; load a tool with: tool load owner/name".to_owned()
                    }
                }]
            }
            Self::NoSuchFunction { known, .. } => {
                vec![format!("there are: {}", known.join(", "))]
            }
            Self::ServerAddress(_) => one(
                "a server is mcp:PROGRAM with its arguments, or mcp+https://…, after all flags of `tool`",
            ),
            Self::ServerNotHere { .. } => one("load it first: tool load mcp:…"),
            Self::NamedTwice { .. } => one("name each tool once"),
            Self::NotApproved { key, origin, .. } | Self::NotSigned { key, origin, .. } => {
                // What follows a server's command would be its own.
                vec![
                    match origin.starts_with("mcp:") || origin.starts_with("mcp+") {
                        true => format!("run: tool load {key}"),
                        false => format!("run: tool load {origin} --as {key}"),
                    },
                ]
            }
            Self::Malicious(malicious) => of_malicious(malicious),
            Self::Advised(refused) => advised(refused),
            Self::Policy(PolicyError::Refused(refusal)) => of_refusal(refusal),
            Self::Policy(_) => one(
                "mend the file, or ask the machine's administrator to; `tool doctor` shows which policies there are",
            ),
            Self::Advisories(AdvisoryError::Damaged { path, .. }) => vec![format!(
                "delete {}, and read the sources again with: tool audit",
                path.display()
            )],
            Self::Advisories(_) => one(
                "see `advisories` in config.toml; until it can be read, the copy that was kept counts",
            ),
            Self::TextsChanged { key, .. } => vec![format!("run: tool load {key}")],
            Self::UnknownFunction {
                function, known, ..
            } => {
                let known: Vec<&str> = known.iter().map(|name| name.as_str()).collect();
                vec![match nearest(function.as_str(), &known) {
                    Some(nearest) => format!("did you mean `{nearest}`?"),
                    None => format!("it has: {}", known.join(", ")),
                }]
            }
            Self::NoSignature { .. } => one(
                "load the key into ssh-agent, plug it in, or put it into ~/.ssh; see: ssh-add -l",
            ),
            Self::AlreadyRequired { .. } => one(
                "first remove the requirement, signed with one of its keys: tool approvals release",
            ),
            Self::RequiredBySystem { place } => vec![format!(
                "only an administrator can remove the requirement, by deleting {}",
                place.display()
            )],
            Self::NotRoots { path } => vec![format!(
                "run as root: chown root {0} && chmod go-w {0}",
                path.display()
            )],
            Self::NoSigner { .. } => one("list a key in `signers`, or remove the file"),
            Self::NotAPublicKey { .. } => one(
                "name a file that ends in .pub; make one with: ssh-keygen -t ed25519-sk, or -t ed25519",
            ),
            Self::WrongSignature { .. } => one(
                "nothing was loaded; tell its author, by another way than the registry, and load no version until you know why",
            ),
            Self::Log { source, .. } if matches!(**source, LogError::NotLoggedYet { .. }) => vec![
                "nothing was loaded; wait until whoever keeps the data set has taken the version, \
                 or ask them to"
                    .to_owned(),
                "load an older version by its number: owner/name@1.2.0".to_owned(),
            ],
            Self::Log { source, .. } if matches!(**source, LogError::Witnesses(_)) => vec![
                "nothing was loaded; a version that was published this moment is cosigned soon: try again in a minute".to_owned(),
                "if it stays so, tell whoever runs the registry, and ask the witnesses".to_owned(),
            ],
            Self::Log { source, .. } if matches!(**source, LogError::Ahead { .. }) => vec![
                "nothing was loaded; look whether the clock of this machine is right".to_owned(),
                "if it is, tell whoever runs the registry, and other users of it".to_owned(),
            ],
            Self::Log { source, .. } if matches!(**source, LogError::Contended) => {
                one("nothing was loaded; run it again when fewer commands run beside it")
            }
            Self::Log {
                source,
                endpoint,
                file,
            } => {
                let mut hints = one(
                    "nothing was loaded; tell whoever runs the registry, and other users of it",
                );
                if source.is_of_another_log() {
                    hints.push(format!(
                        "if it was set up anew, and you know that from them, remove `{endpoint}` from {}",
                        file.display()
                    ));
                }
                hints
            }
            Self::TooNew { repo, version, .. } => vec![
                "wait until others have used it, or take it now with --allow-new".to_owned(),
                format!("one that is named exactly is taken at any age: {repo}@{version}"),
            ],
            Self::NoVersion { repo } => vec![
                "where it had versions before, tell its author: they may be held back".to_owned(),
                format!("take the branch by its name, if you trust the registry: {repo}@main"),
            ],
            Self::OtherMaker(other) => vec![format!(
                "ask its author, by another way than the registry; if they say so: tool load {}",
                other.subject
            )],
            Self::Bundle { source, .. } => source.hints(),
            Self::SigningKey(source) => source.hints(),
            Self::Keyless(source) => keyless(source),
            Self::LogWriter(source) => source.hints(),
            Self::NotAReference {
                text,
                address,
                there,
                ..
            } => vec![match (address, there) {
                (Some(url), _) => address_hint(url),
                (None, Some(_)) => format!("for the file or directory, write ./{text}"),
                (None, None) => "write owner/name, owner/name@1.2.0, or ./a/path".to_owned(),
            }],
            Self::NothingThere { .. } => one("look at the path"),
            Self::NoComponent { .. } => {
                one("look at the path, or write owner/name for a tool of a registry")
            }
            Self::NotBuilt { directory } => {
                vec![format!("run: tool build {}", directory.display())]
            }
            Self::DangerousDirectory {
                name,
                path,
                findings,
                ..
            } => {
                let narrower = path.join(name.as_str());
                let mut hints = vec![format!(
                    "grant a directory that holds only what the tool needs, such as a subdirectory: --allow-dir {name}={}",
                    narrower.display()
                )];
                hints.extend(insisting(findings));
                hints
            }
            // An exact version that an author asks for is taken at no other age.
            Self::Dependency { source, .. } if matches!(**source, Self::TooNew { .. }) => {
                one("wait until others have used it, or take it now with --allow-new")
            }
            Self::Document(source) | Self::Toolbox { source, .. } => source.hints(),
            Self::NotLoaded { source, .. } | Self::Dependency { source, .. } => source.hints(),
            Self::NotATool { source, .. } | Self::Host(source) => source.hints(),
            Self::NotVerified(source) | Self::NotThePackage { source, .. } => source.hints(),
            Self::Client(source) => source.hints(),
            Self::Store(source) => source.hints(),
            _ => Vec::new(),
        }
    }
}

impl Hint for BundleError {
    fn exit(&self) -> Exit {
        Exit::of_refusal(self.is_refusal())
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::NotABundle { .. } | Self::Unreadable { .. } => {
                one("get the file anew, and compare its digest with that of whoever made it")
            }
            Self::Index { .. } => {
                one("it may be of a newer version of `tool`: look for an update, or get it anew")
            }
            Self::NoSuchTool { known, .. } => {
                vec![format!("there are: {}", known.join(", "))]
            }
            Self::Empty => one("load tools from a registry first: tool load owner/name"),
            Self::Twice { .. } => one("one version of a tool fits into a bundle; name the tools"),
            Self::TooNew { .. } => {
                one("wait until others have used it, or take it now with --allow-new")
            }
            Self::OfNoRegistry => {
                one("publish it first, or carry its package and load that by its path")
            }
            Self::OtherSignerHere { repo, .. } => vec![format!(
                "nothing was written; see why with: tool inspect {repo}"
            )],
            Self::TooMuch { .. } => one("make several bundles, with fewer tools in each"),
            Self::NotLogged { .. } => one(
                "nothing was loaded; only versions that are in the log can be carried here, so not those of a branch",
            ),
            _ => one(
                "nothing was loaded; somebody changed it since it was made, or made it so: ask whoever gave it to you",
            ),
        }
    }
}

impl Hint for LogWriterError {
    fn exit(&self) -> Exit {
        Exit::of_refusal(self.is_refusal())
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::NoKey { .. } | Self::NoLog { .. } => {
                one("look at the names; begin a log with --new, which makes its key")
            }
            Self::OtherLog { .. } => {
                one("look at the name of the data set; each log has a key of its own")
            }
            Self::NotAKey { .. } | Self::Unsignable(_) => {
                one("name the file that --new made; it is the only one that signs this log")
            }
            Self::Exists { .. } => one("go on with it without --new"),
            Self::NoRandomness => Vec::new(),
            _ => one(
                "nothing was signed; find out who changed the data set, and bring it back to a commit that was signed here",
            ),
        }
    }
}

impl Hint for SigningKeyError {
    fn exit(&self) -> Exit {
        Exit::of_refusal(matches!(self, Self::OpenToOthers { .. }))
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::NotAKey { source, .. } => match source {
                SigningError::NotAPrivateKey { .. } => one(
                    "name a PEM file with an unencrypted private key; make one with: tool key new NAME",
                ),
                SigningError::NotACertificate { .. } => {
                    one("name a PEM file with certificates, or the trusted_root.json of a Sigstore")
                }
                _ => one("name a PEM file with a public key, such as `tool key show NAME` prints"),
            },
            Self::OpenToOthers { path } => vec![format!("run: chmod 600 {}", path.display())],
            Self::NotFound { name, known } => {
                let known: Vec<&str> = known.iter().map(|name| name.as_str()).collect();
                vec![match (nearest(name.as_str(), &known), known.is_empty()) {
                    (Some(nearest), _) => format!("did you mean `{nearest}`?"),
                    (None, false) => format!("there are: {}", known.join(", ")),
                    (None, true) => format!("make one with: tool key new {name}"),
                }]
            }
            Self::IsRoot { .. } => vec!["see the keys with: tool key list".to_owned()],
            Self::Exists { name } => vec![format!("see it with: tool key show {name}")],
            Self::CannotSign { .. } => one("see which of your keys can sign with: tool key list"),
            _ => Vec::new(),
        }
    }
}

/// The ways on where a Sigstore signed nothing.
fn keyless(error: &KeylessError) -> Vec<String> {
    vec![match error {
        KeylessError::NotAConfig { .. } | KeylessError::Address { .. } => {
            "name the file that `model_signing sign sigstore --trust_config` takes, with `trustedRoot` and `signingConfig`"
        }
        KeylessError::NoAnswer { .. } => {
            "nothing was published; see that the service runs and can be reached from here, and push again"
        }
        KeylessError::Refused { .. } => {
            "nothing was published; ask whoever runs the service, and have another identity token made before you push again"
        }
        _ => {
            "nothing was published; the trust configuration may be of another Sigstore than its services: get it anew"
        }
    }
    .to_owned()]
}

/// The hints for a policy's refusal: ask its author, or use a registry and mirror that it allows.
fn of_refusal(refusal: &PolicyRefusal) -> Vec<String> {
    let contact = refusal.contact.as_deref();
    let contact = contact.unwrap_or("whoever wrote the policy");
    let ask = format!("ask {contact}; all rules are shown by: tool policy explain");
    let registries = "use a registry that the rule names; `mirrors` in config.toml may name no other in its place";
    match refusal.outcome.rule {
        "sources.registries" => vec![ask, registries.to_owned()],
        _ => vec![ask],
    }
}

/// The ways on from an approved version that attacks its users.
fn of_malicious(malicious: &MaliciousVersion) -> Vec<String> {
    let MaliciousVersion {
        key,
        origin,
        grants,
        ..
    } = malicious;
    let mut hints = vec![
        format!("take another version with: tool load {origin} --as {key}"),
        format!("or take it out of the toolbox with: tool remove {key}"),
        format!("that its owner gave it back is heard of by: tool update {key}"),
    ];
    if !grants.is_none() {
        hints.push(
            "it had the rights that you granted it: look at what it could reach, and replace keys \
             that it could read"
                .to_owned(),
        );
    }
    hints
}

/// The ways on from a version that an advisory refuses.
fn advised(refused: &RefusedVersion) -> Vec<String> {
    let RefusedVersion {
        key,
        origin,
        called_by,
        version,
        id,
        fixed,
        source,
        ..
    } = refused;
    let named = key
        .as_ref()
        .map_or_else(String::new, |key| format!(" --as {key}"));
    let mut hints = vec![match (key, source.bundle()) {
        (None, _) => format!("read what {id} says in {source}"),
        (Some(_), None) => "read what it says with: tool audit".to_owned(),
        (Some(_), Some(path)) => {
            format!(
                "read what it says with: tool audit --source {}",
                path.display()
            )
        }
    }];
    let (mended, same) = match called_by {
        None => (
            fixed.as_ref().map(|fixed| format!("{origin}@{fixed}")),
            format!("{origin}@{version}"),
        ),
        // The version of what it calls follows from what is there.
        Some(tool) => (fixed.as_ref().map(|_| tool.clone()), tool.clone()),
    };
    hints.extend(
        mended.map(|mended| format!("take the mended version with: tool load {mended}{named}")),
    );
    hints.push(format!(
        "if you know why it does not concern you: tool load {same}{named} --allow-advisory {id}"
    ));
    hints
}

/// The flags that accept all dangers, where that can be done.
fn insisting(findings: &[Finding]) -> Option<String> {
    if findings.iter().any(|one| one.refusal == Refusal::Always) {
        return None;
    }
    let flags = findings
        .iter()
        .map(|one| format!("--insist {}", one.place.display()));
    Some(format!(
        "if you trust the tool with that too, add: {}",
        flags.collect::<Vec<_>>().join(" ")
    ))
}

/// A hint for a user who gave a URL: the reference to write if it is a tool's page.
fn address_hint(url: &Url) -> String {
    let segments: Vec<&str> = url.path().split('/').filter(|it| !it.is_empty()).collect();
    let repo = match &segments[..] {
        [owner, name] | [owner, name, "tree" | "blob" | "resolve", ..] => {
            format!("{owner}/{name}").parse::<RepoId>().ok()
        }
        _ => None,
    };
    match repo.filter(|repo| !repo.as_str().ends_with(".wasm")) {
        Some(repo) => format!(
            "for a tool of that registry, write {repo} --endpoint {}",
            url.origin().ascii_serialization()
        ),
        None => "tools are not fetched from URLs: download the component, inspect it and give its \
                 path, or write owner/name for a tool of a registry"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_answered_with_what_to_write() {
        for (text, hint) in [
            (
                "https://hub.example.org/ada/adder",
                "write ada/adder --endpoint https://hub.example.org",
            ),
            (
                "http://127.0.0.1:8080/ada/adder/tree/v1.0.0",
                "write ada/adder --endpoint http://127.0.0.1:8080",
            ),
            ("https://example.org/x/adder.wasm", "download the component"),
            ("https://example.org/", "download the component"),
        ] {
            let shown = address_hint(&text.parse().unwrap());
            assert!(shown.contains(hint), "{text}: {shown}");
        }
    }
}
