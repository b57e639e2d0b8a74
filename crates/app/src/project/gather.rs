//! Reads the manifest, its private part, the configuration and policies, and builds the project from them.

use std::path::{Path, PathBuf};

use crate::manifest::{
    BaseRules, ManifestDocuments, load_bases, required_release_age, source_names,
};
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, codes, did_you_mean};
use agpm_merge::{Contribution, LayerFile};
use agpm_model::{
    BUILT_IN, Dependency, LOCK_NAME, Layer, LayerLocation, LayerName, Manifest, PRIVATE_LOCK_NAME,
    RelativePath, Strategy, normalize,
};
use agpm_resolve::{ReleaseLimit, UpdateScope, bind_locked_plugins};
use agpm_source::AllowedDirectory;
use agpm_store as store;
use agpm_text::Format;

use crate::manifest::MANIFEST_NAME;
use crate::manifest::{BaseVersions, LoadedBase};
use crate::project::bases::WorldBases;
use crate::project::packages::readable_locks;
use crate::project::path_of;
use crate::project::policy_files::{PolicyFile, policy_files};
use crate::project::reading::{PRIVATE_NAME, display_path, limit, local_path, optional};
use crate::project::scope::{
    ManifestLocation, NearestManifest, SiblingFile, beside, foreign_state, state_of,
};
use crate::project::text_patches::{EditedTextPatch, read_text_patches};
use crate::project::world::{Environment, InstallScope, ManifestUse, World};
use agpm_text::document_of;

use agpm_diag::unknown_name;

/// Returns a file of agpm's state that git tracks in the project.
fn tracked_record(opened: &store::ProjectStore, scope: InstallScope) -> Option<String> {
    if scope == InstallScope::User || !store::is_directory(&opened.state_directory()) {
        return None;
    }
    agpm_source::git::first_tracked(opened.path(), |path| state_of(scope).is_record(path))
}

/// Returns the finding about a state that is ignored.
pub(crate) fn ignored_state(
    opened: &store::ProjectStore,
    scope: InstallScope,
) -> Option<Diagnostic> {
    if opened.state_use() == store::StateUse::Believed {
        return None;
    }
    foreign_state(opened).or_else(|| tracked_record(opened, scope).map(tracked_state))
}

fn tracked_state(path: String) -> Diagnostic {
    let message = format!("`{path}` is tracked by git, and is ignored");
    let help = "run `git rm -r --cached .agpm`, and commit that: what agpm did on one machine is not known on another";
    Diagnostic::new(&codes::INSTALL_FOREIGN_STATE, message)
        .in_file(path)
        .help(help)
}

/// The files that a manifest is read from, unparsed.
#[derive(Clone, Debug)]
pub(crate) struct ManifestFiles {
    /// The path of `agpm.toml`.
    pub path: PathBuf,
    root: PathBuf,
    scope: InstallScope,
    project: Vec<u8>,
    private: Option<Vec<u8>>,
    config: Option<(PathBuf, Vec<u8>)>,
    policies: Vec<PolicyFile>,
    /// Diffs of patches that a command is about to write.
    text_patches: Vec<EditedTextPatch>,
}

impl ManifestFiles {
    /// Finds and reads the files; `None` without a manifest.
    pub(crate) fn find(
        environment: &Environment,
        wanted: ManifestUse,
    ) -> Result<Option<Self>, Failure> {
        let Some(ManifestLocation {
            manifest: path,
            root,
        }) = ManifestLocation::find(environment, wanted)?
        else {
            return Ok(None);
        };
        if environment.scope == InstallScope::User && !store::exists(&path) {
            return Ok(None);
        }
        let seen = |error: store::StoreError| error.seen_from(&environment.working_directory);
        // Messages quote lines of these files, and a clone can make symlinks of them.
        let bounds = AllowedDirectory::of(path.parent().unwrap_or(Path::new(".")));
        for file in [&path, &path.with_file_name(PRIVATE_NAME)] {
            bounds.guard(file).map_err(seen)?;
        }
        let project = store::read(&path, limit()).map_err(seen)?;
        let private = optional(environment, &path.with_file_name(PRIVATE_NAME))?;
        let config = configuration(environment)?;
        Ok(Some(ManifestFiles {
            path,
            root,
            scope: environment.scope,
            project,
            private,
            config,
            policies: policy_files(environment)?,
            text_patches: Vec::new(),
        }))
    }

