//! What all sessions of a server share: the world, what was read of it, and the right to work on it.

use std::sync::{Arc, Mutex, PoisonError};

use agpm_model::ResourceType;
use agpm_ops::{ListRequest, ProjectStamp, World, list, project_stamp};
use rmcp::ErrorData;
use serde_json::Value as Json;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

use crate::answer::{Failed, told};
use crate::cached::Cached;
use crate::catalog::CatalogView;
use crate::flow::Flow;
use crate::json::json;
use crate::log::Log;
use crate::options::Writes;
use crate::trouble::INTERNAL;
use crate::watch::Changes;

/// So many pieces of work of a speed run at once; the others wait.
const WORKERS: usize = 4;

/// How long a piece of work may take others' places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// Reads files.
    Quick,
    /// Resolves, or asks others.
    Slow,
}

/// What all sessions share.
pub(crate) struct Shared {
    pub(crate) world: World,
    pub(crate) writes: Writes,
    pub(crate) log: Log,
    pub(crate) changes: watch::Sender<Changes>,
    pub(crate) flow: Arc<Flow>,
    /// Cancelled when the server is about to end.
    pub(crate) closing: CancellationToken,
    quick: Arc<Semaphore>,
    slow: Arc<Semaphore>,
    installed: Cached<ProjectStamp, InstalledView>,
    catalog: Mutex<Option<Arc<CatalogView>>>,
}

/// What is installed, as of the lockfile.
#[derive(Debug)]
pub(crate) struct InstalledView {
    pub(crate) rows: Vec<InstalledRow>,
    pub(crate) diagnostics: Vec<Json>,
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

impl Shared {
    pub(crate) fn new(world: World, writes: Writes) -> Arc<Self> {
        Arc::new(Shared {
            world,
            writes,
            log: Log::default(),
            changes: watch::channel(Changes::default()).0,
            flow: Arc::default(),
            closing: CancellationToken::new(),
            quick: Arc::new(Semaphore::new(WORKERS)),
            slow: Arc::new(Semaphore::new(WORKERS)),
            installed: Cached::default(),
            catalog: Mutex::default(),
        })
    }

    /// Does a piece of work beside the runtime; nobody waits for it any more once `cancelled` is.
    pub(crate) async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        pace: Pace,
        cancelled: &CancellationToken,
        work: impl FnOnce(&Shared) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let places = if pace == Pace::Quick { &self.quick } else { &self.slow };
        let begun = async {
            self.flow.heard().await;
            let place = Arc::clone(places).acquire_owned().await;
            let shared = Arc::clone(self);
            let done = tokio::task::spawn_blocking(move || {
                // The place is kept until the work is done, be it waited for or not.
                let _place = place;
                work(&shared)
            });
            done.await.map_err(|_| INTERNAL.error("the operation broke off; this is a mistake of agpm"))
        };
        tokio::select! {
            result = begun => result,
            () = cancelled.cancelled() => Err(INTERNAL.error("the request was cancelled")),
        }
    }

    /// What is installed; read again only if a file changed.
    pub(crate) fn installed(&self) -> Result<Arc<InstalledView>, Failed> {
        let stamp = project_stamp(&self.world);
        if let Some(kept) = self.installed.get(&stamp) {
            return Ok(kept);
        }
        let listed = told(list(&self.world, &ListRequest::default()))?;
        let row = |(kind, name, value): (ResourceType, &str, agpm_text::Value)| InstalledRow {
            kind,
            name: name.to_owned(),
            label: format!("{kind}/{name}"),
            value: json(&value),
        };
        let rows = listed.report.items().map(row).collect();
        let view = Arc::new(InstalledView { rows, diagnostics: listed.diagnostics() });
        if stamp.is_settled() {
            self.installed.put(stamp, Arc::clone(&view));
        }
        Ok(view)
    }

    /// The catalog; read again only if a file changed, and what is wrong with it is told then.
    pub(crate) fn catalog(&self) -> Result<Arc<CatalogView>, Failed> {
        let mut kept = self.catalog.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = kept.as_ref().filter(|view| view.is_current()) {
            return Ok(Arc::clone(view));
        }
        let view = Arc::new(CatalogView::open(&self.world)?);
        self.log.tell(&view.diagnostics);
        *kept = Some(Arc::clone(&view));
        Ok(view)
    }

    /// Whether the catalog that was read last is out of date.
    pub(crate) fn catalog_changed(&self) -> bool {
        let kept = self.catalog.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().is_some_and(|view| !view.is_current())
    }
}
