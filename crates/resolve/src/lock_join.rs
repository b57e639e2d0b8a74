//! Joins two lockfiles that came from one, as a merge of two branches leaves them.
//!
//! Pure: what the merged manifest allows and how commits are related is asked through a port.

use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{
    BaseName, CatalogRemote, LayerName, LockEntry, LockedBase, LockedCapabilitySet, LockedLayer,
    LockedRemote, LockedSource, Lockfile, Pin, PinId, ResourceId, SourceName,
};

/// The lockfiles of two branches, and of their common ancestor if it is known.
#[derive(Clone, Copy, Debug)]
pub struct LockSides<'l> {
    /// The common ancestor.
    pub base: Option<&'l Lockfile>,
    /// The branch that is merged into.
    pub ours: &'l Lockfile,
    /// The branch that is merged.
    pub theirs: &'l Lockfile,
}

/// The facts that decide between two pins.
pub trait JoinFacts {
    /// Whether the merged manifest allows a pin; the match of a pattern has the id of the pattern. A pin that only other
    /// resources require is allowed, because the resolution that follows decides it.
    fn allows(&self, id: &PinId, pin: &Pin) -> bool;

    /// Whether the commit of a pin is an ancestor of the other one's; `None` if it is unknown.
    fn is_ancestor(&self, pin: &Pin, of: &Pin) -> Option<bool>;
}

/// A lockfile out of two.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JoinedLock {
    /// The joined lockfile.
    pub lock: Lockfile,
    /// The pins that differed, by id.
    pub joined: Vec<JoinedPin>,
    /// The ids for which neither pin is better. The lockfile has one of them, which must be resolved again.
    pub open: BTreeSet<PinId>,
}

/// A pin that both sides have at different versions.
#[derive(Clone, Debug, PartialEq)]
pub struct JoinedPin {
    /// The id.
    pub id: PinId,
    /// The pin of the first side.
    pub ours: Pin,
    /// The pin of the second side.
    pub theirs: Pin,
    /// The result.
    pub choice: PinChoice,
}

/// The pin that a join keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PinChoice {
    /// The pin of the first side.
    Ours,
    /// The pin of the second side.
    Theirs,
    /// Neither: it is resolved again.
    Neither,
}

/// A table of a lockfile that both sides can have.
trait LockedTable: Clone + PartialEq {
    type Key: Ord + Clone;

    fn key(&self) -> Self::Key;

    fn pin(&self) -> Option<(PinId, &Pin)> {
        None
    }

    /// The id that the manifest has a requirement for.
    fn declared_id(&self) -> Option<PinId> {
        self.pin().map(|(id, _)| id)
    }

    fn capabilities(&self) -> Option<&LockedCapabilitySet> {
        None
    }

    /// Whether the pins of two tables can be compared.
    fn is_comparable(&self, other: &Self) -> bool {
        match (self.pin(), other.pin()) {
            (Some((_, pin)), Some((_, other))) => pin.source == other.source,
            _ => false,
        }
    }
}

impl LockedTable for LockEntry {
    type Key = (agpm_model::ResourceType, agpm_model::ResourceName);

    fn key(&self) -> Self::Key {
        (self.kind, self.name.clone())
    }

    fn pin(&self) -> Option<(PinId, &Pin)> {
        let id: ResourceId = self.id();
        self.pin.as_ref().map(|pin| (PinId::Resource(id), pin))
    }

    fn declared_id(&self) -> Option<PinId> {
        Some(PinId::Resource(ResourceId {
            kind: self.kind,
            name: self.manifest_key().clone(),
        }))
    }

    fn capabilities(&self) -> Option<&LockedCapabilitySet> {
        Some(&self.capabilities)
    }

    fn is_comparable(&self, other: &Self) -> bool {
        self.unit == other.unit
    }
}

impl LockedTable for LockedLayer {
    type Key = LayerName;

    fn key(&self) -> Self::Key {
        self.name.clone()
    }

