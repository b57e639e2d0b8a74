//! `agpm publish`: to a registry, a layout and a site.

use std::fs;

use agpm_testkit::{CommandOutput, FakeRegistry, Repository, Sandbox};

use crate::project::{PROGRAM, Project};
use crate::{INSTALLED, skill_text};

/// A library in a git repository with a version.
fn library(sandbox: &Sandbox) -> Repository<'_> {
    let mut repository = Repository::init(sandbox, "library");
    repository.commit(&[
        ("skills/pdf/SKILL.md", &skill_text("pdf", "Reads PDF files")),
        ("skills/pdf/scripts/run.sh", "#!/bin/sh\necho pdf\n"),
        (
            "skills/docx/SKILL.md",
            &skill_text("docx", "Reads DOCX files"),
        ),
        (
            "agents/reviewer.md",
            "---\nname: reviewer\ndescription: Reviews changes\n---\nReview.\n",
        ),
        ("LICENSE", "MIT\n"),
        ("notes/private.txt", "not published\n"),
    ]);
    repository.tag("v1.0.0");
    repository
}

fn publish(sandbox: &Sandbox, line: &str) -> CommandOutput {
    let mut command = sandbox.command(PROGRAM);
    let words: Vec<&str> = line.split_whitespace().collect();
    command
        .current_dir(sandbox.work().join("library"))
        .arg("publish")
        .args(words);
    sandbox.output(command)
}

fn good(sandbox: &Sandbox, line: &str) -> CommandOutput {
    let output = publish(sandbox, line);
    assert_eq!(output.code, Some(0), "{line}\n{output}");
    output
}

fn refused(sandbox: &Sandbox, line: &str, words: &str) {
    let output = publish(sandbox, line);
    assert_eq!(output.code, Some(6), "{line}\n{output}");
    assert!(output.stderr.contains(words), "{line}\n{output}");
}

#[test]
fn a_library_is_published_and_installed() {
    let registry = FakeRegistry::start();
    let project = Project::new();
    let _repository = library(&project.sandbox);
    let url = registry.url("agents/library");
    good(&project.sandbox, &format!("{url} --dry-run"));
    assert!(registry.manifest("agents/library", "1.0.0").is_none());
    good(&project.sandbox, &url);
    let manifest = registry.manifest("agents/library", "1.0.0").unwrap();
    for word in [
        "\"artifactType\":\"application/vnd.agpm.library.v1\"",
        "application/vnd.agpm.library.config.v1+json",
        "org.opencontainers.image.version",
        "org.opencontainers.image.revision",
    ] {
        assert!(manifest.contains(word), "{word} {manifest}");
    }
    assert!(!manifest.contains("created"), "{manifest}");
    registry.take_requests();

    project.write("agpm.toml", &format!("[sources]\ncorp = \"{url}\"\n"));
    let output = project.good("browse corp");
    assert!(output.stdout.contains("Reads PDF files"), "{output}");
    // A list needs the configuration, and no layer.
    let blobs = registry.take_lines();
    let blobs = blobs.iter().filter(|line| line.contains("/blobs/"));
    assert_eq!(blobs.count(), 1);
    project.good("add corp:skills/pdf");
    assert!(project.read(INSTALLED).contains("Reads PDF files"));
    let blobs = registry.take_lines();
    let blobs = blobs.iter().filter(|line| line.contains("/blobs/"));
    assert_eq!(blobs.count(), 1);
    assert!(project.exists(".claude/skills/pdf/scripts/run.sh"));
}

#[test]
fn the_same_content_changes_nothing_and_other_content_is_refused() {
    let registry = FakeRegistry::start();
    let project = Project::new();
    let mut repository = library(&project.sandbox);
    let url = registry.url("agents/library");
    good(&project.sandbox, &url);
    let first = registry.manifest("agents/library", "1.0.0");
    registry.take_requests();
    // Another commit with the same resources.
    repository.commit(&[("notes/private.txt", "changed\n")]);
    let output = good(&project.sandbox, &format!("{url} --version 1.0.0"));
    assert!(output.stdout.contains("same content"), "{output}");
    assert_eq!(registry.manifest("agents/library", "1.0.0"), first);
    assert!(
        registry
            .take_lines()
            .iter()
            .all(|line| !line.starts_with("PUT"))
    );

    repository.commit(&[("skills/pdf/SKILL.md", &skill_text("pdf", "Changed"))]);
    refused(
        &project.sandbox,
        &format!("{url} --version 1.0.0"),
        "other content",
    );
    refused(
        &project.sandbox,
        &format!("{url} --version 1.0.0 --force"),
        "pre-releases",
    );
    // A new version sends the changed layer and the configuration.
    good(&project.sandbox, &format!("{url} --version 1.1.0-rc.1"));
    let sent = registry.take_requests();
    let sent = sent
        .iter()
        .filter(|one| one.line.starts_with("PUT") && one.line.contains("/blobs/"));
    assert_eq!(sent.count(), 2);
    repository.commit(&[("skills/pdf/SKILL.md", &skill_text("pdf", "Again"))]);
    refused(
        &project.sandbox,
        &format!("{url} --version 1.1.0-rc.1"),
        "other content",
    );
    good(
        &project.sandbox,
        &format!("{url} --version 1.1.0-rc.1 --force"),
    );
}

