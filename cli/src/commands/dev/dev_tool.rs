//! Builds and loads a project under development, with the rights that the command line gives it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tool_hub_agent::definition::lint::{Finding, lint};
use tool_hub_host::{Host, InspectedCapability, Storage};
use tool_hub_manifest::{FunctionSpec, Grants, ToolKey, VariableName, Version};
use tool_hub_registry_client::Store;
use tool_hub_toolbox::loaded::LoadedTool;

use crate::build::{Form, SCRIPT_VARIABLE, TypeCheck};
use crate::commands::build::built_project::BuiltProject;
use crate::commands::check::{self, Remark};
use crate::commands::load::refusals::check_refusals;
use crate::consent::grant_flags;
use crate::consent::rights_flags::RightsFlags;
use crate::session::Session;
use crate::terminal::diagnosis;
use crate::terminal::exit::Exit;
use crate::toolbox::{fetching, sandbox};

/// A project, and all that its tool is loaded with each time.
pub(super) struct DevProject<'a> {
    pub(super) directory: PathBuf,
    /// The directory as it was typed.
    pub(super) shown: &'a Path,
    rights: &'a RightsFlags,
    host: Host,
    store: Store,
    /// One for the whole run, in memory: the data of the tool in a toolbox is not touched.
    storage: Storage,
    pub(super) session: &'a Session,
}

/// A tool that was built and loaded.
pub(super) struct DevTool {
    pub(super) loaded: LoadedTool,
    pub(super) version: Version,
    pub(super) component_bytes: u64,
    /// The functions as models see them.
    pub(super) specs: Vec<FunctionSpec>,
    pub(super) findings: Vec<Finding>,
    pub(super) remarks: Vec<Remark>,
    /// The capabilities that it asks for and no flag grants.
    pub(super) ungranted: Vec<InspectedCapability>,
    /// The check of its types, until it is waited for.
    pub(super) types: Option<TypeCheck>,
    pub(super) build_time: Duration,
    pub(super) load_time: Duration,
}

impl<'a> DevProject<'a> {
    pub(super) fn open(
        directory: PathBuf,
        shown: &'a Path,
        rights: &'a RightsFlags,
        session: &'a Session,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            directory,
            shown,
            rights,
            host: sandbox::open_host(&session.config)?,
            store: session.config.settings.open_store()?,
            storage: Storage::in_memory(),
            session,
        })
    }

    /// Builds the project as it is now, and loads it.
    ///
    /// # Errors
    /// When it cannot be built or loaded, when a flag grants what it does not ask for, and when the
    /// user asks to stop.
    pub(super) async fn build(&self) -> anyhow::Result<DevTool> {
        let config = &self.session.config;
        let start = Instant::now();
        let built = BuiltProject::of(&self.directory, Form::Development, self.session).await?;
        let build_time = start.elapsed();
        let inspection = fetching::inspect_package(&built.verified, &built.dependencies)?;
        check_refusals(&inspection)?;
        let manifest = built.verified.manifest();
        let asked = &manifest.capabilities;
        let variable: VariableName = SCRIPT_VARIABLE.parse()?;
        let grants = match &built.script {
            Some(_) => Grants::none().plain_variable(variable.clone()),
            None => Grants::none(),
        };
        let grants = self.rights.grants(asked, grants, config)?;
        let key = ToolKey::from(&manifest.name);
        let command = self.command();
        let ungranted = inspection.ungranted(&grants);
        // The consent is the author's, who started this with these flags, for this run.
        let mut approved = inspection
            .approve(grants)?
            .known_as(key.as_str())
            .with_grant_advice(move |grants| grant_flags::command(&command, grants));
        if let Some(script) = built.script {
            approved = approved.with_variable(variable, script)?;
        }
        let loader = sandbox::loader(&self.host, &self.store, config);
        let tool = loader.load_approved(approved, self.storage.clone()).await?;
        let loaded = LoadedTool::without_toolbox(key, tool);
        let specs: Vec<FunctionSpec> = loaded.specs()?.into_iter().map(|(_, spec)| spec).collect();
        Ok(DevTool {
            version: inspection.version.clone(),
            component_bytes: inspection.component_bytes,
            findings: lint(&specs, &[]),
            remarks: check::remarks_on(&inspection),
            specs,
            loaded,
            ungranted,
            types: built.types,
            build_time,
            load_time: start.elapsed().saturating_sub(build_time),
        })
    }

    /// The command that works on this project.
    pub(super) fn command(&self) -> String {
        format!("tool dev {}", self.shown.display())
    }
}

impl DevTool {
    /// The mistakes in the types of this tool, as an error, once they are found.
    ///
    /// # Errors
    /// When the user asks to stop.
    pub(super) async fn type_error(&mut self) -> anyhow::Result<Option<anyhow::Error>> {
        let Some(types) = self.types.take() else {
            return Ok(None);
        };
        match types.finish().await {
            Err(error) if diagnosis::of(&error).exit == Exit::Interrupted => Err(error),
            checked => Ok(checked.err()),
        }
    }
}
