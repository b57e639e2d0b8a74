use agpm_diag::SourceMap;
use agpm_text::{Format, Limits, Value, parse, to_value};

/// Parses the one JSON document in `text`; anything around it fails the test.
pub fn parse_json(text: &str) -> Value {
    let source = SourceMap::default().add("json", text);
    let parsed = parse(source, text, Format::Json, Limits::default());
    assert!(
        parsed.diagnostics.is_empty(),
        "{:?}\n{text}",
        parsed.diagnostics
    );
    let root = parsed.document.root();
    to_value(root.unwrap_or_else(|| panic!("no document in {text:?}")))
}
