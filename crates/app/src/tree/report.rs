//! The dependency tree.

use std::collections::BTreeMap;
use std::path::Path;

use agpm_diag::Failure;
use agpm_resolve::{LockView, ResourceIdentity};
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use crate::project::graph::entry_title;

/// JSON readers give up at about twice as many brackets.
const DEEPEST_VALUE: usize = 60;

/// The direction of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeDirection {
    /// From dependents to dependencies.
    Needs,
    /// From dependencies to dependents.
    NeededBy,
}

/// The options of a tree.
#[derive(Clone, Debug)]
pub struct TreeRequest {
    /// The start of the tree, as `NAME` or `TYPE/NAME`; empty for the ends.
    pub names: Vec<String>,
    /// The number of displayed levels under the start.
    pub depth: Option<usize>,
    /// The direction.
    pub direction: TreeDirection,
}

/// A tree, line by line from its top.
#[derive(Debug)]
pub struct TreeReport {
    /// The lines.
    pub lines: Vec<TreeLine>,
    nodes: Vec<TreeNode>,
    direction: TreeDirection,
}

/// A resource of a tree.
#[derive(Debug, Serialize)]
struct TreeNode {
    #[serde(skip)]
    title: String,
    #[serde(flatten)]
    identity: ResourceIdentity,
    transitive: bool,
    /// Whether it is a part of the plugin above it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    part: bool,
}

/// A resource at one position of a tree, with everything under it.
#[derive(Serialize)]
struct TreeBranch<'t> {
    #[serde(flatten)]
    node: &'t TreeNode,
    #[serde(skip_serializing_if = "Option::is_none")]
    dependencies: Option<Vec<TreeBranch<'t>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dependents: Option<Vec<TreeBranch<'t>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repeated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

/// A resource at one position of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeLine {
    /// The index of the resource.
    pub node: usize,
    /// The depth from the start.
    pub level: usize,
    /// Its location among its siblings.
    pub position: SiblingPosition,
    /// The lines under it.
    pub below: LineExpansion,
}

/// A location among siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiblingPosition {
    /// Others follow.
    Inner,
    /// The line is the last one.
    Last,
}

/// The expansion of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineExpansion {
    /// All there is, down to the depth of the request.
    Shown,
    /// Nothing, for it was shown before.
    Repeated,
}

/// The start of a whole tree: the resources that the manifest requires, or those that need nothing more.
fn ends(view: &LockView, direction: TreeDirection) -> Vec<usize> {
    if direction == TreeDirection::Needs {
        return view.roots.clone();
    }
    let leaves: Vec<usize> = (0..view.entries.len())
        .filter(|at| view.needs[*at].is_empty())
        .collect();
    // A lockfile edited by hand may be all cycles.
    if leaves.is_empty() {
        (0..view.entries.len()).collect()
    } else {
        leaves
    }
}

fn node(view: &LockView, at: usize) -> TreeNode {
    let entry = &view.entries[at];
    let is_part = view.part_of.contains_key(&at);
    let transitive = !is_part && view.roots.binary_search(&at).is_err();
    let mark = match (is_part, transitive) {
        (true, _) => " [part]",
        (false, true) => " [transitive]",
        (false, false) => "",
    };
    TreeNode {
        title: format!("{}{mark}", entry_title(entry)),
        identity: ResourceIdentity::of(entry),
        transitive,
        part: is_part,
    }
}

/// The lines below these starts. Nothing recurses: a chain may be as long as the lockfile.
fn walk(starts: &[usize], children: &[Vec<usize>], depth: Option<usize>) -> Vec<TreeLine> {
    let mut lines = Vec::new();
    let mut waiting = Vec::new();
    // The lowest level at which each resource was expanded: where levels are cut, more is visible higher up.
    let mut shown: BTreeMap<usize, usize> = BTreeMap::new();
    push_siblings(&mut waiting, starts, 0);
    while let Some((node, level, position)) = waiting.pop() {
        let open = !children[node].is_empty() && depth.is_none_or(|depth| level < depth);
        let before = shown
            .get(&node)
            .is_some_and(|before| depth.is_none() || *before <= level);
        let below = if open && before {
            LineExpansion::Repeated
        } else {
            LineExpansion::Shown
        };
        lines.push(TreeLine {
            node,
            level,
            position,
            below,
        });
        if open && !before {
            shown.insert(node, level);
            push_siblings(&mut waiting, &children[node], level + 1);
        }
    }
    lines
}

fn push_siblings(
    waiting: &mut Vec<(usize, usize, SiblingPosition)>,
    nodes: &[usize],
    level: usize,
) {
    let last = nodes.len().saturating_sub(1);
    let placed = nodes.iter().enumerate().rev();
    waiting.extend(placed.map(|(at, node)| {
        let position = if at == last {
            SiblingPosition::Last
        } else {
            SiblingPosition::Inner
        };
        (*node, level, position)
    }));
}

