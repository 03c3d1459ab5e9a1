//! Keeps the HTTP exchanges of a project's tests in `tests/recordings`, and answers from there.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;
use data_encoding::BASE64;
use serde::{Deserialize, Serialize};
use tool_hub_host::{HttpDecision, HttpRecorder, RecordedRequest, RecordedResponse};

use super::case_file::DIRECTORY;
use crate::files;
use crate::terminal::problem::Problem;

/// The longest recording of the cases of one file.
const RECORDING_BYTES_MAX: u64 = 32 << 20;

/// Where the answers to requests come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Requests {
    /// From recordings only.
    Replayed,
    /// From the network, and they are recorded.
    Recorded,
}

/// The exchanges of the cases of one file.
#[derive(Debug)]
pub(super) struct Recording {
    path: PathBuf,
    requests: Requests,
    exchanges: Mutex<Vec<Exchange>>,
}

/// A request and its answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exchange {
    method: String,
    url: String,
    #[serde(default, skip_serializing_if = "Body::is_empty")]
    request: Body,
    status: u16,
    headers: Vec<(String, String)>,
    response: Body,
    /// True once it answered a request of this run.
    #[serde(skip)]
    is_used: bool,
}

/// A body: as text where it is text, else in base64.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Body {
    Text(String),
    Base64(String),
}

impl Default for Body {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Body {
    fn of(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Base64(BASE64.encode(bytes)),
        }
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            // What is not base64 is no body; a recording is read as it was written.
            Self::Base64(text) => BASE64.decode(text.as_bytes()).unwrap_or_default(),
        }
    }
}

impl Recording {
    /// The recording for the cases of the file `name` of `project`; empty where there is none, and
    /// where it is made anew.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn open(project: &Path, name: &str, requests: Requests) -> anyhow::Result<Self> {
        let place = project.join(DIRECTORY).join("recordings");
        let path = place.join(format!("{name}.json"));
        let exchanges = match requests {
            Requests::Replayed if path.exists() => read(&path)?,
            _ => Vec::new(),
        };
        Ok(Self {
            path,
            requests,
            exchanges: Mutex::new(exchanges),
        })
    }

    /// A recording that answers nothing.
    pub(super) fn none() -> Self {
        Self {
            path: PathBuf::new(),
            requests: Requests::Replayed,
            exchanges: Mutex::default(),
        }
    }

    /// Writes what was recorded below `project`, where something was; the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn finish(&self, project: &Path) -> anyhow::Result<Option<&Path>> {
        let exchanges = self
            .exchanges
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if self.requests == Requests::Replayed || exchanges.is_empty() {
            return Ok(None);
        }
        let mut text = serde_json::to_string_pretty(&*exchanges)?;
        text.push('\n');
        if text.len() as u64 > RECORDING_BYTES_MAX {
            return Err(Problem::refused(format!(
                "the requests of {} have more than {RECORDING_BYTES_MAX} bytes",
                self.path.display()
            ))
            .hint("fetch less in tests, or divide the cases among several files")
            .into());
        }
        files::refuse_outside(project, &self.path)?;
        files::write(&self.path, text.as_bytes())?;
        Ok(Some(&self.path))
    }
}

fn read(path: &Path) -> anyhow::Result<Vec<Exchange>> {
    let text = files::read_text(path, RECORDING_BYTES_MAX);
    let text = text.with_context(|| format!("{} cannot be read", path.display()))?;
    serde_json::from_str(&text).map_err(|error| {
        Problem::user(format!("{} is no recording", path.display()))
            .caused_by(error)
            .hint("record it anew with: tool test --record --allow-network ORIGIN")
            .into()
    })
}

impl HttpRecorder for Recording {
    /// Answers of the same request are given in the order in which they were recorded, the last
    /// one as often as it is asked for.
    fn decide(&self, request: &RecordedRequest) -> HttpDecision {
        if self.requests == Requests::Recorded {
            return HttpDecision::Send;
        }
        let mut exchanges = self
            .exchanges
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let body = Body::of(&request.body);
        let is_same = |it: &&mut Exchange| {
            it.method == request.method && it.url == request.url && it.request == body
        };
        let mut last = None;
        for exchange in exchanges.iter_mut().filter(is_same) {
            let is_new = !exchange.is_used;
            exchange.is_used = true;
            last = Some(&*exchange);
            if is_new {
                break;
            }
        }
        match last {
            None => HttpDecision::Refuse,
            Some(exchange) => HttpDecision::Answer(RecordedResponse {
                status: exchange.status,
                headers: exchange.headers.clone(),
                body: exchange.response.bytes().into(),
            }),
        }
    }

    fn record(&self, request: &RecordedRequest, response: &RecordedResponse) {
        let exchange = Exchange {
            method: request.method.clone(),
            url: request.url.clone(),
            request: Body::of(&request.body),
            status: response.status,
            headers: response.headers.clone(),
            response: Body::of(&response.body),
            is_used: false,
        };
        let mut exchanges = self
            .exchanges
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        exchanges.push(exchange);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(url: &str) -> RecordedRequest {
        RecordedRequest {
            method: "GET".to_owned(),
            url: url.to_owned(),
            body: Vec::new().into(),
        }
    }

    fn response(body: &[u8]) -> RecordedResponse {
        RecordedResponse {
            status: 200,
            headers: vec![("content-type".to_owned(), "text/plain".to_owned())],
            body: body.to_vec().into(),
        }
    }

    #[test]
    fn answers_come_back_in_order_and_the_last_one_stays() {
        let project = tempfile::tempdir().unwrap();
        let project = project.path();
        let recording = Recording::open(project, "a", Requests::Recorded).unwrap();
        let url = "https://example.com/";
        assert_eq!(recording.decide(&request(url)), HttpDecision::Send);
        let answers = [response(b"one"), response(b"\xff\x00")];
        for answer in &answers {
            recording.record(&request(url), answer);
        }
        assert!(recording.finish(project).unwrap().is_some());
        let replayed = Recording::open(project, "a", Requests::Replayed).unwrap();
        for expect in [&answers[0], &answers[1], &answers[1]] {
            let expect = HttpDecision::Answer(expect.clone());
            assert_eq!(replayed.decide(&request(url)), expect);
        }
        let other = replayed.decide(&request("https://example.com/other"));
        assert_eq!(other, HttpDecision::Refuse);
        assert!(replayed.finish(project).unwrap().is_none());
    }
}
