//! The JSON answer `{"success": true}` to requests that give nothing else back.

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
