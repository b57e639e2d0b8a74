//! Remotes as layers of the catalog, with repositories and servers on this machine.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs
)]

use std::fs;
use std::sync::Arc;

use agpm_app::catalog::{CatalogSelection, OpenCatalog, open_catalog};
use agpm_app::project::world::{
    BaseApproval, Environment, InstallScope, NetworkAccess, OutsideReads, PolicyLocations,
    ProgramUse, SilentProgress, World,
};
use agpm_catalog::{CatalogMode, LayerKind};
use agpm_diag::{Diagnostic, FailureKind, Outcome};
use agpm_testkit::{GitDaemon, Repository, Sandbox};

const FILE: &str = "bmad/_cfg/agent-manifest.csv";

/// A project beside its sources.
struct CatalogProject {
    sandbox: Sandbox,
}

impl CatalogProject {
    fn new() -> Self {
        let sandbox = Sandbox::new("git");
        fs::create_dir_all(sandbox.work().join("project")).unwrap();
        CatalogProject { sandbox }
    }

    fn manifest(&self, text: &str) {
        self.sandbox.write("project/agpm.toml", text);
    }

    fn world(&self, network: NetworkAccess) -> World {
        let environment = Environment {
            approvals: Vec::new(),
            bases: BaseApproval::default(),
            typed: agpm_diag::TypedCommand::default(),
            scope: InstallScope::Project,
            working_directory: self.sandbox.work().join("project"),
            manifest: None,
            config: None,
            config_directory: None,
            cache: Some(self.sandbox.home().with_file_name("cache")),
            home: Some(self.sandbox.home()),
            network,
            state: None,
            programs: ProgramUse::Approved,
            outside: OutsideReads::Allowed,
            policies: PolicyLocations::default(),
            executables: Vec::new(),
            credentials: Vec::new(),
        };
        World::of_machine(environment, Arc::new(SilentProgress))
    }

    /// The catalog of these remotes and of the manifest's.
    fn open(&self, network: NetworkAccess, typed: &[&str]) -> Outcome<OpenCatalog> {
        let options = CatalogSelection {
            mode: CatalogMode::Strict,
            remotes: typed.iter().map(|text| (*text).to_owned()).collect(),
        };
        open_catalog(&self.world(network), &options, None)
    }

    /// Opens a catalog without errors; returns each layer with the text of its manifest, and the findings.
    fn open_layers(
        &self,
        network: NetworkAccess,
        typed: &[&str],
    ) -> (Vec<(String, String)>, Vec<String>) {
        let outcome = self.open(network, typed);
        // The texts of these manifests only distinguish them.
        let is_of_remotes = |finding: &&Diagnostic| {
            let name = finding.code.name;
            !name.starts_with("catalog/") || ["catalog/remote", "catalog/stale"].contains(&name)
        };
        let reported = outcome.diagnostics.iter().filter(is_of_remotes);
        let reported = reported.map(render).collect();
        let open = outcome.result.unwrap();
        let layers = open.content.layers.iter();
        let layers = layers.filter(|layer| layer.kind == LayerKind::Git);
        let rows = layers.map(|layer| {
            let text = fs::read_to_string(layer.directory.join(FILE));
            (layer.remote.clone().unwrap(), text.unwrap_or_default())
        });
        (rows.collect(), reported)
    }

    fn assert_fails(
        &self,
        network: NetworkAccess,
        typed: &[&str],
        kind: FailureKind,
        words: &[&str],
    ) {
        let outcome = self.open(network, typed);
        let failure = outcome.result.err();
        let text = render(outcome.diagnostics.last().unwrap());
        assert_eq!(failure, Some(kind), "{typed:?} {text}");
        for word in words {
            assert!(text.contains(word), "{typed:?}: no `{word}` in {text}");
        }
    }
}

fn render(found: &Diagnostic) -> String {
    let help = found.help.as_deref().unwrap_or_default();
    let details = found.details.join(" ");
    format!("{}: {} {details} {help}", found.code.name, found.message)
}

