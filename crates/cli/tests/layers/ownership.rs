//! Ownership key by key: values of the user survive, a clash is refused, an edit is kept.

use crate::support::{Project, SETTINGS, json};

/// The values of the user, of the layer and of the result, in each format.
const FORMATS: &[(&str, &str, &str, &str)] = &[
    (
        ".claude/x.json",
        "{\n  \"first\": 1,\n  \"m\": {\"mine\": [1]},\n  \"last\": null\n}\n",
        "{\"m\": {\"ours\": [2, 3]}, \"top\": \"v\"}\n",
        "{\"first\": 1, \"m\": {\"mine\": [1], \"ours\": [2, 3]}, \"last\": null, \"top\": \"v\"}",
    ),
    (
        ".claude/x.jsonc",
        "// mine\n{\n  \"first\": 1, // one\n  \"m\": {\"mine\": [1],},\n}\n",
        "{\"m\": {\"ours\": [2, 3]}, \"top\": \"v\"}\n",
        "{\"first\": 1, \"m\": {\"mine\": [1], \"ours\": [2, 3]}, \"top\": \"v\"}",
    ),
    (
        ".claude/x.yaml",
        "# mine\nfirst: 1 # one\nm:\n  mine: [1]\nlast: ~\n",
        "m:\n  ours: [2, 3]\ntop: v\n",
        "first: 1\nm:\n  mine: [1]\n  ours: [2, 3]\nlast: ~\ntop: v\n",
    ),
    (
        ".codex/x.toml",
        "# mine\nfirst = 1 # one\n\n[m]\nmine = [1]\n",
        "top = \"v\"\n[m]\nours = [2, 3]\n",
        "first = 1\ntop = \"v\"\n[m]\nmine = [1]\nours = [2, 3]\n",
    ),
];

#[test]
fn a_users_keys_survive_coming_and_going_byte_for_byte() {
    for (path, users, ours, both) in FORMATS {
        let project = Project::stacked(path, &[ours], "");
        project.write(path, users);
        project.good("install");
        project.says(path, both);
        project.good("install --check");
        project.good("verify");
        project.stack(&[], "");
        project.good("install");
        assert_eq!(project.read(path), *users, "{path}");
    }
}

#[test]
fn keys_that_a_user_adds_later_survive_too() {
    for (path, users, ours, both) in FORMATS {
        let project = Project::stacked(path, &[ours], "");
        project.good("install");
        assert_eq!(project.read(path), *ours);
        // A user rewrites the file with keys of their own before, within and after.
        let text = match *path {
            ".codex/x.toml" => {
                "first = 1\ntop = \"v\"\n[m]\nmine = [1]\nours = [2, 3]\n".to_owned()
            }
            ".claude/x.yaml" => (*both).to_owned(),
            _ => format!("{both}\n"),
        };
        project.write(path, &text);
        project.good("install --check");
        project.good("verify");
        project.stack(&[], "");
        project.good("install");
        assert_eq!(
            crate::support::value(&project.read(path), path),
            crate::support::value(users, path),
            "{}",
            project.read(path)
        );
    }
}

