//! Reads the contents of a source at the requested paths: lists all of them, fetches all their files at once, and only
//! then measures and reads, because sizes and symlinks are known only then.

use std::collections::BTreeSet;
use std::sync::Arc;

use agpm_model::{
    FileMode, ResolvedVersion, ResourceExtent, Revision, SKILL_FILE, SourceVersions, Unit,
    VersionLabel,
};
use agpm_resolve::{PathFiles, SourceFile, Unfit, found_unit, path_clash, portable_path};
use agpm_source::limits::{
    MOST_DIRECTORIES, MOST_PLUGIN_BYTES, MOST_SKILL_BYTES, MOST_SKILL_FILES,
};
use agpm_source::{FileFetching, Source, SourceEntry, SourceEntryKind, SourceError};

use crate::project::packages::fetch::listed::{ListedFile, too_many_directories, walk};
use crate::project::packages::fetch::plugin_files::PluginListing;
use crate::project::packages::sources::is_versioned;

/// The requests to one source.
#[derive(Default)]
pub(super) struct SourceQuestions<'n> {
    pub(super) versions: bool,
    pub(super) revs: Vec<&'n str>,
    pub(super) releases: Vec<&'n VersionLabel>,
    pub(super) contents: Vec<(&'n Unit, &'n Option<Revision>)>,
}

/// The responses of one source.
#[derive(Default)]
pub(super) struct SourceAnswers {
    pub(super) versions: Option<Arc<SourceVersions>>,
    pub(super) revs: Vec<(String, Revision)>,
    pub(super) releases: Vec<(VersionLabel, Option<u64>)>,
    pub(super) contents: Vec<(Unit, Option<Revision>, PathFiles)>,
}

/// Requests versions, then revisions, then all files in one batch.
pub(super) fn read_answers(
    source: &dyn Source,
    questions: &SourceQuestions<'_>,
) -> Result<SourceAnswers, SourceError> {
    let mut answered = SourceAnswers::default();
    if questions.versions {
        answered.versions = Some(source.versions()?);
    }
    // Whole ids are fetched together. One that does not exist fails below, by its name.
    let whole = questions.revs.iter().filter_map(|rev| rev.parse().ok());
    let whole: Vec<Revision> = whole.collect();
    let _ = source.fetch(&whole, FileFetching::OnDemand);
    for rev in &questions.revs {
        let commit = source.find_revision(rev)?;
        answered.revs.push(((*rev).to_owned(), commit));
    }
    if !questions.releases.is_empty() {
        answered.releases = releases(source, &questions.releases)?;
    }
    // Versions that are new to the solver lead to more contents. Those of the known ones follow together with them, in
    // one request instead of two.
    if (questions.versions || !questions.revs.is_empty()) && is_versioned(source) {
        return Ok(answered);
    }
    fetch_revisions(source, questions, &mut answered)?;
    let mut listed = Vec::new();
    for (unit, revision) in &questions.contents {
        listed.push((*unit, *revision, list(source, revision.as_ref(), unit)?));
    }
    let wanted: Vec<&SourceEntry> = listed
        .iter()
        .flat_map(|(_, _, listed)| listed.wanted())
        .collect();
    source.fetch_files(&wanted)?;
    let mut checked = Vec::new();
    for (unit, revision, listed) in listed {
        checked.push((unit, revision, listed.checked(source)?));
    }
    let files: Vec<&SourceEntry> = checked
        .iter()
        .flat_map(|(_, _, files)| files.files())
        .map(|file| &file.entry)
        .collect();
    let mut bytes = source.read(&files)?.into_iter();
    for (unit, revision, files) in checked {
        let raw = files.with_bytes(&mut bytes);
        answered
            .contents
            .push((unit.clone(), revision.clone(), raw));
    }
    Ok(answered)
}

/// Returns the release dates of tags.
fn releases(
    source: &dyn Source,
    tags: &[&VersionLabel],
) -> Result<Vec<(VersionLabel, Option<u64>)>, SourceError> {
    let versions = source.versions()?;
    let version = |tag: &&VersionLabel| {
        let revision = versions.tags.get(tag.as_str())?.clone();
        let label = (*tag).clone();
        Some(ResolvedVersion { label, revision })
    };
    let tagged: Vec<ResolvedVersion> = tags.iter().filter_map(version).collect();
    let dates = source.released(&tagged);
    let dated = tagged.into_iter().map(|version| version.label).zip(dates);
    Ok(dated.collect())
}

fn fetch_revisions(
    source: &dyn Source,
    questions: &SourceQuestions<'_>,
    answered: &mut SourceAnswers,
) -> Result<(), SourceError> {
    let revisions: BTreeSet<&Revision> = questions
        .contents
        .iter()
        .filter_map(|(_, revision)| revision.as_ref())
        .collect();
    if revisions
        .iter()
        .all(|revision| source.has_revision(revision))
        || !is_versioned(source)
    {
        return Ok(());
    }
    // The source is contacted anyway, so moved tags can be detected at no extra cost.
    if answered.versions.is_none() {
        answered.versions = source.versions().ok();
    }
    let revisions: Vec<Revision> = revisions.into_iter().cloned().collect();
    source.fetch(&revisions, FileFetching::WithRevisions)
}

