//! Derives names for resources that the manifest does not name: the stem, extended until it is unique.

use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{
    Dependency, ResourceName, ResourceOrigin, ResourceType, ToolName, Unit, is_plugin_name,
    repository_name,
};

/// The parts that a name is derived from.
pub(crate) struct NameBasis<'a> {
    pub(crate) kind: ResourceType,
    pub(crate) unit: &'a Unit,
    pub(crate) tool: &'a ToolName,
    /// The manifest key of the pattern that it matches.
    pub(crate) pattern: Option<&'a ResourceName>,
}

impl NameBasis<'_> {
    /// The file name without its extension, which includes `.instructions`.
    fn stem(&self) -> &str {
        let stem = self.unit.path.stem();
        let is_instruction = self.kind == ResourceType::Instructions;
        let short = stem
            .strip_suffix(".instructions")
            .filter(|_| is_instruction);
        short.filter(|short| !short.is_empty()).unwrap_or(stem)
    }

    /// Candidate names, shortest first; the last one is unique. `twin` means that the same file exists for another
    /// tool, so only the tool distinguishes them.
    fn candidates(&self, twin: bool) -> Vec<String> {
        if twin && self.tool.as_str() != self.kind.default_tool() {
            let plain = self.candidates(false);
            return plain
                .into_iter()
                .map(|name| format!("{name}-{}", self.tool))
                .collect();
        }
        let path = &self.unit.path;
        let directories: Vec<&str> = path
            .directory()
            .split('/')
            .filter(|part| !matches!(*part, "" | ".."))
            .collect();
        let source = self.unit.origin.source().map(ToString::to_string);
        // A source without a name is named after its URL, or after a plugin and its marketplace.
        let unnamed_source = source.as_deref().filter(|_| path.is_top());
        let listed = self.unit.marketplace.as_ref().map(|one| one.name.as_str());
        let listed = listed.filter(|name| is_plugin_name(name));
        // Several plugins may be in one directory, and each has a name in its marketplace.
        let stem = listed.unwrap_or(self.stem());
        let unnamed_source = unnamed_source.filter(|_| listed.is_none());
        let mut names = vec![unnamed_source.map_or(stem, repository_name).to_owned()];
        for count in 1..=directories.len() {
            let parts = &directories[directories.len() - count..];
            names.push(format!("{}-{stem}", parts.join("-")));
        }
        if let ResourceOrigin::Source(source) = &self.unit.origin {
            let longest = names.last().cloned().unwrap_or_default();
            names.push(format!("{source}-{longest}"));
        }
        let full_path = format!("{}-{}", directories.join("-"), path.file_name());
        names.push(full_path.trim_start_matches('-').to_owned());
        if let ResourceOrigin::Source(source) = &self.unit.origin {
            names.push(format!("{source}-{full_path}"));
        }
        let longest = names.last().cloned().unwrap_or_default();
        names.push(format!("{longest}-{}", self.tool));
        // One tool may have a file twice, through two patterns.
        names.extend(
            self.pattern
                .map(|pattern| format!("{pattern}-{longest}-{}", self.tool)),
        );
        names
    }
}

/// The matches of a pattern that a dependency excludes, and the exclusions that match nothing or several resources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExcludedMatches {
    /// The indices of the excluded matches.
    pub matches: BTreeSet<usize>,
    /// The indices of the exclusions that do not match exactly one resource.
    pub unknown: Vec<usize>,
}

/// The matches of a pattern that a dependency excludes. The final name of a match is only known later, so every name
/// that it could get applies, as long as no other match could get it.
pub fn excluded(dependency: &Dependency, tool: &ToolName, matches: &[&Unit]) -> ExcludedMatches {
    let mut matches_by_name: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    let excluded_names: BTreeSet<&str> = dependency
        .exclude
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    let mut out = ExcludedMatches::default();
    if excluded_names.is_empty() {
        return out;
    }
    for (at, unit) in matches.iter().enumerate() {
        let nameless = NameBasis {
            kind: dependency.kind,
            unit,
            tool,
            pattern: Some(&dependency.name),
        };
        let mut names = nameless.candidates(false);
        names.extend(nameless.candidates(true));
        for name in names
            .into_iter()
            .filter(|name| excluded_names.contains(name.as_str()))
        {
            matches_by_name.entry(name).or_default().insert(at);
        }
    }
    for (at, exclusion) in dependency.exclude.iter().enumerate() {
        match matches_by_name.get(&exclusion.name) {
            Some(found) if found.len() == 1 => out.matches.extend(found),
            _ => out.unknown.push(at),
        }
    }
    out
}

