//! Nodes of layers inside files that users and packages write too: rules one by one.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use agpm_model::Place;
use agpm_plan::{
    Action, DesiredNode, FileOrigin, FileOutcome, NodeError, NodePlan, NodeState, Obstacle, Overwrite,
    Reason, Twin, check_nodes, recognise_file, recognise_nodes, take_back,
};
use agpm_text::{Document, Format, Value, to_value};
use support::layer::{Lists, leaves};
use support::{File, item, key, read, told, unread, value};

/// A text of the layers and its nodes.
struct Layer {
    base: Document,
    nodes: Vec<DesiredNode>,
}

fn layer(text: &str, format: Format, lists: Lists) -> Layer {
    let base = read(text, format);
    Layer { nodes: leaves(&base, lists), base }
}

fn json(text: &str, lists: Lists) -> Layer {
    layer(text, Format::Jsonc, lists)
}

impl File {
    fn layered(&mut self, layer: &Layer) -> NodePlan {
        self.get_on(Some(&layer.base), &layer.nodes, Overwrite::Nothing)
    }

    fn layered_with(&mut self, layer: &Layer, packages: &[DesiredNode]) -> NodePlan {
        let all = [layer.nodes.clone(), packages.to_vec()].concat();
        self.get_on(Some(&layer.base), &all, Overwrite::Nothing)
    }

    fn refused(&self, layer: &Layer) -> Vec<(String, Obstacle)> {
        let plan = self.plan_on(Some(&layer.base), &layer.nodes, Overwrite::Nothing).unwrap();
        assert_eq!((plan.outcome, &plan.owned), (FileOutcome::Unchanged, &self.owned));
        let place = |at: Option<agpm_text::Pointer>| at.unwrap().to_string();
        plan.refusals.into_iter().map(|refusal| (place(refusal.place), refusal.what)).collect()
    }

    fn adopted(&mut self, layer: &Layer) -> NodePlan {
        self.get_on(Some(&layer.base), &layer.nodes, Overwrite::Unowned)
    }

    fn alone(&mut self) -> NodePlan {
        self.get(&[], Overwrite::Nothing)
    }

    /// Takes what a layer says and is there for ours, as after a pull.
    fn recognise(&mut self, layer: &Layer) {
        let now = read(self.now(), self.format);
        let known = recognise_nodes(&now, &layer.nodes, self.owned.as_ref());
        self.owned = known.or_else(|| self.owned.take());
    }

    fn says(&self, json: &str) {
        let now = read(self.now(), self.format).root().map(to_value);
        assert_eq!(now, Some(value(json)), "{}", self.now());
    }

    fn origin(&self) -> FileOrigin {
        self.owned.as_ref().unwrap().file
    }
}

const TEXTS: &[(&str, &str, &str, Format)] = &[
    ("{\n  \"a\": 1,\n  \"m\": {\"x\": [1]}\n}", "{\"b\": {}}\n", "{ }\n", Format::Json),
    (
        "// ours\n{\n  \"a\": 1, // one\n  \"m\": {\"x\": [1], /* two */ }\n}\n",
        "{ // b\n  \"b\": {} }\n",
        "// none\n",
        Format::Jsonc,
    ),
    ("# ours\na: 1 # one\n\nm:\n  x: [1]\n", "b: {}\n# end\n", "# none\n", Format::Yaml),
    ("# ours\na = 1 # one\n\n[m]\nx = [ 1 ]\n", "[b]\n# end\n", "# none\n", Format::Toml),
];

