//! Exit codes and hints for errors of `tool registry`: its directory, and administration.

use tool_hub_registry_server::RegistryError;

use super::{DAMAGED_LOG, Hint, one};
use crate::terminal::exit::Exit;

impl Hint for RegistryError {
    fn exit(&self) -> Exit {
        match self {
            Self::OpenDirectory { .. }
            | Self::OpenDatabase { .. }
            | Self::OpenStorage { .. }
            | Self::Migrate(_)
            | Self::Content(_)
            | Self::Spool(_)
            | Self::Name(_)
            | Self::NameTaken { .. }
            | Self::NoSuchAccount { .. }
            | Self::InTheWay { .. }
            | Self::NotABackup { .. }
            | Self::NotEmpty { .. }
            | Self::RemovalSlow(_)
            | Self::ExpiryNotInFuture { .. }
            | Self::ScopeOutOfBounds { .. }
            | Self::NoPublicUrl
            | Self::AttestationRoot { .. }
            | Self::NotAMirror
            | Self::MirrorOfAnother { .. }
            | Self::RepositoriesNotNamed { .. }
            | Self::MirroredTwice
            | Self::WitnessNotAdded { .. }
            | Self::WitnessAddress { .. }
            | Self::NoSuchWitness { .. }
            | Self::WitnessOfMirror
            | Self::Upstream { .. }
            | Self::NoSuchToken { .. } => Exit::User,
            Self::ContentAltered { .. } | Self::LogDamaged { .. } | Self::UpstreamLog { .. } => {
                Exit::Refused
            }
            _ => Exit::Unexpected,
        }
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::OpenDirectory { .. } => one("make it a directory that you may write, or name another with --data DIR"),
            Self::OpenDatabase { url, .. } if url.starts_with("postgres") => one("the database must exist, and its user must be allowed to make tables; a password may also be given as PGPASSWORD"),
            Self::OpenStorage { .. } => one("the bucket must exist; set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION, and AWS_ENDPOINT_URL for a server that is not Amazon's"),
            Self::OpenDatabase { .. } => one("registry.sqlite must be a registry's and yours to write; name another directory with --data DIR"),
            Self::Migrate(_) => one("its files must be yours to write; if a newer version of `tool` made them, run that one, or name another directory with --data DIR"),
            Self::Content(_) | Self::Spool(_) => one("look whether the registry's directory may be written and its disk has room"),
            Self::Name(_) => one("choose another name, such as alice or my-team: it becomes the owner in owner/name"),
            Self::NameTaken { name } => vec![
                "choose another name: users and organisations share them, and case makes no difference"
                    .to_owned(),
                format!("if {name} is the user you mean, run: tool registry token create {name}"),
            ],
            Self::NoSuchAccount { kind: "user", name } => vec![
                "see who there is with: tool registry user list".to_owned(),
                format!("add the user with: tool registry user add {name}"),
            ],
            Self::NoSuchAccount { kind: "user or organisation", name } => vec![
                "see which users there are with: tool registry user list".to_owned(),
                format!("add it with: tool registry user add {name}, or with: tool registry org add {name}"),
            ],
            Self::NoSuchAccount { name, .. } => {
                vec![format!("add it with: tool registry org add {name}")]
            }
            Self::ContentAltered { .. } => vec![
                "see what else is damaged with: tool registry scrub, or in a backup: sha256sum --check SHA256SUMS".to_owned(),
                "bring the content back from an older backup: it lies there under the same digest"
                    .to_owned(),
            ],
            Self::LogDamaged { .. } => vec![
                "see all that is damaged with: tool registry scrub".to_owned(),
                DAMAGED_LOG.to_owned(),
            ],
            Self::InTheWay { .. } => one("keep each backup in a directory of its own, such as one with the day in its name"),
            Self::NotABackup { .. } => one("name a directory that tool registry backup made; sha256sum --check SHA256SUMS in it finds what is damaged"),
            Self::NotEmpty { .. } => one("name an empty place with --data DIR, or with --database URL and --storage URL"),
            Self::RemovalSlow(_) => one("look what the storage is busy with, and run this again later"),
            Self::ExpiryNotInFuture { .. } => one("look whether this machine's clock is right, and give a token a day at least: --expires-days 1"),
            Self::ScopeOutOfBounds { count: 0, .. } => one("name a repo with --repo OWNER/NAME"),
            Self::ScopeOutOfBounds { .. } => one("cover all repos of an owner with --repo 'OWNER/*', or make several tokens"),
            Self::AttestationRoot { .. } => one("name the certificate of an authority as PEM, or the trusted_root.json of a Sigstore, with --attestation-root FILE"),
            Self::NoPublicUrl => one("name the URL by which clients reach the registry with --public-url URL"),
            Self::NotAMirror => one("name an empty place with --data DIR, or with --database URL and --storage URL"),
            Self::MirrorOfAnother { .. } => one("give each registry that you mirror a place of its own with --data DIR"),
            Self::RepositoriesNotNamed { .. } => one("name each with --only OWNER/NAME"),
            Self::MirroredTwice => one("run one tool registry mirror for each mirror"),
            Self::WitnessNotAdded { .. } | Self::NoSuchWitness { .. } => one("see which there are with: tool registry witness list"),
            Self::WitnessAddress { .. } => one("name the URL to which /add-checkpoint is added"),
            Self::WitnessOfMirror => one("add the witness to the registry that is mirrored"),
            Self::Upstream { .. } => one("what was copied is served on; run this again when the registry answers"),
            Self::UpstreamLog { .. } => vec![
                "nothing was taken, and what was copied before is served on".to_owned(),
                "ask whoever runs the registry what happened to its log, and believe others before them".to_owned(),
            ],
            Self::NoSuchToken { .. } => one("see the ids of a user's tokens with: tool registry token list USER"),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;
    use std::path::Path;

    use time::{Duration, OffsetDateTime};
    use tool_hub_registry_server::{MemberRole, Registry, RegistryConfig, TokenRole, TokenScope};

    use super::*;
    use crate::terminal::diagnosis::of;

    async fn open(directory: &Path) -> Result<Registry, RegistryError> {
        Registry::open(RegistryConfig::new(directory)).await
    }

    #[track_caller]
    fn check<T: Debug>(failed: Result<T, RegistryError>, expect: &str, hints: &[&str]) {
        let error = anyhow::Error::from(failed.expect_err("a failure"));
        assert!(error.to_string().starts_with(expect), "{error}");
        let diagnosis = of(&error);
        assert_eq!(diagnosis.exit, Exit::User);
        assert_eq!(diagnosis.hints.len(), hints.len(), "{:?}", diagnosis.hints);
        for (said, hint) in diagnosis.hints.iter().zip(hints) {
            assert!(said.contains(hint), "{said}");
        }
    }

    #[tokio::test]
    async fn what_an_administrator_asked_for() {
        let scratch = tempfile::tempdir().unwrap();
        let registry = open(scratch.path()).await.unwrap();
        registry.add_user("alice", None).await.unwrap();

        check(
            registry.add_user("Alice", None).await,
            "the name \"Alice\" is taken",
            &["another name", "tool registry token create Alice"],
        );
        check(
            registry.add_organisation("a b").await,
            "the name \"a b\" is not valid",
            &["such as alice or my-team"],
        );
        check(
            registry.add_user("api", None).await,
            "the name \"api\" is reserved",
            &["such as alice or my-team"],
        );
        check(
            registry
                .create_token("bob", "token", TokenRole::Read, None)
                .await,
            "there is no user called \"bob\"",
            &["tool registry user list", "tool registry user add bob"],
        );
        check(
            registry.set_quota("bob", Some(1)).await,
            "there is no user or organisation called \"bob\"",
            &["tool registry user list", "tool registry org add bob"],
        );
        let yesterday = OffsetDateTime::now_utc() - Duration::days(1);
        check(
            registry
                .create_token("alice", "token", TokenRole::Read, Some(yesterday))
                .await,
            "the token would be expired from the start",
            &["--expires-days 1"],
        );
        for (count, hint) in [(0, "--repo OWNER/NAME"), (51, "--repo 'OWNER/*'")] {
            let patterns = vec!["alice/a".parse().unwrap(); count];
            let scope = TokenScope::Only(patterns);
            check(
                registry
                    .create_limited_token("alice", "token", TokenRole::Read, scope, None)
                    .await,
                "a token is limited to 1 to 50 patterns of repositories",
                &[hint],
            );
        }
        check(
            registry.add_member("acme", "alice", MemberRole::Read).await,
            "there is no organisation called \"acme\"",
            &["tool registry org add acme"],
        );
        check(
            registry.revoke_token("42").await,
            "there is no token \"42\"",
            &["tool registry token list USER"],
        );
    }

    #[tokio::test]
    async fn a_directory_that_cannot_be_used() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("file");
        std::fs::File::create(&file).unwrap();
        check(
            open(&file).await,
            "cannot use the registry directory",
            &["--data DIR"],
        );

        let occupied = scratch.path().join("occupied");
        std::fs::create_dir_all(occupied.join("registry.sqlite")).unwrap();
        check(
            open(&occupied).await,
            "cannot open the metadata database",
            &["--data DIR"],
        );
    }
}
