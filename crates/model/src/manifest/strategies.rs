//! `[merge]` and `[strategies]`.

use agpm_diag::{Diagnostic, SourceId, codes, did_you_mean, nearest};
use agpm_text::{NodeKind, NodeRef, Pointer};

use crate::check::{Check, spot};
use crate::glob::{Glob, GlobError};
use crate::manifest::tables::{EMPTY, ITEMS, MERGE, RULE, STRATEGY};
use crate::pattern::PointerPattern;
use crate::schema::SchemaTable;
use crate::strategy::{
    BUILT_IN, BodySeparator, EmptyRule, ListRule, MapRule, MergeDriver, MergeOperation,
    PointerRule, ProgramAuthor, Strategy,
};

const POINTER_HELP: &str = "write `/` before every step, as in `/permissions/allow`";
/// A line of `[merge]`.
#[derive(Clone, Debug)]
pub struct MergeRule {
    /// The files that it applies to.
    pub files: FilePattern,
    /// The strategy.
    pub strategy: Strategy,
}

/// The files of a line of `[merge]`: a name or path, or a pattern with `*`.
#[derive(Clone, Debug)]
pub struct FilePattern {
    written: String,
    pattern: Option<Glob>,
}

impl FilePattern {
    fn new(written: &str) -> Result<Self, GlobError> {
        let pattern = if written.contains(['*', '?', '[', '{']) {
            Some(Glob::new(written)?)
        } else {
            None
        };
        Ok(FilePattern {
            written: written.to_owned(),
            pattern,
        })
    }

    /// Whether a file, by its path with `/`, matches. A pattern without `/` matches the file name only.
    pub fn matches(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let subject = if self.written.contains('/') {
            path
        } else {
            name
        };
        self.pattern
            .as_ref()
            .map_or(self.written == subject, |pattern| pattern.is_match(subject))
    }

    /// A path takes precedence over a name, and a name over a pattern; of patterns the more specific one.
    pub fn specificity(&self) -> (bool, bool, usize) {
        let literal = self
            .written
            .chars()
            .filter(|c| !"*?[]{}".contains(*c))
            .count();
        (self.pattern.is_none(), self.written.contains('/'), literal)
    }
}

pub(crate) fn read(
    check: &mut Check,
    merge: Option<NodeRef<'_>>,
    definitions: Vec<NodeRef<'_>>,
    users: Vec<SourceId>,
) -> (Vec<MergeRule>, Vec<Strategy>) {
    let sections = merge.iter().map(|node| ("`[merge]`", *node));
    let sections = sections.chain(definitions.iter().map(|node| ("`[strategies]`", *node)));
    for (section, node) in sections.filter(|(_, node)| node.kind() != NodeKind::Map) {
        check.wrong_kind(node, section, "a table");
    }
    let tables = StrategyTables {
        sections: definitions,
        users,
    };
    let mut strategies: Vec<Strategy> = Vec::new();
    for (name, table) in tables.sections.iter().copied().flat_map(NodeRef::entries) {
        if BUILT_IN
            .iter()
            .any(|built_in| built_in.name == name.content())
        {
            check.bad_value(
                name,
                format!("`{}` is built in", name.content()),
                "choose another name",
            );
        }
        if strategies.iter().any(|other| other.name == name.content()) {
            // The project's definition wins.
            continue;
        }
        tables.check_chain(check, name);
        let on = &mut vec![name.content()];
        strategies.push(tables.definition(check, name.content(), table, on));
    }
    let mut rules = Vec::new();
    for (files, value) in merge.into_iter().flat_map(NodeRef::entries) {
        let strategy = tables.value(check, value);
        match FilePattern::new(files.content()) {
            Ok(files) => rules.push(MergeRule { files, strategy }),
            Err(error) => {
                let message = format!("invalid file pattern: {error}");
                check.bad_value(
                    files,
                    message,
                    "write a file name, or a pattern such as `*.yaml`",
                );
            }
        }
    }
    (rules, strategies)
}

/// The strategies of the project and then of the user, not parsed yet, so one can extend another.
struct StrategyTables<'a> {
    sections: Vec<NodeRef<'a>>,
    /// The files that only the user writes.
    users: Vec<SourceId>,
}

