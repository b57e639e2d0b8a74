//! What merging personas promises, for documents of any content.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::slice::from_ref;

use agpm_diag::SourceMap;
use agpm_merge::{Contribution, Resolution, fold};
use agpm_model::LayerName;
use agpm_persona::{policy, projections, read_document};
use agpm_text::{Pointer, Value, to_value};
use proptest::prelude::*;

const SCALARS: &[&str] = &["title", "purpose", "status", "unknown"];
const STRINGS: &[&str] = &["mentors", "tags", "guardrails", "more"];
const TITLED: &[&str] = &["sections", "checklists", "backlog"];
const WHOLE: &[&str] = &["notes", "extensions"];
const MAPS: &[&str] = &["persona", "systemInstructions", "agent", "other"];

fn resolve(documents: &[Value]) -> Resolution {
    let mut sources = SourceMap::default();
    let contribution = |(at, document): (usize, &Value)| {
        let text = document.to_json();
        let read = read_document(sources.add("x", text.as_str()), text).unwrap();
        Contribution {
            layer: LayerName::new(&format!("layer{at}")).unwrap(),
            document: read.document,
        }
    };
    fold(
        documents.iter().enumerate().map(contribution).collect(),
        &policy(),
        None,
    )
}

fn merged(documents: &[Value]) -> Value {
    resolve(documents).root().map(to_value).unwrap()
}

fn blank() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        Value::Null,
        "".into(),
        "  ".into(),
        Value::List(vec![]),
        Value::Map(vec![]),
    ])
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        _ => false,
    }
}

fn full_scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => "[a-c]{1,2}".prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => (0i64..3).prop_map(Value::from),
    ]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![3 => full_scalar(), 1 => blank()]
}

fn strings() -> impl Strategy<Value = Value> {
    prop::collection::vec("[a-d]| |", 0..5).prop_map(Value::list)
}

