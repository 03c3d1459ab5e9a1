//! The component `notes`: hands the exported functions of `wit/world.wit` to [`notebook`].

pub mod name;
pub mod notebook;

mod failure;
mod prompts_and_resources;

use std::path::Path;

use bindings::exports::demo::notes::notebook::{
    Guest, Note, NoteEntry, Reply, SearchHit, WriteMode,
};
use bindings::tool_hub::tool::types::{Content, ContentBody, Failure, FailureKind, ResourceLink};
use name::Name;
use notebook::{Entry, Mode, Notebook};

#[allow(
    missing_docs,
    unsafe_code,
    unreachable_pub,
    reason = "generated from wit/world.wit, where the documentation is"
)]
mod bindings {
    wit_bindgen::generate!({
        path: "wit",
        world: "demo:notes/notes",
        generate_all,
    });
    use super::Notes;
    export!(Notes);
}

/// The path of the granted directory in the component.
const DIRECTORY: &str = "/notes";
const HITS_DEFAULT: u32 = 20;
const HITS_MAX: u32 = 500;

/// The exports of the component.
struct Notes;

impl Guest for Notes {
    fn write_note(name: String, text: String, mode: Option<WriteMode>) -> Result<Reply, Failure> {
        let (notebook, name) = find(&name)?;
        let mode = match mode {
            None | Some(WriteMode::Create) => Mode::Create,
            Some(WriteMode::Replace) => Mode::Replace,
            Some(WriteMode::Append) => Mode::Append,
        };
        let bytes = notebook
            .write(&name, &text, mode)
            .map_err(|fault| failure::describe(fault, Some(&notebook)))?;
        Ok(Reply {
            content: vec![
                part(ContentBody::Text(format!("Saved `{name}`, {bytes} bytes."))),
                part(ContentBody::Link(link(&name, bytes))),
            ],
            structured: Some(format!(r#"{{"name":"{name}","bytes":{bytes}}}"#)),
            next: Some(format!(
                "Read it back with `read_note` and the name `{name}`."
            )),
        })
    }

    fn read_note(name: String) -> Result<Note, Failure> {
        let (notebook, name) = find(&name)?;
        let (text, entry) = notebook
            .read(&name)
            .map_err(|fault| failure::describe(fault, Some(&notebook)))?;
        Ok(Note {
            name: name.to_string(),
            text,
            bytes: entry.bytes,
            modified: modified(&entry),
        })
    }

    fn list_notes(prefix: Option<String>) -> Result<Vec<NoteEntry>, Failure> {
        let listed = open()?
            .list(prefix.as_deref().unwrap_or_default())
            .map_err(|fault| failure::describe(fault, None))?;
        Ok(listed
            .into_iter()
            .map(|entry| NoteEntry {
                name: entry.name.to_string(),
                bytes: entry.bytes,
                modified: modified(&entry),
            })
            .collect())
    }

    fn search_notes(query: String, limit: Option<u32>) -> Result<Vec<SearchHit>, Failure> {
        if query.trim().is_empty() {
            return Err(failure::failure(
                FailureKind::InvalidArgument,
                "`query` holds no word",
                "pass at least one word, or call `list_notes` for all notes",
                Some("query"),
            ));
        }
        let limit = limit.unwrap_or(HITS_DEFAULT);
        if !(1..=HITS_MAX).contains(&limit) {
            return Err(failure::failure(
                FailureKind::InvalidArgument,
                format!("`limit` is {limit}"),
                format!("use 1 to {HITS_MAX}"),
                Some("limit"),
            ));
        }
        let hits = open()?
            .search(&query, limit as usize)
            .map_err(|fault| failure::describe(fault, None))?;
        Ok(hits
            .into_iter()
            .map(|hit| SearchHit {
                name: hit.name.to_string(),
                line: hit.line,
                text: hit.text,
            })
            .collect())
    }

    fn delete_note(name: String) -> Result<Reply, Failure> {
        let (notebook, name) = find(&name)?;
        let first = notebook
            .delete(&name)
            .map_err(|fault| failure::describe(fault, Some(&notebook)))?;
        Ok(Reply {
            content: vec![part(ContentBody::Text(format!(
                "Deleted `{name}`, which began: {first}"
            )))],
            structured: Some(format!(r#"{{"name":"{name}","deleted":true}}"#)),
            next: Some("Call `list_notes` for the notes that are left.".to_owned()),
        })
    }
}

pub(crate) fn open() -> Result<Notebook, Failure> {
    Notebook::open(Path::new(DIRECTORY)).map_err(|fault| failure::describe(fault, None))
}

fn find(written: &str) -> Result<(Notebook, Name), Failure> {
    let name = Name::parse(written).ok_or_else(|| failure::bad_name("name", written))?;
    Ok((open()?, name))
}

pub(crate) fn part(body: ContentBody) -> Content {
    Content {
        body,
        annotations: None,
    }
}

pub(crate) fn modified(entry: &Entry) -> String {
    humantime::format_rfc3339_seconds(entry.modified).to_string()
}

fn link(name: &Name, bytes: u64) -> ResourceLink {
    ResourceLink {
        uri: name.uri(),
        name: name.to_string(),
        title: None,
        description: None,
        media_type: Some("text/markdown".to_owned()),
        size: Some(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_names_are_answered_with_a_better_one() {
        let failure = Notes::read_note("My Notes.md".to_owned()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::InvalidArgument);
        assert_eq!(failure.argument.as_deref(), Some("name"));
        assert!(failure.fix.unwrap().starts_with("use `my-notes`;"));
    }

    #[test]
    fn without_the_directory_calls_say_what_to_grant() {
        let failure = Notes::list_notes(None).unwrap_err();
        assert_eq!(failure.kind, FailureKind::PermissionDenied);
        assert!(failure.fix.unwrap().contains("directory named `notes`"));
    }

    #[test]
    fn searches_want_words_and_limits() {
        let argument = |query: &str, limit| {
            let failure = Notes::search_notes(query.to_owned(), limit).unwrap_err();
            failure.argument.unwrap()
        };
        assert_eq!(argument("  ", None), "query");
        assert_eq!(argument("milk", Some(0)), "limit");
        assert_eq!(argument("milk", Some(501)), "limit");
    }
}
