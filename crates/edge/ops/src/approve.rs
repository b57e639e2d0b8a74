//! `approve`: which programs of a project's manifest agpm may run on this machine.
//!
//! A strategy with `command` makes agpm itself run a program. A project may have been cloned a moment ago, so nothing
//! of it runs before this user has seen the commands. The approval is kept outside of the project, where no clone can
//! bring it along.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Outcome, Severity, codes, command_line};
use agpm_model::{Checksum, Manifest, MergeDriver, ProgramAuthor};
use agpm_store::{self as store, SharedLock, StoreError, StoreProblem, SystemUser};
use agpm_text::{FormatVersion, OwnFileError, Value, from_json, to_json};
use serde::{Deserialize, Serialize, Serializer};

use crate::gather::{ManifestFiles, Project};
use crate::reading::{limit, shown};
use crate::scope::Places;
use crate::serialize;
use crate::world::{Environment, ManifestUse, ProgramUse, World};
use agpm_diag::counted;

const APPROVALS: &str = "approvals.json";
const LOCK: &str = "approvals.lock";
const VERSION: u32 = 1;

/// What was approved on this machine.
#[derive(Debug, Default, Serialize, Deserialize)]
struct ApprovalFile {
    version: FormatVersion<VERSION>,
    approvals: Vec<RecordedApproval>,
}

#[derive(Debug, Serialize, Deserialize)]
struct RecordedApproval {
    /// Where the project really is.
    project: String,
    /// Of its programs.
    programs: Checksum,
}

/// A program that the manifest of a project names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ManifestProgram {
    /// The strategy that it belongs to.
    pub strategy: String,
    /// The program and its arguments.
    pub command: Vec<String>,
}

impl ManifestProgram {
    /// The command as one line, every character of it visible.
    pub fn line(&self) -> String {
        command_line(self.command.iter().map(String::as_str))
    }

    fn detail(&self) -> String {
        format!("runs  {}  (strategies.{})", self.line(), self.strategy)
    }
}

/// All programs that a project's manifest names, as one thing that is approved or not.
#[derive(Clone, Debug, Serialize)]
pub struct ProjectPrograms {
    /// Where the project really is.
    #[serde(serialize_with = "serialize::path")]
    pub project: PathBuf,
    /// By the names of their strategies.
    pub programs: Vec<ManifestProgram>,
    /// Whether they may run here.
    #[serde(rename = "approved", serialize_with = "is_given")]
    pub approval: Approval,
    #[serde(skip)]
    digest: Checksum,
    #[serde(skip)]
    manifest: String,
}

/// What this machine knows about the programs of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approval {
    /// Nothing.
    Missing,
    /// Other programs were approved before.
    Outdated,
    /// They were approved as they are, or there are none.
    Given,
}

fn is_given<S: Serializer>(approval: &Approval, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(*approval == Approval::Given)
}

impl ProjectPrograms {
    /// The project's programs, and what is known of them.
    fn of(environment: &Environment, manifest: &Manifest) -> Result<Self, Failure> {
        let places = Places::find(environment, ManifestUse::Nearest)?;
        let file = places.map(|places| places.manifest).unwrap_or_default();
        let project = store::real_path(file.parent().unwrap_or(Path::new(".")));
        let of_strategy = |strategy: &agpm_model::Strategy| {
            let driver = strategy
                .driver
                .as_ref()
                .filter(|driver| driver.author == ProgramAuthor::Project)?;
            Some(ManifestProgram {
                strategy: strategy.name.clone(),
                command: driver.command.clone(),
            })
        };
        let mut programs: Vec<ManifestProgram> =
            manifest.strategies.iter().filter_map(of_strategy).collect();
        programs.sort_by(|left, right| left.strategy.cmp(&right.strategy));
        let digest = digest(&project, &programs);
        let approval = match approved_digest(environment, &project)? {
            _ if programs.is_empty() => Approval::Given,
            Some(known) if known == digest => Approval::Given,
            Some(_) => Approval::Outdated,
            None => Approval::Missing,
        };
        Ok(ProjectPrograms {
            project,
            programs,
            approval,
            digest,
            manifest: shown(environment, &file),
        })
    }

    /// Whether there is anything to approve.
    pub fn needs_approval(&self) -> bool {
        self.approval != Approval::Given
    }

