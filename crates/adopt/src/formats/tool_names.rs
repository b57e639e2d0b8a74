//! The tool names of other managers.

use agpm_text::NodeRef;

use crate::formats::format_reader::FormatReader;

/// Names of tools, as any of the managers has them, and agpm's.
const TOOL_NAMES: &[(&str, &str)] = &[
    ("claude", "claude-code"),
    ("claude-code", "claude-code"),
    ("claudecode", "claude-code"),
    ("codex", "codex"),
    ("codexcli", "codex"),
    ("cursor", "cursor"),
    ("copilot", "copilot"),
    ("github-copilot", "copilot"),
    ("vscode", "copilot"),
    ("copilotcli", "copilot-cli"),
    ("gemini", "gemini"),
    ("gemini-cli", "gemini"),
    ("geminicli", "gemini"),
    ("opencode", "opencode"),
    ("windsurf", "windsurf"),
    ("devin", "windsurf"),
    ("zed", "zed"),
    ("amp", "amp"),
    ("kiro", "kiro"),
    ("cline", "cline"),
    ("goose", "goose"),
    ("antigravity", "antigravity"),
    ("antigravity-ide", "antigravity"),
    ("antigravity-cli", "antigravity"),
    ("agent-skills", "agents"),
    ("agentsmd", "agents"),
    ("agents", "agents"),
];

/// The tools of a list, each once; those that agpm does not know are reported.
pub(crate) fn tools_of<'n>(
    reading: &mut FormatReader,
    names: impl IntoIterator<Item = (NodeRef<'n>, &'n str)>,
) -> Vec<String> {
    let mut tools: Vec<String> = Vec::new();
    for (node, name) in names {
        let row = TOOL_NAMES.iter().find(|(foreign, _)| *foreign == name);
        match row {
            Some((_, tool)) if tools.iter().any(|one| one == tool) => {}
            Some((_, tool)) => tools.push((*tool).to_owned()),
            None => {
                let message = format!("agpm does not know the tool `{name}`");
                let help = "run `agpm schema manifest` for the tools, or define it in `[tools]`";
                reading.report_lost(node, message, help);
            }
        }
    }
    tools
}
