use std::fs;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use agpm_source::git::{GitError, NetworkAccess, TransferProgress};
use agpm_testkit::{Behaviour, GitDaemon, HttpServer};

use crate::support::{World, id, parse, text};

#[test]
fn servers_of_both_kinds_send_little_of_a_large_repository() {
    let world = World::new();
    let (mut repository, _) = world.repository();
    let mut state = 1_u64;
    let mut noise = || {
        // Deterministic bytes that do not compress.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        char::from(b' ' + u8::try_from((state >> 33) % 94).unwrap())
    };
    for name in ["one", "two"] {
        let content: String = (0..10 << 20).map(|_| noise()).collect();
        world.sandbox.write(&format!("repo/assets/{name}"), content);
    }
    let commit = id(&repository.commit(&[]));
    let daemon = GitDaemon::start(&world.sandbox);
    let server = HttpServer::start(&world.sandbox);
    for address in [daemon.url("repo"), server.url("repo")] {
        let remote = world.remote(&address);
        assert_eq!(remote.refs().unwrap().branches["main"], commit, "{address}");
        assert_eq!(text(&remote, &commit, "agents/a.md"), "one\n", "{address}");
    }
    let bytes: u64 = world
        .cached()
        .iter()
        .map(|path| fs::metadata(path).unwrap().len())
        .sum();
    assert!(bytes < 300 << 10, "{bytes}");
}

#[test]
fn a_server_without_filters_sends_everything_and_that_works() {
    let world = World::new();
    let (repository, commit) = world.repository();
    repository.git(&["config", "uploadpack.allowFilter", "false"]);
    let server = HttpServer::start(&world.sandbox);
    let remote = world.remote(&server.url("repo"));
    assert_eq!(text(&remote, &commit, "snippets/s.md"), "two\n");
}

#[test]
fn a_server_that_takes_no_bare_names_is_required_everything() {
    // For a listed commit the server sends the trees, and then refuses the files; for another, it sends nothing.
    for next in 0..2 {
        let world = World::new();
        let (mut repository, _) = world.repository();
        let commits = ["2", "1"].map(|content| id(&repository.commit(&[("x", content)])));
        let server = HttpServer::start(&world.sandbox);
        server.behave(Behaviour::OldProtocol);
        let remote = world.remote(&server.url("repo"));
        remote.fetch_commits(&commits[1..]).unwrap();
        assert!(!remote.has_commit(&commits[0]));
        for (commit, content) in commits.iter().zip(["2", "1"]).cycle().skip(next).take(2) {
            assert_eq!(text(&remote, commit, "x"), content);
        }
    }
}

#[test]
fn a_server_of_plain_files_will_do() {
    let world = World::new();
    let (mut repository, first) = world.repository();
    repository.commit(&[("x", "y")]);
    repository.git(&["update-server-info"]);
    let server = HttpServer::start(&world.sandbox);
    server.behave(Behaviour::PlainFiles);
    let remote = world.remote(&server.url("repo"));
    assert_eq!(remote.refs().unwrap().branches.len(), 1);
    assert_eq!(text(&remote, &first, "agents/a.md"), "one\n");
}

#[test]
fn one_connection_lists_one_fetches_directories_and_one_fetches_files() {
    let world = World::new();
    let (_repository, commit) = world.repository();
    let server = HttpServer::start(&world.sandbox);
    let remote = world.remote(&server.url("repo"));
    remote.refs().unwrap();
    remote.refs().unwrap();
    let listed = server.requests();
    remote.fetch_commits(std::slice::from_ref(&commit)).unwrap();
    let fetched = server.requests();
    let wanted: Vec<_> = ["agents/a.md", "snippets/s.md"]
        .map(|path| remote.entry(&commit, path).unwrap().unwrap().id)
        .to_vec();
    remote.fetch_blobs(&wanted).unwrap();
    remote.read_blobs(&wanted).unwrap();
    let read = server.requests();
    // The greeting and the listing, and one request for each fetch.
    assert_eq!((listed, fetched - listed, read - fetched), (2, 1, 1));
    // From now on everything is in the cache.
    let again = world.remote(&server.url("repo"));
    assert_eq!(text(&again, &commit, "agents/a.md"), "one\n");
    assert_eq!(server.requests(), read);
}

/// Keeps what a request reports.
#[derive(Debug, Default)]
struct Recorder(Mutex<Vec<String>>);