#[test]
fn what_must_not_be_published_is_refused() {
    let registry = FakeRegistry::start();
    let project = Project::new();
    let mut repository = library(&project.sandbox);
    let url = registry.url("agents/library");
    let file = project.sandbox.work().join("library/skills/pdf/SKILL.md");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}more\n")).unwrap();
    refused(&project.sandbox, &url, "uncommitted changes");
    // Changes elsewhere do not matter.
    good(
        &project.sandbox,
        &format!("{url} skills/docx --version 0.1.0"),
    );
    fs::write(&file, &text).unwrap();
    refused(
        &project.sandbox,
        &format!("{url} --version a/b"),
        "do not accept",
    );
    let upper = registry.url("agents/Library");
    refused(
        &project.sandbox,
        &format!("{upper} --version 2.0.0"),
        "lowercase",
    );
    let secret = "token = \"ghp_0123456789abcdefghijABCDEFGHIJ012345\"\n";
    repository.commit(&[("skills/pdf/notes.md", secret)]);
    refused(
        &project.sandbox,
        &format!("{url} --version 2.0.0"),
        "secret",
    );
    let output = publish(&project.sandbox, &url);
    assert_eq!(output.code, Some(2), "{output}");
    let output = publish(&project.sandbox, &format!("{url} nothing --version 2.0.0"));
    assert_eq!(output.code, Some(3), "{output}");
}

#[test]
fn layouts_are_written_and_read() {
    let project = Project::new();
    let _repository = library(&project.sandbox);
    for (output, url) in [
        ("../layout", "oci-layout:../layout"),
        ("../library.tar", "oci-layout:../library.tar"),
    ] {
        good(&project.sandbox, &format!("--output {output}"));
        let again = good(&project.sandbox, &format!("--output {output}"));
        assert!(again.stdout.contains("same content"), "{again}");
        project.write(
            "agpm.toml",
            &format!(
                "[sources]\ncorp = \"{url}\"\n[skills]\npdf = {{ source = \"corp\", path = \"skills/pdf\", version = \"^1\" }}\n"
            ),
        );
        project.good("install --offline");
        assert!(project.read(INSTALLED).contains("Reads PDF files"));
        fs::remove_dir_all(project.sandbox.work().join("project/.claude")).unwrap();
        fs::remove_file(project.sandbox.work().join("project/agpm.lock")).unwrap();
    }
    let digest = |line: &str| {
        let output = good(&project.sandbox, &format!("{line} --dry-run"));
        output.stdout.lines().last().map(str::to_owned)
    };
    assert_eq!(digest("--output ../other"), digest("--output ../layout"));
}

#[test]
fn one_skill_is_the_artifact_of_the_community() {
    let registry = FakeRegistry::start();
    let project = Project::new();
    let _repository = library(&project.sandbox);
    let url = registry.url("skills/pdf");
    good(
        &project.sandbox,
        &format!("{url} skills/pdf --format skill"),
    );
    let manifest = registry.manifest("skills/pdf", "1.0.0").unwrap();
    for word in [
        "application/vnd.agentskills.skill.v1",
        "application/vnd.agentskills.skill.config.v1+json",
        "application/vnd.agentskills.skill.content.v1.tar+gzip",
        "\"io.agentskills.skill.name\":\"pdf\"",
    ] {
        assert!(manifest.contains(word), "{word} {manifest}");
    }
    project.write("agpm.toml", &format!("[skills]\npdf = \"{url}@^1\"\n"));
    project.good("install");
    assert!(project.read(INSTALLED).contains("Reads PDF files"));
    let output = publish(&project.sandbox, &format!("{url} --format skill"));
    assert_eq!(output.code, Some(2), "{output}");
}
