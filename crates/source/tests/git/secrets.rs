use std::fs;

use agpm_source::git::GitError;
use agpm_testkit::{Behaviour, HttpServer};

use crate::support::{World, text};

const PASSWORD: &str = "hunter2-XYZZY";

fn assert_hidden(world: &World, error: &GitError) {
    for text in [error.to_string(), format!("{error:?}")] {
        assert!(!text.contains(PASSWORD), "{text}");
    }
    for path in world.cached() {
        let bytes = fs::read(&path).unwrap();
        let found = bytes
            .windows(PASSWORD.len())
            .any(|part| part == PASSWORD.as_bytes());
        assert!(!found, "{}", path.display());
    }
}

#[test]
fn a_password_is_used_and_shown_nowhere() {
    let world = World::new();
    let (_repository, commit) = world.repository();
    let server = HttpServer::start(&world.sandbox);
    server.behave(Behaviour::AskPassword);
    let address = server.url_with("me", PASSWORD, "repo");
    let remote = world.remote(&address);
    remote.refs().unwrap();
    assert_eq!(text(&remote, &commit, "agents/a.md"), "one\n");
    let error = world.remote(&server.url("repo")).refs().unwrap_err();
    assert!(matches!(error, GitError::AuthRefused { .. }), "{error}");

    server.behave(Behaviour::RefuseAccess);
    let error = world.remote(&address).refs().unwrap_err();
    assert!(matches!(error, GitError::AuthRefused { .. }), "{error}");
    assert_hidden(&world, &error);

    server.behave(Behaviour::CutAfter(3));
    let error = world.remote(&address).refs().unwrap_err();
    assert!(matches!(error, GitError::Unreachable { .. }), "{error}");
    assert_hidden(&world, &error);
}

#[test]
fn a_new_password_finds_the_old_copy() {
    let world = World::new();
    let (_repository, commit) = world.repository();
    let server = HttpServer::start(&world.sandbox);
    text(
        &world.remote(&server.url_with("me", PASSWORD, "repo")),
        &commit,
        "agents/a.md",
    );
    let requests = server.requests();
    text(
        &world.remote(&server.url_with("me", "another", "repo")),
        &commit,
        "agents/a.md",
    );
    assert_eq!(server.requests(), requests);
}

#[test]
fn a_directory_that_looks_like_an_option_is_a_directory() {
    let world = World::new();
    let (_repository, commit) = world.repository();
    let work = world.sandbox.work();
    fs::rename(work.join("repo"), work.join("--upload-pack=touch pwned;")).unwrap();
    let remote = world.remote("./--upload-pack=touch pwned;");
    assert_eq!(text(&remote, &commit, "agents/a.md"), "one\n");
    assert!(!world.sandbox.listing().contains("pwned\n"));
}
