//! Turns a solved graph into entries with a tool, name, path and dependencies.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use agpm_model::{
    DeclaredDependency, Dependency, InstallMode, InstructionForm, PathError, RelativePath,
    ResourceName, ResourcePath, ResourceType, SourceName, TargetLayout, ToolName, Tools, Unit,
    Variant,
};

use crate::derived_names::{NameBasis, derive, excluded};
use crate::skill_directories::skill_directories;
use crate::target::{TargetRequest, ToolSharing, skill_in, target};

/// A declaration and the units that it resolves to.
pub type Need<'a> = (&'a DeclaredDependency, Vec<&'a Unit>);

/// The graph to create entries from.
pub struct EntryGraph<'a> {
    /// The manifest's dependencies.
    pub dependencies: &'a [Dependency],
    /// The tools of the manifest.
    pub tools: &'a Tools,
    /// The dependencies that a unit declares at its chosen version under a variant, with the units that they resolve
    /// to; patterns are expanded.
    pub children: &'a dyn Fn(&Unit, Variant) -> Vec<Need<'a>>,
    /// The matches of a pattern, in order.
    pub matches: &'a dyn Fn(&Unit) -> Vec<&'a Unit>,
}

/// One copy of a resource, for one tool or for several that read it at the same path.
#[derive(Clone, Debug)]
pub struct ResourceEntry {
    /// The resource type.
    pub kind: ResourceType,
    /// The name of the resource.
    pub name: ResourceName,
    /// The unit in its source.
    pub unit: Unit,
    /// The index of its manifest dependency; `None` if it is transitive.
    pub root: Option<usize>,
    /// The tool whose format it has.
    pub tool: ToolName,
    /// All tools that read it, sorted; [`ResourceEntry::tool`] is one of them.
    pub readers: Vec<ToolName>,
    /// The path of the installed file.
    pub target: Option<RelativePath>,
    /// Whether it is written.
    pub install: InstallMode,
    /// The sets of template variables that it is required with.
    pub variants: Vec<Variant>,
    /// The indices of the entries that it needs, in declaration order.
    pub needs: Vec<usize>,
}

/// The reason why an entry has no path.
#[derive(Clone, Debug)]
pub enum EntryError {
    /// A declared tool does not exist, or does not support the type.
    Tool {
        /// The declaring resource.
        parent: Unit,
        /// The declaration.
        declared: Box<DeclaredDependency>,
    },
    /// The target is not a valid path.
    Target {
        /// The resource.
        unit: Unit,
        /// The problem.
        error: PathError,
    },
}

/// Everything that decides an entry besides its name: one resource for one tool.
#[derive(Clone)]
struct EntrySeed {
    kind: ResourceType,
    unit: Unit,
    root: Option<usize>,
    tool: ToolName,
    filename: Option<RelativePath>,
    target_directory: Option<RelativePath>,
    layout: Option<TargetLayout>,
    install: InstallMode,
    variants: Vec<Variant>,
    /// The custom name; a match of a pattern is named after its file.
    named: Option<ResourceName>,
    needs: Vec<usize>,
}

impl EntrySeed {
    /// The name, if the unit is a whole source.
    fn name_of_source(&self) -> &str {
        let source = self.unit.origin.source().map_or("", SourceName::as_str);
        self.named.as_ref().map_or(source, ResourceName::as_str)
    }
}

/// A resource for one tool, which several dependents may share.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct SharedResource {
    kind: ResourceType,
    unit: Unit,
    tool: ToolName,
}

struct EntryWalk<'g, 'a> {
    graph: &'g EntryGraph<'a>,
    seeds: Vec<EntrySeed>,
    /// Entries that several dependents may share.
    shared: BTreeMap<SharedResource, Vec<usize>>,
    /// Resources whose dependencies under a variant are still to be followed, each once.
    queue: VecDeque<ReachedResource>,
    reached: BTreeSet<ReachedResource>,
    errors: Vec<EntryError>,
}