/// A repository with a tag, a later branch and a directory.
fn repository(project: &CatalogProject) -> Repository<'_> {
    let mut repository = Repository::init(&project.sandbox, "community");
    repository.commit(&[(FILE, "one"), (&format!("team/{FILE}"), "team")]);
    repository.tag("v1");
    repository
}

fn rows(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected
        .iter()
        .map(|(remote, text)| ((*remote).to_owned(), (*text).to_owned()))
        .collect()
}

const SOURCES: &str = "[sources]\ncommunity = \"../community\"\n";

#[test]
fn the_command_line_ranks_above_the_manifest_and_each_is_used_once() {
    let project = CatalogProject::new();
    let mut source = repository(&project);
    source.commit(&[(FILE, "two")]);
    project.manifest(&format!(
        "{SOURCES}file = \"{0}\"\n[catalog]\nremotes = [\"community#v1\", \"community:/team\", \"git+{0}\", \"file\"]\n",
        source.url()
    ));
    let (layers, reported) = project.open_layers(NetworkAccess::Allowed, &[]);
    let url = format!("git+{}", source.url());
    let all = [
        ("community#v1", "one"),
        ("community:/team", "team"),
        (&url, "two"),
    ];
    assert_eq!((layers, reported), (rows(&all), Vec::new()));
    let (layers, _) = project.open_layers(
        NetworkAccess::Allowed,
        &["community", "community:/team", "community"],
    );
    let all = [
        ("community", "two"),
        ("community:/team", "team"),
        ("community#v1", "one"),
        (&url, "two"),
    ];
    assert_eq!(layers, rows(&all));
}

#[test]
fn the_command_line_is_fresh_and_the_manifest_is_pinned() {
    let project = CatalogProject::new();
    let mut source = repository(&project);
    let first = source.git(&["rev-parse", "HEAD"]).stdout.trim().to_owned();
    source.commit(&[(FILE, "two")]);
    project.manifest(&format!("{SOURCES}[catalog]\nremotes = [\"community\"]\n"));
    project.sandbox.write(
        "project/agpm.lock",
        format!("version = 1\n[[catalog]]\nremote = \"community\"\nversion = \"main\"\nresolved_commit = \"{first}\"\n"),
    );
    assert_eq!(
        project.open_layers(NetworkAccess::Allowed, &[]),
        (rows(&[("community", "one")]), Vec::new())
    );
    assert_eq!(
        project
            .open_layers(NetworkAccess::Allowed, &["community"])
            .0,
        rows(&[("community", "two")])
    );
    source.commit(&[(FILE, "three")]);
    assert_eq!(
        project
            .open_layers(NetworkAccess::Allowed, &["community"])
            .0,
        rows(&[("community", "three")])
    );
    // A pinned and cached version needs no request.
    fs::remove_dir_all(source.path()).unwrap();
    assert_eq!(
        project.open_layers(NetworkAccess::Allowed, &[]),
        (rows(&[("community", "one")]), Vec::new())
    );
}

#[test]
fn a_pin_of_another_remote_or_of_one_user_says_nothing() {
    let project = CatalogProject::new();
    let mut source = repository(&project);
    let first = source.git(&["rev-parse", "HEAD"]).stdout.trim().to_owned();
    source.commit(&[(FILE, "two")]);
    project.manifest(&format!(
        "{SOURCES}[catalog]\nremotes = [\"community#main\"]\n"
    ));
    project.sandbox.write(
        "project/agpm.lock",
        format!("version = 1\n[[catalog]]\nremote = \"community\"\nversion = \"main\"\nresolved_commit = \"{first}\"\n"),
    );
    assert_eq!(
        project.open_layers(NetworkAccess::Allowed, &[]).0,
        rows(&[("community#main", "two")])
    );
    project.manifest(&format!("{SOURCES}[catalog]\nremotes = [\"community\"]\n"));
    let moved = "[[sources]]\nname = \"community\"\nurl = \"../elsewhere\"\n";
    let lock = project.sandbox.read("project/agpm.lock");
    project
        .sandbox
        .write("project/agpm.lock", format!("{lock}{moved}"));
    assert_eq!(
        project.open_layers(NetworkAccess::Allowed, &[]).0,
        rows(&[("community", "two")])
    );
    project.manifest(&format!(
        "{SOURCES}[catalog]\nremotes = [\"community#v1\"]\n"
    ));
    project.sandbox.write(
        "project/agpm.private.toml",
        "[catalog]\nremotes = [\"community\"]\n",
    );
    assert_eq!(
        project.open_layers(NetworkAccess::Allowed, &[]).0,
        rows(&[("community", "two")])
    );
}

