//! Capabilities of resources: of the author's text, and of the files that are written for each tool.

use agpm_model::{FileMode, RelativePath, ResourceType, SKILL_FILE};
use agpm_resolve::{ResolvedEntry, SourceFile};
use agpm_text::Value;
use agpm_tools::COMMON_SKILLS;
use agpm_trust::{
    Capability, CapabilityReading, CapabilitySet, is_script, read_config, read_hooks,
    read_resource, read_servers, unreadable,
};

use crate::markdown_facts::MarkdownCache;
use crate::rendered::{OutputCapability, RenderedTexts, ResourceOutput};
use crate::texts::json;

impl ResourceOutput {
    /// Finds the capabilities of the entry, in its text and in the files that were made of it.
    pub(crate) fn judge(
        &mut self,
        resolved: &ResolvedEntry,
        texts: &RenderedTexts,
        cache: &mut MarkdownCache,
    ) {
        let text = texts.text(resolved);
        let author = author_reading(resolved, text, cache);
        let written = written_reading(resolved, text, self);
        self.capabilities = shown_capabilities(resolved, &author, written.as_ref());
        let mut set_of = |text: &String| author_reading(resolved, Some(text), cache).set;
        self.shared_capability_set = texts.shared_main.as_ref().map(&mut set_of).map(Box::new);
        self.foreign_capability_set = texts.foreign_main.as_ref().map(&mut set_of).map(Box::new);
        self.capability_set = author.set;
        if let Some(written) = written {
            self.capability_set.absorb(written.set);
        }
    }
}

/// The capabilities of an author's text, with the scripts next to it.
pub(crate) fn author_reading(
    resolved: &ResolvedEntry,
    text: Option<&str>,
    cache: &mut MarkdownCache,
) -> CapabilityReading {
    if is_switched_off(resolved, text) {
        return CapabilityReading::default();
    }
    let mut reading = content_reading(resolved, text, cache);
    // Paths of this machine are shown, and what the author wrote is locked.
    if let Some(authored) = &resolved.resource.authored {
        reading.set = content_reading(resolved, Some(authored), cache).set;
    }
    for path in runnable_paths(resolved) {
        reading.set.add_command(path);
    }
    if resolved.entry.kind == ResourceType::Skills {
        for (path, file) in &resolved.resource.others {
            let path = format!("{COMMON_SKILLS}/{}/{path}", resolved.entry.name);
            let Some(found) = read_config(&path, &file.bytes) else {
                continue;
            };
            reading.set.absorb(found.set);
            reading.found.extend(found.found);
        }
    }
    reading
}

fn content_reading(
    resolved: &ResolvedEntry,
    text: Option<&str>,
    cache: &mut MarkdownCache,
) -> CapabilityReading {
    let kind = resolved.entry.kind;
    let lossy = || String::from_utf8_lossy(&resolved.resource.main.bytes);
    match kind {
        ResourceType::Hooks | ResourceType::McpServers => {
            let name = resolved.entry.name.as_str();
            let text = text.map_or_else(lossy, Into::into);
            match json(&text) {
                Some(value) if kind == ResourceType::Hooks => read_hooks(&value),
                Some(value) => read_servers(name, &value),
                None => unreadable(&text),
            }
        }
        ResourceType::Agents | ResourceType::Commands | ResourceType::Skills => {
            let text = text.map_or_else(lossy, Into::into);
            let path = resolved.entry.unit.path.as_str();
            let path = match kind {
                ResourceType::Skills => SKILL_FILE,
                _ => path,
            };
            cache.facts(kind, path, &text).reading.clone()
        }
        // The name is the same for all tools, and stays when the file moves.
        ResourceType::Instructions => {
            let size = resolved.resource.main.bytes.len();
            instructions(resolved.entry.name.as_str(), size)
        }
        ResourceType::Snippets | ResourceType::Scripts | ResourceType::Plugins => {
            CapabilityReading::default()
        }
    }
}

/// Text that a tool always reads.
fn instructions(name: &str, size: usize) -> CapabilityReading {
    let mut set = CapabilitySet::default();
    set.instructs.insert(name.to_owned(), size);
    CapabilityReading {
        set,
        found: Vec::new(),
    }
}

