//! The functions of loaded tools, as they are offered to agents and described to models.

use tool_hub_manifest::FunctionSpec;
use tool_hub_serve::Offer;
use tool_hub_toolbox::loaded::{LoadedTool, choose, tool_of};
use tool_hub_toolbox::open_toolbox::OpenToolbox;

use crate::session::Session;
use crate::toolbox::sandbox;

/// The tool's functions as agents are offered them.
pub(crate) fn offers(tool: &LoadedTool) -> anyhow::Result<Vec<Offer>> {
    let specs = tool.specs()?.into_iter();
    let offers = specs.map(|(function, spec)| Offer {
        spec,
        tool: tool.tool.clone(),
        alias: (tool.called_by_key.as_ref() == Some(&function)).then(|| tool.key.to_string()),
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
    let toolbox = OpenToolbox::open(&config.settings)?;
    let members = toolbox.usable(names, printer)?;
    let host = sandbox::open_host_with_servers(session)?;
    let mut specs = Vec::new();
    let store = config.settings.open_store()?;
    let loader = sandbox::loader(&host, &store, config);
    for tool in loader.load_all(members).await? {
        specs.extend(tool.specs()?.into_iter().map(|(_, spec)| spec));
    }
    Ok(specs)
}

/// Like [`specs_of`], but `names` may also name functions as agents see them.
pub(crate) async fn specs_named(
    names: &[String],
    session: &Session,
) -> anyhow::Result<Vec<FunctionSpec>> {
    let mut tools: Vec<String> = names.iter().map(|name| tool_of(name).to_owned()).collect();
    tools.sort();
    tools.dedup();
    let specs = specs_of(&tools, session).await?;
    Ok(choose(names, specs)?.0)
}
