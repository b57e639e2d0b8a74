//! `add` and `remove`: the manifest changes, and with it the disk, in one transaction.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use agpm_diag::{
    Diagnostic, Failure, FailureKind, Notes, Outcome, codes, did_you_mean, has_errors,
};
use agpm_model::{
    AddressKind, CatalogRemote, Checksum, DEFAULT_VERSION, Layer, Manifest, ResourceName,
    ResourceOrigin, ResourcePath, SourceAddress, SourceName, SourceVersions, newest_range,
};
use agpm_resolve::UpdateScope;
use agpm_store::ExpectedFile;
use agpm_text::{Document, Edit, Format, Pointer, Value};
use serde::Serialize;

use crate::additions::{NewDependency, Replace, exists, kind_of, new_source, usage};
use crate::documents::document_of;
use crate::gather::{ManifestFiles, Mistakes, Project, refuse_link, unknown_name};
use crate::install::{
    self, Changes, Executables, InstallReport, InstallRequest, Job, ManifestEdit, Writing,
};
use crate::locked::LockView;
use crate::manifest_text::{EditedManifest, Then, edit, set_entry};
use crate::packages::{Sources, read_lock, versions_of};
use crate::removal::{DependencyId, PatternUse, Removal};
use crate::spec::{Spec, SpecContext};
use crate::world::{InstallScope, World};
use agpm_model::normalize;

/// How often a change is tried again that another process overtook.
const MOST_TRIES: usize = 32;

/// What to change.
#[derive(Clone, Debug)]
pub enum ManifestChange {
    /// A new source.
    AddSource {
        /// What dependencies call it.
        name: String,
        /// Where it is.
        address: String,
        /// Whether one of that name may go.
        replace: Replace,
    },
    /// A new dependency.
    AddDependency {
        /// What it is.
        new: Box<NewDependency>,
        /// Whether one of that name may go.
        replace: Replace,
        /// Whether it is installed.
        then: Then,
    },
    /// A source goes.
    RemoveSource {
        /// Its name.
        name: String,
    },
    /// Dependencies go, and all they brought.
    RemoveDependencies {
        /// Which ones.
        ids: Vec<DependencyId>,
        /// What becomes of those that a pattern brought.
        pattern_use: PatternUse,
    },
}

/// What became of a change.
#[derive(Clone, Debug, Serialize)]
pub struct ChangeReport {
    /// What was done, in words.
    pub done: String,
    /// What it did to the disk, if it was installed.
    #[serde(flatten)]
    pub installed: Option<InstallReport>,
}

/// Changes the manifest.
pub fn change_manifest(world: &World, change: &ManifestChange) -> Outcome<ChangeReport> {
    until_not_overtaken(|notes| run(world, change, notes))
}

/// Makes a change again that another process overtook: it is made to what that one left.
pub(crate) fn until_not_overtaken<T>(
    change: impl Fn(&mut Notes) -> Result<T, Failure>,
) -> Outcome<T> {
    let mut tries = 1;
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
    let path = files.path.clone();
    let name = crate::reading::shown(&world.environment, &path);
    let document = document_of(name.clone(), bytes.clone(), Format::Toml, notes)?;
    notes.check()?;
    let store = files.store()?;
    // A manifest with mistakes can be edited: the edit may be what corrects them.
    let mut own = Notes::default();
    let project = Project::read(world, files, Mistakes::Tell, &mut own)?;
    let edited = match change {
        ManifestChange::AddSource {
            name,
            address,
            replace,
        } => add_source(
            &document,
            name,
            &address_from_manifest(world, address),
            *replace,
        )?,
        ManifestChange::AddDependency { new, replace, then } => {
            let new = &from_manifest(world, project.folder.as_deref(), new);
            let adding = Adding {
                world,
                project: &project,
                document: &document,
                then: *then,
            };
            adding.dependency(new, *replace)?
        }
        ManifestChange::RemoveSource { name } => remove_source(&document, &project.manifest, name)?,
        ManifestChange::RemoveDependencies { ids, pattern_use } => {
            let lock = read_lock(&world.environment, &store, &mut Notes::default())?;
            let lock = lock.map(|(lock, _)| lock).unwrap_or_default();
            let root = project.root.clone().unwrap_or_default();
            let removal = Removal {
                environment: &world.environment,
                project: &project,
                manifest: &project.manifest,
                view: LockView::of(lock, &project.manifest, root),
                pattern_use: *pattern_use,
            };
            removal.edit(document.text(), ids)?
        }
    };
    refuse_mistakes(world, &edited, own, notes)?;
    let result = bring_about(world, &edited, &bytes, notes);
    if result.is_err() {
        // Lines of a manifest that was not written are in no file.
        notes.sources.rename(&name, &format!("{name} (proposed)"));
    }
    result
}

/// Fails if the manifest would have mistakes; those that it has anyway are shown where they are.
fn refuse_mistakes(
    world: &World,
    edited: &EditedManifest,
    own: Notes,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let name = crate::reading::shown(&world.environment, &files.path);
    let mut after = Notes::default();
    let result = Project::of(
        world,
        files.with_project(edited.text.as_bytes().to_vec()),
        &mut after,
    );
    let Err(failure) = result else { return Ok(()) };
    after.sources.rename(&name, &format!("{name} (proposed)"));
    *notes = if has_errors(&own.diagnostics) {
        own
    } else {
        after
    };
    Err(failure)
}

