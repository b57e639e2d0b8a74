//! Columns: generations, unknown ones, order.

use crate::support::{HOME, PROJECT, Workspace, only, text};

/// The columns that are known, in the order of every output.
const KNOWN: [&str; 14] = [
    "name",
    "displayName",
    "title",
    "icon",
    "capabilities",
    "role",
    "identity",
    "communicationStyle",
    "principles",
    "description",
    "module",
    "path",
    "standalone",
    "canonicalId",
];

#[test]
fn any_generation_of_columns_is_read_by_its_names() {
    for header in [
        "name,displayName,title,icon,role,identity,communicationStyle,principles,module,path",
        "name,displayName,title,icon,capabilities,role,identity,communicationStyle,principles,module,path,canonicalId",
        "name,description,module,path",
        "name,description,module,path,standalone",
        "canonicalId,name,description,module,path",
        "name,displayName,description,module,path,standalone,canonicalId",
        "path,module,name",
        "name",
    ] {
        let columns: Vec<&str> = header.split(',').collect();
        let values: Vec<String> = columns
            .iter()
            .map(|column| format!("the {column}"))
            .collect();
        let workspace = Workspace::of(&[(PROJECT, &format!("{header}\n{}\n", values.join(",")))]);
        let row = only(workspace.rows("catalog"));
        for (column, value) in columns.iter().zip(&values) {
            assert_eq!(text(&row, column), Some(value.as_str()), "{header}");
        }
        let csv = workspace.good("catalog --format csv");
        let expected: Vec<&str> = KNOWN
            .into_iter()
            .filter(|column| columns.contains(column))
            .collect();
        let fields: Vec<String> = expected
            .iter()
            .map(|column| format!("\"the {column}\""))
            .collect();
        assert_eq!(
            csv,
            format!("{}\n{}\n", expected.join(","), fields.join(",")),
            "{header}"
        );
    }
}

#[test]
fn known_columns_are_in_their_order_whatever_the_order_of_the_manifest() {
    let mut reversed = KNOWN;
    reversed.reverse();
    let workspace = Workspace::of(&[(
        PROJECT,
        &format!("{}\n{}\n", reversed.join(","), reversed.join(",")),
    )]);
    let quoted = KNOWN.map(|column| format!("\"{column}\""));
    assert_eq!(
        workspace.good("catalog --format csv"),
        format!("{}\n{}\n", KNOWN.join(","), quoted.join(","))
    );
}

#[test]
fn unknown_columns_are_kept_after_the_known_ones_as_first_seen() {
    let workspace = Workspace::of(&[
        (PROJECT, "zeta,name,alpha,path\nz1,a,a1,p1\n"),
        (HOME, "beta,alpha,name,title\nb2,a2,b,t2\n"),
    ]);
    assert_eq!(
        workspace.good("catalog --format csv"),
        "name,title,path,zeta,alpha,beta\n\
         \"a\",\"\",\"p1\",\"z1\",\"a1\",\"\"\n\
         \"b\",\"t2\",\"\",\"\",\"a2\",\"b2\"\n"
    );
    let rows = workspace.rows("catalog");
    assert_eq!(
        (text(&rows[0], "zeta"), text(&rows[1], "beta")),
        (Some("z1"), Some("b2"))
    );
    assert!(rows[0].get("beta").is_none());
}

#[test]
fn the_union_is_of_the_rows_that_are_listed() {
    let workspace = Workspace::of(&[
        (PROJECT, "name,title,odd\na,A,o\n"),
        (
            "bmad/_cfg/workflow-manifest.csv",
            "name,description,standalone\nplan,Plans,true\n",
        ),
    ]);
    assert_eq!(
        workspace.good("catalog agents --format csv"),
        "name,title,odd\n\"a\",\"A\",\"o\"\n"
    );
    assert_eq!(
        workspace.good("catalog workflows --format csv"),
        "name,description,standalone\n\"plan\",\"Plans\",\"true\"\n"
    );
    assert_eq!(
        workspace.good("catalog --format csv"),
        "name,title,description,standalone,odd\n\"a\",\"A\",\"\",\"\",\"o\"\n\"plan\",\"\",\"Plans\",\"true\",\"\"\n"
    );
}

#[test]
fn columns_that_have_names_of_ours_do_not_hide_what_is_ours() {
    let workspace = Workspace::of(&[(PROJECT, "name,layer,manifest,file,kind\npm,l,m,f,k\n")]);
    let row = only(workspace.rows("catalog"));
    assert_eq!(
        (text(&row, "kind"), text(&row, "layer")),
        (Some("agent"), Some("project"))
    );
    assert!(text(&row, "manifest").unwrap().ends_with(PROJECT));
    assert_eq!(row.get("file"), Some(&agpm_text::Value::Null));
    let values: Vec<String> = ["l", "m", "f", "k"]
        .map(|value| format!("\"{value}\""))
        .to_vec();
    values
        .iter()
        .for_each(|value| assert!(row.to_json().contains(value), "{value}: {}", row.to_json()));
    assert_eq!(
        workspace.good("catalog --format csv"),
        "name,layer,manifest,file,kind\n\"pm\",\"l\",\"m\",\"f\",\"k\"\n"
    );
}

#[test]
fn of_duplicate_columns_the_left_one_is_used_with_a_warning() {
    let workspace = Workspace::of(&[(PROJECT, "name,title,title\npm,one,two\n")]);
    let text = workspace.warned(
        "catalog --format csv",
        &["duplicate field `title`", "agent-manifest.csv:1"],
    );
    assert_eq!(text, "name,title\n\"pm\",\"one\"\n");
}

#[test]
fn names_of_columns_with_commas_and_quotes_stay_one_column() {
    let workspace = Workspace::of(&[(PROJECT, "name,\"a,b\",\"say \"\"x\"\"\"\npm,1,2\n")]);
    let csv = workspace.good("catalog --format csv");
    assert_eq!(csv, "name,\"a,b\",\"say \"\"x\"\"\"\n\"pm\",\"1\",\"2\"\n");
    let again = Workspace::of(&[(PROJECT, &csv)]);
    assert_eq!(again.good("catalog --format csv"), csv);
}