impl<'a> StrategyTables<'a> {
    fn get(&self, name: &str) -> Option<NodeRef<'a>> {
        self.sections.iter().find_map(|tables| tables.get(name))
    }

    fn value(&self, check: &mut Check, value: NodeRef<'a>) -> Strategy {
        match value.kind() {
            NodeKind::String => self.named(check, value, &mut Vec::new()),
            NodeKind::Map => self.table(check, value, &MERGE, &mut Vec::new()),
            _ => {
                check.wrong_kind(value, "a strategy", "a name or a table");
                Strategy::default()
            }
        }
    }

    /// Reports a strategy that extends itself, with the chain.
    fn check_chain(&self, check: &mut Check, name: NodeRef<'a>) {
        let mut chain = vec![name.content()];
        let base = |name: &str| self.get(name)?.get("strategy")?.as_str();
        while let Some(next) = chain.last().copied().and_then(base) {
            let is_cycle = chain.contains(&next);
            chain.push(next);
            if is_cycle {
                break;
            }
        }
        if chain.len() > 1 && chain.last() == chain.first() {
            let chain = chain
                .iter()
                .map(|name| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(" -> ");
            let message = format!("strategies extend each other in a cycle: {chain}");
            check.bad_value(name, message, "base one of them on a built-in strategy");
        }
    }

    fn named(&self, check: &mut Check, node: NodeRef<'a>, on: &mut Vec<&'a str>) -> Strategy {
        let Some(name) = check.string(node, "`strategy`") else {
            return Strategy::default();
        };
        if on.contains(&name) {
            // A cyclic chain is reported where its strategies are defined.
            return Strategy::default();
        }
        if let Some(table) = self.get(name) {
            on.push(name);
            // Mistakes in the base strategy are reported once, where it is defined.
            let mut quiet = Check::default();
            let strategy = self.definition(&mut quiet, name, table, on);
            on.pop();
            return strategy;
        }
        Strategy::built_in(name).unwrap_or_else(|| {
            let tables = self
                .sections
                .iter()
                .copied()
                .flat_map(NodeRef::entries)
                .map(|(key, _)| key.content());
            let other: Vec<&str> = BUILT_IN
                .iter()
                .map(|built_in| built_in.name)
                .chain(tables)
                .collect();
            let mut diagnostic = Diagnostic::new(
                &codes::MANIFEST_UNKNOWN_STRATEGY,
                format!("unknown strategy `{name}`"),
            )
            .at_spot(spot(node));
            diagnostic.help = did_you_mean(name, "strategies are", other.iter().copied());
            let near = nearest(name, other.iter().copied());
            let edit = near.and_then(|near| node.respelled(near));
            check.report_missing(diagnostic.fixed_by(edit));
            Strategy::default()
        })
    }

    /// An entry of `[strategies]`.
    fn definition(
        &self,
        check: &mut Check,
        name: &str,
        table: NodeRef<'a>,
        on: &mut Vec<&'a str>,
    ) -> Strategy {
        let mut strategy = self.table(check, table, &STRATEGY, on);
        if !name.is_empty() {
            strategy.name = name.to_owned();
        }
        strategy
    }

    fn table(
        &self,
        check: &mut Check,
        table: NodeRef<'a>,
        schema: &SchemaTable,
        on: &mut Vec<&'a str>,
    ) -> Strategy {
        if table.kind() != NodeKind::Map {
            check.wrong_kind(table, "a strategy", "a table");
            return Strategy::default();
        }
        check.keys(table, schema);
        let mut strategy = table
            .get("strategy")
            .map_or_else(Strategy::default, |base| self.named(check, base, on));
        if let Some(lists) = table
            .get("lists")
            .and_then(|lists| read_lists(check, lists))
        {
            strategy.lists = lists;
            strategy.maps = if table.get("strategy").is_none() {
                MapRule::Merge
            } else {
                strategy.maps
            };
        }
        if let Some(separator) = table.get("separator") {
            strategy.separator = check
                .word(separator, "`separator`", BodySeparator::ALL)
                .unwrap_or_default();
        }
        if let Some(rules) = table
            .get("rules")
            .filter(|rules| rules.kind() != NodeKind::Map)
        {
            check.wrong_kind(
                rules,
                "`rules`",
                "a table from pointer patterns to operations",
            );
        }
        for (pattern, rule) in table.get("rules").into_iter().flat_map(NodeRef::entries) {
            strategy.rules.extend(read_rule(check, pattern, rule));
        }
        for (node, pointer) in table
            .get("unset")
            .map(|unset| check.strings(unset, "`unset`"))
            .unwrap_or_default()
        {
            match pointer.parse::<Pointer>() {
                Ok(pointer) if pointer == Pointer::root() => {
                    check.bad_value(node, "the entire document cannot be unset", POINTER_HELP);
                }
                Ok(pointer) => strategy.unset.push(pointer),
                Err(error) => check.bad_value(node, error.to_string(), POINTER_HELP),
            }
        }
        if let Some(command) = table
            .get("command")
            .filter(|_| schema.field("command").is_some())
        {
            let author = if self.users.contains(&spot(command).source) {
                ProgramAuthor::User
            } else {
                ProgramAuthor::Project
            };
            strategy.driver =
                read_driver(check, command).map(|command| MergeDriver { command, author });
        }
        strategy
    }
}

