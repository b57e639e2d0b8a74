//! Reads `[budget]`: the characters that each tool may spend on names and descriptions.

use std::collections::BTreeMap;

use agpm_diag::codes;
use agpm_text::{NodeRef, Value, to_value};

use crate::check::Check;
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
        let names = tools.iter().map(|tool| tool.name.as_str());
        let known = check.check_known(key, "tool", &codes::MANIFEST_UNKNOWN_TOOL, names);
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
        if let (true, Ok(tool)) = (known, ToolName::new(key.content())) {
            budget.insert(tool, characters);
        }
    }
    budget
}
