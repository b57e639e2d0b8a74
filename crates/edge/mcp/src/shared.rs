//! The state that all sessions of a server share: the world, its contents as read, and the permits to work on it.

use std::sync::{Arc, Mutex, PoisonError};

use agpm_model::ResourceType;
use agpm_ops::{
    CatalogPlaces, CatalogWatch, InstalledResources, LineageScope, ListRequest, ListedResource,
    OutsideReads, ProgramUse, ProjectWatch, SubmoduleScope, World, list, open_installed,
    watch_catalog, watch_project,
};
use rmcp::ErrorData;
use serde_json::Value as Json;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

use crate::answer::{OperationFailure, annotate_report};
use crate::catalog::CatalogView;
use crate::json::json;
use crate::list_changes::ListChanges;
use crate::log::LogBroadcast;
use crate::options::WriteAccess;
use crate::rpc_error::INTERNAL;
use crate::traffic_control::TrafficControl;

/// Where personas are looked for: from the working directory upward.
pub(crate) const PERSONA_PLACE: LineageScope = LineageScope {
    path: None,
    ceiling: None,
    submodules: SubmoduleScope::Own,
};

/// So many pieces of work of a speed run at once; the others wait.
// Use cases block on files. More workers than this gain nothing on a local disk, and each may hold a whole catalog.
const WORKERS: usize = 4;

/// How long a piece of work may take others' locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkPool {
    /// Reads files.
    Quick,
    /// Resolves, or asks others.
    Slow,
}

/// The state that all sessions share.
pub(crate) struct SharedState {
    pub(crate) world: World,
    pub(crate) writes: WriteAccess,
    pub(crate) log: LogBroadcast,
    pub(crate) changes: watch::Sender<ListChanges>,
    pub(crate) flow: Arc<TrafficControl>,
    /// Cancelled when the server is about to end.
    pub(crate) closing: CancellationToken,
    quick: Arc<Semaphore>,
    slow: Arc<Semaphore>,
    places: CatalogPlaces,
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
    /// As `agpm list --json` has it.
    pub(crate) value: Json,
}

impl SharedState {
    pub(crate) fn new(mut world: World, writes: WriteAccess, places: CatalogPlaces) -> Arc<Self> {
        // Looking at a project must not start anything of it, whatever was approved for `install`.
        world.environment.programs = ProgramUse::Never;
        world.environment.outside = OutsideReads::Refused;
        Arc::new(SharedState {
            world,
            writes,
            log: LogBroadcast::default(),
            changes: watch::channel(ListChanges::default()).0,
            flow: Arc::default(),
            closing: CancellationToken::new(),
            quick: Arc::new(Semaphore::new(WORKERS)),
            slow: Arc::new(Semaphore::new(WORKERS)),
            places,
            installed: Mutex::default(),
            catalog: Mutex::default(),
            unread: Mutex::default(),
        })
    }

    /// Does a piece of work next to the runtime; nobody waits for it any more once `cancelled` is.
    pub(crate) async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        pace: WorkPool,
        cancelled: &CancellationToken,
        work: impl FnOnce(&SharedState) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let places = if pace == WorkPool::Quick {
            &self.quick
        } else {
            &self.slow
        };
        let begun = async {
            let place = Arc::clone(places).acquire_owned().await;
            // Those who wait have the location already: else all of them would go on at once, and so would their answers.
            self.flow.wait_for_output_capacity().await;
            let shared = Arc::clone(self);
            let done = tokio::task::spawn_blocking(move || {
                // The location is kept until the work is done, be it waited for or not.
                let _place = place;
                work(&shared)
            });
            done.await
                .map_err(|_| INTERNAL.error("the operation failed; this is a bug in agpm"))
        };
        tokio::select! {
            result = begun => result,
            () = cancelled.cancelled() => Err(INTERNAL.error("the request was cancelled")),
        }
    }

    /// The installed resources; read again only if a file changed.
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

    /// The catalog; read again only if a file changed, and what is wrong with it is reported then.
    pub(crate) fn catalog(&self) -> Result<Arc<CatalogView>, OperationFailure> {
        let mut kept = self.catalog.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = kept.as_ref().filter(|view| view.is_current()) {
            return Ok(Arc::clone(view));
        }
        let before = kept.take();
        let view = Arc::new(CatalogView::open(
            &self.world,
            &self.places,
            before.as_deref(),
        )?);
        // One that is read again only because it is young says the same.
        if before.is_none_or(|before| before.diagnostics != view.diagnostics) {
            self.log.broadcast(&view.diagnostics);
        }
        *kept = Some(Arc::clone(&view));
        Ok(view)
    }

    /// How the catalog that was read last compares with the disk.
    pub(crate) fn catalog_state(&self) -> CatalogState {
        let kept = self.catalog.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.as_ref() {
            None => self.unread_state(),
            Some(view) if view.has_changed() => CatalogState::Changed,
            Some(_) => CatalogState::Same,
        }
    }

    /// The same for one that was not requested yet: since the last look.
    fn unread_state(&self) -> CatalogState {
        let mut watch = self.unread.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = watch.as_ref().is_some_and(CatalogWatch::has_changed);
        if changed || watch.is_none() {
            *watch = Some(watch_catalog(&self.world, &self.places));
        }
        if changed {
            CatalogState::Changed
        } else {
            CatalogState::Unread
        }
    }

    /// Reads the catalog again after its files changed; whether it says something else now.
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

/// How the catalog that was read last compares with the disk.
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
