//! Whole files, keys and maps.

use agpm_plan::{
    ChangeAction, ChangeReason, FileOrigin, FileOutcome, NodeState, Obstacle, OnEqualUserValue,
    OverwriteRule, check_nodes, recognise_file, recognise_nodes, take_back,
};
use agpm_text::{Document, Format, NodeKind, Value};

use crate::support::layer::Lists;
use crate::support::{File, item, key, read, shown_changes, unread, value};
use crate::{json, layer};

const TEXTS: &[(&str, &str, &str, Format)] = &[
    (
        "{\n  \"a\": 1,\n  \"m\": {\"x\": [1]}\n}",
        "{\"b\": {}}\n",
        "{ }\n",
        Format::Json,
    ),
    (
        "// ours\n{\n  \"a\": 1, // one\n  \"m\": {\"x\": [1], /* two */ }\n}\n",
        "{ // b\n  \"b\": {} }\n",
        "// none\n",
        Format::Jsonc,
    ),
    (
        "# ours\na: 1 # one\n\nm:\n  x: [1]\n",
        "b: {}\n# end\n",
        "# none\n",
        Format::Yaml,
    ),
    (
        "# ours\na = 1 # one\n\n[m]\nx = [ 1 ]\n",
        "[b]\n# end\n",
        "# none\n",
        Format::Toml,
    ),
];

#[test]
fn without_the_user_a_file_is_to_the_byte_what_the_layers_say() {
    for (first, second, third, format) in TEXTS {
        for lists in [Lists::Whole, Lists::Items] {
            let mut file = File::missing(*format);
            let plan = file.layered(&layer(first, *format, lists));
            assert_eq!((file.now(), file.origin()), (*first, FileOrigin::Whole));
            assert!(
                shown_changes(&plan).iter().all(
                    |shown_changes| *shown_changes == (ChangeAction::Create, ChangeReason::New)
                ),
                "{plan:?}"
            );
            assert_eq!(file.owned.as_ref().unwrap().containers, []);
            file.layered(&layer(second, *format, lists));
            assert_eq!(file.now(), *second);
            file.layered(&layer(third, *format, lists));
            assert_eq!(file.now(), *third);
            file.layered(&layer(first, *format, lists));
            file.text = None;
            let plan = file.layered(&layer(first, *format, lists));
            assert!(
                shown_changes(&plan)
                    .iter()
                    .all(|shown_changes| *shown_changes
                        == (ChangeAction::Create, ChangeReason::WasMissing)),
                "{plan:?}"
            );
            assert_eq!(file.now(), *first);
            assert_eq!(file.alone().outcome, FileOutcome::Remove);
            assert_eq!(file.owned, None);
        }
    }
}

#[test]
fn changes_of_a_whole_file_are_reported_by_place() {
    let mut file = File::missing(Format::Jsonc);
    file.layered(&json(
        "{\"a\": 1, \"b\": 2, \"c\": 3, \"l\": [1, 2]}",
        Lists::Items,
    ));
    let plan = file.layered(&json(
        "{\"a\": 1, \"b\": 4, \"d\": 3, \"l\": [1, 3, 4]}",
        Lists::Items,
    ));
    let expected = [
        (ChangeAction::Update, ChangeReason::Content),
        (ChangeAction::Remove, ChangeReason::Unasked),
        (ChangeAction::Create, ChangeReason::New),
        (ChangeAction::Update, ChangeReason::Content),
        (ChangeAction::Create, ChangeReason::New),
    ];
    assert_eq!(
        (shown_changes(&plan).as_slice(), plan.unchanged),
        (expected.as_slice(), 2)
    );
}

