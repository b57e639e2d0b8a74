//! Lists as sets: identity, position and content of items, and the skipped ones.
#![allow(clippy::unwrap_used, missing_docs)]

use std::sync::Arc;

use agpm_diag::SourceMap;
use agpm_merge::{Contribution, MergePolicy, Resolution, ShadowKind, fold};
use agpm_model::{
    EmptyRule, ItemRule, LayerName, ListIdentity, ListRule, MergeOperation, Strategy,
    TextProjection,
};
use agpm_text::{Format, Limits, Pointer, parse, to_value};

const TITLED: ListIdentity = ListIdentity {
    fields: &[&[&["slug", "id"], &["title"]]],
    projection: Some(TextProjection {
        title: &["title"],
        items: &["items"],
        item: &["text"],
    }),
};
const PAIR: ListIdentity = ListIdentity {
    fields: &[&[&["title"]], &[&["url"]]],
    projection: None,
};

fn resolve(layers: &[&str], identity: ListIdentity, items: ItemRule) -> Resolution {
    let mut sources = SourceMap::default();
    let contribution = |(index, text): (usize, &&str)| {
        let parsed = parse(
            sources.add("x", *text),
            *text,
            Format::Json,
            Limits::default(),
        );
        assert!(parsed.diagnostics.is_empty(), "{text}");
        let layer = LayerName::new(&format!("layer{index}")).unwrap();
        Contribution {
            layer,
            document: Arc::new(parsed.document),
        }
    };
    let contributions = layers.iter().enumerate().map(contribution).collect();
    let lists = ListRule::By(MergeOperation::Unite { identity, items });
    let strategy = Strategy {
        lists,
        empty: EmptyRule::Blank,
        ..Strategy::default()
    };
    fold(contributions, &MergePolicy::merge(strategy), None)
}

fn check(layers: &[&str], identity: ListIdentity, items: ItemRule, expected: &str) -> Resolution {
    let resolution = resolve(layers, identity, items);
    let found = resolution.root().map(to_value).unwrap();
    let expected_value = to_value(
        agpm_text::parse_alone(expected, Format::Json)
            .document
            .root()
            .unwrap(),
    );
    assert_eq!(found, expected_value, "{layers:?}");
    resolution
}

