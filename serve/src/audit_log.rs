//! Writes the audit log to a file or standard error, a line of JSON a record.
//! Records are of calls and of requests to the model's endpoint. While it cannot be written, calls
//! are refused.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tool_hub_host::Usage;
use tool_hub_manifest::{Digest, ToolName};

use crate::audit::{Audit, AuditedCall, AuditedRequest, FrontEnd, Subject};

/// A log of calls.
///
/// What cannot be written stays in memory, and no further call is made until it is written: a
/// log with a hole looks like one without. So no more lines wait than there are calls under way.
pub struct AuditLog {
    /// The file's name for people.
    place: String,
    tell: Tell,
    lines: Mutex<Lines>,
}

/// Takes what somebody should know of the log.
type Tell = Box<dyn Fn(AuditNotice) + Send + Sync>;

/// Something that whoever looks after the log should know, in words for them.
#[derive(Debug)]
pub enum AuditNotice {
    /// It cannot be written.
    Unwritable(String),
    /// It is written again, with all that was to be written meanwhile.
    WrittenAgain(String),
}

struct Lines {
    to: Box<dyn Write + Send>,
    unwritten: Vec<u8>,
    /// True once somebody was told that it cannot be written.
    is_broken: bool,
}

/// A line. It says nothing of arguments and results.
#[derive(Serialize)]
struct Line<'a> {
    /// The time of the call, RFC 3339 in UTC.
    time: String,
    caller: &'a str,
    front_end: FrontEnd,
    #[serde(flatten)]
    subject: Subject<'a>,
    tool: &'a ToolName,
    component: Digest,
    outcome: &'a str,
    elapsed_us: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
}

/// The line of a request to the endpoint. It holds nothing of the request's or the answer's body.
#[derive(Serialize)]
struct RequestLine<'a> {
    time: String,
    caller: &'a str,
    front_end: FrontEnd,
    method: &'a str,
    path: &'a str,
    outcome: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    elapsed_us: u64,
}

impl AuditLog {
    /// Opens the log at `path`, which is made for the user alone when it is not there; `-` is
    /// standard error. `tell` hears when it cannot be written, and when it can again.
    ///
    /// # Errors
    /// When it cannot be appended to.
    pub fn open(
        path: &Path,
        tell: impl Fn(AuditNotice) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::new("on standard error", io::stderr(), tell));
        }
        let mut options = File::options();
        options.append(true).create(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let file = options.open(path)?;
        Ok(Self::new(&path.display().to_string(), file, tell))
    }

    fn new(
        place: &str,
        to: impl Write + Send + 'static,
        tell: impl Fn(AuditNotice) + Send + Sync + 'static,
    ) -> Self {
        Self {
            place: place.to_owned(),
            tell: Box::new(tell),
            lines: Mutex::new(Lines {
                to: Box::new(to),
                unwritten: Vec::new(),
                is_broken: false,
            }),
        }
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, line: &impl Serialize) {
        let mut lines = self.lines();
        match serde_json::to_writer(&mut lines.unwritten, line) {
            Ok(()) => lines.unwritten.push(b'\n'),
            Err(error) => tracing::error!(%error, "cannot serialize a line of the audit log"),
        }
        // A failure is reported to the next call.
        let _ = self.write(&mut lines);
    }

    fn write(&self, lines: &mut Lines) -> io::Result<()> {
        let written = lines.write();
        if let Err(error) = &written
            && !lines.is_broken
        {
            (self.tell)(AuditNotice::Unwritable(format!(
                "the audit log {} cannot be written ({error}); calls are refused until it can",
                self.place
            )));
        } else if written.is_ok() && lines.is_broken {
            (self.tell)(AuditNotice::WrittenAgain(format!(
                "the audit log {} is written again, and nothing is missing in it",
                self.place
            )));
        }
        lines.is_broken = written.is_err();
        written
    }
}

impl Lines {
    /// Writes as much as is taken, and keeps the rest.
    fn write(&mut self) -> io::Result<()> {
        while !self.unwritten.is_empty() {
            match self.to.write(&self.unwritten) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => drop(self.unwritten.drain(..written)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.to.flush()
    }
}

impl Audit for AuditLog {
    fn ready(&self) -> io::Result<()> {
        let mut lines = self.lines();
        match lines.is_broken {
            true => self.write(&mut lines),
            false => Ok(()),
        }
    }

    fn note(&self, call: &AuditedCall<'_>) {
        self.add(&Line {
            time: in_utc(call.began),
            caller: call.caller.as_str(),
            front_end: call.front_end,
            subject: call.subject,
            tool: call.tool,
            component: call.component,
            outcome: call.outcome,
            elapsed_us: microseconds(call.elapsed),
            usage: call.usage,
        });
    }

    fn note_request(&self, request: &AuditedRequest<'_>) {
        self.add(&RequestLine {
            time: in_utc(request.began),
            caller: request.caller.as_str(),
            front_end: FrontEnd::OpenAi,
            method: request.method,
            path: request.path,
            outcome: request.outcome,
            status: request.status,
            elapsed_us: microseconds(request.elapsed),
        });
    }
}

fn in_utc(time: SystemTime) -> String {
    let time = OffsetDateTime::from(time).format(&Rfc3339);
    time.unwrap_or_default()
}

fn microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// Takes two bytes at a time, and nothing while it is full.
    struct Disk {
        full: Arc<Mutex<bool>>,
        written: Sender<Vec<u8>>,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if *self.full.lock().unwrap() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let taken = bytes.len().min(2);
            self.written.send(bytes[..taken].to_vec()).unwrap();
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn nobody(_: AuditNotice) {}

    fn text(written: &Receiver<Vec<u8>>) -> String {
        String::from_utf8(written.try_iter().flatten().collect()).unwrap()
    }

    #[test]
    fn nothing_is_lost_and_nothing_is_called_while_the_disk_is_full() {
        let (sender, written) = channel();
        let full = Arc::new(Mutex::new(false));
        let disk = Disk {
            full: full.clone(),
            written: sender,
        };
        let log = AuditLog::new("log", disk, nobody);
        let note = |line: &str| {
            let mut lines = log.lines();
            lines.unwritten.extend_from_slice(line.as_bytes());
            log.write(&mut lines)
        };
        assert!(log.ready().is_ok());
        assert!(note("one\n").is_ok());
        assert_eq!(text(&written), "one\n");
        *full.lock().unwrap() = true;
        assert!(note("two\n").is_err());
        assert!(note("three\n").is_err());
        assert!(log.ready().is_err());
        *full.lock().unwrap() = false;
        assert!(log.ready().is_ok());
        assert_eq!(text(&written), "two\nthree\n");
    }

    #[test]
    #[cfg(unix)]
    fn the_file_is_for_the_user_alone_and_only_appended_to() {
        use std::os::unix::fs::PermissionsExt as _;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("calls.jsonl");
        for line in ["one\n", "two\n"] {
            let log = AuditLog::open(&path, nobody).unwrap();
            let mut lines = log.lines();
            lines.unwritten.extend_from_slice(line.as_bytes());
            log.write(&mut lines).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\n");
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(AuditLog::open(directory.path(), nobody).is_err());
    }
}
