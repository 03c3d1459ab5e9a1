//! Generates the C source of a new project, with a stub for each defined function.

use std::path::Path;

use tool_hub_agent::definition::interface::Interface;
use tool_hub_host::authoring::WitSource;

use super::names::Names;
use super::stub::NOT_WRITTEN;
use crate::build::CBindings;

/// The source, with the functions as the bindings of `interface` declare them.
pub(super) fn source(interface: &Interface, names: &Names) -> anyhow::Result<String> {
    let wit = interface.to_wit(&format!("tools:{}", names.package()));
    let source = WitSource {
        path: Path::new("world.wit"),
        contents: &wit,
    };
    let exports = CBindings::of(&[source], None)?.exports();
    // Both are in the order of the WIT.
    let operations = interface.operations.iter();
    let functions: String = exports
        .iter()
        .zip(operations)
        .map(|(export, operation)| {
            let name = &operation.name;
            format!("\n{export} {{\n    return not_written(\"{name}\", err);\n}}\n")
        })
        .collect();
    let name = &names.name;
    Ok(format!(
        r#"// The tool {name}, whose functions are defined but not written yet.

#include "tool.h"

#include <stdio.h>

// What a function answers until it is written.
static bool not_written(const char *function, tool_string_t *err) {{
    char text[256];
    snprintf(text, sizeof text, "`%s` {NOT_WRITTEN}", function);
    tool_string_dup(err, text);
    return false;
}}
{functions}"#
    ))
}
