//! Shows a server's command or address without what may be a secret in it.

use std::path::Path;

use url::Url;

use super::configured_server::{LocalCommand, RemoteAddress};
use super::launcher::{Launcher, launcher};

/// The text that is shown in place of a word that may be a secret.
const COVERED: &str = "…";
/// The longest word that is shown though nothing is known of it, such as `stdio`.
const PLAIN_BYTES_MAX: usize = 12;
/// The words after which another one is read that says nothing secret.
const HARMLESS: [&str; 8] = [
    "-y",
    "--yes",
    "-m",
    "-q",
    "--quiet",
    "--from",
    "-p",
    "--package",
];

/// Parts of the names of options whose values are secrets.
const SECRETS: [&str; 9] = [
    "token", "key", "secret", "pass", "auth", "header", "bearer", "cred", "cookie",
];
/// The beginnings of well-known kinds of keys.
const KEYS: [&str; 9] = [
    "sk-",
    "pk-",
    "ghp_",
    "github_pat_",
    "glpat-",
    "xox",
    "AKIA",
    "eyJ",
    "Bearer ",
];
/// The shortest word of letters and digits that is taken for a key.
const KEY_BYTES_MIN: usize = 20;

/// `command` with every word covered that is no option, package, file or short plain word, and
/// without its variables.
pub(crate) fn shown_command(command: &LocalCommand) -> String {
    let (launched, own) = launcher(command);
    let begins = command.args.len() - own.len();
    let mut shown = vec![program(&command.program)];
    let mut before = "-y";
    for (at, word) in command.args.iter().enumerate() {
        let is_of_launcher = at < begins && launched != Launcher::Program;
        shown.push(match is_of_launcher && !word.contains("://") {
            true => word.clone(),
            false => argument(word, before),
        });
        before = word;
    }
    shown.join(" ")
}

/// True if a word of `command` looks like a secret, or stands where one is expected.
pub(crate) fn may_hold_a_secret(command: &LocalCommand) -> bool {
    let mut before = "";
    command.args.iter().any(|word| {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, value),
            None => (before, word.as_str()),
        };
        let named = option.to_ascii_lowercase();
        let is_expected =
            SECRETS.iter().any(|name| named.contains(name)) && !value.starts_with('-');
        before = if word.starts_with('-') { word } else { "" };
        // The query of an address has a `=` of its own.
        is_expected || is_like_a_secret(value) || word.contains("://") && is_like_a_secret(word)
    })
}

/// True if the path of an address looks like a key, or a query may have one.
pub(crate) fn url_may_hold_a_secret(url: &Url) -> bool {
    let mut parts = url.path_segments().into_iter().flatten();
    url.query().is_some() || parts.any(is_like_a_secret)
}

/// True for the forms of keys, for addresses with a user or a query, and for long words in which
/// letters and digits are mixed.
fn is_like_a_secret(word: &str) -> bool {
    if is_path(word) {
        return false;
    }
    if let Ok(url) = word.parse::<Url>()
        && url.has_host()
    {
        return !url.username().is_empty() || url.password().is_some() || url.query().is_some();
    }
    let has = |is: fn(char) -> bool| word.chars().any(is);
    let is_mixed = has(|c| c.is_ascii_digit()) && has(|c| c.is_ascii_alphabetic());
    let is_package = word.contains("==") || word.rfind('@').is_some_and(|at| at > 0);
    KEYS.iter().any(|beginning| word.starts_with(beginning))
        || is_mixed && word.len() >= KEY_BYTES_MIN && !word.contains(['/', ' ']) && !is_package
}

/// The origin of `remote`: paths, queries and headers may hold keys.
pub(crate) fn shown_address(remote: &RemoteAddress) -> String {
    let origin = remote.url.origin().ascii_serialization();
    match (remote.url.path(), remote.url.query()) {
        ("" | "/", None) => origin,
        _ => format!("{origin}/{COVERED}"),
    }
}

/// A program by the name that people know it by. A path with spaces may be a whole command line.
fn program(text: &str) -> String {
    match text.contains(char::is_whitespace) && !Path::new(text).exists() {
        true => COVERED.to_owned(),
        false => text.to_owned(),
    }
}

