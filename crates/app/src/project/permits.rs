//! Decides which executables of a project's manifest agpm may run on this machine.
//!
//! A strategy with `command` makes agpm itself run an executable. A project may have been cloned a moment ago, so
//! nothing of it runs before this user has seen the commands. Approvals are kept outside the project, where a clone
//! cannot provide them.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::project::program_approval::{ApprovalFile, programs_never_run};
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, codes};
use agpm_model::{Checksum, Manifest, MergeDriver, ProgramAuthor};
use agpm_store::{self as store, SharedLock, StoreError, StoreProblem, SystemUser};
use agpm_text::OwnFileError;
use serde::{Serialize, Serializer};

use crate::project::reading::{display_path, limit};
use crate::project::scope::ManifestLocation;
use crate::project::world::{Environment, ManifestUse, ProgramUse, World};

use crate::project::program_approval::{ManifestProgram, ProgramApproval};

const APPROVALS: &str = "approvals.json";
const LOCK: &str = "approvals.lock";
/// All executables in a project's manifest, which are approved together.
#[derive(Clone, Debug, Serialize)]
pub struct ProjectPrograms {
    /// The project's directory, with symlinks resolved.
    #[serde(serialize_with = "agpm_model::serialize_path")]
    pub project: PathBuf,
    /// The executables, sorted by the names of their strategies.
    pub programs: Vec<ManifestProgram>,
    /// Whether they are approved on this machine.
    #[serde(rename = "approved", serialize_with = "is_given")]
    pub approval: ProgramApproval,
    /// Resources and layers that the next install holds back until they are approved.
    pub waiting: Vec<String>,
    #[serde(skip)]
    digest: Checksum,
    #[serde(skip)]
    manifest: String,
}

fn is_given<S: Serializer>(approval: &ProgramApproval, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(*approval == ProgramApproval::Given)
}

impl ProjectPrograms {
    /// Reads the executables of the manifest, and whether they are approved.
    pub fn of(environment: &Environment, manifest: &Manifest) -> Result<Self, Failure> {
        let location = ManifestLocation::find(environment, ManifestUse::Nearest)?;
        let file = location
            .map(|location| location.manifest)
            .unwrap_or_default();
        let project = store::real_path(file.parent().unwrap_or(Path::new(".")));
        let programs = ManifestProgram::all_of(manifest);
        // The digest covers files of the project that the commands name, so editing an approved script needs a new
        // approval.
        let content_of = |text: &str| {
            let file = project.join(text);
            let inside = store::is_file(&file) && store::real_path(&file).starts_with(&project);
            let bytes = inside.then(|| store::read(&file, limit()).ok()).flatten()?;
            Some(Checksum::of(&bytes))
        };
        let digest = ManifestProgram::digest(&programs, &content_of);
        let approved = read(environment)?.digest(&project);
        let approval = ProgramApproval::of(&programs, digest, approved);
        Ok(ProjectPrograms {
            project,
            programs,
            approval,
            waiting: Vec::new(),
            digest,
            manifest: display_path(environment, &file),
        })
    }

    /// Returns whether approval is required before the executables run.
    pub fn needs_approval(&self) -> bool {
        self.approval != ProgramApproval::Given
    }

    /// Returns the finding for executables that are not approved.
    pub fn finding(&self) -> Diagnostic {
        self.approval.finding(&self.programs, &self.manifest)
    }

    /// Returns one line per executable.
    pub fn lines(&self) -> Vec<String> {
        self.programs.iter().map(ManifestProgram::detail).collect()
    }
}

/// The permission to run merge executables, which only this module creates.
#[derive(Clone, Debug)]
pub struct ProgramPermit {
    /// The project's directory.
    directory: PathBuf,
    /// The directory of the user configuration.
    configuration: Option<PathBuf>,
}

impl ProgramPermit {
    /// Returns the working directory of an executable: commands of a project run in the project, wherever agpm was
    /// started.
    pub fn directory(&self, driver: &MergeDriver) -> Option<&Path> {
        (driver.author == ProgramAuthor::Project).then_some(self.directory.as_path())
    }

