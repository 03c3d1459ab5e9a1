//! Turns what goes wrong with notes into failures that an agent can mend.

use crate::bindings::tool_hub::tool::types::{Failure, FailureKind};
use crate::name::Name;
use crate::notebook::{Fault, NOTE_BYTES_MAX, Notebook};

/// The failure for an invalid name `written`.
pub(crate) fn bad_name(argument: &str, written: &str) -> Failure {
    let rule = "`a-z`, `0-9`, `-` and `_`, beginning with a letter or digit, at most 64 characters";
    let fix = match Name::suggest(written) {
        Some(name) => format!("use `{name}`; names are {rule}"),
        None => format!("use a name of {rule}"),
    };
    failure(
        FailureKind::InvalidArgument,
        format!("`{written}` is not the name of a note"),
        fix,
        Some(argument),
    )
}

/// The failure for an agent; the notebook is asked for notes with a similar name.
pub(crate) fn describe(fault: Fault, notebook: Option<&Notebook>) -> Failure {
    match fault {
        Fault::NotGranted => failure(
            FailureKind::PermissionDenied,
            "the directory `notes` is not granted to this tool",
            "ask the user to grant the tool a directory named `notes` with read and write access",
            None,
        ),
        Fault::ReadOnly => failure(
            FailureKind::PermissionDenied,
            "the directory `notes` may only be read",
            "ask the user to grant write access, or only read notes",
            None,
        ),
        Fault::NotFound(name) => not_found(&name, notebook),
        Fault::Exists(name) => failure(
            FailureKind::Conflict,
            format!("there is a note `{name}` already"),
            "read it first; then pass `mode` `append` or `replace`, or choose another name",
            Some("name"),
        ),
        Fault::TooLarge(name) => failure(
            FailureKind::LimitReached,
            format!("the note `{name}` would hold, or holds, more than {NOTE_BYTES_MAX} bytes"),
            "split the text over several notes",
            Some("text"),
        ),
        Fault::NotText(name) => failure(
            FailureKind::Conflict,
            format!("the file of the note `{name}` is not UTF-8 text; another program wrote it"),
            "replace it with `write_note` and `mode` `replace`, or delete it",
            Some("name"),
        ),
        Fault::Io(act, error) => Failure {
            retryable: true,
            ..failure(
                FailureKind::Unavailable,
                format!("cannot {act}: {error}"),
                "try again later; if it goes on, ask the user to look at the granted directory",
                None,
            )
        },
    }
}

/// A failure of kind `kind`.
pub(crate) fn failure(
    kind: FailureKind,
    message: impl Into<String>,
    fix: impl Into<String>,
    argument: Option<&str>,
) -> Failure {
    Failure {
        kind,
        message: message.into(),
        fix: Some(fix.into()),
        argument: argument.map(str::to_owned),
        retryable: false,
    }
}

fn not_found(name: &Name, notebook: Option<&Notebook>) -> Failure {
    let beginning: String = name.as_str().chars().take(3).collect();
    let near: Vec<String> = notebook
        .and_then(|notebook| notebook.list(&beginning).ok())
        .unwrap_or_default()
        .into_iter()
        .take(5)
        .map(|entry| format!("`{}`", entry.name))
        .collect();
    let fix = if near.is_empty() {
        "call `list_notes` for the names there are".to_owned()
    } else {
        format!(
            "did you mean {}? `list_notes` gives every name",
            near.join(", ")
        )
    };
    failure(
        FailureKind::NotFound,
        format!("there is no note `{name}`"),
        fix,
        Some("name"),
    )
}
