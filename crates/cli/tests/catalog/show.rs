//! `catalog show`: the winning file's bytes, and files that must not be read.

use crate::support::{HOME, PROGRAM, PROJECT, Workspace, codes, json, text};

/// An agent `pm` of the project with this path.
fn with_path(path: &str) -> Workspace {
    Workspace::of(&[(PROJECT, &format!("name,module,path\npm,bmm,{path}\n"))])
}

fn bytes(workspace: &Workspace, arguments: &[&str]) -> Vec<u8> {
    let mut command = workspace.sandbox.command(PROGRAM);
    let output = command.args(arguments).output().unwrap();
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(0), &b""[..])
    );
    output.stdout
}

#[test]
fn bytes_are_unchanged() {
    let all: Vec<u8> = (0..=255).collect();
    for content in [
        &b"plain\n"[..],
        b"no newline at the end",
        b"\xef\xbb\xbfmark\r\nand\r\nline ends\r\n",
        b"",
        b"\n\n",
        b"\x1b[31mred\x07",
        b"not utf-8: \xff\xfe\xc3\x28",
        &all,
        &all.repeat(5000),
    ] {
        let workspace = with_path("bmad/pm.md");
        workspace.write("bmad/pm.md", content);
        assert!(
            bytes(&workspace, &["catalog", "show", "pm"]) == content,
            "{:?}",
            &content[..content.len().min(40)]
        );
        assert!(
            bytes(
                &workspace,
                &["-q", "catalog", "show", "bmm/pm", "--kind", "agents"]
            ) == content
        );
    }
}

#[test]
fn path_prints_where_the_file_is() {
    let workspace = Workspace::agents(
        "pm,,bmm,./bmad/bmm/agents/pm.md\n",
        "up,,bmm,~/.bmad/up.md\n",
    );
    workspace.write("bmad/bmm/agents/pm.md", "x");
    workspace.write("~/.bmad/up.md", "x");
    workspace.directory("deep/er");
    let expected = "[SANDBOX]/work/bmad/bmm/agents/pm.md\n";
    assert_eq!(workspace.good("catalog show pm --path"), expected);
    assert_eq!(
        workspace.good_in("deep/er", "catalog show pm --path"),
        expected
    );
    assert_eq!(
        workspace.good("catalog show up --path"),
        "[SANDBOX]/home/.bmad/up.md\n"
    );
}

#[test]
fn the_path_that_is_listed_is_the_one_that_is_read() {
    for path in [
        "bmad/bmm/agents/pm.md",
        "./bmad/bmm/agents/pm.md",
        "{project-root}/bmad/bmm/agents/pm.md",
        "bmm/agents/pm.md",
        "bmad\\bmm\\agents\\pm.md",
    ] {
        let workspace = with_path(path);
        workspace.write("bmad/bmm/agents/pm.md", "right\n");
        assert_eq!(workspace.good("catalog show pm"), "right\n", "{path}");
        let listed = text(&workspace.rows("catalog")[0], "file")
            .unwrap()
            .to_owned();
        assert_eq!(
            workspace.good("catalog show pm --path"),
            format!("{listed}\n"),
            "{path}"
        );
    }
}

#[test]
fn a_catalog_that_was_moved_to_another_generations_directory_finds_its_files() {
    let workspace = Workspace::of(&[
        (
            "_bmad/_config/agent-manifest.csv",
            "name,path\npm,bmad/bmm/agents/pm.md\n",
        ),
        ("_bmad/bmm/agents/pm.md", "moved\n"),
    ]);
    assert_eq!(workspace.good("catalog show pm"), "moved\n");
}

#[test]
fn the_home_layers_paths_are_in_home_only() {
    let workspace = Workspace::of(&[
        (HOME, "name,path\npm,./bmad/pm.md\ntilde,~/.bmad/t.md\n"),
        ("bmad/pm.md", "the project's\n"),
        ("~/.bmad/t.md", "tilde\n"),
    ]);
    workspace.fails(
        "catalog show pm",
        1,
        &["error[catalog/missing-file]", "layer `user`"],
    );
    workspace.write("~/.bmad/pm.md", "home's\n");
    assert_eq!(workspace.good("catalog show pm"), "home's\n");
    assert_eq!(workspace.good("catalog show tilde"), "tilde\n");
}

#[test]
fn a_missing_file_is_an_error_and_is_listed() {
    for path in ["bmad/gone.md", "", " ", "bmad/pm.md/below", "./", "bmad"] {
        let workspace = with_path(path);
        workspace.write("bmad/pm.md", "x");
        workspace.fails(
            "catalog show pm",
            1,
            &["error[catalog/missing-file]", "bmm/pm", "help:", PROJECT],
        );
        assert_eq!(workspace.names("catalog"), ["agent bmm/pm project"]);
        let output = workspace.run("--json catalog show pm");
        assert_eq!(
            (output.code, codes(&output)),
            (Some(1), vec!["catalog/missing-file".to_owned()]),
            "{output}"
        );
    }
}

