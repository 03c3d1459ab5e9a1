//! The settings of a gateway: endpoint, key, limit of rounds, strict definitions, grammar.
//! The grammar is for an endpoint that knows no tools.

use std::num::NonZeroU32;

use reqwest::Url;
use serde_json::{Map, Value};
use tool_hub_agent::constraint::Backend;

use super::grammar_enforcement::GrammarEnforcement;
use super::upstream::{EndpointKey, GatewayError, Upstream};

/// The number of times that a model is asked for one answer, unless the operator sets another.
const ROUNDS_MAX: u32 = 8;

/// An endpoint whose models get the toolbox's functions. Cloning is cheap.
#[derive(Clone)]
pub struct Gateway {
    pub(super) upstream: Upstream,
    pub(super) rounds_max: u32,
    pub(super) strictness: Strictness,
    pub(super) enforcement: Option<GrammarEnforcement>,
}

/// The form of the toolbox's functions for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// The functions as they are.
    Plain,
    /// So that the model can write nothing but arguments of the right shape.
    Strict,
}

impl Gateway {
    /// Before the endpoint at `url`, which is what clients call its base URL. One without a path
    /// gets the usual one, `/v1`.
    ///
    /// # Errors
    /// When `url` is no http or https URL, or holds a user, a query or a fragment; when the
    /// system has no certificates to trust.
    pub fn new(url: Url) -> Result<Self, GatewayError> {
        Ok(Self {
            upstream: Upstream::new(url)?,
            rounds_max: ROUNDS_MAX,
            strictness: Strictness::Plain,
            enforcement: None,
        })
    }

    /// Shows `key` to the endpoint. Without one it is asked anonymously: what clients show is for
    /// this server.
    #[must_use]
    pub fn with_key(mut self, key: EndpointKey) -> Self {
        self.upstream.show(key);
        self
    }

    /// Asks the model at most `rounds` times for one answer, 8 unless told otherwise. In the last
    /// of several it may call nothing, so that it has to answer.
    #[must_use]
    pub fn with_rounds_max(mut self, rounds: NonZeroU32) -> Self {
        self.rounds_max = rounds.get();
        self
    }

    /// Writes the functions with `"strict": true`, for endpoints that hold a model to it.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strictness = Strictness::Strict;
        self
    }

    /// Holds models to calls by a grammar, as `backend` takes it, for endpoints that know no tools:
    /// `tools` and every `tool_choice` of the Chat Completions API work before them, one call at a
    /// time. An answer is shown as the model writes it, a call when it is whole.
    #[must_use]
    pub fn held_by(mut self, backend: Backend) -> Self {
        self.enforcement = Some(GrammarEnforcement::new(backend));
        self
    }

    /// The grammar that holds the model in such a request, if one has to.
    pub(super) fn enforcement(&self, request: &Map<String, Value>) -> Option<&GrammarEnforcement> {
        self.enforcement
            .as_ref()
            .filter(|_| GrammarEnforcement::concerns(request))
    }
}
