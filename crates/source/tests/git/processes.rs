//! The processes that are started, seen by a replacement for git.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use agpm_source::git::{GitError, GitProgram, NetworkAccess};
use agpm_testkit::{Behaviour, HttpServer};

use crate::support::{World, parse, text};

/// Git by way of a script in front of it.
fn git_through(world: &World, script: &str) -> GitProgram {
    let directory = program(world, "git", script);
    let path = std::env::var("PATH").unwrap();
    let git = world
        .git(NetworkAccess::Allowed)
        .with_variable("REAL_PATH", &path);
    git.with_variable("PATH", format!("{}:{path}", directory.display()))
}

/// Creates an executable, and returns its directory.
fn program(world: &World, name: &str, script: &str) -> PathBuf {
    let directory = world.sandbox.home().join("bin");
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(directory.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    directory
}

const LOGGING: &str = "echo \"$*\" >> \"$HOME/log\"\nPATH=$REAL_PATH exec git \"$@\"";

#[test]
fn nothing_is_started_twice_and_no_secret_is_on_a_command_line() {
    let world = World::new();
    let (_repository, commit) = world.repository();
    let server = HttpServer::start(&world.sandbox);
    server.behave(Behaviour::AskPassword);
    let git = git_through(&world, LOGGING);
    let remote = git.remote(
        &parse(&server.url_with("me", "hunter2", "repo")),
        &world.sandbox.work(),
    );
    assert_eq!(fs::read(world.sandbox.home().join("log")).ok(), None);
    remote.refs().unwrap();
    assert!(!remote.has_commit(&commit));
    for _ in 0..2 {
        assert_eq!(text(&remote, &commit, "agents/a.md"), "one\n");
    }
    let log = fs::read_to_string(world.sandbox.home().join("log")).unwrap();
    assert!(!log.contains("hunter2"), "{log}");
    let verbs = ["version", "config", "remote-http", "cat-file", "index-pack"];
    let verb = |line: &str| {
        line.split(' ')
            .find(|word| verbs.contains(word))
            .unwrap_or_default()
            .to_owned()
    };
    let started: Vec<String> = log.lines().map(verb).collect();
    assert_eq!(
        started,
        [
            "version",
            "config",
            "remote-http",
            "cat-file",
            "index-pack",
            "index-pack"
        ],
        "{log}"
    );
}

/// Lists, fetches and reads through the program, over HTTP and from a directory.
fn works(world: &World, git: &GitProgram) {
    let (_repository, commit) = world.repository();
    let server = HttpServer::start(&world.sandbox);
    let local = world.sandbox.work().join("repo").display().to_string();
    for address in [server.url("repo"), local] {
        let remote = git.remote(&parse(&address), &world.sandbox.work());
        assert_eq!(remote.refs().unwrap().branches["main"], commit, "{address}");
        assert_eq!(text(&remote, &commit, "agents/a.md"), "one\n", "{address}");
        assert_eq!(
            text(&remote, &commit, "snippets/s.md"),
            "two\n",
            "{address}"
        );
        let missing = "1".repeat(40);
        assert!(!remote.has_commit(&missing.parse().unwrap()), "{address}");
    }
}

#[test]
fn a_git_without_batch_commands_answers_one_object_at_a_time() {
    let world = World::new();
    let script = "if [ \"$1\" = version ]; then echo git version 2.34.1; exit; fi\n\
                  case \" $* \" in *batch-command*) echo unknown option >&2; exit 129;; esac\n\
                  PATH=$REAL_PATH exec git \"$@\"";
    works(&world, &git_through(&world, script));
}

/// `AGPM_OLD_GIT` is the directory of the oldest git that is supported; see CONTRIBUTING.md.
#[test]
fn the_oldest_supported_git_works() {
    let Some(directory) = std::env::var_os("AGPM_OLD_GIT") else {
        eprintln!("skipped: AGPM_OLD_GIT is not set");
        return;
    };
    let world = World::new();
    let script = format!("exec {}/git \"$@\"", directory.display());
    works(&world, &git_through(&world, &script));
}

#[test]
fn an_old_git_is_refused() {
    let world = World::new();
    let git = git_through(&world, "echo git version 2.30.1");
    let error = git
        .remote(&parse("/nowhere"), "/".as_ref())
        .refs()
        .unwrap_err();
    assert!(matches!(error, GitError::TooOld { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "git 2.30.1 is too old: agpm needs 2.34 or newer"
    );
}

#[test]
fn sources_are_read_through_ssh() {
    let world = World::new();
    let (repository, commit) = world.repository();
    // An ssh whose other side is this machine.
    let ssh = program(&world, "ssh", "for last; do :; done; exec sh -c \"$last\"").join("ssh");
    let git = world
        .git(NetworkAccess::Allowed)
        .with_variable("GIT_SSH_COMMAND", ssh);
    let path = repository.path().display();
    for address in [
        format!("ssh://git@host:22{path}"),
        format!("git@host:{path}"),
    ] {
        let remote = git.remote(&parse(&address), &world.sandbox.work());
        assert_eq!(remote.refs().unwrap().branches["main"], commit, "{address}");
        assert_eq!(text(&remote, &commit, "agents/a.md"), "one\n", "{address}");
    }
    let ssh = program(
        &world,
        "ssh",
        "echo 'git@host: Permission denied (publickey).' >&2; exit 255",
    );
    let git = world
        .git(NetworkAccess::Allowed)
        .with_variable("GIT_SSH_COMMAND", ssh.join("ssh"));
    let error = git
        .remote(&parse("git@host:x"), "/".as_ref())
        .refs()
        .unwrap_err();
    assert!(matches!(error, GitError::AuthRefused { .. }), "{error}");
}

/// The last part of what git prints comes 0.4 s after git has ended, as on a busy machine.
fn late(verb: &str, at_once: usize) -> String {
    format!(
        "case \"$*\" in *{verb}*)\n\
         export PATH=$REAL_PATH\n\
         git \"$@\" > \"$HOME/whole\"\n\
         head -c {at_once} \"$HOME/whole\"\n\
         (sleep 0.4; tail -c +{} \"$HOME/whole\")& exit 0;;\n\
         esac\nPATH=$REAL_PATH exec git \"$@\"",
        at_once + 1
    )
}

#[test]
fn tags_that_are_listed_late_are_listed_and_remembered() {
    let world = World::new();
    let (repository, commit) = world.repository();
    for patch in 0..60 {
        repository.tag(&format!("v1.0.{patch}"));
    }
    repository.tag("v1.9.0");
    let git = git_through(&world, &late("ls-remote", 2000));
    let remote = git.remote(&parse(&repository.url()), &world.sandbox.work());
    assert_eq!(remote.refs().unwrap().tags.get("v1.9.0"), Some(&commit));
    assert_eq!(remote.remembered_refs().unwrap().tags.len(), 61);
}

#[test]
fn a_listing_that_is_cut_short_is_an_error_and_not_remembered() {
    let world = World::new();
    let (repository, _) = world.repository();
    let cut = "case \"$*\" in *ls-remote*) PATH=$REAL_PATH git \"$@\" | head -c 70; exit 0;; esac\n\
               PATH=$REAL_PATH exec git \"$@\"";
    let remote = git_through(&world, cut).remote(&parse(&repository.url()), &world.sandbox.work());
    let error = remote.refs().unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("the output of git was cut short"),
        "{error}"
    );
    assert_eq!(remote.remembered_refs(), None);
}

#[test]
fn files_that_are_listed_or_read_late_are_whole() {
    let world = World::new();
    let (mut repository, _) = world.repository();
    let names: Vec<String> = (0..40).map(|at| format!("many/{at:02}.md")).collect();
    let files: Vec<(&str, &str)> = names
        .iter()
        .map(|name| (name.as_str(), name.as_str()))
        .collect();
    repository.commit(&files);
    let root = repository.path();
    let listed = git_through(&world, &late("ls-tree", 300))
        .files_at(root, "HEAD")
        .unwrap();
    assert_eq!(listed.len(), 42);
    let ids: Vec<_> = listed.iter().map(|(_, id)| id.clone()).collect();
    let read = git_through(&world, &late("cat-file", 100))
        .bytes_of(root, &ids)
        .unwrap();
    let texts: Vec<String> = read
        .into_iter()
        .map(|bytes| String::from_utf8(bytes.unwrap()).unwrap())
        .collect();
    assert_eq!(texts[1..41], names[..]);
    let changed = git_through(&world, &late("log", 300))
        .changes_since(root, "HEAD~1")
        .unwrap();
    assert_eq!(changed.len(), 40);
}

#[test]
fn files_whose_listing_or_content_is_cut_short_are_an_error() {
    let world = World::new();
    let (repository, _) = world.repository();
    let cut = |verb: &str, bytes: usize| {
        format!(
            "case \"$*\" in *{verb}*) PATH=$REAL_PATH git \"$@\" | head -c {bytes}; exit 0;; esac\n\
             PATH=$REAL_PATH exec git \"$@\""
        )
    };
    let root = repository.path();
    let files = world
        .git(NetworkAccess::Allowed)
        .files_at(root, "HEAD")
        .unwrap();
    let ids: Vec<_> = files.into_iter().map(|(_, id)| id).collect();
    for error in [
        git_through(&world, &cut("ls-tree", 70))
            .files_at(root, "HEAD")
            .unwrap_err(),
        git_through(&world, &cut("cat-file", 51))
            .bytes_of(root, &ids)
            .unwrap_err(),
        git_through(&world, &cut("cat-file", 53))
            .bytes_of(root, &ids)
            .unwrap_err(),
        git_through(&world, &cut("hash-object", 45))
            .contents(root, &vec!["agents/a.md".to_owned(); 2])
            .unwrap_err(),
    ] {
        assert!(
            error
                .to_string()
                .ends_with("the output of git was cut short"),
            "{error}"
        );
    }
}

#[test]
fn a_git_that_does_not_say_its_version_is_not_called_old() {
    let world = World::new();
    let error = git_through(&world, "echo broken >&2; exit 7")
        .version()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "git could not be started: `git version` failed: broken"
    );
}
