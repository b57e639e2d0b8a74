//! Reads what the solver still needs: all of one source in few calls, sources side by side.

mod git;
mod local;
mod raw;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agpm_diag::{Diagnostic, codes};
use agpm_git::Refs;
use agpm_model::{Declared, Manifest, ObjectId, Origin, SKILL_FILE, Selector, SourceName, Unit, Variant};
use agpm_render::{Names, Renderer};
use agpm_solve::Child;
use agpm_store as store;

use crate::failure::{Failure, FailureKind, Notes};
use crate::outside::Bounds;
use crate::packages::declared::{Declaring, meant};
use crate::packages::facts::{Found, Known, Need, Pin, Resource};
use crate::packages::fetch::git::objects;
pub(crate) use crate::packages::fetch::local::inline_bytes;
use crate::packages::fetch::raw::{Raw, unfit};
use crate::packages::resolve::plain_sources;
use crate::packages::sources::{Opened, Sources, git_failure};
use crate::packages::templates::project_names;
use crate::parallel;
use crate::world::World;

/// What one source is asked for.
#[derive(Default)]
struct Asked<'n> {
    refs: bool,
    revs: Vec<&'n str>,
    contents: Vec<(&'n Unit, &'n Option<ObjectId>)>,
}

/// What one source answers.
#[derive(Default)]
struct Answered {
    refs: Option<Arc<Refs>>,
    revs: Vec<(String, ObjectId)>,
    contents: Vec<(Unit, Option<ObjectId>, Raw)>,
}

pub(crate) struct Fetcher<'a> {
    world: &'a World,
    sources: &'a Sources,
    manifest: &'a Manifest,
    /// The names that templates in declarations may use.
    names: BTreeMap<Variant, Names>,
    renderer: Renderer,
    bounds: Bounds,
}

impl<'a> Fetcher<'a> {
    pub(crate) fn new(world: &'a World, sources: &'a Sources, manifest: &'a Manifest) -> Self {
        let names = project_names(manifest);
        let bounds = Bounds::of(&sources.project);
        Fetcher { world, sources, manifest, names, renderer: Renderer::new(), bounds }
    }

    /// What the manifest asks for, before anything is read.
    pub(crate) fn known(&self, pins: BTreeMap<Unit, Pin>) -> Known {
        let mut known = Known::new(plain_sources(self.sources), pins);
        for dependency in &self.manifest.dependencies {
            known.want(&dependency.unit, dependency.variant);
        }
        known
    }

    /// Reads everything that is needed.
    pub(crate) fn fulfil(
        &self,
        needs: &BTreeSet<Need>,
        known: &mut Known,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        let mut asked: BTreeMap<Option<&SourceName>, Asked<'_>> = BTreeMap::new();
        for need in needs {
            match need {
                Need::Refs(source) => asked.entry(Some(source)).or_default().refs = true,
                Need::Rev(source, rev) => asked.entry(Some(source)).or_default().revs.push(rev),
                Need::Content(unit, commit) => {
                    let source = match &unit.origin {
                        Origin::Source(name) => Some(name),
                        Origin::Local | Origin::Manifest => None,
                    };
                    asked.entry(source).or_default().contents.push((unit, commit));
                }
            }
        }
        let answers = parallel::map(asked.into_iter().collect(), |(source, asked)| {
            (source, self.answer(source, &asked))
        });
        for (source, answer) in answers {
            self.take(source, answer?, known, notes)?;
        }
        notes.check()
    }

    fn answer(&self, source: Option<&SourceName>, asked: &Asked<'_>) -> Result<Answered, Failure> {
        let Some(name) = source else { return self.files(&self.sources.project, &asked.contents) };
        let progress = &self.world.progress;
        match self.sources.get(name) {
            Some(Opened::Folder(folder)) => self.files(folder, &asked.contents),
            Some(Opened::Git(remote)) => {
                progress.source_began(name.as_str());
                let answer = objects(remote, asked).map_err(|error| git_failure(name, error));
                progress.source_ended(name.as_str());
                answer
            }
            None => Ok(Answered::default()),
        }
    }