/// Derives a name for each resource; `taken` are the names of the manifest. All that share a name get a longer one.
pub(crate) fn derive(
    nameless: &[NameBasis<'_>],
    taken: &BTreeMap<(ResourceType, &str), ()>,
) -> Vec<ResourceName> {
    let mut units: BTreeMap<(ResourceType, &Unit), usize> = BTreeMap::new();
    nameless
        .iter()
        .for_each(|one| *units.entry((one.kind, one.unit)).or_default() += 1);
    let twin = |one: &NameBasis<'_>| units[&(one.kind, one.unit)] > 1;
    let candidates: Vec<Vec<String>> = nameless
        .iter()
        .map(|one| one.candidates(twin(one)))
        .collect();
    let mut level = vec![0usize; nameless.len()];
    loop {
        let name = |at: usize| candidates[at][level[at].min(candidates[at].len() - 1)].as_str();
        let mut groups: BTreeMap<(ResourceType, &str), Vec<usize>> = BTreeMap::new();
        for (at, one) in nameless.iter().enumerate() {
            groups.entry((one.kind, name(at))).or_default().push(at);
        }
        let clashing = groups
            .iter()
            .filter(|(key, members)| members.len() > 1 || taken.contains_key(*key));
        let clashing: Vec<usize> = clashing.flat_map(|(_, members)| members.clone()).collect();
        let movable = clashing
            .into_iter()
            .filter(|at| level[*at] + 1 < candidates[*at].len());
        let moved: Vec<usize> = movable.collect();
        if moved.is_empty() {
            let names =
                (0..nameless.len()).map(|at| ResourceName::new(name(at)).expect("made of names"));
            return names.collect();
        }
        moved.into_iter().for_each(|at| level[at] += 1);
    }
}

#[cfg(test)]
mod tests {
    use agpm_model::{ResourcePath, SourceName};

    use super::*;

    #[test]
    fn equal_stems_get_their_directories() {
        let unit = |source: &str, path: &str| Unit {
            origin: ResourceOrigin::Source(SourceName::new(source).unwrap()),
            path: ResourcePath::in_source(path).unwrap(),
            extent: agpm_model::ResourceExtent::File,
            marketplace: None,
        };
        let units = [
            unit("a", "agents/ai/assistant.md"),
            unit("a", "agents/web/assistant.md"),
            unit("a", "agents/ai/analyzer.md"),
            unit("b", "agents/x/y.md"),
            unit("a", "agents/x/y.md"),
            unit("a", "agents/mine.md"),
            unit("a", "z.json"),
            unit("a", "z.md"),
            unit("a", "agents/twice.md"),
            unit("a", "agents/twice.md"),
        ];
        let tool = ToolName::new("claude-code").unwrap();
        let kind = ResourceType::Agents;
        let opencode = ToolName::new("opencode").unwrap();
        let tool_of = |at: usize| {
            if at + 1 == units.len() {
                &opencode
            } else {
                &tool
            }
        };
        let nameless: Vec<NameBasis<'_>> = units
            .iter()
            .enumerate()
            .map(|(at, unit)| NameBasis {
                kind,
                unit,
                tool: tool_of(at),
                pattern: None,
            })
            .collect();
        let names = derive(&nameless, &BTreeMap::from([((kind, "mine"), ())]));
        assert_eq!(
            names.iter().map(ResourceName::as_str).collect::<Vec<_>>(),
            [
                "ai-assistant",
                "web-assistant",
                "analyzer",
                "b-agents-x-y",
                "a-agents-x-y",
                "agents-mine",
                "z.json",
                "z.md",
                "twice",
                "twice-opencode"
            ]
        );
    }
}
