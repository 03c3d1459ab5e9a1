//! A bundle taken apart, so that tests can change it and write it anew.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Cursor, Read as _, Write as _};
use std::path::{Path, PathBuf};

use tool_hub_manifest::Digest;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// The index of a bundle and its other members, by their names.
#[derive(Clone)]
pub(crate) struct Opened {
    pub(crate) index: String,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

impl Opened {
    pub(crate) fn read(path: &Path) -> Self {
        let mut zip = ZipArchive::new(File::open(path).expect("a bundle")).expect("a zip");
        let mut files = BTreeMap::new();
        for place in 0..zip.len() {
            let mut entry = zip.by_index(place).expect("a member");
            let name = entry.name().expect("a name").into_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("bytes");
            files.insert(name, bytes);
        }
        let index = files.remove("bundle.toml").expect("an index");
        let index = String::from_utf8(index).expect("text");
        Self { index, files }
    }

    /// Replaces the file that holds `piece` by what `edit` makes of it, and its digest in the
    /// index, as whoever makes a bundle of their own can.
    pub(crate) fn forge(&mut self, piece: &str, edit: impl Fn(&str) -> String) {
        let holds = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(piece);
        let (name, bytes) = self.files.iter().find(|it| holds(it.1)).expect("a file");
        let (name, text) = (
            name.clone(),
            String::from_utf8(bytes.clone()).expect("text"),
        );
        let forged = edit(&text).into_bytes();
        assert_ne!(forged, bytes[..], "{text}");
        let digest = Digest::of(&forged).hex();
        let before = name.strip_prefix("files/").expect("a file");
        self.index = self.index.replace(before, &digest);
        self.files.remove(&name);
        self.files.insert(format!("files/{digest}"), forged);
    }

    /// Replaces `from` in the index.
    pub(crate) fn edit(&mut self, from: &str, to: &str) {
        assert!(self.index.contains(from), "{from} in {}", self.index);
        self.index = self.index.replace(from, to);
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let files = self.files.iter().map(|(name, bytes)| (&**name, &bytes[..]));
        for (name, bytes) in [("bundle.toml", self.index.as_bytes())]
            .into_iter()
            .chain(files)
        {
            zip.start_file(name, SimpleFileOptions::default())
                .expect("a member");
            zip.write_all(bytes).expect("bytes");
        }
        zip.finish().expect("a zip").into_inner()
    }

    pub(crate) fn write(&self, path: &Path) -> PathBuf {
        fs::write(path, self.bytes()).expect("a bundle");
        path.to_owned()
    }
}
