//! Transactions, their history and undo, and refusals.

#![allow(clippy::unwrap_used)]

mod common;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;

use agpm_model::{FileChangeKind, FileMode as Mode, ObservedPath};
use agpm_store::{
    ExpectedFile, FileChange, ForceUndo, LockWait, ProjectStore, StateDirectory, StoreProblem,
    Transaction, UndoError,
};
use agpm_testkit::temporary_directory;
use common::{PATIENT, apply, create, every_kind, path, prepare, remove, tree, was, write};

fn undo(project: &std::path::Path, force: ForceUndo) -> Result<String, UndoError> {
    let store = ProjectStore::open(project)?;
    let lock = store.lock(PATIENT)?;
    let span = store.undone_span(None)?;
    let undone = store.undo(&lock, &span, force, &[], &BTreeSet::new())?;
    Ok(undone.title)
}

fn titles(project: &std::path::Path) -> Vec<String> {
    let history = ProjectStore::open(project).unwrap().history().unwrap();
    history
        .iter()
        .map(|entry| format!("{} {}", entry.number, entry.title))
        .collect()
}

#[test]
fn undo_goes_back_one_by_one_to_the_very_bytes_and_modes() {
    let temp = temporary_directory();
    let project = temp.path();
    fs::create_dir(project.join("empty")).unwrap();
    prepare(project);
    let old = tree(project);
    apply(project, "second", every_kind()).unwrap();
    assert_eq!(titles(project), ["2 second", "1 first"]);
    assert!(!project.join("ours/deep").exists() && project.join("shared/user.md").exists());
    assert_eq!(undo(project, ForceUndo::No).unwrap(), "second");
    assert!(tree(project) == old);
    assert_eq!(titles(project), ["1 first"]);
    assert_eq!(undo(project, ForceUndo::No).unwrap(), "first");
    let left: Vec<String> = tree(project).into_keys().collect();
    assert_eq!(
        left,
        [
            ".agpm",
            ".agpm/.gitignore",
            "empty",
            "settings.json",
            "shared",
            "shared/user.md"
        ]
    );
    assert!(matches!(
        undo(project, ForceUndo::No),
        Err(UndoError::Nothing)
    ));
}

#[test]
fn undo_refuses_when_a_file_was_edited_since() {
    let temp = temporary_directory();
    let project = temp.path();
    prepare(project);
    let old = tree(project);
    apply(project, "second", every_kind()).unwrap();
    fs::write(project.join("new.md"), "mine").unwrap();
    fs::write(project.join("shared/three.md"), "mine too").unwrap();
    let edited = tree(project);
    match undo(project, ForceUndo::No) {
        Err(UndoError::Changed(paths)) => {
            assert_eq!(paths, [path("new.md"), path("shared/three.md")])
        }
        other => panic!("{other:?}"),
    }
    assert!(tree(project) == edited);
    undo(project, ForceUndo::Yes).unwrap();
    assert!(tree(project) == old);
}

#[test]
fn the_history_names_what_was_done_and_keeps_the_newest_fifty() {
    let temp = temporary_directory();
    let project = temp.path();
    for number in 0..53 {
        let before = if number == 0 {
            ExpectedFile::Missing
        } else {
            was(&(number - 1).to_string())
        };
        apply(
            project,
            "t",
            vec![write("a", &number.to_string(), Mode::Plain, before)],
        )
        .unwrap();
    }
    apply(project, "t", vec![remove("a", "52"), create("b/c", "x")]).unwrap();
    let history = ProjectStore::open(project).unwrap().history().unwrap();
    assert_eq!(history.len(), 50);
    assert_eq!(
        history[0].changes,
        [
            (path("a"), FileChangeKind::Removed),
            (path("b/c"), FileChangeKind::Created)
        ]
    );
    assert_eq!(history[1].changes, [(path("a"), FileChangeKind::Updated)]);
    assert_eq!(fs::read_dir(project.join(".agpm")).unwrap().count(), 4);
}

