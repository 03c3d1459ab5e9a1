//! Takes files of advisories apart: one advisory, an array of them, or a zip archive of files.

use std::io::{Cursor, Read as _};

use serde_json::value::RawValue;
use zip::ZipArchive;

use super::advisory::Advisory;
use super::error::{AdvisoryError, Fault};
use super::osv;
use crate::bundle::index::INDEX;

/// The largest file, archive or array that is read.
pub(crate) const FILE_BYTES_MAX: u64 = 32 << 20;
/// The largest single advisory.
pub(crate) const ADVISORY_BYTES_MAX: u64 = 1 << 20;
/// The most files of an archive, a directory or a data set.
pub(crate) const FILES_MAX: usize = 20_000;
/// The most bytes of all advisories of a source.
pub(crate) const SOURCE_BYTES_MAX: u64 = 256 << 20;
/// The most advisories against tools that one source may have.
pub(crate) const ADVISORIES_MAX: usize = 5_000;
/// The most faults that are kept of a source; the others are counted.
const FAULTS_MAX: usize = 20;

/// All that was read of a source so far.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) advisories: Vec<Advisory>,
    /// The first faults.
    pub(crate) faults: Vec<Fault>,
    /// The number of all advisories with faults.
    pub(crate) faulty: usize,
    bytes: u64,
}

impl Collected {
    /// The advisories in `file`, which were read already.
    pub(crate) fn of_read(file: &str, advisories: Vec<Advisory>) -> Result<Self, AdvisoryError> {
        match advisories.len() > ADVISORIES_MAX {
            true => Err(too_much(file, ADVISORIES_MAX as u64, "advisories of tools")),
            false => Ok(Self {
                advisories,
                ..Self::default()
            }),
        }
    }

    /// Reads one file: an advisory, an array of advisories, or an archive of such files.
    pub(crate) fn add_file(&mut self, file: &str, bytes: &[u8]) -> Result<(), AdvisoryError> {
        if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
            return self.add_archive(file, bytes);
        }
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let is_array = text.trim_ascii_start().starts_with(b"[");
        if !is_array {
            return self.add(file, text);
        }
        let items: Vec<&RawValue> =
            serde_json::from_slice(text).map_err(|error| AdvisoryError::NotJson {
                file: file.to_owned(),
                reason: error.to_string(),
            })?;
        if items.len() > FILES_MAX {
            return Err(too_much(file, FILES_MAX as u64, "advisories"));
        }
        for (index, item) in items.into_iter().enumerate() {
            self.add(&format!("{file}[{index}]"), item.get().as_bytes())?;
        }
        Ok(())
    }

    /// Reads one advisory.
    fn add(&mut self, file: &str, json: &[u8]) -> Result<(), AdvisoryError> {
        self.bytes = self.bytes.saturating_add(json.len() as u64);
        if self.bytes > SOURCE_BYTES_MAX {
            return Err(too_much(file, SOURCE_BYTES_MAX, "bytes of advisories"));
        }
        if json.len() as u64 > ADVISORY_BYTES_MAX {
            let reason = format!("it has more than {ADVISORY_BYTES_MAX} bytes, the limit");
            self.add_faults([Fault::new(file, String::new(), reason)]);
            return Ok(());
        }
        let read = osv::read(file, json);
        self.advisories.extend(read.advisory);
        self.add_faults(read.faults);
        match self.advisories.len() > ADVISORIES_MAX {
            true => Err(too_much(file, ADVISORIES_MAX as u64, "advisories of tools")),
            false => Ok(()),
        }
    }

    /// Notes the faults of one advisory.
    fn add_faults(&mut self, faults: impl IntoIterator<Item = Fault>) {
        let mut faults = faults.into_iter().peekable();
        self.faulty += usize::from(faults.peek().is_some());
        let room = FAULTS_MAX - self.faults.len();
        self.faults.extend(faults.take(room));
    }

    fn add_archive(&mut self, file: &str, bytes: &[u8]) -> Result<(), AdvisoryError> {
        let broken = |error: zip::result::ZipError| AdvisoryError::NotAnArchive {
            file: file.to_owned(),
            reason: error.to_string(),
        };
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
        // A bundle's advisories have another form, and would not be found.
        if archive.index_for_name(INDEX).is_some() {
            let file = file.to_owned();
            return Err(AdvisoryError::ABundle { file });
        }
        if archive.len() > FILES_MAX {
            return Err(too_much(file, FILES_MAX as u64, "files"));
        }
        for index in 0..archive.len() {
            let entry = archive.by_index(index).map_err(broken)?;
            // An advisory has a name in UTF-8.
            let Ok(name) = entry.name() else { continue };
            if entry.is_dir() || !name.ends_with(".json") {
                continue;
            }
            let name = format!("{file}:{name}");
            // What the archive says of an entry's length is not believed.
            let mut json = Vec::new();
            let read = entry.take(ADVISORY_BYTES_MAX + 1).read_to_end(&mut json);
            match read {
                Ok(_) => self.add(&name, &json)?,
                Err(error) => self.add_faults([Fault::new(&name, String::new(), error)]),
            }
        }
        Ok(())
    }
}

