//! One JSON object with all bottles and agents.

use std::sync::Arc;

use agpm_diag::{Diagnostic, SourceSpan, Span, Text, codes, nearest};
use agpm_text::{Document, Format, Limits, NodeKind, NodeRef, ParsedDocument, parse};

use crate::kind::UnitKind;
use crate::loader::{LoadedUnits, state};
use crate::name::BottleName;
use crate::unit::{BottleUnit, PromptSource, UnitState};

/// Splits the object into units; `name` is the name of the text in messages.
pub(crate) fn load(name: &str, text: &str) -> LoadedUnits {
    let mut loaded = LoadedUnits::default();
    let text = Text::from(text);
    let source = loaded.sources.add(name, text.clone());
    let ParsedDocument {
        document,
        diagnostics,
    } = parse(source, text, Format::Json, Limits::default());
    loaded.diagnostics = diagnostics;
    if state(&loaded.diagnostics) == UnitState::Broken {
        return loaded;
    }
    let mut reader = JsonLoader {
        loaded,
        document: &document,
    };
    reader.root();
    reader.loaded
}

struct JsonLoader<'d> {
    loaded: LoadedUnits,
    document: &'d Document,
}

impl<'d> JsonLoader<'d> {
    fn root(&mut self) {
        let Some(root) = self.document.root() else {
            return self.wrong(
                Span::at(0),
                "the bottle file must be an object, but it is empty",
            );
        };
        if root.kind() != NodeKind::Map {
            let message = format!(
                "the bottle file must be an object, not {}",
                root.kind().word()
            );
            return self.wrong(root.span(), &message);
        }
        for (key, section) in root.entries() {
            match UnitKind::ALL
                .into_iter()
                .find(|kind| kind.plural() == key.content())
            {
                None => self.unknown_key(key),
                Some(_) if section.kind() != NodeKind::Map => {
                    let kind = section.kind().word();
                    self.wrong(
                        section.span(),
                        &format!("`/{}` must be an object, not {kind}", key.content()),
                    );
                }
                Some(kind) => section
                    .entries()
                    .for_each(|(name, value)| self.unit(kind, name, value)),
            }
        }
    }

    fn unit(&mut self, kind: UnitKind, key: NodeRef<'d>, value: NodeRef<'d>) {
        let spot = SourceSpan {
            source: self.document.source(),
            span: key.span(),
        };
        let name = match BottleName::new(kind, key.content()) {
            Ok(name) => name,
            Err(diagnostic) => return self.loaded.diagnostics.push(diagnostic.at_spot(spot)),
        };
        let Some(document) = self.document.part(value) else {
            return;
        };
        self.loaded.units.push(BottleUnit {
            kind,
            name,
            file: self.loaded.sources.get(spot.source).name.clone(),
            document: Arc::new(document),
            prompt: PromptSource::Key,
            state: UnitState::Whole,
            spot: Some(spot),
        });
    }

    fn unknown_key(&mut self, key: NodeRef<'_>) {
        let message = format!("unknown key `{}` in the bottle file", key.content());
        let near = nearest(key.content(), UnitKind::ALL.map(UnitKind::plural));
        let near = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
        let help = format!("{near}its keys are `bottles` and `agents`");
        let diagnostic = Diagnostic::new(&codes::BOTTLE_UNKNOWN_KEY, message).help(help);
        self.loaded
            .diagnostics
            .push(diagnostic.at(self.document.source(), key.span(), ""));
    }

    fn wrong(&mut self, span: Span, message: &str) {
        let help = "write `{\"bottles\": {NAME: {…}}, \"agents\": {NAME: {…}}}`";
        let diagnostic = Diagnostic::new(&codes::BOTTLE_VALUE, message).help(help);
        self.loaded
            .diagnostics
            .push(diagnostic.at(self.document.source(), span, ""));
    }
}
