//! Laws of blocks: whatever a file contains and however the user edits it, every byte outside the blocks is preserved.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use agpm_diag::Notes;
use agpm_model::{Checksum, FileMode, ObservedPath, Owner, RelativePath};
use agpm_plan::{
    DesiredBlock, DesiredState, FileOutcome, Ledger, Observation, OverwriteRule, Plan, plan,
    read_block_file, recover_ownership, take_back_blocks,
};
use agpm_text::{BlockDocument, BlockName};
use proptest::prelude::*;

const NAMES: [&str; 3] = ["instructions/a", "instructions/b", "layers/team"];

fn path() -> RelativePath {
    RelativePath::new("AGENTS.md").unwrap()
}

fn name(text: &str) -> BlockName {
    BlockName::new(text).unwrap()
}

/// A project with one file.
#[derive(Clone, Debug, Default)]
struct Project {
    text: Option<String>,
    ledger: Ledger,
}

impl Project {
    fn of(text: &str) -> Self {
        Project {
            text: Some(text.to_owned()),
            ledger: Ledger::default(),
        }
    }

    fn observation(&self) -> Observation {
        let mut observation = Observation::default();
        if let Some(text) = &self.text {
            let now = ObservedPath::file(Checksum::of(text.as_bytes()), FileMode::Plain);
            observation.add(path(), now);
            let bytes = text.clone().into_bytes();
            let document = read_block_file(&path(), bytes, &mut Notes::default()).unwrap();
            observation.add_block_document(path(), document);
        }
        observation
    }

    fn plan(&self, desired: &DesiredState<'_>, overwrite: OverwriteRule) -> Plan {
        let (observation, ledger) = (self.observation(), &self.ledger);
        plan(desired, &observation, ledger, overwrite, &|paths, one| {
            paths.into_iter().map(one).collect()
        })
        .unwrap()
    }

    /// Installs these blocks, in this order.
    fn install(&mut self, blocks: &[(&str, &str)]) -> Plan {
        let plan = self.plan(&desired(blocks), OverwriteRule::Nothing);
        if !plan.refusals.is_empty() {
            return plan;
        }
        for change in &plan.shared {
            self.text = match &change.outcome {
                FileOutcome::Write(text) => Some(text.clone()),
                FileOutcome::Remove => None,
                FileOutcome::Unchanged => continue,
            };
        }
        self.ledger = plan.ledger.clone();
        plan
    }

    fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }
}

fn desired(blocks: &[(&str, &str)]) -> DesiredState<'static> {
    let mut desired = DesiredState::default();
    for (block, text) in blocks {
        desired.add_block(
            &path(),
            DesiredBlock {
                name: name(block),
                text: (*text).to_owned(),
                owner: Owner::from(*block),
                limit: None,
            },
        );
    }
    desired
}

/// The text without its blocks, byte for byte.
fn outside(text: &str) -> String {
    let mut document = BlockDocument::read(text).unwrap();
    NAMES.iter().for_each(|block| document.remove(&name(block)));
    document.finish().unwrap()
}

fn blocks_of(text: &str) -> Vec<String> {
    let document = BlockDocument::read(text).unwrap();
    document.names().map(ToString::to_string).collect()
}

/// Markdown of a user: with or without front matter, mixed line endings, fences with marker-like text, blank lines, a
/// byte order mark, and a final newline.
fn markdown() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => "[a-z #*-]{0,12}",
        1 => Just(String::new()),
        1 => Just("```\n<!-- agpm:begin instructions/a -->\n```".to_owned()),
        1 => Just("- ```\n  <!-- agpm:end layers/team -->\n  ```".to_owned()),
        1 => Just("    <!-- agpm:begin instructions/b -->".to_owned()),
        1 => Just("text <!-- agpm:end instructions/a -->".to_owned()),
        1 => Just("~~~ md\n```\n~~~".to_owned()),
        1 => Just("<!-- agpm:begin other -->\nkept\n<!-- agpm:end other -->".to_owned()),
    ];
    let endings = prop_oneof![Just("\n"), Just("\r\n")];
    (
        prop::bool::ANY,
        prop::bool::ANY,
        prop::collection::vec((line, endings), 0..8),
        prop::bool::ANY,
    )
        .prop_map(|(has_mark, has_front, lines, has_end)| {
            let mut text = String::new();
            if has_mark {
                text.push('\u{feff}');
            }
            if has_front {
                text.push_str("---\ntitle: mine\n---\n");
            }
            let mut seen = false;
            for (line, ending) in lines {
                // A block may occur only once.
                let is_block = line.starts_with("<!-- agpm:begin other");
                if !(is_block && seen) {
                    text.push_str(&line.replace('\n', ending));
                    text.push_str(ending);
                }
                seen |= is_block;
            }
            if !has_end {
                text.truncate(text.trim_end_matches(['\r', '\n']).len());
            }
            text
        })
}

