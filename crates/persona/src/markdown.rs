//! Prints a merged persona for people to read.

use agpm_text::Value;

/// Fields at the top, in this order.
const HEAD: &[&str] = &["title", "purpose"];

/// The keys that name an item of a list; the first that exists is used.
const NAMES: &[&str] = &[
    "title",
    "name",
    "label",
    "slug",
    "id",
    "key",
    "identifier",
    "type",
    "timestamp",
    "path",
];

/// A page: the title or name, the short fields, then a section for each longer one.
pub fn markdown(profile: &Value, name: &str) -> String {
    let Value::Map(entries) = profile else {
        return String::new();
    };
    let mut page = MarkdownPage::default();
    page.heading(
        1,
        &text_at(entries, "title").unwrap_or_else(|| name.to_owned()),
    );
    if let Some(purpose) = text_at(entries, "purpose") {
        page.paragraph(&purpose);
    }
    let in_head = |key: &str| HEAD.contains(&key) && text_at(entries, key).is_some();
    let rest = || entries.iter().filter(|(key, _)| !in_head(key));
    let facts: Vec<(String, String)> = rest()
        .filter_map(|(key, value)| Some((words(key), line(value)?)))
        .collect();
    facts
        .iter()
        .for_each(|(key, text)| page.bullet(0, &format!("**{key}**: {text}")));
    for (key, value) in rest().filter(|(_, value)| line(value).is_none() && !is_empty(value)) {
        page.heading(2, &words(key));
        page.body(value);
    }
    format!("{}\n", page.text.trim_end())
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        _ => false,
    }
}

#[derive(Default)]
struct MarkdownPage {
    text: String,
}

impl MarkdownPage {
    fn heading(&mut self, level: usize, text: &str) {
        self.gap();
        self.text
            .push_str(&format!("{} {}\n\n", "#".repeat(level), one_line(text)));
    }

    fn paragraph(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push_str("\n\n");
    }

    /// Adds a blank line, unless one exists.
    fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    fn bullet(&mut self, depth: usize, text: &str) {
        let indent = "  ".repeat(depth);
        let text = text.trim_end().replace('\n', &format!("\n{indent}  "));
        self.text.push_str(&format!("{indent}- {text}\n"));
    }

    fn body(&mut self, value: &Value) {
        match value {
            Value::List(items) => items.iter().for_each(|item| self.item(0, item)),
            Value::Map(entries) => entries
                .iter()
                .for_each(|(key, value)| self.field(0, key, value)),
            other => self.paragraph(&plain(other)),
        }
    }

    fn field(&mut self, depth: usize, key: &str, value: &Value) {
        match value {
            value if is_empty(value) => {}
            Value::List(items) => {
                self.bullet(depth, &format!("{}:", words(key)));
                items.iter().for_each(|item| self.item(depth + 1, item));
            }
            Value::Map(entries) => {
                self.bullet(depth, &format!("{}:", words(key)));
                entries
                    .iter()
                    .for_each(|(key, value)| self.field(depth + 1, key, value));
            }
            other => self.bullet(depth, &format!("{}: {}", words(key), plain(other))),
        }
    }

    fn item(&mut self, depth: usize, item: &Value) {
        match item {
            Value::Map(entries) => {
                let name = NAMES
                    .iter()
                    .find_map(|name| Some((*name, text_at(entries, name)?)));
                let url = text_at(entries, "url");
                let is_shown =
                    |key: &str| name.as_ref().is_some_and(|(name, _)| *name == key) || key == "url";
                match (&name, &url) {
                    (Some((_, name)), Some(url)) => self.bullet(depth, &link(name, url)),
                    (Some((_, name)), None) => self.bullet(depth, &format!("**{name}**")),
                    (None, Some(url)) => self.bullet(depth, &link(url, url)),
                    (None, None) => self.bullet(depth, "…"),
                }
                let rest = entries.iter().filter(|(key, _)| !is_shown(key));
                rest.for_each(|(key, value)| self.field(depth + 1, key, value));
            }
            Value::List(items) => {
                self.bullet(depth, "…");
                items.iter().for_each(|item| self.item(depth + 1, item));
            }
            other => self.bullet(depth, &plain(other)),
        }
    }
}

fn text_at(entries: &[(String, Value)], key: &str) -> Option<String> {
    let (_, value) = entries.iter().find(|(name, _)| name == key)?;
    let scalar = !matches!(value, Value::Map(_) | Value::List(_) | Value::Null);
    scalar
        .then(|| plain(value))
        .filter(|text| !text.trim().is_empty())
}

/// A value that fits on one line.
fn line(value: &Value) -> Option<String> {
    match value {
        Value::Map(_) | Value::List(_) | Value::Null => None,
        other => Some(plain(other))
            .filter(|text| !text.trim().is_empty() && !text.trim_end().contains('\n')),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) | Value::DateTime(text) => text.clone(),
        other => other.to_json().trim_end().to_owned(),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn link(name: &str, url: &str) -> String {
    let name = name.replace('[', "\\[").replace(']', "\\]");
    let awkward = url.contains(|c: char| c.is_whitespace() || "()<>".contains(c));
    let url = if awkward {
        format!(
            "<{}>",
            one_line(url).replace('<', "%3C").replace('>', "%3E")
        )
    } else {
        url.to_owned()
    };
    format!("[{name}]({url})")
}

/// `focusDomains` as `Focus domains`.
fn words(key: &str) -> String {
    // A pointer stays as it is, for copying.
    if key.starts_with('/') {
        return key.to_owned();
    }
    let mut out = String::with_capacity(key.len() + 4);
    let mut before = None;
    for c in key.chars() {
        match before {
            None => out.extend(c.to_uppercase()),
            Some(b) if c.is_uppercase() && char::is_lowercase(b) => {
                out.push(' ');
                out.extend(c.to_lowercase());
            }
            Some(_) => out.push(c),
        }
        before = Some(c);
    }
    out
}
