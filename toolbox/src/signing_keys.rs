//! The user's keys that sign packages, and the public keys and roots of others with a name here.
//!
//! Each is a PEM file in the directory `keys` of the user's own: `NAME.pub.pem`, and for a key
//! that signs also `NAME.pem`, which nobody but the user reads. `NAME.rotation.sig` is the
//! statement of another key that this one replaces it. `NAME.root` is the root of a certificate
//! authority, or of a Sigstore, which vouches for identities.

pub mod error;

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use tool_hub_manifest::{KeyFingerprint, KeyName};
use tool_hub_signing::{
    CERTIFICATE_CHAIN_BYTES_MAX, CertificateChain, PRIVATE_KEY_BYTES_MAX, PUBLIC_KEY_BYTES_MAX,
    PrivateKey, PublicKey, TRUSTED_ROOT_BYTES_MAX, TrustedRoot,
};

use crate::error::Error;
use crate::files;
use crate::policy::policies::Policies;
use crate::settings::Settings;
use error::SigningKeyError;

const DIRECTORY: &str = "keys";
const PUBLIC: &str = ".pub.pem";
const PRIVATE: &str = ".pem";
/// The line of PEM by which a certificate is told from a key.
const CERTIFICATE: &[u8] = b"BEGIN CERTIFICATE";
const ROOT: &str = ".root";
const ROTATION: &str = ".rotation.sig";
/// The most bytes of a statement that a key replaces another one.
const ROTATION_BYTES_MAX: u64 = 64 << 10;

/// The keys that have a name here.
#[derive(Debug)]
pub struct SigningKeys {
    directory: PathBuf,
    keys: BTreeMap<KeyName, NamedKey>,
    roots: BTreeMap<KeyName, TrustedRoot>,
    policies: Policies,
}

/// A key that has a name here.
#[derive(Debug, Clone)]
pub struct NamedKey {
    /// The public key.
    pub public: PublicKey,
    /// True if the private one is here as well: it is the user's own.
    pub can_sign: bool,
}