#[test]
fn a_clash_with_a_users_value_is_refused_and_nothing_at_all_is_written() {
    for (path, users, ours, clash) in [
        (
            ".claude/x.json",
            "{\"a\": {\"b\": 1}}\n",
            "{\"a\": {\"b\": 2, \"c\": 3}}",
            "/a/b",
        ),
        (
            ".claude/x.jsonc",
            "{\"a\": {\"b\": 1}} // mine\n",
            "{\"a\": {\"b\": 2}}",
            "/a/b",
        ),
        (".claude/x.yaml", "a:\n  b: 1\n", "a:\n  b: 2\n", "/a/b"),
        (".codex/x.toml", "[a]\nb = 1\n", "[a]\nb = 2\n", "/a/b"),
        (
            ".claude/x.json",
            "{\"a\": 1}\n",
            "{\"a\": {\"b\": 2}}",
            "/a",
        ),
        (
            ".claude/x.json",
            "{\"a\": {\"b\": 1}}\n",
            "{\"a\": 2}",
            "/a",
        ),
        (".claude/x.json", "{\"a\": [1]}\n", "{\"a\": [2]}", "/a"),
        (".claude/x.json", "{\"a\": null}\n", "{\"a\": 2}", "/a"),
        (".claude/x.yaml", "a: [1]\n", "a: {b: 1}\n", "/a"),
    ] {
        let project = Project::stacked(path, &[ours], "");
        project.layer("org", "CLAUDE.md", "hello\n");
        project.layer("org", ".claude/other.json", "{\"a\": 1}");
        project.write(path, users);
        project.refused(
            "install",
            6,
            &["install/unmanaged", path, clash, "layers/org", "--adopt"],
        );
        let output = project.good("install --dry-run");
        assert!(output.stdout.contains("1 conflicting"), "{output}");
        assert!(
            output.stderr.contains("install/unmanaged") && !project.exists("CLAUDE.md"),
            "{output}"
        );
        project.good("install --adopt");
        assert_eq!(project.read("CLAUDE.md"), "hello\n");
        let now = project.value(path);
        let wanted = crate::support::value(ours, path);
        assert_eq!(now.to_json(), wanted.to_json(), "{path}");
        project.good("install --check");
        project.good("verify");
    }
}

#[test]
fn adopting_takes_only_what_clashes() {
    let project = Project::stacked(SETTINGS, &["{\"a\": {\"b\": 2}, \"l\": [2]}"], "");
    project.write(
        SETTINGS,
        "{\n  // mine\n  \"x\": 0,\n  \"a\": {\"b\": 1, \"y\": 0},\n  \"l\": [1]\n}\n",
    );
    project.good("install --adopt");
    assert_eq!(
        project.read(SETTINGS),
        "{\n  // mine\n  \"x\": 0,\n  \"a\": {\"b\": 2, \"y\": 0},\n  \"l\": [2]\n}\n"
    );
    project.stack(&[], "");
    project.good("install");
    project.says(SETTINGS, "{\"x\": 0, \"a\": {\"y\": 0}}");
}

#[test]
fn an_equal_value_stays_the_users() {
    for (path, users, ours) in [
        (
            ".claude/x.json",
            "{ \"a\":1, \"b\" : [ 1 ] }\n",
            "{\"b\": [1], \"a\": 1}",
        ),
        (".claude/x.yaml", "a: 1\nb:\n- 1\n", "b: [1]\na: 1\n"),
        (".codex/x.toml", "a=1\nb=[1,]\n", "b = [1]\na = 1\n"),
    ] {
        let project = Project::stacked(path, &[ours], "");
        project.write(path, users);
        project.good("install");
        assert_eq!(project.read(path), users);
        project.good("install --check");
        project.stack(&[], "");
        project.good("install");
        assert_eq!(project.read(path), users, "{path}");
    }
}

#[test]
fn an_equal_value_of_the_user_clashes_once_the_layer_moves_on() {
    let project = Project::stacked(SETTINGS, &["{\"a\": 1}"], "");
    project.write(SETTINGS, "{\"a\": 1}\n");
    project.good("install --approve all");
    project.layer("org", SETTINGS, "{\"a\": 2}");
    project.refused("install --approve all", 6, &["install/unmanaged", "/a"]);
    project.good("install --adopt --approve all");
    project.says(SETTINGS, "{\"a\": 2}");
}

