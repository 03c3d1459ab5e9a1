//! The `Policies` that are in force: the machine's, `/etc/tool-hub/policy.toml`, and the user's.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml_edit::{DocumentMut, Item};
use tool_hub_manifest::{Digest, RepoId, Source};
use tool_hub_signing::{TRUSTED_ROOT_BYTES_MAX, TrustedRoot};
use url::Url;

use super::document::PolicyDocument;
use super::error::PolicyError;
use super::rule::{PolicyRefusal, RuleOutcome};
use super::subject::{OriginSubject, RightsSubject};
use crate::error::Error;
use crate::files;
use crate::settings::Settings;
use crate::settings::by_registry::ByRegistry;
use crate::signing_keys::error::SigningKeyError;
use crate::system_file::{self, ROOT, SYSTEM_DIRECTORY};

const FILE: &str = "policy.toml";

/// All policies that were found. Each applies by itself.
#[derive(Debug, Clone, Default)]
pub struct Policies(Vec<Policy>);

/// A policy and its file.
#[derive(Debug, Clone)]
pub struct Policy {
    /// The file.
    pub file: PathBuf,
    /// The digest of the file, by which an administrator recognizes it.
    pub digest: Digest,
    /// The rules as they are written: each key with its value.
    pub rules: Vec<(String, String)>,
    /// The rules.
    pub document: PolicyDocument,
    /// The roots that it trusts.
    roots: Vec<Arc<TrustedRoot>>,
    /// The mirrors that the user has asked in place of registries, which it judges, too.
    mirrors: ByRegistry<Url>,
}

impl Policies {
    /// Reads the machine's policy, whatever the variables say, and the user's.
    ///
    /// # Errors
    /// If a file is there and cannot be read, or the machine's could be written by others: no rule
    /// is known then, so nothing may be used.
    pub fn read(settings: &Settings) -> Result<Self, PolicyError> {
        let read = Self::read_in(Path::new(SYSTEM_DIRECTORY), ROOT, &settings.user);
        let mut policies = read.map_err(|error| PolicyError::Unknown {
            source: Box::new(error),
        })?;
        for policy in &mut policies.0 {
            policy.mirrors = settings.mirrors().clone();
        }
        Ok(policies)
    }

    fn read_in(system: &Path, owner: u32, user: &Path) -> Result<Self, Error> {
        let mut policies = Vec::new();
        if let Some((file, text)) = system_file::read(system, FILE, owner)? {
            policies.push(Policy::parse(file, &text, |path| {
                let (directory, name) = parts(path)?;
                let read = system_file::read(directory, name, owner)?;
                read.map(|(_, text)| text.into_bytes())
                    .ok_or_else(|| files::unreadable(path)(ErrorKind::NotFound.into()))
            })?);
        }
        let own = user.join(FILE);
        if let Some(text) = files::read_if_present(&own)? {
            policies.push(Policy::parse(own, &text, |path| {
                let read = files::read_regular(path, TRUSTED_ROOT_BYTES_MAX as u64);
                read.map_err(files::unreadable(path))
            })?);
        }
        Ok(Self(policies))
    }

    /// The files that policies are read from, whether there are any.
    pub fn files(settings: &Settings) -> [PathBuf; 2] {
        [
            Path::new(SYSTEM_DIRECTORY).join(FILE),
            settings.user.join(FILE),
        ]
    }

    /// The roots that they trust, as far as no other policy forbids them.
    pub fn roots(&self) -> impl Iterator<Item = &TrustedRoot> {
        let roots = self.0.iter().flat_map(|policy| &policy.roots);
        roots
            .map(|root| &**root)
            .filter(|root| self.allow_root(root))
    }

    /// True if `root` may vouch for anybody. That it has the same certificate as a trusted one is
    /// not enough: a Sigstore's root names the keys of its log, too.
    pub(crate) fn allow_root(&self, root: &TrustedRoot) -> bool {
        let is_allowed = |policy: &Policy| {
            policy.document.roots.only != Some(true)
                || policy.roots.iter().any(|it| it.text() == root.text())
        };
        self.0.iter().all(is_allowed)
    }