    /// What is said where they may not run.
    fn finding(&self) -> Diagnostic {
        let message = match self.approval {
            Approval::Outdated => {
                "merge programs changed since their approval; the result is unknown".to_owned()
            }
            _ => format!(
                "{} approval; the result is unknown until then",
                counted(
                    self.programs.len(),
                    "merge program needs",
                    "merge programs need"
                )
            ),
        };
        Diagnostic::new(&codes::TRUST_PROGRAM, message)
            .details(self.programs.iter().map(ManifestProgram::detail))
            .in_file(self.manifest.clone())
            .help("review the commands, then run `agpm approve`; for one run, add `--approve programs`")
    }

    /// One line for each program.
    pub fn lines(&self) -> Vec<String> {
        self.programs.iter().map(ManifestProgram::detail).collect()
    }
}

/// Of the commands, and of every file of the project that one of them names: a script that changes is another program.
fn digest(project: &Path, programs: &[ManifestProgram]) -> Checksum {
    let part = |text: &String| {
        let file = project.join(text);
        let inside = store::is_file(&file) && store::real_path(&file).starts_with(project);
        let bytes = inside.then(|| store::read(&file, limit()).ok()).flatten();
        let content = bytes.map(|bytes| Checksum::of(&bytes).to_string());
        Value::list([Value::from(text.as_str()), Value::from(content)])
    };
    let program = |one: &ManifestProgram| Value::list(one.command.iter().map(part));
    Checksum::of(
        Value::list(programs.iter().map(program))
            .to_json()
            .as_bytes(),
    )
}

/// The right to run merge programs; only this module gives it.
#[derive(Clone, Debug)]
pub(crate) struct ProgramPermit {
    /// The project's folder.
    folder: PathBuf,
    /// The folder of the user's configuration.
    configuration: Option<PathBuf>,
}

impl ProgramPermit {
    /// The folder that a program runs in: commands of a project start from the project, wherever agpm was started.
    pub(crate) fn folder(&self, driver: &MergeDriver) -> Option<&Path> {
        (driver.author == ProgramAuthor::Project).then_some(self.folder.as_path())
    }

    /// The command to run. A relative path in the user's own configuration starts there: in the working folder it would be
    /// a file of whatever project one is in.
    pub(crate) fn command<'d>(&self, driver: &'d MergeDriver) -> Cow<'d, [String]> {
        let program = driver
            .command
            .first()
            .filter(|program| program.contains('/'));
        match (driver.author, program, &self.configuration) {
            (ProgramAuthor::User, Some(program), Some(folder)) => {
                let program = folder.join(program).display().to_string();
                Cow::Owned(
                    [program]
                        .into_iter()
                        .chain(driver.command.iter().skip(1).cloned())
                        .collect(),
                )
            }
            _ => Cow::Borrowed(&driver.command),
        }
    }
}

/// The right to run these programs, or what has to be said instead.
pub(crate) fn permit<'d>(
    world: &World,
    manifest: &Manifest,
    drivers: impl IntoIterator<Item = &'d MergeDriver>,
) -> Result<ProgramPermit, Failure> {
    let environment = &world.environment;
    let drivers: Vec<&MergeDriver> = drivers.into_iter().collect();
    if environment.programs == ProgramUse::Never && !drivers.is_empty() {
        return Err(never(&drivers));
    }
    let configuration = environment
        .config_file()
        .and_then(|file| file.parent().map(Path::to_owned));
    if drivers
        .iter()
        .all(|driver| driver.author == ProgramAuthor::User)
    {
        return Ok(ProgramPermit {
            folder: environment.folder.clone(),
            configuration,
        });
    }
    let known = ProjectPrograms::of(environment, manifest)?;
    if environment.programs == ProgramUse::Approved && known.needs_approval() {
        return Err(Failure::new(FailureKind::Refused, known.finding()));
    }
    Ok(ProgramPermit {
        folder: known.project,
        configuration,
    })
}

fn never(drivers: &[&MergeDriver]) -> Failure {
    let mut lines: Vec<String> = drivers
        .iter()
        .map(|one| {
            format!(
                "runs  {}",
                command_line(one.command.iter().map(String::as_str))
            )
        })
        .collect();
    lines.sort();
    lines.dedup();
    let message = "merge programs never run in the server; the result is unknown";
    let diagnostic = Diagnostic::new(&codes::TRUST_PROGRAM, message).details(lines);
    let help = "review the commands, then run `agpm approve` and `agpm install` in a terminal";
    Failure::new(FailureKind::Refused, diagnostic.help(help))
}