/// A required resource: for these tools, by the indices of their seeds, under a variant. Its dependencies are those for
/// all its tools together.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ReachedResource {
    seeds: Vec<usize>,
    variant: Variant,
}

/// Creates the entries, sorted by type and name.
pub fn entries(graph: &EntryGraph<'_>) -> Result<Vec<ResourceEntry>, Vec<EntryError>> {
    let mut walk = EntryWalk {
        graph,
        seeds: Vec::new(),
        shared: BTreeMap::new(),
        queue: VecDeque::new(),
        reached: BTreeSet::new(),
        errors: Vec::new(),
    };
    for (number, dependency) in graph.dependencies.iter().enumerate() {
        walk.root(number, dependency);
    }
    while let Some(reached) = walk.queue.pop_front() {
        walk.children(&reached);
    }
    walk.finish()
}

impl<'a> EntryWalk<'_, 'a> {
    fn root(&mut self, number: usize, dependency: &Dependency) {
        let unit = &dependency.unit;
        let tools = self.graph.tools.used_by(dependency);
        let Some(first) = tools.first() else {
            return;
        };
        let seed = |unit: &Unit, tool: &ToolName, named| EntrySeed {
            kind: dependency.kind,
            unit: unit.clone(),
            root: Some(number),
            tool: tool.clone(),
            filename: dependency.filename.clone(),
            target_directory: dependency.target.clone(),
            layout: dependency.layout,
            install: dependency.install,
            variants: vec![dependency.variant],
            named,
            needs: Vec::new(),
        };
        if unit.path.is_pattern() {
            let matches = (self.graph.matches)(unit);
            let left_out = excluded(dependency, first, &matches).matches;
            for (_, unit) in matches
                .iter()
                .enumerate()
                .filter(|(at, _)| !left_out.contains(at))
            {
                let seeds = tools.iter().map(|tool| seed(unit, tool, None));
                self.add_root(seeds.collect(), dependency.variant);
            }
        } else {
            let named = Some(&dependency.name);
            let seeds = tools.iter().map(|tool| seed(unit, tool, named.cloned()));
            self.add_root(seeds.collect(), dependency.variant);
        }
    }

    fn add_root(&mut self, seeds: Vec<EntrySeed>, variant: Variant) {
        let seeds = seeds.into_iter().map(|seed| self.add(seed)).collect();
        self.reach(ReachedResource { seeds, variant });
    }

    fn reach(&mut self, reached: ReachedResource) {
        if self.reached.insert(reached.clone()) {
            self.queue.push_back(reached);
        }
    }

    fn add(&mut self, seed: EntrySeed) -> usize {
        let number = self.seeds.len();
        self.shared
            .entry(SharedResource {
                kind: seed.kind,
                unit: seed.unit.clone(),
                tool: seed.tool.clone(),
            })
            .or_default()
            .push(number);
        self.seeds.push(seed);
        number
    }

    fn children(&mut self, parent: &ReachedResource) {
        let parents = &parent.seeds;
        let unit = self.seeds[parents[0]].unit.clone();
        for (declared, units) in (self.graph.children)(&unit, parent.variant) {
            let Some(tools) = self.tools(parents, declared) else {
                continue;
            };
            let tools: Vec<ToolName> = tools
                .into_iter()
                .filter(|tool| self.graph.tools.is_enabled(tool))
                .collect();
            for unit in units {
                let mut child = |tool| self.child(declared, unit, tool, parent.variant);
                let children: Vec<usize> = tools.iter().map(&mut child).collect();
                self.link(parents, &children);
                if !children.is_empty() {
                    self.reach(ReachedResource {
                        seeds: children,
                        variant: parent.variant,
                    });
                }
            }
        }
    }

    /// Links each parent to the child for its tool, or to another child if there is none for that tool.
    fn link(&mut self, parents: &[usize], children: &[usize]) {
        for parent in parents {
            let tool = self.seeds[*parent].tool.clone();
            let same_tool = |child: &&usize| self.seeds[**child].tool == tool;
            let child = children.iter().find(same_tool).or(children.first());
            let missing = child.filter(|child| !self.seeds[*parent].needs.contains(child));
            self.seeds[*parent].needs.extend(missing);
        }
    }

    /// The tools of a declaration: the declared one, else those of the parent that support the type, else the defaults
    /// of the type.
    fn tools(
        &mut self,
        parents: &[usize],
        declared: &'a DeclaredDependency,
    ) -> Option<Vec<ToolName>> {
        let tools = self.graph.tools;
        match &declared.tool {
            Some(named) if tools.supports(named, declared.kind) => Some(vec![named.clone()]),
            Some(_) => {
                let declared = Box::new(declared.clone());
                self.errors.push(EntryError::Tool {
                    parent: self.seeds[parents[0]].unit.clone(),
                    declared,
                });
                None
            }
            None => {
                let of_parents = parents.iter().map(|parent| &self.seeds[*parent].tool);
                let able: Vec<ToolName> = of_parents
                    .filter(|tool| tools.supports(tool, declared.kind))
                    .cloned()
                    .collect();
                Some(able)
                    .filter(|able| !able.is_empty())
                    .or_else(|| Some(tools.defaults_for(declared.kind).to_vec()))
            }
        }
    }

    /// The shared entry under a variant: the manifest's if it has the same variables, or the one that represents all
    /// variants.
    fn shared(&self, key: &SharedResource, variant: Variant) -> Option<usize> {
        let numbers = self.shared.get(key)?;
        let from_manifest = |number: &&usize| {
            let seed = &self.seeds[**number];
            seed.root.is_some() && seed.variants.contains(&variant)
        };
        let transitive = |number: &&usize| self.seeds[**number].root.is_none();
        numbers
            .iter()
            .find(from_manifest)
            .or_else(|| numbers.iter().find(transitive))
            .copied()
    }

    /// The entry for a declaration, which several dependents may share.
    fn child(
        &mut self,
        declared: &DeclaredDependency,
        unit: &Unit,
        tool: &ToolName,
        variant: Variant,
    ) -> usize {
        let key = SharedResource {
            kind: declared.kind,
            unit: unit.clone(),
            tool: tool.clone(),
        };
        if let Some(number) = self.shared(&key, variant) {
            let seed = &mut self.seeds[number];
            if !seed.variants.contains(&variant) {
                seed.variants.push(variant);
            }
            // One dependent that installs the file is enough; a setting in the manifest wins.
            if seed.root.is_none() {
                if declared.install == InstallMode::Write {
                    seed.install = InstallMode::Write;
                }
                // Flat wins over nested, whatever the order.
                seed.layout = [TargetLayout::Flat, TargetLayout::Folders]
                    .into_iter()
                    .find(|layout| [seed.layout, declared.layout].contains(&Some(*layout)));
            }
            return number;
        }
        self.add(EntrySeed {
            kind: declared.kind,
            unit: unit.clone(),
            root: None,
            tool: tool.clone(),
            filename: None,
            target_directory: None,
            layout: declared.layout,
            install: declared.install,
            variants: vec![variant],
            named: None,
            needs: Vec::new(),
        })
    }

    fn finish(mut self) -> Result<Vec<ResourceEntry>, Vec<EntryError>> {
        self.seeds.iter_mut().for_each(|seed| seed.variants.sort());
        let names = self.names();
        let groups = self.groups();
        let mut entries: Vec<(usize, ResourceEntry)> = Vec::new();
        for (number, (seed, name)) in self.seeds.iter().zip(names).enumerate() {
            let group = &groups[&self.group(seed)];
            let target = self.target_of(seed, &name, group).unwrap_or_else(|error| {
                self.errors.push(EntryError::Target {
                    unit: seed.unit.clone(),
                    error,
                });
                None
            });
            let entry = ResourceEntry {
                kind: seed.kind,
                name,
                unit: seed.unit.clone(),
                root: seed.root,
                tool: seed.tool.clone(),
                readers: vec![seed.tool.clone()],
                target,
                install: seed.install,
                variants: seed.variants.clone(),
                needs: seed.needs.clone(),
            };
            entries.push((number, entry));
        }
        if self.errors.is_empty() {
            Ok(sorted(merge_copies(entries, self.graph.tools)))
        } else {
            Err(self.errors)
        }
    }

    /// The tools that each resource is written for, and the skill directories that they read.
    fn groups(&self) -> BTreeMap<ResourceKey, ResourceTools> {
        let mut tools: BTreeMap<ResourceKey, Vec<&ToolName>> = BTreeMap::new();
        for seed in &self.seeds {
            let written = tools.entry(self.group(seed)).or_default();
            if seed.install == InstallMode::Write {
                written.push(&seed.tool);
            }
        }
        let group = |(key, names): (ResourceKey, Vec<&ToolName>)| {
            let sharing = ToolSharing::of(names.len());
            let skills = match (key.0, sharing) {
                (ResourceType::Skills, ToolSharing::SeveralTools) => {
                    skill_directories(self.graph.tools, &names)
                }
                _ => BTreeMap::new(),
            };
            (key, ResourceTools { sharing, skills })
        };
        tools.into_iter().map(group).collect()
    }

    fn target_of(
        &self,
        seed: &EntrySeed,
        name: &ResourceName,
        group: &ResourceTools,
    ) -> Result<Option<RelativePath>, PathError> {
        if seed.install == InstallMode::InPlace {
            return RelativePath::new(seed.unit.path.as_str()).map(Some);
        }
        let Some(tool) = self.graph.tools.named(seed.tool.as_str()) else {
            return Ok(None);
        };
        // The directory of a plugin is named after it, wherever the plugin comes from.
        let own_name = RelativePath::new(name.as_str()).ok();
        let own_name = own_name.filter(|_| seed.kind == ResourceType::Plugins);
        let request = TargetRequest {
            kind: seed.kind,
            path: &seed.unit.path,
            target: seed.target_directory.as_ref(),
            filename: seed.filename.as_ref().or(own_name.as_ref()),
            layout: seed.layout,
            pattern: self.pattern_of(seed),
            sharing: group.sharing,
            name: match seed.kind {
                ResourceType::Instructions | ResourceType::Hooks => name.as_str(),
                _ => seed.name_of_source(),
            },
            form: self.form_of(seed),
        };
        match group.skills.get(&seed.tool) {
            Some(directory) => skill_in(directory, tool, &request).map(Some),
            None => target(tool, &request),
        }
    }

    fn form_of(&self, seed: &EntrySeed) -> InstructionForm {
        let root = seed
            .root
            .and_then(|number| self.graph.dependencies.get(number));
        root.map(|root| root.form).unwrap_or_default()
    }

    /// The pattern of the manifest that a resource matches.
    fn pattern_of(&self, seed: &EntrySeed) -> Option<&'a ResourcePath> {
        let root = seed
            .root
            .and_then(|number| self.graph.dependencies.get(number))?;
        Some(&root.unit.path).filter(|path| path.is_pattern())
    }

    /// All tools of a resource have one name and share copies.
    fn group(&self, seed: &EntrySeed) -> ResourceKey {
        (seed.kind, seed.unit.clone(), seed.root)
    }

    fn nameless<'s>(&'s self, seed: &'s EntrySeed) -> NameBasis<'s> {
        let root = seed
            .root
            .and_then(|number| self.graph.dependencies.get(number));
        let pattern = root.map(|root| &root.name);
        NameBasis {
            kind: seed.kind,
            unit: &seed.unit,
            tool: &seed.tool,
            pattern,
        }
    }

    fn names(&self) -> Vec<ResourceName> {
        let taken = self
            .seeds
            .iter()
            .filter_map(|seed| Some(((seed.kind, seed.named.as_ref()?.as_str()), ())));
        let taken: BTreeMap<(ResourceType, &str), ()> = taken.collect();
        let mut groups: BTreeMap<ResourceKey, usize> = BTreeMap::new();
        let mut nameless: Vec<NameBasis<'_>> = Vec::new();
        for seed in self.seeds.iter().filter(|seed| seed.named.is_none()) {
            groups.entry(self.group(seed)).or_insert_with(|| {
                nameless.push(self.nameless(seed));
                nameless.len() - 1
            });
        }
        let derived = derive(&nameless, &taken);
        let name = |seed: &EntrySeed| match &seed.named {
            Some(name) => name.clone(),
            None => derived[groups[&self.group(seed)]].clone(),
        };
        self.seeds.iter().map(name).collect()
    }
}

