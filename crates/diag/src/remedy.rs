//! Changes of manifest entries that resolve findings.

/// A change of one entry of the manifest that resolves a finding. Commands that write entries can make it; others show it
/// in the help of the finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remedy {
    /// The id (`TYPE/NAME`) of the entry.
    pub entry: String,
    /// The change of the entry.
    pub change: EntryRemedy,
}

/// The change that resolves a finding about an entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryRemedy {
    /// A conversion permits more than the author wrote, which only the user can allow.
    AllowWidening {
        /// The resource that is converted: the entry, a part of it, or something that it requires.
        id: String,
        /// The part of a plugin that is converted, as `exclude` names it.
        part: Option<String>,
        /// The tools that would permit more.
        tools: Vec<String>,
        /// The other tools of the entry.
        others: Vec<String>,
    },
    /// A part of a plugin cannot be installed: it is left out, or gets the name of its plugin as a prefix.
    ExcludePart {
        /// The part, as `exclude` names it.
        part: String,
        /// Whether a prefix resolves the finding too.
        names: PartNaming,
    },
    /// The run holds back what the resource lets a tool do, until the user approves it.
    Approve,
    /// Another resource has the installed file, so this one needs another name.
    Rename {
        /// A name that is free.
        name: String,
    },
}

/// Whether the parts of a plugin can have another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartNaming {
    /// The name of the plugin can be a prefix of their names.
    Free,
    /// The name is fixed, or is not the problem.
    Fixed,
}
