//! Makes a project of a server's own functions, which asks for what the server was given.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Serialize;
use toml_edit::ser::ValueSerializer;
use toml_edit::{DocumentMut, Item, Table, Value};
use tool_hub_manifest::{Capabilities, ToolName, VariableRequest, package_file};

use crate::adopt::LocalCommand;
use crate::build::{self, Form, Sources};
use crate::commands::build::built_project::BuiltProject;
use crate::commands::new::New;
use crate::files;
use crate::session::Session;
use crate::terminal::problem::Problem;

/// The reason that the manifest gives for what the sources use.
const FOUND: &str = "its source code uses it";
/// The reason that the manifest gives for a variable of the client's configuration.
const WAS_SET: &str = "the client set it for the server that this tool was made of";

/// Makes a tool called `name` in `directory` of what `from` names, as for `tool new --from`, and
/// builds it.
pub(super) async fn convert(
    from: &str,
    name: &ToolName,
    command: &LocalCommand,
    directory: &Path,
    session: &Session,
) -> anyhow::Result<()> {
    if directory.exists() {
        // Nothing refers to it: an earlier attempt did not get further.
        std::fs::remove_dir_all(directory)
            .with_context(|| format!("{} cannot be removed", directory.display()))?;
    }
    New::project_from(PathBuf::from(from), name, directory, session).await?;
    ask_for(directory, command)?;
    let built = BuiltProject::of(directory, Form::Package, session).await?;
    built.write(directory)
}

/// Writes into the manifest what the sources reach and the variables that the server was given.
fn ask_for(directory: &Path, command: &LocalCommand) -> anyhow::Result<()> {
    let author = build::read_author_manifest(directory)?;
    let section = author.build.as_ref();
    let section = section.ok_or_else(|| Problem::user("the project says not how to build it"))?;
    let before = &author.capabilities;
    let sources = Sources::of(directory)?;
    let mut asked = build::proposed(directory, &sources, section, before);
    let known = |name: &_| before.directories.iter().any(|it| it.name == *name);
    for request in asked.directories.iter_mut().filter(|it| !known(&it.name)) {
        request.why = FOUND.to_owned();
    }
    for request in &mut asked.variables {
        if before.variable(&request.name).is_none() {
            request.why = FOUND.to_owned();
        }
    }
    for name in command.env.keys().filter_map(|name| name.parse().ok()) {
        if asked.variable(&name).is_none() && asked.credential(&name).is_none() {
            asked.variables.push(VariableRequest {
                name,
                secret: true,
                why: WAS_SET.to_owned(),
            });
        }
    }
    match asked == *before {
        true => Ok(()),
        false => write(&asked, &directory.join(package_file::MANIFEST)),
    }
}

/// Writes `asked` into the manifest at `path`, and leaves the rest as it is.
fn write(asked: &Capabilities, path: &Path) -> anyhow::Result<()> {
    let mut manifest: DocumentMut = files::read_if_present(path)?.unwrap_or_default().parse()?;
    let section = manifest.entry("capabilities");
    let section = section.or_insert_with(|| Item::Table(Table::new()));
    let section = section.as_table_like_mut();
    let section = section.ok_or_else(|| Problem::user("its `capabilities` are no table"))?;
    let mut put = |key: &str, value: Value| section.insert(key, Item::Value(value));
    if !asked.network.is_empty() {
        put("network", value_of(&asked.network)?);
    }
    if !asked.directories.is_empty() {
        put("directories", value_of(&asked.directories)?);
    }
    if !asked.variables.is_empty() {
        put("variables", value_of(&asked.variables)?);
    }
    Ok(files::write(path, manifest.to_string().as_bytes())?)
}

fn value_of(value: &impl Serialize) -> anyhow::Result<Value> {
    Ok(value.serialize(ValueSerializer::new())?)
}
