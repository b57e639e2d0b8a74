//! Transactions, their history and undo, and what is refused.

#![allow(clippy::unwrap_used)]

mod common;

use std::cell::Cell;
use std::fs;

use agpm_model::{FileChangeKind, FileMode as Mode, ObservedPath};
use agpm_store::{
    ExpectedFile, FileChange, ForceUndo, LockWait, ProjectStore, StateFolder, StoreProblem,
    Transaction, UndoError,
};
use agpm_testkit::temporary_directory;
use common::{PATIENT, apply, create, every_kind, path, prepare, remove, tree, was, write};

fn undo(folder: &std::path::Path, force: ForceUndo) -> Result<String, UndoError> {
    let store = ProjectStore::open(folder)?;
    let lock = store.lock(PATIENT)?;
    store.undo(&lock, force, &[]).map(|undone| undone.title)
}

fn titles(folder: &std::path::Path) -> Vec<String> {
    let history = ProjectStore::open(folder).unwrap().history().unwrap();
    history
        .iter()
        .map(|entry| format!("{} {}", entry.number, entry.title))
        .collect()
}

#[test]
fn undo_goes_back_one_by_one_to_the_very_bytes_and_modes() {
    let place = temporary_directory();
    let folder = place.path();
    fs::create_dir(folder.join("empty")).unwrap();
    prepare(folder);
    let old = tree(folder);
    apply(folder, "second", every_kind()).unwrap();
    assert_eq!(titles(folder), ["2 second", "1 first"]);
    assert!(!folder.join("ours/deep").exists() && folder.join("shared/user.md").exists());
    assert_eq!(undo(folder, ForceUndo::No).unwrap(), "second");
    assert!(tree(folder) == old);
    assert_eq!(titles(folder), ["1 first"]);
    assert_eq!(undo(folder, ForceUndo::No).unwrap(), "first");
    let left: Vec<String> = tree(folder).into_keys().collect();
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
        undo(folder, ForceUndo::No),
        Err(UndoError::Nothing)
    ));
}

#[test]
fn undo_refuses_when_a_file_was_edited_since() {
    let place = temporary_directory();
    let folder = place.path();
    prepare(folder);
    let old = tree(folder);
    apply(folder, "second", every_kind()).unwrap();
    fs::write(folder.join("new.md"), "mine").unwrap();
    fs::write(folder.join("shared/three.md"), "mine too").unwrap();
    let edited = tree(folder);
    match undo(folder, ForceUndo::No) {
        Err(UndoError::Changed(paths)) => {
            assert_eq!(paths, [path("new.md"), path("shared/three.md")])
        }
        other => panic!("{other:?}"),
    }
    assert!(tree(folder) == edited);
    undo(folder, ForceUndo::Yes).unwrap();
    assert!(tree(folder) == old);
}

#[test]
fn the_history_names_what_was_done_and_keeps_the_newest_fifty() {
    let place = temporary_directory();
    let folder = place.path();
    for number in 0..53 {
        let before = if number == 0 {
            ExpectedFile::Missing
        } else {
            was(&(number - 1).to_string())
        };
        apply(
            folder,
            "t",
            vec![write("a", &number.to_string(), Mode::Plain, before)],
        )
        .unwrap();
    }
    apply(folder, "t", vec![remove("a", "52"), create("b/c", "x")]).unwrap();
    let history = ProjectStore::open(folder).unwrap().history().unwrap();
    assert_eq!(history.len(), 50);
    assert_eq!(
        history[0].changes,
        [
            (path("a"), FileChangeKind::Removed),
            (path("b/c"), FileChangeKind::Created)
        ]
    );
    assert_eq!(history[1].changes, [(path("a"), FileChangeKind::Updated)]);
    assert_eq!(fs::read_dir(folder.join(".agpm")).unwrap().count(), 4);
}

#[test]
fn nothing_is_written_when_a_file_is_not_what_the_plan_saw() {
    let place = temporary_directory();
    let folder = place.path();
    prepare(folder);
    let old = tree(folder);
    for change in [
        create("settings.json", "x"),
        write("settings.json", "x", Mode::Plain, was("other")),
        remove("gone", "was here"),
        create("shared", "x"),
    ] {
        let error = apply(folder, "t", vec![create("a/b", "x"), change]).unwrap_err();
        assert!(matches!(error.problem, StoreProblem::Changed), "{error}");
    }
    let onto_folder = write("shared", "x", Mode::Plain, ExpectedFile::Anything);
    assert!(matches!(
        apply(folder, "t", vec![onto_folder]).unwrap_err().problem,
        StoreProblem::IsFolder
    ));
    assert!(apply(folder, "t", vec![create("settings.json/x", "x")]).is_err());
    assert!(tree(folder) == old);
    assert!(!ProjectStore::open(folder).unwrap().needs_recovery());
}

