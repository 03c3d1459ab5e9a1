//! Notices changes of a project's sources, by their digests, once nothing has moved for a moment.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::build::{LOCKS, SourceStamps, Sources};
use crate::terminal::signals::stop_requested;

/// The interval at which sources are looked at. It works on every file system, and for a project
/// of a hundred files takes less than a hundredth of a processor.
const LOOK_EVERY: Duration = Duration::from_millis(40);
/// The time without a change after which a change is over: editors and version control write
/// several files, and some of them in pieces.
const SETTLED_AFTER: Duration = Duration::from_millis(30);
/// The pause between two looks at a very large project, as a multiple of the time of a look.
const REST: u32 = 20;

/// The most changes that are named: version control may change thousands of files at once.
const NAMED_MAX: usize = 4;

/// The sources of the last build, with which those of the project are compared.
pub(super) struct SourceWatch {
    directory: PathBuf,
    /// The stamps that were seen last.
    stamps: SourceStamps,
    /// False from a change of the stamps until the sources were compared after it.
    is_settled: bool,
    /// True if something moved during the build, which may have read what is not there any more.
    is_stale: bool,
    /// The sources of the build that is under way, or of the last one.
    built: Sources,
}

impl SourceWatch {
    /// # Errors
    /// When the project cannot be read, or is too large.
    pub(super) fn start(directory: PathBuf) -> anyhow::Result<Self> {
        let stamps = SourceStamps::of(&directory)?.without(&LOCKS);
        let built = Sources::of(&directory)?;
        Ok(Self {
            directory,
            stamps,
            is_settled: true,
            is_stale: false,
            built,
        })
    }

    /// Notes that a build begins: what changes from here on is another change. What cannot be read
    /// at this moment is noticed when it can.
    pub(super) fn begin(&mut self) {
        if let Ok(stamps) = self.look() {
            self.stamps = stamps;
        }
        if let Ok(sources) = Sources::of(&self.directory) {
            self.built = sources;
        }
    }

    /// Notes that the build is over, which may have written a lock.
    pub(super) fn end(&mut self) {
        for lock in LOCKS {
            let _ = self.built.renew(&self.directory, lock);
        }
        if let Ok(stamps) = self.look() {
            self.is_stale = stamps != self.stamps;
            self.is_settled = !self.is_stale;
            self.stamps = stamps;
        }
    }

    fn look(&self) -> anyhow::Result<SourceStamps> {
        Ok(SourceStamps::of(&self.directory)?.without(&LOCKS))
    }

    /// Waits for a change, and returns it in words; nothing when somebody said stop. No change is
    /// missed where the wait is given up.
    pub(super) async fn changed_or_stopped(&mut self) -> Option<String> {
        tokio::select! {
            change = self.changed() => Some(change),
            () = stop_requested() => None,
        }
    }

    async fn changed(&mut self) -> String {
        loop {
            let start = Instant::now();
            // What cannot be read is on its way to somewhere.
            let stamps = self.look().ok();
            match stamps.filter(|stamps| *stamps != self.stamps) {
                Some(stamps) => {
                    self.stamps = stamps;
                    self.is_settled = false;
                }
                None if self.is_settled => {
                    let rest = LOOK_EVERY.max(start.elapsed() * REST);
                    tokio::time::sleep(rest).await;
                    continue;
                }
                None => {
                    if let Ok(now) = Sources::of(&self.directory) {
                        self.is_settled = true;
                        let is_stale = std::mem::take(&mut self.is_stale);
                        let changes = self.built.changes_to(&now);
                        if !changes.is_empty() {
                            return told(&changes);
                        }
                        if is_stale {
                            return "a source was changed during the build".to_owned();
                        }
                    }
                }
            }
            tokio::time::sleep(SETTLED_AFTER).await;
        }
    }
}

/// The changes in a line, of which the first are named.
fn told(changes: &[String]) -> String {
    let named = changes.len().min(NAMED_MAX);
    let mut line = changes[..named].join(", ");
    if changes.len() > named {
        line.push_str(&format!(", and {} more", changes.len() - named));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files;

    async fn soon(watch: &mut SourceWatch) -> Option<String> {
        let patience = Duration::from_millis(500);
        tokio::time::timeout(patience, watch.changed()).await.ok()
    }

    #[tokio::test]
    async fn a_change_is_told_until_it_is_built() {
        let project = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            files::write(&project.path().join(path), text.as_bytes()).unwrap();
        };
        write("a.js", "one");
        let mut watch = SourceWatch::start(project.path().to_owned()).unwrap();
        write("a.js", "one");
        write("dist/a.js", "made");
        assert_eq!(soon(&mut watch).await, None);

        write("a.js", "other");
        // A wait that is given up before the change is over.
        let given_up = tokio::time::timeout(SETTLED_AFTER / 2, watch.changed()).await;
        assert!(given_up.is_err());
        assert_eq!(soon(&mut watch).await.as_deref(), Some("a.js was changed"));

        watch.begin();
        write("b.js", "while it is built");
        write("Cargo.lock", "by the build");
        watch.end();
        assert_eq!(soon(&mut watch).await.as_deref(), Some("b.js was added"));
        watch.begin();
        assert_eq!(soon(&mut watch).await, None);

        write("a.js", "third");
        write("c.js", "at the same time");
        let told = soon(&mut watch).await;
        assert_eq!(told.as_deref(), Some("a.js was changed, c.js was added"));
        for name in 0..5 {
            write(&format!("d{name}.js"), "");
        }
        let told = soon(&mut watch).await.expect("a change");
        assert!(told.ends_with("d1.js was added, and 3 more"), "{told}");

        // What is changed back was read by the build all the same.
        watch.begin();
        write("b.js", "wrong");
        write("b.js", "while it is built");
        watch.end();
        let told = soon(&mut watch).await;
        assert_eq!(
            told.as_deref(),
            Some("a source was changed during the build")
        );
        assert_eq!(soon(&mut watch).await, None);
    }
}
