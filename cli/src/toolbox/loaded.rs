//! Loads tools of the toolbox to be called, hashing every byte again, and lists their functions.

use std::num::NonZero;
use std::thread::available_parallelism;

use anyhow::Context as _;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use tool_hub_agent::definition::condense::condense;
use tool_hub_host::{Approved, Host, Storage, Tool};
use tool_hub_manifest::{FunctionName, FunctionSpec, Overrides, ToolKey, visible_name};
use tool_hub_registry_client::Store;
use tool_hub_serve::Offer;

use crate::consent::approval;
use crate::consent::grant_flags;
use crate::consent::sensitive;
use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::problem::Problem;
use crate::toolbox::open_toolbox::{Member, OpenToolbox};
use crate::toolbox::sandbox;

/// A tool of the toolbox, ready to be called.
pub(crate) struct LoadedTool {
    pub(crate) key: ToolKey,
    pub(crate) tool: Tool,
    /// The function that the tool's name alone stands for although there are others.
    pub(crate) called_by_key: Option<FunctionName>,
    /// The approved overrides. They are the same as those of the toolbox.
    overrides: Overrides,
}

impl LoadedTool {
    /// Loads one tool of the toolbox: its bytes from the store, held against the lock, with
    /// the grants that were approved.
    pub(crate) async fn load(
        member: Member<'_>,
        host: &Host,
        store: &Store,
        config: &Config,
    ) -> anyhow::Result<Self> {
        let pin = member.locked.pin();
        host.prefetch(&pin.component);
        let verified = store
            .get(&pin)
            .with_context(|| format!("`{}` cannot be loaded", member.key))?;
        let approved = Approved::from_lock_record(verified, member.grants())?;
        let approved = known_as(member.key, approved);
        let storage = config.storage(&member.locked.source);
        let tool = load(host, approved, storage, config)
            .await
            .with_context(|| format!("`{}` cannot be loaded", member.key))?;
        Ok(Self {
            key: member.key.clone(),
            called_by_key: member.locked.called_by_key.clone(),
            overrides: member.locked.overrides.clone(),
            tool,
        })
    }

    /// A tool outside any toolbox, under the name `key`.
    pub(crate) fn without_toolbox(key: ToolKey, tool: Tool) -> Self {
        Self {
            key,
            tool,
            called_by_key: None,
            overrides: Overrides::default(),
        }
    }

    /// Loads every tool of a toolbox, several at a time, in the toolbox's order.
    pub(crate) async fn load_all(
        members: Vec<Member<'_>>,
        host: &Host,
        store: &Store,
        config: &Config,
    ) -> anyhow::Result<Vec<Self>> {
        let loads = members
            .into_iter()
            .map(|member| Self::load(member, host, store, config));
        let at_once = available_parallelism().map_or(1, NonZero::get);
        stream::iter(loads).buffered(at_once).try_collect().await
    }

    /// The tool's functions as agents are offered them.
    pub(crate) fn offers(&self) -> anyhow::Result<Vec<Offer>> {
        let specs = self.specs()?.into_iter();
        let offers = specs.map(|(function, spec)| Offer {
            spec,
            tool: self.tool.clone(),
            alias: (self.called_by_key.as_ref() == Some(&function)).then(|| self.key.to_string()),
            function,
        });
        Ok(offers.collect())
    }

    /// The functions of the user's toolbox as agents see them, those of `names` only where some
    /// are named.
    pub(crate) async fn specs_of(
        names: &[String],
        session: &Session,
    ) -> anyhow::Result<Vec<FunctionSpec>> {
        let Session { config, printer } = session;
        let toolbox = OpenToolbox::open(config)?;
        let members = toolbox.usable(names, printer)?;
        let host = sandbox::open_host(config)?;
        let mut specs = Vec::new();
        for tool in Self::load_all(members, &host, &config.open_store()?, config).await? {
            specs.extend(tool.specs()?.into_iter().map(|(_, spec)| spec));
        }
        Ok(specs)
    }

    /// Like [`specs_of`](Self::specs_of), but `names` may also name functions as agents see them.
    pub(crate) async fn specs_named(
        names: &[String],
        session: &Session,
    ) -> anyhow::Result<Vec<FunctionSpec>> {
        let mut tools: Vec<String> = names.iter().map(|name| tool_of(name).to_owned()).collect();
        tools.sort();
        tools.dedup();
        let specs = Self::specs_of(&tools, session).await?;
        Ok(choose(names, specs)?.0)
    }

    /// The tool's functions as agents see them: under the toolbox's name, with the toolbox's
    /// descriptions.
    pub(crate) fn specs(&self) -> anyhow::Result<Vec<(FunctionName, FunctionSpec)>> {
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
pub(crate) fn choose(
    names: &[String],
    specs: Vec<FunctionSpec>,
) -> anyhow::Result<(Vec<FunctionSpec>, Vec<FunctionSpec>)> {
    let is_meant =
        |name: &str, spec: &FunctionSpec| name == spec.name || name == tool_of(&spec.name);
    for name in names {
        if !specs.iter().any(|spec| is_meant(name, spec)) {
            let known: Vec<&str> = specs.iter().map(|spec| &*spec.name).collect();
            let problem =
                Problem::user(format!("the toolbox has no tool and no function `{name}`"));
            return Err(problem
                .hint(format!("there are: {}", known.join(", ")))
                .into());
        }
    }
    let is_chosen =
        |spec: &FunctionSpec| names.is_empty() || names.iter().any(|name| is_meant(name, spec));
    Ok(specs.into_iter().partition(is_chosen))
}

/// The tool's part of a function's name: a tool's own name never holds the two bars that stand
/// before a function's.
fn tool_of(name: &str) -> &str {
    name.split_once("__").map_or(name, |(tool, _)| tool)
}

/// `approved` under its name in the toolbox, by which the user grants it more.
pub(crate) fn known_as(key: &ToolKey, approved: Approved) -> Approved {
    let command = format!("tool grant {key}");
    approved
        .known_as(key.as_str())
        .with_grant_advice(move |grants| grant_flags::command(&command, grants))
}

/// Loads a tool with the values that the user has for the granted variables, and with `storage`
/// where that is granted.
pub(crate) async fn load(
    host: &Host,
    mut approved: Approved,
    storage: Storage,
    config: &Config,
) -> anyhow::Result<Tool> {
    // A granted directory may have become dangerous since.
    sensitive::check(approved.grants(), config)?;
    for (name, value) in approval::variables(approved.grants(), config)? {
        approved = approved.with_variable(name, value)?;
    }
    if approved.grants().storage {
        approved = approved.with_storage(storage)?;
    }
    Ok(host.load(approved).await?)
}
