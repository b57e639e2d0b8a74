//! The tools of a project that `add` creates the manifest for.

use std::collections::BTreeSet;

use crate::manifest::{ManifestAdditions, usage};
use crate::project::world::World;
use agpm_adopt::DetectedIn;
use agpm_diag::Failure;
use agpm_model::Tools;
use agpm_resolve::discover::{PickItem, PickState, Picker};
use agpm_tools::{OWN_TOOL, REFERENCE_TOOL, TOOLS};
use serde::Serialize;

use crate::init::detected_tools;

/// The reason why a new project is for its tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolsOrigin {
    /// The command names them.
    Option,
    /// The project has files for them.
    Project,
    /// The home directory has files for them.
    Home,
    /// A new resource is in the format of a tool.
    Format,
    /// The user chose them.
    Question,
    /// Nothing indicates any tool.
    Default,
}

/// The tools of a new project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProjectTools {
    /// The names of the tools.
    pub tools: Vec<String>,
    /// The reason for them.
    #[serde(rename = "tools_from")]
    pub origin: ToolsOrigin,
}

impl ProjectTools {
    /// Chooses the tools of a new project: those that the command names, those that the project uses, those whose format a
    /// new resource has and those of the home directory, or the user's answer.
    pub(super) fn choose(
        world: &World,
        named: &[String],
        additions: &ManifestAdditions,
        picker: Option<&dyn Picker>,
    ) -> Result<Self, Failure> {
        if !named.is_empty() {
            return Ok(ProjectTools::of(named.iter().cloned(), ToolsOrigin::Option));
        }
        let (_, detected) = detected_tools(world, &world.environment.working_directory);
        let detected_names = || detected.tools.iter().map(|tool| (*tool).to_owned());
        if detected.found_in == Some(DetectedIn::Project) {
            return Ok(ProjectTools::of(detected_names(), ToolsOrigin::Project));
        }
        let formats = tools_of_formats(additions);
        if !formats.is_empty() {
            let all: BTreeSet<String> = detected_names().chain(formats).collect();
            return Ok(ProjectTools::of(ordered(&all), ToolsOrigin::Format));
        }
        if detected.found_in == Some(DetectedIn::Home) {
            return Ok(ProjectTools::of(detected_names(), ToolsOrigin::Home));
        }
        match picker {
            Some(picker) => ask(picker),
            None => Ok(ProjectTools::of(
                [REFERENCE_TOOL.name.to_owned()],
                ToolsOrigin::Default,
            )),
        }
    }

    fn of(tools: impl IntoIterator<Item = String>, origin: ToolsOrigin) -> Self {
        ProjectTools {
            tools: tools.into_iter().collect(),
            origin,
        }
    }

    /// The tools to write into the manifest. A default that nobody chose is not written.
    pub(super) fn written(&self) -> Vec<String> {
        match self.origin {
            ToolsOrigin::Default => Vec::new(),
            _ => self.tools.clone(),
        }
    }
}

/// The tools whose own format new resources have.
fn tools_of_formats(additions: &ManifestAdditions) -> BTreeSet<String> {
    let tools = Tools::default();
    let paths = additions.added_paths();
    let owners = paths.filter_map(|(kind, path)| tools.owner_of_format(kind, &path).cloned());
    owners.map(|tool| tool.to_string()).collect()
}

/// In the order in which messages list tools.
fn ordered(names: &BTreeSet<String>) -> Vec<String> {
    let known = TOOLS.iter().map(|tool| tool.name.to_owned());
    known.filter(|name| names.contains(name)).collect()
}

fn ask(picker: &dyn Picker) -> Result<ProjectTools, Failure> {
    let tools = TOOLS.iter().filter(|tool| tool.name != OWN_TOOL.name);
    let items: Vec<PickItem> = tools
        .map(|tool| PickItem {
            id: tool.name.to_owned(),
            description: tool.title.to_owned(),
            state: PickState::New,
        })
        .collect();
    let picked = picker.pick("Tools of this project", &items);
    let chosen = picked.into_iter().flatten();
    let chosen: Vec<String> = chosen
        .filter_map(|at| items.get(at).map(|item| item.id.clone()))
        .collect();
    if chosen.is_empty() {
        let help = "name the tools with `--tool claude-code,cursor`".to_owned();
        return Err(usage("no tool was selected".to_owned(), help));
    }
    Ok(ProjectTools::of(chosen, ToolsOrigin::Question))
}
