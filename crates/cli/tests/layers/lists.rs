//! Lists with items of the user and of layers.

use crate::support::{Project, SETTINGS};

fn with(strategy: &str) -> String {
    format!(
        "[merge]\n\"settings.json\" = {strategy}\n\"*.yaml\" = {strategy}\n\"*.toml\" = {strategy}\n"
    )
}

const BY_KEY: &str = "{ rules = { \"/s\" = { by-key = \"id\" } } }";

#[test]
fn under_deep_a_list_is_one_value() {
    let project = Project::stacked(SETTINGS, &["{\"l\": [1, 2]}"], "");
    project.write(SETTINGS, "{\"l\": [1, 2, 3]}\n");
    project.refused("install", 6, &["install/unmanaged", "/l"]);
    project.good("install --adopt");
    project.says(SETTINGS, "{\"l\": [1, 2]}");
    project.write(SETTINGS, "{\"l\": [1, 2, 3]}\n");
    project.warned("install", &["install/edited", "/l"]);
    project.says(SETTINGS, "{\"l\": [1, 2, 3]}");
}

#[test]
fn under_extend_and_union_only_our_items_are_ours() {
    for strategy in [
        "\"extend-lists\"",
        "{ lists = \"extend\" }",
        "{ rules = { \"/**\" = \"union\" } }",
    ] {
        for (path, users, ours, both) in [
            (
                SETTINGS,
                "{\"m\": {\"l\": [\"x\", \"b\"]}}\n",
                "{\"m\": {\"l\": [\"a\", \"b\"]}}",
                "{\"m\": {\"l\": [\"x\", \"a\", \"b\"]}}",
            ),
            (
                ".claude/a.yaml",
                "m:\n  l:\n  - x # mine\n  - b\n",
                "m:\n  l: [a, b]\n",
                "m:\n  l: [x, a, b]\n",
            ),
            (
                ".codex/a.toml",
                "[m]\nl = [\"x\", \"b\"] # mine\n",
                "[m]\nl = [\"a\", \"b\"]\n",
                "[m]\nl = [\"x\", \"a\", \"b\"]\n",
            ),
        ] {
            let project = Project::stacked(path, &[ours], &with(strategy));
            project.write(path, users);
            project.good("install");
            project.says(path, both);
            project.good("install --check");
            project.good("verify");
            project.stack(&[], "");
            project.good("install");
            assert_eq!(project.read(path), users, "{strategy}");
        }
    }
}

#[test]
fn a_users_item_keeps_its_position() {
    for users in [
        "[\"mine\", \"a\", \"b\"]",
        "[\"a\", \"mine\", \"b\"]",
        "[\"b\", \"a\", \"mine\"]",
    ] {
        let project = Project::stacked(
            SETTINGS,
            &["{\"l\": [\"a\"]}", "{\"l\": [\"b\"]}"],
            &with("\"extend-lists\""),
        );
        project.good("install --approve all");
        project.says(SETTINGS, "{\"l\": [\"a\", \"b\"]}");
        let text = format!("{{\"l\": {users}}}\n");
        project.write(SETTINGS, &text);
        project.good("install --check --approve all");
        project.good("verify");
        project.layer("team", SETTINGS, "{\"l\": [\"c\"]}");
        project.good("install --approve all");
        let now = project.read(SETTINGS);
        assert!(
            now.contains("mine")
                && now.contains("\"a\"")
                && now.contains("\"c\"")
                && !now.contains("\"b\""),
            "{now}"
        );
        project.stack(&[], "");
        project.good("install --approve all");
        project.says(SETTINGS, "{\"l\": [\"mine\"]}");
    }
}