#[test]
fn an_edit_of_a_key_of_ours_is_kept_and_reported_and_force_takes_it_back() {
    let project = Project::stacked(SETTINGS, &["{\"a\": 1, \"m\": {\"b\": [1, 2]}}\n"], "");
    project.good("install --approve all");
    let edited = "{\"a\": 7, \"m\": {\"b\": [1]}}\n";
    project.write(SETTINGS, edited);
    project.fails("verify", 1, &["verify/changed", SETTINGS, "/a", "/m/b"]);
    project.warned("install --approve all", &["install/edited", SETTINGS, "/a"]);
    assert_eq!(project.read(SETTINGS), edited);
    // The layer's next value does not overwrite it either.
    project.layer("org", SETTINGS, "{\"a\": 2, \"m\": {\"b\": [1, 2]}}\n");
    project.fails(
        "install --approve all",
        1,
        &["install/edited", "install/conflict"],
    );
    assert_eq!(project.read(SETTINGS), edited);
    project.good("install --force --approve all");
    project.says(SETTINGS, "{\"a\": 2, \"m\": {\"b\": [1, 2]}}");
    project.good("verify");
}

#[test]
fn an_edited_key_stays_when_it_leaves_the_layers() {
    let project = Project::stacked(SETTINGS, &["{\"a\": 1, \"b\": 1}\n"], "");
    project.good("install");
    project.write(SETTINGS, "{\"a\": 7, \"b\": 1}\n");
    project.stack(&[], "");
    project.warned("install", &["install/edited", "/a"]);
    project.says(SETTINGS, "{\"a\": 7}");
    // From then on it is the user's.
    let output = project.good("install");
    assert_eq!(output.stderr, "", "{output}");
    project.stack(&["org"], "");
    project.refused("install", 6, &["install/unmanaged", "/a"]);
}

#[test]
fn a_key_or_a_file_that_went_missing_comes_back() {
    let project = Project::stacked(SETTINGS, &["{\"a\": 1, \"m\": {\"b\": 2}}\n"], "");
    project.good("install");
    project.write(SETTINGS, "{\"mine\": 0, \"a\": 1}\n");
    project.fails("verify", 1, &["verify/missing", "/m/b"]);
    assert_eq!(project.run("install --check").code, Some(1));
    project.good("install");
    project.says(SETTINGS, "{\"mine\": 0, \"a\": 1, \"m\": {\"b\": 2}}");
    project.remove(SETTINGS);
    project.good("install");
    project.says(SETTINGS, "{\"a\": 1, \"m\": {\"b\": 2}}");
}

#[test]
fn files_removed_from_layers_are_deleted_with_empty_directories() {
    let project = Project::layered(
        &[
            (
                "org",
                &[
                    (".claude/a/b/c/deep.md", "x\n"),
                    (".claude/a/keep.md", "y\n"),
                    (SETTINGS, "{\"a\": 1, \"m\": {\"n\": {\"o\": 1}}}"),
                ],
            ),
            ("me", &[(SETTINGS, "{\"b\": 2}")]),
        ],
        "",
    );
    project.good("install");
    project.unlayer("org", ".claude/a/b/c/deep.md");
    project.layer("org", SETTINGS, "{\"a\": 1}");
    project.good("install");
    assert!(!project.exists(".claude/a/b") && project.exists(".claude/a/keep.md"));
    project.says(SETTINGS, "{\"a\": 1, \"b\": 2}");
    project.unlayer("me", SETTINGS);
    project.good("install");
    project.says(SETTINGS, "{\"a\": 1}");
    project.write(".claude/mine.md", "mine\n");
    project.stack(&[], "");
    project.good("install");
    assert_eq!(project.written(), [".claude/mine.md"]);
    project.good("verify");
}

#[test]
fn a_key_that_one_layer_drops_falls_to_the_layer_below() {
    let project = Project::stacked(SETTINGS, &["{\"a\": 1}", "{\"a\": 2}", "{\"a\": 3}"], "");
    project.write(SETTINGS, "{\"mine\": 0}\n");
    project.good("install");
    for (layer, left) in [("me", 2), ("team", 1)] {
        project.layer(layer, SETTINGS, "{}");
        project.good("install");
        project.says(SETTINGS, &format!("{{\"mine\": 0, \"a\": {left}}}"));
    }
    project.layer("org", SETTINGS, "{}");
    project.good("install");
    assert_eq!(project.read(SETTINGS), "{\"mine\": 0}\n");
}

