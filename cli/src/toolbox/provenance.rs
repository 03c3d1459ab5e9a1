//! The source of a tool, and the day it was published, which the registry is asked for.

use tool_hub_manifest::Source;

use crate::session::Session;
use crate::toolbox::package::{Fetched, FetchedFrom};

/// The origin of a tool.
pub(crate) struct Provenance {
    pub(crate) source: Source,
    /// The day of the commit, where the registry told it.
    pub(crate) published: Option<String>,
}

impl Provenance {
    /// Asks the registry that `fetched` is from about its commit. The day is only shown, so a
    /// registry that cannot tell it is no reason to stop.
    pub(crate) async fn of(fetched: &Fetched, session: &Session) -> Self {
        let published = match &fetched.origin {
            FetchedFrom::Registry {
                endpoint, resolved, ..
            } => match session.config.client(endpoint, &session.printer) {
                Ok(client) => client.day_of(resolved).await.ok().flatten(),
                Err(_) => None,
            },
            FetchedFrom::File { .. } | FetchedFrom::Approved(_) => None,
        };
        Self {
            source: fetched.origin.source(),
            published,
        }
    }

    /// The origin of a tool that was approved before.
    pub(crate) fn before(source: &Source) -> Self {
        Self {
            source: source.clone(),
            published: None,
        }
    }
}
