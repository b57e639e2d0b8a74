//! One file per command: arguments to request, report to text or value.

mod add;
mod approve;
mod audit;
mod bottle;
mod browse;
mod cache;
mod can;
mod catalog;
mod change;
mod ci;
mod config;
mod demo;
mod diff;
mod doctor;
mod explain;
mod import;
mod init;
mod install;
mod layers;
mod list;
mod lock;
mod man;
mod merge;
mod outdated;
mod patch;
mod policy;
mod profile;
mod publish;
mod report;
mod resolve;
mod sbom;
mod serve;
mod status;
mod strategies;
mod tree;
mod undo;
mod update;
mod validate;
mod verify;
mod why;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agpm_app::project::world::{
    BaseApproval, Environment, InstallScope, NetworkAccess, OutsideReads, PolicyLocations,
    ProgramUse, World,
};
use agpm_diag::{Diagnostic, codes};
use agpm_diag::{FailureKind, Outcome, TypedCommand};
use agpm_report::RenderedReport;

use crate::args::{ApprovalArgs, Cli, Command, GlobalArgs, PatchCommand};
use crate::completion;
use crate::completion_scripts::script;
use crate::environment::variable;
use crate::output::{Output, write_stdout};
use crate::platform::MACHINE_POLICY;
use crate::progress::progress;
use crate::question;

/// Runs the command that was typed.
pub(crate) fn run(cli: Cli, typed: TypedCommand, output: &mut Output) -> ExitCode {
    let scope = cli.command.scope();
    if scope == InstallScope::User && cli.global.manifest_path.is_some() {
        return output.finish(two_manifests(), |(), _| RenderedReport::Text(String::new()));
    }
    if let Some(directory) = &cli.global.directory
        && let Err(error) = std::env::set_current_dir(directory)
    {
        let outcome = no_directory(&directory.display().to_string(), &error);
        return output.finish(outcome, |(), _| RenderedReport::Text(String::new()));
    }
    let is_verbose = cli.global.verbose > 0;
    let mut world = world(&cli.global, scope);
    world.environment.typed = typed;
    world.environment.programs = cli.command.programs();
    let approval = cli.command.approval();
    world.environment.bases = approval.map(ApprovalArgs::bases).unwrap_or_default();
    world.environment.approvals = approval.map(ApprovalArgs::ids).unwrap_or_default();
    if !output.json && !cli.command.skips_questions() {
        world.confirm = question::confirmation();
    }
    world.environment.policies.argument = cli.command.policy();
    // A server runs many commands, and the demo changes its own source between two of them.
    if !matches!(cli.command, Command::Serve { .. } | Command::Demo(_)) {
        world = world.sharing_sources();
    }
    match cli.command {
        Command::Init(args) => init::run(&world, args, output),
        Command::Add(mut args) => match args.what.take() {
            Some(what) => change::add(&world, what, output),
            None => add::run(&world, *args, output),
        },
        Command::Browse(args) => browse::run(&world, args, output),
        Command::Search(args) => browse::run_search(&world, args, output),
        Command::Publish(args) => publish::run(&world, args, is_verbose, output),
        Command::Remove(args) => change::remove(&world, args, output),
        Command::Update(args) => update::run(&world, args, output),
        Command::Approve(args) => approve::run(&world, &args, output),
        Command::Policy { what } => policy::run(&world, &what, output),
        Command::Status(_) => status::run(&world, output),
        Command::Ci(args) => ci::run(&world, &args, output),
        Command::Can { what } => can::run(&world, what, output),
        Command::Audit(args) => audit::run(&world, args, output),
        Command::Diff(args) => diff::run(&world, args, output),
        Command::Outdated(args) => outdated::run(&world, args, output),
        Command::Report(args) => report::run(&world, args, output),
        Command::Sbom(args) => sbom::run(&world, args, output),
        Command::Validate(args) => validate::run(&world, &args, output),
        Command::Install(args) => install::run(&world, &args, output),
        Command::List(args) => list::run(&world, args, output),
        Command::Tree(args) => tree::run(&world, args, output),
        Command::Why(args) => why::run(&world, args, output),
        Command::Verify(_) => verify::run(&world, output),
        Command::Doctor(args) => doctor::run(&world, args, output),
        Command::Resolve(args) => resolve::run(&world, args, output),
        Command::Patch {
            what: PatchCommand::Save(args),
        } => patch::save(&world, args, output),
        Command::Undo(args) => undo::run(&world, &args, output),
        Command::Lock { what } => lock::run(&world, what, output),
        Command::Cache { what } => cache::run(&world, what, output),
        Command::Config { what } => config::run(&world, what, output),
        Command::Demo(args) => demo::run(&world, args, output),
        Command::Layers(_) => layers::run(&world, output),
        Command::Merge(args) => merge::run(&world, args, output),
        Command::Strategies(args) => strategies::run(&world, args, output),
        Command::Import(args) => import::run(&world, args, output),
        Command::Catalog(args) => catalog::run(&world, args, output),
        Command::Profile(args) => profile::run(&world, args, output),
        Command::Bottle { what } => bottle::run(&world, what, output),
        Command::Explain(args) => explain::run(&world, args, output),
        Command::Serve { what } => serve::run(world, what, output),
        Command::Schema(args) => write_stdout(args.what.schema().to_json().as_bytes()),
        Command::Completions(args) => output.finish_text(&script(args.shell, Cli::declaration())),
        Command::Complete(args) => completion::run(&world, &args, Cli::declaration()),
        Command::Man(args) => man::run(&world, args, Cli::declaration(), output),
    }
}

