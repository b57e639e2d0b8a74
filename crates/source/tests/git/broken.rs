use std::fs;
use std::path::PathBuf;

use agpm_source::git::GitError;

use crate::support::{World, id, text};

/// A cache with one file of the repository in it, damaged by `harm`, is whole again after the next reading.
fn recovers(harm: impl Fn(&World)) {
    let world = World::new();
    let (repository, commit) = world.repository();
    let remote = world.remote(&repository.url());
    assert_eq!(text(&remote, &commit, "agents/a.md"), "one\n");
    drop(remote);
    harm(&world);
    let remote = world.remote(&repository.url());
    assert_eq!(text(&remote, &commit, "agents/a.md"), "one\n");
    assert_eq!(text(&remote, &commit, "snippets/s.md"), "two\n");
}

fn write_over(path: &PathBuf, bytes: &[u8]) {
    // Git makes its packs read-only.
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

fn objects(world: &World) -> PathBuf {
    let heads = world
        .cached()
        .into_iter()
        .filter(|path| path.ends_with("HEAD"));
    heads
        .map(|path| path.parent().unwrap().to_owned())
        .next()
        .unwrap()
}

#[test]
fn a_pack_that_is_cut_off_is_fetched_again() {
    recovers(|world| {
        for pack in world.packs() {
            let bytes = fs::read(&pack).unwrap();
            write_over(&pack, &bytes[..bytes.len() / 2]);
        }
    });
}

#[test]
fn a_pack_with_wrong_bytes_is_fetched_again() {
    recovers(|world| {
        for pack in world.packs() {
            let mut bytes = fs::read(&pack).unwrap();
            let end = bytes.len() - 20;
            bytes[12..end].fill(0x5a);
            write_over(&pack, &bytes);
        }
    });
}

#[test]
fn packs_that_are_gone_are_fetched_again() {
    recovers(|world| {
        let packs = objects(world).join("objects/pack");
        fs::remove_dir_all(&packs).unwrap();
        fs::create_dir(&packs).unwrap();
    });
}

#[test]
fn a_repository_that_is_only_half_there_is_made_again() {
    recovers(|world| fs::remove_file(objects(world).join("HEAD")).unwrap());
    recovers(|world| fs::remove_dir_all(objects(world).join("objects")).unwrap());
    recovers(|world| fs::write(objects(world).join("HEAD"), "what").unwrap());
    recovers(|world| fs::write(objects(world).join("config"), "[what").unwrap());
}

#[test]
fn a_lock_of_git_that_was_left_behind_does_no_harm() {
    let world = World::new();
    let (mut repository, first) = world.repository();
    assert_eq!(
        text(&world.remote(&repository.url()), &first, "agents/a.md"),
        "one\n"
    );
    fs::write(objects(&world).join("shallow.lock"), "").unwrap();
    let second = id(&repository.commit(&[("x", "y")]));
    assert_eq!(text(&world.remote(&repository.url()), &second, "x"), "y");
}

#[test]
fn a_broken_history_is_fetched_again() {
    for harm in [
        |pack: &PathBuf| write_over(pack, b"what"),
        |pack: &PathBuf| fs::remove_file(pack).unwrap(),
    ] {
        let world = World::new();
        let (mut repository, first) = world.repository();
        repository.commit(&[("x", "y")]);
        assert_eq!(
            world
                .remote(&repository.url())
                .find_commit(first.short())
                .unwrap(),
            first
        );
        world.packs().iter().for_each(harm);
        assert_eq!(
            world
                .remote(&repository.url())
                .find_commit(first.short())
                .unwrap(),
            first
        );
        assert_eq!(world.packs().len(), 1);
        assert_eq!(
            world
                .offline(&repository.url())
                .find_commit(first.short())
                .unwrap(),
            first
        );
    }
}

#[test]
fn a_commit_that_is_missing_does_not_hinder_the_others() {
    let world = World::new();
    let (repository, commit) = world.repository();
    let remote = world.remote(&repository.url());
    assert!(remote.fetch_commits(&[id(&"1".repeat(40))]).is_err());
    assert_eq!(text(&remote, &commit, "agents/a.md"), "one\n");
    fs::remove_dir_all(objects(&world)).unwrap();
    assert_eq!(text(&remote, &commit, "snippets/s.md"), "two\n");
}

#[test]
fn the_copy_outlives_the_repository() {
    let world = World::new();
    let (repository, commit) = world.repository();
    let remote = world.remote(&repository.url());
    let refs = remote.refs().unwrap();
    assert_eq!(text(&remote, &commit, "agents/a.md"), "one\n");
    fs::remove_dir_all(repository.path()).unwrap();
    let later = world.remote(&repository.url());
    assert!(matches!(later.refs(), Err(GitError::NotFound { .. })));
    assert_eq!(later.remembered_refs().as_ref(), Some(&*refs));
    assert_eq!(text(&later, &commit, "agents/a.md"), "one\n");
}
