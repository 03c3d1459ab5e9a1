//! Reads which programs made a component, from its producers sections, and its main language.

use std::collections::BTreeSet;

use serde::Serialize;
use wasmparser::{BinaryReader, KnownCustom, Parser, Payload};

/// At most so many producers are read; no honest component has more.
const PRODUCERS_MAX: usize = 64;

/// A program that had a hand in making the component, as the component says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Producer {
    /// The role of the producer: `language`, `processed-by`, `sdk`.
    pub role: String,
    /// Its name.
    pub name: String,
    /// Its version, which may be empty.
    pub version: String,
}

/// Everything that the component and the modules in it say about how they were made. What
/// cannot be read is passed over: nothing depends on it.
pub(crate) fn producers(component: &[u8]) -> Vec<Producer> {
    let mut found = BTreeSet::new();
    for payload in Parser::new(0).parse_all(component) {
        let Ok(payload) = payload else { break };
        if let Payload::CustomSection(section) = payload
            && let KnownCustom::Producers(_) = section.as_known()
        {
            let _ = read(section.data(), &mut found);
        }
    }
    found.into_iter().take(PRODUCERS_MAX).collect()
}

/// The main language: the one that is not merely that of a runtime.
pub(crate) fn language(producers: &[Producer]) -> Option<String> {
    let has = |name: &str| {
        let name = name.to_ascii_lowercase();
        move |producer: &Producer| producer.name.to_ascii_lowercase().contains(&name)
    };
    for (trace, language) in [
        ("componentize-py", "Python"),
        ("componentize-js", "JavaScript"),
        ("componentize-qjs", "JavaScript"),
        ("starlingmonkey", "JavaScript"),
        ("quickjs", "JavaScript"),
        ("tinygo", "Go"),
    ] {
        if producers.iter().any(has(trace)) {
            return Some(language.to_owned());
        }
    }
    let languages = producers.iter().filter(|p| p.role == "language");
    let bound = producers.iter().any(has("wit-bindgen-rust"));
    // Rust programs often carry a little C from their runtime.
    let mut names: Vec<&str> = languages.map(|p| p.name.as_str()).collect();
    names.sort_by_key(|name| name.starts_with('C'));
    let first = names.first().copied();
    // Stripping takes the language away, but not who made the bindings.
    first.or(bound.then_some("Rust")).map(str::to_owned)
}

fn read(data: &[u8], found: &mut BTreeSet<Producer>) -> wasmparser::Result<()> {
    let section = wasmparser::ProducersSectionReader::new(BinaryReader::new(data, 0))?;
    for field in section {
        let field = field?;
        for value in field.values {
            let value = value?;
            if found.len() < PRODUCERS_MAX {
                found.insert(Producer {
                    role: field.name.to_owned(),
                    name: value.name.to_owned(),
                    version: value.version.to_owned(),
                });
            }
        }
    }
    Ok(())
}