/// A resource for all its tools: its type, its unit, and its manifest dependency.
type ResourceKey = (ResourceType, Unit, Option<usize>);

/// The settings that the tools of a resource share.
struct ResourceTools {
    sharing: ToolSharing,
    /// The skill directory for each tool, if there are several.
    skills: BTreeMap<ToolName, RelativePath>,
}

/// The indices of the seeds of an entry, and the entry.
type Numbered = (Vec<usize>, ResourceEntry);

/// Merges entries that would write one resource in one format to one path.
fn merge_copies(entries: Vec<(usize, ResourceEntry)>, tools: &Tools) -> Vec<Numbered> {
    let mut by_target: BTreeMap<(ResourceType, String, RelativePath), Vec<usize>> = BTreeMap::new();
    let mut merged: Vec<Numbered> = Vec::new();
    for (number, entry) in entries {
        let key = |target: &RelativePath| (entry.kind, entry.name.to_string(), target.clone());
        let key = entry.target.as_ref().map(key);
        let same = key
            .as_ref()
            .and_then(|key| by_target.get(key))
            .and_then(|candidates| {
                let is_same = |at: &&usize| is_same_copy(&merged[**at].1, &entry, tools);
                candidates.iter().find(is_same).copied()
            });
        match same {
            Some(at) => {
                let (numbers, copy) = &mut merged[at];
                numbers.push(number);
                copy.absorb(entry);
            }
            None => {
                if let Some(key) = key {
                    by_target.entry(key).or_default().push(merged.len());
                }
                merged.push((vec![number], entry));
            }
        }
    }
    merged
}

