//! Reads `[budget]`: the characters that each tool may spend on names and descriptions.

use std::collections::BTreeMap;

use agpm_diag::{Diagnostic, Severity, codes, did_you_mean, nearest};
use agpm_text::{NodeRef, Value, to_value};

use crate::check::{Check, spot};
use crate::name::ToolName;
use crate::tool::Tools;

/// The budget of each tool of a table.
pub(crate) fn read_budget(
    check: &mut Check,
    tools: &Tools,
    table: NodeRef<'_>,
) -> BTreeMap<ToolName, usize> {
    let mut budget = BTreeMap::new();
    if !check.map(table, "`[budget]`") {
        return budget;
    }
    for (key, value) in table.entries() {
        let characters = match to_value(value) {
            Value::Number(number) => number.as_str().parse::<usize>().ok(),
            _ => None,
        };
        let Some(characters) = characters else {
            let message = format!(
                "the budget of `{}` is not a number of characters",
                key.content()
            );
            let help = "write a whole number, such as `claude-code = 8000`";
            check.bad_value(value, message, help);
            continue;
        };
        let Ok(tool) = ToolName::new(key.content()) else {
            check.bad_value(
                key,
                format!("`{}` is not the name of a tool", key.content()),
                "name a tool",
            );
            continue;
        };
        // A tool that a base defines may be gone; the budget says nothing about any other.
        let names = tools.iter().map(|tool| tool.name.as_str());
        if !names.clone().any(|name| name == key.content()) {
            check.report(unknown_tool(key, names));
        }
        budget.insert(tool, characters);
    }
    budget
}

fn unknown_tool<'t>(key: NodeRef<'_>, names: impl Iterator<Item = &'t str> + Clone) -> Diagnostic {
    let name = key.content();
    let near = nearest(name, names.clone());
    let edit = near.and_then(|near| key.respelled(near));
    let message = format!("unknown tool `{name}`");
    let mut found = Diagnostic::new(&codes::MANIFEST_UNKNOWN_TOOL, message)
        .at_spot(spot(key))
        .fixed_by(edit);
    found.help = did_you_mean(name, "available tools", names);
    found.severity = Severity::Warning;
    found
}
