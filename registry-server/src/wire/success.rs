//! The JSON answer `{"success": true}` to a request that was carried out and gives nothing else
//! back.

use serde::Serialize;
use utoipa::ToSchema;

/// The request was carried out.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Success {
    success: bool,
}

impl Success {
    pub(crate) const DONE: Self = Self { success: true };
}