#[test]
fn paths_that_lead_out_are_refused() {
    let workspace = Workspace::of(&[
        ("../outside.md", "SECRET"),
        ("~/outside.md", "SECRET"),
        ("inside.md", "fine"),
    ]);
    let absolute = workspace
        .path("inside.md")
        .canonicalize()
        .unwrap()
        .display()
        .to_string();
    let outside = workspace
        .path("../outside.md")
        .canonicalize()
        .unwrap()
        .display()
        .to_string();
    for path in [
        "../outside.md",
        "bmad/../../outside.md",
        "bmad/../inside.md",
        "..\\outside.md",
        "{project-root}/../outside.md",
        "~/outside.md",
        "/etc/passwd",
        &absolute,
        &outside,
        "C:\\Windows\\win.ini",
        "//server/share",
        "file:///etc/passwd",
    ] {
        workspace.write(PROJECT, format!("name,module,path\npm,bmm,{path}\n"));
        let output = workspace.run("catalog show pm");
        let refused = output.code == Some(6) && output.stderr.contains("error[catalog/escape]");
        let missing = path.starts_with("file:") && output.code == Some(1);
        assert!(
            (refused || missing) && output.stdout.is_empty(),
            "{path}\n{output}"
        );
        workspace.fails("catalog show pm --path", output.code.unwrap(), &["help:"]);
        assert_eq!(
            workspace.rows("catalog")[0].get("file"),
            Some(&agpm_text::Value::Null),
            "{path}"
        );
        assert!(!workspace.run("doctor").to_string().contains("SECRET"));
    }
}

#[test]
fn links_that_lead_out_are_refused() {
    let workspace = Workspace::of(&[
        ("../outside/pm.md", "SECRET"),
        ("../outside/SKILL.md", "SECRET"),
    ]);
    let outside = workspace.path("../outside").canonicalize().unwrap();
    workspace.write(
        PROJECT,
        "name,path\nfile,bmad/file.md\nabsolute,bmad/absolute.md\nfolder,bmad/out/pm.md\n",
    );
    workspace.write(
        "bmad/_cfg/skill-manifest.csv",
        "name,path\nskill,bmad/out\n",
    );
    workspace.link("bmad/file.md", "../../outside/pm.md");
    workspace.link("bmad/absolute.md", outside.join("pm.md"));
    workspace.link("bmad/out", "../../outside");
    for name in ["file", "absolute", "folder"] {
        workspace.fails(
            &format!("catalog show {name}"),
            6,
            &["error[catalog/escape]", "help:"],
        );
        workspace.fails(
            &format!("catalog show {name} --path"),
            6,
            &["error[catalog/escape]"],
        );
    }
    let output = workspace.run("catalog show skill");
    assert!(
        matches!(output.code, Some(1 | 6)) && !output.to_string().contains("SECRET"),
        "{output}"
    );
    assert!(
        workspace
            .rows("catalog")
            .iter()
            .all(|row| row.get("file") == Some(&agpm_text::Value::Null))
    );
}

#[test]
fn links_inside_of_the_layer_are_followed() {
    let workspace = Workspace::of(&[
        ("shared/pm.md", "shared\n"),
        (PROJECT, "name,path\npm,bmad/pm.md\nabs,bmad/abs.md\n"),
    ]);
    workspace.link("bmad/pm.md", "../shared/pm.md");
    workspace.link(
        "bmad/abs.md",
        workspace.path("shared/pm.md").canonicalize().unwrap(),
    );
    assert_eq!(workspace.good("catalog show pm"), "shared\n");
    // What is listed is what is read.
    let rows = workspace.rows("catalog");
    let output = workspace.run("catalog show abs");
    match text(&rows[0], "file") {
        Some(_) => assert_eq!(
            (output.code, output.stdout.as_str()),
            (Some(0), "shared\n"),
            "{output}"
        ),
        None => assert!(matches!(output.code, Some(1 | 6)), "{output}"),
    }
}

#[test]
fn special_files_are_not_waited_for() {
    let workspace = with_path("bmad/pipe");
    let mut command = workspace.sandbox.command("mkfifo");
    command.arg(workspace.path("bmad/pipe"));
    assert_eq!(workspace.sandbox.output(command).code, Some(0));
    workspace.fails("catalog show pm", 1, &["error["]);
    workspace.names("catalog");
    workspace.run("doctor");
}

#[test]
fn a_skill_may_be_a_directory() {
    let workspace = Workspace::of(&[
        (
            "bmad/_cfg/skill-manifest.csv",
            "name,path\nwriting,bmad/skills/writing\nreading,bmad/skills/reading/SKILL.md\n",
        ),
        ("bmad/skills/writing/SKILL.md", "write\n"),
        ("bmad/skills/reading/SKILL.md", "read\n"),
    ]);
    assert_eq!(workspace.good("catalog show writing"), "write\n");
    assert_eq!(workspace.good("catalog show reading"), "read\n");
}

#[test]
fn json_reports_what_is_shown() {
    let workspace = with_path("bmad/pm.md");
    workspace.write("bmad/pm.md", "Plans.\n");
    let value = json(&workspace.good("--json catalog show pm"));
    assert_eq!(value.get("ok"), Some(&agpm_text::Value::Bool(true)));
    for (key, expected) in [
        ("kind", "agent"),
        ("module", "bmm"),
        ("name", "pm"),
        ("layer", "project"),
        ("content", "Plans.\n"),
        ("file", "[SANDBOX]/work/bmad/pm.md"),
    ] {
        assert_eq!(text(&value, key), Some(expected), "{key}");
    }
}

#[test]
fn a_winner_without_a_file_does_not_fall_back() {
    let workspace = Workspace::agents("pm,,bmm,\n", "pm,,bmm,~/.bmad/pm.md\n");
    workspace.write("~/.bmad/pm.md", "home\n");
    workspace.fails(
        "catalog show pm",
        1,
        &["error[catalog/missing-file]", "has no file"],
    );
    assert_eq!(workspace.good("catalog show pm --mode user"), "home\n");
}
