//! Reading writes nothing, needs no write permission, and depends only on the files.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::{PROGRAM, Tree, document, named, under};

const COMMANDS: &[&str] = &[
    "profile ada",
    "profile ada --kind all --root-chain --with-sources --projections",
    "profile ada --format yaml",
    "profile ada --format md",
    "profile --list",
    "profile --list --submodules",
    "profile ada --submodules",
    "profile nobody",
    "profile ada --strict",
    "explain profile:ada /tags/0",
    "explain profile:ada/agenda",
];

/// A tree with a bit of everything: levels, parents, a cycle, a submodule, a bad document.
fn files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for level in ["", "a", "a/b"] {
        for (kind, name) in [("agent", "1"), ("agenda", "2"), ("agency", "3")] {
            let text = named(
                &format!("{level}{name}"),
                &["p/one.json", "p/two.json", "no.json"],
            );
            files.push((under(level, &document("ada", kind)), text));
        }
        files.push((
            under(level, ".clia/agents/ada/b@x.agent.triad.json"),
            named("second", &[]),
        ));
        files.push((
            under(level, &document(&format!("x{}", level.len()), "agent")),
            "{}".to_owned(),
        ));
    }
    files.push(("p/one.json".to_owned(), named("one", &["p/two.json"])));
    files.push(("p/two.json".to_owned(), named("two", &["p/one.json"])));
    files.push((document("broken", "agent"), "{".to_owned()));
    files
}

fn tree(files: impl IntoIterator<Item = (String, String)>) -> Tree {
    let tree = Tree::of(&[]);
    files
        .into_iter()
        .for_each(|(path, text)| tree.write(&under("repo", &path), text));
    tree
}

#[test]
fn the_order_in_which_files_were_made_does_not_matter() {
    let outputs = |tree: &Tree| -> Vec<String> {
        COMMANDS
            .iter()
            .map(|line| tree.run("repo/a/b", line).to_string())
            .collect()
    };
    let expected = outputs(&tree(files()));
    assert!(expected[0].contains("a/b1"), "{}", expected[0]);
    let mut shuffled = files();
    shuffled.reverse();
    assert_eq!(outputs(&tree(shuffled.clone())), expected);
    for seed in [3, 7, 11] {
        let count = shuffled.len();
        let order: Vec<_> = (0..count)
            .map(|at| shuffled[(at * seed + 5) % count].clone())
            .collect();
        let reordered = tree(order.into_iter().chain(shuffled.clone()));
        assert_eq!(outputs(&reordered), expected, "{seed}");
    }
}

#[test]
fn the_same_command_gives_the_same_bytes_whenever_and_wherever_it_is_run() {
    let tree = tree(files());
    let line = "profile ada --kind all --root-chain --with-sources --projections";
    let first = tree.run("repo/a/b", line);
    let mut command = tree.sandbox.command(PROGRAM);
    command
        .current_dir(tree.path("repo/a/b"))
        .args(line.split(' '));
    command
        .env("TZ", "Asia/Tokyo")
        .env("LC_ALL", "C")
        .env("HOME", "/nonexistent")
        .env("PWD", "/");
    assert_eq!(tree.sandbox.output(command).stdout, first.stdout);
    let from_elsewhere = tree.run(".", &format!("{line} --path repo/a/b"));
    assert_eq!(from_elsewhere.stdout, first.stdout);
}

#[test]
fn read_commands_create_nothing() {
    let tree = tree(files());
    tree.commit("repo");
    // Git may refresh its index; nothing else may change.
    let before = tree.sandbox.listing();
    for line in COMMANDS {
        let output = tree.run("repo/a/b", line);
        assert!(output.code.is_some(), "{output}");
        assert_eq!(tree.sandbox.listing(), before, "{line}");
    }
}

