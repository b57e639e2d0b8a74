//! `agpm merge`: files named on the command line, low to high, into one.

use std::path::PathBuf;

use agpm_diag::{Failure, FailureKind, Notes, Outcome, nearest};
use agpm_merge::{
    FileBytes, LayerFile, OutputFormat, Provenance, RawFile, RuleArgument, UnparsedFile,
    merge_files, name_layers,
};
use agpm_model::Strategy;
use agpm_store::{self as store, StoreError, StoreProblem, parallel};
use agpm_text::Pointer;

use agpm_project::drive::drive;
use agpm_project::gather::Project;
use agpm_project::permits::permit;
use agpm_project::reading::{limit, shown};
use agpm_project::world::{Environment, ManifestUse, World};

/// Bytes from which on starting threads costs less than it saves.
const WORTH_THREADS: usize = 1 << 20;

/// What to merge, and how.
#[derive(Clone, Debug)]
pub struct MergeInputs {
    /// Lowest first.
    pub files: Vec<PathBuf>,
    /// A name for each file's layer; the paths if there are none.
    pub layer_names: Vec<String>,
    /// A strategy by name, over what the manifest says.
    pub strategy: Option<String>,
    /// Rules on top of the strategy.
    pub rules: Vec<RuleArgument>,
    /// Whether the project has a say.
    pub manifest: ManifestUse,
}

impl MergeInputs {
    /// These files, merged as the project says.
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

/// A merge, and what is wanted of it.
#[derive(Clone, Debug)]
pub struct MergeRequest {
    /// What to merge.
    pub inputs: MergeInputs,
    /// Another format than the lowest file's.
    pub format: Option<OutputFormat>,
    /// Whether the provenance is wanted.
    pub explain: bool,
}

/// What came out.
#[derive(Debug)]
pub struct MergeReport {
    /// The merged file.
    pub output: FileBytes,
    /// Where all of it came from; only if asked for.
    pub explained: Option<Provenance>,
}

/// Merges files, low to high.
pub fn merge(world: &World, request: &MergeRequest) -> Outcome<MergeReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

pub(crate) fn run(
    world: &World,
    request: &MergeRequest,
    notes: &mut Notes,
) -> Result<MergeReport, Failure> {
    let environment = &world.environment;
    let project = Project::load(world, request.inputs.manifest, notes)?;
    let strategy = choose_strategy(environment, &project, &request.inputs)?;
    notes
        .log
        .push(format!("merging by the strategy `{}`", strategy.name));
    let read = read_files(environment, &request.inputs, notes)?;
    if let Some(driver) = &strategy.driver {
        let permit = permit(world, &project.manifest, [driver])?;
        let file = drive(driver, &permit, &strategy.name, read.all()?)?;
        if request.format.is_none() && !request.explain {
            return Ok(MergeReport {
                output: FileBytes::Bytes(file.bytes.into()),
                explained: None,
            });
        }
        // What the program printed has to be well-formed to be converted or explained; it is a layer of its own.
        let read = ReadFiles {
            files: vec![file],
            failure: None,
        };
        return report(read.parse(notes)?, &Strategy::default(), request, notes);
    }
    report(read.parse(notes)?, &strategy, request, notes)
}

fn report(
    files: Vec<LayerFile>,
    strategy: &Strategy,
    request: &MergeRequest,
    notes: &mut Notes,
) -> Result<MergeReport, Failure> {
    let merged = merge_files(files, strategy, None).expect("no files are wrong usage");
    notes.diagnostics.extend(merged.diagnostics.iter().cloned());
    notes.check()?;
    let (output, warning) = merged.render_as(request.format)?;
    notes.diagnostics.extend(warning);
    let explained = request
        .explain
        .then(|| Provenance::of(&merged, &Pointer::root(), &notes.sources));
    Ok(MergeReport { output, explained })
}

/// Flags beat the manifest; rules on the command line come on top of either.
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

/// What could be read, and the failure of what could not.
pub(crate) struct ReadFiles {
    pub(crate) files: Vec<RawFile>,
    pub(crate) failure: Option<FailureKind>,
}

/// Reads every file; all that cannot be read are reported.
pub(crate) fn read_files(
    environment: &Environment,
    inputs: &MergeInputs,
    notes: &mut Notes,
) -> Result<ReadFiles, Failure> {
    let paths: Vec<String> = inputs
        .files
        .iter()
        .map(|path| shown(environment, path))
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
                shown,
                bytes,
            }),
            Err(error) => {
                let near = near_file(&error);
                let next = Failure::from(error.seen_from(&environment.folder));
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

/// A file beside one that is not there, with nearly its name.
fn near_file(error: &StoreError) -> Option<String> {
    let name = error.path.file_name()?.to_string_lossy();
    let beside = store::names_in(error.path.parent()?);
    let near = matches!(error.problem, StoreProblem::NotFound)
        .then(|| nearest(&name, beside.iter().map(String::as_str)))?;
    near.map(str::to_owned)
}

impl ReadFiles {
    fn all(self) -> Result<Vec<RawFile>, Failure> {
        self.failure.map_or(Ok(self.files), |kind| {
            Err(Failure {
                kind,
                diagnostic: None,
            })
        })
    }

    /// Parses every file; all mistakes are reported, also where another file could not be read.
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
        failure.map_or(Ok(()), |kind| {
            Err(Failure {
                kind,
                diagnostic: None,
            })
        })?;
        notes.check()?;
        Ok(files)
    }
}
