//! The locations of catalogs in a directory, and of the files of rows.

/// A directory that holds a catalog, with the directory in it for manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatalogRoot {
    /// The catalog's directory.
    pub directory: &'static str,
    /// The directory in it for manifests.
    pub config: &'static str,
}

/// Roots of every generation; if several exist in one directory, the upper ones rank higher.
pub const ROOTS: [CatalogRoot; 4] = [
    CatalogRoot {
        directory: "bmad",
        config: "_cfg",
    },
    CatalogRoot {
        directory: ".bmad",
        config: "_cfg",
    },
    CatalogRoot {
        directory: "_bmad",
        config: "_config",
    },
    CatalogRoot {
        directory: "_bmad",
        config: "_cfg",
    },
];

/// Directories for manifests in a module, likewise.
pub const CONFIG_FOLDERS: [&str; 2] = ["_cfg", "_config"];

/// The notation of manifests for the directory that contains the catalog.
const PROJECT_ROOT: &str = "{project-root}/";

/// The location of a manifest in its layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestLocation {
    /// The catalog's directory, such as `bmad`.
    pub root: &'static str,
    /// The module's directory in it, if the manifest is a module's own.
    pub module: Option<String>,
    /// Whether the layer is a home, so `~/` is in it.
    pub home: LayerHome,
}

/// Whether a layer is the user's home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerHome {
    /// The layer is in the home directory.
    Own,
    /// The layer is in another directory.
    Elsewhere,
}

/// The reason why a path is invalid in its layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathFault {
    /// No file exists.
    Missing,
    /// It would lead out of the layer.
    Escapes,
}

/// The possible paths of the file of a row in its layer, best first: as written from the layer's directory, then from
/// the catalog of the manifest, which may have been moved to a directory of another generation.
pub fn candidate_paths(
    written: &str,
    location: &ManifestLocation,
) -> Result<Vec<String>, PathFault> {
    let path = relative(written, location.home)?;
    let (first, rest) = path.split_once('/').unwrap_or((path.as_str(), ""));
    let mut candidates = vec![path.clone()];
    if ROOTS.iter().any(|root| root.directory == first) {
        candidates.push(format!("{}/{rest}", location.root));
    } else {
        candidates.push(format!("{}/{path}", location.root));
        candidates.extend(
            location
                .module
                .as_ref()
                .map(|module| format!("{}/{module}/{path}", location.root)),
        );
    }
    candidates.dedup();
    Ok(candidates)
}

/// Directories in which BMAD's installer puts skills for tools, best first.
/// Source: `tools/installer/ide/platform-codes.yaml` of bmad-method 6.12.0, of 2026-11, in projects and in home.
const TOOL_SKILL_FOLDERS: [&str; 36] = [
    ".claude/skills",
    ".agents/skills",
    ".cursor/skills",
    ".github/skills",
    ".gemini/skills",
    ".opencode/skills",
    ".codex/skills",
    ".config/agents/skills",
    ".adal/skills",
    ".agent/skills",
    ".bob/skills",
    ".cline/skills",
    ".codebuddy/skills",
    ".codewhale/skills",
    ".cortex/skills",
    ".factory/skills",
    ".firebender/skills",
    ".gemini/antigravity/skills",
    ".gemini/antigravity-cli/skills",
    ".grok/skills",
    ".hermes/skills",
    ".iflow/skills",
    ".junie/skills",
    ".kilocode/skills",
    ".kiro/skills",
    ".kode/skills",
    ".neovate/skills",
    ".ona/skills",
    ".qoder/skills",
    ".qwen/skills",
    ".snowflake/cortex/skills",
    ".trae/skills",
    ".vibe/skills",
    ".windsurf/skills",
    ".zcode/skills",
    ".zencoder/skills",
];

/// The directories in its layer that a skill with this canonical id has in the directories of tools, best first.
pub fn skill_directories(canonical_id: &str) -> impl Iterator<Item = String> {
    // An id is one name: with a separator it could lead out of the directory.
    let is_name = relative(canonical_id, LayerHome::Elsewhere)
        .is_ok_and(|path| path == canonical_id)
        && !canonical_id.contains('/');
    let directories = TOOL_SKILL_FOLDERS.iter().filter(move |_| is_name);
    directories.map(move |directory| format!("{directory}/{canonical_id}"))
}

/// A path from the layer's directory, without anything that leads elsewhere.
fn relative(written: &str, home: LayerHome) -> Result<String, PathFault> {
    let path = written.trim().replace('\\', "/");
    let path = path.strip_prefix(PROJECT_ROOT).unwrap_or(&path);
    let path = match (path.strip_prefix("~/"), home) {
        (Some(rest), LayerHome::Own) => rest,
        (Some(_), LayerHome::Elsewhere) => return Err(PathFault::Escapes),
        (None, _) => path,
    };
    let drive = path.as_bytes().get(1) == Some(&b':');
    if path.starts_with('/') || drive || path.contains(char::is_control) {
        return Err(PathFault::Escapes);
    }
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect();
    match parts.as_slice() {
        [] => Err(PathFault::Missing),
        parts if parts.contains(&"..") => Err(PathFault::Escapes),
        parts => Ok(parts.join("/")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn location(home: LayerHome) -> ManifestLocation {
        ManifestLocation {
            root: "bmad",
            module: None,
            home,
        }
    }

    #[test]
    fn a_path_is_looked_for_as_written_and_in_its_own_catalog() {
        let found = |path| candidate_paths(path, &location(LayerHome::Elsewhere)).unwrap();
        assert_eq!(found("./bmad/bmm/agents/pm.md"), ["bmad/bmm/agents/pm.md"]);
        assert_eq!(found("{project-root}/bmad/a.md"), ["bmad/a.md"]);
        assert_eq!(
            found("_bmad\\bmm//a.md"),
            ["_bmad/bmm/a.md", "bmad/bmm/a.md"]
        );
        assert_eq!(found("bmm/a.md"), ["bmm/a.md", "bmad/bmm/a.md"]);
        let module = ManifestLocation {
            module: Some("bmm".into()),
            ..location(LayerHome::Elsewhere)
        };
        assert_eq!(
            candidate_paths("a.md", &module).unwrap(),
            ["a.md", "bmad/a.md", "bmad/bmm/a.md"]
        );
    }

    #[test]
    fn a_canonical_id_is_one_name_in_the_directories_of_tools() {
        assert_eq!(
            skill_directories("bmad-help").next().unwrap(),
            ".claude/skills/bmad-help"
        );
        for id in [
            "", ".", "..", "a/b", "../a", "a\\b", "~/a", "/a", "C:a", "a\0b",
        ] {
            assert_eq!(skill_directories(id).next(), None, "{id}");
        }
    }

    #[test]
    fn paths_that_escape_are_refused() {
        for path in [
            "../a",
            "a/../../b",
            "a/..",
            "/etc/passwd",
            "C:\\a",
            "~/a",
            "a\0b",
            "..\\a",
        ] {
            assert_eq!(
                candidate_paths(path, &location(LayerHome::Elsewhere)),
                Err(PathFault::Escapes),
                "{path}"
            );
        }
        for path in ["", " ", ".", "./"] {
            assert_eq!(
                candidate_paths(path, &location(LayerHome::Elsewhere)),
                Err(PathFault::Missing),
                "{path}"
            );
        }
        assert_eq!(
            candidate_paths("~/.bmad/a", &location(LayerHome::Own)).unwrap()[0],
            ".bmad/a"
        );
        assert_eq!(
            candidate_paths("~/../a", &location(LayerHome::Own)),
            Err(PathFault::Escapes)
        );
    }
}
