//! Resolves the tool that a user names, and derives its entry in the toolbox.

use tool_hub_manifest::{Revision, ToolKey, ToolRef, ToolboxEntry, VersionReq};
use url::Url;

use crate::error::Error;
use crate::fetched::{Fetched, FetchedFrom};
use crate::open_toolbox::OpenToolbox;
use crate::settings::Settings;
use crate::subject::Subject;

/// The tool that a user names, the registry to get it from, and its name in the toolbox if
/// it has one.
#[derive(Debug)]
pub struct Target {
    /// The reference or path that it is fetched by.
    pub subject: Subject,
    /// The registry to get it from.
    pub endpoint: Url,
    key: Option<ToolKey>,
}

impl Target {
    /// Resolves `subject`: a tool's name in the toolbox, or else a reference or a path.
    ///
    /// # Errors
    /// As [`OpenToolbox::open`].
    pub fn of(subject: &Subject, settings: &Settings) -> Result<Self, Error> {
        if let Subject::Reference(Err(_), text) = subject
            && let Ok(key) = text.replace('-', "_").parse()
            && let Some(target) = Self::under(key, settings)?
        {
            return Ok(target);
        }
        Ok(Self {
            subject: subject.clone(),
            endpoint: settings.endpoint.clone(),
            key: None,
        })
    }

    /// The toolbox's tool `key`, at the newest version that its entry allows. Refusals suggest
    /// commands that name a tool only by this key.
    fn under(key: ToolKey, settings: &Settings) -> Result<Option<Self>, Error> {
        let toolbox = OpenToolbox::open(settings)?;
        let Some(entry) = toolbox.entry(&key) else {
            return Ok(None);
        };
        let subject = match (&entry.repo, &entry.path, &entry.mcp) {
            (_, _, Some(address)) => Subject::Server(Ok(address.clone())),
            (Some(repo), _, _) => {
                let version = entry.version.clone();
                let reference = ToolRef {
                    repo: repo.clone(),
                    revision: version.map_or(Revision::Newest, Revision::Version),
                };
                let text = reference.to_string();
                Subject::Reference(Ok(reference), text)
            }
            (None, Some(path), _) => Subject::Path(path.clone()),
            (None, None, None) => return Ok(None),
        };
        let endpoint = entry.endpoint.as_ref().unwrap_or(&settings.endpoint);
        Ok(Some(Self {
            subject,
            endpoint: endpoint.clone(),
            key: Some(key),
        }))
    }

    /// The tool's name in the toolbox, if it was named by that.
    pub fn known_key(&self) -> Option<&ToolKey> {
        self.key.as_ref()
    }

    /// The name by which the user means this tool again.
    pub fn named(&self, fetched: &Fetched) -> String {
        let key = self.key.as_ref().map(ToString::to_string);
        key.unwrap_or_else(|| fetched.subject())
    }

    /// The tool's name in the toolbox, unless the user chooses another one.
    pub fn key(&self, fetched: &Fetched) -> ToolKey {
        let own = || ToolKey::from(&fetched.verified.manifest().name);
        self.key.clone().unwrap_or_else(own)
    }
}

/// The tool's entry for the toolbox. Keys that people added to an existing entry are kept.
pub fn entry(fetched: &Fetched, key: &ToolKey, toolbox: &OpenToolbox) -> ToolboxEntry {
    let before = toolbox.entry(key);
    match &fetched.origin {
        FetchedFrom::Registry {
            endpoint,
            reference,
            resolved,
        } => {
            let before = before.filter(|entry| entry.repo.as_ref() == Some(&resolved.repo));
            let mut entry = before.cloned().unwrap_or_default();
            entry.repo = Some(resolved.repo.clone());
            entry.version = version_to_follow(reference, fetched);
            if entry
                .endpoint
                .as_ref()
                .is_some_and(|named| named != endpoint)
            {
                entry.endpoint = Some(endpoint.clone());
            }
            entry
        }
        FetchedFrom::Approved(_) => before.cloned().unwrap_or_default(),
        FetchedFrom::Server { address } => {
            let before = before.filter(|entry| entry.mcp.as_ref() == Some(address));
            let mut entry = before.cloned().unwrap_or_default();
            entry.mcp = Some(address.clone());
            entry
        }
        FetchedFrom::File { path } => {
            let before = before.filter(|entry| entry.path.as_ref() == Some(path));
            let mut entry = before.cloned().unwrap_or_default();
            entry.path = Some(path.clone());
            entry
        }
    }
}

/// The versions that an update may take: those of the reference, or all that are compatible
/// with the loaded version. `None` for a branch or a commit.
fn version_to_follow(reference: &ToolRef, fetched: &Fetched) -> Option<VersionReq> {
    match &reference.revision {
        Revision::Version(requirement) => Some(requirement.clone()),
        Revision::Newest => format!("^{}", fetched.verified.manifest().version)
            .parse()
            .ok(),
        Revision::Branch(_) | Revision::Commit(_) => None,
    }
}