#[test]
fn packages_come_into_the_layers_text_and_leave_it() {
    let base = json("{\n  // ours\n  \"a\": 1\n}\n", Lists::Whole);
    let package = [key("/m/fs", "{\"c\": 1}", "m/fs")];
    let mut file = File::missing(Format::Jsonc);
    file.layered_with(&base, &package);
    file.says("{\"a\": 1, \"m\": {\"fs\": {\"c\": 1}}}");
    assert!(file.now().contains("// ours"));
    let mut packages_only = file.clone();
    file.layered(&base);
    assert_eq!(file.now(), "{\n  // ours\n  \"a\": 1\n}\n");
    packages_only.get(&package, OverwriteRule::Nothing);
    packages_only.says("{\"m\": {\"fs\": {\"c\": 1}}}");
    assert_eq!(packages_only.origin(), FileOrigin::Ours);
    assert_eq!(packages_only.alone().outcome, FileOutcome::Remove);
}

#[test]
fn user_entries_in_a_managed_file_stay() {
    for (first, second, _, format) in TEXTS {
        let mut file = File::missing(*format);
        file.layered(&layer(first, *format, Lists::Whole));
        for at in ["/mine", "/m/mine"] {
            let edit = agpm_text::Edit::Set {
                at: at.parse().unwrap(),
                value: true.into(),
            };
            file.text = Some(read(file.now(), *format).edit(&edit).unwrap());
        }
        file.layered(&layer(first, *format, Lists::Whole));
        assert_eq!(file.origin(), FileOrigin::Ours);
        let mut next = file.clone();
        next.layered(&layer(second, *format, Lists::Whole));
        next.says("{\"mine\": true, \"m\": {\"mine\": true}, \"b\": {}}");
        next.alone();
        next.says("{\"mine\": true, \"m\": {\"mine\": true}}");
        file.alone();
        file.says("{\"mine\": true, \"m\": {\"mine\": true}}");
    }
}

#[test]
fn a_file_is_whole_again_when_the_user_takes_their_key_out() {
    let base = json(
        "{\n  \"a\": 1, // ours\n  \"m\": {\"x\": 1}\n}\n",
        Lists::Whole,
    );
    let mut file = File::missing(Format::Jsonc);
    file.layered(&base);
    file.edit("{\n", "{\n  \"mine\": 1,\n");
    file.layered(&base);
    assert_eq!(file.origin(), FileOrigin::Ours);
    file.edit("  \"mine\": 1,\n", "");
    file.layered(&base);
    assert_eq!(file.origin(), FileOrigin::Whole);
    assert_eq!(file.alone().outcome, FileOutcome::Remove);
}

#[test]
fn a_users_key_that_says_the_same_stays_theirs() {
    let text = "{\"a\": 1, \"l\": [1], \"n\": [{\"id\": 1}], \"e\": {}, \"own\": 1}";
    let base = |lists| {
        json(
            "{\"a\": 1, \"b\": 2, \"l\": [1, 2], \"n\": [{\"id\": 1}], \"e\": {}}",
            lists,
        )
    };
    let mut file = File::json(text);
    let plan = file.layered(&base(Lists::Keyed));
    assert_eq!((plan.unchanged, plan.changes.len()), (4, 2));
    let theirs = &file.owned.as_ref().unwrap().equal_user_nodes;
    assert_eq!(theirs.len(), 4, "{theirs:?}");
    let mut lost = file.clone();
    lost.owned.as_mut().unwrap().nodes.clear();
    let owned = recognise_nodes(
        &read(lost.now(), lost.format),
        &base(Lists::Keyed).nodes,
        lost.owned.as_ref(),
    );
    assert_eq!(owned.unwrap().nodes, file.owned.as_ref().unwrap().nodes);
    file.alone();
    assert_eq!(file.now(), text);
    file.adopted(&base(Lists::Keyed));
    file.alone();
    file.says("{\"l\": [], \"n\": [], \"e\": {}, \"own\": 1}");
}

#[test]
fn all_that_is_wanted_may_be_the_users() {
    let base = json("{\"a\": 1}", Lists::Whole);
    let mut file = File::json("{\"a\": 1}");
    file.layered(&base);
    assert_eq!(file.origin(), FileOrigin::Users);
    file.edit("1", "2");
    assert_eq!(file.refused(&base), [("/a".to_owned(), Obstacle::Entry)]);
    file.edit("2", "1");
    assert_eq!(file.alone().outcome, FileOutcome::Unchanged);
    assert_eq!(file.owned, None);
}

