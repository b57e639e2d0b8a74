//! The default patterns of a layer: the directories and root files of all tools.

use agpm_tools::TOOLS;

use crate::tool::{Destination, Tool, ToolDirectory, Tools};

/// The patterns of the files that apply.
pub(crate) fn layer_patterns(tools: &Tools) -> Vec<String> {
    let mut patterns: Vec<String> = tools.iter().flat_map(patterns_of).collect();
    let more = TOOLS.iter().flat_map(|tool| tool.layer_files.items);
    patterns.extend(more.map(|pattern| (*pattern).to_owned()));
    patterns.sort();
    patterns.dedup();
    patterns
}

fn patterns_of(tool: &Tool) -> impl Iterator<Item = String> {
    tool.destinations
        .values()
        .filter_map(|destination| match destination {
            Destination::Entries(file, _) | Destination::Blocks(file) => Some(file.to_string()),
            Destination::Files(ToolDirectory::Shared(directory), _) => {
                Some(format!("{directory}/**"))
            }
            Destination::Files(ToolDirectory::Own(inner), _) => {
                let parts = [tool.directory.as_ref(), inner.as_ref()];
                let parts: Vec<&str> = parts
                    .into_iter()
                    .flatten()
                    .map(|part| part.as_str())
                    .collect();
                (!parts.is_empty()).then(|| format!("{}/**", parts.join("/")))
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_its_places() {
        let patterns = layer_patterns(&Tools::default());
        for pattern in [
            ".claude/**",
            ".mcp.json",
            ".vscode/mcp.json",
            ".github/agents/**",
            ".agpm/snippets/**",
        ] {
            assert!(patterns.iter().any(|other| other == pattern), "{pattern}");
        }
        assert!(
            !patterns
                .iter()
                .any(|other| other == ".github/**" || other == ".agpm/**" || other == "**")
        );
    }
}