fn bring_about(
    world: &World,
    edited: &EditedManifest,
    bytes: &[u8],
    notes: &mut Notes,
) -> Result<ChangeReport, Failure> {
    let installed = match edited.then {
        Then::Install(executables) => {
            Some(bring_in_line(world, edited, bytes, executables, notes)?)
        }
        Then::Leave => {
            write_manifest(world, &edited.done, &edited.text, Some(bytes), notes)?;
            None
        }
    };
    Ok(ChangeReport {
        done: edited.done.clone(),
        installed,
    })
}

fn bring_in_line(
    world: &World,
    edited: &EditedManifest,
    before: &[u8],
    executables: Executables,
    notes: &mut Notes,
) -> Result<InstallReport, Failure> {
    *notes = Notes::default();
    let request = InstallRequest {
        executables,
        ..InstallRequest::PLAIN
    };
    let bytes = edited.text.as_bytes().into();
    let manifest = Some(ManifestEdit {
        before: Some(Checksum::of(before)),
        bytes,
    });
    install::run(
        world,
        &Job {
            title: edited.done.clone(),
            request,
            moving: UpdateScope::Nothing,
            manifest,
        },
        notes,
    )
}

/// Writes the manifest alone, after a look at whether it still reads.
pub(crate) fn write_manifest(
    world: &World,
    title: &str,
    text: &str,
    before: Option<&[u8]>,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let files = match before {
        Some(_) => ManifestFiles::require(&world.environment)?,
        None => ManifestFiles::find_or_new(&world.environment)?,
    };
    let store = files.store()?;
    let place = files.place()?;
    refuse_link(&store, &place)?;
    Project::of(world, files.with_project(text.as_bytes().to_vec()), notes)?;
    let held = install::hold(world, &store, Writing::Apply, notes)?;
    let mut changes = Changes::default();
    changes.put(
        place,
        text.as_bytes().into(),
        before.map_or(ExpectedFile::Missing, |bytes| {
            ExpectedFile::Checksum(Checksum::of(bytes))
        }),
    );
    if let Some(held) = held {
        changes.apply(&store, &held, title.to_owned(), &|_| {})?;
    }
    Ok(())
}

fn add_source(
    document: &Document,
    name: &str,
    address: &str,
    replace: Replace,
) -> Result<EditedManifest, Failure> {
    let address = new_source(name, address)?;
    let at = Pointer::root().child("sources").child(name);
    if document.at(&at).is_some() && replace == Replace::Refused {
        return Err(exists("manifest", "sources", name));
    }
    let value = Value::from(address.reveal());
    let done = format!("add source {name}");
    Ok(EditedManifest {
        text: edit(document, &Edit::Set { at, value })?,
        done,
        then: Then::Leave,
    })
}

/// What a dependency is added to.
struct Adding<'a> {
    world: &'a World,
    project: &'a Project,
    document: &'a Document,
    then: Then,
}

