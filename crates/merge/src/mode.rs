//! Operations prepared for the engine: the mode at a pointer, and the mode under it.

use agpm_model::{ItemRule, ListIdentity, ListRule, MapRule, MergeOperation, Strategy};

/// The operation at a pointer and under it.
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
    ByKey(&'s str, ItemRule),
    Unite(ListIdentity, ItemRule),
    Smart,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClashRule {
    HigherWins,
    Forbidden,
}

/// How lists merge, and the values around them.
pub(crate) struct ListMerge<'s> {
    pub(crate) how: ListMode<'s>,
    pub(crate) mode: MergeMode<'s>,
}

impl<'s> MergeMode<'s> {
    pub(crate) fn base(strategy: &'s Strategy) -> Self {
        match strategy.maps {
            MapRule::Replace => MergeMode::Replace,
            MapRule::Merge => {
                let lists = match &strategy.lists {
                    ListRule::Smart => ListMode::Smart,
                    ListRule::By(operation) => ListMode::of(operation),
                };
                MergeMode::Recursive {
                    lists,
                    below: lists,
                    clash: ClashRule::HigherWins,
                }
            }
        }
    }

    /// The mode of an operation inside `outer`.
    pub(crate) fn of(operation: &'s MergeOperation, outer: MergeMode<'s>) -> Self {
        let recursive = |lists| MergeMode::Recursive {
            lists,
            below: lists,
            clash: ClashRule::HigherWins,
        };
        match operation {
            MergeOperation::Deep => recursive(ListMode::Replace),
            MergeOperation::Replace => MergeMode::Replace,
            MergeOperation::Overlay => MergeMode::Overlay,
            MergeOperation::NonEmpty => MergeMode::NonEmpty,
            MergeOperation::KeepLower => MergeMode::KeepLower,
            MergeOperation::Forbid => MergeMode::Recursive {
                lists: ListMode::Replace,
                below: ListMode::Replace,
                clash: ClashRule::Forbidden,
            },
            MergeOperation::ByKey { .. } | MergeOperation::Unite { .. } => {
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
    fn of(operation: &'s MergeOperation) -> Self {
        match operation {
            MergeOperation::Extend => ListMode::Extend,
            MergeOperation::Append => ListMode::Append,
            MergeOperation::Prepend => ListMode::Prepend,
            MergeOperation::Union => ListMode::Union,
            MergeOperation::ByKey { key, items } => ListMode::ByKey(key, *items),
            MergeOperation::Unite { identity, items } => ListMode::Unite(*identity, *items),
            _ => ListMode::Replace,
        }
    }
}