    /// Reads the user configuration with an empty manifest; `None` without a configuration.
    pub(crate) fn configuration_alone(environment: &Environment) -> Result<Option<Self>, Failure> {
        let files = |config: (PathBuf, Vec<u8>)| ManifestFiles {
            path: environment.working_directory.join(MANIFEST_NAME),
            root: environment.working_directory.clone(),
            scope: environment.scope,
            project: Vec::new(),
            private: None,
            config: Some(config),
            policies: Vec::new(),
            text_patches: Vec::new(),
        };
        Ok(configuration(environment)?.map(files))
    }

    /// Finds and reads the files; fails without a manifest.
    pub(crate) fn require(environment: &Environment) -> Result<Self, Failure> {
        ManifestFiles::find(environment, ManifestUse::Nearest)?
            .ok_or_else(|| missing_manifest(environment))
    }

    /// Finds and reads the files; without a manifest, returns an empty one at the path where it would be created, in
    /// the working directory or for the user.
    pub(crate) fn find_or_new(environment: &Environment) -> Result<Self, Failure> {
        if let Some(files) = ManifestFiles::find(environment, ManifestUse::Nearest)? {
            return Ok(files);
        }
        let ManifestLocation { manifest, root } = match environment.scope {
            InstallScope::User => ManifestLocation::of_user(environment)?,
            InstallScope::Project => ManifestLocation {
                manifest: environment.working_directory.join(MANIFEST_NAME),
                root: environment.working_directory.clone(),
            },
        };
        Ok(ManifestFiles {
            private: optional(environment, &manifest.with_file_name(PRIVATE_NAME))?,
            path: manifest,
            root,
            scope: environment.scope,
            project: Vec::new(),
            config: configuration(environment)?,
            policies: policy_files(environment)?,
            text_patches: Vec::new(),
        })
    }

    /// Returns the names of the sources in the private manifest.
    pub(crate) fn private_sources(&self) -> Vec<String> {
        self.private
            .as_deref()
            .map(source_names)
            .unwrap_or_default()
    }

    /// Replaces the content of the manifest.
    pub(crate) fn with_project(self, project: Vec<u8>) -> Self {
        ManifestFiles { project, ..self }
    }

    /// Replaces diffs of patches.
    pub(crate) fn with_text_patches(self, text_patches: Vec<EditedTextPatch>) -> Self {
        ManifestFiles {
            text_patches,
            ..self
        }
    }

    /// Takes the policies outside the manifest out of the files.
    pub(crate) fn without_policies(mut self) -> (Self, Vec<PolicyFile>) {
        let policies = std::mem::take(&mut self.policies);
        (self, policies)
    }

    /// Returns the directory of the manifest, which local paths are relative to.
    pub(crate) fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// Returns the directory to install into: the one of the manifest, or home for the user manifest.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Opens the store of the project.
    pub(crate) fn store(&self) -> Result<store::ProjectStore, store::StoreError> {
        // A ledger or history that git tracks came with the clone and may be forged, so it is ignored (ADR 9).
        let opened = store::ProjectStore::open_at(&self.root, state_of(self.scope))?;
        Ok(match tracked_record(&opened, self.scope) {
            Some(_) => opened.ignoring_state(),
            None => opened,
        })
    }

    /// Returns how a transaction writes the manifest.
    pub(crate) fn manifest_file(&self) -> Result<SiblingFile, Failure> {
        match self.scope {
            InstallScope::Project => manifest_path(&self.path).map(SiblingFile::Within),
            InstallScope::User => Ok(beside(&self.root, &self.path)),
        }
    }

    /// Returns how a transaction writes the lockfile.
    pub(crate) fn lock_file(&self) -> SiblingFile {
        self.sibling(LOCK_NAME)
    }

    /// Returns how a transaction writes the private manifest.
    pub(crate) fn private_file(&self) -> SiblingFile {
        self.sibling(PRIVATE_NAME)
    }

    /// Returns how a transaction writes the lockfile of what only one user has.
    pub(crate) fn private_lock_file(&self) -> SiblingFile {
        self.sibling(PRIVATE_LOCK_NAME)
    }

