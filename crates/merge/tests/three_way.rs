//! Merges of two sides since a base: laws, and `git merge-file` as the oracle for text.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]

use agpm_merge::{
    ListRules, MergeConflict, Strategy as FileStrategy, ThreeWayMerge, merge_three, merge_three_by,
};
use agpm_testkit::Sandbox;
use agpm_text::{Format, Value, parse_alone, print, to_value};
use proptest::prelude::*;

fn merged(sides: [&str; 3], format: Format) -> String {
    match merge_three(
        sides[0].as_bytes(),
        sides[1].as_bytes(),
        sides[2].as_bytes(),
        Some(format),
    ) {
        ThreeWayMerge::Merged(bytes) => String::from_utf8(bytes).unwrap(),
        ThreeWayMerge::Conflict(conflicts) => panic!("{conflicts:?}"),
    }
}

fn conflicts(sides: [&str; 3], format: Option<Format>) -> Vec<MergeConflict> {
    match merge_three(
        sides[0].as_bytes(),
        sides[1].as_bytes(),
        sides[2].as_bytes(),
        format,
    ) {
        ThreeWayMerge::Conflict(conflicts) => conflicts,
        ThreeWayMerge::Merged(bytes) => panic!("{}", String::from_utf8_lossy(&bytes)),
    }
}

#[test]
fn front_matter_merges_by_key_and_the_body_by_line() {
    let base = "---\nname: a\nmodel: sonnet\n---\nOne.\n\nTwo.\n";
    let yours = "---\nname: a\n# cheaper\nmodel: haiku\n---\nOne.\n\nTwo, mine.\n";
    let new = "---\nname: a\nmodel: sonnet\ncolor: red\n---\nOne, new.\n\nTwo.\n";
    assert_eq!(
        merged([base, yours, new], Format::Markdown),
        "---\nname: a\n# cheaper\nmodel: haiku\ncolor: red\n---\nOne, new.\n\nTwo, mine.\n"
    );
}

#[test]
fn the_layout_and_the_comments_of_your_side_stay() {
    for (format, base, yours, new, expected) in [
        (
            Format::Jsonc,
            r#"{"a": 1, "b": 2, "c": [1]}"#,
            "{\n  // mine\n  \"a\": 10,\n  \"b\": 2,\n  \"c\": [1]\n}\n",
            r#"{"a": 1, "b": 20, "c": [1, 2], "d": {"e": 5}}"#,
            "{\n  // mine\n  \"a\": 10,\n  \"b\": 20,\n  \"c\": [1, 2],\n  \"d\": {\n    \"e\": 5\n  }\n}\n",
        ),
        (
            Format::Toml,
            "a = 1\nb = 2\n",
            "# mine\na = 10 # ten\nb = 2\n",
            "a = 1\nb = 20\n",
            "# mine\na = 10 # ten\nb = 20\n",
        ),
        (
            Format::Yaml,
            "a: 1\nb: 2\n",
            "# mine\na: 10 # ten\nb: 2\n",
            "a: 1\nb: 20\n",
            "# mine\na: 10 # ten\nb: 20\n",
        ),
    ] {
        assert_eq!(merged([base, yours, new], format), expected);
    }
}

#[test]
fn a_key_that_both_sides_changed_is_a_conflict() {
    let pointer = |conflicts: Vec<MergeConflict>| match conflicts.as_slice() {
        [MergeConflict::Key(pointer)] => pointer.to_string(),
        other => panic!("{other:?}"),
    };
    let json = [
        "{\"a\": {\"b\": 1}}",
        "{\"a\": {\"b\": 2}}",
        "{\"a\": {\"b\": 3}}",
    ];
    assert_eq!(pointer(conflicts(json, Some(Format::Json))), "/a/b");
    let removed = ["{\"a\": 1, \"b\": 1}", "{\"a\": 1}", "{\"a\": 1, \"b\": 2}"];
    assert_eq!(pointer(conflicts(removed, Some(Format::Json))), "/b");
    let front = [
        "---\nmodel: a\n---\nText.\n",
        "---\nmodel: b\n---\nText.\n",
        "---\nmodel: c\n---\nText.\n",
    ];
    assert_eq!(pointer(conflicts(front, Some(Format::Markdown))), "/model");
}

#[test]
fn lines_that_both_sides_changed_are_a_conflict() {
    let base = "---\nname: a\n---\n1\n2\n3\n";
    let yours = "---\nname: a\nmine: 1\n---\n1\ntwo\n3\n";
    let new = "---\nname: a\n---\n1\nzwei\n3\n";
    let lines = MergeConflict::Lines { first: 6, count: 1 };
    assert_eq!(
        conflicts([base, yours, new], Some(Format::Markdown)),
        [lines]
    );
    let plain = ["1\n2\n3\n", "1\n3\n", "1\nzwei\n3\n"];
    let lines = MergeConflict::Lines { first: 2, count: 0 };
    assert_eq!(conflicts(plain, None), [lines]);
}