impl Recorder {
    fn add(&self, event: String) {
        let mut events = self.0.lock().unwrap();
        // Bytes arrive in pieces; the last report counts.
        if event.starts_with("received")
            && events
                .last()
                .is_some_and(|last| last.starts_with("received"))
        {
            events.pop();
        }
        events.push(event);
    }
}

impl TransferProgress for Recorder {
    fn transfer_began(&self, source: &str, files: Option<usize>) {
        self.add(format!("began {source} {files:?}"));
    }

    fn transfer_received(&self, source: &str, bytes: u64) {
        assert!(bytes > 0, "{source}");
        self.add("received".to_owned());
    }

    fn transfer_ended(&self, _: &str) {
        self.add("ended".to_owned());
    }
}

#[test]
fn every_request_reports_its_progress() {
    let world = World::new();
    let (_repository, commit) = world.repository();
    let server = HttpServer::start(&world.sandbox);
    let recorder = Arc::new(Recorder::default());
    let git = world
        .git(NetworkAccess::Allowed)
        .with_progress(Some(Arc::clone(&recorder) as Arc<dyn TransferProgress>));
    let remote = git.remote(&parse(&server.url("repo")), &world.sandbox.work());
    remote.refs().unwrap();
    assert_eq!(text(&remote, &commit, "agents/a.md"), "one\n");
    // A file in the cache needs no request.
    assert_eq!(text(&remote, &commit, "agents/a.md"), "one\n");
    let events = recorder.0.lock().unwrap();
    // The URL, because two repositories can have the same name.
    let began = |files: &str| format!("began {} {files}", server.url("repo"));
    assert_eq!(
        *events,
        [
            began("None").as_str(),
            "ended",
            began("None").as_str(),
            "received",
            "ended",
            began("Some(1)").as_str(),
            "received",
            "ended"
        ]
    );
}

#[test]
fn a_server_that_lost_a_file_is_reported_and_the_next_request_works() {
    let world = World::new();
    let (repository, commit) = world.repository();
    let server = HttpServer::start(&world.sandbox);
    let remote = world.remote(&server.url("repo"));
    remote.fetch_commits(std::slice::from_ref(&commit)).unwrap();
    let file = |path: &str| remote.entry(&commit, path).unwrap().unwrap().id;
    let (lost, present) = (file("agents/a.md"), file("snippets/s.md"));
    let (directory, name) = lost.as_str().split_at(2);
    let object = repository
        .path()
        .join(".git/objects")
        .join(directory)
        .join(name);
    fs::remove_file(object).unwrap();
    assert!(remote.fetch_blobs(&[lost, present.clone()]).is_err());
    remote.fetch_blobs(std::slice::from_ref(&present)).unwrap();
    assert_eq!(remote.read_blobs(&[present]).unwrap(), [b"two\n"]);
}

#[test]
fn a_file_that_was_not_requested_is_an_error_and_no_request() {
    let world = World::new();
    let (_repository, commit) = world.repository();
    let server = HttpServer::start(&world.sandbox);
    let remote = world.remote(&server.url("repo"));
    remote.fetch_commits(std::slice::from_ref(&commit)).unwrap();
    let file = remote.entry(&commit, "agents/a.md").unwrap().unwrap().id;
    let before = server.requests();
    for unrequested in [
        remote.read_blobs(std::slice::from_ref(&file)).map(drop),
        remote.measure_blobs(std::slice::from_ref(&file)).map(drop),
    ] {
        assert!(matches!(unrequested, Err(GitError::MissingObject { .. })));
    }
    assert_eq!(server.requests(), before);
    // Once requested, it is fetched again if another process removed the copy.
    remote.fetch_blobs(std::slice::from_ref(&file)).unwrap();
    for pack in world.packs() {
        fs::remove_file(pack).unwrap();
    }
    let again = world.remote(&server.url("repo"));
    again.fetch_commits(&[commit]).unwrap();
    again.fetch_blobs(std::slice::from_ref(&file)).unwrap();
    assert_eq!(again.read_blobs(&[file]).unwrap(), [b"one\n"]);
}

#[test]
fn many_at_once_get_the_same() {
    let world = World::new();
    let (_repository, commit) = world.repository();
    let daemon = GitDaemon::start(&world.sandbox);
    let address = daemon.url("repo");
    // Two values represent two processes: they share only the cache.
    let remotes = [world.remote(&address), world.remote(&address)];
    thread::scope(|scope| {
        for remote in remotes.iter().chain(&remotes) {
            let commit = &commit;
            scope.spawn(move || assert_eq!(text(remote, commit, "agents/a.md"), "one\n"));
        }
    });
    // One for the commit, one for the file.
    assert_eq!(world.packs().len(), 2);
}

