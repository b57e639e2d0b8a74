//! Reads outside of the project are shown, and locations for credentials are refused.

use agpm_testkit::Repository;

use crate::support::Project;

/// A project with a home that holds a secret.
fn project(manifest: &str) -> Project {
    let project = Project::new();
    project.sandbox.write("~/.ssh/id_rsa", "PRIVATE\n");
    project
        .sandbox
        .write("~/.docker/config.json", "{\"auths\": \"PRIVATE\"}\n");
    project.sandbox.write("~/notes/CLAUDE.md", "- Notes.\n");
    project.write(
        "agpm.toml",
        &manifest.replace("HOME", &project.sandbox.home().display().to_string()),
    );
    project
}

fn refuses(project: &Project, line: &str) {
    let output = project.run(line);
    assert_eq!(
        output.code,
        Some(6),
        "{line}\n{}\n{output}",
        project.read("agpm.toml")
    );
    assert!(
        output.to_string().contains("trust/credentials"),
        "{line}\n{output}"
    );
    assert!(!output.to_string().contains("PRIVATE"), "{line}\n{output}");
    assert!(
        !project.exists(".claude") && !project.exists(".ssh") && !project.exists("agpm.lock"),
        "{line}"
    );
}

#[test]
fn credentials_are_refused_however_they_are_named() {
    let manifests = [
        "[agents]\na = \"HOME/.ssh/id_rsa\"\n",
        "[agents]\na = \"../../home/.ssh/id_rsa\"\n",
        "[agents]\nall = { path = \"HOME/.ssh/*\" }\n",
        "[agents]\na = \"HOME/.docker/config.json\"\n",
        "[sources]\nh = \"~\"\n[agents]\na = { source = \"h\", path = \".ssh/id_rsa\" }\n",
        "[sources]\nh = \"HOME/.ssh\"\n[agents]\na = { source = \"h\", path = \"id_rsa\" }\n",
        "[[layers]]\nname = \"l\"\npath = \"~\"\ninclude = [\".ssh/**\"]\n",
        "[[layers]]\nname = \"l\"\npath = \"~/.ssh\"\n",
        "[[layers]]\nname = \"l\"\npath = \"../../home\"\ninclude = [\".docker/**\"]\n",
    ];
    for manifest in manifests {
        let project = project(manifest);
        for line in ["install", "install --dry-run", "validate --resolve"] {
            refuses(&project, line);
        }
    }
}

#[cfg(unix)]
#[test]
fn credentials_are_refused_over_links() {
    let project = project("[agents]\na = \"a.md\"\nb = \"kit/b.md\"\n");
    project.write("kit/b.md", "B.\n");
    std::os::unix::fs::symlink(
        project.sandbox.home().join(".ssh/id_rsa"),
        project.path("a.md"),
    )
    .unwrap();
    refuses(&project, "install");
    std::fs::remove_file(project.path("a.md")).unwrap();
    project.write("a.md", "A.\n");
    std::fs::remove_dir_all(project.path("kit")).unwrap();
    project.sandbox.write("~/.ssh/b.md", "PRIVATE\n");
    std::os::unix::fs::symlink(project.sandbox.home().join(".ssh"), project.path("kit")).unwrap();
    refuses(&project, "install");
}

#[test]
fn reads_outside_the_project_are_shown_once() {
    let manifest = "[agents]\na = \"../kit/a.md\"\nb = \"b.md\"\n[[layers]]\nname = \"n\"\npath = \"~/notes\"\n";
    let project = project(manifest);
    project.sandbox.write("kit/a.md", "A.\n");
    project.write("b.md", "B.\n");
    let line = "reads  ../kit/a.md, ~/notes  (outside the project)\n";
    for command in ["validate", "install --dry-run", "install"] {
        let output = project.good(command);
        assert_eq!(
            output.stdout.matches(line).count(),
            1,
            "{command}\n{output}"
        );
    }
    assert!(
        !project.good("install").stdout.contains("reads"),
        "nothing is new"
    );
    let output = project.good("--json install --force");
    assert!(output.stdout.contains("\"reads\": ["), "{output}");
    assert!(
        project
            .run("doctor")
            .stdout
            .contains("reads ../kit/a.md, ~/notes outside the project")
    );
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_project_is_shown_with_where_it_leads() {
    let project = project("[agents]\na = \"a.md\"\n");
    let target = project.sandbox.home().join("notes/CLAUDE.md");
    std::os::unix::fs::symlink(&target, project.path("a.md")).unwrap();
    let output = project.good("install");
    assert!(
        output
            .stdout
            .contains("reads  a.md -> [SANDBOX]/home/notes/CLAUDE.md"),
        "{output}"
    );
}

#[test]
fn files_of_the_project_and_of_repositories_are_nobodys_credentials() {
    let project = project("[[layers]]\nname = \"l\"\npath = \"layer\"\ninclude = [\".npmrc\"]\n");
    project.write("layer/.npmrc", "fund=false\n");
    let output = project.good("install");
    assert!(
        project.exists(".npmrc") && !output.stdout.contains("reads"),
        "{output}"
    );
}

#[test]
fn repositories_with_credentials_are_refused_wherever_they_are_named() {
    let url = "file://HOME/.password-store";
    let manifests = [
        format!("extends = \"{url}@^1\"\n"),
        "extends = \"~/.password-store@^1\"\n".to_owned(),
        format!(
            "[sources]\ns = \"{url}\"\n[agents]\na = {{ source = \"s\", path = \"a.md\", version = \"^1\" }}\n"
        ),
        format!(
            "[sources]\ns = \"{url}\"\n[[layers]]\nname = \"l\"\nsource = \"s\"\nversion = \"^1\"\ninclude = [\"**\"]\n"
        ),
        format!("[catalog]\nremotes = [\"git+{url}\"]\n"),
    ];
    for manifest in manifests {
        let project = project(&manifest);
        let mut store = Repository::init(&project.sandbox, "../home/.password-store");
        store.commit(&[("a.md", "PRIVATE\n")]);
        store.tag("v1.0.0");
        refuses(&project, "install");
        if manifest.contains("layers") {
            refuses(&project, "layers");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_manifest_that_is_a_symlink_to_credentials_is_not_quoted() {
    for name in ["agpm.toml", "agpm.private.toml"] {
        let project = project("");
        let _ = std::fs::remove_file(project.path(name));
        let secret = project.sandbox.home().join(".ssh/id_rsa");
        std::os::unix::fs::symlink(secret, project.path(name)).unwrap();
        for line in ["validate", "list", "install"] {
            let output = project.run(line);
            assert_eq!(output.code, Some(6), "{name} {line}\n{output}");
            let text = output.to_string();
            assert!(text.contains("trust/credentials"), "{name} {line}\n{text}");
            assert!(!text.contains("PRIVATE"), "{name} {line}\n{text}");
        }
    }
}
