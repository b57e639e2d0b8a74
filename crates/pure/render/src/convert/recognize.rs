//! Files that are in a tool's own format already, and files in formats that no conversion reads.

use agpm_model::FileForm;
use agpm_text::{Format, Value};

use super::ConvertError;
use super::front::{Front, value_of};

/// Fields of agents that only Copilot has.
const COPILOT_AGENT: [&str; 3] = ["mcp-servers", "handoffs", "infer"];

/// Fields of agents that only tools other than Claude Code have: Copilot, Gemini CLI, Cursor, OpenCode.
const FOREIGN_TO_CLAUDE: [&str; 9] = [
    "mcp-servers",
    "handoffs",
    "infer",
    "max_turns",
    "timeout_mins",
    "display_name",
    "readonly",
    "is_background",
    "permission",
];

/// Extensions of Copilot's agents.
const COPILOT_EXTENSIONS: [&str; 2] = [".agent.md", ".chatmode.md"];

/// Whether a file is in the tool's own format, by the extension of its source or by fields that only that tool has.
pub fn is_native(form: FileForm, file_name: &str, text: &str) -> bool {
    let is_copilots = || {
        COPILOT_EXTENSIONS
            .iter()
            .any(|extension| file_name.ends_with(extension))
    };
    match form {
        FileForm::CopilotAgent => is_copilots() || has_any(text, &COPILOT_AGENT),
        FileForm::CopilotPrompt => file_name.ends_with(".prompt.md"),
        // Claude Code's form is the usual one: a file is in it unless it says otherwise.
        FileForm::ClaudeAgent => !is_copilots() && !has_any(text, &FOREIGN_TO_CLAUDE),
        _ => false,
    }
}

fn has_any(text: &str, fields: &[&str]) -> bool {
    Front::read(text).is_ok_and(|front| fields.iter().any(|field| front.has(field)))
}

/// Why a file cannot be converted at all; nothing if it can be tried.
pub fn foreign_format(form: FileForm, file_name: &str) -> Option<ConvertError> {
    let markdown = matches!(form.ending(), None | Some("agent.md" | "prompt.md"));
    (markdown && file_name.ends_with(".toml")).then(|| {
        let help =
            "write it as Markdown with front matter, or install it for the tool that reads TOML";
        ConvertError::new(
            format!("`{file_name}` is TOML, which this tool does not read"),
            help,
        )
    })
}

/// The name that a tool knows an agent by, if its file has one.
pub fn agent_name(form: FileForm, text: &str) -> Option<String> {
    match form {
        FileForm::CodexAgent => value_of(text, Format::Toml)?
            .get("name")
            .and_then(Value::as_str)
            .map(str::to_owned),
        _ => Front::read(text).ok()?.text("name"),
    }
}
