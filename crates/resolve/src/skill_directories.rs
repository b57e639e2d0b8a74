//! Chooses the directories for the copies of a skill: the fewest that all its tools read.

use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{Destination, RelativePath, ResourceType, Tool, ToolName, Tools};
use agpm_tools::COMMON_SKILLS;

/// The directory for each tool; a single tool uses its own.
pub(crate) fn skill_directories(
    tools: &Tools,
    names: &[&ToolName],
) -> BTreeMap<ToolName, RelativePath> {
    let mut readers = Vec::new();
    for name in names {
        let read = tools.named(name.as_str()).map(directories_of);
        readers.extend(
            read.filter(|read| !read.is_empty())
                .map(|read| (*name, read)),
        );
    }
    let read: Vec<Vec<&str>> = readers
        .iter()
        .map(|(_, read)| read.iter().map(RelativePath::as_str).collect())
        .collect();
    let chosen = fewest_directories(&read);
    let of_tool = |((name, read), at): (&(&ToolName, Vec<RelativePath>), usize)| {
        ((*name).clone(), read[at].clone())
    };
    readers.iter().zip(chosen).map(of_tool).collect()
}

/// The directories that a tool reads skills from, its own first.
fn directories_of(tool: &Tool) -> Vec<RelativePath> {
    let Some(Destination::Files(tool_directory, _)) = tool.destination(ResourceType::Skills) else {
        return Vec::new();
    };
    let own_directory = tool.directory(tool_directory);
    own_directory.map_or_else(Vec::new, |own_directory| {
        let further = tool.other_skills.iter().cloned();
        [own_directory].into_iter().chain(further).collect()
    })
}

/// Assigns each reader one of its directories, by index, and uses as few as possible. Among equal choices, one
/// with the common directory wins, then one with more readers in their own.
fn fewest_directories(readers: &[Vec<&str>]) -> Vec<usize> {
    if readers.len() < 2 {
        return vec![0; readers.len()];
    }
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for directory in readers.iter().flatten() {
        *count.entry(directory).or_default() += 1;
    }
    // A directory that is the only one of a reader is always used, so only the others are tried. Those are few: tools
    // of a manifest have one directory.
    let forced: BTreeSet<&str> = readers
        .iter()
        .filter(|read| read.len() == 1)
        .map(|read| read[0])
        .collect();
    let is_useful = |directory: &str, count: usize| count > 1 || directory == COMMON_SKILLS;
    let optional: Vec<&str> = count
        .into_iter()
        .filter(|(directory, count)| is_useful(directory, *count) && !forced.contains(directory))
        .map(|(directory, _)| directory)
        .take(MOST_TRIED)
        .collect();
    let choice = (0..1usize << optional.len()).map(|bits| {
        let is_in = |at: &usize| bits & (1 << at) != 0;
        let more = (0..optional.len()).filter(is_in).map(|at| optional[at]);
        forced.iter().copied().chain(more).collect()
    });
    let choices = choice.map(|shared: BTreeSet<&str>| DirectoryChoice::of(readers, &shared));
    let best = choices.min_by_key(|choice| choice.cost);
    best.map_or_else(|| vec![0; readers.len()], |choice| choice.chosen)
}

/// The number of directories that several tools read; all subsets of them are tried.
const MOST_TRIED: usize = 10;

/// One assignment of directories to all readers.
struct DirectoryChoice {
    chosen: Vec<usize>,
    /// Smaller is better: the number of directories, whether the common one is missing, and the readers outside their
    /// own.
    cost: (usize, usize, usize),
}

impl DirectoryChoice {
    /// Readers without a shared directory use their own.
    fn of(readers: &[Vec<&str>], shared: &BTreeSet<&str>) -> Self {
        let first_shared = |read: &Vec<&str>| {
            let found = read.iter().position(|directory| shared.contains(directory));
            found.unwrap_or_default()
        };
        let chosen: Vec<usize> = readers.iter().map(first_shared).collect();
        let used: BTreeSet<&str> = readers
            .iter()
            .zip(&chosen)
            .map(|(read, at)| read[*at])
            .collect();
        let misses_common = usize::from(!used.contains(COMMON_SKILLS));
        let foreign = chosen.iter().filter(|at| **at > 0).count();
        DirectoryChoice {
            cost: (used.len(), misses_common, foreign),
            chosen,
        }
    }
}

#[cfg(test)]
mod tests {
    use agpm_model::InstallScope;
    use proptest::prelude::*;

    use super::*;

