//! Capabilities of the files of layers.

use agpm_model::{Destination, FileMode, Manifest, RESOURCE_TYPES, RelativePath, ResourceType};
use agpm_resolve::path_in_type_directory;
use agpm_text::Format;
use agpm_tools::{further_directory, is_loaded_code};
use agpm_trust::{
    Capability, CapabilityReading, CapabilitySet, is_script, read_config, read_foreign_config,
    read_resource,
};

/// Files that tools always read.
const ALWAYS_READ: [&str; 12] = [
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "AGENTS.override.md",
    "AGENT.md",
    "GEMINI.md",
    "copilot-instructions.md",
    ".clinerules",
    ".cursorrules",
    ".goosehints",
    ".rules",
    ".windsurfrules",
];

/// A file of a type in the directory that a tool has for it.
struct TypedFile {
    kind: ResourceType,
    /// `TYPE/NAME`: it stays when the file moves to the directory of another tool.
    part: String,
}

/// The capabilities of one file.
pub fn reading_of_layer_file(
    manifest: &Manifest,
    path: &RelativePath,
    mode: FileMode,
    bytes: &[u8],
) -> CapabilityReading {
    let typed = typed_file(manifest, path);
    let mut reading = reading_of_content(manifest, path, bytes, typed.as_ref());
    let is_of_skill = |typed: &TypedFile| typed.kind == ResourceType::Skills;
    let is_program = mode == FileMode::Executable
        || is_loaded_code(path.as_str())
        || typed
            .as_ref()
            .is_some_and(|typed| typed.kind == ResourceType::Scripts)
        || typed.as_ref().is_some_and(is_of_skill) && is_script(path.as_str(), mode, bytes);
    if is_program {
        reading.set.add_command(path.to_string());
        reading.found.push(Capability::of_file(path.as_str()));
    }
    reading
}

fn reading_of_content(
    manifest: &Manifest,
    path: &RelativePath,
    bytes: &[u8],
    typed: Option<&TypedFile>,
) -> CapabilityReading {
    let text = String::from_utf8_lossy(bytes);
    let format = Format::of_file(path.file_name());
    match typed.map(|typed| typed.kind) {
        Some(ResourceType::Instructions) => return instructions(path, bytes),
        Some(ResourceType::Skills) if !path.file_name().eq_ignore_ascii_case("SKILL.md") => {
            return read_config(path.as_str(), bytes).unwrap_or_default();
        }
        Some(kind @ (ResourceType::Agents | ResourceType::Commands | ResourceType::Skills)) => {
            let CapabilityReading { set, found } = read_resource(kind, path.as_str(), &text);
            let part = typed.map(|typed| typed.part.as_str()).unwrap_or_default();
            return CapabilityReading {
                set: set.in_part(part),
                found,
            };
        }
        Some(ResourceType::Scripts | ResourceType::Snippets) => {
            return CapabilityReading::default();
        }
        _ => {}
    }
    if let Some(reading) = read_config(path.as_str(), bytes) {
        return reading;
    }
    let is_structured = matches!(
        format,
        Some(Format::Json | Format::Jsonc | Format::Yaml | Format::Toml)
    );
    if ALWAYS_READ.contains(&path.file_name()) || is_block_file(manifest, path) {
        return instructions(path, bytes);
    }
    if is_structured {
        return read_foreign_config(path.as_str(), bytes);
    }
    CapabilityReading::default()
}

fn instructions(path: &RelativePath, bytes: &[u8]) -> CapabilityReading {
    let mut set = CapabilitySet::default();
    set.instructs.insert(path.to_string(), bytes.len());
    CapabilityReading {
        set,
        found: Vec::new(),
    }
}

fn typed_file(manifest: &Manifest, path: &RelativePath) -> Option<TypedFile> {
    let known = manifest.tools.iter().find_map(|tool| {
        let of_destination = |(kind, destination): (&ResourceType, &Destination)| {
            let Destination::Files(directory, _) = destination else {
                return None;
            };
            let inner = path_in_type_directory(tool, directory, path)?;
            Some(TypedFile {
                kind: *kind,
                part: part_of(*kind, inner),
            })
        };
        tool.destinations.iter().find_map(of_destination)
    });
    known.or_else(|| {
        let (kind, inner) = further_directory(path.as_str())?;
        let kind = RESOURCE_TYPES
            .into_iter()
            .find(|one| one.plural() == kind)?;
        Some(TypedFile {
            kind,
            part: part_of(kind, inner),
        })
    })
}

/// The part that a file is, by its path in the directory of its type.
fn part_of(kind: ResourceType, inner: &str) -> String {
    let name = match kind {
        ResourceType::Skills => inner.split('/').next().unwrap_or(inner),
        _ => {
            let file = inner.rsplit('/').next().unwrap_or(inner);
            let end = file.find('.').unwrap_or(file.len());
            &inner[..inner.len() - file.len() + end]
        }
    };
    format!("{kind}/{name}")
}

fn is_block_file(manifest: &Manifest, path: &RelativePath) -> bool {
    let is_block = |destination: &Destination| matches!(destination, Destination::Blocks(file) if file == path);
    let mut tools = manifest.tools.iter();
    tools.any(|tool| tool.destinations.values().any(is_block))
}