impl SigningKeys {
    /// Reads the public keys, and the roots that policies trust.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Policy`], [`SigningKeyError::NotAKey`].
    pub fn read(settings: &Settings) -> Result<Self, Error> {
        let policies = Policies::read(settings)?;
        let directory = settings.user.join(DIRECTORY);
        let (mut keys, mut roots) = (BTreeMap::new(), BTreeMap::new());
        let entries = match fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Self {
                    directory,
                    keys,
                    roots,
                    policies,
                });
            }
            Err(error) => return Err(files::unreadable(&directory)(error)),
        };
        for entry in entries {
            let entry = entry.map_err(files::unreadable(&directory))?;
            let file = entry.file_name();
            let named = |suffix| {
                let name = file.to_str().and_then(|file| file.strip_suffix(suffix));
                name.and_then(|name| name.parse::<KeyName>().ok())
            };
            if let Some(name) = named(ROOT) {
                roots.insert(name, trusted_root(&entry.path())?);
                continue;
            }
            let Some(name) = named(PUBLIC) else {
                continue;
            };
            let key = NamedKey {
                public: public_key(&entry.path())?,
                can_sign: private_path(&directory, &name).exists(),
            };
            keys.insert(name, key);
        }
        Ok(Self {
            directory,
            keys,
            roots,
            policies,
        })
    }

    /// Every key, by its name.
    pub fn iter(&self) -> impl Iterator<Item = (&KeyName, &NamedKey)> {
        self.keys.iter()
    }

    /// Every public key.
    pub fn public(&self) -> Vec<PublicKey> {
        self.keys.values().map(|key| key.public.clone()).collect()
    }

    /// Every root that vouches for identities: those of policies, and the user's own as far as
    /// policies let them.
    pub fn roots(&self) -> impl Iterator<Item = &TrustedRoot> {
        let own = self.roots.values();
        let own = own.filter(|root| self.policies.allow_root(root));
        self.policies.roots().chain(own)
    }

    /// Every root that policies trust. They have no names here.
    pub fn policy_roots(&self) -> impl Iterator<Item = &TrustedRoot> {
        self.policies.roots()
    }

    /// True if no policy forbids that `root` vouches for anybody.
    pub fn allow_root(&self, root: &TrustedRoot) -> bool {
        self.policies.allow_root(root)
    }

    /// Every root, by its name.
    pub fn named_roots(&self) -> impl Iterator<Item = (&KeyName, &TrustedRoot)> {
        self.roots.iter()
    }

    /// The root called `name`.
    pub fn root(&self, name: &KeyName) -> Option<&TrustedRoot> {
        self.roots.get(name)
    }

    /// The key called `name`.
    ///
    /// # Errors
    /// [`SigningKeyError::NotFound`], [`SigningKeyError::IsRoot`].
    pub fn named(&self, name: &KeyName) -> Result<&NamedKey, Error> {
        let missing = || match self.roots.contains_key(name) {
            true => SigningKeyError::IsRoot { name: name.clone() },
            false => SigningKeyError::NotFound {
                name: name.clone(),
                known: self.keys.keys().chain(self.roots.keys()).cloned().collect(),
            },
        };
        Ok(self.keys.get(name).ok_or_else(missing)?)
    }

    /// The user's name for the key with a fingerprint, which may be that of a root.
    pub(crate) fn name_of(&self, fingerprint: KeyFingerprint) -> Option<&KeyName> {
        let keys = self.keys.iter();
        let mut keys = keys.filter(|(_, key)| key.public.fingerprint() == fingerprint);
        let roots = self.roots.iter();
        let mut roots = roots.filter(|(_, root)| root.fingerprints().any(|it| it == fingerprint));
        let key = keys.next().map(|(name, _)| name);
        key.or_else(|| roots.next().map(|(name, _)| name))
    }

    /// Keeps `key` as `name`, which has to be free.
    ///
    /// # Errors
    /// [`SigningKeyError::Exists`], [`Error::Write`].
    pub fn keep(&self, name: &KeyName, key: &PrivateKey) -> Result<(), Error> {
        self.refuse_taken(name, key.public().fingerprint())?;
        let pem = key.to_pem().map_err(|source| SigningKeyError::NotAKey {
            path: private_path(&self.directory, name),
            source,
        })?;
        files::write_private_new(&private_path(&self.directory, name), pem.as_bytes())?;
        self.write_public(name, key.public())
    }

    /// Keeps `new` as `name`, with the statement of the key `old` that it replaces it.
    ///
    /// # Errors
    /// The errors of [`private`](Self::private) and [`keep`](Self::keep).
    pub fn rotate(&self, old: &KeyName, name: &KeyName, new: &PrivateKey) -> Result<(), Error> {
        let path = rotation_path(&self.directory, name);
        let rotation = tool_hub_signing::rotate(&self.private(old)?, new.public());
        let rotation = rotation.map_err(not_a_key(&path))?;
        self.keep(name, new)?;
        files::write_private(&path, &rotation)
    }

    /// The statement of another key that the one called `name` replaces it, if it does.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn rotation(&self, name: &KeyName) -> Result<Option<Vec<u8>>, Error> {
        let path = rotation_path(&self.directory, name);
        match files::read_regular(&path, ROTATION_BYTES_MAX) {
            Ok(rotation) => Ok(Some(rotation)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(files::unreadable(&path)(error)),
        }
    }

    /// Calls somebody's public key `name`, which has to be free.
    ///
    /// # Errors
    /// [`SigningKeyError::Exists`], [`Error::Write`].
    pub fn trust(&self, name: &KeyName, key: &PublicKey) -> Result<(), Error> {
        self.refuse_taken(name, key.fingerprint())?;
        self.write_public(name, key)
    }

    /// Has `root`, called `name`, vouch for identities. The name has to be free.
    ///
    /// # Errors
    /// [`SigningKeyError::Exists`], [`Error::Write`].
    pub fn trust_root(&self, name: &KeyName, root: &TrustedRoot) -> Result<(), Error> {
        for fingerprint in root.fingerprints() {
            self.refuse_taken(name, fingerprint)?;
        }
        let path = root_path(&self.directory, name);
        files::write_private_new(&path, root.text().as_bytes())
    }

    /// Forgets the key or the root called `name`. A private key is gone for good.
    ///
    /// # Errors
    /// [`SigningKeyError::NotFound`], [`Error::Write`].
    pub fn remove(&self, name: &KeyName) -> Result<(), Error> {
        if self.roots.contains_key(name) {
            return remove_file(root_path(&self.directory, name));
        }
        self.named(name)?;
        // The public one last: as long as it is there, the key is listed, and can be removed
        // again.
        for path in [
            private_path(&self.directory, name),
            rotation_path(&self.directory, name),
            public_path(&self.directory, name),
        ] {
            remove_file(path)?;
        }
        Ok(())
    }

    /// The private key called `name`.
    ///
    /// # Errors
    /// [`SigningKeyError::NotFound`], [`SigningKeyError::CannotSign`] for somebody else's, and as
    /// [`private_key`](Self::private_key).
    pub fn private(&self, name: &KeyName) -> Result<PrivateKey, Error> {
        let key = self.named(name)?;
        if !key.can_sign {
            return Err(SigningKeyError::CannotSign { name: name.clone() }.into());
        }
        Self::private_key(&private_path(&self.directory, name))
    }

    /// Reads the private key in a PEM file, which nobody but its owner may read.
    ///
    /// # Errors
    /// [`Error::Read`], [`SigningKeyError::OpenToOthers`], [`SigningKeyError::NotAKey`].
    pub fn private_key(path: &Path) -> Result<PrivateKey, Error> {
        let file = files::open_to_read(path).map_err(files::unreadable(path))?;
        if files::is_open_to_others(&file).map_err(files::unreadable(path))? {
            let path = path.to_owned();
            return Err(SigningKeyError::OpenToOthers { path }.into());
        }
        let pem = files::read_all(file, PRIVATE_KEY_BYTES_MAX as u64);
        let pem = pem.map_err(files::unreadable(path))?;
        PrivateKey::from_pem(&pem).map_err(not_a_key(path))
    }

    /// A name has one key or root, and a key one name.
    fn refuse_taken(&self, name: &KeyName, key: KeyFingerprint) -> Result<(), Error> {
        let mut names = self.keys.keys().chain(self.roots.keys());
        match self.name_of(key).or_else(|| names.find(|it| *it == name)) {
            Some(taken) => Err(SigningKeyError::Exists {
                name: taken.clone(),
            }
            .into()),
            None => Ok(()),
        }
    }

    fn write_public(&self, name: &KeyName, key: &PublicKey) -> Result<(), Error> {
        let path = public_path(&self.directory, name);
        files::write_private_new(&path, key.to_pem().as_bytes())
    }
}

