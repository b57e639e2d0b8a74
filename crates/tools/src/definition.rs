//! The shape of a tool's file.

use crate::config::ConfigFile;
use crate::format::agent::AgentFormat;
use crate::format::command::CommandFormat;
use crate::format::hook::HookFormat;
use crate::format::instruction::InstructionFormat;
use crate::format::server::ServerFormat;
use crate::source::FactSource;

/// An AI coding client.
#[derive(Debug)]
pub struct ToolDefinition {
    /// As manifests name it.
    pub name: &'static str,
    /// The name as its maker writes it.
    pub title: &'static str,
    /// The directory that its own files are in.
    pub directory: ScopedValue<&'static str>,
    /// Agents; `None`, here and below, is a type that the tool does not have.
    pub agents: Option<TypeSupport<Directory, AgentFormat>>,
    /// Slash commands.
    pub commands: Option<TypeSupport<Directory, CommandFormat>>,
    /// Skills.
    pub skills: Option<TypeSupport<Directory, SkillFormat>>,
    /// Snippets.
    pub snippets: Option<TypeSupport<Directory, UnchangedFiles>>,
    /// Scripts.
    pub scripts: Option<TypeSupport<Directory, UnchangedFiles>>,
    /// Instructions.
    pub instructions: Option<TypeSupport<InstructionLocation, InstructionFormat>>,
    /// Hooks.
    pub hooks: Option<TypeSupport<HookLocation, HookFormat>>,
    /// MCP servers, by the path of the file that holds them.
    pub servers: Option<TypeSupport<&'static str, ServerFormat>>,
    /// Patterns of the files that it reads besides: rules, settings, its own directories. Layers may hold them. Files
    /// that a host runs by itself, such as workflows, are not among them.
    pub layer_files: SourcedList<&'static str>,
    /// Directories where agpm-cli 0.4 installs files of the tool.
    pub former_directories: SourcedList<&'static str>,
    /// The locations of its credentials: the last components of the path, in lower case.
    pub credentials: SourcedList<&'static [&'static str]>,
    /// Directories of the project whose files it runs when it starts, whatever their mode.
    pub loaded_code: SourcedList<&'static str>,
    /// Directories that it reads besides those of its types, each with the type: other spellings, and former names.
    pub further_directories: SourcedList<(&'static str, &'static str)>,
    /// What users have of it that agpm does not write.
    pub users_files: UsersFiles,
    /// Its names in the files of other managers.
    pub names_elsewhere: &'static [&'static str],
    /// Its own configuration files, and what their keys let it do.
    pub config: &'static [ConfigFile],
    /// Environment variables that it only sets where it runs a plugin.
    pub plugin_variables: SourcedList<&'static str>,
    /// Hooks of another tool that it runs besides its own.
    pub foreign_hooks: Option<ForeignHooks>,
    /// The path of a plugin's manifest that only this tool reads.
    pub plugin_manifest: Option<PluginManifestPath>,
    /// Its notation for the project's directory; `None` if paths start there by default, or if it is unknown.
    pub project_root: Option<ProjectRoot>,
    /// A file that a program of the same name does not read.
    pub unread_file: Option<UnreadFile>,
    /// The executable that its package installs, where its version can be read from files.
    pub executable: Option<Executable>,
    /// How it lists skills and commands to its model; `None` where that is unknown.
    pub listing: Option<Listing>,
}

impl ToolDefinition {
    /// A tool that has nothing yet.
    pub(crate) const fn new(name: &'static str, title: &'static str) -> Self {
        ToolDefinition {
            name,
            title,
            directory: ScopedValue::both(""),
            agents: None,
            commands: None,
            skills: None,
            snippets: None,
            scripts: None,
            instructions: None,
            hooks: None,
            servers: None,
            layer_files: SourcedList::NONE,
            former_directories: SourcedList::NONE,
            credentials: SourcedList::NONE,
            loaded_code: SourcedList::NONE,
            further_directories: SourcedList::NONE,
            users_files: UsersFiles::NONE,
            names_elsewhere: &[],
            config: &[],
            plugin_variables: SourcedList::NONE,
            foreign_hooks: None,
            plugin_manifest: None,
            project_root: None,
            unread_file: None,
            executable: None,
            listing: None,
        }
    }
}

