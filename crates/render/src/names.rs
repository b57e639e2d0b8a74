//! Template variables in the engine's form: converted once, shared by many renders.

use std::sync::Arc;

use agpm_text::{NodeShape, TreeView, Value};
use minijinja::Value as Item;
use minijinja::value::{Enumerator, Object};

/// The names that a template can use; cheap to clone and to extend.
#[derive(Clone, Debug, Default)]
pub struct TemplateNames(Arc<NameMap>);

impl TemplateNames {
    /// The names of an object.
    pub fn new(value: &Value) -> Self {
        match value.shape() {
            NodeShape::Map(_) => TemplateNames(Arc::new(map(value))),
            _ => TemplateNames::default(),
        }
    }

    /// Adds a value at a path; missing maps on the way are created.
    #[must_use]
    pub fn with(&self, path: &[&str], value: &Value) -> Self {
        TemplateNames(Arc::new(self.0.with(path, item(value), longest(value))))
    }

    /// Adds other names at a path, which are shared and not copied.
    #[must_use]
    pub fn with_names(&self, path: &[&str], names: &TemplateNames) -> Self {
        TemplateNames(Arc::new(self.0.with(
            path,
            Item::from_dyn_object(Arc::clone(&names.0)),
            names.0.longest,
        )))
    }

    /// The length of the longest text in the names, in bytes.
    pub(crate) fn longest(&self) -> usize {
        self.0.longest
    }

    pub(crate) fn get(&self, key: &str) -> Option<Item> {
        self.0.get(key).cloned()
    }

    /// The keys of an object at a path; `None` if it does not exist.
    pub(crate) fn keys_at(&self, path: &[&str]) -> Option<Vec<String>> {
        let mut map = Arc::clone(&self.0);
        for step in path {
            map = map.get(step)?.downcast_object::<NameMap>()?;
        }
        Some(map.entries.iter().map(|(key, _)| key.to_string()).collect())
    }
}

/// Entries in their original order.
#[derive(Debug, Default)]
pub(crate) struct NameMap {
    entries: Vec<(Item, Item)>,
    /// Indices of the entries, ascending by key.
    sorted: Vec<u32>,
    /// The length of the longest text in it, in bytes.
    longest: usize,
}

impl NameMap {
    fn of(entries: Vec<(Item, Item)>, longest: usize) -> Self {
        let mut sorted: Vec<u32> = (0..).take(entries.len()).collect();
        sorted.sort_by_key(|at| entries[*at as usize].0.as_str());
        NameMap {
            entries,
            sorted,
            longest,
        }
    }

    fn index_of(&self, key: &str) -> Option<usize> {
        let key_at = |at: &u32| self.entries[*at as usize].0.as_str();
        let found = self
            .sorted
            .binary_search_by(|at| key_at(at).cmp(&Some(key)));
        found
            .ok()
            .map(|sorted_index| self.sorted[sorted_index] as usize)
    }

    fn get(&self, key: &str) -> Option<&Item> {
        self.index_of(key).map(|at| &self.entries[at].1)
    }

    /// A copy with another value at a path; only the maps on the way are new.
    fn with(&self, path: &[&str], value: Item, longest: usize) -> NameMap {
        let Some((step, rest)) = path.split_first() else {
            return value
                .downcast_object_ref::<NameMap>()
                .map(NameMap::copy)
                .unwrap_or_default();
        };
        let below = match rest {
            [] => value,
            rest => Item::from_object(self.child(step).with(rest, value, longest)),
        };
        let mut entries = self.entries.clone();
        match self.index_of(step) {
            Some(at) => entries[at].1 = below,
            None => entries.push((Item::from(*step), below)),
        }
        NameMap::of(entries, self.longest.max(longest))
    }

    fn child(&self, key: &str) -> NameMap {
        self.get(key)
            .and_then(|item| item.downcast_object_ref::<NameMap>())
            .map(NameMap::copy)
            .unwrap_or_default()
    }

    fn copy(&self) -> NameMap {
        NameMap {
            entries: self.entries.clone(),
            sorted: self.sorted.clone(),
            longest: self.longest,
        }
    }
}

impl Object for NameMap {
    fn get_value(self: &Arc<Self>, key: &Item) -> Option<Item> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Item> {
        self.get(key).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        let map = Arc::clone(self);
        Enumerator::RevIter(Box::new(
            (0..self.entries.len()).map(move |at| map.entries[at].0.clone()),
        ))
    }

    /// As in Tera; printing all names would have no bound.
    fn render(self: &Arc<Self>, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[object]")
    }
}

fn map(value: &Value) -> NameMap {
    let NodeShape::Map(count) = value.shape() else {
        return NameMap::default();
    };
    let entries = (0..count).map(|at| value.entry(at));
    let items = entries
        .map(|(key, value)| (Item::from(key), item(value)))
        .collect();
    NameMap::of(items, longest(value))
}

fn item(value: &Value) -> Item {
    match value.shape() {
        NodeShape::Null => Item::from(()),
        NodeShape::Bool(value) => Item::from(value),
        NodeShape::Integer(text) => text
            .parse::<i64>()
            .map_or_else(|_| Item::from(text), Item::from),
        NodeShape::Float(text) => text
            .parse::<f64>()
            .map_or_else(|_| Item::from(text), Item::from),
        NodeShape::String(text) | NodeShape::DateTime(text) => Item::from(text),
        NodeShape::List(count) => (0..count).map(|at| item(value.item(at))).collect(),
        NodeShape::Map(_) => Item::from_object(map(value)),
    }
}

/// The length of the longest text in a value; other values are short.
fn longest(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        // A list can be printed as a whole.
        Value::List(items) => items.iter().map(|item| longest(item) + 4).sum(),
        Value::Map(entries) => entries
            .iter()
            .map(|(key, value)| longest(value).max(key.len()))
            .max()
            .unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> TemplateNames {
        let inner = Value::map([("z", Value::from("1")), ("a", Value::from("22"))]);
        TemplateNames::new(&Value::map([("agpm", Value::map([("project", inner)]))]))
    }

    #[test]
    fn maps_keep_their_order_and_grow_without_losing_anything() {
        let names = names();
        let more = names.with(
            &["agpm", "deps", "agents"],
            &Value::map([("x", Value::from("333"))]),
        );
        let shared = more.with_names(
            &["agpm", "other"],
            &TemplateNames::new(&Value::map([("k", Value::from("4444"))])),
        );
        assert_eq!(
            shared.keys_at(&["agpm"]).unwrap_or_default(),
            ["project", "deps", "other"]
        );
        assert_eq!(
            shared.keys_at(&["agpm", "project"]).unwrap_or_default(),
            ["z", "a"]
        );
        assert_eq!(
            shared
                .keys_at(&["agpm", "deps", "agents"])
                .unwrap_or_default(),
            ["x"]
        );
        assert_eq!(names.keys_at(&["agpm"]).unwrap_or_default(), ["project"]);
        assert_eq!(
            [names.longest(), more.longest(), shared.longest()],
            [7, 7, 7]
        );
        let replaced = names.with(&["agpm", "project"], &Value::from("a text of 21 bytes..."));
        assert_eq!(
            (replaced.keys_at(&["agpm", "project"]), replaced.longest()),
            (None, 21)
        );
    }
}
