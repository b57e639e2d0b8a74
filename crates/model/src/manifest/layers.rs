//! `[[layers]]`: locations that contribute files, lowest first.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use agpm_diag::{Diagnostic, SourceSpan, codes};
use agpm_text::{NodeKind, NodeRef};

use crate::check::{Check, spot};
use crate::glob::{Glob, GlobError};
use crate::layer_patterns::layer_patterns;
use crate::manifest::tables::LAYER;
use crate::manifest::{SourceDeclaration, Visibility};
use crate::name::{LayerName, SourceName};
use crate::path::{PathError, RelativePath};
use crate::tool::Tools;
use crate::version::Requirement;

/// Names of files created by version control, editors and caches.
const JUNK: &[&str] = &[
    ".git",
    ".hg",
    ".svn",
    ".jj",
    ".DS_Store",
    "Thumbs.db",
    "desktop.ini",
    ".idea",
    ".vs",
    "__pycache__",
    ".cache",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".venv",
    "venv",
    "node_modules",
];

/// The same, by prefix and suffix.
const JUNK_FORMS: &[(&str, &str)] = &[
    ("", "~"),
    ("", ".swp"),
    ("", ".swo"),
    ("", ".pyc"),
    ("", ".pyo"),
    ("#", "#"),
    (".#", ""),
];

/// Whether a path component names something that is not meant to be shared.
pub fn is_junk(part: &str) -> bool {
    let form = |(start, end): &(&str, &str)| part.starts_with(start) && part.ends_with(end);
    JUNK.iter().any(|junk| junk.eq_ignore_ascii_case(part)) || JUNK_FORMS.iter().any(form)
}

/// A location that contributes files.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The name, unique in the manifest.
    pub name: LayerName,
    /// The location.
    pub location: LayerLocation,
    /// The sub-directory that applies.
    pub root: Option<RelativePath>,
    include: IncludePatterns,
    /// Who has the layer.
    pub visibility: Visibility,
    /// The entry in the manifest.
    pub spot: SourceSpan,
}

/// The location of a layer's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayerLocation {
    /// A directory, from the manifest's directory or absolute.
    Directory(String),
    /// A source by name, and its required version.
    Source(SourceName, Requirement),
}

impl LayerLocation {
    /// The source, if it is one.
    pub fn source(&self) -> Option<&SourceName> {
        match self {
            LayerLocation::Directory(_) => None,
            LayerLocation::Source(source, _) => Some(source),
        }
    }
}

impl Layer {
    /// Whether a file of the layer applies, by its path from the layer's root.
    pub fn includes(&self, file: &str) -> bool {
        self.include.matches(file)
    }

    /// Whether a directory of the layer may contain files that apply.
    pub fn enters(&self, directory: &str) -> bool {
        self.include
            .starts
            .iter()
            .any(|start| is_ancestor_or_descendant(start, directory))
    }
}

/// Compiled patterns of files.
#[derive(Clone, Debug, Default)]
struct IncludePatterns {
    glob: Glob,
    /// The directories that the patterns name before their first wildcard.
    starts: Vec<String>,
}

impl IncludePatterns {
    fn matches(&self, file: &str) -> bool {
        self.glob.is_match(file)
    }

    /// Compiles patterns, each with the index that errors are reported for.
    fn new(patterns: &[(usize, String)]) -> Result<Self, (usize, GlobError)> {
        let mut written = Vec::new();
        let mut starts = Vec::new();
        for (_, pattern) in patterns {
            written.push(pattern);
            starts.push(literal_directory(pattern));
        }
        match Glob::any_of(&written) {
            Ok(glob) => Ok(IncludePatterns { glob, starts }),
            Err((index, error)) => {
                let number = patterns.get(index).map_or(0, |(number, _)| *number);
                Err((number, error))
            }
        }
    }
}

fn literal_directory(pattern: &str) -> String {
    let literal = &pattern[..pattern
        .find(['*', '?', '[', '{', '\\'])
        .unwrap_or(pattern.len())];
    literal
        .rsplit_once('/')
        .map_or("", |(directory, _)| directory)
        .to_owned()
}

