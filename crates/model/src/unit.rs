//! A resource in its source: a path or pattern in the source, or on this machine.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::glob::{Glob, GlobError};
use crate::marketplace::MarketplacePlugin;
use crate::name::{ResourceName, SourceName};
use crate::path::{PathError, RelativePath};

/// The origin of a resource.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResourceOrigin {
    /// The manifest itself, which contains the whole resource.
    Manifest,
    /// This machine, relative to the manifest's directory.
    Local,
    /// A named source.
    Source(SourceName),
}

impl ResourceOrigin {
    /// The source, if it is one.
    pub fn source(&self) -> Option<&SourceName> {
        match self {
            ResourceOrigin::Source(name) => Some(name),
            ResourceOrigin::Local | ResourceOrigin::Manifest => None,
        }
    }
}

/// The files of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResourceExtent {
    /// A single file.
    File,
    /// A directory with all its content.
    Directory,
    /// A directory with all its content, some of which are separate resources.
    Plugin,
}

/// Whether a file is executable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FileMode {
    /// The file is not executable.
    #[default]
    Plain,
    /// The file is executable.
    Executable,
}

/// The path of a resource, or a pattern for several, with `/`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourcePath {
    text: String,
    meaning: PathMeaning,
}

/// Whether special characters form a pattern: the name of an existing file may look like one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum PathMeaning {
    Literal,
    Pattern,
}

/// A resource, or a pattern for several, in its source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Unit {
    /// The source.
    pub origin: ResourceOrigin,
    /// The path in the source.
    pub path: ResourcePath,
    /// The files at that path.
    pub extent: ResourceExtent,
    /// The entry of a marketplace that describes the plugin. Several entries may describe one directory, each with
    /// other parts.
    pub marketplace: Option<MarketplacePlugin>,
}

impl ResourcePath {
    /// A path or pattern under the root of a source.
    pub fn in_source(text: &str) -> Result<Self, PathError> {
        let plain: String = text
            .chars()
            .map(|c| if is_special(c) { '_' } else { c })
            .collect();
        RelativePath::new(&plain)?;
        let parts: Vec<&str> = text
            .split('/')
            .filter(|part| !matches!(*part, "" | "."))
            .collect();
        Ok(ResourcePath::written(parts.join("/")))
    }

    /// A directory of a source, which may be its root.
    pub fn directory_in_source(text: &str) -> Result<Self, PathError> {
        match text.trim_end_matches('/') {
            "." => Ok(ResourcePath {
                text: TOP.to_owned(),
                meaning: PathMeaning::Literal,
            }),
            _ => ResourcePath::in_source(text),
        }
    }

    /// The path of an existing file, whatever its characters.
    pub fn found(text: &str) -> Result<Self, PathError> {
        let written = if text.starts_with(['/', '.']) {
            ResourcePath::local(text)?
        } else {
            ResourcePath::in_source(text)?
        };
        Ok(ResourcePath {
            meaning: PathMeaning::Literal,
            ..written
        })
    }

    /// The path of a resource that has none, derived from its name in the manifest.
    pub fn of_name(name: &ResourceName) -> Self {
        ResourcePath {
            text: name.as_str().to_owned(),
            meaning: PathMeaning::Literal,
        }
    }

    fn written(text: String) -> Self {
        let meaning = if text.contains(is_special) {
            PathMeaning::Pattern
        } else {
            PathMeaning::Literal
        };
        ResourcePath { text, meaning }
    }

    /// A path or pattern on this machine: it may be absolute, or lead upwards.
    pub fn local(text: &str) -> Result<Self, PathError> {
        if text.trim().is_empty() {
            return Err(PathError::Empty);
        }
        if text.contains("://") {
            return Err(PathError::Address);
        }
        if text.contains(|c: char| c == '\\' || c.is_control()) {
            return Err(PathError::NotPortable);
        }
        let root = if text.starts_with('/') { "/" } else { "" };
        let mut parts: Vec<&str> = Vec::new();
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        if parts.is_empty() {
            Err(PathError::Empty)
        } else {
            Ok(ResourcePath::written(root.to_owned() + &parts.join("/")))
        }
    }

    /// The path with `/`.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it is the whole source.
    pub fn is_top(&self) -> bool {
        self.text == TOP
    }

