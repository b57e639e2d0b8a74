//! The imports between modules of a crate, and the largest cycle. Paths are followed, but not method calls: a type
//! whose methods are in several modules hides their dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::source::SourceFile;

/// The names from the root of the crate down; empty is the root itself.
type ModulePath = Vec<String>;

/// How deep a name is followed through `pub use`: a bound only for code that does not compile.
const MOST_REEXPORTS: usize = 16;

pub(super) struct ImportGraph {
    /// The modules that each module uses something of.
    edges: BTreeMap<ModulePath, BTreeSet<ModulePath>>,
}

impl ImportGraph {
    /// The files are those of one crate, with paths from its `src`.
    pub(super) fn of(files: &[SourceFile]) -> Self {
        let modules: BTreeSet<ModulePath> =
            files.iter().map(|file| module_of(&file.path)).collect();
        let mut resolver = PathResolver {
            names: BTreeMap::new(),
            modules,
        };
        for file in files {
            let names = names_in(file, &resolver.modules);
            resolver.names.insert(module_of(&file.path), names);
        }
        let edges = files
            .iter()
            .map(|file| (module_of(&file.path), resolver.used_by(file)))
            .collect();
        Self { edges }
    }

    /// Returns the graph between the directories and files at the root.
    pub(super) fn at_top(&self) -> Self {
        let top = |path: &ModulePath| path.iter().take(1).cloned().collect::<ModulePath>();
        let mut edges: BTreeMap<ModulePath, BTreeSet<ModulePath>> = BTreeMap::new();
        for (from, to) in &self.edges {
            let used = edges.entry(top(from)).or_default();
            used.extend(to.iter().map(top).filter(|to| *to != top(from)));
        }
        Self { edges }
    }

    /// Returns the modules of the largest cycle, in order; empty without a cycle.
    pub(super) fn largest_cycle(&self) -> Vec<String> {
        let reachable: BTreeMap<&ModulePath, BTreeSet<&ModulePath>> = self
            .edges
            .keys()
            .map(|from| (from, self.reachable(from)))
            .collect();
        let mut largest = Vec::new();
        for (from, onward) in &reachable {
            let returns =
                |to: &&ModulePath| reachable.get(to).is_some_and(|back| back.contains(from));
            let circle: Vec<String> = onward
                .iter()
                .copied()
                .filter(returns)
                .map(display_path)
                .collect();
            if circle.len() > largest.len() {
                largest = circle;
            }
        }
        largest
    }

    pub(super) fn len(&self) -> usize {
        self.edges.len()
    }