    fn pin(&self) -> Option<(PinId, &Pin)> {
        let pin = self.pin.as_ref()?;
        Some((PinId::Layer(self.name.clone()), pin))
    }

    fn capabilities(&self) -> Option<&LockedCapabilitySet> {
        Some(&self.capabilities)
    }
}

impl LockedTable for LockedRemote {
    type Key = CatalogRemote;

    fn key(&self) -> Self::Key {
        self.remote().clone()
    }

    fn pin(&self) -> Option<(PinId, &Pin)> {
        Some((
            PinId::Remote(self.remote().clone()),
            LockedRemote::pin(self),
        ))
    }
}

impl LockedTable for LockedBase {
    type Key = BaseName;

    fn key(&self) -> Self::Key {
        self.name()
    }

    fn pin(&self) -> Option<(PinId, &Pin)> {
        let pin = self.pin.as_ref()?;
        Some((PinId::Base(self.name()), pin))
    }
}

impl LockedTable for LockedSource {
    type Key = SourceName;

    fn key(&self) -> Self::Key {
        self.name.clone()
    }
}

/// Joins two lockfiles. An entry that is equal, or that one side alone changed, stays; of two pins, the higher version
/// that the manifest allows stays.
pub fn join_locks(sides: &LockSides<'_>, facts: &dyn JoinFacts) -> JoinedLock {
    let mut join = LockJoin {
        facts,
        joined: Vec::new(),
        open: BTreeSet::new(),
    };
    let base = sides.base;
    let (ours, theirs) = (sides.ours, sides.theirs);
    let mut lock = Lockfile {
        bases: join.tables(base.map(|lock| &lock.bases), &ours.bases, &theirs.bases),
        sources: join.tables(
            base.map(|lock| &lock.sources),
            &ours.sources,
            &theirs.sources,
        ),
        layers: join.tables(base.map(|lock| &lock.layers), &ours.layers, &theirs.layers),
        catalog: join.tables(
            base.map(|lock| &lock.catalog),
            &ours.catalog,
            &theirs.catalog,
        ),
        entries: join.tables(
            base.map(|lock| &lock.entries),
            &ours.entries,
            &theirs.entries,
        ),
    };
    // The order of bases, layers and remotes is their rank, which the manifest decides again.
    lock.sources.sort_by(|a, b| a.name.cmp(&b.name));
    lock.entries
        .sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
    JoinedLock {
        lock,
        joined: join.joined,
        open: join.open,
    }
}

impl JoinedLock {
    /// The lockfile without what must be resolved again, for a reader that knows nothing else.
    pub fn settled_part(&self) -> Lockfile {
        let mut lock = self.lock.clone();
        lock.entries
            .retain(|entry| !self.open.contains(&PinId::Resource(entry.id())));
        lock.layers
            .retain(|layer| !self.open.contains(&PinId::Layer(layer.name.clone())));
        lock.catalog
            .retain(|locked| !self.open.contains(&PinId::Remote(locked.remote().clone())));
        lock.bases
            .retain(|base| !self.open.contains(&PinId::Base(base.name())));
        lock
    }
}

struct LockJoin<'f> {
    facts: &'f dyn JoinFacts,
    joined: Vec<JoinedPin>,
    open: BTreeSet<PinId>,
}