/// Fields of which each may be there, in any order.
fn fields(known: Vec<(&'static str, BoxedStrategy<Value>)>) -> BoxedStrategy<Value> {
    let entries: Vec<_> = known
        .into_iter()
        .map(|(key, value)| {
            prop::option::weighted(0.6, value.prop_map(move |value| (key.to_owned(), value)))
        })
        .collect();
    let shuffled = entries
        .prop_map(|entries| entries.into_iter().flatten().collect::<Vec<_>>())
        .prop_shuffle();
    shuffled.prop_map(Value::Map).boxed()
}

/// Items of which no two are the same one.
fn distinct(items: Vec<Value>, identity: fn(&Value) -> String) -> Value {
    let mut seen = Vec::new();
    let fresh = |item: &Value| {
        let identity = identity(item);
        !seen.contains(&identity) && {
            seen.push(identity);
            true
        }
    };
    Value::List(items.into_iter().filter(fresh).collect())
}

fn text(item: &Value, key: &str) -> String {
    item.get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

fn links() -> BoxedStrategy<Value> {
    let link = (
        prop::sample::select(vec!["url", "href"]),
        "[a-c]",
        "[x-z]",
        scalar(),
    )
        .prop_map(|(key, title, url, kind)| {
            Value::map([
                ("title", Value::from(title)),
                (key, url.into()),
                ("kind", kind),
            ])
        });
    let identity = |item: &Value| {
        format!(
            "{}|{}{}",
            text(item, "title"),
            text(item, "url"),
            text(item, "href")
        )
    };
    prop::collection::vec(link, 0..4)
        .prop_map(move |items| distinct(items, identity))
        .boxed()
}

fn entries() -> BoxedStrategy<Value> {
    let entry =
        ("[1-2]", "[a-c]", scalar(), strings()).prop_map(|(time, title, summary, people)| {
            let [time, title] = [time, title].map(Value::from);
            Value::map([
                ("timestamp", time),
                ("title", title),
                ("summary", summary),
                ("people", people),
            ])
        });
    let identity = |item: &Value| format!("{}|{}", text(item, "timestamp"), text(item, "title"));
    let objects =
        prop::collection::vec(entry, 0..4).prop_map(move |items| distinct(items, identity));
    prop_oneof![objects, strings()].boxed()
}

/// Sections as text or as maps; one that has a slug or an id has always the same title.
fn titled() -> BoxedStrategy<Value> {
    let plain =
        ("[S-U]", "[a-c]").prop_map(|(title, item)| Value::from(format!("{title}: {item}")));
    let map = (
        "[S-U]",
        prop::sample::select(vec!["title", "slug", "id", "key"]),
        strings(),
    )
        .prop_map(|(title, by, items)| {
            let identity = (by != "title").then(|| (by, Value::from(format!("{by}-{title}"))));
            Value::map(
                identity
                    .into_iter()
                    .chain([("title", Value::from(title)), ("items", items)]),
            )
        });
    let identity = |item: &Value| match item {
        Value::Map(_) => ["slug", "id", "key", "title"]
            .map(|key| text(item, key))
            .concat(),
        other => other.to_json(),
    };
    let item = prop_oneof![plain, map];
    prop::collection::vec(item, 0..5)
        .prop_map(move |items| distinct(items, identity))
        .boxed()
}

fn chosen(by: &'static str) -> BoxedStrategy<Value> {
    let item = ("[a-c]", full_scalar())
        .prop_map(move |(name, weight)| Value::map([(by, Value::from(name)), ("weight", weight)]));
    let identity = |item: &Value| text(item, "type") + &text(item, "identifier");
    prop::collection::vec(item, 0..4)
        .prop_map(move |items| distinct(items, identity))
        .boxed()
}

fn map(inner: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let strings = strings().boxed();
    fields(vec![
        ("voice", inner.clone()),
        ("tone", inner.clone()),
        ("list", strings),
        ("at", inner),
    ])
}

fn document() -> BoxedStrategy<Value> {
    let scalar = scalar().boxed();
    let mut known: Vec<(&'static str, BoxedStrategy<Value>)> = Vec::new();
    known.extend(SCALARS.iter().map(|key| (*key, scalar.clone())));
    known.extend(STRINGS.iter().map(|key| (*key, strings().boxed())));
    known.extend(TITLED.iter().map(|key| (*key, titled())));
    let inner = map(scalar.clone());
    known.extend(MAPS.iter().map(|key| (*key, inner.clone())));
    known.push(("deep", fields(vec![("x", inner.clone()), ("y", inner)])));
    known.extend([
        ("links", links()),
        ("entries", entries()),
        ("focusDomains", chosen("identifier")),
    ]);
    let mix = vec![("primary", chosen("type")), ("secondary", chosen("type"))];
    known.push(("contributionMix", fields(mix)));
    let whole = prop_oneof![strings(), map(scalar.clone()), scalar];
    known.extend([
        ("notes", whole.clone().boxed()),
        ("extensions", whole.boxed()),
    ]);
    fields(known)
}

fn layers() -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(document(), 2..=5)
}

/// Every string in every list below a value.
fn listed(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::List(items) => items.iter().for_each(|item| match item {
            Value::String(text) => found.push(text.clone()),
            other => listed(other, found),
        }),
        Value::Map(entries) => entries.iter().for_each(|(_, value)| listed(value, found)),
        _ => {}
    }
}

/// Scalars at or below a value with the keys that lead to them; places in lists do not count, and `href` is `url`.
fn scalars(value: &Value, path: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Map(entries) if !entries.is_empty() => entries.iter().for_each(|(key, value)| {
            let key = if path == "/links" && key == "href" {
                "url"
            } else {
                key
            };
            scalars(value, &format!("{path}/{key}"), found);
        }),
        Value::List(items) if !items.is_empty() => {
            items.iter().for_each(|item| scalars(item, path, found))
        }
        other => found.push((path.to_owned(), other.to_json())),
    }
}

/// Maps in maps, each with the path to it.
fn maps<'v>(value: &'v Value, path: &str, found: &mut Vec<(String, &'v [(String, Value)])>) {
    if let Value::Map(entries) = value {
        found.push((path.to_owned(), entries));
        let inside = entries
            .iter()
            .filter(|(key, _)| !WHOLE.contains(&key.as_str()));
        inside.for_each(|(key, value)| maps(value, &format!("{path}/{key}"), found));
    }
}

fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('/')
        .skip(1)
        .try_fold(value, |value, step| value.get(step))
}

