//! Groups the values of several maps by key.

use std::hash::BuildHasher;

use agpm_text::NodeRef;
use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::contribution::LayerNode;

/// The keys of several maps in the order of first appearance, with their values.
pub(crate) struct KeyGroups<'a> {
    /// Keys with the first layer that has them.
    pub(crate) keys: Vec<(NodeRef<'a>, u32)>,
    /// The start of the values of each key, and the end of the last.
    starts: Vec<u32>,
    /// Values with the index of their map, by key and from low to high: as many as exist, however many maps and keys.
    values: Vec<(u32, NodeRef<'a>)>,
}

impl<'a> KeyGroups<'a> {
    /// The values of the maps at a key, lowest first, each with the index of its map.
    pub(crate) fn at(&self, key: usize) -> &[(u32, NodeRef<'a>)] {
        &self.values[self.starts[key] as usize..self.starts[key + 1] as usize]
    }
}

pub(crate) fn group<'a>(maps: &[LayerNode<'a>]) -> KeyGroups<'a> {
    let count = maps.iter().map(|map| map.node.len()).sum();
    let mut keys = KeyOrder {
        list: Vec::with_capacity(maps[0].node.len()),
        index: None,
    };
    // The key index of each value, in the order of the maps.
    let mut rows: Vec<u32> = Vec::with_capacity(count);
    let mut starts: Vec<u32> = Vec::with_capacity(maps[0].node.len() + 1);
    for (number, map) in maps.iter().enumerate() {
        for (at, (key, _)) in map.node.entries().enumerate() {
            let found = if number == 0 {
                None
            } else {
                keys.find(at, key.content())
            };
            let row = found.unwrap_or_else(|| {
                starts.push(0);
                keys.push(key, map.layer)
            });
            starts[row] += 1;
            rows.push(row as u32);
        }
    }
    let mut next = 0;
    for start in &mut starts {
        next += std::mem::replace(start, next);
    }
    let blank = maps[0];
    let mut values = vec![(0, blank.node); rows.len()];
    let mut row = rows.iter();
    for (number, map) in maps.iter().enumerate() {
        for (_, value) in map.node.entries() {
            let start = &mut starts[*row.next().expect("a row for each value") as usize];
            values[*start as usize] = (number as u32, value);
            *start += 1;
        }
    }
    // Each start has moved to its end, so they are shifted by one.
    starts.insert(0, 0);
    KeyGroups {
        keys: keys.list,
        starts,
        values,
    }
}

/// Keys in the order of first appearance. Few keys are searched linearly; for many an index is built on demand.
struct KeyOrder<'a> {
    list: Vec<(NodeRef<'a>, u32)>,
    index: Option<HashTable<u32>>,
}

impl<'a> KeyOrder<'a> {
    const FEW: usize = 8;

    /// `guess` is the index of the key if the layers have the same order.
    fn find(&mut self, guess: usize, key: &str) -> Option<usize> {
        if self
            .list
            .get(guess)
            .is_some_and(|(existing, _)| existing.content() == key)
        {
            return Some(guess);
        }
        if self.list.len() <= KeyOrder::FEW {
            return self
                .list
                .iter()
                .position(|(existing, _)| existing.content() == key);
        }
        if self.index.is_none() {
            let mut index = HashTable::with_capacity(self.list.len());
            (0..self.list.len()).for_each(|at| insert(&mut index, &self.list, at));
            self.index = Some(index);
        }
        let found = self
            .index
            .as_ref()?
            .find(hash(key), |at| self.list[*at as usize].0.content() == key);
        found.map(|at| *at as usize)
    }

    fn push(&mut self, key: NodeRef<'a>, layer: u32) -> usize {
        self.list.push((key, layer));
        let at = self.list.len() - 1;
        if let Some(index) = &mut self.index {
            insert(index, &self.list, at);
        }
        at
    }
}

fn hash(key: &str) -> u64 {
    FixedState::default().hash_one(key)
}

fn insert(index: &mut HashTable<u32>, keys: &[(NodeRef<'_>, u32)], at: usize) {
    let key_hash = |at: &u32| hash(keys[*at as usize].0.content());
    index.insert_unique(hash(keys[at].0.content()), at as u32, key_hash);
}
