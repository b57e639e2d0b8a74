//! Applies many edits to the value of a document at once.

use std::collections::HashMap;

use agpm_text::{Edit, Pointer, Value};

/// The value after the edits. All pointers refer to the value before any edit; no edit is inside another.
pub(super) fn after(value: Option<Value>, edits: &[Edit]) -> Option<Value> {
    let mut tree = EditBranch::default();
    edits.iter().for_each(|edit| tree.add(edit));
    tree.apply(value)
}

/// Edits grouped by their next step.
#[derive(Default)]
struct EditBranch<'e> {
    set: Option<&'e Value>,
    removed: bool,
    appended: Vec<&'e Value>,
    /// New items before this one, in reverse order.
    before: Vec<&'e Value>,
    below: HashMap<&'e str, EditBranch<'e>>,
    /// The steps in the order of the edits.
    order: Vec<&'e str>,
}

impl<'e> EditBranch<'e> {
    fn add(&mut self, edit: &'e Edit) {
        match edit {
            Edit::Set { at, value } => self.at(at).set = Some(value),
            Edit::Insert { at, value } => self.at(at).before.push(value),
            Edit::Remove { at } => self.at(at).removed = true,
            Edit::Append { to, value } => self.at(to).appended.push(value),
        }
    }

    fn at(&mut self, at: &'e Pointer) -> &mut Self {
        at.steps().iter().fold(self, |branch, step| {
            if !branch.below.contains_key(step.as_str()) {
                branch.order.push(step);
            }
            branch.below.entry(step).or_default()
        })
    }

    fn apply(mut self, value: Option<Value>) -> Option<Value> {
        if self.removed {
            return None;
        }
        if let Some(set) = self.set {
            return Some(set.clone());
        }
        match value {
            Some(Value::Map(entries)) => Some(self.apply_to_map(entries)),
            Some(Value::List(items)) => Some(self.apply_to_list(items)),
            None if !self.appended.is_empty() => Some(self.apply_to_list(Vec::new())),
            None if !self.order.is_empty() => Some(self.apply_to_map(Vec::new())),
            other => other,
        }
    }

    fn apply_to_map(&mut self, entries: Vec<(String, Value)>) -> Value {
        let mut out = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let value = match self.below.remove(key.as_str()) {
                Some(branch) => branch.apply(Some(value)),
                None => Some(value),
            };
            out.extend(value.map(|value| (key, value)));
        }
        for step in std::mem::take(&mut self.order) {
            let new = self
                .below
                .remove(step)
                .and_then(|branch| branch.apply(None));
            out.extend(new.map(|value| (step.to_owned(), value)));
        }
        Value::Map(out)
    }

    fn apply_to_list(&mut self, items: Vec<Value>) -> Value {
        let mut out = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().map(Some).chain([None]).enumerate() {
            let branch = self
                .below
                .remove(index.to_string().as_str())
                .unwrap_or_default();
            out.extend(branch.before.iter().rev().map(|value| (*value).clone()));
            out.extend(item.and_then(|item| branch.apply(Some(item))));
        }
        out.extend(self.appended.iter().map(|value| (*value).clone()));
        Value::List(out)
    }
}
