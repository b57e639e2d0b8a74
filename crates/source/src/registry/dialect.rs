//! The kinds of artifacts that hold agents' resources, as a table. None is a standard yet, so all are read.

use super::manifest::Manifest;

/// Which part of the files of an artifact is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DialectContent {
    /// Everything, and the configuration lists it.
    Library,
    /// Everything.
    Tree,
    /// Everything; a layer with a title may be a single file.
    TitledFiles,
    /// The directories of agents, of a whole file system; layers may remove files of layers before them.
    FileSystem,
}

/// A kind of artifact. `source` and `checked` say where its types are from, and when.
#[derive(Debug)]
pub(crate) struct Dialect {
    #[allow(dead_code, reason = "the name of the row, for its reader")]
    pub(crate) name: &'static str,
    /// Types of the artifact, or of its configuration where it has none.
    pub(crate) types: &'static [&'static str],
    /// Types of its layers; empty if any tar archive is one.
    pub(crate) layers: &'static [&'static str],
    pub(crate) content: DialectContent,
    #[allow(dead_code, reason = "facts for the reader of the table")]
    pub(crate) source: &'static str,
    #[allow(dead_code, reason = "facts for the reader of the table")]
    pub(crate) checked: &'static str,
}

/// The index of several skills, whose entries are references.
pub(crate) const COLLECTION: &str = "application/vnd.agentskills.collection.v1";
/// The annotations of an entry in such an index.
pub(crate) const SKILL_NAME: &str = "io.agentskills.skill.name";
pub(crate) const SKILL_REFERENCE: &str = "io.agentskills.skill.ref";

pub(crate) const LIBRARY: &str = "application/vnd.agpm.library.v1";
pub(crate) const LIBRARY_CONFIG: &str = "application/vnd.agpm.library.config.v1+json";
pub(crate) const RESOURCE_LAYER: &str = "application/vnd.agpm.resource.v1.tar+gzip";
pub(crate) const SKILL: &str = "application/vnd.agentskills.skill.v1";
pub(crate) const SKILL_CONFIG: &str = "application/vnd.agentskills.skill.config.v1+json";
pub(crate) const SKILL_LAYER: &str = "application/vnd.agentskills.skill.content.v1.tar+gzip";

const IMAGE_LAYERS: &[&str] = &[
    "application/vnd.oci.image.layer.v1.tar",
    "application/vnd.oci.image.layer.v1.tar+gzip",
    "application/vnd.oci.image.layer.v1.tar+zstd",
    "application/vnd.docker.image.rootfs.diff.tar",
    "application/vnd.docker.image.rootfs.diff.tar.gzip",
];

pub(crate) const DIALECTS: &[Dialect] = &[
    Dialect {
        name: "a library of agpm",
        types: &[LIBRARY, LIBRARY_CONFIG],
        layers: &[RESOURCE_LAYER],
        content: DialectContent::Library,
        source: "docs/publishing.md",
        checked: "2026-11",
    },
    Dialect {
        name: "an Agent Skill",
        types: &[SKILL, SKILL_CONFIG],
        layers: &[],
        content: DialectContent::Tree,
        source: "ThomasVitale/agents-skills-oci-artifacts-spec 0.1.0",
        checked: "2026-11",
    },
    Dialect {
        name: "a ToolHive skill or plugin",
        types: &["dev.toolhive.skills.v1", "dev.toolhive.plugins.v1"],
        layers: &[],
        content: DialectContent::Tree,
        source: "stacklok/toolhive-core oci/skills/mediatypes.go",
        checked: "2026-11",
    },
    Dialect {
        name: "a Flux artifact",
        types: &["application/vnd.cncf.flux.config.v1+json"],
        layers: &["application/vnd.cncf.flux.content.v1.tar+gzip"],
        content: DialectContent::Tree,
        source: "fluxcd/pkg oci/client.go",
        checked: "2026-11",
    },
    Dialect {
        name: "an image",
        types: &[
            "application/vnd.oci.image.config.v1+json",
            "application/vnd.docker.container.image.v1+json",
        ],
        layers: IMAGE_LAYERS,
        content: DialectContent::FileSystem,
        source: "opencontainers/image-spec 1.1 layer.md",
        checked: "2026-11",
    },
    Dialect {
        name: "an artifact of oras",
        types: &[
            "application/vnd.oci.empty.v1+json",
            "application/vnd.unknown.config.v1+json",
            "application/vnd.unknown.artifact.v1",
        ],
        layers: &[],
        content: DialectContent::TitledFiles,
        source: "oras-project/oras-go v2 pack.go, content/file",
        checked: "2026-11",
    },
];

/// Any other artifact: its layers are read if they are archives or files with a title, as `oras` writes them.
pub(crate) const OTHER: Dialect = Dialect {
    name: "an artifact",
    types: &[],
    layers: &[],
    content: DialectContent::TitledFiles,
    source: "opencontainers/image-spec 1.1 manifest.md",
    checked: "2026-11",
};

/// Returns the dialect of a type, if it is known.
pub(crate) fn dialect_of(artifact: &str) -> Option<&'static Dialect> {
    let mut all = DIALECTS.iter();
    all.find(|dialect| dialect.types.contains(&artifact))
}