/// A step in the life of a file.
#[derive(Clone, Debug)]
enum Step {
    /// Installs these blocks, each in one of its versions.
    Install(Vec<(usize, usize)>),
    /// The user adds a line before everything.
    WriteAbove,
    /// The user adds a line after everything.
    WriteBelow,
    /// The user moves the last block to the start.
    MoveUp,
    /// The user edits the content of a block.
    Edit(usize),
    /// The user removes all blank lines at the end.
    Trim,
    /// The last install is undone.
    Undo,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let blocks = prop::collection::btree_map(0..NAMES.len(), 0..3usize, 0..=NAMES.len());
    let step = prop_oneof![
        4 => blocks.prop_map(|blocks| Step::Install(blocks.into_iter().collect())),
        1 => Just(Step::WriteAbove),
        1 => Just(Step::WriteBelow),
        1 => Just(Step::MoveUp),
        1 => (0..NAMES.len()).prop_map(Step::Edit),
        1 => Just(Step::Trim),
        2 => Just(Step::Undo),
    ];
    prop::collection::vec(step, 1..12)
}

const VERSIONS: [&str; 3] = ["", "one\n", "```\ntwo\n```\n\nmore\n"];

/// The user's lines with their endings, without blank ones, which may separate blocks.
fn lines(text: &str) -> Vec<String> {
    let outside = outside(text);
    let (_, unmarked) = outside.split_at(mark_length(&outside));
    let is_blank = |line: &&str| line.trim_matches(['\r', '\n']).is_empty();
    let lines = unmarked
        .split_inclusive('\n')
        .filter(|line| !is_blank(line));
    lines.map(str::to_owned).collect()
}

/// Whether the lines are equal byte for byte. agpm adds the ending of the last line if the user wrote none.
fn are_same_lines(before: &[String], after: &[String]) -> bool {
    match (before.split_last(), after.split_last()) {
        (Some((last, before)), Some((now, after))) => {
            let ends = ['\r', '\n'];
            before == after && last.trim_end_matches(ends) == now.trim_end_matches(ends)
        }
        (before, after) => before == after,
    }
}

/// A text with its last block moved to the top, after a byte order mark.
fn with_block_on_top(text: &str) -> Option<String> {
    let mut document = BlockDocument::read(text).unwrap();
    let is_ours = |name: &&BlockName| NAMES.contains(&name.as_str());
    let last = document.names().filter(is_ours).last()?.clone();
    let inner = document.inner(&last)?;
    document.remove(&last);
    let rest = document.finish().unwrap();
    let (mark, rest) = rest.split_at(mark_length(&rest));
    Some(format!(
        "{mark}<!-- agpm:begin {last} -->\n{inner}<!-- agpm:end {last} -->\n{rest}"
    ))
}

fn mark_length(text: &str) -> usize {
    if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    }
}

/// The state before a transaction, for its undo.
struct Past {
    before: Project,
    after: Project,
}