#[test]
fn nothing_is_written_when_a_file_is_not_what_the_plan_saw() {
    let temp = temporary_directory();
    let project = temp.path();
    prepare(project);
    let old = tree(project);
    for change in [
        create("settings.json", "x"),
        write("settings.json", "x", Mode::Plain, was("other")),
        remove("gone", "was here"),
        create("shared", "x"),
    ] {
        let error = apply(project, "t", vec![create("a/b", "x"), change]).unwrap_err();
        assert!(matches!(error.problem, StoreProblem::Changed), "{error}");
    }
    let onto_directory = write("shared", "x", Mode::Plain, ExpectedFile::Anything);
    assert!(matches!(
        apply(project, "t", vec![onto_directory])
            .unwrap_err()
            .problem,
        StoreProblem::IsDirectory
    ));
    assert!(apply(project, "t", vec![create("settings.json/x", "x")]).is_err());
    assert!(tree(project) == old);
    assert!(!ProjectStore::open(project).unwrap().needs_recovery());
}

#[test]
fn our_own_state_and_git_are_not_targets() {
    let temp = temporary_directory();
    for target in [
        ".agpm/lock",
        ".agpm/history/1/x",
        ".AGPM/Transaction/x",
        ".agpm",
        "a/.git/hooks/pre-commit",
    ] {
        let error = apply(temp.path(), "t", vec![create(target, "x")]).unwrap_err();
        assert!(
            matches!(error.problem, StoreProblem::Reserved),
            "{target}: {error}"
        );
    }
    let twice = vec![create("a", "x"), create("a", "y")];
    assert!(matches!(
        apply(temp.path(), "t", twice).unwrap_err().problem,
        StoreProblem::Exists
    ));
}

#[test]
fn nothing_to_do_leaves_no_trace() {
    let temp = temporary_directory();
    let nothing = FileChange::Remove {
        path: path("gone"),
        before: ExpectedFile::Anything,
    };
    assert_eq!(apply(temp.path(), "t", vec![nothing]).unwrap().entry, None);
    assert_eq!(titles(temp.path()), Vec::<String>::new());
}

#[test]
fn a_final_journal_that_cannot_be_read_is_kept_and_stops_everything() {
    let temp = temporary_directory();
    let transaction = temp.path().join(".agpm/transaction");
    for part in ["new", "old"] {
        fs::create_dir_all(transaction.join(part)).unwrap();
    }
    fs::write(transaction.join("journal.json"), "{\"version\": 1,").unwrap();
    let error = apply(temp.path(), "t", vec![create("a", "x")]).unwrap_err();
    assert!(matches!(error.problem, StoreProblem::Damaged(_)), "{error}");
    assert!(error.path.ends_with(".agpm/transaction/journal.json"));
    assert!(transaction.join("old").exists() && !temp.path().join("a").exists());
}

#[test]
fn opening_and_looking_write_nothing() {
    let temp = temporary_directory();
    let store = ProjectStore::open(temp.path()).unwrap();
    assert!(!store.needs_recovery());
    assert_eq!(store.observe(&path("a/b")).unwrap(), ObservedPath::Missing);
    assert!(store.history().unwrap().is_empty());
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
}

#[test]
fn the_state_of_a_home_is_apart_from_that_of_a_project_in_it() {
    let temp = temporary_directory();
    let project = temp.path();
    prepare(project);
    let old = tree(project);
    let home = ProjectStore::open_at(project, StateDirectory::Home).unwrap();
    assert!(!home.needs_recovery() && home.history().unwrap().is_empty());
    let changes = vec![
        create("own/a.md", "a"),
        create(home.ledger().as_str(), "{}"),
    ];
    let lock = home.lock(PATIENT).unwrap();
    home.apply(
        &lock,
        &Transaction {
            title: "of the user".to_owned(),
            changes,
        },
        &|_| {},
    )
    .unwrap();
    assert_eq!(
        fs::read(project.join(".local/state/agpm/ledger.json")).unwrap(),
        b"{}"
    );
    assert_eq!(titles(project), ["1 first"]);
    assert_eq!(home.history().unwrap()[0].title, "of the user");
    let span = home.undone_span(None).unwrap();
    home.undo(&lock, &span, ForceUndo::No, &[], &BTreeSet::new())
        .unwrap();
    let mut now = tree(project);
    now.retain(|path, _| !path.starts_with(".local"));
    assert!(now == old);
    assert_eq!(titles(project), ["1 first"]);
}

