//! Changes that sessions are notified of.

use serde_json::Value as Json;

use crate::protocol::log::LogLevel;
use crate::protocol::params::SubscriptionFilter;

/// A session that is notified.
pub(crate) trait Subscriber: Send + Sync {
    fn notify_changes(&self, changes: ListChanges);

    fn log(&self, level: LogLevel, data: &Json);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListChanges {
    pub(crate) resources: bool,
    pub(crate) prompts: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangedList {
    Resources,
    Prompts,
}

impl ListChanges {
    pub(crate) fn lists(self) -> impl Iterator<Item = ChangedList> {
        let resources = self.resources.then_some(ChangedList::Resources);
        let prompts = self.prompts.then_some(ChangedList::Prompts);
        resources.into_iter().chain(prompts)
    }
}

impl ChangedList {
    /// The method of the notification.
    pub(crate) fn method(self) -> &'static str {
        match self {
            ChangedList::Resources => "notifications/resources/list_changed",
            ChangedList::Prompts => "notifications/prompts/list_changed",
        }
    }
}

impl SubscriptionFilter {
    pub(crate) fn includes(&self, list: ChangedList) -> bool {
        let requested = match list {
            ChangedList::Resources => self.resources_list_changed,
            ChangedList::Prompts => self.prompts_list_changed,
        };
        requested == Some(true)
    }
}