#[test]
fn read_commands_change_no_file() {
    let tree = tree(files());
    let read = |path: &str| std::fs::read(tree.path(&under("repo", path))).unwrap();
    let before: Vec<Vec<u8>> = files().iter().map(|(path, _)| read(path)).collect();
    let times: Vec<_> = files()
        .iter()
        .map(|(path, _)| modified(&tree.path(&under("repo", path))))
        .collect();
    COMMANDS
        .iter()
        .for_each(|line| drop(tree.run("repo/a/b", line)));
    assert_eq!(
        files()
            .iter()
            .map(|(path, _)| read(path))
            .collect::<Vec<_>>(),
        before
    );
    let after: Vec<_> = files()
        .iter()
        .map(|(path, _)| modified(&tree.path(&under("repo", path))))
        .collect();
    assert_eq!(after, times);
}

fn modified(path: &Path) -> std::time::SystemTime {
    path.metadata().unwrap().modified().unwrap()
}

/// Removes or restores the write permission in a directory.
fn set_writable(directory: &Path, writable: bool) {
    let mode = |directory: bool| match (directory, writable) {
        (true, true) => 0o755,
        (true, false) => 0o555,
        (false, true) => 0o644,
        (false, false) => 0o444,
    };
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            set_writable(&path, writable);
        } else {
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode(false))).unwrap();
        }
    }
    std::fs::set_permissions(directory, PermissionsExt::from_mode(mode(true))).unwrap();
}

#[test]
fn a_tree_that_cannot_be_written_is_read_all_the_same() {
    let tree = tree(files());
    let outputs = || -> Vec<String> {
        COMMANDS
            .iter()
            .map(|line| tree.run("repo/a/b", line).to_string())
            .collect()
    };
    let expected = outputs();
    set_writable(&tree.path("."), false);
    set_writable(&tree.sandbox.home(), false);
    let locked = outputs();
    set_writable(&tree.path("."), true);
    set_writable(&tree.sandbox.home(), true);
    assert_eq!(locked, expected);
}

#[test]
fn no_home_and_no_cache_are_needed() {
    let tree = tree(files());
    for line in COMMANDS {
        let expected = tree.run("repo/a/b", line);
        let mut command = tree.command("repo/a/b", line);
        for name in [
            "HOME",
            "XDG_CONFIG_HOME",
            "XDG_CACHE_HOME",
            "USERPROFILE",
            "TMPDIR",
        ] {
            command.env_remove(name);
        }
        assert_eq!(tree.sandbox.output(command), expected, "{line}");
    }
}

#[test]
fn git_is_not_needed_but_for_submodules() {
    let tree = tree(files());
    for line in COMMANDS
        .iter()
        .filter(|line| !line.contains("--submodules"))
    {
        let expected = tree.run("repo/a/b", line);
        let mut command = tree.command("repo/a/b", line);
        command.env("PATH", "/nonexistent");
        assert_eq!(tree.sandbox.output(command), expected, "{line}");
    }
    tree.write(
        "repo/.gitmodules",
        "[submodule \"x\"]\n\tpath = x\n\turl = ../x\n",
    );
    let mut command = tree.command("repo/a/b", "profile ada --submodules");
    command.env("PATH", "/nonexistent");
    let output = tree.sandbox.output(command);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(
        output.stderr.contains("git") && output.stderr.contains("help:"),
        "{output}"
    );
}

#[test]
fn variables_of_git_do_not_lead_elsewhere() {
    let tree = tree(files());
    tree.repository("other");
    let expected = tree.run("repo/a/b", "profile ada --submodules");
    let mut command = tree.command("repo/a/b", "profile ada --submodules");
    command
        .env("GIT_DIR", tree.path("other/.git"))
        .env("GIT_WORK_TREE", tree.path("other"));
    assert_eq!(tree.sandbox.output(command), expected);
}

#[test]
fn a_manifest_is_not_needed_and_a_broken_one_is_not_a_matter() {
    let tree = tree(files());
    let expected = tree.run("repo/a/b", "profile ada");
    tree.write("repo/agpm.toml", "[broken");
    assert_eq!(tree.run("repo/a/b", "profile ada"), expected);
    let expected = tree.run("repo/a/b", "profile --list");
    assert_eq!(expected.code, Some(0), "{expected}");
}
