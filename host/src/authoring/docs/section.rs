//! Writes and reads the `package-docs` section of a component, which carries its doc comments.
//!
//! Decoders of components accept in it only what names the component's own world, which they call
//! `root`, and functions that stand at top level; anything else makes them refuse the whole
//! component. The comments of functions in interfaces therefore travel in the text of the world.
//! Reading is lenient: other tools write the names of source packages.

use serde_json::{Map, Value, json};
use tool_hub_manifest::ExportName;

use crate::authoring::docs::text::text;
use crate::authoring::docs::{Docs, FunctionDocs};
use crate::component::custom_section::append_section;
use crate::component::exports::Exports;
use crate::component::wit;
use crate::component::wit::DOCS_SECTION;
use crate::error::HostError;

/// The format's version byte.
const VERSION: u8 = 1;
/// The most functions that are read.
const FUNCTIONS_MAX: usize = 10_000;

impl Docs {
    /// `component` with these docs in its docs section, in place of what was there.
    ///
    /// # Errors
    /// When the bytes are no valid component.
    pub fn embed(&self, component: &[u8]) -> Result<Vec<u8>, HostError> {
        let decoded = wit::decode(component)?;
        let exports = Exports::of_world(&decoded.resolve, decoded.world);
        let mut top_level = Map::new();
        let mut world = self.world.clone().unwrap_or_default();
        for placed in &exports.callable {
            let Some(docs) = self.function(&placed.name) else {
                continue;
            };
            match placed.name.interface() {
                None => {
                    let name = placed.name.function().to_owned();
                    top_level.insert(name, json!({"docs": docs}));
                }
                Some(_) => world.push_str(&format!("{HEADING}{}\n\n{docs}", placed.name)),
            }
        }
        let mut root = Map::new();
        if !world.trim().is_empty() {
            root.insert("docs".into(), world.trim().into());
        }
        if !top_level.is_empty() {
            root.insert("func_exports".into(), top_level.into());
        }
        let (mut bytes, _) = wit::without_docs(component)?;
        if !root.is_empty() {
            let mut data = vec![VERSION];
            data.extend_from_slice(json!({"worlds": {"root": root}}).to_string().as_bytes());
            append_section(DOCS_SECTION, &data, &mut bytes);
        }
        Ok(bytes)
    }

    /// Reads what stands in a docs section; nothing where it cannot be read.
    pub(in crate::authoring) fn of_section(data: Option<&[u8]>) -> Self {
        let mut docs = Self::default();
        let Some((&(0 | VERSION), json)) = data.and_then(<[u8]>::split_first) else {
            return docs;
        };
        let Ok(package) = serde_json::from_slice::<Value>(json) else {
            return docs;
        };
        docs.interfaces(&package["interfaces"]);
        let mut world_text = None;
        for world in package["worlds"]
            .as_object()
            .into_iter()
            .flat_map(Map::values)
        {
            world_text = world_text.or_else(|| comment(world));
            docs.functions("", &world["funcs"]);
            docs.functions("", &world["func_exports"]);
            docs.interfaces(&world["interfaces"]);
            docs.interfaces(&world["interface_exports"]);
        }
        docs.split(world_text.unwrap_or_default());
        docs
    }

    /// Takes `world`'s text apart into its own and, below a heading with its name each, the
    /// comments of functions in interfaces: as [`embed`](Self::embed) put them together.
    fn split(&mut self, world: &str) {
        let world = format!("\n\n{world}");
        let mut own = String::new();
        let mut functions: Vec<(&str, String)> = Vec::new();
        for (at, part) in world.split(HEADING).enumerate() {
            let named = part.split_once("\n\n").filter(|(name, _)| {
                let name = name.parse::<ExportName>();
                at > 0 && name.is_ok_and(|name| name.interface().is_some())
            });
            if let Some((name, docs)) = named {
                functions.push((name, docs.to_owned()));
                continue;
            }
            // A heading of the author's own belongs to the text before it.
            let before = functions.last_mut().map(|(_, docs)| docs);
            let before = before.unwrap_or(&mut own);
            if at > 0 {
                before.push_str(HEADING);
            }
            before.push_str(part);
        }
        for (name, docs) in functions {
            self.function_docs(name, &docs);
        }
        self.world = text(Some(&own));
    }

