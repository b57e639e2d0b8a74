//! A document composed of several, whose nodes keep their original positions.

use agpm_diag::Text;

use super::document::{Document, NodeRef, TextPart};
use super::nodes::{NodeId, NodeTree};

/// Builds a document from nodes of others, lowest rank first. Values in the result have the file and line of their
/// original document.
#[derive(Debug)]
pub struct DocumentComposer {
    text: String,
    tree: NodeTree,
    parts: Vec<TextPart>,
    /// The index of the first node of each document.
    first_nodes: Vec<u32>,
}

impl DocumentComposer {
    /// Adds all nodes of these documents.
    pub fn new<'d>(documents: impl IntoIterator<Item = &'d Document>) -> Self {
        let mut composer = DocumentComposer {
            text: String::new(),
            tree: NodeTree::default(),
            parts: Vec::new(),
            first_nodes: Vec::new(),
        };
        for document in documents {
            let start = composer.text.len();
            composer.parts.push(TextPart {
                start: u32::try_from(start).expect("documents of under 4 GiB together"),
                source: document.source(),
            });
            let first = composer.tree.append(&document.tree, start);
            composer.first_nodes.push(first);
            composer.text.push_str(&document.text);
            // Separates the strings, so an empty node at the end of one is not at the start of the next.
            composer.text.push('\n');
        }
        composer
    }

    /// A node of one of the documents, by the index of its document.
    pub fn node(&self, document: usize, node: NodeRef<'_>) -> NodeId {
        NodeId(self.first_nodes[document] + node.id().0)
    }

    /// An object with the position of `container` and other entries; `entries` alternates between key and value.
    pub fn map(&mut self, container: NodeId, entries: &[NodeId]) -> NodeId {
        self.tree.map(self.tree.span(container), entries)
    }

    /// A list with the position of `container` and other items.
    pub fn list(&mut self, container: NodeId, items: &[NodeId]) -> NodeId {
        self.tree.list(self.tree.span(container), items)
    }

    /// The document with this root, and with the identity and format of `highest`.
    pub fn finish(self, root: Option<NodeId>, highest: &Document) -> Document {
        let mut tree = self.tree;
        tree.root = root;
        Document {
            source: highest.source,
            text: Text::from(self.text),
            format: highest.format,
            tree,
            body: highest.body,
            parts: self.parts,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use agpm_diag::SourceMap;

    use super::*;
    use crate::{Format, Limits, parse, to_value};

    #[test]
    fn nodes_keep_their_text_and_their_place() {
        let mut sources = SourceMap::default();
        let mut read = |name: &str, text: &str| {
            let source = sources.add(name, text);
            parse(source, text, Format::Toml, Limits::default()).document
        };
        let low = read("low", "a = \"x\"\nb = [1, { c = \"caf\\u00e9\" }]\n");
        let high = read("high", "\n[d]\ne = \"\\t\"\nf = true\n");
        let mut composer = DocumentComposer::new([&low, &high]);
        let mut entries = Vec::new();
        for (number, document) in [&low, &high].into_iter().enumerate() {
            for (key, value) in document.root().unwrap().entries() {
                entries.push(composer.node(number, key));
                entries.push(composer.node(number, value));
            }
        }
        let container = composer.node(1, high.root().unwrap());
        let root = composer.map(container, &entries);
        let composed = composer.finish(Some(root), &high);
        let root = composed.root().unwrap();
        let expected = r#"{"a":"x","b":[1,{"c":"café"}],"d":{"e":"\t","f":true}}"#;
        let one_line = |text: String| text.split_whitespace().collect::<String>();
        assert_eq!(
            one_line(to_value(root).to_json()),
            one_line(expected.to_owned())
        );
        let c = root
            .get("b")
            .unwrap()
            .items()
            .nth(1)
            .unwrap()
            .get("c")
            .unwrap();
        assert_eq!(c.source(), low.source());
        assert_eq!(&low.text()[c.span().range()], "\"caf\\u00e9\"");
        let f = root.get("d").unwrap().get("f").unwrap();
        assert_eq!(f.source(), high.source());
        assert_eq!(sources.line(f.source(), f.span().start), 4);
        assert_eq!(root.source(), high.source());
    }
}
