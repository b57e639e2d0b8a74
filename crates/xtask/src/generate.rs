use std::fs;
use std::path::Path;

use agpm_bottle::UnitKind;

use crate::{environment, exit_codes, json_outputs, key_tables, picture, references, tool_tables};

/// A file that is generated from the code.
struct GeneratedFile {
    path: &'static str,
    make: fn() -> String,
}

/// A generated section of a file that people write, between two comments with its name.
struct GeneratedSection {
    path: &'static str,
    name: &'static str,
    make: fn() -> String,
}

const SECTIONS: &[GeneratedSection] = &[
    GeneratedSection {
        path: "docs/tools.md",
        name: "places in a project",
        make: tool_tables::project_locations,
    },
    GeneratedSection {
        path: "docs/tools.md",
        name: "places in home",
        make: tool_tables::home_locations,
    },
    GeneratedSection {
        path: "docs/tools.md",
        name: "skill directories",
        make: tool_tables::skill_directories,
    },
    GeneratedSection {
        path: "docs/tools.md",
        name: "hooks of other tools",
        make: tool_tables::foreign_hooks,
    },
    GeneratedSection {
        path: "docs/tools.md",
        name: "agents",
        make: tool_tables::agents,
    },
    GeneratedSection {
        path: "docs/tools.md",
        name: "commands",
        make: tool_tables::commands,
    },
    GeneratedSection {
        path: "docs/tools.md",
        name: "hook events",
        make: tool_tables::hook_events,
    },
    GeneratedSection {
        path: "docs/tools.md",
        name: "servers",
        make: tool_tables::servers,
    },
    GeneratedSection {
        path: "docs/instructions.md",
        name: "instruction fields",
        make: tool_tables::instruction_fields,
    },
];

impl GeneratedSection {
    /// The text of the whole file with this part as the code has it.
    fn in_text(&self, text: &str) -> Option<String> {
        let start = format!("<!-- generated: {} -->\n", self.name);
        let (before, rest) = text.split_once(&start)?;
        let (_, after) = rest.split_once("<!-- end -->")?;
        Some(format!(
            "{before}{start}{}<!-- end -->{after}",
            (self.make)()
        ))
    }
}

const FILES: &[GeneratedFile] = &[
    GeneratedFile {
        path: "docs/images/quick-start.svg",
        make: picture::quick_start,
    },
    GeneratedFile {
        path: "docs/reference/cli.md",
        make: references::commands,
    },
    GeneratedFile {
        path: "docs/reference/environment.md",
        make: environment::page,
    },
    GeneratedFile {
        path: "docs/reference/exit-codes.md",
        make: exit_codes::page,
    },
    GeneratedFile {
        path: "docs/reference/errors.md",
        make: references::errors,
    },
    GeneratedFile {
        path: "docs/reference/sources.md",
        make: tool_tables::sources,
    },
    GeneratedFile {
        path: "docs/reference/schema/manifest.json",
        make: || agpm_model::MANIFEST_SCHEMA.to_json_schema().to_json(),
    },
    GeneratedFile {
        path: "docs/reference/schema/lock.json",
        make: || agpm_model::LOCK_SCHEMA.to_json_schema().to_json(),
    },
    GeneratedFile {
        path: "docs/reference/schema/policy.json",
        make: || agpm_model::POLICY_SCHEMA.to_json_schema().to_json(),
    },
    GeneratedFile {
        path: "docs/reference/schema/bottle.json",
        make: || agpm_bottle::json_schema(UnitKind::Bottle).to_json(),
    },
    GeneratedFile {
        path: "docs/reference/schema/agent.json",
        make: || agpm_bottle::json_schema(UnitKind::Agent).to_json(),
    },
    GeneratedFile {
        path: "docs/reference/schema/persona.json",
        make: || agpm_persona::PERSONA_SCHEMA.to_json_schema().to_json(),
    },
    GeneratedFile {
        path: "docs/reference/json.md",
        make: json_outputs::page,
    },
    GeneratedFile {
        path: "docs/reference/keys.md",
        make: key_tables::keys,
    },
];

/// Writes every generated file; gives what went wrong.
pub(crate) fn write(root: &Path) -> Vec<String> {
    let files = FILES.iter().filter_map(|file| write_one(root, file).err());
    let sections = SECTIONS.iter();
    files
        .chain(sections.filter_map(|section| write_section(root, section).err()))
        .collect()
}

fn write_section(root: &Path, section: &GeneratedSection) -> Result<(), String> {
    let path = root.join(section.path);
    let fail = |error: std::io::Error| format!("{}: {error}", section.path);
    let text = fs::read_to_string(&path).map_err(fail)?;
    let missing = || format!("{} has no section `{}`", section.path, section.name);
    fs::write(&path, section.in_text(&text).ok_or_else(missing)?).map_err(fail)
}

fn write_one(root: &Path, file: &GeneratedFile) -> Result<(), String> {
    let path = root.join(file.path);
    let fail = |error: std::io::Error| format!("{}: {error}", file.path);
    path.parent()
        .map_or(Ok(()), fs::create_dir_all)
        .map_err(fail)?;
    fs::write(&path, (file.make)()).map_err(fail)
}

/// Returns the generated files that are not current.
pub(crate) fn out_of_date(root: &Path) -> Vec<String> {
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
    let files = FILES.iter().filter(|file| read(file.path) != (file.make)());
    let sections = SECTIONS
        .iter()
        .filter(|section| section.in_text(&read(section.path)) != Some(read(section.path)));
    files
        .map(|file| file.path)
        .chain(sections.map(|section| section.path))
        .map(|path| format!("{path} is out of date: run `cargo run -p agpm-xtask -- generate`"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_and_changed_files_are_out_of_date_until_written() {
        let directory = std::env::temp_dir().join(format!("agpm-xtask-{}", std::process::id()));
        assert_eq!(out_of_date(&directory).len(), FILES.len() + SECTIONS.len());
        let empty = |path: &str| -> String {
            let own = SECTIONS.iter().filter(|section| section.path == path);
            own.map(|section| format!("<!-- generated: {} -->\n<!-- end -->\nkept\n", section.name))
                .collect()
        };
        let guide = directory.join(SECTIONS[0].path);
        fs::create_dir_all(directory.join("docs")).expect("a directory in the temporary directory");
        for section in SECTIONS {
            let path = directory.join(section.path);
            fs::write(path, empty(section.path)).expect("the directory exists");
        }
        assert_eq!(write(&directory), Vec::<String>::new());
        assert_eq!(out_of_date(&directory), Vec::<String>::new());
        let written = fs::read_to_string(&guide).expect("the guide is there");
        let own = SECTIONS
            .iter()
            .filter(|section| section.path == SECTIONS[0].path);
        assert_eq!(written.matches("kept\n").count(), own.count());
        fs::write(&guide, written.replacen("| `zed` |", "| `zad` |", 1))
            .expect("the guide is there");
        assert_eq!(out_of_date(&directory).len(), 1);
        fs::write(directory.join(FILES[0].path), "changed").expect("the directory exists");
        assert!(out_of_date(&directory)[0].starts_with(FILES[0].path));
        fs::remove_dir_all(&directory).expect("the directory exists");
    }
}
