//! The `RestState` of one caller: its toolset, where functions are found, pages and stop signal.

use axum::http::StatusCode;
use tokio_util::sync::CancellationToken;

use super::cached_documents::PageCache;
use crate::http::problem::Problem;
use crate::resolved_function::{ResolvedFunction, UnknownFunction};
use crate::toolset::Toolset;

/// The state that every route needs.
pub(super) struct RestState {
    pub(super) toolset: Toolset,
    pub(super) pages: PageCache,
    /// Ends calls that are under way.
    pub(super) stop: CancellationToken,
}

impl RestState {
    /// The function that programs call `name`.
    pub(super) fn function(&self, name: &str) -> Result<ResolvedFunction, Problem> {
        ResolvedFunction::find(&self.toolset, name).map_err(unknown)
    }
}

fn unknown(unknown: UnknownFunction) -> Problem {
    let problem = Problem::new(StatusCode::NOT_FOUND, unknown.to_string());
    match unknown.nearest() {
        Some(nearest) => problem.with("nearest", nearest),
        None => problem,
    }
}
