//! What is started, seen by a program that stands in for git.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use agpm_git::{Git, GitError, Network};
use agpm_testkit::{Behaviour, HttpServer};

use crate::support::{World, parse, text};

/// Git by way of a script in front of it.
fn git_through(world: &World, script: &str) -> Git {
    let folder = world.sandbox.home().join("bin");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("git"), format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(folder.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let git = world.git(Network::Allowed).with_variable("REAL_PATH", &path);
    git.with_variable("PATH", format!("{}:{path}", folder.display()))
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
