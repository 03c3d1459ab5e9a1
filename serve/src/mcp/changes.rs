//! Telling clients that what is offered is something else: those with a session unasked, those
//! without while a request of theirs listens.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ServerNotification, SubscriptionFilter};
use rmcp::service::{Peer, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::watch;

use crate::Catalogue;

/// How often it is looked whether a client that has not been told anything is still there.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// The lists that a client may be told of.
#[derive(Clone, Copy)]
struct Lists {
    tools: bool,
    prompts: bool,
    resources: bool,
}

/// Tells the client of a session until it leaves.
pub(super) async fn tell(peer: Peer<RoleServer>, mut changes: watch::Receiver<Arc<Catalogue>>) {
    let lists = Lists::declared(&changes.borrow());
    while !peer.is_transport_closed() {
        match tokio::time::timeout(LOOK_EVERY, changes.changed()).await {
            Err(_) => {}
            Ok(Err(_)) => return,
            Ok(Ok(())) => {
                for notification in lists.notifications() {
                    if let Err(error) = peer.send_notification(notification).await {
                        tracing::debug!(%error, "a client could not be told of a change");
                        return;
                    }
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
    let lists = Lists::accepted(context.sink().accepted());
    loop {
        tokio::select! {
            () = context.cancelled() => return Ok(()),
            changed = changes.changed() => {
                if changed.is_err() {
                    return Ok(());
                }
                for notification in lists.notifications() {
                    if context.sink().send(notification).await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
}

impl Lists {
    /// Those that a server of `catalogue` declares.
    fn declared(catalogue: &Catalogue) -> Self {
        Self {
            tools: true,
            prompts: catalogue.beside().has_prompts(),
            resources: catalogue.beside().has_resources(),
        }
    }

    fn accepted(filter: &SubscriptionFilter) -> Self {
        Self {
            tools: filter.tools_list_changed == Some(true),
            prompts: filter.prompts_list_changed == Some(true),
            resources: filter.resources_list_changed == Some(true),
        }
    }

    fn notifications(self) -> impl Iterator<Item = ServerNotification> {
        let tools = || ServerNotification::ToolListChangedNotification(Default::default());
        let prompts = || ServerNotification::PromptListChangedNotification(Default::default());
        let resources = || ServerNotification::ResourceListChangedNotification(Default::default());
        let all = [
            self.tools.then(tools),
            self.prompts.then(prompts),
            self.resources.then(resources),
        ];
        all.into_iter().flatten()
    }
}
