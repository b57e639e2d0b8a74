//! Plans and recovered ledgers on simulated disks.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use agpm_diag::{FailureKind, Notes};
use agpm_model::{Checksum, EntryNode, FileMode, NodeLocation, ObservedPath, RelativePath};
use agpm_plan::{
    Author, BaseNumber, ChangeAction, ChangeReason, ConflictTake, DesiredFile, DesiredNode,
    DesiredState, FileOutcome, KeptBytes, LayerDocument, Ledger, Observation, Obstacle,
    OnEqualUserValue, OpenConflict, OverwriteRule, OwnedFile, OwnedNodes, Plan, PlanError,
    ResolutionError, plan, recover_ownership,
};
use agpm_text::{Format, LazyDocument, Value, parse_alone};

const SETTINGS: &str = ".claude/settings.json";
const TEXT: &str = "{\n  \"a\": 1\n}\n";

fn path(text: &str) -> RelativePath {
    RelativePath::new(text).unwrap()
}

fn sum(text: &str) -> Checksum {
    Checksum::of(text.as_bytes())
}

fn file(at: &str, content: &str) -> DesiredFile {
    DesiredFile {
        path: path(at),
        bytes: content.as_bytes().to_vec().into(),
        checksum: sum(content),
        source: sum(content),
        mode: FileMode::Plain,
        owner: "agents/x".into(),
        on_equal: OnEqualUserValue::Adopt,
        is_empty_document: false,
    }
}

/// A document of the layers without keys.
fn empty_document(at: &str) -> DesiredFile {
    DesiredFile {
        owner: "layers/org".into(),
        on_equal: OnEqualUserValue::Keep,
        is_empty_document: true,
        ..file(at, "{}\n")
    }
}

fn state(files: impl IntoIterator<Item = DesiredFile>) -> DesiredState<'static> {
    let mut state = DesiredState::default();
    for file in files {
        state.add_file(file).unwrap();
    }
    state
}

fn owned(content: &str) -> OwnedFile {
    OwnedFile {
        checksum: sum(content),
        source: None,
        mode: FileMode::Plain,
        owner: "agents/x".into(),
        author: Author::Agpm,
        base: None,
        conflict: None,
    }
}

fn ledger(files: &[(&str, &str)]) -> Ledger {
    let record = |(at, content): &(&str, &str)| (path(at), owned(content));
    Ledger {
        files: files.iter().map(record).collect(),
        ..Ledger::default()
    }
}

fn disk(files: &[(&str, &str)]) -> Observation {
    let mut disk = Observation::default();
    for (at, content) in files {
        disk.add(path(at), ObservedPath::file(sum(content), FileMode::Plain));
    }
    disk
}

fn shared_disk(content: &str) -> Observation {
    let mut disk = disk(&[(SETTINGS, content)]);
    let document = parse_alone(content.to_owned(), Format::Jsonc).document;
    disk.add_document(path(SETTINGS), Arc::new(document));
    disk
}

fn try_plan(
    desired: &DesiredState<'_>,
    disk: &Observation,
    ledger: &Ledger,
) -> Result<Plan, PlanError> {
    plan(
        desired,
        disk,
        ledger,
        OverwriteRule::Nothing,
        &|paths, one| paths.into_iter().map(one).collect(),
    )
}

fn planned(desired: &DesiredState<'_>, disk: &Observation, ledger: &Ledger) -> Plan {
    try_plan(desired, disk, ledger).unwrap()
}

fn decisions(plan: &Plan) -> Vec<(&str, ChangeAction, ChangeReason)> {
    plan.changes
        .iter()
        .map(|change| (change.path.as_str(), change.action, change.reason))
        .collect()
}

fn with_entry() -> DesiredState<'static> {
    let mut desired = DesiredState::default();
    let node = EntryNode {
        location: NodeLocation::Key("/servers/fs".parse().unwrap()),
        value: Value::from(1_usize),
    };
    desired.add_entries(&path(SETTINGS), &"mcp-servers/fs".into(), &[node]);
    desired
}

/// The layers' contribution to the settings.
struct Layer {
    path: RelativePath,
    text: LazyDocument,
    nodes: Vec<DesiredNode>,
}

impl Layer {
    fn new() -> Self {
        let node = EntryNode {
            location: NodeLocation::Key("/a".parse().unwrap()),
            value: Value::from(1_usize),
        };
        Layer {
            path: path(SETTINGS),
            text: LazyDocument::new(TEXT.to_owned(), Format::Jsonc),
            nodes: vec![DesiredNode {
                node,
                owner: "layers/org".into(),
                on_equal: OnEqualUserValue::Keep,
            }],
        }
    }

