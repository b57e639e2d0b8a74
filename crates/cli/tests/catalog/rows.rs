//! Precedence of rows: rank, identity, duplicates, order.

use crate::support::{HOME, PROJECT, Workspace, only, text};

#[test]
fn the_whole_row_is_one_layers_also_where_its_fields_are_empty() {
    let workspace = Workspace::of(&[
        (PROJECT, "name,title,module,path,icon\npm,,bmm,,\n"),
        (
            HOME,
            "name,title,module,path,role,icon\npm,Title,bmm,bmad/pm.md,Role,🎉\n",
        ),
    ]);
    let row = only(workspace.rows("catalog"));
    assert_eq!(text(&row, "layer"), Some("project"));
    assert_eq!(
        ["title", "path", "icon"].map(|key| text(&row, key)),
        [Some(""); 3]
    );
    assert!(row.get("role").is_none(), "{}", row.to_json());
    assert_eq!(
        workspace.good("catalog --format csv"),
        "name,title,icon,module,path\n\"pm\",\"\",\"\",\"bmm\",\"\"\n"
    );
}

#[test]
fn identity_is_kind_module_and_name() {
    let workspace = Workspace::of(&[
        (PROJECT, "name,module\nx,a\nx,b\nx,\n"),
        ("bmad/_cfg/workflow-manifest.csv", "name,module\nx,a\n"),
        (HOME, "name,module\nx,a\nx,c\nX,a\n"),
    ]);
    let expected = [
        "agent /x project",
        "agent a/X user",
        "agent a/x project",
        "agent b/x project",
        "agent c/x user",
        "workflow a/x project",
    ];
    assert_eq!(workspace.names("catalog"), expected);
    workspace.good("catalog");
}

#[test]
fn spaces_around_names_and_modules_do_not_make_another_identity() {
    let workspace = Workspace::of(&[
        (PROJECT, "name , module\n pm ,bmm \n"),
        (HOME, "name,module\n\" pm\",\"bmm \"\n"),
    ]);
    assert_eq!(workspace.names("catalog"), ["agent bmm/pm project"]);
}

#[test]
fn of_two_rows_in_one_file_the_upper_is_used_with_a_warning() {
    let workspace = Workspace::agents(
        "pm,upper,bmm,\npm,lower,bmm,\npm,other,cis,\n",
        "pm,home,bmm,\n",
    );
    let words = [
        "warning[catalog/duplicate]",
        "bmm/pm",
        "agent-manifest.csv:3",
        "this one applies",
    ];
    let text = workspace.warned("catalog --format csv", &words);
    assert_eq!(
        text,
        "name,title,module,path\n\"pm\",\"upper\",\"bmm\",\"\"\n\"pm\",\"other\",\"cis\",\"\"\n"
    );
}

#[test]
fn a_row_that_occurs_three_times_is_reported_twice() {
    let workspace = Workspace::agents("pm,1,,\npm,2,,\ndev,,,\npm,3,,\n", "");
    let output = workspace.run("catalog");
    assert_eq!(
        output.stderr.matches("warning[catalog/duplicate]").count(),
        2,
        "{output}"
    );
    assert!(
        output.stderr.contains("agent-manifest.csv:3")
            && output.stderr.contains("agent-manifest.csv:5"),
        "{output}"
    );
}

#[test]
fn two_rows_in_two_layers_or_two_files_are_not_mistake() {
    let workspace = Workspace::agents("pm,1,bmm,\n", "pm,2,bmm,\n");
    workspace.write("bmad/bmm/_cfg/agent-manifest.csv", "name\npm\n");
    workspace.good("catalog");
}

#[test]
fn duplicates_in_a_lower_layer_are_reported_too() {
    let workspace = Workspace::agents("pm,,,\n", "pm,1,,\npm,2,,\n");
    workspace.warned(
        "catalog",
        &[
            "warning[catalog/duplicate]",
            ".bmad/_cfg/agent-manifest.csv:3",
        ],
    );
}

#[test]
fn a_malformed_file_does_not_shadow_what_is_below() {
    let workspace = Workspace::agents("pm,\"open,,\n", "pm,home,,\n");
    assert_eq!(workspace.names("catalog"), ["agent /pm user"]);
}

#[test]
fn the_order_is_by_kind_module_and_name_whatever_the_order_of_files_and_rows() {
    let workspace = Workspace::of(&[]);
    for file in ["skill", "tool", "task", "workflow", "agent"] {
        let rows = "name,module\nb,z\na,z\nB,a\nb,a\na10,a\na2,a\n\u{e9},a\nz,\n";
        let (upper, lower) = rows.split_at("name,module\nb,z\na,z\nB,a\n".len());
        workspace.write(&format!("bmad/_cfg/{file}-manifest.csv"), upper);
        workspace.write(
            &format!("~/_bmad/_config/{file}-manifest.csv"),
            format!("name,module\n{lower}"),
        );
    }
    let of_kind = [
        "/z", "a/B", "a/a10", "a/a2", "a/b", "a/\u{e9}", "z/a", "z/b",
    ];
    let kinds = ["agent", "workflow", "task", "tool", "skill"];
    let expected: Vec<String> = kinds
        .iter()
        .flat_map(|kind| of_kind.map(|name| format!("{kind} {name}")))
        .collect();
    let names = workspace.names("catalog");
    let names: Vec<&str> = names
        .iter()
        .map(|name| name.rsplit_once(' ').unwrap().0)
        .collect();
    assert_eq!(names, expected);
    let csv = workspace.good("catalog --format csv");
    let fields: Vec<&str> = csv
        .lines()
        .skip(1)
        .map(|line| line.split('"').nth(1).unwrap())
        .collect();
    let expected: Vec<&str> = expected
        .iter()
        .map(|name| name.rsplit('/').next().unwrap())
        .collect();
    assert_eq!(fields, expected);
}

#[test]
fn a_row_without_a_name_is_reported_and_does_not_count() {
    let workspace = Workspace::agents(",Nobody,bmm,x.md\n  ,Blank,,\npm,,,\n,,,\n", "");
    let output = workspace.run("catalog");
    assert_eq!(
        output.stderr.matches("warning[catalog/nameless]").count(),
        2,
        "{output}"
    );
    assert!(output.stderr.contains("agent-manifest.csv:2"), "{output}");
    assert_eq!(workspace.names("catalog"), ["agent /pm project"]);
}

#[test]
fn twenty_runs_give_the_same_bytes() {
    let workspace = Workspace::agents("b,,z,\na,,y,\n", "c,,x,\na,,y,\n");
    for format in ["table", "csv", "json"] {
        let line = format!("catalog --all --format {format}");
        let expected = workspace.good(&line);
        (0..20).for_each(|_| assert_eq!(workspace.good(&line), expected));
    }
}