/// The entries of a path or pattern, before any file is fetched.
enum ListedFiles {
    Raw(PathFiles),
    File(ListedFile),
    Skill(Vec<ListedFile>),
    Plugin(PluginListing),
}

impl ListedFiles {
    /// Returns the files to fetch.
    fn wanted(&self) -> Vec<&SourceEntry> {
        match self {
            ListedFiles::Raw(_) => Vec::new(),
            ListedFiles::File(file) => vec![&file.entry],
            ListedFiles::Skill(files) => files.iter().map(|file| &file.entry).collect(),
            ListedFiles::Plugin(listing) => listing.wanted(),
        }
    }

    /// Follows the symlinks of a plugin and checks sizes, now that all files are available.
    fn checked(self, source: &dyn Source) -> Result<UnreadFiles, SourceError> {
        match self {
            ListedFiles::Raw(raw) => Ok(UnreadFiles::Raw(raw)),
            ListedFiles::File(file) => Ok(UnreadFiles::File(file)),
            ListedFiles::Skill(files) => {
                let files = within(source, files, MOST_SKILL_BYTES)?;
                Ok(unread(files, Unfit::Skill))
            }
            ListedFiles::Plugin(listing) => {
                let files = match listing.files(source)? {
                    Ok(files) => within(source, files, MOST_PLUGIN_BYTES)?,
                    Err(why) => Err(why),
                };
                Ok(unread(files, Unfit::Plugin))
            }
        }
    }
}

/// Returns the files, or the reason for refusing them if they are too large together.
fn within(
    source: &dyn Source,
    files: Vec<ListedFile>,
    most: u64,
) -> Result<Result<Vec<ListedFile>, String>, SourceError> {
    let entries: Vec<&SourceEntry> = files.iter().map(|file| &file.entry).collect();
    if source.size(&entries)? > most {
        return Ok(Err(format!("it has more than {} MiB", most >> 20)));
    }
    Ok(Ok(files))
}

fn unread(files: Result<Vec<ListedFile>, String>, unfit: fn(String) -> Unfit) -> UnreadFiles {
    match files {
        Ok(files) => UnreadFiles::Directory(files),
        Err(why) => UnreadFiles::Raw(PathFiles::Unfit(unfit(why))),
    }
}

/// The entries of a path or pattern, before any file is read.
enum UnreadFiles {
    Raw(PathFiles),
    File(ListedFile),
    Directory(Vec<ListedFile>),
}

impl UnreadFiles {
    fn files(&self) -> &[ListedFile] {
        match self {
            UnreadFiles::Raw(_) => &[],
            UnreadFiles::File(file) => std::slice::from_ref(file),
            UnreadFiles::Directory(files) => files,
        }
    }

    /// Takes the bytes of its files from the front of `bytes`.
    fn with_bytes(self, bytes: &mut impl Iterator<Item = Vec<u8>>) -> PathFiles {
        let mut next = |mode| SourceFile::new(bytes.next().unwrap_or_default(), mode);
        match self {
            UnreadFiles::Raw(raw) => raw,
            UnreadFiles::File(file) => PathFiles::File(next(file.mode)),
            UnreadFiles::Directory(files) => {
                let with_bytes = |file: ListedFile| {
                    let read = next(file.mode);
                    Some((file.path?, read))
                };
                PathFiles::Directory(files.into_iter().filter_map(with_bytes).collect())
            }
        }
    }
}

fn list(
    source: &dyn Source,
    revision: Option<&Revision>,
    unit: &Unit,
) -> Result<ListedFiles, SourceError> {
    if unit.path.is_pattern() {
        return matches(source, revision, unit).map(ListedFiles::Raw);
    }
    // No directory lists the top of a source, so it has no entry.
    if unit.path.is_top() {
        match unit.extent {
            ResourceExtent::Plugin => return plugin(source, revision, unit),
            ResourceExtent::Directory => return skill(source, revision, unit),
            ResourceExtent::File => {}
        }
    }
    let Some(entry) = source.entry(revision, unit.path.as_str())? else {
        return Ok(ListedFiles::Raw(PathFiles::Absent));
    };
    let file = |mode, entry| {
        let path = None;
        ListedFiles::File(ListedFile { path, mode, entry })
    };
    Ok(match (unit.extent, entry.kind) {
        (_, SourceEntryKind::Symlink) => ListedFiles::Raw(PathFiles::Unfit(Unfit::Link)),
        (ResourceExtent::File, SourceEntryKind::File(mode)) => file(mode, entry),
        // Reading a special file fails with the reason.
        (ResourceExtent::File, SourceEntryKind::Special) => file(FileMode::Plain, entry),
        (ResourceExtent::Directory, SourceEntryKind::Directory) => skill(source, revision, unit)?,
        (ResourceExtent::Plugin, SourceEntryKind::Directory) => plugin(source, revision, unit)?,
        _ => ListedFiles::Raw(PathFiles::Absent),
    })
}