#[test]
fn a_clash_is_refused_unless_it_may_be_taken_over() {
    for (text, at) in [
        ("{\"a\": {\"b\": 2}, \"u\": 1}", "/a/b"),
        ("{\"a\": 1, \"u\": 1}", "/a"),
        ("{\"a\": [1], \"u\": 1}", "/a"),
        ("{\"a\": {\"e\": 1}, \"u\": 1}", "/a/e"),
        ("{\"a\": {\"l\": {}}, \"u\": 1}", "/a/l"),
        (
            "{\"a\": {\"l\": [{\"id\": 1, \"v\": 3}]}, \"u\": 1}",
            "/a/l/0",
        ),
    ] {
        let base = json(
            "{\"a\": {\"b\": 1, \"e\": {}, \"l\": [{\"id\": 1, \"v\": 2}]}}",
            Lists::Keyed,
        );
        let mut file = File::json(text);
        let refused = file.refused(&base);
        assert!(
            refused
                .iter()
                .all(|refused| *refused == (at.to_owned(), Obstacle::Entry)),
            "{refused:?}"
        );
        assert!(!refused.is_empty());
        let plan = file.adopted(&base);
        assert!(
            shown_changes(&plan).contains(&(ChangeAction::Update, ChangeReason::TakenOver)),
            "{plan:?}"
        );
        file.says("{\"a\": {\"b\": 1, \"e\": {}, \"l\": [{\"id\": 1, \"v\": 2}]}, \"u\": 1}");
    }
    let base = json("{\"a\": 1}", Lists::Whole);
    assert_eq!(
        File::json("[]").refused(&base),
        [(String::new(), Obstacle::Value(NodeKind::List))]
    );
}

#[test]
fn our_own_nodes_are_not_in_the_way_at_another_depth() {
    let texts = [
        "{\"a\": {\"b\": {\"c\": 1}, \"d\": 2}}",
        "{\"a\": 1}",
        "{\"a\": {\"b\": 1}}",
        "{\"a\": [1]}",
        "{\"a\": {}}",
    ];
    for lists in [Lists::Whole, Lists::Items] {
        for (from, to) in texts.iter().flat_map(|from| texts.map(|to| (*from, to))) {
            let mut file = File::json("{\"u\": 1}");
            file.layered(&json(from, lists));
            file.layered(&json(to, lists));
            file.says(&to.replace("{\"a\"", "{\"u\": 1, \"a\""));
            file.alone();
            assert_eq!(file.now(), "{\"u\": 1}", "{from} {to}");
        }
    }
}

#[test]
fn a_users_key_inside_is_in_the_way_at_another_depth() {
    let mut file = File::missing(Format::Jsonc);
    file.layered(&json("{\"a\": {\"b\": 1}}", Lists::Whole));
    file.edit("{\"b\"", "{\"u\": 1, \"b\"");
    assert_eq!(
        file.refused(&json("{\"a\": 1}", Lists::Whole)),
        [("/a".to_owned(), Obstacle::Entry)]
    );
    file.layered(&json("{\"a\": {}}", Lists::Whole));
    file.says("{\"a\": {\"u\": 1}}");
    let mut file = File::missing(Format::Jsonc);
    file.layered(&json("{\"a\": 1}", Lists::Whole));
    file.edit("1", "2");
    assert_eq!(
        file.refused(&json("{\"a\": {\"b\": 1}}", Lists::Whole)),
        [("/a".to_owned(), Obstacle::Entry)]
    );
    file.adopted(&json("{\"a\": {\"b\": 1}}", Lists::Whole));
    file.says("{\"a\": {\"b\": 1}}");
}

#[test]
fn bare_maps_are_wanted_as_such() {
    let base = json("{\"a\": {}, \"m\": {\"e\": {}}}", Lists::Whole);
    let mut file = File::json("{\"a\": {\"u\": 1}}");
    file.layered(&base);
    file.says("{\"a\": {\"u\": 1}, \"m\": {\"e\": {}}}");
    file.edit("\"e\": {}", "\"e\": {\"u\": 1}");
    file.layered(&base);
    let hook = [item("/m/e/l", "1", "h/x")];
    file.layered_with(&base, &hook);
    file.layered(&base);
    file.says("{\"a\": {\"u\": 1}, \"m\": {\"e\": {\"u\": 1}}}");
    file.edit("\"u\": 1}}", "}}");
    file.layered(&base);
    file.alone();
    file.says("{\"a\": {\"u\": 1}}");
}