#[test]
fn our_own_state_and_git_are_not_targets() {
    let place = temporary_directory();
    for target in [
        ".agpm/lock",
        ".agpm/history/1/x",
        ".AGPM/Transaction/x",
        ".agpm",
        "a/.git/hooks/pre-commit",
    ] {
        let error = apply(place.path(), "t", vec![create(target, "x")]).unwrap_err();
        assert!(
            matches!(error.problem, StoreProblem::Reserved),
            "{target}: {error}"
        );
    }
    let twice = vec![create("a", "x"), create("a", "y")];
    assert!(matches!(
        apply(place.path(), "t", twice).unwrap_err().problem,
        StoreProblem::Exists
    ));
}

#[test]
fn nothing_to_do_leaves_no_trace() {
    let place = temporary_directory();
    let nothing = FileChange::Remove {
        path: path("gone"),
        before: ExpectedFile::Anything,
    };
    assert_eq!(apply(place.path(), "t", vec![nothing]).unwrap().entry, None);
    assert_eq!(titles(place.path()), Vec::<String>::new());
}

#[test]
fn a_final_journal_that_cannot_be_read_is_kept_and_stops_everything() {
    let place = temporary_directory();
    let transaction = place.path().join(".agpm/transaction");
    for part in ["new", "old"] {
        fs::create_dir_all(transaction.join(part)).unwrap();
    }
    fs::write(transaction.join("journal.json"), "{\"version\": 1,").unwrap();
    let error = apply(place.path(), "t", vec![create("a", "x")]).unwrap_err();
    assert!(matches!(error.problem, StoreProblem::Damaged(_)), "{error}");
    assert!(error.path.ends_with(".agpm/transaction/journal.json"));
    assert!(transaction.join("old").exists() && !place.path().join("a").exists());
}

#[test]
fn opening_and_looking_write_nothing() {
    let place = temporary_directory();
    let store = ProjectStore::open(place.path()).unwrap();
    assert!(!store.needs_recovery());
    assert_eq!(store.observe(&path("a/b")).unwrap(), ObservedPath::Missing);
    assert!(store.history().unwrap().is_empty());
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn the_state_of_a_home_is_apart_from_that_of_a_project_in_it() {
    let place = temporary_directory();
    let folder = place.path();
    prepare(folder);
    let old = tree(folder);
    let home = ProjectStore::open_at(folder, StateFolder::Home).unwrap();
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
        fs::read(folder.join(".local/state/agpm/ledger.json")).unwrap(),
        b"{}"
    );
    assert_eq!(titles(folder), ["1 first"]);
    assert_eq!(home.history().unwrap()[0].title, "of the user");
    home.undo(&lock, ForceUndo::No, &[]).unwrap();
    let mut now = tree(folder);
    now.retain(|path, _| !path.starts_with(".local"));
    assert!(now == old);
    assert_eq!(titles(folder), ["1 first"]);
}

#[test]
fn no_transaction_writes_into_a_state() {
    let place = temporary_directory();
    for file in [
        ".agpm/history/1",
        ".local/state/agpm",
        ".local/state/AGPM/lock",
        ".local/state/agpm/history/1/x",
    ] {
        let error = apply(place.path(), "t", vec![create(file, "x")]).unwrap_err();
        assert!(
            matches!(error.problem, StoreProblem::Reserved),
            "{file}: {error}"
        );
    }
    apply(
        place.path(),
        "t",
        vec![create(".local/state/agpm-other", "x")],
    )
    .unwrap();
}

