//! Changes that sessions are notified of, as counters: each session compares them with those it saw last.

use tokio::sync::watch;

/// How often each list changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListChanges {
    pub(crate) resources: u64,
    pub(crate) prompts: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangedList {
    Resources,
    Prompts,
}

impl ListChanges {
    fn since(self, before: ListChanges) -> Vec<ChangedList> {
        let mut lists = Vec::new();
        if self.resources != before.resources {
            lists.push(ChangedList::Resources);
        }
        if self.prompts != before.prompts {
            lists.push(ChangedList::Prompts);
        }
        lists
    }
}

/// The changes since the last look.
pub(crate) struct ChangeReader {
    changes: watch::Receiver<ListChanges>,
    seen: ListChanges,
}

impl ChangeReader {
    pub(crate) fn new(changes: &watch::Sender<ListChanges>) -> Self {
        let mut changes = changes.subscribe();
        let seen = *changes.borrow_and_update();
        ChangeReader { changes, seen }
    }

    /// Waits for the next changes.
    pub(crate) async fn next(&mut self) -> Vec<ChangedList> {
        if self.changes.changed().await.is_err() {
            // The server has ended, which its sessions notice by themselves.
            std::future::pending::<()>().await;
        }
        let now = *self.changes.borrow_and_update();
        let lists = now.since(self.seen);
        self.seen = now;
        lists
    }
}
