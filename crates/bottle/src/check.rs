//! Checks the keys and types of one unit against its table, without other units.

use agpm_diag::{Diagnostic, codes, did_you_mean, nearest};
use agpm_model::{KeyPresence, Passthrough, SchemaTable, ValueForm};
use agpm_text::{NodeKind, NodeRef, Pointer};

use crate::kind::UnitKind;
use crate::schema::{CLAUDE_CODE, PROMPT};
use crate::unit::{BottleUnit, PromptSource, UnitState};

/// Returns all errors in the keys and types of a unit.
pub(crate) fn check(unit: &BottleUnit) -> Vec<Diagnostic> {
    let mut checker = UnitChecker {
        unit,
        pointer: Pointer::root(),
        found: Vec::new(),
    };
    match unit.root() {
        Some(root) => checker.table(root, unit.kind.table()),
        None if unit.state == UnitState::Whole => {
            checker.missing(unit.kind.table(), |_| false, None)
        }
        None => {}
    }
    checker.found
}

struct UnitChecker<'u> {
    unit: &'u BottleUnit,
    pointer: Pointer,
    found: Vec<Diagnostic>,
}

impl<'u> UnitChecker<'u> {
    fn table(&mut self, node: NodeRef<'u>, table: &'static SchemaTable) {
        if !self.is(node, NodeKind::Map, "an object") {
            return;
        }
        for (key, value) in node.entries() {
            let name = key.content();
            let body = matches!(self.unit.prompt, PromptSource::Body(_)) && self.is_prompt(name);
            match table.field(name).filter(|_| !body) {
                Some(field) => self.below(name, |checker| checker.form(value, &field.form)),
                None if table.passes(name) => {}
                None => self.unknown_key(node, key, table),
            }
        }
        self.missing(table, |name| node.get(name).is_some(), Some(node));
    }

    fn form(&mut self, node: NodeRef<'u>, form: &'static ValueForm) {
        match form {
            ValueForm::Text => drop(self.is(node, NodeKind::String, "a string")),
            ValueForm::Flag => drop(self.is(node, NodeKind::Bool, "`true` or `false`")),
            ValueForm::OneOf(words) => self.word(node, words),
            ValueForm::List(form) => self.items(node, |checker, item| checker.form(item, form)),
            ValueForm::Map(_, form) => {
                self.entries(node, |checker, value| checker.form(value, form));
            }
            ValueForm::Table(table) => self.table(node, table),
            // No table of bottles has another form: a test reads all of them.
            _ => {}
        }
    }

    fn word(&mut self, node: NodeRef<'u>, words: &'static [&'static str]) {
        let text = node.content();
        if !self.is(node, NodeKind::String, "a string") || words.contains(&text) {
            return;
        }
        let message = format!("invalid value `{text}` for `{}`", self.pointer);
        let allowed = format!("allowed: {}", quoted(words));
        let help = did_you_mean(text, "write one of", words.iter().copied()).unwrap_or_default();
        let near = nearest(text, words.iter().copied());
        let edit = near.and_then(|near| node.respelled(near));
        let diagnostic = Diagnostic::new(&codes::BOTTLE_VALUE, message)
            .detail(allowed)
            .help(help);
        self.report(diagnostic.fixed_by(edit), node);
    }

    fn items(&mut self, node: NodeRef<'u>, mut each: impl FnMut(&mut Self, NodeRef<'u>)) {
        if self.is(node, NodeKind::List, "a list") {
            for (at, item) in node.items().enumerate() {
                self.below(&at.to_string(), |checker| each(checker, item));
            }
        }
    }

