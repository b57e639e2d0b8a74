//! Reads what the solver still needs: all of one source in few calls, sources side by side.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use agpm_diag::{Diagnostic, codes};
use agpm_git::{EntryKind, Refs, Remote};
use agpm_model::{
    Declared, Extent, FileMode, Manifest, ObjectId, Origin, RelativePath, ResourcePath, SKILL_FILE, Selector,
    SourceName, Unit, Variant,
};
use agpm_plan::clashes;
use agpm_render::{Names, Renderer};
use agpm_solve::Child;
use agpm_store as store;
use agpm_text::Value;

use crate::failure::{Failure, FailureKind, Notes};
use crate::gather::limit;
use crate::packages::declared::{Declaring, meant};
use crate::packages::facts::{File, Found, Known, Need, Pin, Resource};
use crate::packages::resolve::plain_sources;
use crate::packages::sources::{Opened, Sources, git_failure};
use crate::packages::templates::project_names;
use crate::parallel;
use crate::world::World;

/// Folders deeper than this are not searched for matches.
const DEEPEST: usize = 64;
/// Folders that are searched for one pattern or one skill. A tree of git can hold itself many times.
const MOST_FOLDERS: usize = 20_000;
/// A skill with more files than this is not taken.
const MOST_FILES: usize = 1000;
/// A skill with more bytes than this is not taken.
const MOST_BYTES: u64 = 100 << 20;

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
    File(File),
    Folder(Vec<(RelativePath, File)>),
    /// Something of a source that is not taken, and why.
    Unfit(Unfit),
    Matches(Vec<Unit>),
}

/// Why something of a source is not taken.
enum Unfit {
    /// It is a symbolic link, which is not followed: it may lead anywhere.
    Link,
    /// A skill breaks a limit.
    Skill(String),
    /// A pattern would have to be searched for without end.
    Pattern,
}

pub(crate) struct Fetcher<'a> {
    world: &'a World,
    sources: &'a Sources,
    manifest: &'a Manifest,
    /// The names that templates in declarations may use.
    names: BTreeMap<Variant, Names>,
    renderer: Renderer,
}

impl<'a> Fetcher<'a> {
    pub(crate) fn new(world: &'a World, sources: &'a Sources, manifest: &'a Manifest) -> Self {
        let names = project_names(manifest);
        Fetcher { world, sources, manifest, names, renderer: Renderer::new() }
    }

