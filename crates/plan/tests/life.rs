//! The life of a file that layers, packages and the user write in any order: everything of the user is preserved.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{EntryNode, NodeLocation};
use agpm_plan::{
    ChangeAction, DesiredNode, FileOrigin, FileOutcome, NodeError, OnEqualUserValue, OverwriteRule,
    recognise_file, recognise_nodes, take_back,
};
use agpm_text::{Document, Edit, Format, NodeKind, NodeRef, Pointer, Value, print, to_value};
use proptest::prelude::*;
use support::layer::{Lists, leaves};
use support::{File, Tape, item, key, read, unread};

const LISTS: &[Lists] = &[Lists::Whole, Lists::Items, Lists::Keyed];
const OVERWRITES: &[OverwriteRule] = &[
    OverwriteRule::Unowned,
    OverwriteRule::Everything,
    OverwriteRule::Nothing,
];
const KEYS: &[&str] = &["a", "b", "c~/", "hooks", "mcp"];

/// A value of a layer.
fn layer_value(tape: &mut Tape<'_>, depth: usize) -> Value {
    let kind = if depth == 0 {
        1
    } else {
        tape.pick(&[4, 5, 1, 1, 2, 3])
    };
    match kind {
        1 if depth < 3 => {
            let keys = KEYS
                .iter()
                .filter(|_| tape.pick(&[false, false, true]))
                .collect::<Vec<_>>();
            Value::map(
                keys.into_iter()
                    .map(|key| (*key, layer_value(tape, depth + 1))),
            )
        }
        2 => Value::list((0..tape.pick(&[0, 1, 2, 3])).map(|_| tape.pick(&["x0", "x1", "p1"]))),
        3 => {
            let ids: Vec<&str> = ["k0", "k1", "k2"]
                .into_iter()
                .filter(|_| tape.pick(&[false, true]))
                .collect();
            let item = |id| {
                Value::map([
                    ("id", Value::from(id)),
                    ("v", tape.pick(&["x0", "x1"]).into()),
                ])
            };
            Value::List(ids.into_iter().map(item).collect())
        }
        4 => Value::from(tape.pick(&[true, false])),
        _ => Value::from(tape.pick(&["x0", "x1", "x2"])),
    }
}

/// Prints a document with comments between its lines.
fn layer_text(tape: &mut Tape<'_>, format: Format) -> String {
    let text = print(&layer_value(tape, 0), format).unwrap();
    let comment = match format {
        Format::Json => "",
        Format::Jsonc => "// layer\n",
        _ => "# layer\n",
    };
    text.split_inclusive('\n')
        .flat_map(|line| [tape.pick(&["", "", comment]), line])
        .collect()
}

fn packages(tape: &mut Tape<'_>) -> Vec<DesiredNode> {
    let all = [
        key("/mcp/fs", "{\"command\": \"npx\"}", "mcp-servers/fs"),
        item(
            "/hooks/a",
            "{\"hooks\": [{\"command\": \"lint\"}]}",
            "hooks/lint",
        ),
        item("/hooks/a", "\"p1\"", "hooks/p"),
    ];
    all.into_iter()
        .filter(|_| tape.pick(&[false, false, true]))
        .collect()
}

/// A value that the user set.
#[derive(Clone, Debug)]
struct UserValue {
    value: Value,
    /// Whether it replaced a managed value; it becomes managed again when exactly this value is desired.
    edited: bool,
}

/// A file, and the user's content in it.
#[derive(Debug)]
struct Life {
    file: File,
    keys: BTreeMap<Pointer, UserValue>,
    items: Vec<(Pointer, Value)>,
    /// Managed lists that the user changed; they become the user's when they are no longer desired.
    edited_lists: BTreeSet<Pointer>,
    touched: bool,
    /// Whether a map of the user may have become empty.
    dropped: bool,
    /// The desired state of the last run that was applied.
    last: DesiredLayers,
    count: usize,
}