#[test]
fn an_item_that_went_missing_comes_back_and_an_equal_one_is_not_doubled() {
    let project = Project::stacked(
        SETTINGS,
        &["{\"l\": [\"a\", \"b\"]}"],
        &with("\"extend-lists\""),
    );
    project.good("install");
    project.write(SETTINGS, "{\"l\": [\"b\"]}\n");
    project.fails("verify", 1, &["verify/missing", "/l"]);
    project.good("install");
    project.says(SETTINGS, "{\"l\": [\"a\", \"b\"]}");
    project.layer("me", SETTINGS, "{\"l\": [\"a\"]}");
    project.stack(&["org", "me"], &with("\"extend-lists\""));
    project.good("install");
    project.says(SETTINGS, "{\"l\": [\"a\", \"b\"]}");
    project.stack(&["me"], &with("\"extend-lists\""));
    project.good("install");
    project.says(SETTINGS, "{\"l\": [\"a\"]}");
}

#[test]
fn by_key_an_item_is_known_by_its_key() {
    let project = Project::stacked(
        SETTINGS,
        &[
            "{\"s\": [{\"id\": \"a\", \"n\": 1}, {\"id\": \"b\"}]}",
            "{\"s\": [{\"id\": \"a\", \"n\": 2}]}",
        ],
        &with(BY_KEY),
    );
    let users = "{\"s\": [{\"id\": \"mine\"}]}\n";
    project.write(SETTINGS, users);
    project.good("install --approve all");
    project.says(
        SETTINGS,
        "{\"s\": [{\"id\": \"mine\"}, {\"id\": \"a\", \"n\": 2}, {\"id\": \"b\"}]}",
    );
    project.layer("team", SETTINGS, "{\"s\": [{\"id\": \"a\", \"n\": 3}]}");
    project.good("install --approve all");
    project.says(
        SETTINGS,
        "{\"s\": [{\"id\": \"mine\"}, {\"id\": \"a\", \"n\": 3}, {\"id\": \"b\"}]}",
    );
    project.good("verify");
    project.stack(&[], "");
    project.good("install --approve all");
    assert_eq!(project.read(SETTINGS), users);
}

#[test]
fn by_key_a_users_item_with_the_same_key_is_a_clash() {
    let project = Project::stacked(
        SETTINGS,
        &["{\"s\": [{\"id\": \"a\", \"n\": 1}]}"],
        &with(BY_KEY),
    );
    project.layer("org", "CLAUDE.md", "x\n");
    project.write(
        SETTINGS,
        "{\"s\": [{\"id\": \"a\", \"n\": 7}, {\"id\": \"b\"}]}\n",
    );
    project.refused("install", 6, &["install/unmanaged", "/s", "layers/org"]);
    project.good("install --adopt");
    project.says(
        SETTINGS,
        "{\"s\": [{\"id\": \"a\", \"n\": 1}, {\"id\": \"b\"}]}",
    );
    project.stack(&[], "");
    project.good("install");
    project.says(SETTINGS, "{\"s\": [{\"id\": \"b\"}]}");
}

#[test]
fn by_key_an_edited_item_is_kept_and_force_takes_it_back() {
    let project = Project::stacked(
        SETTINGS,
        &["{\"s\": [{\"id\": \"a\", \"n\": 1}, {\"id\": \"b\"}]}"],
        &with(BY_KEY),
    );
    project.good("install");
    project.write(
        SETTINGS,
        "{\"s\": [{\"id\": \"a\", \"n\": 7}, {\"id\": \"b\"}]}\n",
    );
    project.fails("verify", 1, &["verify/changed"]);
    project.warned("install", &["install/edited", "/s"]);
    project.says(
        SETTINGS,
        "{\"s\": [{\"id\": \"a\", \"n\": 7}, {\"id\": \"b\"}]}",
    );
    project.good("install --force");
    project.says(
        SETTINGS,
        "{\"s\": [{\"id\": \"a\", \"n\": 1}, {\"id\": \"b\"}]}",
    );
}