    fn sibling(&self, name: &'static str) -> SiblingFile {
        match self.scope {
            InstallScope::Project => SiblingFile::Within(path_of(name)),
            InstallScope::User => beside(&self.root, &self.path.with_file_name(name)),
        }
    }

    /// Returns the content of the private manifest; `None` without one.
    pub(crate) fn private(&self) -> Option<&[u8]> {
        self.private.as_deref()
    }

    /// Replaces the content of the private manifest.
    pub(crate) fn with_private(self, private: Vec<u8>) -> Self {
        ManifestFiles {
            private: Some(private),
            ..self
        }
    }

    /// Returns how a transaction writes a file next to the manifest.
    pub(crate) fn file_beside(&self, path: &RelativePath) -> SiblingFile {
        match self.scope {
            InstallScope::Project => SiblingFile::Within(path.clone()),
            InstallScope::User => beside(&self.root, &self.directory().join(path.as_str())),
        }
    }

    /// Returns the content of the manifest.
    pub(crate) fn project(&self) -> &[u8] {
        &self.project
    }

    /// Returns the bytes of all files, lowest rank first. Each part is preceded by its length, so different files
    /// cannot have the same fingerprint; a missing file differs from an empty one.
    pub(crate) fn fingerprint(&self) -> Vec<u8> {
        let config = self.config.as_ref().map(|(_, bytes)| bytes);
        let mut out = Vec::new();
        for part in [config, Some(&self.project), self.private.as_ref()] {
            let length = part.map_or(u64::MAX, |bytes| bytes.len() as u64);
            out.extend_from_slice(&length.to_le_bytes());
            out.extend_from_slice(part.map_or(&[], Vec::as_slice));
        }
        // Nothing is added without policies, so the ledgers of such projects stay valid.
        for policy in &self.policies {
            let bytes = policy.bytes.as_deref().unwrap_or_default();
            out.extend_from_slice(policy.label.as_bytes());
            out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
            out.extend_from_slice(bytes);
        }
        out
    }
}

/// How errors in a manifest are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorTolerance {
    /// Fail.
    Stop,
    /// Report them, and use the valid parts of the manifest.
    Report,
}

impl ErrorTolerance {
    fn check(self, notes: &Notes) -> Result<(), Failure> {
        if self == ErrorTolerance::Stop {
            notes.check()
        } else {
            Ok(())
        }
    }
}

/// A manifest with the directories that it belongs to.
#[derive(Debug, Default)]
pub(crate) struct Project {
    /// The manifest, merged with its bases.
    pub manifest: Manifest,
    /// Policies outside of the manifest, unparsed: only commands that install check them.
    pub policy_files: Vec<PolicyFile>,
    /// The directory of the manifest.
    pub directory: Option<PathBuf>,
    /// The directory that resources are installed into.
    pub root: Option<PathBuf>,
    /// The manifests that this one extends, lowest rank first.
    pub bases: Vec<LoadedBase>,
    /// The documents that the manifest is merged from, lowest rank first.
    pub texts: Vec<Contribution>,
}

impl Project {
    /// Reads the manifest; without one, returns the defaults.
    pub(crate) fn load(
        world: &World,
        wanted: ManifestUse,
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let environment = &world.environment;
        match ManifestFiles::find(environment, wanted)? {
            Some(files) => Project::of(world, files, notes),
            None => {
                let is_nearest = wanted == ManifestUse::Nearest;
                notes.diagnostics.extend(
                    is_nearest
                        .then(|| NearestManifest::warnings(environment))
                        .into_iter()
                        .flatten(),
                );
                Ok(Project::default())
            }
        }
    }

    /// Reads the user manifest; `None` if it does not exist, or if home is unknown.
    pub(crate) fn of_user(world: &World, notes: &mut Notes) -> Result<Option<Self>, Failure> {
        let mut world = world.clone();
        world.environment.scope = InstallScope::User;
        let environment = &world.environment;
        let has_home = environment.home.is_some() && environment.config_directory.is_some();
        let files = if has_home {
            ManifestFiles::find(environment, ManifestUse::Nearest)?
        } else {
            None
        };
        files
            .map(|files| Project::of(&world, files, notes))
            .transpose()
    }

