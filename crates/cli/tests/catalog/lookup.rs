//! Lookup of entries by name.

use crate::support::{PROJECT, Workspace, codes};

fn workspace() -> Workspace {
    let workspace = Workspace::of(&[
        (
            PROJECT,
            "name,module,path\npm,bmm,bmad/1\npm,cis,bmad/2\ndev,bmm,bmad/3\nanalyst,bmm,bmad/4\nboth,bmm,bmad/5\n",
        ),
        (
            "bmad/_cfg/workflow-manifest.csv",
            "name,module,path\nboth,bmm,bmad/6\nplan,bmm,bmad/7\n",
        ),
    ]);
    (1..8).for_each(|at| workspace.write(&format!("bmad/{at}"), format!("{at}\n")));
    workspace
}

#[test]
fn a_bare_name_in_one_module_is_enough() {
    let workspace = workspace();
    assert_eq!(workspace.good("catalog show dev"), "3\n");
    assert_eq!(workspace.good("catalog show bmm/dev"), "3\n");
    assert_eq!(workspace.good("catalog show plan"), "7\n");
}

#[test]
fn a_bare_name_in_two_modules_is_reported_with_the_qualified_names() {
    let workspace = workspace();
    workspace.fails(
        "catalog show pm",
        3,
        &["error[", "`bmm/pm`", "`cis/pm`", "help:"],
    );
    workspace.fails("catalog show pm --path", 3, &["`bmm/pm`", "`cis/pm`"]);
    assert_eq!(workspace.good("catalog show bmm/pm"), "1\n");
    assert_eq!(workspace.good("catalog show cis/pm"), "2\n");
    workspace.fails("explain catalog:pm", 3, &["`bmm/pm`", "`cis/pm`"]);
}

#[test]
fn two_modules_in_two_layers_are_two_modules() {
    let workspace = Workspace::agents("pm,,bmm,a\n", "pm,,cis,a\n");
    workspace.fails("catalog show pm", 3, &["`bmm/pm`", "`cis/pm`"]);
}

#[test]
fn one_module_in_two_layers_is_one_entry() {
    let workspace = Workspace::agents("pm,,bmm,bmad/pm.md\n", "pm,,bmm,x\n");
    workspace.write("bmad/pm.md", "x\n");
    assert_eq!(workspace.good("catalog show pm"), "x\n");
}

#[test]
fn a_name_of_two_kinds_is_reported_and_the_kind_decides() {
    let workspace = workspace();
    workspace.fails("catalog show both", 3, &["agent", "workflow", "--kind"]);
    workspace.fails("catalog show bmm/both", 3, &["agent", "workflow", "--kind"]);
    for (kind, content) in [
        ("agent", "5\n"),
        ("agents", "5\n"),
        ("workflow", "6\n"),
        ("workflows", "6\n"),
    ] {
        assert_eq!(
            workspace.good(&format!("catalog show both --kind {kind}")),
            content
        );
        assert_eq!(
            workspace.good(&format!("catalog show bmm/both --kind {kind}")),
            content
        );
    }
    workspace.fails(
        "catalog show dev --kind workflow",
        3,
        &["error[name/unknown]", "workflow"],
    );
}

#[test]
fn an_unknown_name_is_reported_with_near_names() {
    let workspace = workspace();
    for (name, near) in [
        ("analist", "did you mean `"),
        ("bmm/analist", "did you mean `bmm/analyst`"),
        ("bmn/dev", "did you mean `bmm/dev`"),
        ("plann", "did you mean `"),
    ] {
        workspace.fails(
            &format!("catalog show {name}"),
            3,
            &["error[name/unknown]", name, near],
        );
    }
    for name in [
        "nobody",
        "bmm/nobody",
        "cis/dev",
        "bmm",
        "bmm/",
        "/dev",
        "a/b/c/d",
    ] {
        workspace.fails(
            &format!("catalog show {name}"),
            3,
            &["error[name/unknown]", name, "help:"],
        );
    }
}

#[test]
fn failures_as_json_have_code_and_help() {
    let workspace = workspace();
    for name in ["pm", "nobody", "both"] {
        let output = workspace.run(&format!("--json catalog show {name}"));
        assert_eq!(
            (output.code, output.stderr.as_str()),
            (Some(3), ""),
            "{output}"
        );
        assert_eq!(codes(&output), ["name/unknown"], "{output}");
        assert!(
            output.stdout.contains("\"ok\": false") && output.stdout.contains("\"help\""),
            "{output}"
        );
    }
}

#[test]
fn an_entry_without_a_module_has_its_bare_name() {
    let workspace =
        Workspace::of(&[(PROJECT, "name,module,path\npm,,bmad/own\npm,bmm,bmad/bmm\n")]);
    workspace.write("bmad/own", "own\n");
    workspace.write("bmad/bmm", "bmm\n");
    assert_eq!(workspace.good("catalog show bmm/pm"), "bmm\n");
    let output = workspace.run("catalog show pm");
    // It is the only name of this entry, so it is not ambiguous.
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (Some(0), "own\n"),
        "{output}"
    );
}

#[test]
fn names_with_spaces_and_other_letters_are_found() {
    let workspace = Workspace::of(&[(
        PROJECT,
        "name,module,path\nProduct Manager,bmm,bmad/a\nété,bmm,bmad/b\n",
    )]);
    workspace.write("bmad/a", "a\n");
    workspace.write("bmad/b", "b\n");
    let output = workspace
        .sandbox
        .run(["catalog", "show", "Product Manager"]);
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (Some(0), "a\n"),
        "{output}"
    );
    assert_eq!(workspace.good("catalog show bmm/été"), "b\n");
}

#[test]
fn the_right_name_in_another_module_is_near() {
    let workspace = Workspace::agents("pm,,bmm,\ndev,,core,\n", "");
    workspace.fails(
        "catalog show core/pm",
        3,
        &["error[name/unknown]", "did you mean `bmm/pm`?"],
    );
    workspace.fails(
        "explain catalog:zz/pm",
        3,
        &["error[name/unknown]", "did you mean `bmm/pm`?"],
    );
    let workspace = Workspace::agents("pm,,,\n", "");
    workspace.warned(
        "catalog --module q",
        &["note[catalog/empty]", "no entry has the module `q`"],
    );
}
