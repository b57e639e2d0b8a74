//! One JSON object with all bottles and agents.

use std::sync::Arc;

use agpm_diag::{Diagnostic, Severity, Span, Spot, Text, codes, nearest};
use agpm_text::{Document, Format, Kind, Limits, NodeRef, Parsed, parse};

use crate::loader::{Loaded, unit_name};
use crate::unit::{Prompt, State, Unit, UnitKind};

/// Takes the object apart; `name` is what messages call the text.
pub(crate) fn load(name: &str, text: &str) -> Loaded {
    let mut loaded = Loaded::default();
    let text = Text::from(text);
    let source = loaded.sources.add(name, text.clone());
    let Parsed { document, diagnostics } = parse(source, text, Format::Json, Limits::default());
    // With a key that is there twice all else can be understood; otherwise nobody knows what is missing.
    let torn =
        |found: &Diagnostic| found.severity == Severity::Error && *found.code != codes::TEXT_DUPLICATE_KEY;
    let is_torn = diagnostics.iter().any(torn);
    loaded.diagnostics = diagnostics;
    if is_torn {
        return loaded;
    }
    let mut twice: Vec<u32> =
        loaded.diagnostics.iter().filter_map(|found| Some(found.labels.first()?.span.start)).collect();
    twice.sort_unstable();
    let mut reader = Reader { loaded, document: &document, twice };
    reader.root();
    reader.loaded
}

struct Reader<'d> {
    loaded: Loaded,
    document: &'d Document,
    /// Where keys are there twice, in order.
    twice: Vec<u32>,
}

impl<'d> Reader<'d> {
    fn root(&mut self) {
        let Some(root) = self.document.root() else {
            return self.wrong(Span::at(0), "the manifest must be a map, and this is empty");
        };
        if root.kind() != Kind::Map {
            let message = format!("the manifest must be a map, and this is {}", root.kind().word());
            return self.wrong(root.span(), &message);
        }
        for (key, section) in root.entries() {
            match UnitKind::ALL.into_iter().find(|kind| kind.plural() == key.content()) {
                None => self.unknown_key(key),
                Some(_) if section.kind() != Kind::Map => {
                    let kind = section.kind().word();
                    self.wrong(
                        section.span(),
                        &format!("`/{}` must be a map, and this is {kind}", key.content()),
                    );
                }
                Some(kind) => section.entries().for_each(|(name, value)| self.unit(kind, name, value)),
            }
        }
    }

    fn unit(&mut self, kind: UnitKind, key: NodeRef<'d>, value: NodeRef<'d>) {
        let spot = Spot { source: self.document.source(), span: key.span() };
        let name = match unit_name(kind, key.content()) {
            Ok(name) => name,
            Err(diagnostic) => return self.loaded.diagnostics.push(diagnostic.at_spot(spot)),
        };
        let Some(document) = self.document.part(value) else { return };
        let span = value.span();
        let next = self.twice.partition_point(|at| *at < span.start);
        let is_broken = self.twice.get(next).is_some_and(|at| *at < span.end);
        self.loaded.units.push(Unit {
            kind,
            name,
            file: self.loaded.sources.get(spot.source).name.clone(),
            document: Arc::new(document),
            prompt: Prompt::Key,
            state: if is_broken { State::Broken } else { State::Whole },
            spot: Some(spot),
        });
    }

    fn unknown_key(&mut self, key: NodeRef<'_>) {
        let message = format!("the manifest has no key `{}`", key.content());
        let near = nearest(key.content(), UnitKind::ALL.map(UnitKind::plural));
        let near = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
        let help = format!("{near}its keys are `bottles` and `agents`");
        let diagnostic = Diagnostic::new(&codes::BOTTLE_UNKNOWN_KEY, message).help(help);
        self.loaded.diagnostics.push(diagnostic.at(self.document.source(), key.span(), ""));
    }

    fn wrong(&mut self, span: Span, message: &str) {
        let help = "write `{\"bottles\": {NAME: {…}}, \"agents\": {NAME: {…}}}`";
        let diagnostic = Diagnostic::new(&codes::BOTTLE_VALUE, message).help(help);
        self.loaded.diagnostics.push(diagnostic.at(self.document.source(), span, ""));
    }
}
