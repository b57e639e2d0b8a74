//! Unreadable manifests are reported and left out; the others are used.

use std::os::unix::fs::PermissionsExt;

use crate::support::{HOME, PROJECT, Workspace, diagnostics, text};

/// A workspace with this manifest of agents in the project, a valid one next to it and one of lower rank.
fn beside(manifest: impl AsRef<[u8]>) -> Workspace {
    let workspace = Workspace::of(&[
        ("bmad/_cfg/workflow-manifest.csv", "name\nplan\n"),
        ("bmad/cis/_cfg/agent-manifest.csv", "name\ninventor\n"),
        (HOME, "name,title\npm,home\n"),
    ]);
    workspace.write(PROJECT, manifest);
    workspace
}

/// The manifest is left out with one warning that has these words; everything else is used.
fn left_out(workspace: &Workspace, words: &[&str]) {
    let all = [
        &[
            "warning[catalog/malformed]: this catalog file is ignored",
            PROJECT,
        ],
        words,
    ]
    .concat();
    let output = workspace.run("catalog");
    assert_eq!(output.code, Some(0), "{output}");
    for word in all {
        assert!(output.stderr.contains(word), "no `{word}` in\n{output}");
    }
    assert_eq!(output.stderr.matches("warning[").count(), 1, "{output}");
    let expected = [
        "agent /pm user",
        "agent cis/inventor project",
        "workflow /plan project",
    ];
    assert_eq!(workspace.names("catalog"), expected);
    let output = workspace.run("--json catalog");
    let found = diagnostics(&output);
    assert_eq!(found.len(), 1, "{output}");
    assert_eq!(
        (text(&found[0], "file"), text(&found[0], "layer")),
        (Some(PROJECT), Some("project")),
        "{output}"
    );
    let loud = workspace.run("-v catalog");
    assert!(
        loud.stderr
            .lines()
            .any(|line| line.contains("skipped") && line.contains(PROJECT)),
        "{loud}"
    );
    assert_eq!(workspace.good("-q catalog --format csv").lines().count(), 4);
}

#[test]
fn a_quote_that_is_not_closed() {
    left_out(
        &beside("name,title\npm,x\nqa,\"open\ndev,y\n"),
        &["agent-manifest.csv:3"],
    );
    left_out(&beside("name,\"title\npm,x\n"), &["agent-manifest.csv:1"]);
    left_out(
        &beside("name,title\npm,\"a\"\"\n"),
        &["agent-manifest.csv:2"],
    );
}

#[test]
fn a_quote_that_is_not_closed_after_many_other_findings() {
    let short = "x\n".repeat(60);
    left_out(
        &beside(format!("name,title\n{short}qa,\"open\ndev,y\n")),
        &["agent-manifest.csv:62"],
    );
}

#[test]
fn text_after_a_closing_quote() {
    left_out(
        &beside("name,title\npm,\"a\" b\n"),
        &["agent-manifest.csv:2"],
    );
}

#[test]
fn bytes_that_are_not_utf_8() {
    left_out(
        &beside(b"name,title\ndev,ok\npm,caf\xe9\n"),
        &["agent-manifest.csv:3", "UTF-8"],
    );
}

#[test]
fn utf_16() {
    let wide = |text: &str, bytes: fn(u16) -> [u8; 2], mark: &[u8]| -> Vec<u8> {
        mark.iter()
            .copied()
            .chain(text.encode_utf16().flat_map(bytes))
            .collect()
    };
    let text = "name,title\npm,Plans\n";
    left_out(
        &beside(wide(text, u16::to_le_bytes, b"\xff\xfe")),
        &["agent-manifest.csv:1"],
    );
    left_out(
        &beside(wide(text, u16::to_be_bytes, b"\xfe\xff")),
        &["agent-manifest.csv:1"],
    );
    left_out(
        &beside(wide(text, u16::to_le_bytes, b"")),
        &["agent-manifest.csv:1"],
    );
}

#[test]
fn no_column_of_names() {
    for (manifest, word) in [
        ("title,module\nx,y\n", "agent-manifest.csv:1"),
        ("Name,title\npm,y\n", "in lowercase"),
        ("\n\nid;name;title\npm;x;y\n", "agent-manifest.csv:3"),
        ("id\tname\n1\tpm\n", "no column `name`"),
    ] {
        left_out(&beside(manifest), &["no column `name`", word, "help:"]);
    }
}

#[test]
fn lines_that_end_with_carriage_returns_alone() {
    for manifest in [
        "name,title\rpm,x\rdev,y\r",
        "name\rpm\rdev\r",
        "title,name\rx,pm",
    ] {
        left_out(
            &beside(manifest),
            &["carriage returns", "agent-manifest.csv:1", "help:"],
        );
    }
}

#[test]
fn an_empty_file() {
    for manifest in ["", "\n", "\u{feff}", "  \r\n\r\n"] {
        left_out(&beside(manifest), &["help:"]);
    }
}

#[test]
fn a_directory_or_a_pipe_in_the_place_of_a_manifest() {
    let workspace = beside("");
    std::fs::remove_file(workspace.path(PROJECT)).unwrap();
    workspace.directory(PROJECT);
    left_out(&workspace, &["help:"]);
    std::fs::remove_dir(workspace.path(PROJECT)).unwrap();
    let mut command = workspace.sandbox.command("mkfifo");
    command.arg(workspace.path(PROJECT));
    assert_eq!(workspace.sandbox.output(command).code, Some(0));
    left_out(&workspace, &["help:"]);
}

