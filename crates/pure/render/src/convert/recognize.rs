//! Files that are in a tool's own format already, and files in formats that no conversion reads.

use agpm_model::FileForm;
use agpm_text::{Format, Value};

use super::ConvertError;
use super::front::{Front, value_of};

/// Fields of agents that only Copilot has.
const COPILOT_AGENT: [&str; 3] = ["mcp-servers", "handoffs", "infer"];

/// Whether a file is in the tool's own format, by the extension of its source or by fields that only that tool has.
pub fn is_native(form: FileForm, file_name: &str, text: &str) -> bool {
    match form {
        FileForm::CopilotAgent => {
            let extension =
                [".agent.md", ".chatmode.md"].iter().any(|extension| file_name.ends_with(extension));
            extension || Front::read(text).is_ok_and(|front| COPILOT_AGENT.iter().any(|key| front.has(key)))
        }
        FileForm::CopilotPrompt => file_name.ends_with(".prompt.md"),
        _ => false,
    }
}

/// Why a file cannot be converted at all; nothing if it can be tried.
pub fn foreign_format(form: FileForm, file_name: &str) -> Option<ConvertError> {
    let markdown = matches!(form.ending(), None | Some("agent.md" | "prompt.md"));
    (markdown && file_name.ends_with(".toml")).then(|| {
        let help = "write it as Markdown with front matter, or install it for the tool that reads TOML";
        ConvertError::new(format!("`{file_name}` is TOML, which this tool does not read"), help)
    })
}

/// The name that a tool knows an agent by, if its file has one.
pub fn agent_name(form: FileForm, text: &str) -> Option<String> {
    match form {
        FileForm::CodexAgent => {
            value_of(text, Format::Toml)?.get("name").and_then(Value::as_str).map(str::to_owned)
        }
        _ => Front::read(text).ok()?.text("name"),
    }
}