    /// What the manifest asks for, before anything is read.
    pub(crate) fn known(&self, pins: BTreeMap<Unit, Pin>) -> Known {
        let mut known = Known::new(plain_sources(self.sources), pins);
        for dependency in &self.manifest.dependencies {
            known.want(&dependency.unit, dependency.variant);
        }
        known
    }

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
                        Origin::Local | Origin::Manifest => None,
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
        let Some(name) = source else { return self.files(&self.sources.project, &asked.contents) };
        let progress = &self.world.progress;
        match self.sources.get(name) {
            Some(Opened::Folder(folder)) => self.files(folder, &asked.contents),
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
            let resource = |resource| Found::Resource(Arc::new(resource), Arc::default());
            let found = match raw {
                Raw::Absent => Found::Absent,
                Raw::Unfit(why) => return Err(unfit(&unit, why)),
                Raw::Matches(units) if units.is_empty() => Found::Absent,
                Raw::Matches(units) => {
                    let child = |unit| Child::<Unit, Selector> { unit, wish: None };
                    Found::Matches(Arc::new(units.into_iter().map(child).collect()))
                }
                Raw::File(file) => resource(Resource::file(file)),
                Raw::Folder(mut files) => {
                    match files.iter().position(|(path, _)| path.as_str() == SKILL_FILE) {
                        Some(at) => {
                            let (_, main) = files.remove(at);
                            resource(Resource::folder(main, files))
                        }
                        None => Found::Absent,
                    }
                }
            };
            self.learn(unit, commit, found, known, notes)?;
        }
        Ok(())
    }

    /// Takes in what was read, and reads what it declares under every variant in which it is wanted; what it needs is
    /// wanted under the same ones.
    pub(crate) fn learn(
        &self,
        unit: Unit,
        commit: Option<ObjectId>,
        found: Found,
        known: &mut Known,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        known.set_content(unit.clone(), commit.clone(), found);
        let key = (unit, commit);
        let mut queue: Vec<_> =
            known.variants_of(&key.0).into_iter().map(|variant| (key.clone(), variant)).collect();
        while let Some((key, variant)) = queue.pop() {
            let wanted: Vec<Unit> = match known.found(&key.0, key.1.as_ref()) {
                None | Some(Found::Absent) => continue,
                Some(Found::Matches(matches)) => matches.iter().map(|child| child.unit.clone()).collect(),
                Some(Found::Resource(resource, _)) => {
                    let declared = self.understand(&key, &Arc::clone(resource), variant, notes)?;
                    let units = declared.iter().map(|(_, unit)| unit.clone()).collect();
                    known.set_needs(&key, variant, declared);
                    units
                }
            };
            for unit in wanted {
                if known.want(&unit, variant) {
                    let commits = known.commits_of(&unit).into_iter();
                    queue.extend(commits.map(|commit| ((unit.clone(), commit), variant)));
                }
            }
        }
        Ok(())
    }

    /// What a resource declares under a variant, each with the unit that is meant.
    fn understand(
        &self,
        (unit, commit): &(Unit, Option<ObjectId>),
        resource: &Resource,
        variant: Variant,
        notes: &mut Notes,
    ) -> Result<Vec<(Declared, Unit)>, Failure> {
        let label = commit.as_ref().map_or("local", ObjectId::short);
        let (names, renderer) = (&self.names[&variant], &self.renderer);
        let declared = Declaring { unit, label, bytes: &resource.main.bytes, names, renderer }.read(notes);
        let mut children = Vec::new();
        for declared in declared {
            let exists = |path: &str| self.exists(unit, commit.as_ref(), path);
            let child = meant(unit, &declared, &exists).map_err(|_| {
                let message = format!("`{}` of `{unit}` leads out of its source", declared.path);
                let diagnostic = Diagnostic::new(&codes::RESOURCE_DECLARATION, message)
                    .at_spot(declared.spot)
                    .help("resources can only need files of their own source");
                Failure::new(FailureKind::Refused, diagnostic)
            })?;
            children.push((declared, child));
        }
        Ok(children)
    }

    fn exists(&self, parent: &Unit, commit: Option<&ObjectId>, path: &str) -> bool {
        match (&parent.origin, commit) {
            (Origin::Manifest, _) => false,
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
        answered.contents.push(((*unit).clone(), Some(commit.clone()), raw));
    }
    let ids: Vec<ObjectId> =
        pending.iter().flat_map(|(_, _, files)| files).map(|file| file.id.clone()).collect();
    let bytes = if ids.is_empty() { Vec::new() } else { remote.read_blobs(&ids, &|_| {})? };
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
                Raw::Folder(files.filter_map(|(path, file)| Some((path?, file))).collect())
            }
        };
        answered.contents.push(((*unit).clone(), Some(commit.clone()), raw));
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

fn contents(remote: &Remote, commit: &ObjectId, unit: &Unit) -> Result<Listed, agpm_git::GitError> {
    if unit.path.is_pattern() {
        let found = matches(remote, commit, unit)?;
        let unfit = || Raw::Unfit(Unfit::Pattern);
        return Ok(Listed::Raw(found.map_or_else(unfit, Raw::Matches)));
    }
    let Some(entry) = remote.entry(commit, unit.path.as_str())? else { return Ok(Listed::Raw(Raw::Absent)) };
    let file = |mode| Listed::Files(vec![ListedFile { path: None, id: entry.id.clone(), mode }]);
    Ok(match (unit.extent, entry.kind) {
        (_, EntryKind::Symlink) => Listed::Raw(Raw::Unfit(Unfit::Link)),
        (Extent::File, EntryKind::File) => file(FileMode::Plain),
        (Extent::File, EntryKind::Executable) => file(FileMode::Executable),
        (Extent::Folder, EntryKind::Folder) => folder(remote, &entry.id)?,
        _ => Listed::Raw(Raw::Absent),
    })
}

