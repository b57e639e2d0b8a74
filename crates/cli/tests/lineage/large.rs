//! Large inputs. Nothing is measured; the commands have to finish.

use agpm_text::Value;

use crate::support::{Tree, json, named, tags};

#[test]
fn a_chain_of_a_thousand_parents() {
    let tree = Tree::of(&[("", &named("me", &["p/0.json"]))]);
    for at in 0..1000 {
        let next = format!("p/{}.json", at + 1);
        let parents: &[&str] = if at < 999 { &[&next] } else { &[] };
        tree.write(
            &format!("repo/p/{at}.json"),
            named(&at.to_string(), parents),
        );
    }
    let found = tree.tags("repo", "profile ada --strict");
    assert_eq!(
        (found.len(), &*found[0], &*found[999], &*found[1000]),
        (1001, "999", "0", "me")
    );
    tree.write("repo/p/999.json", named("999", &["p/0.json"]));
    let text = tree.warned("repo", "profile ada", &["lineage/cycle"]);
    assert_eq!(tags(&text).len(), 1001);
}

#[test]
fn a_ladder_of_diamonds() {
    // Every document has two parents, both of which have the same two: 2^40 ways, 80 documents.
    let tree = Tree::of(&[("", &named("me", &["0a.json", "0b.json"]))]);
    for at in 0..40 {
        let next = [format!("{}a.json", at + 1), format!("{}b.json", at + 1)];
        let parents: Vec<&str> = if at < 39 {
            next.iter().map(String::as_str).collect()
        } else {
            Vec::new()
        };
        for side in ["a", "b"] {
            tree.write(
                &format!("repo/{at}{side}.json"),
                named(&format!("{at}{side}"), &parents),
            );
        }
    }
    assert_eq!(tree.tags("repo", "profile ada --strict").len(), 81);
}

#[test]
fn five_thousand_personas() {
    let tree = Tree::of(&[]);
    for at in 0..5000 {
        tree.persona("repo", &format!("persona-{at:04}"), "agent", "{}");
    }
    let Value::List(rows) = json(&tree.good("repo", "profile --list --json")) else {
        panic!("no list")
    };
    assert_eq!(rows.len(), 5000);
    assert_eq!(
        rows[4999].get("slug").and_then(Value::as_str),
        Some("persona-4999")
    );
    let table = tree.good("repo", "profile --list");
    assert_eq!(
        table
            .lines()
            .filter(|line| line.contains("persona-"))
            .count(),
        5000
    );
    assert_eq!(tree.good("repo", "profile persona-2500").trim(), "{}");
    tree.fails("repo", "profile persona-25000", 3, &["did you mean"]);
}

#[test]
fn a_hundred_levels() {
    let tree = Tree::of(&[]);
    let mut directory = "repo".to_owned();
    for at in 0..100 {
        tree.ada(&directory, named(&at.to_string(), &[]));
        directory.push_str("/d");
    }
    tree.directory(&directory);
    assert_eq!(tree.tags("repo", "profile ada").len(), 1);
    assert_eq!(tree.tags(&directory, "profile ada").len(), 100);
}

#[test]
fn long_lists_in_many_documents() {
    let tree = Tree::of(&[]);
    let mut directory = "repo".to_owned();
    for at in 0..10 {
        let items: Vec<String> = (0..2000)
            .map(|n| format!("item {}", n + at * 1000))
            .collect();
        let sections: Vec<Value> = (0..500)
            .map(|n| {
                Value::map([
                    ("title", Value::from(format!("s{n}"))),
                    ("items", Value::list([format!("{at}")])),
                ])
            })
            .collect();
        let document = Value::map([
            ("tags", Value::list(items)),
            ("sections", Value::list(sections)),
        ]);
        tree.ada(&directory, document.to_json());
        directory.push_str("/d");
    }
    tree.directory(&directory);
    let text = tree.good(&directory, "profile ada --with-sources --projections");
    assert_eq!(tags(&text).len(), 11_000);
    let value = json(&text);
    let Some(Value::List(sections)) = value.get("sections") else {
        panic!("no sections")
    };
    assert_eq!(sections.len(), 500);
    let Some(Value::List(items)) = sections[0].get("items") else {
        panic!("no items")
    };
    assert_eq!(items.len(), 10);
}
