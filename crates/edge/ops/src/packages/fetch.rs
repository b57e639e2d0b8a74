//! Reads what the solver still needs: all of one source in few calls, sources side by side.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use agpm_diag::{Diagnostic, codes};
use agpm_git::{EntryKind, Refs, Remote, TreeEntry};
use agpm_model::{FileMode, ObjectId, Origin, ResourcePath, Selector, SourceName, Unit};
use agpm_solve::Child;
use agpm_store as store;
use agpm_text::Value;

use crate::failure::{Failure, FailureKind, Notes};
use crate::gather::limit;
use crate::packages::declared::{Declaring, meant};
use crate::packages::facts::{Found, Known, Need, Resource};
use crate::packages::sources::{Opened, Sources, git_failure};
use crate::parallel;
use crate::world::World;

/// Folders deeper than this are not searched for matches.
const DEEPEST: usize = 64;

/// What one source is asked for.
#[derive(Default)]
struct Asked<'n> {
    refs: bool,
    revs: Vec<&'n str>,
    contents: Vec<(&'n Unit, &'n Option<ObjectId>)>,
}

/// What one source answers.
#[derive(Default)]
struct Answered {
    refs: Option<Arc<Refs>>,
    revs: Vec<(String, ObjectId)>,
    contents: Vec<(Unit, Option<ObjectId>, Raw)>,
}

/// What is at a path, before it is understood.
enum Raw {
    Absent,
    File(Vec<u8>, FileMode),
    /// A symbolic link, which is not followed: it may lead anywhere.
    Link,
    Matches(Vec<Unit>),
}

pub(crate) struct Fetcher<'a> {
    pub(crate) world: &'a World,
    pub(crate) sources: &'a Sources,
    /// The names that templates in declarations may use.
    pub(crate) names: &'a Value,
}

