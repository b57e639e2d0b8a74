//! Compares the engine with a plain reference, and checks its laws.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::sync::Arc;

use agpm_diag::SourceMap;
use agpm_merge::{
    Composition, Contribution, LayerFile, MergePolicy, ReferencePolicy, Resolution, fold,
    merge_files,
};
use agpm_model::{EmptyRule, LayerName, MergeOperation, PointerRule, Strategy as MergeStrategy};
use agpm_text::{Format, Limits, Pointer, TreeView, Value, equal, parse, to_value};
use proptest::prelude::*;

fn layers(values: &[Value]) -> Vec<Contribution> {
    let mut sources = SourceMap::default();
    let contribution = |(index, value): (usize, &Value)| {
        let text = value.to_json();
        let name = LayerName::new(&format!("layer{index}")).unwrap();
        let parsed = parse(
            sources.add("x", text.as_str()),
            text,
            Format::Json,
            Limits::default(),
        );
        assert!(parsed.diagnostics.is_empty());
        Contribution {
            layer: name,
            document: Arc::new(parsed.document),
        }
    };
    values.iter().enumerate().map(contribution).collect()
}

fn resolve(values: &[Value], strategy: &MergeStrategy) -> Resolution {
    fold(layers(values), &MergePolicy::merge(strategy.clone()), None)
}

fn folded(values: &[Value], strategy: &MergeStrategy) -> Value {
    resolve(values, strategy).root().map(to_value).unwrap()
}

fn built_in(name: &str) -> MergeStrategy {
    MergeStrategy::built_in(name).unwrap()
}

fn with_rule(strategy: &str, pattern: &str, operation: &str) -> MergeStrategy {
    let mut strategy = built_in(strategy);
    let operation: MergeOperation = operation.parse().unwrap();
    strategy.rules.push(PointerRule {
        pattern: pattern.parse().unwrap(),
        operation: Some(operation),
        empty: EmptyRule::Value,
    });
    strategy
}

/// Merges two values as in the specification's table, without rules and provenance.
fn reference(strategy: &str, lower: &Value, higher: &Value) -> Value {
    match (lower, higher) {
        (Value::Map(low), Value::Map(high)) if strategy != "replace" => {
            let mut out = low.clone();
            for (key, value) in high {
                match out.iter_mut().find(|(existing, _)| existing == key) {
                    Some((_, old)) => *old = reference(strategy, old, value),
                    None => out.push((key.clone(), value.clone())),
                }
            }
            Value::Map(out)
        }
        (Value::List(low), Value::List(high))
            if strategy == "extend-lists" || strategy == "smart-lists" =>
        {
            let id = |item: &Value| {
                item.get("id")
                    .filter(|id| matches!(id, Value::String(_) | Value::Number(_) | Value::Bool(_)))
                    .cloned()
            };
            let by_id =
                strategy == "smart-lists" && low.iter().chain(high).all(|item| id(item).is_some());
            let mut out = low.clone();
            for item in high {
                let same = |existing: &&mut Value| {
                    if by_id {
                        key_text(id(existing)) == key_text(id(item))
                    } else {
                        *existing == item
                    }
                };
                match out.iter_mut().find(same) {
                    Some(existing) => *existing = item.clone(),
                    None => out.push(item.clone()),
                }
            }
            Value::List(out)
        }
        _ => higher.clone(),
    }
}

fn key_text(id: Option<Value>) -> String {
    match id {
        Some(Value::String(text)) => text,
        Some(other) => other.to_json().trim_end().to_owned(),
        None => panic!("every item has one"),
    }
}

fn any_scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0i64..3).prop_map(Value::from),
        "[a-b]{0,1}".prop_map(Value::from),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    any_scalar().prop_recursive(4, 30, 4, |inner| {
        prop_oneof![
            2 => prop::collection::vec(inner.clone(), 0..4).prop_map(unique_ids),
            4 => prop::collection::btree_map("[a-d]|id", inner, 0..5).prop_map(Value::map),
        ]
    })
}