#[test]
fn no_transaction_writes_into_a_state() {
    let temp = temporary_directory();
    for file in [
        ".agpm/history/1",
        ".local/state/agpm",
        ".local/state/AGPM/lock",
        ".local/state/agpm/history/1/x",
    ] {
        let error = apply(temp.path(), "t", vec![create(file, "x")]).unwrap_err();
        assert!(
            matches!(error.problem, StoreProblem::Reserved),
            "{file}: {error}"
        );
    }
    apply(
        temp.path(),
        "t",
        vec![create(".local/state/agpm-other", "x")],
    )
    .unwrap();
}

#[test]
fn a_second_lock_fails_or_waits() {
    let temp = temporary_directory();
    let store = ProjectStore::open(temp.path()).unwrap();
    let lock = Cell::new(Some(store.lock(PATIENT).unwrap()));
    let other = ProjectStore::open(temp.path()).unwrap();
    assert!(matches!(
        other.lock(LockWait::Fail).unwrap_err().problem,
        StoreProblem::Locked
    ));
    let waits = Cell::new(0);
    let tell = || {
        waits.set(waits.get() + 1);
        lock.take();
    };
    other.lock(LockWait::Block(&tell)).unwrap();
    assert_eq!(waits.get(), 1);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_parent_that_became_a_link_outside_is_refused_and_nothing_outside_is_touched() {
        let temp = temporary_directory();
        let (project, outside) = (temp.path().join("project"), temp.path().join("outside"));
        fs::create_dir_all(&project).unwrap();
        fs::create_dir_all(outside.join("deep")).unwrap();
        fs::write(outside.join("victim"), "safe").unwrap();
        let before = tree(&outside);
        for (target, at) in [
            ("../outside", "link"),
            (outside.to_str().unwrap(), "absolute"),
        ] {
            symlink(target, project.join(at)).unwrap();
            for change in [
                create(&format!("{at}/new"), "x"),
                create(&format!("{at}/deep/er/new"), "x"),
                write(&format!("{at}/victim"), "x", Mode::Plain, was("safe")),
                remove(&format!("{at}/victim"), "safe"),
            ] {
                let error = apply(&project, "t", vec![create("fine", "x"), change]).unwrap_err();
                assert!(matches!(error.problem, StoreProblem::Escapes), "{error}");
            }
            let store = ProjectStore::open(&project).unwrap();
            let seen = store.observe(&path(&format!("{at}/victim")));
            assert!(matches!(seen.unwrap_err().problem, StoreProblem::Escapes));
            assert_eq!(store.observe(&path(at)).unwrap(), ObservedPath::Symlink);
        }
        assert!(tree(&outside) == before);
        assert!(!project.join("fine").exists());
    }

    #[test]
    fn a_link_inside_is_followed_above_a_file_but_never_replaced_and_never_into_state() {
        let temp = temporary_directory();
        let project = temp.path();
        for directory in ["real", ".git/hooks"] {
            fs::create_dir_all(project.join(directory)).unwrap();
        }
        for (target, at) in [
            ("real", "link"),
            (".git/hooks", "hooks"),
            (".agpm", "state"),
            ("nowhere", "broken"),
        ] {
            symlink(target, project.join(at)).unwrap();
        }
        apply(project, "t", vec![create("link/a", "x")]).unwrap();
        assert_eq!(fs::read(project.join("real/a")).unwrap(), b"x");
        let problem = |change| apply(project, "t", vec![change]).unwrap_err().problem;
        assert!(matches!(
            problem(create("hooks/pre-commit", "x")),
            StoreProblem::Escapes
        ));
        assert!(matches!(
            problem(create("state/history", "x")),
            StoreProblem::Escapes
        ));
        let replaced = write("broken", "x", Mode::Plain, ExpectedFile::Anything);
        assert!(matches!(problem(replaced), StoreProblem::NotFile));
        assert!(matches!(
            problem(create("broken", "x")),
            StoreProblem::Changed
        ));
        undo(project, ForceUndo::No).unwrap();
        assert!(project.join("link").is_symlink() && !project.join("real/a").exists());
    }

    #[test]
    fn state_that_is_a_link_is_refused() {
        let temp = temporary_directory();
        fs::create_dir(temp.path().join("elsewhere")).unwrap();
        symlink("elsewhere", temp.path().join(".agpm")).unwrap();
        assert!(apply(temp.path(), "t", vec![create("a", "x")]).is_err());
        assert_eq!(
            fs::read_dir(temp.path().join("elsewhere")).unwrap().count(),
            0
        );
    }

    #[test]
    fn a_private_file_stays_private_and_gets_its_very_bits_back() {
        let temp = temporary_directory();
        let file = temp.path().join("secret.json");
        let bits = || {
            fs::metadata(&file)
                .map(|metadata| common::bits(&metadata))
                .ok()
        };
        fs::write(&file, "a").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        apply(
            temp.path(),
            "t",
            vec![write("secret.json", "b", Mode::Plain, was("a"))],
        )
        .unwrap();
        assert_eq!(bits(), Some(0o600));
        apply(
            temp.path(),
            "t",
            vec![write("secret.json", "b", Mode::Executable, was("b"))],
        )
        .unwrap();
        assert_eq!(bits(), Some(0o700));
        apply(temp.path(), "t", vec![remove("secret.json", "b")]).unwrap();
        assert_eq!(bits(), None);
        undo(temp.path(), ForceUndo::No).unwrap();
        assert_eq!(bits(), Some(0o700));
    }

    #[test]
    fn a_directory_that_cannot_be_written_leaves_everything_as_it_was() {
        let temp = temporary_directory();
        let project = temp.path();
        prepare(project);
        let shared = project.join("shared");
        fs::set_permissions(&shared, fs::Permissions::from_mode(0o555)).unwrap();
        if fs::write(shared.join("probe"), "").is_ok() {
            // The superuser may write anywhere: nothing to see here.
            return;
        }
        let old = tree(project);
        let error = apply(project, "t", every_kind()).unwrap_err();
        assert!(error.path.ends_with("shared/three.md"), "{error}");
        assert!(tree(project) == old);
        assert!(!ProjectStore::open(project).unwrap().needs_recovery());
        fs::set_permissions(&shared, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn several_transactions_are_undone_as_one() {
    let temp = temporary_directory();
    let project = temp.path();
    let store = ProjectStore::open(project).unwrap();
    apply(project, "first", vec![create("a", "a1"), create("b", "b1")]).unwrap();
    apply(
        project,
        "second",
        vec![write("a", "a2", Mode::Plain, was("a1")), remove("b", "b1")],
    )
    .unwrap();
    let before = tree(project);
    apply(
        project,
        "third",
        vec![
            write("a", "a3", Mode::Plain, was("a2")),
            create("c/d", "d3"),
        ],
    )
    .unwrap();
    apply(
        project,
        "fourth",
        vec![remove("c/d", "d3"), create("e", "e4")],
    )
    .unwrap();
    fs::write(project.join("e"), "edited").unwrap();
    let third = store.history().unwrap()[1].number;
    let lock = store.lock(PATIENT).unwrap();
    let span = store.undone_span(Some(third)).unwrap();
    let changed = store.changed_since(&span).unwrap();
    assert_eq!(changed, [path("e")]);
    let refused = store.undo(&lock, &span, ForceUndo::No, &[], &BTreeSet::new());
    assert!(matches!(refused, Err(UndoError::Changed(_))));
    let kept = changed.into_iter().collect();
    let undone = store.undo(&lock, &span, ForceUndo::No, &[], &kept).unwrap();
    assert_eq!(undone.number, third);
    assert_eq!(store.history().unwrap().len(), 2);
    assert_eq!(fs::read_to_string(project.join("e")).unwrap(), "edited");
    fs::remove_file(project.join("e")).unwrap();
    assert_eq!(tree(project), before);
    drop(lock);
    apply(project, "again", vec![create("f", "f")]).unwrap();
    assert_eq!(store.history().unwrap()[0].number, third);
}