    /// The digests of the files.
    pub fn digests(&self) -> Vec<Digest> {
        self.0.iter().map(|policy| policy.digest).collect()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The policies.
    pub fn iter(&self) -> impl Iterator<Item = &Policy> {
        self.0.iter()
    }

    /// Refuses the mirror that is asked about `tool` in place of the registry at `endpoint`.
    ///
    /// # Errors
    /// [`PolicyError::Refused`].
    pub fn check_mirror(&self, tool: &str, endpoint: &Url) -> Result<(), PolicyError> {
        self.check(tool, |policy| {
            policy.judge_mirror(endpoint).into_iter().collect()
        })
    }

    /// Refuses a repo, before its registry or a mirror is asked for it.
    ///
    /// # Errors
    /// [`PolicyError::Refused`].
    pub(crate) fn check_repo(
        &self,
        tool: &str,
        endpoint: &Url,
        repo: &RepoId,
    ) -> Result<(), PolicyError> {
        self.check(tool, |policy| {
            let mut outcomes = policy.document.judge_repo(endpoint, repo);
            outcomes.extend(policy.judge_mirror(endpoint));
            outcomes
        })
    }

    /// Refuses what comes from a place that is not allowed.
    ///
    /// # Errors
    /// [`PolicyError::Refused`].
    pub fn check_place(&self, tool: &str, source: &Source) -> Result<(), PolicyError> {
        if let Source::Registry { endpoint, repo, .. } = source {
            return self.check_repo(tool, endpoint, repo);
        }
        self.check(tool, |policy| policy.document.judge_place(source))
    }

    /// Refuses a version by its place, signer, yank or advisories.
    ///
    /// # Errors
    /// [`PolicyError::Refused`].
    pub fn check_origin(&self, tool: &str, subject: &OriginSubject<'_>) -> Result<(), PolicyError> {
        self.check(tool, |policy| policy.judge_origin(subject))
    }

    /// Refuses rights beyond the ceilings.
    ///
    /// # Errors
    /// [`PolicyError::Refused`].
    pub fn check_rights(&self, tool: &str, subject: &RightsSubject<'_>) -> Result<(), PolicyError> {
        self.check(tool, |policy| policy.document.judge_rights(subject))
    }

    fn check(
        &self,
        tool: &str,
        judge: impl Fn(&Policy) -> Vec<RuleOutcome>,
    ) -> Result<(), PolicyError> {
        for policy in &self.0 {
            let refusing = judge(policy).into_iter().find(|it| !it.passes);
            if let Some(outcome) = refusing {
                return Err(PolicyError::Refused(Box::new(PolicyRefusal {
                    tool: tool.to_owned(),
                    file: policy.file.clone(),
                    outcome,
                    contact: policy.document.contact.clone(),
                })));
            }
        }
        Ok(())
    }
}

impl Policy {
    /// Reads the policy in `file`, and the files of roots that it names with `read`.
    fn parse(
        file: PathBuf,
        text: &str,
        read: impl Fn(&Path) -> Result<Vec<u8>, Error>,
    ) -> Result<Self, Error> {
        let document: PolicyDocument = files::parse_toml(&file, text)?;
        let directory = file.parent().unwrap_or(Path::new("."));
        let mut roots = Vec::new();
        for named in &document.roots.trusted {
            let is_text = named.contains("-----BEGIN") || named.trim_start().starts_with('{');
            let (path, text) = match is_text {
                true => (file.clone(), named.clone().into_bytes()),
                false => {
                    let path = directory.join(named);
                    let text = read(&path)?;
                    (path, text)
                }
            };
            let root = TrustedRoot::read(&text);
            let root = root.map_err(|source| SigningKeyError::NotAKey { path, source })?;
            roots.push(Arc::new(root));
        }
        Ok(Self {
            digest: Digest::of(text.as_bytes()),
            rules: rules_of(text),
            document,
            roots,
            mirrors: ByRegistry::default(),
            file,
        })
    }

