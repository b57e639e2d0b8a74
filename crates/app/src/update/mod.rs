//! `update`: moves pins to newer versions, within their requirements or with new ones.

mod report;
mod requirements;

use std::collections::BTreeSet;

use crate::manifest::{ChangedResource, EntryChange, PinWords};
use agpm_diag::{Failure, Notes, Outcome};
use agpm_model::{Checksum, Lockfile, PinId, VersionRequirement};
use agpm_resolve::UpdateScope;
use agpm_text::{Document, Format, document_of, parse_alone};

use crate::change::until_not_overtaken;
use crate::install;
use crate::install::policies::ProjectPolicies;
use crate::install::{
    InstallJob, InstallRequest, ManifestEdit, PrivateEdit, ProjectFate, WideningRecord,
};
use crate::project::gather::{ManifestFiles, Project};
use crate::project::packages::{ProjectSources, read_lock, read_updatable_lock};
use crate::project::reading::display_path;
use crate::project::world::World;
use crate::update::requirements::{RequirementPlan, RequirementPlanner};

pub use report::{BaseRequirement, UpdateReport};

/// The arguments of `update`.
#[derive(Clone, Debug)]
pub struct UpdateRequest {
    /// Names or ids of resources and layers, each with `@` and a version if it is to have that one; all of them if
    /// empty.
    pub names: Vec<String>,
    /// The versions to move to.
    pub target: UpdateTarget,
    /// The options of the install that follows.
    pub install: InstallRequest,
}

/// The versions that an update moves to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateTarget {
    /// The newest that the requirements allow.
    Allowed,
    /// The newest stable release; requirements that exclude it are rewritten.
    Latest,
}

/// Updates a project.
pub fn update(world: &World, request: &UpdateRequest) -> Outcome<UpdateReport> {
    until_not_overtaken(|notes| run(world, request, notes))
}

fn run(world: &World, request: &UpdateRequest, notes: &mut Notes) -> Result<UpdateReport, Failure> {
    let title = format!("update {}", request.names.join(" "))
        .trim_end()
        .to_owned();
    let is_plain = request.names.is_empty() && request.target == UpdateTarget::Allowed;
    let arguments = if is_plain {
        UpdateArguments::everything()
    } else {
        UpdateArguments::read(world, request, notes)?
    };
    let UpdateArguments {
        moving,
        plan,
        before,
        private,
    } = arguments;
    let text = edited_text(&before, &plan.changes)?;
    let private_text = edited_text(&private, &plan.private)?;
    let is_edited = text.is_some() || private_text.is_some();
    let manifest = is_edited.then(|| ManifestEdit {
        before: Some(Checksum::of(&before)),
        bytes: text
            .map_or_else(|| before.clone(), String::into_bytes)
            .into(),
        private: private_text.map(|text| PrivateEdit {
            before: Checksum::of(&private),
            bytes: text.into_bytes(),
        }),
        ignored: None,
        text_patches: Vec::new(),
        project: ProjectFate::Stays,
        widenings: WideningRecord::Lockfile,
    });
    let installed = install::run(
        world,
        &InstallJob {
            title,
            request: request.install,
            moving,
            exact: plan.exact,
            manifest,
        },
        notes,
    );
    if installed.is_err() && is_edited {
        // The proposed manifest was not written, so the lines that findings quote are not in the file of that name.
        let files = ManifestFiles::require(&world.environment)?;
        let name = display_path(&world.environment, &files.path);
        notes.sources.rename(&name, &format!("{name} (proposed)"));
    }
    let changes = plan.changes.into_iter().chain(plan.private);
    let changed: Vec<ChangedResource> = changes.map(|change| change.report).collect();
    Ok(UpdateReport {
        changed,
        of_bases: plan.of_bases,
        installed: installed?,
    })
}

/// The arguments, as the project understands them.
struct UpdateArguments {
    moving: UpdateScope,
    plan: RequirementPlan,
    /// The bytes of the manifest.
    before: Vec<u8>,
    /// The bytes of the private manifest.
    private: Vec<u8>,
}

