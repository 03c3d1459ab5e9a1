//! Writes, reads, lists, searches and deletes notes, which are files of one directory.

use std::fs::{self, File};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::name::Name;

/// The most bytes of one note.
pub const NOTE_BYTES_MAX: u64 = 1024 * 1024;
/// The most notes that are listed or searched.
pub const NOTES_MAX: usize = 1000;
const LINE_CHARACTERS_MAX: usize = 200;

/// The reason why something could not be done with a note.
#[derive(Debug)]
pub enum Fault {
    /// The directory is not there: it was not granted.
    NotGranted,
    /// The directory may only be read.
    ReadOnly,
    /// There is no such note.
    NotFound(Name),
    /// There is such a note already.
    Exists(Name),
    /// The note would be, or is, larger than allowed.
    TooLarge(Name),
    /// The file is not UTF-8.
    NotText(Name),
    /// Anything else that the file system says; the text names the failed act.
    Io(&'static str, io::Error),
}

/// The treatment of a note that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Fail.
    Create,
    /// Replace it.
    Replace,
    /// Add to it.
    Append,
}

/// A note without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: Name,
    /// Size in bytes.
    pub bytes: u64,
    /// The time of its last change.
    pub modified: SystemTime,
}

/// A line in which something was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchHit {
    /// The note.
    pub name: Name,
    /// The line, from 1.
    pub line: u32,
    /// The text of the line, cut.
    pub text: String,
}

/// The directory that holds the notes.
#[derive(Debug, Clone)]
pub struct Notebook {
    directory: PathBuf,
}

impl Notebook {
    /// Opens a directory that exists.
    ///
    /// # Errors
    /// [`Fault::NotGranted`] when it does not.
    pub fn open(directory: &Path) -> Result<Self, Fault> {
        match fs::metadata(directory) {
            Ok(metadata) if metadata.is_dir() => Ok(Self {
                directory: directory.to_owned(),
            }),
            _ => Err(Fault::NotGranted),
        }
    }

