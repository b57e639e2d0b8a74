//! What holds for the file of every tool.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::BTreeSet;

use agpm_tools::{
    AgentForm, AgentLimit, CommandFormat, Directory, FactSource, HookLocation, REFERENCE_EVENTS,
    REFERENCE_TOOLS, ScopedValue, TOOLS, ToolDefinition, ToolNames, Variables, find,
};

/// Every path of a tool, from the project or from home.
fn paths(tool: &ToolDefinition) -> Vec<&'static str> {
    fn both<T>(location: ScopedValue<Option<T>>) -> impl Iterator<Item = T> {
        location.project.into_iter().chain(location.user)
    }
    fn inner(directory: Directory) -> &'static str {
        match directory {
            Directory::Own(path) | Directory::Shared(path) => path,
        }
    }
    let mut paths = vec![tool.directory.project, tool.directory.user];
    paths.extend(
        tool.agents
            .iter()
            .flat_map(|support| both(support.location))
            .map(inner),
    );
    paths.extend(
        tool.commands
            .iter()
            .flat_map(|support| both(support.location))
            .map(inner),
    );
    paths.extend(
        tool.skills
            .iter()
            .flat_map(|support| both(support.location))
            .map(inner),
    );
    paths.extend(
        tool.snippets
            .iter()
            .flat_map(|support| both(support.location))
            .map(inner),
    );
    paths.extend(
        tool.scripts
            .iter()
            .flat_map(|support| both(support.location))
            .map(inner),
    );
    let hooks = tool.hooks.iter().flat_map(|support| both(support.location));
    paths.extend(hooks.map(|location| match location {
        HookLocation::Files(directory) => inner(directory),
        HookLocation::Entries(file) => file,
    }));
    paths.extend(
        tool.servers
            .iter()
            .flat_map(|support| both(support.location)),
    );
    let instructions = tool
        .instructions
        .iter()
        .flat_map(|support| both(support.location));
    for location in instructions {
        paths.extend(location.rules.map(inner));
        paths.extend(location.blocks);
    }
    paths
}

fn tool_names(tool: &ToolDefinition) -> Vec<&'static ToolNames> {
    let definition = find(tool.name).unwrap();
    let agents = definition
        .agents
        .as_ref()
        .map(|support| &support.format.form);
    let list = match agents {
        Some(AgentForm::Fields(fields)) => match fields.limit {
            AgentLimit::List(list) => Some(list.names),
            AgentLimit::ReadOnly(..) | AgentLimit::Never => None,
        },
        _ => None,
    };
    let hooks = definition
        .hooks
        .as_ref()
        .map(|support| support.format.tool_names);
    list.into_iter().chain(hooks).collect()
}

/// Every source that a tool's file names.
fn sources(tool: &ToolDefinition) -> Vec<FactSource> {
    let mut all: Vec<FactSource> = tool_names(tool).iter().map(|names| names.source).collect();
    all.extend(tool.project_root.iter().map(|root| root.source));
    all.extend(tool.agents.iter().map(|support| support.source));
    all.extend(tool.commands.iter().map(|support| support.source));
    all.extend(tool.skills.iter().map(|support| support.source));
    all.extend(tool.snippets.iter().map(|support| support.source));
    all.extend(tool.scripts.iter().map(|support| support.source));
    all.extend(tool.hooks.iter().map(|support| support.source));
    all.extend(tool.instructions.iter().map(|support| support.source));
    all.extend(tool.servers.iter().map(|support| support.source));
    all.extend(tool.layer_files.source);
    all.extend(tool.credentials.source);
    all.extend(tool.loaded_code.source);
    all.extend(tool.further_directories.source);
    all.extend(tool.config.iter().map(|file| file.source));
    all.extend(tool.plugin_variables.source);
    all.extend(tool.foreign_hooks.map(|hooks| hooks.source));
    all.extend(tool.plugin_manifest.map(|manifest| manifest.source));
    all.extend(tool.unread_file.iter().map(|support| support.source));
    all.extend(tool.executable.iter().map(|support| support.source));
    all
}

