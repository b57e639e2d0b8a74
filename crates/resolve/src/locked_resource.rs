//! The lockfile's record of one resource, as reports show it.

use std::collections::BTreeSet;

use crate::ResourceEntry;
use agpm_model::{
    Checksum, LayerName, LockEntry, LockedPlacement, RelativePath, ResourceType, Revision,
    ToolName, VersionLabel,
};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// The fields at the start of every view of a resource.
#[derive(Clone, Debug)]
pub struct ResourceIdentity {
    /// The name of its type.
    pub kind: &'static str,
    /// The name of the resource identity.
    pub name: String,
    /// The version; `None` for files of the project itself.
    pub version: Option<VersionLabel>,
    /// The name of its source.
    pub source: Option<String>,
}

impl ResourceIdentity {
    /// The identity of a locked resource.
    pub fn of(entry: &LockEntry) -> Self {
        ResourceIdentity {
            kind: entry.kind.singular(),
            name: entry.name.to_string(),
            version: entry.version().cloned(),
            source: entry.unit.origin.source().map(ToString::to_string),
        }
    }

    /// `TYPE/NAME` with the type in the plural, as every command accepts it.
    fn id(&self) -> String {
        let plural = match ResourceType::named(self.kind) {
            Some(kind) => kind.plural(),
            None => LayerName::TYPE_NAME,
        };
        format!("{plural}/{}", self.name)
    }
}

impl Serialize for ResourceIdentity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.kind)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("version", &self.version)?;
        map.serialize_entry("source", &self.source)?;
        map.serialize_entry("id", &self.id())?;
        map.end()
    }
}

/// The tools of a resource, and its path for each.
#[derive(Clone, Debug)]
pub struct Placements(Vec<LockedPlacement>);

impl Placements {
    /// The placements of a locked resource.
    pub fn of(entry: &LockEntry) -> Self {
        Placements(entry.placements.clone())
    }

    /// The placements of one copy.
    pub fn of_entry(entry: &ResourceEntry) -> Self {
        let placement = |tool: &ToolName| LockedPlacement {
            tool: tool.clone(),
            at: entry.target.clone(),
        };
        Placements(entry.readers.iter().map(placement).collect())
    }

    /// The tools, sorted.
    pub fn tools(&self) -> impl Iterator<Item = &ToolName> {
        self.0.iter().map(|placement| &placement.tool)
    }

    /// The installed paths, each once.
    pub fn paths(&self) -> BTreeSet<&RelativePath> {
        let paths = self.0.iter();
        paths
            .filter_map(|placement| placement.at.as_ref())
            .collect()
    }
}

/// The path of a resource for one tool.
#[derive(Serialize)]
struct InstalledPath<'a> {
    tool: &'a ToolName,
    /// The former name of `path`.
    at: &'a RelativePath,
    path: &'a RelativePath,
}

impl<'a> InstalledPath<'a> {
    fn of(placement: &'a LockedPlacement) -> Option<Self> {
        let at = placement.at.as_ref()?;
        Some(InstalledPath {
            tool: &placement.tool,
            at,
            path: at,
        })
    }
}

impl Serialize for Placements {
    /// Serializes lists, and for a resource of one tool also the two fields of the lockfile.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tools: Vec<&ToolName> = self.tools().collect();
        let installed = self.0.iter().filter_map(InstalledPath::of);
        let installed: Vec<InstalledPath<'_>> = installed.collect();
        let mut map = serializer.serialize_map(None)?;
        if tools.len() < 2 {
            map.serialize_entry("installed_at", &self.paths().first())?;
            map.serialize_entry("tool", &tools.first())?;
        }
        map.serialize_entry("tools", &tools)?;
        map.serialize_entry("installed", &installed)?;
        map.end()
    }
}

/// The lockfile's record of a resource.
#[derive(Clone, Debug, Serialize)]
pub struct LockedResource {
    /// The resource.
    #[serde(flatten)]
    pub identity: ResourceIdentity,
    /// The path in its source.
    pub path: String,
    /// The version that is required.
    pub requirement: Option<String>,
    /// The commit.
    #[serde(flatten, serialize_with = "agpm_model::serialize_commit")]
    pub resolved_commit: Option<Revision>,
    /// The checksum of the content in its source.
    pub checksum: Option<Checksum>,
    /// The tools that it is for, and its paths.
    #[serde(flatten)]
    pub placements: Placements,
    /// The dependencies of the locked resource.
    pub dependencies: Vec<String>,
    /// The installed parts of a plugin, as `TYPE/NAME`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// The patched fields.
    pub patches: Vec<String>,
}

impl LockedResource {
    /// The fields of a locked resource.
    pub fn of(entry: &LockEntry) -> Self {
        LockedResource {
            identity: ResourceIdentity::of(entry),
            path: entry.unit.path.to_string(),
            requirement: entry.requirement().map(str::to_owned),
            resolved_commit: entry.commit().cloned(),
            checksum: entry.checksum,
            placements: Placements::of(entry),
            dependencies: entry.dependencies.clone(),
            parts: entry.parts.iter().map(ToString::to_string).collect(),
            patches: entry.patches.clone(),
        }
    }
}