#[test]
fn a_copy_is_used_when_the_server_is_gone() {
    let project = CatalogProject::new();
    let mut source = repository(&project);
    let daemon = GitDaemon::start(&project.sandbox);
    let remote = format!("git+{}", daemon.url("community"));
    let team = format!("{remote}#main:/team");
    project.manifest(&format!("[catalog]\nremotes = [\"{team}\"]\n"));
    project.assert_fails(
        NetworkAccess::Offline,
        &[&remote],
        FailureKind::Network,
        &["source/offline", &remote],
    );
    let (layers, reported) = project.open_layers(NetworkAccess::Offline, &[]);
    assert!(
        layers.is_empty() && reported.len() == 1 && reported[0].starts_with("catalog/remote"),
        "{reported:?}"
    );
    let all = rows(&[(&remote, "one"), (&team, "team")]);
    assert_eq!(
        project.open_layers(NetworkAccess::Allowed, &[&remote]),
        (all.clone(), Vec::new())
    );
    source.commit(&[(FILE, "two")]);
    assert_eq!(
        project.open_layers(NetworkAccess::Offline, &[&remote]),
        (all.clone(), Vec::new())
    );
    drop(daemon);
    let (layers, reported) = project.open_layers(NetworkAccess::Allowed, &[&remote]);
    assert_eq!(layers, all);
    assert!(
        reported.len() == 2
            && reported
                .iter()
                .all(|line| line.starts_with("catalog/stale")),
        "{reported:?}"
    );
    // Another branch of it was never written out.
    project.assert_fails(
        NetworkAccess::Allowed,
        &[&format!("{remote}#other")],
        FailureKind::Network,
        &["source/unreachable"],
    );
}

#[test]
fn uncached_content_needs_a_connection() {
    let project = CatalogProject::new();
    let source = repository(&project);
    let daemon = GitDaemon::start(&project.sandbox);
    let remote = format!("git+{}", daemon.url("community"));
    project.open_layers(NetworkAccess::Allowed, &[&remote]);
    source.tag("v2");
    let (later, near) = (format!("{remote}#v2"), format!("{remote}#mian"));
    project.assert_fails(
        NetworkAccess::Offline,
        &[&later],
        FailureKind::Network,
        &[
            "source/offline",
            "`v2` of remote",
            "is not in the cache",
            "without `--offline`",
        ],
    );
    project.assert_fails(
        NetworkAccess::Offline,
        &[&near],
        FailureKind::Network,
        &["source/offline", "did you mean `main`"],
    );
    project.assert_fails(
        NetworkAccess::Allowed,
        &[&near],
        FailureKind::NotFound,
        &["name/unknown"],
    );
    assert_eq!(
        project.open_layers(NetworkAccess::Allowed, &[&later]).0,
        rows(&[(&later, "one")])
    );
    assert_eq!(
        project.open_layers(NetworkAccess::Offline, &[&later]),
        (rows(&[(&later, "one")]), Vec::new())
    );
}