    /// Reads a manifest, and fails if it has errors.
    pub(crate) fn of(
        world: &World,
        files: ManifestFiles,
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        Project::read(world, files, ErrorTolerance::Stop, notes)
    }

    /// Reads a manifest, and treats errors as `mistakes` says.
    pub(crate) fn read(
        world: &World,
        files: ManifestFiles,
        mistakes: ErrorTolerance,
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let versions = BaseVersions::Pinned(&UpdateScope::Nothing);
        Project::with_bases(world, files, versions, mistakes, notes)
    }

    /// Reads a manifest with these versions of its bases.
    pub(crate) fn with_bases(
        world: &World,
        files: ManifestFiles,
        versions: BaseVersions<'_>,
        mistakes: ErrorTolerance,
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let environment = &world.environment;
        let directory = files.directory().to_owned();
        let name = display_path(environment, &files.path);
        notes.log.push(format!("the manifest is {name}"));
        notes
            .diagnostics
            .extend(NearestManifest::warnings(environment));
        let opened = files.store().ok();
        notes
            .diagnostics
            .extend(opened.and_then(|opened| ignored_state(&opened, environment.scope)));
        let mut read = |path: &Path, bytes| {
            document_of(display_path(environment, path), bytes, Format::Toml, notes)
        };
        let own = read(&files.path, files.project)?;
        let text_patches = files.text_patches;
        let private = files.private;
        let private = private.map(|bytes| read(&files.path.with_file_name(PRIVATE_NAME), bytes));
        let private = private.transpose()?;
        let config = files.config.map(|(path, bytes)| read(&path, bytes));
        let documents = ManifestDocuments {
            own,
            private,
            config: config.transpose()?,
        };
        // Syntax errors do not end the reading at once: unknown keys and wrong values are reported in the same run.
        let syntax_errors = match mistakes.check(notes) {
            Ok(()) => Vec::new(),
            Err(failure) => documents.syntax_errors(notes).ok_or(failure)?,
        };
        let extends = documents.extends();
        let read_lock = || readable_locks(&directory);
        let is_fixed = matches!(versions, BaseVersions::Locked);
        // Few manifests have bases. Without them, reading a project does not parse the lockfile here.
        let lock = (extends || is_fixed).then(read_lock).flatten();
        let policies = files.policies.iter();
        let policies = policies.filter_map(|file| file.bytes.as_deref());
        let min_age = extends.then(|| required_release_age(policies, &documents.own));
        let mut reader = WorldBases {
            world,
            directory: &directory,
            release: min_age.flatten().map(|min_age| ReleaseLimit {
                min_age,
                now: (world.clock)(),
            }),
        };
        let rules = BaseRules {
            host: &documents.default_host(),
            lock: lock.as_ref(),
            versions,
        };
        let bases = match load_bases(rules, &mut reader, &documents.own, notes) {
            Err(failure) if mistakes == ErrorTolerance::Report => {
                notes.diagnostics.extend(failure.diagnostic);
                Vec::new()
            }
            bases => bases?,
        };
        let mut manifest = documents.read(files.scope, &bases, &syntax_errors, notes);
        read_text_patches(&mut manifest, &directory, &text_patches, notes);
        mistakes.check(notes)?;
        let has_marketplace = |dependency: &Dependency| dependency.marketplace.is_some();
        if manifest.dependencies.iter().any(has_marketplace)
            && let Some(lock) = lock.or_else(read_lock)
        {
            bind_locked_plugins(&mut manifest, &lock);
        }
        Ok(Project {
            manifest,
            texts: documents.contributions(&bases),
            bases,
            policy_files: files.policies,
            directory: files.path.parent().map(Path::to_owned),
            root: Some(files.root),
        })
    }

