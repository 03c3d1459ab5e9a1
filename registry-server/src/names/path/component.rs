//! Checks of a single path component, including names that mean something else on another system.
//!
//! Checking out a repository writes these names to a disk. Windows opens a device for `nul.txt` and
//! a hidden stream for `a:b`, and drops dots and spaces at the end of a name; macOS ignores some
//! characters when it compares names. So a file that is harmless here could become
//! `.git/hooks/post-checkout` there.

/// The longest component in bytes, which is the limit of most file systems.
const COMPONENT_BYTES_MAX: usize = 255;

/// The reason why a path is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PathFault {
    #[error("it has more than {bytes_max} bytes")]
    Long { bytes_max: usize },
    #[error("it has more than {depth_max} levels")]
    Deep { depth_max: usize },
    #[error("each component must have 1 to {max} bytes and not be `.` or `..`", max = COMPONENT_BYTES_MAX)]
    Part,
    #[error("backslashes and control characters are not allowed")]
    Character,
    #[error("a colon names a drive or a hidden stream on Windows; write the name without it")]
    Colon,
    #[error("Windows drops dots and spaces at the end of a name; write the name without them")]
    Trailing,
    #[error(
        "`con`, `nul`, `com1` and the like are devices on Windows, whatever follows the first dot"
    )]
    Device,
    #[error("the name is `.git`, or some file systems treat it as `.git`")]
    Git,
    #[error("percent-encoded separators, dots and control characters are not allowed")]
    Encoded,
    #[error(
        "invisible characters and characters that change the direction of text are not allowed"
    )]
    Invisible,
}

/// The checks for every stored name.
pub(super) fn check_structure(name: &str) -> Result<(), PathFault> {
    if name.is_empty() || name.len() > COMPONENT_BYTES_MAX || name == "." || name == ".." {
        return Err(PathFault::Part);
    }
    if name.contains(|c: char| c == '\\' || c.is_control()) {
        return Err(PathFault::Character);
    }
    if name.eq_ignore_ascii_case(".git") {
        return Err(PathFault::Git);
    }
    Ok(())
}

/// The further checks for a new name, which has to name the same file on every system.
pub(super) fn check_portable(name: &str) -> Result<(), PathFault> {
    let faults = [
        (is_git(name), PathFault::Git),
        (name.contains(':'), PathFault::Colon),
        (is_device(name), PathFault::Device),
        (name.ends_with(['.', ' ']), PathFault::Trailing),
        (hides_structure(name), PathFault::Encoded),
        (name.contains(is_deceptive), PathFault::Invisible),
    ];
    match faults.into_iter().find(|(found, _)| *found) {
        Some((_, fault)) => Err(fault),
        None => Ok(()),
    }
}

/// True if some file system may treat the name as `.git`: HFS+ ignores invisible characters; NTFS
/// drops dots, spaces and stream names at the end, and has the short name `git~1`.
fn is_git(name: &str) -> bool {
    let seen: String = name.chars().filter(|c| !is_ignorable(*c)).collect();
    let seen = seen.to_ascii_lowercase();
    let seen = seen.split(':').next().unwrap_or_default();
    let seen = seen.trim_end_matches(['.', ' ']);
    let short = seen.strip_prefix("git~");
    seen == ".git"
        || short
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// True for characters that HFS+ ignores when it compares names, and a few other invisible ones.
/// They are not refused as such, because some languages need them inside of words.
fn is_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    )
}

/// True if Windows opens a device for the name.
fn is_device(name: &str) -> bool {
    let base = name.split(['.', ':']).next().unwrap_or_default();
    let base = base.trim_end_matches(' ').to_ascii_lowercase();
    if matches!(
        base.as_str(),
        "con" | "prn" | "aux" | "nul" | "conin$" | "conout$"
    ) {
        return true;
    }
    let port = base
        .strip_prefix("com")
        .or_else(|| base.strip_prefix("lpt"));
    // Windows counts the superscripts as digits here.
    let digit = |c: char| matches!(c, '0'..='9' | '¹' | '²' | '³');
    port.is_some_and(|port| port.chars().count() == 1 && port.contains(digit))
}

/// True if the name, percent-decoded any number of times, reveals a separator, a dot or a control
/// character. `100%.txt` and `a%20b` do not.
fn hides_structure(name: &str) -> bool {
    name.split('%').skip(1).any(|after| {
        let mut after = after;
        while let Some(rest) = after.strip_prefix("25") {
            after = rest;
        }
        let code = after
            .get(..2)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        code.is_some_and(|code| matches!(code, b'/' | b'\\' | b'.') || code.is_ascii_control())
    })
}

/// True for characters that change the direction of text, so that `txt.exe` is shown as `exe.txt`,
/// for line separators, and for invisible tag characters.
fn is_deceptive(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &[&str], expect: Result<(), PathFault>) {
        for name in names {
            let found = check_structure(name).and_then(|()| check_portable(name));
            assert_eq!(found, expect, "{name:?}");
        }
    }

    #[test]
    fn names_that_are_the_same_everywhere() {
        check(
            &[
                "a.txt",
                "ünïcode näme.txt",
                "模型 (1).safetensors",
                "می\u{200c}خواهم.txt",
                "👩\u{200d}🔬.png",
                ".gitattributes",
                ".gitignore",
                ".gitmodules",
                ".github",
                "git",
                "git~x",
                "x.git",
                "100%.txt",
                "a%20b",
                "50%off",
                "%",
                "%2",
                "console",
                "com",
                "com10",
                "communications.md",
                "null",
                "auxiliary.rs",
                "...a",
                " a",
                "a..b",
                "[a]*?\"<>|&;$'#@!~`",
            ],
            Ok(()),
        );
    }

    #[test]
    fn names_that_are_not() {
        check(
            &[
                ".git",
                ".GIT",
                ".git ",
                ".git.",
                ".git. . ",
                ".Git::$INDEX_ALLOCATION",
                "git~1",
                "GIT~12",
                "git~1.",
                ".g\u{200c}it",
                "\u{feff}.git",
                ".gi\u{206f}T",
                ".git\u{200b}",
                ".g\u{ad}it",
            ],
            Err(PathFault::Git),
        );
        check(
            &["a:b", "C:", "C:x", "x.txt:$DATA", ":"],
            Err(PathFault::Colon),
        );
        check(&["a.", "a ", "...", "a. ."], Err(PathFault::Trailing));
        check(
            &[
                "con",
                "CON",
                "nul.txt",
                "Aux.tar.gz",
                "com1",
                "LPT9.x",
                "com¹",
                "lpt³.txt",
                "con .txt",
                "conin$",
                "CONOUT$.a",
                "prn.",
            ],
            Err(PathFault::Device),
        );
        check(
            &[
                "..%2fx", "%2e%2e", "%2E", "a%5cb", "%252f", "%25252e", "a%00", "a%0a", "%7f",
                "x%2F",
            ],
            Err(PathFault::Encoded),
        );
        check(
            &[
                "a\u{202e}txt.exe",
                "\u{2066}a",
                "a\u{200f}",
                "a\u{61c}b",
                "a\u{2028}b",
                "a\u{e0061}",
                "x\u{feff}",
            ],
            Err(PathFault::Invisible),
        );
        check(&["a\\b", "a\tb", "a\u{85}"], Err(PathFault::Character));
        check(&["", ".", ".."], Err(PathFault::Part));
    }
}