/// Maps and lists that are reachable by keys and are not inside a managed node.
fn containers(
    now: NodeRef<'_>,
    at: &Pointer,
    solid: &BTreeSet<Pointer>,
    out: &mut Vec<(Pointer, NodeKind)>,
) {
    if solid.contains(at) && now.kind() == NodeKind::Map {
        return;
    }
    if matches!(now.kind(), NodeKind::Map | NodeKind::List) {
        out.push((at.clone(), now.kind()));
    }
    for (key, value) in now.entries() {
        containers(value, &at.child(key.content()), solid, out);
    }
}

impl Life {
    fn new(format: Format) -> Self {
        let (keys, items, edited_lists) = Default::default();
        Life {
            file: File::missing(format),
            keys,
            items,
            edited_lists,
            touched: false,
            dropped: false,
            last: DesiredLayers::default(),
            count: 0,
        }
    }

    fn document(&self) -> Option<Document> {
        self.file
            .text
            .as_ref()
            .map(|text| read(text, self.file.format))
    }

    /// Managed keys.
    fn solid(&self) -> BTreeSet<Pointer> {
        let nodes = self.file.owned.iter().flat_map(|owned| &owned.nodes);
        nodes
            .filter(|node| matches!(node.location, NodeLocation::Key(_)))
            .map(|node| node.location.pointer().clone())
            .collect()
    }

    fn containers(&self, kind: NodeKind) -> Vec<Pointer> {
        let mut out = Vec::new();
        if let Some(root) = self.document().as_ref().and_then(Document::root) {
            containers(root, &Pointer::root(), &self.solid(), &mut out);
        }
        out.into_iter()
            .filter(|(_, pointer)| *pointer == kind)
            .map(|(at, _)| at)
            .collect()
    }

    /// Applies an edit of the user; returns whether it was possible.
    fn make(&mut self, edit: &Edit) -> bool {
        let edited = self
            .document()
            .and_then(|document| document.edit(edit).ok());
        self.touched |= edited.is_some();
        edited.map(|text| self.file.text = Some(text)).is_some()
    }

    fn word(&mut self, tape: &mut Tape<'_>) -> Value {
        self.count += 1;
        match tape.pick(&[0, 0, 1]) {
            0 => Value::from(format!("u{}", self.count)),
            _ => Value::from(tape.pick(&["x0", "x1"])),
        }
    }

    fn meddle(&mut self, tape: &mut Tape<'_>) {
        if self.file.text.is_none() && tape.pick(&[false, true]) {
            self.file.text = Some(
                if self.file.format == Format::Json {
                    "{}"
                } else {
                    ""
                }
                .to_owned(),
            );
            self.touched = true;
        }
        match tape.pick(&[7, 0, 0, 1, 1, 2, 3, 4, 5, 6]) {
            0 => self.say_key(tape),
            1 => self.add_item(tape),
            2 => self.comment(),
            3 => self.drop_ours(tape),
            4 => self.edit_ours(tape),
            5 => self.drop_container(tape),
            6 => self.cover(tape),
            _ => {}
        }
    }

    fn say_key(&mut self, tape: &mut Tape<'_>) {
        let mut maps = self.containers(NodeKind::Map);
        if maps.is_empty() {
            maps.push(Pointer::root());
        }
        let at = maps[tape.index(maps.len())].child(tape.pick(&["a", "b", "u", "v", "hooks"]));
        let value = self.word(tape);
        let list = tape.pick(&[false, false, true]);
        let is_there = self
            .document()
            .is_some_and(|document| document.at(&at).is_some());
        if is_there || self.document().is_none() {
            return;
        }
        let new_value = if list {
            Value::List(vec![value.clone()])
        } else {
            value.clone()
        };
        // A missing managed node that the user sets again is an edit.
        let edited = self.solid().contains(&at);
        if edited && list {
            return;
        }
        if self.make(&Edit::Set {
            at: at.clone(),
            value: new_value,
        }) {
            if list {
                self.items.push((at, value));
            } else {
                self.keys.insert(at, UserValue { value, edited });
            }
        }
    }