#[test]
fn different_items_of_a_list_merge_where_their_lines_do() {
    let base = "tools:\n  - a\n  - b\n  - c\n  - d\n";
    let yours = "tools:\n  - a2\n  - b\n  - c\n  - d\n";
    let new = "tools:\n  - a\n  - b\n  - c\n  - d2\n";
    assert_eq!(
        merged([base, yours, new], Format::Yaml),
        "tools:\n  - a2\n  - b\n  - c\n  - d2\n"
    );
}

#[test]
fn a_clean_merge_of_lines_that_is_not_valid_is_not_used() {
    // Both sides add the same key in other lines.
    let base = "a = 1\nb = 2\nc = 3\nd = 4\n";
    let yours = "x = 1\na = 1\nb = 2\nc = 3\nd = 4\n";
    let new = "a = 1\nb = 2\nc = 3\nd = 4\nx = 1\n";
    assert_eq!(merged([base, yours, new], Format::Toml), yours);
    let other = "a = 1\nb = 2\nc = 3\nd = 4\nx = 2\n";
    assert_eq!(conflicts([base, yours, other], Some(Format::Toml)).len(), 1);
}

#[test]
fn binary_files_conflict() {
    let found = merge_three(b"\0a", b"\0b", b"\0c", None);
    assert_eq!(found, ThreeWayMerge::Conflict(vec![MergeConflict::Binary]));
    let same = merge_three(b"\0a", b"\0b", b"\0b", None);
    assert_eq!(same, ThreeWayMerge::Merged(b"\0b".to_vec()));
}

/// Changes of a text: lines that are replaced, removed and inserted.
fn edited(lines: &[String], edits: &[(prop::sample::Index, u8, String)]) -> String {
    let mut lines = lines.to_vec();
    for (index, action, line) in edits {
        let at = index.index(lines.len() + 1);
        match action % 3 {
            0 => lines.insert(at, line.clone()),
            1 if at < lines.len() => lines[at] = line.clone(),
            _ if at < lines.len() => drop(lines.remove(at)),
            _ => lines.push(line.clone()),
        }
    }
    lines.concat()
}

fn text_sides() -> impl Strategy<Value = [String; 3]> {
    let line = || prop_oneof![4 => "[a-z]{3}\n", 1 => Just("\n".to_owned())];
    let edit = move || (any::<prop::sample::Index>(), any::<u8>(), line());
    let edits = move || prop::collection::vec(edit(), 0..4);
    (prop::collection::vec(line(), 0..25), edits(), edits()).prop_map(|(lines, yours, new)| {
        [lines.concat(), edited(&lines, &yours), edited(&lines, &new)]
    })
}

/// The merge of `git merge-file`; `None` if it has conflicts.
fn merge_of_git(sandbox: &Sandbox, sides: [&str; 3]) -> Option<String> {
    let [base, yours, new] = sides;
    for (name, text) in [("base", base), ("yours", yours), ("new", new)] {
        std::fs::write(sandbox.work().join(name), text).unwrap();
    }
    let mut command = sandbox.command("git");
    command.args(["merge-file", "-p", "yours", "base", "new"]);
    let output = command.output().unwrap();
    output
        .status
        .success()
        .then(|| String::from_utf8(output.stdout).unwrap())
}

fn values() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        any::<bool>().prop_map(Value::from),
        (0i64..5).prop_map(Value::from),
        "[a-c]{0,2}".prop_map(Value::from),
    ];
    let list = prop::collection::vec(scalar.clone(), 0..3).prop_map(Value::List);
    let leaf = prop_oneof![3 => scalar, 1 => list];
    let inner = prop::collection::btree_map("[a-d]", leaf.clone(), 0..3);
    let inner = inner.prop_map(Value::map);
    let value = prop_oneof![2 => leaf, 1 => inner];
    prop::collection::btree_map("[a-f]", value, 0..5).prop_map(Value::map)
}

/// The leaves of a value, by path.
fn leaves(value: &Value, at: &str, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Map(entries) if !entries.is_empty() => {
            for (key, value) in entries {
                leaves(value, &format!("{at}/{key}"), found);
            }
        }
        _ => found.push((at.to_owned(), value.clone())),
    }
}

fn leaf_list(value: &Value) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    leaves(value, "", &mut found);
    found
}