#[test]
fn a_part_of_a_packages_node_that_a_layer_gives_alike_is_not_a_clash() {
    let base = json("{\"m\": {\"fs\": {\"c\": 1}}}", Lists::Whole);
    let mut file = File::missing(Format::Jsonc);
    file.layered_with(&base, &[key("/m/fs", "{\"c\": 1, \"d\": 2}", "m/fs")]);
    file.says("{\"m\": {\"fs\": {\"c\": 1, \"d\": 2}}}");
    file.edit("{", "{\"u\": 1, ");
    file.layered(&base);
    file.says("{\"u\": 1, \"m\": {\"fs\": {\"c\": 1}}}");
    let all = [base.nodes.clone(), vec![key("/m/fs", "{\"c\": 2}", "m/fs")]].concat();
    assert!(
        file.plan_on(Some(&base.base), &all, OverwriteRule::Nothing)
            .is_err()
    );
}

#[test]
fn files_equal_to_an_install_are_recognized_as_a_whole() {
    let base = json("// ours\n{\"a\": 1}\n", Lists::Whole);
    let mut file = File::missing(Format::Jsonc);
    file.layered(&base);
    let now = read(file.now(), file.format);
    let text = unread(&base.base);
    assert_eq!(recognise_file(&now, &text, &base.nodes), file.owned);
    file.edit("ours", "mine");
    assert_eq!(
        recognise_file(&read(file.now(), file.format), &text, &base.nodes),
        None
    );
}

#[test]
fn taking_back_a_whole_file_leaves_what_the_user_did_since() {
    let (first, second) = (
        json("{\"a\": 1, \"m\": {\"x\": 1}}", Lists::Whole),
        json("{\"a\": 2, \"l\": [1]}", Lists::Whole),
    );
    let mut file = File::missing(Format::Jsonc);
    file.layered(&first);
    let before = file.clone();
    file.layered(&second);
    file.edit("{", "{\"u\": 1, ");
    let now = read(file.now(), file.format);
    let old = read(before.now(), file.format);
    let back =
        |old: Option<&Document>, owned| take_back(&now, old, owned, file.owned.as_ref()).unwrap();
    let FileOutcome::Write(text) = back(Some(&old), before.owned.as_ref()) else {
        panic!()
    };
    assert_eq!(
        value(&text),
        value("{\"u\": 1, \"a\": 1, \"m\": {\"x\": 1}}")
    );
    let FileOutcome::Write(text) = back(None, None) else {
        panic!()
    };
    assert_eq!(value(&text), value("{\"u\": 1}"));
}

#[test]
fn user_content_stays_when_an_equal_node_is_no_longer_desired() {
    let mut node = key("/a", "1", "m/a");
    for twin in [OnEqualUserValue::Adopt, OnEqualUserValue::Keep] {
        node.on_equal = twin;
        let mut file = File::json("{\"a\": 1}");
        file.get(std::slice::from_ref(&node), OverwriteRule::Nothing);
        file.alone();
        assert_eq!(file.now(), "{\"a\": 1}");
    }
}

