//! Reads the bases of a manifest from directories and repositories.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::manifest::{BaseFile, BasePins, BaseReader, plain_path};
use agpm_diag::{Diagnostic, Failure, Notes, SourceSpan, codes};
use agpm_model::{
    BaseAddress, BaseName, BaseRoot, DEFAULT_VERSION, Pin, PinSource, RepositoryBase, Requirement,
    ResolvedVersion, SourceAddress, SourceVersions, VersionLabel, VersionRequirement, normalize,
};
use agpm_resolve::ReleaseLimit;
use agpm_source::{
    AllowedDirectory, FileFetching, Source, SourceEntryKind, SourceError, SourceVersioning,
};
use agpm_store as store;

use crate::manifest::MANIFEST_NAME;
use crate::project::reading::{display_path, limit, local_path};
use crate::project::releases::{BestVersion, best_version};
use crate::project::source_failure::source_failure_of;
use crate::project::world::World;

use crate::manifest::LoadedBase;

/// The reader of bases for one manifest.
pub(crate) struct WorldBases<'a> {
    /// The ports to sources and environment.
    pub world: &'a World,
    /// The directory of the manifest.
    pub directory: &'a Path,
    /// The release limit of policies outside of the bases.
    pub release: Option<ReleaseLimit>,
}

impl BaseReader for WorldBases<'_> {
    fn identity(&self, directory: &str) -> String {
        self.path_of(directory).display().to_string()
    }

    fn with_version(&self, address: BaseAddress) -> BaseAddress {
        let BaseAddress::Directory(written) = &address else {
            return address;
        };
        let Some((path, requirement)) = written.rsplit_once('@') else {
            return address;
        };
        let is_repository = !store::exists(&self.path_of(written))
            && agpm_source::git::is_git_directory(&self.path_of(path));
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

    fn read(
        &mut self,
        address: &BaseAddress,
        spot: Option<SourceSpan>,
        pins: &mut BasePins<'_>,
        notes: &mut Notes,
    ) -> Result<BaseFile, Failure> {
        let mut reading = BaseReading {
            bases: self,
            address,
            pins,
            notes,
        };
        match address {
            BaseAddress::Directory(path) => reading.in_directory(path),
            BaseAddress::Repository(base) => reading.in_repository(base, spot),
        }
    }
}

impl WorldBases<'_> {
    fn path_of(&self, directory: &str) -> PathBuf {
        normalize(&local_path(
            directory,
            self.directory,
            &self.world.environment,
        ))
    }
}

/// The state while one base is read.
struct BaseReading<'r, 'p> {
    bases: &'r WorldBases<'r>,
    address: &'r BaseAddress,
    pins: &'r mut BasePins<'p>,
    notes: &'r mut Notes,
}

impl BaseReading<'_, '_> {
    fn in_directory(&mut self, directory: &str) -> Result<BaseFile, Failure> {
        let bases = self.bases;
        let directory = plain_path(directory);
        let path = bases.path_of(&directory);
        let file = path.join(MANIFEST_NAME);
        let seen = |error: store::StoreError| error.seen_from(bases.directory);
        AllowedDirectory::of(bases.directory)
            .guard(&file)
            .map_err(seen)?;
        // A bare repository has no work tree, so its default branch is read.
        if !store::exists(&file)
            && agpm_source::git::is_git_directory(&path)
            && let Ok(url) = SourceAddress::parse(&directory)
        {
            let base = RepositoryBase {
                url,
                directory: String::new(),
                requirement: VersionRequirement::parse(DEFAULT_VERSION).expect("a good name"),
            };
            return self.in_repository(&base, None);
        }
        let bytes = match store::read_regular(&file, limit()) {
            Err(store::StoreError {
                problem: store::StoreProblem::NotFound,
                ..
            }) => return Err(missing(&self.address.name(), None)),
            read => read.map_err(seen)?,
        };
        Ok(BaseFile {
            name: display_path(&bases.world.environment, &file),
            bytes,
            root: BaseRoot::Directory(directory),
            pin: None,
        })
    }

    fn in_repository(
        &mut self,
        base: &RepositoryBase,
        spot: Option<SourceSpan>,
    ) -> Result<BaseFile, Failure> {
        let world = self.bases.world;
        let sources = world.environment.source_context(self.bases.directory);
        let source = world.sources.open(&base.url, &sources);
        if let (SourceVersioning::Unversioned, Some(local)) =
            (source.versioning(), source.local_directory())
        {
            let path = local.join(&base.directory);
            return self.in_directory(&path.display().to_string());
        }
        let found = self.at_version(base, &*source);
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
        base: &RepositoryBase,
        source: &dyn Source,
    ) -> Result<BaseFile, Failure> {
        let name = self.address.name();
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
        source.fetch_files(&[&entry]).map_err(failed)?;
        let read = source.read(&[&entry]).map_err(failed)?;
        Ok(BaseFile {
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
        let pin = match self.pins.choose(name, base)? {
            Some(pin) => pin,
            None => {
                let best = best_base(name, base, source, self.bases.release)?;
                self.notes.diagnostics.extend(best.note(&name.label()));
                pin_of(base, best.version)
            }
        };
        self.pins.keep(base, &pin);
        Ok(pin)
    }
}

fn base_failure(name: &BaseName, error: SourceError) -> Failure {
    let mut failure = source_failure_of(&format!("base `{name}`"), error);
    if let Some(found) = &mut failure.diagnostic
        && *found.code == codes::SOURCE_UNREACHABLE
    {
        found.help = Some("check the URL in `extends` and the connection".to_owned());
    }
    failure
}

/// Returns the best allowed version of a base.
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
    let newest: Vec<&str> = tags.iter().take(5).map(VersionLabel::as_str).collect();
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

/// Returns the newest allowed pin of each base in a repository, with all versions of the repository.
pub(crate) fn bases_today(
    world: &World,
    directory: &Path,
    bases: &[LoadedBase],
    limit: Option<ReleaseLimit>,
) -> Result<Vec<BaseToday>, Failure> {
    let sources = world.environment.source_context(directory);
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

/// The newest allowed version of a base.
pub(crate) struct BaseToday {
    /// The name of the base.
    pub name: BaseName,
    /// The pin that `update` would write.
    pub pin: Pin,
    /// The tags and branches of the repository.
    pub versions: Arc<SourceVersions>,
}

fn missing(name: &BaseName, version: Option<&VersionLabel>) -> Failure {
    let version = version.map(|version| format!(" at {version}"));
    let version = version.unwrap_or_default();
    let message = format!("base `{name}` has no `{MANIFEST_NAME}`{version}");
    let help = "check the path and the version in `extends`";
    Diagnostic::new(&codes::BASE_MISSING, message)
        .help(help)
        .into()
}
