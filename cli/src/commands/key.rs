//! `tool key`: makes and keeps the keys that sign packages, and names the public keys of others.

pub(crate) mod signing_key;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use tool_hub_manifest::KeyName;
use tool_hub_signing::{KeyKind, PrivateKey, PublicKey, TrustedRoot};
use tool_hub_toolbox::signing_keys::{self, NamedKey, SigningKeys};

use crate::session::Session;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::terminal::table::table;

/// Arguments of `tool key`.
#[derive(Debug, Args)]
pub(crate) struct Key {
    #[command(subcommand)]
    command: KeyCommand,
}

#[derive(Debug, Subcommand)]
enum KeyCommand {
    /// Make a key that signs packages
    New(New),
    /// List the keys that have a name here
    List,
    /// Print a public key or a root, to give to others
    Show(Named),
    /// Name somebody's public key, or trust a root to say who signs, under a name
    Trust(Trust),
    /// Replace a key of yours by a new one, of which the old one says so
    Rotate(Rotate),
    /// Forget a key or a root
    Remove(Remove),
}

#[derive(Debug, Args)]
struct Named {
    /// The name of the key or root
    name: KeyName,
}

#[derive(Debug, Args)]
struct New {
    #[command(flatten)]
    key: Named,

    /// The kind of key; OpenSSF's `model_signing` verifies P-256 and does not know Ed25519
    #[arg(long, value_enum, default_value_t = Kind::P256)]
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    P256,
    Ed25519,
}

#[derive(Debug, Args)]
struct Trust {
    #[command(flatten)]
    key: Named,

    /// A public key as `tool key show` prints it, the certificate of a certificate authority, both
    /// as PEM, or the `trusted_root.json` or trust configuration of a Sigstore
    file: PathBuf,
}

#[derive(Debug, Args)]
struct Rotate {
    /// The key that is replaced
    old: KeyName,

    #[command(flatten)]
    new: New,
}

#[derive(Debug, Args)]
struct Remove {
    #[command(flatten)]
    key: Named,

    /// Remove a key that signs, which nobody can bring back
    #[arg(long)]
    private: bool,
}

impl Key {
    pub(crate) fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        match &self.command {
            KeyCommand::New(new) => new.execute(session),
            KeyCommand::List => list(session),
            KeyCommand::Show(named) => named.show(session),
            KeyCommand::Trust(trust) => trust.execute(session),
            KeyCommand::Rotate(rotate) => rotate.execute(session),
            KeyCommand::Remove(remove) => remove.execute(session),
        }?;
        Ok(ExitCode::SUCCESS)
    }
}

impl New {
    fn execute(&self, session: &Session) -> anyhow::Result<()> {
        let Session { config, printer } = session;
        let key = self.generate()?;
        SigningKeys::read(&config.settings)?.keep(&self.key.name, &key)?;
        self.report(key.public(), printer)
    }

    fn generate(&self) -> anyhow::Result<PrivateKey> {
        let kind = match self.kind {
            Kind::P256 => KeyKind::P256,
            Kind::Ed25519 => KeyKind::Ed25519,
        };
        Ok(PrivateKey::generate(kind)?)
    }

    fn report(&self, public: &PublicKey, printer: &Printer) -> anyhow::Result<()> {
        let name = &self.key.name;
        if printer.wants_json() {
            return printer.json(&json!({
                "name": name,
                "kind": public.kind().as_str(),
                "fingerprint": public.fingerprint(),
                "public_key": public.to_pem(),
            }));
        }
        printer.note(&format!("made the key {name} ({})", public.fingerprint()));
        printer.hint(&format!(
            "sign with it: tool push --sign {name}; give others its fingerprint by another way than the registry"
        ));
        Ok(())
    }
}

impl Rotate {
    fn execute(&self, session: &Session) -> anyhow::Result<()> {
        let Session { config, printer } = session;
        let key = self.new.generate()?;
        let keys = SigningKeys::read(&config.settings)?;
        keys.rotate(&self.old, &self.new.key.name, &key)?;
        self.new.report(key.public(), printer)?;
        printer.hint(&format!(
            "keep {0} until your users have a version that the new key signed; then: tool key remove {0} --private",
            self.old
        ));
        Ok(())
    }
}

