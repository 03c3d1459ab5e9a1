//! What a new project holds: a tool that greets people, functions that somebody else has
//! defined, or a file of plain functions.

mod defined;
mod describe;
mod gradio;
mod javascript;
mod plain;
mod python;
mod rust;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::ValueEnum;
use tool_hub_host::authoring::CONTRACT;
use tool_hub_manifest::{ToolKey, ToolName};

use crate::build::package_directory;
use crate::files;

pub(crate) use defined::{Defined, upper_camel};
pub(crate) use gradio::{Calling, LANGUAGE as CALLING_LANGUAGE};
pub(crate) use javascript::lower_camel;
pub(crate) use plain::PlainFile;
pub(crate) use rust::{rust_ident, rust_type};

/// A language that there is a scaffold for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Template {
    Rust,
    Python,
    Javascript,
}

/// What every scaffold does, and says of itself.
pub(crate) const SCAFFOLD_DESCRIPTION: &str = "Greets people in several languages.";

/// What the functions of a scaffold are.
pub(crate) enum Body {
    /// One that greets people.
    Greeter,
    /// Those that a file defines, not written yet.
    Defined(Defined),
    /// Those of a file that is kept as it is.
    Plain(PlainFile),
    /// Those that an app offers.
    Calling(Calling),
}

/// A file of a scaffold: where it goes and what it holds before names are filled in.
type TemplateFile = (&'static str, &'static str);

const COMMON: [TemplateFile; 4] = [
    ("tool.toml", include_str!("../templates/tool.toml")),
    ("wit/world.wit", include_str!("../templates/world.wit")),
    ("README.md", include_str!("../templates/README.md")),
    (".gitignore", "/dist\n/target\n__pycache__\n/node_modules\n"),
];
const RUST: [TemplateFile; 2] = [
    ("Cargo.toml", include_str!("../templates/rust/Cargo.toml")),
    ("src/lib.rs", include_str!("../templates/rust/src/lib.rs")),
];
const PYTHON: [TemplateFile; 1] = [("app.py", include_str!("../templates/python/app.py"))];
const JAVASCRIPT: [TemplateFile; 1] =
    [("tool.js", include_str!("../templates/javascript/tool.js"))];

impl Template {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
            Self::Javascript => "javascript",
        }
    }

    /// Where the functions are written.
    pub(crate) fn source(self) -> &'static str {
        match self {
            Self::Rust => "src/lib.rs",
            Self::Python => "app.py",
            Self::Javascript => "tool.js",
        }
    }

    fn files(self) -> &'static [TemplateFile] {
        match self {
            Self::Rust => &RUST,
            Self::Python => &PYTHON,
            Self::Javascript => &JAVASCRIPT,
        }
    }
}

/// Writes the scaffold beside its place and moves it there, so that a failure leaves nothing.
pub(crate) fn scaffold(
    directory: &Path,
    name: &ToolName,
    template: Template,
    body: &Body,
) -> anyhow::Result<()> {
    let parent = directory.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent)
        .with_context(|| format!("{} cannot be made", parent.display()))?;
    let staging = tempfile::Builder::new()
        .prefix(".tool-new-")
        .tempdir_in(parent)
        // The library's text names the temporary directory, which the user never wrote.
        .map_err(|error| std::io::Error::from(error.kind()))
        .with_context(|| format!("nothing can be made in {}", parent.display()))?;
    let names = Names::of(name);
    for (path, text) in contents(&names, template, body)? {
        files::write_new(&staging.path().join(path), text.as_bytes())?;
    }
    let staged = staging.keep();
    files::make_public(&staged)?;
    std::fs::rename(&staged, directory)
        .with_context(|| format!("{} cannot be made", directory.display()))
}

/// The files of a project: where each goes, and what it holds.
fn contents(
    names: &Names,
    template: Template,
    body: &Body,
) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let filled = |files: &[TemplateFile]| -> Vec<(&'static str, String)> {
        let files = files.iter();
        files
            .map(|(path, text)| (*path, names.fill(text, template)))
            .collect()
    };
    let mut found = Vec::new();
    if let Body::Plain(plain) = body {
        for (path, text) in plain.files(&filled(&COMMON), names)? {
            found.push((PathBuf::from(path), text));
        }
        return Ok(found);
    }
    for (path, text) in [filled(&COMMON), filled(template.files())].concat() {
        let text = match body {
            Body::Defined(defined) => defined.file(path, text, names, template)?,
            Body::Calling(calling) => calling.file(path, text, names)?,
            Body::Greeter | Body::Plain(_) => text,
        };
        found.push((PathBuf::from(path), text));
    }
    if let Body::Calling(calling) = body {
        let more = calling.more_files().into_iter();
        found.extend(more.map(|(path, text)| (PathBuf::from(path), text)));
    }
    for (name, text) in CONTRACT.files {
        let path = package_directory(&CONTRACT).join(name);
        found.push((path, (*text).to_owned()));
    }
    Ok(found)
}

/// The names that templates are filled with.
pub(crate) struct Names {
    name: String,
    key: String,
    wit: String,
}

impl Names {
    pub(crate) fn of(name: &ToolName) -> Self {
        let key = ToolKey::from(name).to_string();
        // A WIT name is made of words that start with a letter.
        let words: Vec<String> = key
            .split('_')
            .map(|word| {
                if word.starts_with(|c: char| c.is_ascii_digit()) {
                    format!("n{word}")
                } else {
                    word.to_owned()
                }
            })
            .collect();
        Self {
            name: name.to_string(),
            key,
            wit: words.join("-"),
        }
    }

    fn fill(&self, text: &str, template: Template) -> String {
        text.replace("{{name}}", &self.name)
            .replace("{{description}}", SCAFFOLD_DESCRIPTION)
            .replace("{{key}}", &self.key)
            .replace("{{language}}", template.name())
            .replace("{{wit_name}}", &self.package())
            .replace("{{wit_module}}", &self.module())
    }

    /// The name of the WIT package, below `tools:`.
    pub(crate) fn package(&self) -> String {
        format!("{}-tool", self.wit)
    }

    /// The same as Rust spells it.
    pub(crate) fn module(&self) -> String {
        self.package().replace('-', "_")
    }
}