    fn desired(&self, mode: FileMode) -> DesiredState<'_> {
        let mut desired = DesiredState::default();
        let document = LayerDocument {
            path: &self.path,
            mode,
            owner: &self.nodes[0].owner,
            text: &self.text,
            nodes: &self.nodes,
        };
        assert!(desired.shares(&document));
        desired.add_layer_document(&document);
        desired
    }
}

#[test]
fn two_resources_share_a_path_only_with_the_same_bytes() {
    let mut desired = state([file("a.md", "one")]);
    assert!(desired.add_file(file("a.md", "one")).is_ok());
    assert_eq!(desired.file_paths().count(), 1);
    for other in [file("a.md", "two"), file("A.md", "one")] {
        let failure = desired.add_file(other).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Errors);
    }
}

#[test]
fn nothing_is_installed_at_the_paths_of_agpm_and_of_shared_files() {
    for at in ["agpm.toml", "AGPM.lock", ".agpm/ledger.json"] {
        let failure = state([file(at, "x")]).refuse_reserved().unwrap_err();
        assert_eq!(failure.kind, FailureKind::Refused, "{at}");
    }
    let mut desired = with_entry();
    desired
        .add_file(file(".claude/Settings.json", "x"))
        .unwrap();
    let failure = desired.refuse_reserved().unwrap_err();
    let message = failure.diagnostic.unwrap().message;
    assert!(message.ends_with("which contains entries of hooks or MCP servers"));
    assert!(state([file("a.md", "x")]).refuse_reserved().is_ok());
}

#[test]
fn a_file_in_the_place_of_a_directory_refuses_everything_below_it() {
    let desired = state([
        file("d/a.md", "a"),
        file("d/b.md", "b"),
        file("dd/c.md", "c"),
    ]);
    let mut disk = Observation::default();
    disk.add_blocker(path("d"));
    let plan = planned(&desired, &disk, &Ledger::default());
    let refused: Vec<_> = plan
        .refusals
        .iter()
        .map(|refusal| (refusal.path.as_str(), refusal.obstacle))
        .collect();
    let below = Obstacle::BelowFile;
    assert_eq!(refused, [("d/a.md", below), ("d/b.md", below)]);
    let mut notes = Notes::default();
    plan.report_refusals(&disk, &mut notes);
    assert_eq!(notes.diagnostics.len(), 1);
    assert_eq!(
        notes.diagnostics[0].message,
        "cannot create `d/`: a file of that name exists"
    );
}

#[test]
fn a_managed_file_makes_way_for_a_directory() {
    let mut disk = disk(&[("d", "old")]);
    disk.add_blocker(path("d"));
    let plan = planned(
        &state([file("d/a.md", "a")]),
        &disk,
        &ledger(&[("d", "old")]),
    );
    assert_eq!(
        decisions(&plan),
        [
            ("d", ChangeAction::Remove, ChangeReason::Unasked),
            ("d/a.md", ChangeAction::Create, ChangeReason::New)
        ]
    );
    assert!(plan.refusals.is_empty());
}

#[test]
fn an_empty_document_leaves_the_users_file_alone() {
    let desired = state([empty_document(SETTINGS)]);
    let users = planned(&desired, &shared_disk(TEXT), &Ledger::default());
    assert_eq!(users, Plan::default());
    let free = planned(&desired, &Observation::default(), &Ledger::default());
    assert_eq!(
        decisions(&free),
        [(SETTINGS, ChangeAction::Create, ChangeReason::New)]
    );
    // A wholly managed file becomes the empty document.
    let mut ours = Ledger::default();
    let nodes = OwnedNodes::whole(sum(TEXT));
    ours.shared.insert(path(SETTINGS), nodes);
    let managed = planned(&desired, &shared_disk(TEXT), &ours);
    assert_eq!(
        decisions(&managed),
        [(SETTINGS, ChangeAction::Update, ChangeReason::Content)]
    );
    assert!(managed.ledger.shared.is_empty());
}

