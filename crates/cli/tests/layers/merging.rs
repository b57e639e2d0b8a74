//! Merging one file of several layers.

use crate::support::{Project, SETTINGS, directory, json};

/// Returns the merged file, and the standard error.
fn merged(path: &str, texts: &[&str], more: &str) -> (String, String) {
    let project = Project::stacked(path, texts, more);
    let output = project.good("install");
    (project.read(path), output.stderr)
}

#[test]
fn a_file_of_one_layer_is_copied_byte_for_byte_in_every_format() {
    let files: &[(&str, &[u8])] = &[
        (
            ".claude/a.json",
            b"\xef\xbb\xbf{\r\n\t\"a\" :1,  // why\r\n\t\"b\":[ 1,2, ],}\r\n\r\n",
        ),
        (".claude/b.jsonc", b"/* top */ {\"a\": 1} // end"),
        (
            ".claude/c.yaml",
            b"# top\r\na:   1 # why\r\nb: [1,\r\n  2]\r\n",
        ),
        (
            ".claude/d.toml",
            b"# top\r\n\r\na  = 1\r\n[b]\r\nc.d = 0x1F\r\n# end",
        ),
        (".claude/e.md", b"---\nb: 1\na: 2\n---\r\nBody  \r\n"),
        (".claude/f.txt", b"no end of line"),
        (".claude/g.bin", b"\x00\xff\xfe\x01"),
        (".claude/h.png", b"\x89PNG\r\n\x1a\n"),
        (".claude/empty.json", b""),
        (".claude/only-a-comment.yaml", b"# nothing yet\n"),
        (".claude/list.json", b"[1,   2]"),
        (".claude/value.json", b"  3 "),
        (".claude/nothing.md", b""),
    ];
    let project = Project::layered(&[("org", &[]), ("me", &[])], "");
    for (at, (path, bytes)) in files.iter().enumerate() {
        project.layer(["org", "me"][at % 2], path, bytes);
    }
    let output = project.good("install");
    assert_eq!(output.stderr, "");
    for (path, bytes) in files {
        assert_eq!(project.bytes(path), *bytes, "{path}");
    }
    project.good("install --check");
    project.good("verify");
    project.stack(&["org"], "");
    project.good("install");
    project.stack(&[], "");
    project.good("install");
    assert_eq!(project.written(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn the_mode_is_the_highest_layers() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::layered(
        &[
            (
                "org",
                &[
                    (".claude/a.sh", "#!/bin/sh\n"),
                    (".claude/b.sh", "#!/bin/sh\n"),
                ],
            ),
            ("me", &[(".claude/b.sh", "#!/bin/bash\n")]),
        ],
        "",
    );
    let make = |path: &str, mode| {
        std::fs::set_permissions(project.work(path), std::fs::Permissions::from_mode(mode)).unwrap()
    };
    make("org/.claude/a.sh", 0o755);
    make("org/.claude/b.sh", 0o755);
    project.good("install");
    let mode = |path: &str| {
        std::fs::metadata(project.path(path))
            .unwrap()
            .permissions()
            .mode()
            & 0o111
    };
    assert_ne!(mode(".claude/a.sh"), 0);
    assert_eq!(mode(".claude/b.sh"), 0);
    project.good("verify");
    // A mode alone is a change too.
    make("org/.claude/a.sh", 0o644);
    assert_eq!(project.run("install --check").code, Some(1));
    project.good("install");
    assert_eq!(mode(".claude/a.sh"), 0);
}

#[cfg(unix)]
#[test]
fn the_mode_of_a_file_with_keys_follows_its_layer() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::stacked(SETTINGS, &["{\"a\": 1}"], "");
    let make = |mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(project.work(&format!("org/{SETTINGS}")), mode).unwrap();
        project.good("install");
        std::fs::metadata(project.path(SETTINGS))
            .unwrap()
            .permissions()
            .mode()
            & 0o111
            != 0
    };
    assert!(make(0o755));
    assert!(!make(0o644));
}

