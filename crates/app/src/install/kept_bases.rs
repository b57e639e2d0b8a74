//! The bytes that agpm wrote, kept under its state as bases of later merges.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::has_errors;
use agpm_merge::is_mergeable;
use agpm_model::{Checksum, RelativePath};
use agpm_plan::{
    BaseNumber, BasePack, DesiredState, KeptBytes, KeptValues, Ledger, NodeSum, base_in_pack,
};
use agpm_store::ProjectStore;
use agpm_text::{Format, Value, parse_alone, to_value};

use crate::project::reading::limit;

/// Larger files are not worth a merge.
const LARGEST_BASE: usize = 4 << 20;
/// With more files of kept bytes than this, they become one: a file stays as long as one of its bases is needed.
const MOST_BASE_FILES: usize = 32;

/// Reads kept bytes, each file once.
pub(crate) struct BaseReader<'s> {
    store: &'s ProjectStore,
    files: BTreeMap<BaseNumber, Option<Vec<u8>>>,
}

impl<'s> BaseReader<'s> {
    pub(crate) fn new(store: &'s ProjectStore) -> Self {
        BaseReader {
            store,
            files: BTreeMap::new(),
        }
    }

    /// The kept bytes; `None` if they are lost, which is not an error: then the file cannot be merged.
    pub(crate) fn read(&mut self, kept: KeptBytes) -> Option<&[u8]> {
        let number = kept.base?;
        let store = self.store;
        let file = self.files.entry(number).or_insert_with(|| {
            let path = store.base_file(number.0);
            store.read(&path, limit()).ok()
        });
        base_in_pack(file.as_deref()?, kept.checksum)
    }

    /// The kept value of an entry of a shared file, by its sum.
    pub(crate) fn read_value(&mut self, kept: KeptValues, sum: NodeSum) -> Option<Value> {
        let values = self.read_values(kept)?;
        let value = values.get(&sum.to_string())?.clone();
        // A base with another value would merge changes that nobody made.
        (NodeSum::of(&value) == sum).then_some(value)
    }

    fn read_values(&mut self, kept: KeptValues) -> Option<Value> {
        let KeptValues { checksum, base } = kept;
        let base = Some(base);
        value_of(self.read(KeptBytes { checksum, base })?)
    }
}

/// The changes of the files of kept bytes.
#[derive(Clone, Debug, Default)]
pub struct BaseChanges {
    /// The new file.
    pub written: Option<(RelativePath, Vec<u8>)>,
    /// The files that nothing needs any more.
    pub removed: Vec<RelativePath>,
}

/// Keeps the bytes of every managed text file that the ledger describes and that are not kept yet, and those of the
/// sides of new conflicts, which `sides` has.
pub(crate) fn keep_bases(
    store: &ProjectStore,
    desired: &DesiredState<'_>,
    sides: &BTreeMap<Checksum, Vec<u8>>,
    before: &Ledger,
    ledger: &mut Ledger,
) -> BaseChanges {
    let existing: BTreeSet<BaseNumber> = store.base_numbers().into_iter().map(BaseNumber).collect();
    let needed = ledger.needed_bases();
    let last = existing.iter().chain(&needed).max();
    let number = BaseNumber(last.map_or(1, |last| last.0.saturating_add(1)));
    let shared = keep_shared(store, desired, before, ledger, number);
    let mut pack = BasePack::default();
    for (checksum, bytes) in &shared {
        pack.add(*checksum, bytes);
    }
    for (path, owned) in &mut ledger.files {
        if owned.base.is_none()
            && let Some(file) = desired.file_at(path)
            && file.checksum == owned.checksum
            && file.bytes.len() <= LARGEST_BASE
            && is_mergeable(&file.bytes)
        {
            pack.add(owned.checksum, &file.bytes);
            owned.base = Some(number);
        }
        let Some(conflict) = &mut owned.conflict else {
            continue;
        };
        if conflict.mine_base.is_none()
            && let Some(bytes) = sides.get(&conflict.mine)
        {
            pack.add(conflict.mine, bytes);
            conflict.mine_base = Some(number);
        }
        if conflict.next.base.is_none()
            && let Some(bytes) = sides.get(&conflict.next.checksum)
        {
            pack.add(conflict.next.checksum, bytes);
            conflict.next.base = Some(number);
        }
    }
    let mut reader = BaseReader::new(store);
    let mut joined: BTreeMap<Checksum, Vec<u8>> = BTreeMap::new();
    if needed.len() > MOST_BASE_FILES && !pack.is_empty() {
        join_bases(ledger, number, &mut reader, &mut joined);
    }
    for (checksum, bytes) in &joined {
        pack.add(*checksum, bytes);
    }
    BaseChanges {
        written: (!pack.is_empty()).then(|| (store.base_file(number.0), pack.to_bytes())),
        removed: unneeded_bases(store, ledger),
    }
}

