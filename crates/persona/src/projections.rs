use agpm_merge::{Resolution, projected};
use agpm_text::{NodeShape, Pointer, TreeView, Value};

use crate::policy::{TEXT, TITLED};

/// Sections, checklists and the like as plain text, each list under its key.
pub fn projections(resolution: &Resolution) -> Value {
    let lists = TITLED.iter().filter_map(|name| {
        let list = resolution.at(&Pointer::root().child(*name))?;
        let NodeShape::List(count) = list.shape() else {
            return None;
        };
        let lines = (0..count).flat_map(|at| projected(list.item(at), TEXT));
        Some((*name, Value::list(lines)))
    });
    Value::map(lists)
}