fn world(global: &GlobalArgs, scope: InstallScope) -> World {
    let directory = std::env::current_dir().unwrap_or_default();
    // A relative home would be another directory in each project.
    let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
    let home = absolute("HOME").or_else(|| absolute("USERPROFILE"));
    let user_directory = |name: &str, below_home: &str| {
        absolute(name)
            .or_else(|| home.as_ref().map(|home| home.join(below_home)))
            .map(|path| path.join("agpm"))
    };
    let network = if global.offline {
        NetworkAccess::Offline
    } else {
        NetworkAccess::Allowed
    };
    let environment = Environment {
        scope,
        manifest: global.manifest_path.clone(),
        config: global.config.clone(),
        config_directory: user_directory("XDG_CONFIG_HOME", ".config"),
        cache: global
            .cache_dir
            .clone()
            .map(|path| directory.join(path))
            .or_else(|| user_directory("XDG_CACHE_HOME", ".cache")),
        // A home that is not absolute would be relative to the current project.
        state: user_directory("XDG_STATE_HOME", ".local/state").filter(|path| path.is_absolute()),
        programs: ProgramUse::Approved,
        approvals: Vec::new(),
        bases: BaseApproval::default(),
        typed: TypedCommand::default(),
        outside: OutsideReads::Allowed,
        policies: PolicyLocations {
            machine: Some(PathBuf::from(MACHINE_POLICY)),
            // A name that is not UTF-8 cannot be read, which must not look like no policy.
            variable: std::env::var_os("AGPM_POLICY")
                .map(|named| named.to_string_lossy().into_owned())
                .filter(|named| !named.is_empty()),
            argument: None,
        },
        executables: std::env::var_os("PATH")
            .map(|path| std::env::split_paths(&path).collect())
            .unwrap_or_default(),
        set_variables: std::env::vars_os()
            .filter(|(_, value)| !value.is_empty())
            .filter_map(|(name, _)| name.into_string().ok())
            .collect(),
        credentials: credential_files(home.as_deref()),
        home,
        network,
        working_directory: directory,
    };
    World::of_machine(environment, progress(global))
}

/// Returns the files in which container programs keep credentials, in the order in which these programs search them.
fn credential_files(home: Option<&Path>) -> Vec<PathBuf> {
    let in_directory = |name: &str, file: &str| variable(name).map(|path| path.join(file));
    let in_home = |file: &str| home.map(|home| home.join(file));
    [
        variable("REGISTRY_AUTH_FILE"),
        in_directory("DOCKER_CONFIG", "config.json"),
        in_directory("XDG_RUNTIME_DIR", "containers/auth.json"),
        in_directory("XDG_CONFIG_HOME", "containers/auth.json"),
        in_home(".config/containers/auth.json"),
        in_home(".docker/config.json"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Changes to the directory of `-C`.
fn no_directory(directory: &str, error: &std::io::Error) -> Outcome<()> {
    let message = format!("cannot change to the directory `{directory}`: {error}");
    Outcome::failed(
        FailureKind::Usage,
        Diagnostic::new(&codes::USAGE, message).help("check the path after `-C`"),
    )
}

/// Refuses `-g` with `--manifest-path`, because each selects a manifest.
fn two_manifests() -> Outcome<()> {
    let diagnostic = Diagnostic::new(
        &codes::USAGE,
        "`-g` and `--manifest-path` cannot be combined",
    );
    Outcome::failed(FailureKind::Usage, diagnostic.help("remove one of them"))
}