impl UpdateArguments {
    fn everything() -> Self {
        UpdateArguments {
            moving: UpdateScope::Everything,
            plan: RequirementPlan::default(),
            before: Vec::new(),
            private: Vec::new(),
        }
    }

    /// Findings about the project are dropped by the install that follows, which reports them again.
    fn read(world: &World, request: &UpdateRequest, notes: &mut Notes) -> Result<Self, Failure> {
        let files = ManifestFiles::require(&world.environment)?;
        let before = files.project().to_vec();
        let private = files.private().unwrap_or_default().to_vec();
        let name = display_path(&world.environment, &files.path);
        let store = files.store()?;
        let mut project = Project::of(world, files, notes)?;
        let lock = read_updatable_lock(world, &project.manifest, &store, notes)?
            .map(|read| read.lock)
            .unwrap_or_default();
        let words = pin_words(world, &project, lock.clone());
        let mut named: BTreeSet<PinId> = BTreeSet::new();
        let mut versioned: Vec<(PinId, VersionRequirement)> = Vec::new();
        for word in &request.names {
            let (pins, requirement) = words.find_with_requirement(word)?;
            if let Some(requirement) = requirement {
                let pairs = pins.iter().map(|pin| (pin.clone(), requirement.clone()));
                versioned.extend(pairs);
            }
            named.extend(pins);
        }
        let moving = if request.names.is_empty() {
            UpdateScope::Everything
        } else {
            UpdateScope::Only(named.clone())
        };
        if versioned.is_empty() && request.target == UpdateTarget::Allowed {
            return Ok(UpdateArguments {
                moving,
                plan: RequirementPlan::default(),
                before,
                private,
            });
        }
        let document = document_of(name, before.clone(), Format::Toml, notes)?;
        let limit = ProjectPolicies::of(&mut project, notes)?.release_limit(world);
        let sources = ProjectSources::open_used(world, &project.manifest, store.path());
        let sources = sources.with_release_limit(limit);
        let mut planner = RequirementPlanner::new(&project, &document, &lock, &sources);
        for (pin, requirement) in &versioned {
            planner.require(pin, requirement, notes)?;
        }
        if request.target == UpdateTarget::Latest {
            let only = (!request.names.is_empty()).then_some(&named);
            planner.require_newest(only, notes)?;
        }
        Ok(UpdateArguments {
            moving,
            plan: planner.plan,
            before,
            private,
        })
    }
}

/// The manifest with all changes; `None` without any.
fn edited_text(before: &[u8], changes: &[EntryChange]) -> Result<Option<String>, Failure> {
    if changes.is_empty() {
        return Ok(None);
    }
    let mut text = String::from_utf8_lossy(before).into_owned();
    for change in changes {
        let document: Document = parse_alone(text, Format::Toml).document;
        text = change.applied_to(&document)?;
    }
    Ok(Some(text))
}

/// Returns the pins that the names refer to; all pins if no names are given.
pub(crate) fn scope_of(world: &World, names: &[String]) -> Result<UpdateScope, Failure> {
    if names.is_empty() {
        return Ok(UpdateScope::Everything);
    }
    let mut quiet = Notes::default();
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let lock = read_lock(&world.environment, &store, &mut quiet)?
        .map(|(lock, _)| lock)
        .unwrap_or_default();
    let project = Project::of(world, files, &mut quiet)?;
    let words = pin_words(world, &project, lock);
    let mut named = BTreeSet::new();
    for word in names {
        named.extend(words.find(word)?);
    }
    Ok(UpdateScope::Only(named))
}

/// Returns the lookup of names among the pins of a project.
pub(crate) fn pin_words<'p>(
    world: &'p World,
    project: &'p Project,
    lock: Lockfile,
) -> PinWords<'p> {
    let root = project.root.clone().unwrap_or_default();
    PinWords::new(
        &world.environment.working_directory,
        &project.manifest,
        root,
        lock,
    )
}
