//! The project that is explained, read once.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, Notes};
use agpm_model::{Lockfile, Manifest, with_names_of};
use agpm_resolve::{LockView, add_locked_sources};
use agpm_store::ProjectStore;

use crate::project::gather::{ErrorTolerance, ManifestFiles, Project, missing_manifest};
use crate::project::packages::read_lock;
use crate::project::world::{ManifestUse, World};

/// The nearest project. Each part of it is read by the first step that needs it, once for the whole command: most subjects
/// need no lockfile, and codes, bottles and personas need no project.
pub(crate) struct ExplainedProject<'w> {
    pub(super) world: &'w World,
    found: OnceCell<Option<FoundProject>>,
    project: OnceCell<ReadOnce<Project>>,
    lock: OnceCell<ReadOnce<Option<Lockfile>>>,
    locked: OnceCell<LockView>,
    resources: OnceCell<LockedResources>,
}

/// What installed resources are explained from: the manifest with the sources that only the lockfile has, and the lockfile
/// with the manifest's names of sources.
pub(super) struct LockedResources {
    pub(super) manifest: Manifest,
    pub(super) lock: Lockfile,
    pub(super) view: LockView,
}

/// A project whose manifest is not parsed yet.
pub(super) struct FoundProject {
    files: ManifestFiles,
    pub(super) store: ProjectStore,
    pub(super) root: PathBuf,
}

impl FoundProject {
    pub(super) fn manifest_path(&self) -> &Path {
        &self.files.path
    }
}

/// Something that was read, with the findings about it until a step reports them: a step that only looks for a name reports
/// none.
struct ReadOnce<T> {
    value: T,
    diagnostics: RefCell<Vec<Diagnostic>>,
    log: RefCell<Vec<String>>,
}

/// A failure to read something, with the findings before it.
struct ReadFailure {
    failure: Failure,
    found: Notes,
}

impl<'w> ExplainedProject<'w> {
    /// The project of a command. Nothing is read yet.
    pub(crate) fn new(world: &'w World) -> Self {
        ExplainedProject {
            world,
            found: OnceCell::new(),
            project: OnceCell::new(),
            lock: OnceCell::new(),
            locked: OnceCell::new(),
            resources: OnceCell::new(),
        }
    }

    /// Finds the manifest; `None` if it does not exist.
    pub(super) fn find(&self) -> Result<Option<&FoundProject>, Failure> {
        if let Some(found) = self.found.get() {
            return Ok(found.as_ref());
        }
        let mut found = None;
        if let Some(files) = ManifestFiles::find(&self.world.environment, ManifestUse::Nearest)? {
            found = Some(FoundProject {
                store: files.store()?,
                root: files.root().to_owned(),
                files,
            });
        }
        Ok(self.found.get_or_init(|| found).as_ref())
    }

    /// Finds the manifest, and fails without one.
    pub(super) fn require(&self) -> Result<&FoundProject, Failure> {
        let found = self.find()?;
        found.ok_or_else(|| missing_manifest(&self.world.environment))
    }

    /// The manifest; errors in it are a failure.
    pub(super) fn project(&self, notes: &mut Notes) -> Result<&Project, Failure> {
        match self.read_project(notes) {
            Ok(project) => Ok(project.report(notes)),
            Err(failure) => Err(failure.report(notes)),
        }
    }

    /// The lockfile; `None` if it does not exist.
    pub(super) fn lock(&self, notes: &mut Notes) -> Result<Option<&Lockfile>, Failure> {
        match self.read_lock(notes) {
            Ok(lock) => Ok(lock.report(notes).as_ref()),
            Err(failure) => Err(failure.report(notes)),
        }
    }

    /// The lockfile as far as it and the manifest can be read, to look for names; `None` if it is missing or unreadable.
    pub(super) fn locked(&self, notes: &mut Notes) -> Option<&LockView> {
        if self.locked.get().is_none() {
            let view = self.read_view(notes)?;
            self.locked.get_or_init(|| view);
        }
        self.locked.get()
    }

