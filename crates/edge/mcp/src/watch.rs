//! Looks now and then whether files changed, and notifies sessions. It compares stamps and reads nothing.
#![expect(deprecated, reason = "current clients still request log messages")]

use std::sync::Arc;
use std::time::Duration;

use agpm_ops::watch_project;
use rmcp::Peer;
use rmcp::model::LoggingMessageNotificationParam;
use rmcp::service::{RoleServer, SubscriptionContext};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch::Receiver;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::list_changes::{ChangedList, ListChanges};
use crate::log::LogThreshold;
use crate::shared::{CatalogState, SharedState};

const EVERY: Duration = Duration::from_millis(500);

/// Looks at the files until the server ends.
pub(crate) async fn watch_files(shared: Arc<SharedState>) {
    let looking = Arc::clone(&shared);
    let looked = spawn_blocking(move || {
        looking.catalog_state();
        watch_project(&looking.world)
    });
    let Ok(mut project) = looked.await else {
        return;
    };
    loop {
        tokio::select! {
            // Polling some thirty paths costs less than a watcher, needs no system service and misses no event.
            () = sleep(EVERY) => {}
            () = shared.closing.cancelled() => return,
        }
        let looking = Arc::clone(&shared);
        let looked = spawn_blocking(move || {
            let catalog = looking.catalog_state();
            let changed = project.has_changed();
            (
                if changed {
                    watch_project(&looking.world)
                } else {
                    project
                },
                changed,
                catalog,
            )
        });
        let Ok((next, project_changed, catalog)) = looked.await else {
            return;
        };
        project = next;
        let catalog_changed = catalog == CatalogState::Changed && renew_catalog(&shared).await;
        if !catalog_changed && !project_changed {
            continue;
        }
        shared.changes.send_modify(|changes| {
            changes.resources += 1;
            // Which remotes there are, and so which agents, is for the manifest to say.
            changes.prompts += u64::from(catalog != CatalogState::Same);
        });
    }
}

/// Reads the catalog again, so what is wrong with it is reported and the next change is seen; whether it differs.
async fn renew_catalog(shared: &Arc<SharedState>) -> bool {
    let shared = Arc::clone(shared);
    spawn_blocking(move || shared.renew_catalog())
        .await
        .unwrap_or(true)
}

/// The changes since the last query.
struct ChangeSubscription {
    changes: Receiver<ListChanges>,
    before: ListChanges,
}

impl ChangeSubscription {
    fn of(shared: &SharedState) -> Self {
        let mut changes = shared.changes.subscribe();
        let before = *changes.borrow_and_update();
        ChangeSubscription { changes, before }
    }

    /// The next lists that change; none when there will be no more.
    async fn next(&mut self) -> Option<impl Iterator<Item = ChangedList> + use<>> {
        self.changes.changed().await.ok()?;
        let now = *self.changes.borrow_and_update();
        Some(now.since(std::mem::replace(&mut self.before, now)))
    }
}

/// Reports a session of changes and messages until it ends.
pub(crate) async fn notify_session(
    shared: Arc<SharedState>,
    peer: Peer<RoleServer>,
    level: Arc<LogThreshold>,
) {
    let (mut news, mut log) = (ChangeSubscription::of(&shared), shared.log.listen());
    while !peer.is_transport_closed() {
        tokio::select! {
            lists = news.next() => {
                let Some(lists) = lists else { return };
                for list in lists {
                    // A session that is gone is noticed above.
                    let _ = match list {
                        ChangedList::Resources => peer.notify_resource_list_changed().await,
                        ChangedList::Prompts => peer.notify_prompt_list_changed().await,
                    };
                }
            }
            told = log.recv() => match told.map(|told| level.admits(told)) {
                Ok(Some(message)) => send_log_message(&peer, message).await,
                Ok(None) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            },
            () = shared.closing.cancelled() => return,
        }
    }
}

async fn send_log_message(peer: &Peer<RoleServer>, message: LoggingMessageNotificationParam) {
    let _ = peer.notify_logging_message(message).await;
}

/// Reports a subscription of changes until it is cancelled or the server ends.
pub(crate) async fn notify_subscription(shared: &SharedState, subscription: SubscriptionContext) {
    let mut news = ChangeSubscription::of(shared);
    loop {
        tokio::select! {
            lists = news.next() => {
                let Some(lists) = lists else { return };
                for list in lists {
                    // Changes that the client did not subscribe to are not sent.
                    let _ = match list {
                        ChangedList::Resources => subscription.sink().notify_resource_list_changed().await,
                        ChangedList::Prompts => subscription.sink().notify_prompt_list_changed().await,
                    };
                }
            }
            () = subscription.cancelled() => return,
            () = shared.closing.cancelled() => return,
        }
    }
}
