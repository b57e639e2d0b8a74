//! Lists the files of a plugin: everything in its directory. Symlinks that stay inside are replaced by the files that
//! they lead to.

use std::collections::BTreeMap;

use agpm_resolve::{path_clash, portable_path};
use agpm_source::limits::{MOST_LINKS, MOST_PLUGIN_FILES};
use agpm_source::{Source, SourceEntry, SourceEntryKind, SourceError, SourceTree};

use crate::project::packages::fetch::listed::ListedFile;
use crate::project::packages::sources::is_versioned;

/// The entries of a plugin by their path in it, before any file is fetched.
pub(super) struct PluginListing {
    entries: BTreeMap<String, SourceEntry>,
    links: BTreeMap<String, SourceEntry>,
}

impl PluginListing {
    /// Sorts the entries of the directory at `top`.
    pub(super) fn of(tree: SourceTree, top: &str) -> Self {
        let mut entries: BTreeMap<String, SourceEntry> = BTreeMap::new();
        let mut links: BTreeMap<String, SourceEntry> = BTreeMap::new();
        for entry in tree.entries {
            let inner = entry.path.strip_prefix(top).unwrap_or(&entry.path);
            let inner = inner.trim_start_matches('/').to_owned();
            // A plugin that is developed on this machine may be a git clone, whose metadata is not part of it.
            if inner.split('/').any(|part| part == ".git") {
                continue;
            }
            match entry.kind {
                SourceEntryKind::Symlink => drop(links.insert(inner, entry)),
                SourceEntryKind::Submodule => {}
                _ => drop(entries.insert(inner, entry)),
            }
        }
        PluginListing { entries, links }
    }

    /// Returns the files to fetch, symlinks included, whose targets are files too; none if there are too many.
    pub(super) fn wanted(&self) -> Vec<&SourceEntry> {
        if self.entries.len() > MOST_PLUGIN_FILES {
            return Vec::new();
        }
        let is_file = |entry: &&SourceEntry| entry.kind.file_mode().is_some();
        let files = self.entries.values().filter(is_file);
        files.chain(self.links.values()).collect()
    }

    /// Replaces symlinks, and returns the files or the reason why the plugin is refused.
    pub(super) fn files(
        self,
        source: &dyn Source,
    ) -> Result<Result<Vec<ListedFile>, String>, SourceError> {
        let too_many = || Err(format!("it has more than {MOST_PLUGIN_FILES} files"));
        let mut entries = self.entries;
        if entries.len() > MOST_PLUGIN_FILES {
            return Ok(too_many());
        }
        if let Err(why) = follow(source, self.links, &mut entries)? {
            return Ok(Err(why));
        }
        if entries.len() > MOST_PLUGIN_FILES {
            return Ok(too_many());
        }
        Ok(listed(entries))
    }
}

fn listed(entries: BTreeMap<String, SourceEntry>) -> Result<Vec<ListedFile>, String> {
    let mut files = Vec::new();
    for (inner, entry) in entries {
        let mode = match entry.kind {
            SourceEntryKind::File(mode) => mode,
            SourceEntryKind::Directory => return Err(format!("`{inner}` is too deep")),
            _ => return Err(format!("`{inner}` is not a file")),
        };
        let Some(path) = portable_path(&inner) else {
            return Err(format!("`{inner}` is not a portable name"));
        };
        let path = Some(path);
        files.push(ListedFile { path, mode, entry });
    }
    match path_clash(files.iter().filter_map(|file| file.path.as_ref())) {
        Some(why) => Err(why),
        None => Ok(files),
    }
}

/// Replaces symlinks by copies. A symlink that leads out of the plugin refuses the plugin: its target would be missing,
/// or be a file that the plugin must not read.
fn follow(
    source: &dyn Source,
    links: BTreeMap<String, SourceEntry>,
    entries: &mut BTreeMap<String, SourceEntry>,
) -> Result<Result<(), String>, SourceError> {
    if links.is_empty() {
        return Ok(Ok(()));
    }
    if let Some(path) = links.keys().next().filter(|_| !is_versioned(source)) {
        return Ok(Err(format!("`{path}` is a symlink")));
    }
    let blobs: Vec<&SourceEntry> = links.values().collect();
    let targets = source.read(&blobs)?;
    let mut open: Vec<(String, String)> = Vec::new();
    for (path, target) in links.keys().zip(targets) {
        let target = String::from_utf8(target).ok();
        match target.and_then(|target| inside(path, &target)) {
            Some(target) => open.push((path.clone(), target)),
            None => return Ok(Err(format!("`{path}` is a link that leads out of it"))),
        }
    }
    // A symlink may lead to another one, so this repeats until all are replaced.
    for _ in 0..MOST_LINKS {
        let (mut later, mut copied) = (Vec::new(), false);
        for (path, target) in open {
            let copies = copies(entries, &path, &target);
            if copies.is_empty() {
                later.push((path, target));
            } else {
                copied = true;
            }
            entries.extend(copies);
            if entries.len() > MOST_PLUGIN_FILES {
                return Ok(Ok(()));
            }
        }
        open = later;
        if open.is_empty() || !copied {
            break;
        }
    }
    Ok(match open.first() {
        Some((path, target)) => Err(format!(
            "`{path}` is a link to `{target}`, which it does not have"
        )),
        None => Ok(()),
    })
}

/// Returns the file, or the files of the directory, that a symlink leads to, at the path of the symlink.
fn copies(
    entries: &BTreeMap<String, SourceEntry>,
    path: &str,
    target: &str,
) -> Vec<(String, SourceEntry)> {
    if let Some(file) = entries.get(target) {
        return vec![(path.to_owned(), file.clone())];
    }
    let is_inside_itself = path
        .strip_prefix(target)
        .is_some_and(|rest| rest.starts_with('/'));
    if target.is_empty() || is_inside_itself {
        return Vec::new();
    }
    let copy = |(at, entry): (&String, &SourceEntry)| {
        let inner = at.strip_prefix(target)?.strip_prefix('/')?;
        Some((format!("{path}/{inner}"), entry.clone()))
    };
    entries.iter().filter_map(copy).collect()
}

/// Returns the target of a symlink relative to the plugin; `None` if it leads out.
fn inside(link: &str, target: &str) -> Option<String> {
    if target.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = link.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
