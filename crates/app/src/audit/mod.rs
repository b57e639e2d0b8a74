//! `audit`: finds hidden characters, secrets, and commands that no harmless resource has, in everything that is or would
//! be installed.

mod other_scanners;
mod paths;
mod report;

pub use report::AuditReport;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agpm_diag::{Failure, FailureKind, Notes, Outcome, unknown_name};
use agpm_model::{AuditLevel, AuditSettings, LockUse, Owner};
use agpm_resolve::UpdateScope;
use agpm_store::{self as store, ProjectStore};

use crate::findings::{AuditIssue, AuditedContent, audit_content, rendered_contents};
use crate::install::gathering::gather;
use crate::install::matches_id;
use crate::install::policies::ProjectPolicies;
use crate::install::rendering::{render, resolve_dependencies};
use crate::install::run::{GatheredProject, InstallJob, InstallRun, RenderedProject};
use crate::project::gather::{ManifestFiles, Project};
use crate::project::policy_cache::refresh_policies;
use crate::project::world::{ManifestUse, World};

use other_scanners::{InstalledPaths, read_reports};
use paths::{AuditedFiles, audit_files};

/// The arguments of `audit`.
#[derive(Clone, Debug, Default)]
pub struct AuditRequest {
    /// Ids, or paths of files and directories; everything that is installed if empty.
    pub words: Vec<String>,
    /// Reports of other scanners.
    pub with: Vec<PathBuf>,
}

/// Audits the project, some of its resources, or files.
pub fn audit(world: &World, request: &AuditRequest) -> Outcome<AuditReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

/// The words of a request, by what they name.
#[derive(Default)]
struct NamedContent {
    ids: Vec<String>,
    paths: Vec<PathBuf>,
}

fn run(world: &World, request: &AuditRequest, notes: &mut Notes) -> Result<AuditReport, Failure> {
    let environment = &world.environment;
    let has_manifest = ManifestFiles::find(environment, ManifestUse::Nearest)?.is_some();
    let installed = if has_manifest {
        Some(audit_project(world, notes)?)
    } else if request.words.is_empty() {
        // The error says what to do without a manifest.
        ManifestFiles::require(environment)?;
        None
    } else {
        None
    };
    let ids: BTreeSet<Owner> = installed
        .iter()
        .flat_map(|installed| installed.owners.iter().cloned())
        .collect();
    let named = named_content(world, &request.words, &ids)?;
    let mut report = AuditReport::default();
    let mut paths = InstalledPaths::new(&environment.working_directory);
    if let Some(installed) = installed {
        report.level = installed.level;
        paths.root = installed.root;
        paths.ignored = installed.settings;
        report.ignored_by_policy = installed.policy_level.is_some();
        let is_named = |id: Option<&Owner>| {
            request.words.is_empty()
                || id.is_some_and(|id| named.ids.iter().any(|word| matches_id(word, id)))
        };
        let of_files = installed.files.into_iter();
        for (path, owner) in of_files.filter(|(_, owner)| is_named(Some(owner))) {
            paths.add(path, owner);
        }
        report.checked = paths.count();
        let issues = installed.issues.into_iter();
        report.issues = issues.filter(|issue| is_named(issue.id.as_ref())).collect();
        if request.words.is_empty() {
            report.with_files.extend(installed.with);
        }
    }
    for path in &named.paths {
        let AuditedFiles { issues, files } = audit_files(environment, path)?;
        report.checked += files.len();
        report.issues.extend(issues);
        paths.add_files(files);
    }
    let given = request.with.iter().map(|file| environment.resolve(file));
    report.with_files.extend(given);
    let others = read_reports(environment, &report.with_files, &paths, notes)?;
    report.issues.extend(others);
    report.leave_out_ignored(&paths.ignored);
    report.issues.sort();
    report.issues.dedup();
    Ok(report)
}

/// Separates ids from paths: an id of the project wins, and `./` makes a path of any name.
fn named_content(
    world: &World,
    words: &[String],
    ids: &BTreeSet<Owner>,
) -> Result<NamedContent, Failure> {
    let mut named = NamedContent::default();
    for word in words {
        if ids.iter().any(|id| matches_id(word, id)) {
            named.ids.push(word.clone());
            continue;
        }
        let path = world.environment.resolve(Path::new(word));
        if !store::exists(&path) {
            let help = "name an installed resource, or a file or directory that exists; \
                        `agpm list` shows the resources";
            return Err(unknown_name(
                "resource or path",
                word,
                Some(help.to_owned()),
            ));
        }
        named.paths.push(path);
    }
    Ok(named)
}

