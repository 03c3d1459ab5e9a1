//! Reads the kind of repository from a request body.

use crate::http::Refusal;
use crate::names::RepositoryKind;

/// The kind a body names; no kind means a model.
pub(super) fn kind_of(word: Option<&str>) -> Result<RepositoryKind, Refusal> {
    let word = word.unwrap_or("model");
    RepositoryKind::from_word(word)
        .ok_or_else(|| Refusal::bad_request(format!("{word:?} is not a kind of repository")))
}
