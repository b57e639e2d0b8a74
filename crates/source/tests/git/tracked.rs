//! Files that a repository tracks, in every form of its index that git writes.

use std::path::Path;

use agpm_source::git::first_tracked;
use agpm_testkit::Sandbox;

fn run(sandbox: &Sandbox, repository: &Path, arguments: &[&str]) {
    let mut command = sandbox.command("git");
    command
        .current_dir(repository)
        .args(["-c", "user.name=a", "-c", "user.email=a@b"])
        .args(arguments);
    let output = sandbox.output(command);
    assert_eq!(output.code, Some(0), "{arguments:?}\n{output}");
}

fn is_state(path: &str) -> bool {
    path.starts_with(".agpm/")
}

/// A repository with many files, one of which matters, in a directory of it.
fn repository(arguments: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new("git");
    run(
        &sandbox,
        &sandbox.work(),
        &[&["init", "-q"], arguments].concat(),
    );
    for number in 0..40 {
        sandbox.write(&format!("app/src/module-{number}/file.rs"), "x\n");
    }
    sandbox.write("app/.agpm/ledger.json", "{}\n");
    run(
        &sandbox,
        &sandbox.work(),
        &["add", "--intent-to-add", "app/src/module-0"],
    );
    run(&sandbox, &sandbox.work(), &["add", "app/src"]);
    sandbox
}

#[test]
fn a_tracked_file_is_found_in_every_version_of_the_index() {
    for (version, format) in [
        ("2", "sha1"),
        ("3", "sha1"),
        ("4", "sha1"),
        ("2", "sha256"),
        ("3", "sha256"),
        ("4", "sha256"),
    ] {
        let sandbox = repository(&["--object-format", format]);
        let repository = sandbox.work().join("app");
        run(
            &sandbox,
            &repository,
            &["update-index", &format!("--index-version={version}")],
        );
        assert_eq!(
            first_tracked(&repository, is_state),
            None,
            "{version} {format}"
        );
        run(&sandbox, &repository, &["add", "-f", ".agpm/ledger.json"]);
        let found = first_tracked(&repository, is_state);
        assert_eq!(
            found.as_deref(),
            Some(".agpm/ledger.json"),
            "{version} {format}"
        );
        assert_eq!(
            first_tracked(&sandbox.work(), is_state),
            None,
            "{version} {format}"
        );
    }
}

#[test]
fn a_split_index_and_a_second_work_tree_are_read() {
    let sandbox = repository(&[]);
    let repository = sandbox.work().join("app");
    run(&sandbox, &repository, &["add", "-f", ".agpm/ledger.json"]);
    run(&sandbox, &repository, &["commit", "-q", "-m", "x"]);
    run(&sandbox, &repository, &["update-index", "--split-index"]);
    assert_eq!(
        first_tracked(&repository, is_state).as_deref(),
        Some(".agpm/ledger.json")
    );
    run(
        &sandbox,
        &repository,
        &["worktree", "add", "-q", "../second"],
    );
    let second = sandbox.work().join("second/app");
    assert_eq!(
        first_tracked(&second, is_state).as_deref(),
        Some(".agpm/ledger.json")
    );
}

#[test]
fn no_repository_and_a_broken_index_track_nothing() {
    let sandbox = Sandbox::new("git");
    assert_eq!(first_tracked(&sandbox.work(), |_| true), None);
    run(&sandbox, &sandbox.work(), &["init", "-q"]);
    assert_eq!(first_tracked(&sandbox.work(), |_| true), None);
    for text in [
        "",
        "DIRC",
        "DIRC\0\0\0\x02\0\0\0\x09cut",
        "DIRC\0\0\0\x02\u{7f}\u{7f}\u{7f}\u{7f}",
        "other",
    ] {
        sandbox.write(".git/index", text);
        assert_eq!(first_tracked(&sandbox.work(), |_| true), None, "{text:?}");
    }
}
