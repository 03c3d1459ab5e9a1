//! The languages of `tool new`, and the template files with which a project in each begins.

use clap::ValueEnum;

use super::names::Names;

/// A language that there is a scaffold for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Template {
    Rust,
    Python,
    Javascript,
    C,
}

/// The description of every scaffold.
pub(crate) const SCAFFOLD_DESCRIPTION: &str = "Greets people in several languages.";

/// A file of a scaffold: where it goes and what it holds before names are filled in.
pub(super) type TemplateFile = (&'static str, &'static str);

pub(super) const COMMON: [TemplateFile; 4] = [
    ("tool.toml", include_str!("../../templates/tool.toml")),
    ("wit/world.wit", include_str!("../../templates/world.wit")),
    ("README.md", include_str!("../../templates/README.md")),
    (".gitignore", "/dist\n/target\n__pycache__\n/node_modules\n"),
];
const RUST: [TemplateFile; 2] = [
    (
        "Cargo.toml",
        include_str!("../../templates/rust/Cargo.toml"),
    ),
    (
        "src/lib.rs",
        include_str!("../../templates/rust/src/lib.rs"),
    ),
];
const PYTHON: [TemplateFile; 1] = [("app.py", include_str!("../../templates/python/app.py"))];
const JAVASCRIPT: [TemplateFile; 1] = [(
    "tool.js",
    include_str!("../../templates/javascript/tool.js"),
)];

const C: [TemplateFile; 1] = [("tool.c", include_str!("../../templates/c/tool.c"))];

impl Template {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
            Self::Javascript => "javascript",
            Self::C => "c",
        }
    }

    /// The file with the functions.
    pub(crate) fn source(self) -> &'static str {
        match self {
            Self::Rust => "src/lib.rs",
            Self::Python => "app.py",
            Self::Javascript => "tool.js",
            Self::C => "tool.c",
        }
    }

    pub(super) fn files(self) -> &'static [TemplateFile] {
        match self {
            Self::Rust => &RUST,
            Self::Python => &PYTHON,
            Self::Javascript => &JAVASCRIPT,
            Self::C => &C,
        }
    }

    /// Fills the names of a project into `text`.
    pub(super) fn fill(self, text: &str, names: &Names) -> String {
        text.replace("{{name}}", &names.name)
            .replace("{{description}}", SCAFFOLD_DESCRIPTION)
            .replace("{{key}}", &names.key)
            .replace("{{language}}", self.name())
            .replace("{{wit_name}}", &names.package())
            .replace("{{wit_module}}", &names.module())
    }
}
