//! Commits checked out as directories.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use agpm_model::{RelativePath, Revision as ObjectId};
use agpm_source::git::{GitError, NetworkAccess};
use agpm_testkit::{GitDaemon, Repository};

use crate::support::{World, id};

fn path(text: &str) -> RelativePath {
    RelativePath::new(text).unwrap()
}

/// Lists the files in a directory by their paths.
fn listing(directory: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(next) = directories.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let entry = entry.unwrap();
            match entry.file_type().unwrap().is_dir() {
                true => directories.push(entry.path()),
                false => {
                    found.insert(
                        entry
                            .path()
                            .strip_prefix(directory)
                            .unwrap()
                            .display()
                            .to_string(),
                    );
                }
            }
        }
    }
    found
}

#[test]
fn a_commit_or_a_directory_of_it_is_written_out() {
    let world = World::new();
    let (mut repository, first) = world.repository();
    let second = id(&repository.commit(&[("agents/a.md", "later\n"), ("deep/er/x.csv", "x\n")]));
    let remote = world.remote(&repository.url());
    let checkout = remote.checkout(&first, None).unwrap();
    assert_eq!(
        listing(&checkout),
        ["agents/a.md", "snippets/s.md"].map(str::to_owned).into()
    );
    assert_eq!(
        fs::read_to_string(checkout.join("agents/a.md")).unwrap(),
        "one\n"
    );
    let inner = remote.checkout(&second, Some(&path("deep/er"))).unwrap();
    assert_eq!(listing(&inner), ["x.csv".to_owned()].into());
    let later = remote.checkout(&second, None).unwrap();
    assert_eq!(
        fs::read_to_string(later.join("agents/a.md")).unwrap(),
        "later\n"
    );
    assert!(later != checkout && inner.starts_with(world.cache()));
}

#[test]
fn a_complete_checkout_starts_no_process() {
    let world = World::new();
    let (repository, commit) = world.repository();
    let checkout = world
        .remote(&repository.url())
        .checkout(&commit, None)
        .unwrap();
    fs::remove_dir_all(repository.path()).unwrap();
    fs::remove_dir_all(checkout.ancestors().nth(2).unwrap().join("objects.git")).unwrap();
    let git = world
        .git(NetworkAccess::Offline)
        .with_variable("PATH", "/nowhere");
    let remote = git.remote(
        &crate::support::parse(&repository.url()),
        &world.sandbox.work(),
    );
    assert_eq!(remote.checkout(&commit, None).unwrap(), checkout);
}

#[test]
fn a_directory_that_is_missing_has_others_next_to_it() {
    let world = World::new();
    let (repository, commit) = world.repository();
    let remote = world.remote(&repository.url());
    for (directory, expected) in [
        ("agnts", vec!["agents", "snippets"]),
        ("agents/a.md", vec![]),
        ("agents/x/y", vec![]),
    ] {
        match remote.checkout(&commit, Some(&path(directory))) {
            Err(GitError::NoSuchDirectory {
                directory: named,
                beside,
                ..
            }) => {
                assert_eq!(
                    (named.as_str(), beside),
                    (directory, expected.into_iter().map(str::to_owned).collect())
                );
            }
            other => panic!("{directory}: {other:?}"),
        }
    }
    let missing = id(&"ab".repeat(20));
    assert!(matches!(
        remote.checkout(&missing, None),
        Err(GitError::NoSuchCommit { .. })
    ));
    assert!(
        world
            .cached()
            .iter()
            .all(|file| !file.display().to_string().contains("/trees/"))
    );
}

/// A commit with a tree that git would not create: names and modes with their blob or tree.
fn raw_commit(
    world: &World,
    repository: &Repository<'_>,
    entries: &[(&str, &[u8], &str)],
) -> ObjectId {
    let mut bytes = Vec::new();
    for (mode, name, object) in entries {
        bytes.extend_from_slice(mode.as_bytes());
        bytes.push(b' ');
        bytes.extend_from_slice(name);
        bytes.push(0);
        let digits = object
            .as_bytes()
            .chunks(2)
            .map(|two| std::str::from_utf8(two).unwrap());
        bytes.extend(digits.map(|two| u8::from_str_radix(two, 16).unwrap()));
    }
    world.sandbox.write("tree.bin", bytes);
    let file = world.sandbox.work().join("tree.bin").display().to_string();
    let tree = repository
        .git(&["hash-object", "-t", "tree", "-w", "--literally", &file])
        .stdout;
    let commit = repository
        .git(&["commit-tree", tree.trim(), "-m", "hostile"])
        .stdout;
    repository.git(&["update-ref", "refs/heads/hostile", commit.trim()]);
    id(commit.trim())
}