fn list(session: &Session) -> anyhow::Result<()> {
    let Session { config, printer } = session;
    let keys = SigningKeys::read(&config.settings)?;
    if printer.wants_json() {
        let roots = keys
            .named_roots()
            .map(|(name, root)| root_json(Some(name), root));
        let of_policies = keys.policy_roots().map(|root| root_json(None, root));
        let roots: Vec<Value> = roots.chain(of_policies).collect();
        let keys: Vec<Value> = keys.iter().map(|(name, key)| as_json(name, key)).collect();
        return printer.json(&json!({ "keys": keys, "roots": roots }));
    }
    let root_row = |name: &str, root: &TrustedRoot, whose: &str| {
        let kind = root_kind(root).to_owned();
        [name.to_owned(), kind, whose.to_owned(), fingerprints(root)]
    };
    let roots = keys.named_roots().map(|(name, root)| {
        let whose = match keys.allow_root(root) {
            true => "trusted to name signers",
            false => "does not count, by the policy",
        };
        root_row(name.as_str(), root, whose)
    });
    let of_policies = keys.policy_roots();
    let of_policies = of_policies.map(|root| root_row("-", root, "trusted by the policy"));
    let rows: Vec<[String; 4]> = keys
        .iter()
        .map(|(name, key)| {
            let whose = match key.can_sign {
                true => "yours",
                false => "somebody else's",
            };
            [
                name.to_string(),
                key.public.kind().to_string(),
                whose.to_owned(),
                key.public.fingerprint().to_string(),
            ]
        })
        .chain(roots)
        .chain(of_policies)
        .collect();
    if rows.is_empty() {
        printer.note("there are no keys");
        printer.hint("make one with: tool key new NAME");
        return Ok(());
    }
    printer.data(&table(["NAME", "KIND", "WHOSE", "FINGERPRINT"], rows))
}

fn as_json(name: &KeyName, key: &NamedKey) -> Value {
    json!({
        "name": name,
        "kind": key.public.kind().as_str(),
        "can_sign": key.can_sign,
        "fingerprint": key.public.fingerprint(),
        "public_key": key.public.to_pem(),
    })
}

fn root_kind(root: &TrustedRoot) -> &'static str {
    match root.is_sigstore() {
        true => "Sigstore",
        false => "certificate authority",
    }
}

/// The keys of the root certificates.
fn fingerprints(root: &TrustedRoot) -> String {
    let keys: Vec<String> = root.fingerprints().map(|key| key.to_string()).collect();
    keys.join(", ")
}

fn root_json(name: Option<&KeyName>, root: &TrustedRoot) -> Value {
    json!({
        "name": name,
        "kind": root_kind(root),
        "fingerprints": root.fingerprints().collect::<Vec<_>>(),
    })
}

impl Named {
    fn show(&self, session: &Session) -> anyhow::Result<()> {
        let Session { config, printer } = session;
        let keys = SigningKeys::read(&config.settings)?;
        if let Some(root) = keys.root(&self.name) {
            if printer.wants_json() {
                return printer.json(&root_json(Some(&self.name), root));
            }
            printer.note(&format!("{} {}", root_kind(root), fingerprints(root)));
            return printer.data(root.text().trim_end());
        }
        let key = keys.named(&self.name)?;
        if printer.wants_json() {
            return printer.json(&as_json(&self.name, key));
        }
        printer.note(&format!(
            "{} {}",
            key.public.kind(),
            key.public.fingerprint()
        ));
        printer.data(key.public.to_pem().trim_end())
    }
}

impl Trust {
    fn execute(&self, session: &Session) -> anyhow::Result<()> {
        let Session { config, printer } = session;
        let name = &self.key.name;
        let keys = SigningKeys::read(&config.settings)?;
        let path = config.settings.place(&self.file);
        if signing_keys::is_root(&path)? {
            let root = signing_keys::trusted_root(&path)?;
            keys.trust_root(name, &root)?;
            printer.note(&format!(
                "{} is trusted as {name} to say who signs packages",
                fingerprints(&root)
            ));
            return Ok(());
        }
        let key = signing_keys::public_key(&path)?;
        keys.trust(name, &key)?;
        printer.note(&format!("{} is shown as {name}", key.fingerprint()));
        Ok(())
    }
}

impl Remove {
    fn execute(&self, session: &Session) -> anyhow::Result<()> {
        let Session { config, printer } = session;
        let name = &self.key.name;
        let keys = SigningKeys::read(&config.settings)?;
        if keys.root(name).is_none() && keys.named(name)?.can_sign && !self.private {
            return Err(Problem::user(format!(
                "`{name}` signs packages, and nobody can bring it back once it is removed"
            ))
            .hint(format!("if you mean it: tool key remove {name} --private"))
            .into());
        }
        keys.remove(name)?;
        printer.note(&format!("removed {name}"));
        Ok(())
    }
}