    fn add_item(&mut self, tape: &mut Tape<'_>) {
        let lists = self.containers(NodeKind::List);
        let Some(list) = lists.get(tape.index(lists.len().max(1))) else {
            return;
        };
        let value = match tape.pick(&[0, 1]) {
            0 => self.word(tape),
            _ => Value::map([
                ("id", Value::from(tape.pick(&["k0", "k9"]))),
                ("v", self.word(tape)),
            ]),
        };
        if self.make(&Edit::Append {
            to: list.clone(),
            value: value.clone(),
        }) {
            if self.solid().contains(list) {
                self.edited_lists.insert(list.clone());
            }
            self.items.push((list.clone(), value));
        }
    }

    fn comment(&mut self) {
        let line = match self.file.format {
            Format::Json => return,
            Format::Jsonc => "// user\n",
            _ => "# user\n",
        };
        if let Some(text) = &mut self.file.text {
            text.insert_str(0, line);
            self.touched = true;
        }
    }

    /// A managed scalar that is unmodified.
    fn ours(&self, tape: &mut Tape<'_>) -> Option<Pointer> {
        let document = self.document()?;
        let is_scalar = |at: &Pointer| {
            let now = document.at(at);
            now.is_some_and(|now| !matches!(now.kind(), NodeKind::Map | NodeKind::List))
                && !self.keys.contains_key(at)
        };
        let solid: Vec<Pointer> = self.solid().into_iter().filter(is_scalar).collect();
        solid.get(tape.index(solid.len().max(1))).cloned()
    }

    fn drop_ours(&mut self, tape: &mut Tape<'_>) {
        if let Some(at) = self.ours(tape) {
            self.make(&Edit::Remove { at });
        }
    }

    fn any_container(&self, tape: &mut Tape<'_>) -> Option<Pointer> {
        let mut all = self.containers(NodeKind::Map);
        all.extend(self.containers(NodeKind::List));
        all.retain(|at| !at.steps().is_empty());
        all.get(tape.index(all.len())).cloned()
    }

    /// Removes a map or list with everything in it.
    fn drop_container(&mut self, tape: &mut Tape<'_>) {
        let Some(at) = self.any_container(tape) else {
            return;
        };
        if self.make(&Edit::Remove { at: at.clone() }) {
            self.forget(&at);
        }
    }

    /// Replaces a map or list with a scalar.
    fn cover(&mut self, tape: &mut Tape<'_>) {
        let Some(at) = self.any_container(tape) else {
            return;
        };
        self.count += 1;
        let value = Value::from(format!("u{}", self.count));
        if self.make(&Edit::Set {
            at: at.clone(),
            value: value.clone(),
        }) {
            self.forget(&at);
            self.keys.insert(
                at,
                UserValue {
                    value,
                    edited: false,
                },
            );
        }
    }

    fn forget(&mut self, at: &Pointer) {
        self.keys.retain(|pointer, _| !pointer.is_within(at));
        self.items.retain(|(pointer, _)| !pointer.is_within(at));
        self.edited_lists.retain(|pointer| !pointer.is_within(at));
        self.dropped = true;
    }

    /// Whether a value of the user is at a pointer or on the way to it.
    fn is_users(&self, at: &Pointer) -> bool {
        self.edited_lists.contains(at) || self.keys.keys().any(|pointer| at.is_within(pointer))
    }

    fn edit_ours(&mut self, tape: &mut Tape<'_>) {
        let Some(at) = self.ours(tape) else { return };
        let value = self.word(tape);
        let same = self
            .document()
            .and_then(|document| document.at(&at).map(to_value))
            == Some(value.clone());
        if !same
            && self.make(&Edit::Set {
                at: at.clone(),
                value: value.clone(),
            })
        {
            self.keys.insert(
                at,
                UserValue {
                    value,
                    edited: true,
                },
            );
        }
    }