#[test]
fn a_hostile_tree_writes_nothing_but_files_with_good_names() {
    let world = World::new();
    let (repository, commit) = world.repository();
    let blob = repository
        .git(&["rev-parse", "HEAD:agents/a.md"])
        .stdout
        .trim()
        .to_owned();
    let tree = repository
        .git(&["rev-parse", "HEAD:agents"])
        .stdout
        .trim()
        .to_owned();
    let long = [b'n'; 300];
    let hostile = raw_commit(
        &world,
        &repository,
        &[
            ("100644", b".", &blob),
            ("100644", b"..", &blob),
            ("40000", b"..", &tree),
            ("100644", b"../escaped", &blob),
            ("100644", b"/escaped", &blob),
            ("40000", b".GIT", &tree),
            ("40000", b".git", &tree),
            ("100644", b"CON", &blob),
            ("100644", b"a:b", &blob),
            ("100644", b"a\\b", &blob),
            ("100644", b"bad\xff", &blob),
            ("100644", &long, &blob),
            ("120000", b"link", &blob),
            ("160000", b"module", commit.as_str()),
            ("100644", b"Same", &blob),
            ("40000", b"same", &tree),
            ("100755", b"run", &blob),
            ("40000", b"twice", &tree),
            ("100644", b"twice", &blob),
        ],
    );
    let checkout = world
        .remote(&repository.url())
        .checkout(&hostile, None)
        .unwrap();
    assert_eq!(
        listing(&checkout),
        ["Same", "run", "twice/a.md"].map(str::to_owned).into()
    );
    assert!(!world.cached().iter().any(|file| file.ends_with("escaped")));
}

#[test]
fn links_that_stay_inside_are_written_out() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    let (mut repository, _) = world.repository();
    let top = repository.path().to_owned();
    for (target, link) in [
        ("../snippets/s.md", "agents/linked.md"),
        ("agents", "shared"),
        ("/etc/passwd", "absolute"),
        ("../outside", "outside"),
        ("../../agents/a.md", "snippets/far.md"),
    ] {
        symlink(target, top.join(link)).unwrap();
    }
    let commit = id(&repository.commit(&[("later.md", "x")]));
    let remote = world.remote(&repository.url());
    let checkout = remote.checkout(&commit, None).unwrap();
    let expected = [
        "agents/a.md",
        "agents/linked.md",
        "later.md",
        "shared",
        "snippets/s.md",
    ];
    assert_eq!(listing(&checkout), expected.map(str::to_owned).into());
    assert_eq!(
        fs::read_to_string(checkout.join("shared/linked.md")).unwrap(),
        "two\n"
    );
    // Of a directory, only the symlinks that stay in it.
    let inner = remote.checkout(&commit, Some(&path("agents"))).unwrap();
    assert_eq!(listing(&inner), ["a.md".to_owned()].into());
}

#[test]
fn very_large_files_are_left_out() {
    let world = World::new();
    let (mut repository, _) = world.repository();
    let large = "x".repeat((32 << 20) + 1);
    let commit = id(&repository.commit(&[("large.txt", &large), ("limit.txt", &large[1..])]));
    let checkout = world
        .remote(&repository.url())
        .checkout(&commit, None)
        .unwrap();
    let found = listing(&checkout);
    assert!(
        found.contains("limit.txt") && !found.contains("large.txt"),
        "{found:?}"
    );
}

#[test]
fn eight_commits_stay_written_out() {
    let world = World::new();
    let (mut repository, first) = world.repository();
    let remote = world.remote(&repository.url());
    let oldest = remote.checkout(&first, None).unwrap();
    let long_ago = std::time::SystemTime::UNIX_EPOCH;
    fs::File::open(&oldest)
        .unwrap()
        .set_modified(long_ago)
        .unwrap();
    let mut checkouts = Vec::new();
    for number in 0..8 {
        let commit = id(&repository.commit(&[("n", &number.to_string())]));
        checkouts.push(remote.checkout(&commit, None).unwrap());
    }
    assert!(!oldest.exists() && checkouts.iter().all(|checkout| checkout.exists()));
    assert_eq!(fs::read_dir(oldest.parent().unwrap()).unwrap().count(), 8);
    assert_eq!(remote.checkout(&first, None).unwrap(), oldest);
}

/// Sets the last use of a directory to this many hours ago.
fn age(checkout: &Path, hours: u64) {
    let time = std::time::SystemTime::now() - std::time::Duration::from_secs(hours * 3600);
    fs::File::open(checkout)
        .unwrap()
        .set_modified(time)
        .unwrap();
}