impl Adding<'_> {
    fn dependency(&self, new: &NewDependency, replace: Replace) -> Result<EditedManifest, Failure> {
        let (document, manifest) = (self.document, &self.project.manifest);
        let kind = kind_of(&new.kind)?;
        let versions = |source: &SourceName| self.reachable_versions(source);
        let context = SpecContext {
            kind,
            manifest,
            versions: &versions,
        };
        let mut spec = context.parse(&new.spec)?;
        self.refuse_slash(&spec)?;
        let taken = |name: &str| {
            document
                .at(&Pointer::root().child(kind.plural()).child(name))
                .is_some()
        };
        let name = new.name.clone().unwrap_or_else(|| spec.name(kind, &taken));
        let good = ResourceName::new(&name)
            .map_err(|error| usage(error.to_string(), "give it a `--name`".to_owned()))?;
        if taken(&name) && replace == Replace::Refused {
            return Err(exists("manifest", kind.plural(), &name));
        }
        if let (Some(source), None) = (spec.source(), spec.version()) {
            let version = self.default_version(source, &spec.tag_names(kind))?;
            spec.set_version(version);
        }
        let text = set_entry(
            document.text(),
            kind.plural(),
            good.as_str(),
            spec.value(new),
        )?;
        Ok(EditedManifest {
            text,
            done: self.done(kind, &name),
            then: self.then,
        })
    }

    fn done(&self, kind: agpm_model::ResourceType, name: &str) -> String {
        match self.project.base_with(kind, name) {
            Some(base) => format!(
                "add {kind}/{name} over the one of `{}`",
                base.address.name()
            ),
            None => format!("add {kind}/{name}"),
        }
    }

    /// `SOURCE/PATH` is a local path that leads nowhere, and probably not what is meant.
    fn refuse_slash(&self, spec: &Spec) -> Result<(), Failure> {
        let Some(path) = spec.local() else {
            return Ok(());
        };
        let Some((source, rest)) = path.split_once('/') else {
            return Ok(());
        };
        let is_source = self
            .project
            .manifest
            .sources
            .iter()
            .any(|one| one.name.as_str() == source);
        let folder = self.project.folder.clone().unwrap_or_default();
        if !is_source || agpm_store::exists(&folder.join(path)) {
            return Ok(());
        }
        let help = format!("did you mean `{source}:{rest}`?");
        Err(unknown_name("file", path, Some(help)))
    }

    /// The tags and branches of a source; nothing if it cannot be reached, which is reported where they are needed.
    fn reachable_versions(&self, source: &SourceName) -> Option<Arc<SourceVersions>> {
        let root = self.project.root.clone().unwrap_or_default();
        let sources = Sources::open_all(self.world, &self.project.manifest, &root);
        versions_of(&sources, source).ok().flatten()
    }

    /// What is required where nothing is typed: versions that are compatible with the newest one, or the default branch.
    /// A source that cannot be reached has to be reached only if something is installed from it.
    fn default_version(
        &self,
        source: &SourceName,
        name: &[String],
    ) -> Result<Option<String>, Failure> {
        let root = self.project.root.clone().unwrap_or_default();
        let sources = Sources::open_all(self.world, &self.project.manifest, &root);
        let refs = match (versions_of(&sources, source), self.then) {
            (Ok(refs), _) => refs,
            (Err(_), Then::Leave) => return Ok(Some(DEFAULT_VERSION.to_owned())),
            (Err(failure), Then::Install(_)) => return Err(failure),
        };
        // A folder without versions.
        let Some(refs) = refs else { return Ok(None) };
        let newest = newest_range(refs.tags.keys().map(String::as_str), name);
        Ok(Some(
            newest
                .or_else(|| refs.default_branch.clone())
                .unwrap_or_else(|| DEFAULT_VERSION.to_owned()),
        ))
    }
}

/// A local path that is typed from the working folder, as the manifest has to say it.
fn from_manifest(world: &World, folder: Option<&Path>, new: &NewDependency) -> NewDependency {
    let here = &world.environment.folder;
    let inner = match (world.environment.scope, folder) {
        // A user's own manifest is far from where anybody works.
        (InstallScope::User, _) => Some(here.as_path()),
        (InstallScope::Project, folder) => folder.and_then(|folder| here.strip_prefix(folder).ok()),
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
        new.spec = if path.leaves_folder() {
            path.to_string()
        } else {
            format!("./{path}")
        };
    }
    new
}

/// A folder that is typed from the working folder, as a user's own manifest has to say it; a project's says what is typed.
fn address_from_manifest(world: &World, typed: &str) -> String {
    let environment = &world.environment;
    let is_here =
        |folder: &str| !folder.starts_with(['/', '~']) && environment.scope == InstallScope::User;
    match SourceAddress::parse(typed) {
        Ok(address) if matches!(address.kind(), AddressKind::Folder(folder) if is_here(folder)) => {
            normalize(&environment.resolve(Path::new(typed)))
                .to_string_lossy()
                .into_owned()
        }
        _ => typed.to_owned(),
    }
}

fn remove_source(
    document: &Document,
    manifest: &Manifest,
    name: &str,
) -> Result<EditedManifest, Failure> {
    let at = Pointer::root().child("sources").child(name);
    if document.at(&at).is_none() {
        let section = document.at(&Pointer::root().child("sources"));
        let names: Vec<&str> = section
            .into_iter()
            .flat_map(|section| section.entries())
            .map(|(key, _)| key.content())
            .collect();
        return Err(unknown_name(
            "source",
            name,
            did_you_mean(name, "sources are", names.iter().copied()),
        ));
    }
    let uses = |unit: &agpm_model::Unit| matches!(&unit.origin, ResourceOrigin::Source(source) if source.as_str() == name);
    let users = manifest
        .dependencies
        .iter()
        .filter(|dependency| uses(&dependency.unit));
    let users = users.map(|user| format!("{}/{}", user.kind, user.name));
    let of_source = |layer: &&Layer| {
        layer
            .place
            .source()
            .is_some_and(|source| source.as_str() == name)
    };
    let layers = manifest
        .layers
        .iter()
        .filter(of_source)
        .map(|layer| layer.name.label());
    let remotes: BTreeSet<&CatalogRemote> = manifest
        .catalog
        .all()
        .filter(|remote| remote.source().is_some_and(|own| own.as_str() == name))
        .collect();
    let remotes = remotes.into_iter().map(CatalogRemote::label);
    let users: Vec<String> = users.chain(layers).chain(remotes).collect();
    if !users.is_empty() {
        let message = format!("source `{name}` is used by {}", users.join(", "));
        let diagnostic =
            Diagnostic::new(&codes::MANIFEST_IN_USE, message).help("remove these first");
        return Err(Failure::new(FailureKind::Refused, diagnostic));
    }
    let text = edit(document, &Edit::Remove { at })?;
    Ok(EditedManifest {
        text,
        done: format!("remove source {name}"),
        then: Then::Leave,
    })
}
