//! `add source`, `add dep` and `remove`: edit the manifest and install the result in one transaction.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::manifest::{
    DependencyEdit, DependencyId, DependencyParser, DependencyRemoval, EditedManifest,
    ManifestPast, NewDependency, PatternUse, RecordedEdit, Replace, add_source, newest_or_default,
    remove_source, requires_nothing, resource_type_of_word,
};
use agpm_diag::{Failure, Notes, Outcome, codes, has_errors};
use agpm_model::{
    AddressKind, Checksum, DEFAULT_VERSION, LOCK_NAME, Manifest, PatchScope, ResourcePath,
    SourceAddress, SourceName, SourceVersions, normalize,
};
use agpm_resolve::{LockView, UpdateScope};
use agpm_store::{ExpectedFile, ProjectStore, StoreProblem};
use agpm_text::{Document, Format, Pointer};
use serde::Serialize;

use crate::gitignore::IgnoreEdit;
use crate::install;
use crate::install::{
    FileChanges, InstallJob, InstallReport, InstallRequest, ManifestEdit, PrivateEdit, ProjectFate,
    TextPatchEdit, TransitiveExecutables, WideningRecord,
};
use crate::manifest::MANIFEST_NAME;
use crate::manifest_text::AfterEdit;
use crate::project::gather::{ErrorTolerance, ManifestFiles, Project, refuse_link};
use crate::project::packages::{ProjectSources, read_updatable_lock, versions_of};
use crate::project::path_of;
use crate::project::reading::{PRIVATE_NAME, limit};
use crate::project::scope::SiblingFile;
use crate::project::text_patches::EditedTextPatch;
use crate::project::world::{InstallScope, World};
use crate::project::write_mode::WriteMode;
use agpm_text::document_of;

/// The maximum number of attempts to edit a manifest that other processes edit at the same time.
const MOST_TRIES: usize = 32;

/// A change of the manifest.
#[derive(Clone, Debug)]
pub enum ManifestChange {
    /// Adds a source.
    AddSource {
        /// The name that dependencies use for it.
        name: String,
        /// The URL or directory.
        address: String,
        /// Whether an existing source of that name is replaced.
        replace: Replace,
    },
    /// Adds a dependency.
    AddDependency {
        /// The dependency as typed.
        new: Box<NewDependency>,
        /// Whether an existing dependency of that name is replaced.
        replace: Replace,
        /// Installs the dependency, or only edits the manifest.
        then: AfterEdit,
    },
    /// Removes a source.
    RemoveSource {
        /// The name of the source in the manifest.
        name: String,
        /// Whether the change is made or only shown.
        writing: WriteMode,
    },
    /// Removes dependencies, and the transitive ones that only they require.
    RemoveDependencies {
        /// The ids of the dependencies.
        ids: Vec<DependencyId>,
        /// Whether the command fails for a match of a pattern, or the pattern excludes it.
        pattern_use: PatternUse,
        /// Whether the change is made or only shown.
        writing: WriteMode,
    },
}

impl ManifestChange {
    fn writing(&self) -> WriteMode {
        match self {
            ManifestChange::RemoveDependencies { writing, .. }
            | ManifestChange::RemoveSource { writing, .. } => *writing,
            ManifestChange::AddSource { .. } | ManifestChange::AddDependency { .. } => {
                WriteMode::Apply
            }
        }
    }
}

/// The result of a change.
#[derive(Clone, Debug, Serialize)]
pub struct ChangeReport {
    /// One line that describes the change.
    pub done: String,
    /// Whether the change was made or only shown.
    #[serde(skip)]
    pub writing: WriteMode,
    /// The names of the edited files.
    #[serde(skip)]
    pub file: String,
    /// The file of the manifest, if the change removed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<String>,
    /// The report of the install, if one was made.
    #[serde(flatten)]
    pub installed: Option<InstallReport>,
}

/// Edits the manifest.
pub fn change_manifest(world: &World, change: &ManifestChange) -> Outcome<ChangeReport> {
    until_not_overtaken(|notes| run(world, change, notes))
}

