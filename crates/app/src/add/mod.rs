//! `add ADDRESS… [NAME…]` and `add mcp`: finds resources, adds them to the manifest and installs them in one transaction.

mod choosing;
mod proposing;
mod request;
mod server;
mod tools;

use std::path::Path;

use crate::manifest::{
    AdditionsReport, EntryOptions, MANIFEST_NAME, ManifestAdditions, group_words, type_of_word,
    unknown_tool, usage,
};
use agpm_diag::{Failure, Notes, Outcome};
use agpm_model::Manifest;
use serde::Serialize;

use crate::change::until_not_overtaken;
use crate::install::InstallReport;
use crate::manifest::OfferedSource;
use crate::project::gather::{ErrorTolerance, ManifestFiles, Project};
use crate::project::reading::display_path;
use crate::project::world::{InstallScope, World};
use crate::project::write_mode::WriteMode;

use crate::add::choosing::CandidateChooser;
use crate::add::proposing::Proposal;

pub use crate::add::request::{AddRequest, AddSubject};
pub use crate::add::server::NewServer;
pub use crate::add::tools::{ProjectTools, ToolsOrigin};

/// The result of `add`.
#[derive(Clone, Debug, Serialize)]
pub struct AddReport {
    /// The path of the manifest, if this run created it.
    pub created: Option<String>,
    /// The path of the manifest, if it is in another directory.
    #[serde(skip)]
    pub manifest: Option<String>,
    /// The tools of a new project.
    #[serde(flatten)]
    pub tools: Option<ProjectTools>,
    /// The additions to the manifest.
    #[serde(flatten)]
    pub additions: AdditionsReport,
    /// The command that reverts the change; `None` if nothing was written.
    pub undo: Option<String>,
    /// Whether the changes were written or only shown.
    #[serde(skip)]
    pub writing: WriteMode,
    /// The same as `writing`, for JSON; `None` if the install report already has this key.
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_run: Option<bool>,
    /// The report of the install, if one was made.
    #[serde(flatten)]
    pub installed: Option<InstallReport>,
}

/// Adds the resources that the typed words refer to.
pub fn add(world: &World, request: &AddRequest<'_>) -> Outcome<AddReport> {
    until_not_overtaken(|notes| run(world, request, notes))
}

fn run(world: &World, request: &AddRequest<'_>, notes: &mut Notes) -> Result<AddReport, Failure> {
    let kind = request.kind.as_deref().map(type_of_word).transpose()?;
    let environment = &world.environment;
    let before = ManifestFiles::find(environment, crate::project::world::ManifestUse::Nearest)?;
    let is_new = before.is_none();
    let files = match before {
        Some(files) => files,
        None => ManifestFiles::find_or_new(environment)?,
    };
    let bytes = files.project().to_vec();
    let (path, directory) = (files.path.clone(), files.directory().to_owned());
    let private = files.private_sources();
    let mut own = Notes::default();
    let project = Project::read(world, files, ErrorTolerance::Stop, &mut own);
    *notes = own;
    let manifest = project?.manifest;
    refuse_unknown_tools(&manifest, &request.tools)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let sources = match environment.scope {
        InstallScope::Project => OfferedSource::shared_by(&manifest, &private),
        InstallScope::User => OfferedSource::all_of(&manifest),
    };
    // The tools of a command that creates the manifest become those of the project.
    let has_own_tools = is_new && environment.scope == InstallScope::Project;
    let mut additions = ManifestAdditions::new(text, sources);
    match &request.subject {
        AddSubject::Server(server) => {
            let tools = if has_own_tools {
                &[]
            } else {
                request.tools.as_slice()
            };
            server.add_to(&mut additions, tools, &manifest)?;
        }
        AddSubject::Resources(words) => {
            let chooser = CandidateChooser {
                world,
                request,
                kind,
                directory: &directory,
                manifest: &manifest,
                options: EntryOptions {
                    name: request.name.as_deref(),
                    tools: if has_own_tools { &[] } else { &request.tools },
                    target: request.target.as_deref(),
                    filename: request.filename.as_deref(),
                    exclude: &request.exclude,
                    names: request.names,
                },
            };
            for target in &group_words(words, &manifest)? {
                chooser.add(target, &mut additions)?;
            }
        }
    }
    refuse_shared_names(request, &additions)?;
    let mut tools = None;
    if has_own_tools && !additions.is_empty() {
        let chosen = ProjectTools::choose(world, &request.tools, &additions, request.picker)?;
        additions.set_tools(chosen.written());
        tools = Some(chosen);
    }
    let is_changed = !additions.is_empty();
    let proposal = Proposal {
        world,
        request,
        before: (!is_new).then_some(bytes.as_slice()),
    };
    let installed = if is_changed {
        proposal.bring_about(&mut additions, notes)?
    } else {
        None
    };
    let is_done = is_changed && request.writing == WriteMode::Apply;
    let shown_path = || display_path(environment, &path);
    let is_elsewhere = !is_new && directory != environment.working_directory;
    let is_own = environment.scope == InstallScope::Project && environment.manifest.is_none();
    Ok(AddReport {
        created: (is_new && is_changed).then(shown_path),
        manifest: (is_elsewhere && is_own && is_changed).then(|| {
            let above = path_above(&environment.working_directory, &directory);
            above.unwrap_or_else(shown_path)
        }),
        tools,
        additions: additions.report(),
        undo: is_done.then(|| environment.typed.sibling(["undo"])),
        writing: request.writing,
        dry_run: installed
            .is_none()
            .then_some(request.writing == WriteMode::Show),
        installed,
    })
}

/// The manifest of a directory above another one, as a relative path.
fn path_above(working: &Path, directory: &Path) -> Option<String> {
    let below = working.strip_prefix(directory).ok()?;
    let steps = "../".repeat(below.components().count());
    Some(format!("{steps}{MANIFEST_NAME}"))
}

/// A tool that does not exist is a mistake also where nothing is added.
fn refuse_unknown_tools(manifest: &Manifest, named: &[String]) -> Result<(), Failure> {
    let known = manifest.tools.iter().map(|tool| tool.name.as_str());
    let is_known = |name: &&String| !known.clone().any(|known| known == name.as_str());
    match named.iter().find(is_known) {
        Some(name) => Err(unknown_tool(name, known)),
        None => Ok(()),
    }
}

/// One name cannot be that of several resources.
fn refuse_shared_names(
    request: &AddRequest<'_>,
    additions: &ManifestAdditions,
) -> Result<(), Failure> {
    let named = [
        ("--name", request.name.is_some()),
        ("--filename", request.filename.is_some()),
    ];
    let mut given = named.into_iter().filter(|(_, is_given)| *is_given);
    match given.next().filter(|_| additions.count() > 1) {
        Some((option, _)) => {
            let help = format!("leave out `{option}`, or name one resource");
            let message = format!("`{option}` is for one resource, and several are added");
            Err(usage(message, help))
        }
        None => Ok(()),
    }
}