/// Whether one directory is the other, or above it.
fn is_ancestor_or_descendant(first: &str, second: &str) -> bool {
    let within = |inner: &str, outer: &str| {
        outer.is_empty()
            || inner
                .strip_prefix(outer)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    within(first, second) || within(second, first)
}

pub(crate) fn read(
    check: &mut Check,
    node: NodeRef<'_>,
    sources: &[SourceDeclaration],
    tools: &Tools,
) -> Vec<Layer> {
    if node.kind() != NodeKind::List {
        check.wrong_kind(node, "`layers`", "a list of tables: `[[layers]]`");
        return Vec::new();
    }
    let mut last_of_name: HashMap<Option<&str>, NodeRef<'_>> = HashMap::new();
    for name in node.items().filter_map(|item| item.get("name")) {
        match last_of_name.entry(name.as_str()) {
            // A layer of a higher manifest replaces one of a base, and has the rank of the higher manifest.
            Entry::Occupied(mut earlier) if earlier.get().source() != name.source() => {
                earlier.insert(name);
            }
            Entry::Occupied(earlier) => report_twice(check, *earlier.get(), name),
            Entry::Vacant(none) => {
                none.insert(name);
            }
        }
    }
    let is_replaced = |item: &NodeRef<'_>| {
        let Some(name) = item.get("name") else {
            return false;
        };
        let last = last_of_name.get(&name.as_str());
        last.is_some_and(|last| last.source() != name.source())
    };
    node.items()
        .filter(|item| !is_replaced(item))
        .filter_map(|item| read_layer(check, item, sources, tools))
        .collect()
}

fn report_twice(check: &mut Check, earlier: NodeRef<'_>, name: NodeRef<'_>) {
    let message = format!("duplicate layer `{}`", name.content());
    check.report(
        Diagnostic::new(&codes::MANIFEST_DUPLICATE_LAYER, message)
            .at(name.source(), name.span(), "again here")
            .at(earlier.source(), earlier.span(), "first here")
            .help("rename one of them"),
    );
}

fn read_layer(
    check: &mut Check,
    node: NodeRef<'_>,
    sources: &[SourceDeclaration],
    tools: &Tools,
) -> Option<Layer> {
    if !check.map(node, "a layer") {
        return None;
    }
    check.keys(node, &LAYER);
    let name_node = check.required(node, "name", "layer")?;
    let name_text = check.string(name_node, "a layer's `name`")?;
    let name = LayerName::new(name_text);
    let help = "write a short word, such as `team`";
    let name = name
        .map_err(|error| check.bad_value(name_node, error.to_string(), help))
        .ok()?;
    let root = node
        .get("root")
        .filter(|root| root.as_str() != Some("."))
        .and_then(|root| check.path(root, "`root`"));
    let include = read_include(check, node.get("include"), tools);
    let location = read_location(check, node, &name, sources)?;
    Some(Layer {
        name,
        location,
        root,
        include: include?,
        visibility: Visibility::Shared,
        spot: spot(name_node),
    })
}

fn read_location(
    check: &mut Check,
    node: NodeRef<'_>,
    name: &LayerName,
    sources: &[SourceDeclaration],
) -> Option<LayerLocation> {
    match (node.get("path"), node.get("source")) {
        (Some(path), None) => {
            check.no_versions(node, "a directory");
            let text = check.string(path, "`path`")?;
            if text.trim().is_empty() {
                check.bad_value(
                    path,
                    "`path` is empty",
                    "write a directory; `.` is the directory of the manifest",
                );
                return None;
            }
            Some(LayerLocation::Directory(text.to_owned()))
        }
        (None, Some(source)) => {
            check.string(source, "`source`")?;
            let names = sources.iter().map(|source| source.name.as_str());
            let is_known =
                check.check_known(source, "source", &codes::MANIFEST_UNKNOWN_SOURCE, names);
            let requirement = check.requirement(node);
            let name = SourceName::new(source.content())
                .ok()
                .filter(|_| is_known)?;
            Some(LayerLocation::Source(name, requirement))
        }
        (found, _) => {
            let count = if found.is_some() {
                "both `path` and `source`"
            } else {
                "neither `path` nor `source`"
            };
            let help = "set `path` for a directory, or `source` for a git source";
            let message = format!("layer `{name}` has {count}");
            let location = spot(node.get("name")?);
            let diagnostic = Diagnostic::new(&codes::MANIFEST_VALUE, message).at_spot(location);
            check.report_missing(diagnostic.help(help));
            None
        }
    }
}