/// Repeats an edit if another process changed the project in the meantime.
pub(crate) fn until_not_overtaken<T>(
    change: impl Fn(&mut Notes) -> Result<T, Failure>,
) -> Outcome<T> {
    let mut tries = 1;
    // Two commands may edit one manifest at the same time, as scripts with several `agpm add` do. The second edit is
    // computed again from the first one's result, so neither is lost; the limit prevents an endless race.
    loop {
        let mut notes = Notes::default();
        let result = change(&mut notes);
        let overtaken = |failure: &Failure| {
            failure
                .diagnostic
                .as_ref()
                .is_some_and(|found| *found.code == codes::INSTALL_CHANGED)
        };
        if tries == MOST_TRIES || !result.as_ref().is_err_and(overtaken) {
            return notes.outcome(result);
        }
        tries += 1;
    }
}

fn run(world: &World, change: &ManifestChange, notes: &mut Notes) -> Result<ChangeReport, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let bytes = files.project().to_vec();
    let private = files.private().map(<[u8]>::to_vec);
    let private_text = private.as_deref().map(String::from_utf8_lossy);
    let path = files.path.clone();
    let name = crate::project::reading::display_path(&world.environment, &path);
    let document = document_of(name.clone(), bytes.clone(), Format::Toml, notes)?;
    notes.check()?;
    let store = files.store()?;
    let manifest_file = files.manifest_file()?;
    let past = manifest_past(&store, &manifest_file)?;
    let beside = ManifestFiles::require(&world.environment)?;
    let mut project_end = ProjectFate::Stays;
    let mut text_patches = Vec::new();
    // A manifest with errors can be edited, because the edit may be the fix.
    let mut own = Notes::default();
    let project = Project::read(world, files, ErrorTolerance::Report, &mut own)?;
    let (edited, then) = match change {
        ManifestChange::AddSource {
            name,
            address,
            replace,
        } => {
            let address = address_from_manifest(world, address);
            (
                add_source(&document, name, &address, *replace)?,
                AfterEdit::Leave,
            )
        }
        ManifestChange::AddDependency { new, replace, then } => {
            let new = &from_manifest(world, project.directory.as_deref(), new);
            let finder = VersionFinder {
                world,
                project: &project,
                then: *then,
            };
            (finder.add(&document, new, *replace)?, *then)
        }
        ManifestChange::RemoveSource { name, .. } => {
            let edited = remove_source(&document, &project.manifest, name)?;
            (edited, AfterEdit::Leave)
        }
        ManifestChange::RemoveDependencies {
            ids, pattern_use, ..
        } => {
            let quiet = &mut Notes::default();
            let lock = read_updatable_lock(world, &project.manifest, &store, quiet)?;
            let lock = lock.map(|read| read.lock).unwrap_or_default();
            let root = project.root.clone().unwrap_or_default();
            let removal = DependencyRemoval {
                working: &world.environment.working_directory,
                manifest: &project.manifest,
                bases: &project.bases,
                view: LockView::of(lock, &project.manifest, root),
                private: private_text.as_deref(),
                pattern_use: *pattern_use,
                past: &past,
            };
            let edited = removal.edit(document.text(), ids)?;
            text_patches = removed_text_patches(&store, &beside, &project.manifest, &edited)?;
            let is_empty =
                requires_nothing(&edited.text) && !project.manifest.has_private_entries();
            if is_empty && past.is_of_agpm_alone(document.text()) {
                project_end = ended_project(&store, &manifest_file)?;
            }
            (
                edited,
                AfterEdit::Install(TransitiveExecutables::AsManifest),
            )
        }
    };
    refuse_mistakes(world, &edited, own, notes)?;
    let written = WrittenEdit {
        edited: &edited,
        before: &bytes,
        private: private.as_deref(),
        writing: change.writing(),
        project: project_end,
        text_patches,
    };
    let result = bring_about(world, written, then, notes);
    if result.is_err() {
        // The proposed manifest was not written, so the lines that findings quote are not in the file of that name.
        notes.sources.rename(&name, &format!("{name} (proposed)"));
    }
    result
}

