//! How lists look: formats, kinds, modules, words on standard error.

use agpm_text::Value;

use crate::support::{HOME, PROJECT, Place, codes, json, only, text};

fn five() -> Place {
    let place = Place::of(&[]);
    for kind in ["agent", "workflow", "task", "tool", "skill"] {
        place.write(
            &format!("bmad/_cfg/{kind}-manifest.csv"),
            format!("name,module\n{kind}-a,bmm\n{kind}-b,cis\n"),
        );
    }
    place
}

#[test]
fn kinds_are_taken_in_singular_and_plural() {
    let place = five();
    for kind in ["agent", "workflow", "task", "tool", "skill"] {
        let expected = [
            format!("{kind} bmm/{kind}-a project"),
            format!("{kind} cis/{kind}-b project"),
        ];
        assert_eq!(place.names(&format!("catalog {kind}")), expected);
        assert_eq!(place.names(&format!("catalog {kind}s")), expected);
        let name = format!("{kind}-a");
        place.write(
            &format!("bmad/_cfg/{kind}-manifest.csv"),
            format!("name,module,path\n{name},bmm,bmad/{name}\n"),
        );
        place.write(&format!("bmad/{name}"), &name);
        for word in [kind.to_owned(), format!("{kind}s")] {
            assert_eq!(
                place.good(&format!("catalog show {name} --kind {word}")),
                name
            );
            let told = place.good(&format!("explain catalog:{word}/bmm/{name}"));
            assert!(told.contains(&name), "{told}");
        }
    }
}

#[test]
fn a_kind_that_is_none_is_wrong_usage_and_the_kinds_are_listed() {
    let place = five();
    for line in [
        "catalog agentz",
        "catalog personas",
        "catalog show x --kind personas",
    ] {
        place.fails(
            line,
            2,
            &["agents", "workflows", "tasks", "tools", "skills"],
        );
    }
}

#[test]
fn a_module_filters() {
    let place = five();
    let expected: Vec<String> = ["agent", "workflow", "task", "tool", "skill"]
        .iter()
        .map(|kind| format!("{kind} cis/{kind}-b project"))
        .collect();
    assert_eq!(place.names("catalog --module cis"), expected);
    assert_eq!(
        place.names("catalog tasks --module cis"),
        ["task cis/task-b project"]
    );
    assert_eq!(place.names("catalog --module nowhere"), [""; 0]);
    assert_eq!(place.names("catalog --module CIS"), [""; 0]);
}

#[test]
fn a_module_is_also_that_of_a_directory() {
    let place = Place::of(&[
        ("bmad/bmm/_cfg/agent-manifest.csv", "name\npm\n"),
        (PROJECT, "name,module\nqa,bmm\nx,\n"),
    ]);
    assert_eq!(
        place.names("catalog --module bmm"),
        ["agent bmm/pm project", "agent bmm/qa project"]
    );
}

#[test]
fn the_table_is_the_default_and_names_kind_module_name_and_layer() {
    let place = Place::agents("pm,Product Manager,bmm,\n", "dev,Developer,bmm,\n");
    let text = place.good("catalog");
    assert_eq!(text, place.good("catalog --format table"));
    assert_eq!(
        text,
        "Kind   Module  Name  Title            Layer\n\
         agent  bmm     dev   Developer        user\n\
         agent  bmm     pm    Product Manager  project\n"
    );
}

#[test]
fn json_rows_carry_layer_manifest_and_file() {
    let place = Place::agents(
        "pm,,bmm,./bmad/pm.md\ngone,,bmm,bmad/gone.md\nnone,,bmm,\n",
        "up,,bmm,~/.bmad/up.md\n",
    );
    place.write("bmad/pm.md", "x");
    place.write("~/.bmad/up.md", "x");
    let rows = place.rows("catalog");
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
    let place = Place::agents("gone,,bmm,bmad/gone.md\n", "");
    assert!(place.good("catalog").contains("gone"));
}

