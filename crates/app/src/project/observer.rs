//! Observes the disk for a plan.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, codes};
use agpm_model::{ObservedPath, RelativePath};
use agpm_plan::{
    DesiredState, Ledger, Observation, OverwriteRule, Plan, PlanError, plan, read_block_file,
    read_shared_file,
};
use agpm_store::{ProjectStore, SeenPaths, StoreError, StoreProblem, StoredFile, parallel};
use agpm_text::Document;

use crate::project::reading::limit;
use crate::project::write_mode::WriteMode;

/// The number of files that a thread observes at a time.
const CHUNK: usize = 64;

/// Observes each path once, however often it is requested.
pub(crate) struct PathObserver<'s> {
    store: &'s ProjectStore,
    observation: Observation,
    /// The reasons why shared files are unreadable; they matter only to plans that need those files.
    broken: BTreeMap<RelativePath, Box<BrokenFile>>,
}

struct BrokenFile {
    failure: Failure,
    notes: Notes,
}

/// The result of observing a path where a structured file is expected.
enum ObservedFile<D> {
    Document(ObservedPath, D),
    Other(ObservedPath),
    /// An unreadable file, with its state if the bytes could be read.
    Broken(Option<ObservedPath>, Box<BrokenFile>),
}

impl<'s> PathObserver<'s> {
    /// Creates an observer for a project.
    pub(crate) fn new(store: &'s ProjectStore) -> Self {
        PathObserver {
            store,
            observation: Observation::default(),
            broken: BTreeMap::new(),
        }
    }

    /// Returns everything that was observed so far.
    pub(crate) fn observation(&self) -> &Observation {
        &self.observation
    }

    /// Returns everything that was observed, without the rest.
    pub(crate) fn into_observation(self) -> Observation {
        self.observation
    }

    /// Observes every desired or recorded path that was not observed before.
    pub(crate) fn observe(
        &mut self,
        desired: &DesiredState<'_>,
        ledger: &Ledger,
    ) -> Result<(), Failure> {
        let recorded = ledger.shared.keys();
        let shared: BTreeSet<&RelativePath> = desired
            .shared_paths()
            .chain(recorded.filter(|path| !desired.is_surely_whole(path)))
            .filter(|path| !self.observation.has_shared(path))
            .collect();
        // A shared file is read whole for its structure, which also gives its checksum, so it is not hashed again.
        self.read_shared(shared);
        let with_blocks: BTreeSet<&RelativePath> = desired
            .block_paths()
            .chain(ledger.blocks.keys())
            .filter(|path| !self.observation.has_block_document(path))
            .collect();
        self.read_block_files(with_blocks);
        let files: BTreeSet<&RelativePath> = desired
            .file_paths()
            .chain(ledger.files.keys())
            .filter(|path| !self.observation.has(path) && !desired.is_shared(path))
            .filter(|path| !self.observation.has_block_document(path))
            .collect();
        self.observe_files(files)?;
        self.find_blockers(desired);
        Ok(())
    }

    fn read_shared(&mut self, paths: BTreeSet<&RelativePath>) {
        let paths: Vec<&RelativePath> = paths.into_iter().collect();
        let found = parallel::map(paths.clone(), |path| {
            observe_file(self.store, path, read_shared_file)
        });
        for (path, file) in paths.into_iter().zip(found) {
            if let Some(document) = self.note_file(path, file) {
                self.observation.add_document(path.clone(), document);
            }
        }
    }

    fn read_block_files(&mut self, paths: BTreeSet<&RelativePath>) {
        for path in paths {
            let file = observe_file(self.store, path, read_block_file);
            if let Some(document) = self.note_file(path, file) {
                self.observation.add_block_document(path.clone(), document);
            }
        }
    }

    /// Records the state of a path, and returns its document.
    fn note_file<D>(&mut self, path: &RelativePath, file: ObservedFile<D>) -> Option<D> {
        let (now, document) = match file {
            ObservedFile::Document(now, document) => (Some(now), Some(document)),
            ObservedFile::Other(now) => (Some(now), None),
            ObservedFile::Broken(now, broken) => {
                self.observation.add_unreadable(path.clone());
                self.broken.insert(path.clone(), broken);
                (now, None)
            }
        };
        if let Some(now) = now {
            self.observation.add(path.clone(), now);
        }
        document
    }

    fn observe_files(&mut self, paths: BTreeSet<&RelativePath>) -> Result<(), Failure> {
        let paths: Vec<&RelativePath> = paths.into_iter().collect();
        let found =
            observe_all(self.store, &paths).map_err(|error| unobservable(self.store, error))?;
        for (path, now) in paths.into_iter().zip(found) {
            self.observation.add(path.clone(), now);
        }
        Ok(())
    }

