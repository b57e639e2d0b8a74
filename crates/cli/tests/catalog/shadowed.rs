//! `--all`: overridden rows are listed too, marked.

use agpm_text::Value;

use crate::support::{HOME, PROJECT, Workspace, text};

fn workspace() -> Workspace {
    let workspace = Workspace::agents("pm,Custom,bmm,\nown,,bmm,\n", "pm,Plain,bmm,\nqa,,bmm,\n");
    workspace.write(
        "bmad/bmm/_cfg/agent-manifest.csv",
        "name,title\npm,Module\n",
    );
    workspace
}

#[test]
fn the_default_lists_winners_only() {
    let workspace = workspace();
    assert_eq!(
        workspace.names("catalog"),
        [
            "agent bmm/own project",
            "agent bmm/pm project",
            "agent bmm/qa user"
        ]
    );
    for line in ["catalog", "catalog --format csv", "--json catalog"] {
        let text = workspace.good(line);
        assert!(
            !text.contains("Plain") && !text.to_lowercase().contains("shadowed"),
            "{text}"
        );
    }
}

#[test]
fn json_marks_every_row_and_names_the_layer_that_shadows_it() {
    let rows = workspace().rows("catalog --all");
    let cells: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                text(row, "name").unwrap(),
                text(row, "title"),
                row.get("shadowed"),
                text(row, "shadowedBy"),
            )
        })
        .collect();
    let (yes, no) = (&Value::Bool(true), &Value::Bool(false));
    assert_eq!(
        cells,
        [
            ("own", Some(""), Some(no), None),
            ("pm", Some("Custom"), Some(no), None),
            ("pm", Some("Module"), Some(yes), Some("project")),
            ("pm", Some("Plain"), Some(yes), Some("project")),
            ("qa", Some(""), Some(no), None),
        ]
    );
    assert_eq!(
        rows.iter()
            .map(|row| text(row, "layer").unwrap())
            .collect::<Vec<_>>()[3],
        "user"
    );
}

#[test]
fn csv_has_two_more_columns() {
    assert_eq!(
        workspace().good("catalog --all --format csv"),
        "name,title,module,path,layer,shadowedBy\n\
         \"own\",\"\",\"bmm\",\"\",\"project\",\"\"\n\
         \"pm\",\"Custom\",\"bmm\",\"\",\"project\",\"\"\n\
         \"pm\",\"Module\",\"bmm\",\"\",\"project\",\"project\"\n\
         \"pm\",\"Plain\",\"bmm\",\"\",\"user\",\"project\"\n\
         \"qa\",\"\",\"bmm\",\"\",\"user\",\"\"\n"
    );
}

#[test]
fn the_table_has_a_column_for_it() {
    let text = workspace().good("catalog --all");
    let line = |word: &str| {
        text.lines()
            .find(|line| line.contains(word))
            .unwrap()
            .to_owned()
    };
    assert!(
        text.lines().next().unwrap().ends_with("Shadowed by"),
        "{text}"
    );
    assert!(
        line("Plain").contains("user") && line("Plain").ends_with("project"),
        "{text}"
    );
    assert!(
        line("Custom").trim_end().ends_with("project") && line("qa").trim_end().ends_with("user"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 6, "{text}");
}

#[test]
fn filters_and_modes_go_with_it() {
    let workspace = workspace();
    assert_eq!(
        workspace.names("catalog agents --all --mode user"),
        ["agent bmm/pm user", "agent bmm/qa user"]
    );
    assert_eq!(workspace.names("catalog --all --module cis"), [""; 0]);
    let local = workspace.names("catalog --all --mode local");
    assert_eq!(
        local,
        [
            "agent bmm/own project",
            "agent bmm/pm project",
            "agent bmm/pm project"
        ]
    );
}

#[test]
fn a_column_of_the_same_name_does_not_make_two_of_one_name() {
    let workspace = Workspace::of(&[(PROJECT, "name,layer\npm,mine\n"), (HOME, "name\npm\n")]);
    let csv = workspace.good("catalog --all --format csv");
    let mut columns: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let count = columns.len();
    columns.sort_unstable();
    columns.dedup();
    assert_eq!(columns.len(), count, "{csv}");
    assert!(csv.contains("\"mine\""), "{csv}");
}

#[test]
fn a_duplicate_row_of_one_file_is_not_shadowed_by_another_layer() {
    let workspace = Workspace::agents("pm,1,,\npm,2,,\n", "");
    let output = workspace.run("--json catalog --all");
    assert_eq!(
        crate::support::codes(&output),
        ["catalog/duplicate"],
        "{output}"
    );
    let rows = workspace.rows("catalog --all");
    assert_eq!(text(&rows[0], "title"), Some("1"));
}

#[test]
fn a_duplicate_row_of_one_file_is_listed_as_shadowed_too() {
    let workspace = Workspace::agents("pm,one,bmm,\npm,two,bmm,\n", "");
    let text = workspace.run("catalog --all --format csv").stdout;
    let rows: Vec<&str> = text.lines().skip(1).collect();
    assert!(
        rows.len() == 2 && rows[0].contains("one") && rows[1].ends_with("\"project\",\"project\""),
        "{text}"
    );
}

#[test]
fn findings_without_end_are_counted() {
    let rows: String = (0..200).map(|at| format!("pm,{at},bmm,\n")).collect();
    let workspace = Workspace::agents(&rows, "");
    let output = workspace.run("-v catalog");
    assert_eq!(
        output.stderr.matches("warning[catalog/duplicate]").count(),
        26,
        "{output}"
    );
    assert!(
        output
            .stderr
            .contains("174 more findings with this code are not shown"),
        "{output}"
    );
    let output = workspace.run("catalog");
    assert_eq!(
        output.stderr.matches("warning[catalog/duplicate]").count(),
        2,
        "{output}"
    );
    assert!(
        output
            .stderr
            .contains("and 22 more like this; `-v` shows all"),
        "{output}"
    );
}

#[test]
fn other_kinds_are_not_looked_at() {
    let workspace = Workspace::agents("pm,one,bmm,\n", "");
    workspace.write("bmad/_cfg/task-manifest.csv", "no\n");
    workspace.warned("catalog", &["warning[catalog/malformed]"]);
    workspace.good("catalog agents");
}

#[test]
fn joined_emoji_stay_whole() {
    let wizard = "\u{1f9d9}\u{200d}\u{2642}\u{fe0f} Wizard";
    let workspace = Workspace::agents(&format!("pm,{wizard},bmm,\n"), "");
    assert!(workspace.good("catalog").contains(wizard));
}
