//! The tool names of other managers.

use agpm_text::NodeRef;
use agpm_tools::TOOLS;

use crate::formats::format_reader::FormatReader;

/// The tools of a list, each once; those that agpm does not know are reported.
pub(crate) fn tools_of<'n>(
    reading: &mut FormatReader,
    names: impl IntoIterator<Item = (NodeRef<'n>, &'n str)>,
) -> Vec<String> {
    let mut tools: Vec<String> = Vec::new();
    for (node, name) in names {
        let mut known = TOOLS.iter();
        let Some(tool) = known.find(|tool| tool.names_elsewhere.contains(&name)) else {
            let message = format!("agpm does not know the tool `{name}`");
            let help = "run `agpm schema manifest` for the tools, or define it in `[tools]`";
            reading.report_lost(node, message, help);
            continue;
        };
        // Some managers name one tool twice, such as its editor and its command line.
        if !tools.iter().any(|one| one == tool.name) {
            tools.push(tool.name.to_owned());
        }
    }
    tools
}