/// Files of a project that users write for a tool, at other paths than agpm: `init` reports them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsersFiles {
    /// Directories of resources, each with the type in the plural.
    pub directories: &'static [(&'static str, &'static str)],
    /// Files with hooks.
    pub hooks: &'static [&'static str],
    /// Files with servers.
    pub servers: &'static [&'static str],
    /// Instructions. Blocks of agpm may be in them too, so they are reported and not described.
    pub instructions: &'static [&'static str],
}

impl UsersFiles {
    /// A tool for which users write only where agpm does.
    pub(crate) const NONE: UsersFiles = UsersFiles {
        directories: &[],
        hooks: &[],
        servers: &[],
        instructions: &[],
    };
}

/// One thing in a project, and the same in home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopedValue<T> {
    /// For those who work on a project, from its directory.
    pub project: T,
    /// For one user, from the home directory.
    pub user: T,
}

/// The directory of skills that no tool has for itself.
pub const COMMON_SKILLS: &str = ".agents/skills";

impl<T: Copy> ScopedValue<T> {
    /// The same value in both scopes.
    pub(crate) const fn both(value: T) -> Self {
        ScopedValue {
            project: value,
            user: value,
        }
    }
}

/// A type of resource in one tool.
#[derive(Debug)]
pub struct TypeSupport<P: 'static, F> {
    /// The location; `None` if the tool does not support the type in that scope.
    pub location: ScopedValue<Option<P>>,
    /// The format of its files.
    pub format: F,
    /// The evidence for location and format.
    pub source: FactSource,
}

/// A directory that files go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directory {
    /// Under the tool's own, and moved with it.
    Own(&'static str),
    /// One that several tools read.
    Shared(&'static str),
}

/// The same directory under the tool's own, in a project and in home.
pub(crate) const fn own_directory(directory: &'static str) -> ScopedValue<Option<Directory>> {
    ScopedValue::both(Some(Directory::Own(directory)))
}

/// The same shared directory in a project and in home.
pub(crate) const fn shared(directory: &'static str) -> ScopedValue<Option<Directory>> {
    ScopedValue::both(Some(Directory::Shared(directory)))
}

/// The location of hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookLocation {
    /// A file for each.
    Files(Directory),
    /// Entries of this file.
    Entries(&'static str),
}

/// The location of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionLocation {
    /// The directory of separate files; `None` where all are blocks.
    pub rules: Option<Directory>,
    /// Files that blocks go into. The tool reads the first of them that exists, and the last if none does.
    pub blocks: &'static [&'static str],
}

/// The file that most tools read instructions from.
pub const COMMON_INSTRUCTIONS: &str = "AGENTS.md";

/// Blocks in a file of the project and in one of the user.
pub(crate) const fn blocks(
    project: &'static [&'static str],
    user: Option<&'static [&'static str]>,
) -> ScopedValue<Option<InstructionLocation>> {
    ScopedValue {
        project: Some(InstructionLocation {
            rules: None,
            blocks: project,
        }),
        user: match user {
            Some(blocks) => Some(InstructionLocation {
                rules: None,
                blocks,
            }),
            None => None,
        },
    }
}

/// Files in a directory of the project, and blocks in the common file; none for the user.
pub(crate) const fn project_rules(
    directory: Directory,
) -> ScopedValue<Option<InstructionLocation>> {
    ScopedValue {
        project: Some(InstructionLocation {
            rules: Some(directory),
            blocks: &[COMMON_INSTRUCTIONS],
        }),
        user: None,
    }
}

/// Files that are copied as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnchangedFiles;

/// Skills, which are copied as they are, and what the tool makes of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkillFormat {
    /// Directories that it reads besides its own, from the project or from home. One copy there serves several tools.
    pub also_reads: ScopedValue<&'static [&'static str]>,
    /// From how many on the tool lists only some of them.
    pub most_listed: Option<usize>,
    /// The allowed values of `metadata`.
    pub metadata: SkillMetadata,
    /// Fields that must be strings: the tool does not load the skill otherwise.
    pub strings: &'static [&'static str],
}

