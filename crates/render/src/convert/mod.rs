//! Converts from the format that authors write, the reference tool's, to the format that a tool reads. The formats are
//! defined in `agpm_tools`; each has one converter, and none depends on a tool.
//!
//! Fields that a tool cannot express are dropped and reported, never lost silently; conversions that would allow more
//! than the author wrote are reported separately.

mod agent;
mod agent_limits;
mod agent_tools;
mod by_line;
mod checked;
mod command;
mod command_markdown;
mod command_toml;
mod events;
mod front;
mod hook_environment;
mod hook_file;
mod hook_origin;
mod hooks;
mod instruction;
mod matcher;
mod models;
mod outcome;
mod parts;
mod placeholders;
mod plain_text;
mod plugin;
mod recognize;
mod servers;
mod tool_names;
mod transport;
mod variables;

use agpm_tools::{AgentForm, CommandFormat, FileFormat};

use agent::AgentFile;

pub use hooks::hook_entries;
pub use instruction::{
    InstructionBlock, convert_instruction, instruction_block, is_native_instruction,
};
pub use outcome::{ConvertError, ConvertedEntries, ConvertedFile, FieldOutcome, FieldOutcomeKind};
pub use recognize::{agent_name, foreign_format, is_native};
pub use servers::{server_entries, server_names};

/// Converts a file to the format that a tool reads; a file already in that format stays unchanged.
pub fn convert_file(
    format: FileFormat,
    name: &str,
    text: &str,
) -> Result<ConvertedFile, ConvertError> {
    convert_patched_file(format, name, text, &[])
}

/// The same for a file with fields that a patch set. A tool that ignores unknown fields gets all of them, because their
/// author chose them for this project.
pub fn convert_patched_file(
    format: FileFormat,
    name: &str,
    text: &str,
    patched: &[&str],
) -> Result<ConvertedFile, ConvertError> {
    match format {
        FileFormat::Unchanged | FileFormat::Command(CommandFormat::Unchanged) => {
            Ok(ConvertedFile::unchanged(text))
        }
        FileFormat::Agent(format) => match &format.form {
            AgentForm::Fields(fields) => agent::convert(
                fields,
                AgentFile {
                    name,
                    text,
                    patched,
                },
            ),
            AgentForm::Checked(checked) => checked::agent(checked, text),
        },
        FileFormat::Command(CommandFormat::Markdown(format)) => {
            command_markdown::convert(format, text)
        }
        FileFormat::Command(CommandFormat::Toml(format)) => {
            command_toml::convert(format, name, text)
        }
        FileFormat::Command(CommandFormat::Checked(format)) => checked::command(format, text),
        FileFormat::Hooks(format) => hooks::to_file(format, name, text),
        FileFormat::Instruction(format) => convert_instruction(format, None, text),
    }
}