#[test]
fn a_cache_that_cannot_be_written_keeps_its_copy() {
    let project = CatalogProject::new();
    let mut source = repository(&project);
    let remote = format!("git+{}", source.url());
    let open = project.open(NetworkAccess::Allowed, &[&remote]).result;
    let cache = open.unwrap().content.layers[0]
        .directory
        .ancestors()
        .nth(2)
        .unwrap()
        .to_owned();
    source.commit(&[(FILE, "two")]);
    // A directory at the path of a file fails for every user, including root.
    fs::remove_file(cache.join("refs.txt")).unwrap();
    fs::create_dir(cache.join("refs.txt")).unwrap();
    let (layers, reported) = project.open_layers(NetworkAccess::Allowed, &[&remote]);
    assert_eq!(layers, rows(&[(&remote, "one")]));
    let words = ["catalog/stale", "refs.txt", &remote, "permissions"];
    assert!(
        reported.len() == 1 && words.iter().all(|word| reported[0].contains(word)),
        "{reported:?}"
    );
    project.assert_fails(
        NetworkAccess::Allowed,
        &[&format!("{remote}#v1")],
        FailureKind::Errors,
        &["refs.txt"],
    );
}

#[test]
fn a_repository_is_meant_where_an_url_says_so() {
    let project = CatalogProject::new();
    project.sandbox.write(&format!("plain/{FILE}"), "plain");
    let remote = format!(
        "git+file://{}",
        project.sandbox.work().join("plain").display()
    );
    let words = ["source/unreachable", "no git repository", "check the URL"];
    project.assert_fails(
        NetworkAccess::Allowed,
        &[&remote],
        FailureKind::Network,
        &words,
    );
    project.manifest(&format!("[catalog]\nremotes = [\"{remote}\"]\n"));
    let (layers, reported) = project.open_layers(NetworkAccess::Allowed, &[]);
    assert!(
        layers.is_empty() && reported.len() == 1 && reported[0].starts_with("catalog/remote"),
        "{reported:?}"
    );
    project.manifest("[sources]\nplain = \"../nowhere\"\n");
    project.assert_fails(
        NetworkAccess::Allowed,
        &["plain"],
        FailureKind::Network,
        &["check the URL, for example with `git ls-remote "],
    );
}

#[test]
fn a_listing_without_its_commit_loses_nothing() {
    let project = CatalogProject::new();
    let mut source = repository(&project);
    let url = source.url();
    let remote = format!("git+{url}");
    assert_eq!(
        project.open_layers(NetworkAccess::Allowed, &[&remote]).0,
        rows(&[(&remote, "one")])
    );
    let second = source.commit(&[(FILE, "two")]);
    // The branch is listed, and what it means is not there.
    let object = source
        .path()
        .join(".git/objects")
        .join(&second[..2])
        .join(&second[2..]);
    let (layers, reported) = {
        let bytes = fs::read(&object).unwrap();
        fs::remove_file(&object).unwrap();
        let found = project.open_layers(NetworkAccess::Allowed, &[&remote]);
        fs::write(&object, bytes).unwrap();
        found
    };
    assert_eq!(layers, rows(&[(&remote, "one")]), "{reported:?}");
    assert!(
        reported.len() == 1 && reported[0].starts_with("catalog/stale"),
        "{reported:?}"
    );
    assert_eq!(
        project.open_layers(NetworkAccess::Allowed, &[&remote]),
        (rows(&[(&remote, "two")]), Vec::new())
    );
}

#[test]
fn a_manifest_may_be_a_link() {
    let project = CatalogProject::new();
    let mut source = repository(&project);
    source.git(&["rm", "-q", FILE]);
    fs::create_dir_all(source.path().join("bmad/_cfg")).unwrap();
    std::os::unix::fs::symlink("../../real.csv", source.path().join(FILE)).unwrap();
    source.commit(&[("real.csv", "linked")]);
    let remote = format!("git+{}", source.url());
    assert_eq!(
        project.open_layers(NetworkAccess::Allowed, &[&remote]),
        (rows(&[(&remote, "linked")]), Vec::new())
    );
}

#[test]
fn files_and_directories_are_read_offline() {
    let project = CatalogProject::new();
    let source = repository(&project);
    project.manifest(SOURCES);
    let remote = format!("git+{}", source.url());
    let all = rows(&[(&remote, "one"), ("community:/team", "team")]);
    assert_eq!(
        project.open_layers(NetworkAccess::Offline, &[&remote, "community:/team"]),
        (all, Vec::new())
    );
}