impl TreeReport {
    /// The tree from the entries that a request names, or from all ends; paths are seen from `here`.
    pub fn of(
        view: &LockView,
        working_directory: &Path,
        request: &TreeRequest,
    ) -> Result<Self, Failure> {
        let needed_by = view.needed_by();
        let children = match request.direction {
            TreeDirection::Needs => &view.needs,
            TreeDirection::NeededBy => &needed_by,
        };
        let mut starts = Vec::new();
        for name in &request.names {
            starts.extend(view.find_word(working_directory, name)?);
        }
        if request.names.is_empty() {
            starts = ends(view, request.direction);
        }
        Ok(TreeReport {
            lines: walk(&starts, children, request.depth),
            nodes: (0..view.entries.len()).map(|at| node(view, at)).collect(),
            direction: request.direction,
        })
    }

    /// The text of a line: the resource, its version, and whether it is transitive.
    pub fn title(&self, line: &TreeLine) -> &str {
        &self.nodes[line.node].title
    }

    /// Every pair of resources with a line between them, the one further up first, each once.
    pub fn edges(&self) -> Vec<(usize, usize)> {
        let mut above: Vec<usize> = Vec::new();
        let mut edges = Vec::new();
        for line in &self.lines {
            above.truncate(line.level);
            edges.extend(above.last().map(|parent| (*parent, line.node)));
            above.push(line.node);
        }
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// The resources of the tree, each once, with its title.
    pub fn resources(&self) -> BTreeMap<usize, &str> {
        self.lines
            .iter()
            .map(|line| (line.node, self.title(line)))
            .collect()
    }

    /// The resources that these lines begin with, each with all under it.
    fn branches<'t>(&'t self, lines: &'t [TreeLine]) -> Vec<TreeBranch<'t>> {
        let level = lines.first().map_or(0, |line| line.level);
        let branches = lines.chunk_by(|_, next| next.level > level);
        branches.filter_map(|lines| self.branch(lines)).collect()
    }

    fn branch<'t>(&'t self, lines: &'t [TreeLine]) -> Option<TreeBranch<'t>> {
        let (first, below) = lines.split_first()?;
        let truncated = !below.is_empty() && first.level + 1 == DEEPEST_VALUE;
        let below = self.branches(if truncated { &[] } else { below });
        let (dependencies, dependents) = match self.direction {
            TreeDirection::Needs => (Some(below), None),
            TreeDirection::NeededBy => (None, Some(below)),
        };
        Some(TreeBranch {
            node: &self.nodes[first.node],
            dependencies,
            dependents,
            repeated: (first.below == LineExpansion::Repeated).then_some(true),
            truncated: truncated.then_some(true),
        })
    }
}

impl Serialize for TreeReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut report = serializer.serialize_struct("TreeReport", 1)?;
        report.serialize_field("roots", &self.branches(&self.lines))?;
        report.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(lines: &[TreeLine]) -> Vec<(usize, usize, LineExpansion)> {
        lines
            .iter()
            .map(|line| (line.node, line.level, line.below))
            .collect()
    }

    #[test]
    fn a_chain_of_ten_thousand_is_walked_and_printed() {
        let count = 10_000;
        let children: Vec<Vec<usize>> = (0..count)
            .map(|at| if at + 1 < count { vec![at + 1] } else { vec![] })
            .collect();
        let lines = walk(&[0], &children, None);
        assert_eq!(lines.len(), count);
        assert_eq!(lines.last().map(|line| line.level), Some(count - 1));
        let nodes = (0..count)
            .map(|at| TreeNode {
                title: at.to_string(),
                identity: ResourceIdentity {
                    kind: "agent",
                    name: at.to_string(),
                    version: None,
                    source: None,
                },
                transitive: at > 0,
                part: false,
            })
            .collect();
        let report = TreeReport {
            lines,
            nodes,
            direction: TreeDirection::Needs,
        };
        assert_eq!(report.edges().len(), count - 1);
        let roots = report.branches(&report.lines);
        let mut branch = &roots[0];
        let mut levels = 1;
        while let Some(next) = branch.dependencies.as_ref().unwrap().first() {
            levels += 1;
            branch = next;
        }
        assert_eq!(levels, DEEPEST_VALUE);
        assert_eq!(branch.truncated, Some(true));
    }

    #[test]
    fn cycles_end_and_repeats_are_marked_once() {
        let lines = walk(&[0], &[vec![1, 2], vec![0], vec![1]], None);
        let expected = [
            (0, 0, LineExpansion::Shown),
            (1, 1, LineExpansion::Shown),
            (0, 2, LineExpansion::Repeated),
        ];
        assert_eq!(shape(&lines)[..3], expected);
        assert_eq!(
            shape(&lines)[3..],
            [
                (2, 1, LineExpansion::Shown),
                (1, 2, LineExpansion::Repeated)
            ]
        );
    }

    #[test]
    fn a_duplicate_that_was_cut_off_is_shown_at_its_first_place() {
        // 0 -> 1 -> 2 -> 3, and 2 is a start too.
        let children = [vec![1], vec![2], vec![3], vec![]];
        let lines = walk(&[0, 2], &children, Some(2));
        let shown = LineExpansion::Shown;
        assert_eq!(
            shape(&lines),
            [
                (0, 0, shown),
                (1, 1, shown),
                (2, 2, shown),
                (2, 0, shown),
                (3, 1, shown)
            ]
        );
        assert_eq!(walk(&[0, 2], &children, Some(0)).len(), 2);
    }
}
