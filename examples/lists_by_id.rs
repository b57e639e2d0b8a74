//! A strategy of one's own: lists of maps with an `id` are merged item by item.
//!
//! Run it with `cargo run -p agpm-merge --example lists_by_id`.
#![allow(clippy::print_stdout, clippy::disallowed_macros)]

use agpm_merge::{
    Combination, Combine, EffectiveFile, Engine, EngineError, MergePoint, NodeKind, NodeRef,
};

/// Items with one `id` are one item, the highest layer's; the order is that of first appearance.
struct ListsById;

impl Combine for ListsById {
    fn combine(&self, point: &MergePoint<'_>) -> Option<Combination<'_>> {
        let lists = point.contributions;
        if lists.iter().any(|list| list.kind() != NodeKind::List) {
            return None;
        }
        let mut ids: Vec<&str> = Vec::new();
        let mut items: Vec<Vec<(usize, usize)>> = Vec::new();
        for (layer, list) in lists.iter().enumerate() {
            for (index, item) in list.items().enumerate() {
                let id = item.get("id").and_then(NodeRef::as_str)?;
                match ids.iter().position(|existing| *existing == id) {
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

const FILE: &str = "servers.json";

/// Where every value of the merged file came from, then its text.
fn page() -> Result<String, EngineError> {
    let merged = Engine::builder()
        .layer("team", [(FILE, TEAM)])
        .layer("personal", [(FILE, PERSONAL)])
        .combine(&ListsById)
        .merge()?;
    let mut page = String::new();
    for leaf in merged
        .file(FILE)
        .into_iter()
        .flat_map(EffectiveFile::leaves)
    {
        page.push_str(&format!("{} comes from {}\n", leaf.pointer, leaf.layer));
    }
    for file in merged.files() {
        page.push_str(&file.text()?);
    }
    Ok(page)
}

fn main() -> Result<(), EngineError> {
    println!("{}", page()?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_with_one_id_are_one_item() {
        let page = page().expect("both layers are good");
        let lines: Vec<&str> = page.lines().collect();
        assert_eq!(lines[2], "/servers/1/id comes from personal");
        let ports = [r#""port": 1"#, r#""port": 3"#, r#""port": 4"#];
        assert!(ports.iter().all(|port| page.contains(port)), "{page}");
        assert!(!page.contains(r#""port": 2"#), "{page}");
    }
}
