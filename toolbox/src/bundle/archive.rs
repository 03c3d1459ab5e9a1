//! The `BundleArchive`: the zip of a bundle, whose members are the index and what it names.
//! A stranger made it: what it says of sizes is not believed, and nothing is ever unpacked to disk.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Cursor, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use serde::de::DeserializeOwned;
use tool_hub_agent::characters::escape_line;
use tool_hub_manifest::{Digest, Hasher};
use zip::read::{ArchiveOffset, Config};
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use super::error::BundleError;
use super::index::{BundleIndex, INDEX, member};
use crate::error::Error;
use crate::files;

/// The largest bundle.
const FILE_BYTES_MAX: u64 = 512 << 20;
/// The most bytes of all members.
const MEMBERS_BYTES_MAX: u64 = 1 << 30;
/// The most members: up to ten files of each tool, and more for advisories.
const MEMBERS_MAX: usize = 1000;
/// The most bytes of the zip's directory, with the names of all members.
const DIRECTORY_BYTES_MAX: u32 = 1 << 20;
/// The record that ends a zip, and the entries of its directory before it, begin like this.
const END: [u8; 4] = *b"PK\x05\x06";
const ENTRY: [u8; 4] = *b"PK\x01\x02";
const END_BYTES: u64 = 22;
/// The largest index.
const INDEX_BYTES_MAX: u64 = 1 << 20;
/// The most times its size that a large member may unpack to. Components unpack to ten times.
const DENSITY_MAX: u64 = 200;
/// The size up to which it may be any number of times.
const DENSE_BYTES_MAX: u64 = 1 << 20;

/// The open archive of a bundle. Every member was hashed, and is again whenever it is read.
#[derive(Debug)]
pub(crate) struct BundleArchive {
    zip: ZipArchive<File>,
}

/// Writes the archive of `index` with the files that it names. The same content gives the same
/// bytes.
pub(crate) fn write(
    index: &BundleIndex,
    files: &BTreeMap<Digest, Vec<u8>>,
) -> Result<Vec<u8>, BundleError> {
    let text = toml_edit::ser::to_string_pretty(index).map_err(|error| BundleError::Index {
        reason: error.to_string(),
    })?;
    let total: u64 = files.values().map(|bytes| bytes.len() as u64).sum();
    if total + text.len() as u64 > MEMBERS_BYTES_MAX || files.len() >= MEMBERS_MAX {
        let max = MEMBERS_BYTES_MAX;
        let of = "bytes of files";
        return Err(BundleError::TooMuch { max, of });
    }
    let written = || -> Result<Vec<u8>, ZipError> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644);
        zip.start_file(INDEX, options)?;
        zip.write_all(text.as_bytes())?;
        for (digest, bytes) in files {
            zip.start_file(member(*digest), options)?;
            zip.write_all(bytes)?;
        }
        Ok(zip.finish()?.into_inner())
    };
    written().map_err(broken)
}

