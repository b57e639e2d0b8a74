//! The state that all sessions of a server share: the world, its contents at the last read, and the worker threads.

use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};

use agpm_app::catalog::{CatalogSelection, CatalogWatch, watch_catalog};
use agpm_app::installed::{InstalledResources, open_installed};
use agpm_app::lineage::{LineageScope, SubmoduleScope};
use agpm_app::list::{ListRequest, ListedResource, list};
use agpm_app::project::world::{OutsideReads, ProgramUse, World};
use agpm_app::watch::{ProjectWatch, watch_project};
use agpm_model::ResourceType;
use serde_json::Value as Json;

use crate::answer::{OperationFailure, annotate_report};
use crate::catalog::CatalogView;
use crate::end_signal::EndSignal;
use crate::json::json;
use crate::list_changes::{ListChanges, Subscriber};
use crate::options::WriteAccess;
use crate::protocol::log::LogLevel;
use crate::workers::{WorkPool, Workers};

/// Personas are searched from the working directory upward.
pub(crate) const PERSONA_PLACE: LineageScope = LineageScope {
    path: None,
    ceiling: None,
    submodules: SubmoduleScope::Own,
};

/// The state that all sessions share.
pub(crate) struct SharedState {
    pub(crate) world: World,
    pub(crate) writes: WriteAccess,
    pub(crate) end: EndSignal,
    pub(crate) watching: Once,
    quick: Arc<Workers>,
    slow: Arc<Workers>,
    subscribers: Mutex<Vec<Weak<dyn Subscriber>>>,
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
            end: EndSignal::default(),
            watching: Once::new(),
            quick: Arc::default(),
            slow: Arc::default(),
            subscribers: Mutex::default(),
            selection,
            installed: Mutex::default(),
            catalog: Mutex::default(),
            unread: Mutex::default(),
        })
    }

    pub(crate) fn workers(&self, pool: WorkPool) -> &Arc<Workers> {
        match pool {
            WorkPool::Quick => &self.quick,
            WorkPool::Slow => &self.slow,
        }
    }

    /// Notifies a session from now on, for as long as it exists.
    pub(crate) fn subscribe(&self, session: Weak<dyn Subscriber>) {
        let mut subscribers = self.subscribers();
        subscribers.retain(|known| known.strong_count() > 0 && !known.ptr_eq(&session));
        subscribers.push(session);
    }

    fn subscribers(&self) -> MutexGuard<'_, Vec<Weak<dyn Subscriber>>> {
        self.subscribers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The sessions, outside of the lock: sending to one must not hold up others.
    fn notified(&self) -> Vec<Arc<dyn Subscriber>> {
        self.subscribers()
            .iter()
            .filter_map(Weak::upgrade)
            .collect()
    }

    pub(crate) fn notify_changes(&self, changes: ListChanges) {
        for session in self.notified() {
            session.notify_changes(changes);
        }
    }

    /// Sends diagnostics to all sessions as log messages.
    pub(crate) fn log(&self, diagnostics: &[Json]) {
        for session in self.notified() {
            for diagnostic in diagnostics {
                session.log(LogLevel::of(diagnostic), diagnostic);
            }
        }
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
            self.log(&view.diagnostics);
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
