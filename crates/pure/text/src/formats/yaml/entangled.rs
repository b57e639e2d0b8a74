//! Which changes would reach further than the location that they name.

use std::ops::Range;

use crate::formats::yaml::node_locator::NodeLocator;
use crate::tree::{ContainerChange, DocumentChanges, EditError, NodeId, NodeKind, TreeView};

/// Refuses changes that aliases or merge keys would carry to other locations.
pub(crate) fn check<'v, V: TreeView<'v>>(
    places: &NodeLocator<'_>,
    changes: &DocumentChanges<'v, V>,
) -> Result<(), EditError> {
    // An edit under an anchor would change every place that has an alias of it. Refusing is safe; guessing which ones
    // the user meant is not.
    let live = LiveAliases::after(places, &all_removed_ranges(places, changes));
    for (id, _) in &changes.replaced {
        match places.parent(*id).filter(|_| places.is_inherited(*id)) {
            // Its map gets its own entry, which hides the inherited one.
            Some((map, _)) => live.check(places, map, None)?,
            None => live.check(places, *id, Some(&places.range(*id)))?,
        }
    }
    for change in &changes.containers {
        live.check(places, change.container, None)?;
        check_container(places, change, &live)?;
    }
    Ok(())
}

/// The bytes that will be gone.
fn all_removed_ranges<'v, V: TreeView<'v>>(
    places: &NodeLocator<'_>,
    changes: &DocumentChanges<'v, V>,
) -> Vec<Range<usize>> {
    let replaced = changes
        .replaced
        .iter()
        .map(|(id, _)| *id)
        .filter(|id| !places.is_inherited(*id));
    let mut removed: Vec<_> = replaced.map(|id| places.range(id)).collect();
    for change in changes
        .containers
        .iter()
        .filter(|change| !change.removed.is_empty())
    {
        removed.extend(removed_ranges(places, change));
    }
    removed
}

fn removed_ranges<'v, V: TreeView<'v>>(
    places: &NodeLocator<'_>,
    change: &ContainerChange<'v, V>,
) -> Vec<Range<usize>> {
    let children = places.children(change.container).into_iter();
    let gone = children.filter(|child| {
        child
            .index
            .is_some_and(|at| change.removed.binary_search(&at).is_ok())
    });
    gone.map(|child| child.range).collect()
}

/// Aliases that stay, and what they represent.
struct LiveAliases(Vec<(Range<usize>, Range<usize>)>);

impl LiveAliases {
    fn after(places: &NodeLocator<'_>, removed: &[Range<usize>]) -> Self {
        let aliases = places.document.tree.sharing.aliases.iter();
        let ranges = aliases.map(|(alias, target)| (places.range(*alias), places.range(*target)));
        LiveAliases(
            ranges
                .filter(|(alias, _)| !removed.iter().any(|gone| contains(gone, alias)))
                .collect(),
        )
    }

    /// Fails if a live alias represents `id` or something around it, or for something inside `gone`.
    fn check(
        &self,
        places: &NodeLocator<'_>,
        id: NodeId,
        gone: Option<&Range<usize>>,
    ) -> Result<(), EditError> {
        let changed = places.range(id);
        let hit = |target: &Range<usize>| {
            contains(target, &changed) || gone.is_some_and(|gone| contains(gone, target))
        };
        match self.0.iter().find(|(_, target)| hit(target)) {
            None => Ok(()),
            Some((alias, _)) => {
                let why = format!("`{}` is an alias of it", &places.text[alias.clone()]);
                Err(entangled_error(places, id, why))
            }
        }
    }
}

fn contains(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn entangled_error(places: &NodeLocator<'_>, id: NodeId, why: impl Into<String>) -> EditError {
    EditError::Entangled {
        at: places.pointer(id),
        why: why.into(),
    }
}

fn check_container<'v, V: TreeView<'v>>(
    places: &NodeLocator<'_>,
    change: &ContainerChange<'v, V>,
    live: &LiveAliases,
) -> Result<(), EditError> {
    let container = change.container;
    if places.is_alias(container) {
        let alias = &places.text[places.range(container)];
        return Err(entangled_error(
            places,
            container,
            format!("it is the alias `{alias}`"),
        ));
    }
    if places.is_inherited(container) {
        return Err(entangled_error(
            places,
            container,
            "it comes from a merge key `<<`",
        ));
    }
    for range in removed_ranges(places, change) {
        live.check(places, container, Some(&range))?;
    }
    for at in change
        .removed
        .iter()
        .filter(|_| !places.merges(container).is_empty())
    {
        let (key, value) = places.node(container).entry(*at);
        if places.is_inherited(value.id()) || is_shadowing(places, container, key) {
            return Err(entangled_error(
                places,
                value.id(),
                "a merge key `<<` adds it",
            ));
        }
    }
    Ok(())
}

/// Whether a merge key of `map` would bring `key` if the object itself did not have it.
fn is_shadowing(places: &NodeLocator<'_>, map: NodeId, key: &str) -> bool {
    places
        .merges(map)
        .iter()
        .map(|merge| places.node(merge.value))
        .any(|value| match value.kind() {
            NodeKind::List => value.items().any(|source| source.get(key).is_some()),
            _ => value.get(key).is_some(),
        })
}
