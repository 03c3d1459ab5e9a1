//! Reads and writes `credentials.toml`: tokens for registries, values and sign-ins for tools.
//! Each is for one origin. They are in that file, or in the keyring of the system.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tool_hub_manifest::{Origin, VariableName};
use tool_hub_registry_client::Token;
use url::Url;

use crate::error::Error;
use crate::files;
use crate::keyring_item::KeyringItem;
use crate::oauth::SignIn;

/// The file that a process locks while it changes the other one.
const GUARD_FILE: &str = ".credentials.guard";

/// The credentials of a user, in `credentials.toml`, which is readable by its user alone, or in an
/// item of the keyring.
#[derive(Debug)]
pub struct Credentials {
    path: PathBuf,
    place: CredentialsPlace,
    content: Content,
}

/// The place that credentials are kept in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CredentialsPlace {
    /// The file `credentials.toml`.
    File,
    /// The keyring of the system.
    Keyring,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    /// True in a file whose content is in the keyring, and which has nothing else.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    keyring: bool,
    /// Tokens by the origin of their registry.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    tokens: BTreeMap<String, String>,
    /// Values of tools' credentials, by the origin that receives them and by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    values: BTreeMap<Origin, BTreeMap<VariableName, String>>,
    /// Sign-ins for tools' credentials, by the origin that receives their access tokens and by
    /// name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    sign_ins: BTreeMap<Origin, BTreeMap<VariableName, SignIn>>,
}

/// The credentials while no other process changes them.
pub(crate) struct HeldCredentials {
    credentials: Credentials,
    _guard: files::Guard,
}

impl std::fmt::Debug for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self
            .values
            .iter()
            .map(|(origin, named)| (origin, named.keys()));
        let names: Vec<_> = names.collect();
        f.debug_set()
            .entries(self.tokens.keys())
            .entries(names)
            .entries(&self.sign_ins)
            .finish()
    }
}

impl Credentials {
    pub(crate) fn read(path: PathBuf) -> Result<Self, Error> {
        let file: Content = files::read_toml(&path)?.unwrap_or_default();
        let (place, content) = match file.keyring {
            false => (CredentialsPlace::File, file),
            true => {
                let text = KeyringItem::of(&path).read()?.unwrap_or_default();
                (CredentialsPlace::Keyring, files::parse_toml(&path, &text)?)
            }
        };
        Ok(Self {
            path,
            place,
            content,
        })
    }

    /// The file, whether they are in it or not.
    pub fn file(&self) -> &Path {
        &self.path
    }

    /// The place that they are kept in.
    pub fn place(&self) -> CredentialsPlace {
        self.place
    }

    /// Moves all of them to `place`.
    ///
    /// # Errors
    /// [`Error::Keyring`], [`Error::Write`]. Then they are where they were.
    pub fn move_to(&mut self, place: CredentialsPlace) -> Result<(), Error> {
        let mut held = Self::hold(self.path.clone())?.credentials;
        if held.place != place {
            held.place = place;
            // The reference to the item is written after it, and gone before it.
            held.write()?;
            if place == CredentialsPlace::File {
                KeyringItem::of(&held.path).remove()?;
            }
        }
        *self = held;
        Ok(())
    }

    /// Waits until no other process changes the file at `path`, and reads it.
    pub(crate) fn hold(path: PathBuf) -> Result<HeldCredentials, Error> {
        let directory = path.parent().unwrap_or(Path::new("."));
        let guard = files::Guard::take(directory, GUARD_FILE)?;
        Ok(HeldCredentials {
            credentials: Self::read(path)?,
            _guard: guard,
        })
    }

    /// Changes the file, while no other process does.
    fn change<T>(&mut self, change: impl FnOnce(&mut Content) -> T) -> Result<T, Error> {
        let mut held = Self::hold(self.path.clone())?;
        let changed = change(&mut held.credentials.content);
        held.credentials.write()?;
        *self = held.credentials;
        Ok(changed)
    }

    /// The token of the registry at `endpoint`.
    ///
    /// # Errors
    /// [`Error::NoTokenFor`].
    pub fn token(&self, endpoint: &Url) -> Result<Option<Token>, Error> {
        match self.content.tokens.get(&origin(endpoint)) {
            Some(text) => text.parse().map(Some).map_err(|source| Error::NoTokenFor {
                path: self.path.clone(),
                endpoint: Box::new(endpoint.clone()),
                source,
            }),
            None => Ok(None),
        }
    }

