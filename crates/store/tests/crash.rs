//! Kills and failures at every single write, and a second kill while the first is repaired.
#![cfg(debug_assertions)]
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use agpm_store::{ForceUndo, LockWait, ProjectStore, RecoveryOutcome, StoreProblem};
use agpm_testkit::temporary_directory;
use common::{PATIENT, Tree, apply, every_kind, prepare, tree};
use tempfile::TempDir;

const FOLDER: &str = "AGPM_TEST_FOLDER";
const STOP: &str = "AGPM_STOP_AT_WRITE";
/// More writes than any of the children performs.
const MOST: usize = 200;
const FAIL: &str = "AGPM_FAIL_AT_WRITE";

#[test]
#[ignore = "the program that the other tests kill"]
fn child_applies() {
    if let Some(project) = std::env::var_os(FOLDER) {
        apply(Path::new(&project), "second", every_kind()).unwrap();
    }
}

#[test]
#[ignore = "the program that the other tests kill"]
fn child_recovers() {
    if let Some(project) = std::env::var_os(FOLDER) {
        let store = ProjectStore::open(Path::new(&project)).unwrap();
        store.recover(&store.lock(PATIENT).unwrap()).unwrap();
    }
}

#[test]
#[ignore = "the program that the other tests kill"]
fn child_undoes() {
    if let Some(project) = std::env::var_os(FOLDER) {
        let store = ProjectStore::open(Path::new(&project)).unwrap();
        let lock = store.lock(PATIENT).unwrap();
        let span = store.undone_span(None).unwrap();
        store
            .undo(&lock, &span, ForceUndo::No, &[], &BTreeSet::new())
            .unwrap();
    }
}