fn take(project: &mut Project, step: &Step, history: &mut Vec<Past>) {
    match step {
        Step::Install(wanted) => {
            let before = project.clone();
            let blocks: Vec<(&str, &str)> = wanted
                .iter()
                .map(|(block, version)| (NAMES[*block], VERSIONS[*version]))
                .collect();
            project.install(&blocks);
            history.push(Past {
                before,
                after: project.clone(),
            });
        }
        Step::WriteAbove => {
            let (mark, rest) = project.text().split_at(mark_length(project.text()));
            project.text = Some(format!("{mark}above\n{rest}"));
        }
        Step::WriteBelow => {
            let text = project.text();
            let newline = if text.is_empty() || text.ends_with('\n') {
                ""
            } else {
                "\n"
            };
            project.text = Some(format!("{text}{newline}below\n"));
        }
        Step::MoveUp => {
            if let Some(moved) = with_block_on_top(project.text()) {
                project.text = Some(moved);
            }
        }
        Step::Edit(block) => {
            let begin = format!("<!-- agpm:begin {} -->\n", NAMES[*block]);
            let text = project
                .text()
                .replacen(&begin, &format!("{begin}edited\n"), 1);
            // Inside a fence it is not a marker.
            if BlockDocument::read(&text).is_ok() && outside(&text) == outside(project.text()) {
                project.text = project.text.as_ref().map(|_| text);
            }
        }
        Step::Trim => {
            let text = project.text().trim_end_matches(['\r', '\n']).to_owned();
            project.text = project.text.as_ref().map(|_| text);
        }
        Step::Undo => undo(project, history),
    }
}