fn too_much(file: &str, max: u64, of: &'static str) -> AdvisoryError {
    AdvisoryError::TooMuch {
        file: file.to_owned(),
        max,
        of,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn advisory(id: &str) -> String {
        format!(
            r#"{{"id":"{id}","modified":"2026-11-27T12:00:00Z","affected":[{{"package":
            {{"ecosystem":"tool-hub","name":"ada/notes"}},"versions":["1.0.0"]}}]}}"#
        )
    }

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            writer
                .start_file(*name, SimpleFileOptions::default())
                .unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn ids(bytes: &[u8]) -> (Vec<String>, Vec<String>) {
        let mut collected = Collected::default();
        collected.add_file("all", bytes).unwrap();
        let ids = collected.advisories.iter().map(|it| it.id.to_string());
        let faults = collected.faults.iter().map(ToString::to_string);
        (ids.collect(), faults.collect())
    }

    #[test]
    fn one_many_and_an_archive_are_read() {
        let one = advisory("A-1");
        assert_eq!(ids(one.as_bytes()).0, ["A-1"]);
        let many = format!(" [{}, {{\"id\":1}}, {}]", one, advisory("A-2"));
        let (found, faults) = ids(many.as_bytes());
        assert_eq!(found, ["A-1", "A-2"]);
        assert!(faults[0].starts_with("all[1] at /id: "), "{faults:?}");
        let zipped = archive(&[
            ("A-1.json", one.as_bytes()),
            ("README.md", b"not one"),
            ("../\u{1b}x.json", b"{"),
        ]);
        let (found, faults) = ids(&zipped);
        assert_eq!(found, ["A-1"]);
        assert!(
            faults[0].starts_with("all:../\\u{1b}x.json: EOF"),
            "{faults:?}"
        );
        assert_eq!(ids(&archive(&[])).0, [""; 0]);
    }

    #[test]
    fn a_bomb_is_not_unpacked() {
        let zeros = vec![b' '; (ADVISORY_BYTES_MAX + 1) as usize];
        let (found, faults) = ids(&archive(&[("A-1.json", &zeros)]));
        assert_eq!(found.len(), 0);
        assert!(faults[0].contains("more than 1048576 bytes"), "{faults:?}");
        // Of many such files reading stops at the limit for all.
        let files: Vec<String> = (0..300).map(|index| format!("{index}.json")).collect();
        let files: Vec<(&str, &[u8])> = files.iter().map(|it| (it.as_str(), &zeros[..])).collect();
        let bomb = archive(&files);
        assert!(bomb.len() < 1 << 20, "{}", bomb.len());
        let error = Collected::default().add_file("bomb", &bomb).unwrap_err();
        assert!(
            error.to_string().contains("268435456 bytes of advisories"),
            "{error}"
        );
        let names: Vec<String> = (0..=FILES_MAX).map(|index| index.to_string()).collect();
        let many: Vec<(&str, &[u8])> = names.iter().map(|it| (it.as_str(), &b""[..])).collect();
        let error = Collected::default()
            .add_file("many", &archive(&many))
            .unwrap_err();
        assert!(
            error.to_string().contains("more than 20000 files"),
            "{error}"
        );
    }

    #[test]
    fn what_is_no_archive_is_told() {
        let broken = Collected::default().add_file("all.zip", b"PK\x03\x04nothing");
        assert!(
            broken
                .unwrap_err()
                .to_string()
                .starts_with("all.zip is not a zip archive")
        );
        let html = ids(b"<html>").1;
        assert!(html[0].starts_with("all: expected value"), "{html:?}");
    }
}
