//! What is found at a path, before it is understood, and what is not taken.

use agpm_diag::{Diagnostic, codes};
use agpm_model::{RelativePath, ResourcePath, Unit};
use agpm_plan::clashes;
use agpm_resolve::SourceFile;
use agpm_source::limits::{MOST_DIRECTORIES, MOST_SKILL_BYTES};

/// What is at a path, before it is understood.
pub(super) enum Raw {
    Absent,
    File(SourceFile),
    Folder(Vec<(RelativePath, SourceFile)>),
    /// Something of a source that is not taken, and why.
    Unfit(Unfit),
    Matches(Vec<Unit>),
}

/// Why something of a source is not taken.
pub(super) enum Unfit {
    /// It is a symlink, which is not followed: it may lead anywhere.
    Link,
    /// A skill breaks a limit.
    Skill(String),
    /// A plugin breaks a limit, or is more than itself.
    Plugin(String),
    /// A pattern would have to be searched for without end.
    Pattern,
}

/// A path inside a skill: one that every system can have, that is what it looks like, and that is not git's own.
pub(super) fn skill_path(path: &str) -> Result<RelativePath, ()> {
    let odd = |c: char| matches!(c, '\u{fffd}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    let gits = |part: &str| matches!(part.to_lowercase().as_str(), ".git" | "git~1");
    if path.contains(odd) || path.split('/').any(gits) {
        return Err(());
    }
    RelativePath::new(path).map_err(drop)
}

/// A path that another one cannot be beside, on systems where case says nothing.
pub(super) fn twice<'p>(paths: impl Iterator<Item = &'p RelativePath>) -> Option<String> {
    let numbered: Vec<(usize, &RelativePath)> = paths.enumerate().collect();
    clashes(numbered)
        .into_iter()
        .next()
        .map(|clash| clash.path.to_string())
}

pub(super) fn said_twice(path: &str) -> String {
    format!("`{path}` is there twice, where case says nothing")
}

pub(super) fn too_many_folders() -> String {
    format!("it has more than {MOST_DIRECTORIES} folders")
}

pub(super) fn too_large() -> String {
    format!("it has more than {} MiB", MOST_SKILL_BYTES >> 20)
}

pub(super) fn unfit(unit: &Unit, why: Unfit) -> Diagnostic {
    match why {
        Unfit::Link => {
            let message =
                format!("`{unit}` is a symlink, and agpm does not follow symlinks of a source");
            Diagnostic::new(&codes::PACKAGE_NOT_FOUND, message)
                .help("ask for the file that it leads to")
        }
        Unfit::Pattern => {
            let message =
                format!("`{unit}` would be searched for in more than {MOST_DIRECTORIES} folders");
            Diagnostic::new(&codes::PACKAGE_NOT_FOUND, message)
                .help("name the folder in the pattern")
        }
        Unfit::Plugin(why) => Diagnostic::new(
            &codes::PLUGIN_MANIFEST,
            format!("the plugin `{unit}` cannot be installed: {why}"),
        )
        .help("report it to the plugin's author, or choose another version"),
        Unfit::Skill(why) => Diagnostic::new(
            &codes::SKILL_LIMIT,
            format!("the skill `{unit}` cannot be installed: {why}"),
        )
        .help("take it out of the skill, or leave the skill out with `exclude` on its pattern"),
    }
}

/// A match of a pattern.
pub(super) fn found_unit(pattern: &Unit, path: &str) -> Option<Unit> {
    let path = ResourcePath::found(path).ok()?;
    Some(Unit {
        origin: pattern.origin.clone(),
        path,
        extent: pattern.extent,
    })
}
