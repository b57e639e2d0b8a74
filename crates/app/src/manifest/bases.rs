//! The bases of a manifest: found along `extends`, pinned by the lockfile, and put in order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, SourceId, SourceSpan, codes, has_errors};
use agpm_merge::{
    DocumentGraph, ReferenceFailure, ReferenceFailureKind, ReferencePolicy, UnavailableReason,
    order,
};
use agpm_model::outdated_lock;
use agpm_model::{
    AddressKind, BaseAddress, BaseName, BaseReference, BaseRoot, BaseText, Checksum, DefaultHost,
    LONGEST_CHAIN, LockedBase, Lockfile, Pin, RepositoryBase, ResourcePath, ResourceType,
    SourceAddress, joined_path, local_path_of_base, read_extends, refused_programs,
};
use agpm_resolve::UpdateScope;
use agpm_text::{Document, Format, Pointer, document_of};

use crate::manifest::MANIFEST_NAME;

/// A base that was read.
#[derive(Clone, Debug)]
pub struct LoadedBase {
    /// The URL or directory.
    pub address: BaseAddress,
    /// Its `agpm.toml`.
    pub document: Arc<Document>,
    /// The root of its relative paths.
    pub root: BaseRoot,
    /// Its record in the lockfile.
    pub locked: LockedBase,
    /// The files that extend it: manifests of the project and other bases.
    pub named_in: BTreeSet<SourceId>,
}

impl LoadedBase {
    pub(crate) fn text(&self) -> BaseText<'_> {
        BaseText {
            document: &self.document,
            root: &self.root,
        }
    }

    /// Its file on this machine, from the directory of the manifest; `None` for one in a repository.
    pub fn local_file(&self) -> Option<String> {
        match &self.root {
            BaseRoot::Directory(directory) => Some(format!("{directory}/{MANIFEST_NAME}")),
            BaseRoot::Snapshot { .. } => None,
        }
    }

    /// Its path on this machine, including that of its repository; `None` for one on a server.
    pub fn local_path(&self) -> Option<String> {
        match &self.root {
            BaseRoot::Directory(_) => self.local_file(),
            BaseRoot::Snapshot { url, .. } => match url.kind() {
                AddressKind::Directory(path) | AddressKind::FileUrl(path) => Some(path.to_owned()),
                AddressKind::Remote => None,
            },
        }
    }
}

/// The versions of bases to use.
#[derive(Clone, Copy, Debug)]
pub enum BaseVersions<'a> {
    /// The locked versions that still fit, except for those to update.
    Pinned(&'a UpdateScope),
    /// Only the locked versions.
    Locked,
}

/// The highest base that has a dependency.
pub fn base_with<'b>(
    bases: &'b [LoadedBase],
    kind: ResourceType,
    name: &str,
) -> Option<&'b LoadedBase> {
    let at = Pointer::root().child(kind.plural()).child(name);
    let mut bases = bases.iter().rev();
    bases.find(|base| base.document.at(&at).is_some())
}

/// The rules that decide which bases a manifest has.
#[derive(Clone, Copy)]
pub struct BaseRules<'a> {
    /// The host of URLs that name none.
    pub host: &'a DefaultHost,
    /// The lockfile.
    pub lock: Option<&'a Lockfile>,
    /// The versions to use.
    pub versions: BaseVersions<'a>,
}

/// The bytes of a base's `agpm.toml`, and where they are.
pub struct BaseFile {
    /// The file as diagnostics show it.
    pub name: String,
    /// The content of the base file.
    pub bytes: Vec<u8>,
    /// The root of its relative paths.
    pub root: BaseRoot,
    /// Its version, for one in a repository.
    pub pin: Option<Pin>,
}

/// Access to bases.
pub trait BaseReader {
    /// The identity of a directory, however it is written.
    fn identity(&self, directory: &str) -> String;

    /// A URL with its version distinguished from its path: `../base@^3` may be a repository on this machine.
    fn with_version(&self, address: BaseAddress) -> BaseAddress;

    /// Reads the manifest at a URL, in the version that the pins choose.
    fn read(
        &mut self,
        address: &BaseAddress,
        spot: Option<SourceSpan>,
        pins: &mut BasePins<'_>,
        notes: &mut Notes,
    ) -> Result<BaseFile, Failure>;
}

/// The versions of bases: those that are locked, and those that were chosen in this run.
pub struct BasePins<'a> {
    rules: BaseRules<'a>,
    /// Bases of one repository with one requirement have one version.
    chosen: BTreeMap<(SourceAddress, String), Pin>,
}

