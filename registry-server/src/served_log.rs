//! The `ServedLog`: the log as it is served, its own or a mirrored one, its checkpoint and proofs.

use std::collections::BTreeSet;

use tool_hub_transparency::{Hash, HashQuery, LogSigner, Proof, QueryError};

use crate::clock;
use crate::database::Database;
use crate::error::RegistryError;

/// The log as it is served: its own, or another registry's as far as a mirror has taken it.
pub(crate) struct ServedLog {
    pub(crate) size: u64,
    author: LogAuthor,
}

enum LogAuthor {
    /// This registry, which signs its states. A state that is not the newest one has its time.
    Here {
        signer: Box<LogSigner>,
        at_ms: Option<i64>,
    },
    /// The registry that is mirrored: its key, and the checkpoint as it signed it.
    Upstream { key: String, checkpoint: String },
}

impl ServedLog {
    /// The log at this moment; none on a mirror of a registry without one.
    pub(crate) async fn of(database: &Database) -> Result<Option<Self>, RegistryError> {
        let Some(mirror) = database.mirror().await? else {
            let author = LogAuthor::Here {
                signer: Box::new(database.log_signer().await?),
                at_ms: None,
            };
            let size = database.log_size().await?;
            return Ok(Some(Self { size, author }));
        };
        let signed = mirror.log_key.zip(mirror.checkpoint);
        Ok(signed.map(|(key, checkpoint)| Self {
            size: mirror.size.unsigned_abs(),
            author: LogAuthor::Upstream { key, checkpoint },
        }))
    }

    /// The state of the last minute, with `least` records at least, that most witnesses cosigned;
    /// this one where there is none. Witnesses that take a second do not keep up with a log that
    /// grows by several records in one.
    pub(crate) async fn cosigned(
        self,
        database: &Database,
        least: u64,
    ) -> Result<Self, RegistryError> {
        let LogAuthor::Here { signer, at_ms } = self.author else {
            return Ok(self);
        };
        let newest = self.size;
        let state = match least < newest {
            true => database.cosigned_state(least, newest).await?,
            false => None,
        };
        let state = state.map(|it| (it.size.unsigned_abs(), Some(it.cosigned_ms)));
        let older = state.filter(|(size, _)| *size < newest);
        let (size, at_ms) = older.unwrap_or((newest, at_ms));
        let author = LogAuthor::Here { signer, at_ms };
        Ok(Self { size, author })
    }

    pub(crate) fn key(&self) -> String {
        match &self.author {
            LogAuthor::Here { signer, .. } => signer.key().to_string(),
            LogAuthor::Upstream { key, .. } => key.clone(),
        }
    }

    /// Its checkpoint, with the signatures of witnesses that are here.
    pub(crate) async fn checkpoint(&self, database: &Database) -> Result<String, RegistryError> {
        let mut checkpoint = self.signed(database).await?;
        if let LogAuthor::Here { .. } = self.author {
            checkpoint.extend(database.cosignatures(self.size).await?);
        }
        Ok(checkpoint)
    }

    /// Its checkpoint without them, as its own key signed it; as a mirror has taken it.
    pub(crate) async fn signed(&self, database: &Database) -> Result<String, RegistryError> {
        let (signer, at_ms) = match &self.author {
            LogAuthor::Here { signer, at_ms } => (signer, at_ms),
            LogAuthor::Upstream { checkpoint, .. } => return Ok(checkpoint.clone()),
        };
        let root = answer(database, HashQuery::Root { size: self.size }).await?;
        let at_ms = at_ms.unwrap_or_else(clock::now_ms);
        let seconds = u64::try_from(at_ms / 1_000).unwrap_or_default();
        let [root] = root.as_slice() else {
            return Err(damaged("it has no root"));
        };
        let signed = signer.sign(self.size, *root, seconds);
        signed.map_err(|error| damaged(&error.to_string()))
    }

    /// The proof that it begins with the first `older` records. Nothing is proved to whoever has
    /// seen none, or more: they see that by the checkpoint.
    pub(crate) async fn consistency(
        &self,
        database: &Database,
        older: u64,
    ) -> Result<Proof, RegistryError> {
        let size = self.size;
        match older {
            0 => Ok(Proof::default()),
            older if older > size => Ok(Proof::default()),
            older => {
                let query = HashQuery::Consistency { size, older };
                Ok(Proof::from(answer(database, query).await?))
            }
        }
    }
}

/// The answer of the log's stored hashes.
pub(crate) async fn answer(
    database: &Database,
    query: HashQuery,
) -> Result<Vec<Hash>, RegistryError> {
    let mut answers = answers(database, &[query]).await?;
    answers
        .pop()
        .ok_or_else(|| damaged("a query has no answer"))
}

/// The proofs that the log has records in these places, read at once.
pub(crate) async fn inclusions(
    database: &Database,
    size: u64,
    places: &[u64],
) -> Result<Vec<Proof>, RegistryError> {
    let query = |&index: &u64| HashQuery::Inclusion { size, index };
    let queries: Vec<HashQuery> = places.iter().map(query).collect();
    let proofs = answers(database, &queries).await?.into_iter();
    Ok(proofs.map(Proof::from).collect())
}

async fn answers(
    database: &Database,
    queries: &[HashQuery],
) -> Result<Vec<Vec<Hash>>, RegistryError> {
    let failed = |error: QueryError| damaged(&error.to_string());
    let mut needed = BTreeSet::new();
    for query in queries {
        needed.extend(query.needs().map_err(failed)?);
    }
    let needed: Vec<u64> = needed.into_iter().collect();
    let stored = database.log_hashes(&needed).await?;
    let answers = queries.iter().map(|query| query.answer(&stored));
    answers.collect::<Result<_, _>>().map_err(failed)
}

fn damaged(what: &str) -> RegistryError {
    RegistryError::Damaged(format!("the log: {what}"))
}
