//! The state that all sessions of a server share: the world, its contents at the last read, and slots for
//! operations.

use std::sync::{Arc, Mutex, PoisonError};

use agpm_app::catalog::{CatalogSelection, CatalogWatch, watch_catalog};
use agpm_app::installed::{InstalledResources, open_installed};
use agpm_app::lineage::{LineageScope, SubmoduleScope};
use agpm_app::list::{ListRequest, ListedResource, list};
use agpm_app::project::world::{OutsideReads, ProgramUse, World};
use agpm_app::watch::{ProjectWatch, watch_project};
use agpm_model::ResourceType;
use serde_json::Value as Json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_util::sync::CancellationToken;

use crate::answer::{OperationFailure, annotate_report};
use crate::catalog::CatalogView;
use crate::json::json;
use crate::list_changes::ListChanges;
use crate::log::LogBroadcast;
use crate::options::WriteAccess;

/// Personas are searched from the working directory upward.
pub(crate) const PERSONA_PLACE: LineageScope = LineageScope {
    path: None,
    ceiling: None,
    submodules: SubmoduleScope::Own,
};

/// The operations of a pool that run at once; further ones wait.
// Operations block on files. More threads than this gain nothing on a local disk, and each may hold a whole catalog.
const MOST_OPERATIONS: usize = 4;

/// The pool for an operation, by its duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkPool {
    /// Reads files.
    Quick,
    /// Resolves versions, or contacts remotes.
    Slow,
}

/// The state that all sessions share.
pub(crate) struct SharedState {
    pub(crate) world: World,
    pub(crate) writes: WriteAccess,
    pub(crate) log: LogBroadcast,
    pub(crate) changes: watch::Sender<ListChanges>,
    /// Cancelled when the server is about to end.
    pub(crate) closing: CancellationToken,
    quick: Arc<Semaphore>,
    slow: Arc<Semaphore>,
    selection: CatalogSelection,
    installed: Mutex<Option<Arc<InstalledView>>>,
    catalog: Mutex<Option<Arc<CatalogView>>>,
    unread: Mutex<Option<CatalogWatch>>,
}

/// The installed resources, by the lockfile.
#[derive(Debug)]
pub(crate) struct InstalledView {
    pub(crate) rows: Vec<InstalledRow>,
    pub(crate) diagnostics: Vec<Json>,
    pub(crate) resources: InstalledResources,
    watch: ProjectWatch,
}

/// An installed resource.
#[derive(Debug)]
pub(crate) struct InstalledRow {
    pub(crate) kind: ResourceType,
    pub(crate) name: String,
    /// `TYPE/NAME`.
    pub(crate) label: String,
    /// The row of `agpm list --json`.
    pub(crate) value: Json,
}

impl SharedState {
    pub(crate) fn new(
        mut world: World,
        writes: WriteAccess,
        selection: CatalogSelection,
    ) -> Arc<Self> {
        // Reading a project must not run any of its executables, even those approved for `install`.
        world.environment.programs = ProgramUse::Never;
        world.environment.outside = OutsideReads::Refused;
        Arc::new(SharedState {
            world,
            writes,
            log: LogBroadcast::default(),
            changes: watch::Sender::default(),
            closing: CancellationToken::new(),
            quick: Arc::new(Semaphore::new(MOST_OPERATIONS)),
            slow: Arc::new(Semaphore::new(MOST_OPERATIONS)),
            selection,
            installed: Mutex::default(),
            catalog: Mutex::default(),
            unread: Mutex::default(),
        })
    }

    /// Waits for the slot of one more operation in a pool.
    pub(crate) async fn slot(&self, pool: WorkPool) -> OwnedSemaphorePermit {
        let slots = match pool {
            WorkPool::Quick => &self.quick,
            WorkPool::Slow => &self.slow,
        };
        let slot = Arc::clone(slots).acquire_owned().await;
        slot.expect("because the semaphores are never closed")
    }

