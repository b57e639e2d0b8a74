//! Finds the origin of a clone inside a project, from the files of git.

use std::path::{Path, PathBuf};

use agpm_model::{MachineFiles, SourceAddress, normalize};

/// A repository inside the project: a nested clone, or a submodule.
pub(crate) struct NestedClone {
    /// Its directory, from the project.
    pub(crate) directory: String,
    /// The URL that it was cloned from.
    pub(crate) address: SourceAddress,
    /// The checked-out commit.
    pub(crate) commit: String,
}

/// The clone that a file or directory of the project is in; the project's own repository is not one.
pub(crate) fn clone_around(
    files: &dyn MachineFiles,
    project: &Path,
    path: &str,
) -> Option<NestedClone> {
    let mut directory = path;
    while !directory.is_empty() {
        if files.exists(&project.join(directory).join(".git")) {
            return read_clone(files, project, directory);
        }
        directory = directory.rsplit_once('/').map_or("", |(parent, _)| parent);
    }
    None
}

fn read_clone(files: &dyn MachineFiles, project: &Path, directory: &str) -> Option<NestedClone> {
    let metadata = metadata_directory(files, project, directory)?;
    let text = |name: &str| {
        let bytes = files.read(&metadata.join(name)).ok()?;
        String::from_utf8(bytes).ok()
    };
    let address = SourceAddress::parse(origin_url(&text("config")?)?).ok()?;
    // A secret in a clone's URL stays out of the manifest, which is shared.
    let address = if address.redacted() == address.reveal() {
        address
    } else {
        SourceAddress::parse(address.redacted()).ok()?
    };
    let head = text("HEAD")?;
    let commit = match head.trim().strip_prefix("ref:") {
        None => head.trim().to_owned(),
        Some(reference) => {
            let reference = reference.trim();
            let is_plain = reference.starts_with("refs/") && !reference.contains("..");
            let loose = is_plain.then(|| text(reference)).flatten();
            let packed = || packed_commit(&text("packed-refs")?, reference);
            loose.map(|text| text.trim().to_owned()).or_else(packed)?
        }
    };
    let is_commit = commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit());
    is_commit.then(|| NestedClone {
        directory: directory.to_owned(),
        address,
        commit,
    })
}

/// The directory with the metadata: that of a submodule is named by a file, and inside the project too.
fn metadata_directory(
    files: &dyn MachineFiles,
    project: &Path,
    directory: &str,
) -> Option<PathBuf> {
    let git_path = project.join(directory).join(".git");
    let Ok(bytes) = files.read(&git_path) else {
        return Some(git_path);
    };
    let text = String::from_utf8(bytes).ok()?;
    let named = text.trim().strip_prefix("gitdir:")?.trim();
    let metadata = normalize(&project.join(directory).join(named));
    metadata.starts_with(normalize(project)).then_some(metadata)
}

/// The URL of the remote `origin` in a configuration of git.
fn origin_url(config: &str) -> Option<&str> {
    let mut is_origin = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            is_origin = line.replace(' ', "") == "[remote\"origin\"]";
        } else if let Some((key, value)) = line.split_once('=').filter(|_| is_origin)
            && key.trim() == "url"
        {
            return Some(value.trim().trim_matches('"'));
        }
    }
    None
}

fn packed_commit(packed: &str, reference: &str) -> Option<String> {
    let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
    let found = lines.find(|(_, name)| name.trim() == reference);
    found.map(|(commit, _)| commit.to_owned())
}
