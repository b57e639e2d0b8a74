//! What tools call the things that an agent can do: Claude Code's names and everybody else's.

/// What can be done with one of Claude Code's tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Looks at things.
    Looks,
    /// Changes files or runs programs.
    Changes,
}

/// Whose names are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Copilot's aliases in an agent's `tools`.
    CopilotAgent,
    /// Copilot's names in a hook's matcher.
    CopilotHook,
    /// Codex's names in a hook's matcher.
    CodexHook,
    /// Cursor's names in a hook's matcher.
    CursorHook,
    /// Gemini's names, in agents and hooks alike.
    Gemini,
    /// Claude Code's own names.
    Claude,
}

/// One of Claude Code's tools and its names elsewhere.
pub(super) struct ToolRow {
    /// Claude Code's names, the usual one first.
    pub(super) names: &'static [&'static str],
    pub(super) reach: Reach,
    copilot_agent: &'static str,
    copilot_hook: &'static [&'static str],
    codex_hook: &'static [&'static str],
    cursor_hook: &'static [&'static str],
    gemini: &'static [&'static str],
}

const fn row(names: &'static [&'static str], reach: Reach, copilot_agent: &'static str) -> ToolRow {
    ToolRow {
        names,
        reach,
        copilot_agent,
        copilot_hook: &[],
        codex_hook: &[],
        cursor_hook: &[],
        gemini: &[],
    }
}

/// Sources: GitHub Copilot "Custom agents configuration" (tool aliases) and "Hooks reference" (Claude tool names);
/// Codex "Hooks" (matcher patterns); Cursor "Third Party Hooks" (tool name mapping); Gemini CLI "Tools reference".
pub(super) const TOOLS: &[ToolRow] = &[
    ToolRow {
        copilot_hook: &["view"],
        cursor_hook: &["Read"],
        gemini: &["read_file"],
        ..row(&["Read"], Reach::Looks, "read")
    },
    row(&["NotebookRead"], Reach::Looks, "read"),
    ToolRow {
        gemini: &["list_directory"],
        ..row(&["LS"], Reach::Looks, "")
    },
    ToolRow {
        copilot_hook: &["grep", "rg"],
        cursor_hook: &["Grep"],
        gemini: &["grep_search"],
        ..row(&["Grep"], Reach::Looks, "search")
    },
    ToolRow {
        copilot_hook: &["glob"],
        gemini: &["glob"],
        ..row(&["Glob"], Reach::Looks, "search")
    },
    ToolRow {
        copilot_hook: &["create"],
        codex_hook: &["apply_patch"],
        cursor_hook: &["Write"],
        gemini: &["write_file"],
        ..row(&["Write"], Reach::Changes, "edit")
    },
    ToolRow {
        copilot_hook: &["edit", "str_replace_editor", "apply_patch"],
        codex_hook: &["apply_patch"],
        cursor_hook: &["Write"],
        gemini: &["replace"],
        ..row(&["Edit", "MultiEdit"], Reach::Changes, "edit")
    },
    row(&["NotebookEdit"], Reach::Changes, "edit"),
    ToolRow {
        copilot_hook: &["bash", "powershell"],
        codex_hook: &["Bash"],
        cursor_hook: &["Shell"],
        gemini: &["run_shell_command"],
        ..row(&["Bash"], Reach::Changes, "execute")
    },
    ToolRow {
        copilot_hook: &["web_fetch"],
        gemini: &["web_fetch"],
        ..row(&["WebFetch"], Reach::Looks, "web")
    },
    ToolRow {
        copilot_hook: &["web_search"],
        gemini: &["google_web_search"],
        ..row(&["WebSearch"], Reach::Looks, "web")
    },
    ToolRow {
        copilot_hook: &["task"],
        cursor_hook: &["Task"],
        ..row(&["Task", "Agent"], Reach::Looks, "agent")
    },
    ToolRow {
        copilot_hook: &["update_todo"],
        gemini: &["write_todos"],
        ..row(&["TodoWrite"], Reach::Looks, "todo")
    },
    ToolRow {
        copilot_hook: &["ask_user"],
        gemini: &["ask_user"],
        ..row(&["AskUserQuestion"], Reach::Looks, "")
    },
    ToolRow {
        gemini: &["activate_skill"],
        ..row(&["Skill"], Reach::Looks, "")
    },
];