/// Without blanks and duplicates in lists that are not inside of others, and with `url` for `href`; `notes` and `extensions`
/// are as they are.
fn cleaned(value: &Value, path: &str) -> Value {
    let renamed = |item: &Value| match item {
        Value::Map(entries) if path == "/links" => Value::map(
            entries
                .iter()
                .map(|(key, value)| (key.replace("href", "url"), value.clone())),
        ),
        other => other.clone(),
    };
    match value {
        Value::Map(entries) => Value::map(entries.iter().map(|(key, value)| {
            let whole = path.is_empty() && WHOLE.contains(&key.as_str());
            let value = if whole {
                value.clone()
            } else {
                cleaned(value, &format!("{path}/{key}"))
            };
            (key.clone(), value)
        })),
        Value::List(items) => {
            // Items that merge are cleaned inside too.
            let merge = path
                .strip_prefix('/')
                .is_some_and(|key| TITLED.contains(&key) || ["links", "entries"].contains(&key));
            let inside = |item: Value| {
                if merge {
                    cleaned(&item, &format!("{path}/-"))
                } else {
                    item
                }
            };
            let mut kept: Vec<Value> = Vec::new();
            items
                .iter()
                .filter(|item| !is_blank(item))
                .map(renamed)
                .map(inside)
                .for_each(|item| {
                    if !kept.contains(&item) {
                        kept.push(item);
                    }
                });
            Value::List(kept)
        }
        other => other.clone(),
    }
}

