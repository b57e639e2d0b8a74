//! `explain catalog:MODULE/NAME`: the origin of an entry's fields, and the values they override.

use crate::support::{HOME, PROJECT, Workspace, codes};

fn workspace() -> Workspace {
    Workspace::of(&[
        (
            PROJECT,
            "name,title,module\ndev,Developer,bmm\npm,Custom PM,bmm\n",
        ),
        (
            HOME,
            "name,title,module,role\npm,Product Manager,bmm,plans\nup,Home,cis,\n",
        ),
    ])
}

#[test]
fn every_field_is_reported_with_layer_manifest_and_line_and_what_it_shadows() {
    let text = workspace().good("explain catalog:bmm/pm");
    for word in [
        "/name = \"pm\"\n  from project (bmad/_cfg/agent-manifest.csv:3)",
        "/title = \"Custom PM\"\n  from project (bmad/_cfg/agent-manifest.csv:3)",
        "/module = \"bmm\"",
        "\"Product Manager\"",
        "agent-manifest.csv:2)",
        "user",
    ] {
        assert!(text.contains(word), "no `{word}` in\n{text}");
    }
    assert!(
        !text.contains("/role"),
        "a field of a shadowed row is no field of the entry\n{text}"
    );
}

#[test]
fn a_pointer_narrows_it_down() {
    let workspace = workspace();
    let text = workspace.good("explain catalog:bmm/pm /title");
    assert!(text.starts_with("/title = \"Custom PM\"\n"), "{text}");
    assert!(
        text.contains("Product Manager") && !text.contains("/module"),
        "{text}"
    );
    workspace.fails(
        "explain catalog:bmm/pm /titel",
        3,
        &["did you mean `/title`"],
    );
    workspace.fails("explain catalog:bmm/pm /role", 3, &["/role"]);
    workspace.fails("explain catalog:bmm/pm title", 2, &["error["]);
}

#[test]
fn names_are_found_as_elsewhere() {
    let workspace = workspace();
    assert_eq!(
        workspace.good("explain catalog:pm"),
        workspace.good("explain catalog:bmm/pm")
    );
    assert!(
        workspace
            .good("explain catalog:cis/up")
            .contains("from user")
    );
    workspace.fails(
        "explain catalog:bmm/pn",
        3,
        &["error[name/unknown]", "did you mean `bmm/pm`"],
    );
    workspace.fails(
        "explain catalog:nobody/nothing",
        3,
        &["error[name/unknown]"],
    );
    workspace.fails("explain catalog:", 2, &["`catalog:` names nothing"]);
}

#[test]
fn a_kind_before_the_module_decides() {
    let workspace = workspace();
    workspace.write(
        "bmad/_cfg/workflow-manifest.csv",
        "name,title,module\npm,Flow,bmm\n",
    );
    workspace.fails("explain catalog:bmm/pm", 3, &["agent", "workflow"]);
    for (kind, word) in [
        ("agent", "Custom PM"),
        ("agents", "Custom PM"),
        ("workflow", "Flow"),
        ("workflows", "Flow"),
    ] {
        let text = workspace.good(&format!("explain catalog:{kind}/bmm/pm /title"));
        assert!(text.contains(word), "{kind}\n{text}");
    }
}

#[test]
fn the_way_out_of_two_kinds_is_one_that_explain_has() {
    let workspace = workspace();
    workspace.write(
        "bmad/_cfg/workflow-manifest.csv",
        "name,title,module\npm,Flow,bmm\n",
    );
    let output = workspace.fails("explain catalog:bmm/pm", 3, &["help:"]);
    assert!(
        !output.stderr.contains("`--kind`"),
        "explain has no `--kind`\n{output}"
    );
}

#[test]
fn json_is_one_document() {
    let workspace = workspace();
    let output = workspace.run("--json explain catalog:bmm/pm /title");
    assert_eq!(
        (output.code, output.stderr.as_str()),
        (Some(0), ""),
        "{output}"
    );
    assert!(
        output.stdout.contains("Custom PM") && output.stdout.contains("project"),
        "{output}"
    );
    let output = workspace.run("--json explain catalog:bmm/nobody");
    assert_eq!(
        (output.code, codes(&output)),
        (Some(3), vec!["name/unknown".to_owned()]),
        "{output}"
    );
}

#[test]
fn a_short_row_hides_what_is_below_as_a_whole() {
    let workspace = Workspace::of(&[
        (PROJECT, "name,title\npm\n"),
        (HOME, "name,title\npm,Home\n"),
    ]);
    let text = workspace.warned("explain catalog:pm", &["warning[csv/ragged]"]);
    assert!(
        text.contains("/name = \"pm\"") && !text.contains("/title = "),
        "{text}"
    );
}
