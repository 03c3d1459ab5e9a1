//! Makes the component of a tool that an interpreter runs: its types, and its program.

use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::ManglingAndAbi;

use crate::authoring::docs::section::append;
use crate::authoring::docs::{WitSource, resolved};
use crate::error::HostError;
use crate::program::SECTION;

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
    append(SECTION, program.as_bytes(), &mut component);
    Ok(component)
}