/// What the audit of a project is made of.
struct AuditedProject {
    root: PathBuf,
    issues: Vec<AuditIssue>,
    /// Every installed file with its owner.
    files: Vec<(String, Owner)>,
    owners: BTreeSet<Owner>,
    settings: AuditSettings,
    level: AuditLevel,
    policy_level: Option<AuditLevel>,
    with: Vec<PathBuf>,
}

/// Renders everything that is installed, or would be, and audits it with the files that exist now.
fn audit_project(world: &World, notes: &mut Notes) -> Result<AuditedProject, Failure> {
    refresh_policies(world, notes)?;
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let (gathered, rendered) = match render_as(LockUse::Frozen, world, &store, notes) {
        // No lockfile, or one of another manifest: what an install would resolve to.
        Err(failure) if failure.kind == FailureKind::Lock => {
            render_as(LockUse::Update, world, &store, notes)?
        }
        rendered => rendered?,
    };
    let contents = rendered_contents(&rendered.rendered.resources, &rendered.layered.files);
    let mut issues = audit_content(&contents);
    issues.extend(paths::audit_edited(&store, &contents)?);
    let policy_level = gathered.policies.set().audit_level();
    let settings = gathered.project.manifest.audit.clone();
    let directory = world.environment.manifest_directory(store.path());
    let with = settings.with.iter();
    Ok(AuditedProject {
        root: store.path().to_owned(),
        issues,
        owners: contents.iter().map(|one| one.owner.clone()).collect(),
        files: contents
            .iter()
            .map(|one| (one.path.clone(), one.owner.clone()))
            .collect(),
        level: policy_level.map_or(settings.level, |level| level.min(settings.level)),
        policy_level,
        with: with.map(|file| directory.join(file)).collect(),
        settings,
    })
}

/// Renders what is locked, without a request to any server where the cache has it, or what would be locked.
fn render_as(
    lock_use: LockUse,
    world: &World,
    store: &ProjectStore,
    notes: &mut Notes,
) -> Result<(GatheredProject, RenderedProject), Failure> {
    let mut job = InstallJob::showing("audit", UpdateScope::Nothing);
    job.request.lock = lock_use;
    let run = InstallRun {
        world,
        store,
        job: &job,
    };
    let files = ManifestFiles::require(&world.environment)?;
    // The findings of an install are not those of an audit, unless they end it.
    let mut quiet = notes.fork();
    let rendered = gather(&run, files, &mut quiet).and_then(|mut gathered| {
        let resolved = resolve_dependencies(&run, &mut gathered, &mut quiet)?;
        let rendered = render(&run, &gathered, resolved, &mut quiet)?;
        Ok((gathered, rendered))
    });
    let is_reported =
        matches!(&rendered, Err(Failure { kind, diagnostic: None }) if *kind != FailureKind::Lock);
    if is_reported {
        notes.absorb(quiet);
    }
    rendered
}

/// The reports of other scanners that a manifest names, for checks of a whole project.
pub(crate) fn issues_of_other_scanners(
    world: &World,
    project: &Project,
    root: &Path,
    contents: &[AuditedContent<'_>],
    notes: &mut Notes,
) -> Result<Vec<AuditIssue>, Failure> {
    let settings = &project.manifest.audit;
    let directory = world.environment.manifest_directory(root);
    let files: Vec<PathBuf> = settings
        .with
        .iter()
        .map(|file| directory.join(file))
        .collect();
    let mut paths = InstalledPaths::new(&world.environment.working_directory);
    paths.root = root.to_owned();
    for content in contents {
        paths.add(content.path.clone(), content.owner.clone());
    }
    read_reports(&world.environment, &files, &paths, notes)
}

/// The level from which findings are errors in a project.
pub(crate) fn level_of(settings: &AuditSettings, policies: &ProjectPolicies) -> AuditLevel {
    let policy = policies.set().audit_level();
    policy.map_or(settings.level, |level| level.min(settings.level))
}
