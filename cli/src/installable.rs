//! The `InstallableTool` of MCPB bundles, plugins and `server.json`, with arguments to serve it.
//! Whatever installs one of them starts `tool serve --only`.

pub(crate) mod mcpb;
pub(crate) mod plugin;
pub(crate) mod server_json;

use tool_hub_manifest::{
    DirectoryRequest, FunctionSpec, Manifest, Source, ToolKey, Verified, package_file,
};
use tool_hub_toolbox::loaded::LoadedTool;
use tool_hub_toolbox::open_toolbox::OpenToolbox;

use crate::session::Session;
use crate::terminal::problem::Problem;
use crate::toolbox::sandbox;

/// A tool of the toolbox, with all that a bundle says of it. Its names are the author's: a bundle
/// has no toolbox that could name it otherwise.
pub(crate) struct InstallableTool {
    pub(crate) key: ToolKey,
    pub(crate) verified: Verified,
    pub(crate) source: Source,
    /// Its functions as agents see them.
    pub(crate) functions: Vec<FunctionSpec>,
}

impl InstallableTool {
    /// The tools of the toolbox that are called `names`, or all of them.
    ///
    /// # Errors
    /// When one of them is not approved, cannot be loaded, or calls other tools.
    pub(crate) async fn of_toolbox(
        names: &[String],
        session: &Session,
    ) -> anyhow::Result<Vec<Self>> {
        let Session { config, printer } = session;
        let toolbox = OpenToolbox::open(&config.settings)?;
        let (host, store) = (sandbox::open_host(config)?, config.settings.open_store()?);
        let loader = sandbox::loader(&host, &store, config);
        let mut tools = Vec::new();
        for member in toolbox.usable(names, printer)? {
            if !member.locked.dependencies.is_empty() {
                return Err(calls_others(member.key).into());
            }
            let verified = store.get(&member.locked.pin())?;
            let loaded = loader.load(member).await?;
            let key = ToolKey::from(&verified.manifest().name);
            let loaded = LoadedTool::without_toolbox(key.clone(), loaded.tool);
            let functions = loaded.specs()?.into_iter().map(|(_, spec)| spec).collect();
            tools.push(Self {
                key,
                verified,
                source: member.locked.source.clone(),
                functions,
            });
        }
        Ok(tools)
    }

    pub(crate) fn manifest(&self) -> &Manifest {
        self.verified.manifest()
    }

    /// The name with dashes, as the formats of others want names.
    pub(crate) fn dashed_name(&self) -> String {
        self.key.as_str().replace('_', "-")
    }

    /// The description, or the name where there is none.
    pub(crate) fn description(&self) -> String {
        match self.manifest().description.as_str() {
            "" => self.manifest().name.to_string(),
            text => text.to_owned(),
        }
    }

    /// The account that published it.
    pub(crate) fn author(&self) -> String {
        let owner = self.source.repo().map(|(_, repo)| repo.owner());
        owner.unwrap_or("unknown").to_owned()
    }

    /// The arguments with which `tool` serves the copy of it at `path`, and heeds the yanks of the
    /// repo that it is from. The rest is that of [`Self::arguments`].
    pub(crate) fn arguments_of_copy(
        &self,
        path: &str,
        directory: impl Fn(&DirectoryRequest) -> String,
    ) -> Vec<Argument> {
        let mut arguments = self.arguments(path, directory);
        if let Some((endpoint, repo)) = self.source.repo() {
            arguments.push(Argument::flag("--endpoint", endpoint));
            arguments.push(Argument::flag("--published-as", repo));
        }
        arguments
    }

    /// The arguments with which `tool` serves it from `place`, with all the rights that it asks
    /// for; `directory` names the directory to give for a request.
    pub(crate) fn arguments(
        &self,
        place: &str,
        directory: impl Fn(&DirectoryRequest) -> String,
    ) -> Vec<Argument> {
        let digest = self.verified.pin().digest().to_string();
        let asked = &self.manifest().capabilities;
        let mut arguments = vec![
            Argument::flag("--only", place),
            Argument::flag("--approve", digest),
        ];
        let origins = asked.network.iter();
        arguments.extend(origins.map(|(origin, _)| Argument::flag("--allow-network", origin)));
        let credentials = asked.credentials.iter();
        arguments
            .extend(credentials.map(|request| Argument::flag("--allow-credential", &request.name)));
        arguments.extend(asked.directories.iter().map(|request| {
            let given = format!("{}={}", request.name, directory(request));
            Argument::flag("--allow-dir", given)
        }));
        let variables = asked.variables.iter();
        arguments.extend(variables.map(|request| Argument::flag("--allow-var", &request.name)));
        if asked.storage.is_some() {
            arguments.push(Argument {
                name: "--allow-storage",
                value: None,
            });
        }
        arguments
    }

    /// The rights that it asks for, a line each, for the person who installs it.
    pub(crate) fn rights(&self) -> Vec<String> {
        let asked = &self.manifest().capabilities;
        let mut rights: Vec<String> = asked
            .network
            .lines()
            .map(|it| format!("reach {it}"))
            .collect();
        for request in &asked.credentials {
            rights.push(format!("have a credential sent, unseen: {request}"));
        }
        for request in &asked.directories {
            rights.push(format!("{} the directory {}", request.access, request.name));
        }
        let variables = asked.variables.iter();
        rights.extend(variables.map(|request| format!("read the setting {}", request.name)));
        if asked.storage.is_some() {
            rights.push("keep data from call to call".to_owned());
        }
        if rights.is_empty() {
            rights.push("compute, and nothing else".to_owned());
        }
        rights
    }

    /// The files of its package.
    pub(crate) fn package(&self) -> Vec<(&'static str, &[u8])> {
        let interpreter = self.verified.interpreter();
        let sbom = self.verified.sbom();
        [
            (package_file::MANIFEST, self.verified.manifest_bytes()),
            (package_file::COMPONENT, self.verified.component()),
        ]
        .into_iter()
        .chain(interpreter.map(|it| (package_file::INTERPRETER, it.component())))
        .chain(sbom.map(|sbom| (package_file::SBOM, sbom)))
        .collect()
    }
}

/// An argument of `tool serve`: a flag and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    pub(crate) value: Option<String>,
}

impl Argument {
    fn flag(name: &'static str, value: impl ToString) -> Self {
        Self {
            name,
            value: Some(value.to_string()),
        }
    }

    /// The words of the command line `tool serve` with `arguments`.
    pub(crate) fn words(arguments: Vec<Self>) -> Vec<String> {
        let words = arguments.into_iter().flat_map(|argument| {
            let name = argument.name.to_owned();
            [Some(name), argument.value].into_iter().flatten()
        });
        std::iter::once("serve".to_owned()).chain(words).collect()
    }
}

/// The formats hold one package, and no grants of others.
fn calls_others(key: &ToolKey) -> Problem {
    Problem::user(format!(
        "`{key}` calls other tools, for which these formats have no place"
    ))
    .hint("leave it out, and serve it from the toolbox: tool connect")
}
