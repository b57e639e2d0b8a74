//! Which files of a layer count if it does not say so: the directories and root files of all tools.

use agpm_tools::TOOLS;

use crate::tool::{Destination, Tool, ToolDirectory, Tools};

/// Patterns of the files that count.
pub(crate) fn layer_patterns(tools: &Tools) -> Vec<String> {
    let mut patterns: Vec<String> = tools.iter().flat_map(places).collect();
    let more = TOOLS.iter().flat_map(|tool| tool.layer_files.items);
    patterns.extend(more.map(|pattern| (*pattern).to_owned()));
    patterns.sort();
    patterns.dedup();
    patterns
}

fn places(tool: &Tool) -> impl Iterator<Item = String> {
    tool.destinations
        .values()
        .filter_map(|destination| match destination {
            Destination::Entries(file, _) | Destination::Blocks(file) => Some(file.to_string()),
            Destination::Files(ToolDirectory::Shared(folder), _) => Some(format!("{folder}/**")),
            Destination::Files(ToolDirectory::Own(inner), _) => {
                let parts = [tool.folder.as_ref(), inner.as_ref()];
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
            assert!(patterns.iter().any(|known| known == pattern), "{pattern}");
        }
        assert!(
            !patterns
                .iter()
                .any(|known| known == ".github/**" || known == ".agpm/**" || known == "**")
        );
    }
}