#[test]
fn a_missing_remote_fails_on_the_command_line_and_warns_in_the_manifest() {
    let project = CatalogProject::new();
    repository(&project);
    project.manifest(SOURCES);
    let missing = [
        ("community#mian", "did you mean `main`"),
        ("community:/taem", "did you mean `team`"),
    ];
    for (remote, words) in missing {
        project.assert_fails(
            NetworkAccess::Allowed,
            &[remote],
            FailureKind::NotFound,
            &["name/unknown", remote, words],
        );
    }
    project.assert_fails(
        NetworkAccess::Allowed,
        &["community#abcdef1"],
        FailureKind::NotFound,
        &["`abcdef1`"],
    );
    project.assert_fails(
        NetworkAccess::Allowed,
        &[&format!("community#{}", "ab".repeat(20))],
        FailureKind::NotFound,
        &["abab"],
    );
    project.manifest(&format!(
        "{SOURCES}[catalog]\nremotes = [\"community#mian\", \"community:/taem\", \"community\"]\n"
    ));
    let (layers, reported) = project.open_layers(NetworkAccess::Allowed, &[]);
    assert_eq!(layers, rows(&[("community", "one")]));
    for ((_, words), found) in missing.iter().zip(&reported) {
        assert!(
            found.starts_with("catalog/remote") && found.contains(words),
            "{found}"
        );
    }
    assert_eq!(reported.len(), 2, "{reported:?}");
}

#[test]
fn a_plain_directory_is_itself() {
    let project = CatalogProject::new();
    project.sandbox.write(&format!("plain/{FILE}"), "plain");
    project.sandbox.write(&format!("plain/team/{FILE}"), "team");
    project.sandbox.write(&format!("secret/{FILE}"), "secret");
    std::os::unix::fs::symlink("../secret", project.sandbox.work().join("plain/out")).unwrap();
    let sources = "[sources]\nplain = \"../plain\"\n";
    project.manifest(&format!(
        "{sources}[catalog]\nremotes = [\"plain:/team\"]\n"
    ));
    let (layers, reported) = project.open_layers(NetworkAccess::Offline, &["plain"]);
    assert_eq!(
        (layers, reported),
        (
            rows(&[("plain", "plain"), ("plain:/team", "team")]),
            Vec::new()
        )
    );
    project.assert_fails(
        NetworkAccess::Allowed,
        &["plain:/out"],
        FailureKind::Refused,
        &["a symlink leads out"],
    );
    project.assert_fails(
        NetworkAccess::Allowed,
        &["plain:/taem"],
        FailureKind::NotFound,
        &["did you mean `team`"],
    );
    project.assert_fails(
        NetworkAccess::Allowed,
        &["plain#v1"],
        FailureKind::NotFound,
        &["`v1`"],
    );
    project.manifest(&format!("{sources}[catalog]\nremotes = [\"plain:/out\"]\n"));
    project.assert_fails(
        NetworkAccess::Allowed,
        &[],
        FailureKind::Refused,
        &["a symlink leads out"],
    );
}

#[test]
fn no_manifest_is_fine() {
    let project = CatalogProject::new();
    let source = repository(&project);
    let remote = format!("git+{}#v1:/team", source.url());
    assert_eq!(
        project.open_layers(NetworkAccess::Allowed, &[&remote]),
        (rows(&[(&remote, "team")]), Vec::new())
    );
    assert_eq!(
        project.open_layers(NetworkAccess::Allowed, &[]),
        (Vec::new(), Vec::new())
    );
    assert!(!project.sandbox.work().join("project/.agpm").exists());
}

#[test]
fn secrets_are_not_shown() {
    let project = CatalogProject::new();
    let remote = "git+http://me:tok3n-of-mine@127.0.0.1:9/r";
    let outcome = project.open(NetworkAccess::Allowed, &[remote]);
    let text = format!("{outcome:?}");
    assert!(
        outcome.result.is_err()
            && text.contains("git+http://127.0.0.1:9/r")
            && !text.contains("tok3n"),
        "{text}"
    );
}
