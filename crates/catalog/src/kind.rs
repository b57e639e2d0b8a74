use std::fmt;

/// The kind of a catalog entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntryKind {
    /// An agent.
    Agent,
    /// A workflow.
    Workflow,
    /// A task.
    Task,
    /// A tool.
    Tool,
    /// A skill.
    Skill,
}

/// Every kind, in the order of every output.
pub const ENTRY_KINDS: [EntryKind; 5] = [
    EntryKind::Agent,
    EntryKind::Workflow,
    EntryKind::Task,
    EntryKind::Tool,
    EntryKind::Skill,
];

/// The properties of a kind.
struct KindFacts {
    singular: &'static str,
    plural: &'static str,
    manifest: &'static str,
    convention: FileConvention,
}

/// The location of files of a kind in a module's directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileConvention {
    /// The directory in the module.
    pub directory: &'static str,
    /// Their maximum depth under it: zero is the directory itself.
    pub depth: usize,
    /// Their names: whole ones, or extensions that begin with a dot.
    pub names: &'static [&'static str],
}

impl EntryKind {
    const fn facts(self) -> KindFacts {
        match self {
            EntryKind::Agent => KindFacts {
                singular: "agent",
                plural: "agents",
                manifest: "agent-manifest.csv",
                convention: FileConvention {
                    directory: "agents",
                    depth: 1,
                    names: &[".md"],
                },
            },
            EntryKind::Workflow => KindFacts {
                singular: "workflow",
                plural: "workflows",
                manifest: "workflow-manifest.csv",
                convention: FileConvention {
                    directory: "workflows",
                    depth: 4,
                    names: &["workflow.md", "workflow.yaml", "workflow.yml"],
                },
            },
            EntryKind::Task => KindFacts {
                singular: "task",
                plural: "tasks",
                manifest: "task-manifest.csv",
                convention: FileConvention {
                    directory: "tasks",
                    depth: 1,
                    names: &[".md", ".xml"],
                },
            },
            EntryKind::Tool => KindFacts {
                singular: "tool",
                plural: "tools",
                manifest: "tool-manifest.csv",
                convention: FileConvention {
                    directory: "tools",
                    depth: 1,
                    names: &[".md", ".xml"],
                },
            },
            EntryKind::Skill => KindFacts {
                singular: "skill",
                plural: "skills",
                manifest: "skill-manifest.csv",
                convention: FileConvention {
                    directory: "skills",
                    depth: 4,
                    names: &["SKILL.md"],
                },
            },
        }
    }

    /// The singular.
    pub fn singular(self) -> &'static str {
        self.facts().singular
    }

    /// The plural.
    pub fn plural(self) -> &'static str {
        self.facts().plural
    }

    /// The name of its manifests.
    pub fn manifest_name(self) -> &'static str {
        self.facts().manifest
    }

    /// The location of its files.
    pub fn file_convention(self) -> FileConvention {
        self.facts().convention
    }

    /// The kind with this name, in singular or plural.
    pub fn read(word: &str) -> Option<Self> {
        ENTRY_KINDS
            .into_iter()
            .find(|kind| word == kind.singular() || word == kind.plural())
    }

    /// The kind whose manifests have that name.
    pub fn of_manifest(name: &str) -> Option<Self> {
        ENTRY_KINDS
            .into_iter()
            .find(|kind| name == kind.manifest_name())
    }
}

impl FileConvention {
    /// Whether a file of that name is one of them.
    pub fn includes_file_name(&self, name: &str) -> bool {
        self.names.iter().any(|suffix| {
            if suffix.starts_with('.') {
                name.len() > suffix.len() && name.ends_with(suffix)
            } else {
                name == *suffix
            }
        })
    }
}

impl fmt::Display for EntryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.singular())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_read_in_both_numbers() {
        for kind in ENTRY_KINDS {
            assert_eq!(EntryKind::read(kind.singular()), Some(kind));
            assert_eq!(EntryKind::read(kind.plural()), Some(kind));
            assert_eq!(EntryKind::of_manifest(kind.manifest_name()), Some(kind));
        }
        assert_eq!(EntryKind::read("Agents"), None);
    }

    #[test]
    fn files_are_known_by_name_or_extension() {
        assert!(
            EntryKind::Agent
                .file_convention()
                .includes_file_name("pm.md")
        );
        assert!(!EntryKind::Agent.file_convention().includes_file_name(".md"));
        assert!(
            EntryKind::Workflow
                .file_convention()
                .includes_file_name("workflow.yaml")
        );
        assert!(
            !EntryKind::Workflow
                .file_convention()
                .includes_file_name("my-workflow.yaml")
        );
    }
}
