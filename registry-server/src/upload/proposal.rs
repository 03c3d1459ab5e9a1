//! Reads a commit body into the changes that it asks for; spools its files, short ones in memory.

use std::collections::HashMap;
use std::mem;

use axum::body::Body;
use http::StatusCode;
use serde::Deserialize;

use super::base64_stream::Base64Stream;
use super::scanner::{Event, Scanner};
use crate::content::{Batch, Sha256Digest, Spool, SpooledFile};
use crate::database::git_objects::{Blob, BlobForm};
use crate::database::keys::RepositoryKey;
use crate::database::uploads::UploadedFile;
use crate::git::{pointer_oid, read_pointer};
use crate::history::{Operation, Proposal};
use crate::http::{BodyReader, Refusal, Reservation};
use crate::names::{PathFault, RepositoryPath};
use crate::quota::Room;
use crate::registry::Registry;

/// A line of the body, without the content of files.
#[derive(Deserialize)]
#[serde(tag = "key", content = "value", rename_all = "camelCase")]
enum Line {
    Header(Header),
    File(FileLine),
    LfsFile(LfsLine),
    DeletedFile(PathLine),
    DeletedFolder(PathLine),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header {
    summary: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    parent_commit: Option<String>,
}

#[derive(Deserialize)]
struct FileLine {
    path: String,
    #[serde(default)]
    encoding: Option<String>,
}

/// Python leaves the size out when it copies a file.
#[derive(Deserialize)]
struct LfsLine {
    path: String,
    oid: String,
    #[serde(default)]
    size: Option<u64>,
}

#[derive(Deserialize)]
struct PathLine {
    path: String,
}

/// Bytes that a change takes until the commit is written: its path, its content's names and, for a
/// short file, the name of the temporary one.
const CHANGE_BYTES: usize = 384;

/// A commit body while it is read.
struct ProposalReader<'a> {
    registry: &'a Registry,
    /// The id of the repository the commit is for.
    repository: &'a RepositoryKey,
    room: Room,
    header: Option<Header>,
    changes: Vec<Change>,
    /// The memory for the changes.
    held: Reservation,
    files: Batch,
    spool: Option<(Spool, Base64Stream)>,
    decoded: Vec<u8>,
}

/// The change that a line of the body asks for.
enum Change {
    Operation(Operation),
    /// A file whose content was uploaded before, according to the client. All of these are looked
    /// up together.
    UploadedFile {
        path: RepositoryPath,
        sha256: Sha256Digest,
        size_bytes: Option<u64>,
    },
}

/// Reads a commit body to its end. The contents of its files are not in the store yet.
///
/// After a refusal the rest of the body is read and thrown away, because the clients write the
/// whole body before they listen.
pub(crate) async fn read_proposal(
    registry: &Registry,
    repository: &RepositoryKey,
    room: Room,
    body: Body,
) -> Result<Proposal, Refusal> {
    let limits = registry.limits();
    let mut reader = BodyReader::new(body, registry, limits.commit_bytes_max);
    let mut reading = ProposalReader {
        registry,
        repository,
        room,
        header: None,
        changes: Vec::new(),
        held: Reservation::default(),
        files: Batch::new(registry.content()),
        spool: None,
        decoded: Vec::new(),
    };
    let outcome = reading.run(&mut reader).await;
    if let Err(refusal) = outcome {
        // Frees files, memory and quota for others before the rest is read.
        drop(reading);
        reader.drain().await;
        return Err(refusal);
    }
    reading.finish().await
}