    /// Returns the command to run. A relative path in the user configuration is relative to that file: relative to the
    /// working directory, it would be a file of any project.
    pub fn command<'d>(&self, driver: &'d MergeDriver) -> Cow<'d, [String]> {
        let program = driver
            .command
            .first()
            .filter(|program| program.contains('/'));
        match (driver.author, program, &self.configuration) {
            (ProgramAuthor::User, Some(program), Some(directory)) => {
                let program = directory.join(program).display().to_string();
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

/// Permits these executables; fails if one of them is not approved.
pub fn permit<'d>(
    world: &World,
    manifest: &Manifest,
    drivers: impl IntoIterator<Item = &'d MergeDriver>,
) -> Result<ProgramPermit, Failure> {
    let environment = &world.environment;
    let drivers: Vec<&MergeDriver> = drivers.into_iter().collect();
    if environment.programs == ProgramUse::Never && !drivers.is_empty() {
        return Err(Failure::new(
            FailureKind::Refused,
            programs_never_run(&drivers),
        ));
    }
    let configuration = environment
        .config_file()
        .and_then(|file| file.parent().map(Path::to_owned));
    if drivers
        .iter()
        .all(|driver| driver.author == ProgramAuthor::User)
    {
        return Ok(ProgramPermit {
            directory: environment.working_directory.clone(),
            configuration,
        });
    }
    let programs = ProjectPrograms::of(environment, manifest)?;
    if environment.programs == ProgramUse::Approved && programs.needs_approval() {
        return Err(Failure::new(FailureKind::Refused, programs.finding()));
    }
    Ok(ProgramPermit {
        directory: programs.project,
        configuration,
    })
}

/// Adds a note about executables that are not approved, for commands whose result does not depend on them.
pub fn note_unapproved(environment: &Environment, manifest: &Manifest, notes: &mut Notes) {
    if environment.programs == ProgramUse::AllOnce {
        return;
    }
    let Ok(programs) = ProjectPrograms::of(environment, manifest) else {
        return;
    };
    if programs.needs_approval() {
        let mut finding = programs.finding();
        finding.severity = Severity::Note;
        notes.diagnostics.push(finding);
    }
}

/// Records the approval of these executables in the user's state.
pub fn record_approval(
    environment: &Environment,
    programs: ProjectPrograms,
) -> Result<ProjectPrograms, Failure> {
    let directory = state_directory(environment)?;
    store::create_private_directory(directory)?;
    let _lock = SharedLock::hold(&directory.join(LOCK))?;
    let mut file = read(environment)?;
    file.approve(&programs.project, programs.digest);
    store::write_private(&directory.join(APPROVALS), file.to_text().as_bytes())?;
    Ok(ProjectPrograms {
        approval: ProgramApproval::Given,
        ..programs
    })
}

fn state_directory(environment: &Environment) -> Result<&Path, Failure> {
    environment.state.as_deref().ok_or_else(|| {
        let message = "no directory to record approvals in: `HOME` is not an absolute path";
        Diagnostic::new(&codes::IO_UNREADABLE, message)
            .help("set `HOME` or `XDG_STATE_HOME`")
            .into()
    })
}

/// Reads all approvals. A broken file is an error, because replacing it would lose approvals unnoticed.
fn read(environment: &Environment) -> Result<ApprovalFile, Failure> {
    let Some(directory) = &environment.state else {
        return Ok(ApprovalFile::default());
    };
    let path = directory.join(APPROVALS);
    let bytes = match store::read(&path, limit()) {
        Err(StoreError {
            problem: StoreProblem::NotFound,
            ..
        }) => return Ok(ApprovalFile::default()),
        read => read?,
    };
    // An approval by another user does not apply to this one.
    let is_own = |owner: SystemUser| owner == SystemUser::current() || owner == SystemUser::ROOT;
    if !SystemUser::of(&path).is_some_and(is_own) {
        return Ok(ApprovalFile::default());
    }
    ApprovalFile::read(&bytes).map_err(|error| unreadable(&path, &error).into())
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
