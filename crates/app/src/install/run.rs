//! The values that the steps of an install pass on.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::install::{
    ApprovalCommand, CommandApprovals, InstallRequest, OpenRefusals, TransitiveExecutables,
};
use crate::project::write_mode::WriteMode;
use agpm_compose::{
    ProjectCapabilities, RenderedResource, RenderedSet, Widening, lock_of, widenings,
};
use agpm_diag::Failure;
use agpm_model::{
    Checksum, LockedLayer, LockedRemote, Lockfile, Manifest, Owner, RelativePath, Unit,
};
use agpm_plan::Ledger;
use agpm_resolve::{SolverPin, UpdateScope};
use agpm_store::{ExpectedFile, ProjectLock, ProjectStore};

use crate::findings::AuditIssue;
use crate::gitignore::IgnoreEdit;
use crate::manifest::LoadedBase;

use crate::install::policies::ProjectPolicies;
use crate::project::gather::{ManifestFiles, Project};
use crate::project::layers::LayeredProject;
use crate::project::packages::{ProjectLocks, ProjectSources};
use crate::project::scope::SiblingFile;
use crate::project::text_patches::EditedTextPatch;
use crate::project::world::{Environment, World};

/// One run of the pipeline, for `install`, `update`, `add` and `remove`.
pub(crate) struct InstallJob<'a> {
    pub(crate) title: String,
    pub(crate) request: InstallRequest,
    /// The pins whose versions may change.
    pub(crate) moving: UpdateScope,
    /// The versions that the command names, by the units that have them.
    pub(crate) exact: BTreeMap<Unit, SolverPin>,
    /// The edit of the manifest that is part of the same transaction.
    pub(crate) manifest: Option<ManifestEdit<'a>>,
}

/// An edit of the manifest.
pub(crate) struct ManifestEdit<'a> {
    /// The checksum of the content that was edited; `None` for a manifest that does not exist yet.
    pub(crate) before: Option<Checksum>,
    /// The new content.
    pub(crate) bytes: Cow<'a, [u8]>,
    /// The edit of the `.gitignore` next to it.
    pub(crate) ignored: Option<IgnoreEdit>,
    /// The edits of diffs that patches in it name.
    pub(crate) text_patches: Vec<TextPatchEdit>,
    /// Whether the project exists afterwards.
    pub(crate) project: ProjectFate,
    /// The file that records approved conversions that permit more.
    pub(crate) widenings: WideningRecord,
    /// The edit of the private manifest next to it.
    pub(crate) private: Option<PrivateEdit>,
}

/// An edit of the private manifest.
pub(crate) struct PrivateEdit {
    /// The checksum of the content that was edited.
    pub(crate) before: Checksum,
    /// The new content.
    pub(crate) bytes: Vec<u8>,
}

/// An edit of a diff that a patch names.
#[derive(Clone, Debug)]
pub(crate) struct TextPatchEdit {
    /// The path and the new text.
    pub(crate) edited: EditedTextPatch,
    /// How a transaction writes the file.
    pub(crate) file: SiblingFile,
    /// The file now.
    pub(crate) before: ExpectedFile,
}

/// The file that records which conversions may permit more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WideningRecord {
    /// The edit wrote them into the manifest.
    Manifest,
    /// The lockfile, as without an edit.
    Lockfile,
}

/// Whether a project exists after an edit of its manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProjectFate {
    /// It does.
    Stays,
    /// It is gone, with these files that agpm created for it.
    Ends(Vec<RelativePath>),
}

impl InstallJob<'static> {
    /// Creates a job that only shows what an install of the unchanged manifest would do.
    pub(crate) fn showing(title: &str, moving: UpdateScope) -> Self {
        InstallJob {
            title: title.to_owned(),
            request: InstallRequest {
                writing: WriteMode::Show,
                ..InstallRequest::PLAIN
            },
            moving,
            exact: BTreeMap::new(),
            manifest: None,
        }
    }
}

impl InstallJob<'_> {
    /// Returns whether the project is gone afterwards.
    pub(crate) fn ends_project(&self) -> bool {
        self.ended_files().is_some()
    }

    /// Returns the files that go with the project; `None` if it stays.
    pub(crate) fn ended_files(&self) -> Option<&[RelativePath]> {
        match self.manifest.as_ref().map(|edit| &edit.project) {
            Some(ProjectFate::Ends(files)) => Some(files),
            Some(ProjectFate::Stays) | None => None,
        }
    }

    /// Reads the manifest of the project; a job that creates it starts with an empty one.
    pub(crate) fn manifest_files(
        &self,
        environment: &Environment,
    ) -> Result<ManifestFiles, Failure> {
        match &self.manifest {
            Some(ManifestEdit { before: None, .. }) => ManifestFiles::find_or_new(environment),
            _ => ManifestFiles::require(environment),
        }
    }
}

/// The context of every step.
#[derive(Clone, Copy)]
pub(crate) struct InstallRun<'a> {
    pub(crate) world: &'a World,
    pub(crate) store: &'a ProjectStore,
    pub(crate) job: &'a InstallJob<'a>,
}

impl<'a> InstallRun<'a> {
    /// Returns the command to repeat with more approvals.
    pub(crate) fn approval_command(&self) -> ApprovalCommand {
        ApprovalCommand::of(&self.world.environment.typed, &self.job.moving)
    }

