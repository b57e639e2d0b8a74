//! What a git source answers.

use std::collections::BTreeSet;

use agpm_git::{EntryKind, GitError, Remote};
use agpm_model::{Extent, FileMode, ObjectId, RelativePath, SKILL_FILE, Unit};

use crate::packages::facts::File;
use crate::packages::fetch::raw::{
    DEEPEST, MOST_BYTES, MOST_FILES, MOST_FOLDERS, Raw, Unfit, found_unit, said_twice, skill_path,
    too_large, too_many_folders, twice,
};
use crate::packages::fetch::{Answered, Asked};

/// What a git source answers: refs, then commits, then all files in one batch.
pub(super) fn objects(remote: &Remote, asked: &Asked<'_>) -> Result<Answered, GitError> {
    let mut answered = Answered::default();
    if asked.refs {
        answered.refs = Some(remote.refs()?);
    }
    for rev in &asked.revs {
        answered
            .revs
            .push(((*rev).to_owned(), remote.find_commit(rev)?));
    }
    let commits: BTreeSet<&ObjectId> = asked
        .contents
        .iter()
        .filter_map(|(_, commit)| commit.as_ref())
        .collect();
    let commits: Vec<ObjectId> = commits.into_iter().cloned().collect();
    if commits.iter().any(|commit| !remote.has_commit(commit)) {
        // The source is asked anyway, so it can say whether its tags are still where they were.
        answered.refs = answered.refs.or_else(|| remote.refs().ok());
        remote.fetch_commits(&commits)?;
    }
    let mut pending = Vec::new();
    for (unit, commit) in &asked.contents {
        let Some(commit) = commit else { continue };
        let raw = match contents(remote, commit, unit)? {
            Listed::Raw(raw) => raw,
            Listed::Files(files) => {
                pending.push((unit, commit, files));
                continue;
            }
        };
        answered
            .contents
            .push(((*unit).clone(), Some(commit.clone()), raw));
    }
    let ids: Vec<ObjectId> = pending
        .iter()
        .flat_map(|(_, _, files)| files)
        .map(|file| file.id.clone())
        .collect();
    let bytes = if ids.is_empty() {
        Vec::new()
    } else {
        remote.read_blobs(&ids, &|_| {})?
    };
    let mut bytes = bytes.into_iter();
    for (unit, commit, files) in pending {
        let mut files: Vec<(Option<RelativePath>, File)> = files
            .into_iter()
            .zip(&mut bytes)
            .map(|(listed, bytes)| (listed.path, File::new(bytes, listed.mode)))
            .collect();
        let raw = match (unit.extent, files.pop()) {
            (Extent::File, Some((_, file))) => Raw::File(file),
            (_, last) => {
                let files = files.into_iter().chain(last);
                Raw::Folder(
                    files
                        .filter_map(|(path, file)| Some((path?, file)))
                        .collect(),
                )
            }
        };
        answered
            .contents
            .push(((*unit).clone(), Some(commit.clone()), raw));
    }
    Ok(answered)
}

/// What a path of a commit leads to.
enum Listed {
    Raw(Raw),
    /// Files whose bytes are still to be read.
    Files(Vec<ListedFile>),
}

struct ListedFile {
    /// Its path in the skill; nothing for a file on its own.
    path: Option<RelativePath>,
    id: ObjectId,
    mode: FileMode,
}

fn contents(remote: &Remote, commit: &ObjectId, unit: &Unit) -> Result<Listed, GitError> {
    if unit.path.is_pattern() {
        let found = matches(remote, commit, unit)?;
        let unfit = || Raw::Unfit(Unfit::Pattern);
        return Ok(Listed::Raw(found.map_or_else(unfit, Raw::Matches)));
    }
    let Some(entry) = remote.entry(commit, unit.path.as_str())? else {
        return Ok(Listed::Raw(Raw::Absent));
    };
    let file = |mode| {
        Listed::Files(vec![ListedFile {
            path: None,
            id: entry.id.clone(),
            mode,
        }])
    };
    Ok(match (unit.extent, entry.kind) {
        (_, EntryKind::Symlink) => Listed::Raw(Raw::Unfit(Unfit::Link)),
        (Extent::File, EntryKind::File) => file(FileMode::Plain),
        (Extent::File, EntryKind::Executable) => file(FileMode::Executable),
        (Extent::Folder, EntryKind::Folder) => folder(remote, &entry.id)?,
        _ => Listed::Raw(Raw::Absent),
    })
}

