//! Refuses changes that would affect more than their own node.

use std::ops::Range;

use crate::formats::yaml::node_locator::NodeLocator;
use crate::tree::{ContainerChange, DocumentChanges, EditError, NodeId, NodeKind, TreeView};

/// Refuses changes that aliases or merge keys would spread to other nodes.
pub(crate) fn check<'v, V: TreeView<'v>>(
    locator: &NodeLocator<'_>,
    changes: &DocumentChanges<'v, V>,
) -> Result<(), EditError> {
    // An edit under an anchor would change every alias of it. Refusing is safe; guessing which ones the user meant is
    // not.
    let live = LiveAliases::after(locator, &all_removed_ranges(locator, changes));
    for (id, _) in &changes.replaced {
        match locator.parent(*id).filter(|_| locator.is_inherited(*id)) {
            // Its map gets a separate entry, which hides the inherited one.
            Some((map, _)) => live.check(locator, map, None)?,
            None => live.check(locator, *id, Some(&locator.range(*id)))?,
        }
    }
    for change in &changes.containers {
        live.check(locator, change.container, None)?;
        check_container(locator, change, &live)?;
    }
    Ok(())
}

/// The ranges that will be removed.
fn all_removed_ranges<'v, V: TreeView<'v>>(
    locator: &NodeLocator<'_>,
    changes: &DocumentChanges<'v, V>,
) -> Vec<Range<usize>> {
    let replaced = changes
        .replaced
        .iter()
        .map(|(id, _)| *id)
        .filter(|id| !locator.is_inherited(*id));
    let mut removed: Vec<_> = replaced.map(|id| locator.range(id)).collect();
    for change in changes
        .containers
        .iter()
        .filter(|change| !change.removed.is_empty())
    {
        removed.extend(removed_ranges(locator, change));
    }
    removed
}

fn removed_ranges<'v, V: TreeView<'v>>(
    locator: &NodeLocator<'_>,
    change: &ContainerChange<'v, V>,
) -> Vec<Range<usize>> {
    let children = locator.children(change.container).into_iter();
    let gone = children.filter(|child| {
        child
            .index
            .is_some_and(|at| change.removed.binary_search(&at).is_ok())
    });
    gone.map(|child| child.range).collect()
}

/// The remaining aliases, and the ranges of their targets.
struct LiveAliases(Vec<(Range<usize>, Range<usize>)>);

impl LiveAliases {
    fn after(locator: &NodeLocator<'_>, removed: &[Range<usize>]) -> Self {
        let aliases = locator.document.tree.sharing.aliases.iter();
        let ranges = aliases.map(|(alias, target)| (locator.range(*alias), locator.range(*target)));
        LiveAliases(
            ranges
                .filter(|(alias, _)| !removed.iter().any(|gone| contains(gone, alias)))
                .collect(),
        )
    }

    /// Fails if a remaining alias refers to `id`, to a container of it, or to something inside `gone`.
    fn check(
        &self,
        locator: &NodeLocator<'_>,
        id: NodeId,
        gone: Option<&Range<usize>>,
    ) -> Result<(), EditError> {
        let changed = locator.range(id);
        let hit = |target: &Range<usize>| {
            contains(target, &changed) || gone.is_some_and(|gone| contains(gone, target))
        };
        match self.0.iter().find(|(_, target)| hit(target)) {
            None => Ok(()),
            Some((alias, _)) => {
                let why = format!("`{}` is an alias of it", &locator.text[alias.clone()]);
                Err(entangled_error(locator, id, why))
            }
        }
    }
}

fn contains(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn entangled_error(locator: &NodeLocator<'_>, id: NodeId, why: impl Into<String>) -> EditError {
    EditError::Entangled {
        at: locator.pointer(id),
        why: why.into(),
    }
}

fn check_container<'v, V: TreeView<'v>>(
    locator: &NodeLocator<'_>,
    change: &ContainerChange<'v, V>,
    live: &LiveAliases,
) -> Result<(), EditError> {
    let container = change.container;
    if locator.is_alias(container) {
        let alias = &locator.text[locator.range(container)];
        return Err(entangled_error(
            locator,
            container,
            format!("it is the alias `{alias}`"),
        ));
    }
    if locator.is_inherited(container) {
        return Err(entangled_error(
            locator,
            container,
            "it comes from a merge key `<<`",
        ));
    }
    for range in removed_ranges(locator, change) {
        live.check(locator, container, Some(&range))?;
    }
    for at in change
        .removed
        .iter()
        .filter(|_| !locator.merges(container).is_empty())
    {
        let (key, value) = locator.node(container).entry(*at);
        if locator.is_inherited(value.id()) || is_shadowing(locator, container, key) {
            return Err(entangled_error(
                locator,
                value.id(),
                "a merge key `<<` adds it",
            ));
        }
    }
    Ok(())
}

/// Whether a merge key of `map` would add `key` if the object itself did not have it.
fn is_shadowing(locator: &NodeLocator<'_>, map: NodeId, key: &str) -> bool {
    locator
        .merges(map)
        .iter()
        .map(|merge| locator.node(merge.value))
        .any(|value| match value.kind() {
            NodeKind::List => value.items().any(|source| source.get(key).is_some()),
            _ => value.get(key).is_some(),
        })
}
