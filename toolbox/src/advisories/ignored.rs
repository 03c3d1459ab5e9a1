//! The `IgnoredAdvisories`, `ignored_advisories.toml`: those that a user judged and passes over.
//! Only what is told goes quiet. A version that is refused stays refused.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;
use time::{Date, OffsetDateTime};
use tool_hub_manifest::{AdvisoryId, Reason};

use super::advisory::Advisory;
use crate::error::Error;
use crate::files;
use crate::settings::Settings;

const FILE: &str = "ignored_advisories.toml";
const DAY: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");

/// The advisories that are ignored, by their ids.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IgnoredAdvisories(BTreeMap<AdvisoryId, IgnoredAdvisory>);

/// The reason why an advisory is ignored, and until when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IgnoredAdvisory {
    /// The user's reason.
    pub reason: Reason,
    /// The last day, such as `2027-01-31`; none for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Day>,
}

/// A day of the calendar, such as `2027-01-31`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Day(Date);

impl std::str::FromStr for Day {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let day = Date::parse(text, DAY);
        day.map(Self)
            .map_err(|_| "expected a day such as 2027-01-31".to_owned())
    }
}

impl TryFrom<String> for Day {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Day> for String {
    fn from(Day(day): Day) -> Self {
        format!(
            "{:04}-{:02}-{:02}",
            day.year(),
            u8::from(day.month()),
            day.day()
        )
    }
}

impl IgnoredAdvisories {
    /// Reads the file of the user.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Settings`].
    pub fn read(settings: &Settings) -> Result<Self, Error> {
        Ok(files::read_toml(&file(&settings.user))?.unwrap_or_default())
    }

    /// The reason why `advisory` is ignored today.
    pub fn of(&self, advisory: &Advisory) -> Option<&IgnoredAdvisory> {
        let today = Day(OffsetDateTime::now_utc().date());
        let mut named = self.0.iter().filter(|(id, _)| advisory.is_called(id));
        let is_due = |ignored: &IgnoredAdvisory| ignored.until.is_none_or(|until| until >= today);
        named
            .find(|(_, ignored)| is_due(ignored))
            .map(|(_, ignored)| ignored)
    }

    /// Records that `id` is ignored, or, without a reason, that it is not any more. Returns true if
    /// it was recorded before.
    ///
    /// # Errors
    /// If the file cannot be read or changed.
    pub fn note(
        settings: &Settings,
        id: &AdvisoryId,
        ignored: Option<IgnoredAdvisory>,
    ) -> Result<bool, Error> {
        let path = file(&settings.user);
        let _guard = files::Guard::take(&settings.user, ".ignored_advisories.guard")?;
        let mut known = Self::read(settings)?;
        let before = match ignored {
            Some(ignored) => known.0.insert(id.clone(), ignored),
            None => known.0.remove(id),
        };
        files::write_toml(&path, &known)?;
        Ok(before.is_some())
    }
}

fn file(user: &Path) -> PathBuf {
    user.join(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_read_as_it_is_written() {
        let day: Day = "2027-01-31".parse().unwrap();
        assert_eq!(String::from(day), "2027-01-31");
        for text in ["2027-02-31", "tomorrow", "2027-1-1", ""] {
            assert!(text.parse::<Day>().is_err(), "{text}");
        }
    }
}