#[test]
fn without_the_user_a_file_is_to_the_byte_what_the_layers_say() {
    for (first, second, third, format) in TEXTS {
        for lists in [Lists::Whole, Lists::Items] {
            let mut file = File::missing(*format);
            let plan = file.layered(&layer(first, *format, lists));
            assert_eq!((file.now(), file.origin()), (*first, FileOrigin::Whole));
            assert!(told(&plan).iter().all(|told| *told == (Action::Create, Reason::New)), "{plan:?}");
            assert_eq!(file.owned.as_ref().unwrap().containers, []);
            file.layered(&layer(second, *format, lists));
            assert_eq!(file.now(), *second);
            file.layered(&layer(third, *format, lists));
            assert_eq!(file.now(), *third);
            file.layered(&layer(first, *format, lists));
            file.text = None;
            let plan = file.layered(&layer(first, *format, lists));
            assert!(told(&plan).iter().all(|told| *told == (Action::Create, Reason::WasMissing)), "{plan:?}");
            assert_eq!(file.now(), *first);
            assert_eq!(file.alone().outcome, FileOutcome::Remove);
            assert_eq!(file.owned, None);
        }
    }
}

#[test]
fn changes_of_a_whole_file_are_told_by_place() {
    let mut file = File::missing(Format::Jsonc);
    file.layered(&json("{\"a\": 1, \"b\": 2, \"c\": 3, \"l\": [1, 2]}", Lists::Items));
    let plan = file.layered(&json("{\"a\": 1, \"b\": 4, \"d\": 3, \"l\": [1, 3, 4]}", Lists::Items));
    let expected = [
        (Action::Update, Reason::Content),
        (Action::Remove, Reason::Unasked),
        (Action::Create, Reason::New),
        (Action::Update, Reason::Content),
        (Action::Create, Reason::New),
    ];
    assert_eq!((told(&plan).as_slice(), plan.unchanged), (expected.as_slice(), 2));
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
    packages_only.get(&package, Overwrite::Nothing);
    packages_only.says("{\"m\": {\"fs\": {\"c\": 1}}}");
    assert_eq!(packages_only.origin(), FileOrigin::Ours);
    assert_eq!(packages_only.alone().outcome, FileOutcome::Remove);
}