    fn interfaces(&mut self, interfaces: &Value) {
        for (name, interface) in interfaces.as_object().into_iter().flatten() {
            self.functions(&format!("{name}."), &interface["funcs"]);
        }
    }

    fn function_docs(&mut self, name: &str, docs: &str) {
        let room = self.functions.len() < FUNCTIONS_MAX;
        if let Some(text) = text(Some(docs)).filter(|_| room) {
            let docs = FunctionDocs {
                text,
                ..FunctionDocs::default()
            };
            self.functions.insert(name.to_owned(), docs);
        }
    }

    fn functions(&mut self, prefix: &str, functions: &Value) {
        for (name, function) in functions.as_object().into_iter().flatten() {
            if let Some(text) = comment(function) {
                self.function_docs(&format!("{prefix}{name}"), text);
            }
        }
    }
}

/// The text before the name of a function in the world's text.
const HEADING: &str = "\n\n## ";

/// A comment, written as `"…"` or as `{"docs": "…"}`.
fn comment(item: &Value) -> Option<&str> {
    item.as_str().or_else(|| item["docs"].as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPONENT: &str = r#"
        (component
            (core module $m (func (export "f")))
            (core instance $i (instantiate $m))
            (func $f (canon lift (core func $i "f")))
            (instance $stats (export "count-words" (func $f)))
            (export "hello" (func $f))
            (export "demo:text/stats" (instance $stats)))
    "#;

    fn name(text: &str) -> ExportName {
        text.parse().unwrap()
    }

    fn docs_of(component: &[u8]) -> Docs {
        let decoded = crate::component::wit::decode(component).expect("a component");
        Docs::of_section(decoded.docs.as_deref())
    }

    #[test]
    fn embedded_docs_are_read_back_here_and_elsewhere() {
        let mut docs = Docs {
            world: Some("A tool.\n\n## Why\n\nTo count.".into()),
            ..Docs::default()
        };
        for (export, text) in [
            ("hello", "Says hello."),
            (
                "demo:text/stats.count-words",
                "Counts.\n\n## Units\n\nWords.",
            ),
        ] {
            let of_function = FunctionDocs {
                text: text.to_owned(),
                ..FunctionDocs::default()
            };
            docs.functions.insert(export.into(), of_function);
        }
        let component = wat::parse_str(COMPONENT).unwrap();
        let with = docs.embed(&component).unwrap();
        let read = docs_of(&with);
        assert_eq!(read.function(&name("hello")), Some("Says hello."));
        let counts = name("demo:text/stats.count-words");
        assert_eq!(
            read.function(&counts),
            Some("Counts.\n\n## Units\n\nWords.")
        );
        assert_eq!(read.world(), Some("A tool.\n\n## Why\n\nTo count."));
        // The decoder of other component tools takes it as well.
        let decoded = wit_parser::decoding::decode(&with).unwrap();
        let (_, world) = decoded.resolve().worlds.iter().next().unwrap();
        assert!(
            world
                .docs
                .contents
                .as_deref()
                .unwrap()
                .starts_with("A tool.")
        );
        // Embedding again replaces, and embedding nothing removes.
        assert_eq!(docs.embed(&with).unwrap(), with);
        assert_eq!(Docs::default().embed(&with).unwrap(), component);
    }

    #[test]
    fn docs_that_name_their_source_package_are_read() {
        let json = json!({
            "worlds": {"text": {"docs": "Text.", "func_exports": {"hello": {"docs": "Hi."}}}},
            "interfaces": {"stats": {"funcs": {"count-words": "Counts."}}},
        });
        let mut bytes = wat::parse_str(COMPONENT).unwrap();
        let data = [&[VERSION], json.to_string().as_bytes()].concat();
        append_section(DOCS_SECTION, &data, &mut bytes);
        let docs = docs_of(&bytes);
        assert_eq!(docs.world(), Some("Text."));
        assert_eq!(docs.function(&name("hello")), Some("Hi."));
        assert_eq!(
            docs.function(&name("demo:text/stats.count-words")),
            Some("Counts.")
        );
    }

    #[test]
    fn nonsense_is_no_docs() {
        for data in [
            None,
            Some(&b""[..]),
            Some(b"\x07{}"),
            Some(b"\x01{"),
            Some(b"\x01[]"),
        ] {
            assert!(Docs::of_section(data).world().is_none());
        }
    }
}