impl BundleArchive {
    /// Opens the bundle at `path`, as [`open`](Self::open).
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Bundle`].
    pub(crate) fn open_at(path: &Path) -> Result<(Self, BundleIndex), Error> {
        let file = files::open_to_read(path).map_err(files::unreadable(path))?;
        Self::open(file).map_err(unusable(path))
    }

    /// Reads the index, and hashes every member. There have to be those that the index names, and
    /// no others.
    fn open(mut file: File) -> Result<(Self, BundleIndex), BundleError> {
        let size = file.metadata().map_err(unread)?.len();
        if size > FILE_BYTES_MAX {
            let (max, of) = (FILE_BYTES_MAX, "bytes");
            return Err(BundleError::TooMuch { max, of });
        }
        check_directory(&mut file, size)?;
        let archive_offset = ArchiveOffset::Known(0);
        let mut zip = ZipArchive::with_config(Config { archive_offset }, file).map_err(broken)?;
        zip.validate_header_consistency().map_err(broken)?;
        let mut archive = Self { zip };
        let index = archive.bytes(INDEX, INDEX_BYTES_MAX)?;
        let index = String::from_utf8(index).map_err(|_| BundleError::Index {
            reason: "it is not UTF-8".to_owned(),
        })?;
        let index = BundleIndex::parse(&index)?;
        archive.check_members(&index)?;
        Ok((archive, index))
    }

    fn check_members(&mut self, index: &BundleIndex) -> Result<(), BundleError> {
        let expected = index.members();
        let there: BTreeSet<Vec<u8>> = self.zip.file_names_raw().map(<[u8]>::to_vec).collect();
        let is_expected = |name: &[u8]| {
            let name = str::from_utf8(name);
            name.is_ok_and(|name| name == INDEX || expected.contains_key(name))
        };
        if let Some(other) = there.iter().find(|name| !is_expected(name)) {
            let member: String = String::from_utf8_lossy(other).chars().take(200).collect();
            let member = escape_line(&member);
            return Err(BundleError::Unexpected { member });
        }
        let mut left = MEMBERS_BYTES_MAX;
        for (name, digest) in &expected {
            let (actual, bytes) = self.hashed(name, left)?;
            if actual != *digest {
                let member = name.clone();
                return Err(BundleError::Changed { member, actual });
            }
            left -= bytes;
        }
        Ok(())
    }

    /// The digest of a member, and its size.
    fn hashed(&mut self, name: &str, bytes_max: u64) -> Result<(Digest, u64), BundleError> {
        let mut hasher = Hasher::new();
        let mut size = 0;
        self.each_part(name, |part| {
            size += part.len() as u64;
            hasher.update(part);
            size <= bytes_max
        })?;
        if size > bytes_max {
            let (max, of) = (MEMBERS_BYTES_MAX, "bytes of files");
            return Err(BundleError::TooMuch { max, of });
        }
        Ok((hasher.finish(), size))
    }

    /// The bytes of the file with `digest`.
    pub(crate) fn read(&mut self, digest: Digest, bytes_max: u64) -> Result<Vec<u8>, BundleError> {
        let member = member(digest);
        let bytes = self.bytes(&member, bytes_max)?;
        match Digest::of(&bytes) {
            actual if actual == digest => Ok(bytes),
            actual => Err(BundleError::Changed { member, actual }),
        }
    }

    /// The JSON in the file with `digest`.
    pub(crate) fn json<T: DeserializeOwned>(
        &mut self,
        digest: Digest,
        bytes_max: u64,
    ) -> Result<T, BundleError> {
        let bytes = self.read(digest, bytes_max)?;
        serde_json::from_slice(&bytes).map_err(|error| BundleError::Unreadable {
            member: member(digest),
            reason: error.to_string(),
        })
    }

    fn bytes(&mut self, name: &str, bytes_max: u64) -> Result<Vec<u8>, BundleError> {
        let mut bytes = Vec::new();
        self.each_part(name, |part| {
            bytes.extend_from_slice(part);
            bytes.len() as u64 <= bytes_max
        })?;
        if bytes.len() as u64 > bytes_max {
            let (max, of) = (bytes_max, "bytes in a file of its kind");
            return Err(BundleError::TooMuch { max, of });
        }
        Ok(bytes)
    }

    /// Unpacks a member for `take`, part by part, as long as that returns true.
    fn each_part(
        &mut self,
        name: &str,
        mut take: impl FnMut(&[u8]) -> bool,
    ) -> Result<(), BundleError> {
        let mut entry = match self.zip.by_name(name) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => {
                let member = name.to_owned();
                return Err(BundleError::Missing { member });
            }
            Err(error) => return Err(broken(error)),
        };
        let most = entry.compressed_size().saturating_mul(DENSITY_MAX);
        let most = most.max(DENSE_BYTES_MAX);
        let (mut part, mut size) = (vec![0; 64 << 10], 0);
        loop {
            let read = entry
                .read(&mut part)
                .map_err(|error| unpacked(name, &error))?;
            size += read as u64;
            if size > most {
                return Err(BundleError::TooDense {
                    member: name.to_owned(),
                    max: DENSITY_MAX,
                });
            }
            if read == 0 || !take(&part[..read]) {
                return Ok(());
            }
        }
    }
}

/// The error of the bundle at `path`.
pub(super) fn unusable(path: &Path) -> impl Fn(BundleError) -> Error + use<> {
    let path = path.to_owned();
    move |source| Error::Bundle {
        path: path.clone(),
        source: Box::new(source),
    }
}

/// Refuses a zip of more members than a bundle has before any of them is read. The library takes
/// the numbers from the record at the end, or from an earlier one if that is of another directory:
/// so it has to be of the bytes right before it.
fn check_directory(file: &mut File, size: u64) -> Result<(), BundleError> {
    let no_end = || BundleError::NotABundle {
        reason: "it does not end as a zip of a bundle does".to_owned(),
    };
    let at = size.checked_sub(END_BYTES).ok_or_else(no_end)?;
    let (mut end, mut entry) = ([0; END_BYTES as usize], [0; 4]);
    let mut read = |at: u64, bytes: &mut [u8]| -> io::Result<()> {
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(bytes)
    };
    read(at, &mut end).map_err(unread)?;
    let short = |at: usize| u16::from_le_bytes([end[at], end[at + 1]]);
    let long = |at: usize| u32::from_le_bytes([end[at], end[at + 1], end[at + 2], end[at + 3]]);
    let (disks, members, comment) = ([short(4), short(6)], [short(8), short(10)], short(20));
    let (directory_bytes, directory_at) = (long(12), long(16));
    if end[..4] != END || disks != [0, 0] || comment != 0 {
        return Err(no_end());
    }
    // A zip of more than 65,535 members says so here as well.
    for (found, max, of) in [
        (u64::from(members[1]), MEMBERS_MAX as u64, "members"),
        (
            u64::from(directory_bytes),
            u64::from(DIRECTORY_BYTES_MAX),
            "bytes of names",
        ),
    ] {
        if found > max {
            return Err(BundleError::TooMuch { max, of });
        }
    }
    let is_before = u64::from(directory_at) + u64::from(directory_bytes) == at;
    if members[0] != members[1] || !is_before {
        return Err(no_end());
    }
    read(directory_at.into(), &mut entry).map_err(unread)?;
    match entry == ENTRY {
        true => Ok(()),
        false => Err(no_end()),
    }
}

/// The error of a member whose bytes do not unpack, or have another checksum than it says.
fn unpacked(member: &str, error: &io::Error) -> BundleError {
    BundleError::Unreadable {
        member: member.to_owned(),
        reason: error.to_string(),
    }
}

fn broken(error: ZipError) -> BundleError {
    BundleError::NotABundle {
        reason: error.to_string(),
    }
}

fn unread(error: io::Error) -> BundleError {
    BundleError::NotABundle {
        reason: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that ends in a record of these members, whose directory has this place and size.
    fn opened(before: &[u8], members: u16, at: u32, bytes: u32) -> String {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(before).unwrap();
        file.write_all(b"PK\x05\x06\0\0\0\0").unwrap();
        for count in [members; 2] {
            file.write_all(&count.to_le_bytes()).unwrap();
        }
        for number in [bytes, at] {
            file.write_all(&number.to_le_bytes()).unwrap();
        }
        file.write_all(&[0; 2]).unwrap();
        BundleArchive::open(file).unwrap_err().to_string()
    }

    /// Before the directory is read, which may be as long as the file.
    #[test]
    fn members_are_counted_before_they_are_read() {
        let expect = "it has more than 1000 members, the limit";
        for members in [1001, u16::MAX] {
            assert_eq!(opened(b"", members, 0, 0), expect);
        }
        let long = DIRECTORY_BYTES_MAX + 1;
        let expect = "it has more than 1048576 bytes of names, the limit";
        assert_eq!(opened(b"", 1, 0, long), expect);
    }

    /// The library would look for another record that does.
    #[test]
    fn the_last_record_has_to_be_of_the_bytes_before_it() {
        let expect = "it does not end as a zip of a bundle does";
        let entry = [&ENTRY[..], &[0; 42]].concat();
        for (at, bytes) in [(0, 45), (1, 46), (46, 46), (u32::MAX, 46)] {
            let said = opened(&entry, 1, at, bytes);
            assert!(said.ends_with(expect), "{at}, {bytes}: {said}");
        }
        let said = opened(&[0; 46], 1, 0, 46);
        assert!(said.ends_with(expect), "{said}");
        let mut commented = tempfile::tempfile().unwrap();
        let end = [
            &entry[..],
            b"PK\x05\x06\0\0\0\0\x01\0\x01\0\x2e\0\0\0\0\0\0\0\x01\0x",
        ];
        commented.write_all(&end.concat()).unwrap();
        let said = BundleArchive::open(commented).unwrap_err().to_string();
        assert!(said.ends_with(expect), "{said}");
    }
}
