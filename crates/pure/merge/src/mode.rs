//! Operations, made ready for the engine: what happens at a place, and what holds below it.

use agpm_model::{Identity, Items, Lists, Maps, Operation, Strategy};

/// What happens at a place and below.
#[derive(Clone, Copy)]
pub(crate) enum Mode<'s> {
    Recursive {
        lists: ListMode<'s>,
        below: ListMode<'s>,
        clash: Clash,
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
pub(crate) enum Clash {
    HigherWins,
    Forbidden,
}

/// How lists merge, and how what is around them does.
pub(crate) struct ListMerge<'s> {
    pub(crate) how: ListMode<'s>,
    pub(crate) mode: Mode<'s>,
}

impl<'s> Mode<'s> {
    pub(crate) fn base(strategy: &'s Strategy) -> Self {
        match strategy.maps {
            Maps::Replace => Mode::Replace,
            Maps::Merge => {
                let lists = match &strategy.lists {
                    Lists::Smart => ListMode::Smart,
                    Lists::By(operation) => ListMode::of(operation),
                };
                Mode::Recursive {
                    lists,
                    below: lists,
                    clash: Clash::HigherWins,
                }
            }
        }
    }

    /// What an operation means where `outer` holds around it.
    pub(crate) fn of(operation: &'s Operation, outer: Mode<'s>) -> Self {
        let recursive = |lists| Mode::Recursive {
            lists,
            below: lists,
            clash: Clash::HigherWins,
        };
        match operation {
            Operation::Deep => recursive(ListMode::Replace),
            Operation::Replace => Mode::Replace,
            Operation::Overlay => Mode::Overlay,
            Operation::NonEmpty => Mode::NonEmpty,
            Operation::KeepLower => Mode::KeepLower,
            Operation::Forbid => Mode::Recursive {
                lists: ListMode::Replace,
                below: ListMode::Replace,
                clash: Clash::Forbidden,
            },
            Operation::ByKey { .. } | Operation::Unite { .. } => {
                let below = match outer {
                    Mode::Recursive { below, .. } => below,
                    _ => ListMode::Replace,
                };
                Mode::Recursive {
                    lists: ListMode::of(operation),
                    below,
                    clash: Clash::HigherWins,
                }
            }
            _ => recursive(ListMode::of(operation)),
        }
    }

    /// Whether two layers may not differ.
    pub(crate) fn forbids(self) -> bool {
        matches!(
            self,
            Mode::Recursive {
                clash: Clash::Forbidden,
                ..
            }
        )
    }

    /// Whether maps merge here.
    pub(crate) fn merges_maps(self) -> bool {
        matches!(self, Mode::Recursive { .. } | Mode::Overlay)
    }

    pub(crate) fn below(self) -> Self {
        match self {
            Mode::Recursive { below, clash, .. } => Mode::Recursive {
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
