//! The named formats of files that a tool's row chooses from. Each has one converter, which knows no tool.

pub(crate) mod agent;
pub(crate) mod checked;
pub(crate) mod command;
pub(crate) mod hook;
pub(crate) mod instruction;
pub(crate) mod server;

use agent::{AgentFormat, Subdirectories};
use command::CommandFormat;
use hook::HookFormat;
use instruction::RuleFormat;
use server::ServerFormat;

/// The format of a file for a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// The file is unchanged.
    Unchanged,
    /// As an agent.
    Agent(&'static AgentFormat),
    /// As a command.
    Command(&'static CommandFormat),
    /// As a file of hooks.
    Hooks(&'static HookFormat),
    /// As an instruction.
    Instruction(&'static RuleFormat),
}

impl FileFormat {
    /// The extension of its files; `None` leaves that of the source.
    pub fn extension(self) -> Option<&'static str> {
        match self {
            FileFormat::Unchanged => None,
            FileFormat::Agent(format) => format.extension,
            FileFormat::Command(format) => format.extension(),
            FileFormat::Hooks(_) => Some("json"),
            FileFormat::Instruction(format) => Some(format.extension),
        }
    }

    /// Whether the tool also reads directories under the one that its files go to.
    pub fn reads_subdirectories(self) -> bool {
        match self {
            FileFormat::Agent(format) => format.subdirectories == Subdirectories::Read,
            _ => true,
        }
    }
}

/// The format of entries in a file of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryFormat {
    /// As hooks.
    Hooks(&'static HookFormat),
    /// As MCP servers.
    Servers(&'static ServerFormat),
}