    /// The path in the tree of the source, where the root is empty.
    pub fn in_tree(&self) -> &str {
        match self.text.as_str() {
            TOP => "",
            text => text,
        }
    }

    /// The path of something in this directory.
    pub fn join(&self, inner: &str) -> String {
        match self.in_tree() {
            "" => inner.to_owned(),
            directory => format!("{directory}/{inner}"),
        }
    }

    /// Whether it leads out of the directory that it starts from.
    pub fn leaves_directory(&self) -> bool {
        self.text.starts_with('/') || self.text.starts_with("../") || self.text == ".."
    }

    /// Whether it is a pattern.
    pub fn is_pattern(&self) -> bool {
        self.meaning == PathMeaning::Pattern
    }

    /// The path as a pattern.
    pub fn glob(&self) -> Result<Glob, GlobError> {
        Glob::new(&self.text)
    }

    /// The directories common to all matches: those before the first component with a special character.
    pub fn literal_directory(&self) -> &str {
        let special = self.text.find(is_special).unwrap_or(self.text.len());
        self.text[..special]
            .rsplit_once('/')
            .map_or("", |(directory, _)| directory)
    }

    /// The parent directory; empty at the root.
    pub fn directory(&self) -> &str {
        self.text
            .rsplit_once('/')
            .map_or("", |(directory, _)| directory)
    }

    /// The last component.
    pub fn file_name(&self) -> &str {
        self.text.rsplit('/').next().unwrap_or(&self.text)
    }

    /// The last component without its extension.
    pub fn stem(&self) -> &str {
        let name = self.file_name();
        name.rsplit_once('.')
            .map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
    }

    /// The extension of the last component.
    pub fn extension(&self) -> Option<&str> {
        self.file_name()
            .rsplit_once('.')
            .filter(|(stem, _)| !stem.is_empty())
            .map(|(_, extension)| extension)
    }
}

/// The notation for the root of a source.
const TOP: &str = ".";

fn is_special(c: char) -> bool {
    matches!(c, '*' | '?' | '[' | ']')
}

impl Serialize for ResourcePath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl fmt::Display for ResourcePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            ResourceOrigin::Manifest => write!(f, "{} of the manifest", self.path),
            ResourceOrigin::Local => write!(f, "{}", self.path),
            ResourceOrigin::Source(name) => write!(f, "{name}:{}", self.path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_sources_are_confined_and_patterns_are_seen() {
        let path = |text: &str| ResourcePath::in_source(text).map(|path| path.to_string());
        assert_eq!(path("./agents//ai/*.md"), Ok("agents/ai/*.md".to_owned()));
        assert_eq!(path("../x"), Err(PathError::Escapes));
        assert_eq!(path("/x"), Err(PathError::Absolute));
        assert_eq!(path("a\\b"), Err(PathError::NotPortable));
        let pattern = ResourcePath::in_source("agents/**/[ab]?.md").unwrap();
        assert!(pattern.is_pattern());
        assert_eq!(pattern.literal_directory(), "agents");
        assert!(pattern.glob().unwrap().is_match("agents/a1.md"));
        assert!(
            !ResourcePath::in_source("agents/*.md")
                .unwrap()
                .glob()
                .unwrap()
                .is_match("agents/x/a.md")
        );
    }

    #[test]
    fn local_paths_may_go_up() {
        let path = |text: &str| ResourcePath::local(text).map(|path| path.to_string());
        assert_eq!(path("./local/../a.md"), Ok("a.md".to_owned()));
        assert_eq!(
            path("../../shared/./a.md"),
            Ok("../../shared/a.md".to_owned())
        );
        assert_eq!(path("/abs/a.md"), Ok("/abs/a.md".to_owned()));
        assert_eq!(path("."), Err(PathError::Empty));
    }

    #[test]
    fn parts_of_a_path() {
        let path = ResourcePath::in_source("agents/ai/x.tar.gz").unwrap();
        assert_eq!(
            (path.directory(), path.stem(), path.extension()),
            ("agents/ai", "x.tar", Some("gz"))
        );
        let hidden = ResourcePath::in_source(".env").unwrap();
        assert_eq!(
            (hidden.directory(), hidden.stem(), hidden.extension()),
            ("", ".env", None)
        );
    }
}
