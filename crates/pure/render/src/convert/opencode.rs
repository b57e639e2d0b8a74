//! OpenCode's agents: the bytes stay, and what says nothing there is told.

use agpm_diag::SourceMap;
use agpm_text::{Format, Kind, Limits, NodeRef, parse};

use super::{Converted, FateKind, Fates};

/// Fields of Claude Code's that limit an agent, and that OpenCode does not read so.
const LIMITS: [&str; 3] = ["tools", "disallowedTools", "permissionMode"];

/// The same text, with what became of the fields that concern permissions and models.
pub(super) fn told(text: &str) -> Converted {
    let mut fates = Fates::default();
    let source = SourceMap::default().add("", "");
    let document = parse(source, text, Format::Markdown, Limits::default()).document;
    if let Some(head) = document.root().filter(|head| head.kind() == Kind::Map) {
        for field in LIMITS {
            // Its own `tools` is a map of switches.
            if head.get(field).is_some_and(|value| value.kind() != Kind::Map && value.kind() != Kind::Null) {
                fates.add(
                    field,
                    FateKind::Widened,
                    "OpenCode limits an agent by `permission`, and not by this",
                );
            }
        }
        let model = head.get("model").and_then(NodeRef::as_str);
        if model.is_some_and(|model| !model.contains('/')) {
            fates.add("model", FateKind::Approximated, "OpenCode names models as `provider/model`");
        }
    }
    Converted { text: text.to_owned(), fates: fates.sorted() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_opencode_does_not_hold_to_are_told() {
        let told = |text: &str| {
            let converted = told(text);
            assert_eq!(converted.text, text);
            converted.fates.into_iter().map(|fate| (fate.field, fate.kind)).collect::<Vec<_>>()
        };
        assert_eq!(told("---\ndescription: d\nmodel: a/b\ntools: {write: false}\n---\nx\n"), []);
        assert_eq!(told("no head\n"), []);
        let limited = "---\ntools: Read, Grep\nmodel: opus\npermissionMode: plan\n---\nx\n";
        let expected = [
            ("model".to_owned(), FateKind::Approximated),
            ("permissionMode".to_owned(), FateKind::Widened),
            ("tools".to_owned(), FateKind::Widened),
        ];
        assert_eq!(told(limited), expected);
    }
}
