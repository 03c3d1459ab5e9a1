//! Loads tools of the toolbox, hashing every byte again, and lists or chooses their functions.

use std::fmt;
use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use tool_hub_agent::definition::condense::condense;
use tool_hub_host::{Approved, Host, RequiredGrant, Storage, Tool};
use tool_hub_manifest::{
    FunctionName, FunctionSpec, Grants, Interpreter, LockedTool, Overrides, Source, ToolKey,
    visible_name,
};
use tool_hub_registry_client::Store;

use crate::error::Error;
use crate::open_toolbox::Member;
use crate::policy::policies::Policies;
use crate::policy::subject::RightsSubject;
use crate::sensitive;
use crate::settings::Settings;

/// Says how a person gives a tool of the toolbox, or a dependency such as `forecast.units`, some
/// grants; see
/// [`Approved::with_grant_advice`].
pub type GrantAdvice = Arc<dyn Fn(&str, &[RequiredGrant]) -> String + Send + Sync>;

/// All that tools are loaded with.
#[derive(Clone)]
pub struct Loader<'a> {
    /// The sandbox that they run in.
    pub host: &'a Host,
    /// The store of their bytes.
    pub store: &'a Store,
    /// The user's settings, with the values of variables.
    pub settings: &'a Settings,
    /// The words of refusals on how to grant more.
    pub advice: Option<GrantAdvice>,
}

/// A tool of the toolbox, ready to be called.
#[derive(Debug, Clone)]
pub struct LoadedTool {
    /// Its name in the toolbox.
    pub key: ToolKey,
    /// The tool.
    pub tool: Tool,
    /// The function that the tool's name alone stands for although there are others.
    pub called_by_key: Option<FunctionName>,
    /// The approved overrides. They are the same as those of the toolbox.
    overrides: Overrides,
}

impl fmt::Debug for Loader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loader").finish_non_exhaustive()
    }
}

impl Loader<'_> {
    /// Loads one tool of the toolbox: its bytes from the store, held against the lock, with
    /// the grants that were approved.
    ///
    /// # Errors
    /// [`Error::NotLoaded`] if its bytes are not those that were approved, if a directory that it
    /// was granted has become dangerous, and if the host refuses it; [`Error::Host`] if its record
    /// grants more than it asks for.
    pub async fn load(&self, member: Member<'_>) -> Result<LoadedTool, Error> {
        Ok(self.load_with_interpreter(member).await?.0)
    }

    /// Loads several tools at a time, in the order of `members`.
    ///
    /// # Errors
    /// As [`load`](Self::load), for the first that fails.
    pub async fn load_all(&self, members: Vec<Member<'_>>) -> Result<Vec<LoadedTool>, Error> {
        let at_once = match members.len() {
            // Not asked for nothing: the answer takes 50 µs.
            0 | 1 => 1,
            _ => available_parallelism().map_or(1, NonZero::get),
        };
        let loads = members.into_iter();
        let loads = loads.map(|member| self.load_with_interpreter(member));
        let loaded = stream::iter(loads).buffered(at_once).try_collect();
        // The store reads and hashes an interpreter again that is not in memory any more.
        let loaded: Vec<(LoadedTool, Option<Interpreter>)> = loaded.await?;
        Ok(loaded.into_iter().map(|(tool, _)| tool).collect())
    }

    async fn load_with_interpreter(
        &self,
        member: Member<'_>,
    ) -> Result<(LoadedTool, Option<Interpreter>), Error> {
        let key = member.key;
        let not_loaded = |source: Error| Error::NotLoaded {
            key: key.clone(),
            source: Box::new(source),
        };
        let approved = match self.approved(member.locked, member.grants()) {
            Err(error @ Error::Store(_)) => return Err(not_loaded(error)),
            approved => approved?,
        };
        let interpreter = approved.verified().interpreter().cloned();
        let mut approved = self.known_as(key.as_str(), approved);
        for (function, wanted) in &member.entry.functions {
            if let Some(confirm) = &wanted.confirm {
                approved = approved.with_confirmation(function.clone(), confirm.clone());
            }
        }
        let storage = self.settings.storage(&member.locked.source);
        let tool = self.load_approved(approved, storage).await;
        let loaded = LoadedTool {
            key: key.clone(),
            called_by_key: member.locked.called_by_key.clone(),
            overrides: member.locked.overrides.clone(),
            tool: tool.map_err(not_loaded)?,
        };
        Ok((loaded, interpreter))
    }

    /// The approval that `locked` records, with `grants`, and those of all that it depends on.
    fn approved(&self, locked: &LockedTool, grants: Grants) -> Result<Approved, Error> {
        let pin = locked.pin();
        if !matches!(locked.source, Source::Server { .. }) {
            self.host.prefetch(&pin.component);
        }
        let verified = self.store.get(&pin)?;
        let approved = match &locked.source {
            Source::Server { .. } => Approved::server_from_lock_record(verified, grants)?,
            Source::Registry { .. } | Source::File { .. } => {
                Approved::from_lock_record(verified, grants)?
            }
        };
        let dependencies = locked.dependencies.iter().map(|(name, locked)| {
            let approved = self.approved(locked, locked.grants.clone())?;
            Ok((name.clone(), approved))
        });
        let dependencies = dependencies.collect::<Result<_, Error>>()?;
        Ok(approved.with_dependencies(dependencies))
    }

    /// Loads a tool with the values that the user has for the granted variables and credentials,
    /// and with `storage` where that is granted. The tools that it depends on have the values and
    /// the storage that they are granted themselves.
    ///
    /// # Errors
    /// [`Error::Policy`], [`Error::DangerousDirectory`], [`Error::VariableFile`], [`Error::Read`],
    /// [`Error::Settings`] and [`Error::Host`].
    pub async fn load_approved(&self, approved: Approved, storage: Storage) -> Result<Tool, Error> {
        Ok(self.host.load(self.bound(approved, storage)?).await?)
    }

    fn bound(&self, mut approved: Approved, storage: Storage) -> Result<Approved, Error> {
        let manifest = approved.verified().manifest();
        let rights = RightsSubject {
            grants: approved.grants(),
            limits: Some(&manifest.limits),
        };
        let name = format!("`{}`", approved.known_name());
        Policies::read(self.settings)?.check_rights(&name, &rights)?;
        // A granted directory may have become dangerous since.
        sensitive::check(approved.grants(), self.settings)?;
        for (name, value) in self.settings.granted_variables(approved.grants())? {
            approved = approved.with_variable(name, value)?;
        }
        for (name, value) in self.settings.granted_credentials(approved.grants())? {
            approved = approved.with_credential(name, value)?;
        }
        let requests = approved.verified().manifest().dependencies.iter();
        let dependencies = requests.filter_map(|(name, request)| {
            let known_as = format!("{}.{name}", approved.known_name());
            let dependency = approved.dependencies().get(name)?.clone();
            let dependency = self.known_as(&known_as, dependency);
            let bound = self.bound(dependency, storage.of_dependency(&request.repo));
            Some(bound.map(|bound| (name.clone(), bound)))
        });
        let dependencies = dependencies.collect::<Result<_, Error>>()?;
        if approved.grants().storage {
            approved = approved.with_storage(storage)?;
        }
        Ok(approved.with_dependencies(dependencies))
    }

    /// `approved` under the name by which the user grants it more, such as that in the toolbox.
    pub fn known_as(&self, key: &str, approved: Approved) -> Approved {
        let approved = approved.known_as(key);
        match self.advice.clone() {
            Some(advice) => {
                let key = key.to_owned();
                approved.with_grant_advice(move |grants| advice(&key, grants))
            }
            None => approved,
        }
    }
}

