//! Writes a tool as an MCPB bundle (manifest version 0.3): a zip that desktop clients install.
//! Directories and variables that the tool asks for become settings that they ask their user for.

use std::io::{Cursor, Write as _};

use serde_json::{Map, Value, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{Argument, InstallableTool};

/// Windows starts what is named so.
const PROGRAM: &str = match cfg!(windows) {
    true => "server/tool.exe",
    false => "server/tool",
};
const PACKAGE: &str = "package";
/// The mode of a program that everybody may run.
const EXECUTABLE: u32 = 0o755;

/// The zip file of a bundle. It holds `program`, the executable of this command, or needs a `tool`
/// on the search path of the machine where there is none.
pub(crate) fn bundle(tool: &InstallableTool, program: Option<&[u8]>) -> anyhow::Result<Vec<u8>> {
    let manifest = serde_json::to_vec_pretty(&manifest(tool, program.is_some()))?;
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let mut file = |name: &str, bytes: &[u8], options| -> anyhow::Result<()> {
        zip.start_file(name, options)?;
        Ok(zip.write_all(bytes)?)
    };
    file("manifest.json", &manifest, options)?;
    for (name, bytes) in tool.package() {
        file(&format!("{PACKAGE}/{name}"), bytes, options)?;
    }
    if let Some(program) = program {
        file(PROGRAM, program, options.unix_permissions(EXECUTABLE))?;
    }
    Ok(zip.finish()?.into_inner())
}

/// The bundle's `manifest.json`.
fn manifest(tool: &InstallableTool, with_program: bool) -> Value {
    let (command, entry_point) = match with_program {
        true => (format!("${{__dirname}}/{PROGRAM}"), PROGRAM.to_owned()),
        false => ("tool".to_owned(), format!("{PACKAGE}/tool.toml")),
    };
    let place = format!("${{__dirname}}/{PACKAGE}");
    let arguments = tool.arguments_of_copy(&place, |request| {
        format!("${{user_config.{}}}", directory_key(request.name.as_str()))
    });
    let mut env = Map::new();
    let asked = &tool.manifest().capabilities;
    let variables = asked.variables.iter().map(|request| &request.name);
    let credentials = asked.credentials.iter().map(|request| &request.name);
    for name in variables.chain(credentials) {
        let key = variable_key(name.as_str());
        let value = format!("${{user_config.{key}}}");
        env.insert(name.to_string(), value.into());
    }
    let functions = tool.functions.iter();
    let functions: Vec<Value> = functions
        .map(|spec| json!({ "name": spec.name, "description": spec.description }))
        .collect();
    let mut manifest = json!({
        "manifest_version": "0.3",
        "name": tool.dashed_name(),
        "display_name": tool.manifest().name,
        "version": tool.manifest().version,
        "description": tool.description(),
        "long_description": long_description(tool),
        "author": { "name": tool.author() },
        "server": {
            "type": "binary",
            "entry_point": entry_point,
            "mcp_config": { "command": command, "args": Argument::words(arguments), "env": env },
        },
        "tools": functions,
        // Beside its functions an agent sees `read_answer`, for long answers.
        "tools_generated": true,
        "keywords": ["tool-hub", "wasm-component"],
    });
    if let Some(license) = &tool.manifest().license {
        manifest["license"] = license.as_str().into();
    }
    if with_program {
        manifest["compatibility"] = json!({ "platforms": [PLATFORM] });
    }
    let settings = settings(tool);
    if !settings.is_empty() {
        manifest["user_config"] = settings.into();
    }
    manifest
}

/// The platform of this program, in the words of the format.
const PLATFORM: &str = if cfg!(windows) {
    "win32"
} else if cfg!(target_os = "macos") {
    "darwin"
} else {
    "linux"
};

fn long_description(tool: &InstallableTool) -> String {
    let rights: String = tool.rights().iter().map(|it| format!("- {it}\n")).collect();
    format!(
        "{}\n\nIt is a WebAssembly component that runs in a sandbox. It may:\n\n{rights}",
        tool.description()
    )
}

/// The settings that the client asks its user for.
fn settings(tool: &InstallableTool) -> Map<String, Value> {
    let asked = &tool.manifest().capabilities;
    let directories = asked.directories.iter().map(|request| {
        let setting = json!({
            "type": "directory",
            "title": request.name,
            "description": reason(&request.why, "a directory that the tool may use"),
            "required": true,
        });
        (directory_key(request.name.as_str()), setting)
    });
    let variables = asked.variables.iter().map(|request| {
        let setting = json!({
            "type": "string",
            "title": request.name,
            "description": reason(&request.why, "a setting that the tool reads"),
            "sensitive": request.secret,
            "required": true,
        });
        (variable_key(request.name.as_str()), setting)
    });
    let credentials = asked.credentials.iter().map(|request| {
        let sent = format!("sent to {}; the tool does not see it", request.origin);
        let setting = json!({
            "type": "string",
            "title": request.name,
            "description": reason(&request.why, &sent),
            "sensitive": true,
            "required": true,
        });
        (variable_key(request.name.as_str()), setting)
    });
    directories.chain(variables).chain(credentials).collect()
}

fn reason(why: &str, otherwise: &str) -> String {
    if why.is_empty() { otherwise } else { why }.to_owned()
}

/// A directory and a variable may have the same name.
fn directory_key(name: &str) -> String {
    format!("directory_{name}")
}

fn variable_key(name: &str) -> String {
    format!("variable_{name}")
}
