//! Reads what the solver still needs: all of one source in few calls, sources side by side.

mod contents;
mod plugin_files;
mod plugin_needs;
mod raw;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use agpm_compose::project_names;
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, SourceSpan, Span, codes, did_you_mean};
use agpm_model::{
    DeclaredDependency, Dependency, FileMode, Manifest, ObjectId, Requirement, ResourceExtent,
    ResourceOrigin, SKILL_FILE, SourceName, SourceVersions, Unit, Variant, VersionRequirement,
    default_requirement,
};
use agpm_plan::{ExcludedMatches, excluded};
use agpm_render::{TemplateNames, TemplateRenderer};
use agpm_resolve::{
    DeclaringResource, EscapedPath, FoundContent, MissingFact, RequiredSource, ResourceFiles,
    SolverPin, SourceFile, SourceIndex, SourceRefusal, declared_unit, refused_source,
    required_source, unit_of_source,
};
use agpm_solve::RequiredUnit;
use agpm_source::{Source, SourceError};
use agpm_store::parallel;
use agpm_text::Value;

use crate::packages::fetch::plugin_needs::{PluginNeed, declaration, plugin_needs, plugin_of_file};
use crate::packages::fetch::raw::{Raw, unfit};
use crate::packages::marketplaces::check_commit;
use crate::packages::resolve::plain_sources;
use crate::packages::sources::{Sources, is_versioned, versions_of};
use crate::source_failure::{source_failure, source_failure_of};
use crate::world::World;

/// What is required of a source where nothing is declared, after a prefix.
const LATEST: &str = "latest";

/// What one source is asked for.
#[derive(Default)]
struct Asked<'n> {
    versions: bool,
    revs: Vec<&'n str>,
    releases: Vec<&'n str>,
    contents: Vec<(&'n Unit, &'n Option<ObjectId>)>,
}

/// What one source answers.
#[derive(Default)]
struct Answered {
    versions: Option<Arc<SourceVersions>>,
    revs: Vec<(String, ObjectId)>,
    releases: Vec<(String, Option<u64>)>,
    contents: Vec<(Unit, Option<ObjectId>, Raw)>,
}

pub(crate) struct Fetcher<'a> {
    world: &'a World,
    sources: &'a Sources,
    manifest: &'a Manifest,
    /// The names that templates in declarations may use.
    names: BTreeMap<Variant, TemplateNames>,
    renderer: TemplateRenderer,
    /// Sources that resources require and that are not open.
    required: Mutex<BTreeMap<SourceName, agpm_model::SourceDeclaration>>,
}

impl<'a> Fetcher<'a> {
    pub(crate) fn new(world: &'a World, sources: &'a Sources, manifest: &'a Manifest) -> Self {
        let names = project_names(manifest);
        Fetcher {
            world,
            sources,
            manifest,
            names,
            renderer: TemplateRenderer::new(),
            required: Mutex::default(),
        }
    }

