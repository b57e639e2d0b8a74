//! Which keys several maps have, and what each of them says there.

use std::hash::BuildHasher;

use agpm_text::NodeRef;
use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::fold::Said;

/// Keys with the layer that had them first, and for each key a row of what every map says there.
pub(crate) type Groups<'a> = (Vec<(NodeRef<'a>, u32)>, Vec<Option<NodeRef<'a>>>);

pub(crate) fn group<'a>(maps: &[Said<'a>]) -> Groups<'a> {
    let width = maps.len();
    let mut keys = Keys { list: Vec::with_capacity(maps[0].node.len()), index: None };
    let mut members: Vec<Option<NodeRef<'a>>> = Vec::with_capacity(maps[0].node.len() * width);
    for (column, map) in maps.iter().enumerate() {
        for (at, (key, value)) in map.node.entries().enumerate() {
            let found = if column == 0 { None } else { keys.find(at, key.content()) };
            let row = found.unwrap_or_else(|| {
                members.resize(members.len() + width, None);
                keys.push(key, map.layer)
            });
            members[row * width + column] = Some(value);
        }
    }
    (keys.list, members)
}

/// Keys in the order of first appearance. Few are searched in order; for many an index is made once it is needed.
struct Keys<'a> {
    list: Vec<(NodeRef<'a>, u32)>,
    index: Option<HashTable<u32>>,
}

impl<'a> Keys<'a> {
    const FEW: usize = 8;

    /// `guess` is where the key stands if the layers keep one order.
    fn find(&mut self, guess: usize, key: &str) -> Option<usize> {
        if self.list.get(guess).is_some_and(|(known, _)| known.content() == key) {
            return Some(guess);
        }
        if self.list.len() <= Keys::FEW {
            return self.list.iter().position(|(known, _)| known.content() == key);
        }
        if self.index.is_none() {
            let mut index = HashTable::with_capacity(self.list.len());
            (0..self.list.len()).for_each(|at| insert(&mut index, &self.list, at));
            self.index = Some(index);
        }
        let found = self.index.as_ref()?.find(hash(key), |at| self.list[*at as usize].0.content() == key);
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