    /// Keeps `token` for the registry at `endpoint`.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn keep(&mut self, endpoint: &Url, token: &str) -> Result<(), Error> {
        self.change(|file| {
            file.tokens.insert(origin(endpoint), token.to_owned());
        })
    }

    /// Forgets the token of the registry at `endpoint`; tells whether there was one.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn forget(&mut self, endpoint: &Url) -> Result<bool, Error> {
        self.change(|file| file.tokens.remove(&origin(endpoint)).is_some())
    }

    /// The value of credential `name` for `origin`.
    pub fn value(&self, name: &VariableName, origin: &Origin) -> Option<&str> {
        let value = self.content.values.get(origin)?.get(name)?;
        Some(value)
    }

    /// The name and the origin of each value.
    pub fn values(&self) -> impl Iterator<Item = (&VariableName, &Origin)> {
        let values = self.content.values.iter();
        values.flat_map(|(origin, named)| named.keys().map(move |name| (name, origin)))
    }

    /// The sign-in for credential `name` and `origin`.
    pub(crate) fn sign_in(&self, name: &VariableName, origin: &Origin) -> Option<&SignIn> {
        self.content.sign_ins.get(origin)?.get(name)
    }

    /// The name, the origin and the sign-in of each credential that has one.
    pub fn sign_ins(&self) -> impl Iterator<Item = (&VariableName, &Origin, &SignIn)> {
        let all = self.content.sign_ins.iter();
        all.flat_map(|(origin, named)| named.iter().map(move |(name, it)| (name, origin, it)))
    }

    /// Keeps `sign_in` for credential `name` and `origin`, in place of a value.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn keep_sign_in(
        &mut self,
        name: &VariableName,
        origin: &Origin,
        sign_in: SignIn,
    ) -> Result<(), Error> {
        self.change(|file| {
            file.forget(name, origin);
            let named = file.sign_ins.entry(origin.clone()).or_default();
            named.insert(name.clone(), sign_in);
        })
    }

    /// Keeps `value` as credential `name` for `origin`, in place of a sign-in.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn keep_value(
        &mut self,
        name: &VariableName,
        origin: &Origin,
        value: &str,
    ) -> Result<(), Error> {
        self.change(|file| {
            file.forget(name, origin);
            let named = file.values.entry(origin.clone()).or_default();
            named.insert(name.clone(), value.to_owned());
        })
    }

    /// Forgets the value of credential `name` for `origin`, or the sign-in; tells whether there was
    /// one.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn forget_value(&mut self, name: &VariableName, origin: &Origin) -> Result<bool, Error> {
        self.change(|file| file.forget(name, origin))
    }

    fn write(&self) -> Result<(), Error> {
        match self.place {
            CredentialsPlace::File => files::write_private_toml(&self.path, &self.content),
            CredentialsPlace::Keyring => {
                let text = files::toml_text(&self.path, &self.content)?;
                KeyringItem::of(&self.path).write(text)?;
                let elsewhere = Content {
                    keyring: true,
                    ..Content::default()
                };
                files::write_private_toml(&self.path, &elsewhere)
            }
        }
    }
}

impl HeldCredentials {
    /// The credentials as they were read.
    pub(crate) fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// As [`Credentials::keep_sign_in`].
    pub(crate) fn keep_sign_in(
        &mut self,
        name: &VariableName,
        origin: &Origin,
        sign_in: SignIn,
    ) -> Result<(), Error> {
        let named = self.credentials.content.sign_ins.entry(origin.clone());
        named.or_default().insert(name.clone(), sign_in);
        self.credentials.write()
    }
}

impl Content {
    /// Removes what there is for credential `name` and `origin`; true if there was something.
    fn forget(&mut self, name: &VariableName, origin: &Origin) -> bool {
        remove(&mut self.values, origin, name) | remove(&mut self.sign_ins, origin, name)
    }
}

fn remove<T>(
    all: &mut BTreeMap<Origin, BTreeMap<VariableName, T>>,
    origin: &Origin,
    name: &VariableName,
) -> bool {
    let Some(named) = all.get_mut(origin) else {
        return false;
    };
    let was_there = named.remove(name).is_some();
    if named.is_empty() {
        all.remove(origin);
    }
    was_there
}

fn origin(endpoint: &Url) -> String {
    endpoint.origin().ascii_serialization()
}
