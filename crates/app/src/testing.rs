//! Lockfiles for tests, out of their text.

use std::path::PathBuf;

use agpm_model::{Checksum, Lockfile, Manifest};
use agpm_resolve::LockView;
use agpm_text::{Format, parse_alone};

/// An entry `TYPE/NAME` for Claude Code whose content is its id, as its text in a lockfile.
pub(crate) fn entry(id: &str, dependencies: &[&str]) -> String {
    let (kind, name) = id.split_once('/').expect("an id");
    let quoted: Vec<String> = dependencies.iter().map(|one| format!("{one:?}")).collect();
    format!(
        "[[{kind}]]\nname = \"{name}\"\nsource = \"shared\"\npath = \"{id}.md\"\nrequirement = \"^1\"\n\
         version = \"v1.0.0\"\nchecksum = \"{}\"\nresolved_commit = \"1234567890123456789012345678901234567890\"\n\
         installed_at = \".claude/{id}.md\"\ntool = \"claude-code\"\ndependencies = [{}]\n",
        Checksum::of(id.as_bytes()),
        quoted.join(", ")
    )
}

pub(crate) fn lock_of(entries: &[String]) -> Lockfile {
    let source = "[[sources]]\nname = \"shared\"\nurl = \"https://example.com/shared\"\n";
    let text = format!("version = 1\n{source}{}", entries.concat());
    let (lock, mistakes) = Lockfile::read(&parse_alone(text, Format::Toml).document);
    assert!(mistakes.is_empty(), "{mistakes:?}");
    lock
}

/// The view of a project in `/project` with these entries, none of which the manifest requires.
pub(crate) fn view_of(entries: Vec<String>) -> LockView {
    LockView::of(
        lock_of(&entries),
        &Manifest::default(),
        PathBuf::from("/project"),
    )
}
