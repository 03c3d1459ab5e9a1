//! A `ForgedLog`: a log that the owner of a registry signs with its real key, with any content.

use serde_json::{Value, json};
use time::{Duration, OffsetDateTime};
use tool_hub_manifest::Version;
use tool_hub_transparency::{LogRecord, LogSigner, Proof, Tree};

/// A log, and what the registry answers of it.
#[derive(Clone)]
pub(super) struct ForgedLog {
    pub(super) records: Vec<LogRecord>,
    pub(super) seed: [u8; 32],
    pub(super) name: String,
    /// The age of the checkpoint.
    pub(super) age: Duration,
}

impl ForgedLog {
    pub(super) fn signer(&self) -> LogSigner {
        LogSigner::from_seed(&self.name, &self.seed).expect("a key")
    }

    /// The first `size` records alone.
    pub(super) fn first(&self, size: usize) -> Self {
        Self {
            records: self.records[..size].to_vec(),
            ..self.clone()
        }
    }

    /// The same log with a record changed.
    pub(super) fn with(&self, place: usize, edit: impl FnOnce(&mut LogRecord)) -> Self {
        let mut changed = self.clone();
        edit(&mut changed.records[place]);
        changed
    }

    /// The same log with a record more.
    pub(super) fn and(&self, record: LogRecord) -> Self {
        let mut longer = self.clone();
        longer.records.push(record);
        longer
    }

    /// The answer to a question with this query: all records of the version that it asks for.
    pub(super) fn answer(&self, query: &str) -> Value {
        let version: Version = value(query, "version").parse().expect("a version");
        let is_of = |record: &LogRecord| record.version().is_none_or(|it| *it == version);
        let places: Vec<usize> = (0..self.records.len())
            .filter(|place| is_of(&self.records[*place]))
            .collect();
        self.answer_with(&places, value(query, "older").parse().expect("a number"))
    }

    /// The answer with the records in these places.
    pub(super) fn answer_with(&self, places: &[usize], older: u64) -> Value {
        let mut tree = Tree::default();
        for record in &self.records {
            tree.append(&record.to_bytes());
        }
        let size = tree.size();
        let time = (OffsetDateTime::now_utc() - self.age).unix_timestamp();
        let time = u64::try_from(time).expect("a time after 1970");
        let signer = self.signer();
        let records = places.iter().map(|&place| {
            json!({
                "index": place,
                "record": String::from_utf8(self.records[place].to_bytes()).expect("text"),
                "proof": tree.inclusion_proof(size, u64::try_from(place).expect("a place")),
            })
        });
        let records: Vec<Value> = records.collect();
        let consistency = match older {
            1.. if older <= size => tree.consistency_proof(size, older),
            _ => Proof::default(),
        };
        json!({
            "key": signer.key(),
            "checkpoint": signer.sign(size, tree.root(), time).expect("a checkpoint"),
            "consistency": consistency,
            "records": records,
        })
    }
}

/// The value of a query's parameter.
pub(super) fn value<'a>(query: &'a str, name: &str) -> &'a str {
    query
        .split(['?', '&'])
        .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
        .expect("a parameter")
}
