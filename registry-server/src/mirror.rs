//! Mirrors another registry: copies what it published, and its log, to serve both unchanged.
//!
//! Of a registry with a log, the log is followed: its records say which versions there are, and
//! what is in them. Of another one, such as the Hub, the tags of named repositories are. What was
//! copied becomes visible in one transaction, with the checkpoint that speaks of it.

mod copying;
mod log_copy;
mod report;
mod repository_copy;
mod run;
mod source;
mod upstream;

pub use report::{MirrorReport, Untaken};
pub use source::MirrorSource;

use crate::error::RegistryError;
use crate::registry::Registry;

impl Registry {
    /// Copies what is new in the registry of `source`. The first time, this registry has to be
    /// empty, and becomes a mirror: from then on it takes no changes from anybody.
    ///
    /// Whatever happens on the way, what was served before is served on, and nothing of this run is
    /// until it ends. What it had copied by then is not fetched again.
    ///
    /// # Errors
    ///
    /// [`RegistryError::UpstreamLog`] when the log is not the one that was followed before:
    /// nothing is taken then. [`RegistryError::Upstream`] when the upstream cannot be asked,
    /// [`RegistryError::NotAMirror`], [`RegistryError::MirrorOfAnother`],
    /// [`RegistryError::RepositoriesNotNamed`], [`RegistryError::MirroredTwice`].
    pub async fn mirror(&self, source: &MirrorSource) -> Result<MirrorReport, RegistryError> {
        let database = self.database();
        let upstream = source.upstream.as_str().trim_end_matches('/');
        let made = database.become_mirror(upstream).await?;
        let state = database.mirror().await?.ok_or(RegistryError::NotAMirror)?;
        if state.upstream != upstream {
            return Err(RegistryError::MirrorOfAnother {
                mirrored: state.upstream,
                asked: upstream.to_owned(),
            });
        }
        if made {
            tracing::info!(upstream, "this registry is a mirror from now on");
        }
        let outcome = run::Run::new(self, source, state)?.run().await;
        if let Err(RegistryError::UpstreamLog { source, .. }) = &outcome {
            tracing::error!(upstream, fault = %source, "the upstream's log is not followed any more");
            database.note_mirror_fault(&source.to_string()).await?;
        }
        outcome
    }
}
