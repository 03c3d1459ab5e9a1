//! The `Recipe` of an interpreter: the digest of all that it is made of, written into its bytes.
//!
//! Two interpreters of one recipe run the same programs in the same way, although their bytes
//! differ. In somebody else's interpreter it is a claim: nobody can make the bytes again to see.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_hub_host::authoring::{SbomInterpreter, append_section, section};
use tool_hub_manifest::{Digest, Interpreter};

use super::memory_access;
use crate::terminal::escape::escape_line;

/// The custom section of an interpreter that holds its recipe.
const SECTION: &str = "tool-hub:recipe";
/// The longest recipe that is read, in bytes.
const BYTES_MAX: usize = 1 << 10;

/// What an interpreter is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::build) struct Recipe {
    /// The kind of interpreter, such as `python-interpreter`.
    pub(super) interpreter: String,
    /// The version of the command that made it, for people.
    version: String,
    /// The digest of the sources, of the build tool's lock and of what is added to its component.
    sources: Digest,
}

impl Recipe {
    /// The recipe of the kind of interpreter that is made of `sources` by this version of the
    /// command.
    pub(in crate::build) fn new(interpreter: &str, sources: &Value) -> Self {
        let all = format!("{SECTION}\n{}{sources}", memory_access::MODULE);
        Self {
            interpreter: interpreter.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            sources: Digest::of(all.as_bytes()),
        }
    }

    /// The recipe in the bytes of `interpreter`, where there is one.
    pub(super) fn of(interpreter: &Interpreter) -> Option<Self> {
        let text = section(interpreter.component(), SECTION).ok()??;
        if text.len() > BYTES_MAX {
            return None;
        }
        serde_json::from_slice(text).ok()
    }

    /// Writes the recipe into an interpreter's component.
    pub(super) fn write_into(&self, component: &mut Vec<u8>) -> anyhow::Result<()> {
        append_section(SECTION, &serde_json::to_vec(self)?, component);
        Ok(())
    }

    /// The name of its interpreter's file among the toolchains.
    pub(super) fn file_name(&self) -> String {
        format!("{}-{}.wasm", self.interpreter, &self.sources.hex()[..16])
    }

    /// True if an interpreter of the recipe `other` may stand in for one of this.
    pub(super) fn is_met_by(&self, other: &Self) -> bool {
        let Self {
            interpreter,
            // The same sources make the same interpreter, whichever version holds them.
            version: _,
            sources,
        } = self;
        (interpreter, sources) == (&other.interpreter, &other.sources)
    }
}

/// True if both claim to be made of the same.
pub(crate) fn have_same_recipe(one: &Interpreter, other: &Interpreter) -> bool {
    match (Recipe::of(one), Recipe::of(other)) {
        (Some(one), Some(other)) => one.is_met_by(&other),
        _ => false,
    }
}

/// The entry for `interpreter` in a bill of materials, by its recipe where it has one.
pub(crate) fn in_sbom(interpreter: &Interpreter) -> SbomInterpreter {
    let recipe = Recipe::of(interpreter);
    let (name, version) = recipe.map_or_else(
        || ("interpreter".to_owned(), "unknown".to_owned()),
        |recipe| (recipe.interpreter, recipe.version),
    );
    SbomInterpreter {
        name,
        version,
        digest: interpreter.digest(),
    }
}

/// On one line, escaped.
impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            interpreter,
            version,
            sources,
        } = self;
        let (interpreter, version) = (escape_line(interpreter), escape_line(version));
        let sources = &sources.hex()[..16];
        write!(f, "{interpreter} {sources}, of tool-hub {version}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_recipe_is_read_from_the_bytes_that_it_was_written_into() {
        let bare = wat::parse_str("(component)").unwrap();
        assert_eq!(Recipe::of(&Interpreter::hashed(bare.clone())), None);
        let recipe = Recipe::new("python-interpreter", &json!(["a"]));
        let mut component = bare.clone();
        recipe.write_into(&mut component).unwrap();
        let read = Recipe::of(&Interpreter::hashed(component)).unwrap();
        assert!(recipe.is_met_by(&read));
        for (interpreter, sources) in [("javascript-interpreter", "a"), ("python-interpreter", "b")]
        {
            assert!(!recipe.is_met_by(&Recipe::new(interpreter, &json!([sources]))));
        }
        let mut long = bare;
        append_section(SECTION, &[b' '; BYTES_MAX + 1], &mut long);
        assert_eq!(Recipe::of(&Interpreter::hashed(long)), None);
    }

    #[test]
    fn another_version_with_the_same_sources_makes_the_same() {
        let recipe = Recipe::new("python-interpreter", &json!(["a"]));
        let other = Recipe {
            version: "9.9.9\n".to_owned(),
            ..recipe.clone()
        };
        assert!(recipe.is_met_by(&other));
        assert!(
            other.to_string().ends_with(", of tool-hub 9.9.9\\n"),
            "{other}"
        );
    }
}
