//! The choice of a few operations from an OpenAPI document: by tag, by name and by words.

use thiserror::Error;

use super::listing::tags;
use super::name::function_name;
use super::operation::ApiOperation;
use super::text;

/// The most operations that are chosen without being named one by one.
pub const CHOSEN_MAX: usize = 24;
/// The most operations that may be named.
const NAMED_MAX: usize = 100;
/// The most operations that a search finds.
const FOUND_MAX: usize = 12;
/// The most words of a search, and letters of a text, that count.
const WORDS_MAX: usize = 16;
const TEXT_CHARACTERS_MAX: usize = 2_000;
/// The longest summary of an operation in a list.
const SUMMARY_CHARACTERS_MAX: usize = 100;

/// The operations that are wanted. Without any of these it is all of them, if they are few.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// Those with one of these tags.
    pub tags: Vec<String>,
    /// Those with these names: `operationId`, the function's name, or method and path.
    pub operations: Vec<String>,
    /// Those that words of a person describe, among those with the tags where there are any.
    pub search: Option<String>,
}

/// Nothing, or too much, is chosen.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// More operations match than one tool should have.
    #[error("{count} operations match, and a tool has at most {CHOSEN_MAX} unless each is named")]
    TooMany {
        /// The number of operations.
        count: usize,
        /// Their tags, with the number of operations that have each, the most frequent first.
        tags: Vec<(String, usize)>,
        /// The name and the summary of each.
        operations: Vec<(String, String)>,
    },
    /// More operations are named than one tool may have.
    #[error("{count} operations are named, and a tool has at most {NAMED_MAX}")]
    TooManyNamed {
        /// The number of names.
        count: usize,
    },
    /// There is no operation with this tag.
    #[error("no operation has the tag `{tag}`")]
    NoTag {
        /// The tag.
        tag: String,
        /// The tags that there are, with the number of operations that have each.
        tags: Vec<(String, usize)>,
    },
    /// There is no operation of this name.
    #[error("there is no operation `{name}`")]
    NoOperation {
        /// The name.
        name: String,
        /// The names that are most like it.
        similar: Vec<String>,
    },
    /// All that match are deprecated.
    #[error("the API asks to use none of the operations that match: all are deprecated")]
    Deprecated,
    /// No operation has one of the words.
    #[error("no operation matches `{search}`")]
    NoMatch {
        /// The search.
        search: String,
        /// The tags that there are, with the number of operations that have each.
        tags: Vec<(String, usize)>,
    },
}

impl Choice {
    /// The chosen operations: those that only read first, else in the order of the document, or of
    /// the search. Deprecated ones are chosen only by name.
    ///
    /// # Errors
    /// The kinds of [`ChoiceError`].
    pub fn of<'a>(
        &self,
        operations: &[ApiOperation<'a>],
    ) -> Result<Vec<ApiOperation<'a>>, ChoiceError> {
        let mut chosen = self.named(operations)?;
        if self.operations.is_empty() || !self.tags.is_empty() || self.search.is_some() {
            let matching = self.matching(operations)?;
            if matching.len() > CHOSEN_MAX {
                return Err(ChoiceError::TooMany {
                    count: matching.len(),
                    tags: tags(&matching),
                    operations: matching.iter().map(listed).collect(),
                });
            }
            for operation in matching {
                if !chosen.contains(&operation) {
                    chosen.push(operation);
                }
            }
        }
        if chosen.is_empty() {
            return Err(ChoiceError::Deprecated);
        }
        chosen.sort_by_key(|operation| !operation.is_read_only());
        Ok(chosen)
    }

    fn named<'a>(
        &self,
        operations: &[ApiOperation<'a>],
    ) -> Result<Vec<ApiOperation<'a>>, ChoiceError> {
        if self.operations.len() > NAMED_MAX {
            return Err(ChoiceError::TooManyNamed {
                count: self.operations.len(),
            });
        }
        let mut chosen = Vec::new();
        for name in &self.operations {
            let found = operations.iter().find(|operation| {
                operation.id() == Some(name.trim())
                    || is_place(operation, name)
                    || function_name(operation) == *name
            });
            match found {
                Some(operation) if chosen.contains(operation) => {}
                Some(operation) => chosen.push(*operation),
                None => {
                    return Err(ChoiceError::NoOperation {
                        name: name.clone(),
                        similar: similar(operations, name),
                    });
                }
            }
        }
        Ok(chosen)
    }

    fn matching<'a>(
        &self,
        operations: &[ApiOperation<'a>],
    ) -> Result<Vec<ApiOperation<'a>>, ChoiceError> {
        for tag in &self.tags {
            if !operations
                .iter()
                .any(|it| it.tags().iter().any(|known| is_tag(known, tag)))
            {
                return Err(ChoiceError::NoTag {
                    tag: tag.clone(),
                    tags: tags(operations),
                });
            }
        }
        let is_tagged = |operation: &&ApiOperation<'_>| {
            let known = operation.tags();
            self.tags.is_empty()
                || self
                    .tags
                    .iter()
                    .any(|tag| known.iter().any(|known| is_tag(known, tag)))
        };
        let current = operations
            .iter()
            .filter(|operation| !operation.is_deprecated());
        let tagged: Vec<ApiOperation<'_>> = current.filter(is_tagged).copied().collect();
        let Some(search) = &self.search else {
            return Ok(tagged);
        };
        let found = found(&tagged, search);
        match found.is_empty() {
            false => Ok(found),
            true => Err(ChoiceError::NoMatch {
                search: search.clone(),
                tags: tags(operations),
            }),
        }
    }
}

