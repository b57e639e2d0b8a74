//! The arguments of `add`.

use agpm_model::PartNames;
use agpm_resolve::discover::{Picker, SelectionMode};

use crate::add::server::NewServer;
use crate::install::TransitiveExecutables;
use crate::manifest_text::AfterEdit;
use crate::project::write_mode::WriteMode;

/// What a command adds.
pub enum AddSubject {
    /// URLs, paths or sources, each followed by the names of resources in it.
    Resources(Vec<String>),
    /// An MCP server that the manifest defines.
    Server(NewServer),
}

/// The arguments of `add`.
pub struct AddRequest<'a> {
    /// What is added.
    pub subject: AddSubject,
    /// Limits the candidates to this type.
    pub kind: Option<String>,
    /// The name of the dependency in the manifest; by default the name of the resource.
    pub name: Option<String>,
    /// The tools to install the resources for; by default those of the manifest.
    pub tools: Vec<String>,
    /// A directory under the tool's own.
    pub target: Option<String>,
    /// The name of the installed file.
    pub filename: Option<String>,
    /// Parts of a plugin, or matches of a pattern, to leave out.
    pub exclude: Vec<String>,
    /// The names of the parts of plugins.
    pub names: PartNames,
    /// Selects all candidates, or only those that are named.
    pub selection: SelectionMode,
    /// Installs the new dependencies, or only edits the manifest.
    pub then: AfterEdit,
    /// Writes the changes, or only shows them.
    pub writing: WriteMode,
    /// Chooses among several candidates; `None` without a terminal.
    pub picker: Option<&'a dyn Picker>,
}

impl<'a> AddRequest<'a> {
    /// Adds something without options, and installs it.
    pub fn plain(subject: AddSubject) -> Self {
        AddRequest {
            subject,
            kind: None,
            name: None,
            tools: Vec::new(),
            target: None,
            filename: None,
            exclude: Vec::new(),
            names: PartNames::Own,
            selection: SelectionMode::Single,
            then: AfterEdit::Install(TransitiveExecutables::AsManifest),
            writing: WriteMode::Apply,
            picker: None,
        }
    }
}