/// Notes programs that are not approved, for commands whose own result does not depend on them.
pub(crate) fn note_unapproved(environment: &Environment, manifest: &Manifest, notes: &mut Notes) {
    if environment.programs == ProgramUse::AllOnce {
        return;
    }
    let Ok(known) = ProjectPrograms::of(environment, manifest) else {
        return;
    };
    if known.needs_approval() {
        let mut finding = known.finding();
        finding.severity = Severity::Note;
        notes.diagnostics.push(finding);
    }
}

/// Shows the programs of the project, and whether they are approved.
pub fn programs(world: &World) -> Outcome<ProjectPrograms> {
    let mut notes = Notes::default();
    let result = look(world, &mut notes);
    notes.outcome(result)
}

fn look(world: &World, notes: &mut Notes) -> Result<ProjectPrograms, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let project = Project::of(world, files, notes)?;
    ProjectPrograms::of(&world.environment, &project.manifest)
}

/// Approves the programs exactly as they were shown.
pub fn approve(world: &World, shown: ProjectPrograms) -> Outcome<ProjectPrograms> {
    let recorded = record(&world.environment, &shown);
    Notes::default().outcome(recorded.map(|()| ProjectPrograms {
        approval: Approval::Given,
        ..shown
    }))
}

/// The failure of an approval that nobody gave.
pub fn unapproved(shown: &ProjectPrograms) -> Outcome<ProjectPrograms> {
    let help = "review the commands, then run `agpm approve --yes`";
    Outcome::failed(FailureKind::Refused, shown.finding().help(help))
}

fn record(environment: &Environment, programs: &ProjectPrograms) -> Result<(), Failure> {
    let folder = state_folder(environment)?;
    store::create_private_folder(folder)?;
    let _held = SharedLock::hold(&folder.join(LOCK))?;
    let mut file = read(environment)?;
    file.approvals
        .retain(|known| Path::new(&known.project) != programs.project);
    file.approvals.push(RecordedApproval {
        project: programs.project.display().to_string(),
        programs: programs.digest,
    });
    file.approvals
        .sort_by(|left, right| left.project.cmp(&right.project));
    let text = to_json(&file);
    Ok(store::write_private(
        &folder.join(APPROVALS),
        text.as_bytes(),
    )?)
}

fn state_folder(environment: &Environment) -> Result<&Path, Failure> {
    environment.state.as_deref().ok_or_else(|| {
        let message = "no folder to record approvals in: `HOME` is not an absolute path";
        Diagnostic::new(&codes::IO_UNREADABLE, message)
            .help("set `HOME` or `XDG_STATE_HOME`")
            .into()
    })
}

fn approved_digest(environment: &Environment, project: &Path) -> Result<Option<Checksum>, Failure> {
    let known = read(environment)?.approvals.into_iter();
    let mut known = known.filter(|known| Path::new(&known.project) == project);
    Ok(known.next().map(|known| known.programs))
}

/// Everything that was approved. A file that is broken approves nothing, and is not replaced by a whole one unseen.
fn read(environment: &Environment) -> Result<ApprovalFile, Failure> {
    let Some(folder) = &environment.state else {
        return Ok(ApprovalFile::default());
    };
    let path = folder.join(APPROVALS);
    let bytes = match store::read(&path, limit()) {
        Err(StoreError {
            problem: StoreProblem::NotFound,
            ..
        }) => return Ok(ApprovalFile::default()),
        read => read?,
    };
    // Another user's word is not this user's.
    let is_own = |owner: SystemUser| owner == SystemUser::current() || owner == SystemUser::ROOT;
    if !SystemUser::of(&path).is_some_and(is_own) {
        return Ok(ApprovalFile::default());
    }
    from_json::<_, VERSION>(&bytes).map_err(|error| unreadable(&path, &error).into())
}

fn unreadable(path: &Path, error: &OwnFileError) -> Diagnostic {
    let path = path.display();
    let (message, help) = match error {
        OwnFileError::Newer => (
            format!("`{path}` is from a newer version of agpm"),
            "update agpm; nothing was changed",
        ),
        OwnFileError::Broken(_) => (
            format!("`{path}` is not a list of approvals"),
            "delete the file, then run `agpm approve` in each project again",
        ),
    };
    Diagnostic::new(&codes::IO_UNREADABLE, message).help(help)
}