#[test]
fn copies_in_use_are_kept() {
    let world = World::new();
    let (mut repository, _) = world.repository();
    let names: Vec<String> = (0..12).map(|number| format!("team{number}/f")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
    let commit = id(&repository.commit(&files));
    let remote = world.remote(&repository.url());
    let checkout = |number: usize| {
        remote
            .checkout(&commit, Some(&path(&format!("team{number}"))))
            .unwrap()
    };
    let checkouts: Vec<_> = (0..11).map(checkout).collect();
    assert!(checkouts.iter().all(|checkout| checkout.exists()));
    // One of those that are old is used again before the next is written out.
    checkouts.iter().for_each(|checkout| age(checkout, 48));
    assert_eq!(checkout(0), checkouts[0]);
    checkout(11);
    assert!(checkouts[0].exists());
    assert_eq!(
        fs::read_dir(checkouts[0].parent().unwrap())
            .unwrap()
            .count(),
        8
    );
}

#[test]
fn checkouts_of_other_processes_are_left_alone() {
    let world = World::new();
    let (mut repository, first) = world.repository();
    let remote = world.remote(&repository.url());
    let trees = remote
        .checkout(&first, None)
        .unwrap()
        .parent()
        .unwrap()
        .to_owned();
    let making: Vec<_> = (0..9)
        .map(|number| trees.join(format!(".new-{number}")))
        .collect();
    making
        .iter()
        .for_each(|checkout| fs::create_dir(checkout).unwrap());
    age(&making[8], 48);
    let second = id(&repository.commit(&[("n", "2")]));
    let checkout = remote.checkout(&second, None).unwrap();
    assert!(
        checkout.exists()
            && making[..8].iter().all(|checkout| checkout.exists())
            && !making[8].exists()
    );
}

#[test]
fn several_at_once_get_the_same_directory() {
    let world = World::new();
    let (repository, commit) = world.repository();
    let checkout = || {
        world
            .remote(&repository.url())
            .checkout(&commit, None)
            .unwrap()
    };
    let checkouts = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6).map(|_| scope.spawn(checkout)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect::<BTreeSet<_>>()
    });
    let checkout = checkouts.first().unwrap();
    assert_eq!((checkouts.len(), listing(checkout).len()), (1, 2));
    assert_eq!(fs::read_dir(checkout.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn a_server_is_required_all_files_at_once() {
    let world = World::new();
    let (mut repository, _) = world.repository();
    let files: Vec<(String, String)> = (0..200)
        .map(|n| (format!("f/{n}.md"), format!("{n}\n")))
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let commit = id(&repository.commit(&files));
    let daemon = GitDaemon::start(&world.sandbox);
    let remote = world.remote(&daemon.url("repo"));
    let checkout = remote.checkout(&commit, Some(&path("f"))).unwrap();
    assert_eq!(listing(&checkout).len(), 200);
    assert!(
        world.packs().len() <= 2,
        "one for the commit, one for all files: {:?}",
        world.packs()
    );
}

#[test]
fn the_last_state_of_a_branch_is_known_offline() {
    let world = World::new();
    let (mut repository, first) = world.repository();
    let remote = world.remote(&repository.url());
    let directory = path("agents");
    assert_eq!(remote.last_checkout(Some("main"), None), None);
    remote
        .remember_checkout(Some("main"), None, &first)
        .unwrap();
    assert_eq!(
        remote.last_checkout(Some("main"), None),
        None,
        "it was never written out"
    );
    let checkout = remote.checkout(&first, None).unwrap();
    assert_eq!(
        remote.last_checkout(Some("main"), None),
        Some((first, checkout))
    );
    assert_eq!(remote.last_checkout(None, None), None);
    assert_eq!(remote.last_checkout(Some("main"), Some(&directory)), None);
    let second = id(&repository.commit(&[("agents/a.md", "two\n")]));
    let checkout = remote.checkout(&second, Some(&directory)).unwrap();
    remote
        .remember_checkout(Some("main"), Some(&directory), &second)
        .unwrap();
    assert_eq!(
        remote.last_checkout(Some("main"), Some(&directory)),
        Some((second, checkout))
    );
}

#[test]
fn checked_out_files_belong_to_the_copy() {
    let world = World::new();
    let (repository, commit) = world.repository();
    let git = world.git(NetworkAccess::Allowed);
    let remote = git.remote(
        &crate::support::parse(&repository.url()),
        &world.sandbox.work(),
    );
    remote.fetch_commits(std::slice::from_ref(&commit)).unwrap();
    let before = git.cached()[0].bytes().unwrap();
    let checkout = remote.checkout(&commit, None).unwrap();
    let cached = git.cached();
    let after = cached[0].bytes().unwrap();
    assert!(after >= before + 8, "{before} {after}");
    cached[0].remove(cached[0].condition()).unwrap();
    assert!(!checkout.exists());
}
