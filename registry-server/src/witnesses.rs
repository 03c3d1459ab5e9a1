//! Asks the witnesses of the log to cosign its checkpoints, apart from all that publishes.
//!
//! A witness is asked for each new checkpoint, and once a day for the same one, because clients
//! believe a cosignature for a week. What came of it is kept in the database, so that each of
//! several servers serves it, and one of them asks at a time.

mod question;

use std::sync::Arc;
use std::time::Duration;

use time::OffsetDateTime;
use tokio::task::JoinSet;
use tool_hub_transparency::WitnessKey;
use url::Url;

use self::question::Question;
use crate::clock;
use crate::database::Database;
use crate::database::witnesses::{WITNESSES_MAX, WitnessRow};
use crate::error::RegistryError;
use crate::registry::Registry;
use crate::served_log::ServedLog;

/// The rest between two looks for a new checkpoint.
const PAUSE: Duration = Duration::from_secs(1);
/// The age from which a cosignature is renewed.
const RENEWED_AFTER: Duration = Duration::from_secs(24 * 3600);
/// The rest after a question that failed, or whose server ended before it was answered.
const RETRIED_AFTER: Duration = Duration::from_secs(30);

/// A witness of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WitnessSummary {
    /// Its name.
    pub name: String,
    /// Its public key.
    pub key: String,
    /// The prefix of the addresses that it is asked at.
    pub url: String,
    /// The number of records of the last checkpoint that it cosigned.
    pub records: u64,
    /// The time at which it did; none if it never did.
    pub cosigned: Option<OffsetDateTime>,
    /// The reason why it did not when it was asked last.
    pub fault: Option<String>,
}

impl Registry {
    /// Has the witness with this key asked, at `url`, to cosign the log's checkpoints. The witness
    /// has to be told of the log: its key is at `/api/log/key`.
    ///
    /// # Errors
    ///
    /// [`RegistryError::WitnessNotAdded`], [`RegistryError::WitnessAddress`], and
    /// [`RegistryError::WitnessOfMirror`] on a mirror.
    pub async fn add_witness(&self, key: &WitnessKey, url: &Url) -> Result<(), RegistryError> {
        let is_address = matches!(url.scheme(), "http" | "https")
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        if !is_address {
            let url = url.to_string();
            return Err(RegistryError::WitnessAddress { url });
        }
        if self.database().mirror().await?.is_some() {
            return Err(RegistryError::WitnessOfMirror);
        }
        let name = key.name();
        let mut writing = self.database().write().await?;
        let key = key.to_string();
        if !writing.insert_witness(name, &key, url.as_str()).await? {
            return Err(RegistryError::WitnessNotAdded {
                name: name.to_owned(),
                max: WITNESSES_MAX,
            });
        }
        writing.commit().await
    }

    /// Asks a witness no more, and serves its signature no more.
    ///
    /// # Errors
    ///
    /// [`RegistryError::NoSuchWitness`].
    pub async fn remove_witness(&self, name: &str) -> Result<(), RegistryError> {
        let mut writing = self.database().write().await?;
        if !writing.delete_witness(name).await? {
            let name = name.to_owned();
            return Err(RegistryError::NoSuchWitness { name });
        }
        writing.commit().await
    }

    /// All witnesses by name.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Query`] when the database fails.
    pub async fn list_witnesses(&self) -> Result<Vec<WitnessSummary>, RegistryError> {
        let rows = self.database().witnesses().await?.into_iter();
        Ok(rows
            .map(|row| WitnessSummary {
                name: row.name,
                key: row.key,
                url: row.url,
                records: row.size.unsigned_abs(),
                cosigned: (row.cosigned_ms > 0).then(|| clock::from_ms(row.cosigned_ms)),
                fault: row.fault,
            })
            .collect())
    }
}

