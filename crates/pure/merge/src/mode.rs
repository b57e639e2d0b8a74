//! Operations, made ready for the engine: what happens at a place, and what holds below it.

use agpm_model::{Identity, Items, Lists, Maps, Operation, Strategy};

/// What happens at a place and below.
#[derive(Clone, Copy)]
pub(crate) enum MergeMode<'s> {
    Recursive {
        lists: ListMode<'s>,
        below: ListMode<'s>,
        clash: ClashRule,
    },
    Replace,
    Overlay,
    NonEmpty,
    KeepLower,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListMode<'s> {
    Replace,
    Extend,
    Append,
    Prepend,
    Union,
    ByKey(&'s str, Items),
    Unite(Identity, Items),
    Smart,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClashRule {
    HigherWins,
    Forbidden,
}

/// How lists merge, and how what is around them does.
pub(crate) struct ListMerge<'s> {
    pub(crate) how: ListMode<'s>,
    pub(crate) mode: MergeMode<'s>,
}

impl<'s> MergeMode<'s> {
    pub(crate) fn base(strategy: &'s Strategy) -> Self {
        match strategy.maps {
            Maps::Replace => MergeMode::Replace,
            Maps::Merge => {
                let lists = match &strategy.lists {
                    Lists::Smart => ListMode::Smart,
                    Lists::By(operation) => ListMode::of(operation),
                };
                MergeMode::Recursive {
                    lists,
                    below: lists,
                    clash: ClashRule::HigherWins,
                }
            }
        }
    }

    /// What an operation means where `outer` holds around it.
    pub(crate) fn of(operation: &'s Operation, outer: MergeMode<'s>) -> Self {
        let recursive = |lists| MergeMode::Recursive {
            lists,
            below: lists,
            clash: ClashRule::HigherWins,
        };
        match operation {
            Operation::Deep => recursive(ListMode::Replace),
            Operation::Replace => MergeMode::Replace,
            Operation::Overlay => MergeMode::Overlay,
            Operation::NonEmpty => MergeMode::NonEmpty,
            Operation::KeepLower => MergeMode::KeepLower,
            Operation::Forbid => MergeMode::Recursive {
                lists: ListMode::Replace,
                below: ListMode::Replace,
                clash: ClashRule::Forbidden,
            },
            Operation::ByKey { .. } | Operation::Unite { .. } => {
                let below = match outer {
                    MergeMode::Recursive { below, .. } => below,
                    _ => ListMode::Replace,
                };
                MergeMode::Recursive {
                    lists: ListMode::of(operation),
                    below,
                    clash: ClashRule::HigherWins,
                }
            }
            _ => recursive(ListMode::of(operation)),
        }
    }

    /// Whether two layers may not differ.
    pub(crate) fn forbids(self) -> bool {
        matches!(
            self,
            MergeMode::Recursive {
                clash: ClashRule::Forbidden,
                ..
            }
        )
    }

    /// Whether maps merge here.
    pub(crate) fn merges_maps(self) -> bool {
        matches!(self, MergeMode::Recursive { .. } | MergeMode::Overlay)
    }

    pub(crate) fn below(self) -> Self {
        match self {
            MergeMode::Recursive { below, clash, .. } => MergeMode::Recursive {
                lists: below,
                below,
                clash,
            },
            other => other,
        }
    }
}

impl<'s> ListMode<'s> {
    fn of(operation: &'s Operation) -> Self {
        match operation {
            Operation::Extend => ListMode::Extend,
            Operation::Append => ListMode::Append,
            Operation::Prepend => ListMode::Prepend,
            Operation::Union => ListMode::Union,
            Operation::ByKey { key, items } => ListMode::ByKey(key, *items),
            Operation::Unite { identity, items } => ListMode::Unite(*identity, *items),
            _ => ListMode::Replace,
        }
    }
}
