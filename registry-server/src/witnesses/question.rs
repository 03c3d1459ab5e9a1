//! The `Question` to a witness, `add-checkpoint` of C2SP `tlog-witness`, and what it answers.
//! A witness is a stranger: its answer is bounded in length and time, and its signature verified.

use std::time::Duration;

use futures::StreamExt as _;
use reqwest::{Client, Response, StatusCode, redirect};
use tool_hub_transparency::{Cosignature, WitnessKey};
use url::Url;

use crate::database::Database;
use crate::database::witnesses::WitnessRow;
use crate::error::RegistryError;
use crate::served_log::ServedLog;

/// The time for a whole answer.
const ANSWER_MAX: Duration = Duration::from_secs(10);
/// The longest answer that is read.
const ANSWER_BYTES_MAX: usize = 16 << 10;
/// The most questions in a row: the second with the size that the witness named.
const ATTEMPTS_MAX: u32 = 2;

/// A checkpoint, and the witness that is asked to cosign it.
pub(super) struct Question<'a> {
    pub(super) http: &'a Client,
    pub(super) witness: &'a WitnessRow,
    pub(super) database: &'a Database,
    pub(super) log: &'a ServedLog,
    /// The checkpoint as the log's own key signed it.
    pub(super) checkpoint: &'a str,
}

/// A reason why a witness did not cosign. It is for the operator, and holds no text of the witness.
#[derive(Debug, thiserror::Error)]
pub(super) enum WitnessFault {
    #[error("its key or address cannot be read")]
    Damaged,
    #[error("it cannot be reached, or did not answer within {} seconds", ANSWER_MAX.as_secs())]
    Request(#[from] reqwest::Error),
    #[error("its answer is longer than {ANSWER_BYTES_MAX} bytes")]
    TooLong,
    #[error("its answer holds no signature by its key over this checkpoint")]
    NotSigned,
    #[error("it has cosigned {theirs} records, and here are {ours}: was an older state restored?")]
    Ahead { theirs: u64, ours: u64 },
    #[error("it has seen another history of this log: it refuses the proof")]
    Forked,
    #[error("it does not know this log: give it the key at /api/log/key")]
    UnknownLog,
    #[error("it knows another key of this log")]
    OtherKey,
    #[error("it answers with status {0}")]
    Status(StatusCode),
}

/// The answer of a witness.
enum Answer {
    Signed(Cosignature),
    /// It has cosigned a checkpoint of this size.
    Conflict(u64),
}

/// A client that follows no redirect and uses no proxy of its surroundings.
pub(super) fn client() -> Result<Client, reqwest::Error> {
    Client::builder()
        .user_agent(concat!("tool-hub-registry/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .no_proxy()
        .timeout(ANSWER_MAX)
        .build()
}

impl Question<'_> {
    /// Asks with the proof from the size that the witness cosigned last, as far as that is known
    /// here; if it says another one, once more from that.
    pub(super) async fn ask(&self) -> Result<Result<Cosignature, WitnessFault>, RegistryError> {
        let ours = self.log.size;
        let mut older = self.witness.size.unsigned_abs();
        for _ in 0..ATTEMPTS_MAX {
            if older > ours {
                return Ok(Err(WitnessFault::Ahead {
                    theirs: older,
                    ours,
                }));
            }
            let body = self.body(older).await?;
            match self.send(body).await {
                Ok(Answer::Signed(cosignature)) => return Ok(Ok(cosignature)),
                // The same size, and another root.
                Ok(Answer::Conflict(size)) if size == older => {
                    return Ok(Err(WitnessFault::Forked));
                }
                Ok(Answer::Conflict(size)) => older = size,
                Err(fault) => return Ok(Err(fault)),
            }
        }
        Ok(Err(WitnessFault::Status(StatusCode::CONFLICT)))
    }

    async fn body(&self, older: u64) -> Result<String, RegistryError> {
        let proof = match older == self.log.size {
            true => String::new(),
            false => self.log.consistency(self.database, older).await?.lines(),
        };
        Ok(format!("old {older}\n{proof}\n{}", self.checkpoint))
    }

    async fn send(&self, body: String) -> Result<Answer, WitnessFault> {
        let key: WitnessKey = self
            .witness
            .key
            .parse()
            .map_err(|_| WitnessFault::Damaged)?;
        let url = address(&self.witness.url).ok_or(WitnessFault::Damaged)?;
        let response = self.http.post(url).body(body).send().await?;
        match response.status() {
            StatusCode::OK => {
                let signed = text(response).await?.ok_or(WitnessFault::NotSigned)?;
                // To the signatures of the log are added those that the witness sent.
                let note = format!("{}{signed}", self.checkpoint);
                let cosignature = key.cosignature(&note).ok_or(WitnessFault::NotSigned)?;
                Ok(Answer::Signed(cosignature))
            }
            status @ StatusCode::CONFLICT => {
                let size = text(response).await?;
                let size = size.and_then(|size| size.trim().parse().ok());
                size.map(Answer::Conflict)
                    .ok_or(WitnessFault::Status(status))
            }
            StatusCode::UNPROCESSABLE_ENTITY => Err(WitnessFault::Forked),
            StatusCode::NOT_FOUND => Err(WitnessFault::UnknownLog),
            StatusCode::FORBIDDEN => Err(WitnessFault::OtherKey),
            status => Err(WitnessFault::Status(status)),
        }
    }
}

fn address(prefix: &str) -> Option<Url> {
    let mut url: Url = prefix.parse().ok()?;
    url.path_segments_mut()
        .ok()?
        .pop_if_empty()
        .push("add-checkpoint");
    Some(url)
}

/// The text of an answer; none if it is no UTF-8.
async fn text(response: Response) -> Result<Option<String>, WitnessFault> {
    let mut pieces = response.bytes_stream();
    let mut body = Vec::new();
    while let Some(piece) = pieces.next().await {
        let piece = piece?;
        if body.len() + piece.len() > ANSWER_BYTES_MAX {
            return Err(WitnessFault::TooLong);
        }
        body.extend_from_slice(&piece);
    }
    Ok(String::from_utf8(body).ok())
}
