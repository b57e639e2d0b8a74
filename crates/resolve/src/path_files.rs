//! The unparsed files at a path of a source.

use std::sync::Arc;

use crate::clashes;
use crate::solve::RequiredUnit;
use agpm_diag::{Diagnostic, codes};
use agpm_model::{RelativePath, Requirement, ResourceExtent, ResourcePath, SKILL_FILE, Unit};

use crate::index::{FoundContent, ResourceFiles, SourceFile};

/// The files at a path.
pub enum PathFiles {
    /// No files.
    Absent,
    /// A file.
    File(SourceFile),
    /// The files of a skill or a plugin.
    Directory(Vec<(RelativePath, SourceFile)>),
    /// Content that is refused.
    Unfit(Unfit),
    /// The matches of a pattern.
    Matches(Vec<Unit>),
}

/// The reason why content is refused.
pub enum Unfit {
    /// A symlink, which is not followed because it may lead anywhere.
    Link,
    /// A skill exceeds a limit.
    Skill(String),
    /// A plugin exceeds a limit, or contains itself.
    Plugin(String),
    /// A pattern would search more directories than this.
    Pattern(usize),
}

/// A path inside a skill or plugin that is valid on every system, contains no invisible characters, and is not git's
/// own; `None` for any other.
pub fn portable_path(path: &str) -> Option<RelativePath> {
    let odd = |c: char| matches!(c, '\u{fffd}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    let gits = |part: &str| matches!(part.to_lowercase().as_str(), ".git" | "git~1");
    if path.contains(odd) || path.split('/').any(gits) {
        return None;
    }
    RelativePath::new(path).ok()
}

/// The reason why these paths cannot coexist on case-insensitive file systems.
pub fn path_clash<'p>(paths: impl Iterator<Item = &'p RelativePath>) -> Option<String> {
    let numbered: Vec<(usize, &RelativePath)> = paths.enumerate().collect();
    let clash = clashes(numbered).into_iter().next()?;
    Some(format!(
        "`{}` exists twice on systems that ignore case",
        clash.path
    ))
}

fn unfit(unit: &Unit, why: Unfit) -> Diagnostic {
    match why {
        Unfit::Link => {
            let message = format!("`{unit}` is a symlink, which agpm does not follow");
            Diagnostic::new(&codes::PACKAGE_NOT_FOUND, message)
                .help("name the file that it leads to")
        }
        Unfit::Pattern(most) => {
            let message = format!("`{unit}` would be searched for in more than {most} directories");
            Diagnostic::new(&codes::PACKAGE_NOT_FOUND, message)
                .help("name the directory in the pattern")
        }
        Unfit::Plugin(why) => Diagnostic::new(
            &codes::PLUGIN_MANIFEST,
            format!("cannot install plugin `{unit}`"),
        )
        .detail(why)
        .help("report it to the plugin's author, or choose another version"),
        Unfit::Skill(why) => Diagnostic::new(
            &codes::SKILL_LIMIT,
            format!("cannot install skill `{unit}`"),
        )
        .detail(why)
        .help("remove it from the skill, or leave the skill out with `exclude` on its pattern"),
    }
}

/// A match of a pattern.
pub fn found_unit(pattern: &Unit, path: &str) -> Option<Unit> {
    let path = ResourcePath::found(path).ok()?;
    Some(Unit {
        origin: pattern.origin.clone(),
        path,
        extent: pattern.extent,
        marketplace: None,
    })
}

impl PathFiles {
    /// The parsed content; refused content is a finding.
    pub fn understood(
        self,
        unit: &Unit,
        without_excluded: impl FnOnce(Vec<Unit>) -> Vec<Unit>,
    ) -> Result<FoundContent, Diagnostic> {
        let resource = |files| FoundContent::Resource(Arc::new(files), Arc::default());
        Ok(match self {
            PathFiles::Absent => FoundContent::Absent,
            PathFiles::Unfit(why) => return Err(unfit(unit, why)),
            PathFiles::Matches(units) if units.is_empty() => FoundContent::Absent,
            PathFiles::Matches(units) => {
                let child = |unit| RequiredUnit::<Unit, Requirement> {
                    unit,
                    requirement: None,
                };
                let children = without_excluded(units).into_iter().map(child);
                FoundContent::Matches(Arc::new(children.collect()))
            }
            PathFiles::File(file) => resource(ResourceFiles::file(file)),
            PathFiles::Directory(files) if unit.extent == ResourceExtent::Plugin => {
                resource(ResourceFiles::plugin(files))
            }
            PathFiles::Directory(mut files) => {
                let main = files
                    .iter()
                    .position(|(path, _)| path.as_str() == SKILL_FILE);
                match main.map(|at| files.remove(at)) {
                    Some((_, main)) => resource(ResourceFiles::directory(main, files)),
                    None => FoundContent::Absent,
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_something_else_elsewhere_are_not_portable() {
        for good in ["a.md", "scripts/run.sh", ".hidden/x"] {
            assert!(portable_path(good).is_some(), "{good}");
        }
        for bad in [
            ".git/config",
            "a/.GIT/x",
            "GIT~1",
            "a\u{202e}b",
            "../x",
            "/x",
            "a\u{200b}",
        ] {
            assert!(portable_path(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn case_alone_reports_no_files_apart() {
        let paths = |names: &[&str]| -> Vec<RelativePath> {
            let paths = names.iter().map(|name| RelativePath::new(name));
            paths.map(|path| path.expect("a good path")).collect()
        };
        assert_eq!(path_clash(paths(&["a", "b"]).iter()), None);
        assert!(path_clash(paths(&["README.md", "readme.md"]).iter()).is_some());
    }
}