#[test]
fn a_whole_file_becomes_shared_and_stays_managed_unless_it_was_edited() {
    let layer = Layer::new();
    let desired = layer.desired(FileMode::Plain);
    let before = ledger(&[(SETTINGS, TEXT)]);
    let untouched = planned(&desired, &shared_disk(TEXT), &before);
    assert!(untouched.shared.is_empty() && untouched.refusals.is_empty());
    assert!(untouched.ledger.files.is_empty());
    let record = &untouched.ledger.shared[&path(SETTINGS)];
    assert!(record.is_whole(sum(TEXT)));

    let edited_text = "{\"a\": 2}";
    let edited = planned(&desired, &shared_disk(edited_text), &before);
    assert_eq!(edited.refusals[0].obstacle, Obstacle::Entry);
    let mut notes = Notes::default();
    edited.report_refusals(&shared_disk(edited_text), &mut notes);
    let label = &notes.diagnostics[0].labels[0];
    let source = notes.sources.get(label.source);
    assert_eq!(source.name, SETTINGS);
    assert_eq!(&source.text[label.span.range()], "2");
}

#[test]
fn the_mode_of_a_file_that_is_wholly_managed_is_set_and_of_no_other() {
    let layer = Layer::new();
    let desired = layer.desired(FileMode::Executable);
    let plain = layer.desired(FileMode::Plain);
    let managed = recover_ownership(&plain, &shared_disk(TEXT), &Ledger::default());
    let whole = planned(&desired, &shared_disk(TEXT), &managed);
    assert_eq!(
        decisions(&whole),
        [(SETTINGS, ChangeAction::Update, ChangeReason::Mode)]
    );
    assert_eq!(whole.shared[0].outcome, FileOutcome::Write(TEXT.to_owned()));
    let users = planned(&desired, &shared_disk(TEXT), &Ledger::default());
    assert!(users.shared.is_empty() && users.changes.is_empty());
}

#[test]
fn a_shared_file_that_cannot_be_understood_stops_only_a_plan_that_needs_it() {
    let mut disk = disk(&[(SETTINGS, "{"), ("a.md", "a")]);
    disk.add_unreadable(path(SETTINGS));
    let error = try_plan(&with_entry(), &disk, &Ledger::default()).unwrap_err();
    assert!(matches!(error, PlanError::Unreadable(at) if at == path(SETTINGS)));
    let other = state([file("a.md", "a")]);
    assert!(try_plan(&other, &disk, &Ledger::default()).is_ok());
    let mut left_out = with_entry();
    left_out.leave_out(disk.unreadable());
    let plan = planned(&left_out, &disk, &Ledger::default());
    assert_eq!(plan, Plan::default());
}

#[test]
fn only_files_are_replaced_by_a_shared_file() {
    for (now, what) in [
        (ObservedPath::Directory, Obstacle::Directory),
        (ObservedPath::Symlink, Obstacle::Symlink),
        (ObservedPath::Special, Obstacle::Special),
    ] {
        let mut disk = Observation::default();
        disk.add(path(SETTINGS), now);
        let plan = planned(&with_entry(), &disk, &Ledger::default());
        let refusal = &plan.refusals[0];
        assert_eq!(
            (refusal.obstacle, &refusal.owner),
            (what, &"mcp-servers/fs".into())
        );
        assert!(plan.shared.is_empty());
    }
}

#[test]
fn files_with_the_locked_bytes_are_recovered_and_edited_ones_are_not() {
    let locked = state([file("a.md", "a"), file("b.md", "b"), file("c.md", "c")]);
    let disk = disk(&[("a.md", "a"), ("b.md", "edited")]);
    let recovered = recover_ownership(&locked, &disk, &Ledger::default());
    assert_eq!(recovered, ledger(&[("a.md", "a")]));
    // After a pull the ledger is outdated: it has the checksums of the version before.
    let behind = ledger(&[("a.md", "before"), ("b.md", "b")]);
    let recovered = recover_ownership(&locked, &disk, &behind);
    assert_eq!(recovered, ledger(&[("a.md", "a"), ("b.md", "b")]));
    assert_eq!(recover_ownership(&locked, &disk, &recovered), recovered);
}

#[test]
fn a_file_of_the_user_that_equals_the_layers_is_not_recovered() {
    let locked = state([empty_document(SETTINGS)]);
    let disk = disk(&[(SETTINGS, "{}\n")]);
    let mut users = Ledger::default();
    users.equal_user_files.insert(path(SETTINGS), sum("{}\n"));
    assert_eq!(recover_ownership(&locked, &disk, &users), users);
    let recovered = recover_ownership(&locked, &disk, &Ledger::default());
    assert!(recovered.files.contains_key(&path(SETTINGS)));
}