    /// Returns the approvals in the command's arguments.
    pub(crate) fn approvals(&self) -> CommandApprovals<'a> {
        CommandApprovals {
            words: &self.world.environment.approvals,
            executables: self.job.request.executables,
        }
    }
}

/// The paths of manifest and lockfile, inside or outside of the transaction's directory.
pub(crate) struct OwnFiles {
    pub(crate) manifest: SiblingFile,
    pub(crate) lock: SiblingFile,
    pub(crate) private: SiblingFile,
    pub(crate) private_lock: SiblingFile,
}

impl OwnFiles {
    /// Returns all of them.
    pub(crate) fn all(&self) -> [&SiblingFile; 4] {
        [
            &self.manifest,
            &self.lock,
            &self.private,
            &self.private_lock,
        ]
    }
}

/// Whether a lockfile is in its file as it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LockState {
    /// It is, or no file exists.
    AsWritten,
    /// The file has both sides of a conflict.
    Joined,
}

/// Everything that is read before the first decision.
pub(crate) struct GatheredProject {
    /// The lock on the project; `None` if the project has no state yet, or if nothing is written.
    pub(crate) project_lock: Option<ProjectLock>,
    pub(crate) project: Project,
    pub(crate) policies: ProjectPolicies,
    /// The fingerprint of the manifest files as read, and with the edit of this job.
    pub(crate) read: Vec<u8>,
    pub(crate) inputs: Vec<u8>,
    pub(crate) own_files: OwnFiles,
    /// Everything that is locked, with the bytes of the lockfiles.
    pub(crate) lock: Option<(Lockfile, Vec<u8>)>,
    /// The lockfiles that it is from.
    pub(crate) locks: ProjectLocks,
    /// Whether the file has the lockfile.
    pub(crate) lock_state: LockState,
    /// The pins whose versions may change, with those of a conflict that nothing decides.
    pub(crate) moving: UpdateScope,
    pub(crate) ledger: Ledger,
    /// The approvals of the command that the lockfile keeps. An edit of the manifest keeps its own there.
    pub(crate) approvals: Vec<String>,
}

impl GatheredProject {
    /// Builds the lockfile of the resolved and rendered resources.
    pub(crate) fn new_lock(
        &self,
        resources: &[RenderedResource],
        layers: Vec<LockedLayer>,
        catalog: Vec<LockedRemote>,
    ) -> Lockfile {
        self.lock_of_part(&self.project.manifest, resources, layers, catalog)
    }

    /// Builds the lockfile of a part of the project.
    pub(crate) fn lock_of_part(
        &self,
        manifest: &Manifest,
        resources: &[RenderedResource],
        layers: Vec<LockedLayer>,
        catalog: Vec<LockedRemote>,
    ) -> Lockfile {
        let mut lock = lock_of(manifest, resources, layers, catalog);
        for base in &self.project.bases {
            lock.bases.push(base.locked.clone());
        }
        for widening in widenings(manifest, resources) {
            if !self.accepts(&widening) {
                continue;
            }
            let mut entries = lock.entries.iter_mut();
            let Some(entry) = entries.find(|entry| entry.id() == widening.locked) else {
                continue;
            };
            if !entry.widened.contains(widening.tool) {
                entry.widened.push(widening.tool.clone());
                entry.widened.sort();
            }
        }
        lock
    }

    /// Whether the command or the lockfile approves a conversion that permits more.
    pub(crate) fn accepts(&self, widening: &Widening<'_>) -> bool {
        for entry in self.lock.iter().flat_map(|(lock, _)| &lock.entries) {
            if entry.id() == widening.locked && entry.widened.contains(widening.tool) {
                return true;
            }
        }
        let approvals = CommandApprovals {
            words: &self.approvals,
            executables: TransitiveExecutables::AsManifest,
        };
        let mut ids = widening.ids.iter();
        ids.any(|id| approvals.approves(&Owner::from(id.clone())))
    }
}

/// The shared part of a project that has private entries, resolved and rendered without them.
pub(crate) struct SharedPart {
    pub(crate) manifest: Manifest,
    pub(crate) resources: Vec<RenderedResource>,
    pub(crate) layers: Vec<LockedLayer>,
}

/// Everything to be installed: resources, files of layers, and the pins of catalog remotes.
pub(crate) struct RenderedProject {
    pub(crate) rendered: RenderedSet,
    pub(crate) layered: LayeredProject,
    pub(crate) capabilities: ProjectCapabilities,
    pub(crate) catalog: Vec<LockedRemote>,
    pub(crate) reads: Vec<String>,
    pub(crate) sources: ProjectSources,
    /// The findings of the audit that do not stop the run.
    pub(crate) audit: Vec<AuditIssue>,
    /// The part that everyone has; `None` if it is everything.
    pub(crate) shared: Option<SharedPart>,
    /// Everything that needs approval, reported together.
    pub(crate) open: OpenRefusals,
}

/// Whether a manifest requires nothing that a lockfile could pin.
pub(crate) fn requires_nothing_in(manifest: &Manifest, bases: &[LoadedBase]) -> bool {
    manifest.dependencies.is_empty()
        && manifest.layers.is_empty()
        && bases.is_empty()
        && manifest.catalog.all().next().is_none()
}