/// The files of a skill; one with anything else in it is not taken.
fn folder(remote: &Remote, id: &ObjectId) -> Result<Listed, GitError> {
    let unfit = |why: String| Ok(Listed::Raw(Raw::Unfit(Unfit::Skill(why))));
    let mut files = Vec::new();
    let mut folders = vec![(String::new(), id.clone(), 0)];
    let mut searched = 0;
    while let Some((folder, id, depth)) = folders.pop() {
        searched += 1;
        if searched > MOST_FOLDERS {
            return unfit(too_many_folders());
        }
        for entry in remote.tree(&id)?.iter() {
            let path = format!("{folder}{}", entry.name);
            let mode = match entry.kind {
                EntryKind::Folder if depth < DEEPEST => {
                    folders.push((format!("{path}/"), entry.id.clone(), depth + 1));
                    continue;
                }
                EntryKind::File => FileMode::Plain,
                EntryKind::Executable => FileMode::Executable,
                EntryKind::Symlink => return unfit(format!("`{path}` is a symbolic link")),
                EntryKind::Submodule => return unfit(format!("`{path}` is another repository")),
                EntryKind::Folder => return unfit(format!("`{path}` is too deep")),
            };
            let Ok(relative) = skill_path(&path) else {
                return unfit(format!("`{path}` is not a portable name"));
            };
            files.push(ListedFile {
                path: Some(relative),
                id: entry.id.clone(),
                mode,
            });
            if files.len() > MOST_FILES {
                return unfit(format!("it has more than {MOST_FILES} files"));
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    if let Some(twice) = twice(files.iter().filter_map(|file| file.path.as_ref())) {
        return unfit(said_twice(&twice));
    }
    let ids: Vec<ObjectId> = files.iter().map(|file| file.id.clone()).collect();
    match remote.measure_blobs(&ids)? {
        size if size > MOST_BYTES => unfit(too_large()),
        _ => Ok(Listed::Files(files)),
    }
}

/// What a commit has that a pattern matches, in order: files, or folders that are skills. Nothing if there is too much to
/// search.
fn matches(remote: &Remote, commit: &ObjectId, unit: &Unit) -> Result<Option<Vec<Unit>>, GitError> {
    let Ok(matcher) = unit.path.matcher() else {
        return Ok(Some(Vec::new()));
    };
    let start = unit.path.literal_folder();
    let top = match start {
        "" => Some(commit.clone()),
        folder => remote
            .entry(commit, folder)?
            .filter(|entry| entry.kind == EntryKind::Folder)
            .map(|entry| entry.id),
    };
    let mut paths = Vec::new();
    let mut folders: Vec<(String, ObjectId, usize)> = top
        .map(|id| (start.to_owned(), id, 0))
        .into_iter()
        .collect();
    let mut searched = 0;
    while let Some((folder, id, depth)) = folders.pop() {
        searched += 1;
        if searched > MOST_FOLDERS {
            return Ok(None);
        }
        for entry in remote.tree(&id)?.iter() {
            let path = if folder.is_empty() {
                entry.name.clone()
            } else {
                format!("{folder}/{}", entry.name)
            };
            // A name that is no text cannot be written down.
            let is_match = || matcher.is_match(&path) && !path.contains('\u{fffd}');
            match (entry.kind, unit.extent) {
                (EntryKind::Folder, Extent::Folder)
                    if is_match() && is_skill(remote, &entry.id)? =>
                {
                    paths.push(path);
                }
                (EntryKind::Folder, _) if depth < DEEPEST => {
                    folders.push((path, entry.id.clone(), depth + 1));
                }
                (EntryKind::File | EntryKind::Executable, Extent::File) if is_match() => {
                    paths.push(path)
                }
                _ => {}
            }
        }
    }
    paths.sort();
    Ok(Some(
        paths
            .iter()
            .filter_map(|path| found_unit(unit, path))
            .collect(),
    ))
}

fn is_skill(remote: &Remote, id: &ObjectId) -> Result<bool, GitError> {
    Ok(remote
        .tree(id)?
        .iter()
        .any(|entry| entry.name == SKILL_FILE))
}
