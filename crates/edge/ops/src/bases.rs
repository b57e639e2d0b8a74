//! The bases of a manifest: found along `extends`, pinned by the lockfile, read and put in order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, SourceSpan, codes, has_errors};
use agpm_merge::{
    DocumentGraph, ReferenceFailure, ReferenceFailureKind, ReferencePolicy, UnavailableReason,
    order,
};
use agpm_model::{
    BaseAddress, BaseName, BaseReference, BaseRoot, Checksum, DefaultHost, LONGEST_CHAIN,
    LockedBase, Lockfile, Pin, PinSource, RepositoryBase, Requirement, ResolvedVersion,
    ResourcePath, SourceAddress, SourceVersions, VersionRequirement, normalize, read_extends,
    refused_programs,
};
use agpm_plan::outdated_lock;
use agpm_resolve::{ReleaseLimit, UpdateScope};
use agpm_source::{
    AllowedDirectory, FileFetching, Source, SourceEntryKind, SourceError, SourceVersioning,
};
use agpm_store as store;
use agpm_text::{Document, Format};

use crate::documents::document_of;
use crate::reading::{MANIFEST_NAME, limit, local_path, shown};
use crate::releases::{BestVersion, best_version};
use crate::source_failure::source_failure_of;
use crate::world::World;

/// A base that was read.
#[derive(Clone, Debug)]
pub(crate) struct LoadedBase {
    pub(crate) address: BaseAddress,
    pub(crate) document: Arc<Document>,
    pub(crate) root: BaseRoot,
    pub(crate) locked: LockedBase,
}

impl LoadedBase {
    /// Its file on this machine, from the directory of the manifest; nothing for one in a repository.
    pub(crate) fn local_file(&self) -> Option<String> {
        match &self.root {
            BaseRoot::Directory(directory) => Some(format!("{directory}/{MANIFEST_NAME}")),
            BaseRoot::Snapshot { .. } => None,
        }
    }
}

/// Which versions of bases are used.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BaseVersions<'a> {
    /// Those of the lockfile where it has any that fit, except for these.
    Pinned(&'a UpdateScope),
    /// Those of the lockfile alone.
    Locked,
}

/// What finding the bases of a manifest depends on.
#[derive(Clone, Copy)]
pub(crate) struct BaseContext<'a> {
    pub(crate) world: &'a World,
    /// The directory of the manifest.
    pub(crate) folder: &'a Path,
    pub(crate) host: &'a DefaultHost,
    pub(crate) lock: Option<&'a Lockfile>,
    pub(crate) versions: BaseVersions<'a>,
    /// What policies outside of the bases require.
    pub(crate) release: Option<ReleaseLimit>,
}

/// The bases of a manifest and theirs, lowest first. Mistakes go to the notes; one that cannot be had is a failure.
pub(crate) fn load_bases(
    context: BaseContext<'_>,
    manifest: &Document,
    notes: &mut Notes,
) -> Result<Vec<LoadedBase>, Failure> {
    // What is wrong with the addresses is reported with the rest of the manifest.
    let (references, _) = read_extends(manifest, context.host);
    if references.is_empty() {
        return refuse_other_bases(context, Vec::new());
    }
    let own = Place {
        address: BaseAddress::Directory(".".to_owned()),
        spot: None,
        depth: 0,
    };
    let start = context.id_of(&own.address);
    let mut loader = Loader {
        context,
        notes,
        places: BTreeMap::from([(start.clone(), own)]),
        loaded: BTreeMap::new(),
        pins: BTreeMap::new(),
        manifest_bases: Some(references),
        failure: None,
    };
    let lineage = order(
        std::slice::from_ref(&start),
        ReferencePolicy::STRICT,
        &mut loader,
    );
    let Loader {
        mut loaded,
        failure,
        ..
    } = loader;
    let found_before = notes.diagnostics.len();
    notes.diagnostics.extend(lineage.diagnostics);
    if let Some(failure) = failure {
        return Err(failure);
    }
    if has_errors(&notes.diagnostics[found_before..]) {
        return Err(Failure::reported());
    }
    let order = lineage.order.iter();
    let bases: Vec<LoadedBase> = order.filter_map(|id| loaded.remove(id)).collect();
    let programs = bases
        .iter()
        .flat_map(|base| refused_programs(&base.document));
    let programs: Vec<Diagnostic> = programs.collect();
    if !programs.is_empty() {
        notes.diagnostics.extend(programs);
        return Err(Failure {
            kind: FailureKind::Refused,
            diagnostic: None,
        });
    }
    refuse_other_bases(context, bases)
}