#[test]
fn what_the_user_adds_to_a_whole_file_stays() {
    for (first, second, _, format) in TEXTS {
        let mut file = File::missing(*format);
        file.layered(&layer(first, *format, Lists::Whole));
        for at in ["/mine", "/m/mine"] {
            let edit = agpm_text::Edit::Set { at: at.parse().unwrap(), value: true.into() };
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
    let base = json("{\n  \"a\": 1, // ours\n  \"m\": {\"x\": 1}\n}\n", Lists::Whole);
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
    let base = |lists| json("{\"a\": 1, \"b\": 2, \"l\": [1, 2], \"n\": [{\"id\": 1}], \"e\": {}}", lists);
    let mut file = File::json(text);
    let plan = file.layered(&base(Lists::Keyed));
    assert_eq!((plan.unchanged, plan.changes.len()), (4, 2));
    let theirs = &file.owned.as_ref().unwrap().theirs;
    assert_eq!(theirs.len(), 4, "{theirs:?}");
    let mut lost = file.clone();
    lost.owned.as_mut().unwrap().nodes.clear();
    let owned =
        recognise_nodes(&read(lost.now(), lost.format), &base(Lists::Keyed).nodes, lost.owned.as_ref());
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
        ("{\"a\": {\"l\": [{\"id\": 1, \"v\": 3}]}, \"u\": 1}", "/a/l/0"),
    ] {
        let base = json("{\"a\": {\"b\": 1, \"e\": {}, \"l\": [{\"id\": 1, \"v\": 2}]}}", Lists::Keyed);
        let mut file = File::json(text);
        let refused = file.refused(&base);
        assert!(refused.iter().all(|refused| *refused == (at.to_owned(), Obstacle::Entry)), "{refused:?}");
        assert!(!refused.is_empty());
        let plan = file.adopted(&base);
        assert!(told(&plan).contains(&(Action::Update, Reason::TakenOver)), "{plan:?}");
        file.says("{\"a\": {\"b\": 1, \"e\": {}, \"l\": [{\"id\": 1, \"v\": 2}]}, \"u\": 1}");
    }
    let base = json("{\"a\": 1}", Lists::Whole);
    assert_eq!(File::json("[]").refused(&base), [(String::new(), Obstacle::Other("a list"))]);
}

#[test]
fn items_with_a_key_are_found_wherever_they_stand() {
    let base = |text| json(text, Lists::Keyed);
    let mut file = File::json("{\"l\": [{\"id\": \"u\"}]}");
    file.layered(&base("{\"l\": [{\"id\": \"a\", \"v\": 1}, {\"id\": \"b\", \"v\": 1}]}"));
    file.says("{\"l\": [{\"id\": \"u\"}, {\"id\": \"a\", \"v\": 1}, {\"id\": \"b\", \"v\": 1}]}");
    let plan = file.layered(&base("{\"l\": [{\"id\": \"b\", \"v\": 1}, {\"id\": \"a\", \"v\": 2}]}"));
    assert_eq!(told(&plan), [(Action::Update, Reason::Content)]);
    file.says("{\"l\": [{\"id\": \"u\"}, {\"id\": \"a\", \"v\": 2}, {\"id\": \"b\", \"v\": 1}]}");
    let findings = |file: &File| {
        let found = check_nodes(Some(&read(file.now(), file.format)), file.owned.as_ref().unwrap());
        found.into_iter().map(|found| found.state).collect::<Vec<_>>()
    };
    assert_eq!(findings(&file), []);
    file.text = Some("{\"l\": [{\"id\": \"a\", \"v\": 9}, {\"id\": \"u\"}]}".to_owned());
    assert_eq!(findings(&file), [NodeState::Edited, NodeState::Missing]);
    let plan = file.layered(&base("{\"l\": [{\"id\": \"a\", \"v\": 3}, {\"id\": \"b\", \"v\": 1}]}"));
    assert_eq!(told(&plan), [(Action::Create, Reason::WasMissing), (Action::Keep, Reason::Edited)]);
    assert_eq!(plan.changes[1].place, Some("/l/0".parse().unwrap()));
    let plan = file.alone();
    assert_eq!(told(&plan), [(Action::Remove, Reason::Unasked), (Action::Keep, Reason::UnaskedEdited)]);
    file.says("{\"l\": [{\"id\": \"a\", \"v\": 9}, {\"id\": \"u\"}]}");
}

#[test]
fn two_items_with_one_id_are_a_clash() {
    let node = |json: &str, owner: &str| {
        let place = Place::Keyed { list: "/l".parse().unwrap(), key: "id".to_owned(), id: "1".to_owned() };
        support::desired(place, json, owner)
    };
    let pair = [node("{\"id\": 1}", "l/a"), node("{\"id\": 1, \"v\": 2}", "l/b")];
    let error = File::json("{}").plan(&pair, Overwrite::Nothing).unwrap_err();
    assert!(matches!(error, NodeError::Clash { first, second, .. } if first == "l/a" && second == "l/b"));
    let same = [node("{\"id\": 1}", "l/a"), node("{\"id\": 1}", "l/b"), item("/l", "{\"id\": 1}", "h/c")];
    let mut file = File::json("{}");
    file.get(&same, Overwrite::Nothing);
    file.says("{\"l\": [{\"id\": 1}]}");
}

/// Every way to hold one list, one after the other, with and without a user's item in it.
#[test]
fn a_list_changes_the_way_it_is_held() {
    let text = "{\"l\": [{\"id\": 1}, {\"id\": 2}]}";
    let all = [Lists::Whole, Lists::Items, Lists::Keyed];
    for (from, to) in all.iter().flat_map(|from| all.map(|to| (*from, to))) {
        for user in ["{}", "{\"u\": 1}", "{\"l\": [\"u\"]}", "{\"l\": []}"] {
            let mut file = File::json(user);
            if from == Lists::Whole && user.contains('l') {
                assert_eq!(file.refused(&json(text, from)), [("/l".to_owned(), Obstacle::Entry)]);
                continue;
            }
            file.layered(&json(text, from));
            let plan = file.layered(&json(text, to));
            assert_eq!(plan.outcome, FileOutcome::Unchanged, "{user} {from:?} {to:?} {file:?}");
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
        let expected =
            |list: &str| user.replace('}', &format!(", \"l\": {list}, \"k\": 1}}")).replace("{,", "{");
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
        let is_key = |node: &agpm_plan::OwnedNode| node.place == Place::Key("/l".parse().unwrap());
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
    assert_eq!(file.refused(&json("{\"a\": 1}", Lists::Whole)), [("/a".to_owned(), Obstacle::Entry)]);
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
fn a_layer_may_say_an_item_twice() {
    let base = json("{\"l\": [1, 1]}", Lists::Items);
    let mut file = File::json("{\"u\": 1}");
    file.layered(&base);
    file.says("{\"u\": 1, \"l\": [1, 1]}");
    file.alone();
    assert_eq!(file.now(), "{\"u\": 1}");
}

#[test]
fn a_part_of_a_packages_node_that_a_layer_gives_alike_is_no_clash() {
    let base = json("{\"m\": {\"fs\": {\"c\": 1}}}", Lists::Whole);
    let mut file = File::missing(Format::Jsonc);
    file.layered_with(&base, &[key("/m/fs", "{\"c\": 1, \"d\": 2}", "m/fs")]);
    file.says("{\"m\": {\"fs\": {\"c\": 1, \"d\": 2}}}");
    file.edit("{", "{\"u\": 1, ");
    file.layered(&base);
    file.says("{\"u\": 1, \"m\": {\"fs\": {\"c\": 1}}}");
    let all = [base.nodes.clone(), vec![key("/m/fs", "{\"c\": 2}", "m/fs")]].concat();
    assert!(file.plan_on(Some(&base.base), &all, Overwrite::Nothing).is_err());
}

#[test]
fn what_is_to_the_byte_as_we_write_it_is_recognised_whole() {
    let base = json("// ours\n{\"a\": 1}\n", Lists::Whole);
    let mut file = File::missing(Format::Jsonc);
    file.layered(&base);
    let now = read(file.now(), file.format);
    let text = unread(&base.base);
    assert_eq!(recognise_file(&now, &text, &base.nodes), file.owned);
    file.edit("ours", "mine");
    assert_eq!(recognise_file(&read(file.now(), file.format), &text, &base.nodes), None);
}

#[test]
fn taking_back_a_whole_file_leaves_what_the_user_did_since() {
    let (first, second) =
        (json("{\"a\": 1, \"m\": {\"x\": 1}}", Lists::Whole), json("{\"a\": 2, \"l\": [1]}", Lists::Whole));
    let mut file = File::missing(Format::Jsonc);
    file.layered(&first);
    let before = file.clone();
    file.layered(&second);
    file.edit("{", "{\"u\": 1, ");
    let now = read(file.now(), file.format);
    let old = read(before.now(), file.format);
    let back = |old: Option<&Document>, owned| take_back(&now, old, owned, file.owned.as_ref()).unwrap();
    let FileOutcome::Write(text) = back(Some(&old), before.owned.as_ref()) else { panic!() };
    assert_eq!(value(&text), value("{\"u\": 1, \"a\": 1, \"m\": {\"x\": 1}}"));
    let FileOutcome::Write(text) = back(None, None) else { panic!() };
    assert_eq!(value(&text), value("{\"u\": 1}"));
}

#[test]
fn twins_of_packages_are_taken_and_those_of_layers_left() {
    let mut node = key("/a", "1", "m/a");
    for (twin, left) in [(Twin::Taken, "{}"), (Twin::Left, "{\"a\": 1}")] {
        node.twin = twin;
        let mut file = File::json("{\"a\": 1}");
        file.get(std::slice::from_ref(&node), Overwrite::Nothing);
        file.alone();
        assert_eq!(file.now(), left);
    }
}

/// So many that they are put in and taken out at once.
#[test]
fn many_keys_come_and_go_at_once() {
    for (user, format) in [
        ("{ // mine\n  \"m7\": {\"u\": 1}, // seven\n  \"l\": [\"u\"] }\n", Format::Jsonc),
        ("# mine\nm7:\n  u: 1 # seven\nl: [u]\n", Format::Yaml),
        ("# mine\nl = [\"u\"]\n\n[m7]\nu = 1 # seven\n", Format::Toml),
    ] {
        let text = |salt: &str| {
            let word = |map: usize, key: usize| Value::from(format!("{map} {key} {}", salt.repeat(20)));
            let map = |map: usize| Value::map((0..20).map(|key| (format!("k{key}"), word(map, key))));
            let mut all: Vec<(String, Value)> = (0..30).map(|at| (format!("m{at}"), map(at))).collect();
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
            assert_eq!((file.at("/m7/u"), file.at("/l/0")), (Some(value("1")), Some(value("\"u\""))));
        }
        file.alone();
        assert_eq!(file.now(), user);
    }
}

/// The first text in one way, a user's edit, the second text in another way: both are there, whether what was written
/// is recognised before or not.
#[test]
fn a_list_changes_the_way_it_is_held_while_the_user_edits() {
    let all = [Lists::Whole, Lists::Items, Lists::Keyed];
    let lists =
        ["[]", "[\"x\"]", "[\"x\", \"y\"]", "[{\"id\": 1}]", "[{\"id\": 1}, {\"id\": 3}]", "{\"m\": [1]}"];
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
fn what_is_the_users_in_one_way_is_not_recognised_in_another() {
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

/// Keys, lists and bare containers of ours, and what the user may write over them.
#[test]
fn what_the_user_writes_over_a_map_or_a_list_of_ours_is_an_edit() {
    let all = [Lists::Whole, Lists::Items, Lists::Keyed];
    let ways = || all.iter().flat_map(|from| all.map(|to| (*from, to)));
    for text in ["{\"x\": 1, \"y\": {\"z\": 2}}", "[1, 2]", "[{\"id\": 1}]", "{}", "[]"] {
        for ((from, to), by) in ways().flat_map(|ways| ["5", "null", "\"s\""].map(move |by| (ways, by))) {
            let text = format!("{{\"b\": 1, \"m\": {text}}}");
            let edited = format!("{{\"b\": 1, \"m\": {by}}}");
            let mut file = File::missing(Format::Jsonc);
            file.layered(&json(&text, from));
            file.text = Some(edited.clone());
            let state = check_nodes(Some(&read(file.now(), file.format)), file.owned.as_ref().unwrap());
            assert!(state.iter().all(|found| found.state == NodeState::Edited), "{state:?}");
            let plan = file.layered(&json(&text, to));
            assert_eq!(told(&plan), [(Action::Keep, Reason::Edited)], "{text} {from:?} {to:?}");
            let plan = file.adopted(&json(&text, to));
            assert_eq!((plan.outcome, file.now()), (FileOutcome::Unchanged, edited.as_str()));
            let mut forced = file.clone();
            let layer = json(&text, to);
            let plan = forced.get_on(Some(&layer.base), &layer.nodes, Overwrite::Everything);
            let dropped = [Reason::EditDropped, Reason::UnaskedEditDropped];
            assert!(told(&plan).iter().any(|(_, reason)| dropped.contains(reason)), "{plan:?}");
            assert_eq!((forced.now(), forced.origin()), (text.as_str(), FileOrigin::Whole));
            file.alone();
            file.says(&format!("{{\"m\": {by}}}"));
        }
    }
}

#[test]
fn what_was_the_users_before_we_wanted_a_map_there_is_in_the_way() {
    let mut file = File::json("{\"m\": 5}");
    file.layered(&json("{\"b\": 1}", Lists::Whole));
    let base = json("{\"b\": 1, \"m\": {\"x\": 1}}", Lists::Whole);
    assert_eq!(file.refused(&base), [("/m".to_owned(), Obstacle::Entry)]);
}

#[test]
fn a_bare_list_comes_back_and_goes() {
    for (lists, by) in [(Lists::Items, "[1]"), (Lists::Keyed, "[{\"id\": 1}]")] {
        let base = json("{\"b\": 1, \"e\": [], \"m\": {\"e\": []}}", lists);
        for user in ["{}", "{\"u\": 1}"] {
            let mut file = File::json(user);
            file.layered(&base);
            file.edit("\"e\": []", &format!("\"e\": {by}"));
            assert!(told(&file.layered(&base)).is_empty());
            file.edit(&format!("\"e\": {by}"), "\"e\": []");
            let edit = agpm_text::Edit::Remove { at: "/e".parse().unwrap() };
            file.text = Some(read(file.now(), file.format).edit(&edit).unwrap());
            let plan = file.layered(&base);
            assert_eq!(told(&plan), [(Action::Create, Reason::WasMissing)], "{user}");
            assert_eq!(file.at("/e"), Some(value("[]")));
            file.alone();
            assert_eq!(file.now(), user);
        }
        let mut whole = File::missing(Format::Jsonc);
        whole.layered(&base);
        whole.edit("\"e\": [], \"m\"", "\"m\"");
        assert_eq!(told(&whole.layered(&base)), [(Action::Create, Reason::WasMissing)]);
        assert_eq!(whole.origin(), FileOrigin::Whole);
        assert_eq!(whole.alone().outcome, FileOutcome::Remove);
    }
}

/// A list as the user has it, what the layers want in it then and now, and what comes of it.
#[test]
fn new_items_come_where_they_are_wanted() {
    for (user, old, new, result) in [
        ("[]", "[2, 4]", "[1, 2, 3, 4, 5]", "[1, 2, 3, 4, 5]"),
        ("[\"u\"]", "[2, 4]", "[1, 2, 3, 4, 5]", "[\"u\", 1, 2, 3, 4, 5]"),
        ("[\"u\", 4, \"v\"]", "[2, 4]", "[1, 2, 3, 4, 5]", "[\"u\", 1, 2, 3, 4, 5, \"v\"]"),
        ("[4, \"u\", 2]", "[2, 4]", "[1, 2, 3, 4]", "[4, \"u\", 1, 2, 3]"),
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
                Value::List(items) => Value::map([("l", Value::List(items.iter().map(item).collect()))]),
                other => other,
            };
            let text = |json: &str| agpm_text::print(&list(json), format).unwrap();
            let before = text(user);
            let mut file = File::new(&before, format);
            file.layered(&layer(&text(old), format, lists));
            file.layered(&layer(&text(new), format, lists));
            let now = read(file.now(), format).root().map(to_value);
            assert_eq!(now, Some(list(result)), "{user} {old} {new} {format:?} {lists:?}");
            file.alone();
            let left = read(file.now(), format).root().map(to_value);
            assert_eq!(left, Some(list(user)), "{user} {old} {new} {format:?} {lists:?}");
        }
    }
}

#[test]
fn every_item_in_the_way_is_named() {
    let base = json("{\"l\": [{\"id\": 1}, {\"id\": 2}, {\"id\": 3}]}", Lists::Keyed);
    let file = File::json("{\"l\": [\"u\", {\"id\": 3, \"v\": 1}, {\"id\": 1, \"v\": 1}]}");
    assert_eq!(file.refused(&base), ["/l/1", "/l/2"].map(|at| (at.to_owned(), Obstacle::Entry)));
}

#[test]
fn many_new_items_come_where_they_are_wanted() {
    let text = |step: usize| {
        let word = |at: usize| Value::from(format!("{at} {}", "x".repeat(40)));
        let items = [Value::from("u")].into_iter().filter(|_| step == 0);
        let ours = (0..400).step_by(step.max(1)).filter(|_| step > 0).map(word);
        agpm_text::print(&Value::map([("l", Value::list(items.chain(ours)))]), Format::Jsonc).unwrap()
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
    let file = File { format: Format::Toml, ..File::json(text) };
    let ours = layer("l = [\"x\"]\n", Format::Toml, Lists::Items);
    assert_eq!(file.refused(&ours), [("/l".to_owned(), Obstacle::Other("a list of tables"))]);
}
