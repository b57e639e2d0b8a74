//! A resolution as one document, for readers that walk documents.

use agpm_text::{Document, DocumentComposer, NodeId, NodeRef, Shape, View};

use crate::resolution::{Resolution, ResolvedRef};

impl Resolution {
    /// The result as a document whose nodes keep the file and line of the layer that wrote them; nothing without layers.
    pub fn to_document(&self) -> Option<Document> {
        let highest = &self.contributions().last()?.document;
        let documents = self.contributions().iter();
        let composer = DocumentComposer::new(documents.map(|one| &*one.document));
        let mut composing = Composing {
            resolution: self,
            composer,
        };
        let root = self.root().map(|root| composing.node(root));
        Some(composing.composer.finish(root, highest))
    }
}

struct Composing<'r> {
    resolution: &'r Resolution,
    composer: DocumentComposer,
}

impl<'r> Composing<'r> {
    fn node(&mut self, view: ResolvedRef<'r>) -> NodeId {
        if let Some(whole) = view.node() {
            return self.of_layer(whole);
        }
        let place = match view {
            ResolvedRef::Folded(resolution, id) => self.of_layer(resolution.highest_node(id)),
            ResolvedRef::Inside(node) => self.of_layer(node),
        };
        match view.shape() {
            Shape::Map(count) => {
                let mut entries = Vec::with_capacity(count * 2);
                for (at, key) in view.keys().into_iter().enumerate() {
                    entries.push(self.of_layer(key));
                    entries.push(self.node(view.entry(at).1));
                }
                self.composer.map(place, &entries)
            }
            Shape::List(count) => {
                let items: Vec<NodeId> = (0..count).map(|at| self.node(view.item(at))).collect();
                self.composer.list(place, &items)
            }
            _ => place,
        }
    }

    fn of_layer(&self, node: NodeRef<'r>) -> NodeId {
        let is_its = |document: &Document| std::ptr::eq(document, node.document());
        let mut contributions = self.resolution.contributions().iter();
        let layer = contributions.position(|one| is_its(&one.document));
        self.composer.node(layer.unwrap_or_default(), node)
    }
}
