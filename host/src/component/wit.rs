//! Scans and validates a component's bytes, takes its doc comments out, and decodes its own WIT.

use std::ops::Range;
use std::panic;

use wasmparser::{Parser, Payload};
use wit_parser::decoding::DecodedWasm;
use wit_parser::{Resolve, WorldId};

use crate::component::scan;
use crate::component::validate::validate;
use crate::error::HostError;

/// The custom section in which doc comments travel.
pub(crate) const DOCS_SECTION: &str = "package-docs";

/// A component's interface, decoded from its bytes.
pub(crate) struct DecodedComponent {
    pub(crate) resolve: Resolve,
    pub(crate) world: WorldId,
    /// The contents of the docs section, as it stands in the component.
    pub(crate) docs: Option<Vec<u8>>,
}

/// Decodes `component` after the cheap scan, and validates it in full.
pub(crate) fn decode(component: &[u8]) -> Result<DecodedComponent, HostError> {
    scan::scan(component)?;
    validate(component)?;
    let (bare, docs) = without_docs(component)?;
    // The decoder may panic on a valid component that was not made from WIT.
    match panic::catch_unwind(|| wit_parser::decoding::decode(&bare)) {
        Ok(Ok(DecodedWasm::Component(resolve, world))) => Ok(DecodedComponent {
            resolve,
            world,
            docs,
        }),
        Ok(Ok(DecodedWasm::WitPackage(..))) => Err(HostError::NotAComponent {
            found: "a WIT package",
        }),
        Ok(Err(error)) => Err(HostError::Malformed {
            reason: format!("{error:#}"),
        }),
        Err(_) => Err(HostError::Malformed {
            reason: "its interface cannot be written as WIT".to_owned(),
        }),
    }
}

/// Takes the docs section out: the decoder refuses components whose docs name packages
/// other than the component itself, and such docs are common.
pub(crate) fn without_docs(component: &[u8]) -> Result<(Vec<u8>, Option<Vec<u8>>), HostError> {
    let mut bare = Vec::with_capacity(component.len());
    let mut docs = None;
    let mut kept = 0;
    let mut depth = 0_u32;
    for payload in Parser::new(0).parse_all(component) {
        let payload = payload.map_err(scan::malformed)?;
        match &payload {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::CustomSection(section) if section.name() == DOCS_SECTION => {
                if depth == 0 {
                    docs = Some(section.data().to_vec());
                }
                if depth == 0
                    && let Some(start) = section_start(component, section.range())
                {
                    bare.extend_from_slice(&component[kept..start]);
                    kept = section.range().end;
                }
            }
            _ => {}
        }
    }
    bare.extend_from_slice(&component[kept..]);
    Ok((bare, docs))
}

/// The start of a custom section whose contents are at `contents`: a zero, the length of
/// the contents as LEB128 in one to five bytes, the contents.
fn section_start(component: &[u8], contents: Range<usize>) -> Option<usize> {
    (1..=5).find_map(|width| {
        let start = contents.start.checked_sub(width + 1)?;
        let length = component.get(start + 1..contents.start)?;
        let value = length.iter().rev().fold(0_usize, |value, byte| {
            (value << 7) | usize::from(byte & 0x7f)
        });
        let (last, more) = length.split_last()?;
        let is_length = more.iter().all(|byte| byte & 0x80 != 0) && last & 0x80 == 0;
        (component[start] == 0 && is_length && value == contents.len()).then_some(start)
    })
}
