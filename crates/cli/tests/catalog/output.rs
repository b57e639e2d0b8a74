//! The output of lists: formats, kinds, modules, messages on standard error.

use agpm_text::Value;

use crate::support::{HOME, PROJECT, Workspace, codes, json, only, text};

fn five() -> Workspace {
    let workspace = Workspace::of(&[]);
    for kind in ["agent", "workflow", "task", "tool", "skill"] {
        workspace.write(
            &format!("bmad/_cfg/{kind}-manifest.csv"),
            format!("name,module\n{kind}-a,bmm\n{kind}-b,cis\n"),
        );
    }
    workspace
}

#[test]
fn kinds_are_taken_in_singular_and_plural() {
    let workspace = five();
    for kind in ["agent", "workflow", "task", "tool", "skill"] {
        let expected = [
            format!("{kind} bmm/{kind}-a project"),
            format!("{kind} cis/{kind}-b project"),
        ];
        assert_eq!(workspace.names(&format!("catalog {kind}")), expected);
        assert_eq!(workspace.names(&format!("catalog {kind}s")), expected);
        let name = format!("{kind}-a");
        workspace.write(
            &format!("bmad/_cfg/{kind}-manifest.csv"),
            format!("name,module,path\n{name},bmm,bmad/{name}\n"),
        );
        workspace.write(&format!("bmad/{name}"), &name);
        for word in [kind.to_owned(), format!("{kind}s")] {
            assert_eq!(
                workspace.good(&format!("catalog show {name} --kind {word}")),
                name
            );
            let explanation = workspace.good(&format!("explain catalog:{word}/bmm/{name}"));
            assert!(explanation.contains(&name), "{explanation}");
        }
    }
}

#[test]
fn a_kind_that_is_none_is_wrong_usage_and_the_kinds_are_listed() {
    let workspace = five();
    for line in [
        "catalog agentz",
        "catalog personas",
        "catalog show x --kind personas",
    ] {
        workspace.fails(
            line,
            2,
            &["agents", "workflows", "tasks", "tools", "skills"],
        );
    }
}

#[test]
fn a_module_filters() {
    let workspace = five();
    let expected: Vec<String> = ["agent", "workflow", "task", "tool", "skill"]
        .iter()
        .map(|kind| format!("{kind} cis/{kind}-b project"))
        .collect();
    assert_eq!(workspace.names("catalog --module cis"), expected);
    assert_eq!(
        workspace.names("catalog tasks --module cis"),
        ["task cis/task-b project"]
    );
    assert_eq!(workspace.names("catalog --module nowhere"), [""; 0]);
    assert_eq!(workspace.names("catalog --module CIS"), [""; 0]);
}

#[test]
fn a_module_is_also_that_of_a_directory() {
    let workspace = Workspace::of(&[
        ("bmad/bmm/_cfg/agent-manifest.csv", "name\npm\n"),
        (PROJECT, "name,module\nqa,bmm\nx,\n"),
    ]);
    assert_eq!(
        workspace.names("catalog --module bmm"),
        ["agent bmm/pm project", "agent bmm/qa project"]
    );
}

#[test]
fn the_table_is_the_default_and_names_kind_module_name_and_layer() {
    let workspace = Workspace::agents("pm,Product Manager,bmm,\n", "dev,Developer,bmm,\n");
    let text = workspace.good("catalog");
    assert_eq!(text, workspace.good("catalog --format table"));
    assert_eq!(
        text,
        "Kind   Module  Name  Title            Layer\n\
         agent  bmm     dev   Developer        user\n\
         agent  bmm     pm    Product Manager  project\n"
    );
}

#[test]
fn json_rows_carry_layer_manifest_and_file() {
    let workspace = Workspace::agents(
        "pm,,bmm,./bmad/pm.md\ngone,,bmm,bmad/gone.md\nnone,,bmm,\n",
        "up,,bmm,~/.bmad/up.md\n",
    );
    workspace.write("bmad/pm.md", "x");
    workspace.write("~/.bmad/up.md", "x");
    let rows = workspace.rows("catalog");
    let place_of = |name: &str| {
        let row = rows
            .iter()
            .find(|row| text(row, "name") == Some(name))
            .unwrap();
        let file = row
            .get("file")
            .unwrap_or_else(|| panic!("no key `file` in {}", row.to_json()));
        (
            text(row, "layer").unwrap(),
            text(row, "manifest").unwrap(),
            file.as_str(),
        )
    };
    let manifest = "[SANDBOX]/work/bmad/_cfg/agent-manifest.csv";
    assert_eq!(
        place_of("pm"),
        ("project", manifest, Some("[SANDBOX]/work/bmad/pm.md"))
    );
    assert_eq!(place_of("gone"), ("project", manifest, None));
    assert_eq!(place_of("none"), ("project", manifest, None));
    let home = "[SANDBOX]/home/.bmad/_cfg/agent-manifest.csv";
    assert_eq!(
        place_of("up"),
        ("user", home, Some("[SANDBOX]/home/.bmad/up.md"))
    );
    let gone = rows
        .iter()
        .find(|row| text(row, "name") == Some("gone"))
        .unwrap();
    assert_eq!(gone.get("file"), Some(&Value::Null));
    assert_eq!(text(gone, "path"), Some("bmad/gone.md"));
}

