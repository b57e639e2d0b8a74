use agpm_source::git::{GitError, TreeEntryKind, is_git_directory};
use agpm_testkit::Repository;

use crate::support::{World, id, text};

#[test]
fn a_file_url_and_a_directory_are_read_alike() {
    let world = World::new();
    let (repository, commit) = world.repository();
    for address in [
        repository.url().as_str(),
        "repo",
        "./repo",
        &repository.path().display().to_string(),
    ] {
        let remote = world.remote(address);
        assert_eq!(remote.refs().unwrap().branches["main"], commit, "{address}");
        assert_eq!(text(&remote, &commit, "agents/a.md"), "one\n", "{address}");
    }
}

#[test]
fn the_home_directory_is_the_one_handed_in() {
    let world = World::new();
    let (_repository, commit) = world.repository();
    let git = world
        .git(agpm_source::git::NetworkAccess::Allowed)
        .with_home(world.sandbox.work());
    let remote = git.remote(&crate::support::parse("~/repo"), "/nowhere".as_ref());
    assert_eq!(text(&remote, &commit, "snippets/s.md"), "two\n");
}

#[test]
fn tags_mean_commits() {
    let world = World::new();
    let (mut repository, first) = world.repository();
    repository.tag("light");
    repository.annotated_tag("v1.0.0");
    let second = id(&repository.commit(&[("x", "y")]));
    repository.git(&["branch", "side/branch"]);
    let refs = world.remote(&repository.url()).refs().unwrap();
    assert_eq!(refs.default_branch.as_deref(), Some("main"));
    assert_eq!(
        (&refs.tags["light"], &refs.tags["v1.0.0"]),
        (&first, &first)
    );
    assert_eq!(refs.branches["side/branch"], second);
}

#[test]
fn an_empty_repository_lists_nothing() {
    let world = World::new();
    let repository = Repository::init(&world.sandbox, "empty");
    let remote = world.remote(&repository.url());
    assert!(remote.refs().unwrap().branches.is_empty());
    assert!(matches!(
        remote.find_commit("abcd"),
        Err(GitError::NoSuchCommit { .. })
    ));
}

#[test]
fn directories_tell_what_is_in_them() {
    let world = World::new();
    let (mut repository, _) = world.repository();
    world.sandbox.write("repo/run.sh", "#!/bin/sh\n");
    repository.git(&["add", "run.sh"]);
    repository.git(&["update-index", "--chmod=+x", "run.sh"]);
    repository.git(&["config", "core.fileMode", "false"]);
    let commit = id(&repository.commit(&[("deep/er/é.md", "x")]));
    let remote = world.remote(&repository.url());
    remote.fetch_commits(std::slice::from_ref(&commit)).unwrap();
    let top = remote.tree(&commit).unwrap();
    let kinds: Vec<(&str, TreeEntryKind)> = top
        .iter()
        .map(|entry| (entry.name.as_str(), entry.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("agents", TreeEntryKind::Directory),
            ("deep", TreeEntryKind::Directory),
            ("run.sh", TreeEntryKind::Executable),
            ("snippets", TreeEntryKind::Directory)
        ]
    );
    assert_eq!(
        remote.entry(&commit, "deep/er/é.md").unwrap().unwrap().kind,
        TreeEntryKind::File
    );
    for nothing in ["", "deep/x", "run.sh/x", "DEEP"] {
        assert_eq!(remote.entry(&commit, nothing).unwrap(), None, "{nothing}");
    }
}

#[test]
fn missing_objects_leave_the_copy_intact() {
    let world = World::new();
    let (repository, commit) = world.repository();
    let remote = world.remote(&repository.url());
    assert_eq!(text(&remote, &commit, "agents/a.md"), "one\n");
    let packs = world.packs();
    let directory = remote.entry(&commit, "agents").unwrap().unwrap().id;
    let file = remote.entry(&commit, "agents/a.md").unwrap().unwrap().id;
    let absent = id(&"1".repeat(40));
    for wrong in [&absent, &directory, &commit] {
        let error = remote
            .read_blobs(&[file.clone(), wrong.clone()])
            .unwrap_err();
        assert!(
            matches!(error, GitError::MissingObject { ref object, .. } if object == wrong),
            "{error}"
        );
    }
    for wrong in [&absent, &file] {
        let error = remote.tree(wrong).unwrap_err();
        assert!(matches!(error, GitError::MissingObject { .. }), "{error}");
        let error = world
            .remote(&repository.url())
            .fetch_commits(std::slice::from_ref(wrong))
            .unwrap_err();
        assert!(matches!(error, GitError::NoSuchCommit { .. }), "{error}");
    }
    let now = world.packs();
    assert!(
        packs.iter().all(|pack| now.contains(pack)),
        "{packs:?} {now:?}"
    );
}

