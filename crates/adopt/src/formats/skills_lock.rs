//! `skills-lock.json` of `npx skills`, version 1, and `~/.agents/.skill-lock.json`, version 3.

use agpm_model::{ResourceType, SourceAddress};
use agpm_text::{NodeKind, NodeRef};

use crate::entries::{ForeignVersion, ManifestEntry};
use crate::formats::foreign::{ForeignFiles, ForeignManifest};
use crate::formats::format_reader::FormatReader;
use crate::locations::resource_directories;

const VERSIONS: [&str; 2] = ["1", "3"];

pub(super) fn read(files: &mut ForeignFiles<'_>) -> ForeignManifest {
    let mut reading = FormatReader::default();
    let mut entries = Vec::new();
    if let Some(root) = reading.root(&files.main, "a lockfile of skills") {
        check_version(&mut reading, root);
        match reading.map(root, "skills") {
            Some(skills) => {
                for (name, skill) in skills.entries() {
                    entries.extend(read_skill(&mut reading, name, skill));
                }
            }
            None if root.get("skills").is_none() => {
                reading.malformed(root, "this file has no `skills`", "check the path");
            }
            None => {}
        }
    }
    let at_home = |entry: ManifestEntry| match tool_of(files, &entry.name) {
        Some(tool) => entry.for_only_tool(tool),
        None => entry,
    };
    ForeignManifest {
        entries: entries.into_iter().map(at_home).collect(),
        diagnostics: reading.diagnostics,
        ..ForeignManifest::default()
    }
}

fn check_version(reading: &mut FormatReader, root: NodeRef<'_>) {
    let Some(version) = root.get("version") else {
        reading.malformed(root, "this file has no `version`", "check the path");
        return;
    };
    if version.as_str().is_some() || !VERSIONS.contains(&version.content()) {
        let message = format!("unknown version `{}`", version.content());
        reading.malformed(version, message, "agpm reads versions 1 and 3");
    }
}

fn read_skill(
    reading: &mut FormatReader,
    name: NodeRef<'_>,
    skill: NodeRef<'_>,
) -> Option<ManifestEntry> {
    if skill.kind() != NodeKind::Map {
        let message = format!("the skill is {}, not an object", skill.kind().word());
        reading.malformed(skill, message, "check the file");
        return None;
    }
    // All of an entry is read before any of it is given up, so every mistake is reported.
    let called = reading.name(name, name.content());
    let address = address_of(reading, skill);
    let reference = reading.string(skill, "ref").unwrap_or_default();
    let path = match skill.get("skillPath") {
        Some(node) => {
            let path = reading.string(skill, "skillPath");
            path.and_then(|path| reading.path(node, path))
        }
        None => {
            let source = skill.get("source").and_then(NodeRef::as_str);
            if let Some(source) = source.filter(|_| address.is_some()) {
                let message = format!("the lockfile has no path of `{}`", name.content());
                let help = format!("run `agpm add {source} {}`", name.content());
                reading.report_lost(name, message, &help);
            }
            None
        }
    };
    let version = ForeignVersion::of_reference(reference);
    let (called, address, path) = (called?, address?, path?);
    let kind = ResourceType::Skills;
    let mut entry = ManifestEntry::of_source(kind, called, address, &path, &version);
    // The directory of an installed skill has the skill's own name, whatever its source calls the directory.
    let last = path.rsplit('/').next().unwrap_or_default();
    if last != called && path != "." {
        entry.fields.push(("filename".to_owned(), called.into()));
    }
    Some(entry)
}

/// The repository of a skill; what does not come from one is reported.
fn address_of(reading: &mut FormatReader, skill: NodeRef<'_>) -> Option<SourceAddress> {
    let kind = reading.string(skill, "sourceType").unwrap_or("github");
    let source = reading.required(skill, "source")?;
    let url = reading.string(skill, "sourceUrl");
    let node = skill.get("source").unwrap_or(skill);
    let written = match kind {
        "github" | "git" => url.unwrap_or(source).to_owned(),
        "gitlab" if url.is_none() && !source.contains("://") => format!("gitlab:{source}"),
        "gitlab" => url.unwrap_or(source).to_owned(),
        _ => {
            let message = format!("`{source}` is of type `{kind}`, which is not a git repository");
            reading.report_lost(
                node,
                message,
                "add the skill from a repository or a directory",
            );
            return None;
        }
    };
    reading.address(node, written.trim_end_matches('/'))
}

/// The tool whose directory has the skill.
fn tool_of(files: &ForeignFiles<'_>, name: &str) -> Option<&'static str> {
    let skills = |one: &&crate::locations::ResourceDirectory| one.kind == ResourceType::Skills;
    let directories = resource_directories();
    let mut with_skill = directories.iter().filter(skills).filter(|one| {
        files
            .beside
            .is_in_project(&format!("{}/{name}/{}", one.path, agpm_model::SKILL_FILE))
    });
    with_skill.next().map(|one| one.tool)
}
