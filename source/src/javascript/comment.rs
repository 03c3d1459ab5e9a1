//! Parses JSDoc comments into a description, parameters, a result and a type definition.

use tree_sitter::Node;

use crate::syntax::text_of;

/// The parts of a comment.
#[derive(Debug, Default)]
pub(super) struct Comment {
    pub(super) description: String,
    /// `@param` and `@property`, in order. A member of another one is `name.member`.
    params: Vec<Param>,
    /// `@returns`, without a name.
    pub(super) returns: Option<Param>,
    /// `@typedef`
    pub(super) typedef: Option<Param>,
}

/// A name with its type and what is said of it.
#[derive(Debug, Clone)]
pub(super) struct Param {
    pub(super) name: String,
    /// The type between braces.
    pub(super) of: Option<String>,
    pub(super) text: String,
    pub(super) is_optional: bool,
}

impl Comment {
    /// The comment that stands right before `statement`.
    pub(super) fn before(statement: Node<'_>, text: &str) -> Option<Self> {
        let previous = statement.prev_named_sibling()?;
        let is_comment = previous.kind() == "comment";
        is_comment.then(|| Self::parse(text_of(previous, text)))?
    }

    /// The comment with its slashes and stars, if it is one that documents.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let inner = text.strip_prefix("/**")?.strip_suffix("*/")?;
        let mut comment = Self::default();
        let (mut tag, mut words) = (String::new(), String::new());
        for line in inner.lines() {
            let line = line.trim();
            let line = line.strip_prefix('*').unwrap_or(line);
            let content = line.trim_start();
            if let Some(rest) = content.strip_prefix('@') {
                comment.add(&tag, &words);
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                tag = rest[..end].to_owned();
                words = rest[end..].to_owned();
            } else {
                words.push('\n');
                words.push_str(line.strip_prefix(' ').unwrap_or(line));
            }
        }
        comment.add(&tag, &words);
        Some(comment)
    }

    /// The description of the parameter `name`.
    pub(super) fn param(&self, name: &str) -> Option<&Param> {
        self.params.iter().find(|param| param.name == name)
    }

    /// The parameters that are no members of others.
    pub(super) fn roots(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|param| !param.name.contains('.'))
    }

    /// The members of the parameter `name`, by their own names.
    pub(super) fn members_of(&self, name: &str) -> Vec<Param> {
        let members = self.params.iter().filter_map(|param| {
            let member = param.name.strip_prefix(name)?.strip_prefix('.')?;
            Some(Param {
                name: member.to_owned(),
                ..param.clone()
            })
        });
        members.collect()
    }

    /// All that a type's definition names.
    pub(super) fn members(&self) -> &[Param] {
        &self.params
    }

    fn add(&mut self, tag: &str, words: &str) {
        match tag {
            "" => self.description = words.trim().to_owned(),
            "description" | "desc" if self.description.is_empty() => {
                self.description = words.trim().to_owned();
            }
            "param" | "arg" | "argument" | "property" | "prop" => {
                self.params.extend(Param::named(words));
            }
            "returns" | "return" => {
                let (of, text) = braced(words);
                self.returns = Some(Param {
                    name: String::new(),
                    of,
                    text: one_line(text.trim_start().trim_start_matches("- ")),
                    is_optional: false,
                });
            }
            "typedef" => self.typedef = Param::named(words),
            _ => {}
        }
    }
}

impl Param {
    /// `{type} [name=default] - text`
    fn named(words: &str) -> Option<Self> {
        let (of, rest) = braced(words);
        let rest = rest.trim_start();
        let (name, rest, is_bracketed) = match rest.strip_prefix('[') {
            Some(inner) => {
                let end = inner.find(']')?;
                let name = inner[..end].split('=').next()?;
                (name.trim(), &inner[end + 1..], true)
            }
            None => {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                (&rest[..end], &rest[end..], false)
            }
        };
        let is_optional = is_bracketed || of.as_ref().is_some_and(|of| of.ends_with('='));
        let text = one_line(rest);
        let text = text.strip_prefix("- ").unwrap_or(&text);
        (!name.is_empty()).then(|| Self {
            name: name.to_owned(),
            of,
            text: text.to_owned(),
            is_optional,
        })
    }
}

/// The type between braces that a text begins with, and the rest.
fn braced(words: &str) -> (Option<String>, &str) {
    let words = words.trim_start();
    if !words.starts_with('{') {
        return (None, words);
    }
    let mut depth = 0_usize;
    for (at, character) in words.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let inner = words[1..at].trim();
            return (Some(inner.to_owned()), &words[at + 1..]);
        }
    }
    (None, words)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
