//! Lists and their items.

use agpm_model::NodeLocation;
use agpm_plan::{
    ChangeAction, ChangeReason, FileOrigin, FileOutcome, NodeError, NodeState, Obstacle,
    OverwriteRule, check_nodes,
};
use agpm_text::{Format, Value, to_value};

use crate::support::layer::Lists;
use crate::support::{File, desired, item, read, shown_changes, value};
use crate::{json, layer};

#[test]
fn items_with_a_key_are_found_wherever_they_stand() {
    let base = |text| json(text, Lists::Keyed);
    let mut file = File::json("{\"l\": [{\"id\": \"u\"}]}");
    file.layered(&base(
        "{\"l\": [{\"id\": \"a\", \"v\": 1}, {\"id\": \"b\", \"v\": 1}]}",
    ));
    file.says("{\"l\": [{\"id\": \"u\"}, {\"id\": \"a\", \"v\": 1}, {\"id\": \"b\", \"v\": 1}]}");
    let plan = file.layered(&base(
        "{\"l\": [{\"id\": \"b\", \"v\": 1}, {\"id\": \"a\", \"v\": 2}]}",
    ));
    assert_eq!(
        shown_changes(&plan),
        [(ChangeAction::Update, ChangeReason::Content)]
    );
    file.says("{\"l\": [{\"id\": \"u\"}, {\"id\": \"a\", \"v\": 2}, {\"id\": \"b\", \"v\": 1}]}");
    let findings = |file: &File| {
        let found = check_nodes(
            Some(&read(file.now(), file.format)),
            file.owned.as_ref().unwrap(),
        );
        found
            .into_iter()
            .map(|found| found.state)
            .collect::<Vec<_>>()
    };
    assert_eq!(findings(&file), []);
    file.text = Some("{\"l\": [{\"id\": \"a\", \"v\": 9}, {\"id\": \"u\"}]}".to_owned());
    assert_eq!(findings(&file), [NodeState::Edited, NodeState::Missing]);
    let plan = file.layered(&base(
        "{\"l\": [{\"id\": \"a\", \"v\": 3}, {\"id\": \"b\", \"v\": 1}]}",
    ));
    assert_eq!(
        shown_changes(&plan),
        [
            (ChangeAction::Create, ChangeReason::WasMissing),
            (ChangeAction::Keep, ChangeReason::Conflict)
        ]
    );
    assert_eq!(plan.changes[1].pointer, Some("/l/0".parse().unwrap()));
    let plan = file.alone();
    assert_eq!(
        shown_changes(&plan),
        [
            (ChangeAction::Remove, ChangeReason::Unasked),
            (ChangeAction::Keep, ChangeReason::UnaskedEdited)
        ]
    );
    file.says("{\"l\": [{\"id\": \"a\", \"v\": 9}, {\"id\": \"u\"}]}");
}

#[test]
fn two_items_with_one_id_are_a_clash() {
    let node = |json: &str, owner: &str| {
        let location = NodeLocation::Keyed {
            list: "/l".parse().unwrap(),
            key: "id".to_owned(),
            id: "1".to_owned(),
        };
        desired(location, json, owner)
    };
    let pair = [
        node("{\"id\": 1}", "l/a"),
        node("{\"id\": 1, \"v\": 2}", "l/b"),
    ];
    let error = File::json("{}")
        .plan(&pair, OverwriteRule::Nothing)
        .unwrap_err();
    assert!(
        matches!(error, NodeError::Clash { first, second, .. } if first == "l/a".into() && second == "l/b".into())
    );
    let same = [
        node("{\"id\": 1}", "l/a"),
        node("{\"id\": 1}", "l/b"),
        item("/l", "{\"id\": 1}", "h/c"),
    ];
    let mut file = File::json("{}");
    file.get(&same, OverwriteRule::Nothing);
    file.says("{\"l\": [{\"id\": 1}]}");
}

/// Every kind of list ownership after every other, with and without a user's item in the list.
#[test]
fn a_list_changes_the_way_it_is_held() {
    let text = "{\"l\": [{\"id\": 1}, {\"id\": 2}]}";
    let all = [Lists::Whole, Lists::Items, Lists::Keyed];
    for (from, to) in all.iter().flat_map(|from| all.map(|to| (*from, to))) {
        for user in ["{}", "{\"u\": 1}", "{\"l\": [\"u\"]}", "{\"l\": []}"] {
            let mut file = File::json(user);
            if from == Lists::Whole && user.contains('l') {
                assert_eq!(
                    file.refused(&json(text, from)),
                    [("/l".to_owned(), Obstacle::Entry)]
                );
                continue;
            }
            file.layered(&json(text, from));
            let plan = file.layered(&json(text, to));
            assert_eq!(
                plan.outcome,
                FileOutcome::Unchanged,
                "{user} {from:?} {to:?} {file:?}"
            );
            file.layered(&json("{\"l\": [{\"id\": 3}]}", to));
            file.alone();
            assert_eq!(file.now(), user, "{from:?} {to:?}");
        }
    }
}

