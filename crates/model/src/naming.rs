//! Derives names of resources for a manifest, and the prefixes of their tags.

use crate::resource::ResourceType;
use crate::unit::ResourcePath;

/// File stems that do not describe the content.
const GENERIC_STEMS: [&str; 5] = [".mcp", "mcp", "index", "plugin", "settings"];

/// Extensions that state the type; the part before them is the name.
const TYPE_SUFFIXES: [&str; 4] = [".agent", ".prompt", ".instructions", ".chatmode"];

/// The name of a resource: that of its file, or for a pattern that of its directory. A generic file name is replaced by
/// the directory's, extended until the name is free.
pub fn resource_name(
    kind: ResourceType,
    path: &ResourcePath,
    source: Option<&str>,
    is_taken: &dyn Fn(&str) -> bool,
) -> String {
    if path.is_pattern() {
        let directory = path.literal_directory().rsplit('/').next();
        let directory = directory.filter(|directory| !directory.is_empty());
        return directory.unwrap_or(kind.plural()).to_owned();
    }
    let stem = path.stem();
    let suffix = TYPE_SUFFIXES
        .iter()
        .find_map(|suffix| stem.strip_suffix(suffix));
    let stem = suffix.filter(|name| !name.is_empty()).unwrap_or(stem);
    // Dozens of servers are in a file named `mcp.json`. Named after the file, all of them would have the same name.
    if !is_generic_stem(kind, stem) {
        return stem.to_owned();
    }
    let is_descriptive =
        |part: &&str| !part.is_empty() && !part.starts_with('.') && !is_word_of(kind, part);
    let mut names: Vec<String> = Vec::new();
    let directories = path.directory().rsplit('/').filter(is_descriptive);
    for part in directories.chain(source) {
        let longer = names.last().map(|name| format!("{part}-{name}"));
        names.push(longer.unwrap_or_else(|| part.to_owned()));
    }
    // The shortest free name: longer ones are unique, but inconvenient to type.
    let free = names.iter().find(|name| !is_taken(name));
    let name = free.or(names.first()).cloned();
    name.unwrap_or_else(|| stem.trim_start_matches('.').to_owned())
}

/// Whether the stem of a file says no more than the type: the directory, or the entry, is what distinguishes it.
pub fn is_generic_stem(kind: ResourceType, stem: &str) -> bool {
    is_word_of(kind, stem) || GENERIC_STEMS.contains(&stem)
}

fn is_word_of(kind: ResourceType, word: &str) -> bool {
    word == kind.plural() || word == kind.singular()
}

/// The prefixes of tags for one resource: its name, and its type and name.
pub fn tag_names(kind: ResourceType, name: &str) -> Vec<String> {
    // Monorepos tag single resources both ways, `agents/reviewer-v1.0.0` and `reviewer-v1.0.0`.
    vec![format!("{}/{name}", kind.plural()), name.to_owned()]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_name_comes_from_the_file_or_from_the_directory_that_says_more() {
        let name = |kind, path: &str, taken: &[&str]| {
            let path = ResourcePath::in_source(path).unwrap();
            resource_name(kind, &path, Some("src"), &|name| taken.contains(&name))
        };
        use ResourceType::{Agents, Commands, Hooks, McpServers, Skills};
        for (kind, path, taken, expected) in [
            (Agents, "agents/reviewer.md", &[][..], "reviewer"),
            (Agents, "agents/planner.agent.md", &[], "planner"),
            (Commands, "prompts/fix.prompt.md", &[], "fix"),
            (Skills, "skills/pdf", &[], "pdf"),
            (Agents, "agents/team/*.md", &[], "team"),
            (Agents, "*.md", &[], "agents"),
            (Hooks, "plugins/guard/hooks/hooks.json", &[], "guard"),
            (
                Hooks,
                "plugins/guard/hooks/hooks.json",
                &["guard"],
                "plugins-guard",
            ),
            (McpServers, ".mcp.json", &[], "src"),
            (McpServers, "a/.mcp.json", &["a"], "src-a"),
        ] {
            assert_eq!(name(kind, path, taken), expected, "{path}");
        }
    }
}