/// Fails if the edited manifest has errors. Errors that it had before the edit are reported at their original lines.
fn refuse_mistakes(
    world: &World,
    edited: &EditedManifest,
    own: Notes,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let name = crate::project::reading::display_path(&world.environment, &files.path);
    let mut after = Notes::default();
    let files = files.with_project(edited.text.as_bytes().to_vec());
    let files = match &edited.private {
        Some(private) => files.with_private(private.as_bytes().to_vec()),
        None => files,
    };
    let result = Project::of(world, files, &mut after);
    let Err(failure) = result else { return Ok(()) };
    after.sources.rename(&name, &format!("{name} (proposed)"));
    *notes = if has_errors(&own.diagnostics) {
        own
    } else {
        after
    };
    Err(failure)
}

/// Returns the recorded changes of the manifest.
fn manifest_past(store: &ProjectStore, manifest: &SiblingFile) -> Result<ManifestPast, Failure> {
    let SiblingFile::Within(path) = manifest else {
        return Ok(ManifestPast::default());
    };
    let changes = store.recorded_changes(path)?.into_iter();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let edits = changes.map(|change| RecordedEdit {
        title: change.title,
        before: change.before.map(text),
        after: change.after,
    });
    Ok(ManifestPast {
        edits: edits.collect(),
    })
}

/// Returns the files that agpm created for a project of which nothing is left.
fn ended_project(store: &ProjectStore, manifest: &SiblingFile) -> Result<ProjectFate, Failure> {
    let SiblingFile::Within(manifest) = manifest else {
        return Ok(ProjectFate::Stays);
    };
    let mut files = vec![manifest.clone(), path_of(LOCK_NAME)];
    let ignore = path_of(".gitignore");
    let changes = store.recorded_changes(&ignore)?;
    let is_created = changes.first().is_some_and(|first| first.before.is_none());
    let left = changes.last().and_then(|last| last.after);
    if is_created && left.is_some() && store.observe(&ignore)?.checksum() == left {
        files.push(ignore);
    }
    Ok(ProjectFate::Ends(files))
}

/// An edit of the manifest with what it was made from.
struct WrittenEdit<'a> {
    edited: &'a EditedManifest,
    before: &'a [u8],
    /// The content of the private manifest before.
    private: Option<&'a [u8]>,
    writing: WriteMode,
    project: ProjectFate,
    /// The diffs of patches that are removed with it.
    text_patches: Vec<TextPatchEdit>,
}

/// The diffs that no patch names any more after an edit of the manifest.
fn removed_text_patches(
    store: &ProjectStore,
    files: &ManifestFiles,
    manifest: &Manifest,
    edited: &EditedManifest,
) -> Result<Vec<TextPatchEdit>, Failure> {
    let document = crate::manifest::parsed(edited.text.clone());
    let mut removed = Vec::new();
    for patch in &manifest.patches {
        let table = Pointer::root()
            .child("patch")
            .child(patch.kind.plural())
            .child(patch.name.as_str());
        let Some(path) = &patch.text_file else {
            continue;
        };
        if patch.scope == PatchScope::Private || document.at(&table).is_some() {
            continue;
        }
        // Another patch may name the same file.
        let is_shared = manifest.patches.iter().any(|other| {
            other.text_file.as_ref() == Some(path)
                && (other.kind, &other.name) != (patch.kind, &patch.name)
        });
        let full = files.directory().join(path.as_str());
        let bytes = match agpm_store::read_regular(&full, limit()) {
            Ok(bytes) if !is_shared => bytes,
            Ok(_) => continue,
            Err(error) if matches!(error.problem, StoreProblem::NotFound) => continue,
            Err(error) => return Err(error.seen_from(store.path()).into()),
        };
        removed.push(TextPatchEdit {
            edited: EditedTextPatch {
                path: path.clone(),
                text: None,
            },
            file: files.file_beside(path),
            before: ExpectedFile::Checksum(Checksum::of(&bytes)),
        });
    }
    Ok(removed)
}

