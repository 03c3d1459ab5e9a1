//! The `ServerAddress`: the command that starts an MCP server, or the URL that one is reached at.

use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::loopback::is_this_machine;
use crate::origin::Origin;

/// The most words of a command.
const WORDS_MAX: usize = 256;
/// The most bytes of a command or a URL.
const BYTES_MAX: usize = 32 << 10;

/// The place that a server is had from. `toolbox.toml` has it as `mcp`: a list of words for a
/// command, one text for a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "AddressText", into = "AddressText")]
pub enum ServerAddress {
    /// A command of this machine, which speaks on standard input and output.
    Command(ServerCommand),
    /// A service elsewhere, which speaks streamable HTTP.
    Remote(ServerUrl),
}

/// A command of at least one word, none of which holds a character of control.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCommand(Vec<String>);

/// A URL of `https`, or of `http` on this machine, without a user and without a fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerUrl(Url);

/// A text or a list is not the address of a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// There is no program.
    #[error("the command of the server is missing")]
    Empty,
    /// The command or URL is too long.
    #[error("the address of the server has more than {max} {what}")]
    TooLong {
        /// The unit that was counted.
        what: &'static str,
        /// The most that there may be.
        max: usize,
    },
    /// A word cannot be shown as it is.
    #[error("the word `{word}` of the command holds a character of control")]
    Control {
        /// The word, escaped.
        word: String,
    },
    /// The URL is none.
    #[error("`{text}` is not the URL of a server: {reason}")]
    NotAUrl {
        /// The text, escaped.
        text: String,
        /// The reason.
        reason: &'static str,
    },
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum AddressText {
    Command(Vec<String>),
    Remote(String),
}

impl ServerCommand {
    /// The command of these words.
    ///
    /// # Errors
    /// When there is none, or one cannot be shown as it is.
    pub fn new(words: Vec<String>) -> Result<Self, AddressError> {
        if words.first().is_none_or(|program| program.is_empty()) {
            return Err(AddressError::Empty);
        }
        let too_long = |what, max| Err(AddressError::TooLong { what, max });
        if words.len() > WORDS_MAX {
            return too_long("words", WORDS_MAX);
        }
        if words.iter().map(String::len).sum::<usize>() > BYTES_MAX {
            return too_long("bytes", BYTES_MAX);
        }
        match words.iter().find(|word| word.contains(char::is_control)) {
            Some(word) => Err(AddressError::Control {
                word: escaped(word),
            }),
            None => Ok(Self(words)),
        }
    }

    /// The program and its arguments.
    pub fn words(&self) -> &[String] {
        &self.0
    }

    /// The program.
    pub fn program(&self) -> &str {
        &self.0[0]
    }

    /// The arguments after the program.
    pub fn arguments(&self) -> &[String] {
        &self.0[1..]
    }
}

impl ServerUrl {
    /// The server at `text`.
    ///
    /// # Errors
    /// When it is no URL, or one that no server is reached at.
    pub fn new(text: &str) -> Result<Self, AddressError> {
        let refused = |reason| AddressError::NotAUrl {
            text: escaped(text),
            reason,
        };
        if text.len() > BYTES_MAX {
            return Err(AddressError::TooLong {
                what: "bytes",
                max: BYTES_MAX,
            });
        }
        let url: Url = text.parse().map_err(|_| refused("it is not a URL"))?;
        let is_local = is_this_machine(&url);
        match url.scheme() {
            "https" => {}
            "http" if is_local => {}
            "http" => return Err(refused("http is for this machine only; use https")),
            _ => return Err(refused("it is neither https nor http")),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("it holds a user or a password; use a credential"));
        }
        if url.fragment().is_some() {
            return Err(refused("it has a fragment"));
        }
        match origin_of(&url) {
            Some(_) => Ok(Self(url)),
            None => Err(refused("its origin cannot be granted")),
        }
    }

    /// The URL.
    pub fn url(&self) -> &Url {
        &self.0
    }

    /// The origin that requests go to.
    pub fn origin(&self) -> Origin {
        origin_of(&self.0).expect("a server's URL has an origin")
    }
}

fn origin_of(url: &Url) -> Option<Origin> {
    url.origin().ascii_serialization().parse().ok()
}

/// The beginning of a stranger's text for an error.
fn escaped(text: &str) -> String {
    text.chars()
        .take(120)
        .flat_map(char::escape_debug)
        .collect()
}

impl fmt::Display for ServerAddress {
    /// As the command line takes it: `mcp:npx -y package`, or `mcp+https://host/path`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => {
                let words: Vec<String> = command.0.iter().map(|word| quoted(word)).collect();
                write!(f, "mcp:{}", words.join(" "))
            }
            Self::Remote(url) => write!(f, "mcp+{}", url.0),
        }
    }
}

/// `word` as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@=+,%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

impl TryFrom<AddressText> for ServerAddress {
    type Error = AddressError;

    fn try_from(text: AddressText) -> Result<Self, AddressError> {
        Ok(match text {
            AddressText::Command(words) => Self::Command(ServerCommand::new(words)?),
            AddressText::Remote(text) => Self::Remote(ServerUrl::new(&text)?),
        })
    }
}

impl From<ServerAddress> for AddressText {
    fn from(address: ServerAddress) -> Self {
        match address {
            ServerAddress::Command(command) => Self::Command(command.0),
            ServerAddress::Remote(url) => Self::Remote(url.0.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_words_that_can_be_shown() {
        let words = |words: &[&str]| {
            ServerCommand::new(words.iter().map(|word| (*word).to_owned()).collect())
        };
        assert_eq!(words(&[]), Err(AddressError::Empty));
        assert_eq!(words(&[""]), Err(AddressError::Empty));
        assert!(words(&["a", "b\nc"]).is_err());
        let command = words(&["npx", "-y", "a b", "it's"]).unwrap();
        let shown = ServerAddress::Command(command).to_string();
        assert_eq!(shown, r"mcp:npx -y 'a b' 'it'\''s'");
    }

    #[test]
    fn remote_servers_are_reached_over_tls_or_on_this_machine() {
        for text in [
            "https://mcp.example/mcp",
            "http://localhost:3000/mcp",
            "http://127.0.0.1/",
            "http://[::1]:9/x",
        ] {
            assert!(ServerUrl::new(text).is_ok(), "{text}");
        }
        for text in [
            "http://mcp.example/mcp",
            "ftp://localhost/",
            "https://me:secret@mcp.example/",
            "https://mcp.example/#a",
            "mcp.example",
        ] {
            assert!(ServerUrl::new(text).is_err(), "{text}");
        }
    }
}
