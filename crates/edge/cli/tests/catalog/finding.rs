//! Which entry a name means.

use crate::support::{PROJECT, Place, codes};

fn place() -> Place {
    let place = Place::of(&[
        (
            PROJECT,
            "name,module,path\npm,bmm,bmad/1\npm,cis,bmad/2\ndev,bmm,bmad/3\nanalyst,bmm,bmad/4\nboth,bmm,bmad/5\n",
        ),
        (
            "bmad/_cfg/workflow-manifest.csv",
            "name,module,path\nboth,bmm,bmad/6\nplan,bmm,bmad/7\n",
        ),
    ]);
    (1..8).for_each(|at| place.write(&format!("bmad/{at}"), format!("{at}\n")));
    place
}

#[test]
fn a_bare_name_in_one_module_is_enough() {
    let place = place();
    assert_eq!(place.good("catalog show dev"), "3\n");
    assert_eq!(place.good("catalog show bmm/dev"), "3\n");
    assert_eq!(place.good("catalog show plan"), "7\n");
}

#[test]
fn a_bare_name_in_two_modules_is_reported_with_the_qualified_names() {
    let place = place();
    place.fails(
        "catalog show pm",
        3,
        &["error[", "`bmm/pm`", "`cis/pm`", "help:"],
    );
    place.fails("catalog show pm --path", 3, &["`bmm/pm`", "`cis/pm`"]);
    assert_eq!(place.good("catalog show bmm/pm"), "1\n");
    assert_eq!(place.good("catalog show cis/pm"), "2\n");
    place.fails("explain catalog:pm", 3, &["`bmm/pm`", "`cis/pm`"]);
}

#[test]
fn two_modules_in_two_layers_are_two_modules() {
    let place = Place::agents("pm,,bmm,a\n", "pm,,cis,a\n");
    place.fails("catalog show pm", 3, &["`bmm/pm`", "`cis/pm`"]);
}

#[test]
fn one_module_in_two_layers_is_one_entry() {
    let place = Place::agents("pm,,bmm,bmad/pm.md\n", "pm,,bmm,x\n");
    place.write("bmad/pm.md", "x\n");
    assert_eq!(place.good("catalog show pm"), "x\n");
}

#[test]
fn a_name_of_two_kinds_is_reported_and_the_kind_decides() {
    let place = place();
    place.fails("catalog show both", 3, &["agent", "workflow", "--kind"]);
    place.fails("catalog show bmm/both", 3, &["agent", "workflow", "--kind"]);
    for (kind, content) in [
        ("agent", "5\n"),
        ("agents", "5\n"),
        ("workflow", "6\n"),
        ("workflows", "6\n"),
    ] {
        assert_eq!(
            place.good(&format!("catalog show both --kind {kind}")),
            content
        );
        assert_eq!(
            place.good(&format!("catalog show bmm/both --kind {kind}")),
            content
        );
    }
    place.fails(
        "catalog show dev --kind workflow",
        3,
        &["error[name/unknown]", "workflow"],
    );
}

#[test]
fn an_unknown_name_is_reported_with_near_names() {
    let place = place();
    for (name, near) in [
        ("analist", "did you mean `"),
        ("bmm/analist", "did you mean `bmm/analyst`"),
        ("bmn/dev", "did you mean `bmm/dev`"),
        ("plann", "did you mean `"),
    ] {
        place.fails(
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
        place.fails(
            &format!("catalog show {name}"),
            3,
            &["error[name/unknown]", name, "help:"],
        );
    }
}

#[test]
fn failures_as_json_have_code_and_help() {
    let place = place();
    for name in ["pm", "nobody", "both"] {
        let output = place.run(&format!("--json catalog show {name}"));
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
    let place = Place::of(&[(PROJECT, "name,module,path\npm,,bmad/own\npm,bmm,bmad/bmm\n")]);
    place.write("bmad/own", "own\n");
    place.write("bmad/bmm", "bmm\n");
    assert_eq!(place.good("catalog show bmm/pm"), "bmm\n");
    let output = place.run("catalog show pm");
    // It is the only name that this entry has, so that it means no other.
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (Some(0), "own\n"),
        "{output}"
    );
}

#[test]
fn names_with_spaces_and_other_letters_are_found() {
    let place = Place::of(&[(
        PROJECT,
        "name,module,path\nProduct Manager,bmm,bmad/a\nété,bmm,bmad/b\n",
    )]);
    place.write("bmad/a", "a\n");
    place.write("bmad/b", "b\n");
    let shown = place.sandbox.run(["catalog", "show", "Product Manager"]);
    assert_eq!(
        (shown.code, shown.stdout.as_str()),
        (Some(0), "a\n"),
        "{shown}"
    );
    assert_eq!(place.good("catalog show bmm/été"), "b\n");
}

#[test]
fn the_right_name_in_another_module_is_near() {
    let place = Place::agents("pm,,bmm,\ndev,,core,\n", "");
    place.fails(
        "catalog show core/pm",
        3,
        &["error[name/unknown]", "did you mean `bmm/pm`?"],
    );
    place.fails(
        "explain catalog:zz/pm",
        3,
        &["error[name/unknown]", "did you mean `bmm/pm`?"],
    );
    let place = Place::agents("pm,,,\n", "");
    place.warned(
        "catalog --module q",
        &["note[catalog/empty]", "no entry has the module `q`"],
    );
}
