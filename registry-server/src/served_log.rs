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
    /// The time of a state that is not the newest one.
    at_ms: Option<i64>,
}

enum LogAuthor {
    /// This registry, which signs its states.
    Here(Box<LogSigner>),
    /// The registry that is mirrored: its key, and the checkpoint as it signed it.
    Upstream { key: String, checkpoint: String },
}

impl ServedLog {
    /// The log at this moment; none on a mirror of a registry without one.
    pub(crate) async fn of(database: &Database) -> Result<Option<Self>, RegistryError> {
        let Some(mirror) = database.mirror().await? else {
            let author = LogAuthor::Here(Box::new(database.log_signer().await?));
            let size = database.log_size().await?;
            let at_ms = None;
            return Ok(Some(Self {
                size,
                author,
                at_ms,
            }));
        };
        let signed = mirror.log_key.zip(mirror.checkpoint);
        Ok(signed.map(|(key, checkpoint)| Self {
            size: mirror.size.unsigned_abs(),
            author: LogAuthor::Upstream { key, checkpoint },
            at_ms: None,
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
        let is_here = matches!(self.author, LogAuthor::Here(_));
        if !is_here || least >= self.size {
            return Ok(self);
        }
        let state = database.cosigned_state(least, self.size).await?;
        let state = state.map(|it| (it.size.unsigned_abs(), it.cosigned_ms));
        Ok(match state.filter(|(size, _)| *size < self.size) {
            Some((size, at_ms)) => Self {
                size,
                at_ms: Some(at_ms),
                ..self
            },
            None => self,
        })
    }

    pub(crate) fn key(&self) -> String {
        match &self.author {
            LogAuthor::Here(signer) => signer.key().to_string(),
            LogAuthor::Upstream { key, .. } => key.clone(),
        }
    }

    /// Its checkpoint, with the signatures of witnesses that are here.
    pub(crate) async fn checkpoint(&self, database: &Database) -> Result<String, RegistryError> {
        let mut checkpoint = self.signed(database).await?;
        if let LogAuthor::Here(_) = self.author {
            checkpoint.extend(database.cosignatures(self.size).await?);
        }
        Ok(checkpoint)
    }

    /// Its checkpoint without them, as its own key signed it; as a mirror has taken it.
    pub(crate) async fn signed(&self, database: &Database) -> Result<String, RegistryError> {
        let signer = match &self.author {
            LogAuthor::Here(signer) => signer,
            LogAuthor::Upstream { checkpoint, .. } => return Ok(checkpoint.clone()),
        };
        let root = answer(database, HashQuery::Root { size: self.size }).await?;
        let at_ms = self.at_ms.unwrap_or_else(clock::now_ms);
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