#[test]
fn a_missing_file_is_listed_without_a_word() {
    let workspace = Workspace::agents("gone,,bmm,bmad/gone.md\n", "");
    assert!(workspace.good("catalog").contains("gone"));
}

#[test]
fn json_is_one_document_with_ok_rows_and_diagnostics() {
    let workspace = Workspace::agents("pm,x,bmm,,more\n", "");
    for line in ["--json catalog", "catalog --format json"] {
        let output = workspace.run(line);
        assert_eq!(
            (output.code, output.stderr.as_str()),
            (Some(0), ""),
            "{output}"
        );
        let value = json(&output.stdout);
        assert_eq!(value.get("ok"), Some(&Value::Bool(true)));
        assert_eq!(codes(&output), ["csv/ragged"]);
    }
}

#[test]
fn json_and_another_format_at_once_is_wrong_usage() {
    let workspace = Workspace::agents("pm,x,bmm,\n", "");
    for format in ["csv", "table"] {
        let output = workspace.run(&format!("--json catalog --format {format}"));
        assert_eq!(
            (output.code, codes(&output)),
            (Some(2), vec!["usage".to_owned()]),
            "{output}"
        );
    }
    workspace.good("--json catalog --format json");
    workspace.fails("catalog --format xml", 2, &["table", "csv", "json"]);
}

#[test]
fn paths_are_printed_as_written() {
    let rows = "a,,,./bmad//x/../y.md\nb,,,{project-root}/bmad/b.md\nc,,,bmad\\c.md\nd,,,~/d.md\n";
    let csv = Workspace::agents(rows, "").good("catalog --format csv");
    for path in [
        "./bmad//x/../y.md",
        "{project-root}/bmad/b.md",
        "bmad\\c.md",
        "~/d.md",
    ] {
        assert!(csv.contains(&format!(",\"{path}\"\n")), "{path} in\n{csv}");
    }
}

#[test]
fn a_kind_without_rows_gives_a_header_or_nothing_and_no_row() {
    let csv = Workspace::agents("pm,x,bmm,\n", "")
        .run("catalog tasks --format csv")
        .stdout;
    assert!(csv.lines().count() <= 1 && !csv.contains("pm"), "{csv}");
}

#[test]
fn verbose_says_the_layer_of_each_entry_and_what_was_skipped() {
    let workspace = Workspace::agents("pm,,bmm,\n", "pm,,bmm,\ndev,,bmm,\n");
    workspace.write("bmad/_cfg/task-manifest.csv", "no\n");
    let output = workspace.run("-v catalog");
    for word in [
        "agent bmm/pm: project, bmad/_cfg/agent-manifest.csv:2",
        "agent bmm/dev: user, ",
        "skipped bmad/_cfg/task-manifest.csv",
    ] {
        assert!(output.stderr.contains(word), "no `{word}` in\n{output}");
    }
    let all = workspace.run("-v catalog --all");
    assert!(all.stderr.contains("shadowed by project"), "{all}");
    let plain = workspace.run("catalog");
    assert_eq!(plain.stdout, output.stdout);
    assert!(!plain.stderr.contains("agent bmm/pm"), "{plain}");
}

#[test]
fn quiet_says_errors_only() {
    let workspace = Workspace::agents("pm,,bmm,,\n", "");
    workspace.write(HOME, "broken\n");
    assert!(workspace.run("catalog").stderr.contains("warning["));
    assert!(workspace.good("-q catalog").contains("pm"));
    workspace.fails("-q catalog show nobody", 3, &["error[name/unknown]"]);
}

#[test]
fn a_title_of_many_lines_is_one_line_of_the_table() {
    let workspace = Workspace::of(&[(PROJECT, "name,title\npm,\"one\ntwo\tthree\r\nfour\"\n")]);
    assert!(
        workspace.good("catalog").contains("one two three"),
        "{}",
        workspace.good("catalog")
    );
    assert_eq!(
        text(&only(workspace.rows("catalog")), "title"),
        Some("one\ntwo\tthree\r\nfour")
    );
}

#[test]
fn a_reader_that_has_seen_enough_ends_it_quietly() {
    let rows: String = (0..3000)
        .map(|at| format!("agent{at},{},m,\n", "x".repeat(50)))
        .collect();
    let workspace = Workspace::agents(&rows, "");
    let mut command = workspace.sandbox.command("sh");
    command.arg("-c").arg(format!(
        "'{}' catalog --format csv | head -n 1",
        crate::support::PROGRAM
    ));
    let output = workspace.sandbox.output(command);
    assert_eq!(
        (output.stdout.as_str(), output.stderr.as_str()),
        ("name,title,module,path\n", "")
    );
}

#[test]
fn read_commands_write_nothing() {
    let workspace = Workspace::agents("pm,,bmm,bmad/pm.md\nbad,,\n", "pm,,bmm,\n");
    workspace.write("bmad/pm.md", "x");
    let before = workspace.sandbox.listing();
    for line in [
        "catalog",
        "catalog --all --format csv",
        "--json catalog",
        "catalog show pm",
        "catalog show pm --path",
        "catalog show nobody",
        "explain catalog:bmm/pm",
        "doctor",
    ] {
        workspace.run(line);
        assert_eq!(workspace.sandbox.listing(), before, "{line}");
    }
}