    /// Writes a note and returns its size in bytes.
    ///
    /// # Errors
    /// When the note exists and `mode` is [`Mode::Create`], would become too large, or the
    /// directory may only be read.
    pub fn write(&self, name: &Name, text: &str, mode: Mode) -> Result<u64, Fault> {
        let text = match mode {
            Mode::Append => match self.read(name) {
                Ok((old, _)) if old.is_empty() || old.ends_with('\n') => old + text,
                Ok((old, _)) => format!("{old}\n{text}"),
                Err(Fault::NotFound(_)) => text.to_owned(),
                Err(fault) => return Err(fault),
            },
            Mode::Create | Mode::Replace => text.to_owned(),
        };
        if text.len() as u64 > NOTE_BYTES_MAX {
            return Err(Fault::TooLarge(name.clone()));
        }
        let path = self.path(name);
        if mode == Mode::Create {
            let mut file = File::create_new(&path).map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => Fault::Exists(name.clone()),
                _ => writing(error),
            })?;
            file.write_all(text.as_bytes()).map_err(writing)?;
        } else {
            // A reader sees the old text or the new one, never half of it, and another call that
            // writes the note at the same time writes to a file of its own.
            let random = RandomState::new().hash_one(&path);
            let part = self.directory.join(format!(".{name}.{random:016x}.part"));
            let written = fs::write(&part, &text).and_then(|()| fs::rename(&part, &path));
            if written.is_err() {
                let _ = fs::remove_file(&part);
            }
            written.map_err(writing)?;
        }
        Ok(text.len() as u64)
    }

    /// Reads a note.
    ///
    /// # Errors
    /// When there is no such note, or it is too large or no text because another program wrote it.
    pub fn read(&self, name: &Name) -> Result<(String, Entry), Fault> {
        let path = self.path(name);
        let entry = entry(name.clone(), &path)?.ok_or_else(|| Fault::NotFound(name.clone()))?;
        if entry.bytes > NOTE_BYTES_MAX {
            return Err(Fault::TooLarge(name.clone()));
        }
        let bytes = fs::read(&path).map_err(|error| Fault::Io("read the note", error))?;
        let text = String::from_utf8(bytes).map_err(|_| Fault::NotText(name.clone()))?;
        Ok((text, entry))
    }

    /// Lists the notes whose names begin with `prefix`, by name, at most [`NOTES_MAX`].
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn list(&self, prefix: &str) -> Result<Vec<Entry>, Fault> {
        let listing = |error| Fault::Io("list the notes", error);
        let mut names = Vec::new();
        for file in fs::read_dir(&self.directory).map_err(listing)? {
            let file = file.map_err(listing)?.file_name();
            let name = file.to_str().and_then(Name::of_file);
            names.extend(name.filter(|name| name.as_str().starts_with(prefix)));
        }
        names.sort();
        let mut entries = Vec::new();
        for name in names {
            let path = self.path(&name);
            entries.extend(entry(name, &path)?);
            if entries.len() == NOTES_MAX {
                break;
            }
        }
        Ok(entries)
    }

    /// Finds lines that hold every word of `query`; notes that cannot be read are passed over.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn search(&self, query: &str, limit: usize) -> Result<Vec<SearchHit>, Fault> {
        let query = query.to_lowercase();
        let words: Vec<&str> = query.split_whitespace().collect();
        let mut hits = Vec::new();
        for entry in self.list("")? {
            let Ok((text, _)) = self.read(&entry.name) else {
                continue;
            };
            for (line, content) in (1..).zip(text.lines()) {
                let lower = content.to_lowercase();
                if words.iter().all(|word| lower.contains(word)) {
                    hits.push(SearchHit {
                        name: entry.name.clone(),
                        line,
                        text: cut(content),
                    });
                    if hits.len() == limit {
                        return Ok(hits);
                    }
                }
            }
        }
        Ok(hits)
    }

    /// Deletes a note and returns its first line.
    ///
    /// # Errors
    /// When there is no such note, or the directory may only be read.
    pub fn delete(&self, name: &Name) -> Result<String, Fault> {
        let first = match self.read(name) {
            Ok((text, _)) => cut(text.lines().next().unwrap_or_default()),
            Err(Fault::NotText(_) | Fault::TooLarge(_)) => String::new(),
            Err(fault) => return Err(fault),
        };
        fs::remove_file(self.path(name)).map_err(writing)?;
        Ok(first)
    }

    fn path(&self, name: &Name) -> PathBuf {
        self.directory.join(name.file())
    }
}

/// Nothing when there is no file; directories and links that others put there are no notes.
fn entry(name: Name, path: &Path) -> Result<Option<Entry>, Fault> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Fault::Io("look at the note", error)),
    };
    Ok(metadata.is_file().then(|| Entry {
        name,
        bytes: metadata.len(),
        modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
    }))
}