/// As `agpm undo` does: the exact bytes if nothing changed since, else only the blocks.
fn undo(project: &mut Project, history: &mut Vec<Past>) {
    let Some(past) = history.pop() else {
        return;
    };
    if project.text == past.after.text {
        *project = past.before;
        return;
    }
    let (Some(text), was, is) = (
        &project.text,
        past.before.ledger.blocks.get(&path()),
        past.after.ledger.blocks.get(&path()),
    ) else {
        return;
    };
    let now = BlockDocument::read(text).unwrap();
    let old = past
        .before
        .text
        .as_deref()
        .map(|text| BlockDocument::read(text).unwrap());
    let Ok(outcome) = take_back_blocks(&now, old.as_ref(), was, is) else {
        return;
    };
    project.text = match outcome {
        FileOutcome::Write(text) => Some(text),
        FileOutcome::Remove => None,
        FileOutcome::Unchanged => Some(text.clone()),
    };
    project.ledger = past.before.ledger;
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn blocks_come_and_go_without_a_trace(text in markdown(), order in Just([0, 1, 2]).prop_shuffle()) {
        let mut project = Project::of(&text);
        let mut blocks: Vec<(&str, &str)> = order.iter().map(|at| (NAMES[*at], VERSIONS[*at])).collect();
        project.install(&blocks);
        let document = BlockDocument::read(project.text()).unwrap();
        for (block, version) in &blocks {
            prop_assert_eq!(document.inner(&name(block)), Some((*version).to_owned()));
        }
        prop_assert!(project.text().starts_with(&text));
        prop_assert!(project.install(&blocks).shared.is_empty());
        while blocks.pop().is_some() {
            project.install(&blocks);
            prop_assert!(project.text().starts_with(&text));
        }
        prop_assert_eq!(project.text(), &text);
    }

    #[test]
    fn installs_and_undos_in_any_order_leave_the_file_to_the_byte(text in markdown(), steps in steps()) {
        let mut project = Project::of(&text);
        let mut history = Vec::new();
        let by_agpm = |step: &&Step| matches!(step, Step::Install(_) | Step::Undo);
        for step in steps.iter().filter(by_agpm) {
            take(&mut project, step, &mut history);
            prop_assert!(project.text().starts_with(&text), "{:?}", step);
        }
        let mut removed = project.clone();
        removed.install(&[]);
        prop_assert_eq!(removed.text(), &text);
        while !history.is_empty() {
            undo(&mut project, &mut history);
        }
        prop_assert_eq!(project.text(), &text);
        prop_assert_eq!(project.ledger, Ledger::default());
    }

    #[test]
    fn moved_blocks_stay_where_they_are_through_updates_and_undos(text in markdown(), blocks in prop::collection::vec(0..3usize, 1..5)) {
        let mut project = Project::of(&text);
        project.install(&[(NAMES[0], "first\n"), (NAMES[1], "b\n")]);
        let Some(moved) = with_block_on_top(project.text()) else { return Ok(()) };
        project.text = Some(moved.clone());
        let order = blocks_of(&moved);
        let mut history = Vec::new();
        for version in &blocks {
            take(&mut project, &Step::Install(vec![(0, *version), (1, *version)]), &mut history);
            prop_assert_eq!(blocks_of(project.text()), order.clone());
            prop_assert_eq!(outside(project.text()), outside(&moved));
        }
        while !history.is_empty() {
            undo(&mut project, &mut history);
        }
        prop_assert_eq!(project.text(), moved);
    }

    #[test]
    fn whatever_happens_the_lines_of_the_user_stay(text in markdown(), steps in steps()) {
        let mut project = Project::of(&text);
        let mut history = Vec::new();
        for step in &steps {
            let before = project.clone();
            take(&mut project, step, &mut history);
            if matches!(step, Step::Install(_) | Step::Undo) {
                let (was, is) = (lines(before.text()), lines(project.text()));
                prop_assert!(are_same_lines(&was, &is), "{:?}: {:?} {:?}", step, was, is);
                let had_mark = mark_length(before.text()) > 0 && project.text.is_some();
                prop_assert!(!had_mark || mark_length(project.text()) > 0, "{:?}", step);
            }
            let names = blocks_of(project.text());
            let unique: std::collections::BTreeSet<&String> = names.iter().collect();
            prop_assert_eq!(names.len(), unique.len());
        }
    }

    #[test]
    fn a_block_that_the_user_moved_stays_there_and_leaves_every_byte(text in markdown(), version in 0..3usize) {
        let mut project = Project::of(&text);
        let blocks = [(NAMES[0], VERSIONS[version])];
        project.install(&blocks);
        let Some(moved) = with_block_on_top(project.text()) else { return Ok(()) };
        project.text = Some(moved.clone());
        project.install(&blocks);
        prop_assert_eq!(project.text(), moved.as_str());
        project.install(&[(NAMES[0], "other\n")]);
        prop_assert_eq!(outside(project.text()), outside(&moved));
        project.install(&[]);
        prop_assert_eq!(project.text(), outside(&moved));
    }

    #[test]
    fn a_clone_knows_what_is_in_the_file(text in markdown(), version in 0..3usize) {
        let mut project = Project::of(&text);
        let blocks = [(NAMES[0], VERSIONS[version]), (NAMES[1], "b\n")];
        project.install(&blocks);
        let clone = Project::of(project.text());
        let locked = desired(&blocks);
        let ledger = recover_ownership(&locked, &clone.observation(), &Ledger::default());
        let clone = Project { ledger, ..clone };
        let plan = clone.plan(&locked, OverwriteRule::Nothing);
        prop_assert!(plan.shared.is_empty() && plan.changes.is_empty(), "{:?}", plan.changes);
        let mut clone = clone;
        clone.install(&[]);
        prop_assert!(are_same_lines(&lines(&text), &lines(clone.text())));
    }
}

/// A file that agpm created is removed with its last block, and created again with the next.
#[test]
fn a_created_file_goes_with_its_last_block() {
    let mut project = Project::default();
    project.install(&[(NAMES[0], "a\n"), (NAMES[1], "b\n")]);
    assert!(project.text.is_some());
    project.install(&[(NAMES[1], "b\n")]);
    assert_eq!(blocks_of(project.text()), [NAMES[1]]);
    project.install(&[]);
    assert_eq!(project.text, None);
    assert_eq!(project.ledger, Ledger::default());
}

#[test]
fn an_edited_block_that_is_not_wanted_stays_with_its_markers() {
    let mut project = Project::of("mine\n");
    project.install(&[(NAMES[0], "a\n")]);
    let edited = project.text().replace("a\n<", "b\n<");
    project.text = Some(edited.clone());
    let plan = project.install(&[]);
    assert_eq!(project.text(), edited);
    assert_eq!(plan.changes.len(), 1);
    assert!(project.ledger.blocks.is_empty());
    let refused = project.install(&[(NAMES[0], "a\n")]);
    assert_eq!(refused.refusals.len(), 1);
}
