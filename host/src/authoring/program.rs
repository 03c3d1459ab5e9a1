//! Makes the component of a tool that an interpreter runs: its types, and its program.

use std::collections::BTreeMap;

use serde::Serialize;
use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::{ManglingAndAbi, WorldItem};

use crate::authoring::docs::{WitSource, resolved};
use crate::component::custom_section::append_section;
use crate::component::exports::Exports;
use crate::error::HostError;
use crate::program::SECTION;
use crate::values::types::Signature;

/// Makes a component with the imports and exports of `world`, or of the only world there is, and
/// `program` for an interpreter. Its own functions trap: a host that knows no interpreters does not
/// take it for something else.
///
/// # Errors
/// When the sources cannot be parsed or resolved, or the world cannot be found.
pub fn program_component(
    sources: &[WitSource<'_>],
    world: Option<&str>,
    program: &str,
) -> Result<Vec<u8>, HostError> {
    let (resolve, world) = resolved(sources, world)?;
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Standard32);
    let embedded = embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8);
    let encoded = embedded.and_then(|()| ComponentEncoder::default().module(&module)?.encode());
    let mut component = encoded.map_err(|error| HostError::Wit {
        reason: format!("{error:#}"),
    })?;
    append_section(SECTION, program.as_bytes(), &mut component);
    Ok(component)
}

/// The world of a program, for the interpreter that runs it: what it is called for, and what it may
/// call.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct ProgramWorld {
    /// The types of each function, by the name of its export as the interpreter is given it.
    functions: BTreeMap<String, Signature>,
    /// The imported interfaces, in the order of the world.
    #[serde(skip)]
    pub imports: Vec<ImportedInterface>,
    /// The exports that no program can have, because their values cannot be written as JSON.
    #[serde(skip)]
    pub not_callable: Vec<String>,
}

/// An interface that a world imports.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportedInterface {
    /// Its whole name, such as `tool-hub:tool/types@0.1.0`.
    pub name: String,
    /// True if it only names types, for which nothing is needed from the host.
    pub has_only_types: bool,
}

impl ProgramWorld {
    /// Reads `world`, or the only world there is.
    ///
    /// # Errors
    /// When the sources cannot be parsed or resolved, or the world cannot be found.
    pub fn new(sources: &[WitSource<'_>], world: Option<&str>) -> Result<Self, HostError> {
        let (resolve, world) = resolved(sources, world)?;
        let exports = Exports::of_world(&resolve, world);
        let not_callable = exports.not_callable.iter();
        let not_callable = not_callable.map(|it| it.export.clone()).collect();
        let exports = exports.map(|name, signature, ()| (name.to_owned(), signature.clone()));
        let callable = exports.callable.into_iter().map(|export| export.index);
        let contract = exports.contract.into_iter().map(|(_, _, named)| named);
        let is_needed = |name: &str| exports.imports.iter().any(|import| import.name == name);
        let imports = resolve.worlds[world].imports.iter();
        let imports = imports.filter(|(_, item)| !matches!(item, WorldItem::Type { .. }));
        let imports = imports.map(|(key, _)| {
            let name = resolve.name_world_key(key);
            ImportedInterface {
                has_only_types: !is_needed(&name),
                name,
            }
        });
        Ok(Self {
            functions: callable.chain(contract).collect(),
            imports: imports.collect(),
            not_callable,
        })
    }
}