/// Lists the files of a skill; a skill with anything but files and directories is refused.
fn skill(
    source: &dyn Source,
    revision: Option<&Revision>,
    unit: &Unit,
) -> Result<ListedFiles, SourceError> {
    let unfit = |why: String| Ok(ListedFiles::Raw(PathFiles::Unfit(Unfit::Skill(why))));
    let main = unit.path.join(SKILL_FILE);
    if source.entry(revision, &main)?.is_none() {
        return Ok(ListedFiles::Raw(PathFiles::Absent));
    }
    let Some(mut tree) = walk(source, revision, unit.path.in_tree())? else {
        return unfit(too_many_directories());
    };
    // A skill on this machine may be a git clone, whose metadata is not part of the skill.
    let is_metadata = |entry: &SourceEntry| entry.path.split('/').any(|part| part == ".git");
    tree.entries
        .retain(|entry| revision.is_some() || !is_metadata(entry));
    if tree.entries.len() > MOST_SKILL_FILES {
        return unfit(format!("it has more than {MOST_SKILL_FILES} files"));
    }
    let mut files = Vec::new();
    for entry in tree.entries {
        let full = entry.path.as_str();
        let path = full
            .strip_prefix(unit.path.in_tree())
            .map_or(full, |inner| inner.trim_start_matches('/'));
        let mode = match entry.kind {
            SourceEntryKind::File(mode) => mode,
            SourceEntryKind::Symlink => return unfit(format!("`{path}` is a symlink")),
            SourceEntryKind::Submodule => return unfit(format!("`{path}` is another repository")),
            SourceEntryKind::Directory => return unfit(format!("`{path}` is too deep")),
            SourceEntryKind::Special => return unfit(format!("`{path}` is not a file")),
        };
        let Some(relative) = portable_path(path) else {
            return unfit(format!("`{path}` is not a portable name"));
        };
        let path = Some(relative);
        files.push(ListedFile { path, mode, entry });
    }
    files.sort_by(|left, right| left.path.cmp(&right.path));
    if let Some(why) = path_clash(files.iter().filter_map(|file| file.path.as_ref())) {
        return unfit(why);
    }
    Ok(ListedFiles::Skill(files))
}

/// Lists all files of a plugin.
fn plugin(
    source: &dyn Source,
    revision: Option<&Revision>,
    unit: &Unit,
) -> Result<ListedFiles, SourceError> {
    let tree = walk(source, revision, unit.path.in_tree())?;
    Ok(match tree {
        Some(tree) => ListedFiles::Plugin(PluginListing::of(tree, unit.path.in_tree())),
        None => {
            let why = too_many_directories();
            ListedFiles::Raw(PathFiles::Unfit(Unfit::Plugin(why)))
        }
    })
}

/// Returns the matches of a pattern in order: files, or directories that are skills.
fn matches(
    source: &dyn Source,
    revision: Option<&Revision>,
    unit: &Unit,
) -> Result<PathFiles, SourceError> {
    let Ok(glob) = unit.path.glob() else {
        return Ok(PathFiles::Matches(Vec::new()));
    };
    let Some(tree) = walk(source, revision, unit.path.literal_directory())? else {
        return Ok(PathFiles::Unfit(Unfit::Pattern(MOST_DIRECTORIES)));
    };
    // A name that is not UTF-8 cannot be written to the manifest or lockfile.
    let is_match = |path: &str| glob.is_match(path) && !path.contains('\u{fffd}');
    let paths: BTreeSet<&str> = match unit.extent {
        ResourceExtent::File => tree
            .entries
            .iter()
            .filter(|entry| entry.kind.file_mode().is_some() && is_match(&entry.path))
            .map(|entry| entry.path.as_str())
            .collect(),
        // The manifest names each plugin, so patterns do not match plugins.
        ResourceExtent::Plugin => BTreeSet::new(),
        ResourceExtent::Directory => {
            let skills = tree.entries.iter().filter_map(skill_directory);
            outermost(skills.filter(|path| is_match(path)).collect())
        }
    };
    let units = paths.into_iter().filter_map(|path| found_unit(unit, path));
    Ok(PathFiles::Matches(units.collect()))
}

/// Returns the directory of a `SKILL.md`.
fn skill_directory(entry: &SourceEntry) -> Option<&str> {
    let (directory, name) = entry.path.rsplit_once('/')?;
    (name == SKILL_FILE).then_some(directory)
}

/// Removes directories inside other ones, because a skill in a skill belongs to the outer one.
fn outermost(directories: BTreeSet<&str>) -> BTreeSet<&str> {
    let is_inside = |path: &str| {
        let mut above = path;
        while let Some((parent, _)) = above.rsplit_once('/') {
            if directories.contains(parent) {
                return true;
            }
            above = parent;
        }
        false
    };
    let outer = directories.iter().copied().filter(|path| !is_inside(path));
    outer.collect()
}
