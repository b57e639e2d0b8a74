//! Converts a resolution to one document, for readers of documents.

use agpm_text::{Document, DocumentComposer, NodeId, NodeRef, NodeShape, Pointer, TreeView};

use crate::resolution::{Resolution, ResolvedRef};

impl Resolution {
    /// The result as a document whose nodes keep the file and line of their layer; `None` without layers.
    pub fn to_document(&self) -> Option<Document> {
        let highest = &self.contributions().last()?.document;
        let documents = self.contributions().iter();
        let composer = DocumentComposer::new(documents.map(|one| &*one.document));
        let mut composing = ResolutionComposer {
            resolution: self,
            composer,
        };
        let root = self
            .root()
            .map(|root| composing.node(root, &Pointer::root()));
        Some(composing.composer.finish(root, highest))
    }
}

struct ResolutionComposer<'r> {
    resolution: &'r Resolution,
    composer: DocumentComposer,
}

impl<'r> ResolutionComposer<'r> {
    fn node(&mut self, view: ResolvedRef<'r>, pointer: &Pointer) -> NodeId {
        if let Some(layer_node) = view.node() {
            return self.of_layer(layer_node);
        }
        let origin = match view {
            ResolvedRef::Folded(resolution, id) => self.of_layer(resolution.highest_node(id)),
            ResolvedRef::Inside(node) => self.of_layer(node),
        };
        match view.shape() {
            NodeShape::Map(count) => {
                let mut entries = Vec::with_capacity(count * 2);
                for (at, key) in view.keys().into_iter().enumerate() {
                    let value = view.entry(at).1;
                    let key = match value.node() {
                        Some(layer_node) => layer_node.key_in_same_text(key, pointer),
                        None => key,
                    };
                    entries.push(self.of_layer(key));
                    entries.push(self.node(value, &pointer.child(key.content())));
                }
                self.composer.map(origin, &entries)
            }
            NodeShape::List(count) => {
                let item = |at: usize| self.node(view.item(at), &pointer.child(at.to_string()));
                let items: Vec<NodeId> = (0..count).map(item).collect();
                self.composer.list(origin, &items)
            }
            _ => origin,
        }
    }

    fn of_layer(&self, node: NodeRef<'r>) -> NodeId {
        let is_its = |document: &Document| std::ptr::eq(document, node.document());
        let mut contributions = self.resolution.contributions().iter();
        let layer = contributions.position(|one| is_its(&one.document));
        self.composer.node(layer.unwrap_or_default(), node)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use agpm_diag::SourceMap;
    use agpm_model::{LayerName, Strategy};
    use agpm_text::{Format, Limits, Pointer, parse, to_value};

    use crate::{Contribution, MergePolicy, fold};

    #[test]
    fn the_document_says_what_the_resolution_says_and_where() {
        let mut sources = SourceMap::default();
        let texts = [
            (
                "low",
                "[a]\nx = 1\ny = { z = [1, 2], w = \"low\" }\n[b]\nonly = true\n",
            ),
            (
                "high",
                "\n[a]\nx = 2\n[a.y]\nz = [3]\n[c]\nd = \"\\u00e9\"\n",
            ),
        ];
        let contributions = texts.map(|(name, text)| {
            let source = sources.add(name, text);
            let document = parse(source, text, Format::Toml, Limits::default()).document;
            Contribution {
                layer: LayerName::new(name).expect("a good name"),
                document: Arc::new(document),
            }
        });
        let policy = MergePolicy::merge(Strategy::default());
        let resolution = fold(contributions.to_vec(), &policy, None);
        let document = resolution.to_document().expect("two layers");
        let root = document.root().expect("a map");
        let expected = resolution.root().map(to_value);
        assert_eq!(Some(to_value(root)), expected);
        let origin_of = |pointer: &str| {
            let node = document.at(&pointer.parse::<Pointer>().expect("a pointer"));
            let node = node.expect("a node");
            let line = sources.line(node.source(), node.span().start);
            (sources.get(node.source()).name.clone(), line)
        };
        assert_eq!(origin_of("/a/x"), ("high".to_owned(), 3));
        assert_eq!(origin_of("/a/y/w"), ("low".to_owned(), 3));
        assert_eq!(origin_of("/a/y/z/0"), ("high".to_owned(), 5));
        assert_eq!(origin_of("/b/only"), ("low".to_owned(), 5));
        assert_eq!(origin_of("/c/d"), ("high".to_owned(), 7));
        // A key comes from the same text as its value.
        let x = root.get("a").into_iter().flat_map(|a| a.entries());
        let keys: Vec<_> = x
            .map(|(key, _)| sources.get(key.source()).name.clone())
            .collect();
        assert_eq!(keys, ["high", "low"]);
    }
}