    fn directories(names: &[&str]) -> String {
        let tools = Tools::default();
        let names: Vec<ToolName> = names
            .iter()
            .map(|name| ToolName::new(name).unwrap())
            .collect();
        let names: Vec<&ToolName> = names.iter().collect();
        let of_tool = |(tool, path): (ToolName, RelativePath)| format!("{tool}: {path}");
        let all = skill_directories(&tools, &names).into_iter().map(of_tool);
        all.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn tools_share_the_directories_that_they_read() {
        for (tools, expected) in [
            (vec!["cursor"], "cursor: .cursor/skills"),
            (vec!["opencode"], "opencode: .opencode/skills"),
            (
                vec!["claude-code", "cursor", "copilot", "opencode"],
                "claude-code: .claude/skills, copilot: .claude/skills, cursor: .claude/skills, opencode: .claude/skills",
            ),
            (
                vec!["cursor", "opencode"],
                "cursor: .agents/skills, opencode: .agents/skills",
            ),
            (
                vec!["claude-code", "codex"],
                "claude-code: .claude/skills, codex: .agents/skills",
            ),
            (
                vec!["claude-code", "codex", "cursor"],
                "claude-code: .claude/skills, codex: .agents/skills, cursor: .claude/skills",
            ),
            (
                vec!["claude-code", "gemini"],
                "claude-code: .claude/skills, gemini: .agents/skills",
            ),
            (
                vec!["gemini", "zed", "windsurf", "codex", "agents"],
                "agents: .agents/skills, codex: .agents/skills, gemini: .agents/skills, windsurf: .agents/skills, zed: .agents/skills",
            ),
        ] {
            assert_eq!(directories(&tools), expected);
        }
    }

    /// Lists of distinct directories.
    fn readers() -> impl Strategy<Value = Vec<Vec<&'static str>>> {
        let names = vec!["a", "b", "c", "d", "e", COMMON_SKILLS];
        let read = prop::sample::subsequence(names, 1..4).prop_shuffle();
        prop::collection::vec(read, 0..7)
    }

    /// The smallest number of directories that serve all readers, found by brute force.
    fn fewest(readers: &[Vec<&str>]) -> usize {
        let all: BTreeSet<&str> = readers.iter().flatten().copied().collect();
        let all: Vec<&str> = all.into_iter().collect();
        let serves = |bits: &usize| {
            let is_in = |name: &&str| {
                let at = all.iter().position(|one| one == name).unwrap();
                bits & (1 << at) != 0
            };
            readers.iter().all(|read| read.iter().any(&is_in))
        };
        let sets = (0..1usize << all.len()).filter(serves);
        sets.map(|bits| bits.count_ones() as usize).min().unwrap()
    }

    proptest! {
        #[test]
        fn every_reader_has_one_of_its_directories_and_no_choice_has_fewer(readers in readers()) {
            let chosen = fewest_directories(&readers);
            prop_assert_eq!(chosen.len(), readers.len());
            let used: BTreeSet<&str> = readers.iter().zip(&chosen).map(|(read, at)| read[*at]).collect();
            if readers.len() > 1 {
                prop_assert_eq!(used.len(), fewest(&readers), "{:?}", used);
            }
        }

        /// The same for the tools of the table.
        #[test]
        fn each_tool_of_a_set_reads_one_of_the_fewest_copies(
            names in prop::sample::subsequence(
                agpm_tools::TOOLS.iter().map(|tool| tool.name).collect::<Vec<_>>(),
                0..=agpm_tools::TOOLS.len(),
            ),
            scope in prop::sample::select(vec![InstallScope::Project, InstallScope::User]),
        ) {
            let tools = Tools::in_scope(scope);
            let names: Vec<ToolName> = names.iter().map(|name| ToolName::new(name).unwrap()).collect();
            let chosen = skill_directories(&tools, &names.iter().collect::<Vec<_>>());
            let mut readers = Vec::new();
            for name in &names {
                let read = directories_of(tools.named(name.as_str()).unwrap());
                let expected = (!read.is_empty()).then(|| chosen.get(name).unwrap());
                prop_assert_eq!(chosen.get(name), expected);
                prop_assert!(expected.is_none_or(|at| read.contains(at)), "{}", name);
                readers.push(read);
            }
            let read: Vec<Vec<&str>> = readers
                .iter()
                .filter(|read| !read.is_empty())
                .map(|read| read.iter().map(RelativePath::as_str).collect())
                .collect();
            let used: BTreeSet<&RelativePath> = chosen.values().collect();
            if read.len() > 1 {
                prop_assert_eq!(used.len(), fewest(&read), "{:?}", used);
            }
        }

        #[test]
        fn the_order_of_the_readers_changes_nothing(readers in readers()) {
            let backwards: Vec<Vec<&str>> = readers.iter().rev().cloned().collect();
            let mut chosen = fewest_directories(&backwards);
            chosen.reverse();
            prop_assert_eq!(chosen, fewest_directories(&readers));
        }
    }
}
