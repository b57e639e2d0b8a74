//! Which lists of the server changed, as counters that sessions compare.

/// How often each list changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListChanges {
    pub(crate) resources: u64,
    pub(crate) prompts: u64,
}

/// A list that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangedList {
    Resources,
    Prompts,
}

impl ListChanges {
    pub(crate) fn since(self, before: ListChanges) -> impl Iterator<Item = ChangedList> + use<> {
        let resources = (self.resources != before.resources).then_some(ChangedList::Resources);
        let prompts = (self.prompts != before.prompts).then_some(ChangedList::Prompts);
        resources.into_iter().chain(prompts)
    }
}