#[test]
fn items_are_there_once_and_blanks_not_at_all_also_where_one_layer_speaks() {
    check(
        &[r#"["b", " ", "a", null, "b"]"#],
        ListIdentity::WHOLE,
        ItemRule::Replace,
        r#"["b", "a"]"#,
    );
    check(
        &[r#"["b", "a"]"#, r#"["c", "a", ""]"#],
        ListIdentity::WHOLE,
        ItemRule::Replace,
        r#"["b", "a", "c"]"#,
    );
    check(
        &[r#"{"x": {"y": [1, 1]}}"#],
        ListIdentity::WHOLE,
        ItemRule::Replace,
        r#"{"x": {"y": [1]}}"#,
    );
    check(
        &[r#"["", " "]"#],
        ListIdentity::WHOLE,
        ItemRule::Replace,
        "[]",
    );
}

#[test]
fn a_blank_document_is_empty() {
    for blank in [
        r#""""#,
        "null",
        "[]",
        "{}",
        r#"[{"a": "", "b": []}]"#,
        r#""  \n""#,
    ] {
        let layers = [r#"{"n": "kept"}"#, &format!(r#"{{"n": {blank}}}"#)];
        check(
            &layers,
            ListIdentity::WHOLE,
            ItemRule::Replace,
            r#"{"n": "kept"}"#,
        );
    }
    check(
        &[r#"{"n": "x"}"#, r#"{"n": false}"#],
        ListIdentity::WHOLE,
        ItemRule::Replace,
        r#"{"n": false}"#,
    );
    check(
        &[r#"{"n": "x"}"#, r#"{"n": 0}"#],
        ListIdentity::WHOLE,
        ItemRule::Replace,
        r#"{"n": 0}"#,
    );
    // If all are blank, the highest is used.
    check(
        &[r#"{"n": "x"}"#, r#"{"m": ""}"#, r#"{"m": " "}"#],
        ListIdentity::WHOLE,
        ItemRule::Replace,
        r#"{"n": "x", "m": " "}"#,
    );
}

#[test]
fn a_merged_item_has_the_position_of_the_lowest_and_the_fields_of_the_highest() {
    let low = r#"[{"title": "A", "url": "u", "kind": "doc", "tags": ["x"]}, {"title": "B"}]"#;
    let high = r#"[{"title": "C", "url": "u"}, {"url": "u", "title": "A", "tags": ["y", "x"], "kind": "page"}]"#;
    let merged = r#"[{"title": "A", "url": "u", "kind": "page", "tags": ["x", "y"]}, {"title": "B"}, {"title": "C", "url": "u"}]"#;
    check(&[low, high], PAIR, ItemRule::Deep, merged);
    let chosen = r#"[{"url": "u", "title": "A", "tags": ["y", "x"], "kind": "page"}, {"title": "B"}, {"title": "C", "url": "u"}]"#;
    check(&[low, high], PAIR, ItemRule::Replace, chosen);
}

#[test]
fn items_without_an_identity_are_distinguished_by_all_they_say() {
    let low = r#"[{"note": 1}, {"title": " ", "note": 2}, 3]"#;
    let high = r#"[{"note": 1}, {"title": " ", "note": 4}, 3.0]"#;
    let merged = r#"[{"note": 1}, {"title": " ", "note": 2}, 3, {"title": " ", "note": 4}]"#;
    check(&[low, high], PAIR, ItemRule::Deep, merged);
}

#[test]
fn lists_in_an_item_are_sets_only_where_items_merge() {
    let one = r#"[{"slug": "a", "items": ["x", "x", ""]}]"#;
    check(
        &[one],
        TITLED,
        ItemRule::Deep,
        r#"[{"slug": "a", "items": ["x"]}]"#,
    );
    check(&[one], TITLED, ItemRule::Replace, one);
}

#[test]
fn a_text_that_a_map_says_too_is_that_map() {
    let map = r#"[{"title": "T", "items": ["x", {"text": "y"}]}, "Z"]"#;
    let result = r#"[{"title": "T", "items": ["x", {"text": "y"}]}, "Z", "T: z"]"#;
    check(
        &[map, r#"["T: y", "T: z", "T: x"]"#],
        TITLED,
        ItemRule::Deep,
        result,
    );
    // The object takes the position of the lowest of its texts.
    let result = r#"["A", {"title": "T", "items": ["x", {"text": "y"}]}, "B", "Z"]"#;
    let resolution = check(
        &[r#"["A", "T: y", "B", "T: x"]"#, map],
        TITLED,
        ItemRule::Deep,
        result,
    );
    let mut kinds = Vec::new();
    resolution.each_leaf(&"/1/title".parse::<Pointer>().unwrap(), &mut |leaf| {
        kinds.extend(leaf.shadows.iter().map(|shadow| shadow.kind));
    });
    assert_eq!(kinds, [ShadowKind::Duplicate; 2]);
    // The text of the merged object decides.
    let layers = [
        r#"[{"slug": "s", "title": "T", "items": ["3"]}]"#,
        r#"[{"slug": "s", "title": "U"}]"#,
        r#"["T: 3", "U: 3"]"#,
    ];
    check(
        &layers,
        TITLED,
        ItemRule::Deep,
        r#"[{"slug": "s", "title": "U", "items": ["3"]}, "T: 3"]"#,
    );
    check(
        &[r#"["T"]"#, r#"[{"title": "T"}]"#],
        TITLED,
        ItemRule::Deep,
        r#"[{"title": "T"}]"#,
    );
}

#[test]
fn two_items_of_one_layer_with_one_identity_are_reported_unless_they_are_equal() {
    let twice = r#"[{"slug": "a", "x": 1}, {"slug": "a", "x": 2, "y": 3}]"#;
    let resolution = check(
        &[twice],
        TITLED,
        ItemRule::Deep,
        r#"[{"slug": "a", "x": 2, "y": 3}]"#,
    );
    let [finding] = resolution.diagnostics() else {
        unreachable!("one finding")
    };
    assert_eq!(
        finding.message,
        "two items of the document have the slug `a`"
    );
    let resolution = check(
        &[r#"[{"slug": "a"}, {"slug": "a"}]"#],
        TITLED,
        ItemRule::Deep,
        r#"[{"slug": "a"}]"#,
    );
    assert!(resolution.diagnostics().is_empty());
}

#[test]
fn ten_thousand_items_in_three_layers_are_quick_to_unite() {
    let list = |from: usize| {
        let item = |n: usize| {
            format!(
                r#"{{"title": "t{n}", "items": ["i{n}"]}}, "t{}: i{}""#,
                n + 1,
                n + 1
            )
        };
        format!(
            "[{}]",
            (from..from + 10_000)
                .map(item)
                .collect::<Vec<_>>()
                .join(",")
        )
    };
    let (low, middle, high) = (list(0), list(5_000), list(9_000));
    let resolution = resolve(&[&low, &middle, &high], TITLED, ItemRule::Deep);
    let mut leaves = 0;
    resolution.each_leaf(&Pointer::root(), &mut |_| leaves += 1);
    assert_eq!(leaves, 19_000 * 2 + 1);
}