fn writing(error: io::Error) -> Fault {
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Fault::ReadOnly,
        _ => Fault::Io("write the note", error),
    }
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LINE_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notebook() -> (tempfile::TempDir, Notebook) {
        let directory = tempfile::tempdir().unwrap();
        let notebook = Notebook::open(directory.path()).unwrap();
        (directory, notebook)
    }

    fn name(written: &str) -> Name {
        Name::parse(written).unwrap()
    }

    #[test]
    fn one_note_is_written_by_several_at_once() {
        let (directory, notes) = notebook();
        let texts = ["bread", "milk", "eggs", "tea"];
        std::thread::scope(|scope| {
            for text in texts {
                let notes = &notes;
                scope.spawn(move || {
                    for _ in 0..200 {
                        notes.write(&name("a"), text, Mode::Replace).unwrap();
                    }
                });
            }
        });
        assert!(texts.contains(&notes.read(&name("a")).unwrap().0.as_str()));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn notes_are_written_read_and_deleted() {
        let (directory, notes) = notebook();
        assert_eq!(notes.write(&name("a"), "milk", Mode::Create).unwrap(), 4);
        let fault = notes.write(&name("a"), "x", Mode::Create).unwrap_err();
        assert!(matches!(fault, Fault::Exists(_)));
        assert_eq!(notes.write(&name("a"), "bread", Mode::Append).unwrap(), 10);
        assert_eq!(notes.read(&name("a")).unwrap().0, "milk\nbread");
        notes.write(&name("a"), "eggs\n", Mode::Replace).unwrap();
        notes.write(&name("a"), "tea", Mode::Append).unwrap();
        assert_eq!(notes.read(&name("a")).unwrap().0, "eggs\ntea");
        notes.write(&name("b"), "new", Mode::Append).unwrap();
        assert_eq!(notes.delete(&name("a")).unwrap(), "eggs");
        assert!(matches!(
            notes.read(&name("a")).unwrap_err(),
            Fault::NotFound(_)
        ));
        assert!(matches!(
            notes.delete(&name("a")).unwrap_err(),
            Fault::NotFound(_)
        ));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn lists_hold_notes_only() {
        let (directory, notes) = notebook();
        for written in ["b", "a-2", "a-1"] {
            notes.write(&name(written), written, Mode::Create).unwrap();
        }
        fs::write(directory.path().join("README.txt"), "x").unwrap();
        fs::write(directory.path().join("Upper.md"), "x").unwrap();
        fs::create_dir(directory.path().join("folder.md")).unwrap();
        let names = |prefix| -> Vec<String> {
            let listed = notes.list(prefix).unwrap();
            listed
                .into_iter()
                .map(|entry| entry.name.to_string())
                .collect()
        };
        assert_eq!(names(""), ["a-1", "a-2", "b"]);
        assert_eq!(names("a-"), ["a-1", "a-2"]);
        assert_eq!(names("z"), [""; 0]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_no_notes() {
        let (directory, notes) = notebook();
        std::os::unix::fs::symlink("/etc/hostname", directory.path().join("link.md")).unwrap();
        assert!(matches!(
            notes.read(&name("link")).unwrap_err(),
            Fault::NotFound(_)
        ));
        assert!(notes.list("").unwrap().is_empty());
    }

    #[track_caller]
    fn check_search(query: &str, limit: usize, expected: &[(&str, u32, &str)]) {
        let (_directory, notes) = notebook();
        notes
            .write(
                &name("home"),
                "Buy bread and MILK\n\nCall Éva",
                Mode::Create,
            )
            .unwrap();
        notes
            .write(&name("work"), "bread\nmilk", Mode::Create)
            .unwrap();
        let hits = notes.search(query, limit).unwrap();
        let hits: Vec<_> = hits
            .iter()
            .map(|hit| (hit.name.as_str(), hit.line, hit.text.as_str()))
            .collect();
        assert_eq!(hits, expected);
    }

    #[test]
    fn searches_want_every_word_on_one_line() {
        check_search("milk bread", 9, &[("home", 1, "Buy bread and MILK")]);
        check_search(
            "BREAD",
            9,
            &[("home", 1, "Buy bread and MILK"), ("work", 1, "bread")],
        );
        check_search("bread", 1, &[("home", 1, "Buy bread and MILK")]);
        check_search("éva", 9, &[("home", 3, "Call Éva")]);
        check_search("tea", 9, &[]);
    }

    #[test]
    fn limits_hold() {
        let (directory, notes) = notebook();
        let large = "x".repeat(NOTE_BYTES_MAX as usize);
        notes.write(&name("a"), &large, Mode::Create).unwrap();
        let fault = notes.write(&name("a"), "y", Mode::Append).unwrap_err();
        assert!(matches!(fault, Fault::TooLarge(_)));
        fs::write(directory.path().join("bytes.md"), [0xff, 0xfe]).unwrap();
        assert!(matches!(
            notes.read(&name("bytes")).unwrap_err(),
            Fault::NotText(_)
        ));
        assert_eq!(notes.search("x", 9).unwrap()[0].text.chars().count(), 201);
        assert!(matches!(
            Notebook::open(&directory.path().join("missing")).unwrap_err(),
            Fault::NotGranted
        ));
    }
}