fn is_tag(known: &str, tag: &str) -> bool {
    known.trim().eq_ignore_ascii_case(tag.trim())
}

/// True if `name` is the operation's method and path, with any white space between them.
fn is_place(operation: &ApiOperation<'_>, name: &str) -> bool {
    name.split_once(char::is_whitespace)
        .is_some_and(|(method, path)| {
            method.eq_ignore_ascii_case(operation.method) && path.trim() == operation.path
        })
}

fn listed(operation: &ApiOperation<'_>) -> (String, String) {
    let (summary, _) = text::plain(operation.summary(), SUMMARY_CHARACTERS_MAX);
    (operation.shown(), summary)
}

/// The names of operations that are most like `name`.
fn similar(operations: &[ApiOperation<'_>], name: &str) -> Vec<String> {
    let mut scored: Vec<(f64, String)> = operations
        .iter()
        .map(ApiOperation::shown)
        .map(|known| (strsim::jaro_winkler(&known, name), known))
        .filter(|(score, _)| *score > 0.8)
        .collect();
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    scored.into_iter().take(3).map(|(_, known)| known).collect()
}

/// The operations that have the most of the words, those first that have them in the more telling
/// texts and few other words there, and the shorter paths before the longer ones.
fn found<'a>(operations: &[ApiOperation<'a>], search: &str) -> Vec<ApiOperation<'a>> {
    let wanted: Vec<String> = words(search).into_iter().take(WORDS_MAX).collect();
    let scored: Vec<(usize, u32, ApiOperation<'a>)> = operations
        .iter()
        .map(|operation| {
            let weights = weights(operation, &wanted);
            let matched = weights.iter().filter(|weight| **weight > 0).count();
            (matched, weights.iter().sum(), *operation)
        })
        .collect();
    let most = scored
        .iter()
        .map(|(matched, ..)| *matched)
        .max()
        .unwrap_or_default();
    let mut best: Vec<_> = scored
        .into_iter()
        .filter(|(matched, ..)| *matched == most && most > 0)
        .collect();
    best.sort_by_cached_key(|(_, weight, operation)| {
        let said = format!(
            "{} {}",
            operation.id().unwrap_or_default(),
            operation.summary()
        );
        let others = words(&said)
            .into_iter()
            .filter(|word| !wanted.contains(word));
        (
            std::cmp::Reverse(*weight),
            others.count(),
            operation.path.matches('/').count(),
        )
    });
    // What has the words in passing is not what is sought, where others have them in their names.
    let least = best.first().map_or(0, |(_, weight, _)| weight / 2);
    best.into_iter()
        .filter(|(_, weight, _)| *weight >= least)
        .take(FOUND_MAX)
        .map(|(.., operation)| operation)
        .collect()
}

/// The weight of the most telling text that has each word.
fn weights(operation: &ApiOperation<'_>, wanted: &[String]) -> Vec<u32> {
    let texts = [
        (8, operation.id().unwrap_or_default().to_owned()),
        (8, operation.summary().to_owned()),
        (6, verbs(operation.method).to_owned()),
        (5, operation.path.to_owned()),
        (4, operation.tags().join(" ")),
        (1, operation.text("description").to_owned()),
    ];
    let mut found = vec![0; wanted.len()];
    for (weight, text) in texts {
        let text: String = text.chars().take(TEXT_CHARACTERS_MAX).collect();
        let words = words(&text);
        for (best, word) in found.iter_mut().zip(wanted) {
            if words.contains(word) {
                *best = weight.max(*best);
            }
        }
    }
    found
}

/// Words that people use for what a method does.
fn verbs(method: &str) -> &'static str {
    match method {
        "GET" | "HEAD" => "get read list show find fetch",
        "POST" => "create add new send",
        "PUT" | "PATCH" => "update change edit set replace",
        "DELETE" => "delete remove",
        _ => "",
    }
}

/// The words of a text in small letters, without the endings of plurals.
fn words(text: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(text.len());
    let mut after_small = false;
    for character in text.chars() {
        if character.is_uppercase() && after_small {
            spaced.push(' ');
        }
        after_small = character.is_lowercase();
        spaced.extend(character.to_lowercase());
    }
    spaced
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| match word.strip_suffix('s') {
            Some(one) if one.len() > 2 && !one.ends_with('s') => one.to_owned(),
            _ => word.to_owned(),
        })
        .collect()
}
