//! Notifies clients of changed lists and resources, with a session or while they listen.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    Notification, ResourceUpdatedNotificationParam, ServerNotification, SubscriptionFilter,
};
use rmcp::service::{Peer, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};
use tool_hub_manifest::ToolKey;

use super::session::Session;
use crate::catalogue::Catalogue;
use crate::offerings::Offerings;
use crate::toolset::Toolset;

/// The interval in which a client that has not been told anything is checked for having left.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// The lists that a client may be told of.
#[derive(Clone, Copy)]
struct Lists {
    tools: bool,
    prompts: bool,
    resources: bool,
}

/// The receivers of changes from now on.
pub(super) struct Changes {
    offered: watch::Receiver<Arc<Catalogue>>,
    touched: broadcast::Receiver<ToolKey>,
}

/// A change.
enum Change {
    /// The functions that are offered.
    Offered,
    /// The resources of a tool, perhaps, or of any.
    Resources(Option<ToolKey>),
}

impl Changes {
    pub(super) fn of(toolset: &Toolset) -> Self {
        Self {
            offered: toolset.changes(),
            touched: toolset.touched(),
        }
    }

    /// The next change; `None` when there will be none any more.
    async fn next(&mut self) -> Option<Change> {
        tokio::select! {
            changed = self.offered.changed() => changed.ok().map(|()| Change::Offered),
            touched = self.touched.recv() => match touched {
                Ok(key) => Some(Change::Resources(Some(key))),
                Err(RecvError::Lagged(_)) => Some(Change::Resources(None)),
                Err(RecvError::Closed) => None,
            },
        }
    }
}

/// Tells the client of a session until it leaves.
pub(super) async fn notify(peer: Peer<RoleServer>, mut changes: Changes, session: Arc<Session>) {
    let lists = Lists::declared(&changes.offered.borrow());
    while !peer.is_transport_closed() {
        let Ok(change) = tokio::time::timeout(LOOK_EVERY, changes.next()).await else {
            continue;
        };
        let Some(change) = change else { return };
        for notification in lists.notifications(&change, |key| session.watched(key)) {
            if let Err(error) = peer.send_notification(notification).await {
                tracing::debug!(%error, "a client could not be told of a change");
                return;
            }
        }
    }
}

/// Tells a client for as long as it listens.
pub(super) async fn tell_listener(
    context: SubscriptionContext,
    mut changes: Changes,
    offerings: Offerings,
) -> Result<(), ErrorData> {
    let accepted = context.sink().accepted();
    let lists = Lists::accepted(accepted);
    let session = Session::default();
    for uri in accepted.resource_subscriptions.iter().flatten() {
        let reader = tokio::select! {
            () = context.cancelled() => return Ok(()),
            reader = offerings.reader(uri) => reader,
        };
        if let Some(reader) = reader {
            session.watch(uri.clone(), reader.key.clone())?;
        }
    }
    // Dropped, because it keeps tools alive that may have been removed.
    drop(offerings);
    loop {
        let change = tokio::select! {
            () = context.cancelled() => return Ok(()),
            change = changes.next() => change,
        };
        let Some(change) = change else { return Ok(()) };
        for notification in lists.notifications(&change, |key| session.watched(key)) {
            if context.sink().send(notification).await.is_err() {
                return Ok(());
            }
        }
    }
}

impl Lists {
    /// Those that a server of `catalogue` declares.
    fn declared(catalogue: &Catalogue) -> Self {
        Self {
            tools: true,
            prompts: catalogue.offerings().has_prompts(),
            resources: catalogue.offerings().has_resources(),
        }
    }

    fn accepted(filter: &SubscriptionFilter) -> Self {
        Self {
            tools: filter.tools_list_changed == Some(true),
            prompts: filter.prompts_list_changed == Some(true),
            resources: filter.resources_list_changed == Some(true),
        }
    }

    /// The notifications of `change` for a client. `watched` are the resources that it watches.
    fn notifications(
        self,
        change: &Change,
        watched: impl Fn(Option<&ToolKey>) -> Vec<String>,
    ) -> Vec<ServerNotification> {
        let tools = || ServerNotification::ToolListChangedNotification(Default::default());
        let prompts = || ServerNotification::PromptListChangedNotification(Default::default());
        let resources = || ServerNotification::ResourceListChangedNotification(Default::default());
        let updated = |uri| {
            let updated = ResourceUpdatedNotificationParam::new(uri);
            ServerNotification::ResourceUpdatedNotification(Notification::new(updated))
        };
        let (is_offered, key) = match change {
            Change::Offered => (true, None),
            Change::Resources(key) => (false, key.as_ref()),
        };
        let lists = [
            (is_offered && self.tools).then(tools),
            (is_offered && self.prompts).then(prompts),
            self.resources.then(resources),
        ];
        let updates = watched(key).into_iter().map(updated);
        lists.into_iter().flatten().chain(updates).collect()
    }
}
