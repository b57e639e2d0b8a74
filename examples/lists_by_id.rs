//! A strategy of one's own: lists of maps with an `id` are merged item by item.
//!
//! Run it with `cargo run -p agpm-merge --example lists_by_id`.
#![allow(clippy::print_stdout, clippy::disallowed_macros)]

use std::sync::Arc;

use agpm_diag::SourceMap;
use agpm_merge::{Combination, Combine, Contribution, Place, Policy, Resolution, fold};
use agpm_model::{LayerName, Strategy};
use agpm_text::{Format, Kind, Limits, NodeRef, Pointer, parse, to_value};

/// Items with one `id` are one item, the highest layer's; the order is that of first appearance.
struct ListsById;

impl Combine for ListsById {
    fn combine(&self, place: &Place<'_>) -> Option<Combination<'_>> {
        let lists = place.contributions;
        if lists.iter().any(|list| list.kind() != Kind::List) {
            return None;
        }
        let mut ids: Vec<&str> = Vec::new();
        let mut items: Vec<Vec<(usize, usize)>> = Vec::new();
        for (layer, list) in lists.iter().enumerate() {
            for (index, item) in list.items().enumerate() {
                let id = item.get("id").and_then(NodeRef::as_str)?;
                match ids.iter().position(|known| *known == id) {
                    Some(at) => items[at].push((layer, index)),
                    None => {
                        ids.push(id);
                        items.push(vec![(layer, index)]);
                    }
                }
            }
        }
        Some(Combination::Items(items))
    }
}

const TEAM: &str = r#"{"servers": [{"id": "search", "port": 1}, {"id": "files", "port": 2}]}"#;
const PERSONAL: &str = r#"{"servers": [{"id": "files", "port": 3}, {"id": "notes", "port": 4}]}"#;

/// Both layers, folded.
fn merged() -> Resolution {
    let mut sources = SourceMap::default();
    let mut layer = |name: &str, text: &str| Contribution {
        layer: LayerName::new(name).expect("a good name"),
        document: Arc::new(
            parse(
                sources.add(name, text),
                text,
                Format::Json,
                Limits::default(),
            )
            .document,
        ),
    };
    let layers = vec![layer("team", TEAM), layer("personal", PERSONAL)];
    fold(
        layers,
        &Policy::merge(Strategy::default()),
        Some(&ListsById),
    )
}

/// Every leaf with the layer that it came from.
fn origins(merged: &Resolution) -> Vec<String> {
    let mut lines = Vec::new();
    merged.each_leaf(&Pointer::root(), &mut |leaf| {
        let layer = &merged.contributions()[leaf.layer as usize].layer;
        lines.push(format!("{} comes from {layer}", leaf.pointer));
    });
    lines
}

fn main() {
    let merged = merged();
    let value = merged
        .root()
        .map(to_value)
        .expect("both layers say something");
    println!("{}{}", value.to_json(), origins(&merged).join("\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_with_one_id_are_one_item() {
        let merged = merged();
        let ports: Vec<String> = (0..3)
            .filter_map(|index| {
                merged
                    .at(&format!("/servers/{index}/port").parse().ok()?)
                    .map(to_value)
            })
            .map(|port| port.to_json().trim_end().to_owned())
            .collect();
        assert_eq!(ports, ["1", "3", "4"]);
        assert_eq!(origins(&merged)[2], "/servers/1/id comes from personal");
    }
}
