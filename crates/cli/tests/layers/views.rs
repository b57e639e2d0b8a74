//! `agpm layers` and `agpm explain file:…`.

use agpm_testkit::Repository;

use crate::support::{ACME, Project, SETTINGS, directory, json, of_source};

#[test]
fn layers_are_listed_lowest_first_with_snapshot_count_and_what_was_skipped() {
    let project = Project::new();
    let mut source = Repository::init(&project.sandbox, "acme");
    let commit = source.commit(&[
        ("CLAUDE.md", "x\n"),
        (SETTINGS, "{}"),
        ("README.md", "no\n"),
    ]);
    source.tag("v1.0.0");
    project.layer("me", "CLAUDE.md", "me\n");
    project.layer("me", ".claude/.DS_Store", "no\n");
    project.plain_manifest(&format!(
        "{ACME}{}{}{}",
        of_source("org", "version = \"^1.0\""),
        directory("me"),
        directory("gone")
    ));
    let before = project.tree();
    let output = project.good("layers");
    let rows: Vec<Vec<&str>> = output
        .stdout
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows[0], ["Rank", "Layer", "Location", "Snapshot", "Files"]);
    assert_eq!(
        rows[1][..4],
        ["1", "org", "acme@v1.0.0", "v1.0.0"],
        "{output}"
    );
    assert_eq!(
        (rows[1][4], rows[1][5]),
        (format!("({})", &commit[..8]).as_str(), "2"),
        "{output}"
    );
    assert_eq!(
        (rows[2][..3].to_vec(), rows[2][4]),
        (vec!["2", "me", "../me"], "1"),
        "{output}"
    );
    assert_eq!(
        rows[3],
        ["3", "gone", "../gone", "not", "found", "-"],
        "{output}"
    );
    for line in [
        "org: skipped README.md: not in `include`",
        "me: skipped .claude/.DS_Store: a file of version control",
    ] {
        assert!(output.stdout.contains(line), "no `{line}` in\n{output}");
    }
    assert!(output.stderr.contains("layers/missing"), "{output}");
    let value = json(&project.good("layers --json").stdout);
    let layers = value.get("layers").unwrap();
    let field = |at: &str, key: &str| {
        layers
            .child(at)
            .unwrap()
            .get(key)
            .unwrap()
            .to_json()
            .trim()
            .to_owned()
    };
    assert_eq!(
        (field("0", "rank"), field("0", "files")),
        ("1".to_owned(), "2".to_owned())
    );
    assert_eq!(field("0", "commit"), format!("\"{commit}\""));
    assert!(field("1", "checksum").starts_with("\"sha256:"));
    assert_eq!(field("2", "present"), "false");
    assert!(field("0", "skipped").contains("README.md"));
    assert_eq!(project.tree(), before);
    project.good("install");
    assert_eq!(project.good("layers").stdout, output.stdout);
    assert!(
        project
            .read("agpm.lock")
            .contains(field("1", "checksum").trim_matches('"'))
    );
}

#[test]
fn without_layers_there_are_none() {
    let project = Project::layered(&[], "");
    let empty = project.good("layers");
    assert_eq!(empty.stdout, "");
    assert_eq!(
        empty.stderr,
        "No layers. Add one as `[[layers]]` in `agpm.toml`.\n"
    );
    assert_eq!(project.good("-q layers").stderr, "");
    assert!(
        project
            .good("layers --json")
            .stdout
            .contains("\"layers\": []")
    );
}

fn three() -> Project {
    Project::stacked(
        SETTINGS,
        &[
            "{\n  \"model\": \"a\",\n  \"allow\": [\"Read\", \"Edit\"],\n  \"only\": true\n}\n",
            "{\n  \"model\": \"b\"\n}\n",
            "{\n  \"allow\": [\"Web\"],\n  \"model\": \"c\"\n}\n",
        ],
        "[merge]\n\"*.json\" = \"extend-lists\"\n",
    )
}

#[test]
fn explain_names_layer_file_and_line_and_what_is_shadowed() {
    let project = three();
    let expected = "\
/model = \"c\"
  from me (../me/.claude/settings.json:3), replace
  shadows team (../team/.claude/settings.json:2): \"b\"
  shadows org (../org/.claude/settings.json:2): \"a\"
";
    for installed in [false, true] {
        if installed {
            project.good("install");
        }
        let before = project.tree();
        let output = project.good(&format!("explain file:{SETTINGS} /model"));
        assert_eq!(
            (output.stdout.as_str(), output.stderr.as_str()),
            (expected, ""),
            "installed: {installed}"
        );
        let output = project.good(&format!("explain file:{SETTINGS} /allow/2"));
        assert!(
            output
                .stdout
                .starts_with("/allow/2 = \"Web\"\n  from me (../me/.claude/settings.json:2)"),
            "{output}"
        );
        let output = project.good(&format!("explain file:{SETTINGS}"));
        assert_eq!(output.stdout.matches("  from ").count(), 5, "{output}");
        assert_eq!(project.tree(), before);
    }
}