/// The capabilities of the file that is written for a tool: a conversion can give text a meaning that
/// it had for no other tool. Its lists of tools are left to the checks of conversions.
pub(crate) fn written_reading(
    resolved: &ResolvedEntry,
    text: Option<&str>,
    output: &ResourceOutput,
) -> Option<CapabilityReading> {
    let kind = resolved.entry.kind;
    let is_converted = matches!(kind, ResourceType::Agents | ResourceType::Commands);
    let file = output.files.first().filter(|_| is_converted)?;
    let written = String::from_utf8_lossy(&file.bytes);
    if Some(written.as_ref()) == text {
        return None;
    }
    let CapabilityReading { set, found } = read_resource(kind, file.path.as_str(), &written);
    let set = CapabilitySet {
        runs: set.runs,
        server_commands: set.server_commands,
        connects: set.connects,
        unknown_hosts: set.unknown_hosts,
        permission: set
            .permission
            .into_iter()
            .filter(|mode| !agpm_trust::is_unasked(mode))
            .collect(),
        env: set.env,
        sets: set.sets,
        ..CapabilitySet::default()
    };
    Some(CapabilityReading { set, found })
}

/// Everything that an entry does, for people who read it.
pub(crate) fn shown_capabilities(
    resolved: &ResolvedEntry,
    author: &CapabilityReading,
    written: Option<&CapabilityReading>,
) -> Vec<OutputCapability> {
    let (kind, target) = (resolved.entry.kind, resolved.entry.target.as_ref());
    // The parts of a plugin run its files.
    if kind == ResourceType::Plugins {
        return Vec::new();
    }
    let file = match kind {
        ResourceType::Skills => target.and_then(|target| inside(target, SKILL_FILE)),
        ResourceType::Agents | ResourceType::Commands => target.cloned(),
        _ => None,
    };
    let mut found: Vec<Capability> = author.found.clone();
    for one in written.iter().flat_map(|written| &written.found) {
        let is_same = |known: &Capability| known.kind == one.kind && known.value == one.value;
        if !found.iter().any(is_same) {
            found.push(one.clone());
        }
    }
    let of_content = found.into_iter().map(|capability| OutputCapability {
        capability,
        file: file.clone(),
    });
    of_content.chain(runnable_files(resolved)).collect()
}

/// Whether a hook is disabled in its own file; nothing of it is written.
pub(crate) fn is_switched_off(resolved: &ResolvedEntry, text: Option<&str>) -> bool {
    let hook = text.filter(|_| resolved.entry.kind == ResourceType::Hooks);
    let hook = hook.and_then(json);
    hook.is_some_and(|hook| hook.get("enabled") == Some(&Value::Bool(false)))
}

/// Whether a file of an entry is run by its path.
fn is_run(resolved: &ResolvedEntry, path: &str, file: &SourceFile) -> bool {
    match resolved.entry.kind {
        ResourceType::Scripts => true,
        ResourceType::Skills | ResourceType::Plugins => is_script(path, file.mode, &file.bytes),
        _ => file.mode == FileMode::Executable,
    }
}

/// The name of the main file, if it is run.
fn main_program(resolved: &ResolvedEntry) -> Option<&str> {
    let (entry, resource) = (&resolved.entry, &resolved.resource);
    let name = match entry.kind {
        ResourceType::Skills => SKILL_FILE,
        _ => entry.unit.path.file_name(),
    };
    is_run(resolved, name, &resource.main).then_some(name)
}

/// The scripts by their paths in the source, which are the same for all tools. A single file has only a name: it may
/// move.
pub(crate) fn runnable_paths(resolved: &ResolvedEntry) -> Vec<String> {
    let others = resolved.resource.others.iter();
    let others = others.filter(|(path, file)| is_run(resolved, path.as_str(), file));
    let main = main_program(resolved).map(str::to_owned);
    main.into_iter()
        .chain(others.map(|(path, _)| path.to_string()))
        .collect()
}

/// The scripts by their installed paths.
fn runnable_files(resolved: &ResolvedEntry) -> Vec<OutputCapability> {
    let target = resolved.entry.target.as_ref();
    let runs = |path: &str, file: Option<RelativePath>| OutputCapability {
        capability: Capability::of_file(path),
        file,
    };
    let main = main_program(resolved).map(|name| match resolved.entry.kind {
        ResourceType::Skills => runs(name, target.and_then(|target| inside(target, name))),
        _ => runs(target.map_or(name, RelativePath::as_str), target.cloned()),
    });
    let others = resolved.resource.others.iter();
    let others = others.filter(|(path, file)| is_run(resolved, path.as_str(), file));
    let others = others.map(|(path, _)| {
        let file = target.and_then(|target| inside(target, path.as_str()));
        runs(path.as_str(), file)
    });
    main.into_iter().chain(others).collect()
}

fn inside(directory: &RelativePath, path: &str) -> Option<RelativePath> {
    RelativePath::new(&format!("{directory}/{path}")).ok()
}