#[test]
fn a_list_where_a_user_has_something_else_is_a_clash() {
    for (strategy, ours) in [
        ("\"extend-lists\"", "{\"s\": [1]}"),
        (BY_KEY, "{\"s\": [{\"id\": 1}]}"),
    ] {
        for users in ["{\"s\": \"text\"}\n", "{\"s\": {\"a\": 1}}\n"] {
            let project = Project::stacked(SETTINGS, &[ours], &with(strategy));
            project.write(SETTINGS, users);
            project.refused("install", 6, &["install/unmanaged", "/s"]);
            project.good("install --adopt");
            project.says(SETTINGS, ours);
        }
    }
}

#[test]
fn an_empty_list_under_extend_leaves_the_users_items() {
    let project = Project::stacked(SETTINGS, &["{\"l\": []}"], &with("\"extend-lists\""));
    project.write(SETTINGS, "{\"l\": [\"mine\"]}\n");
    project.good("install");
    assert_eq!(project.read(SETTINGS), "{\"l\": [\"mine\"]}\n");
    project.stack(&[], "");
    project.good("install");
    assert_eq!(project.read(SETTINGS), "{\"l\": [\"mine\"]}\n");
}

#[test]
fn a_list_that_turns_from_one_value_to_items_and_back_keeps_the_users() {
    let project = Project::stacked(SETTINGS, &["{\"l\": [1, 2]}"], "");
    project.good("install");
    project.stack(&["org"], &with("\"extend-lists\""));
    project.good("install");
    project.says(SETTINGS, "{\"l\": [1, 2]}");
    project.write(SETTINGS, "{\"l\": [1, 2, 3]}\n");
    project.good("install --check");
    project.stack(&["org"], "");
    let output = project.run("install");
    assert!(project.read(SETTINGS).contains('3'), "{output}");
    project.stack(&[], "");
    project.good("install");
    assert!(
        project.read(SETTINGS).contains('3'),
        "{}",
        project.read(SETTINGS)
    );
}

#[test]
fn a_document_that_is_a_list_takes_items_next_to_the_users() {
    let file = ".claude/words.json";
    let extend = "[merge]\n\"words.json\" = \"extend-lists\"\n";
    let project = Project::stacked(file, &["[1, 2]\n"], extend);
    project.write(file, "[\"mine\"]\n");
    project.good("install --approve all");
    assert_eq!(project.read(file), "[\"mine\", 1, 2]\n");
    project.layer("org", file, "[1, 3]\n");
    project.good("install --approve all");
    assert_eq!(project.read(file), "[\"mine\", 1, 3]\n");
    project.good("verify");
    project.stack(&[], "");
    project.good("install --approve all");
    assert_eq!(project.read(file), "[\"mine\"]\n");
}

#[test]
fn a_document_that_is_a_list_is_one_thing_where_lists_are_replaced() {
    let file = ".claude/words.json";
    let project = Project::stacked(file, &["[1, 2]\n"], "");
    project.write(file, "[\"mine\"]\n");
    project.refused("install", 6, &["install/unmanaged", file]);
    project.good("install --adopt");
    assert_eq!(project.read(file), "[1, 2]\n");
}

#[test]
fn items_that_two_layers_append_are_there_twice_and_leave_together() {
    for (rule, merged) in [
        ("append", "[\"b\", \"a\", \"b\"]"),
        ("prepend", "[\"a\", \"b\", \"b\"]"),
    ] {
        let more =
            format!("[merge]\n\"settings.json\" = {{ rules = {{ \"/l\" = \"{rule}\" }} }}\n");
        let project = Project::stacked(
            SETTINGS,
            &["{\"l\": [\"b\"]}", "{\"l\": [\"a\", \"b\"]}"],
            &more,
        );
        project.write(SETTINGS, "{\"mine\": 1}\n");
        project.good("install");
        project.says(SETTINGS, &format!("{{\"mine\": 1, \"l\": {merged}}}"));
        project.good("install --check");
        project.stack(&[], "");
        project.good("install");
        assert_eq!(project.read(SETTINGS), "{\"mine\": 1}\n");
    }
}