    /// Returns the path that `[merge]` uses for a file: relative to its layer or to the project, or else its name.
    pub(crate) fn path_of(&self, environment: &Environment, file: &Path) -> String {
        let full = normalize(&environment.resolve(file));
        let base = self
            .directory
            .as_deref()
            .unwrap_or(&environment.working_directory);
        let of_layer = |layer: &Layer| match &layer.location {
            LayerLocation::Directory(path) => {
                let directory = local_path(path, base, environment);
                let root = layer.root.as_ref().map_or("", |root| root.as_str());
                full.strip_prefix(normalize(&directory.join(root))).ok()
            }
            LayerLocation::Source(..) => None,
        };
        let in_layer = self.manifest.layers.iter().find_map(of_layer);
        let in_project = || {
            self.root
                .as_ref()
                .and_then(|root| full.strip_prefix(root).ok())
        };
        let path = in_layer.or_else(in_project).map(Path::to_owned);
        let path = path.or_else(|| full.file_name().map(PathBuf::from));
        path.unwrap_or_default()
            .to_string_lossy()
            .replace('\\', "/")
    }

    /// Returns the strategy of that name, or a failure that suggests similar names.
    pub(crate) fn strategy(&self, name: &str) -> Result<Strategy, Failure> {
        self.manifest.strategy(name).ok_or_else(|| {
            let own = self
                .manifest
                .strategies
                .iter()
                .map(|strategy| strategy.name.as_str());
            let names: Vec<&str> = BUILT_IN
                .iter()
                .map(|built_in| built_in.name)
                .chain(own)
                .collect();
            unknown_name(
                "strategy",
                name,
                did_you_mean(name, "strategies are", names.iter().copied()),
            )
        })
    }
}

/// The failure of a command that needs a manifest.
pub(crate) fn missing_manifest(environment: &Environment) -> Failure {
    let (message, help) = match (environment.scope, ManifestLocation::of_user(environment)) {
        (InstallScope::User, Ok(location)) => (
            format!("no `{}`", display_path(environment, &location.manifest)),
            "run `agpm init -g` to create one",
        ),
        _ => (
            format!("no `{MANIFEST_NAME}` in this directory or its parents"),
            "run `agpm init` to create one, or name it with `--manifest-path`",
        ),
    };
    let ignored = NearestManifest::warnings(environment)
        .into_iter()
        .map(|found| found.message);
    Diagnostic::new(&codes::MANIFEST_MISSING, message)
        .details(ignored)
        .help(help)
        .into()
}

/// Returns the manifest's path relative to its own directory.
fn manifest_path(path: &Path) -> Result<RelativePath, Failure> {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    RelativePath::new(&name).map_err(|error| {
        let message = format!("`{name}` cannot be changed: {error}");
        Diagnostic::new(&codes::IO_UNREADABLE, message)
            .help("give the manifest another name")
            .into()
    })
}

/// Fails if the manifest is a symlink, because a transaction would replace the symlink with a file.
pub(crate) fn refuse_link(store: &store::ProjectStore, file: &SiblingFile) -> Result<(), Failure> {
    let SiblingFile::Within(path) = file else {
        return Ok(());
    };
    match store.observe(path)? {
        agpm_model::ObservedPath::Symlink => {
            let message =
                format!("`{path}` is a symlink, and agpm does not write through symlinks");
            let diagnostic = Diagnostic::new(&codes::IO_EXISTS, message).in_file(path.as_str());
            let diagnostic =
                diagnostic.help("run the command where the manifest really is, or edit it by hand");
            Err(Failure::new(FailureKind::Refused, diagnostic))
        }
        _ => Ok(()),
    }
}

/// Reads the user configuration, with its path.
fn configuration(environment: &Environment) -> Result<Option<(PathBuf, Vec<u8>)>, Failure> {
    match environment.config_file() {
        // A configuration that the user named with `--config` must exist.
        Some(config) if environment.config.is_some() => {
            let bytes = store::read_regular(&config, limit())
                .map_err(|error| error.seen_from(&environment.working_directory))?;
            Ok(Some((config, bytes)))
        }
        Some(config) => Ok(optional(environment, &config)?.map(|bytes| (config, bytes))),
        None => Ok(None),
    }
}

/// Parses one file of one layer, and adds its findings to the notes.
pub(crate) fn layer_file(
    layer: LayerName,
    name: &str,
    bytes: Vec<u8>,
    notes: &mut Notes,
) -> LayerFile {
    let (file, diagnostics) = LayerFile::read(layer, name, bytes, &mut notes.sources);
    notes.diagnostics.extend(diagnostics);
    file
}
