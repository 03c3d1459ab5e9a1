//! Reads a model's chat templates from its repository, a directory or a file.

use std::path::{Path, PathBuf};

use tool_hub_agent::conversation::chat_template::ModelTemplates;
use tool_hub_manifest::ToolRef;

use crate::files::{self, Limit};
use crate::session::Session;
use crate::terminal::problem::Problem;

/// The file of a model's repository with its templates.
const CONFIGURATION: &str = "tokenizer_config.json";
const TEMPLATE: &str = "chat_template.jinja";
/// Templates beside it, by the names that are usual for them.
const ADDITIONAL: [(&str, &str); 2] = [
    ("additional_chat_templates/tool_use.jinja", "tool_use"),
    ("additional_chat_templates/rag.jinja", "rag"),
];
/// All of them.
const FILES: [&str; 4] = [CONFIGURATION, TEMPLATE, ADDITIONAL[0].0, ADDITIONAL[1].0];
/// The longest of those files. Some configurations name every token.
const FILE: Limit = Limit {
    name: "model_file_bytes",
    bytes_max: 16 << 20,
    hint: "name the file of the template alone",
};

/// The templates of the model that `name` means: of a repository, a directory or a file.
pub(crate) async fn templates(name: &str, session: &Session) -> anyhow::Result<ModelTemplates> {
    let path = Path::new(name);
    if path.is_dir() {
        return of_files(FILES.map(|name| (name, path.join(name))));
    }
    if path.is_file() {
        let is_configuration = path.extension().is_some_and(|it| it == "json");
        let file = if is_configuration {
            CONFIGURATION
        } else {
            TEMPLATE
        };
        return of_files([(file, path.to_owned())]);
    }
    let reference: ToolRef = name.parse().map_err(|_| {
        let what = format!("`{name}` is neither a file, a directory nor a model");
        Problem::user(what).hint("a model on the registry is written as owner/name")
    })?;
    let client = session
        .config
        .settings
        .client(&session.config.settings.endpoint, &session.printer)?;
    let at = client.resolve_plainly(&reference).await?;
    let texts = client.texts(&at, &FILES, FILE.bytes_max as u64);
    read(texts.await?)
}

/// Reads those of `files` that are there.
fn of_files<const N: usize>(files: [(&'static str, PathBuf); N]) -> anyhow::Result<ModelTemplates> {
    let mut texts = Vec::new();
    for (name, path) in files {
        if path.is_file() {
            let shown = path.display().to_string();
            let bytes = files::read(&path, &shown, &FILE)?;
            texts.push((name, files::text(bytes, &shown)?));
        }
    }
    read(texts)
}

/// Reads the files of a model, in whatever order they come: a template of its own goes before the
/// configuration's.
fn read(texts: Vec<(&'static str, String)>) -> anyhow::Result<ModelTemplates> {
    let text_of = |wanted: &str| texts.iter().find(|(name, _)| *name == wanted);
    let model = match text_of(CONFIGURATION) {
        Some((_, configuration)) => ModelTemplates::from_tokenizer_config(configuration)?,
        None => ModelTemplates::default(),
    };
    let own = [(TEMPLATE, None)].into_iter();
    let own = own.chain(ADDITIONAL.map(|(file, name)| (file, Some(name))));
    Ok(own.fold(model, |model, (file, name)| match text_of(file) {
        Some((_, template)) => model.with_template(name, template.as_str()),
        None => model,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_of_its_own_goes_first_in_whatever_order_they_come() {
        let mut texts = vec![
            (
                CONFIGURATION,
                r#"{"chat_template": "old", "bos_token": "<s>"}"#.to_owned(),
            ),
            (TEMPLATE, "own".to_owned()),
        ];
        for _ in 0..2 {
            let model = read(texts.clone()).unwrap();
            assert_eq!(model.choose(None, false).unwrap(), "own");
            assert_eq!(model.special_tokens()["bos_token"], "<s>");
            texts.reverse();
        }
    }
}
