//! Notices changes of a project's sources, by their digests, once nothing has moved for a moment.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::build::{SourceStamps, Sources};
use crate::terminal::signals::stop_requested;

/// The interval at which sources are looked at. It works on every file system, and for a project
/// of a hundred files takes less than a hundredth of a processor.
const LOOK_EVERY: Duration = Duration::from_millis(40);
/// How long nothing may change before a change is over: editors and version control write several
/// files, and some of them in pieces.
const SETTLED_AFTER: Duration = Duration::from_millis(30);
/// How many times as long as a look takes nothing is looked at, in a very large project.
const REST: u32 = 20;

/// What was built, against which the project is held.
pub(super) struct SourceWatch {
    directory: PathBuf,
    /// What was seen last.
    stamps: SourceStamps,
    /// What the build is made of that is under way or was the last one.
    built: Sources,
}

impl SourceWatch {
    /// # Errors
    /// When the project cannot be read, or is too large.
    pub(super) fn start(directory: PathBuf) -> anyhow::Result<Self> {
        let stamps = SourceStamps::of(&directory)?;
        let built = Sources::of(&directory)?;
        Ok(Self {
            directory,
            stamps,
            built,
        })
    }

    /// Notes that a build begins: what changes from here on is another change. What cannot be read
    /// at this moment is noticed when it can.
    pub(super) fn begin(&mut self) {
        if let Ok(stamps) = SourceStamps::of(&self.directory) {
            self.stamps = stamps;
        }
        if let Ok(sources) = Sources::of(&self.directory) {
            self.built = sources;
        }
    }

    /// Notes that the build was made of `sources`, with what it wrote itself.
    pub(super) fn built(&mut self, sources: &Sources) {
        self.built = sources.clone();
    }

    /// Notes that the build failed, which may have written cargo's lock before.
    pub(super) fn failed(&mut self) {
        let _ = self.built.renew(&self.directory, "Cargo.lock");
    }

    /// Waits for a change, and returns it in words; nothing when somebody said stop.
    pub(super) async fn changed_or_stopped(&mut self) -> Option<String> {
        tokio::select! {
            change = self.changed() => Some(change),
            () = stop_requested() => None,
        }
    }

    async fn changed(&mut self) -> String {
        loop {
            let took = self.look();
            if let Some(took) = took {
                tokio::time::sleep(LOOK_EVERY.max(took * REST)).await;
                continue;
            }
            while self.look().is_none() {
                tokio::time::sleep(SETTLED_AFTER).await;
            }
            // A file that is gone again by now is looked at once more.
            let now = Sources::of(&self.directory).ok();
            if let Some(change) = now.and_then(|now| self.built.change_to(&now)) {
                return change.trim_end_matches(" since").to_owned();
            }
        }
    }

    /// How long it took to see that nothing changed since the last look; nothing when something
    /// did.
    fn look(&mut self) -> Option<Duration> {
        let start = Instant::now();
        // What cannot be read is on its way to somewhere.
        let stamps = SourceStamps::of(&self.directory).ok();
        match stamps {
            Some(stamps) if stamps != self.stamps => {
                self.stamps = stamps;
                None
            }
            _ => Some(start.elapsed()),
        }
    }
}
