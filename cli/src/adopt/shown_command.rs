//! Shows a server's command or address without what may be a secret in it.

use std::path::Path;

use super::configured_server::{LocalCommand, RemoteAddress};
use super::launcher::{Launcher, launcher};

/// What stands in place of a word that may be a secret.
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

    #[test]
    fn an_address_is_shown_without_its_path() {
        let shown = |url: &str| {
            let headers = BTreeMap::from([("X".to_owned(), "hunter".to_owned())]);
            let url = url.parse().unwrap();
            shown_address(&RemoteAddress { url, headers })
        };
        assert_eq!(shown("https://u:hunter@a.example/"), "https://a.example");
        assert_eq!(shown("https://a.example/hunter"), "https://a.example/…");
        assert_eq!(shown("https://a.example?key=hunter"), "https://a.example/…");
    }
}
