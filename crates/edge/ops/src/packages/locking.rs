//! Between the lockfile and the solver: pins out of it, and a new one out of the entries.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, Failure, Notes, Severity, codes};
use agpm_model::{
    CatalogRemote, Install, LayerName, Locked, LockedLayer, LockedRemote, LockedSource, Lockfile,
    Manifest, PatchScope, Pin, PinId, PinSource, RESTORE_LOCK, ResourceId, ResourceName, Source,
    SourceName, SourceScope, Unit,
};
use agpm_store::{Problem, ProjectStore, StoreError};
use agpm_text::Format;

use crate::gather::{has_conflict_markers, limit, parsed};
use crate::packages::facts::{PinState, SolverPin};
use crate::packages::made::Made;
use crate::packages::resolve::ResolvedEntry;
use crate::path_of;
use crate::world::{Environment, Scope};

pub(crate) use agpm_model::LOCK_NAME;

/// Which pins are let go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Moving {
    /// None: what is locked stays.
    Nothing,
    /// All of them.
    Everything,
    /// Those of these.
    Only(BTreeSet<PinId>),
}

impl Moving {
    /// Whether a layer may become another version.
    pub(crate) fn moves_layer(&self, layer: &LayerName) -> bool {
        self.moves(|| PinId::Layer(layer.clone()))
    }

    /// Whether a remote of the catalog may.
    pub(crate) fn moves_remote(&self, remote: &CatalogRemote) -> bool {
        self.moves(|| PinId::Remote(remote.without_secrets()))
    }

    fn moves(&self, one: impl FnOnce() -> PinId) -> bool {
        match self {
            Moving::Nothing => false,
            Moving::Everything => true,
            Moving::Only(named) => named.contains(&one()),
        }
    }
}

/// The lockfile and its text; nothing if there is none.
pub(crate) fn read_lock(
    environment: &Environment,
    store: &ProjectStore,
    notes: &mut Notes,
) -> Result<Option<(Lockfile, Vec<u8>)>, Failure> {
    let read = match environment.scope {
        Scope::Project => store.read(&path_of(LOCK_NAME), limit()),
        Scope::User => agpm_store::read(
            &environment.manifest_folder(store.path()).join(LOCK_NAME),
            limit(),
        ),
    };
    let bytes = match read {
        Err(StoreError {
            problem: Problem::NotFound,
            ..
        }) => return Ok(None),
        read => read.map_err(|error| error.seen_from(store.path()))?,
    };
    let parsed = parsed(LOCK_NAME.to_owned(), bytes.clone(), Format::Toml, notes)?;
    if let Some(first) = parsed
        .diagnostics
        .into_iter()
        .find(|found| found.severity == Severity::Error)
    {
        return Err(not_toml(first, &bytes).into());
    }
    let document = parsed.document;
    let (lock, diagnostics) = Lockfile::read(&document);
    notes.diagnostics.extend(diagnostics);
    notes.check()?;
    Ok(Some((lock, bytes)))
}

/// A lockfile that is no TOML is not for users to correct line by line.
fn not_toml(first: Diagnostic, bytes: &[u8]) -> Diagnostic {
    let (message, help) = if has_conflict_markers(bytes) {
        (
            "contains git merge conflict markers",
            "take one side, as with `git checkout --ours agpm.lock`, and run `agpm install`",
        )
    } else {
        ("is not valid TOML", RESTORE_LOCK)
    };
    let diagnostic =
        Diagnostic::new(&codes::LOCK_BROKEN, format!("`{LOCK_NAME}` {message}")).help(help);
    Diagnostic {
        labels: first.labels,
        ..diagnostic
    }
}

/// What is locked; whether a requirement still allows it is for the solver to see.
pub(crate) fn pins(
    manifest: &Manifest,
    lock: &Lockfile,
    moving: &Moving,
) -> BTreeMap<Unit, SolverPin> {
    let lock = &with_names_of(manifest, lock);
    let relocated = relocated_sources(manifest, lock);
    let mut pins = BTreeMap::new();
    let mut released: BTreeSet<&Unit> = BTreeSet::new();
    for locked in &lock.entries {
        let Some(locked_pin) = &locked.pin else {
            continue;
        };
        let moves = match moving {
            Moving::Nothing => false,
            Moving::Everything => true,
            Moving::Only(named) => is_named(named, locked),
        };
        let is_relocated = locked
            .unit
            .origin
            .source()
            .is_some_and(|source| relocated.contains(source));
        let state = match (moves, is_relocated) {
            (true, _) => PinState::Released,
            (false, true) => PinState::Relocated,
            (false, false) => PinState::Kept,
        };
        let pin = SolverPin::new(locked_pin, state);
        if moves {
            released.insert(&locked.unit);
            pins.insert(locked.unit.clone(), pin);
            continue;
        }
        if let (Some(pattern), Some(_)) = (&locked.pattern, &locked.manifest_alias) {
            let unit = Unit {
                path: pattern.clone(),
                ..locked.unit.clone()
            };
            pins.entry(unit).or_insert_with(|| pin.clone());
        }
        // A resource that is locked twice moves with either of them.
        if !released.contains(&locked.unit) {
            pins.insert(locked.unit.clone(), pin);
        }
    }
    pins
}