/// Reads the public key in a PEM file.
///
/// # Errors
/// [`Error::Read`], [`SigningKeyError::NotAKey`].
pub fn public_key(path: &Path) -> Result<PublicKey, Error> {
    let pem = files::read_regular(path, PUBLIC_KEY_BYTES_MAX as u64);
    let pem = pem.map_err(files::unreadable(path))?;
    PublicKey::from_pem(&pem).map_err(not_a_key(path))
}

/// True if a file is a root rather than a public key, as far as its first characters tell.
///
/// # Errors
/// [`Error::Read`].
pub fn is_root(path: &Path) -> Result<bool, Error> {
    let text = files::read_regular(path, TRUSTED_ROOT_BYTES_MAX as u64);
    let text = text.map_err(files::unreadable(path))?;
    let text = text.trim_ascii_start();
    Ok(text.starts_with(b"{") || text.windows(CERTIFICATE.len()).any(|it| it == CERTIFICATE))
}

/// Reads the root in a file: a certificate as PEM, or the JSON of a Sigstore.
///
/// # Errors
/// [`Error::Read`], [`SigningKeyError::NotAKey`].
pub fn trusted_root(path: &Path) -> Result<TrustedRoot, Error> {
    let text = files::read_regular(path, TRUSTED_ROOT_BYTES_MAX as u64);
    TrustedRoot::read(&text.map_err(files::unreadable(path))?).map_err(not_a_key(path))
}

/// Reads the chain of certificates in a PEM file.
///
/// # Errors
/// [`Error::Read`], [`SigningKeyError::NotAKey`].
pub fn certificate_chain(path: &Path) -> Result<CertificateChain, Error> {
    let pem = files::read_regular(path, CERTIFICATE_CHAIN_BYTES_MAX as u64);
    CertificateChain::from_pem(&pem.map_err(files::unreadable(path))?).map_err(not_a_key(path))
}

fn remove_file(path: PathBuf) -> Result<(), Error> {
    match fs::remove_file(&path) {
        Err(source) if source.kind() != ErrorKind::NotFound => Err(Error::Write { path, source }),
        _ => Ok(()),
    }
}

fn not_a_key(path: &Path) -> impl FnOnce(tool_hub_signing::SigningError) -> Error + use<> {
    let path = path.to_owned();
    |source| SigningKeyError::NotAKey { path, source }.into()
}

fn private_path(directory: &Path, name: &KeyName) -> PathBuf {
    directory.join(format!("{name}{PRIVATE}"))
}

fn rotation_path(directory: &Path, name: &KeyName) -> PathBuf {
    directory.join(format!("{name}{ROTATION}"))
}

fn root_path(directory: &Path, name: &KeyName) -> PathBuf {
    directory.join(format!("{name}{ROOT}"))
}

fn public_path(directory: &Path, name: &KeyName) -> PathBuf {
    directory.join(format!("{name}{PUBLIC}"))
}
