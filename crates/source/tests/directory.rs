//! A directory as a source: its listing, its refusals, and no versions.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use agpm_model::{FileMode, RelativePath, Requirement, VersionRequirement};
use agpm_source::{
    DirectorySource, FileFetching, ReferenceError, Source, SourceEntry, SourceEntryKind,
    SourceError, SourceVersioning, SymlinkConfinement, resolve, resolve_reference,
};
use agpm_store::StoreProblem;
use agpm_testkit::Sandbox;

fn directory(sandbox: &Sandbox) -> DirectorySource {
    let project = sandbox.work().join("project");
    DirectorySource::new(
        sandbox.work().join("team"),
        SymlinkConfinement::Inside,
        &project,
    )
}

fn team(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new("");
    sandbox.write("project/agpm.toml", "");
    for (path, text) in files {
        sandbox.write(&format!("team/{path}"), text);
    }
    sandbox
}

fn paths(entries: &[SourceEntry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.path.as_str()).collect()
}

#[test]
fn a_walk_lists_files_and_the_directories_that_it_did_not_enter() {
    let sandbox = team(&[("a.md", "a"), ("deep/b.md", "b"), ("closed/c.md", "c")]);
    let source = directory(&sandbox);
    let tree = source.walk(None, "", &|path| path != "closed").unwrap();
    assert_eq!(paths(&tree.entries), ["a.md", "closed", "deep/b.md"]);
    assert_eq!(tree.entries[1].kind, SourceEntryKind::Directory);
    let inner = source.walk(None, "deep", &|_| true).unwrap();
    assert_eq!(paths(&inner.entries), ["deep/b.md"]);
    let files: Vec<&SourceEntry> = inner.entries.iter().collect();
    assert_eq!(source.size(&files).unwrap(), 1);
    assert_eq!(source.read(&files).unwrap(), [b"b".to_vec()]);
    assert!(
        source
            .walk(None, "nowhere", &|_| true)
            .unwrap()
            .entries
            .is_empty()
    );
}

#[test]
fn a_directory_has_no_versions() {
    let sandbox = team(&[("a.md", "a")]);
    let source = directory(&sandbox);
    assert_eq!(source.versioning(), SourceVersioning::Unversioned);
    let any = Requirement::Version(VersionRequirement::parse("^1.0").unwrap());
    assert_eq!(resolve(&source, &any).unwrap(), None);
    let commit = "1".repeat(40).parse().unwrap();
    let fetched = source.fetch(std::slice::from_ref(&commit), FileFetching::OnDemand);
    assert!(matches!(fetched, Err(SourceError::NoSuchRevision(_))));
    for reference in [None, Some("main")] {
        let found = resolve_reference(&source, reference);
        assert!(
            matches!(found, Err(ReferenceError::NotFound(_))),
            "{found:?}"
        );
    }
}

#[test]
fn a_directory_that_does_not_exist_is_named_with_its_neighbours() {
    let sandbox = team(&[("tools/a.md", "a")]);
    let inner = RelativePath::new("tool").unwrap();
    match directory(&sandbox).directory(None, Some(&inner)) {
        Err(SourceError::NoSuchDirectory { beside, .. }) => assert_eq!(beside, ["tools"]),
        other => panic!("{other:?}"),
    }
}

#[cfg(unix)]
mod links {
    use super::*;

    fn link(sandbox: &Sandbox, target: &str, path: &str) {
        std::os::unix::fs::symlink(target, sandbox.work().join(path)).unwrap();
    }

    #[test]
    fn a_link_is_listed_and_read_only_where_it_stays_inside() {
        let sandbox = team(&[("a.md", "a")]);
        sandbox.write("outside.md", "secret");
        link(&sandbox, "a.md", "team/inside.md");
        link(&sandbox, "../outside.md", "team/out.md");
        let source = directory(&sandbox);
        let tree = source.walk(None, "", &|_| true).unwrap();
        let kinds: Vec<SourceEntryKind> = tree.entries.iter().map(|entry| entry.kind).collect();
        let file = SourceEntryKind::File(FileMode::Plain);
        assert_eq!(
            kinds,
            [file, SourceEntryKind::Symlink, SourceEntryKind::Symlink]
        );
        let entry = |path: &str| source.entry(None, path).unwrap().unwrap();
        let inside = entry("inside.md");
        assert_eq!(source.read(&[&inside]).unwrap(), [b"a".to_vec()]);
        let out = source.read(&[&entry("out.md")]);
        assert!(matches!(out, Err(SourceError::Store(_))), "{out:?}");
    }

    #[test]
    fn a_directory_that_a_link_leads_out_to_is_refused() {
        let sandbox = team(&[("a.md", "a")]);
        sandbox.write("elsewhere/b.md", "b");
        link(&sandbox, "../elsewhere", "team/linked");
        let inner = RelativePath::new("linked").unwrap();
        let found = directory(&sandbox).directory(None, Some(&inner));
        assert!(matches!(found, Err(SourceError::OutsideLink)), "{found:?}");
    }

    #[test]
    fn places_for_credentials_outside_of_the_project_are_not_read() {
        let sandbox = team(&[(".ssh/id_rsa", "key"), ("a.md", "a")]);
        link(&sandbox, ".ssh", "team/plain");
        let source = directory(&sandbox);
        for path in [".ssh/id_rsa", "plain/id_rsa"] {
            let entry = source.entry(None, path).unwrap().unwrap();
            match source.read(&[&entry]) {
                Err(SourceError::Store(error)) => {
                    assert!(matches!(error.problem, StoreProblem::Credentials), "{path}");
                }
                other => panic!("{path}: {other:?}"),
            }
        }
    }
}
