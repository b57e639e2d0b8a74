//! Reads front matter that is invalid YAML line by line, as the tools themselves do.

use agpm_text::{Format, Value, markdown_body};

use super::plain_text::value_of;

/// The fields of front matter that is not valid YAML.
#[derive(Debug, PartialEq)]
pub(super) struct LooseFields {
    pub(super) fields: Vec<(String, Value)>,
    /// Fields without a clear value.
    pub(super) unclear: Vec<String>,
}

/// Reads `key: value` lines; `None` if no line has that form.
pub(super) fn read(text: &str) -> Option<LooseFields> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let front = text
        .get(..text.len() - markdown_body(text).len())?
        .trim_end();
    let lines = front.strip_prefix("---")?.trim_end_matches(['-', '.']);
    let mut found = LooseFields {
        fields: Vec::new(),
        unclear: Vec::new(),
    };
    for block in blocks(lines) {
        let is_duplicate = found.fields.iter().any(|(key, _)| key == block.key);
        match block.value().filter(|_| !is_duplicate) {
            Some(value) => found.fields.push((block.key.to_owned(), value)),
            None => found.unclear.push(block.key.to_owned()),
        }
    }
    (!found.fields.is_empty()).then_some(found)
}

/// One field and its continuation lines.
struct FieldLines<'t> {
    key: &'t str,
    /// The text after the colon.
    first: &'t str,
    rest: Vec<&'t str>,
}

fn blocks(lines: &str) -> Vec<FieldLines<'_>> {
    let mut blocks: Vec<FieldLines<'_>> = Vec::new();
    for line in lines.lines().filter(|line| !line.starts_with('#')) {
        match (field_start(line), blocks.last_mut()) {
            (Some((key, first)), _) => blocks.push(FieldLines {
                key,
                first,
                rest: Vec::new(),
            }),
            (None, Some(block)) => block.rest.push(line),
            (None, None) => {}
        }
    }
    blocks
}

/// `key: …` at the start of a line. An indented line never starts a field: it continues the previous one.
fn field_start(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let is_key = !key.is_empty() && key.chars().all(word);
    (is_key && (value.is_empty() || value.starts_with([' ', '\t']))).then(|| (key, value.trim()))
}

impl FieldLines<'_> {
    /// The value: parsed as YAML if this field alone is valid, else as text.
    fn value(&self) -> Option<Value> {
        let repaired = indent_closing_brackets(&self.rest);
        [self.rest.join("\n"), repaired]
            .iter()
            .find_map(|rest| {
                let yaml = format!("{}: {}\n{rest}\n", self.key, self.first);
                value_of(&yaml, Format::Yaml)?.get(self.key).cloned()
            })
            .or_else(|| self.as_text())
    }

    fn as_text(&self) -> Option<Value> {
        let rest: Vec<&str> = self
            .rest
            .iter()
            .map(|line| line.trim())
            .filter(|line| !line.is_empty())
            .collect();
        if self.first.is_empty() {
            return block_of_lines(&rest);
        }
        if matches!(self.first, "|" | "|-" | "|+") {
            return Some(Value::from(rest.join("\n")));
        }
        if matches!(self.first, ">" | ">-" | ">+") {
            return Some(Value::from(rest.join(" ")));
        }
        let mut text = self.first.to_owned();
        for line in rest {
            text.push(' ');
            text.push_str(line);
        }
        // An unclosed bracket has no meaning; a pattern such as `**/*` does.
        let is_pattern = text.contains('*') && !text.contains(['[', ']']);
        let speaks = is_pattern || text.contains(char::is_alphanumeric);
        speaks.then(|| flow_list(&text).unwrap_or_else(|| Value::from(unquoted(&text))))
    }
}

/// Closing brackets at the indentation of their key: other parsers accept them, YAML 1.2 does not.
fn indent_closing_brackets(lines: &[&str]) -> String {
    let mut out = String::new();
    let mut indent = "";
    for line in lines {
        let trimmed = line.trim_start();
        if trimmed.starts_with([']', '}']) {
            out.push_str(indent);
            out.push(' ');
        } else if !trimmed.is_empty() {
            indent = &line[..line.len() - trimmed.len()];
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// The lines under a key without a value: a list, or text. Nested keys that are invalid YAML have no clear value.
fn block_of_lines(lines: &[&str]) -> Option<Value> {
    let items: Option<Vec<&str>> = lines.iter().map(|line| line.strip_prefix("- ")).collect();
    if let Some(items) = items.filter(|items| !items.is_empty()) {
        return Some(Value::list(items.into_iter().map(unquoted)));
    }
    let nested = |line: &&&str| line.starts_with("- ") || field_start(line).is_some();
    lines
        .iter()
        .find(nested)
        .is_none()
        .then(|| Value::from(lines.join(" ")))
}

/// `[a, b]` without brackets inside: a list with an item that YAML rejects, such as `*`.
fn flow_list(text: &str) -> Option<Value> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let items = inner
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty());
    (!inner.contains(['[', ']'])).then(|| Value::list(items.map(unquoted)))
}

fn unquoted(text: &str) -> String {
    for quote in ['"', '\''] {
        let inner = text
            .strip_prefix(quote)
            .and_then(|text| text.strip_suffix(quote));
        if let Some(inner) = inner {
            return inner.replace("\\\"", "\"");
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(front: &str) -> String {
        let found = read(&format!("---\n{front}---\nbody\n")).expect("fields");
        Value::Map(found.fields)
            .to_json()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            + &found.unclear.join(" ")
    }

    #[test]
    fn values_that_are_not_yaml_are_read() {
        for (front, expected) in [
            ("a: one: two\nb: 3\n", r#"{ "a": "one: two", "b": 3 }"#),
            (
                "argument-hint: [message] | --no-verify\n",
                r#"{ "argument-hint": "[message] | --no-verify" }"#,
            ),
            (
                "argument-hint: [a] [b]\n",
                r#"{ "argument-hint": "[a] [b]" }"#,
            ),
            ("tools: *\n", r#"{ "tools": "*" }"#),
            ("globs: **/*\n", r#"{ "globs": "**/*" }"#),
            ("tools: [Read, *]\n", r#"{ "tools": [ "Read", "*" ] }"#),
            ("x: {a} b\n", r#"{ "x": "{a} b" }"#),
            (
                "a: b: c\n  and: more\nd: e\n",
                r#"{ "a": "b: c and: more", "d": "e" }"#,
            ),
            (
                "a: b: c\nwithout a key\nd: e\n",
                r#"{ "a": "b: c without a key", "d": "e" }"#,
            ),
            ("a: \"b\" and: \"c\"\n", r#"{ "a": "b\" and: \"c" }"#),
            (
                "a: b: c\ntools:\n  - Read\n  - Grep\n",
                r#"{ "a": "b: c", "tools": [ "Read", "Grep" ] }"#,
            ),
            (
                "m:\n  s:\n    args: [\n      'x',\n    ]\n",
                r#"{ "m": { "s": { "args": [ "x" ] } } }"#,
            ),
            ("a: @b\na: c\n", r#"{ "a": "@b" }a"#),
            ("a: @b\nb: [\n", r#"{ "a": "@b" }b"#),
            ("a: @b\nm:\n  c: [\n  d: e\n", r#"{ "a": "@b" }m"#),
        ] {
            assert_eq!(fields(front), expected, "{front}");
        }
    }

    #[test]
    fn text_without_fields_is_not_front_matter() {
        assert_eq!(read("---\njust text\n---\n"), None);
        assert_eq!(read("no fence\n"), None);
    }
}