    /// Sources that have to be opened before anything is known of what is required from them.
    pub(crate) fn required_sources(&self) -> Vec<agpm_model::SourceDeclaration> {
        let required = self.required.lock();
        let mut required = required.unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *required).into_values().collect()
    }

    /// What the manifest asks for, before anything is read.
    pub(crate) fn index(&self, pins: BTreeMap<Unit, SolverPin>) -> SourceIndex {
        let mut known = SourceIndex::new(plain_sources(self.sources), pins);
        for dependency in &self.manifest.dependencies {
            known.want(&dependency.unit, dependency.variant);
        }
        known
    }

    /// Reads everything that is needed.
    pub(crate) fn fulfil(
        &self,
        needs: &BTreeSet<MissingFact>,
        known: &mut SourceIndex,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        let mut asked: BTreeMap<Option<&SourceName>, Asked<'_>> = BTreeMap::new();
        for need in needs {
            match need {
                MissingFact::Refs(source) => asked.entry(Some(source)).or_default().versions = true,
                MissingFact::Rev(source, rev) => {
                    asked.entry(Some(source)).or_default().revs.push(rev)
                }
                MissingFact::Releases(source, tags) => {
                    let asked = asked.entry(Some(source)).or_default();
                    asked.releases.extend(tags.iter().map(String::as_str));
                }
                MissingFact::Content(unit, commit) => {
                    let source = match &unit.origin {
                        ResourceOrigin::Source(name) => Some(name),
                        ResourceOrigin::Local | ResourceOrigin::Manifest => None,
                    };
                    asked
                        .entry(source)
                        .or_default()
                        .contents
                        .push((unit, commit));
                }
            }
        }
        let mut failure = None;
        let answers = parallel::map(asked.into_iter().collect(), |(source, asked)| {
            (source, self.answer(source, &asked))
        });
        for (source, answer) in answers {
            let taken = answer.and_then(|answer| self.take(source, answer, known, notes));
            failure = failure.or(taken.err());
        }
        failure.map_or_else(|| notes.check(), Err)
    }

    fn answer(&self, source: Option<&SourceName>, asked: &Asked<'_>) -> Result<Answered, Failure> {
        let Some(name) = source else {
            return self.answer_locally(asked);
        };
        let Some(source) = self.sources.get(name) else {
            return Ok(Answered::default());
        };
        let progress = &self.world.progress;
        if is_versioned(source) {
            progress.source_began(name.as_str());
        }
        let answer = contents::answer(source, asked);
        if is_versioned(source) {
            progress.source_ended(name.as_str());
        }
        answer.map_err(|error| failure_of(source, name, error))
    }

    /// What the manifest has itself, and the files that it names by their paths.
    fn answer_locally(&self, asked: &Asked<'_>) -> Result<Answered, Failure> {
        let (inline, files): (Vec<_>, Vec<_>) = asked
            .contents
            .iter()
            .partition(|(unit, _)| unit.origin == ResourceOrigin::Manifest);
        let files = Asked {
            contents: files,
            ..Asked::default()
        };
        let mut answered = contents::answer(&self.sources.local, &files).map_err(|error| {
            let place = &self.sources.project;
            match error {
                SourceError::Store(error) => error.seen_from(place).into(),
                error => source_failure_of("the project", error),
            }
        })?;
        let inline = inline.into_iter().map(|(unit, commit)| {
            let raw = self.inline(unit);
            (unit.clone(), commit.clone(), raw)
        });
        answered.contents.extend(inline);
        Ok(answered)
    }

    fn inline(&self, unit: &Unit) -> Raw {
        let dependency = self
            .manifest
            .dependencies
            .iter()
            .find(|dependency| dependency.unit == *unit);
        let bytes = dependency.and_then(inline_bytes);
        bytes.map_or(Raw::Absent, |bytes| {
            Raw::File(SourceFile::new(bytes, FileMode::Plain))
        })
    }

    /// Understands what was read.
    fn take(
        &self,
        source: Option<&SourceName>,
        answered: Answered,
        known: &mut SourceIndex,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        if let Some(name) = source {
            if let Some(versions) = answered.versions {
                known.list(name.clone(), versions);
            }
            for (rev, commit) in answered.revs {
                known.set_rev(name.clone(), rev, commit);
            }
            for (tag, released) in answered.releases {
                known.set_released(name, tag, released);
            }
        }
        let mut refused = Vec::new();
        for (unit, commit, raw) in answered.contents {
            let resource = |resource| FoundContent::Resource(Arc::new(resource), Arc::default());
            let found = match raw {
                Raw::Absent => FoundContent::Absent,
                Raw::Unfit(why) => {
                    refused.push(unfit(&unit, why));
                    FoundContent::Absent
                }
                Raw::Matches(units) if units.is_empty() => FoundContent::Absent,
                Raw::Matches(units) => {
                    let units = self.without_excluded(&unit, units, notes);
                    let child = |unit| RequiredUnit::<Unit, Requirement> {
                        unit,
                        requirement: None,
                    };
                    FoundContent::Matches(Arc::new(units.into_iter().map(child).collect()))
                }
                Raw::File(file) => resource(ResourceFiles::file(file)),
                Raw::Folder(files) if unit.extent == ResourceExtent::Plugin => {
                    resource(ResourceFiles::plugin(files))
                }
                Raw::Folder(mut files) => {
                    match files
                        .iter()
                        .position(|(path, _)| path.as_str() == SKILL_FILE)
                    {
                        Some(at) => {
                            let (_, main) = files.remove(at);
                            resource(ResourceFiles::folder(main, files))
                        }
                        None => FoundContent::Absent,
                    }
                }
            };
            self.learn(unit, commit, found, known, notes)?;
        }
        // All of them are reported: one file after the other would take as many runs.
        let is_refused = !refused.is_empty();
        notes.diagnostics.extend(refused);
        if is_refused {
            Err(Failure {
                kind: FailureKind::Refused,
                diagnostic: None,
            })
        } else {
            Ok(())
        }
    }

    /// The matches of a pattern that some dependency with this pattern wants.
    fn without_excluded(&self, pattern: &Unit, matches: Vec<Unit>, notes: &mut Notes) -> Vec<Unit> {
        let all: Vec<&Unit> = matches.iter().collect();
        let mut left_out: Option<BTreeSet<usize>> = None;
        for dependency in self
            .manifest
            .dependencies
            .iter()
            .filter(|one| one.unit == *pattern)
        {
            let tool = &self.manifest.tools.of(dependency)[0];
            let found = excluded(dependency, tool, &all);
            notes
                .diagnostics
                .extend(unknown_exclusions(dependency, &found, &all));
            left_out = Some(match left_out {
                Some(before) => before.intersection(&found.matches).copied().collect(),
                None => found.matches,
            });
        }
        let left_out = left_out.unwrap_or_default();
        let kept = matches
            .into_iter()
            .enumerate()
            .filter(|(at, _)| !left_out.contains(at));
        kept.map(|(_, unit)| unit).collect()
    }

    /// Takes in what was read, and reads what it declares under every variant in which it is wanted; what it needs is
    /// wanted under the same ones.
    pub(crate) fn learn(
        &self,
        unit: Unit,
        commit: Option<ObjectId>,
        found: FoundContent,
        known: &mut SourceIndex,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        known.set_content(unit.clone(), commit.clone(), found);
        let key = (unit, commit);
        let mut queue: Vec<_> = known
            .variants_of(&key.0)
            .into_iter()
            .map(|variant| (key.clone(), variant))
            .collect();
        while let Some((key, variant)) = queue.pop() {
            let wanted: Vec<Unit> = match known.found(&key.0, key.1.as_ref()) {
                None | Some(FoundContent::Absent) => continue,
                Some(FoundContent::Matches(matches)) => {
                    matches.iter().map(|child| child.unit.clone()).collect()
                }
                Some(FoundContent::Resource(resource, _)) => {
                    let resource = Arc::clone(resource);
                    let declared = self.understand(&key, &resource, variant, known, notes)?;
                    let units = declared.iter().map(|(_, unit)| unit.clone()).collect();
                    known.set_needs(&key.0, &key.1, variant, declared);
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

    /// What a resource declares under a variant, each with the unit that is declared_unit.
    fn understand(
        &self,
        (unit, commit): &(Unit, Option<ObjectId>),
        resource: &ResourceFiles,
        variant: Variant,
        known: &SourceIndex,
        notes: &mut Notes,
    ) -> Result<Vec<(DeclaredDependency, Unit)>, Failure> {
        if unit.extent == ResourceExtent::Plugin {
            let needs = plugin_needs(self, unit, commit.as_ref(), resource, notes)?;
            return self.needed_plugins(unit, needs, known);
        }
        // The tool alone reads a file in place: agpm is told where it is, not what it means.
        if self.manifest.is_in_place(unit) {
            return Ok(Vec::new());
        }
        let label = commit.as_ref().map_or("local", ObjectId::short);
        let (names, renderer) = (&self.names[&variant], &self.renderer);
        let declared = DeclaringResource {
            unit,
            label,
            bytes: &resource.main.bytes,
            names,
            renderer,
        }
        .read(notes);
        let (mut children, mut escapes) = (Vec::new(), Vec::new());
        for declared in declared {
            if declared.source.is_some() {
                match self.in_other_source(&declared, known) {
                    Ok(child) => children.extend(child),
                    Err(refusal) => {
                        let chain = known.chain_to(&self.roots(), unit);
                        escapes.push(refused_source(&refusal, &chain, declared.spot));
                    }
                }
                continue;
            }
            let exists = |path: &str| self.exists(unit, commit.as_ref(), path);
            match declared_unit(unit, &declared, &exists) {
                Ok(child) => children.push((declared, child)),
                Err(EscapedPath) => {
                    let message =
                        format!("`{}` of `{unit}` leads out of its source", declared.path);
                    let diagnostic = Diagnostic::new(&codes::RESOURCE_DECLARATION, message)
                        .at_spot(declared.spot)
                        .help("resources can only need files of their own source");
                    escapes.push(diagnostic);
                }
            }
        }
        let exists = |path: &str| self.exists(unit, commit.as_ref(), path);
        if let Some(plugin) = plugin_of_file(unit, &resource.main.bytes, &exists) {
            let spot = SourceSpan {
                source: notes.sources.add(unit.to_string(), String::new()),
                span: Span::at(0),
            };
            children.push((declaration(plugin.path.as_str(), None, spot), plugin));
        }
        match escapes.pop() {
            Some(last) => {
                notes.diagnostics.extend(escapes);
                Err(Failure::new(FailureKind::Refused, last))
            }
            None => Ok(children),
        }
    }

    /// The plugins that a plugin needs, without those whose source has to be opened first.
    fn needed_plugins(
        &self,
        unit: &Unit,
        needs: Vec<PluginNeed>,
        known: &SourceIndex,
    ) -> Result<Vec<(DeclaredDependency, Unit)>, Failure> {
        let mut children = Vec::new();
        for need in needs {
            let remote = match need {
                PluginNeed::Here(declared, child) => {
                    children.push((declared, child));
                    continue;
                }
                PluginNeed::Elsewhere(remote) => remote,
            };
            let child = self
                .in_other_source(&remote.declared, known)
                .map_err(|_| remote.refusal(&known.chain_to(&self.roots(), unit)))?;
            let Some((declared, child)) = child else {
                continue;
            };
            if let Some((commit, source)) = remote.commit.as_ref().zip(child.origin.source()) {
                check_commit(self.sources, source, commit)?;
            }
            children.push((declared, child));
        }
        Ok(children)
    }

    fn roots(&self) -> Vec<Unit> {
        let dependencies = self.manifest.dependencies.iter();
        dependencies.map(|one| one.unit.clone()).collect()
    }

    /// What is declared in another source; nothing if that has to be opened first.
    fn in_other_source(
        &self,
        declared: &DeclaredDependency,
        known: &SourceIndex,
    ) -> Result<Option<(DeclaredDependency, Unit)>, SourceRefusal> {
        let written = declared.source.as_deref().unwrap_or_default();
        let (name, source) = match required_source(self.manifest, written, declared.spot)? {
            RequiredSource::Known(name) => {
                let source = self.manifest.source(&name).cloned();
                (name, source)
            }
            RequiredSource::Allowed(source) => (source.name.clone(), Some(*source)),
        };
        if self.sources.get(&name).is_none() {
            let required = self.required.lock();
            let mut required = required.unwrap_or_else(PoisonError::into_inner);
            required.extend(source.map(|source| (name, source)));
            return Ok(None);
        }
        let unit = unit_of_source(&name, declared)
            .map_err(|_| SourceRefusal::NoRepository(declared.path.clone()))?;
        let requirement = declared.requirement.clone();
        let requirement = requirement.or_else(|| self.default_requirement(&name, &unit, known));
        let declared = DeclaredDependency {
            requirement,
            ..declared.clone()
        };
        Ok(Some((declared, unit)))
    }

    /// What is required where nothing is declared. A source is not asked for what the lockfile tells.
    fn default_requirement(
        &self,
        source: &SourceName,
        unit: &Unit,
        known: &SourceIndex,
    ) -> Option<Requirement> {
        let locked = known.pinned_requirements(unit);
        let is_latest = |text: &&String| text.ends_with(LATEST);
        if let Some(latest) = locked.iter().find(is_latest) {
            return VersionRequirement::parse(latest)
                .ok()
                .map(Requirement::Version);
        }
        let names = [unit.path.stem().to_owned()];
        let versions = versions_of(self.sources, source).ok().flatten();
        let requirement = versions.and_then(|versions| default_requirement(&versions, &names));
        let locked = || VersionRequirement::parse(locked.first()?).ok();
        requirement.or_else(locked).map(Requirement::Version)
    }

    fn exists(&self, parent: &Unit, commit: Option<&ObjectId>, path: &str) -> bool {
        let source: Option<&dyn Source> = match &parent.origin {
            ResourceOrigin::Manifest => None,
            ResourceOrigin::Local => Some(&self.sources.local),
            ResourceOrigin::Source(name) => self.sources.get(name),
        };
        let entry = source.map(|source| source.entry(commit, path));
        entry.is_some_and(|entry| entry.is_ok_and(|entry| entry.is_some()))
    }
}

/// What a source could not do; a directory's own files are shown from the directory.
fn failure_of(source: &dyn Source, name: &SourceName, error: SourceError) -> Failure {
    match (error, source.place()) {
        (SourceError::Store(error), Some(place)) => error.seen_from(place).into(),
        (error, _) => source_failure(name, error),
    }
}

/// What the manifest itself says of an MCP server.
pub(crate) fn inline_bytes(dependency: &Dependency) -> Option<Vec<u8>> {
    let Some(Value::Map(said)) = &dependency.server else {
        return None;
    };
    // An address says what it is, for tools that would take it for a program.
    let is_remote = said.iter().all(|(key, _)| key != "command");
    let kind = is_remote.then(|| ("type".to_owned(), Value::from("http")));
    let server = Value::Map(kind.into_iter().chain(said.iter().cloned()).collect());
    Some(server.to_json().into_bytes())
}

/// A warning for each name in `exclude` that does not mean one match.
fn unknown_exclusions(
    dependency: &Dependency,
    found: &ExcludedMatches,
    matches: &[&Unit],
) -> Vec<Diagnostic> {
    let stems: BTreeSet<&str> = matches.iter().map(|unit| unit.path.stem()).collect();
    let warning = |at: &usize| {
        let exclusion = &dependency.exclude[*at];
        let message = format!(
            "`{}` in `exclude` does not name one match of the pattern",
            exclusion.name
        );
        let mut diagnostic =
            Diagnostic::new(&codes::MANIFEST_EXCLUDE, message).at_spot(exclusion.spot);
        diagnostic.help = did_you_mean(&exclusion.name, "the matches are", stems.iter().copied());
        diagnostic
    };
    found.unknown.iter().map(warning).collect()
}
