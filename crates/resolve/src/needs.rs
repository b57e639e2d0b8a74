//! Reads the dependencies of resources; sources are accessed through a trait.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::{ExcludedMatches, excluded};
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, SourceSpan, Span, codes, did_you_mean};
use agpm_model::{
    DeclaredDependency, Dependency, InstallMode, Manifest, Requirement, ResourceExtent, Revision,
    SourceName, Unit, Variant, VersionRequirement, default_requirement,
};
use agpm_render::{TemplateNames, TemplateRenderer};

use crate::declared::{DeclaringResource, EscapedPath, declared_unit};
use crate::index::{FoundContent, ResourceFiles, SourceIndex};
use crate::open_sources::OpenSources;
use crate::plugin_needs::{
    FileNeed, PluginFinder, PluginNeed, declaration, need_of_file, plugin_needs,
};
use crate::required_source::{
    RequiredSource, SourceRefusal, refused_source, required_source, unit_of_source,
};

/// The default requirement, after a prefix.
const LATEST: &str = "latest";

/// The content of a unit at a commit.
pub struct ReadContent {
    /// The unit.
    pub unit: Unit,
    /// The commit; `None` for local content.
    pub commit: Option<Revision>,
    /// The content.
    pub found: FoundContent,
}

/// A unit at a commit that is required under one variant.
struct VariantUnit {
    unit: Unit,
    commit: Option<Revision>,
    variant: Variant,
}

/// Reads the dependencies of a manifest's resources.
pub struct NeedsReader<'a> {
    manifest: &'a Manifest,
    sources: &'a dyn OpenSources,
    /// The dependencies of the manifest by unit: a search for each of thousands would take quadratic time.
    dependencies: BTreeMap<&'a Unit, Vec<&'a Dependency>>,
    /// The names that templates in declarations may use.
    names: BTreeMap<Variant, TemplateNames>,
    renderer: TemplateRenderer,
}

impl<'a> NeedsReader<'a> {
    /// A reader with these names for templates.
    pub fn new(
        manifest: &'a Manifest,
        sources: &'a dyn OpenSources,
        names: BTreeMap<Variant, TemplateNames>,
    ) -> Self {
        let mut dependencies: BTreeMap<&Unit, Vec<&Dependency>> = BTreeMap::new();
        for dependency in &manifest.dependencies {
            let same = dependencies.entry(&dependency.unit).or_default();
            same.push(dependency);
        }
        NeedsReader {
            manifest,
            sources,
            dependencies,
            names,
            renderer: TemplateRenderer::new(),
        }
    }

    /// The dependencies of the manifest on a unit.
    pub fn dependencies_of(&self, unit: &Unit) -> &[&'a Dependency] {
        self.dependencies.get(unit).map_or(&[], Vec::as_slice)
    }

    /// Whether a unit is read by tools where it is, and nothing is installed.
    fn is_in_place(&self, unit: &Unit) -> bool {
        let same = self.dependencies_of(unit);
        let is_in_place = |one: &&Dependency| one.install == InstallMode::InPlace;
        !same.is_empty() && same.iter().all(is_in_place)
    }