/// The files of a skill; one with anything else in it is not taken.
fn folder(remote: &Remote, id: &ObjectId) -> Result<Listed, agpm_git::GitError> {
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
                return unfit(format!("`{path}` is no name that every system can have"));
            };
            files.push(ListedFile { path: Some(relative), id: entry.id.clone(), mode });
            if files.len() > MOST_FILES {
                return unfit(format!("it has more than {MOST_FILES} files"));
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    if let Some(twice) = twice(files.iter().filter_map(|file| file.path.as_ref())) {
        return unfit(format!("`{twice}` is there twice, where case says nothing"));
    }
    let ids: Vec<ObjectId> = files.iter().map(|file| file.id.clone()).collect();
    match remote.measure_blobs(&ids)? {
        size if size > MOST_BYTES => unfit(too_large()),
        _ => Ok(Listed::Files(files)),
    }
}

/// A path inside a skill: one that every system can have, that is what it looks like, and that is not git's own.
fn skill_path(path: &str) -> Result<RelativePath, ()> {
    let odd = |c: char| matches!(c, '\u{fffd}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    let gits = |part: &str| matches!(part.to_lowercase().as_str(), ".git" | "git~1");
    if path.contains(odd) || path.split('/').any(gits) {
        return Err(());
    }
    RelativePath::new(path).map_err(drop)
}

/// A path that another one cannot be beside, on systems where case says nothing.
fn twice<'p>(paths: impl Iterator<Item = &'p RelativePath>) -> Option<String> {
    let numbered: Vec<(usize, &RelativePath)> = paths.enumerate().collect();
    clashes(numbered).into_iter().next().map(|clash| clash.path.to_string())
}

fn too_many_folders() -> String {
    format!("it has more than {MOST_FOLDERS} folders")
}

fn too_large() -> String {
    format!("it has more than {} MiB", MOST_BYTES >> 20)
}

fn unfit(unit: &Unit, why: Unfit) -> Failure {
    let diagnostic = match why {
        Unfit::Link => {
            let message = format!("`{unit}` is a symbolic link, and links of a source are not followed");
            Diagnostic::new(&codes::PACKAGE_NOT_FOUND, message).help("ask for the file that it leads to")
        }
        Unfit::Pattern => {
            let message = format!("`{unit}` would be searched for in more than {MOST_FOLDERS} folders");
            Diagnostic::new(&codes::PACKAGE_NOT_FOUND, message).help("name the folder in the pattern")
        }
        Unfit::Skill(why) => {
            Diagnostic::new(&codes::SKILL_LIMIT, format!("the skill `{unit}` cannot be installed: {why}"))
                .help("take it out of the skill, or ask its author to")
        }
    };
    Failure::new(FailureKind::Refused, diagnostic)
}

/// What a commit has that a pattern matches, in order: files, or folders that are skills. Nothing if there is too much to
/// search.
fn matches(remote: &Remote, commit: &ObjectId, unit: &Unit) -> Result<Option<Vec<Unit>>, agpm_git::GitError> {
    let Ok(matcher) = unit.path.matcher() else { return Ok(Some(Vec::new())) };
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
    let mut searched = 0;
    while let Some((folder, id, depth)) = folders.pop() {
        searched += 1;
        if searched > MOST_FOLDERS {
            return Ok(None);
        }
        for entry in remote.tree(&id)?.iter() {
            let path =
                if folder.is_empty() { entry.name.clone() } else { format!("{folder}/{}", entry.name) };
            // A name that is no text cannot be written down.
            let is_match = || matcher.is_match(&path) && !path.contains('\u{fffd}');
            match (entry.kind, unit.extent) {
                (EntryKind::Folder, Extent::Folder) if is_match() && is_skill(remote, &entry.id)? => {
                    paths.push(path);
                }
                (EntryKind::Folder, _) if depth < DEEPEST => {
                    folders.push((path, entry.id.clone(), depth + 1));
                }
                (EntryKind::File | EntryKind::Executable, Extent::File) if is_match() => paths.push(path),
                _ => {}
            }
        }
    }
    paths.sort();
    Ok(Some(paths.iter().filter_map(|path| found_unit(unit, path)).collect()))
}

fn is_skill(remote: &Remote, id: &ObjectId) -> Result<bool, agpm_git::GitError> {
    Ok(remote.tree(id)?.iter().any(|entry| entry.name == SKILL_FILE))
}

/// A match of a pattern.
fn found_unit(pattern: &Unit, path: &str) -> Option<Unit> {
    let path = ResourcePath::found(path).ok()?;
    Some(Unit { origin: pattern.origin.clone(), path, extent: pattern.extent })
}

