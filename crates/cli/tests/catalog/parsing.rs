//! The syntax of manifests: byte order marks, line ends, spaces, quotes, ragged rows.

use crate::support::{HOME, PROJECT, Workspace, diagnostics, only, text};

/// Asserts the output for a manifest, without warnings.
fn printed(manifest: &str) -> String {
    Workspace::of(&[(PROJECT, manifest)]).good("catalog --format csv")
}

#[test]
fn marks_line_ends_blank_lines_and_spaces_are_fine() {
    let plain =
        "name,title,module\n\"dev\",\"Developer\",\"bmm\"\n\"pm\",\"Product Manager\",\"bmm\"\n";
    for manifest in [
        "name,title,module\ndev,Developer,bmm\npm,Product Manager,bmm\n",
        "name,title,module\ndev,Developer,bmm\npm,Product Manager,bmm",
        "\u{feff}name,title,module\ndev,Developer,bmm\npm,Product Manager,bmm\n",
        "name,title,module\r\ndev,Developer,bmm\r\npm,Product Manager,bmm\r\n",
        "\u{feff}name,title,module\r\ndev,Developer,bmm\r\npm,Product Manager,bmm",
        "\n\nname,title,module\n\n\ndev,Developer,bmm\n   \n\t\npm,Product Manager,bmm\n\n\n",
        " name , title , module \n dev , Developer , bmm \n\tpm\t,\tProduct Manager\t,\tbmm\t\n",
        "name,\"title\",module\n\"dev\",Developer,\"bmm\"\npm, \"Product Manager\" ,bmm\n",
        "name,title,module\n\"dev\",\"Developer\",\"bmm\"\n\"pm\",\"Product Manager\",\"bmm\"\n",
        "name,title,module\r\ndev,Developer,bmm\npm,Product Manager,bmm\r\n\r\n",
    ] {
        assert_eq!(printed(manifest), plain, "{manifest:?}");
    }
}

#[test]
fn quoted_commas_doubled_quotes_newlines_and_emoji_are_content() {
    let manifest = "name,title,icon\npm,\"Plans, \"\"always\"\"\",📋\ndev,\"two\nlines, one field\",\"👩‍💻\"\nqa,\"\",é\n";
    let expected = "name,title,icon\n\"dev\",\"two\nlines, one field\",\"👩‍💻\"\n\
                    \"pm\",\"Plans, \"\"always\"\"\",\"📋\"\n\"qa\",\"\",\"é\"\n";
    assert_eq!(printed(manifest), expected);
    let workspace = Workspace::of(&[(PROJECT, manifest)]);
    let rows = workspace.rows("catalog");
    assert_eq!(text(&rows[1], "title"), Some("Plans, \"always\""));
    assert_eq!(text(&rows[0], "title"), Some("two\nlines, one field"));
    assert_eq!(text(&rows[0], "icon"), Some("👩‍💻"));
    assert_eq!(
        workspace.good("catalog").lines().count(),
        4,
        "one line for each row"
    );
}

#[test]
fn spaces_and_line_ends_in_quotes_are_content() {
    assert_eq!(
        printed("name,title\npm,\" a \"\n"),
        "name,title\n\"pm\",\" a \"\n"
    );
    assert_eq!(
        printed("name,title\r\npm,\"a\r\nb\"\r\n"),
        "name,title\n\"pm\",\"a\r\nb\"\n"
    );
}

#[test]
fn a_quote_in_the_middle_of_a_bare_field_is_content() {
    assert_eq!(
        printed("name,title\npm,6\" tall\n"),
        "name,title\n\"pm\",\"6\"\" tall\"\n"
    );
}

