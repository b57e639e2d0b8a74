//! Recognizes files that are already in a tool's format, and files in unsupported formats.

use agpm_text::{Format, Value};
use agpm_tools::{
    AgentContainer, AgentForm, AgentFormat, CommandFormat, CopiedAgents, FileFormat, agent_formats,
};

use super::agent_tools::names_foreign_tools;
use super::front::FrontMatter;
use super::instruction::is_native_instruction;
use super::outcome::ConvertError;
use super::plain_text::value_of;

/// Whether a file is in the tool's format, by its extension or by fields that only that tool has.
pub fn is_native(format: FileFormat, file_name: &str, text: &str) -> bool {
    match format {
        FileFormat::Agent(format) => match format.copied {
            CopiedAgents::None => false,
            CopiedAgents::Marked => is_marked([format], file_name, text),
            CopiedAgents::Unmarked => {
                !is_marked(agent_formats(), file_name, text) && !has_foreign_tools(text)
            }
        },
        FileFormat::Command(CommandFormat::Markdown(format)) => format
            .extension
            .is_some_and(|extension| file_name.ends_with(&format!(".{extension}"))),
        FileFormat::Instruction(format) => is_native_instruction(format, file_name, text),
        _ => false,
    }
}

/// Whether a file has a mark of one of these formats.
fn is_marked(
    formats: impl IntoIterator<Item = &'static AgentFormat>,
    file_name: &str,
    text: &str,
) -> bool {
    let front = FrontMatter::read(text).ok();
    let is_extension = |extension: &&str| file_name.ends_with(extension);
    let is_field = |field: &&str| front.as_ref().is_some_and(|front| front.has(field));
    let mut marks = formats.into_iter().map(|format| &format.marks);
    marks
        .any(|marks| marks.extensions.iter().any(is_extension) || marks.fields.iter().any(is_field))
}

/// Whether an agent lists tools by names that only other tools use.
fn has_foreign_tools(text: &str) -> bool {
    let front = FrontMatter::read(text).ok();
    let tools = front.as_ref().and_then(|front| front.get("tools"));
    tools.is_some_and(names_foreign_tools)
}

/// The reason why a file cannot be converted; `None` if it can be tried.
pub fn foreign_format(format: FileFormat, file_name: &str) -> Option<ConvertError> {
    (reads_markdown(format) && file_name.ends_with(".toml")).then(|| {
        let help =
            "write it as Markdown with front matter, or install it for the tool that reads TOML";
        ConvertError::new(
            format!("`{file_name}` is TOML, which this tool does not read"),
            help,
        )
    })
}

fn reads_markdown(format: FileFormat) -> bool {
    match format {
        FileFormat::Unchanged => true,
        FileFormat::Agent(format) => !is_toml(format),
        FileFormat::Command(format) => !matches!(format, CommandFormat::Toml(_)),
        FileFormat::Hooks(_) => false,
        FileFormat::Instruction(_) => true,
    }
}

fn is_toml(format: &AgentFormat) -> bool {
    match &format.form {
        AgentForm::Fields(fields) => matches!(fields.container, AgentContainer::Toml(_)),
        AgentForm::Checked(_) => false,
    }
}

/// The name by which a tool knows an agent, if its file has one.
pub fn agent_name(format: FileFormat, text: &str) -> Option<String> {
    match format {
        FileFormat::Agent(format) if is_toml(format) => value_of(text, Format::Toml)?
            .get("name")
            .and_then(Value::as_str)
            .map(str::to_owned),
        _ => FrontMatter::read(text).ok()?.text("name"),
    }
}
