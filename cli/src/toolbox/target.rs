//! Resolves the tool that a command line names, and derives its entry in the toolbox.

use tool_hub_manifest::{Capabilities, Revision, ToolKey, ToolRef, ToolboxEntry, VersionReq};
use url::Url;

use crate::consent::report;
use crate::session::Session;
use crate::settings::config::Config;
use crate::toolbox::open_toolbox::OpenToolbox;
use crate::toolbox::package::{Fetched, FetchedFrom, Subject};

/// The tool that a command line names, the registry to get it from, and its name in the toolbox if
/// it has one.
pub(crate) struct Target {
    tool: Subject,
    endpoint: Url,
    key: Option<ToolKey>,
}

impl Target {
    /// Resolves `subject`: a tool's name in the toolbox, or else a reference or a path.
    pub(crate) fn of(subject: &Subject, config: &Config) -> anyhow::Result<Self> {
        if let Subject::Reference(Err(_), text) = subject
            && let Ok(key) = text.replace('-', "_").parse()
            && let Some(target) = Self::under(key, config)?
        {
            return Ok(target);
        }
        Ok(Self {
            tool: subject.clone(),
            endpoint: config.endpoint.clone(),
            key: None,
        })
    }

    /// The toolbox's tool `key`, at the newest version that its entry allows. Refusals suggest
    /// commands that name a tool only by this key.
    fn under(key: ToolKey, config: &Config) -> anyhow::Result<Option<Self>> {
        let toolbox = OpenToolbox::open(config)?;
        let Some(entry) = toolbox.entry(&key) else {
            return Ok(None);
        };
        let tool = match (&entry.repo, &entry.path) {
            (Some(repo), _) => {
                let version = entry.version.clone();
                let reference = ToolRef {
                    repo: repo.clone(),
                    revision: version.map_or(Revision::Newest, Revision::Version),
                };
                let text = reference.to_string();
                Subject::Reference(Ok(reference), text)
            }
            (None, Some(path)) => Subject::Path(path.clone()),
            (None, None) => return Ok(None),
        };
        let endpoint = entry.endpoint.as_ref().unwrap_or(&config.endpoint);
        Ok(Some(Self {
            tool,
            endpoint: endpoint.clone(),
            key: Some(key),
        }))
    }

    /// Fetches the tool. A component without a manifest gets one that asks for `asked`.
    pub(crate) async fn fetch_asking(
        &self,
        asked: Capabilities,
        session: &Session,
    ) -> anyhow::Result<Fetched> {
        let endpoint = &self.endpoint;
        self.tool.fetch_asking(asked, endpoint, session).await
    }

    /// The name for this tool on a command line.
    pub(crate) fn named(&self, fetched: &Fetched) -> String {
        let key = self.key.as_ref().map(ToString::to_string);
        key.unwrap_or_else(|| report::subject(fetched))
    }

    /// The tool's name in the toolbox, unless the user chooses another one.
    pub(crate) fn key(&self, fetched: &Fetched) -> ToolKey {
        let own = || ToolKey::from(&fetched.verified.manifest().name);
        self.key.clone().unwrap_or_else(own)
    }
}

/// The tool's entry for the toolbox. Keys that people added to an existing entry are kept.
pub(crate) fn entry(fetched: &Fetched, key: &ToolKey, toolbox: &OpenToolbox) -> ToolboxEntry {
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
        FetchedFrom::File { path } => {
            let before = before.filter(|entry| entry.path.as_ref() == Some(path));
            let mut entry = before.cloned().unwrap_or_default();
            entry.path = Some(path.clone());
            entry
        }
    }
}

/// The versions that `tool update` may take: those of the reference, or all that are compatible
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