#[test]
fn empty_maps_and_lists_are_values_of_ours() {
    let project = Project::stacked(SETTINGS, &["{\"m\": {}, \"l\": [], \"n\": null}"], "");
    project.write(SETTINGS, "{\"mine\": 0}\n");
    project.good("install");
    project.says(SETTINGS, "{\"mine\": 0, \"m\": {}, \"l\": [], \"n\": null}");
    project.good("verify");
    project.stack(&[], "");
    project.good("install");
    assert_eq!(project.read(SETTINGS), "{\"mine\": 0}\n");
}

#[test]
fn a_users_key_within_a_map_of_ours_keeps_the_map() {
    let project = Project::stacked(SETTINGS, &["{\"m\": {\"a\": {\"b\": 1}}}"], "");
    project.good("install");
    project.write(SETTINGS, "{\"m\": {\"a\": {\"b\": 1, \"mine\": 0}}}\n");
    project.stack(&[], "");
    project.good("install");
    assert_eq!(
        json(&project.read(SETTINGS)),
        json("{\"m\": {\"a\": {\"mine\": 0}}}")
    );
}

#[test]
fn a_users_file_that_does_not_read_is_never_treated_as_empty() {
    for (path, text) in [
        (SETTINGS, "{ not json"),
        (".claude/a.yaml", "a: [1\n"),
        (".codex/config.toml", "a = \n"),
    ] {
        let good = if path.ends_with("toml") {
            "a = 1\n"
        } else if path.ends_with("yaml") {
            "a: 1\n"
        } else {
            "{\"a\": 1}"
        };
        let project = Project::stacked(path, &[good], "");
        project.layer("org", "CLAUDE.md", "x\n");
        project.write(path, text);
        for line in ["install", "install --adopt", "install --force"] {
            let output = project.run(line);
            assert!(matches!(output.code, Some(1 | 6)), "{line}: {output}");
            assert!(output.stderr.contains(path), "{output}");
            assert_eq!(project.written(), [path], "{line}");
            assert_eq!(project.read(path), text);
        }
    }
}

#[test]
fn an_empty_map_of_ours_turns_into_an_empty_list_and_back() {
    let project = Project::stacked(SETTINGS, &["{\"b\": {}}"], "");
    project.write(SETTINGS, "{\"mine\": 0}\n");
    for value in ["{}", "[]", "{}", "1", "[]", "{\"c\": {}}"] {
        project.layer("org", SETTINGS, format!("{{\"b\": {value}}}"));
        project.good("install --approve all");
        project.says(SETTINGS, &format!("{{\"mine\": 0, \"b\": {value}}}"));
        project.good("install --check --approve all");
    }
}

#[test]
fn writing_into_a_managed_empty_object_is_an_edit() {
    let project = Project::stacked(SETTINGS, &["{\"o\": {}}"], "");
    project.good("install");
    project.write(SETTINGS, "{\"o\": \"mine\"}\n");
    project.fails("verify", 1, &["verify/changed", "/o"]);
    project.write(SETTINGS, "{\"o\": {\"mine\": 1}}\n");
    project.good("verify");
}

#[test]
fn an_empty_map_of_ours_is_filled_also_where_the_ledger_was_lost() {
    let project = Project::stacked(SETTINGS, &["{\"m\": {}}"], "");
    project.write(SETTINGS, "{\"mine\": 1}\n");
    project.good("install --approve all");
    project.forget();
    project.good("install --approve all");
    project.layer("org", SETTINGS, "{\"m\": {\"k\": 1}}");
    project.good("install --approve all");
    project.says(SETTINGS, "{\"mine\": 1, \"m\": {\"k\": 1}}");
    project.good("verify");
}
