//! From a solved graph to entries: which tool, which name, which place, and who needs whom.

use std::collections::{BTreeMap, VecDeque};

use agpm_model::{
    Declared, Dependency, Install, Layout, PathError, RelativePath, ResourceName, ResourcePath,
    ResourceType, ToolName, Tools, Unit, Variant,
};

use crate::names::{Nameless, derive, excluded};
use crate::target::{Wanted, target};

/// A declaration and the units that it means.
pub type Need<'a> = (&'a Declared, Vec<&'a Unit>);

/// What the entries are made of.
pub struct Graph<'a> {
    /// The manifest's dependencies.
    pub dependencies: &'a [Dependency],
    /// The tools.
    pub tools: &'a Tools,
    /// What each unit declares at its chosen version under a variant, with the unit that is meant; patterns are
    /// resolved.
    pub children: &'a dyn Fn(&Unit, Variant) -> Vec<Need<'a>>,
    /// The matches of a pattern, in order.
    pub matches: &'a dyn Fn(&Unit) -> Vec<&'a Unit>,
}

/// One resource for one tool.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its kind.
    pub kind: ResourceType,
    /// Its name.
    pub name: ResourceName,
    /// What it is.
    pub unit: Unit,
    /// Which dependency of the manifest it is, by number; none if it came through others.
    pub root: Option<usize>,
    /// The tool.
    pub tool: ToolName,
    /// Where it goes.
    pub target: Option<RelativePath>,
    /// Whether it is written.
    pub install: Install,
    /// The sets of template variables under which it is wanted.
    pub variants: Vec<Variant>,
    /// Entries that it needs, by number, in the order of their declaration.
    pub needs: Vec<usize>,
}

/// Why an entry has no place.
#[derive(Clone, Debug)]
pub enum EntryError {
    /// A declared tool is not there, or keeps no such resources.
    Tool {
        /// Who declares it.
        parent: Unit,
        /// The declaration.
        declared: Box<Declared>,
    },
    /// The target is no path that can be used.
    Target {
        /// The resource.
        unit: Unit,
        /// What is wrong with it.
        error: PathError,
    },
}

/// Everything that decides an entry besides its name.
#[derive(Clone)]
struct Seed {
    kind: ResourceType,
    unit: Unit,
    root: Option<usize>,
    tool: ToolName,
    filename: Option<RelativePath>,
    folder: Option<RelativePath>,
    layout: Option<Layout>,
    install: Install,
    variants: Vec<Variant>,
    /// A match of a pattern has the name of its file.
    named: Option<ResourceName>,
    needs: Vec<usize>,
}

struct Walk<'g, 'a> {
    graph: &'g Graph<'a>,
    seeds: Vec<Seed>,
    /// The entries of a unit for a tool, which others may share.
    shared: BTreeMap<(ResourceType, Unit, ToolName), Vec<usize>>,
    /// Entries whose needs under a variant are still to be looked at, each once.
    queue: VecDeque<(usize, Variant)>,
    errors: Vec<EntryError>,
}

/// Makes the entries, sorted by kind and name.
pub fn entries(graph: &Graph<'_>) -> Result<Vec<Entry>, Vec<EntryError>> {
    let mut walk = Walk {
        graph,
        seeds: Vec::new(),
        shared: BTreeMap::new(),
        queue: VecDeque::new(),
        errors: Vec::new(),
    };
    for (number, dependency) in graph.dependencies.iter().enumerate() {
        walk.root(number, dependency);
    }
    while let Some((at, variant)) = walk.queue.pop_front() {
        walk.children(at, variant);
    }
    walk.finish()
}