impl<'a> BasePins<'a> {
    fn new(rules: BaseRules<'a>) -> Self {
        BasePins {
            rules,
            chosen: BTreeMap::new(),
        }
    }

    /// The version of a base; `None` for the newest. If only the lockfile decides, it must have one.
    pub fn choose(&self, name: &BaseName, base: &RepositoryBase) -> Result<Option<Pin>, Failure> {
        let key = (base.url.clone(), base.requirement.as_str().to_owned());
        if let Some(existing) = self.chosen.get(&key) {
            return Ok(Some(existing.clone()));
        }
        let locked = self.rules.lock.into_iter().flat_map(|lock| &lock.bases);
        let mut pins = locked.filter_map(|locked| locked.pin.as_ref());
        let locked = pins.find(|pin| base.is_pinned_by(pin)).cloned();
        match (self.rules.versions, locked) {
            (BaseVersions::Locked, None) => {
                let message = format!("{} is not in the lockfile", name.label());
                Err(outdated_lock(message))
            }
            (BaseVersions::Pinned(moving), Some(_)) if moving.moves_base(name) => Ok(None),
            (_, locked) => Ok(locked),
        }
    }

    /// Keeps a version for all bases of the same repository and requirement.
    pub fn keep(&mut self, base: &RepositoryBase, pin: &Pin) {
        let key = (base.url.clone(), base.requirement.as_str().to_owned());
        self.chosen.insert(key, pin.clone());
    }
}

/// The bases of a manifest and those of its bases, lowest first. Mistakes go to the notes; one that cannot be had is a
/// failure.
pub fn load_bases(
    rules: BaseRules<'_>,
    reader: &mut dyn BaseReader,
    manifest: &Document,
    notes: &mut Notes,
) -> Result<Vec<LoadedBase>, Failure> {
    // Problems with the URLs are reported with the rest of the manifest.
    let (references, _) = read_extends(manifest, rules.host);
    if references.is_empty() {
        return refuse_other_bases(rules, Vec::new());
    }
    let start_base = NamedBase {
        address: BaseAddress::Directory(".".to_owned()),
        spot: None,
        depth: 0,
        files: BTreeSet::new(),
    };
    let start = id_of(reader, &start_base.address);
    let mut loader = BaseLoader {
        reader,
        host: rules.host,
        notes,
        named: BTreeMap::from([(start.clone(), start_base)]),
        loaded: BTreeMap::new(),
        pins: BasePins::new(rules),
        manifest_bases: Some(references),
        failure: None,
    };
    let lineage = order(
        std::slice::from_ref(&start),
        ReferencePolicy::STRICT,
        &mut loader,
    );
    let BaseLoader {
        mut loaded,
        mut named,
        failure,
        ..
    } = loader;
    let found_before = notes.diagnostics.len();
    notes.diagnostics.extend(lineage.diagnostics);
    if let Some(failure) = failure {
        return Err(failure);
    }
    if has_errors(&notes.diagnostics[found_before..]) {
        return Err(Failure::reported());
    }
    let order = lineage.order.iter();
    let mut bases: Vec<LoadedBase> = Vec::new();
    for id in order {
        let Some(mut base) = loaded.remove(id) else {
            continue;
        };
        base.named_in = named
            .remove(id)
            .map(|named| named.files)
            .unwrap_or_default();
        bases.push(base);
    }
    let programs = bases
        .iter()
        .flat_map(|base| refused_programs(&base.document));
    let programs: Vec<Diagnostic> = programs.collect();
    if !programs.is_empty() {
        notes.diagnostics.extend(programs);
        return Err(Failure::reported_as(FailureKind::Refused));
    }
    refuse_other_bases(rules, bases)
}

/// If the lockfile alone decides, it must have exactly these bases.
fn refuse_other_bases(
    rules: BaseRules<'_>,
    bases: Vec<LoadedBase>,
) -> Result<Vec<LoadedBase>, Failure> {
    let (BaseVersions::Locked, Some(lock)) = (rules.versions, rules.lock) else {
        return Ok(bases);
    };
    let is_locked = |base: &&LoadedBase| lock.bases.contains(&base.locked);
    let is_used = |locked: &&LockedBase| bases.iter().any(|base| base.locked == **locked);
    let changed = bases.iter().find(|base| !is_locked(base));
    let changed =
        changed.map(|base| format!("{} differs from the lockfile", base.locked.name().label()));
    let removed = lock.bases.iter().find(|locked| !is_used(locked));
    let removed = removed.map(|locked| format!("{} is not in the manifest", locked.name().label()));
    match changed.or(removed) {
        Some(difference) => Err(outdated_lock(difference)),
        None => Ok(bases),
    }
}

