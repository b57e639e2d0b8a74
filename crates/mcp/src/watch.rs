//! Checks every half second whether files changed, and notifies sessions.
#![expect(deprecated, reason = "current clients still request log messages")]

use std::sync::Arc;
use std::time::Duration;

use agpm_app::watch::{ProjectWatch, watch_project};
use rmcp::Peer;
use rmcp::service::{RoleServer, SubscriptionContext};
use tokio::sync::broadcast::error::RecvError;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::list_changes::{ChangeReader, ChangedList};
use crate::log::LogThreshold;
use crate::shared::{CatalogState, SharedState};

const INTERVAL: Duration = Duration::from_millis(500);
/// How often a session that is not notified of anything is checked for its end.
const END_CHECK: Duration = Duration::from_secs(60);

/// Watches files until the server ends.
pub(crate) async fn watch_files(shared: Arc<SharedState>) {
    let first = Arc::clone(&shared);
    let begun = spawn_blocking(move || {
        first.catalog_state();
        watch_project(&first.world)
    });
    let Ok(mut project) = begun.await else {
        return;
    };
    loop {
        tokio::select! {
            // Polling some thirty paths costs less than a watcher, needs no system service and misses no event.
            () = sleep(INTERVAL) => {}
            () = shared.closing.cancelled() => return,
        }
        let current = Arc::clone(&shared);
        let Ok(watch) = spawn_blocking(move || compare_files(&current, project)).await else {
            return;
        };
        project = watch;
    }
}

fn compare_files(shared: &SharedState, project: ProjectWatch) -> ProjectWatch {
    let catalog = shared.catalog_state();
    let project_changed = project.has_changed();
    let project = if project_changed {
        watch_project(&shared.world)
    } else {
        project
    };
    let catalog_changed = catalog == CatalogState::Changed && shared.renew_catalog();
    if catalog_changed || project_changed {
        shared.changes.send_modify(|changes| {
            changes.resources += 1;
            // The manifest decides which remotes there are, and with them which agents.
            changes.prompts += u64::from(catalog != CatalogState::Same);
        });
    }
    project
}

/// Notifies a session of changes and log messages until it ends.
pub(crate) async fn notify_session(
    shared: Arc<SharedState>,
    peer: Peer<RoleServer>,
    level: Arc<LogThreshold>,
) {
    let mut changes = ChangeReader::new(&shared.changes);
    let mut log = shared.log.subscribe();
    while !peer.is_transport_closed() {
        tokio::select! {
            lists = changes.next() => {
                for list in lists {
                    // An error means that the session has ended, which the loop checks.
                    let _ = match list {
                        ChangedList::Resources => peer.notify_resource_list_changed().await,
                        ChangedList::Prompts => peer.notify_prompt_list_changed().await,
                    };
                }
            }
            entry = log.recv() => match entry {
                Ok(entry) => {
                    if let Some(message) = level.message(entry) {
                        let _ = peer.notify_logging_message(message).await;
                    }
                }
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            },
            () = sleep(END_CHECK) => {}
            () = shared.closing.cancelled() => return,
        }
    }
}

/// Notifies a subscription of changes until it is cancelled or the server ends.
pub(crate) async fn notify_subscription(shared: &SharedState, subscription: SubscriptionContext) {
    let mut changes = ChangeReader::new(&shared.changes);
    let sink = subscription.sink();
    loop {
        tokio::select! {
            lists = changes.next() => {
                for list in lists {
                    // The SDK refuses to send changes that the client did not subscribe to.
                    let _ = match list {
                        ChangedList::Resources => sink.notify_resource_list_changed().await,
                        ChangedList::Prompts => sink.notify_prompt_list_changed().await,
                    };
                }
            }
            () = subscription.cancelled() => return,
            () = shared.closing.cancelled() => return,
        }
    }
}
