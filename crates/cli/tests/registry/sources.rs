//! A repository of a registry is a source like any other.

use agpm_testkit::{FakeRegistry, RegistryFault};

use crate::{INSTALLED, add_archive, add_skill, pdf_project, project_with, skill_text};

#[test]
fn tags_are_versions_and_the_digest_is_locked() {
    let registry = FakeRegistry::start();
    add_skill(&registry, "skills/pdf", "1.0.0", "first");
    let second = add_skill(&registry, "skills/pdf", "v1.1.0", "second");
    add_skill(&registry, "skills/pdf", "2.0.0-rc.1", "later");
    let project = pdf_project(&registry, "^1");
    project.good("install");
    assert!(project.read(INSTALLED).contains("second"));
    let lock = project.read("agpm.lock");
    assert!(lock.contains("v1.1.0") && lock.contains(&second), "{lock}");
    // The rest needs nobody.
    drop(registry);
    project.good("install --frozen");
    project.good("install --offline");
    project.good("verify");
}

#[test]
fn inline_urls_digests_and_branches() {
    let registry = FakeRegistry::start();
    let first = add_skill(&registry, "skills/pdf", "1.0.0", "first");
    add_skill(&registry, "skills/pdf", "latest", "newest");
    let url = registry.url("skills/pdf");
    for (requirement, words) in [
        ("@^1", "first"),
        (&format!("@{first}") as &str, "first"),
        ("@latest", "newest"),
        ("", "newest"),
    ] {
        let project = project_with(&url, &format!("[skills]\npdf = \"{url}{requirement}\"\n"));
        project.good("install");
        assert!(project.read(INSTALLED).contains(words), "{requirement}");
    }
    // A repository without `latest` has its newest version.
    registry.remove_tag("skills/pdf", "latest");
    let project = project_with(&url, &format!("[skills]\npdf = \"{url}\"\n"));
    project.good("install");
    assert!(project.read(INSTALLED).contains("first"));
}

#[test]
fn build_metadata_is_in_tags_with_an_underscore() {
    let registry = FakeRegistry::start();
    add_skill(&registry, "skills/pdf", "1.0.0_b.5", "built");
    let project = pdf_project(&registry, "1.0.0+b.5");
    project.good("install");
    assert!(project.read(INSTALLED).contains("built"));
}

#[test]
fn a_branch_moves_by_update_and_a_moved_tag_is_reported() {
    let registry = FakeRegistry::start();
    add_skill(&registry, "skills/pdf", "stable", "first");
    add_skill(&registry, "skills/pdf", "1.0.0", "first");
    let branch = pdf_project(&registry, "stable");
    let tag = pdf_project(&registry, "^1");
    branch.good("install");
    tag.good("install");
    add_skill(&registry, "skills/pdf", "stable", "moved");
    add_skill(&registry, "skills/pdf", "1.0.0", "moved");
    branch.good("install");
    assert!(branch.read(INSTALLED).contains("first"));
    branch.good("update");
    assert!(branch.read(INSTALLED).contains("moved"));

    let output = tag.good("outdated");
    assert!(output.stderr.contains("lock/moved-tag"), "{output}");
    assert!(tag.read(INSTALLED).contains("first"));
}

#[test]
fn outdated_and_update_follow_versions() {
    let registry = FakeRegistry::start();
    add_skill(&registry, "skills/pdf", "1.0.0", "first");
    let project = pdf_project(&registry, "^1");
    project.good("install");
    add_skill(&registry, "skills/pdf", "1.2.0", "second");
    let output = project.run("outdated");
    assert!(output.stdout.contains("1.2.0"), "{output}");
    project.good("update");
    assert!(project.read(INSTALLED).contains("second"));
}

#[test]
fn a_library_with_several_resources_is_browsed_and_added() {
    let registry = FakeRegistry::start();
    let pdf = skill_text("pdf", "Reads PDF files");
    let reviewer = "---\nname: reviewer\ndescription: Reviews changes\n---\nReview.\n";
    add_archive(
        &registry,
        "agents/library",
        "1.0.0",
        &[
            ("skills/pdf/SKILL.md", '0', &pdf),
            ("skills/pdf/run.sh", '0', "#!/bin/sh\n"),
            ("agents/reviewer.md", '0', reviewer),
        ],
    );
    let url = registry.url("agents/library");
    let project = project_with(&url, "");
    let output = project.good(&format!("browse {url}"));
    assert!(output.stdout.contains("Reads PDF files"), "{output}");
    assert!(output.stdout.contains("agents/reviewer"), "{output}");
    project.good(&format!("add {url} pdf"));
    assert!(project.read(INSTALLED).contains("Reads PDF files"));
    project.good("search reviews");
}

#[test]
fn a_namespace_lists_its_repositories() {
    let registry = FakeRegistry::start();
    add_skill(&registry, "skills/pdf", "1.0.0", "x");
    add_skill(&registry, "skills/docx", "1.0.0", "x");
    add_skill(&registry, "other/thing", "1.0.0", "x");
    let project = project_with("./nothing", "");
    let output = project.good(&format!("browse {}/", registry.url("skills")));
    let host = registry.host();
    assert_eq!(
        output.stdout,
        format!("oci://{host}/skills/docx\noci://{host}/skills/pdf\n")
    );
    registry.misbehave(RegistryFault::Status {
        path: "_catalog",
        status: 404,
        retry_after: None,
        times: 9,
    });
    let line = format!("browse {}/", registry.url("skills"));
    project.refused(&line, 3, &["no list of repositories"]);
}

#[test]
fn only_what_is_needed_is_requested() {
    let registry = FakeRegistry::start();
    for number in 0..9 {
        add_skill(
            &registry,
            "skills/pdf",
            &format!("1.{number}.0"),
            &number.to_string(),
        );
    }
    let project = pdf_project(&registry, "^1");
    project.good("install");
    let lines = registry.take_lines();
    let count = |word: &str| lines.iter().filter(|line| line.contains(word)).count();
    // Nine tags on five pages; one digest, one manifest and one layer.
    assert_eq!(count("/tags/list"), 5, "{lines:#?}");
    assert_eq!(count("HEAD "), 1, "{lines:#?}");
    assert_eq!(count("GET /v2/skills/pdf/manifests"), 1, "{lines:#?}");
    assert_eq!(count("/blobs/"), 1, "{lines:#?}");
    // Another project needs none of the content again.
    let other = pdf_project(&registry, "^1");
    std::fs::create_dir_all(other.sandbox.home().with_file_name("cache")).unwrap();
    project.good("install");
    assert_eq!(registry.take_lines(), Vec::<String>::new());
}

#[test]
fn plain_connections_need_a_setting() {
    let project = project_with("oci://registry.invalid:5000/a/b", "");
    let text = "[sources]\ncorp = { url = \"oci://registry.invalid:5000/a/b\", insecure = true }\n\
                [skills]\nx = { source = \"corp\", path = \"x\", version = \"^1\" }\n";
    project.write("agpm.toml", text);
    let output = project.run("install");
    assert_eq!(output.code, Some(4), "{output}");
    assert!(
        output.stderr.contains("http://registry.invalid:5000"),
        "{output}"
    );
    project.write("agpm.toml", &text.replace(", insecure = true", ""));
    let output = project.run("install");
    assert!(
        output.stderr.contains("https://registry.invalid:5000"),
        "{output}"
    );
    project.write("agpm.toml", &text.replace("insecure = true", "secure = 1"));
    let output = project.run("validate");
    assert_eq!(output.code, Some(1), "{output}");
}
