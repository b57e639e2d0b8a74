//! The values that the steps of an install pass on.

use std::borrow::Cow;

use agpm_compose::{ProjectCapabilities, RenderedResource, RenderedSet, lock_of};
use agpm_diag::Failure;
use agpm_install::{CommandApprovals, InstallRequest, Writing};
use agpm_model::{Checksum, LockedLayer, LockedRemote, Lockfile};
use agpm_plan::Ledger;
use agpm_resolve::UpdateScope;
use agpm_store::{ProjectLock, ProjectStore};

use agpm_project::gather::{ManifestFiles, Project};
use agpm_project::layers::LayeredProject;
use agpm_project::packages::ProjectSources;
use agpm_project::policies::ProjectPolicies;
use agpm_project::scope::SiblingFile;
use agpm_project::world::{Environment, World};

/// One run of the pipeline, as `install`, `update`, `add` and `remove` require it.
pub(crate) struct InstallJob<'a> {
    pub(crate) title: String,
    pub(crate) request: InstallRequest,
    /// Which pins are let go.
    pub(crate) moving: UpdateScope,
    /// The manifest's bytes, if they change too.
    pub(crate) manifest: Option<ManifestEdit<'a>>,
}

/// A change of the manifest itself.
pub(crate) struct ManifestEdit<'a> {
    /// The checksum of the manifest that was edited; nothing for one that does not exist yet.
    pub(crate) before: Option<Checksum>,
    /// The new content.
    pub(crate) bytes: Cow<'a, [u8]>,
}

impl InstallJob<'static> {
    /// A run of the project as it is that only shows what it would do.
    pub(crate) fn showing(title: &str, moving: UpdateScope) -> Self {
        InstallJob {
            title: title.to_owned(),
            request: InstallRequest {
                writing: Writing::Show,
                ..InstallRequest::PLAIN
            },
            moving,
            manifest: None,
        }
    }
}

impl InstallJob<'_> {
    /// The files of the manifest that is installed, which this run may create.
    pub(super) fn manifest_files(
        &self,
        environment: &Environment,
    ) -> Result<ManifestFiles, Failure> {
        match &self.manifest {
            Some(ManifestEdit { before: None, .. }) => ManifestFiles::find_or_new(environment),
            _ => ManifestFiles::require(environment),
        }
    }
}

/// The inputs of every step of the pipeline.
#[derive(Clone, Copy)]
pub(super) struct InstallRun<'a> {
    pub(super) world: &'a World,
    pub(super) store: &'a ProjectStore,
    pub(super) job: &'a InstallJob<'a>,
}

impl<'a> InstallRun<'a> {
    /// The approvals of the command.
    pub(super) fn approvals(&self) -> CommandApprovals<'a> {
        CommandApprovals {
            words: &self.world.environment.approvals,
            executables: self.job.request.executables,
        }
    }
}

/// How transactions reach the files next to each other that users commit or keep.
pub(super) struct FilePlaces {
    pub(super) manifest: SiblingFile,
    pub(super) lock: SiblingFile,
}

/// Everything that is read before anything is decided.
pub(super) struct GatheredProject {
    /// The right to change the project; none yet if it has no state, or if nothing is to be written.
    pub(super) held: Option<ProjectLock>,
    pub(super) project: Project,
    pub(super) policies: ProjectPolicies,
    /// The manifest's files as they were read, and as this run understands them.
    pub(super) read: Vec<u8>,
    pub(super) inputs: Vec<u8>,
    pub(super) places: FilePlaces,
    pub(super) lock: Option<(Lockfile, Vec<u8>)>,
    pub(super) ledger: Ledger,
}

impl GatheredProject {
    /// The lockfile of what was resolved and rendered.
    pub(super) fn new_lock(
        &self,
        resources: &[RenderedResource],
        layers: Vec<LockedLayer>,
        catalog: Vec<LockedRemote>,
    ) -> Lockfile {
        let bases = self.project.bases.iter();
        Lockfile {
            bases: bases.map(|base| base.locked.clone()).collect(),
            ..lock_of(&self.project.manifest, resources, layers, catalog)
        }
    }
}

/// Everything that is to be on the disk, resources and files of layers; and what is only locked.
pub(super) struct RenderedProject {
    pub(super) rendered: RenderedSet,
    pub(super) layered: LayeredProject,
    pub(super) capabilities: ProjectCapabilities,
    pub(super) catalog: Vec<LockedRemote>,
    pub(super) reads: Vec<String>,
    pub(super) sources: ProjectSources,
}
