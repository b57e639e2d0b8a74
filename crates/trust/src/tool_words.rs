//! Names of tools: every client's word for a tool means the same rule.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use agpm_tools::server_tools::{list_spellings, read, read_reference, reference_name};
use agpm_tools::{REFERENCE_TOOLS, ServerTools, ToolNames, tool_name_tables};

use crate::tool_rule::ToolRule;

/// Words whose specifier is the beginning of a command line, as that of `Bash(git:*)` is.
const PREFIX_WORDS: [&str; 3] = ["run_shell_command", "shelltool", "shell"];

impl ToolRule {
    /// The rule in the words of the reference. A name that means several tools there is several rules: a client may read
    /// it as any of them.
    pub fn in_reference_words(&self) -> Vec<ToolRule> {
        let (name, specifier) = (self.tool(), self.specifier());
        // Cursor: `Mcp(server:tool)`.
        if name.eq_ignore_ascii_case("mcp")
            && let Some((server, tool)) = specifier.and_then(|inner| inner.split_once(':'))
        {
            let rule = match (server, tool) {
                ("*", _) => "mcp__*".to_owned(),
                (server, "*") => format!("mcp__{server}"),
                (server, tool) => format!("mcp__{server}__{tool}"),
            };
            return vec![ToolRule::parse(&rule)];
        }
        let is_prefix = PREFIX_WORDS.contains(&name.to_ascii_lowercase().as_str());
        let specifier = specifier.map(|specifier| {
            if is_prefix && !specifier.contains('*') && !specifier.is_empty() {
                format!("{specifier}:*")
            } else {
                specifier.to_owned()
            }
        });
        let names = reference_names(name).into_iter();
        names
            .map(|name| ToolRule::new(name, specifier.clone()))
            .collect()
    }
}

/// The reference's tools that a client's word may mean; the word itself if it means none.
fn reference_names(name: &str) -> BTreeSet<String> {
    let exact = REFERENCE_TOOLS
        .iter()
        .find(|tool| tool.names.contains(&name));
    if let Some(tool) = exact {
        return BTreeSet::from([tool.names[0].to_owned()]);
    }
    if let Some(tool) = read_reference(name) {
        return BTreeSet::from([reference_name(tool)]);
    }
    // A tool may be written with its set, as in `edit/editFiles`.
    let (set, last) = name.rsplit_once('/').unwrap_or(("", name));
    let meanings = meanings_of(last).or_else(|| meanings_of(set));
    if let Some(meanings) = meanings {
        return meanings.iter().map(|name| (*name).to_owned()).collect();
    }
    let server = list_spellings()
        .iter()
        .filter(|spelling| is_clear(name, spelling))
        .find_map(|spelling| read(name, spelling));
    BTreeSet::from([server.map_or_else(|| name.to_owned(), reference_name)])
}

/// Whether a name can be one of a server's tools and nothing else: `a_b` is also how plain tools are called.
fn is_clear(name: &str, spelling: &ServerTools) -> bool {
    !spelling.prefix.is_empty() || spelling.separator != "_" || name.ends_with("_*")
}

/// By each word of a client in lower case, the reference's tools that it means.
static MEANINGS: LazyLock<BTreeMap<String, BTreeSet<&'static str>>> = LazyLock::new(|| {
    let mut meanings: BTreeMap<String, BTreeSet<&'static str>> = BTreeMap::new();
    let mut add = |word: &str, tools: &[&'static str]| {
        let tools = tools.iter().map(|tool| usual_name(tool));
        meanings
            .entry(word.to_ascii_lowercase())
            .or_default()
            .extend(tools);
    };
    for tool in REFERENCE_TOOLS {
        for name in tool.names {
            add(name, &tool.names[..1]);
        }
    }
    for ToolNames { names, aliases, .. } in tool_name_tables() {
        for (reference, own) in *names {
            own.iter().for_each(|word| add(word, &[reference]));
        }
        for (word, tools) in *aliases {
            add(word, tools);
        }
    }
    // Words of lists of permissions alone.
    add("shelltool", &["Bash"]);
    meanings
});

fn meanings_of(word: &str) -> Option<&'static BTreeSet<&'static str>> {
    MEANINGS.get(&word.to_ascii_lowercase())
}

fn usual_name(name: &'static str) -> &'static str {
    let tool = REFERENCE_TOOLS
        .iter()
        .find(|tool| tool.names.contains(&name));
    tool.map_or(name, |tool| tool.names[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_all_clients_mean_one_rule() {
        for (word, expected) in [
            ("Bash(git:*)", vec!["Bash(git:*)"]),
            ("bash", vec!["Bash"]),
            ("shell", vec!["Bash"]),
            ("Shell(git)", vec!["Bash(git:*)"]),
            ("run_shell_command(git)", vec!["Bash(git:*)"]),
            ("execute", vec!["Bash"]),
            ("execute/runInTerminal", vec!["Bash"]),
            ("runCommands", vec!["Bash"]),
            ("MultiEdit", vec!["Edit"]),
            ("Agent", vec!["Task"]),
            ("mcp__db__*", vec!["mcp__db"]),
            ("db/query", vec!["mcp__db__query"]),
            ("@db", vec!["mcp__db"]),
            ("mcp_db_*", vec!["mcp__db"]),
            ("Mcp(db:query)", vec!["mcp__db__query"]),
            ("own_tool", vec!["own_tool"]),
            ("*", vec!["*"]),
        ] {
            let rules = ToolRule::parse(word).in_reference_words();
            let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
            assert_eq!(rules, expected, "{word}");
        }
    }
}