    /// Understands what was read.
    fn take(
        &self,
        source: Option<&SourceName>,
        answered: Answered,
        known: &mut Known,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        if let Some(name) = source {
            if let Some(refs) = answered.refs {
                known.list(name.clone(), refs);
            }
            for (rev, commit) in answered.revs {
                known.set_rev(name.clone(), rev, commit);
            }
        }
        for (unit, commit, raw) in answered.contents {
            let resource = |resource| Found::Resource(Arc::new(resource), Arc::default());
            let found = match raw {
                Raw::Absent => Found::Absent,
                Raw::Unfit(why) => return Err(unfit(&unit, why)),
                Raw::Matches(units) if units.is_empty() => Found::Absent,
                Raw::Matches(units) => {
                    let child = |unit| Child::<Unit, Selector> { unit, wish: None };
                    Found::Matches(Arc::new(units.into_iter().map(child).collect()))
                }
                Raw::File(file) => resource(Resource::file(file)),
                Raw::Folder(mut files) => {
                    match files.iter().position(|(path, _)| path.as_str() == SKILL_FILE) {
                        Some(at) => {
                            let (_, main) = files.remove(at);
                            resource(Resource::folder(main, files))
                        }
                        None => Found::Absent,
                    }
                }
            };
            self.learn(unit, commit, found, known, notes)?;
        }
        Ok(())
    }

    /// Takes in what was read, and reads what it declares under every variant in which it is wanted; what it needs is
    /// wanted under the same ones.
    pub(crate) fn learn(
        &self,
        unit: Unit,
        commit: Option<ObjectId>,
        found: Found,
        known: &mut Known,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        known.set_content(unit.clone(), commit.clone(), found);
        let key = (unit, commit);
        let mut queue: Vec<_> =
            known.variants_of(&key.0).into_iter().map(|variant| (key.clone(), variant)).collect();
        while let Some((key, variant)) = queue.pop() {
            let wanted: Vec<Unit> = match known.found(&key.0, key.1.as_ref()) {
                None | Some(Found::Absent) => continue,
                Some(Found::Matches(matches)) => matches.iter().map(|child| child.unit.clone()).collect(),
                Some(Found::Resource(resource, _)) => {
                    let declared = self.understand(&key, &Arc::clone(resource), variant, notes)?;
                    let units = declared.iter().map(|(_, unit)| unit.clone()).collect();
                    known.set_needs(&key, variant, declared);
                    units
                }
            };
            for unit in wanted {
                if known.want(&unit, variant) {
                    let commits = known.commits_of(&unit).into_iter();
                    queue.extend(commits.map(|commit| ((unit.clone(), commit), variant)));
                }
            }
        }
        Ok(())
    }

    /// What a resource declares under a variant, each with the unit that is meant.
    fn understand(
        &self,
        (unit, commit): &(Unit, Option<ObjectId>),
        resource: &Resource,
        variant: Variant,
        notes: &mut Notes,
    ) -> Result<Vec<(Declared, Unit)>, Failure> {
        let label = commit.as_ref().map_or("local", ObjectId::short);
        let (names, renderer) = (&self.names[&variant], &self.renderer);
        let declared = Declaring { unit, label, bytes: &resource.main.bytes, names, renderer }.read(notes);
        let mut children = Vec::new();
        for declared in declared {
            let exists = |path: &str| self.exists(unit, commit.as_ref(), path);
            let child = meant(unit, &declared, &exists).map_err(|_| {
                let message = format!("`{}` of `{unit}` leads out of its source", declared.path);
                let diagnostic = Diagnostic::new(&codes::RESOURCE_DECLARATION, message)
                    .at_spot(declared.spot)
                    .help("resources can only need files of their own source");
                Failure::new(FailureKind::Refused, diagnostic)
            })?;
            children.push((declared, child));
        }
        Ok(children)
    }

    fn exists(&self, parent: &Unit, commit: Option<&ObjectId>, path: &str) -> bool {
        match (&parent.origin, commit) {
            (Origin::Manifest, _) => false,
            (Origin::Local, _) => store::is_file(&self.sources.project.join(path)),
            (Origin::Source(name), commit) => match (self.sources.get(name), commit) {
                (Some(Opened::Git(remote)), Some(commit)) => {
                    remote.entry(commit, path).is_ok_and(|entry| entry.is_some())
                }
                (Some(Opened::Folder(folder)), _) => store::is_file(&folder.join(path)),
                _ => false,
            },
        }
    }
}
