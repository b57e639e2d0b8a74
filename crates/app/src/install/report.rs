//! The result of an install or its dry run.

use agpm_model::{Owner, Pin, PinId, RelativePath, Revision, SourceName, VersionLabel};
use agpm_plan::{ChangeAction, PlannedChange};
use agpm_render::FieldOutcome;
use agpm_trust::{Capability, CapabilityChange, CapabilityKind};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::install::{ResourceCount, ResourceCounts};
use crate::project::write_mode::{WriteMode, is_dry_run};

/// The change of the lockfile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LockChange {
    /// The lockfile is unchanged.
    Unchanged,
    /// The file is new or changed.
    Written,
    /// The file would be new or changed.
    WouldBeWritten,
    /// The file would change, and must not be written.
    NotWritten,
    /// Nothing is locked any more, and the file is removed.
    Removed,
    /// The file would be removed.
    WouldBeRemoved,
}

impl LockChange {
    /// Whether the file stays as it is.
    pub fn is_unchanged(&self) -> bool {
        *self == LockChange::Unchanged
    }
}

/// A pin that moved to another commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdatedPin {
    /// The resource, layer or remote that the pin is for.
    pub id: PinId,
    /// The URL of the source, without secrets.
    pub url: Option<String>,
    /// The old pin.
    pub old: Pin,
    /// The new pin.
    pub new: Pin,
    /// The section of the source's `CHANGELOG.md` between the two versions, if it was read.
    pub changelog: Vec<String>,
}

impl UpdatedPin {
    /// The old version, with the commit where the version alone is not enough.
    pub fn from(&self) -> String {
        self.old.label_next_to(&self.new)
    }

    /// The new version, in the same way.
    pub fn to(&self) -> String {
        self.new.label_next_to(&self.old)
    }
}

impl Serialize for UpdatedPin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct MovedFields<'m> {
            id: &'m str,
            /// The same under its older name.
            resource: &'m str,
            from: String,
            to: String,
            source: Option<&'m SourceName>,
            url: Option<&'m str>,
            old: MovedVersion<'m>,
            new: MovedVersion<'m>,
            changelog: &'m [String],
        }
        let id = self.id.to_string();
        let fields = MovedFields {
            id: &id,
            resource: &id,
            from: self.from(),
            to: self.to(),
            source: self.new.source.name(),
            url: self.url.as_deref(),
            old: MovedVersion::of(&self.old),
            new: MovedVersion::of(&self.new),
            changelog: &self.changelog,
        };
        fields.serialize(serializer)
    }
}

/// The part of a pin that moved.
#[derive(Serialize)]
struct MovedVersion<'m> {
    version: &'m VersionLabel,
    commit: &'m Revision,
}

impl<'m> MovedVersion<'m> {
    fn of(pin: &'m Pin) -> Self {
        MovedVersion {
            version: &pin.version,
            commit: &pin.commit,
        }
    }
}

/// Something new or changed that lets a tool do something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReportedProgram {
    /// The resource, as `TYPE/NAME`; of layers, `layers/NAME`.
    #[serde(flatten, serialize_with = "agpm_model::serialize_id")]
    pub resource: String,
    /// The resource or layer that it comes from.
    pub unit: String,
    /// The capabilities that a tool would use.
    #[serde(flatten, serialize_with = "with_runs")]
    pub capabilities: Vec<Capability>,
    /// The dependent.
    #[serde(rename = "direct", serialize_with = "is_direct")]
    pub required: RequiredBy,
}

/// The dependent of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredBy {
    /// The manifest itself.
    Manifest,
    /// Only other resources require it.
    Resource,
}

/// The field `capabilities`, and `runs`: what is started or connected to, alone.
fn with_runs<S: Serializer>(capabilities: &[Capability], serializer: S) -> Result<S::Ok, S::Error> {
    let runs = capabilities
        .iter()
        .filter(|one| one.kind != CapabilityKind::Permission)
        .map(|one| one.value.as_str());
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("runs", &runs.collect::<Vec<_>>())?;
    map.serialize_entry("capabilities", capabilities)?;
    map.end()
}

fn is_direct<S: Serializer>(required: &RequiredBy, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(*required == RequiredBy::Manifest)
}

/// A resource that a tool wants in its own form.
#[derive(Clone, Debug, Serialize)]
pub struct ConvertedResource {
    /// The resource that is converted.
    #[serde(flatten, serialize_with = "agpm_model::serialize_id")]
    pub resource: Owner,
    /// The tool.
    pub tool: String,
    /// The path for that tool.
    #[serde(skip)]
    pub target: Option<RelativePath>,
    /// Whether its file in the source changed.
    #[serde(skip)]
    pub source: SourceFileState,
    /// The result for each field.
    #[serde(rename = "fields")]
    pub outcomes: Vec<FieldOutcome>,
}

/// Whether a resource's file in the source changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceFileState {
    /// The file is new, or as the lockfile has it.
    AsLocked,
    /// The file differs from the lockfile.
    Changed,
}

/// The result of an install or its dry run.
#[derive(Clone, Debug, Serialize)]
pub struct InstallReport {
    /// Whether it was done or is only shown.
    #[serde(rename = "dry_run", serialize_with = "is_dry_run")]
    pub writing: WriteMode,
    /// Files that change, or stay although they are not as they should be.
    pub changes: Vec<PlannedChange>,
    /// Versions that moved.
    pub moved: Vec<UpdatedPin>,
    /// Capabilities of resources and layers that are new or may have changed.
    pub capabilities: Vec<CapabilityChange>,
    /// New or changed programs that would run.
    pub programs: Vec<ReportedProgram>,
    /// Paths outside of the project that the manifest reads, as they are written.
    pub reads: Vec<String>,
    /// Resources in other forms.
    pub conversions: Vec<ConvertedResource>,
    /// The number of unchanged files.
    pub unchanged: usize,
    /// The number of disabled hooks, of which nothing is written.
    pub disabled: usize,
    /// The change of the lockfile.
    pub lock: LockChange,
    /// The change of the lockfile of what one user adds.
    #[serde(skip_serializing_if = "LockChange::is_unchanged")]
    pub private_lock: LockChange,
    /// The changed and unchanged resources.
    #[serde(skip)]
    pub counts: ResourceCounts,
    /// The number of blocking files.
    #[serde(skip)]
    pub refused: usize,
}

impl InstallReport {
    /// The report of a run that found everything as it should be.
    pub fn unchanged(files: usize, installed: ResourceCount, writing: WriteMode) -> Self {
        InstallReport {
            counts: ResourceCounts {
                unchanged: installed,
                ..ResourceCounts::default()
            },
            writing,
            changes: Vec::new(),
            moved: Vec::new(),
            capabilities: Vec::new(),
            programs: Vec::new(),
            reads: Vec::new(),
            conversions: Vec::new(),
            unchanged: files,
            disabled: 0,
            lock: LockChange::Unchanged,
            private_lock: LockChange::Unchanged,
            refused: 0,
        }
    }

    /// Whether the disk or the lockfile is not as it should be; a file that was edited is not.
    pub fn changes_something(&self) -> bool {
        self.refused > 0
            || !self.lock.is_unchanged()
            || !self.private_lock.is_unchanged()
            || self
                .changes
                .iter()
                .any(|change| change.action.changes_disk() || change.action == ChangeAction::Keep)
    }
}