/// Two items of one list with the same `id` are reported separately, and are not part of the law.
fn unique_ids(items: Vec<Value>) -> Value {
    let mut seen = Vec::new();
    let fresh = |item: &Value| match item.get("id") {
        Some(id) => {
            let text = id
                .as_str()
                .map_or_else(|| id.to_json().trim_end().to_owned(), str::to_owned);
            !seen.contains(&text) && {
                seen.push(text);
                true
            }
        }
        None => true,
    };
    Value::List(items.into_iter().filter(fresh).collect())
}

fn any_map() -> impl Strategy<Value = Value> {
    prop::collection::btree_map("[a-d]", any_value(), 0..5).prop_map(Value::map)
}

/// Maps in which a key always has the same type: a map over a scalar over a map starts again from nothing, which is not
/// associative.
fn typed_map() -> impl Strategy<Value = Value> {
    let map = |inner: BoxedStrategy<Value>| {
        let lists = prop::collection::vec(0i64..4, 0..4).prop_map(Value::list);
        let entry = prop_oneof![
            ("m[a-b]", inner),
            ("l[a-b]", lists),
            (
                "s[a-b]",
                any_scalar().prop_filter("not null", |value| !matches!(value, Value::Null))
            ),
        ];
        prop::collection::vec(entry, 0..5).prop_map(|entries| {
            let mut unique: Vec<(String, Value)> = Vec::new();
            entries.into_iter().for_each(|(key, value)| {
                if unique.iter().all(|(existing, _)| *existing != key) {
                    unique.push((key, value));
                }
            });
            Value::Map(unique)
        })
    };
    let leaf = Just(Value::Map(vec![])).boxed();
    let inner = map(leaf).boxed();
    map(map(inner).boxed())
}