fn is_same_copy(first: &ResourceEntry, second: &ResourceEntry, tools: &Tools) -> bool {
    let destination =
        |entry: &ResourceEntry| tools.named(entry.tool.as_str())?.destination(entry.kind);
    let formats = destination(first).zip(destination(second));
    (&first.unit, first.root, first.install) == (&second.unit, second.root, second.install)
        && formats.is_some_and(|(first, second)| first.has_format_of(second))
}

impl ResourceEntry {
    /// Merges a copy of the same resource for other tools.
    fn absorb(&mut self, copy: ResourceEntry) {
        self.readers.extend(copy.readers);
        self.readers.sort();
        self.tool = self.readers[0].clone();
        let new = copy.variants.into_iter();
        let new: Vec<Variant> = new.filter(|one| !self.variants.contains(one)).collect();
        self.variants.extend(new);
        self.variants.sort();
        self.needs.extend(copy.needs);
    }
}

/// Sorts by type and name, and renumbers dependencies accordingly.
fn sorted(mut entries: Vec<Numbered>) -> Vec<ResourceEntry> {
    entries.sort_by(|(_, a), (_, b)| (a.kind, &a.name, &a.tool).cmp(&(b.kind, &b.name, &b.tool)));
    let mut new_numbers = BTreeMap::new();
    for (now, (before, _)) in entries.iter().enumerate() {
        new_numbers.extend(before.iter().map(|before| (*before, now)));
    }
    let renumber = |(_, mut entry): Numbered| {
        let mut needs = Vec::new();
        for need in entry.needs.iter().map(|need| new_numbers[need]) {
            if !needs.contains(&need) {
                needs.push(need);
            }
        }
        entry.needs = needs;
        entry
    };
    entries.into_iter().map(renumber).collect()
}