/// Asks the witnesses that are due, again and again. What fails is logged and tried again, and one
/// that does not answer keeps no other waiting.
pub(crate) async fn ask_now_and_then(registry: Registry) {
    let http = match question::client() {
        Ok(http) => http,
        Err(error) => {
            tracing::error!(%error, "no witness can be asked");
            return;
        }
    };
    let mut asking = JoinSet::new();
    loop {
        match due(&registry).await {
            Ok(None) => {}
            Ok(Some((log, witnesses))) => witnesses.into_iter().for_each(|witness| {
                let (registry, http, log) = (registry.clone(), http.clone(), Arc::clone(&log));
                asking.spawn(asked(registry, http, log, witness));
            }),
            Err(error) => not_asked(&error),
        }
        tokio::time::sleep(PAUSE).await;
        while asking.try_join_next().is_some() {}
    }
}

fn not_asked(error: &RegistryError) {
    tracing::warn!(
        error = error as &dyn std::error::Error,
        "the witnesses of the log could not be asked"
    );
}

/// The log, and the witnesses that have to be asked for this state of it: all for the same one, so
/// that a client that asks for several of them finds a state that they all cosigned.
async fn due(
    registry: &Registry,
) -> Result<Option<(Arc<ServedLog>, Vec<WitnessRow>)>, RegistryError> {
    let mut witnesses = registry.database().witnesses().await?;
    if witnesses.is_empty() || registry.database().mirror().await?.is_some() {
        return Ok(None);
    }
    let Some(log) = ServedLog::of(registry.database()).await? else {
        return Ok(None);
    };
    let now_ms = clock::now_ms();
    witnesses.retain(|witness| is_due(witness, log.size, now_ms));
    Ok(Some((Arc::new(log), witnesses)))
}

/// True if a witness has to be asked for the checkpoint of `size` records.
fn is_due(witness: &WitnessRow, size: u64, now_ms: i64) -> bool {
    let is_after = |then_ms: i64, span| now_ms.saturating_sub(then_ms) >= clock::span_ms(span);
    let may_ask = witness.asked_ms == 0 || is_after(witness.asked_ms, RETRIED_AFTER);
    let is_behind = witness.size.unsigned_abs() < size;
    let has_aged = is_after(witness.cosigned_ms, RENEWED_AFTER);
    size > 0 && may_ask && (is_behind || has_aged)
}

async fn asked(
    registry: Registry,
    http: reqwest::Client,
    log: Arc<ServedLog>,
    witness: WitnessRow,
) {
    if let Err(error) = ask(registry.database(), &http, &log, &witness).await {
        not_asked(&error);
    }
}

/// Asks one witness, unless another process does.
async fn ask(
    database: &Database,
    http: &reqwest::Client,
    log: &ServedLog,
    witness: &WitnessRow,
) -> Result<(), RegistryError> {
    if !database.begin_to_ask(witness, clock::now_ms()).await? {
        return Ok(());
    }
    let checkpoint = log.signed(database).await?;
    let question = Question {
        http,
        witness,
        database,
        log,
        checkpoint: &checkpoint,
    };
    let name = witness.name.as_str();
    match question.ask().await? {
        Ok(signed) => {
            let now_ms = clock::now_ms();
            let noted = database.note_cosignature(name, log.size, &signed.line, now_ms);
            noted.await
        }
        Err(fault) => {
            let fault = fault.to_string();
            tracing::warn!(witness = name, fault, "a witness did not cosign");
            database.note_witness_fault(name, &fault).await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_witness_is_asked_when_it_is_due() {
        const NOW: i64 = 1_800_000_000_000;
        let witness = |size, cosigned_ms, asked_ms| WitnessRow {
            name: "w".to_owned(),
            key: String::new(),
            url: String::new(),
            size,
            cosignature: None,
            cosigned_ms,
            asked_ms,
            fault: None,
        };
        let day = clock::span_ms(RENEWED_AFTER);
        let check = |witness, expect| assert_eq!(is_due(&witness, 5, NOW), expect, "{witness:?}");
        check(witness(0, 0, 0), true);
        check(witness(4, NOW, 0), true);
        check(witness(5, NOW, 0), false);
        check(witness(5, NOW - day + 1, 0), false);
        check(witness(5, NOW - day, 0), true);
        check(witness(4, NOW, NOW - 29_999), false);
        check(witness(4, NOW, NOW - 30_000), true);
        assert!(!is_due(&witness(0, 0, 0), 0, NOW));
    }
}