proptest! {
    #[test]
    fn equal_and_unchanged_sides_decide(sides in text_sides()) {
        let [base, yours, new] = &sides;
        for format in [None, Some(Format::Markdown), Some(Format::Yaml), Some(Format::Json)] {
            let merge = |base: &str, yours: &str, new: &str| {
                merge_three(base.as_bytes(), yours.as_bytes(), new.as_bytes(), format)
            };
            let side = |text: &str| ThreeWayMerge::Merged(text.as_bytes().to_vec());
            prop_assert_eq!(merge(base, yours, yours), side(yours));
            prop_assert_eq!(merge(base, base, new), side(new));
            prop_assert_eq!(merge(base, yours, base), side(yours));
        }
    }

    #[test]
    fn structured_merges_keep_the_changes_of_both_sides(
        base in values(), yours in values(), new in values(), at in 0usize..3,
    ) {
        let format = [Format::Json, Format::Yaml, Format::Toml][at];
        let texts = [&base, &yours, &new].map(|value| print(value, format).unwrap());
        let found = merge_three(
            texts[0].as_bytes(), texts[1].as_bytes(), texts[2].as_bytes(), Some(format),
        );
        if let ThreeWayMerge::Merged(bytes) = found {
            let text = String::from_utf8(bytes).unwrap();
            let parsed = parse_alone(text.as_str(), format);
            prop_assert!(parsed.diagnostics.is_empty(), "{}", text);
            let merged = parsed.document.root().map_or(Value::map::<String>([]), to_value);
            let merged = leaf_list(&merged);
            let in_base = leaf_list(&base);
            // A leaf that a side set or changed is in the result, unless it is an emptied map that the other side fills.
            for side in [&yours, &new] {
                for leaf in leaf_list(side) {
                    let is_map = matches!(&leaf.1, Value::Map(_)) || matches!(&leaf.1, Value::List(_));
                    prop_assert!(
                        is_map || in_base.contains(&leaf) || merged.contains(&leaf),
                        "{:?} is lost in {}", leaf, text
                    );
                }
            }
        }
    }
}

#[test]
fn where_git_is_clean_the_result_is_the_same() {
    let sandbox = Sandbox::new("git");
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(300));
    let result = runner.run(&text_sides(), |sides| {
        let sides = [sides[0].as_str(), sides[1].as_str(), sides[2].as_str()];
        let [base, yours, new] = sides.map(str::as_bytes);
        let ours = merge_three(base, yours, new, None);
        match merge_of_git(&sandbox, sides) {
            Some(text) => prop_assert_eq!(ours, ThreeWayMerge::Merged(text.into_bytes())),
            None => prop_assert!(matches!(ours, ThreeWayMerge::Conflict(_))),
        }
        Ok(())
    });
    result.unwrap();
}

#[test]
fn lists_merge_by_item_where_a_strategy_says_so() {
    let merged = |strategy: Option<&str>, sides: [&str; 3]| {
        let strategy = strategy.and_then(FileStrategy::built_in);
        let sides = sides.map(str::as_bytes);
        let rules = ListRules::of(strategy.as_ref());
        match merge_three_by(sides, Some(Format::Json), &rules) {
            ThreeWayMerge::Merged(bytes) => Ok(String::from_utf8(bytes).unwrap()),
            ThreeWayMerge::Conflict(conflicts) => Err(conflicts),
        }
    };
    let (base, yours, new) = ("[1, 2, 3]\n", "[1, 3, 4]\n", "[0, 1, 2, 3, 5]\n");
    assert!(merged(None, [base, yours, new]).is_err());
    assert!(merged(Some("deep"), [base, yours, new]).is_err());
    let extended = merged(Some("extend-lists"), [base, yours, new]);
    assert_eq!(extended.unwrap(), "[0, 1, 3, 5, 4]\n");
    // An item that occurs twice has no identity.
    assert!(merged(Some("extend-lists"), ["[1]", "[1, 1, 2]", "[1, 3]"]).is_err());
    let items = |a: &str, b: &str| {
        format!("[{{\"id\": \"a\", \"v\": {a}}}, {{\"id\": \"b\", \"v\": {b}}}]\n")
    };
    let (base, yours, new) = (items("1", "1"), items("2", "1"), items("1", "3"));
    let by_id = merged(Some("smart-lists"), [&base, &yours, &new]);
    assert_eq!(by_id.unwrap(), items("2", "3"));
    let both = items("3", "1");
    let conflicts = merged(Some("smart-lists"), [&base, &yours, &both]).unwrap_err();
    assert_eq!(conflicts, [MergeConflict::Key("/0".parse().unwrap())]);
    // Removed on one side and changed on the other.
    let gone = "[{\"id\": \"b\", \"v\": 1}]\n";
    assert!(merged(Some("smart-lists"), [&base, gone, &both]).is_err());
    assert!(merged(Some("smart-lists"), [&base, &both, gone]).is_err());
    assert_eq!(
        merged(Some("smart-lists"), [&base, gone, &new]).unwrap(),
        "[{\"id\": \"b\", \"v\": 3}]\n"
    );
}
