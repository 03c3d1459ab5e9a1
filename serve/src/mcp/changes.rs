//! Telling clients that the list of tools is another one: those with a session unasked, those
//! without while a request of theirs listens.

use std::sync::Arc;
use std::time::Duration;

use rmcp::service::{Peer, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::watch;

use crate::Catalogue;

/// How often it is looked whether a client that has not been told anything is still there.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// Tells the client of a session until it leaves.
pub(super) async fn tell(peer: Peer<RoleServer>, mut changes: watch::Receiver<Arc<Catalogue>>) {
    while !peer.is_transport_closed() {
        match tokio::time::timeout(LOOK_EVERY, changes.changed()).await {
            Err(_) => {}
            Ok(Err(_)) => return,
            Ok(Ok(())) => {
                if let Err(error) = peer.notify_tool_list_changed().await {
                    tracing::debug!(%error, "a client could not be told of a change");
                    return;
                }
            }
        }
    }
}

/// Tells a client for as long as it listens.
pub(super) async fn tell_listener(
    context: SubscriptionContext,
    mut changes: watch::Receiver<Arc<Catalogue>>,
) -> Result<(), ErrorData> {
    loop {
        tokio::select! {
            () = context.cancelled() => return Ok(()),
            changed = changes.changed() => {
                if changed.is_err() || context.sink().notify_tool_list_changed().await.is_err() {
                    return Ok(());
                }
            }
        }
    }
}