#[test]
fn a_second_lock_fails_or_waits() {
    let place = temporary_directory();
    let store = ProjectStore::open(place.path()).unwrap();
    let lock = Cell::new(Some(store.lock(PATIENT).unwrap()));
    let other = ProjectStore::open(place.path()).unwrap();
    assert!(matches!(
        other.lock(LockWait::Fail).unwrap_err().problem,
        StoreProblem::Locked
    ));
    let told = Cell::new(0);
    let tell = || {
        told.set(told.get() + 1);
        lock.take();
    };
    other.lock(LockWait::Block(&tell)).unwrap();
    assert_eq!(told.get(), 1);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_parent_that_became_a_link_outside_is_refused_and_nothing_outside_is_touched() {
        let place = temporary_directory();
        let (folder, outside) = (place.path().join("project"), place.path().join("outside"));
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir_all(outside.join("deep")).unwrap();
        fs::write(outside.join("victim"), "safe").unwrap();
        let before = tree(&outside);
        for (target, at) in [
            ("../outside", "link"),
            (outside.to_str().unwrap(), "absolute"),
        ] {
            symlink(target, folder.join(at)).unwrap();
            for change in [
                create(&format!("{at}/new"), "x"),
                create(&format!("{at}/deep/er/new"), "x"),
                write(&format!("{at}/victim"), "x", Mode::Plain, was("safe")),
                remove(&format!("{at}/victim"), "safe"),
            ] {
                let error = apply(&folder, "t", vec![create("fine", "x"), change]).unwrap_err();
                assert!(matches!(error.problem, StoreProblem::Escapes), "{error}");
            }
            let store = ProjectStore::open(&folder).unwrap();
            let seen = store.observe(&path(&format!("{at}/victim")));
            assert!(matches!(seen.unwrap_err().problem, StoreProblem::Escapes));
            assert_eq!(store.observe(&path(at)).unwrap(), ObservedPath::Symlink);
        }
        assert!(tree(&outside) == before);
        assert!(!folder.join("fine").exists());
    }

    #[test]
    fn a_link_inside_is_followed_above_a_file_but_never_replaced_and_never_into_state() {
        let place = temporary_directory();
        let folder = place.path();
        for made in ["real", ".git/hooks"] {
            fs::create_dir_all(folder.join(made)).unwrap();
        }
        for (target, at) in [
            ("real", "link"),
            (".git/hooks", "hooks"),
            (".agpm", "state"),
            ("nowhere", "broken"),
        ] {
            symlink(target, folder.join(at)).unwrap();
        }
        apply(folder, "t", vec![create("link/a", "x")]).unwrap();
        assert_eq!(fs::read(folder.join("real/a")).unwrap(), b"x");
        let problem = |change| apply(folder, "t", vec![change]).unwrap_err().problem;
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
        undo(folder, ForceUndo::No).unwrap();
        assert!(folder.join("link").is_symlink() && !folder.join("real/a").exists());
    }

    #[test]
    fn state_that_is_a_link_is_refused() {
        let place = temporary_directory();
        fs::create_dir(place.path().join("elsewhere")).unwrap();
        symlink("elsewhere", place.path().join(".agpm")).unwrap();
        assert!(apply(place.path(), "t", vec![create("a", "x")]).is_err());
        assert_eq!(
            fs::read_dir(place.path().join("elsewhere"))
                .unwrap()
                .count(),
            0
        );
    }

    #[test]
    fn a_private_file_stays_private_and_gets_its_very_bits_back() {
        let place = temporary_directory();
        let file = place.path().join("secret.json");
        let bits = || fs::metadata(&file).map(|known| common::bits(&known)).ok();
        fs::write(&file, "a").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        apply(
            place.path(),
            "t",
            vec![write("secret.json", "b", Mode::Plain, was("a"))],
        )
        .unwrap();
        assert_eq!(bits(), Some(0o600));
        apply(
            place.path(),
            "t",
            vec![write("secret.json", "b", Mode::Executable, was("b"))],
        )
        .unwrap();
        assert_eq!(bits(), Some(0o700));
        apply(place.path(), "t", vec![remove("secret.json", "b")]).unwrap();
        assert_eq!(bits(), None);
        undo(place.path(), ForceUndo::No).unwrap();
        assert_eq!(bits(), Some(0o700));
    }

    #[test]
    fn a_directory_that_cannot_be_written_leaves_everything_as_it_was() {
        let place = temporary_directory();
        let folder = place.path();
        prepare(folder);
        let shared = folder.join("shared");
        fs::set_permissions(&shared, fs::Permissions::from_mode(0o555)).unwrap();
        if fs::write(shared.join("probe"), "").is_ok() {
            // The superuser may write anywhere: nothing to see here.
            return;
        }
        let old = tree(folder);
        let error = apply(folder, "t", every_kind()).unwrap_err();
        assert!(error.path.ends_with("shared/three.md"), "{error}");
        assert!(tree(folder) == old);
        assert!(!ProjectStore::open(folder).unwrap().needs_recovery());
        fs::set_permissions(&shared, fs::Permissions::from_mode(0o755)).unwrap();
    }
}
