//! What is asked of an install, and what it tells.

use agpm_model::{Pin, PinId};
use agpm_plan::{Action, Change};

use agpm_diag::Warnings;
pub use agpm_plan::Overwrite;
pub use agpm_render::{Capability, CapabilityKind, Fate, FateKind};

/// What the lockfile is for in this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockUse {
    /// Its pins stay, and it is brought up to date.
    Update,
    /// It must not change.
    Locked,
    /// It alone counts, and every byte is checked against it.
    Frozen,
    /// Its pins stay, and it is not written.
    Unwritten,
}

/// Whether the plan is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// It is.
    Apply,
    /// It is shown.
    Show,
}

/// How much of a plan is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanDetail {
    /// A line for a resource with many files, and conversions of what is new or changed.
    Resources,
    /// A line for every file, and all conversions.
    Files,
}

/// Whether resources may bring programs along that the manifest does not ask for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executables {
    /// Those that `allow-executables` names.
    AsManifest,
    /// All, in this run.
    Allowed,
}

/// What it does that a tool's own form cannot say all that a resource says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// It is told.
    Tell,
    /// It stops the command.
    Strict,
}

/// What to install, and how.
#[derive(Clone, Copy, Debug)]
pub struct InstallRequest {
    /// The lockfile's part in it.
    pub lock: LockUse,
    /// Whether it is done or shown.
    pub writing: Writing,
    /// Which files in the way may be overwritten.
    pub overwrite: Overwrite,
    /// What warnings do.
    pub warnings: Warnings,
    /// Whether programs may come along with what is asked for.
    pub executables: Executables,
    /// What a loss in another tool's form does.
    pub fidelity: Fidelity,
    /// Whether changelogs are read.
    pub changelogs: Changelogs,
}

impl InstallRequest {
    /// As `install` does without any flag.
    pub const PLAIN: InstallRequest = InstallRequest {
        lock: LockUse::Update,
        writing: Writing::Apply,
        overwrite: Overwrite::Nothing,
        warnings: Warnings::Tell,
        executables: Executables::AsManifest,
        fidelity: Fidelity::Tell,
        changelogs: Changelogs::Skipped,
    };
}

/// What happened to the lockfile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockChange {
    /// It says what it said.
    Unchanged,
    /// It is new or says something else.
    Written,
    /// It would say something else, and was not written.
    Pending,
}

/// A pin that moved to another commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// What it is of.
    pub id: PinId,
    /// The URL of the source, without secrets.
    pub url: Option<String>,
    /// What was locked.
    pub old: Pin,
    /// What is locked now.
    pub new: Pin,
    /// What the source's `CHANGELOG.md` has between the two versions, if it was read.
    pub changelog: Vec<String>,
}

impl Moved {
    /// What was locked, with the commit where the version alone says nothing.
    pub fn from(&self) -> String {
        self.old.shown_beside(&self.new)
    }

    /// What is locked now, in the same way.
    pub fn to(&self) -> String {
        self.new.shown_beside(&self.old)
    }
}

/// Whether the changelogs of sources that moved are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changelogs {
    /// They are, for those who show them.
    Read,
    /// They are not: it may take another request to each source.
    Skipped,
}

/// Something new or changed that lets a tool do something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The resource, as `TYPE/NAME`; of layers, `layers/NAME`.
    pub resource: String,
    /// Where it comes from.
    pub unit: String,
    /// What a tool would do.
    pub capabilities: Vec<Capability>,
    /// Who requires it.
    pub required: RequiredBy,
}

/// Who requires a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredBy {
    /// The manifest itself.
    Manifest,
    /// Only other resources.
    Resource,
}

/// A resource that a tool wants in its own form.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The resource, as `TYPE/NAME`.
    pub resource: String,
    /// The tool.
    pub tool: String,
    /// What became of each field.
    pub fates: Vec<Fate>,
}

/// What an install did or would do.
#[derive(Clone, Debug)]
pub struct InstallReport {
    /// Versions that moved.
    pub moved: Vec<Moved>,
    /// Files that change, or stay although they are not as they should be.
    pub changes: Vec<Change>,
    /// How many files are as they should be.
    pub unchanged: usize,
    /// What happened to the lockfile.
    pub lock: LockChange,
    /// How many files are in the way.
    pub refused: usize,
    /// What is new or changed and would run.
    pub programs: Vec<Program>,
    /// Paths outside of the project that the manifest reads, as they are written.
    pub reads: Vec<String>,
    /// Resources in other forms.
    pub conversions: Vec<Conversion>,
    /// Whether it was done or is only shown.
    pub writing: Writing,
}

impl InstallReport {
    /// Whether the disk or the lockfile is not as it should be; a file that was edited is not.
    pub fn changes_something(&self) -> bool {
        self.refused > 0
            || self.lock != LockChange::Unchanged
            || self
                .changes
                .iter()
                .any(|change| change.action.changes_disk() || change.action == Action::Keep)
    }
}