#[test]
fn many_files_are_read_in_order_and_reported_once_each() {
    let world = World::new();
    let (mut repository, _) = world.repository();
    let names: Vec<String> = (0..300).map(|at| format!("many/{at:03}")).collect();
    let large = "x".repeat(200_000);
    let files: Vec<(&str, &str)> = names
        .iter()
        .map(|name| (name.as_str(), name.as_str()))
        .collect();
    repository.commit(&files);
    let commit = id(&repository.commit(&[("many/large", &large)]));
    let remote = world.remote(&repository.url());
    remote.fetch_commits(std::slice::from_ref(&commit)).unwrap();
    let directory = remote.entry(&commit, "many").unwrap().unwrap();
    let mut wanted: Vec<_> = remote
        .tree(&directory.id)
        .unwrap()
        .iter()
        .rev()
        .map(|e| e.id.clone())
        .collect();
    wanted.push(wanted[0].clone());
    let contents = remote.read_blobs(&wanted).unwrap();
    assert_eq!(contents[0], large.as_bytes());
    assert_eq!(contents[1], b"many/299");
    assert_eq!(contents[301], large.as_bytes());
}

#[test]
fn short_commits_are_found_wherever_they_are() {
    let world = World::new();
    let (mut repository, first) = world.repository();
    let second = id(&repository.commit(&[("x", "1")]));
    let third = id(&repository.commit(&[("x", "2")]));
    let remote = world.remote(&repository.url());
    assert_eq!(remote.find_commit(third.short()).unwrap(), third);
    assert_eq!(
        remote.find_commit(&second.short().to_uppercase()).unwrap(),
        second
    );
    assert_eq!(remote.find_commit(first.as_str()).unwrap(), first);
    assert!(remote.has_commit(&first) && !remote.has_commit(&second));
    assert_eq!(text(&remote, &second, "x"), "1");
    for absent in ["00000000", "xyz", "ab", &"0".repeat(40)] {
        let error = remote.find_commit(absent).unwrap_err();
        assert!(
            matches!(error, GitError::NoSuchCommit { .. }),
            "{absent}: {error}"
        );
    }
}

#[test]
fn a_short_commit_that_fits_several_names_them() {
    let world = World::new();
    let repository = Repository::init(&world.sandbox, "repo");
    // Among a thousand commits some are sure to have the same four digits: always the same ones here.
    let commit = |at| format!("commit refs/heads/main\ncommitter a <a@b> {at} +0000\ndata 1\nx\n");
    let history: String = (1_700_000_000..1_700_001_000).map(commit).collect();
    world.sandbox.write("history", history);
    let mut import = world.sandbox.command("git");
    import.args(["-C", "repo", "fast-import", "--quiet"]);
    import.stdin(std::fs::File::open(world.sandbox.work().join("history")).unwrap());
    assert_eq!(world.sandbox.output(import).code, Some(0));
    let listing = repository.git(&["rev-list", "main"]).stdout;
    let mut commits: Vec<&str> = listing.lines().collect();
    commits.sort_unstable();
    let twins = commits
        .windows(2)
        .find(|two| two[0][..4] == two[1][..4])
        .unwrap();
    let remote = world.remote(&repository.url());
    let error = remote.find_commit(&twins[0][..4]).unwrap_err();
    let GitError::Ambiguous { candidates, .. } = error else {
        panic!("{error}")
    };
    assert!(
        candidates.starts_with(&[id(twins[0]), id(twins[1])]),
        "{candidates:?}"
    );
    assert_eq!(remote.find_commit(&twins[0][..12]).unwrap(), id(twins[0]));
}

#[test]
fn two_versions_share_what_is_the_same() {
    let world = World::new();
    let (mut repository, first) = world.repository();
    let second = id(&repository.commit(&[("agents/a.md", "changed\n")]));
    let remote = world.remote(&repository.url());
    remote
        .fetch_commits(&[first.clone(), second.clone(), first.clone()])
        .unwrap();
    assert_eq!(text(&remote, &first, "agents/a.md"), "one\n");
    assert_eq!(text(&remote, &second, "agents/a.md"), "changed\n");
    assert_eq!(
        remote.entry(&first, "snippets").unwrap().unwrap().id,
        remote.entry(&second, "snippets").unwrap().unwrap().id
    );
}

#[test]
fn a_repository_with_long_names_is_read_too() {
    let world = World::new();
    let path = world.sandbox.work().join("long");
    let mut command = world.sandbox.command("git");
    command.args(["init", "-q", "-b", "main", "--object-format=sha256", "long"]);
    assert_eq!(world.sandbox.output(command).code, Some(0));
    let mut repository = Repository::open(&world.sandbox, "long");
    let commit = id(&repository.commit(&[("a", "b")]));
    assert_eq!(commit.as_str().len(), 64);
    assert_eq!(
        text(&world.remote(&path.display().to_string()), &commit, "a"),
        "b"
    );
}

#[test]
fn git_directories_are_reported_from_others() {
    let world = World::new();
    let (repository, _) = world.repository();
    assert!(
        is_git_directory(repository.path()) && is_git_directory(&repository.path().join(".git"))
    );
    assert!(!is_git_directory(&world.sandbox.work()));
}