/// Enough nodes to be inserted and removed in one edit.
#[test]
fn many_keys_come_and_go_at_once() {
    for (user, format) in [
        (
            "{ // mine\n  \"m7\": {\"u\": 1}, // seven\n  \"l\": [\"u\"] }\n",
            Format::Jsonc,
        ),
        ("# mine\nm7:\n  u: 1 # seven\nl: [u]\n", Format::Yaml),
        ("# mine\nl = [\"u\"]\n\n[m7]\nu = 1 # seven\n", Format::Toml),
    ] {
        let text = |salt: &str| {
            let word =
                |map: usize, key: usize| Value::from(format!("{map} {key} {}", salt.repeat(20)));
            let map =
                |map: usize| Value::map((0..20).map(|key| (format!("k{key}"), word(map, key))));
            let mut all: Vec<(String, Value)> =
                (0..30).map(|at| (format!("m{at}"), map(at))).collect();
            all.push(("l".to_owned(), Value::list((0..50).map(|at| word(0, at)))));
            agpm_text::print(&Value::map(all), format).unwrap()
        };
        let mut file = File::new(user, format);
        for salt in ["a", "b"] {
            let base = layer(&text(salt), format, Lists::Items);
            assert_eq!(file.layered(&base).changes.len(), 650);
            let last = salt.repeat(20);
            assert_eq!(file.at("/m7/k0"), Some(Value::from(format!("7 0 {last}"))));
            assert_eq!(file.at("/l/50"), Some(Value::from(format!("0 49 {last}"))));
            assert_eq!(
                (file.at("/m7/u"), file.at("/l/0")),
                (Some(value("1")), Some(value("\"u\"")))
            );
        }
        file.alone();
        assert_eq!(file.now(), user);
    }
}

/// Writes the first text with one ownership mode, edits it, then writes the second text with another mode: both edits
/// are preserved, with and without recognizing written nodes in between.
#[test]
fn writing_over_a_managed_object_or_list_is_an_edit() {
    let all = [Lists::Whole, Lists::Items, Lists::Keyed];
    let ways = || all.iter().flat_map(|from| all.map(|to| (*from, to)));
    for text in [
        "{\"x\": 1, \"y\": {\"z\": 2}}",
        "[1, 2]",
        "[{\"id\": 1}]",
        "{}",
        "[]",
    ] {
        for ((from, to), by) in
            ways().flat_map(|ways| ["5", "null", "\"s\""].map(move |by| (ways, by)))
        {
            let text = format!("{{\"b\": 1, \"m\": {text}}}");
            let edited = format!("{{\"b\": 1, \"m\": {by}}}");
            let mut file = File::missing(Format::Jsonc);
            file.layered(&json(&text, from));
            file.text = Some(edited.clone());
            let state = check_nodes(
                Some(&read(file.now(), file.format)),
                file.owned.as_ref().unwrap(),
            );
            assert!(
                state.iter().all(|found| found.state == NodeState::Edited),
                "{state:?}"
            );
            let plan = file.layered(&json(&text, to));
            // Another way to merge is a new version of the value, even if it is the same text.
            let changes = shown_changes(&plan);
            let reasons = if from == to {
                &[ChangeReason::Edited][..]
            } else {
                &[ChangeReason::Edited, ChangeReason::Conflict]
            };
            assert!(
                matches!(changes.as_slice(), [(ChangeAction::Keep, reason)] if reasons.contains(reason)),
                "{text} {from:?} {to:?}: {changes:?}"
            );
            let plan = file.adopted(&json(&text, to));
            assert_eq!(
                (plan.outcome, file.now()),
                (FileOutcome::Unchanged, edited.as_str())
            );
            let mut forced = file.clone();
            let layer = json(&text, to);
            let plan = forced.get_on(Some(&layer.base), &layer.nodes, OverwriteRule::Everything);
            let dropped = [ChangeReason::EditDropped, ChangeReason::UnaskedEditDropped];
            assert!(
                shown_changes(&plan)
                    .iter()
                    .any(|(_, reason)| dropped.contains(reason)),
                "{plan:?}"
            );
            assert_eq!(
                (forced.now(), forced.origin()),
                (text.as_str(), FileOrigin::Whole)
            );
            file.alone();
            file.says(&format!("{{\"m\": {by}}}"));
        }
    }
}

#[test]
fn a_user_value_where_an_object_is_desired_is_a_conflict() {
    let mut file = File::json("{\"m\": 5}");
    file.layered(&json("{\"b\": 1}", Lists::Whole));
    let base = json("{\"b\": 1, \"m\": {\"x\": 1}}", Lists::Whole);
    assert_eq!(file.refused(&base), [("/m".to_owned(), Obstacle::Entry)]);
}
