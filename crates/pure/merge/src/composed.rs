//! A resolution as one document, for readers that walk documents.

use agpm_text::{Document, DocumentComposer, NodeId, NodeRef, Pointer, Shape, View};

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
        let root = self
            .root()
            .map(|root| composing.node(root, &Pointer::root()));
        Some(composing.composer.finish(root, highest))
    }
}

struct Composing<'r> {
    resolution: &'r Resolution,
    composer: DocumentComposer,
}

impl<'r> Composing<'r> {
    fn node(&mut self, view: ResolvedRef<'r>, place: &Pointer) -> NodeId {
        if let Some(whole) = view.node() {
            return self.of_layer(whole);
        }
        let own = match view {
            ResolvedRef::Folded(resolution, id) => self.of_layer(resolution.highest_node(id)),
            ResolvedRef::Inside(node) => self.of_layer(node),
        };
        match view.shape() {
            Shape::Map(count) => {
                let mut entries = Vec::with_capacity(count * 2);
                for (at, key) in view.keys().into_iter().enumerate() {
                    let value = view.entry(at).1;
                    let key = match value.node() {
                        Some(whole) => whole.key_beside(key, place),
                        None => key,
                    };
                    entries.push(self.of_layer(key));
                    entries.push(self.node(value, &place.child(key.content())));
                }
                self.composer.map(own, &entries)
            }
            Shape::List(count) => {
                let item = |at: usize| self.node(view.item(at), &place.child(at.to_string()));
                let items: Vec<NodeId> = (0..count).map(item).collect();
                self.composer.list(own, &items)
            }
            _ => own,
        }
    }

    fn of_layer(&self, node: NodeRef<'r>) -> NodeId {
        let is_its = |document: &Document| std::ptr::eq(document, node.document());
        let mut contributions = self.resolution.contributions().iter();
        let layer = contributions.position(|one| is_its(&one.document));
        self.composer.node(layer.unwrap_or_default(), node)
    }
}