    /// The matches of a pattern that some dependency with this pattern includes.
    pub fn without_excluded(
        &self,
        pattern: &Unit,
        matches: Vec<Unit>,
        notes: &mut Notes,
    ) -> Vec<Unit> {
        let all: Vec<&Unit> = matches.iter().collect();
        let mut left_out: Option<BTreeSet<usize>> = None;
        for dependency in self.dependencies_of(pattern) {
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
        let included = matches
            .into_iter()
            .enumerate()
            .filter(|(at, _)| !left_out.contains(at));
        included.map(|(_, unit)| unit).collect()
    }

    /// Adds content and reads its declarations under every variant that requires it; its dependencies inherit the
    /// variants.
    pub fn add_content(
        &self,
        read: ReadContent,
        index: &mut SourceIndex,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        let ReadContent {
            unit,
            commit,
            found,
        } = read;
        index.set_content(unit.clone(), commit.clone(), found);
        let wanted_under = |variant| VariantUnit {
            unit: unit.clone(),
            commit: commit.clone(),
            variant,
        };
        let variants = index.variants_of(&unit).into_iter();
        let mut queue: Vec<VariantUnit> = variants.map(wanted_under).collect();
        while let Some(next) = queue.pop() {
            let variant = next.variant;
            let children: Vec<Unit> = match index.found(&next.unit, next.commit.as_ref()) {
                None | Some(FoundContent::Absent) => continue,
                Some(FoundContent::Matches(matches)) => {
                    matches.iter().map(|child| child.unit.clone()).collect()
                }
                Some(FoundContent::Resource(resource, _)) => {
                    let resource = Arc::clone(resource);
                    let declared = self.read_declared(&next, &resource, index, notes)?;
                    let units = declared.iter().map(|(_, unit)| unit.clone()).collect();
                    index.set_needs(&next.unit, &next.commit, variant, declared);
                    units
                }
            };
            for unit in children {
                if index.want(&unit, variant) {
                    let commits = index.commits_of(&unit).into_iter();
                    queue.extend(commits.map(|commit| VariantUnit {
                        unit: unit.clone(),
                        commit,
                        variant,
                    }));
                }
            }
        }
        Ok(())
    }

    /// The declarations of a resource under a variant, each with its unit.
    fn read_declared(
        &self,
        variant_unit: &VariantUnit,
        resource: &ResourceFiles,
        index: &mut SourceIndex,
        notes: &mut Notes,
    ) -> Result<Vec<(DeclaredDependency, Unit)>, Failure> {
        let VariantUnit {
            unit,
            commit,
            variant,
        } = variant_unit;
        if unit.extent == ResourceExtent::Plugin {
            let finder = PluginFinder {
                manifest: self.manifest,
                sources: self.sources,
            };
            let needs = plugin_needs(&finder, unit, commit.as_ref(), resource, notes)?;
            return self.needed_plugins(unit, needs, index);
        }
        // Only the tool reads a file in place: agpm knows its path, not its content.
        if self.is_in_place(unit) {
            return Ok(Vec::new());
        }
        let label = commit.as_ref().map_or("local", Revision::short);
        let (names, renderer) = (&self.names[variant], &self.renderer);
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
                match self.in_other_source(&declared, index) {
                    Ok(child) => children.extend(child),
                    Err(refusal) => {
                        let chain = index.chain_to(&self.roots(), unit);
                        escapes.push(refused_source(&refusal, &chain, declared.spot));
                    }
                }
                continue;
            }
            let exists = |path: &str| self.sources.exists(&unit.origin, commit.as_ref(), path);
            match declared_unit(unit, &declared, &exists) {
                Ok(child) => children.push((declared, child)),
                Err(EscapedPath) => {
                    let message =
                        format!("`{}` of `{unit}` leads out of its source", declared.path);
                    let diagnostic = Diagnostic::new(&codes::RESOURCE_DECLARATION, message)
                        .at_spot(declared.spot)
                        .help("resources can only require files of the same source");
                    escapes.push(diagnostic);
                }
            }
        }
        let exists = |path: &str| self.sources.exists(&unit.origin, commit.as_ref(), path);
        match need_of_file(unit, &resource.main.bytes, &exists) {
            Some(FileNeed::Directory(plugin)) => {
                let spot = SourceSpan {
                    source: notes.sources.add(unit.to_string(), String::new()),
                    span: Span::at(0),
                };
                children.push((declaration(plugin.path.as_str(), None, spot), plugin));
            }
            Some(FileNeed::OutOfReach(script)) => {
                let message = format!("`{unit}` runs `{script}`, which is not installed with it");
                let help = "the script is neither in a plugin with the hook nor next to it: add its plugin to \
                            `[plugins]`, or copy both into the project";
                let mut found = Diagnostic::new(&codes::PLUGIN_MISSING_FILE, message).help(help);
                // The entry of the manifest, if one names the hook: `agpm add --all` leaves it out.
                let mut entries = self.manifest.dependencies.iter();
                if let Some(entry) = entries.find(|entry| entry.unit == *unit) {
                    found = found.at_spot(entry.spot);
                }
                notes.diagnostics.push(found);
            }
            None => {}
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
        index: &mut SourceIndex,
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
            let child = self.in_other_source(&remote.declared, index);
            let child = child.map_err(|_| remote.refusal(&index.chain_to(&self.roots(), unit)))?;
            let Some((declared, mut child)) = child else {
                continue;
            };
            child.marketplace = Some(remote.listed);
            if let Some((commit, source)) = remote.commit.as_ref().zip(child.origin.source()) {
                self.sources.check_commit(source, commit)?;
            }
            children.push((declared, child));
        }
        Ok(children)
    }

    fn roots(&self) -> Vec<Unit> {
        let dependencies = self.manifest.dependencies.iter();
        dependencies.map(|one| one.unit.clone()).collect()
    }

    /// The unit in another source; `None` if that has to be opened first.
    fn in_other_source(
        &self,
        declared: &DeclaredDependency,
        index: &mut SourceIndex,
    ) -> Result<Option<(DeclaredDependency, Unit)>, SourceRefusal> {
        let written = declared.source.as_deref().unwrap_or_default();
        let (name, source) = match required_source(self.manifest, written, declared.spot)? {
            RequiredSource::Known(name) => {
                let source = self.manifest.source(&name).cloned();
                (name, source)
            }
            RequiredSource::Allowed(source) => (source.name.clone(), Some(*source)),
        };
        if !self.sources.is_open(&name) {
            index
                .required_sources
                .extend(source.map(|source| (name, source)));
            return Ok(None);
        }
        let unit = unit_of_source(&name, declared)
            .map_err(|_| SourceRefusal::NoRepository(declared.path.clone()))?;
        let requirement = declared.requirement.clone();
        let requirement = requirement.or_else(|| self.default_requirement(&name, &unit, index));
        let declared = DeclaredDependency {
            requirement,
            ..declared.clone()
        };
        Ok(Some((declared, unit)))
    }

    /// The default requirement. A pin in the lockfile avoids a query to the source.
    fn default_requirement(
        &self,
        source: &SourceName,
        unit: &Unit,
        index: &SourceIndex,
    ) -> Option<Requirement> {
        let locked = index.pinned_requirements(unit);
        let is_latest = |text: &&String| text.ends_with(LATEST);
        if let Some(latest) = locked.iter().find(is_latest) {
            return VersionRequirement::parse(latest)
                .ok()
                .map(Requirement::Version);
        }
        let names = [unit.path.stem().to_owned()];
        let versions = self.sources.versions(source).ok().flatten();
        let requirement = versions.and_then(|versions| default_requirement(&versions, &names));
        let locked = || VersionRequirement::parse(locked.first()?).ok();
        requirement.or_else(locked).map(Requirement::Version)
    }
}

/// A warning for each name in `exclude` that does not match exactly one resource.
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
