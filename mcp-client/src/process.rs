//! Starts the process of a local server in a cage, once its files are what was approved.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tool_hub_agent::characters::escape_line;
use tool_hub_cage::{Cage, Ended, Handle, Program, Support};
use tool_hub_manifest::ServerProcess;

use crate::error::ServerError;
use crate::opening::{Opening, Surroundings};
use crate::tree::{file_digest, tree_digest};

/// The most bytes of a server's last words that are kept.
const LAST_WORDS_BYTES_MAX: usize = 4 << 10;

/// Tells whether this system can cage local servers. Where it cannot, none is started.
pub fn local_support() -> Support {
    Cage::support()
}

/// A server's process, and the pipes to it.
pub(crate) struct Started {
    pub(crate) stdin: Box<dyn AsyncWrite + Send + Unpin>,
    pub(crate) stdout: Box<dyn AsyncRead + Send + Unpin>,
    pub(crate) process: RunningProcess,
}

/// A process that runs as long as this is held.
pub(crate) struct RunningProcess {
    handle: Handle,
    last_words: Arc<Mutex<Vec<u8>>>,
}

/// Starts `process` with the grants of `opening`.
pub(crate) async fn start(
    process: &ServerProcess,
    opening: &Opening,
    surroundings: &Surroundings,
) -> Result<Started, ServerError> {
    let checked = process.clone();
    let checked = tokio::task::spawn_blocking(move || check(&checked)).await;
    checked.map_err(|_| ServerError::Unchecked)??;
    let mut program = Program::new(&process.program, &process.arguments);
    for packages in &process.packages {
        program = program.packages(&packages.path);
    }
    let cage = Cage::new(surroundings.launcher.clone(), &surroundings.scratch);
    let started = cage
        .start(&program, &opening.grants, &opening.variables)
        .await?;
    let (stdin, stdout, stderr, handle) = started.into_parts();
    let last_words = Arc::default();
    tokio::spawn(keep_last_words(stderr, Arc::clone(&last_words)));
    Ok(Started {
        stdin,
        stdout,
        process: RunningProcess { handle, last_words },
    })
}

/// Holds the files and packages against the digests that were approved.
fn check(process: &ServerProcess) -> Result<(), ServerError> {
    let files = process.files.iter().map(|file| {
        let actual = file_digest(&file.path)?;
        Ok((&file.path, file.digest, actual))
    });
    let packages = process.packages.iter().filter_map(|packages| {
        let expected = packages.digest?;
        let actual = tree_digest(&packages.path);
        Some(actual.map(|actual| (&packages.path, expected, actual)))
    });
    for checked in files.chain(packages) {
        let (path, expected, actual) = checked?;
        if expected != actual {
            return Err(ServerError::Changed {
                path: path.clone(),
                expected,
                actual,
            });
        }
    }
    Ok(())
}

async fn keep_last_words(mut stderr: Box<dyn AsyncRead + Send + Unpin>, kept: Arc<Mutex<Vec<u8>>>) {
    let mut buffer = vec![0; LAST_WORDS_BYTES_MAX];
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&buffer[..read]);
        let surplus = kept.len().saturating_sub(LAST_WORDS_BYTES_MAX);
        kept.drain(..surplus);
    }
}

impl RunningProcess {
    /// How it ended, in words, with the last line that it wrote. It is ended if it runs still.
    pub(crate) async fn end(&mut self) -> String {
        let grace = std::time::Duration::from_millis(500);
        let ended = match tokio::time::timeout(grace, self.handle.wait()).await {
            Ok(ended) => ended,
            Err(_) => {
                self.handle.kill();
                self.handle.wait().await
            }
        };
        let how = match ended {
            Ended::Exited(code) => format!("it exited with code {code}"),
            Ended::Signalled(signal) => format!("signal {signal} ended it"),
            Ended::Limit { limit, value } => format!("limit {limit} = {value} ended it"),
            _ => "its launcher is gone".to_owned(),
        };
        let kept = self
            .last_words
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        let last = text.lines().rev().find(|line| !line.trim().is_empty());
        match last {
            Some(line) => {
                let line: String = line.trim().chars().take(300).collect();
                format!("{how}, and last wrote: {}", escape_line(&line))
            }
            None => how,
        }
    }
}