    /// The installed resources, read again only if a file changed.
    pub(crate) fn installed(&self) -> Result<Arc<InstalledView>, OperationFailure> {
        let mut kept = self
            .installed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = kept.as_ref().filter(|view| view.watch.is_current()) {
            return Ok(Arc::clone(view));
        }
        *kept = None;
        let view = Arc::new(InstalledView::read(&self.world)?);
        *kept = Some(Arc::clone(&view));
        Ok(view)
    }

    /// The catalog, read again only if a file changed. Its new diagnostics are logged then.
    pub(crate) fn catalog(&self) -> Result<Arc<CatalogView>, OperationFailure> {
        let mut kept = self.catalog.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = kept.as_ref().filter(|view| view.is_current()) {
            return Ok(Arc::clone(view));
        }
        let before = kept.take();
        let view = Arc::new(CatalogView::open(
            &self.world,
            &self.selection,
            before.as_deref(),
        )?);
        // A catalog that changed recently is read again without having changed: its diagnostics were logged before.
        if before.is_none_or(|before| before.diagnostics != view.diagnostics) {
            self.log.send(&view.diagnostics);
        }
        *kept = Some(Arc::clone(&view));
        Ok(view)
    }

    /// Compares the catalog that was read last with the disk.
    pub(crate) fn catalog_state(&self) -> CatalogState {
        let kept = self.catalog.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.as_ref() {
            None => self.unread_state(),
            Some(view) if view.has_changed() => CatalogState::Changed,
            Some(_) => CatalogState::Same,
        }
    }

    /// Compares the files of a catalog that was not read yet with those of the last call.
    fn unread_state(&self) -> CatalogState {
        let mut watch = self.unread.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = watch.as_ref().is_some_and(CatalogWatch::has_changed);
        if changed || watch.is_none() {
            *watch = Some(watch_catalog(&self.world, &self.selection));
        }
        if changed {
            CatalogState::Changed
        } else {
            CatalogState::Unread
        }
    }

    /// Reads the catalog again after its files changed; whether its content differs.
    pub(crate) fn renew_catalog(&self) -> bool {
        let digest = |view: &CatalogView| (view.digest, view.diagnostics.clone());
        let before = self
            .catalog
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_deref()
            .map(digest);
        let now = self.catalog().ok().as_deref().map(digest);
        before.is_none() || before != now
    }
}

/// The catalog that was read last, compared with the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CatalogState {
    Unread,
    Changed,
    Same,
}

impl InstalledView {
    fn read(world: &World) -> Result<Self, OperationFailure> {
        let watch = watch_project(world);
        let listed = annotate_report(list(world, &ListRequest::default()))?;
        let row = |resource: &ListedResource| {
            let name = &resource.locked.identity.name;
            InstalledRow {
                kind: resource.kind,
                name: name.clone(),
                label: format!("{}/{name}", resource.kind),
                value: json(resource),
            }
        };
        let rows = listed.report.resources.iter().map(row).collect();
        let resources = annotate_report(open_installed(world))?.report;
        Ok(InstalledView {
            rows,
            diagnostics: listed.diagnostics(),
            resources,
            watch,
        })
    }
}

#[cfg(test)]
mod testing {
    use agpm_app::project::world::{
        BaseApproval, Environment, InstallScope, NetworkAccess, PolicyLocations, SilentProgress,
    };

    use super::*;

    impl SharedState {
        /// The state of a server in a directory that does not exist.
        pub(crate) fn of_nothing() -> Arc<Self> {
            let environment = Environment {
                approvals: Vec::new(),
                bases: BaseApproval::default(),
                typed: agpm_diag::TypedCommand::default(),
                scope: InstallScope::Project,
                working_directory: "/nowhere".into(),
                manifest: None,
                config: None,
                config_directory: None,
                cache: None,
                home: None,
                network: NetworkAccess::Offline,
                state: None,
                programs: ProgramUse::Never,
                outside: OutsideReads::Refused,
                policies: PolicyLocations::default(),
                executables: Vec::new(),
                credentials: Vec::new(),
            };
            let world = World::of_machine(environment, Arc::new(SilentProgress));
            SharedState::new(world, WriteAccess::Refused, CatalogSelection::default())
        }
    }
}
