//! A registry that misbehaves: every fault has its exit code, and nothing is written.

use agpm_testkit::{FakeRegistry, RegistryFault, TarEntry};

use crate::{add_archive, add_skill, pdf_project};

/// `user:word` in base64.
const LOGIN: &str = "dXNlcjp3b3Jk";

fn status(path: &'static str, status: u16, times: usize) -> RegistryFault {
    RegistryFault::Status {
        path,
        status,
        retry_after: Some("0"),
        times,
    }
}

#[test]
fn every_fault_has_its_exit_code_and_writes_nothing() {
    for (fault, code, words) in [
        (status("/", 401, 99), 4, "refused access"),
        (status("/", 403, 99), 4, "403"),
        (status("/", 404, 99), 3, "no repository"),
        (status("/blobs/", 404, 99), 1, "lost the content"),
        (RegistryFault::CutBlobs, 1, "incomplete"),
        (RegistryFault::ShortBlobs, 1, "bytes"),
        (RegistryFault::ChangeBlobs, 1, "digest"),
        (RegistryFault::EndlessBlobs, 1, "more than"),
        (RegistryFault::ChangeManifests, 1, "digest"),
        (RegistryFault::GiantManifests, 1, "4194304"),
        (RegistryFault::RefuseTokens, 4, "refused"),
        (RegistryFault::RedirectForever, 1, "redirects too often"),
    ] {
        let registry = FakeRegistry::start();
        add_skill(&registry, "skills/pdf", "1.0.0", "x");
        let project = pdf_project(&registry, "^1");
        registry.misbehave(fault.clone());
        let output = project.run("install");
        assert_eq!(output.code, Some(code), "{fault:?}\n{output}");
        assert!(output.stderr.contains(words), "{fault:?}\n{output}");
        assert!(
            !project.exists(".claude") && !project.exists("agpm.lock"),
            "{fault:?}"
        );
        // The same project installs as soon as the registry behaves.
        registry.misbehave(RegistryFault::None);
        project.good("install");
    }
}

#[test]
fn a_busy_registry_is_asked_again_for_ten_seconds_at_most() {
    let registry = FakeRegistry::start();
    add_skill(&registry, "skills/pdf", "1.0.0", "x");
    for code in [429, 500, 503] {
        registry.misbehave(status("/tags/list", code, 3));
        pdf_project(&registry, "^1").good("install");
        registry.take_requests();
    }
    registry.misbehave(RegistryFault::Status {
        path: "/tags/list",
        status: 429,
        retry_after: Some("60"),
        times: 99,
    });
    let project = pdf_project(&registry, "^1");
    project.refused("install", 4, &["429"]);
    // Waiting less than it says is useless, so it is asked once.
    assert_eq!(registry.take_requests().len(), 1);
}

#[test]
fn archives_that_lead_elsewhere_are_refused() {
    let text = "---\nname: pdf\ndescription: x\n---\nx\n";
    let attacks: [(&str, TarEntry<'_>); 6] = [
        ("leads out", ("../escape", '0', "x")),
        ("leads out", ("pdf/../../escape", '0', "x")),
        ("absolute", ("/etc/escape", '0', "x")),
        ("symlink", ("pdf/link", '2', "/etc/passwd")),
        ("symlink", ("pdf/link", '2', "../../../etc/passwd")),
        ("device", ("pdf/device", '3', "")),
    ];
    for (words, attack) in attacks {
        let registry = FakeRegistry::start();
        add_archive(
            &registry,
            "skills/pdf",
            "1.0.0",
            &[("pdf/SKILL.md", '0', text), attack],
        );
        let project = pdf_project(&registry, "^1");
        project.refused("install", 6, &["source/content", words]);
    }
}

#[test]
fn credentials_are_those_of_container_programs() {
    let registry = FakeRegistry::start();
    add_skill(&registry, "skills/pdf", "1.0.0", "x");
    for fault in [
        RegistryFault::AnyToken,
        RegistryFault::Token(LOGIN),
        RegistryFault::Basic(LOGIN),
    ] {
        registry.misbehave(fault.clone());
        let project = pdf_project(&registry, "^1");
        if fault != RegistryFault::AnyToken {
            let output = project.run("install");
            assert_eq!(output.code, Some(4), "{output}");
            assert!(output.stderr.contains("docker login"), "{output}");
        }
        let login = format!(
            "{{\"auths\":{{\"{}\":{{\"auth\":\"{LOGIN}\"}}}}}}",
            registry.host()
        );
        let home = project.sandbox.home().join(".docker");
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(home.join("config.json"), &login).unwrap();
        let output = project.good("install -v");
        assert!(
            !output.stderr.contains(LOGIN) && !output.stderr.contains("word"),
            "{output}"
        );
    }
}

#[test]
fn tokens_are_not_sent_to_another_server() {
    let (registry, storage) = (FakeRegistry::start(), FakeRegistry::start());
    add_skill(&registry, "skills/pdf", "1.0.0", "x");
    add_skill(&storage, "storage", "1.0.0", "x");
    add_skill(&storage, "skills/pdf", "1.0.0", "x");
    registry.misbehave(RegistryFault::RedirectBlobs(storage.host()));
    pdf_project(&registry, "^1").good("install");
    let requests = storage.take_requests();
    assert!(
        requests
            .iter()
            .any(|request| request.line.contains("/blobs/"))
    );
    assert!(
        requests
            .iter()
            .all(|request| request.authorization.is_none())
    );
}

#[test]
fn a_credential_helper_is_asked() {
    use std::os::unix::fs::PermissionsExt;
    let registry = FakeRegistry::start();
    add_skill(&registry, "skills/pdf", "1.0.0", "x");
    registry.misbehave(RegistryFault::Token(LOGIN));
    let project = pdf_project(&registry, "^1");
    let bin = project.sandbox.home().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let helper = bin.join("docker-credential-fake");
    std::fs::write(
        &helper,
        "#!/bin/sh\nread server\necho '{\"Username\":\"user\",\"Secret\":\"word\"}'\n",
    )
    .unwrap();
    std::fs::set_permissions(&helper, std::fs::Permissions::from_mode(0o755)).unwrap();
    let config = format!("{{\"credHelpers\":{{\"{}\":\"fake\"}}}}", registry.host());
    let file = project.sandbox.home().join("auth.json");
    std::fs::write(&file, config).unwrap();
    let mut command = project.sandbox.command(crate::project::PROGRAM);
    let path = std::env::var("PATH").unwrap();
    command
        .current_dir(project.sandbox.work().join("project"))
        .env("REGISTRY_AUTH_FILE", &file)
        .env("PATH", format!("{}:{path}", bin.display()))
        .arg("install");
    let output = project.sandbox.output(command);
    assert_eq!(output.code, Some(0), "{output}");
}