impl Fetcher<'_> {
    /// What is on this machine, below a folder or beside it, or in the manifest itself.
    fn files(&self, folder: &Path, asked: &[(&Unit, &Option<ObjectId>)]) -> Result<Answered, Failure> {
        let mut answered = Answered::default();
        for (unit, commit) in asked {
            let raw = match unit {
                Unit { origin: Origin::Manifest, .. } => self.inline(unit),
                unit if unit.path.is_pattern() => local_matches(folder, unit)?,
                Unit { extent: Extent::Folder, .. } => local_folder(folder, unit)?,
                unit => local_file(folder, unit)?,
            };
            answered.contents.push(((*unit).clone(), (*commit).clone(), raw));
        }
        Ok(answered)
    }

    /// What the manifest itself says of an MCP server.
    fn inline(&self, unit: &Unit) -> Raw {
        let dependency = self.manifest.dependencies.iter().find(|dependency| dependency.unit == *unit);
        let Some(Value::Map(said)) = dependency.and_then(|dependency| dependency.server.as_ref()) else {
            return Raw::Absent;
        };
        // An address says what it is, for tools that would take it for a program.
        let is_remote = said.iter().all(|(key, _)| key != "command");
        let kind = is_remote.then(|| ("type".to_owned(), Value::from("http")));
        let server = Value::Map(kind.into_iter().chain(said.iter().cloned()).collect());
        Raw::File(File::new(server.to_json().into_bytes(), FileMode::Plain))
    }
}

/// A file on this machine; nothing of a source is trusted, so that a link must not lead out of it.
fn local_read(folder: &Path, origin: &Origin, path: &str) -> Result<(Vec<u8>, FileMode), store::StoreError> {
    match origin {
        Origin::Source(_) => store::read_below(folder, path, limit()),
        _ => store::read_with_mode(&folder.join(path), limit()),
    }
}

fn local_file(folder: &Path, unit: &Unit) -> Result<Raw, Failure> {
    match local_read(folder, &unit.origin, unit.path.as_str()) {
        Ok((bytes, mode)) => Ok(Raw::File(File::new(bytes, mode))),
        Err(error) if matches!(error.problem, store::Problem::NotFound | store::Problem::IsFolder) => {
            Ok(Raw::Absent)
        }
        Err(error) => Err(error.seen_from(folder).into()),
    }
}

fn local_folder(folder: &Path, unit: &Unit) -> Result<Raw, Failure> {
    let unfit = |why: String| Ok(Raw::Unfit(Unfit::Skill(why)));
    let skill = folder.join(unit.path.as_str());
    if !store::is_file(&skill.join(SKILL_FILE)) {
        return Ok(Raw::Absent);
    }
    let entries = store::entries_below(&skill, DEEPEST)?;
    if let Some((path, _)) = entries.iter().find(|(_, kind)| *kind != store::Below::File) {
        return unfit(format!("`{path}` is a symbolic link, or no file at all"));
    }
    if entries.len() > MOST_FILES {
        return unfit(format!("it has more than {MOST_FILES} files"));
    }
    let (mut files, mut size) = (Vec::new(), 0);
    for (path, _) in entries {
        let Ok(relative) = skill_path(&path) else {
            return unfit(format!("`{path}` is no name that every system can have"));
        };
        let (bytes, mode) = local_read(folder, &unit.origin, &format!("{}/{path}", unit.path))
            .map_err(|error| error.seen_from(folder))?;
        size += bytes.len() as u64;
        if size > MOST_BYTES {
            return unfit(too_large());
        }
        files.push((relative, File::new(bytes, mode)));
    }
    Ok(Raw::Folder(files))
}

fn local_matches(folder: &Path, unit: &Unit) -> Result<Raw, Failure> {
    let Ok(matcher) = unit.path.matcher() else { return Ok(Raw::Absent) };
    let start = unit.path.literal_folder();
    let files = store::files_below(&folder.join(start), DEEPEST)?;
    let full = |file: String| if start.is_empty() { file } else { format!("{start}/{file}") };
    let skill_of = |file: &str| file.strip_suffix(SKILL_FILE)?.strip_suffix('/').map(str::to_owned);
    let paths = files.into_iter().map(full).filter_map(|file| match unit.extent {
        Extent::File => Some(file),
        Extent::Folder => skill_of(&file),
    });
    let paths = paths.filter(|path| matcher.is_match(path));
    Ok(Raw::Matches(paths.filter_map(|path| found_unit(unit, &path)).collect()))
}