#[test]
fn explain_follows_the_places_on_the_disk() {
    let project = three();
    project.write(SETTINGS, "{\"allow\": [\"mine\"], \"own\": {\"x\": 1}}\n");
    project.good("install");
    project.says(SETTINGS, "{\"allow\": [\"mine\", \"Read\", \"Edit\", \"Web\"], \"own\": {\"x\": 1}, \"model\": \"c\", \"only\": true}");
    for (pointer, words) in [
        ("/allow/0", "/allow/0 = \"mine\"\n  from yours ("),
        (
            "/allow/1",
            "/allow/1 = \"Read\"\n  from org (../org/.claude/settings.json:3)",
        ),
        (
            "/allow/3",
            "/allow/3 = \"Web\"\n  from me (../me/.claude/settings.json:2)",
        ),
        ("/own", "/own/x = 1\n  from yours (.claude/settings.json:1)"),
        (
            "/only",
            "/only = true\n  from org (../org/.claude/settings.json:4)",
        ),
    ] {
        let output = project.good(&format!("explain file:{SETTINGS} {pointer}"));
        assert!(
            output.stdout.starts_with(words),
            "{pointer}: no `{words}` in\n{output}"
        );
    }
    let value = json(
        &project
            .good(&format!("explain file:{SETTINGS} /allow/1 --json"))
            .stdout,
    );
    let text = value.to_json();
    for words in ["\"org\"", "/allow/1", "../org/.claude/settings.json"] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn explain_reports_a_users_equal_and_edited_values() {
    let project = Project::stacked(SETTINGS, &["{\"a\": 1, \"b\": 2}"], "");
    project.write(SETTINGS, "{\"a\": 1}\n");
    project.good("install");
    let output = project.good(&format!("explain file:{SETTINGS} /a"));
    assert!(
        output.stdout.contains("from yours")
            && output
                .stdout
                .contains("org (../org/.claude/settings.json:1): 1"),
        "{output}"
    );
    project.write(SETTINGS, "{\"a\": 1, \"b\": 7}\n");
    let output = project.good(&format!("explain file:{SETTINGS} /b"));
    assert!(output.stdout.starts_with("/b = 7\n"), "{output}");
    assert!(
        !output.stdout.contains("from org (../org"),
        "the output names a layer without the value:\n{output}"
    );
}

#[test]
fn explain_knows_the_lines_of_markdown() {
    let project = Project::stacked(
        "CLAUDE.md",
        &["---\na: 1\n---\nOne.\nMore.\n", "Two.\n"],
        "",
    );
    project.good("install");
    let output = project.good("explain file:CLAUDE.md");
    for words in [
        "/a = 1\n  from org (../org/CLAUDE.md:2)",
        "from org (../org/CLAUDE.md:4-5)",
        "from team (../team/CLAUDE.md:1-1)",
    ] {
        assert!(output.stdout.contains(words), "no `{words}` in\n{output}");
    }
}

#[test]
fn explain_reads_git_layers_at_their_pin() {
    let project = Project::new();
    let mut source = Repository::init(&project.sandbox, "acme");
    source.commit(&[(SETTINGS, "{\n\"a\": 1}")]);
    project.plain_manifest(&format!("{ACME}{}", of_source("org", "branch = \"main\"")));
    project.good("install");
    source.commit(&[(SETTINGS, "{\"a\": 2}")]);
    let output = project.good(&format!("explain file:{SETTINGS} /a"));
    assert!(
        output.stdout.starts_with("/a = 1\n  from org ("),
        "{output}"
    );
    assert!(
        output.stdout.contains(".claude/settings.json:2"),
        "{output}"
    );
}

#[test]
fn explain_of_what_is_missing_has_a_near_name() {
    let project = three();
    for installed in [false, true] {
        if installed {
            project.good("install");
        }
        project.refused(
            &format!("explain file:{SETTINGS} /modle"),
            3,
            &["explain/not-found", "did you mean `/model`"],
        );
        project.refused(
            &format!("explain file:{SETTINGS} /allow/9"),
            3,
            &["/allow/9"],
        );
        project.refused("explain file:.claude/setings.json", 3, &["setings.json"]);
        project.refused(
            &format!("explain file:{SETTINGS} model"),
            2,
            &["JSON Pointer"],
        );
        project.refused("explain file:../org/CLAUDE.md", 6, &["org/CLAUDE.md"]);
    }
    // A near name may also be one of the user's own.
    project.write(
        SETTINGS,
        &project
            .read(SETTINGS)
            .replacen('{', "{\"favourite\": 1,", 1),
    );
    project.good(&format!("explain file:{SETTINGS} /favourite"));
}

#[test]
fn a_near_name_may_be_a_users_own() {
    let project = three();
    project.write(SETTINGS, "{\"favourite\": 1}\n");
    project.good("install");
    project.refused(
        &format!("explain file:{SETTINGS} /favorite"),
        3,
        &["did you mean `/favourite`"],
    );
}