#[test]
fn a_manifest_that_must_not_be_read() {
    let workspace = beside("name\npm\n");
    let file = workspace.path(PROJECT);
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o000)).unwrap();
    // Root reads everything.
    if std::fs::read(&file).is_err() {
        left_out(&workspace, &["help:"]);
    }
}

#[test]
fn a_directory_of_manifests_that_must_not_be_read() {
    for directory in ["bmad/_cfg", "bmad/bmm/_cfg"] {
        let workspace =
            Workspace::of(&[(&format!("{directory}/agent-manifest.csv"), "name\npm\n")]);
        std::fs::set_permissions(workspace.path(directory), PermissionsExt::from_mode(0o000))
            .unwrap();
        let closed = std::fs::read_dir(workspace.path(directory)).is_err();
        let output = workspace.run("-v catalog");
        std::fs::set_permissions(workspace.path(directory), PermissionsExt::from_mode(0o755))
            .unwrap();
        // Root reads everything.
        if closed {
            assert_eq!(
                (output.code, output.stdout.as_str()),
                (Some(0), ""),
                "{output}"
            );
            for word in [
                "warning[catalog/malformed]",
                "--> ",
                directory,
                "help:",
                "skipped",
            ] {
                assert!(output.stderr.contains(word), "no `{word}` in\n{output}");
            }
            assert!(!output.stderr.contains("no catalog was found"), "{output}");
        }
    }
}

#[test]
fn links_that_lead_out_of_the_layer_are_not_followed() {
    let workspace = beside("");
    workspace.write("../outside/agent-manifest.csv", "name\nsecret\n");
    let outside = workspace.path("../outside").canonicalize().unwrap();
    for target in [
        "../../../outside/agent-manifest.csv".into(),
        outside.join("agent-manifest.csv"),
    ] {
        std::fs::remove_file(workspace.path(PROJECT)).unwrap();
        workspace.link(PROJECT, &target);
        left_out(&workspace, &["help:"]);
    }
}

#[test]
fn a_directory_of_manifests_that_leads_out_is_not_followed() {
    let workspace = Workspace::of(&[
        (HOME, "name\npm\n"),
        ("../outside/_cfg/agent-manifest.csv", "name\nsecret\n"),
    ]);
    workspace.link("bmad", "../outside");
    assert_eq!(workspace.names("catalog"), ["agent /pm user"]);
    let output = workspace.run("catalog");
    assert!(
        output.stderr.contains("warning[catalog/malformed]"),
        "{output}"
    );
}

#[test]
fn links_inside_of_the_layer_are_followed() {
    let workspace = Workspace::of(&[
        ("shared/agents.csv", "name\npm\n"),
        ("shared/bmm/_cfg/agent-manifest.csv", "name\ndev\n"),
    ]);
    workspace.link(PROJECT, "../../shared/agents.csv");
    workspace.link("bmad/bmm", "../shared/bmm");
    assert_eq!(
        workspace.names("catalog"),
        ["agent /pm project", "agent bmm/dev project"]
    );
}

#[test]
fn a_link_that_leads_nowhere_is_reported() {
    let workspace = beside("");
    std::fs::remove_file(workspace.path(PROJECT)).unwrap();
    workspace.link(PROJECT, "gone.csv");
    left_out(&workspace, &["help:"]);
}

#[test]
fn every_manifest_that_is_malformed_is_reported_at_once() {
    let workspace = Workspace::of(&[
        (PROJECT, "x\n"),
        ("bmad/_cfg/task-manifest.csv", "name\n\"\n"),
        (HOME, ""),
        ("~/.bmad/_cfg/skill-manifest.csv", "name\ns\n"),
    ]);
    let output = workspace.run("catalog");
    assert_eq!(
        output.stderr.matches("warning[catalog/malformed]").count(),
        3,
        "{output}"
    );
    assert_eq!(workspace.names("catalog"), ["skill /s user"]);
}

#[test]
fn a_malformed_manifest_is_in_nobodys_way_who_wants_another_entry() {
    let workspace = beside("name,title\nqa,\"open\n");
    workspace.write(HOME, "name,path\npm,.bmad/pm.md\n");
    workspace.write("~/.bmad/pm.md", "plans\n");
    let output = workspace.run("catalog show pm");
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (Some(0), "plans\n"),
        "{output}"
    );
    workspace.fails(
        "catalog show qa",
        3,
        &["error[name/unknown]", "warning[catalog/malformed]"],
    );
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let workspace = beside("name,title\n\u{1b}[31mred,\u{7}bell\npm,\"x\u{1b}]0;t\u{7}\" y\n");
    for line in ["catalog", "-v catalog", "catalog show nobody", "doctor"] {
        let output = workspace.run(line);
        assert!(
            !output.to_string().contains(['\u{1b}', '\u{7}']),
            "{line}\n{output}"
        );
    }
    let workspace = beside("name,title\n\u{1b}[31mred,\u{7}bell\n");
    for line in ["catalog", "-v catalog", "catalog show re", "doctor"] {
        let output = workspace.run(line);
        assert!(
            !output.to_string().contains(['\u{1b}', '\u{7}']),
            "{line}\n{output}"
        );
    }
}

#[test]
fn secrets_in_rows_are_masked_in_source_lines() {
    let workspace = beside("name,title\npm,token=ghp_abcdefghijklmnopqrstuvwxyz0123456789,x\n");
    let output = workspace.run("catalog");
    assert!(
        output.stderr.contains("csv/ragged") && !output.stderr.contains("ghp_abc"),
        "{output}"
    );
}