/// A name without wildcards may be that of a file, or of a directory and its contents.
fn expand_pattern(pattern: &str) -> Vec<String> {
    let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
    match pattern {
        "" | "." => vec!["**".to_owned()],
        _ if pattern.contains(['*', '?', '[', '{']) => vec![pattern.to_owned()],
        _ => vec![pattern.to_owned(), format!("{pattern}/**")],
    }
}

/// Reports a pattern that leads out of the layer.
fn check_inside(check: &mut Check, item: NodeRef<'_>, pattern: &str) {
    let error = match pattern {
        _ if pattern.starts_with('/') => PathError::Absolute,
        _ if pattern.split('/').any(|part| part == "..") => PathError::Escapes,
        _ => return,
    };
    let help = "write paths of files relative to the root of the layer";
    check.bad_path(item, error, format!("`include`: {error}"), help);
}

/// The patterns of the layer, or the locations of all tools.
fn read_include(
    check: &mut Check,
    node: Option<NodeRef<'_>>,
    tools: &Tools,
) -> Option<IncludePatterns> {
    let written = node.map(|list| check.strings(list, "`include`"));
    for (item, pattern) in written.iter().flatten() {
        check_inside(check, *item, pattern);
    }
    let patterns: Vec<(usize, String)> = match &written {
        Some(written) => {
            let numbered = written.iter().enumerate();
            numbered
                .flat_map(|(at, (_, one))| {
                    expand_pattern(one).into_iter().map(move |one| (at, one))
                })
                .collect()
        }
        None => layer_patterns(tools)
            .into_iter()
            .map(|pattern| (0, pattern))
            .collect(),
    };
    let report = |(number, error): (usize, GlobError)| {
        let message = format!("invalid file pattern: {}", error);
        let item = written
            .as_ref()
            .and_then(|written| Some(written.get(number)?.0));
        if let Some(item) = item.or(node) {
            check.bad_value(
                item,
                message,
                "write a path, or a pattern such as `.claude/**`",
            );
        }
    };
    IncludePatterns::new(&patterns).map_err(report).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn directories_are_entered_on_the_way_to_files_that_count() {
        let include =
            [".claude/**", "docs/*/x.md", "AGENTS.md"].map(|pattern| (0, pattern.to_owned()));
        let include = IncludePatterns::new(&include).unwrap();
        let enters = |directory: &str| {
            include
                .starts
                .iter()
                .any(|start| is_ancestor_or_descendant(start, directory))
        };
        for directory in ["", ".claude", ".claude/agents", "docs", "docs/a"] {
            assert!(enters(directory), "{directory}");
        }
        assert_eq!(include.starts, [".claude", "docs", ""]);
        let include = IncludePatterns::new(&[(0, ".claude/**".to_owned())]).unwrap();
        let enters = |directory: &str| {
            include
                .starts
                .iter()
                .any(|start| is_ancestor_or_descendant(start, directory))
        };
        for directory in [".claudes", "node_modules", ".clau"] {
            assert!(!enters(directory), "{directory}");
        }
    }

    #[test]
    fn a_directory_is_all_that_is_in_it() {
        for (pattern, files) in [
            (".claude", [".claude/a/b.md", ".claude"].as_slice()),
            (".claude/", &[".claude/a.md"]),
            ("./AGENTS.md", &["AGENTS.md"]),
            (".", &["a/b", ".c"]),
            ("*.md", &["a.md"]),
        ] {
            let patterns: Vec<(usize, String)> = expand_pattern(pattern)
                .into_iter()
                .map(|one| (0, one))
                .collect();
            let include = IncludePatterns::new(&patterns).unwrap();
            for file in files {
                assert!(include.matches(file), "{pattern} {file}");
            }
            assert!(!include.matches("x/y.txt") || pattern == ".", "{pattern}");
        }
    }

    #[test]
    fn junk_is_known_by_its_name() {
        for part in [
            ".git",
            ".GIT",
            ".DS_Store",
            "a.md~",
            ".x.swp",
            "m.pyc",
            "#a#",
            ".#a",
            "node_modules",
        ] {
            assert!(is_junk(part), "{part}");
        }
        for part in [
            ".gitignore",
            ".github",
            "git",
            "a#",
            "swp",
            "tilde~.md",
            ".vscode",
        ] {
            assert!(!is_junk(part), "{part}");
        }
    }
}
