//! The lockfile's record of anything from a versioned source.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::catalog_remote::CatalogRemote;
use crate::digest::Revision;
use crate::name::{BaseName, LayerName, ResourceName, SourceName};
use crate::resource::ResourceType;
use crate::version::{Requirement, VersionLabel, VersionRequirement};

/// The identity of a resource, shown as `agents/reviewer`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId {
    /// The type.
    pub kind: ResourceType,
    /// The name, unique in its type.
    pub name: ResourceName,
}

impl ResourceId {
    /// Parses `TYPE/NAME`.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, name) = text.split_once('/')?;
        Some(ResourceId {
            kind: ResourceType::named(kind)?,
            name: ResourceName::new(name).ok()?,
        })
    }
}

impl fmt::Display for ResourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind, self.name)
    }
}

/// The subject of a pin.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PinId {
    /// A resource.
    Resource(ResourceId),
    /// A layer.
    Layer(LayerName),
    /// A remote of the catalog, without secrets.
    Remote(CatalogRemote),
    /// A base of the manifest.
    Base(BaseName),
}

impl PinId {
    /// The name alone.
    pub fn name(&self) -> String {
        match self {
            PinId::Resource(id) => id.name.to_string(),
            PinId::Layer(name) => name.to_string(),
            PinId::Remote(remote) => remote.to_string(),
            PinId::Base(name) => name.to_string(),
        }
    }

    /// The type, as commands show it.
    pub fn type_name(&self) -> &'static str {
        match self {
            PinId::Resource(id) => id.kind.singular(),
            PinId::Layer(_) => "layer",
            PinId::Remote(_) => "catalog",
            PinId::Base(_) => "base",
        }
    }
}

impl fmt::Display for PinId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PinId::Resource(id) => id.fmt(f),
            PinId::Layer(name) => f.write_str(&name.label()),
            PinId::Remote(remote) => f.write_str(&remote.label()),
            PinId::Base(name) => f.write_str(&name.label()),
        }
    }
}

/// The source of a pin.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PinSource {
    /// A source of the manifest.
    Named(SourceName),
    /// A base or a remote of the catalog by its URL, without secrets.
    Address(String),
}

impl Serialize for PinSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl PinSource {
    /// The name, if it has one.
    pub fn name(&self) -> Option<&SourceName> {
        match self {
            PinSource::Named(name) => Some(name),
            PinSource::Address(_) => None,
        }
    }
}

impl fmt::Display for PinSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PinSource::Named(name) => name.fmt(f),
            PinSource::Address(address) => f.write_str(address),
        }
    }
}

/// A resolved version of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pin {
    /// The source.
    pub source: PinSource,
    /// The requirements, joined by ` && `; `None` in lockfiles of older programs.
    pub requirement: Option<String>,
    /// The tag or branch, or the commit as it was required.
    pub version: VersionLabel,
    /// The commit.
    pub commit: Revision,
}

/// The separator of the requirements of several dependents.
const AND: &str = " && ";

impl Pin {
    /// The requirements that it satisfies, as far as a lockfile shows: a branch is a name like any other.
    pub fn parsed_requirements(&self) -> impl Iterator<Item = Requirement> + '_ {
        let parsed = self.requirements().map(VersionRequirement::parse);
        parsed.filter_map(Result::ok).map(Requirement::Version)
    }

    /// Joins requirements as a pin stores them.
    pub fn join_requirements(requirements: impl IntoIterator<Item = String>) -> String {
        let all: Vec<String> = requirements.into_iter().collect();
        all.join(AND)
    }

    /// All requirements.
    pub fn requirements(&self) -> impl Iterator<Item = &str> {
        self.requirement.iter().flat_map(|text| text.split(AND))
    }

    /// The version, with the commit if the other pin has the same version.
    pub fn label_next_to(&self, other: &Pin) -> String {
        if self.version == other.version {
            format!("{} ({})", self.version, self.commit.short())
        } else {
            self.version.to_string()
        }
    }
}

/// A pin of a lockfile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedPin<'l> {
    /// The subject of the locked pin.
    pub id: PinId,
    /// The version.
    pub pin: &'l Pin,
}
