//! The file that a path on the command line means.

use std::path::Path;

use agpm_diag::{Diagnostic, Failure, FailureKind, codes, unknown_name};
use agpm_model::{PathError, RelativePath, normalize};

/// A path is from the manifest's directory `root`; where one works in a directory below, it may also be from there, `here`.
pub fn file_paths(
    root: &Path,
    working_directory: &Path,
    file: &str,
) -> Result<Vec<RelativePath>, Failure> {
    let from_manifest = RelativePath::new(file);
    let full = normalize(&working_directory.join(file));
    let from_here = full.strip_prefix(root).map_err(|_| PathError::Escapes);
    let from_here =
        from_here.and_then(|inner| RelativePath::new(&inner.to_string_lossy().replace('\\', "/")));
    if from_manifest.is_err() && from_here.is_err() {
        return Err(outside_project(file));
    }
    Ok([from_manifest, from_here].into_iter().flatten().collect())
}

/// No layer has a file; a near path may be the one that is meant.
pub fn unknown_file(file: &str, near: Option<&str>) -> Failure {
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            "no layer of the project has it; paths start at the manifest's directory".to_owned()
        }
    };
    unknown_name("file", file, Some(help))
}

/// A file that is not in the project.
pub fn outside_project(file: &str) -> Failure {
    let message = format!("`{file}` is not in the project");
    let diagnostic = Diagnostic::new(&codes::IO_UNREADABLE, message);
    let help = "name the file by its path from the manifest's directory";
    Failure::new(FailureKind::Refused, diagnostic.help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(working_directory: &str, file: &str) -> Option<Vec<String>> {
        let paths = file_paths(Path::new("/project"), Path::new(working_directory), file).ok()?;
        Some(paths.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_path_is_from_the_manifest_first_and_then_from_the_working_directory() {
        let found = paths("/project/.claude", "settings.json").expect("in the project");
        assert_eq!(found, ["settings.json", ".claude/settings.json"]);
        let found = paths("/project/.claude", "../CLAUDE.md").expect("in the project");
        assert_eq!(found, ["CLAUDE.md"]);
        assert_eq!(paths("/project", "../other"), None);
        assert_eq!(paths("/project", "/etc/passwd"), None);
    }
}
