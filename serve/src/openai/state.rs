//! The state of a gateway that every request needs, one for each caller.

use tokio_util::sync::CancellationToken;

use super::gateway::Gateway;
use super::hidden_turns::HiddenTurns;
use crate::budget::Share;
use crate::toolset::Toolset;

/// The state that every request needs.
pub(crate) struct GatewayState {
    pub(super) gateway: Gateway,
    pub(super) toolset: Toolset,
    pub(super) hidden_turns: HiddenTurns,
    /// The caller's share of the memory, for replies.
    pub(super) replies: Share,
    /// Ends answers that are under way.
    pub(super) stop: CancellationToken,
}
