//! Loads the tools that `tool serve` offers into a catalogue, and again when the toolbox changes.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tokio::time::MissedTickBehavior;
use tool_hub_host::Host;
use tool_hub_manifest::{Version, visible_name};
use tool_hub_registry_client::Store;
use tool_hub_serve::{Catalogue, Presentation, Toolset};
use tool_hub_toolbox::Error;
use tool_hub_toolbox::advisories::error::AdvisoryError;
use tool_hub_toolbox::advisories::known::KnownAdvisories;
use tool_hub_toolbox::approvals::Approvals;
use tool_hub_toolbox::known_releases::KnownReleases;
use tool_hub_toolbox::loaded::LoadedTool;
use tool_hub_toolbox::malicious_version::MaliciousVersion;
use tool_hub_toolbox::open_toolbox::{Member, OpenToolbox};
use tool_hub_toolbox::policy::policies::Policies;

use crate::serving::release_refresh::{Place, place_of};
use crate::session::Session;
use crate::terminal::diagnosis;
use crate::terminal::phrases::counted;
use crate::toolbox::{functions, sandbox};

/// The interval at which a toolbox's files are checked for edits. Edited files are read once they
/// did not change for as long. Seven files are looked at, which costs nothing and works on every
/// file system.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// The words for agents on a tool that a policy refuses.
pub(crate) const NOT_ALLOWED: &str = "the policy of this machine does not allow it";

/// The words for agents on a tool of which nobody knows any more whether it may be used.
pub(crate) const NOT_KNOWN: &str =
    "it cannot be read on this machine whether its version was withdrawn";

/// Some tools of a toolbox.
#[derive(Debug, Clone)]
pub(crate) struct ToolSelection {
    /// The toolbox's directory: without it the nearest one upwards, else the user's own.
    pub(crate) toolbox: Option<PathBuf>,
    /// Only these tools; all where there are none.
    pub(crate) names: Vec<String>,
}

/// A toolbox, which of its tools are served, and what they are loaded with.
pub(crate) struct ToolboxServer<'a> {
    directory: PathBuf,
    selection: &'a ToolSelection,
    presentation: Presentation,
    host: Host,
    store: Store,
    session: &'a Session,
}

/// The stamps of all files that say which tools are served, by which a change shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStamps([FileStamp; 7]);

/// The stamp of one file, and what it means that it changed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    /// The time of the last change and the length; none where there is no file.
    state: Option<(SystemTime, u64)>,
    change: &'static str,
}

impl FileStamp {
    fn of(file: &Path, change: &'static str) -> Self {
        let stamp = |metadata: Metadata| Some((metadata.modified().ok()?, metadata.len()));
        Self {
            state: file.metadata().ok().and_then(stamp),
            change,
        }
    }
}

impl FileStamps {
    /// The first change since an `earlier` look, in words.
    fn changed_since(&self, earlier: &Self) -> Option<&'static str> {
        let mut pairs = self.0.iter().zip(&earlier.0);
        let changed = pairs.find(|(now, before)| now != before);
        changed.map(|(now, _)| now.change)
    }
}