impl<'a> Walk<'_, 'a> {
    fn root(&mut self, number: usize, dependency: &Dependency) {
        let unit = &dependency.unit;
        let tool = self.graph.tools.of(dependency).clone();
        if !self.graph.tools.is_enabled(&tool) {
            return;
        }
        let seed = |unit: &Unit, named| Seed {
            kind: dependency.kind,
            unit: unit.clone(),
            root: Some(number),
            tool: tool.clone(),
            filename: dependency.filename.clone(),
            folder: dependency.target.clone(),
            layout: dependency.layout,
            install: dependency.install,
            variants: vec![dependency.variant],
            named,
            needs: Vec::new(),
        };
        if unit.path.is_pattern() {
            let matches = (self.graph.matches)(unit);
            let left_out = excluded(dependency, &tool, &matches).matches;
            for (_, unit) in matches
                .iter()
                .enumerate()
                .filter(|(at, _)| !left_out.contains(at))
            {
                self.add(seed(unit, None));
            }
        } else {
            self.add(seed(unit, Some(dependency.name.clone())));
        }
    }

    fn add(&mut self, seed: Seed) -> usize {
        let number = self.seeds.len();
        self.shared
            .entry((seed.kind, seed.unit.clone(), seed.tool.clone()))
            .or_default()
            .push(number);
        self.queue
            .extend(seed.variants.iter().map(|variant| (number, *variant)));
        self.seeds.push(seed);
        number
    }

    fn children(&mut self, at: usize, variant: Variant) {
        let parent = self.seeds[at].clone();
        let mut needs = parent.needs.clone();
        for (declared, units) in (self.graph.children)(&parent.unit, variant) {
            let Some(tool) = self.tool(&parent, declared) else {
                continue;
            };
            if !self.graph.tools.is_enabled(&tool) {
                continue;
            }
            for unit in units {
                let number = self.child(declared, unit, &tool, variant);
                if !needs.contains(&number) {
                    needs.push(number);
                }
            }
        }
        self.seeds[at].needs = needs;
    }

    /// Own, else the parent's if that supports the kind, else the kind's default.
    fn tool(&mut self, parent: &Seed, declared: &'a Declared) -> Option<ToolName> {
        let tools = self.graph.tools;
        let supports = |tool: &ToolName| {
            tools
                .named(tool.as_str())
                .is_some_and(|tool| tool.destination(declared.kind).is_some())
        };
        match &declared.tool {
            Some(own) if supports(own) => Some(own.clone()),
            Some(_) => {
                let declared = Box::new(declared.clone());
                self.errors.push(EntryError::Tool {
                    parent: parent.unit.clone(),
                    declared,
                });
                None
            }
            None if supports(&parent.tool) => Some(parent.tool.clone()),
            None => Some(tools.default_for(declared.kind).clone()),
        }
    }

    /// The entry that others share under a variant: the manifest's own if it has the same variables, or the one that
    /// stands for all variants.
    fn shared(&self, key: &(ResourceType, Unit, ToolName), variant: Variant) -> Option<usize> {
        let numbers = self.shared.get(key)?;
        let own = |number: &&usize| {
            let seed = &self.seeds[**number];
            seed.root.is_some() && seed.variants.contains(&variant)
        };
        let others = |number: &&usize| self.seeds[**number].root.is_none();
        numbers
            .iter()
            .find(own)
            .or_else(|| numbers.iter().find(others))
            .copied()
    }

    /// The entry that a declaration leads to, which others may share.
    fn child(
        &mut self,
        declared: &Declared,
        unit: &Unit,
        tool: &ToolName,
        variant: Variant,
    ) -> usize {
        let key = (declared.kind, unit.clone(), tool.clone());
        if let Some(number) = self.shared(&key, variant) {
            let seed = &mut self.seeds[number];
            if !seed.variants.contains(&variant) {
                seed.variants.push(variant);
                self.queue.push_back((number, variant));
            }
            // What one asks to be written is written; the manifest's own word stands.
            if seed.root.is_none() {
                if declared.install == Install::Write {
                    seed.install = Install::Write;
                }
                // Whoever comes first has no more say than the others: to be flat counts most.
                seed.layout = [Layout::Flat, Layout::Folders]
                    .into_iter()
                    .find(|layout| [seed.layout, declared.layout].contains(&Some(*layout)));
            }
            return number;
        }
        self.add(Seed {
            kind: declared.kind,
            unit: unit.clone(),
            root: None,
            tool: tool.clone(),
            filename: None,
            folder: None,
            layout: declared.layout,
            install: declared.install,
            variants: vec![variant],
            named: None,
            needs: Vec::new(),
        })
    }

    fn finish(mut self) -> Result<Vec<Entry>, Vec<EntryError>> {
        self.seeds.iter_mut().for_each(|seed| seed.variants.sort());
        let names = self.names();
        let mut entries: Vec<(usize, Entry)> = Vec::new();
        for (number, (seed, name)) in self.seeds.iter().zip(names).enumerate() {
            // The directory of a plugin has its name, wherever the plugin comes from.
            let own_name = RelativePath::new(name.as_str()).ok();
            let own_name = own_name.filter(|_| seed.kind == ResourceType::Plugins);
            let wanted = Wanted {
                kind: seed.kind,
                path: &seed.unit.path,
                target: seed.folder.as_ref(),
                filename: seed.filename.as_ref().or(own_name.as_ref()),
                layout: seed.layout,
                pattern: self.pattern_of(seed),
            };
            let place = self
                .graph
                .tools
                .named(seed.tool.as_str())
                .map_or(Ok(None), |tool| target(tool, &wanted));
            let target = place.unwrap_or_else(|error| {
                self.errors.push(EntryError::Target {
                    unit: seed.unit.clone(),
                    error,
                });
                None
            });
            let entry = Entry {
                kind: seed.kind,
                name,
                unit: seed.unit.clone(),
                root: seed.root,
                tool: seed.tool.clone(),
                target,
                install: seed.install,
                variants: seed.variants.clone(),
                needs: seed.needs.clone(),
            };
            entries.push((number, entry));
        }
        if self.errors.is_empty() {
            Ok(sorted(entries))
        } else {
            Err(self.errors)
        }
    }

    /// The pattern of the manifest that a resource matches.
    fn pattern_of(&self, seed: &Seed) -> Option<&'a ResourcePath> {
        let root = seed
            .root
            .and_then(|number| self.graph.dependencies.get(number))?;
        Some(&root.unit.path).filter(|path| path.is_pattern())
    }

    fn nameless<'s>(&'s self, seed: &'s Seed) -> Nameless<'s> {
        let root = seed
            .root
            .and_then(|number| self.graph.dependencies.get(number));
        let pattern = root.map(|root| &root.name);
        Nameless {
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
        let nameless = self.seeds.iter().filter(|seed| seed.named.is_none());
        let nameless: Vec<Nameless<'_>> = nameless.map(|seed| self.nameless(seed)).collect();
        let mut derived = derive(&nameless, &taken).into_iter();
        let name = |seed: &Seed| seed.named.clone().or_else(|| derived.next());
        self.seeds
            .iter()
            .map(name)
            .map(|name| name.expect("one for each"))
            .collect()
    }
}

/// By kind and name, with the numbers of needs following.
fn sorted(mut entries: Vec<(usize, Entry)>) -> Vec<Entry> {
    entries.sort_by(|(_, a), (_, b)| (a.kind, &a.name, &a.tool).cmp(&(b.kind, &b.name, &b.tool)));
    let mut place = vec![0; entries.len()];
    for (now, (before, _)) in entries.iter().enumerate() {
        place[*before] = now;
    }
    let renumber = |(_, mut entry): (usize, Entry)| {
        entry.needs.iter_mut().for_each(|need| *need = place[*need]);
        entry
    };
    entries.into_iter().map(renumber).collect()
}
