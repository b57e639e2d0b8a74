//! Remote or malicious sources, and sources with executables and templates.

use agpm_testkit::{Behaviour, GitDaemon, HttpServer};

use crate::support::{Project, needs};

#[test]
fn a_declaration_that_leads_out_of_the_source_is_refused() {
    let project = Project::new();
    let agent = needs("snippets", &["../../../etc/passwd"]);
    project.source(&[("v1.0.0", &[("agents/a.md", &agent)])]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
    );
    project.refused("install", 6, &["leads out of its source"]);
}

#[test]
fn sources_are_read_over_the_git_protocol_and_http() {
    let project = Project::new();
    let agent = needs("snippets", &["snippets/s.md"]);
    let mut source = project.source(&[(
        "v1.0.0",
        &[("agents/a.md", &agent), ("snippets/s.md", "s1\n")],
    )]);
    source.commit(&[("agents/a.md", "main\n")]);
    let daemon = GitDaemon::start(&project.sandbox);
    let http = HttpServer::start(&project.sandbox);
    for url in [daemon.url("community"), http.url("community")] {
        project.sandbox.write(
            "project/agpm.toml",
            format!("[sources]\nc = \"{url}\"\n[agents]\na = {{ source = \"c\", path = \"agents/a.md\", version = \"^1.0\" }}\n"),
        );
        project.good("install");
        assert_eq!(
            project.installed(),
            [".claude/agents/a.md", ".claude/snippets/s.md"]
        );
        // Fetched content is enough from then on.
        project.remove(".claude/snippets/s.md");
        project.good("install --offline");
        assert_eq!(project.read(".claude/snippets/s.md"), "s1\n");
        project.good("install --frozen --offline");
    }
    drop(daemon);
}

#[test]
fn a_server_that_refuses_or_goes_away_changes_nothing_and_no_secret_is_reported() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    let http = HttpServer::start(&project.sandbox);
    let url = http.url_with("ci", "hunter2", "community");
    project.write(
        "agpm.toml",
        &format!("[sources]\nc = \"{url}\"\n[agents]\na = {{ source = \"c\", path = \"agents/a.md\", version = \"v1.0.0\" }}\n"),
    );
    for (behaviour, words) in [
        (Behaviour::RefuseAccess, "source/auth"),
        (Behaviour::CutAfter(300), "source/unreachable"),
    ] {
        http.behave(behaviour);
        project.refused("install", 4, &[words]);
        let output = project.run("-v install");
        assert!(!output.to_string().contains("hunter2"), "{output}");
        let json = project.run("--json install");
        assert!(
            !json.to_string().contains("hunter2") && json.stdout.starts_with("{\n  \"ok\": false"),
            "{json}"
        );
    }
    http.behave(Behaviour::Serve);
    project.good("install");
    assert!(!project.read("agpm.lock").contains("hunter2"));
    for line in [
        "list --json",
        "tree --json",
        "cache info",
        "outdated",
        "validate --sources",
        "config show",
    ] {
        let output = project.good(line);
        assert!(!output.to_string().contains("hunter2"), "{line}\n{output}");
    }
}

#[test]
fn programs_that_are_transitive_need_a_word() {
    let project = Project::new();
    let agent = needs("scripts", &["scripts/run.sh"]);
    project.source(&[(
        "v1.0.0",
        &[("agents/a.md", &agent), ("scripts/run.sh", "#!/bin/sh\n")],
    )]);
    let entry =
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n";
    project.manifest(entry);
    project.refused("install", 6, &["package/executable", "scripts/run"]);
    for word in ["scripts/*", "source:community", "scripts/run"] {
        let text = format!(
            "allow-executables = [\"{word}\"]\n[sources]\ncommunity = \"../community\"\n{entry}"
        );
        project.write("agpm.toml", &text);
        project.good("install");
        assert!(project.exists(".claude/scripts/run.sh"), "{word}");
        // Installed or locked executables are approved already, so the test starts again.
        project.remove("agpm.lock");
        for directory in [".claude", ".agpm"] {
            std::fs::remove_dir_all(project.sandbox.work().join("project").join(directory))
                .unwrap();
        }
    }
    project.manifest(entry);
    project.refused("install", 6, &["package/executable"]);
    project.good("install --allow-executables");
    project.good("install --force");
}

#[test]
fn secrets_in_urls_are_masked_wherever_they_stand() {
    let project = Project::new();
    for address in [
        "https://ghp_abcdefghijklmnop0123456789@host.example/r.git",
        "https://host.example/r.git?access_token=hunter2hunter2",
        "https://host.example/r.git?private_token=hunter2hunter2",
        " https://user:hunter2hunter2@host.example/x",
        "HTTPS://hunter2hunter2@127.0.0.1:1/z",
        "https://127.0.0.1:1/z.git#hunter2hunter2",
        "git://hunter2hunter2@127.0.0.1:1/z",
        "htps://hunter2hunter2@h/x.git",
        "https:/hunter2hunter2@h/z",
        "//hunter2hunter2@h/z",
        "user:hunter2hunter2@host.example:x/y",
        "user:hunter2hunter2@h/x",
        "user:hunter2.hunter2@h/x",
        "http:/user:hunter2hunter2@h",
        "http:/user:hunter2hunter2@h/x",
    ] {
        project.write("agpm.toml", &format!("[sources]\nc = \"{address}\"\n"));
        for line in ["validate", "--json validate", "-v install --offline"] {
            let output = project.run(line).to_string();
            assert!(
                !output.contains("hunter2") && !output.contains("ghp_"),
                "{line} {address}\n{output}"
            );
        }
    }
}

#[test]
fn secrets_in_urls_are_masked_in_the_users_configuration() {
    let project = Project::new();
    project.write("agpm.toml", "");
    for address in [
        "http:/user:hunter2hunter2@h",
        "user:hunter2hunter2@h/x",
        "https://user:hunter2hunter2@h/x",
    ] {
        project.sandbox.write("~/.config/agpm/config.toml", "");
        for line in [
            &format!("config add-source c {address}"),
            "config show",
            "--json config show",
            "validate",
        ] {
            let output = project.run(line).to_string();
            assert!(!output.contains("hunter2"), "{line} {address}\n{output}");
        }
        project.sandbox.write(
            "~/.config/agpm/config.toml",
            format!("[sources]\nc = \"{address}\"\n"),
        );
        for line in [
            "config show",
            "--json config show",
            "validate",
            "doctor",
            "config remove-source c",
        ] {
            let output = project.run(line).to_string();
            assert!(!output.contains("hunter2"), "{line} {address}\n{output}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_program_is_one_whatever_it_is_called() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new();
    let agent = needs("snippets", &["scripts/x.sh"]);
    let mut source = project.source(&[(
        "v0.0.0",
        &[("agents/a.md", &agent), ("scripts/x.sh", "#!/bin/sh\n")],
    )]);
    std::fs::set_permissions(
        source.path().join("scripts/x.sh"),
        PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    source.commit(&[]);
    source.tag("v1.0.0");
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
    );
    project.refused("install", 6, &["package/executable"]);
}