#[test]
fn several_contributors_merge_deep_by_default_in_every_structured_format() {
    let cases = [
        (
            "x.json",
            [
                r#"{"l": [1, 2], "m": {"a": 1}, "v": 1}"#,
                r#"{"m": {"b": 2}}"#,
                r#"{"new": 0, "l": [3], "v": "s"}"#,
            ],
            r#"{"l": [3], "m": {"a": 1, "b": 2}, "v": "s", "new": 0}"#,
        ),
        (
            "x.jsonc",
            [
                "{\"l\": [1], // why\n \"m\": {\"a\": 1}}",
                r#"{"m": {"b": 2}}"#,
                r#"{"l": []}"#,
            ],
            r#"{"l": [], "m": {"a": 1, "b": 2}}"#,
        ),
        (
            "x.yaml",
            ["l: [1, 2]\nm:\n  a: 1\n", "m:\n  b: 2\n", "l: [3]\n"],
            "l: [3]\nm:\n  a: 1\n  b: 2\n",
        ),
        (
            "x.yml",
            ["a: 1\n", "a: null\n", "b: 2\n"],
            "a: null\nb: 2\n",
        ),
        (
            "x.toml",
            ["l = [1]\n[m]\na = 1\n", "[m]\nb = 2\n", "l = [3]\n"],
            "l = [3]\n[m]\na = 1\nb = 2\n",
        ),
    ];
    for (name, texts, expected) in cases {
        let path = format!(".claude/{name}");
        let project = Project::stacked(&path, &texts, "");
        project.good("install");
        project.says(&path, expected);
    }
}

#[test]
fn each_built_in_strategy_does_what_the_table_says() {
    let low =
        r#"{"m": {"a": 1, "l": ["x", "y"]}, "s": [{"id": "a", "n": 1}, {"id": "b"}], "v": 1}"#;
    let high = r#"{"m": {"l": ["y", "z"]}, "s": [{"id": "a", "k": 2}], "w": 2}"#;
    let cases = [
        (
            "deep",
            r#"{"m": {"a": 1, "l": ["y", "z"]}, "s": [{"id": "a", "k": 2}], "v": 1, "w": 2}"#,
        ),
        (
            "extend-lists",
            r#"{"m": {"a": 1, "l": ["x", "y", "z"]}, "s": [{"id": "a", "n": 1}, {"id": "b"}, {"id": "a", "k": 2}], "v": 1, "w": 2}"#,
        ),
        ("replace", high),
        (
            "smart-lists",
            r#"{"m": {"a": 1, "l": ["x", "y", "z"]}, "s": [{"id": "a", "k": 2}, {"id": "b"}], "v": 1, "w": 2}"#,
        ),
    ];
    for (strategy, expected) in cases {
        let merge = format!("[merge]\n\"settings.json\" = \"{strategy}\"\n");
        let (text, _) = merged(SETTINGS, &[low, high], &merge);
        assert_eq!(
            json(&text).to_json(),
            json(expected).to_json(),
            "{strategy}: {text}"
        );
    }
}

