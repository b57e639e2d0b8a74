//! What is started, seen by a program that stands in for git.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use agpm_git::{Git, GitError, Network};
use agpm_testkit::{Behaviour, HttpServer};

use crate::support::{World, parse, text};

/// Git by way of a script in front of it.
fn git_through(world: &World, script: &str) -> Git {
    let folder = program(world, "git", script);
    let path = std::env::var("PATH").unwrap();
    let git = world.git(Network::Allowed).with_variable("REAL_PATH", &path);
    git.with_variable("PATH", format!("{}:{path}", folder.display()))
}

/// Makes a program, and gives its folder.
fn program(world: &World, name: &str, script: &str) -> PathBuf {
    let folder = world.sandbox.home().join("bin");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

const LOGGING: &str = "echo \"$*\" >> \"$HOME/log\"\nPATH=$REAL_PATH exec git \"$@\"";

#[test]
fn nothing_is_started_twice_and_no_secret_is_on_a_command_line() {
    let world = World::new();
    let (_repository, commit) = world.repository();
    let server = HttpServer::start(&world.sandbox);
    server.behave(Behaviour::AskPassword);
    let git = git_through(&world, LOGGING);
    let remote = git.remote(&parse(&server.url_with("me", "hunter2", "repo")), &world.sandbox.work());
    assert_eq!(fs::read(world.sandbox.home().join("log")).ok(), None);
    remote.refs().unwrap();
    assert!(!remote.has_commit(&commit));
    for _ in 0..2 {
        assert_eq!(text(&remote, &commit, "agents/a.md"), "one\n");
    }
    let log = fs::read_to_string(world.sandbox.home().join("log")).unwrap();
    assert!(!log.contains("hunter2"), "{log}");
    let verbs = ["version", "ls-remote", "fetch", "cat-file"];
    let verb = |line: &str| line.split(' ').find(|word| verbs.contains(word)).unwrap_or_default().to_owned();
    let started: Vec<String> = log.lines().map(verb).collect();
    assert_eq!(started, ["version", "ls-remote", "cat-file", "fetch", "fetch"], "{log}");
}

#[test]
fn an_old_git_is_refused() {
    let world = World::new();
    let git = git_through(&world, "echo git version 2.30.1");
    let error = git.remote(&parse("/nowhere"), "/".as_ref()).refs().unwrap_err();
    assert!(matches!(error, GitError::TooOld { .. }), "{error}");
    assert_eq!(error.to_string(), "git 2.30.1 is too old: 2.41 or newer is needed");
}

#[test]
fn sources_are_read_through_ssh() {
    let world = World::new();
    let (repository, commit) = world.repository();
    // An ssh whose other side is this machine.
    let ssh = program(&world, "ssh", "for last; do :; done; exec sh -c \"$last\"").join("ssh");
    let git = world.git(Network::Allowed).with_variable("GIT_SSH_COMMAND", ssh);
    let path = repository.path().display();
    for address in [format!("ssh://git@host:22{path}"), format!("git@host:{path}")] {
        let remote = git.remote(&parse(&address), &world.sandbox.work());
        assert_eq!(remote.refs().unwrap().branches["main"], commit, "{address}");
        assert_eq!(text(&remote, &commit, "agents/a.md"), "one\n", "{address}");
    }
    let ssh = program(&world, "ssh", "echo 'git@host: Permission denied (publickey).' >&2; exit 255");
    let git = world.git(Network::Allowed).with_variable("GIT_SSH_COMMAND", ssh.join("ssh"));
    let error = git.remote(&parse("git@host:x"), "/".as_ref()).refs().unwrap_err();
    assert!(matches!(error, GitError::AuthRefused { .. }), "{error}");
}
