//! Asks the registries of served tools, every quarter of an hour, which versions were yanked.

use std::collections::BTreeSet;
use std::convert::Infallible;

use futures::{StreamExt as _, stream};
use tokio::time::MissedTickBehavior;
use tool_hub_manifest::RepoId;
use tool_hub_toolbox::known_releases::KnownReleases;
use url::Url;

use crate::session::Session;

/// The questions that are under way at a time.
const AT_ONCE_MAX: usize = 4;

/// A tool's registry and repo.
pub(crate) type Place = (Url, RepoId);

/// Notes what the repos of `places` say of their versions: at once, and again as often as the
/// user's settings say. Whoever watches [`KnownReleases::file`] sees what changed.
pub(crate) async fn refresh(places: impl Fn() -> BTreeSet<Place>, session: &Session) -> Infallible {
    let Some(every) = session.config.settings.refresh_every else {
        return std::future::pending().await;
    };
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut silent = BTreeSet::new();
    loop {
        ticks.tick().await;
        let answers = stream::iter(places()).map(|place| async move {
            let asked = ask(&place, session).await;
            (place, asked)
        });
        let answers: Vec<_> = answers.buffer_unordered(AT_ONCE_MAX).collect().await;
        for ((endpoint, repo), asked) in answers {
            match asked {
                Ok(()) => silent.remove(&endpoint),
                Err(error) if !silent.contains(&endpoint) => {
                    // Once for each registry, until it answers again.
                    session.printer.warning(&format!(
                        "{endpoint} does not say whether {repo} was yanked: {error:#}"
                    ));
                    silent.insert(endpoint)
                }
                Err(_) => false,
            };
        }
    }
}

async fn ask((endpoint, repo): &Place, session: &Session) -> anyhow::Result<()> {
    let settings = &session.config.settings;
    let client = settings.client(endpoint, &session.printer)?;
    let releases = client.releases(repo).await?;
    Ok(KnownReleases::note(settings, endpoint, repo, &releases)?)
}
