//! Laws that hold for generated layers.

use agpm_text::{Format, Value, print};
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::support::{Project, value};

const STRATEGIES: &[&str] = &[
    "\"deep\"",
    "\"extend-lists\"",
    "\"replace\"",
    "\"smart-lists\"",
    "{ lists = \"extend\", rules = { \"/s\" = { by-key = \"id\" } } }",
    "{ rules = { \"/s\" = { by-key = \"id\", items = \"deep\" }, \"/**\" = \"union\" } }",
];
const PATHS: &[&str] = &[".claude/x.json", ".claude/x.yaml", ".codex/x.toml"];

/// Values without `null`, which TOML does not have, and without empty maps and lists, which have tests of their own.
fn any_value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        any::<bool>().prop_map(Value::from),
        (0i64..3).prop_map(Value::from),
        "[a-b]{0,2}".prop_map(Value::from)
    ];
    scalar.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            2 => prop::collection::vec("[a-d]", 1..3).prop_map(Value::list),
            3 => prop::collection::btree_map("[a-c]", inner, 1..4).prop_map(Value::map),
        ]
    })
}

fn any_map() -> impl Strategy<Value = Value> {
    let items = prop::collection::btree_map("[a-c]", 0i64..3, 1..3).prop_map(|items| {
        Value::list(
            items
                .into_iter()
                .map(|(id, number)| Value::map([("id", Value::from(id)), ("n", number.into())])),
        )
    });
    let others = prop::collection::btree_map("[a-c]", any_value(), 1..4);
    (others, prop::option::weighted(0.3, items)).prop_map(|(others, items)| {
        Value::map(
            others
                .into_iter()
                .chain(items.map(|items| ("s".to_owned(), items))),
        )
    })
}

/// A user's map that can clash with layers only in the maps above its values.
fn own_map() -> impl Strategy<Value = Value> {
    let values = prop::collection::btree_map("[u-w]", any_value(), 1..3).prop_map(Value::map);
    values.prop_recursive(2, 8, 3, |inner| {
        prop::collection::btree_map("[a-cu]", inner, 1..4).prop_map(Value::map)
    })
}

fn text(value: &Value, path: &str) -> String {
    print(value, Format::of_file(path).unwrap()).unwrap()
}

fn few() -> Config {
    Config {
        cases: 30,
        failure_persistence: None,
        ..Config::default()
    }
}

fn names(count: usize) -> Vec<&'static str> {
    ["org", "team", "me"][..count].to_vec()
}

/// Writes the file of each layer, or removes it.
fn write_layers(project: &Project, path: &str, layers: &[Option<Value>]) {
    for (name, content) in names(layers.len()).into_iter().zip(layers) {
        match content {
            Some(content) => project.layer(name, path, text(content, path)),
            None if project.work(&format!("{name}/{path}")).exists() => project.unlayer(name, path),
            None => {}
        }
    }
}

fn merge(path: &str, strategy: &str) -> String {
    let name = path.rsplit('/').next().unwrap();
    format!("[merge]\n\"{name}\" = {strategy}\n")
}

/// Every value of a map and of the maps in it, by pointer; of a list each item.
fn leaves(value: &Value, at: &str, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Map(entries) if !entries.is_empty() => {
            entries
                .iter()
                .for_each(|(key, value)| leaves(value, &format!("{at}/{key}"), found));
        }
        _ if at.is_empty() => {}
        other => found.push((at.to_owned(), other.clone())),
    }
}

fn at<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    pointer
        .split('/')
        .skip(1)
        .try_fold(value, |value, step| value.get(step))
}

/// Whether a leaf of the user's is still there; lists may have got more items, and bare maps more keys.
fn holds(now: &Value, (pointer, users): &(String, Value), strategy: &str) -> bool {
    match (at(now, pointer), users) {
        (Some(Value::Map(_)), Value::Map(_)) => true,
        (Some(Value::List(now)), Value::List(users))
            if strategy.contains("lists") || strategy.contains("rules") =>
        {
            users.iter().all(|item| now.contains(item))
        }
        (Some(now), users) => now == users,
        (None, _) => false,
    }
}

proptest! {
    #![proptest_config(few())]

    /// Installing into an empty project gives what `agpm merge` prints.
    #[test]
    fn installing_is_merging(
        path in prop::sample::select(PATHS),
        strategy in prop::sample::select(STRATEGIES),
        layers in prop::collection::vec(any_map(), 1..4),
    ) {
        let project = Project::layered(&[], "");
        let names = names(layers.len());
        write_layers(&project, path, &layers.iter().cloned().map(Some).collect::<Vec<_>>());
        project.stack(&names, &merge(path, strategy));
        project.good("install");
        let files: Vec<String> = names.iter().map(|name| format!("../{name}/{path}")).collect();
        let printed = project.good(&format!("merge {} --layer-names {}", files.join(" "), names.join(",")));
        prop_assert_eq!(project.read(path), printed.stdout);
        project.good("install --check");
        project.good("verify");
    }

    /// Values of the user survive every change of the layers that is not refused, and are all that is left in the end.
    #[test]
    fn user_content_survives(
        path in prop::sample::select(PATHS),
        strategy in prop::sample::select(STRATEGIES),
        users in prop_oneof![any_map(), own_map()],
        steps in prop::collection::vec(prop::collection::vec(prop::option::weighted(0.8, any_map()), 2), 1..5),
    ) {
        let project = Project::layered(&[], "");
        let before = text(&users, path);
        project.write(path, &before);
        let mut expected = Vec::new();
        leaves(&users, "", &mut expected);
        for (number, step) in steps.iter().enumerate() {
            write_layers(&project, path, step);
            project.stack(&names(2), &merge(path, strategy));
            std::fs::create_dir_all(project.work("org")).unwrap();
            std::fs::create_dir_all(project.work("team")).unwrap();
            let text_before = project.read(path);
            let output = project.run("install");
            let text = project.read(path);
            prop_assert!(matches!(output.code, Some(0 | 6)), "step {}: {}\n{}", number, output, text);
            prop_assert!(output.code == Some(0) || text == text_before, "refused and written: {}", output);
            let now = value(&text, path);
            for leaf in &expected {
                prop_assert!(holds(&now, leaf, strategy), "step {}: {:?} is lost\n{}\n{}", number, leaf, output, text);
            }
            for line in ["install --check", "verify"].iter().filter(|_| output.code == Some(0)) {
                let again = project.run(line);
                prop_assert!(again.code == Some(0), "step {}: {}\n{}\n{}", number, output, again, text);
            }
        }
        project.stack(&[], "");
        project.good("install");
        prop_assert_eq!(project.value(path).to_json(), value(&before, path).to_json(), "{}", project.read(path));
        // A header that a table of TOML did not need before may stay.
        prop_assert!(path.ends_with("toml") || project.read(path) == before, "{}\n{}", before, project.read(path));
    }
}