impl Fetcher<'_> {
    /// Reads everything that is needed.
    pub(crate) fn fulfil(
        &self,
        needs: &BTreeSet<Need>,
        known: &mut Known,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        let mut asked: BTreeMap<Option<&SourceName>, Asked<'_>> = BTreeMap::new();
        for need in needs {
            match need {
                Need::Refs(source) => asked.entry(Some(source)).or_default().refs = true,
                Need::Rev(source, rev) => asked.entry(Some(source)).or_default().revs.push(rev),
                Need::Content(unit, commit) => {
                    let source = match &unit.origin {
                        Origin::Source(name) => Some(name),
                        Origin::Local => None,
                    };
                    asked.entry(source).or_default().contents.push((unit, commit));
                }
            }
        }
        let answers = parallel::map(asked.into_iter().collect(), |(source, asked)| {
            (source, self.answer(source, &asked))
        });
        for (source, answer) in answers {
            self.take(source, answer?, known, notes)?;
        }
        notes.check()
    }

    fn answer(&self, source: Option<&SourceName>, asked: &Asked<'_>) -> Result<Answered, Failure> {
        let Some(name) = source else { return files(&self.sources.project, &asked.contents) };
        let progress = &self.world.progress;
        match self.sources.get(name) {
            Some(Opened::Folder(folder)) => files(folder, &asked.contents),
            Some(Opened::Git(remote)) => {
                progress.source_began(name.as_str());
                let answer = objects(remote, asked).map_err(|error| git_failure(name, error));
                progress.source_ended(name.as_str());
                answer
            }
            None => Ok(Answered::default()),
        }
    }

    /// Understands what was read.
    fn take(
        &self,
        source: Option<&SourceName>,
        answered: Answered,
        known: &mut Known,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        if let Some(name) = source {
            if let Some(refs) = answered.refs {
                known.list(name.clone(), refs);
            }
            for (rev, commit) in answered.revs {
                known.set_rev(name.clone(), rev, commit);
            }
        }
        for (unit, commit, raw) in answered.contents {
            let found = match raw {
                Raw::Absent => Found::Absent,
                Raw::Link => {
                    let message =
                        format!("`{unit}` is a symbolic link, and links of a source are not followed");
                    let help = "ask for the file that it leads to";
                    let diagnostic = Diagnostic::new(&codes::PACKAGE_NOT_FOUND, message).help(help);
                    return Err(Failure::new(FailureKind::Refused, diagnostic));
                }
                Raw::Matches(units) if units.is_empty() => Found::Absent,
                Raw::Matches(units) => {
                    let child = |unit| Child::<Unit, Selector> { unit, wish: None };
                    Found::Matches(Arc::new(units.into_iter().map(child).collect()))
                }
                Raw::File(bytes, mode) => {
                    Found::File(Arc::new(self.understand(&unit, commit.as_ref(), bytes, mode, notes)?))
                }
            };
            known.set_content(unit, commit, found);
        }
        Ok(())
    }

    /// A file with what it declares.
    pub(crate) fn understand(
        &self,
        unit: &Unit,
        commit: Option<&ObjectId>,
        bytes: Vec<u8>,
        mode: FileMode,
        notes: &mut Notes,
    ) -> Result<Resource, Failure> {
        let label = commit.map_or("local", ObjectId::short);
        let declared = Declaring { unit, label, bytes: &bytes, names: self.names }.read(notes);
        let mut children = Vec::new();
        for declared in declared {
            let exists = |path: &str| self.exists(unit, commit, path);
            let child = meant(unit, declared.path.trim(), &exists).map_err(|_| {
                let message = format!("`{}` of `{unit}` leads out of its source", declared.path);
                let diagnostic = Diagnostic::new(&codes::RESOURCE_DECLARATION, message)
                    .at_spot(declared.spot)
                    .help("resources can only need files of their own source");
                Failure::new(FailureKind::Refused, diagnostic)
            })?;
            children.push((declared, child));
        }
        Ok(Resource::new(bytes, mode, children))
    }

    fn exists(&self, parent: &Unit, commit: Option<&ObjectId>, path: &str) -> bool {
        match (&parent.origin, commit) {
            (Origin::Local, _) => store::is_file(&self.sources.project.join(path)),
            (Origin::Source(name), commit) => match (self.sources.get(name), commit) {
                (Some(Opened::Git(remote)), Some(commit)) => {
                    remote.entry(commit, path).is_ok_and(|entry| entry.is_some())
                }
                (Some(Opened::Folder(folder)), _) => store::is_file(&folder.join(path)),
                _ => false,
            },
        }
    }
}

/// What a git source answers: refs, then commits, then all files in one batch.
fn objects(remote: &Remote, asked: &Asked<'_>) -> Result<Answered, agpm_git::GitError> {
    let mut answered = Answered::default();
    if asked.refs {
        answered.refs = Some(remote.refs()?);
    }
    for rev in &asked.revs {
        answered.revs.push(((*rev).to_owned(), remote.find_commit(rev)?));
    }
    let commits: BTreeSet<&ObjectId> =
        asked.contents.iter().filter_map(|(_, commit)| commit.as_ref()).collect();
    let commits: Vec<ObjectId> = commits.into_iter().cloned().collect();
    if commits.iter().any(|commit| !remote.has_commit(commit)) {
        // The source is asked anyway, so it can say whether its tags are still where they were.
        answered.refs = answered.refs.or_else(|| remote.refs().ok());
        remote.fetch_commits(&commits)?;
    }
    let mut blobs = Vec::new();
    for (unit, commit) in &asked.contents {
        let Some(commit) = commit else { continue };
        let key = ((*unit).clone(), Some(commit.clone()));
        if unit.path.is_pattern() {
            let matches = matches(remote, commit, unit)?;
            answered.contents.push((key.0, key.1, Raw::Matches(matches)));
            continue;
        }
        match remote.entry(commit, unit.path.as_str())? {
            Some(TreeEntry { kind: EntryKind::File, id, .. }) => blobs.push((key, id, FileMode::Plain)),
            Some(TreeEntry { kind: EntryKind::Executable, id, .. }) => {
                blobs.push((key, id, FileMode::Executable))
            }
            Some(TreeEntry { kind: EntryKind::Symlink, .. }) => {
                answered.contents.push((key.0, key.1, Raw::Link))
            }
            _ => answered.contents.push((key.0, key.1, Raw::Absent)),
        }
    }
    let ids: Vec<ObjectId> = blobs.iter().map(|(_, id, _)| id.clone()).collect();
    let bytes = if ids.is_empty() { Vec::new() } else { remote.read_blobs(&ids, &|_| {})? };
    let read = blobs.into_iter().zip(bytes);
    answered
        .contents
        .extend(read.map(|(((unit, commit), _, mode), bytes)| (unit, commit, Raw::File(bytes, mode))));
    Ok(answered)
}