fn any_built_in() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["deep", "extend-lists", "replace", "smart-lists"])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_layers_at_once_are_as_two_at_a_time(values in prop::collection::vec(any_map(), 1..5), name in any_built_in()) {
        let expected = values[1..].iter().fold(values[0].clone(), |lower, higher| reference(name, &lower, higher));
        let real = folded(&values, &built_in(name));
        prop_assert!(equal(&real, &expected), "{name}\n{}\n{}", real.to_json(), expected.to_json());
    }

    #[test]
    fn the_order_of_keys_is_the_lower_layers_then_new_keys(low in any_map(), high in any_map()) {
        let keys = |value: &Value| match value { Value::Map(entries) => entries.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>(), _ => vec![] };
        let mut expected = keys(&low);
        expected.extend(keys(&high).into_iter().filter(|key| low.get(key).is_none()));
        prop_assert_eq!(keys(&folded(&[low, high], &built_in("deep"))), expected);
    }

    #[test]
    fn an_empty_layer_changes_nothing(value in any_map(), name in prop::sample::select(vec!["deep", "extend-lists", "smart-lists"])) {
        let empty = Value::Map(vec![]);
        prop_assert!(equal(&folded(&[value.clone(), empty.clone()], &built_in(name)), &value));
        prop_assert!(equal(&folded(&[empty, value.clone()], &built_in(name)), &value));
        prop_assert!(equal(&folded(std::slice::from_ref(&value), &built_in(name)), &value));
    }

    #[test]
    fn merging_twice_is_merging_once(low in any_map(), high in any_map(), name in any_built_in()) {
        let once = folded(&[low, high.clone()], &built_in(name));
        let twice = folded(&[once.clone(), high], &built_in(name));
        prop_assert!(equal(&once, &twice), "{name}\n{}\n{}", once.to_json(), twice.to_json());
    }

    #[test]
    fn folding_is_associative(a in typed_map(), b in typed_map(), c in typed_map(), name in any_built_in()) {
        let strategy = built_in(name);
        let left = folded(&[folded(&[a.clone(), b.clone()], &strategy), c.clone()], &strategy);
        let right = folded(&[a, folded(&[b, c], &strategy)], &strategy);
        prop_assert!(equal(&left, &right));
    }

    #[test]
    fn a_lower_layer_never_changes_what_a_higher_one_set(low in any_map(), high in any_map()) {
        let merged = folded(&[low, high.clone()], &built_in("deep"));
        assert_scalars_kept(&high, &merged)?;
    }

    #[test]
    fn select_is_the_highest_whole(values in prop::collection::vec(any_map(), 1..4)) {
        let policy = MergePolicy { composition: Composition::Select, references: ReferencePolicy::STRICT };
        let chosen = fold(layers(&values), &policy, None);
        prop_assert!(equal(chosen.root().unwrap(), values.last().unwrap()));
    }

    #[test]
    fn every_leaf_is_what_its_layer_says(values in prop::collection::vec(any_map(), 1..4), name in any_built_in(), rule in prop::sample::select(vec!["deep", "replace", "extend", "append", "prepend", "union", "overlay", "non-empty", "keep-lower"]), pattern in prop::sample::select(vec!["", "/a", "/*/b", "/**", "/a/**", "/c/*"])) {
        let strategy = with_rule(name, pattern, rule);
        let resolution = resolve(&values, &strategy);
        let mut leaves = 0;
        let mut failure = None;
        resolution.each_leaf(&Pointer::root(), &mut |leaf| {
            leaves += 1;
            let at = resolution.at(&leaf.pointer);
            if !at.is_some_and(|at| equal(at, leaf.value)) {
                failure = Some(format!("{} is not {:?}", leaf.pointer, leaf.value));
            }
            // The node belongs to that layer's document, and its shadows are nodes of documents too.
            let document = &resolution.contributions()[leaf.layer as usize].document;
            if !std::ptr::eq(Arc::as_ptr(document), leaf.value.document()) {
                failure = Some(format!("{} is from another document", leaf.pointer));
            }
            for shadow in &leaf.shadows {
                resolution.node(shadow.origin);
            }
        });
        prop_assert_eq!(failure, None);
        prop_assert_eq!(leaves, resolution.root().map_or(0, count_leaves));
    }

    #[test]
    fn written_files_read_as_the_result(values in prop::collection::vec(any_map(), 1..4), name in any_built_in(), format in prop::sample::select(vec!["x.json", "x.yaml"])) {
        let mut sources = SourceMap::default();
        let mut file = |index: usize, value: &Value| {
            let text = if format == "x.json" { value.to_json() } else { agpm_text::print(value, Format::Yaml).unwrap() };
            LayerFile::read(LayerName::new(&index.to_string()).unwrap(), format, text.into_bytes(), &mut sources).0
        };
        let files: Vec<LayerFile> = values.iter().enumerate().map(|(index, value)| file(index, value)).collect();
        let merged = merge_files(files, &built_in(name), None).unwrap();
        let written = String::from_utf8(merged.render().unwrap().0.to_bytes()).unwrap();
        let again = parse(sources.add("again", ""), written.as_str(), Format::of_file(format).unwrap(), Limits::default());
        prop_assert!(equal(again.document.root().unwrap(), &merged.value().unwrap()), "{written}");
    }
}

fn count_leaves<'a>(view: impl TreeView<'a>) -> usize {
    use agpm_text::NodeShape;
    match view.shape() {
        NodeShape::List(count) if count > 0 => {
            (0..count).map(|at| count_leaves(view.item(at))).sum()
        }
        NodeShape::Map(count) if count > 0 => {
            (0..count).map(|at| count_leaves(view.entry(at).1)).sum()
        }
        _ => 1,
    }
}

fn assert_scalars_kept(high: &Value, merged: &Value) -> Result<(), TestCaseError> {
    match (high, merged) {
        (Value::Map(entries), Value::Map(_)) => entries
            .iter()
            .try_for_each(|(key, value)| assert_scalars_kept(value, merged.get(key).unwrap())),
        (high, merged) => {
            prop_assert!(equal(high, merged));
            Ok(())
        }
    }
}

fn json(text: &str) -> Value {
    let mut sources = SourceMap::default();
    to_value(
        parse(
            sources.add("x", text),
            text,
            Format::Json,
            Limits::default(),
        )
        .document
        .root()
        .unwrap(),
    )
}

