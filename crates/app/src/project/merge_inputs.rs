//! Reads the files of a merge and chooses its strategy.

use std::path::PathBuf;

use agpm_diag::{Failure, FailureKind, Notes, nearest};
use agpm_merge::{LayerFile, RawFile, RuleArgument, UnparsedFile, name_layers};
use agpm_model::Strategy;
use agpm_store::{self as store, StoreError, StoreProblem, parallel};

use crate::project::gather::Project;
use crate::project::reading::{display_path, limit};
use crate::project::world::{Environment, ManifestUse};

/// The total size from which parsing in threads is faster.
const WORTH_THREADS: usize = 1 << 20;

/// The files and options of a merge.
#[derive(Clone, Debug)]
pub struct MergeInputs {
    /// The files, lowest rank first.
    pub files: Vec<PathBuf>,
    /// The names of the layers, one per file; if empty, the paths are used.
    pub layer_names: Vec<String>,
    /// The name of a strategy, which overrides the manifest.
    pub strategy: Option<String>,
    /// Rules in addition to the strategy.
    pub rules: Vec<RuleArgument>,
    /// Whether the project's manifest is used.
    pub manifest: ManifestUse,
}

impl MergeInputs {
    /// Merges these files with the strategy in the manifest.
    pub fn of_files(files: Vec<PathBuf>) -> Self {
        let manifest = ManifestUse::Nearest;
        MergeInputs {
            files,
            layer_names: Vec::new(),
            strategy: None,
            rules: Vec::new(),
            manifest,
        }
    }
}

/// Chooses the strategy. Flags override the manifest; rules on the command line are added to either.
pub(crate) fn choose_strategy(
    environment: &Environment,
    project: &Project,
    inputs: &MergeInputs,
) -> Result<Strategy, Failure> {
    let mut strategy = match (&inputs.strategy, inputs.files.first()) {
        (Some(name), _) => project.strategy(name)?,
        (None, Some(file)) => {
            let path = project.path_of(environment, file);
            project
                .manifest
                .strategy_for(&path)
                .cloned()
                .unwrap_or_default()
        }
        (None, None) => Strategy::default(),
    };
    strategy
        .rules
        .extend(inputs.rules.iter().map(|rule| rule.0.clone()));
    Ok(strategy)
}

/// The files that could be read.
pub(crate) struct ReadFiles {
    /// The content of each file.
    pub files: Vec<RawFile>,
    /// The first failure, if a file could not be read.
    pub failure: Option<FailureKind>,
}

/// Reads every file, and reports all that are unreadable.
pub(crate) fn read_files(
    environment: &Environment,
    inputs: &MergeInputs,
    notes: &mut Notes,
) -> Result<ReadFiles, Failure> {
    let paths: Vec<String> = inputs
        .files
        .iter()
        .map(|path| display_path(environment, path))
        .collect();
    let names = name_layers(&paths, &inputs.layer_names)?;
    let mut read = ReadFiles {
        files: Vec::new(),
        failure: None,
    };
    for ((path, shown), layer) in inputs.files.iter().zip(paths).zip(names) {
        match store::read(&environment.resolve(path), limit()) {
            Ok(bytes) => read.files.push(RawFile {
                layer,
                display_name: shown,
                bytes,
            }),
            Err(error) => {
                let near = near_file(&error);
                let next = Failure::from(error.seen_from(&environment.working_directory));
                let mut diagnostic = next.diagnostic.map(|d| d.in_layer(layer.as_str()));
                if let (Some(diagnostic), Some(near)) = (&mut diagnostic, near) {
                    diagnostic.help = Some(format!("did you mean `{near}`?"));
                }
                notes.diagnostics.extend(diagnostic);
                read.failure.get_or_insert(next.kind);
            }
        }
    }
    Ok(read)
}

/// Returns a file with a similar name next to a missing one.
fn near_file(error: &StoreError) -> Option<String> {
    let name = error.path.file_name()?.to_string_lossy();
    let beside = store::names_in(error.path.parent()?);
    let near = matches!(error.problem, StoreProblem::NotFound)
        .then(|| nearest(&name, beside.iter().map(String::as_str)))?;
    near.map(str::to_owned)
}

impl ReadFiles {
    /// Returns all files; fails if one could not be read.
    pub(crate) fn all(self) -> Result<Vec<RawFile>, Failure> {
        self.failure
            .map_or(Ok(self.files), |kind| Err(Failure::reported_as(kind)))
    }

    /// Parses every file. All errors are reported, even if another file could not be read.
    pub(crate) fn parse(self, notes: &mut Notes) -> Result<Vec<LayerFile>, Failure> {
        let ReadFiles { files, failure } = self;
        let large = files.iter().map(|file| file.bytes.len()).sum::<usize>() > WORTH_THREADS;
        let unparsed = files
            .into_iter()
            .map(|file| file.unparsed(&mut notes.sources));
        let unparsed: Vec<UnparsedFile> = unparsed.collect();
        let parsed = if large {
            parallel::map(unparsed, UnparsedFile::parse)
        } else {
            unparsed.into_iter().map(UnparsedFile::parse).collect()
        };
        let (files, diagnostics): (Vec<_>, Vec<_>) = parsed.into_iter().unzip();
        notes.diagnostics.extend(diagnostics.into_iter().flatten());
        failure.map_or(Ok(()), |kind| Err(Failure::reported_as(kind)))?;
        notes.check()?;
        Ok(files)
    }
}