impl ToolRow {
    /// What it is called there; nothing if it has no name.
    pub(super) fn called(&'static self, dialect: Dialect) -> &'static [&'static str] {
        match dialect {
            Dialect::CopilotAgent if self.copilot_agent.is_empty() => &[],
            Dialect::CopilotAgent => std::slice::from_ref(&self.copilot_agent),
            Dialect::CopilotHook => self.copilot_hook,
            Dialect::CodexHook => self.codex_hook,
            Dialect::CursorHook => self.cursor_hook,
            Dialect::Gemini => self.gemini,
            Dialect::Claude => &self.names[..1],
        }
    }
}

/// Claude Code's tool of that name.
pub(super) fn named(name: &str) -> Option<&'static ToolRow> {
    TOOLS.iter().find(|row| row.names.contains(&name))
}

/// Copilot's names of tools and tool sets besides its aliases, and Claude Code's tools for each.
///
/// Source: VS Code "Chat tools" and the agents of github/awesome-copilot.
const COPILOT_TOOLS: &[(&str, &[&str])] = &[
    ("codebase", &["Grep", "Glob"]),
    ("usages", &["Grep"]),
    ("findTestFiles", &["Glob"]),
    ("searchResults", &["Grep"]),
    ("readFile", &["Read"]),
    ("changes", &["Read"]),
    ("editFiles", &["Edit", "Write"]),
    ("createFile", &["Write"]),
    ("new", &["Write"]),
    ("runCommands", &["Bash"]),
    ("runTasks", &["Bash"]),
    ("runTests", &["Bash"]),
    ("runInTerminal", &["Bash"]),
    ("terminal", &["Bash"]),
    ("shell", &["Bash"]),
    ("fetch", &["WebFetch"]),
    ("githubRepo", &["WebFetch"]),
    ("todos", &["TodoWrite"]),
    ("runSubagent", &["Task"]),
];

/// Names of an agent's tools in Claude Code's terms; names that mean nothing to it stay as they are.
pub(super) fn in_claude_terms(names: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for name in names {
        for name in claude_terms(name) {
            if !out.contains(&name) {
                out.push(name);
            }
        }
    }
    out
}

fn claude_terms(name: &str) -> Vec<String> {
    if named(name).is_some() || name.starts_with("mcp__") {
        return vec![name.to_owned()];
    }
    // Newer names have their tool set before them, as in `edit/editFiles`.
    let (set, last) = name.split_once('/').unwrap_or(("", name));
    let aliased = COPILOT_TOOLS
        .iter()
        .find(|(own, _)| *own == last)
        .map(|(_, claude)| claude.to_vec());
    let of_set = || {
        [last, set]
            .into_iter()
            .find_map(|alias| rows_called(alias, Dialect::CopilotAgent))
    };
    let found = aliased
        .or_else(of_set)
        .or_else(|| rows_called(name, Dialect::Gemini));
    found.map_or(vec![name.to_owned()], |names| {
        names.into_iter().map(str::to_owned).collect()
    })
}

fn rows_called(name: &str, dialect: Dialect) -> Option<Vec<&'static str>> {
    let rows = TOOLS
        .iter()
        .filter(|row| row.called(dialect).contains(&name));
    let names: Vec<&'static str> = rows.map(|row| row.names[0]).collect();
    (!names.is_empty() && !name.is_empty()).then_some(names)
}

