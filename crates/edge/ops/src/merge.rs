//! `agpm merge`: files named on the command line, low to high, into one.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Outcome, codes, nearest};
use agpm_merge::{FileBytes, LayerFile, MergedFile, RawFile, UnparsedFile, merge_files};
use agpm_model::{
    EmptyRule, LayerName, MergeDriver, MergeOperation, PointerPattern, PointerRule, Strategy,
};
use agpm_store::{self as store, DriverCall, StoreError, StoreProblem};
use agpm_text::{Format, Pointer};

use crate::approve::{ProgramPermit, permit};
use crate::gather::Project;
use crate::reading::{limit, shown};
use crate::world::{Environment, ManifestUse, World};
use agpm_diag::counted;
use agpm_merge::Provenance;
use agpm_store::parallel;

/// Bytes from which on starting threads costs less than it saves.
const WORTH_THREADS: usize = 1 << 20;
const DRIVER_TIME: Duration = Duration::from_secs(30);

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

/// A format that a result can be printed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// Plain JSON.
    Json,
    /// YAML.
    Yaml,
    /// TOML.
    Toml,
}

impl OutputFormat {
    fn format(self) -> Format {
        match self {
            OutputFormat::Json => Format::Json,
            OutputFormat::Yaml => Format::Yaml,
            OutputFormat::Toml => Format::Toml,
        }
    }
}

/// A rule as written on the command line: `/servers=by-key:id`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleArgument(PointerRule);

impl FromStr for RuleArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (pattern, operation) = text
            .rsplit_once('=')
            .ok_or("a rule is written like `/servers=by-key:id`")?;
        let pattern: PointerPattern = pattern.parse().map_err(|error| format!("{error}"))?;
        let operation: MergeOperation = operation.parse().map_err(|error| format!("{error}"))?;
        Ok(RuleArgument(PointerRule {
            pattern,
            operation: Some(operation),
            empty: EmptyRule::default(),
        }))
    }
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
    let (output, warning) = render(&merged, request.format)?;
    notes.diagnostics.extend(warning);
    let explained = request
        .explain
        .then(|| Provenance::of(&merged, &Pointer::root(), &notes.sources));
    Ok(MergeReport { output, explained })
}

fn render(
    merged: &MergedFile,
    format: Option<OutputFormat>,
) -> Result<(FileBytes, Option<Diagnostic>), Failure> {
    match format {
        // Comments may stay where the format has them.
        Some(format)
            if format == OutputFormat::Json || merged.format() != Some(format.format()) =>
        {
            Ok((FileBytes::Text(merged.print(format.format())?.into()), None))
        }
        _ => Ok(merged.render()?),
    }
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
    let names = layer_names(environment, inputs)?;
    let mut read = ReadFiles {
        files: Vec::new(),
        failure: None,
    };
    for (path, layer) in inputs.files.iter().zip(names) {
        match store::read(&environment.resolve(path), limit()) {
            Ok(bytes) => read.files.push(RawFile {
                layer,
                shown: shown(environment, path),
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

fn layer_names(environment: &Environment, inputs: &MergeInputs) -> Result<Vec<LayerName>, Failure> {
    let usage = |message: String, help: &str| {
        Failure::new(
            FailureKind::Usage,
            Diagnostic::new(&codes::USAGE, message).help(help),
        )
    };
    let (given, files) = (inputs.layer_names.len(), inputs.files.len());
    if files == 0 {
        return Err(usage(
            "there is no file to merge".to_owned(),
            "name the files, lowest first",
        ));
    }
    if given != 0 && given != files {
        return Err(usage(
            format!(
                "{} for {}",
                counted(given, "layer name", "layer names"),
                counted(files, "file", "files")
            ),
            "give one name for each file, lowest first",
        ));
    }
    let mut names: Vec<LayerName> = Vec::with_capacity(files);
    for (index, path) in inputs.files.iter().enumerate() {
        let written = inputs
            .layer_names
            .get(index)
            .cloned()
            .unwrap_or_else(|| shown(environment, path));
        let name = LayerName::new(&written)
            .map_err(|error| usage(error.to_string(), "choose another name"))?;
        if !names.contains(&name) {
            names.push(name);
        } else if given != 0 {
            return Err(usage(
                format!("two layers are called `{name}`"),
                "give one of them another name",
            ));
        } else {
            // One file given twice is two layers all the same.
            let numbered = format!("{name} ({})", index + 1);
            names.push(LayerName::new(&numbered).map_err(|error| usage(error.to_string(), ""))?);
        }
    }
    Ok(names)
}

/// Folds with a program, two files at a time; the result is what the strategy says.
pub(crate) fn drive(
    driver: &MergeDriver,
    permit: &ProgramPermit,
    strategy: &str,
    files: Vec<RawFile>,
) -> Result<RawFile, Failure> {
    let shown = files[0].shown.clone();
    let layer = LayerName::new(strategy).unwrap_or_else(|_| files[0].layer.clone());
    let name = shown.rsplit('/').next().unwrap_or("file").to_owned();
    let mut files = files.into_iter();
    let mut bytes = files.next().map(|file| file.bytes).unwrap_or_default();
    for next in files {
        let call = DriverCall {
            command: &permit.command(driver),
            folder: permit.folder(driver),
            file_name: &name,
            limit: DRIVER_TIME,
        };
        bytes = store::run_driver(call, &bytes, &next.bytes)?;
    }
    Ok(RawFile {
        layer,
        shown: format!("{strategy} -> {name}"),
        bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(files: Vec<PathBuf>) -> MergeRequest {
        MergeRequest {
            inputs: MergeInputs::of_files(files),
            format: None,
            explain: false,
        }
    }

    #[test]
    fn no_file_is_wrong_usage() {
        let environment = Environment {
            approvals: Vec::new(),
            scope: crate::InstallScope::Project,
            folder: PathBuf::from("/nowhere"),
            manifest: None,
            config: None,
            config_folder: None,
            cache: None,
            home: None,
            network: crate::NetworkAccess::Offline,
            state: None,
            programs: crate::ProgramUse::Approved,
            outside: crate::OutsideReads::Allowed,
            policies: crate::PolicyPlaces::default(),
            executables: Vec::new(),
        };
        let world = World::of_machine(environment, std::sync::Arc::new(crate::Silent));
        let outcome = merge(&world, &request(Vec::new()));
        assert_eq!(outcome.result.err(), Some(FailureKind::Usage));
    }
}