#[test]
fn entries_and_whole_documents_are_recovered_from_what_is_on_the_disk() {
    let entry = "{\"servers\": {\"fs\": 1}, \"mine\": true}";
    let recovered = recover_ownership(&with_entry(), &shared_disk(entry), &Ledger::default());
    assert_eq!(recovered.shared[&path(SETTINGS)].nodes.len(), 1);
    let layer = Layer::new();
    let locked = layer.desired(FileMode::Plain);
    let recovered = recover_ownership(&locked, &shared_disk(TEXT), &Ledger::default());
    assert!(recovered.shared[&path(SETTINGS)].is_whole(sum(TEXT)));
    let plan = planned(&locked, &shared_disk(TEXT), &recovered);
    assert!(plan.is_empty() && plan.refusals.is_empty());
}

#[test]
fn an_edit_with_a_new_version_is_merged_or_in_conflict() {
    let desired = state([file("a.md", "new\n")]);
    let (now, before) = (disk(&[("a.md", "mine\n")]), ledger(&[("a.md", "old\n")]));
    let at = path("a.md");
    let mut merged = planned(&desired, &now, &before);
    let found = merged.files_to_merge(&desired)[0].0.clone();
    let mut conflict = merged.clone();

    merged.accept_merge(&found, b"merged".to_vec());
    assert_eq!(
        decisions(&merged),
        [("a.md", ChangeAction::Merge, ChangeReason::Merged)]
    );
    // What differs from the new version is an edit from now on, with nothing new.
    assert_eq!(merged.ledger.files[&at].checksum, sum("new\n"));
    let next = planned(&desired, &disk(&[("a.md", "both\n")]), &merged.ledger);
    assert_eq!(
        decisions(&next),
        [("a.md", ChangeAction::Keep, ChangeReason::Edited)]
    );

    conflict.open_conflict(&found, sum("mine\n"), None);
    let ledger = Ledger::read(conflict.ledger.to_text().as_bytes()).unwrap();
    assert_eq!(ledger, conflict.ledger);
    assert_eq!(ledger.files[&at].checksum, sum("old\n"));
    // The same version again: the conflict stays as it arose, whatever was edited since.
    let mut again = planned(&desired, &disk(&[("a.md", "more\n")]), &ledger);
    again.open_conflict(&found, sum("more\n"), None);
    assert_eq!(again.ledger.files[&at].conflict, ledger.files[&at].conflict);
    // The old version again: no conflict is left.
    let back = planned(&state([file("a.md", "old\n")]), &now, &ledger);
    assert_eq!(back.ledger.files[&at].conflict, None);
}

#[test]
fn a_side_resolves_a_conflict_unless_it_would_lose_an_edit() {
    let next = OwnedFile {
        base: Some(BaseNumber(2)),
        ..owned("new\n")
    };
    let conflict = OpenConflict {
        mine: sum("mine\n"),
        mine_base: Some(BaseNumber(1)),
        next: Box::new(next),
    };
    let kept = |content: &str, number: u32| KeptBytes {
        checksum: sum(content),
        base: Some(BaseNumber(number)),
    };
    let file = |content: &str| ObservedPath::file(sum(content), FileMode::Plain);
    let missing = ObservedPath::Missing;
    for (take, now, expected) in [
        (ConflictTake::Mine, file("mine\n"), Ok(None)),
        (ConflictTake::Mine, missing, Ok(Some(kept("mine\n", 1)))),
        (
            ConflictTake::Mine,
            file("more\n"),
            Err(ResolutionError::EditedSince),
        ),
        (
            ConflictTake::New,
            file("more\n"),
            Ok(Some(kept("new\n", 2))),
        ),
        (ConflictTake::New, missing, Ok(Some(kept("new\n", 2)))),
        (ConflictTake::Merged, file("more\n"), Ok(None)),
        (ConflictTake::Merged, missing, Err(ResolutionError::Missing)),
        (
            ConflictTake::New,
            ObservedPath::Symlink,
            Err(ResolutionError::NotFile),
        ),
    ] {
        assert_eq!(conflict.bytes_to_write(take, now), expected, "{take:?}");
    }
}

#[test]
fn a_deleted_file_comes_back_unless_it_has_a_new_version() {
    let before = ledger(&[("a.md", "old\n")]);
    let same = planned(&state([file("a.md", "old\n")]), &disk(&[]), &before);
    assert_eq!(
        decisions(&same),
        [("a.md", ChangeAction::Create, ChangeReason::WasMissing)]
    );
    let newer = planned(&state([file("a.md", "new\n")]), &disk(&[]), &before);
    assert_eq!(
        decisions(&newer),
        [("a.md", ChangeAction::Keep, ChangeReason::Deleted)]
    );
    assert_eq!(newer.ledger.files[&path("a.md")].checksum, sum("old\n"));
}
