//! The `Loaded` tool, and how it is told of to people and programs.

use std::process::ExitCode;

use serde_json::{Value, json};
use tool_hub_manifest::{Function, FunctionName, LockedTool, Manifest, ToolKey};
use tool_hub_toolbox::fetched::Fetched;

use crate::consent::authorship_json::signer_json;
use crate::terminal::escape::escape_line;
use crate::terminal::printer::Printer;

/// A tool that was loaded.
pub(crate) struct Loaded {
    pub(crate) key: ToolKey,
    pub(crate) locked: LockedTool,
    pub(super) fetched: Fetched,
}

impl Loaded {
    /// Says what was loaded, and how it is called.
    pub(crate) fn report(&self, printer: &Printer) -> anyhow::Result<ExitCode> {
        if printer.wants_json() {
            printer.json(&self.json())?;
        } else {
            let Self {
                key,
                locked: loaded,
                fetched,
            } = self;
            let names: Vec<&str> = loaded.functions.keys().map(FunctionName::as_str).collect();
            printer.note(&format!(
                "loaded {key} {} ({})",
                loaded.version,
                names.join(", ")
            ));
            let manifest = fetched.verified.manifest();
            printer.hint(&format!(
                "call it with: tool call {key}{}",
                first_call(manifest)
            ));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The tool, for programs.
    pub(super) fn json(&self) -> Value {
        let loaded = &self.locked;
        json!({
            "name": self.key,
            "version": loaded.version,
            "digest": loaded.approval.digest,
            "signer": signer_json(&self.fetched.signature),
            "functions": loaded.functions.keys().collect::<Vec<_>>(),
            "grants": loaded.grants,
        })
    }
}

/// An example of a call: of a function that changes nothing where there is one, and of none that
/// destroys something where there is another.
fn first_call(manifest: &Manifest) -> String {
    let mut functions: Vec<(&FunctionName, &Function)> = manifest.functions.iter().collect();
    functions.sort_by_key(|(name, function)| {
        (destroys(name, function), function.read_only != Some(true))
    });
    let Some((name, function)) = functions.first() else {
        return " …".to_owned();
    };
    let named = match functions.len() {
        1 => String::new(),
        _ => format!(".{name}"),
    };
    let needed: Vec<String> = match &function.input_schema {
        Some(schema) => {
            let members = schema.members().filter(|(name, _)| schema.requires(name));
            members
                .map(|(name, _)| escape_line(name).to_string())
                .collect()
        }
        None => {
            let inputs = function.inputs.iter().filter(|(_, input)| !input.optional);
            inputs.map(|(name, _)| name.to_string()).collect()
        }
    };
    let arguments: String = needed.iter().map(|name| format!(" {name}=…")).collect();
    format!("{named}{arguments}")
}

/// True if a function says that it destroys something, or is called so.
fn destroys(name: &FunctionName, function: &Function) -> bool {
    const VERBS: [&str; 6] = ["clear", "delete", "drop", "erase", "remove", "reset"];
    let verb = name.as_str().split('_').next().unwrap_or_default();
    function.destructive == Some(true) || VERBS.contains(&verb)
}