/// Returns the dialect of a manifest. ToolHive's manifests have the configuration of an image, so the type of the
/// artifact comes first.
pub(crate) fn dialect_of_manifest(manifest: &Manifest) -> &'static Dialect {
    let own = manifest.artifact_type.as_deref().and_then(dialect_of);
    own.or_else(|| dialect_of(&manifest.config.media_type))
        .unwrap_or(&OTHER)
}

/// Returns whether a media type is one of a tar archive.
pub(crate) fn is_archive(media_type: &str) -> bool {
    let ends = [
        ".tar",
        ".tar+gzip",
        ".tar+zstd",
        ".tar.gzip",
        "/x-tar",
        "/gzip",
        "/x-gzip",
        "/zstd",
    ];
    ends.iter().any(|end| media_type.ends_with(end))
}

/// Directories and files of agents at the top of a file system.
const AGENT_DIRECTORIES: &[&str] = &["skills", ".claude", ".agents"];
/// Files whose directory is a plugin.
pub(crate) const PLUGIN_MANIFESTS: &[&str] = &[
    "plugin.json",
    ".claude-plugin/plugin.json",
    ".claude-plugin/marketplace.json",
    ".codex-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
    ".github/plugin/plugin.json",
    "gemini-extension.json",
];
/// What belongs to a skill or a plugin at the top of a file system, besides the file that makes it one.
const SKILL_PARTS: &[&str] = &["scripts", "references", "assets"];
const PLUGIN_PARTS: &[&str] = &[
    "agents",
    "commands",
    "hooks",
    "scripts",
    "skills",
    ".mcp.json",
    ".lsp.json",
    "mcp.json",
    "plugin.json",
    "gemini-extension.json",
    ".claude-plugin",
    ".codex-plugin",
    ".cursor-plugin",
];

/// Decides which files of a file system are read.
pub(crate) struct AgentFiles {
    tops: Vec<String>,
    reads_top_files: bool,
}

impl AgentFiles {
    /// Looks for skills and plugins at the top and in its directories. `has` says whether a file exists.
    pub(crate) fn of(tops: impl Iterator<Item = String>, has: &dyn Fn(&str) -> bool) -> Self {
        let is_plugin = |prefix: &str| {
            let mut manifests = PLUGIN_MANIFESTS.iter();
            manifests.any(|manifest| has(&format!("{prefix}{manifest}")))
        };
        let is_skill = has(agpm_model::SKILL_FILE);
        let mut read: Vec<String> = AGENT_DIRECTORIES.iter().map(|&name| name.into()).collect();
        if is_skill {
            read.extend(SKILL_PARTS.iter().map(|&name| name.to_owned()));
        }
        if is_plugin("") {
            read.extend(PLUGIN_PARTS.iter().map(|&name| name.to_owned()));
        }
        for top in tops {
            let prefix = format!("{top}/");
            if has(&format!("{prefix}{}", agpm_model::SKILL_FILE)) || is_plugin(&prefix) {
                read.push(top);
            }
        }
        AgentFiles {
            tops: read,
            reads_top_files: is_skill,
        }
    }

    /// Returns whether the file at a path is read.
    pub(crate) fn read(&self, path: &str) -> bool {
        match path.split_once('/') {
            None => self.reads_top_files || self.tops.iter().any(|top| top == path),
            Some((top, _)) => self.tops.iter().any(|one| one == top),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_belongs_to_one_dialect() {
        let mut seen = std::collections::BTreeSet::new();
        for dialect in DIALECTS {
            for one in dialect.types {
                assert!(seen.insert(one), "{one}");
                assert_eq!(dialect_of(one).unwrap().name, dialect.name);
            }
        }
        assert!(dialect_of("application/json").is_none());
    }

    #[test]
    fn of_a_file_system_only_the_files_of_agents_are_read() {
        let files = |present: &[&str]| {
            let present: Vec<String> = present.iter().map(|&path| path.to_owned()).collect();
            let tops: std::collections::BTreeSet<String> = present
                .iter()
                .filter_map(|path| Some(path.split_once('/')?.0.to_owned()))
                .collect();
            let chosen = AgentFiles::of(tops.into_iter(), &|path| {
                present.iter().any(|one| one == path)
            });
            let read = present.iter().filter(|path| chosen.read(path)).cloned();
            read.collect::<Vec<_>>()
        };
        assert_eq!(
            files(&[
                "etc/passwd",
                "skills/a/SKILL.md",
                ".claude/agents/x.md",
                "bin/sh"
            ]),
            ["skills/a/SKILL.md", ".claude/agents/x.md"]
        );
        assert_eq!(
            files(&["pdf/SKILL.md", "pdf/x/y", "usr/lib/z"]),
            ["pdf/SKILL.md", "pdf/x/y"]
        );
        assert_eq!(
            files(&["SKILL.md", "scripts/run.sh", "LICENSE", "etc/passwd"]),
            ["SKILL.md", "scripts/run.sh", "LICENSE"]
        );
        assert_eq!(
            files(&["p/.claude-plugin/plugin.json", "p/agents/a.md", "etc/x"]),
            ["p/.claude-plugin/plugin.json", "p/agents/a.md"]
        );
    }
}