/// A document whose sections are maps only: a text that says what a map says is taken into it.
fn plain_document() -> impl Strategy<Value = Value> {
    let is_kept = |key: &str, item: &Value| !TITLED.contains(&key) || matches!(item, Value::Map(_));
    document().prop_map(move |document| match document {
        Value::Map(entries) => Value::Map(
            entries
                .into_iter()
                .map(|(key, value)| match value {
                    Value::List(items) => {
                        let items = items
                            .into_iter()
                            .filter(|item| is_kept(&key, item))
                            .collect();
                        (key, Value::List(items))
                    }
                    other => (key, other),
                })
                .collect(),
        ),
        other => other,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// No string of any list of any document is missing, but for blanks and what one document says as a whole.
    #[test]
    fn no_string_is_lost(documents in layers()) {
        let resolution = resolve(&documents);
        let result = resolution.root().map(to_value).unwrap();
        let lines = projections(&resolution);
        for (number, document) in documents.iter().enumerate() {
            let Value::Map(entries) = document else { unreachable!() };
            for (key, value) in entries.iter().filter(|(key, _)| !WHOLE.contains(&key.as_str())) {
                let (mut texts, mut kept) = (Vec::new(), Vec::new());
                listed(value, &mut texts);
                result.get(key).iter().for_each(|value| listed(value, &mut kept));
                lines.get(key).iter().for_each(|value| listed(value, &mut kept));
                for text in texts.iter().filter(|text| !text.trim().is_empty()) {
                    prop_assert!(kept.contains(text), "`{}` of `{}` of layer {}: {}", text, key, number, result.to_json());
                }
            }
        }
    }

    /// No list of strings has blanks or duplicates, and its order is that of the first to say it, from the lowest on.
    #[test]
    fn lists_of_strings_are_a_stable_union(documents in layers()) {
        let result = merged(&documents);
        for key in STRINGS {
            let mut expected: Vec<String> = Vec::new();
            for document in &documents {
                let mut texts = Vec::new();
                document.get(key).iter().for_each(|value| listed(value, &mut texts));
                texts.retain(|text| !text.trim().is_empty());
                texts.into_iter().for_each(|text| if !expected.contains(&text) { expected.push(text) });
            }
            let mut found = Vec::new();
            result.get(key).iter().for_each(|value| listed(value, &mut found));
            prop_assert_eq!(found, expected, "{}", key);
        }
    }

    /// A scalar is the highest value that is not blank, also inside of maps.
    #[test]
    fn scalars_are_the_highest_that_is_not_blank(documents in layers()) {
        let result = merged(&documents);
        let inside = MAPS.iter().flat_map(|map| ["voice", "tone", "at"].map(|key| format!("/{map}/{key}")));
        let deep = ["/deep/x/voice", "/deep/y/tone"].map(str::to_owned);
        for path in SCALARS.iter().map(|key| format!("/{key}")).chain(inside).chain(deep) {
            let highest = documents.iter().rev().filter_map(|document| at(document, &path)).find(|value| !is_blank(value));
            match highest {
                Some(highest) => prop_assert_eq!(at(&result, &path), Some(highest), "{}", path),
                None => prop_assert!(at(&result, &path).is_none_or(is_blank), "{}", path),
            }
        }
    }

    /// Notes and extensions are one document's as a whole: the highest's that says anything.
    #[test]
    fn notes_and_extensions_are_whole(documents in layers()) {
        let result = merged(&documents);
        for key in WHOLE {
            let highest = documents.iter().rev().filter_map(|document| document.get(key)).find(|value| says_something(value));
            if let Some(highest) = highest {
                prop_assert_eq!(result.get(key), Some(highest), "{}", key);
            }
        }
    }

    /// Of items that are chosen by a name there is one of each, in the order first seen, and it is the highest's.
    #[test]
    fn chosen_items_are_the_highest_in_the_order_first_seen(documents in layers()) {
        let result = merged(&documents);
        for (path, name) in [("/focusDomains", "identifier"), ("/contributionMix/primary", "type"), ("/contributionMix/secondary", "type")] {
            let mut expected: Vec<Value> = Vec::new();
            for document in &documents {
                let Some(Value::List(items)) = at(document, path) else { continue };
                for item in items {
                    match expected.iter_mut().find(|known| known.get(name) == item.get(name)) {
                        Some(known) => *known = item.clone(),
                        None => expected.push(item.clone()),
                    }
                }
            }
            let found = match at(&result, path) {
                Some(Value::List(items)) => items.clone(),
                _ => Vec::new(),
            };
            prop_assert_eq!(found, expected, "{}", path);
        }
    }

    /// Links and entries stand where the lowest stood, and what the highest does not say is filled from below.
    #[test]
    fn united_items_stand_where_the_lowest_stood(documents in layers()) {
        let result = merged(&documents);
        let name = |item: &Value| ["timestamp", "title", "url", "href"].map(|key| text(item, key)).concat();
        for key in ["links", "entries"] {
            let mut expected: Vec<String> = Vec::new();
            for document in &documents {
                let Some(Value::List(items)) = document.get(key) else { continue };
                for name in items.iter().filter(|item| matches!(item, Value::Map(_))).map(name) {
                    if !expected.contains(&name) {
                        expected.push(name);
                    }
                }
            }
            let found: Vec<String> = match result.get(key) {
                Some(Value::List(items)) => items.iter().filter(|item| matches!(item, Value::Map(_))).map(name).collect(),
                _ => Vec::new(),
            };
            prop_assert_eq!(found, expected, "{}", key);
        }
    }

    /// Every leaf is in the layer that its origin names, under the same keys.
    #[test]
    fn every_leaf_is_said_by_the_layer_it_is_said_to_come_from(documents in layers()) {
        let resolution = resolve(&documents);
        let result = resolution.root().map(to_value).unwrap();
        let mut leaves = Vec::new();
        resolution.each_leaf(&Pointer::root(), &mut |leaf| {
            leaves.push((leaf.pointer.clone(), leaf.layer as usize, to_value(leaf.value)));
        });
        let mut all = Vec::new();
        scalars(&result, "", &mut all);
        prop_assert!(leaves.len() == all.len() || is_blank(&result), "{} leaves\n{}", leaves.len(), result.to_json());
        for (pointer, layer, value) in leaves {
            let mut leaves = Vec::new();
            scalars(&documents[layer], "", &mut leaves);
            let keys: String = pointer.steps().iter().filter(|step| step.parse::<usize>().is_err()).map(|step| format!("/{step}")).collect();
            let empty_now = is_blank(&value) || matches!(value, Value::List(_) | Value::Map(_));
            prop_assert!(empty_now || leaves.contains(&(keys.clone(), value.to_json())), "{} = {} of layer {}", pointer, value.to_json(), layer);
        }
    }

    /// A document merged with itself is itself, without duplicates and blanks in its lists.
    #[test]
    fn a_document_with_itself_is_itself(document in plain_document()) {
        prop_assert_eq!(merged(&[document.clone(), document.clone()]).to_json(), cleaned(&document, "").to_json());
    }

    /// A document alone is what it is with itself.
    #[test]
    fn a_document_alone_is_cleaned_too(document in document()) {
        prop_assert_eq!(merged(from_ref(&document)).to_json(), merged(&[document.clone(), document]).to_json());
    }

    /// A document that says nothing changes nothing, wherever it stands.
    #[test]
    fn an_empty_document_changes_nothing(documents in layers(), place in 0usize..6) {
        let mut more = documents.clone();
        more.insert(place.min(documents.len()), Value::Map(vec![]));
        prop_assert_eq!(merged(&more).to_json(), merged(&documents).to_json());
    }

    /// The same documents give the same text.
    #[test]
    fn merging_is_a_function(documents in layers()) {
        prop_assert_eq!(merged(&documents).to_json(), merged(&documents).to_json());
    }

    /// Keys stand in the order in which they first appear, from the lowest document on.
    #[test]
    fn keys_stand_in_the_order_of_the_documents(documents in layers()) {
        let documents: Vec<Value> = documents.iter().map(without_blanks).collect();
        let result = merged(&documents);
        let mut found = Vec::new();
        maps(&result, "", &mut found);
        for (path, entries) in found {
            let mut expected: Vec<&str> = Vec::new();
            for document in &documents {
                let Some(Value::Map(entries)) = at(document, &path) else { continue };
                for (key, _) in entries {
                    if !expected.contains(&key.as_str()) {
                        expected.push(key);
                    }
                }
            }
            let keys: Vec<&str> = entries.iter().map(|(key, _)| key.as_str()).collect();
            prop_assert_eq!(keys, expected, "{}", path);
        }
    }

    /// Every key that says anything is kept, known or not.
    #[test]
    fn keys_are_kept(documents in layers()) {
        let result = merged(&documents);
        for document in &documents {
            let mut found = Vec::new();
            maps(document, "", &mut found);
            for (path, entries) in found {
                for (key, _) in entries.iter().filter(|(_, value)| says_something(value)) {
                    prop_assert!(at(&result, &format!("{path}/{key}")).is_some(), "{}/{}", path, key);
                }
            }
        }
    }
}

/// Without keys that say nothing.
fn without_blanks(value: &Value) -> Value {
    match value {
        Value::Map(entries) => {
            let full = entries.iter().filter(|(_, value)| says_something(value));
            Value::map(full.map(|(key, value)| (key.clone(), without_blanks(value))))
        }
        other => other.clone(),
    }
}

fn says_something(value: &Value) -> bool {
    match value {
        Value::List(items) => items.iter().any(says_something),
        Value::Map(entries) => entries.iter().any(|(_, value)| says_something(value)),
        other => !is_blank(other),
    }
}

/// The merge of texts, on one line.
fn merge(documents: &[&str]) -> String {
    let value = |text: &&str| {
        let read = read_document(SourceMap::default().add("x", *text), *text).unwrap();
        to_value(read.document.root().unwrap())
    };
    merged(&documents.iter().map(value).collect::<Vec<_>>())
        .to_json()
        .split_whitespace()
        .collect()
}

#[test]
fn where_everything_is_blank_there_is_a_blank() {
    assert_eq!(
        merge(&[r#"{"a": "", "b": null, "c": [""], "d": {}}"#]),
        r#"{"a":"","b":null,"c":[],"d":{}}"#
    );
    assert_eq!(
        merge(&[r#"{"x": 1, "a": null}"#, r#"{"a": ""}"#]),
        r#"{"x":1,"a":""}"#
    );
}

#[test]
fn keys_of_blanks_do_not_depend_on_what_else_a_document_says() {
    assert_eq!(
        merge(&[r#"{"x": 1, "a": null}"#, r#"{"y": 1}"#]),
        r#"{"x":1,"a":null,"y":1}"#
    );
    assert_eq!(
        merge(&[r#"{"a": null}"#, r#"{"y": 1}"#]),
        r#"{"a":null,"y":1}"#
    );
    assert_eq!(
        merge(&[r#"{"m": {"a": ""}}"#, r#"{"m": {"y": 1, "a": 2}}"#]),
        r#"{"m":{"a":2,"y":1}}"#
    );
}

#[test]
fn lists_inside_of_items_are_without_blanks_and_duplicates() {
    let section = r#"{"sections": [{"title": "S", "items": ["a", "", "a"]}]}"#;
    let clean = r#"{"sections":[{"title":"S","items":["a"]}]}"#;
    assert_eq!(
        merge(&[section, r#"{"sections": [{"title": "S", "items": ["a"]}]}"#]),
        clean
    );
    assert_eq!(merge(&[section, section]), clean);
    assert_eq!(merge(&[section]), clean);
}

#[test]
fn an_href_next_to_a_blank_url_is_the_url() {
    let links = [
        r#"{"links": [{"title": "A", "url": "", "href": "h"}]}"#,
        r#"{"links": [{"title": "A", "url": "h"}]}"#,
    ];
    let merged = merge(&links);
    assert_eq!(merged.matches(r#""title":"A""#).count(), 1, "{merged}");
}

#[test]
fn an_href_next_to_a_url_is_a_field_of_its_own() {
    let both = r#"{"links":[{"title":"A","url":"u","href":"h"}]}"#;
    assert_eq!(
        merge(&[both, r#"{"links": [{"title": "A", "href": "u"}]}"#]),
        both
    );
}

#[test]
fn sections_are_the_same_if_their_first_name_is_whatever_it_is_called() {
    let by_slug = r#"{"sections": [{"slug": "a", "title": "T"}]}"#;
    let by_id = r#"{"sections": [{"id": "a", "title": "U"}]}"#;
    assert_eq!(
        merge(&[by_slug, by_id]),
        r#"{"sections":[{"slug":"a","title":"U","id":"a"}]}"#
    );
    // One that has no slug is another one, even if it has the same title.
    let by_title = r#"{"sections": [{"title": "T"}]}"#;
    assert_eq!(
        merge(&[by_slug, by_title]),
        r#"{"sections":[{"slug":"a","title":"T"},{"title":"T"}]}"#
    );
    // A number is not a text.
    assert_eq!(
        merge(&[
            r#"{"sections": [{"id": 1}]}"#,
            r#"{"sections": [{"id": "1"}]}"#
        ]),
        r#"{"sections":[{"id":1},{"id":"1"}]}"#
    );
}

#[test]
fn a_text_that_a_map_said_before_its_title_changed_stays() {
    let layers = [
        r#"{"sections": ["Old: a"]}"#,
        r#"{"sections": [{"id": "s", "title": "Old", "items": ["a"]}]}"#,
        r#"{"sections": [{"id": "s", "title": "New"}]}"#,
    ];
    assert_eq!(
        merge(&layers),
        r#"{"sections":["Old:a",{"id":"s","title":"New","items":["a"]}]}"#
    );
}

#[test]
fn an_item_of_a_section_that_is_a_text_is_not_one_that_is_a_map() {
    let text = r#"{"sections": [{"title": "S", "items": ["a"]}]}"#;
    let map = r#"{"sections": [{"title": "S", "items": [{"text": "a"}]}]}"#;
    assert_eq!(
        merge(&[text, map]),
        r#"{"sections":[{"title":"S","items":["a",{"text":"a"}]}]}"#
    );
}

#[test]
fn a_section_with_items_does_not_read_as_its_title_alone() {
    let layers = [
        r#"{"sections": [{"title": "S", "items": ["a"]}]}"#,
        r#"{"sections": ["S", "S: a"]}"#,
    ];
    assert_eq!(
        merge(&layers),
        r#"{"sections":[{"title":"S","items":["a"]},"S"]}"#
    );
}

#[test]
fn sections_that_have_only_a_name_are_distinguished_by_all_they_say() {
    let layers = [
        r#"{"sections": [{"name": "S", "items": ["a"]}]}"#,
        r#"{"sections": [{"name": "S", "items": ["b"]}]}"#,
    ];
    let both = r#"{"sections":[{"name":"S","items":["a"]},{"name":"S","items":["b"]}]}"#;
    assert_eq!(merge(&layers), both);
}

#[test]
fn links_inside_of_other_maps_are_lists_as_any() {
    let layers = [
        r#"{"persona": {"links": [{"title": "A", "href": "u"}]}}"#,
        r#"{"persona": {"links": [{"title": "A", "url": "u"}]}}"#,
    ];
    let both = r#"{"persona":{"links":[{"title":"A","href":"u"},{"title":"A","url":"u"}]}}"#;
    assert_eq!(merge(&layers), both);
}

#[test]
fn a_number_among_sections_is_not_a_text() {
    assert_eq!(
        merge(&[r#"{"sections": [1]}"#, r#"{"sections": ["1"]}"#]),
        r#"{"sections":[1,"1"]}"#
    );
}