    /// Runs once; returns whether the run was refused.
    fn run(
        &mut self,
        base: Option<&Document>,
        desired: &[DesiredNode],
        overwrite: OverwriteRule,
    ) -> bool {
        let plan = match self.file.plan_on(base, desired, overwrite) {
            Ok(plan) => plan,
            Err(NodeError::Clash { .. }) => return true,
            Err(error) => panic!("{error} {self:?} {desired:?}"),
        };
        if !plan.refusals.is_empty() {
            assert_eq!(
                (plan.outcome, plan.owned),
                (FileOutcome::Unchanged, self.file.owned.clone())
            );
            return true;
        }
        let plan = self.file.get_on(base, desired, overwrite);
        self.edited_lists.retain(|at| {
            let now = self
                .file
                .text
                .as_ref()
                .map(|text| read(text, self.file.format));
            now.is_some_and(|now| now.at(at).is_some())
        });
        self.settle(desired);
        if !self.touched {
            assert!(
                plan.changes
                    .iter()
                    .all(|change| change.action != ChangeAction::Keep)
            );
        }
        false
    }

    /// Recognizes the nodes of the last run in the file, with the current ownership of lists.
    fn recognise(&mut self, lists: Lists) {
        let Some(now) = self.document() else { return };
        let written = self.last.nodes(lists);
        let whole_file = self
            .last
            .base
            .as_ref()
            .and_then(|base| recognise_file(&now, &unread(base), &written));
        let recognized =
            whole_file.or_else(|| recognise_nodes(&now, &written, self.file.owned.as_ref()));
        if recognized.is_some() {
            self.file.owned = recognized;
            self.settle(&written);
        }
    }

    /// Whether packages and layers conflict, or a package cannot be placed.
    fn is_clash(&self, desired: &[DesiredNode]) -> bool {
        desired
            .iter()
            .any(|node| node.on_equal == OnEqualUserValue::Adopt)
    }

    /// An edited value becomes managed if it is exactly desired, and the user's if it is not desired.
    fn settle(&mut self, desired: &[DesiredNode]) {
        let value = |at: &Pointer| {
            let node = desired
                .iter()
                .find(|node| node.node.location == NodeLocation::Key(at.clone()));
            node.map(|node| node.node.value.clone())
        };
        self.keys.retain(|at, user_value| {
            !user_value.edited || value(at).as_ref() != Some(&user_value.value)
        });
        for (at, user_value) in &mut self.keys {
            user_value.edited &= value(at).is_some();
        }
    }

    /// Everything of the user exists, and nothing else but the desired nodes.
    fn check(&self, desired: &[DesiredNode]) {
        let now = self
            .document()
            .and_then(|document| document.root().map(to_value));
        let mut rest = now.unwrap_or(Value::Map(Vec::new()));
        for (at, user_value) in &self.keys {
            assert_eq!(
                take(&mut rest, at),
                Some(user_value.value.clone()),
                "{at} {self:?}\n{desired:?}"
            );
        }
        for (list, value) in &self.items {
            assert!(
                take_item(&mut rest, list, value),
                "{list} {value:?} {self:?}\n{desired:?}"
            );
        }
        for list in &self.edited_lists {
            take(&mut rest, list);
        }
        for node in desired {
            match &node.node.location {
                NodeLocation::Key(at) if !self.is_users(at) => {
                    let list = matches!(node.node.value, Value::List(_));
                    if !list {
                        assert_eq!(
                            take(&mut rest, at).as_ref(),
                            Some(&node.node.value),
                            "{at} {self:?}"
                        );
                    } else if let Value::List(items) = &node.node.value {
                        items.iter().for_each(|value| {
                            take_item(&mut rest, at, value);
                        });
                    }
                }
                NodeLocation::Item(list) | NodeLocation::Keyed { list, .. } => {
                    take_item(&mut rest, list, &node.node.value);
                }
                _ => {}
            }
        }
        assert!(is_bare(&rest), "{rest:?} {self:?}\n{desired:?}");
    }

