//! Names the sections in which two components differ.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use tool_hub_manifest::Digest;
use wasmparser::{Parser, Payload};

/// A section that two components have not in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct ChangedSection {
    /// The modules and components around it, by their number, and its name: `module 1: code`.
    section: String,
    /// The size in the published component.
    published_bytes: Option<usize>,
    /// The size in the one that was built again.
    rebuilt_bytes: Option<usize>,
}

impl fmt::Display for ChangedSection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = |bytes: Option<usize>| match bytes {
            Some(bytes) => format!("{bytes} bytes"),
            None => "missing".to_owned(),
        };
        let (published, rebuilt) = (size(self.published_bytes), size(self.rebuilt_bytes));
        write!(f, "{}: {published}, here {rebuilt}", self.section)
    }
}

/// The sections of two components that differ, in the order of their names. What cannot be read
/// has none.
pub(super) fn changed_sections(published: &[u8], rebuilt: &[u8]) -> Vec<ChangedSection> {
    let (mut published, rebuilt) = (sections(published), sections(rebuilt));
    let mut changed = Vec::new();
    for (section, (bytes, digest)) in rebuilt {
        let before = published.remove(&section);
        if before.is_none_or(|(_, before)| before != digest) {
            changed.push(ChangedSection {
                section,
                published_bytes: before.map(|(bytes, _)| bytes),
                rebuilt_bytes: Some(bytes),
            });
        }
    }
    changed.extend(
        published
            .into_iter()
            .map(|(section, (bytes, _))| ChangedSection {
                section,
                published_bytes: Some(bytes),
                rebuilt_bytes: None,
            }),
    );
    changed.sort_by(|a, b| a.section.cmp(&b.section));
    changed
}

/// The size and the digest of each section, those of modules and components within included.
fn sections(component: &[u8]) -> BTreeMap<String, (usize, Digest)> {
    let mut found = BTreeMap::new();
    // The names of what is open, and the number of modules and components that were in it.
    let mut open: Vec<(String, usize)> = vec![(String::new(), 0)];
    for payload in Parser::new(0).parse_all(component) {
        let Ok(payload) = payload else {
            break;
        };
        let kind = match &payload {
            Payload::ModuleSection { .. } => Some("module"),
            Payload::ComponentSection { .. } => Some("component"),
            Payload::End(_) => {
                open.pop();
                continue;
            }
            _ => None,
        };
        let Some((around, inner)) = open.last_mut() else {
            break;
        };
        if let Some(kind) = kind {
            *inner += 1;
            let name = format!("{around}{kind} {inner}: ");
            open.push((name, 0));
        } else if let Some((id, range)) = payload.as_section() {
            let name = format!("{around}{}", name_of(&payload, id));
            let mut unique = name.clone();
            let mut number = 1;
            while found.contains_key(&unique) {
                number += 1;
                unique = format!("{name} ({number})");
            }
            let bytes = component.get(range).unwrap_or_default();
            found.insert(unique, (bytes.len(), Digest::of(bytes)));
        }
    }
    found
}

fn name_of(payload: &Payload<'_>, id: u8) -> String {
    let name = match payload {
        Payload::CustomSection(section) => return format!("custom section {}", section.name()),
        Payload::TypeSection(_) | Payload::ComponentTypeSection(_) => "types",
        Payload::CoreTypeSection(_) => "core types",
        Payload::ImportSection(_) | Payload::ComponentImportSection(_) => "imports",
        Payload::FunctionSection(_) => "functions",
        Payload::TableSection(_) => "tables",
        Payload::MemorySection(_) => "memories",
        Payload::GlobalSection(_) => "globals",
        Payload::ExportSection(_) | Payload::ComponentExportSection(_) => "exports",
        Payload::ElementSection(_) => "elements",
        Payload::CodeSectionStart { .. } => "code",
        Payload::DataSection(_) => "data",
        Payload::InstanceSection(_) => "core instances",
        Payload::ComponentInstanceSection(_) => "instances",
        Payload::ComponentAliasSection(_) => "aliases",
        Payload::ComponentCanonicalSection(_) => "canonical functions",
        _ => return format!("section {id}"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn component(constant: u32, data: &str) -> Vec<u8> {
        let text = format!(
            "(component (core module) (core module (memory 1) (data (i32.const 0) {data:?}) \
             (func (result i32) i32.const {constant})))"
        );
        wat::parse_str(text).unwrap()
    }

    #[test]
    fn the_sections_that_differ_are_named_with_their_sizes() {
        let one = component(1, "abc");
        assert_eq!(changed_sections(&one, &one), []);
        let told = |other: &[u8]| {
            let changed = changed_sections(&one, other).into_iter();
            let changed: Vec<String> = changed.map(|it| it.to_string()).collect();
            changed.join("; ")
        };
        assert_eq!(
            told(&component(2, "abc")),
            "module 2: code: 6 bytes, here 6 bytes"
        );
        assert_eq!(
            told(&component(1, "abcd")),
            "module 2: data: 9 bytes, here 10 bytes"
        );
        let mut more = one.clone();
        more.extend_from_slice(b"\0\x02\x01x");
        assert_eq!(told(&more), "custom section x: missing, here 2 bytes");
        assert_eq!(changed_sections(b"?", b"!"), []);
    }
}
