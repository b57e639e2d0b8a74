//! Checks every half second whether files changed, and notifies sessions.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use agpm_app::watch::watch_project;

use crate::list_changes::ListChanges;
use crate::shared::{CatalogState, SharedState};

const INTERVAL: Duration = Duration::from_millis(500);

/// Starts the thread that watches until the server ends, unless it runs already.
pub(crate) fn start_watching(shared: &Arc<SharedState>) {
    shared.watching.call_once(|| {
        let shared = Arc::clone(shared);
        let thread = thread::Builder::new().name("mcp-watch".to_owned());
        // Without the thread, clients get no notifications, but every request still reads current files.
        let _ = thread.spawn(move || watch_files(&shared));
    });
}

fn watch_files(shared: &SharedState) {
    shared.catalog_state();
    let mut project = watch_project(&shared.world);
    // Polling some thirty paths costs less than a watcher, needs no system service and misses no event.
    while !shared.end.comes_within(INTERVAL) {
        let catalog = shared.catalog_state();
        let project_changed = project.has_changed();
        if project_changed {
            project = watch_project(&shared.world);
        }
        let catalog_changed = catalog == CatalogState::Changed && shared.renew_catalog();
        if catalog_changed || project_changed {
            shared.notify_changes(ListChanges {
                resources: true,
                // The manifest decides which remotes there are, and with them which agents.
                prompts: catalog != CatalogState::Same,
            });
        }
    }
}