/// The files of a commit that a pattern matches, in order.
fn matches(remote: &Remote, commit: &ObjectId, unit: &Unit) -> Result<Vec<Unit>, agpm_git::GitError> {
    let Ok(matcher) = unit.path.matcher() else { return Ok(Vec::new()) };
    let start = unit.path.literal_folder();
    let top = match start {
        "" => Some(commit.clone()),
        folder => remote
            .entry(commit, folder)?
            .filter(|entry| entry.kind == EntryKind::Folder)
            .map(|entry| entry.id),
    };
    let mut paths = Vec::new();
    let mut folders: Vec<(String, ObjectId, usize)> =
        top.map(|id| (start.to_owned(), id, 0)).into_iter().collect();
    while let Some((folder, id, depth)) = folders.pop() {
        for entry in remote.tree(&id)?.iter() {
            let path =
                if folder.is_empty() { entry.name.clone() } else { format!("{folder}/{}", entry.name) };
            match entry.kind {
                EntryKind::Folder if depth < DEEPEST => folders.push((path, entry.id.clone(), depth + 1)),
                // A name that is no text cannot be written down.
                EntryKind::File | EntryKind::Executable
                    if matcher.is_match(&path) && !path.contains('\u{fffd}') =>
                {
                    paths.push(path);
                }
                _ => {}
            }
        }
    }
    paths.sort();
    let unit = |path: &String| {
        let path = ResourcePath::found(path).ok()?;
        Some(Unit { origin: unit.origin.clone(), path })
    };
    Ok(paths.iter().filter_map(unit).collect())
}

/// What is on this machine, below a folder or beside it.
fn files(folder: &Path, asked: &[(&Unit, &Option<ObjectId>)]) -> Result<Answered, Failure> {
    let mut answered = Answered::default();
    for (unit, commit) in asked {
        let raw =
            if unit.path.is_pattern() { local_matches(folder, unit)? } else { local_file(folder, unit)? };
        answered.contents.push(((*unit).clone(), (*commit).clone(), raw));
    }
    Ok(answered)
}

fn local_file(folder: &Path, unit: &Unit) -> Result<Raw, Failure> {
    let found = match unit.origin {
        Origin::Local => store::read_with_mode(&folder.join(unit.path.as_str()), limit()),
        // Nothing of a source is trusted: a link must not lead out of it.
        Origin::Source(_) => store::read_below(folder, unit.path.as_str(), limit()),
    };
    match found {
        Ok((bytes, mode)) => Ok(Raw::File(bytes, mode)),
        Err(error) if matches!(error.problem, store::Problem::NotFound | store::Problem::IsFolder) => {
            Ok(Raw::Absent)
        }
        Err(error) => Err(error.seen_from(folder).into()),
    }
}

fn local_matches(folder: &Path, unit: &Unit) -> Result<Raw, Failure> {
    let Ok(matcher) = unit.path.matcher() else { return Ok(Raw::Absent) };
    let start = unit.path.literal_folder();
    let files = store::files_below(&folder.join(start), DEEPEST)?;
    let full = |file: String| if start.is_empty() { file } else { format!("{start}/{file}") };
    let paths = files.into_iter().map(full).filter(|path| matcher.is_match(path));
    let unit = |path: String| {
        let path = ResourcePath::found(&path).ok()?;
        Some(Unit { origin: unit.origin.clone(), path })
    };
    Ok(Raw::Matches(paths.filter_map(unit).collect()))
}