    /// Every desired list holds its desired items, unless the user changed it.
    fn check_lists(&self, desired: &[DesiredNode]) {
        let mut now = self
            .document()
            .and_then(|document| document.root().map(to_value));
        for EntryNode {
            location: position,
            value,
        } in desired.iter().map(|node| &node.node)
        {
            let at = position.pointer();
            let list_value = now
                .as_mut()
                .and_then(|now| find(now, at.steps()))
                .map(|list_value| list_value.clone());
            let holds = |item: &Value| matches!(&list_value, Some(Value::List(items)) if items.contains(item));
            let id = |item: &Value| item.child("id").cloned();
            let is_there = match (position, value) {
                (NodeLocation::Key(_), Value::List(items)) => items.iter().all(holds),
                (NodeLocation::Default(_), Value::List(_)) => list_value.is_some(),
                (NodeLocation::Item(_), _) => holds(value),
                (NodeLocation::Keyed { .. }, _) => {
                    matches!(&list_value, Some(Value::List(items)) if items.iter().any(|item| id(item) == id(value)))
                }
                _ => true,
            };
            assert!(is_there || self.is_users(at), "{at} {self:?}\n{desired:?}");
        }
    }

    /// Undoing the last run preserves everything of the user.
    fn check_taken_back(&self, before: &File) {
        let Some(now) = self.document() else { return };
        let old = before.text.as_ref().map(|text| read(text, before.format));
        let outcome = take_back(
            &now,
            old.as_ref(),
            before.owned.as_ref(),
            self.file.owned.as_ref(),
        )
        .unwrap();
        let text = match outcome {
            FileOutcome::Unchanged => now.text().to_string(),
            FileOutcome::Write(text) => text,
            FileOutcome::Remove => String::new(),
        };
        let mut rest = read(&text, before.format)
            .root()
            .map_or(Value::Null, to_value);
        for (at, user_value) in &self.keys {
            assert_eq!(
                take(&mut rest, at),
                Some(user_value.value.clone()),
                "{at} {self:?}\n{before:?}\n{text}"
            );
        }
        for (list, value) in &self.items {
            assert!(
                take_item(&mut rest, list, value),
                "{list} {value:?} {self:?}\n{before:?}\n{text}"
            );
        }
    }

    /// Without comments, no empty managed container is left.
    fn check_containers(&self) {
        let users: Vec<&Pointer> = self
            .keys
            .keys()
            .chain(self.items.iter().map(|(list, _)| list))
            .chain(&self.edited_lists)
            .collect();
        let mut all = self.containers(NodeKind::Map);
        all.extend(self.containers(NodeKind::List));
        for at in all.iter().filter(|at| !at.steps().is_empty()) {
            assert!(
                users.iter().any(|users| users.is_within(at)),
                "{at} {self:?}"
            );
        }
    }
}

impl Tape<'_> {
    fn index(&mut self, count: usize) -> usize {
        let all: Vec<usize> = (0..count.max(1)).collect();
        self.pick(&all)
    }
}

fn find<'v>(value: &'v mut Value, steps: &[String]) -> Option<&'v mut Value> {
    let Some((step, rest)) = steps.split_first() else {
        return Some(value);
    };
    let Value::Map(entries) = value else {
        return None;
    };
    let (_, value) = entries.iter_mut().find(|(key, _)| key == step)?;
    find(value, rest)
}

fn take(value: &mut Value, at: &Pointer) -> Option<Value> {
    let (parent, step) = at.split_last()?;
    let Value::Map(entries) = find(value, parent.steps())? else {
        return None;
    };
    let position = entries.iter().position(|(key, _)| key == step)?;
    Some(entries.remove(position).1)
}

fn take_item(value: &mut Value, list: &Pointer, item: &Value) -> bool {
    let Some(Value::List(items)) = find(value, list.steps()) else {
        return false;
    };
    let position = items.iter().position(|pointer| pointer == item);
    position.map(|position| items.remove(position)).is_some()
}

/// Whether a value consists of containers only.
fn is_bare(value: &Value) -> bool {
    match value {
        Value::Map(entries) => entries.iter().all(|(_, value)| is_bare(value)),
        Value::List(items) => items.is_empty(),
        _ => false,
    }
}

