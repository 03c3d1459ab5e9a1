//! Asks every quarter of an hour which served versions were yanked, and for new advisories.

use std::collections::BTreeSet;
use std::convert::Infallible;

use futures::{StreamExt as _, stream};
use tokio::time::MissedTickBehavior;
use tool_hub_manifest::{LockedTool, RepoId, Severity};
use tool_hub_registry_client::ClientError;
use tool_hub_toolbox::Error;
use tool_hub_toolbox::advisories::refresh;
use tool_hub_toolbox::known_releases::KnownReleases;
use tool_hub_toolbox::open_toolbox::OpenToolbox;
use tool_hub_toolbox::policy::policies::Policies;
use url::Url;

use crate::session::Session;

/// The questions that are under way at a time.
const AT_ONCE_MAX: usize = 4;

/// A tool's registry and repo.
pub(crate) type Place = (Url, RepoId);

/// Notes what the repos of `places` say of their versions, and what the sources of advisories say:
/// at once, and again as often as the user's settings say. Whoever watches [`KnownReleases::file`]
/// and the file of known advisories sees what changed.
pub(crate) async fn refresh(places: impl Fn() -> BTreeSet<Place>, session: &Session) -> Infallible {
    let Some(every) = session.config.settings.refresh_every else {
        return std::future::pending().await;
    };
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut silent = BTreeSet::new();
    let mut unread = BTreeSet::new();
    loop {
        ticks.tick().await;
        read_advisories(&mut unread, session).await;
        let answers = stream::iter(places()).map(|place| async move {
            let asked = ask(&place, session).await;
            (place, asked)
        });
        let answers: Vec<_> = answers.buffer_unordered(AT_ONCE_MAX).collect().await;
        for (place, asked) in answers {
            let (endpoint, repo) = &place;
            match asked {
                Ok(()) => {
                    silent.remove(&(endpoint.clone(), None));
                    silent.remove(&(endpoint.clone(), Some(repo.clone())));
                }
                Err(error) => {
                    // Once for each repo, or for a registry that is away, until it answers again.
                    let repo = (!is_away(&error)).then(|| repo.clone());
                    if silent.insert((endpoint.clone(), repo)) {
                        session.printer.warning(&unsaid(&place, &error));
                    }
                }
            }
        }
    }
}

/// Reads the sources of advisories. What is wrong with one is told once, until it is mended.
async fn read_advisories(unread: &mut BTreeSet<String>, session: &Session) {
    let (settings, printer) = (&session.config.settings, &session.printer);
    match refresh::refresh(&settings.advisories, settings, printer).await {
        Ok(states) => {
            for state in states {
                let source = state.source.to_string();
                match state.is_sound() {
                    true => {
                        unread.remove(&source);
                    }
                    false if unread.insert(source) => refresh::tell(&state, printer),
                    false => {}
                }
            }
        }
        Err(error) if unread.insert(String::new()) => {
            let error = anyhow::Error::from(error);
            printer.warning(&format!("advisories cannot be kept: {error:#}"));
        }
        Err(_) => {}
    }
}

/// Asks again about the versions of a toolbox that are known as malicious: their owners may have
/// given them back. The toolbox that comes back knows what they say.
pub(crate) async fn ask_of_malicious(
    toolbox: OpenToolbox,
    session: &Session,
) -> anyhow::Result<OpenToolbox> {
    let trees = toolbox.locked_by_key().flat_map(|(_, it)| it.tree());
    let is_malicious = |locked: &&LockedTool| {
        let yank = toolbox.origin_subject(locked).yank;
        yank.is_some_and(|yank| yank.severity == Severity::Malicious)
    };
    let places = trees.map(|(_, locked)| locked).filter(is_malicious);
    let places: BTreeSet<Place> = places.filter_map(place_of).collect();
    if places.is_empty() {
        return Ok(toolbox);
    }
    for place in &places {
        if let Err(error) = ask(place, session).await {
            session.printer.warning(&unsaid(place, &error));
        }
    }
    Ok(OpenToolbox::open(&session.config.settings)?)
}

/// The registry and the repo that a tool is from, if it is from one.
pub(crate) fn place_of(locked: &LockedTool) -> Option<Place> {
    let (endpoint, repo) = locked.source.repo()?;
    Some((endpoint.clone(), repo.clone()))
}

async fn ask((endpoint, repo): &Place, session: &Session) -> anyhow::Result<()> {
    let settings = &session.config.settings;
    // What a mirror says, and what it leaves out, counts only where the policies allow that mirror.
    let policies = Policies::read(settings).map_err(Error::from)?;
    let checked = policies.check_mirror(repo.as_str(), endpoint);
    checked.map_err(Error::from)?;
    let client = settings.client(endpoint, &session.printer)?;
    let releases = client.releases(repo).await?;
    KnownReleases::note(settings, &client, repo, &releases).await?;
    Ok(())
}

/// True if the registry does not answer at all.
fn is_away(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|it| it.downcast_ref());
    causes.any(|it| matches!(it, ClientError::Unreachable { .. }))
}

fn unsaid((endpoint, repo): &Place, error: &anyhow::Error) -> String {
    format!("{endpoint} does not say whether {repo} was yanked: {error:#}")
}
