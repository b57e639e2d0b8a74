//! Names of tools of MCP servers, in the reference and in each tool.

use crate::{AgentForm, AgentLimit, LookAlikes, ServerSplit, ServerTools, agent_formats};

/// The meaning of a name for tools of servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerTool<'a> {
    /// Every tool of every server.
    Every,
    /// Every tool of one server.
    All(&'a str),
    /// One tool.
    One(&'a str, &'a str),
}

/// The tools of servers that a name of the reference means.
pub fn read_reference(name: &str) -> Option<ServerTool<'_>> {
    match name.strip_prefix(ServerTools::REFERENCE.prefix) {
        Some("*") => Some(ServerTool::Every),
        Some(_) => read(name, &ServerTools::REFERENCE),
        None => None,
    }
}

/// The tools of servers that a name of another tool means.
pub fn read<'a>(name: &'a str, spelling: &ServerTools) -> Option<ServerTool<'a>> {
    if spelling.every == Some(name) {
        return Some(ServerTool::Every);
    }
    // Parentheses limit a tool of the reference, as in `Bash(git diff a/b)`.
    if spelling.reserved.contains(&name) || name.contains(['(', ')']) {
        return None;
    }
    let rest = name.strip_prefix(spelling.prefix)?;
    let mut ends = spelling.all.iter().filter(|end| !end.is_empty());
    let found = if let Some(server) = ends.find_map(|end| rest.strip_suffix(end)) {
        ServerTool::All(server)
    } else if let Some((server, tool)) = split(rest, spelling) {
        ServerTool::One(server, tool)
    } else if spelling.all.contains(&"") {
        ServerTool::All(rest)
    } else {
        return None;
    };
    let (server, tool) = match found {
        ServerTool::Every => return None,
        ServerTool::All(server) => (server, "*"),
        ServerTool::One(server, tool) => (server, tool),
    };
    let is_extension = spelling.look_alikes == LookAlikes::Extensions
        && tool != "*"
        && server.matches('.').count() == 1;
    let is_server = !server.is_empty() && !spelling.reserved.contains(&server);
    (is_server && !tool.is_empty() && !is_extension).then_some(found)
}

fn split<'a>(name: &'a str, spelling: &ServerTools) -> Option<(&'a str, &'a str)> {
    match spelling.split {
        ServerSplit::Last => name.rsplit_once(spelling.separator),
        ServerSplit::First | ServerSplit::Whole => name.split_once(spelling.separator),
    }
}

/// Whether a name could also mean a tool of another server.
pub fn is_ambiguous(name: &str, spelling: &ServerTools) -> bool {
    let is_one = matches!(read(name, spelling), Some(ServerTool::One(..)));
    is_one && spelling.split == ServerSplit::Whole && name.matches(spelling.separator).count() > 1
}

/// The name of the reference.
pub fn reference_name(tool: ServerTool<'_>) -> String {
    let ServerTools {
        prefix, separator, ..
    } = ServerTools::REFERENCE;
    // The characters stay: the target may accept them.
    match tool {
        ServerTool::Every => format!("{prefix}*"),
        ServerTool::All(server) => format!("{prefix}{server}"),
        ServerTool::One(server, tool) => format!("{prefix}{server}{separator}{tool}"),
    }
}

/// A tool's name; `None` if it has none.
pub fn spell(tool: ServerTool<'_>, spelling: &ServerTools) -> Option<String> {
    let ServerTools {
        prefix, separator, ..
    } = spelling;
    let clean = |text: &str| match spelling.characters {
        None => text.to_owned(),
        Some(others) => {
            let fits = |c: char| c.is_ascii_alphanumeric() || others.contains(c);
            text.chars()
                .map(|c| if fits(c) { c } else { '_' })
                .collect()
        }
    };
    match tool {
        ServerTool::Every => spelling.every.map(str::to_owned),
        ServerTool::All(server) => {
            let server = clean(server);
            // The tool would read another server, or refuse the agent.
            let is_cut = spelling.split == ServerSplit::First && server.contains(separator);
            let all = spelling.all.first().filter(|_| !is_cut);
            all.map(|all| format!("{prefix}{server}{all}"))
        }
        ServerTool::One(server, tool) => Some(format!(
            "{prefix}{}{separator}{}",
            clean(server),
            clean(tool)
        )),
    }
}

/// The spellings in lists of tools, those with a prefix first, as their names cannot be mistaken for others.
pub fn list_spellings() -> Vec<ServerTools> {
    let spellings = agent_formats().filter_map(|format| match &format.form {
        AgentForm::Fields(fields) => match fields.limit {
            AgentLimit::List(list) => list.names.servers,
            AgentLimit::ReadOnly(..) | AgentLimit::Never => None,
        },
        AgentForm::Checked(_) => None,
    });
    let (mut prefixed, plain): (Vec<_>, Vec<_>) =
        spellings.partition(|spelling| !spelling.prefix.is_empty());
    prefixed.extend(plain);
    prefixed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The spelling of each tool, by an example of one server.
    fn spelling(all: &str) -> ServerTools {
        let checked = agent_formats().filter_map(|format| match &format.form {
            AgentForm::Checked(checked) => Some(checked.servers),
            AgentForm::Fields(_) => None,
        });
        list_spellings()
            .into_iter()
            .chain(checked)
            .find(|spelling| spell(ServerTool::All("db"), spelling).as_deref() == Some(all))
            .unwrap_or_else(|| panic!("no tool writes {all}"))
    }

    #[test]
    fn every_spelling_is_read_as_it_is_written() {
        for (all, one) in [
            ("mcp__db", "mcp__db__query"),
            ("db/*", "db/query"),
            ("mcp_db_*", "mcp_db_query"),
            ("@db", "@db/query"),
            ("db_*", "db_query"),
        ] {
            let spelling = spelling(all);
            let tool = ServerTool::One("db", "query");
            assert_eq!(spell(tool, &spelling).as_deref(), Some(one));
            assert_eq!(read(one, &spelling), Some(tool));
            assert_eq!(read(all, &spelling), Some(ServerTool::All("db")));
        }
    }

    #[test]
    fn names_of_other_things_are_not_servers() {
        for (name, all) in [
            ("vscode/memory", "db/*"),
            ("runCommands/terminalSelection", "db/*"),
            ("ms-python.python/installPythonPackage", "db/*"),
            ("Bash(git diff a/b)", "db/*"),
            ("read", "db/*"),
            ("@builtin", "@db"),
            ("external_directory", "db_*"),
            ("bash", "db_*"),
            ("mcp__db", "mcp_db_*"),
        ] {
            assert_eq!(read(name, &spelling(all)), None, "{name}");
        }
        let microsoft = read("microsoft.docs.mcp/*", &spelling("db/*"));
        assert_eq!(microsoft, Some(ServerTool::All("microsoft.docs.mcp")));
    }

    #[test]
    fn names_fit_the_tool() {
        let server = ServerTool::All("io.github.upstash/context7");
        for (all, expected) in [
            ("mcp__db", Some("mcp__io_github_upstash_context7")),
            ("db/*", Some("io.github.upstash/context7/*")),
            ("db_*", Some("io_github_upstash_context7_*")),
            // Gemini CLI would read the server `io.github.upstash`.
            ("mcp_db_*", None),
        ] {
            assert_eq!(spell(server, &spelling(all)).as_deref(), expected);
        }
    }
}