fn bring_about(
    world: &World,
    edit: WrittenEdit<'_>,
    then: AfterEdit,
    notes: &mut Notes,
) -> Result<ChangeReport, Failure> {
    let (edited, writing) = (edit.edited, edit.writing);
    let is_shared = edited.text.as_bytes() != edit.before || edited.private.is_none();
    let manifest = is_shared.then_some(MANIFEST_NAME);
    let private = edited.private.as_ref().map(|_| PRIVATE_NAME);
    let names: Vec<&str> = manifest.into_iter().chain(private).collect();
    let removed = match &edit.project {
        ProjectFate::Ends(files) => files.first().map(ToString::to_string),
        ProjectFate::Stays => None,
    };
    let installed = match then {
        AfterEdit::Install(executables) => Some(bring_in_line(world, edit, executables, notes)?),
        AfterEdit::Leave => {
            if writing == WriteMode::Apply {
                let proposed = ProposedManifest {
                    title: &edited.done,
                    text: &edited.text,
                    before: Some(edit.before),
                    ignored: None,
                };
                write_manifest(world, proposed, notes)?;
            }
            None
        }
    };
    Ok(ChangeReport {
        done: edited.done.clone(),
        writing,
        file: names.join(" and "),
        removed,
        installed,
    })
}

fn bring_in_line(
    world: &World,
    edit: WrittenEdit<'_>,
    executables: TransitiveExecutables,
    notes: &mut Notes,
) -> Result<InstallReport, Failure> {
    *notes = Notes::default();
    let edited = edit.edited;
    let request = InstallRequest {
        executables,
        writing: edit.writing,
        ..InstallRequest::PLAIN
    };
    let bytes = edited.text.as_bytes().into();
    let private = edit.private.zip(edited.private.as_ref());
    let private = private.map(|(before, text)| PrivateEdit {
        before: Checksum::of(before),
        bytes: text.as_bytes().to_vec(),
    });
    let manifest = Some(ManifestEdit {
        private,
        before: Some(Checksum::of(edit.before)),
        bytes,
        project: edit.project,
        ignored: None,
        text_patches: edit.text_patches,
        widenings: WideningRecord::Manifest,
    });
    install::run(
        world,
        &InstallJob {
            title: edited.done.clone(),
            request,
            moving: UpdateScope::Nothing,
            exact: BTreeMap::new(),
            manifest,
        },
        notes,
    )
}

/// A manifest to be written.
pub(crate) struct ProposedManifest<'a> {
    /// The title of the transaction.
    pub(crate) title: &'a str,
    /// The new content.
    pub(crate) text: &'a str,
    /// The content before; `None` for a new manifest.
    pub(crate) before: Option<&'a [u8]>,
    /// The edit of the `.gitignore` next to it.
    pub(crate) ignored: Option<IgnoreEdit>,
}

/// Writes only the manifest, after checking that the new content is valid.
pub(crate) fn write_manifest(
    world: &World,
    proposed: ProposedManifest<'_>,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let ProposedManifest {
        title,
        text,
        before,
        ignored,
    } = proposed;
    let files = match before {
        Some(_) => ManifestFiles::require(&world.environment)?,
        None => ManifestFiles::find_or_new(&world.environment)?,
    };
    let store = files.store()?;
    let file = files.manifest_file()?;
    refuse_link(&store, &file)?;
    Project::of(world, files.with_project(text.as_bytes().to_vec()), notes)?;
    let lock = install::lock_project(world, &store, WriteMode::Apply, notes)?;
    let mut changes = FileChanges::default();
    changes.put(
        file,
        text.as_bytes().into(),
        before.map_or(ExpectedFile::Missing, |bytes| {
            ExpectedFile::Checksum(Checksum::of(bytes))
        }),
    );
    if let Some(ignored) = &ignored {
        changes.put_ignored(ignored);
    }
    if let Some(lock) = lock {
        changes.apply(&store, &lock, title.to_owned(), &|_| {})?;
    }
    Ok(())
}