/// Claude Code's names for a tool of another dialect, or for one of its own; nothing if it has none.
pub(super) fn claude_names(name: &str, dialect: Dialect) -> Option<Vec<&str>> {
    let rows = rows_called(name, dialect);
    match named(name) {
        _ if rows.is_some() => rows,
        Some(_) => Some(vec![name]),
        None => name.starts_with("mcp__").then(|| vec![name]),
    }
}

/// Names in another dialect, and what did not fit.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Translated {
    /// The names there, each once.
    pub(super) names: Vec<String>,
    /// Names of Claude Code's that are unknown there.
    pub(super) left_out: Vec<String>,
    /// Claude Code's tools that the names there stand for too.
    pub(super) more: Vec<&'static str>,
}

/// Says the same in another dialect; names that are in that dialect already stay.
pub(super) fn translate(names: &[String], dialect: Dialect) -> Translated {
    let mut out = Translated::default();
    let mut meant: Vec<&str> = Vec::new();
    for name in names {
        let called = named(name).map_or(&[][..], |row| row.called(dialect));
        let own = own_name(name, dialect).filter(|_| called.is_empty());
        if called.is_empty() && own.is_none() {
            out.left_out.push(name.clone());
        }
        meant.extend(called);
        for name in called.iter().map(|name| (*name).to_owned()).chain(own) {
            if !out.names.contains(&name) {
                out.names.push(name);
            }
        }
    }
    let more = TOOLS
        .iter()
        .filter(|row| row.called(dialect).iter().any(|name| meant.contains(name)));
    let more = more.filter(|row| !names.iter().any(|name| row.names.contains(&name.as_str())));
    out.more = more.map(|row| row.names[0]).collect();
    out
}

/// A name that is no tool of Claude Code's, where the dialect knows it.
fn own_name(name: &str, dialect: Dialect) -> Option<String> {
    let known = TOOLS.iter().any(|row| row.called(dialect).contains(&name));
    let server = name
        .strip_prefix("mcp__")
        .filter(|_| dialect == Dialect::CopilotAgent);
    match server.map(|server| server.split_once("__").unwrap_or((server, "*"))) {
        Some((server, tool)) if !server.is_empty() => Some(format!("{server}/{tool}")),
        _ if known || dialect == Dialect::CopilotAgent && name.contains('/') => {
            Some(name.to_owned())
        }
        // Gemini's names for the tools of servers, with `*` for all of them.
        _ if dialect == Dialect::Gemini
            && name.starts_with("mcp_")
            && !name.starts_with("mcp__") =>
        {
            Some(name.to_owned())
        }
        // Codex has Claude Code's names for the tools of servers.
        _ => (matches!(dialect, Dialect::CodexHook | Dialect::Claude) && name.starts_with("mcp__"))
            .then(|| name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(names: &[&str], dialect: Dialect) -> String {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let found = translate(&names, dialect);
        format!(
            "{} - {} + {}",
            found.names.join(" "),
            found.left_out.join(" "),
            found.more.join(" ")
        )
    }

    #[test]
    fn names_are_translated_and_what_does_not_fit_is_told() {
        for (names, dialect, expected) in [
            (
                &["Read", "Bash"][..],
                Dialect::Gemini,
                "read_file run_shell_command -  + ",
            ),
            (&["Edit", "MultiEdit"], Dialect::Gemini, "replace -  + "),
            (&["Grep", "X"], Dialect::CopilotAgent, "search - X + Glob"),
            (
                &["mcp__db__query", "mcp__db", "a/b", "read"],
                Dialect::CopilotAgent,
                "db/query db/* a/b read -  + ",
            ),
            (&["Edit"], Dialect::CursorHook, "Write -  + Write"),
            (&["Edit", "Write"], Dialect::CursorHook, "Write -  + "),
            (
                &["Read", "mcp__db__query"],
                Dialect::CodexHook,
                "mcp__db__query - Read + ",
            ),
            (&["Bash(git:*)"], Dialect::CopilotAgent, " - Bash(git:*) + "),
        ] {
            assert_eq!(told(names, dialect), expected, "{names:?}");
        }
    }
}
