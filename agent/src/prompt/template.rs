//! Fills the placeholders of prompt templates, within limits of length.

use thiserror::Error;

/// The longest template, in bytes.
pub const PROMPT_TEMPLATE_BYTES_MAX: usize = 128 << 10;
/// The longest prompt, in bytes. A template may name the tools again and again.
pub(super) const PROMPT_BYTES_MAX: usize = 4 << 20;

/// The placeholder for the lines of the toolbox.
pub(super) const ALL_TOOLS: &str = "<<all_tools>>";

/// A template lacks a placeholder, or a template or prompt is too long.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PromptError {
    /// A template without a place for what a model has to read.
    #[error("the prompt template has no {placeholder}, where {meaning} goes")]
    NoPlace {
        /// The placeholder.
        placeholder: &'static str,
        /// The text that replaces it.
        meaning: &'static str,
    },
    /// A template that is too long.
    #[error("the prompt template has more than {PROMPT_TEMPLATE_BYTES_MAX} bytes")]
    LongTemplate,
    /// A prompt that is too long.
    #[error("the prompt would have more than {PROMPT_BYTES_MAX} bytes")]
    LongPrompt,
}

/// A text that has all of its placeholders.
#[derive(Debug, Clone)]
pub(super) struct Template(String);

impl Template {
    pub(super) fn new(
        text: String,
        places: &[(&'static str, &'static str)],
    ) -> Result<Self, PromptError> {
        if text.len() > PROMPT_TEMPLATE_BYTES_MAX {
            return Err(PromptError::LongTemplate);
        }
        match places.iter().find(|(name, _)| !text.contains(name)) {
            Some((placeholder, meaning)) => Err(PromptError::NoPlace {
                placeholder,
                meaning,
            }),
            None => Ok(Self(text)),
        }
    }

    /// Fills every placeholder once: inserted text is never read as a template.
    pub(super) fn fill(&self, values: &[(&str, &str)]) -> Result<String, PromptError> {
        let (mut filled, mut rest) = (String::new(), self.0.as_str());
        while let Some(at) = rest.find("<<") {
            let place = values.iter().find(|(name, _)| rest[at..].starts_with(name));
            let (literal, value, after) = match place {
                Some((name, value)) => (&rest[..at], *value, at + name.len()),
                None => (&rest[..=at], "", at + 1),
            };
            append(&mut filled, &[literal, value])?;
            rest = &rest[after..];
        }
        append(&mut filled, &[rest])?;
        Ok(filled)
    }
}

/// Adds `parts` to a prompt, unless it becomes too long.
pub(super) fn append(prompt: &mut String, parts: &[&str]) -> Result<(), PromptError> {
    for part in parts {
        if part.len() > PROMPT_BYTES_MAX - prompt.len() {
            return Err(PromptError::LongPrompt);
        }
        prompt.push_str(part);
    }
    Ok(())
}