/// The sources that are locked with another URL than the manifest has.
pub(crate) fn relocated_sources<'l>(
    manifest: &Manifest,
    lock: &'l Lockfile,
) -> BTreeSet<&'l SourceName> {
    let has_moved = |locked: &&LockedSource| {
        let now = manifest
            .source(&locked.name)
            .map(|source| source.address.to_string());
        locked.url.is_some() && now.is_some() && locked.url != now
    };
    lock.sources
        .iter()
        .filter(has_moved)
        .map(|locked| &locked.name)
        .collect()
}

/// The lockfile with sources called as the manifest calls them now, where only the name changed.
pub(crate) fn with_names_of(manifest: &Manifest, lock: &Lockfile) -> Lockfile {
    let mut lock = lock.clone();
    for source in lock
        .sources
        .clone()
        .iter()
        .filter(|source| manifest.source(&source.name).is_none())
    {
        let same = |now: &&Source| source.url.as_deref() == Some(now.address.redacted());
        let Some(now) = manifest.sources.iter().find(same) else {
            continue;
        };
        lock.rename_source(&source.name, &now.name);
    }
    lock
}

fn is_named(named: &BTreeSet<PinId>, locked: &Locked) -> bool {
    let resource = |name: &&ResourceName| {
        PinId::Resource(ResourceId {
            kind: locked.kind,
            name: (*name).clone(),
        })
    };
    [&locked.name, locked.manifest_key()]
        .iter()
        .any(|name| named.contains(&resource(name)))
}

/// The lockfile of these entries.
pub(crate) fn lock_of(
    manifest: &Manifest,
    (entries, made): (&[ResolvedEntry], &[Made]),
    (layers, catalog): (Vec<LockedLayer>, Vec<LockedRemote>),
) -> Lockfile {
    let of_entries = entries
        .iter()
        .filter_map(|entry| entry.entry.unit.origin.source());
    let of_layers = layers
        .iter()
        .filter_map(|layer| layer.pin.as_ref()?.source.name());
    let of_remotes = catalog.iter().filter_map(|pin| pin.remote().source());
    let used: BTreeSet<&SourceName> = of_entries.chain(of_layers).chain(of_remotes).collect();
    let sources = used.into_iter().filter_map(|name| manifest.source(name));
    // A folder of the user's own says nothing to others.
    let shown =
        |source: &&Source| source.scope == SourceScope::Project || !source.address.is_local();
    let sources = sources.map(|source| LockedSource {
        name: source.name.clone(),
        url: Some(source)
            .filter(shown)
            .map(|source| source.address.to_string()),
    });
    let mut all: Vec<Locked> = entries
        .iter()
        .zip(made)
        .map(|(entry, made)| locked(manifest, entry, made))
        .collect();
    let references: Vec<String> = all.iter().map(Locked::reference).collect();
    for (locked, resolved) in all.iter_mut().zip(entries) {
        locked.dependencies = resolved
            .entry
            .needs
            .iter()
            .map(|need| references[*need].clone())
            .collect();
        locked.dependencies.sort();
    }
    Lockfile {
        sources: sources.collect(),
        layers,
        catalog,
        entries: all,
    }
}

/// One entry; what it needs is filled in when all have their names.
fn locked(manifest: &Manifest, resolved: &ResolvedEntry, made: &Made) -> Locked {
    let entry = &resolved.entry;
    let root = entry
        .root
        .and_then(|number| manifest.dependencies.get(number));
    let pattern = root.filter(|root| root.unit.path.is_pattern());
    let fields_of = |scope| {
        let fields = made.patched.iter().filter(|field| field.scope == scope);
        fields.map(|field| field.field.to_string()).collect()
    };
    let required = root.map_or_else(
        || Pin::join_requirements(resolved.wishes.iter().map(ToString::to_string)),
        |root| root.selector.to_string(),
    );
    let source = entry.unit.origin.source();
    let commit = resolved.version.commit.as_ref();
    let pin = source.zip(commit).map(|(source, commit)| Pin {
        source: PinSource::Named(source.clone()),
        requirement: Some(required),
        version: resolved.version.label.clone(),
        commit: commit.clone(),
    });
    Locked {
        kind: entry.kind,
        name: entry.name.clone(),
        manifest_alias: pattern.map(|root| root.name.clone()),
        pattern: pattern.map(|root| root.unit.path.clone()),
        unit: entry.unit.clone(),
        pin,
        checksum: Some(resolved.resource.checksum),
        installed_at: entry
            .target
            .clone()
            .filter(|_| entry.install == Install::Write),
        tool: Some(entry.tool.clone()),
        dependencies: Vec::new(),
        patches: made
            .patched
            .iter()
            .map(|field| field.field.to_string())
            .collect(),
        private_patches: fields_of(PatchScope::Private),
        install: entry.install,
    }
}
