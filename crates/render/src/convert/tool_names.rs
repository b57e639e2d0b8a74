//! Names of an agent's tools: those of the reference, in which resources are written, and those of each tool.

use agpm_tools::{
    AgentForm, AgentLimit, REFERENCE_TOOLS, ReferenceTool, ServerTools, ToolNames, agent_formats,
};

use agpm_tools::server_tools::{list_spellings, read, read_reference, reference_name, spell};

/// The reference's tool with a name.
pub(super) fn named(name: &str) -> Option<&'static ReferenceTool> {
    REFERENCE_TOOLS
        .iter()
        .find(|tool| tool.names.contains(&name))
}

/// Names of an agent's tools in the reference's terms; unknown names stay.
pub(super) fn in_reference_terms(names: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for name in names {
        for name in reference_terms(name) {
            if !out.contains(&name) {
                out.push(name);
            }
        }
    }
    out
}

fn reference_terms(name: &str) -> Vec<String> {
    if is_reference_name(name) {
        return vec![name.to_owned()];
    }
    let lists = agent_formats().filter_map(|format| match &format.form {
        AgentForm::Fields(fields) => match fields.limit {
            AgentLimit::List(list) => Some(list.names),
            AgentLimit::ReadOnly(..) | AgentLimit::Never => None,
        },
        AgentForm::Checked(_) => None,
    });
    let found = lists
        .into_iter()
        .find_map(|names| reference_meaning(name, names));
    if let Some(names) = found {
        return names.into_iter().map(str::to_owned).collect();
    }
    let server = list_spellings()
        .iter()
        .find_map(|spelling| read(name, spelling).map(reference_name));
    vec![server.unwrap_or_else(|| name.to_owned())]
}

/// The reference's tools for a name in an agent's list.
fn reference_meaning(name: &str, names: &'static ToolNames) -> Option<Vec<&'static str>> {
    // A tool may be prefixed with its set, as in `edit/editFiles`; without a name after it, the whole set is meant.
    let (set, last) = match names.servers {
        Some(servers) if servers.prefix.is_empty() => {
            name.split_once(servers.separator).unwrap_or(("", name))
        }
        _ => ("", name),
    };
    let alias = names
        .aliases
        .iter()
        .find(|(own_names, _)| *own_names == last);
    alias
        .map(|(_, tools)| tools.to_vec())
        .or_else(|| tools_called(last, names))
        .or_else(|| tools_called(set, names))
}

fn tools_called(name: &str, names: &'static ToolNames) -> Option<Vec<&'static str>> {
    let rows = names
        .names
        .iter()
        .filter(|(_, own_names)| own_names.contains(&name));
    let found: Vec<&'static str> = rows.map(|(reference, _)| *reference).collect();
    (!found.is_empty()).then_some(found)
}

/// The reference's names for a tool of another client; `None` if it has none.
pub(super) fn reference_names<'a>(
    name: &'a str,
    names: &'static ToolNames,
) -> Option<Vec<&'a str>> {
    tools_called(name, names).or_else(|| is_reference_name(name).then(|| vec![name]))
}

/// Whether the reference has a tool with a name, built in or from a server.
pub(super) fn is_reference_name(name: &str) -> bool {
    named(name).is_some() || name.starts_with(ServerTools::REFERENCE.prefix)
}

/// Names in another client's terms, and those that do not fit.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TranslatedNames {
    /// The client's names, each once.
    pub(super) names: Vec<String>,
    /// Names of the reference that the client does not know.
    pub(super) left_out: Vec<String>,
    /// Further tools of the reference that the client's names cover.
    pub(super) more: Vec<&'static str>,
}

/// Translates names to another client's; its own names stay.
pub(super) fn translate(names: &[String], to: &ToolNames) -> TranslatedNames {
    let mut out = TranslatedNames::default();
    let mut covered: Vec<&str> = Vec::new();
    for name in names {
        let called = named(name).map_or(&[][..], |tool| to.of(tool.names[0]));
        let own_tool = own_name(name, to).filter(|_| called.is_empty());
        if called.is_empty() && own_tool.is_none() {
            out.left_out.push(name.clone());
        }
        covered.extend(called);
        for name in called.iter().map(|name| (*name).to_owned()).chain(own_tool) {
            if !out.names.contains(&name) {
                out.names.push(name);
            }
        }
    }
    let is_selected = |tool: &&ReferenceTool| {
        to.of(tool.names[0])
            .iter()
            .any(|name| covered.contains(name))
    };
    let is_listed =
        |tool: &ReferenceTool| names.iter().any(|name| tool.names.contains(&name.as_str()));
    let more = REFERENCE_TOOLS.iter().filter(is_selected);
    out.more = more
        .filter(|tool| !is_listed(tool))
        .map(|tool| tool.names[0])
        .collect();
    out
}

/// The client's name for something that is not a tool of the reference.
fn own_name(name: &str, to: &ToolNames) -> Option<String> {
    let is_known = to
        .names
        .iter()
        .any(|(_, own_names)| own_names.contains(&name));
    if let (Some(tool), Some(spelling)) = (read_reference(name), &to.servers) {
        return spell(tool, spelling);
    }
    // Names of its extensions have the form of its servers' names.
    let stays = to.servers.is_some_and(|spelling| {
        read(name, &spelling).is_some()
            || spelling.prefix.is_empty() && name.contains(spelling.separator)
    });
    (is_known || stays).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use agpm_tools::{HookFormat, find};

    use super::*;

    fn agent_names(tool: &str) -> &'static ToolNames {
        let agents = find(tool).and_then(|tool| tool.agents.as_ref());
        match agents.map(|agents| &agents.format.form) {
            Some(AgentForm::Fields(fields)) => match fields.limit {
                AgentLimit::List(list) => list.names,
                AgentLimit::ReadOnly(..) | AgentLimit::Never => {
                    panic!("{tool} has no list of tools")
                }
            },
            _ => panic!("{tool} has no fields"),
        }
    }

    fn hook_names(tool: &str) -> &'static ToolNames {
        let hooks = find(tool).and_then(|tool| tool.hooks.as_ref());
        let format: &HookFormat = hooks.map(|hooks| &hooks.format).expect("hooks");
        format.tool_names
    }

    fn translated(names: &[&str], to: &ToolNames) -> String {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let found = translate(&names, to);
        format!(
            "{} - {} + {}",
            found.names.join(" "),
            found.left_out.join(" "),
            found.more.join(" ")
        )
    }

    #[test]
    fn names_are_translated_and_what_does_not_fit_is_reported() {
        for (names, to, expected) in [
            (
                &["Read", "Bash"][..],
                agent_names("gemini"),
                "read_file run_shell_command -  + ",
            ),
            (
                &["Edit", "MultiEdit"],
                agent_names("gemini"),
                "replace -  + ",
            ),
            (&["Grep", "X"], agent_names("copilot"), "search - X + Glob"),
            (
                &["mcp__db__query", "mcp__db", "a/b", "read"],
                agent_names("copilot"),
                "db/query db/* a/b read -  + ",
            ),
            (&["Edit"], hook_names("cursor"), "Write -  + Write"),
            (&["Edit", "Write"], hook_names("cursor"), "Write -  + "),
            (
                &["Read", "mcp__db__query"],
                hook_names("codex"),
                "mcp__db__query - Read + ",
            ),
            (
                &["Bash(git:*)"],
                agent_names("copilot"),
                " - Bash(git:*) + ",
            ),
        ] {
            assert_eq!(translated(names, to), expected, "{names:?}");
        }
    }
}
