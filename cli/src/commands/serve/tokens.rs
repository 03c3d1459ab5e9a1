//! Reads the HTTP callers, tokens and tools in the file of `--tokens`, and the `--token-file`.
//! A file that others can change, or a token that they can read, is refused.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Deserialize;
use tool_hub_manifest::Digest;
use tool_hub_serve::{BearerToken, CallerName};

use crate::files::{self, others};
use crate::serving::toolbox_server::ToolSelection;
use crate::settings::config::Config;
use crate::terminal::problem::Problem;

/// A caller and its selection of the tools.
pub(super) struct ServedCaller {
    pub(super) name: CallerName,
    /// The digest of the caller's token. Absent for standard input.
    pub(super) token: Option<Digest>,
    pub(super) selection: ToolSelection,
}

/// A table of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    sha256: Option<Digest>,
    file: Option<PathBuf>,
    toolbox: Option<PathBuf>,
    tools: Option<Vec<String>>,
}

/// Reads the file at `path`. Paths in it are relative to its directory. A caller without a toolbox
/// in it gets the `usual` one, or the nearest.
///
/// # Errors
/// When somebody else could put a token into it, or an entry says too little or too much.
pub(super) fn read(
    path: &Path,
    usual: Option<&Path>,
    config: &Config,
) -> anyhow::Result<Vec<ServedCaller>> {
    let cannot = || format!("{} cannot be used", path.display());
    let text = files::read_value(path).with_context(cannot)?;
    if others::can_write(path, &config.settings.home).with_context(cannot)? {
        let file = path.display();
        return Err(Problem::user(format!(
            "others own {file} or can write to it, and so let themselves in"
        ))
        .hint(format!(
            "make it yours alone with: {}",
            others::advice(path)
        ))
        .into());
    }
    let entries: BTreeMap<String, Entry> = toml_edit::de::from_str(&text).with_context(cannot)?;
    if entries.is_empty() {
        let problem = Problem::user(format!("{} names nobody", path.display()));
        return Err(problem
            .hint("write a table for each name: [name], and sha256 or file below it")
            .into());
    }
    let directory = path.parent().unwrap_or(Path::new(""));
    let place = |path: PathBuf| match path.starts_with("~") {
        true => config.settings.place(&path),
        false => config.settings.place(&directory.join(path)),
    };
    let entries = entries.into_iter();
    let named = entries.map(|(name, entry)| {
        let in_file = || format!("[{name}] of {} cannot be used", path.display());
        let named = entry.named(&name, usual, place, &config.settings.home);
        named.with_context(in_file)
    });
    named.collect()
}

impl Entry {
    fn named(
        self,
        name: &str,
        usual: Option<&Path>,
        place: impl Fn(PathBuf) -> PathBuf,
        home: &Path,
    ) -> anyhow::Result<ServedCaller> {
        let token = match (self.sha256, self.file) {
            (Some(digest), None) => digest,
            (None, Some(file)) => private_token(&place(file), home)?.digest(),
            _ => {
                return Err(Problem::user("it has either `sha256` or `file`")
                    .hint("sha256 is what this prints: printf %s \"$TOKEN\" | sha256sum")
                    .into());
            }
        };
        if self.tools.as_ref().is_some_and(Vec::is_empty) {
            let problem = Problem::user("`tools` names none");
            return Err(problem
                .hint("leave it out for all, or take the table out")
                .into());
        }
        Ok(ServedCaller {
            name: name.parse()?,
            token: Some(token),
            selection: ToolSelection {
                toolbox: self
                    .toolbox
                    .map(place)
                    .or_else(|| usual.map(Path::to_owned)),
                names: self.tools.unwrap_or_default(),
            },
        })
    }
}

/// The token in `file`, which nobody else can read, for the user whose home is `home`.
pub(super) fn private_token(file: &Path, home: &Path) -> anyhow::Result<BearerToken> {
    let readable = others::can_read(file, home)
        .with_context(|| format!("the token file {} cannot be read", file.display()))?;
    if readable {
        let advice = others::advice(file);
        let problem = Problem::user(format!("others can read the token in {}", file.display()));
        return Err(problem
            .hint(format!(
                "make a new one, and the file yours alone with: {advice}"
            ))
            .into());
    }
    token_of(file)
}

/// The token in `file`.
fn token_of(file: &Path) -> anyhow::Result<BearerToken> {
    let text = files::read_value(file)
        .with_context(|| format!("the token file {} cannot be read", file.display()))?;
    let token: Result<BearerToken, _> = text.trim().parse();
    token.map_err(|error| {
        Problem::user(format!("{} holds no token: {error}", file.display()))
            .hint("make one with: openssl rand -hex 32")
            .into()
    })
}