    fn entries(&mut self, node: NodeRef<'u>, mut each: impl FnMut(&mut Self, NodeRef<'u>)) {
        if self.is(node, NodeKind::Map, "an object") {
            for (key, value) in node.entries() {
                self.below(key.content(), |checker| each(checker, value));
            }
        }
    }

    fn below(&mut self, step: &str, check: impl FnOnce(&mut Self)) {
        self.pointer.push(step);
        check(self);
        self.pointer.pop();
    }

    /// Returns whether a value has the expected kind, and reports an error if not.
    fn is(&mut self, node: NodeRef<'u>, kind: NodeKind, what: &str) -> bool {
        if node.kind() == kind {
            return true;
        }
        let message = format!(
            "{} must be {what}, not {}",
            self.subject(),
            node.kind().word()
        );
        let help = match (kind, node.kind()) {
            (NodeKind::String, NodeKind::Bool | NodeKind::Integer | NodeKind::Float) => {
                "put it in quotes"
            }
            (NodeKind::Bool, NodeKind::String) => "write it without quotes",
            (_, NodeKind::Null) => "give it a value, or remove its key",
            _ => "run `agpm explain bottle/value` for the value of each key",
        };
        self.report(
            Diagnostic::new(&codes::BOTTLE_VALUE, message).help(help),
            node,
        );
        false
    }

    fn missing(
        &mut self,
        table: &SchemaTable,
        has: impl Fn(&str) -> bool,
        node: Option<NodeRef<'u>>,
    ) {
        for field in table.required().filter(|field| !has(field.name)) {
            let message = format!("{} has no `{}`", self.subject(), field.name);
            let help = format!("add `{}`: {}", field.name, lowered(field.about));
            let diagnostic = Diagnostic::new(&codes::BOTTLE_VALUE, message).help(help);
            match node.filter(|_| self.pointer != Pointer::root()) {
                Some(node) => self.report(diagnostic, node),
                None => self.found.push(self.unit.at_location(diagnostic)),
            }
        }
    }

    // A misspelled key would silently fall back to the parent's value, which may allow more, so it is an error and not
    // a warning.
    fn unknown_key(&mut self, map: NodeRef<'u>, key: NodeRef<'u>, table: &SchemaTable) {
        let name = key.content();
        let message = format!("{} has no key `{name}`", table.what);
        let help = if self.pointer == Pointer::root() {
            self.help_at_top(name, table)
        } else {
            self.help_inside(name, table)
        };
        let edit = help.near.and_then(|near| map.renamed_key(key, near));
        let diagnostic = Diagnostic::new(&codes::BOTTLE_UNKNOWN_KEY, message).help(help.text);
        self.report(diagnostic.fixed_by(edit), key);
    }

    fn help_at_top(&self, name: &str, table: &SchemaTable) -> KeyHelp {
        let own = own_keys(table);
        if self.is_prompt(name) {
            return KeyHelp::text(format!(
                "in Markdown the body after the front matter is the prompt: write it there; {own}"
            ));
        }
        let other = self.unit.kind.other();
        if other.table().field(name).is_some() {
            return KeyHelp::text(format!("`{name}` is a key of {}; {own}", other.plural()));
        }
        let Passthrough {
            name: list,
            keys: foreign,
            ..
        } = CLAUDE_CODE;
        if other.table().passes(name) {
            return KeyHelp::text(format!(
                "`{name}` is a field of {list}, and those belong on agents; {own}"
            ));
        }
        let foreign_names = foreign.iter().copied();
        let names = table.names().chain(foreign_names);
        match nearest(name, names.chain(other.table().names())) {
            Some(near) if table.field(near).is_some() => {
                KeyHelp::near(near, format!("did you mean `{near}`? {own}"))
            }
            Some(near) if table.passes(near) => {
                KeyHelp::near(near, format!("did you mean `{near}` of {list}? {own}"))
            }
            Some(near) if other.table().field(near).is_some() => KeyHelp::text(format!(
                "did you mean `{near}`, which is a key of {}? {own}",
                other.plural()
            )),
            Some(near) => KeyHelp::text(format!(
                "`{near}` is a field of {list}, and those belong on agents; {own}"
            )),
            None if table.passthrough.is_none() => KeyHelp::text(own),
            None => KeyHelp::text(format!(
                "it is in neither list: {own}, and the fields of {list} are {}",
                quoted(foreign)
            )),
        }
    }

    fn help_inside(&self, name: &str, table: &SchemaTable) -> KeyHelp {
        let own = own_keys(table);
        // The same map, as the other kind of unit defines it.
        let other =
            self.pointer
                .steps()
                .iter()
                .try_fold(self.unit.kind.other().table(), |table, step| {
                    match table.field(step)?.form {
                        ValueForm::Table(inner) => Some(inner),
                        _ => None,
                    }
                });
        if let Some(other) = other.filter(|other| other.field(name).is_some()) {
            return KeyHelp::text(format!(
                "`{name}` is a key of {}, and belongs there; {own}",
                other.what
            ));
        }
        let others = other.into_iter().flat_map(SchemaTable::names);
        match nearest(name, table.names().chain(others)) {
            Some(near) if table.field(near).is_some() => {
                KeyHelp::near(near, format!("did you mean `{near}`? {own}"))
            }
            Some(near) => {
                let what = other.map_or("", |other| other.what);
                KeyHelp::text(format!(
                    "did you mean `{near}`, which is a key of {what}? {own}"
                ))
            }
            None => KeyHelp::text(own),
        }
    }

    /// Whether a key at the top of an agent is its prompt.
    fn is_prompt(&self, name: &str) -> bool {
        name == PROMPT && self.unit.kind == UnitKind::Agent && self.pointer == Pointer::root()
    }

    /// Returns the name of the checked value for messages.
    fn subject(&self) -> String {
        if self.pointer == Pointer::root() {
            format!("{} `{}`", self.unit.kind.word(), self.unit.name)
        } else {
            format!("`{}`", self.pointer)
        }
    }

    fn report(&mut self, diagnostic: Diagnostic, node: NodeRef<'u>) {
        self.found
            .push(diagnostic.at(node.source(), node.span(), ""));
    }
}

/// Returns the help for an unknown key, and the matching name at this location.
struct KeyHelp {
    text: String,
    near: Option<&'static str>,
}

impl KeyHelp {
    fn text(text: String) -> Self {
        KeyHelp { text, near: None }
    }

    fn near(near: &'static str, text: String) -> Self {
        KeyHelp {
            text,
            near: Some(near),
        }
    }
}

/// Lists the keys of an object for messages.
fn own_keys(table: &SchemaTable) -> String {
    let names = |body: bool| -> Vec<&str> {
        let fields = table
            .fields
            .iter()
            .filter(|field| (field.presence == KeyPresence::Body) == body);
        fields.map(|field| field.name).collect()
    };
    let keys = format!("the keys of {} are {}", table.what, quoted(&names(false)));
    match &names(true)[..] {
        [] => keys,
        body => format!("{keys}, and in JSON {}", quoted(body)),
    }
}

fn quoted(words: &[&str]) -> String {
    words
        .iter()
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn lowered(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(chars).collect()
    })
}