#[test]
fn a_short_row_is_reported_with_its_line_and_its_fields_stay_where_they_are() {
    let workspace = Workspace::of(&[(
        PROJECT,
        "name,title,module,path\ndev,Developer,bmm,d.md\n\npm,Plans\n",
    )]);
    let words = [
        "warning[csv/ragged]: 2 fields where the header names 4",
        "agent-manifest.csv:4",
        "help:",
    ];
    assert_eq!(
        workspace.warned("catalog --format csv", &words),
        "name,title,module,path\n\"pm\",\"Plans\",\"\",\"\"\n\"dev\",\"Developer\",\"bmm\",\"d.md\"\n"
    );
    assert_eq!(
        workspace.names("catalog"),
        ["agent /pm project", "agent bmm/dev project"]
    );
}

#[test]
fn a_long_row_is_reported_with_its_line_and_its_fields_stay_where_they_are() {
    let workspace = Workspace::of(&[(
        PROJECT,
        "name,title,module\npm,Plans, always,bmm\ndev,Developer,bmm\n",
    )]);
    let words = [
        "warning[csv/ragged]: 4 fields where the header names 3",
        "agent-manifest.csv:2",
        "help:",
    ];
    assert_eq!(
        workspace.warned("catalog --format csv", &words),
        "name,title,module\n\"pm\",\"Plans\",\"always\"\n\"dev\",\"Developer\",\"bmm\"\n"
    );
}

#[test]
fn a_short_row_that_wins_is_not_filled_from_below() {
    let workspace = Workspace::of(&[
        (PROJECT, "name,title,path\npm\n"),
        (HOME, "name,title,path\npm,Home,p.md\n"),
    ]);
    assert_eq!(
        workspace.warned("catalog --format csv", &["csv/ragged"]),
        "name,title,path\n\"pm\",\"\",\"\"\n"
    );
    let row = only(workspace.rows("catalog"));
    assert_eq!(
        (text(&row, "title").unwrap_or(""), text(&row, "layer")),
        ("", Some("project"))
    );
}

#[test]
fn diagnostics_as_json_have_file_line_and_layer() {
    let workspace = Workspace::of(&[(HOME, "name,title\n\npm,a,b\n")]);
    let found = diagnostics(&workspace.run("--json catalog"));
    let [finding] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(
        (text(finding, "code"), text(finding, "severity")),
        (Some("csv/ragged"), Some("warning"))
    );
    assert!(
        text(finding, "file")
            .unwrap()
            .ends_with(".bmad/_cfg/agent-manifest.csv"),
        "{finding:?}"
    );
    assert_eq!(finding.get("line"), Some(&agpm_text::Value::from(3_i64)));
    assert_eq!(text(finding, "layer"), Some("user"));
}

#[test]
fn a_row_of_commas_alone_is_as_good_as_a_blank_line() {
    assert_eq!(
        printed("name,title\n,\npm,x\n,\n"),
        "name,title\n\"pm\",\"x\"\n"
    );
}

#[test]
fn csv_output_reads_as_the_same_catalog() {
    let manifest = "name,x,title\r\npm, \"a \"\"b\"\"\r\nc\" ,\" t \"\r\n\u{1f389},,\"\"\r\n";
    let csv = printed(manifest);
    assert_eq!(printed(&csv), csv);
    let rows = |text: &str| -> Vec<Vec<Option<String>>> {
        let workspace = Workspace::of(&[(PROJECT, text)]);
        let fields = |row: &agpm_text::Value| {
            ["name", "title", "x"]
                .map(|key| crate::support::text(row, key).map(str::to_owned))
                .to_vec()
        };
        workspace.rows("catalog").iter().map(fields).collect()
    };
    assert_eq!(rows(manifest), rows(&csv));
}

#[test]
fn many_rows_are_all_there() {
    let rows: String = (0..5000)
        .map(|at| format!("agent{at:04},Title {at},m{},\n", at % 7))
        .collect();
    let workspace = Workspace::agents(&rows, "agent0000,home,m0,\nzz,home,m0,\n");
    assert_eq!(workspace.good("catalog --format csv").lines().count(), 5002);
}