/// Looks up the versions of the project's sources while a dependency is added.
struct VersionFinder<'a> {
    world: &'a World,
    project: &'a Project,
    then: AfterEdit,
}

impl VersionFinder<'_> {
    fn versions(&self, source: &SourceName) -> Result<Option<Arc<SourceVersions>>, Failure> {
        let root = self.project.root.clone().unwrap_or_default();
        let sources = ProjectSources::open_all(self.world, &self.project.manifest, &root);
        versions_of(&sources, source)
    }

    /// Returns the requirement for a dependency that was typed without one. An unreachable source is an error only if
    /// the dependency is installed next.
    fn default_version(
        &self,
        source: &SourceName,
        names: &[String],
    ) -> Result<Option<String>, Failure> {
        match (self.versions(source), self.then) {
            (Ok(versions), _) => Ok(versions.map(|versions| newest_or_default(&versions, names))),
            (Err(_), AfterEdit::Leave) => Ok(Some(DEFAULT_VERSION.to_owned())),
            (Err(failure), AfterEdit::Install(_)) => Err(failure),
        }
    }

    fn add(
        &self,
        document: &Document,
        new: &NewDependency,
        replace: Replace,
    ) -> Result<EditedManifest, Failure> {
        let project = self.project;
        let kind = resource_type_of_word(&new.kind)?;
        let parser = DependencyParser {
            kind,
            manifest: &project.manifest,
            versions: &|source: &SourceName| self.versions(source).ok().flatten(),
        };
        let mut typed = parser.parse(&new.spec)?;
        let edit = DependencyEdit {
            document,
            manifest: &project.manifest,
            bases: &project.bases,
            kind,
        };
        let directory = project.directory.clone().unwrap_or_default();
        edit.refuse_slash(&typed, &|path| agpm_store::exists(&directory.join(path)))?;
        let name = edit.name(&typed, new, replace)?;
        if let (Some(source), None) = (typed.source(), typed.version()) {
            let version = self.default_version(source, &typed.tag_names(kind))?;
            typed.set_version(version);
        }
        edit.with(&name, &typed, new)
    }
}

/// Rewrites a local path that was typed relative to the working directory so it is relative to the manifest.
fn from_manifest(world: &World, directory: Option<&Path>, new: &NewDependency) -> NewDependency {
    let here = &world.environment.working_directory;
    let inner = match (world.environment.scope, directory) {
        // The user manifest is in the configuration directory, so the path must be absolute.
        (InstallScope::User, _) => Some(here.as_path()),
        (InstallScope::Project, directory) => {
            directory.and_then(|directory| here.strip_prefix(directory).ok())
        }
    };
    let inner = inner
        .map(|inner| inner.to_string_lossy().replace('\\', "/"))
        .unwrap_or_default();
    let mut new = new.clone();
    let typed = new.spec.starts_with("./") || new.spec.starts_with("../");
    if typed
        && !inner.is_empty()
        && let Ok(path) = ResourcePath::local(&format!("{inner}/{}", new.spec))
    {
        new.spec = if path.leaves_directory() {
            path.to_string()
        } else {
            format!("./{path}")
        };
    }
    new
}

/// Resolves the directory of a source for the user manifest; a project's manifest keeps it as typed.
fn address_from_manifest(world: &World, typed: &str) -> String {
    let environment = &world.environment;
    let is_here = |directory: &str| {
        !directory.starts_with(['/', '~']) && environment.scope == InstallScope::User
    };
    match SourceAddress::parse(typed) {
        Ok(address) if matches!(address.kind(), AddressKind::Directory(directory) if is_here(directory)) => {
            normalize(&environment.resolve(Path::new(typed)))
                .to_string_lossy()
                .into_owned()
        }
        _ => typed.to_owned(),
    }
}