impl ProposalReader<'_> {
    async fn run(&mut self, reader: &mut BodyReader<'_>) -> Result<(), Refusal> {
        let mut scanner = Scanner::new(self.registry.limits().commit_line_bytes_max);
        let refuse = |error: super::scanner::ScanError| Refusal::bad_request(error.to_string());
        while let Some(piece) = reader.next().await? {
            let mut rest = piece.as_ref();
            while let Some(event) = scanner.next(&mut rest).map_err(refuse)? {
                self.take(event).await?;
            }
        }
        if let Some(event) = scanner.finish().map_err(refuse)? {
            self.take(event).await?;
        }
        Ok(())
    }

    async fn take(&mut self, event: Event<'_>) -> Result<(), Refusal> {
        match event {
            Event::Content(text) => self.take_content(text).await,
            Event::Line { json, has_content } => {
                let line: Line = serde_json::from_slice(&json).map_err(|error| {
                    Refusal::bad_request(format!("a line of the commit is not understood: {error}"))
                })?;
                self.take_line(line, has_content).await
            }
        }
    }

    async fn take_content(&mut self, text: &[u8]) -> Result<(), Refusal> {
        let limits = self.registry.limits();
        let (spool, base64) = self.spool.get_or_insert_with(|| {
            (
                self.registry.content().spool(limits.spool_memory_bytes_max),
                Base64Stream::default(),
            )
        });
        self.decoded.clear();
        base64
            .decode(text, &mut self.decoded)
            .map_err(|error| Refusal::bad_request(error.to_string()))?;
        if spool.size_bytes() + self.decoded.len() as u64 > limits.file_bytes_max {
            return Err(Refusal::too_large("a file", limits.file_bytes_max));
        }
        self.room.admit(self.decoded.len() as u64)?;
        Ok(spool.write(&self.decoded).await?)
    }

    async fn take_line(&mut self, line: Line, has_content: bool) -> Result<(), Refusal> {
        match line {
            Line::Header(header) => self.take_header(header)?,
            Line::File(file) => {
                let path = valid_path(&file.path)?;
                if !has_content
                    || file
                        .encoding
                        .as_deref()
                        .is_some_and(|encoding| encoding != "base64")
                {
                    return Err(Refusal::bad_request(format!(
                        "the file {path} has no content in base64"
                    )));
                }
                self.take_file(path).await?;
            }
            Line::LfsFile(file) => {
                let path = valid_path(&file.path)?;
                self.take_lfs_file(path, &file)?;
            }
            Line::DeletedFile(file) | Line::DeletedFolder(file) => {
                let text = file.path.trim_end_matches('/');
                let path = RepositoryPath::parse_stored(text).map_err(|it| bad_path(text, it))?;
                let change = Change::Operation(Operation::Remove { path });
                self.changes.push(change);
            }
        }
        if has_content && self.spool.is_some() {
            return Err(Refusal::bad_request("only a file has content"));
        }
        let operations_max = self.registry.limits().commit_operations_max;
        if self.changes.len() > operations_max {
            return Err(Refusal::bad_request(format!(
                "a commit may hold at most {operations_max} changes"
            )));
        }
        let bytes = self.changes.len() * CHANGE_BYTES;
        let memory = &self.registry.known().bodies;
        memory.hold(&mut self.held, bytes).await
    }

    async fn take_file(&mut self, path: RepositoryPath) -> Result<(), Refusal> {
        let spooled = self.end_file().await?;
        // A file with the text of an LFS pointer is committed as that LFS file. Kept as a text, it
        // would become another file as soon as its object arrives.
        if let Some((sha256, size_bytes)) = spooled.in_memory().and_then(read_pointer) {
            self.changes.push(Change::UploadedFile {
                path,
                sha256,
                size_bytes: Some(size_bytes),
            });
            return Ok(());
        }
        let blob = Blob {
            sha256: spooled.sha256,
            size_bytes: spooled.size_bytes,
            form: BlobForm::Plain,
        };
        self.changes.push(Change::Operation(Operation::Put {
            path,
            oid: spooled.oid,
            blob,
        }));
        Ok(self.files.add(spooled).await?)
    }

    fn take_header(&mut self, header: Header) -> Result<(), Refusal> {
        if self.header.is_some() || header.summary.trim().is_empty() {
            return Err(Refusal::bad_request(
                "a commit has exactly one header with a summary",
            ));
        }
        let length = header.summary.len() + header.description.as_ref().map_or(0, String::len);
        if length > self.registry.limits().commit_message_bytes_max || header.summary.contains('\0')
        {
            return Err(Refusal::bad_request(
                "the commit message is too long or holds a zero byte",
            ));
        }
        self.header = Some(header);
        Ok(())
    }

    /// Takes a file whose content this repository was given before, over LFS or in another commit.
    fn take_lfs_file(&mut self, path: RepositoryPath, file: &LfsLine) -> Result<(), Refusal> {
        let Some(sha256) = Sha256Digest::from_hex(&file.oid) else {
            return Err(unprocessable(format!(
                "the LFS object of {path} has no sha256 in lower-case hexadecimal"
            )));
        };
        self.changes.push(Change::UploadedFile {
            path,
            sha256,
            size_bytes: file.size,
        });
        Ok(())
    }

    async fn end_file(&mut self) -> Result<SpooledFile, Refusal> {
        let limits = self.registry.limits();
        let (mut spool, mut base64) = self.spool.take().unwrap_or_else(|| {
            (
                self.registry.content().spool(limits.spool_memory_bytes_max),
                Base64Stream::default(),
            )
        });
        self.decoded.clear();
        base64
            .finish(&mut self.decoded)
            .map_err(|error| Refusal::bad_request(error.to_string()))?;
        spool.write(&self.decoded).await?;
        Ok(spool.finish().await?)
    }

    /// The changes in their order, after looking up the files that the repository has already.
    async fn operations(&mut self) -> Result<Vec<Operation>, Refusal> {
        let changes = mem::take(&mut self.changes);
        let named = changes.iter().filter_map(|change| match change {
            Change::UploadedFile { sha256, .. } => Some(*sha256),
            Change::Operation(_) => None,
        });
        let named: Vec<Sha256Digest> = named.collect();
        let database = self.registry.database();
        let given = database.given(self.repository, &named).await?;
        let operations = changes.into_iter().map(|change| match change {
            Change::Operation(operation) => Ok(operation),
            Change::UploadedFile {
                path,
                sha256,
                size_bytes,
            } => given_file(path, sha256, size_bytes, &given),
        });
        operations.collect()
    }

    async fn finish(mut self) -> Result<Proposal, Refusal> {
        let operations = self.operations().await?;
        let header = self
            .header
            .ok_or_else(|| Refusal::bad_request("the commit has no header"))?;
        Ok(Proposal {
            title: header
                .summary
                .trim()
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned(),
            message: message(
                &header.summary,
                header.description.as_deref().unwrap_or_default(),
            ),
            parent: header.parent_commit.filter(|parent| !parent.is_empty()),
            operations,
            files: self.files,
            room: self.room,
            _held: self.held,
        })
    }
}