impl<'a> ToolboxServer<'a> {
    /// Chooses the toolboxes of `selections`, whose tools run in one sandbox. None is read yet.
    pub(crate) fn open_all(
        selections: impl IntoIterator<Item = &'a ToolSelection>,
        presentation: Presentation,
        session: &'a Session,
    ) -> anyhow::Result<Vec<Self>> {
        let config = &session.config;
        let (host, store) = (
            sandbox::open_host_with_servers(session)?,
            config.settings.open_store()?,
        );
        let open = |selection: &'a ToolSelection| {
            let directory = match &selection.toolbox {
                Some(directory) => OpenToolbox::directory_named(directory, &config.settings)?,
                None => OpenToolbox::directory_in_force(&config.settings),
            };
            Ok(Self {
                directory,
                selection,
                presentation,
                host: host.clone(),
                store: store.clone(),
                session,
            })
        };
        selections.into_iter().map(open).collect()
    }

    /// Loads the tools.
    ///
    /// # Errors
    /// When one that was named, or every one there is, cannot be used.
    pub(crate) async fn catalogue(&self) -> anyhow::Result<Catalogue> {
        let toolbox = self.toolbox()?;
        let members = toolbox.usable(&self.selection.names, &self.session.printer)?;
        let loaded = self.load(members).await?;
        Ok(loaded.with_withdrawn(withdrawn(&toolbox)))
    }

    /// Loads the tools of the edited toolbox that can be used.
    async fn catalogue_now(&self) -> anyhow::Result<Catalogue> {
        let toolbox = self.toolbox()?;
        let members = toolbox.still_usable(&self.selection.names, &self.session.printer);
        let loaded = self.load(members).await?;
        Ok(loaded.with_withdrawn(withdrawn(&toolbox)))
    }

    fn toolbox(&self) -> anyhow::Result<OpenToolbox> {
        Ok(OpenToolbox::open_in(
            self.directory.clone(),
            &self.session.config.settings,
        )?)
    }

    async fn load(&self, members: Vec<Member<'_>>) -> anyhow::Result<Catalogue> {
        let loader = sandbox::loader(&self.host, &self.store, &self.session.config);
        let loaded = loader.load_all(members).await?;
        catalogue(loaded, self.presentation)
    }

    /// The present stamps of the toolbox's files, by which later edits are detected.
    pub(crate) fn stamps(&self) -> FileStamps {
        let settings = &self.session.config.settings;
        let [toolbox, lock] = OpenToolbox::files(&self.directory);
        let [machine, user] = Policies::files(settings);
        let edited = "the toolbox was edited";
        let owners = "what owners say of their versions changed";
        FileStamps([
            FileStamp::of(&toolbox, edited),
            FileStamp::of(&lock, edited),
            FileStamp::of(&Approvals::file(settings), "your approvals changed"),
            FileStamp::of(&KnownReleases::file(settings), owners),
            FileStamp::of(
                &KnownAdvisories::file(settings),
                "what is known of advisories changed",
            ),
            FileStamp::of(&machine, "a policy changed"),
            FileStamp::of(&user, "a policy changed"),
        ])
    }

    /// The registries and repos of the toolbox's tools. A lock that cannot be read has none; it is
    /// warned about elsewhere.
    pub(crate) fn places(&self) -> Vec<Place> {
        let Ok(lock) = OpenToolbox::lock_in(&self.directory) else {
            return Vec::new();
        };
        lock.locked().filter_map(place_of).collect()
    }

    /// The words for agents where tools are not known to be allowed any more: a policy, an
    /// approval, a yank or an advisory cannot be read. None where only what people edit cannot be.
    fn doubt(&self, error: &anyhow::Error) -> Option<&'static str> {
        let path = match error.downcast_ref()? {
            Error::Policy(_) => return Some(NOT_ALLOWED),
            Error::Read { path, .. } | Error::Settings { path, .. } => path,
            Error::Advisories(AdvisoryError::Damaged { path, .. }) => path,
            _ => return None,
        };
        let is_edited = OpenToolbox::files(&self.directory).contains(path);
        (!is_edited).then_some(NOT_KNOWN)
    }

    /// Updates `toolset` whenever the toolbox's files differ from `seen`, as long as this is
    /// polled. A toolbox that cannot be read is warned about once, and the tools that were offered
    /// stay, unless it is not known any more that they are allowed.
    pub(crate) async fn follow(&self, toolset: &Toolset, mut seen: FileStamps) -> Infallible {
        let mut looks = tokio::time::interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut last = self.stamps();
        loop {
            looks.tick().await;
            let stamps = self.stamps();
            // Somebody may be in the middle of writing: an editor, or `tool load` between the
            // lock and the toolbox.
            let is_over = stamps == last;
            last = stamps;
            let changed = last.changed_since(&seen).filter(|_| is_over);
            let Some(changed) = changed else {
                continue;
            };
            seen = last;
            match self.catalogue_now().await {
                Ok(catalogue) => {
                    let functions = counted(catalogue.names().count(), "function");
                    toolset.replace(catalogue);
                    let now = format!("{changed}; serving {functions} now");
                    self.session.printer.note(&now);
                }
                Err(error) => {
                    // What is not known to be allowed is not offered.
                    if let Some(said) = self.doubt(&error)
                        && let Ok(nothing) = Catalogue::new([])
                    {
                        let names = toolset.names().into_iter();
                        let names = names.map(|name| (name, said.to_owned()));
                        toolset.replace(nothing.with_withdrawn(names.collect()));
                    }
                    let kept = format!("{changed}, and the toolbox cannot be served as it is now");
                    self.session.printer.warning(&format!("{kept}: {error:#}"));
                    for hint in diagnosis::of(&error).hints {
                        self.session.printer.hint(&hint);
                    }
                }
            }
        }
    }
}

/// The names of functions that agents may know and that were withdrawn, each with what is said of
/// it. The words of an owner or of an advisory are not for agents.
fn withdrawn(toolbox: &OpenToolbox) -> HashMap<String, String> {
    let mut names = HashMap::new();
    for status in toolbox.statuses() {
        let said = match &status.member {
            Err(Error::Malicious(malicious)) => {
                let MaliciousVersion {
                    called, version, ..
                } = &**malicious;
                withdrawn_as_malicious(version, called.as_deref())
            }
            Err(Error::Advised(refused)) => {
                let called = refused.called_by.as_ref().map(|_| &*refused.origin);
                advised(&refused.version, called)
            }
            Err(Error::Policy(_)) => NOT_ALLOWED.to_owned(),
            _ => continue,
        };
        let key = status.key;
        let Some(locked) = toolbox.last_approved(key) else {
            continue;
        };
        for function in locked.functions.keys() {
            if let Ok(name) = visible_name(key, function, locked.functions.len()) {
                names.insert(name, said.clone());
            }
        }
    }
    names
}

/// The words for agents on a malicious version of the tool, or of `called`, which it calls.
pub(crate) fn withdrawn_as_malicious(version: &Version, called: Option<&str>) -> String {
    match called {
        None => format!("its version {version} was withdrawn as malicious"),
        Some(place) => format!("{place} {version}, which it calls, was withdrawn as malicious"),
    }
}

/// The words for agents on a version that an advisory refuses, of the tool or of `called`.
pub(crate) fn advised(version: &Version, called: Option<&str>) -> String {
    match called {
        None => format!("a security advisory is against its version {version}"),
        Some(place) => format!("a security advisory is against {place} {version}, which it calls"),
    }
}

/// Offers the functions, prompts and resources of `loaded`.
pub(crate) fn catalogue(
    loaded: Vec<LoadedTool>,
    presentation: Presentation,
) -> anyhow::Result<Catalogue> {
    let mut offers = Vec::new();
    for tool in &loaded {
        offers.extend(functions::offers(tool)?);
    }
    let tools = loaded.into_iter().map(|tool| (tool.key, tool.tool));
    let catalogue = Catalogue::new(offers)?.with_prompts_and_resources(tools);
    Ok(catalogue.presented(presentation)?)
}