impl SkillFormat {
    /// A format without special features.
    pub(crate) const PLAIN: SkillFormat = SkillFormat {
        also_reads: ScopedValue::both(&[]),
        most_listed: None,
        metadata: SkillMetadata::Unchecked,
        strings: &[],
    };

    /// The same for a tool that reads directories of other tools too.
    pub(crate) const fn also_reading(also_reads: ScopedValue<&'static [&'static str]>) -> Self {
        SkillFormat {
            also_reads,
            ..SkillFormat::PLAIN
        }
    }
}

/// The treatment of a skill's `metadata` that is not an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkillMetadata {
    /// The tool loads the skill without checking it.
    Unchecked,
    /// It does not load the skill.
    Object,
}

/// Facts of one kind, with one source.
#[derive(Debug)]
pub struct SourcedList<T: 'static> {
    /// The facts.
    pub items: &'static [T],
    /// The evidence; `None` without items.
    pub source: Option<FactSource>,
}

impl<T> SourcedList<T> {
    const NONE: SourcedList<T> = SourcedList {
        items: &[],
        source: None,
    };

    /// Items with the evidence for them.
    pub(crate) const fn new(items: &'static [T], source: FactSource) -> Self {
        SourcedList {
            items,
            source: Some(source),
        }
    }
}

/// The list of skills and commands that a tool shows to its model in every session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing {
    /// What an entry has besides the name and the description.
    pub entry: ListingEntry,
    /// The characters of a description that are shown at most.
    pub longest_description: usize,
    /// The characters of the whole list, at the tool's defaults. Descriptions beyond it are shortened or left out.
    pub limit: usize,
    /// The evidence.
    pub source: FactSource,
}

/// What an entry of a listing has besides the name and the description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListingEntry {
    /// `- NAME: DESCRIPTION - WHEN_TO_USE`, without entries that only the user may start.
    WhenToUse,
    /// `- NAME: DESCRIPTION (file: PATH)`.
    Path,
}

/// A tool's notation for the project's directory, whatever directory it runs things in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProjectRoot {
    /// The environment variable of hooks.
    pub hooks: Option<&'static str>,
    /// The allowed values of MCP server fields.
    pub servers: Option<&'static str>,
    /// The evidence.
    pub source: FactSource,
}

/// Hooks of another tool that a tool also runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignHooks {
    /// The other tool, whose files it reads.
    pub tool: &'static str,
    /// Whether it always does.
    pub reading: ForeignReading,
    /// The evidence.
    pub source: FactSource,
}

/// Whether a tool reads the files of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignReading {
    /// It always does.
    Always,
    /// It does if this setting is on.
    Setting(&'static str),
}

/// The path of the manifest that a plugin has for one tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PluginManifestPath {
    /// The path in the plugin.
    pub path: &'static str,
    /// The evidence.
    pub source: FactSource,
}

/// A file of MCP servers that only one of several programs under a tool's name reads.
#[derive(Debug)]
pub struct UnreadFile {
    /// The path of the file in a project.
    pub file: &'static str,
    /// The program that reads it.
    pub reader: &'static str,
    /// The program that does not.
    pub other: &'static str,
    /// The same, in short.
    pub other_short: &'static str,
    /// The replacement that the other program reads.
    pub instead: Replacement,
    /// The evidence.
    pub source: FactSource,
}

/// The executable of a tool.
#[derive(Debug)]
pub struct Executable {
    /// The name of the executable.
    pub name: &'static str,
    /// The version that the facts here were compared with.
    pub version: &'static str,
    /// The package, and the day of the comparison.
    pub source: FactSource,
}

/// A tool whose file another program reads too.
#[derive(Debug)]
pub struct Replacement {
    /// The tool's name.
    pub tool: &'static str,
    /// The file of the replacement.
    pub file: &'static str,
}