#[test]
fn tools_have_names_of_their_own() {
    let names: BTreeSet<&str> = TOOLS.iter().map(|tool| tool.name).collect();
    assert_eq!(names.len(), TOOLS.len());
    for name in names {
        let is_word = |c: char| c.is_ascii_lowercase() || c == '-';
        assert!(name.chars().all(is_word), "{name}");
    }
}

#[test]
fn every_fact_has_a_source_and_a_day() {
    for tool in TOOLS {
        let sources = sources(tool);
        assert!(!sources.is_empty(), "{}", tool.name);
        for FactSource { title, checked } in sources {
            let parts: Vec<&str> = checked.split('-').collect();
            let is_day = parts.iter().map(|part| part.len()).eq([4, 2, 2])
                && parts.iter().all(|part| part.parse::<u16>().is_ok());
            assert!(is_day && !title.trim().is_empty(), "{title}: {checked}");
        }
        for (count, source) in [
            (tool.layer_files.items.len(), tool.layer_files.source),
            (tool.credentials.items.len(), tool.credentials.source),
            (tool.loaded_code.items.len(), tool.loaded_code.source),
            (
                tool.plugin_variables.items.len(),
                tool.plugin_variables.source,
            ),
        ] {
            assert_eq!(count > 0, source.is_some(), "{}", tool.name);
        }
    }
}

#[test]
fn paths_stay_in_the_project() {
    for tool in TOOLS {
        for path in paths(tool) {
            let is_inside = |part: &str| !matches!(part, "" | "." | "..");
            assert!(path.split('/').all(is_inside), "{}: {path:?}", tool.name);
        }
    }
}

#[test]
fn formats_name_their_own_tool() {
    for tool in TOOLS {
        let mut titles = vec![];
        titles.extend(tool.hooks.iter().map(|support| support.format.title));
        if let Some(Variables::Named(names)) = tool
            .servers
            .as_ref()
            .map(|support| support.format.variables)
        {
            titles.push(names.title);
        }
        if let Some(AgentForm::Checked(format)) =
            tool.agents.as_ref().map(|support| &support.format.form)
        {
            titles.push(format.title);
        }
        if let Some(CommandFormat::Checked(format)) =
            tool.commands.as_ref().map(|support| &support.format)
        {
            titles.push(format.title);
        }
        assert!(
            titles.iter().all(|title| *title == tool.title),
            "{titles:?}"
        );
    }
}

#[test]
fn tables_use_the_reference_words_in_their_order() {
    let tools: Vec<&str> = REFERENCE_TOOLS.iter().map(|tool| tool.names[0]).collect();
    let location =
        |words: &[&str], word: &str| words.iter().position(|candidate| *candidate == word);
    for tool in TOOLS {
        for names in tool_names(tool) {
            let positions: Option<Vec<usize>> = names
                .names
                .iter()
                .map(|(reference, _)| location(&tools, reference))
                .collect();
            assert!(
                positions.unwrap().is_sorted_by(|a, b| a < b),
                "{}",
                tool.name
            );
            let mut aliased = names.aliases.iter().flat_map(|(_, tools)| *tools);
            assert!(aliased.all(|name| tools.contains(name)), "{}", tool.name);
        }
        let Some(hooks) = &tool.hooks else { continue };
        let positions: Option<Vec<usize>> = hooks
            .format
            .events
            .iter()
            .map(|event| location(REFERENCE_EVENTS, event.reference))
            .collect();
        assert!(
            positions.unwrap().is_sorted_by(|a, b| a < b),
            "{}",
            tool.name
        );
        for (support, reference) in hooks.format.spellings {
            assert!(REFERENCE_EVENTS.contains(reference), "{support}");
            assert!(!hooks.format.own_events.contains(support), "{support}");
        }
    }
}