    fn reachable<'a>(&'a self, from: &'a ModulePath) -> BTreeSet<&'a ModulePath> {
        let mut seen = BTreeSet::new();
        let mut open = vec![from];
        while let Some(module) = open.pop() {
            for next in self.edges.get(module).into_iter().flatten() {
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        seen
    }
}

fn display_path(path: &ModulePath) -> String {
    if path.is_empty() {
        "lib".to_owned()
    } else {
        path.join("::")
    }
}

fn module_of(path: &Path) -> ModulePath {
    let mut names: ModulePath = path
        .with_extension("")
        .iter()
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    if names
        .last()
        .is_some_and(|name| ["mod", "lib", "main"].contains(&name.as_str()))
    {
        names.pop();
    }
    names
}

/// An import: the local name, and the path from the root of the crate.
struct ImportedName {
    name: String,
    path: ModulePath,
    is_reexport: bool,
}

/// The names of the crate's own modules and items in a module.
struct ModuleNames {
    imports: Vec<ImportedName>,
    /// The bytes of all `use` items, whose paths are not uses by themselves.
    use_ranges: Vec<std::ops::Range<usize>>,
}

fn names_in(file: &SourceFile, modules: &BTreeSet<ModulePath>) -> ModuleNames {
    let own = module_of(&file.path);
    let mut names = ModuleNames {
        imports: Vec::new(),
        use_ranges: Vec::new(),
    };
    for child in modules.iter().filter(|path| path.starts_with(&own)) {
        if let [name] = &child[own.len()..] {
            names.imports.push(ImportedName {
                name: name.clone(),
                path: child.clone(),
                is_reexport: true,
            });
        }
    }
    for item in &file.syntax.items {
        if let syn::Item::Use(item) = item {
            let range = syn::spanned::Spanned::span(item).byte_range();
            names.use_ranges.push(range);
            let is_reexport = !matches!(item.vis, syn::Visibility::Inherited);
            for (name, path) in leaves(&item.tree, Vec::new()) {
                if let Some(path) = absolute(&path, &own, &names.imports) {
                    names.imports.push(ImportedName {
                        name,
                        path,
                        is_reexport,
                    });
                }
            }
        }
    }
    names
}

/// Every name that a tree of `use` brings in, with its path as written.
fn leaves(tree: &syn::UseTree, mut before: ModulePath) -> Vec<(String, ModulePath)> {
    match tree {
        syn::UseTree::Path(path) => {
            before.push(path.ident.to_string());
            leaves(&path.tree, before)
        }
        syn::UseTree::Name(name) => leaf(name.ident.to_string(), None, before),
        syn::UseTree::Rename(name) => leaf(
            name.ident.to_string(),
            Some(name.rename.to_string()),
            before,
        ),
        syn::UseTree::Group(group) => group
            .items
            .iter()
            .flat_map(|tree| leaves(tree, before.clone()))
            .collect(),
        // It has no usable name, so only the path matters.
        _ => vec![("*".to_owned(), before)],
    }
}

fn leaf(name: String, rename: Option<String>, mut path: ModulePath) -> Vec<(String, ModulePath)> {
    let is_self = name == "self";
    let called = match rename {
        Some(rename) => rename,
        None if is_self => path.last().cloned().unwrap_or_default(),
        None => name.clone(),
    };
    if !is_self {
        path.push(name);
    }
    vec![(called, path)]
}

/// The path from the root of the crate, if it is one of this crate.
fn absolute(path: &[String], own: &ModulePath, imports: &[ImportedName]) -> Option<ModulePath> {
    let (first, rest) = path.split_first()?;
    let mut base = match first.as_str() {
        "crate" => ModulePath::new(),
        "self" => own.clone(),
        "super" => own[..own.len().checked_sub(1)?].to_vec(),
        name => imports
            .iter()
            .find(|import| import.name == name)?
            .path
            .clone(),
    };
    for name in rest {
        if name == "super" {
            base.pop();
        } else {
            base.push(name.clone());
        }
    }
    Some(base)
}

struct PathResolver {
    modules: BTreeSet<ModulePath>,
    names: BTreeMap<ModulePath, ModuleNames>,
}

impl PathResolver {
    fn used_by(&self, file: &SourceFile) -> BTreeSet<ModulePath> {
        let own = module_of(&file.path);
        let Some(names) = self.names.get(&own) else {
            return BTreeSet::new();
        };
        let imported = names.imports.iter().filter(|import| !import.is_reexport);
        let written = written_paths(file, &names.use_ranges);
        let written = written
            .iter()
            .filter_map(|path| absolute(path, &own, &names.imports));
        imported
            .map(|import| import.path.clone())
            .chain(written)
            .filter_map(|path| self.owner(&path, MOST_REEXPORTS))
            .filter(|owner| *owner != own)
            .collect()
    }

    /// The module that defines what a path names. A path to a module itself uses nothing of it yet.
    fn owner(&self, path: &[String], left: usize) -> Option<ModulePath> {
        let depth = (0..=path.len())
            .rev()
            .find(|depth| self.modules.contains(&path[..*depth]))?;
        let (module, rest) = path.split_at(depth);
        let (name, further) = rest.split_first()?;
        let reexport = self.names.get(module).and_then(|names| {
            let is_it = |import: &&ImportedName| import.is_reexport && import.name == *name;
            names.imports.iter().find(is_it)
        });
        match reexport {
            Some(import) if left > 0 => {
                let next: ModulePath = import.path.iter().chain(further).cloned().collect();
                self.owner(&next, left - 1)
            }
            _ => Some(module.to_vec()),
        }
    }
}

/// Every path in the code, in macros too: names joined by `::`, the first of which is not itself after one.
fn written_paths(file: &SourceFile, use_ranges: &[std::ops::Range<usize>]) -> Vec<ModulePath> {
    let tokens = &file.tokens;
    let text_at = |at: usize| tokens.get(at).map(|token| token.text.as_str());
    let mut paths = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let begins = text_at(at + 1) == Some("::")
            && (at == 0 || text_at(at - 1) != Some("::"))
            && !use_ranges.iter().any(|range| range.contains(&token.start));
        if !begins {
            continue;
        }
        let mut path = vec![token.text.clone()];
        let mut next = at + 1;
        while text_at(next) == Some("::")
            && let Some(name) = text_at(next + 1).filter(|name| is_name(name))
        {
            path.push(name.to_owned());
            next += 2;
        }
        paths.push(path);
    }
    paths
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(files: &[(&str, &str)]) -> ImportGraph {
        let files: Vec<SourceFile> = files
            .iter()
            .map(|(path, text)| SourceFile::parse(Path::new(path), text).expect("Rust"))
            .collect();
        ImportGraph::of(&files)
    }

    #[test]
    fn modules_that_use_each_other_are_a_circle() {
        let graph = graph(&[
            ("lib.rs", "mod a; mod b; mod c; pub use a::A;"),
            ("a.rs", "use crate::b::B; pub struct A;"),
            (
                "b.rs",
                "pub struct B; fn f() { g(format!(\"{}\", crate::a::x())) }",
            ),
            ("c.rs", "use crate::a::A;"),
        ]);
        assert_eq!(graph.largest_cycle(), ["a", "b"]);
        assert_eq!(graph.len(), 4);
    }

    #[test]
    fn a_front_that_only_passes_names_on_is_in_no_circle() {
        let graph = graph(&[
            ("lib.rs", "mod a; mod top; pub use a::one::One;"),
            (
                "a/mod.rs",
                "mod one; mod two; pub(crate) use one::One; pub(crate) use two::Two;",
            ),
            ("a/one.rs", "pub struct One;"),
            ("a/two.rs", "use crate::a::One; pub struct Two;"),
            ("top.rs", "use super::a; fn f() { a::Two::new() }"),
        ]);
        assert_eq!(graph.largest_cycle(), Vec::<String>::new());
    }

    #[test]
    fn directories_can_be_in_a_circle_when_their_files_are_not() {
        let graph = graph(&[
            ("lib.rs", ""),
            ("a/mod.rs", ""),
            ("a/one.rs", "use crate::b::two::Two;"),
            ("a/two.rs", ""),
            ("b/mod.rs", ""),
            ("b/one.rs", "use crate::a::two::Two;"),
            ("b/two.rs", ""),
        ]);
        assert_eq!(graph.largest_cycle(), Vec::<String>::new());
        assert_eq!(graph.at_top().largest_cycle(), ["a", "b"]);
    }

    #[test]
    fn a_parent_and_its_child_can_be_a_circle() {
        let graph = graph(&[
            ("lib.rs", "mod a;"),
            ("a/mod.rs", "mod child; use child::Child; struct Parent;"),
            ("a/child.rs", "use super::Parent; pub struct Child;"),
        ]);
        assert_eq!(graph.largest_cycle(), ["a", "a::child"]);
    }
}