#[test]
fn a_package_adds_to_a_list_that_a_layer_holds_whole() {
    let base = json("{\"l\": [1, 2], \"k\": 1}", Lists::Whole);
    let package = [item("/l", "3", "h/x"), item("/l", "2", "h/x")];
    for user in ["{}", "{\"u\": 1}"] {
        let expected = |list: &str| {
            user.replace('}', &format!(", \"l\": {list}, \"k\": 1}}"))
                .replace("{,", "{")
        };
        let mut file = File::json(user);
        file.layered(&base);
        file.layered_with(&base, &package);
        file.says(&expected("[1, 2, 3]"));
        file.text = Some(file.now().replacen("[", "[\"u\", ", 1));
        file.layered_with(&base, &package);
        file.says(&expected("[\"u\", 1, 2, 3]"));
        let mut both = file.clone();
        file.layered(&base);
        file.says(&expected("[\"u\", 1, 2]"));
        file.edit("\"u\", ", "");
        file.layered(&base);
        let is_key =
            |node: &agpm_plan::OwnedNode| node.location == NodeLocation::Key("/l".parse().unwrap());
        assert!(file.owned.as_ref().unwrap().nodes.iter().any(is_key));
        file.alone();
        assert_eq!(file.now(), user);
        both.alone();
        both.says(&user.replace('}', ", \"l\": [\"u\"]}").replace("{,", "{"));
    }
    let mut whole = File::missing(Format::Jsonc);
    whole.layered_with(&base, &package);
    whole.says("{\"l\": [1, 2, 3], \"k\": 1}");
    whole.layered(&base);
    assert_eq!(whole.now(), "{\"l\": [1, 2], \"k\": 1}");
}

#[test]
fn a_layer_may_say_an_item_twice() {
    let base = json("{\"l\": [1, 1]}", Lists::Items);
    let mut file = File::json("{\"u\": 1}");
    file.layered(&base);
    file.says("{\"u\": 1, \"l\": [1, 1]}");
    file.alone();
    assert_eq!(file.now(), "{\"u\": 1}");
}

#[test]
fn a_list_changes_the_way_it_is_held_while_the_user_edits() {
    let all = [Lists::Whole, Lists::Items, Lists::Keyed];
    let lists = [
        "[]",
        "[\"x\"]",
        "[\"x\", \"y\"]",
        "[{\"id\": 1}]",
        "[{\"id\": 1}, {\"id\": 3}]",
        "{\"m\": [1]}",
    ];
    let ways = || all.iter().flat_map(|from| all.map(|to| (*from, to)));
    let pairs = || lists.iter().flat_map(|from| lists.map(|to| (*from, to)));
    for ((from, to), (old, new)) in ways().flat_map(|ways| pairs().map(move |pair| (ways, pair))) {
        let text = |list: &str| format!("{{\"n\": {{\"l\": {list}}}, \"l\": {list}, \"b\": 1}}");
        for is_recognised in [false, true] {
            let mut file = File::missing(Format::Jsonc);
            file.layered(&json(&text(old), from));
            file.edit("{", "{\"u\": 1, ");
            if is_recognised {
                file.recognise(&json(&text(old), to));
            }
            file.layered(&json(&text(new), to));
            file.says(&text(new).replacen('{', "{\"u\": 1, ", 1));
            file.alone();
            assert_eq!(file.now(), "{\"u\": 1}", "{from:?} {to:?} {old} {new}");
        }
    }
}

#[test]
fn user_content_in_one_file_is_not_recognized_in_another() {
    let all = [Lists::Whole, Lists::Items, Lists::Keyed];
    for (from, to) in all.iter().flat_map(|from| all.map(|to| (*from, to))) {
        let base = |lists| json("{\"l\": [{\"id\": 1}], \"b\": 1}", lists);
        let mut file = File::json("{\"l\": [{\"id\": 1}]}");
        file.layered(&base(from));
        file.edit("{", "{\"u\": 1, ");
        file.recognise(&base(to));
        file.layered(&base(to));
        file.alone();
        file.says("{\"u\": 1, \"l\": [{\"id\": 1}]}");
    }
}

/// Managed keys, lists and empty containers, and values that the user may write over them.
#[test]
fn a_bare_list_comes_back_and_goes() {
    for (lists, by) in [(Lists::Items, "[1]"), (Lists::Keyed, "[{\"id\": 1}]")] {
        let base = json("{\"b\": 1, \"e\": [], \"m\": {\"e\": []}}", lists);
        for user in ["{}", "{\"u\": 1}"] {
            let mut file = File::json(user);
            file.layered(&base);
            file.edit("\"e\": []", &format!("\"e\": {by}"));
            assert!(shown_changes(&file.layered(&base)).is_empty());
            file.edit(&format!("\"e\": {by}"), "\"e\": []");
            let edit = agpm_text::Edit::Remove {
                at: "/e".parse().unwrap(),
            };
            file.text = Some(read(file.now(), file.format).edit(&edit).unwrap());
            let plan = file.layered(&base);
            assert_eq!(
                shown_changes(&plan),
                [(ChangeAction::Create, ChangeReason::WasMissing)],
                "{user}"
            );
            assert_eq!(file.at("/e"), Some(value("[]")));
            file.alone();
            assert_eq!(file.now(), user);
        }
        let mut whole = File::missing(Format::Jsonc);
        whole.layered(&base);
        whole.edit("\"e\": [], \"m\"", "\"m\"");
        assert_eq!(
            shown_changes(&whole.layered(&base)),
            [(ChangeAction::Create, ChangeReason::WasMissing)]
        );
        assert_eq!(whole.origin(), FileOrigin::Whole);
        assert_eq!(whole.alone().outcome, FileOutcome::Remove);
    }
}

