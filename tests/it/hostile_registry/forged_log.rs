//! A `ForgedLog`: a log that the owner of a registry signs with its real key, with any content.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use time::{Duration, OffsetDateTime};
use tool_hub_manifest::Version;
use tool_hub_transparency::{LogRecord, LogSigner, Proof, TilePath, Tree, entry_bundle};

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

    /// The static file of the log at this path, whatever is asked of it.
    pub(super) fn file(&self, path: &str) -> Vec<u8> {
        match path.split('?').next().unwrap_or_default() {
            "key" => self.signer().key().to_string().into_bytes(),
            "checkpoint" => self.checkpoint().into_bytes(),
            tile => {
                let tile: TilePath = tile.parse().expect("a tile");
                let range = tile.range();
                let place = |place: u64| usize::try_from(place).expect("a place");
                let records = &self.records[place(range.start)..place(range.end)];
                let records: Vec<Vec<u8>> = records.iter().map(LogRecord::to_bytes).collect();
                entry_bundle(records.iter().map(Vec::as_slice))
            }
        }
    }

    /// The checkpoint, as it was signed before the age of it.
    pub(super) fn checkpoint(&self) -> String {
        let tree = self.tree();
        let time = (OffsetDateTime::now_utc() - self.age).unix_timestamp();
        let time = u64::try_from(time).expect("a time after 1970");
        let signed = self.signer().sign(tree.size(), tree.root(), time);
        signed.expect("a checkpoint")
    }

    fn tree(&self) -> Tree {
        let mut tree = Tree::default();
        for record in &self.records {
            tree.append(&record.to_bytes());
        }
        tree
    }

    /// The files of a data set that is this log of `repo`.
    pub(super) fn files(&self, repo: &str) -> BTreeMap<String, Vec<u8>> {
        let tree = self.tree();
        let mut files = BTreeMap::from([("checkpoint".to_owned(), self.checkpoint().into())]);
        for path in TilePath::added(0, tree.size()) {
            let records = self.records.iter().map(LogRecord::to_bytes);
            let records: Vec<Vec<u8>> = records.collect();
            let content = match path.is_entries() {
                true => entry_bundle(records.iter().map(Vec::as_slice)),
                false => tree.tile(path),
            };
            files.insert(path.to_string(), content);
        }
        let mut index: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (place, record) in self.records.iter().enumerate() {
            let version = record.version().expect("a version").to_string();
            index.entry(version).or_default().push(place);
        }
        let index = serde_json::to_vec(&index).expect("JSON");
        files.insert(format!("index/{repo}.json"), index);
        files
    }

    /// The answer with the records in these places.
    pub(super) fn answer_with(&self, places: &[usize], older: u64) -> Value {
        let tree = self.tree();
        let size = tree.size();
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
            "key": self.signer().key(),
            "checkpoint": self.checkpoint(),
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