#[test]
fn rules_do_what_they_say() {
    for (strategy, pattern, operation, layers, expected) in [
        (
            "deep",
            "/l",
            "append",
            r#"[{"l":[1,2]},{"l":[2,3]}]"#,
            r#"{"l":[1,2,2,3]}"#,
        ),
        (
            "deep",
            "/l",
            "prepend",
            r#"[{"l":[1,2]},{"l":[2,3]},{"l":[4]}]"#,
            r#"{"l":[4,2,3,1,2]}"#,
        ),
        (
            "deep",
            "/l",
            "extend",
            r#"[{"l":[1,1,2]},{"l":[2,3]}]"#,
            r#"{"l":[1,1,2,3]}"#,
        ),
        (
            "deep",
            "/l",
            "union",
            r#"[{"l":[1,1,2]},{"l":[2,3,3]}]"#,
            r#"{"l":[1,2,3]}"#,
        ),
        (
            "deep",
            "/**",
            "extend",
            r#"[{"a":{"l":[1]}},{"a":{"l":[2]}}]"#,
            r#"{"a":{"l":[1,2]}}"#,
        ),
        (
            "deep",
            "/a",
            "extend",
            r#"[{"a":{"l":[1]},"l":[1]},{"a":{"l":[2]},"l":[2]}]"#,
            r#"{"a":{"l":[1,2]},"l":[2]}"#,
        ),
        (
            "deep",
            "/l",
            "by-key:id",
            r#"[{"l":[{"id":"a","x":1,"y":1},{"id":"b"}]},{"l":[{"id":"c"},{"id":"a","x":2}]}]"#,
            r#"{"l":[{"id":"a","x":2},{"id":"b"},{"id":"c"}]}"#,
        ),
        (
            "deep",
            "/l",
            "by-key:id:deep",
            r#"[{"l":[{"id":1,"x":1,"y":1}]},{"l":[{"id":1,"x":2}]}]"#,
            r#"{"l":[{"id":1,"x":2,"y":1}]}"#,
        ),
        (
            "extend-lists",
            "/l",
            "by-key:id:deep",
            r#"[{"l":[{"id":1,"t":[1]}]},{"l":[{"id":1,"t":[2]}]}]"#,
            r#"{"l":[{"id":1,"t":[1,2]}]}"#,
        ),
        (
            "deep",
            "/m",
            "overlay",
            r#"[{"m":{"a":{"x":1},"b":1}},{"m":{"a":{"y":2}}}]"#,
            r#"{"m":{"a":{"y":2},"b":1}}"#,
        ),
        (
            "deep",
            "/v",
            "non-empty",
            r#"[{"v":"low"},{"v":" "},{"v":null}]"#,
            r#"{"v":"low"}"#,
        ),
        (
            "deep",
            "/v",
            "non-empty",
            r#"[{"v":""},{"v":[]}]"#,
            r#"{"v":[]}"#,
        ),
        (
            "deep",
            "/v",
            "keep-lower",
            r#"[{"v":1},{"v":2},{"v":3}]"#,
            r#"{"v":1}"#,
        ),
        (
            "deep",
            "/m",
            "replace",
            r#"[{"m":{"a":1}},{"m":{"b":2}}]"#,
            r#"{"m":{"b":2}}"#,
        ),
        (
            "replace",
            "/m",
            "deep",
            r#"[{"x":1,"m":{"a":1}},{"y":1,"m":{"b":2}}]"#,
            r#"{"m":{"a":1,"b":2},"y":1}"#,
        ),
        (
            "replace",
            "/a/b",
            "deep",
            r#"[{"a":{"b":1,"c":2}},{"x":1}]"#,
            r#"{"a":{"b":1},"x":1}"#,
        ),
        (
            "replace",
            "/a/b",
            "extend",
            r#"[{"a":{"b":[1],"c":2}},{"a":{"b":[2]}}]"#,
            r#"{"a":{"b":[1,2]}}"#,
        ),
        (
            "deep",
            "/*/n",
            "keep-lower",
            r#"[{"a":{"n":1,"m":1}},{"a":{"n":2,"m":2}}]"#,
            r#"{"a":{"n":1,"m":2}}"#,
        ),
        (
            "deep",
            "/e",
            "forbid",
            r#"[{"e":{"a":1,"b":2}},{"e":{"b":2,"c":3}}]"#,
            r#"{"e":{"a":1,"b":2,"c":3}}"#,
        ),
        ("deep", "", "replace", r#"[{"a":1},{"b":2}]"#, r#"{"b":2}"#),
        (
            "deep",
            "/**",
            "replace",
            r#"[{"a":{"x":1}},{"a":{"y":1}}]"#,
            r#"{"a":{"y":1}}"#,
        ),
        (
            "deep",
            "/a",
            "union",
            r#"[{"a":null},{"a":[2,2]}]"#,
            r#"{"a":[2,2]}"#,
        ),
        (
            "deep",
            "/a",
            "by-key:id",
            r#"[{"a":[{"id":1,"v":1}]},{"a":[{"id":"1"},{"id":1.0,"v":2}]}]"#,
            r#"{"a":[{"id":1.0,"v":2},{"id":"1"}]}"#,
        ),
    ] {
        let Value::List(layers) = json(layers) else {
            panic!()
        };
        let strategy = with_rule(strategy, pattern, operation);
        assert_eq!(
            folded(&layers, &strategy).to_json(),
            json(expected).to_json(),
            "{pattern}={operation}"
        );
    }
}

#[test]
fn the_most_specific_rule_applies() {
    let mut strategy = built_in("deep");
    for (pattern, operation) in [
        ("/**", "keep-lower"),
        ("/a/*", "extend"),
        ("/a/l", "replace"),
        ("/*", "deep"),
    ] {
        strategy
            .rules
            .extend(with_rule("deep", pattern, operation).rules);
    }
    let Value::List(layers) = json(
        r#"[{"a":{"l":[1],"m":[1],"x":{"y":1}},"b":1},{"a":{"l":[2],"m":[2],"x":{"y":2}},"b":2}]"#,
    ) else {
        panic!()
    };
    let expected = r#"{"a":{"l":[2],"m":[1,2],"x":{"y":1}},"b":2}"#;
    assert_eq!(
        folded(&layers, &strategy).to_json(),
        json(expected).to_json()
    );
}

#[test]
fn only_a_more_specific_rule_takes_a_whole_apart() {
    for (rules, layers, expected) in [
        (
            [("/a", "replace"), ("/**", "extend")],
            r#"[{"a":{"x":1}},{"a":{"y":1}}]"#,
            r#"{"a":{"y":1}}"#,
        ),
        (
            [("/a", "replace"), ("/a/l", "extend")],
            r#"[{"a":{"x":1,"l":[1]}},{"a":{"l":[2]}}]"#,
            r#"{"a":{"l":[1,2]}}"#,
        ),
        (
            [("/b", "keep-lower"), ("/b/c", "replace")],
            r#"[{"b":{"c":1,"d":1}},{"b":{"c":2,"d":2}}]"#,
            r#"{"b":{"c":2,"d":1}}"#,
        ),
        (
            [("/b", "non-empty"), ("/b/c", "keep-lower")],
            r#"[{"b":{"c":1}},{"b":{"c":2,"d":2}}]"#,
            r#"{"b":{"c":1,"d":2}}"#,
        ),
    ] {
        let mut strategy = built_in("deep");
        rules.iter().for_each(|(pattern, operation)| {
            strategy
                .rules
                .extend(with_rule("deep", pattern, operation).rules)
        });
        let Value::List(layers) = json(layers) else {
            panic!()
        };
        assert_eq!(
            folded(&layers, &strategy).to_json(),
            json(expected).to_json(),
            "{rules:?}"
        );
    }
}

#[test]
fn a_map_after_a_change_of_type_still_shadows_what_was_there_before() {
    let Value::List(layers) = json(r#"[{"a":{"x":1}},{"a":5},{"a":{"x":2}},{"a":{"x":3}}]"#) else {
        panic!()
    };
    let resolution = resolve(&layers, &built_in("deep"));
    let mut shadows = Vec::new();
    resolution.each_leaf(&Pointer::root(), &mut |leaf| {
        shadows.extend(leaf.shadows.iter().map(|shadow| shadow.origin.layer))
    });
    assert_eq!(shadows, [2, 1, 0]);
}

#[test]
fn unset_values_are_removed_and_recorded() {
    let mut strategy = built_in("extend-lists");
    strategy.unset = vec![
        "/a/b".parse().unwrap(),
        "/l/0".parse().unwrap(),
        "/nothing".parse().unwrap(),
    ];
    let Value::List(layers) = json(r#"[{"a":{"b":1,"c":1},"l":["x"]},{"a":{"b":2},"l":["y"]}]"#)
    else {
        panic!()
    };
    let resolution = resolve(&layers, &strategy);
    assert_eq!(
        resolution.root().map(to_value),
        Some(json(r#"{"a":{"c":1},"l":["y"]}"#))
    );
    let gone: Vec<(String, usize)> = resolution
        .deletions()
        .iter()
        .map(|d| (d.pointer.to_string(), d.shadows.len()))
        .collect();
    assert_eq!(gone, [("/a/b".to_owned(), 2), ("/l/0".to_owned(), 1)]);
    assert_eq!(
        resolution
            .diagnostics()
            .iter()
            .map(|d| d.code.name)
            .collect::<Vec<_>>(),
        ["merge/unset-nothing"]
    );
    let alone = resolve(&layers[..1], &strategy);
    assert_eq!(
        alone.root().map(to_value),
        Some(json(r#"{"a":{"c":1},"l":[]}"#))
    );
}

#[test]
fn empty_containers_do_as_reported() {
    let Value::List(layers) = json(r#"[{"m":{"a":1}},{"m":{}},{"m":{"b":2}}]"#) else {
        panic!()
    };
    for (empty, expected) in [
        (EmptyRule::Value, r#"{"m":{"a":1,"b":2}}"#),
        (EmptyRule::Ignore, r#"{"m":{"a":1,"b":2}}"#),
        (EmptyRule::Clear, r#"{"m":{"b":2}}"#),
    ] {
        let mut strategy = built_in("deep");
        strategy.rules.push(PointerRule {
            pattern: "/m".parse().unwrap(),
            operation: None,
            empty,
        });
        assert_eq!(
            folded(&layers, &strategy).to_json(),
            json(expected).to_json(),
            "{empty:?}"
        );
        let top = folded(&layers[..2], &strategy);
        let expected = if empty == EmptyRule::Clear {
            r#"{"m":{}}"#
        } else {
            r#"{"m":{"a":1}}"#
        };
        assert_eq!(top.to_json(), json(expected).to_json(), "{empty:?}");
    }
}

#[test]
fn values_cleared_by_an_empty_object_are_shadowed() {
    let mut strategy = built_in("deep");
    strategy.rules.push(PointerRule {
        pattern: "/m".parse().unwrap(),
        operation: None,
        empty: EmptyRule::Clear,
    });
    let Value::List(layers) = json(r#"[{"m":{"a":1}},{"m":{}},{"m":{"a":2}}]"#) else {
        panic!()
    };
    let resolution = resolve(&layers, &strategy);
    let mut findings = Vec::new();
    resolution.each_leaf(&Pointer::root(), &mut |leaf| {
        findings.push((leaf.layer, leaf.shadows.len()))
    });
    assert_eq!(findings, [(2, 1)]);
}

/// Above 4 MiB the written text is not parsed again, so it must be right without that check.
#[test]
fn large_results_are_written_as_they_are_meant() {
    let entry = |n: usize| format!("  \"key{n}\": {{\"a\": [{n}, \"text\"], \"b\": null}}");
    let low: Vec<String> = (0..130_000).map(entry).collect();
    let high = r#"{"key5": {"a": ["x"], "c": 1}, "key129999": 7, "new": {"deep": [{}]}}"#;
    let mut sources = SourceMap::default();
    let mut file = |name: &str, text: String| {
        LayerFile::read(
            LayerName::new(name).unwrap(),
            "x.json",
            text.into_bytes(),
            &mut sources,
        )
        .0
    };
    let files = vec![
        file("low", format!("{{\n{}\n}}\n", low.join(",\n"))),
        file("high", high.to_owned()),
    ];
    let merged = merge_files(files, &built_in("extend-lists"), None).unwrap();
    let written = String::from_utf8(merged.render().unwrap().0.to_bytes()).unwrap();
    assert!(written.len() > 4 << 20);
    let again = parse(
        sources.add("again", ""),
        written,
        Format::Json,
        Limits::default(),
    );
    assert!(again.diagnostics.is_empty());
    assert!(equal(
        again.document.root().unwrap(),
        &merged.value().unwrap()
    ));
}

#[test]
fn findings_name_the_layer_and_the_place() {
    let codes = |strategy: &MergeStrategy, text: &str| {
        let Value::List(layers) = json(text) else {
            panic!()
        };
        let found = resolve(&layers, strategy);
        found
            .diagnostics()
            .iter()
            .map(|d| format!("{} {}", d.code.name, d.layer.clone().unwrap_or_default()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        codes(&built_in("deep"), r#"[{"a":1},{"a":"x"},{"a":[]}]"#),
        ["merge/type-change layer1", "merge/type-change layer2"]
    );
    assert_eq!(
        codes(&built_in("deep"), r#"[{"a":1},{"a":null},{"a":2.5}]"#),
        Vec::<String>::new()
    );
    assert_eq!(
        codes(
            &with_rule("deep", "/e", "forbid"),
            r#"[{"e":{"a":1}},{"e":{"a":2}}]"#
        ),
        ["merge/clash layer1"]
    );
    assert_eq!(
        codes(
            &with_rule("deep", "/e", "forbid"),
            r#"[{"e":[1]},{"e":[1]}]"#
        ),
        Vec::<String>::new()
    );
    for lower in ["null", "\"s\"", "{}", "[2]"] {
        let layers = format!(r#"[{{"e":{lower}}},{{"e":[1]}}]"#);
        assert_eq!(
            codes(&with_rule("deep", "/e", "forbid"), &layers),
            ["merge/clash layer1"],
            "{lower}"
        );
    }
    assert_eq!(
        codes(
            &with_rule("deep", "/l", "by-key:id"),
            r#"[{},{"l":[{"x":1}]}]"#
        ),
        ["merge/item-key layer1"]
    );
    assert_eq!(
        codes(
            &built_in("smart-lists"),
            r#"[{"l":[{"id":1},{"id":1}]},{"l":[{"id":2}]}]"#
        ),
        ["merge/duplicate-item layer0"]
    );
    let by_key = with_rule("deep", "/l", "by-key:id");
    assert_eq!(
        codes(&by_key, r#"[{"l":[{"id":1}]},{"l":[{"id":2},{"x":1},7]}]"#),
        ["merge/item-key layer1", "merge/item-key layer1"]
    );
    assert_eq!(
        codes(&by_key, r#"[{"l":[{"id":1},{"id":1}]},{"l":[{"id":2}]}]"#),
        ["merge/duplicate-item layer0"]
    );
}

#[test]
fn items_of_a_single_layer_must_have_their_key_too() {
    let value = |text: &str| {
        let parsed = parse(
            SourceMap::default().add("x", text),
            text,
            Format::Json,
            Limits::default(),
        );
        to_value(parsed.document.root().unwrap())
    };
    let strategy = with_rule("deep", "/a/servers", "by-key:id");
    let one = resolve(
        &[value(
            r#"{"a": {"servers": [{"id": 1}, {"port": 2}]}, "b": [1]}"#,
        )],
        &strategy,
    );
    let found: Vec<&str> = one
        .diagnostics()
        .iter()
        .map(|found| found.code.name)
        .collect();
    assert_eq!(found, ["merge/item-key"]);
    let good = value(r#"{"a": {"servers": [{"id": 1}]}, "b": [1]}"#);
    assert_eq!(folded(std::slice::from_ref(&good), &strategy), good);
    let mut words = Vec::new();
    resolve(&[good], &strategy).each_leaf(&Pointer::root(), &mut |leaf| {
        words.push(leaf.operation.word())
    });
    assert_eq!(words, ["only", "only"]);
}
