//! Reads the HTTP callers, tokens and tools in the file of `--tokens`, and the `--token-file`.
//! A file that others can change, or a token that they can read, is refused.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Deserialize;
use tool_hub_manifest::Digest;
use tool_hub_serve::{BearerToken, CallerName};

use crate::files;
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

/// Reads the file at `path`; its own paths are taken from where it is. Who has no toolbox there
/// gets the `usual` one, or the nearest.
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
    let metadata = std::fs::metadata(path).with_context(cannot)?;
    if !is_own(&metadata) || mode(&metadata) & 0o022 != 0 {
        let file = path.display();
        return Err(Problem::user(format!(
            "others own {file} or can write to it, and so let themselves in"
        ))
        .hint(format!("make it yours alone with: chmod 600 {file}"))
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
        entry.named(&name, usual, place).with_context(in_file)
    });
    named.collect()
}

impl Entry {
    fn named(
        self,
        name: &str,
        usual: Option<&Path>,
        place: impl Fn(PathBuf) -> PathBuf,
    ) -> anyhow::Result<ServedCaller> {
        let token = match (self.sha256, self.file) {
            (Some(digest), None) => digest,
            (None, Some(file)) => private_token(&place(file))?.digest(),
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

/// The token in `file`, which nobody else can read.
pub(super) fn private_token(file: &Path) -> anyhow::Result<BearerToken> {
    let metadata = std::fs::metadata(file)
        .with_context(|| format!("the token file {} cannot be read", file.display()))?;
    if mode(&metadata) & 0o077 != 0 {
        let file = file.display();
        return Err(
            Problem::user(format!("others can read the token in {file}"))
                .hint(format!(
                    "make a new one, and the file yours alone with: chmod 600 {file}"
                ))
                .into(),
        );
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

/// True if the file belongs to whoever starts the server.
#[cfg(unix)]
fn is_own(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    metadata.uid() == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_own(_: &Metadata) -> bool {
    true
}

#[cfg(unix)]
fn mode(metadata: &Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode()
}

#[cfg(not(unix))]
fn mode(_: &Metadata) -> u32 {
    0
}