#[test]
fn a_path_beats_a_file_name_beats_a_pattern_beats_the_default() {
    let (low, high) = (r#"{"a": [1], "low": 0}"#, r#"{"a": [2]}"#);
    let choose = |more: &str| json(&merged(SETTINGS, &[low, high], more).0).to_json();
    let (deep, extended) = (
        json(r#"{"a": [2], "low": 0}"#).to_json(),
        json(r#"{"a": [1, 2], "low": 0}"#).to_json(),
    );
    let replaced = json(high).to_json();
    assert_eq!(
        choose("[merge]\n\"settings.yaml\" = \"replace\"\n\"*.toml\" = \"replace\"\n"),
        deep
    );
    assert_eq!(choose("[merge]\n\"*.json\" = \"extend-lists\"\n"), extended);
    assert_eq!(
        choose("[merge]\n\"settings.json\" = \"replace\"\n\"*.json\" = \"extend-lists\"\n"),
        replaced
    );
    assert_eq!(
        choose("[merge]\n\"*.json\" = \"extend-lists\"\n\"settings.json\" = \"replace\"\n"),
        replaced
    );
    let path = "[merge]\n\"*.json\" = \"replace\"\n\".claude/settings.json\" = \"extend-lists\"\n\"settings.json\" = \"replace\"\n";
    assert_eq!(choose(path), extended);
}

#[test]
fn rules_refine_a_strategy_by_pointer() {
    let merge = r#"[merge]
"settings.json" = { lists = "extend", rules = { "/keep" = "keep-lower", "/s" = { by-key = "id", items = "deep" }, "/m/*" = "prepend", "/m/special" = "replace", "/full" = "non-empty" }, unset = ["/gone"] }
"#;
    let low = r#"{"keep": 1, "s": [{"id": "a", "n": 1}], "m": {"x": [1], "special": [1]}, "l": [1], "full": "yes", "gone": 1}"#;
    let high = r#"{"keep": 2, "s": [{"id": "b"}, {"id": "a", "k": 2}], "m": {"x": [2], "special": [2]}, "l": [2, 1], "full": ""}"#;
    let (text, _) = merged(SETTINGS, &[low, high], merge);
    let expected = r#"{"keep": 1, "s": [{"id": "a", "n": 1, "k": 2}, {"id": "b"}], "m": {"x": [2, 1], "special": [2]}, "l": [1, 2], "full": "yes"}"#;
    assert_eq!(json(&text).to_json(), json(expected).to_json(), "{text}");
}

#[test]
fn a_forbidden_clash_is_an_error_and_nothing_is_written() {
    let merge = "[merge]\n\"settings.json\" = { rules = { \"/model\" = \"forbid\" } }\n";
    let project = Project::stacked(SETTINGS, &[r#"{"model": "a"}"#, r#"{"model": "b"}"#], merge);
    project.layer("org", "CLAUDE.md", "hello\n");
    project.refused(
        "install",
        1,
        &[
            "merge/clash",
            "/model",
            "org",
            "team",
            ".claude/settings.json",
        ],
    );
    project.layer("team", SETTINGS, r#"{"model": "a"}"#);
    project.good("install");
    project.says(SETTINGS, r#"{"model": "a"}"#);
}

#[test]
fn a_strategy_of_ones_own_is_a_table_of_the_manifest_or_of_the_users_config() {
    let texts = &[r#"{"a": [1], "b": [1]}"#, r#"{"a": [2], "b": [2]}"#];
    let own = "[strategies.mine]\nstrategy = \"extend-lists\"\nrules = { \"/b\" = \"prepend\" }\n";
    let expected = json(r#"{"a": [1, 2], "b": [2, 1]}"#).to_json();
    let merge = "[merge]\n\"settings.json\" = \"mine\"\n";
    assert_eq!(
        json(&merged(SETTINGS, texts, &format!("{merge}{own}")).0).to_json(),
        expected
    );
    let project = Project::stacked(SETTINGS, texts, merge);
    project.refused("install", 1, &["manifest/unknown-strategy", "mine"]);
    std::fs::create_dir_all(project.work("../config/agpm")).unwrap();
    std::fs::write(project.work("../config/agpm/config.toml"), own).unwrap();
    project.good("install");
    assert_eq!(project.value(SETTINGS).to_json(), expected);
}

#[test]
fn a_change_of_the_strategy_is_a_change() {
    let project = Project::stacked(SETTINGS, &[r#"{"a": [1]}"#, r#"{"a": [2]}"#], "");
    project.good("install");
    project.says(SETTINGS, r#"{"a": [2]}"#);
    project.stack(&["org", "team"], "[merge]\n\"*.json\" = \"extend-lists\"\n");
    project.good("install");
    project.says(SETTINGS, r#"{"a": [1, 2]}"#);
    project.stack(&["org", "team"], "");
    project.good("install");
    project.says(SETTINGS, r#"{"a": [2]}"#);
    project.good("verify");
}

#[test]
fn empty_documents_contribute_nothing() {
    for (path, empty) in [
        (SETTINGS, ""),
        (SETTINGS, "// only this\n"),
        (".claude/a.yaml", "# only\n"),
        (".claude/a.toml", "\n"),
    ] {
        let full = if path.ends_with("toml") {
            "a = 1\n"
        } else if path.ends_with("yaml") {
            "a: 1\n"
        } else {
            "{\"a\": 1}\n"
        };
        for texts in [[empty, full], [full, empty]] {
            let project = Project::stacked(path, &texts, "");
            let output = project.good("install");
            assert_eq!(output.stderr, "", "{path}");
            project.says(path, full);
        }
    }
}

#[test]
fn a_change_of_type_takes_the_higher_value_and_warns() {
    let project = Project::stacked(
        SETTINGS,
        &[r#"{"a": {"b": 1}, "c": 1}"#, r#"{"a": [1]}"#],
        "",
    );
    project.warned(
        "install",
        &["merge/type-change", "/a", "team", ".claude/settings.json:1"],
    );
    project.says(SETTINGS, r#"{"a": [1], "c": 1}"#);
}

#[test]
fn comments_and_layout_of_the_lowest_stay() {
    let low = "{\n    // agreed with security\n    \"deny\": [\"Read(.env)\"],  // always\n    \"model\": \"a\",\n}\n";
    let (text, _) = merged(SETTINGS, &[low, r#"{"model": "b", "more": 1}"#], "");
    let expected = low.replace("\"a\"", "\"b\"");
    assert!(
        text.starts_with(expected.trim_end_matches("}\n").trim_end_matches(",\n")),
        "{text}"
    );
    assert_eq!(
        json(&text).to_json(),
        json(r#"{"deny": ["Read(.env)"], "model": "b", "more": 1}"#).to_json()
    );
    let (text, _) = merged(".claude/a.yaml", &["# top\na: 1 # one\n", "a: 2\n"], "");
    assert_eq!(text, "# top\na: 2 # one\n");
    let (text, _) = merged(".claude/a.toml", &["# top\na = 1 # one\n", "a = 2\n"], "");
    assert_eq!(text, "# top\na = 2 # one\n");
}

#[test]
fn markdown_joins_bodies_with_each_separator_and_merges_front_matter() {
    let texts = &[
        "---\nmodel: a # why\n---\nOne.\n",
        "---\nmodel: b\nnew: 1\n---\nTwo.\n",
    ];
    let head = "---\nmodel: b # why\nnew: 1\n---\n";
    let (text, _) = merged("CLAUDE.md", texts, "");
    assert_eq!(text, format!("{head}One.\n\n---\n\nTwo.\n"));
    for (style, body) in [
        ("rule", "One.\n\n---\n\nTwo.\n"),
        ("none", "One.\n\nTwo.\n"),
    ] {
        let (text, _) = merged(
            "CLAUDE.md",
            texts,
            &format!("[merge]\n\"*.md\" = {{ separator = \"{style}\" }}\n"),
        );
        assert_eq!(text, format!("{head}{body}"), "{style}");
    }
    for (style, mark) in [
        ("heading", "# team\n"),
        ("comment", "<!-- layer: team -->\n"),
    ] {
        let (text, _) = merged(
            "CLAUDE.md",
            texts,
            &format!("[merge]\n\"*.md\" = {{ separator = \"{style}\" }}\n"),
        );
        let (first, second) = (text.find("One.").unwrap(), text.find("Two.").unwrap());
        assert!(text[first..second].contains(mark), "{style}: {text}");
    }
    let (text, _) = merged("CLAUDE.md", texts, "[merge]\n\"CLAUDE.md\" = \"replace\"\n");
    assert_eq!(text, texts[1]);
}

#[test]
fn text_is_joined_with_a_marker_that_names_the_layer() {
    let (text, _) = merged(".claude/notes.txt", &["one\n", "two\n"], "");
    let (first, second) = (text.find("one\n").unwrap(), text.find("two\n").unwrap());
    assert!(
        first < second && text[first..second].contains("team"),
        "{text}"
    );
    // A shebang stays line 1.
    let (text, _) = merged(".claude/run.txt", &["#!/bin/sh\none\n", "two\n"], "");
    assert!(text.starts_with("#!/bin/sh\n"), "{text}");
}

#[test]
fn of_anything_else_the_highest_wins_with_a_warning_and_no_header() {
    let project = Project::stacked(
        ".claude/hook.sh",
        &["#!/bin/sh\none\n", "#!/bin/sh\ntwo\n", "#!/bin/bash\n"],
        "",
    );
    project.warned("install", &["merge/opaque", ".claude/hook.sh"]);
    assert_eq!(project.read(".claude/hook.sh"), "#!/bin/bash\n");
    let project = Project::stacked(".claude/a.bin", &["x", "y"], "");
    project.layer("team", ".claude/a.bin", b"\x00\xff");
    project.warned("install", &["merge/opaque", "team"]);
    assert_eq!(project.bytes(".claude/a.bin"), b"\x00\xff");
}

#[test]
fn the_same_directory_may_be_two_layers() {
    let project = Project::stacked(SETTINGS, &[r#"{"a": [1]}"#], "");
    project.plain_manifest(&format!(
        "{}{}",
        directory("org"),
        directory("org").replace("name = \"org\"", "name = \"again\"")
    ));
    project.good("install");
    project.says(SETTINGS, r#"{"a": [1]}"#);
}