    /// Observes the parent directories of missing files, because a file may be at the path of one.
    fn find_blockers(&mut self, desired: &DesiredState<'_>) {
        let directories: BTreeSet<&str> = desired
            .file_paths()
            .filter(|path| self.observation.get(path) == ObservedPath::Missing)
            .flat_map(directories_above)
            .collect();
        for directory in directories {
            let Ok(path) = RelativePath::new(directory) else {
                continue;
            };
            let now = self.store.observe(&path);
            if matches!(now, Ok(ObservedPath::File(_) | ObservedPath::Special)) {
                self.observation.add_blocker(path);
            }
        }
    }

    /// Plans the changes to an observed state.
    pub(crate) fn plan(
        &mut self,
        desired: &DesiredState<'_>,
        ledger: &Ledger,
        overwrite: OverwriteRule,
        notes: &mut Notes,
    ) -> Result<Plan, Failure> {
        let planned = plan(
            desired,
            &self.observation,
            ledger,
            overwrite,
            &|paths, plan_one| parallel::map(paths, plan_one),
        );
        planned.map_err(|error| match error {
            PlanError::Clash(diagnostic) => (*diagnostic).into(),
            PlanError::Unreadable(path) => match self.broken.remove(&path) {
                Some(broken) => {
                    notes.absorb(broken.notes);
                    broken.failure
                }
                None => Failure::reported(),
            },
        })
    }
}

/// Observes many paths, and returns the results in the same order.
pub(crate) fn observe_all(
    store: &ProjectStore,
    paths: &[&RelativePath],
) -> Result<Vec<ObservedPath>, StoreError> {
    let chunks = paths.chunks(CHUNK).collect();
    let observed = parallel::map(chunks, |chunk: &[&RelativePath]| store.observe_all(chunk));
    Ok(observed
        .into_iter()
        .collect::<Result<Vec<_>, StoreError>>()?
        .concat())
}

/// Observes many paths, and reads only files that changed since they were recorded; a run that writes renews the record.
pub(crate) fn observe_changed(
    store: &ProjectStore,
    paths: &[&RelativePath],
    writing: WriteMode,
) -> Result<Vec<ObservedPath>, StoreError> {
    let seen = store.read_seen_files();
    let chunks = paths.chunks(CHUNK).collect();
    let parts = parallel::map(chunks, |chunk: &[&RelativePath]| {
        store.observe_changed(chunk, &seen)
    });
    let parts = parts.into_iter().collect::<Result<Vec<_>, StoreError>>()?;
    let found = SeenPaths::join(parts);
    if writing == WriteMode::Apply {
        store.write_seen_files(&found);
    }
    Ok(found.observed)
}

fn observe_file<D>(
    store: &ProjectStore,
    path: &RelativePath,
    parse: impl Fn(&RelativePath, Vec<u8>, &mut Notes) -> Result<D, Failure>,
) -> ObservedFile<D> {
    let mut notes = Notes::default();
    let StoredFile { state, bytes } = match store.observe_content(path, limit()) {
        Ok(ObservedPath::File(content)) => content,
        Ok(other) => return ObservedFile::Other(other.map(|content| content.state)),
        Err(error) => {
            let failure = error.seen_from(store.path()).into();
            return ObservedFile::Broken(None, Box::new(BrokenFile { failure, notes }));
        }
    };
    let now = ObservedPath::File(state);
    match parse(path, bytes, &mut notes) {
        Ok(document) => ObservedFile::Document(now, document),
        Err(failure) => ObservedFile::Broken(Some(now), Box::new(BrokenFile { failure, notes })),
    }
}

/// Parses a shared file. An invalid file is an error and never treated as empty, because its content would be
/// overwritten.
pub(crate) fn read_shared(
    store: &ProjectStore,
    path: &RelativePath,
    notes: &mut Notes,
) -> Result<Arc<Document>, Failure> {
    let bytes = store
        .read(path, limit())
        .map_err(|error| error.seen_from(store.path()))?;
    read_shared_file(path, bytes, notes)
}

/// Converts an error for a path to a failure. If a symlink leads out of the project, the symlink is named and not its
/// target.
fn unobservable(store: &ProjectStore, error: StoreError) -> Failure {
    let error = error.seen_from(store.path());
    let path = error.path.to_string_lossy().replace('\\', "/");
    let directories = path
        .match_indices('/')
        .map(|(at, _)| &path[..at])
        .chain([path.as_str()]);
    let mut links = directories
        .filter_map(|link| Some((link, agpm_store::link_target(&store.path().join(link))?)));
    match links
        .next()
        .filter(|_| matches!(error.problem, StoreProblem::Escapes))
    {
        Some((link, target)) => {
            let message = format!(
                "`{link}` is a symlink to `{}`, outside the project",
                target.display()
            );
            let help = "agpm does not write through it: replace it with a directory, then run `agpm install`";
            let diagnostic = Diagnostic::new(&codes::IO_UNREADABLE, message)
                .in_file(link)
                .help(help);
            Failure::new(FailureKind::Refused, diagnostic)
        }
        None => error.into(),
    }
}

fn directories_above(path: &RelativePath) -> impl Iterator<Item = &str> {
    path.as_str()
        .match_indices('/')
        .map(|(at, _)| &path.as_str()[..at])
}
