//! A dependency: one entry of a table of resources.

use agpm_diag::SourceSpan;
use agpm_text::Value;

use crate::instruction::{InstructionForm, InstructionScope};
use crate::manifest::Visibility;
use crate::manifest::plugins::{MarketplaceDependency, PartChoice};
use crate::name::{ResourceName, ToolName};
use crate::path::RelativePath;
use crate::pin::ResourceId;
use crate::resource::{ResourceType, TargetLayout};
use crate::tool::Tools;
use crate::unit::{ResourceExtent, Unit};
use crate::variant::Variant;
use crate::version::Requirement;

/// Whether a resource is written to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallMode {
    /// The resource is written to disk.
    Write,
    /// It is resolved and locked only.
    ResolveOnly,
    /// The resource is already at the path that its tool reads: it is described and locked, but never written or
    /// removed.
    InPlace,
}

/// An excluded match of a pattern.
#[derive(Clone, Debug)]
pub struct Exclusion {
    /// The name that the match would have.
    pub name: String,
    /// The position in the manifest.
    pub spot: SourceSpan,
}

/// One entry of a table of resources.
#[derive(Clone, Debug)]
pub struct Dependency {
    /// The type.
    pub kind: ResourceType,
    /// The key.
    pub name: ResourceName,
    /// The resource in its source.
    pub unit: Unit,
    /// The required version.
    pub requirement: Requirement,
    /// The tools that it names; empty for the defaults of its type.
    pub tools: Vec<ToolName>,
    /// A directory under the type's own.
    pub target: Option<RelativePath>,
    /// The name of the installed file.
    pub filename: Option<RelativePath>,
    /// Whether directories are kept, if the manifest sets it.
    pub layout: Option<TargetLayout>,
    /// The excluded matches of a pattern.
    pub exclude: Vec<Exclusion>,
    /// Whether it is written.
    pub install: InstallMode,
    /// The variables of its templates.
    pub variant: Variant,
    /// The settings of an MCP server in the manifest itself: an object of some of [`SERVER_KEYS`].
    pub server: Option<Value>,
    /// New names for servers of its file, by their names in the file.
    pub rename: Vec<(String, String)>,
    /// Tools in which the conversion may widen its permissions.
    pub allow_widening: Vec<ToolName>,
    /// The files that an instruction applies to, overriding its front matter.
    pub scope: Option<InstructionScope>,
    /// How an instruction is installed.
    pub form: InstructionForm,
    /// Which parts of a plugin are installed.
    pub parts: PartChoice,
    /// The plugin of a marketplace, if the manifest names it that way.
    pub marketplace: Option<MarketplaceDependency>,
    /// Who has the entry.
    pub visibility: Visibility,
    /// The entry.
    pub spot: SourceSpan,
}

impl Dependency {
    /// The identity of the resource; for a pattern, its key.
    pub fn id(&self) -> ResourceId {
        ResourceId {
            kind: self.kind,
            name: self.name.clone(),
        }
    }

    /// An MCP server that is defined in the manifest, as the bytes of a file.
    pub fn server_bytes(&self) -> Option<Vec<u8>> {
        let Some(Value::Map(fields)) = &self.server else {
            return None;
        };
        // Without a type, some tools would run the URL as an executable.
        let is_remote = fields.iter().all(|(key, _)| key != "command");
        let kind = is_remote.then(|| ("type".to_owned(), Value::from("http")));
        let server = Value::Map(kind.into_iter().chain(fields.iter().cloned()).collect());
        Some(server.to_json().into_bytes())
    }
}

impl Dependency {
    /// The root of a source has no name for a skill's directory, so the key is used.
    pub(super) fn name_top(&mut self) {
        let is_top = self.unit.extent == ResourceExtent::Directory && self.unit.path.is_top();
        if is_top && self.filename.is_none() {
            self.filename = RelativePath::new(self.name.as_str()).ok();
        }
    }
}

impl Tools {
    /// The tools of a dependency: those that it names, or the defaults of its type.
    pub fn of<'t>(&'t self, dependency: &'t Dependency) -> &'t [ToolName] {
        match dependency.tools.as_slice() {
            [] => self.defaults_for(dependency.kind),
            named => named,
        }
    }

    /// The enabled tools of a dependency.
    pub fn used_by<'t>(&'t self, dependency: &'t Dependency) -> Vec<&'t ToolName> {
        let tools = self.of(dependency).iter();
        tools.filter(|tool| self.is_enabled(tool)).collect()
    }
}