#[test]
fn a_server_that_breaks_off_leaves_what_was_there() {
    let world = World::new();
    let (mut repository, first) = world.repository();
    let server = HttpServer::start(&world.sandbox);
    let remote = world.remote(&server.url("repo"));
    assert_eq!(text(&remote, &first, "agents/a.md"), "one\n");
    let files: Vec<String> = (0..200).map(|at| format!("more/{at}/x")).collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|name| (name.as_str(), name.as_str()))
        .collect();
    let second = id(&repository.commit(&files));
    let left_behind = world.packs()[0].with_file_name("tmp_pack_of_a_killed_fetch");
    fs::write(&left_behind, "half").unwrap();
    server.behave(Behaviour::CutAfter(1500));
    let error = remote
        .fetch_commits(std::slice::from_ref(&second))
        .unwrap_err();
    assert!(matches!(error, GitError::Unreachable { .. }), "{error}");
    assert!(error.is_network());
    assert!(!left_behind.exists());
    for remote in [remote, world.remote(&server.url("repo"))] {
        assert_eq!(text(&remote, &first, "agents/a.md"), "one\n");
    }
    server.behave(Behaviour::Serve);
    assert_eq!(
        text(&world.remote(&server.url("repo")), &second, "more/7/x"),
        "more/7/x"
    );
}

#[test]
fn a_server_that_says_nothing_is_given_up() {
    let world = World::new();
    world.repository();
    let server = HttpServer::start(&world.sandbox);
    server.behave(Behaviour::Silent);
    let git = world
        .git(NetworkAccess::Allowed)
        .with_patience(Duration::from_millis(300));
    let error = git
        .remote(&parse(&server.url("repo")), &world.sandbox.work())
        .refs()
        .unwrap_err();
    assert!(matches!(error, GitError::Unreachable { .. }), "{error}");
}

#[test]
fn nobody_there_is_unreachable_and_nothing_there_is_not_found() {
    let world = World::new();
    let server = HttpServer::start(&world.sandbox);
    let daemon = GitDaemon::start(&world.sandbox);
    let absent = world.sandbox.work().join("gone").display().to_string();
    for address in [server.url("gone"), daemon.url("gone"), absent] {
        let error = world.remote(&address).refs().unwrap_err();
        assert!(matches!(error, GitError::NotFound { .. }), "{error:?}");
    }
    let closed = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    for scheme in ["http", "git"] {
        let error = world
            .remote(&format!("{scheme}://{closed}/x"))
            .refs()
            .unwrap_err();
        assert!(matches!(error, GitError::Unreachable { .. }), "{error:?}");
    }
}

#[test]
fn offline_asks_nobody() {
    let world = World::new();
    let (repository, commit) = world.repository();
    let server = HttpServer::start(&world.sandbox);
    let cold = world.offline(&server.url("repo"));
    assert!(matches!(cold.refs(), Err(GitError::Offline { .. })));
    assert!(matches!(
        cold.fetch_commits(std::slice::from_ref(&commit)),
        Err(GitError::Offline { .. })
    ));
    assert_eq!(server.requests(), 0);

    let online = world.remote(&server.url("repo"));
    let refs = online.refs().unwrap();
    assert_eq!(text(&online, &commit, "agents/a.md"), "one\n");
    let requests = server.requests();
    let warm = world.offline(&server.url("repo"));
    assert_eq!(warm.refs().unwrap(), refs);
    assert_eq!(text(&warm, &commit, "agents/a.md"), "one\n");
    let other = warm.entry(&commit, "snippets/s.md").unwrap().unwrap();
    assert!(matches!(
        warm.fetch_blobs(&[other.id]),
        Err(GitError::Offline { .. })
    ));
    assert_eq!(server.requests(), requests);

    // Local sources are read, unless the user's settings redirect them.
    let local = world.offline(&repository.url());
    assert_eq!(text(&local, &commit, "snippets/s.md"), "two\n");
    let elsewhere = format!(
        "[url \"{}\"]\n\tinsteadOf = file:///elsewhere\n",
        server.url("repo")
    );
    fs::write(world.sandbox.home().join(".gitconfig"), elsewhere).unwrap();
    assert!(world.offline("file:///elsewhere").refs().is_err());
    assert_eq!(server.requests(), requests);
}
