//! Appends to the transparency log that versions were yanked or given back.
//!
//! A repository that was moved is asked for under its former ids, too, so a yank is recorded under
//! each id under which the log has the version.

use sqlx::AssertSqlSafe;
use tool_hub_manifest::{Severity, Version};
use tool_hub_transparency::LogRecord;

use super::log::{LogSubject, LoggedRecord, told};
use super::repositories::Repository;
use super::write_transaction::WriteTransaction;
use crate::clock;
use crate::error::RegistryError;
use crate::names::RepositoryKind;

/// Selects the name of a repository as it is in this transaction, and those from before it was
/// moved under which the log has the version `$2`.
fn names_of_version() -> String {
    let told = told("$1", ["a.owner_folded", "a.name_folded"]);
    format!(
        "SELECT o.name || '/' || r.name FROM repositories r JOIN accounts o ON o.id = r.owner WHERE r.id = $1 \
         UNION ALL SELECT a.owner_folded || '/' || a.name_folded FROM aliases a WHERE a.repository = $1 \
         AND EXISTS (SELECT 1 FROM log_records l WHERE l.repository = a.owner_folded || '/' || a.name_folded \
         AND l.version = $2 AND {told})"
    )
}

/// A version, and the severity of its yank; none where it is given back.
type Change = (Version, Option<Severity>);

impl WriteTransaction {
    /// Appends that versions are yanked, or are not yanked any more. False, and nothing is
    /// appended, if that would be more than `records_max` records: everybody else who appends would
    /// wait.
    pub(crate) async fn append_yanks_to_log(
        &mut self,
        repository: &Repository,
        yanks: &[Change],
        records_max: usize,
        now_ms: i64,
    ) -> Result<bool, RegistryError> {
        if repository.kind != RepositoryKind::Model {
            return Ok(true);
        }
        if yanks.len() > records_max {
            return Ok(false);
        }
        let mut names = Vec::new();
        for (version, severity) in yanks {
            let version = version.to_string();
            let under = sqlx::query_scalar(AssertSqlSafe(names_of_version()))
                .bind(&repository.id)
                .bind(version.as_str());
            let under: Vec<String> = under.fetch_all(self.connection()).await?;
            names.extend(
                under
                    .into_iter()
                    .map(|name| (name, version.clone(), *severity)),
            );
            if names.len() > records_max {
                return Ok(false);
            }
        }
        for (full_name, version, severity) in &names {
            let subject = LogSubject::of(repository, full_name, version);
            if let Some(subject) = subject
                && let Some(record) = yank_record(subject, *severity, now_ms)
            {
                self.append_to_log(subject, &record).await?;
            }
        }
        Ok(true)
    }

    /// Appends what the log lacks of the yank that a repository says of a version. False, and
    /// nothing is appended, if the log has the version as malicious and the repository does not.
    pub(crate) async fn settle_yank(
        &mut self,
        subject: LogSubject<'_>,
        said: Option<Severity>,
        now_ms: i64,
    ) -> Result<bool, RegistryError> {
        let logged = last_yank(&self.records_of_version(subject).await?);
        if logged == Some(Severity::Malicious) && said != logged {
            return Ok(false);
        }
        // An earlier repository of this name may have said it in secret. Who reads both sees both.
        let told = last_yank(&self.told_records_of_version(subject).await?);
        if (told != said || subject.has_readers_of_earlier() && logged != said)
            && let Some(record) = yank_record(subject, said, now_ms)
        {
            self.append_to_log(subject, &record).await?;
        }
        Ok(true)
    }
}

/// The severity of the yank that these records say last.
fn last_yank(records: &[LoggedRecord]) -> Option<Severity> {
    let said = records.iter().rev().filter_map(LoggedRecord::said);
    let mut yanks = said.filter_map(|record| match record {
        LogRecord::Yank { severity, .. } => Some(Some(severity)),
        LogRecord::Unyank { .. } => Some(None),
        _ => None,
    });
    yanks.next().flatten()
}

/// The record of a yank, or of its taking back; none where a name is no tool's.
fn yank_record(
    subject: LogSubject<'_>,
    severity: Option<Severity>,
    now_ms: i64,
) -> Option<LogRecord> {
    let repo = subject.full_name.parse().ok()?;
    let version = subject.version.parse().ok()?;
    let at = clock::seconds(now_ms);
    Some(match severity {
        Some(severity) => LogRecord::Yank {
            repo,
            version,
            severity,
            at,
        },
        None => LogRecord::Unyank { repo, version, at },
    })
}