/// A user's list, the items that the layers desire before and after, and the result.
#[test]
fn new_items_come_where_they_are_wanted() {
    for (user, old, new, result) in [
        ("[]", "[2, 4]", "[1, 2, 3, 4, 5]", "[1, 2, 3, 4, 5]"),
        (
            "[\"u\"]",
            "[2, 4]",
            "[1, 2, 3, 4, 5]",
            "[\"u\", 1, 2, 3, 4, 5]",
        ),
        (
            "[\"u\", 4, \"v\"]",
            "[2, 4]",
            "[1, 2, 3, 4, 5]",
            "[\"u\", 1, 2, 3, 4, 5, \"v\"]",
        ),
        (
            "[4, \"u\", 2]",
            "[2, 4]",
            "[1, 2, 3, 4]",
            "[4, \"u\", 1, 2, 3]",
        ),
        ("[\"u\"]", "[8, 9]", "[1, 9, 2]", "[\"u\", 1, 9, 2]"),
        ("[\"u\"]", "[7, 8, 9]", "[9]", "[\"u\", 9]"),
    ] {
        for (format, lists) in [Format::Jsonc, Format::Yaml, Format::Toml]
            .iter()
            .flat_map(|format| [Lists::Items, Lists::Keyed].map(|lists| (*format, lists)))
        {
            let item = |item: &Value| match lists {
                Lists::Keyed => Value::map([("id", item.clone())]),
                _ => item.clone(),
            };
            let list = |json: &str| match value(json) {
                Value::List(items) => {
                    Value::map([("l", Value::List(items.iter().map(item).collect()))])
                }
                other => other,
            };
            let text = |json: &str| agpm_text::print(&list(json), format).unwrap();
            let before = text(user);
            let mut file = File::new(&before, format);
            file.layered(&layer(&text(old), format, lists));
            file.layered(&layer(&text(new), format, lists));
            let now = read(file.now(), format).root().map(to_value);
            assert_eq!(
                now,
                Some(list(result)),
                "{user} {old} {new} {format:?} {lists:?}"
            );
            file.alone();
            let left = read(file.now(), format).root().map(to_value);
            assert_eq!(
                left,
                Some(list(user)),
                "{user} {old} {new} {format:?} {lists:?}"
            );
        }
    }
}

#[test]
fn every_item_in_the_way_is_named() {
    let base = json(
        "{\"l\": [{\"id\": 1}, {\"id\": 2}, {\"id\": 3}]}",
        Lists::Keyed,
    );
    let file = File::json("{\"l\": [\"u\", {\"id\": 3, \"v\": 1}, {\"id\": 1, \"v\": 1}]}");
    assert_eq!(
        file.refused(&base),
        ["/l/1", "/l/2"].map(|at| (at.to_owned(), Obstacle::Entry))
    );
}

#[test]
fn many_new_items_come_where_they_are_wanted() {
    let text = |step: usize| {
        let word = |at: usize| Value::from(format!("{at} {}", "x".repeat(40)));
        let items = [Value::from("u")].into_iter().filter(|_| step == 0);
        let ours = (0..400).step_by(step.max(1)).filter(|_| step > 0).map(word);
        agpm_text::print(
            &Value::map([("l", Value::list(items.chain(ours)))]),
            Format::Jsonc,
        )
        .unwrap()
    };
    let mut file = File::json(&text(0));
    file.layered(&json(&text(2), Lists::Items));
    file.layered(&json(&text(1), Lists::Items));
    file.says(&text(1).replacen('[', "[\"u\",", 1));
    file.layered(&json(&text(3), Lists::Items));
    file.says(&text(3).replacen('[', "[\"u\",", 1));
    file.alone();
    assert_eq!(file.now(), text(0));
}

#[test]
fn a_list_that_is_taken_over_while_it_becomes_whole_is_whole() {
    let mut file = File::json("{\"u\": 1}");
    file.layered(&json("{\"l\": [1, 2]}", Lists::Items));
    file.edit("[1", "[3, 1");
    file.adopted(&json("{\"l\": [3]}", Lists::Whole));
    file.says("{\"u\": 1, \"l\": [3]}");
    file.alone();
    assert_eq!(file.now(), "{\"u\": 1}");
}

#[test]
fn tables_of_the_users_do_not_become_a_list_in_brackets() {
    let text = "[[l]]\n# keep me\nid = 1\n";
    let file = File {
        format: Format::Toml,
        ..File::json(text)
    };
    let ours = layer("l = [\"x\"]\n", Format::Toml, Lists::Items);
    assert_eq!(file.refused(&ours), [("/l".to_owned(), Obstacle::Tables)]);
}