/// Records where the values of entries and the content of blocks are kept; those that are not yet go into a new file.
fn keep_shared(
    store: &ProjectStore,
    desired: &DesiredState<'_>,
    before: &Ledger,
    ledger: &mut Ledger,
    number: BaseNumber,
) -> BTreeMap<Checksum, Vec<u8>> {
    let mut new = BTreeMap::new();
    let mut reader = BaseReader::new(store);
    for (path, owned) in &mut ledger.shared {
        let old = before.shared.get(path);
        let kept = old.and_then(|old| old.values);
        if kept.is_some() && old.is_some_and(|old| old.nodes == owned.nodes) {
            owned.values = kept;
            continue;
        }
        let wanted = desired.node_values(path);
        let earlier = kept.and_then(|kept| reader.read_values(kept));
        let mut values: BTreeMap<String, Value> = BTreeMap::new();
        for node in &owned.nodes {
            let sum = node.checksum.to_string();
            let known = || earlier.as_ref()?.get(&sum).cloned();
            let value = wanted.get(&node.checksum).map(|value| (*value).clone());
            if let Some(value) = value.or_else(known) {
                values.insert(sum, value);
            }
        }
        let text = Value::map(values).to_json().into_bytes();
        let checksum = Checksum::of(&text);
        owned.values = match kept {
            _ if text.len() > LARGEST_BASE => None,
            Some(kept) if kept.checksum == checksum => Some(kept),
            _ => {
                new.insert(checksum, text);
                let base = number;
                Some(KeptValues { checksum, base })
            }
        };
    }
    for (path, owned) in &mut ledger.blocks {
        for block in owned.blocks.iter_mut().filter(|block| block.base.is_none()) {
            let text = desired.block_text(path, &block.name);
            if let Some(text) = text
                && Checksum::of(text.as_bytes()) == block.checksum
                && text.len() <= LARGEST_BASE
            {
                new.insert(block.checksum, text.as_bytes().to_vec());
                block.base = Some(number);
            }
        }
    }
    new
}

/// The files of kept bytes that a ledger does not need.
pub(crate) fn unneeded_bases(store: &ProjectStore, ledger: &Ledger) -> Vec<RelativePath> {
    let needed = ledger.needed_bases();
    let existing = store.base_numbers().into_iter();
    let unneeded = existing.filter(|one| !needed.contains(&BaseNumber(*one)));
    unneeded.map(|one| store.base_file(one)).collect()
}

/// Moves everything that is kept in older files into the new one.
fn join_bases(
    ledger: &mut Ledger,
    number: BaseNumber,
    reader: &mut BaseReader<'_>,
    joined: &mut BTreeMap<Checksum, Vec<u8>>,
) {
    let mut move_base = |checksum: Checksum, base: &mut Option<BaseNumber>| {
        if base.is_none_or(|base| base == number) {
            return;
        }
        let kept = KeptBytes {
            checksum,
            base: *base,
        };
        *base = reader.read(kept).map(|bytes| {
            joined.insert(checksum, bytes.to_vec());
            number
        });
    };
    for owned in ledger.files.values_mut() {
        move_base(owned.checksum, &mut owned.base);
        if let Some(conflict) = &mut owned.conflict {
            move_base(conflict.mine, &mut conflict.mine_base);
            move_base(conflict.next.checksum, &mut conflict.next.base);
        }
    }
    for block in ledger
        .blocks
        .values_mut()
        .flat_map(|owned| &mut owned.blocks)
    {
        move_base(block.checksum, &mut block.base);
    }
    for kept in ledger.shared.values_mut().map(|owned| &mut owned.values) {
        let Some(values) = *kept else {
            continue;
        };
        let mut base = Some(values.base);
        move_base(values.checksum, &mut base);
        *kept = base.map(|base| KeptValues { base, ..values });
    }
}

/// A JSON text as a value.
pub(crate) fn value_of(bytes: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(bytes).ok()?;
    let parsed = parse_alone(text, Format::Json);
    let is_valid = !has_errors(&parsed.diagnostics);
    parsed.document.root().map(to_value).filter(|_| is_valid)
}