fn argument(word: &str, before: &str) -> String {
    let is_option = |word: &str| {
        let name = word.trim_start_matches('-');
        word.starts_with('-')
            && !name.is_empty()
            && (word.starts_with("--") || name.len() == 1)
            && name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c == '-' || c == '_')
    };
    if let Some((option, value)) = word.split_once('=')
        && is_option(option)
    {
        return format!("{option}={}", if is_path(value) { value } else { COVERED });
    }
    if is_option(word) || is_path(word) {
        return word.to_owned();
    }
    // Whatever follows an option may be its value.
    let may_be_a_value = before.starts_with('-') && !HARMLESS.contains(&before);
    let is_plain = word.len() <= PLAIN_BYTES_MAX && word.chars().all(|c| c.is_ascii_lowercase());
    match is_plain && !may_be_a_value {
        true => word.to_owned(),
        false => COVERED.to_owned(),
    }
}

/// True for a path that is there: no secret is.
fn is_path(text: &str) -> bool {
    text.starts_with(['/', '~', '.']) && Path::new(text).exists()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[track_caller]
    fn check(line: &str, expect: &str) {
        let mut words = line.split(' ').map(str::to_owned);
        let command = LocalCommand {
            program: words.next().unwrap(),
            args: words.collect(),
            env: BTreeMap::new(),
            directory: None,
        };
        assert_eq!(shown_command(&command), expect);
    }

    #[test]
    fn what_may_be_a_secret_is_covered() {
        check("npx -y @a/b /etc", "npx -y @a/b /etc");
        check("npx -y @a/b /absent", "npx -y @a/b …");
        check("uvx a@1.0 stdio", "uvx a@1.0 stdio");
        check("uvx a --token hunter", "uvx a --token …");
        check("uvx a --token=hunter", "uvx a --token=…");
        check("uvx a --root=/etc", "uvx a --root=/etc");
        check("uvx a sk-123456", "uvx a …");
        check("uvx a -phunter", "uvx a …");
        check("uvx a KEY=hunter", "uvx a …");
        check("uvx a https://u:p@h/x", "uvx a …");
        check("npx mcp-remote https://a.example/key", "npx mcp-remote …");
        check("uvx --from git+https://u:hunter@h/x a", "uvx --from … a");
        check("docker run -e KEY=hunter img", "docker run -e … img");
        check("/opt/server hunterhunter2", "/opt/server …");
        check("python -m a_b", "python -m a_b");
    }

    #[track_caller]
    fn check_secret(line: &str, expect: bool) {
        let args = line.split(' ').map(str::to_owned).collect();
        let command = LocalCommand {
            program: "uvx".to_owned(),
            args,
            env: BTreeMap::new(),
            directory: None,
        };
        assert_eq!(may_hold_a_secret(&command), expect, "{line}");
    }

    #[test]
    fn what_looks_like_a_secret_is_known() {
        for line in [
            "a --token hunter",
            "a --api-key=hunter",
            "a --header X-Hunter",
            "a sk-hunter",
            "a postgresql://u:hunter@h/db",
            "a https://h/?k=hunter",
            "a 0123456789abcdefghij",
        ] {
            check_secret(line, true);
        }
        for line in [
            "mcp-server-time --local-timezone=Europe/Berlin",
            "-y @modelcontextprotocol/server-filesystem2026 /etc",
            "a --keyless --port 8080",
            "mcp-server-with-a-long-name==2026.7.10 stdio",
            "a https://h/path",
        ] {
            check_secret(line, false);
        }
    }

    #[test]
    fn an_address_is_shown_without_its_path() {
        let shown = |url: &str| {
            let headers = BTreeMap::from([("X".to_owned(), "hunter".to_owned())]);
            let url = url.parse().unwrap();
            shown_address(&RemoteAddress { url, headers })
        };
        let secret = |url: &str| url_may_hold_a_secret(&url.parse().unwrap());
        assert!(secret("https://a.example/mcp?a=b"));
        assert!(secret("https://a.example/0123456789abcdefghij/mcp"));
        assert!(!secret("https://a.example/v1/mcp"));
        assert_eq!(shown("https://u:hunter@a.example/"), "https://a.example");
        assert_eq!(shown("https://a.example/hunter"), "https://a.example/…");
        assert_eq!(shown("https://a.example?key=hunter"), "https://a.example/…");
    }
}