fn read_driver(check: &mut Check, node: NodeRef<'_>) -> Option<Vec<String>> {
    let command: Vec<String> = check
        .strings(node, "`command`")
        .into_iter()
        .map(|(_, part)| part.to_owned())
        .collect();
    if command.is_empty() {
        check.bad_value(
            node,
            "`command` does not name an executable",
            "write [\"PROGRAM\", \"%base\", \"%new\"]",
        );
        return None;
    }
    Some(command)
}

fn read_lists(check: &mut Check, node: NodeRef<'_>) -> Option<ListRule> {
    let operation = read_operation(check, node)?;
    if !operation.is_for_lists() {
        let message = format!("`{operation}` does not apply to lists");
        check.bad_value(
            node,
            message,
            "use replace, extend, append, prepend, union or by-key",
        );
        return None;
    }
    Some(ListRule::By(operation))
}

fn read_rule(check: &mut Check, pattern: NodeRef<'_>, node: NodeRef<'_>) -> Option<PointerRule> {
    let parsed = pattern.content().parse::<PointerPattern>();
    let empty = match (node.kind(), node.get("empty")) {
        (NodeKind::Map, Some(empty)) => check.word(empty, "`empty`", EMPTY).unwrap_or_default(),
        _ => EmptyRule::default(),
    };
    let only_empty =
        node.kind() == NodeKind::Map && node.get("op").is_none() && node.get("by-key").is_none();
    let operation = if only_empty && node.get("empty").is_some() {
        check.keys(node, &RULE);
        None
    } else {
        Some(read_operation(check, node)?)
    };
    match parsed {
        Ok(pattern) => Some(PointerRule {
            pattern,
            operation,
            empty,
        }),
        Err(error) => {
            check.bad_value(pattern, error.to_string(), POINTER_HELP);
            None
        }
    }
}

/// `"deep"`, `"by-key:id"`, `{ op = "deep" }` or `{ by-key = "id", items = "deep" }`.
fn read_operation(check: &mut Check, node: NodeRef<'_>) -> Option<MergeOperation> {
    let word = match node.kind() {
        NodeKind::String => node,
        NodeKind::Map => {
            check.keys(node, &RULE);
            let items = node
                .get("items")
                .and_then(|items| check.word(items, "`items`", ITEMS))
                .unwrap_or_default();
            if let Some(key) = node.get("by-key") {
                let name = check.string(key, "`by-key`")?.to_owned();
                if name.is_empty() {
                    check.bad_value(
                        key,
                        "`by-key` needs the key that identifies an item",
                        "write it, as in `id`",
                    );
                    return None;
                }
                return Some(MergeOperation::ByKey { key: name, items });
            }
            check.required(node, "op", "rule")?
        }
        _ => {
            check.wrong_kind(node, "an operation", "a string or a table");
            return None;
        }
    };
    let text = check.string(word, "`op`")?;
    let help = "`agpm strategies` lists all operations";
    text.parse::<MergeOperation>()
        .map_err(|error| check.bad_value(word, error.to_string(), help))
        .ok()
}