    /// The rules on where a tool comes from, who signed it or attests to it, and what is said of
    /// its version.
    pub fn judge_origin(&self, subject: &OriginSubject<'_>) -> Vec<RuleOutcome> {
        let mut outcomes = self.document.judge_origin(subject, &self.roots);
        if let Source::Registry { endpoint, .. } = subject.source {
            outcomes.extend(self.judge_mirror(endpoint));
        }
        outcomes
    }

    fn judge_mirror(&self, endpoint: &Url) -> Option<RuleOutcome> {
        let mirror = self.mirrors.of(endpoint)?;
        self.document.judge_mirror(endpoint, mirror)
    }
}

/// The directory and the name of a file.
fn parts(path: &Path) -> Result<(&Path, &str), Error> {
    let name = path.file_name().and_then(|name| name.to_str());
    let parts = path.parent().zip(name);
    parts.ok_or_else(|| files::unreadable(path)(ErrorKind::InvalidInput.into()))
}

/// The keys of a document, such as `signers.required`, with their values.
fn rules_of(text: &str) -> Vec<(String, String)> {
    let Ok(document) = text.parse::<DocumentMut>() else {
        return Vec::new();
    };
    let mut rules = Vec::new();
    for (section, item) in document.iter() {
        match item.as_table_like() {
            Some(table) => rules.extend(
                table
                    .iter()
                    .map(|(key, item)| (format!("{section}.{key}"), value_of(item))),
            ),
            None => rules.push((section.to_owned(), value_of(item))),
        }
    }
    rules
}

/// A value as it is written, without the comment behind it.
fn value_of(item: &Item) -> String {
    match item.as_value() {
        Some(value) => value.clone().decorated("", "").to_string(),
        None => item.to_string().trim().to_owned(),
    }
}

#[cfg(all(test, unix))]
#[expect(
    clippy::disallowed_methods,
    reason = "a test writes files as strangers leave them"
)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    use super::*;

    struct Machine(tempfile::TempDir);

    impl Machine {
        fn new() -> Self {
            let directory = tempfile::tempdir().expect("a directory");
            for name in ["etc", "user"] {
                let below = directory.path().join(name);
                fs::create_dir(&below).expect("a directory");
                fs::set_permissions(&below, Permissions::from_mode(0o755)).expect("a mode");
            }
            Self(directory)
        }

        fn write(&self, name: &str, text: &str) -> PathBuf {
            let path = self.0.path().join(name).join(FILE);
            fs::write(&path, text).expect("a file");
            fs::set_permissions(&path, Permissions::from_mode(0o644)).expect("a mode");
            path
        }

        fn read(&self) -> Result<Policies, Error> {
            let owner = self.0.path().metadata().expect("a directory").uid();
            let [system, user] = ["etc", "user"].map(|name| self.0.path().join(name));
            Policies::read_in(&system, owner, &user)
        }
    }

    #[test]
    fn rules_are_listed_as_they_are_written() {
        let rules = rules_of("contact = 'x'\n[signers]\nrequired = true # all\n");
        assert_eq!(rules[0], ("contact".to_owned(), "'x'".to_owned()));
        let required = ("signers.required".to_owned(), "true".to_owned());
        assert_eq!(rules[1], required);
    }

    fn refusal(policies: &Policies) -> Option<String> {
        let file = Source::File { path: "/a".into() };
        policies
            .check_place("`a`", &file)
            .err()
            .map(|error| error.to_string())
    }

    #[test]
    fn a_user_adds_rules_and_takes_none_away() {
        let machine = Machine::new();
        assert!(machine.read().unwrap().is_empty());
        machine.write("user", "sources.files = false");
        assert!(
            refusal(&machine.read().unwrap())
                .unwrap()
                .contains("user/policy.toml")
        );
        machine.write("etc", "sources.files = false");
        machine.write("user", "sources.files = true");
        let said = refusal(&machine.read().unwrap()).unwrap();
        assert!(
            said.contains("etc/policy.toml: expected a tool of a registry"),
            "{said}"
        );
        machine.write("etc", "sources.files = true");
        assert_eq!(refusal(&machine.read().unwrap()), None);
    }

    #[test]
    fn a_mirror_goes_round_no_list_of_registries() {
        let machine = Machine::new();
        machine.write("etc", "sources.registries = ['https://tools.example']");
        let mut policies = machine.read().unwrap();
        let tools: Url = "https://tools.example/".parse().unwrap();
        let repo = "ada/notes".parse().unwrap();
        let source = Source::Registry {
            endpoint: tools.clone(),
            repo: "ada/notes".parse().unwrap(),
            commit: "a".repeat(40).parse().unwrap(),
        };
        let subject = OriginSubject {
            source: &source,
            version: &"1.0.0".parse().unwrap(),
            signer: None,
            attested_by: &std::collections::BTreeSet::new(),
            yank: None,
            advisories: Vec::new(),
            logged: None,
        };
        assert!(policies.check_repo("`a`", &tools, &repo).is_ok());
        let mirrors = "'https://tools.example' = 'https://mirror.example'";
        policies.0[0].mirrors = toml_edit::de::from_str(mirrors).unwrap();
        for refused in [
            policies.check_repo("`a`", &tools, &repo),
            policies.check_origin("`a`", &subject),
            policies.check_mirror("`a`", &tools),
        ] {
            let said = refused.unwrap_err().to_string();
            assert!(
                said.contains("etc/policy.toml: expected no mirror, or one of these: https://tools.example/, found https://mirror.example/, which `mirrors` in config.toml names"),
                "{said}"
            );
        }
        // Of another registry there is no mirror, and one on the list is as good as its registry.
        let other: Url = "https://other.example/".parse().unwrap();
        assert!(policies.check_mirror("`a`", &other).is_ok());
        machine.write(
            "etc",
            "sources.registries = ['https://tools.example', 'https://mirror.example/']",
        );
        let mut policies = machine.read().unwrap();
        policies.0[0].mirrors = toml_edit::de::from_str(mirrors).unwrap();
        assert!(policies.check_origin("`a`", &subject).is_ok());
        assert!(policies.check_repo("`a`", &tools, &repo).is_ok());
    }

    #[test]
    fn a_file_that_cannot_be_trusted_or_read_is_an_error() {
        for (name, text) in [
            ("etc", "sources = 1"),
            ("user", "nothing = true"),
            ("etc", "["),
        ] {
            let machine = Machine::new();
            machine.write(name, text);
            assert!(
                matches!(machine.read(), Err(Error::Settings { .. })),
                "{text}"
            );
        }
        let machine = Machine::new();
        let path = machine.write("etc", "");
        for mode in [0o664, 0o646] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            assert!(
                matches!(machine.read(), Err(Error::NotRoots { .. })),
                "{mode:o}"
            );
        }
        // Somebody else's file, swapped in.
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        let [system, user] = ["etc", "user"].map(|name| machine.0.path().join(name));
        let owner = machine.0.path().metadata().unwrap().uid();
        assert!(Policies::read_in(&system, owner + 1, &user).is_err());
        // A link to a file of the administrator's is not that file.
        let elsewhere = machine.0.path().join("elsewhere");
        fs::rename(&path, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        assert!(matches!(machine.read(), Err(Error::NotRoots { .. })));
        fs::remove_file(&elsewhere).unwrap();
        assert!(matches!(machine.read(), Err(Error::Read { .. })));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(matches!(machine.read(), Err(Error::Read { .. })));
    }
}