/// The desired state of one run: the text of the layers, and the nodes of packages.
#[derive(Clone, Debug, Default)]
struct DesiredLayers {
    base: Option<Document>,
    packages: Vec<DesiredNode>,
}

impl DesiredLayers {
    fn new(tape: &mut Tape<'_>, format: Format) -> Self {
        let layered = tape.pick(&[false, true, true, true]);
        let base = layered.then(|| read(&layer_text(tape, format), format));
        let base = base.filter(|base| !leaves(base, Lists::Whole).is_empty());
        DesiredLayers {
            base,
            packages: packages(tape),
        }
    }

    fn nodes(&self, lists: Lists) -> Vec<DesiredNode> {
        let layers = self
            .base
            .as_ref()
            .map(|base| leaves(base, lists))
            .unwrap_or_default();
        [layers, self.packages.clone()].concat()
    }
}

fn live(bytes: &[u8], format: Format) {
    let mut tape = Tape { bytes, at: 0 };
    let mut life = Life::new(format);
    while tape.at < tape.bytes.len() {
        let (layers, lists) = (DesiredLayers::new(&mut tape, format), tape.pick(LISTS));
        if tape.pick(&[false, true]) {
            life.recognise(lists);
        }
        let (base, desired) = (layers.base.clone(), layers.nodes(lists));
        let before = life.file.clone();
        let refused = life.run(base.as_ref(), &desired, OverwriteRule::Nothing);
        if !refused {
            life.check(&desired);
            life.check_lists(&desired);
            life.last = layers;
        }
        if let (false, false, Some(base), true) = (
            refused,
            life.touched,
            &base,
            desired
                .iter()
                .all(|node| node.on_equal == OnEqualUserValue::Keep),
        ) {
            assert_eq!(life.file.now(), &**base.text());
            assert_eq!(life.file.owned.as_ref().unwrap().file, FileOrigin::Whole);
        }
        for _ in 0..tape.pick(&[0, 0, 1, 3]) {
            life.meddle(&mut tape);
        }
        if !refused {
            life.check_taken_back(&before);
        }
    }
    assert!(!life.run(None, &[], OverwriteRule::Nothing), "{life:?}");
    life.check(&[]);
    if format == Format::Json && !life.dropped {
        life.check_containers();
    }
    if !life.touched {
        assert_eq!(life.file.text, None);
    }
}

/// Whatever may be overwritten, the plan after an applied plan is empty.
fn live_wildly(bytes: &[u8], format: Format) {
    let mut tape = Tape { bytes, at: 0 };
    let mut life = Life::new(format);
    while tape.at < tape.bytes.len() {
        let (layers, lists) = (DesiredLayers::new(&mut tape, format), tape.pick(LISTS));
        if tape.pick(&[false, true]) {
            life.recognise(lists);
        }
        let (overwrite, desired) = (tape.pick(OVERWRITES), layers.nodes(lists));
        let refused = life.run(layers.base.as_ref(), &desired, overwrite);
        assert!(
            !refused || overwrite == OverwriteRule::Nothing || life.is_clash(&desired),
            "{life:?}"
        );
        life.last = if refused { life.last } else { layers };
        for _ in 0..tape.pick(&[0, 1, 3]) {
            life.meddle(&mut tape);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, max_shrink_iters: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn in_json(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        live(&bytes, Format::Json);
    }

    #[test]
    fn in_json_with_comments(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        live(&bytes, Format::Jsonc);
    }

    #[test]
    fn in_yaml(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        live(&bytes, Format::Yaml);
    }

    #[test]
    fn whatever_may_be_overwritten(bytes in prop::collection::vec(any::<u8>(), 0..200), format in 0usize..4) {
        live_wildly(&bytes, [Format::Json, Format::Jsonc, Format::Yaml, Format::Toml][format]);
    }

    #[test]
    fn in_toml(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        live(&bytes, Format::Toml);
    }
}