impl LoadedTool {
    /// A tool outside any toolbox, under the name `key`.
    pub fn without_toolbox(key: ToolKey, tool: Tool) -> Self {
        Self {
            key,
            tool,
            called_by_key: None,
            overrides: Overrides::default(),
        }
    }

    /// The tool's functions as agents see them: under the toolbox's name, with the toolbox's
    /// descriptions.
    ///
    /// # Errors
    /// [`Error::Name`] if such a name is too long.
    pub fn specs(&self) -> Result<Vec<(FunctionName, FunctionSpec)>, Error> {
        let functions = self.tool.functions();
        functions
            .iter()
            .map(|function| {
                let mut spec = condense(&function.spec);
                spec.name = visible_name(&self.key, &function.name, functions.len())?;
                let text = self.overrides.description(&function.name, functions.len());
                if let Some(text) = text {
                    text.clone_into(&mut spec.description);
                }
                Ok((function.name.clone(), spec))
            })
            .collect()
    }
}

/// Chooses from `specs` those that `names` name, all where none is named, and returns the rest too.
/// A name is of a tool or of a function as agents see it.
///
/// # Errors
/// [`Error::NoSuchFunction`].
pub fn choose(
    names: &[String],
    specs: Vec<FunctionSpec>,
) -> Result<(Vec<FunctionSpec>, Vec<FunctionSpec>), Error> {
    let is_meant =
        |name: &str, spec: &FunctionSpec| name == spec.name || name == tool_of(&spec.name);
    for name in names {
        if !specs.iter().any(|spec| is_meant(name, spec)) {
            return Err(Error::NoSuchFunction {
                name: name.clone(),
                known: specs.into_iter().map(|spec| spec.name).collect(),
            });
        }
    }
    let is_chosen =
        |spec: &FunctionSpec| names.is_empty() || names.iter().any(|name| is_meant(name, spec));
    Ok(specs.into_iter().partition(is_chosen))
}

/// The tool's part of a function's name: a tool's own name never holds the two bars that stand
/// before a function's.
pub fn tool_of(name: &str) -> &str {
    name.split_once("__").map_or(name, |(tool, _)| tool)
}