fn given_file(
    path: RepositoryPath,
    sha256: Sha256Digest,
    announced: Option<u64>,
    given: &HashMap<Sha256Digest, UploadedFile>,
) -> Result<Operation, Refusal> {
    let Some(size_bytes) = given.get(&sha256).map(|given| given.size_bytes) else {
        return Err(unprocessable(format!(
            "the LFS object {sha256} of {path} was not uploaded to this repository"
        )));
    };
    if announced.is_some_and(|size| size != size_bytes) {
        let text = format!("the LFS object of {path} has {size_bytes} bytes");
        return Err(unprocessable(text));
    }
    Ok(Operation::Put {
        path,
        oid: pointer_oid(&sha256, size_bytes)?,
        blob: Blob {
            sha256,
            size_bytes,
            form: BlobForm::Pointer,
        },
    })
}

fn unprocessable(text: String) -> Refusal {
    Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, text)
}

/// A summary of several lines is a title and the beginning of the message, as git reads it.
fn message(summary: &str, description: &str) -> String {
    let rest = summary
        .trim()
        .split_once('\n')
        .map_or("", |(_, rest)| rest.trim());
    [rest, description.trim()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n")
        .replace('\0', "")
}

fn valid_path(text: &str) -> Result<RepositoryPath, Refusal> {
    RepositoryPath::parse(text).map_err(|fault| bad_path(text, fault))
}

fn bad_path(text: &str, fault: PathFault) -> Refusal {
    let path = cut(text);
    unprocessable(format!(
        "the path {path:?} is not valid in a repository: {fault}"
    ))
}

fn cut(text: &str) -> String {
    text.chars().take(200).collect()
}