#[test]
fn json_is_one_document_with_ok_rows_and_diagnostics() {
    let place = Place::agents("pm,x,bmm,,more\n", "");
    for line in ["--json catalog", "catalog --format json"] {
        let output = place.run(line);
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
    let place = Place::agents("pm,x,bmm,\n", "");
    for format in ["csv", "table"] {
        let output = place.run(&format!("--json catalog --format {format}"));
        assert_eq!(
            (output.code, codes(&output)),
            (Some(2), vec!["usage".to_owned()]),
            "{output}"
        );
    }
    place.good("--json catalog --format json");
    place.fails("catalog --format xml", 2, &["table", "csv", "json"]);
}

#[test]
fn paths_are_printed_as_written() {
    let rows = "a,,,./bmad//x/../y.md\nb,,,{project-root}/bmad/b.md\nc,,,bmad\\c.md\nd,,,~/d.md\n";
    let csv = Place::agents(rows, "").good("catalog --format csv");
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
    let csv = Place::agents("pm,x,bmm,\n", "")
        .run("catalog tasks --format csv")
        .stdout;
    assert!(csv.lines().count() <= 1 && !csv.contains("pm"), "{csv}");
}

#[test]
fn verbose_says_the_layer_of_each_entry_and_what_was_skipped() {
    let place = Place::agents("pm,,bmm,\n", "pm,,bmm,\ndev,,bmm,\n");
    place.write("bmad/_cfg/task-manifest.csv", "no\n");
    let output = place.run("-v catalog");
    for word in [
        "agent bmm/pm: project, bmad/_cfg/agent-manifest.csv:2",
        "agent bmm/dev: user, ",
        "skipped bmad/_cfg/task-manifest.csv",
    ] {
        assert!(output.stderr.contains(word), "no `{word}` in\n{output}");
    }
    let all = place.run("-v catalog --all");
    assert!(all.stderr.contains("shadowed by project"), "{all}");
    let plain = place.run("catalog");
    assert_eq!(plain.stdout, output.stdout);
    assert!(!plain.stderr.contains("agent bmm/pm"), "{plain}");
}

#[test]
fn quiet_says_errors_only() {
    let place = Place::agents("pm,,bmm,,\n", "");
    place.write(HOME, "broken\n");
    assert!(place.run("catalog").stderr.contains("warning["));
    assert!(place.good("-q catalog").contains("pm"));
    place.fails("-q catalog show nobody", 3, &["error[name/unknown]"]);
}

#[test]
fn a_title_of_many_lines_is_one_line_of_the_table() {
    let place = Place::of(&[(PROJECT, "name,title\npm,\"one\ntwo\tthree\r\nfour\"\n")]);
    assert!(
        place.good("catalog").contains("one two three"),
        "{}",
        place.good("catalog")
    );
    assert_eq!(
        text(&only(place.rows("catalog")), "title"),
        Some("one\ntwo\tthree\r\nfour")
    );
}

#[test]
fn a_reader_that_has_seen_enough_ends_it_quietly() {
    let rows: String = (0..3000)
        .map(|at| format!("agent{at},{},m,\n", "x".repeat(50)))
        .collect();
    let place = Place::agents(&rows, "");
    let mut command = place.sandbox.command("sh");
    command.arg("-c").arg(format!(
        "'{}' catalog --format csv | head -n 1",
        crate::support::PROGRAM
    ));
    let output = place.sandbox.output(command);
    assert_eq!(
        (output.stdout.as_str(), output.stderr.as_str()),
        ("name,title,module,path\n", "")
    );
}

#[test]
fn read_commands_write_nothing() {
    let place = Place::agents("pm,,bmm,bmad/pm.md\nbad,,\n", "pm,,bmm,\n");
    place.write("bmad/pm.md", "x");
    let before = place.sandbox.listing();
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
        place.run(line);
        assert_eq!(place.sandbox.listing(), before, "{line}");
    }
}