/// The identity of a base.
fn id_of(reader: &dyn BaseReader, address: &BaseAddress) -> BaseId {
    match address {
        BaseAddress::Directory(path) => BaseId(reader.identity(path)),
        BaseAddress::Repository(_) => BaseId(address.to_string()),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct BaseId(String);

/// A base that something names.
struct NamedBase {
    address: BaseAddress,
    /// The entry of `extends`; `None` for the project.
    spot: Option<SourceSpan>,
    /// The number of bases above it.
    depth: usize,
    /// The files of all entries.
    files: BTreeSet<SourceId>,
}

struct BaseLoader<'a, 'n> {
    reader: &'a mut dyn BaseReader,
    host: &'a DefaultHost,
    notes: &'n mut Notes,
    named: BTreeMap<BaseId, NamedBase>,
    loaded: BTreeMap<BaseId, LoadedBase>,
    pins: BasePins<'a>,
    /// The bases that the manifest itself names, until they are requested.
    manifest_bases: Option<Vec<BaseReference>>,
    failure: Option<Failure>,
}

impl DocumentGraph for BaseLoader<'_, '_> {
    type Id = BaseId;

    fn parents(&mut self, id: &BaseId) -> Result<Vec<BaseId>, UnavailableReason> {
        if let Some(references) = self.manifest_bases.take() {
            return Ok(self.record_references(references, 1));
        }
        let named_base = self.named.get(id).ok_or(UnavailableReason::Missing)?;
        let (address, spot, depth) = (
            named_base.address.clone(),
            named_base.spot,
            named_base.depth,
        );
        if depth > LONGEST_CHAIN {
            return Err(UnavailableReason::Refused);
        }
        match self.load(&address, spot) {
            Ok((base, references)) => {
                self.loaded.insert(id.clone(), base);
                Ok(self.record_references(references, depth + 1))
            }
            Err(mut failure) => {
                let at_entry = |found: Diagnostic| match spot {
                    Some(spot) if found.labels.is_empty() => found.at_spot(spot),
                    _ => found,
                };
                failure.diagnostic = failure.diagnostic.map(at_entry);
                self.failure.get_or_insert(failure);
                Err(UnavailableReason::Malformed)
            }
        }
    }

    fn describe(&mut self, flaw: &ReferenceFailure<BaseId>) -> Option<Diagnostic> {
        let names = flaw.chain.iter().map(|id| self.name_of(id));
        let chain = names.collect::<Vec<_>>().join(" -> ");
        let (code, message, help) = match flaw.kind {
            ReferenceFailureKind::Cyclic => (
                &codes::BASE_CYCLE,
                "a base extends itself".to_owned(),
                "remove one of these from an `extends`",
            ),
            ReferenceFailureKind::Refused => (
                &codes::BASE_CHAIN,
                format!("a chain of bases has more than {LONGEST_CHAIN}"),
                "list several bases in one `extends` instead",
            ),
            ReferenceFailureKind::Missing | ReferenceFailureKind::Malformed => return None,
        };
        let diagnostic = Diagnostic::new(code, message).detail(chain).help(help);
        let spot = flaw.chain.last().and_then(|id| self.named.get(id)?.spot);
        Some(match spot {
            Some(spot) => diagnostic.at_spot(spot),
            None => diagnostic,
        })
    }
}

impl BaseLoader<'_, '_> {
    fn name_of(&self, id: &BaseId) -> String {
        let base = self.named.get(id);
        base.map_or_else(String::new, |base| base.address.to_string())
    }

    fn record_references(&mut self, references: Vec<BaseReference>, depth: usize) -> Vec<BaseId> {
        let mut ids = Vec::new();
        for BaseReference { address, spot } in references {
            let address = self.reader.with_version(address);
            let id = id_of(self.reader, &address);
            let base = NamedBase {
                address,
                spot: Some(spot),
                depth,
                files: BTreeSet::from([spot.source]),
            };
            // The entry that closes a cycle is the one to show.
            match self.named.get_mut(&id) {
                Some(existing) => {
                    existing.spot = existing.spot.or(base.spot);
                    existing.files.extend(base.files);
                }
                None => drop(self.named.insert(id.clone(), base)),
            }
            ids.push(id);
        }
        ids
    }

    fn load(
        &mut self,
        address: &BaseAddress,
        spot: Option<SourceSpan>,
    ) -> Result<(LoadedBase, Vec<BaseReference>), Failure> {
        let reader = &mut *self.reader;
        let BaseFile {
            name,
            bytes,
            root,
            pin,
        } = reader.read(address, spot, &mut self.pins, self.notes)?;
        let checksum = Checksum::of(&bytes);
        let found_before = self.notes.diagnostics.len();
        let document = document_of(name, bytes, Format::Toml, self.notes)?;
        if has_errors(&self.notes.diagnostics[found_before..]) {
            return Err(Failure::reported());
        }
        let (references, _) = read_extends(&document, self.host);
        let references = references
            .into_iter()
            .map(|reference| seen_from(reference, &root, address))
            .collect::<Result<Vec<_>, _>>()?;
        let directory = match &root {
            BaseRoot::Directory(directory) | BaseRoot::Snapshot { directory, .. } => directory,
        };
        let locked = LockedBase {
            directory: directory.clone(),
            pin,
            checksum,
        };
        let base = LoadedBase {
            address: address.clone(),
            document,
            root,
            locked,
            named_in: BTreeSet::new(),
        };
        Ok((base, references))
    }
}

/// A base as another one names it: its relative paths start there.
fn seen_from(
    reference: BaseReference,
    root: &BaseRoot,
    parent: &BaseAddress,
) -> Result<BaseReference, Failure> {
    let BaseReference { address, spot } = reference;
    let is_local = match &address {
        BaseAddress::Directory(path) => !is_relative(path),
        BaseAddress::Repository(base) => base.url.is_local() && !is_relative_url(&base.url),
    };
    if root.is_remote() && is_local {
        return Err(Failure::new(FailureKind::Refused, local_path_of_base(spot)));
    }
    let address = match (address, root, parent) {
        (BaseAddress::Directory(path), BaseRoot::Directory(directory), _) if is_relative(&path) => {
            BaseAddress::Directory(plain_path(&format!("{directory}/{path}")))
        }
        (
            BaseAddress::Directory(path),
            BaseRoot::Snapshot { directory, .. },
            BaseAddress::Repository(parent),
        ) if is_relative(&path) => {
            let inner = joined_path(directory, &path).ok_or_else(|| {
                let message = "this path leads out of the repository of its base";
                let help = "use a path inside that repository, or the URL of another one";
                Diagnostic::new(&codes::MANIFEST_ESCAPE, message)
                    .at_spot(spot)
                    .help(help)
            })?;
            BaseAddress::Repository(RepositoryBase {
                directory: inner,
                ..parent.clone()
            })
        }
        (address, ..) => address,
    };
    Ok(BaseReference { address, spot })
}

fn is_relative(path: &str) -> bool {
    !path.starts_with(['/', '~'])
}

fn is_relative_url(url: &SourceAddress) -> bool {
    matches!(url.kind(), AddressKind::Directory(path) if is_relative(path))
}

/// A path without `.` and with `..` only at its beginning.
pub fn plain_path(path: &str) -> String {
    ResourcePath::local(path).map_or_else(|_| ".".to_owned(), |path| path.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use agpm_model::{PinSource, Revision, VersionLabel};
    use agpm_text::parse_alone;

    /// Manifests by their URLs; one in a repository has the pin that was chosen, or version 2.
    struct MemoryBases(BTreeMap<&'static str, &'static str>);

    fn pin(base: &RepositoryBase, version: &str) -> Pin {
        let digits = version.trim_start_matches('v').repeat(40);
        Pin {
            source: PinSource::Address(base.url.redacted().to_owned()),
            requirement: Some(base.requirement.as_str().to_owned()),
            version: VersionLabel::new(version),
            commit: digits.parse::<Revision>().expect("a commit"),
        }
    }

    impl BaseReader for MemoryBases {
        fn identity(&self, directory: &str) -> String {
            plain_path(directory)
        }

        fn with_version(&self, address: BaseAddress) -> BaseAddress {
            address
        }

        fn read(
            &mut self,
            address: &BaseAddress,
            _: Option<SourceSpan>,
            pins: &mut BasePins<'_>,
            _: &mut Notes,
        ) -> Result<BaseFile, Failure> {
            let (root, pin) = match address {
                BaseAddress::Directory(path) => (BaseRoot::Directory(plain_path(path)), None),
                BaseAddress::Repository(base) => {
                    let chosen = pins.choose(&address.name(), base)?;
                    let pin = chosen.unwrap_or_else(|| pin(base, "v2"));
                    pins.keep(base, &pin);
                    let root = BaseRoot::Snapshot {
                        url: base.url.clone(),
                        directory: base.directory.clone(),
                        commit: pin.commit.clone(),
                    };
                    (root, Some(pin))
                }
            };
            let name = address.to_string();
            let text = self.0.get(name.as_str()).copied().unwrap_or_default();
            Ok(BaseFile {
                bytes: text.as_bytes().to_vec(),
                name,
                root,
                pin,
            })
        }
    }

    struct Loaded {
        bases: Result<Vec<LoadedBase>, Failure>,
        codes: Vec<&'static str>,
    }

    impl Loaded {
        fn names(&self) -> Vec<String> {
            let bases = self.bases.as_deref().unwrap_or_default();
            bases.iter().map(|base| base.address.to_string()).collect()
        }
    }

    fn load(
        manifest: &str,
        files: &[(&'static str, &'static str)],
        lock: Option<&Lockfile>,
        versions: BaseVersions<'_>,
    ) -> Loaded {
        let mut notes = Notes::default();
        let rules = BaseRules {
            host: &DefaultHost::default(),
            lock,
            versions,
        };
        let document = parse_alone(manifest, Format::Toml).document;
        let mut reader = MemoryBases(files.iter().copied().collect());
        let bases = load_bases(rules, &mut reader, &document, &mut notes);
        let codes = notes.diagnostics.iter().map(|found| found.code.name);
        Loaded {
            bases,
            codes: codes.collect(),
        }
    }

    const STAY: BaseVersions<'_> = BaseVersions::Pinned(&UpdateScope::Nothing);
    const MOVE: BaseVersions<'_> = BaseVersions::Pinned(&UpdateScope::Everything);

    #[test]
    fn a_base_of_a_base_ranks_below_it_and_its_paths_start_there() {
        let files = [("../team", "extends = \"../org\"\n"), ("../org", "")];
        let loaded = load("extends = \"../team\"\n", &files, None, STAY);
        assert_eq!(loaded.names(), ["../org", "../team"]);
    }

    #[test]
    fn a_base_that_extends_itself_is_reported() {
        let files = [
            ("../a", "extends = \"../b\"\n"),
            ("../b", "extends = \"../a\"\n"),
        ];
        let loaded = load("extends = \"../a\"\n", &files, None, STAY);
        assert!(loaded.bases.is_err());
        assert_eq!(loaded.codes, [codes::BASE_CYCLE.name]);
    }

    #[test]
    fn a_locked_version_stays_until_it_is_let_go() {
        let manifest = "extends = \"https://host/org/base.git@>=1\"\n";
        let version = |lock: Option<&Lockfile>, versions| {
            let bases = load(manifest, &[], lock, versions).bases.ok()?;
            Some((
                bases[0].locked.clone(),
                bases[0].locked.pin.clone()?.version.to_string(),
            ))
        };
        let (mut locked, newest) = version(None, STAY).expect("a base");
        assert_eq!(newest, "v2");
        let pin = locked.pin.as_mut().expect("a pin");
        pin.version = VersionLabel::new("v1");
        pin.commit = "1".repeat(40).parse().expect("a commit");
        let lock = Lockfile {
            bases: vec![locked],
            ..Lockfile::default()
        };
        let now = |versions| version(Some(&lock), versions).map(|(_, version)| version);
        assert_eq!(now(STAY).as_deref(), Some("v1"));
        assert_eq!(now(BaseVersions::Locked).as_deref(), Some("v1"));
        assert_eq!(now(MOVE).as_deref(), Some("v2"));
        let unlocked = Lockfile::default();
        assert!(version(Some(&unlocked), BaseVersions::Locked).is_none());
    }

    #[test]
    fn a_lockfile_that_must_not_change_has_exactly_the_bases() {
        let files = [("../team", "")];
        let loaded = load("extends = \"../team\"\n", &files, None, STAY);
        let bases = loaded.bases.expect("a base");
        let lock = Lockfile {
            bases: bases.into_iter().map(|base| base.locked).collect(),
            ..Lockfile::default()
        };
        let is_accepted = |manifest: &str, team: &'static str| {
            let files = [("../team", team)];
            let loaded = load(manifest, &files, Some(&lock), BaseVersions::Locked);
            loaded.bases.is_ok()
        };
        assert!(is_accepted("extends = \"../team\"\n", ""));
        assert!(!is_accepted("extends = \"../team\"\n", "[agents]\n"));
        assert!(!is_accepted("", ""));
    }
}