    /// The installed resources; none without a lockfile.
    pub(super) fn resources(&self, notes: &mut Notes) -> Result<&LockedResources, Failure> {
        let project = self.project(notes)?;
        let lock = self.lock(notes)?;
        let found = self.require()?;
        Ok(self.resources.get_or_init(|| {
            let lock = lock.cloned().unwrap_or_default();
            let mut manifest = project.manifest.clone();
            add_locked_sources(&mut manifest, &lock);
            let lock = with_names_of(&manifest, &lock);
            let view = LockView::of(lock.clone(), &manifest, found.root.clone()).with_parts();
            LockedResources {
                manifest,
                lock,
                view,
            }
        }))
    }

    /// The manifest as far as it can be read without a server; `None` if it does not exist.
    pub(super) fn offline_manifest(&self) -> Option<Cow<'_, Manifest>> {
        if let Some(project) = self.project.get() {
            return Some(Cow::Borrowed(&project.value.manifest));
        }
        let files = self.find().ok()??.files.clone();
        let quiet = &mut Notes::default();
        let offline = self.world.offline();
        let read = Project::read(&offline, files, ErrorTolerance::Report, quiet);
        Some(Cow::Owned(read.ok()?.manifest))
    }

    fn read_project(&self, notes: &mut Notes) -> Result<&ReadOnce<Project>, ReadFailure> {
        if self.project.get().is_none() {
            let files = self.require()?.files.clone();
            let read = read_once(notes, |own| Project::of(self.world, files, own))?;
            self.project.get_or_init(|| read);
        }
        Ok(self.project.get().expect("it was just read"))
    }

    fn read_lock(&self, notes: &mut Notes) -> Result<&ReadOnce<Option<Lockfile>>, ReadFailure> {
        if self.lock.get().is_none() {
            let store = &self.require()?.store;
            let read = read_once(notes, |own| {
                let read = read_lock(&self.world.environment, store, own)?;
                Ok(read.map(|(lock, _)| lock))
            })?;
            self.lock.get_or_init(|| read);
        }
        Ok(self.lock.get().expect("it was just read"))
    }

    fn read_view(&self, notes: &mut Notes) -> Option<LockView> {
        let found = self.find().ok()??;
        // Without a lockfile the manifest is not read either, because its bases may be on a server.
        let lock = self.read_lock(notes).ok()?.value.clone()?;
        let root = found.root.clone();
        let view = match self.read_project(notes) {
            Ok(project) => LockView::of(lock, &project.value.manifest, root),
            // A manifest with errors is read again, for what can be understood of it. The step that explains reports them.
            Err(_) => {
                let quiet = &mut Notes::default();
                let files = found.files.clone();
                let read = Project::read(self.world, files, ErrorTolerance::Report, quiet);
                LockView::of(lock, &read.ok()?.manifest, root)
            }
        };
        Some(view.with_parts())
    }
}

/// Reads something whose findings may be reported later. Its sources belong to `notes` at once, because findings and values
/// point into them.
fn read_once<T>(
    notes: &mut Notes,
    read: impl FnOnce(&mut Notes) -> Result<T, Failure>,
) -> Result<ReadOnce<T>, ReadFailure> {
    let mut found = Notes {
        sources: std::mem::take(&mut notes.sources),
        ..Notes::default()
    };
    let result = read(&mut found);
    notes.sources = std::mem::take(&mut found.sources);
    match result {
        Ok(value) => Ok(ReadOnce {
            value,
            diagnostics: RefCell::new(found.diagnostics),
            log: RefCell::new(found.log),
        }),
        Err(failure) => Err(ReadFailure { failure, found }),
    }
}

impl<T> ReadOnce<T> {
    /// Reports the findings, unless an earlier step did.
    fn report(&self, notes: &mut Notes) -> &T {
        notes.diagnostics.append(&mut self.diagnostics.borrow_mut());
        notes.log.append(&mut self.log.borrow_mut());
        &self.value
    }
}

impl ReadFailure {
    fn report(self, notes: &mut Notes) -> Failure {
        notes.diagnostics.extend(self.found.diagnostics);
        notes.log.extend(self.found.log);
        self.failure
    }
}

impl From<Failure> for ReadFailure {
    fn from(failure: Failure) -> Self {
        ReadFailure {
            failure,
            found: Notes::default(),
        }
    }
}