/// The process that runs the ignored test `name`.
fn child_process(name: &str, project: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", name, "--ignored", "--nocapture"])
        .env(FOLDER, project)
        // Children panic on purpose; a backtrace that nobody reads takes ten times as long as the rest.
        .env("RUST_BACKTRACE", "0")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Whether a child with a fault at its n-th write ended well.
fn child(name: &str, project: &Path, fault: &str, at: usize) -> bool {
    let mut command = child_process(name, project);
    command.env(fault, at.to_string());
    command.status().unwrap().success()
}

struct Case {
    _temp: TempDir,
    project: PathBuf,
}

/// A project before the second transaction, or after it.
fn case(start: Start) -> Case {
    let temp = temporary_directory();
    let project = temp.path().join("project");
    std::fs::create_dir(&project).unwrap();
    prepare(&project);
    if start == Start::Applied {
        apply(&project, "second", every_kind()).unwrap();
    }
    Case {
        _temp: temp,
        project,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Start {
    Prepared,
    Applied,
}

fn trees() -> (Tree, Tree) {
    (
        tree(&case(Start::Prepared).project),
        tree(&case(Start::Applied).project),
    )
}

fn recover(project: &Path) -> RecoveryOutcome {
    let store = ProjectStore::open(project).unwrap();
    let lock = store.lock(PATIENT).unwrap();
    let recovered = store.recover(&lock).unwrap();
    assert!(!store.needs_recovery());
    assert_eq!(store.recover(&lock).unwrap(), RecoveryOutcome::Nothing);
    recovered
}

fn entries(project: &Path) -> usize {
    ProjectStore::open(project)
        .unwrap()
        .history()
        .unwrap()
        .len()
}

/// Kills `name` at every write; after each kill the project must become `old` or, once committed, `new`.
fn kill_everywhere(name: &str, start: Start, old: (&Tree, usize), new: (&Tree, usize)) {
    let mut seen = Vec::new();
    for at in 1..MOST {
        let case = case(start);
        let ended = child(name, &case.project, STOP, at);
        let committed = case.project.join(".agpm/transaction/journal.json").exists();
        let finished =
            entries(&case.project) == new.1 && !case.project.join(".agpm/transaction").exists();
        let recovered = recover(&case.project);
        let expected = if committed || finished { new } else { old };
        assert!(
            tree(&case.project) == *expected.0,
            "{name} killed at write {at}: {recovered:?}"
        );
        assert_eq!(
            entries(&case.project),
            expected.1,
            "{name} killed at write {at}"
        );
        seen.push(recovered);
        if ended {
            assert!(finished);
            break;
        }
    }
    for kind in [
        RecoveryOutcome::RolledBack,
        RecoveryOutcome::RolledForward,
        RecoveryOutcome::Nothing,
    ] {
        assert!(
            seen.contains(&kind),
            "{name}: {kind:?} in {} kills",
            seen.len()
        );
    }
}

#[test]
fn a_kill_at_any_write_leaves_the_old_state_or_the_new_one() {
    let (old, new) = trees();
    kill_everywhere("child_applies", Start::Prepared, (&old, 1), (&new, 2));
}

#[test]
fn a_kill_at_any_write_of_an_undo_leaves_the_old_state_or_the_new_one() {
    let (old, new) = trees();
    kill_everywhere("child_undoes", Start::Applied, (&new, 2), (&old, 1));
}

#[test]
fn a_kill_of_the_recovery_does_not_matter_either() {
    let (old, new) = trees();
    for first in 1..MOST {
        for second in 1..MOST {
            let case = case(Start::Prepared);
            if child("child_applies", &case.project, STOP, first) {
                return;
            }
            let committed = case.project.join(".agpm/transaction/journal.json").exists();
            let finished = entries(&case.project) == 2;
            let ended = child("child_recovers", &case.project, STOP, second);
            recover(&case.project);
            let expected = if committed || finished { &new } else { &old };
            assert!(
                tree(&case.project) == *expected,
                "killed at {first} and {second}"
            );
            if ended {
                break;
            }
        }
    }
}

fn fail_everywhere(name: &str, start: Start, old: &Tree, new: &Tree) {
    for at in 1..MOST {
        let case = case(start);
        let ended = child(name, &case.project, FAIL, at);
        let expected = if ended { new } else { old };
        assert!(
            tree(&case.project) == *expected,
            "{name} failed at write {at}"
        );
        assert!(
            !case.project.join(".agpm/transaction").exists(),
            "{name} failed at write {at}"
        );
        let before = if start == Start::Prepared { 1 } else { 2 };
        assert!(
            ended || entries(&case.project) == before,
            "{name} failed at write {at}"
        );
        // A failure while leftovers are removed is no failure: only past the last write all is well and tidy.
        let left = |name: &str| case.project.join(".agpm").join(name).exists();
        if ended && !left("discarded") && !left("history/2/new") {
            return;
        }
    }
}

#[test]
fn a_failure_at_any_write_takes_everything_back() {
    let (old, new) = trees();
    fail_everywhere("child_applies", Start::Prepared, &old, &new);
}

#[test]
fn a_failure_at_any_write_of_an_undo_takes_everything_back() {
    let (old, new) = trees();
    fail_everywhere("child_undoes", Start::Applied, &new, &old);
}

/// A project whose second transaction was killed right after the commit point.
fn killed_once_committed() -> Case {
    let mut committed = (1..MOST).map(|at| {
        let case = case(Start::Prepared);
        child("child_applies", &case.project, STOP, at);
        case
    });
    committed
        .find(|case| case.project.join(".agpm/transaction/journal.json").exists())
        .unwrap()
}

fn inode(path: &Path) -> Option<u64> {
    std::fs::metadata(path)
        .ok()
        .map(|metadata| std::os::unix::fs::MetadataExt::ino(&metadata))
}

/// As after a power cut: the journal is synced, the contents are not.
#[test]
fn a_content_that_did_not_arrive_rolls_back_what_was_committed() {
    let (old, _) = trees();
    let mut torn = 0;
    for at in 1..MOST {
        let case = case(Start::Prepared);
        let ended = child("child_applies", &case.project, STOP, at);
        let transaction = case.project.join(".agpm/transaction");
        // The ledger is the last file before the list of directories.
        let staged = transaction.join("new/10");
        // A file that was exchanged with the old one arrived long before.
        let exchanged = inode(&staged) == inode(&transaction.join("old/10"));
        if transaction.join("journal.json").exists() && staged.exists() && !exchanged {
            std::fs::write(staged, "").unwrap();
            assert_eq!(recover(&case.project), RecoveryOutcome::RolledBack);
            assert!(tree(&case.project) == old, "killed at write {at}");
            torn += 1;
        }
        if ended {
            break;
        }
    }
    assert!(torn > 10, "{torn}");
}

/// Files that the plan did not see are not overwritten: the rest is done, and the user's bytes stay.
#[test]
fn edits_between_a_kill_and_the_recovery_stay_in_place() {
    let (_, mut new) = trees();
    let case = killed_once_committed();
    let edits = [
        ("new.md", "mine"),
        ("settings.json", "edited"),
        ("shared/three.md", "edited too"),
    ];
    for (file, text) in edits {
        std::fs::write(case.project.join(file), text).unwrap();
    }
    assert_eq!(recover(&case.project), RecoveryOutcome::RolledForward);
    let mut now = tree(&case.project);
    for (file, text) in edits {
        assert_eq!(
            std::fs::read_to_string(case.project.join(file)).unwrap(),
            text,
            "{file}"
        );
        now.remove(file);
        new.remove(file);
    }
    assert_eq!(now, new);
}

/// The same at every moment, whether an editor writes in place or replaces the file.
#[test]
fn no_edit_after_a_kill_is_lost() {
    for at in 1..MOST {
        for replaced in [false, true] {
            let case = case(Start::Prepared);
            if child("child_applies", &case.project, STOP, at) {
                return;
            }
            let mut edited = Vec::new();
            for file in ["settings.json", "shared/three.md", "ours/two.md", "new.md"] {
                let path = case.project.join(file);
                let Ok(text) = std::fs::read_to_string(&path) else {
                    continue;
                };
                if replaced {
                    std::fs::write(case.project.join("editing"), format!("{text} and mine"))
                        .unwrap();
                    std::fs::rename(case.project.join("editing"), &path).unwrap();
                } else {
                    std::fs::write(&path, format!("{text} and mine")).unwrap();
                }
                edited.push(path);
            }
            recover(&case.project);
            for path in edited {
                let now = std::fs::read_to_string(&path).unwrap_or_default();
                assert!(
                    now.ends_with(" and mine"),
                    "{}, killed at write {at}: {now:?}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn a_committed_transaction_without_its_directories_is_kept() {
    let case = killed_once_committed();
    std::fs::remove_dir_all(case.project.join(".agpm/transaction/new")).unwrap();
    let store = ProjectStore::open(&case.project).unwrap();
    let error = store.recover(&store.lock(PATIENT).unwrap()).unwrap_err();
    assert!(matches!(error.problem, StoreProblem::Damaged(_)), "{error}");
    assert!(case.project.join(".agpm/transaction/journal.json").exists());
}

#[test]
#[ignore = "the program that the other tests start"]
fn child_must_wait() {
    if let Some(project) = std::env::var_os(FOLDER) {
        let store = ProjectStore::open(Path::new(&project)).unwrap();
        assert!(matches!(
            store.lock(LockWait::Fail).unwrap_err().problem,
            StoreProblem::Locked
        ));
    }
}

#[test]
fn the_lock_holds_between_processes() {
    let case = case(Start::Prepared);
    let store = ProjectStore::open(&case.project).unwrap();
    let lock = store.lock(PATIENT).unwrap();
    assert!(child("child_must_wait", &case.project, STOP, 0));
    drop(lock);
    assert!(!child("child_must_wait", &case.project, STOP, 0));
}

/// A path that is empty because its file was just moved away may be filled by a user: both contents stay.
#[test]
fn a_new_file_at_a_moved_path_is_kept_next_to_it() {
    let mut filled = std::collections::BTreeSet::new();
    for at in 1..MOST {
        for (file, number, old) in [
            ("shared/three.md", "7", "three"),
            ("settings.json", "3", "{}"),
        ] {
            let case = case(Start::Prepared);
            if child("child_applies", &case.project, STOP, at) {
                // A replaced file exists at every moment; only a removed one leaves its path empty.
                assert!(
                    filled.contains("shared/three.md") && filled.len() == 1,
                    "{filled:?}"
                );
                return;
            }
            assert!(
                case.project.join("settings.json").exists(),
                "killed at write {at}"
            );
            if case.project.join(file).exists() || entries(&case.project) == 2 {
                continue;
            }
            std::fs::write(case.project.join(file), "mine").unwrap();
            assert_eq!(recover(&case.project), RecoveryOutcome::RolledForward);
            let backups = case.project.join(".agpm/history/2/old");
            let read = |path: PathBuf| std::fs::read_to_string(path).unwrap_or_default();
            assert_eq!(
                read(backups.join(number)),
                old,
                "{file}, killed at write {at}"
            );
            let locations = [
                case.project.join(file),
                backups.join(format!("{number}.found")),
            ];
            assert!(
                locations.map(read).contains(&"mine".to_owned()),
                "{file}, killed at write {at}"
            );
            filled.insert(file);
        }
    }
}

/// A file must exist before a configuration names it, and be removed after it.
#[test]
fn files_are_written_in_order_and_removed_after_that() {
    let mut seen = std::collections::BTreeSet::new();
    for at in 1..MOST {
        let case = case(Start::Prepared);
        if child("child_applies", &case.project, STOP, at) {
            assert_eq!(seen.len(), 4, "{seen:?}");
            return;
        }
        let there = |file: &str| case.project.join(file).exists();
        let named = std::fs::read_to_string(case.project.join("settings.json")).unwrap() != "{}";
        assert!(!named || there("new.md"), "killed at write {at}");
        assert!(named || there("shared/three.md"), "killed at write {at}");
        seen.insert((there("new.md"), named, there("shared/three.md")));
    }
}

/// The edit that the hook in `fault` writes.
const EDITED: &str = "edited by the user";

/// Whether a child that finds a file edited right before its n-th write ended well.
fn child_with_edit(name: &str, project: &Path, file: &str, how: &str, at: usize) -> bool {
    let mut command = child_process(name, project);
    command
        .env("AGPM_EDIT_AT_WRITE", at.to_string())
        .env("AGPM_EDIT_FILE", project.join(file))
        .env("AGPM_EDIT_HOW", how);
    command.status().unwrap().success()
}

/// The files of a tree but one, and those that were set aside for it.
fn without(tree: &Tree, file: &str) -> Tree {
    let others = tree
        .iter()
        .filter(|(path, _)| *path != file && !path.ends_with("agpm-old"));
    others
        .map(|(path, content)| (path.clone(), content.clone()))
        .collect()
}

/// Edits one file right before every single write of a running transaction: the edit is kept, the rest is as before or
/// as planned, and the transaction can be undone.
fn edit_everywhere(name: &str, start: Start, old: &Tree, new: &Tree) {
    let files = ["settings.json", "shared/three.md", "ours/two.md", "swap"];
    for (file, how) in files
        .iter()
        .flat_map(|file| [(*file, "in-place"), (*file, "rename")])
    {
        let mut refused = 0;
        for at in 1..MOST {
            let case = case(start);
            let ended = child_with_edit(name, &case.project, file, how, at);
            let what =
                format!("{name}: {file} edited ({how}) before write {at}, ended well: {ended}");
            assert!(!case.project.join(".agpm/transaction").exists(), "{what}");
            let now = tree(&case.project);
            let expected = if ended { new } else { old };
            assert_eq!(without(&now, file), without(expected, file), "{what}");
            refused += usize::from(!ended);
            let is_edited = |tree: &Tree| {
                tree.get(file)
                    .is_some_and(|(_, bytes)| bytes.as_deref() == Some(EDITED.as_bytes()))
            };
            let in_place = is_edited(&now);
            let store = ProjectStore::open(&case.project).unwrap();
            let lock = store.lock(PATIENT).unwrap();
            let undone = store
                .undone_span(None)
                .and_then(|span| store.undo(&lock, &span, ForceUndo::Yes, &[], &BTreeSet::new()));
            assert!(undone.is_ok(), "{what}: {undone:?}");
            // A plan that accepts any file may replace an edit from before its check; the history has it.
            let is_kept = ended && is_edited(&tree(&case.project));
            if !in_place && !is_kept {
                // No edit: the last write was done, or a directory is at the path.
                assert!(ended, "{what}");
                break;
            }
        }
        assert!(
            refused > 3,
            "{name}: {file} ({how}) was refused {refused} times"
        );
    }
}

#[test]
fn no_edit_while_a_transaction_runs_is_lost() {
    let (old, new) = trees();
    edit_everywhere("child_applies", Start::Prepared, &old, &new);
}
