//! Reads sources of advisories anew and keeps a copy of each; where one is away the old copy stays.

use time::{Duration, OffsetDateTime};

use super::known::{KeptSource, KnownAdvisories};
use super::reading::{self, Reading};
use super::source::AdvisorySource;
use crate::error::Error;
use crate::files::is_too_long;
use crate::notices::{Notice, Notices};
use crate::settings::Settings;

/// A source after it was asked.
#[derive(Debug)]
pub struct SourceState {
    /// The source.
    pub source: AdvisorySource,
    /// The copy that is kept, if there is one.
    pub kept: Option<KeptSource>,
    /// The time of the copy.
    pub read_at: Option<OffsetDateTime>,
    /// The reason why it could not be read now.
    pub failure: Option<Error>,
}

impl SourceState {
    /// True if it was read, and every advisory of it.
    pub fn is_sound(&self) -> bool {
        let is_whole = self.kept.as_ref().is_none_or(|kept| kept.faulty == 0);
        self.failure.is_none() && is_whole
    }

    /// The age of the copy in words, such as `3 hours`.
    pub fn age(&self) -> Option<String> {
        Some(in_words(OffsetDateTime::now_utc() - self.read_at?))
    }
}

/// Asks every source.
///
/// # Errors
/// If a copy cannot be read or kept. A source that cannot be read is no error of this.
pub async fn refresh(
    sources: &[AdvisorySource],
    settings: &Settings,
    notices: &dyn Notices,
) -> Result<Vec<SourceState>, Error> {
    let mut states = Vec::new();
    for source in sources {
        states.push(refresh_one(source, settings, notices).await?);
    }
    Ok(states)
}

/// Asks the sources of `config.toml`, and tells of those that cannot be read.
///
/// # Errors
/// As [`refresh`].
pub(crate) async fn refresh_configured(
    settings: &Settings,
    notices: &dyn Notices,
) -> Result<(), Error> {
    for state in refresh(&settings.advisories, settings, notices).await? {
        tell(&state, notices);
    }
    Ok(())
}

/// Tells of what is wrong with a source.
pub fn tell(state: &SourceState, notices: &dyn Notices) {
    if let Some(error) = &state.failure {
        notices.notice(&Notice::AdvisoriesUnread {
            source: &state.source,
            error,
            age: state.age(),
        });
    }
    if let Some(kept) = state.kept.as_ref().filter(|kept| kept.faulty > 0) {
        notices.notice(&Notice::AdvisoriesFaulty {
            source: &state.source,
            faulty: kept.faulty,
            first: &kept.faults,
        });
    }
}

async fn refresh_one(
    source: &AdvisorySource,
    settings: &Settings,
    notices: &dyn Notices,
) -> Result<SourceState, Error> {
    let registry = match source {
        AdvisorySource::Dataset(_) => Some(settings.endpoint.clone()),
        AdvisorySource::Url(_) | AdvisorySource::Path(_) => None,
    };
    let before = KnownAdvisories::copy_of(source, registry.as_ref(), settings)?;
    let revision = before.as_ref().and_then(|kept| kept.revision.as_deref());
    let reading = reading::read(source, revision, settings, notices).await;
    let (kept, failure) = match reading {
        Ok(Reading::Whole(collected, revision)) => {
            let kept = KeptSource::new(source, registry, collected, revision);
            match KnownAdvisories::note(settings, &kept) {
                // One source that says too much keeps nobody from what the others say.
                Err(error) if is_too_long(&error) => (before, Some(error)),
                noted => noted.map(|()| (Some(kept), None))?,
            }
        }
        Ok(Reading::Unchanged) => {
            if let Some(kept) = &before {
                KnownAdvisories::note(settings, kept)?;
            }
            (before, None)
        }
        Err(error) => (before, Some(error)),
    };
    let read_at = match &kept {
        Some(kept) => kept.read_at(settings)?,
        None => None,
    };
    Ok(SourceState {
        source: source.clone(),
        kept,
        read_at,
        failure,
    })
}

fn in_words(age: Duration) -> String {
    let (count, unit) = match age.whole_minutes() {
        minutes @ ..120 => (minutes.max(0), "minute"),
        minutes @ ..2880 => (minutes / 60, "hour"),
        minutes => (minutes / 1440, "day"),
    };
    match count {
        1 => format!("1 {unit}"),
        _ => format!("{count} {unit}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_the_unit_that_fits() {
        for (minutes, expect) in [
            (-5, "0 minutes"),
            (1, "1 minute"),
            (119, "119 minutes"),
            (120, "2 hours"),
            (2879, "47 hours"),
            (2880, "2 days"),
        ] {
            assert_eq!(in_words(Duration::minutes(minutes)), expect);
        }
    }
}