/// Where the lockfile alone decides, it has to have exactly these bases.
fn refuse_other_bases(
    context: BaseContext<'_>,
    bases: Vec<LoadedBase>,
) -> Result<Vec<LoadedBase>, Failure> {
    let (BaseVersions::Locked, Some(lock)) = (context.versions, context.lock) else {
        return Ok(bases);
    };
    let is_locked = |base: &&LoadedBase| lock.bases.contains(&base.locked);
    let is_used = |locked: &&LockedBase| bases.iter().any(|base| base.locked == **locked);
    let changed = bases.iter().find(|base| !is_locked(base));
    let changed =
        changed.map(|base| format!("{} is not what is locked", base.locked.name().label()));
    let removed = lock.bases.iter().find(|locked| !is_used(locked));
    let removed = removed.map(|locked| format!("{} is not in the manifest", locked.name().label()));
    match changed.or(removed) {
        Some(difference) => Err(outdated_lock(difference)),
        None => Ok(bases),
    }
}

impl BaseContext<'_> {
    /// What tells one base from another.
    fn id_of(&self, address: &BaseAddress) -> BaseId {
        match address {
            BaseAddress::Directory(path) => BaseId(self.path_of(path).display().to_string()),
            BaseAddress::Repository(_) => BaseId(address.to_string()),
        }
    }

    /// `../base@^3` is a version of a repository on this machine, if one is there and nothing has the whole name.
    fn with_version(&self, address: BaseAddress) -> BaseAddress {
        let BaseAddress::Directory(written) = &address else {
            return address;
        };
        let Some((path, requirement)) = written.rsplit_once('@') else {
            return address;
        };
        let is_repository =
            !store::exists(&self.path_of(written)) && agpm_git::is_git_folder(&self.path_of(path));
        match (
            SourceAddress::parse(path),
            VersionRequirement::parse(requirement),
        ) {
            (Ok(url), Ok(requirement)) if is_repository => {
                BaseAddress::Repository(RepositoryBase {
                    url,
                    directory: String::new(),
                    requirement,
                })
            }
            _ => address,
        }
    }

    fn path_of(&self, directory: &str) -> PathBuf {
        normalize(&local_path(directory, self.folder, &self.world.environment))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct BaseId(String);

/// A base that something names.
struct Place {
    address: BaseAddress,
    /// The entry of `extends`; nothing for the project.
    spot: Option<SourceSpan>,
    /// How many bases are above it.
    depth: usize,
}

struct Loader<'a, 'n> {
    context: BaseContext<'a>,
    notes: &'n mut Notes,
    places: BTreeMap<BaseId, Place>,
    loaded: BTreeMap<BaseId, LoadedBase>,
    /// Bases of one repository with one requirement are of one version.
    pins: BTreeMap<(SourceAddress, String), Pin>,
    /// What the manifest itself names, until it is asked for.
    manifest_bases: Option<Vec<BaseReference>>,
    failure: Option<Failure>,
}

impl DocumentGraph for Loader<'_, '_> {
    type Id = BaseId;

    fn parents(&mut self, id: &BaseId) -> Result<Vec<BaseId>, UnavailableReason> {
        if let Some(references) = self.manifest_bases.take() {
            return Ok(self.note_places(references, 1));
        }
        let place = self.places.get(id).ok_or(UnavailableReason::Missing)?;
        let (address, spot, depth) = (place.address.clone(), place.spot, place.depth);
        if depth > LONGEST_CHAIN {
            return Err(UnavailableReason::Refused);
        }
        match self.load(&address, spot) {
            Ok((base, references)) => {
                self.loaded.insert(id.clone(), base);
                Ok(self.note_places(references, depth + 1))
            }
            Err(mut failure) => {
                let at_entry = |found: Diagnostic| match spot {
                    Some(spot) if found.labels.is_empty() => found.at_spot(spot),
                    _ => found,
                };
                failure.diagnostic = failure.diagnostic.map(at_entry);
                self.failure.get_or_insert(failure);
                Err(UnavailableReason::Malformed)
            }
        }
    }

    fn describe(&mut self, flaw: &ReferenceFailure<BaseId>) -> Option<Diagnostic> {
        let names = flaw.chain.iter().map(|id| self.name_of(id));
        let chain = names.collect::<Vec<_>>().join(" -> ");
        let (code, message, help) = match flaw.kind {
            ReferenceFailureKind::Cyclic => (
                &codes::BASE_CYCLE,
                format!("a base extends itself: {chain}"),
                "remove one of these from an `extends`",
            ),
            ReferenceFailureKind::Refused => (
                &codes::BASE_CHAIN,
                format!("a chain of bases has more than {LONGEST_CHAIN}: {chain}"),
                "list several bases in one `extends` instead",
            ),
            ReferenceFailureKind::Missing | ReferenceFailureKind::Malformed => return None,
        };
        let diagnostic = Diagnostic::new(code, message).help(help);
        let spot = flaw.chain.last().and_then(|id| self.places.get(id)?.spot);
        Some(match spot {
            Some(spot) => diagnostic.at_spot(spot),
            None => diagnostic,
        })
    }
}

impl Loader<'_, '_> {
    fn name_of(&self, id: &BaseId) -> String {
        let place = self.places.get(id);
        place.map_or_else(String::new, |place| place.address.to_string())
    }

    fn note_places(&mut self, references: Vec<BaseReference>, depth: usize) -> Vec<BaseId> {
        let mut ids = Vec::new();
        for BaseReference { address, spot } in references {
            let address = self.context.with_version(address);
            let id = self.context.id_of(&address);
            let place = Place {
                address,
                spot: Some(spot),
                depth,
            };
            // The entry that closes a cycle is the one to show.
            match self.places.get_mut(&id) {
                Some(known) => known.spot = known.spot.or(place.spot),
                None => drop(self.places.insert(id.clone(), place)),
            }
            ids.push(id);
        }
        ids
    }

    fn load(
        &mut self,
        address: &BaseAddress,
        spot: Option<SourceSpan>,
    ) -> Result<(LoadedBase, Vec<BaseReference>), Failure> {
        let found = match address {
            BaseAddress::Directory(path) => self.in_directory(address, path)?,
            BaseAddress::Repository(base) => self.in_repository(address, base, spot)?,
        };
        let FoundManifest {
            name,
            bytes,
            root,
            pin,
        } = found;
        let checksum = Checksum::of(&bytes);
        let found_before = self.notes.diagnostics.len();
        let document = document_of(name, bytes, Format::Toml, self.notes)?;
        if has_errors(&self.notes.diagnostics[found_before..]) {
            return Err(Failure::reported());
        }
        let (references, _) = read_extends(&document, self.context.host);
        let references = references
            .into_iter()
            .map(|reference| self.seen_from(reference, &root, address))
            .collect::<Result<Vec<_>, _>>()?;
        let directory = match &root {
            BaseRoot::Directory(directory) | BaseRoot::Snapshot { directory, .. } => directory,
        };
        let locked = LockedBase {
            directory: directory.clone(),
            pin,
            checksum,
        };
        let base = LoadedBase {
            address: address.clone(),
            document,
            root,
            locked,
        };
        Ok((base, references))
    }

    /// A base as another one names it: its relative paths start there.
    fn seen_from(
        &self,
        reference: BaseReference,
        root: &BaseRoot,
        parent: &BaseAddress,
    ) -> Result<BaseReference, Failure> {
        let BaseReference { address, spot } = reference;
        let address = match (address, root, parent) {
            (BaseAddress::Directory(path), BaseRoot::Directory(directory), _)
                if is_relative(&path) =>
            {
                BaseAddress::Directory(plain_path(&format!("{directory}/{path}")))
            }
            (
                BaseAddress::Directory(path),
                BaseRoot::Snapshot { directory, .. },
                BaseAddress::Repository(parent),
            ) if is_relative(&path) => {
                let inner = agpm_model::joined_path(directory, &path).ok_or_else(|| {
                    let message = "this path leads out of the repository of its base";
                    Diagnostic::new(&codes::MANIFEST_ESCAPE, message).at_spot(spot)
                })?;
                BaseAddress::Repository(RepositoryBase {
                    directory: inner,
                    ..parent.clone()
                })
            }
            (address, ..) => address,
        };
        Ok(BaseReference { address, spot })
    }

    fn in_directory(
        &mut self,
        address: &BaseAddress,
        directory: &str,
    ) -> Result<FoundManifest, Failure> {
        let context = self.context;
        let directory = plain_path(directory);
        let path = context.path_of(&directory);
        let file = path.join(MANIFEST_NAME);
        // A bare repository has no files of its own, only versions.
        if !store::exists(&file)
            && agpm_git::is_git_folder(&path)
            && let Ok(url) = SourceAddress::parse(&directory)
        {
            let base = RepositoryBase {
                url,
                directory: String::new(),
                requirement: VersionRequirement::parse(agpm_model::DEFAULT_VERSION)
                    .expect("a good name"),
            };
            return self.in_repository(address, &base, None);
        }
        let seen = |error: store::StoreError| error.seen_from(context.folder);
        AllowedDirectory::of(context.folder)
            .guard(&file)
            .map_err(seen)?;
        let bytes = match store::read(&file, limit()) {
            Err(store::StoreError {
                problem: store::StoreProblem::NotFound,
                ..
            }) => return Err(missing(&address.name(), None)),
            read => read.map_err(seen)?,
        };
        Ok(FoundManifest {
            name: shown(&context.world.environment, &file),
            bytes,
            root: BaseRoot::Directory(directory),
            pin: None,
        })
    }

    fn in_repository(
        &mut self,
        address: &BaseAddress,
        base: &RepositoryBase,
        spot: Option<SourceSpan>,
    ) -> Result<FoundManifest, Failure> {
        let world = self.context.world;
        let sources = world.environment.source_context(self.context.folder);
        let source = world.sources.open(&base.url, &sources);
        if let (SourceVersioning::Unversioned, Some(place)) = (source.versioning(), source.place())
        {
            let path = place.join(&base.directory);
            return self.in_directory(address, &path.display().to_string());
        }
        let name = address.to_string();
        world.progress.source_began(&name);
        let found = self.at_version(address, base, &*source);
        world.progress.source_ended(&name);
        found.map_err(|mut failure| {
            let located = failure.diagnostic.take();
            failure.diagnostic = located.map(|found| match spot {
                Some(spot) => found.at_spot(spot),
                None => found,
            });
            failure
        })
    }

    fn at_version(
        &mut self,
        address: &BaseAddress,
        base: &RepositoryBase,
        source: &dyn Source,
    ) -> Result<FoundManifest, Failure> {
        let name = address.name();
        let pin = self.pin(&name, base, source)?;
        let failed = |error| base_failure(&name, error);
        let commit = &pin.commit;
        if !source.has_revision(commit) {
            let revisions = std::slice::from_ref(commit);
            source
                .fetch(revisions, FileFetching::OnDemand)
                .map_err(failed)?;
        }
        let path = match base.directory.as_str() {
            "" => MANIFEST_NAME.to_owned(),
            directory => format!("{directory}/{MANIFEST_NAME}"),
        };
        let entry = source.entry(Some(commit), &path).map_err(failed)?;
        let entry = entry.filter(|entry| matches!(entry.kind, SourceEntryKind::File(_)));
        let entry = entry.ok_or_else(|| missing(&name, Some(&pin.version)))?;
        let read = source.read(&[&entry]).map_err(failed)?;
        Ok(FoundManifest {
            name: format!("{}//{path}@{}", base.url.redacted(), pin.version),
            bytes: read.into_iter().next().unwrap_or_default(),
            root: BaseRoot::Snapshot {
                url: base.url.clone(),
                directory: base.directory.clone(),
                commit: commit.clone(),
            },
            pin: Some(pin),
        })
    }

    fn pin(
        &mut self,
        name: &BaseName,
        base: &RepositoryBase,
        source: &dyn Source,
    ) -> Result<Pin, Failure> {
        let key = (base.url.clone(), base.requirement.as_str().to_owned());
        if let Some(known) = self.pins.get(&key) {
            return Ok(known.clone());
        }
        let lock = self.context.lock;
        let locked = lock.into_iter().flat_map(|lock| &lock.bases);
        let mut pins = locked.filter_map(|locked| locked.pin.as_ref());
        let locked = pins.find(|pin| base.is_pinned_by(pin)).cloned();
        let pin = match (self.context.versions, locked) {
            (BaseVersions::Locked, Some(pin)) => pin,
            (BaseVersions::Locked, None) => {
                let message = format!("{} is not in the lockfile", name.label());
                return Err(outdated_lock(message));
            }
            (BaseVersions::Pinned(moving), Some(pin)) if !moving.moves_base(name) => pin,
            (BaseVersions::Pinned(_), _) => {
                let best = best_base(name, base, source, self.context.release)?;
                self.notes.diagnostics.extend(best.note(&name.label()));
                pin_of(base, best.version)
            }
        };
        self.pins.insert(key, pin.clone());
        Ok(pin)
    }
}

/// The bytes of a base's `agpm.toml`, and where they are.
struct FoundManifest {
    /// The file as diagnostics show it.
    name: String,
    bytes: Vec<u8>,
    root: BaseRoot,
    pin: Option<Pin>,
}

fn base_failure(name: &BaseName, error: SourceError) -> Failure {
    let mut failure = source_failure_of(&format!("base `{name}`"), error);
    if let Some(found) = &mut failure.diagnostic
        && *found.code == codes::SOURCE_UNREACHABLE
    {
        found.help = Some("check the address in `extends` and the connection".to_owned());
    }
    failure
}

/// The best version of a base.
fn best_base(
    name: &BaseName,
    base: &RepositoryBase,
    source: &dyn Source,
    limit: Option<ReleaseLimit>,
) -> Result<BestVersion, Failure> {
    let selector = Requirement::Version(base.requirement.clone());
    let best = best_version(source, &selector, limit).map_err(|error| base_failure(name, error))?;
    best.ok_or_else(|| no_version(name, base, source))
}

fn no_version(name: &BaseName, base: &RepositoryBase, source: &dyn Source) -> Failure {
    let required = base.requirement.as_str();
    let message = format!("base `{name}` has no version that fits `{required}`");
    let tags = source.versions().map(|versions| versions.stable_tags());
    let tags = tags.unwrap_or_default();
    let newest: Vec<&str> = tags.iter().take(5).map(|tag| tag.name()).collect();
    let help = match newest.as_slice() {
        [] => "it has no tags with a version; name a branch".to_owned(),
        newest => format!("its newest versions are {}", newest.join(", ")),
    };
    Diagnostic::new(&codes::PACKAGE_VERSION, message)
        .help(help)
        .into()
}

fn pin_of(base: &RepositoryBase, version: ResolvedVersion) -> Pin {
    Pin {
        source: PinSource::Address(base.url.redacted().to_owned()),
        requirement: Some(base.requirement.as_str().to_owned()),
        version: version.label,
        commit: version.revision,
    }
}

/// What bases in repositories would be today, and all versions that their repositories have.
pub(crate) fn bases_today(
    world: &World,
    folder: &Path,
    bases: &[LoadedBase],
    limit: Option<ReleaseLimit>,
) -> Result<Vec<BaseToday>, Failure> {
    let sources = world.environment.source_context(folder);
    let mut today = Vec::new();
    for base in bases {
        let BaseAddress::Repository(repository) = &base.address else {
            continue;
        };
        let source = world.sources.open(&repository.url, &sources);
        if source.versioning() == SourceVersioning::Unversioned {
            continue;
        }
        let name = base.locked.name();
        let failed = |error| base_failure(&name, error);
        today.push(BaseToday {
            pin: pin_of(
                repository,
                best_base(&name, repository, &*source, limit)?.version,
            ),
            versions: source.versions().map_err(failed)?,
            name,
        });
    }
    Ok(today)
}

/// What a base would be today.
pub(crate) struct BaseToday {
    pub(crate) name: BaseName,
    pub(crate) pin: Pin,
    pub(crate) versions: Arc<SourceVersions>,
}

fn missing(name: &BaseName, version: Option<&str>) -> Failure {
    let version = version.map(|version| format!(" at {version}"));
    let version = version.unwrap_or_default();
    let message = format!("base `{name}` has no `{MANIFEST_NAME}`{version}");
    let help = "check the path and the version in `extends`";
    Diagnostic::new(&codes::BASE_MISSING, message)
        .help(help)
        .into()
}

fn is_relative(path: &str) -> bool {
    !path.starts_with(['/', '~'])
}

/// A path without `.` and with `..` only at its beginning.
fn plain_path(path: &str) -> String {
    ResourcePath::local(path).map_or_else(|_| ".".to_owned(), |path| path.to_string())
}