impl LockJoin<'_> {
    /// Joins the tables of one kind, in the order of the first side.
    fn tables<T: LockedTable>(
        &mut self,
        base: Option<&Vec<T>>,
        ours: &[T],
        theirs: &[T],
    ) -> Vec<T> {
        let before: BTreeMap<T::Key, &T> = by_key(base.map(Vec::as_slice).unwrap_or_default());
        let (left, right) = (by_key(ours), by_key(theirs));
        let mut result = Vec::new();
        for table in ours {
            let key = table.key();
            match right.get(&key) {
                Some(other) => {
                    result.push(self.table(before.get(&key).copied(), table, other));
                }
                // The other branch removed it, and this one left it as it was.
                None if before.get(&key) == Some(&table) => {}
                None => result.push(table.clone()),
            }
        }
        for table in theirs {
            let key = table.key();
            if !left.contains_key(&key) && before.get(&key) != Some(&table) {
                result.push(table.clone());
            }
        }
        result
    }

    fn table<T: LockedTable>(&mut self, base: Option<&T>, ours: &T, theirs: &T) -> T {
        // A change of one branch alone is not a conflict, also where it lowers a version.
        if ours == theirs || base == Some(theirs) {
            return ours.clone();
        }
        if base == Some(ours) {
            return theirs.clone();
        }
        match self.choose(ours, theirs) {
            PinChoice::Ours => ours.clone(),
            PinChoice::Theirs => theirs.clone(),
            PinChoice::Neither => wider(ours, theirs).clone(),
        }
    }

    fn choose<T: LockedTable>(&mut self, ours: &T, theirs: &T) -> PinChoice {
        let (Some((id, our_pin)), Some((_, their_pin))) = (ours.pin(), theirs.pin()) else {
            return wider_side(ours, theirs);
        };
        if is_same_version(our_pin, their_pin) && ours.is_comparable(theirs) {
            return wider_side(ours, theirs);
        }
        let is_allowed = |table: &T, pin: &Pin| {
            let declared = table.declared_id();
            self.facts.allows(declared.as_ref().unwrap_or(&id), pin)
        };
        let choice = match (is_allowed(ours, our_pin), is_allowed(theirs, their_pin)) {
            (true, false) => PinChoice::Ours,
            (false, true) => PinChoice::Theirs,
            (false, false) => PinChoice::Neither,
            (true, true) if ours.is_comparable(theirs) => self.newer(our_pin, their_pin),
            (true, true) => PinChoice::Neither,
        };
        if choice == PinChoice::Neither {
            self.open.insert(id.clone());
        }
        self.joined.push(JoinedPin {
            id,
            ours: our_pin.clone(),
            theirs: their_pin.clone(),
            choice,
        });
        choice
    }

    /// The higher version; of branches, of commits and of a tag that moved, the one that has the other in its history.
    fn newer(&self, ours: &Pin, theirs: &Pin) -> PinChoice {
        let is_release = ours.version.prefix().is_some();
        if is_release
            && ours.version.prefix() == theirs.version.prefix()
            && ours.version != theirs.version
        {
            return if ours.version > theirs.version {
                PinChoice::Ours
            } else {
                PinChoice::Theirs
            };
        }
        if self.facts.is_ancestor(ours, theirs) == Some(true) {
            return PinChoice::Theirs;
        }
        if self.facts.is_ancestor(theirs, ours) == Some(true) {
            return PinChoice::Ours;
        }
        PinChoice::Neither
    }
}

fn by_key<T: LockedTable>(tables: &[T]) -> BTreeMap<T::Key, &T> {
    tables.iter().map(|table| (table.key(), table)).collect()
}

fn is_same_version(ours: &Pin, theirs: &Pin) -> bool {
    (&ours.source, &ours.version, &ours.commit) == (&theirs.source, &theirs.version, &theirs.commit)
}

/// Of two tables with one pin, the one whose capabilities include the other's: one branch approved them.
fn wider<'t, T: LockedTable>(ours: &'t T, theirs: &'t T) -> &'t T {
    if wider_side(ours, theirs) == PinChoice::Theirs {
        theirs
    } else {
        ours
    }
}

fn wider_side<T: LockedTable>(ours: &T, theirs: &T) -> PinChoice {
    let lines = |table: &T| match table.capabilities() {
        Some(LockedCapabilitySet::Listed(lines)) => lines.iter().cloned().collect(),
        _ => BTreeSet::new(),
    };
    let (our_lines, their_lines): (BTreeSet<String>, BTreeSet<String>) =
        (lines(ours), lines(theirs));
    if their_lines.len() > our_lines.len() && their_lines.is_superset(&our_lines) {
        PinChoice::Theirs
    } else {
        PinChoice::Ours
    }
}
