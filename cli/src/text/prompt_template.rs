//! Finds and reads prompt templates in files, or pulls them from data sets on a registry.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::Path;

use anyhow::Context as _;
use tool_hub_agent::prompt::{PROMPT_TEMPLATE_BYTES_MAX, PromptError, PromptMode, PromptTemplate};
use tool_hub_manifest::{CommitId, ToolRef};

use crate::session::Session;
use crate::terminal::problem::Problem;

/// The templates of a data set, as it has them at one commit.
pub(crate) struct PulledTemplates {
    pub(crate) commit: CommitId,
    /// The modes for which there is one, each with a template.
    pub(crate) texts: Vec<(PromptMode, String)>,
}

/// Gets those templates of `modes` that the data set has, and holds each against what a
/// template needs.
pub(crate) async fn pull(
    reference: &ToolRef,
    modes: &[PromptMode],
    session: &Session,
) -> anyhow::Result<PulledTemplates> {
    let datasets = session.config.settings.datasets(&session.printer)?;
    let at = datasets.resolve(reference).await?;
    let names: Vec<&str> = modes.iter().map(|mode| mode.file_name()).collect();
    let bytes_max = PROMPT_TEMPLATE_BYTES_MAX as u64;
    let found = datasets.texts(&at, &names, bytes_max).await?;
    let mut texts = Vec::new();
    for mode in modes {
        let text = found.iter().find(|(name, _)| *name == mode.file_name());
        if let Some((name, text)) = text {
            mode.template(text.as_str())
                .with_context(|| format!("{name} of {} is not a prompt template", at.repo))?;
            texts.push((*mode, text.clone()));
        }
    }
    if texts.is_empty() {
        let what = format!("the data set {} has no {}", at.repo, names.join(" and no "));
        return Err(Problem::user(what)
            .hint("templates are files of these names; publish yours with: tool prompt push")
            .into());
    }
    Ok(PulledTemplates {
        commit: at.commit,
        texts,
    })
}

/// The template that `named` means: a file or the one in a directory, else that of a data set;
/// without a name our own.
pub(crate) async fn find(
    named: Option<&str>,
    mode: PromptMode,
    session: &Session,
) -> anyhow::Result<PromptTemplate> {
    let Some(named) = named else {
        return Ok(mode.template(mode.default_template())?);
    };
    let mut path = session.config.settings.place(Path::new(named));
    if path.is_dir() {
        path.push(mode.file_name());
    }
    if let Some(text) = read(&path, mode)? {
        return Ok(mode.template(text)?);
    }
    let reference: ToolRef = named.parse().map_err(|_| {
        let what = format!("`{named}` is neither a file nor a data set");
        Problem::user(what).hint("a data set on the registry is written as owner/name")
    })?;
    let pulled = pull(&reference, &[mode], session).await;
    let mut pulled = pulled.with_context(|| {
        format!("there is no file `{named}`, and the data set of that name cannot be pulled")
    })?;
    // There is one, or the pull would have failed.
    let (_, text) = pulled.texts.pop().unwrap_or((mode, String::new()));
    Ok(mode.template(text)?)
}

/// The template in a file; none where there is no such file.
pub(crate) fn read(path: &Path, mode: PromptMode) -> anyhow::Result<Option<String>> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| {
        // One byte more than allowed, to detect what is too long.
        let mut file = file.take(PROMPT_TEMPLATE_BYTES_MAX as u64 + 1);
        file.read_to_end(&mut bytes)
    });
    match read {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        read => read.with_context(|| format!("{} cannot be read", path.display()))?,
    };
    let refused = || format!("{} is not a prompt template", path.display());
    if bytes.len() > PROMPT_TEMPLATE_BYTES_MAX {
        return Err(PromptError::LongTemplate).with_context(refused);
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| Problem::user("it is not UTF-8"))
        .with_context(refused)?;
    mode.template(text.as_str()).with_context(refused)?;
    Ok(Some(text))
}
