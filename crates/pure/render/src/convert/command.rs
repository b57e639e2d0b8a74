//! Commands: Markdown as Claude Code writes it, into Copilot's prompt files and Gemini's TOML.

use agpm_text::{Format, Value};

use super::front::{Front, is_toml_with, printed};
use super::models::{self, Models};
use super::parts::{METADATA, text_of};
use super::{ConvertError, Converted, FateKind, Fates};

/// Fields of a prompt file. Source: VS Code "Use prompt files" (prompt file format).
const PROMPT: [&str; 7] = [
    "name",
    "description",
    "argument-hint",
    "agent",
    "mode",
    "tools",
    "model",
];

/// Turns a command into a prompt file.
pub(super) fn to_prompt(text: &str) -> Result<Converted, ConvertError> {
    let front = Front::read(text)?;
    let mut fates = front.fates();
    let mut fields = Vec::new();
    for (key, value) in front.fields() {
        match key.as_str() {
            key if METADATA.contains(&key) => {}
            "model" if !matches!(value, Value::Null) => {
                if models::keep(Models::Copilot, value, &mut fates).is_none() {
                    continue;
                }
            }
            key if PROMPT.contains(&key) && !matches!(value, Value::Null) => fates.exact(key),
            key => {
                left_out(key, &mut fates);
                continue;
            }
        }
        fields.push((key.clone(), value.clone()));
    }
    let body = rewrite(front.body(), &PROMPT_MARKS, &mut fates);
    Ok(Converted {
        text: front.write(fields, &body)?,
        fates: fates.sorted(),
    })
}

/// Turns a command into TOML. Source: Gemini CLI "Custom commands" (TOML file format).
pub(super) fn to_toml(name: &str, text: &str) -> Result<Converted, ConvertError> {
    if is_toml_with(text, &["prompt"]) {
        return Ok(Converted {
            text: text.to_owned(),
            fates: Vec::new(),
        });
    }
    let front = Front::read(text)?;
    let mut fates = front.fates();
    let mut fields = Vec::new();
    for (key, value) in front
        .fields()
        .iter()
        .filter(|(key, _)| !METADATA.contains(&key.as_str()))
    {
        match (key.as_str(), text_of(value)) {
            ("description", Some(text)) => {
                fates.exact("description");
                fields.push((key.clone(), Value::from(text)));
            }
            ("name", Some(own)) if own == name => fates.exact("name"),
            (key, _) => left_out(key, &mut fates),
        }
    }
    fields.push((
        "prompt".to_owned(),
        Value::from(rewrite(front.body(), &GEMINI_MARKS, &mut fates)),
    ));
    Ok(Converted {
        text: printed(&Value::Map(fields), Format::Toml)?,
        fates: fates.sorted(),
    })
}

fn left_out(key: &str, fates: &mut Fates) {
    match key {
        "allowed-tools" => fates.add(
            key,
            FateKind::Dropped,
            "it grants; without it the tool asks",
        ),
        "disallowed-tools" | "disallowedTools" | "hooks" => {
            fates.add(
                key,
                FateKind::Widened,
                "it holds something back, and has no place there",
            );
        }
        "model" => fates.add(key, FateKind::Dropped, "a name of Claude Code's"),
        "name" => fates.add(key, FateKind::Dropped, "the name of the file counts there"),
        key => fates.add(key, FateKind::Dropped, "it has no place there"),
    }
}

/// How a tool writes what Claude Code replaces in a command's text; `None` is not possible there.
struct Marks {
    arguments: &'static str,
    /// Around a command line whose output is wanted.
    output: Option<(&'static str, &'static str)>,
    /// Around the path of a file whose text is wanted.
    file: Option<(&'static str, &'static str)>,
}

const PROMPT_MARKS: Marks = Marks {
    arguments: "${input:arguments}",
    output: None,
    file: None,
};
const GEMINI_MARKS: Marks = Marks {
    arguments: "{{args}}",
    output: Some(("!{", "}")),
    file: Some(("@{", "}")),
};

/// Something in a command's text that Claude Code replaces.
enum Mark<'a> {
    /// All arguments.
    Arguments,
    /// One of them.
    Argument,
    /// The output of a command line.
    Output(&'a str),
    /// The text of a file.
    File(&'a str),
    /// Text that is nothing here and would be something there.
    Foreign,
}

/// The text with the tool's own marks.
fn rewrite(body: &str, marks: &Marks, fates: &mut Fates) -> String {
    let mut out = String::with_capacity(body.len());
    let mut notes: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < body.len() {
        let Some((mark, length)) = mark_at(body, at, marks) else {
            let next = body[at..].chars().next().map_or(1, char::len_utf8);
            out.push_str(&body[at..at + next]);
            at += next;
            continue;
        };
        let written = &body[at..at + length];
        match (&mark, marks.output, marks.file) {
            (Mark::Arguments, ..) => out.push_str(marks.arguments),
            (Mark::Output(line), Some((open, close)), _) if can_be_run(line) => {
                out.extend([open, &line.replace("$ARGUMENTS", marks.arguments), close]);
            }
            (Mark::File(path), _, Some((open, close))) => out.extend([open, path, close]),
            (Mark::Foreign, ..) => out.extend([&written[..1], " ", &written[1..]]),
            _ => out.push_str(written),
        }
        notes.extend(note(&mark, marks));
        at += length;
    }
    notes.sort_unstable();
    notes.dedup();
    if !notes.is_empty() {
        fates.add("(body)", FateKind::Approximated, notes.join("; "));
    }
    out
}

/// What is to be said of a mark that is not carried over as it is.
fn note(mark: &Mark<'_>, marks: &Marks) -> Option<&'static str> {
    match mark {
        Mark::Argument => Some("single arguments such as `$1` stay as text"),
        Mark::Output(_) if marks.output.is_none() => Some("command lines in the text are not run"),
        Mark::Output(line) if !can_be_run(line) => {
            Some("a command line with odd braces is not run")
        }
        Mark::Output(line) if has_argument(line) => {
            Some("single arguments such as `$1` stay as text")
        }
        Mark::File(_) if marks.file.is_none() => Some("`@` files stay as text"),
        Mark::Foreign => Some("a space is put into what would be run or read there"),
        _ => None,
    }
}

fn mark_at<'a>(body: &'a str, at: usize, marks: &Marks) -> Option<(Mark<'a>, usize)> {
    let rest = &body[at..];
    let starts_word = body[..at]
        .chars()
        .next_back()
        .is_none_or(char::is_whitespace);
    if let Some(behind) = rest.strip_prefix("$ARGUMENTS") {
        let indexed = behind.starts_with('[');
        let whole = !behind.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let mark = if indexed {
            Mark::Argument
        } else {
            Mark::Arguments
        };
        return whole.then_some((mark, "$ARGUMENTS".len()));
    }
    if rest.starts_with('$') && rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
        return Some((Mark::Argument, 2));
    }
    let foreign = [marks.output, marks.file]
        .into_iter()
        .flatten()
        .any(|(open, _)| rest.starts_with(open));
    if foreign {
        return Some((Mark::Foreign, 2));
    }
    if let Some(line) = rest.strip_prefix("!`").filter(|_| starts_word) {
        let end = line.find('`').filter(|end| *end > 0)?;
        return Some((Mark::Output(&line[..end]), end + 3));
    }
    let path = rest.strip_prefix('@').filter(|_| starts_word)?;
    let end = path
        .find(|c: char| !(c.is_alphanumeric() || "_./~-".contains(c)))
        .unwrap_or(path.len());
    let path = path[..end].trim_end_matches('.');
    path.contains(['/', '.'])
        .then_some((Mark::File(path), path.len() + 1))
}

fn has_argument(line: &str) -> bool {
    line.split('$')
        .skip(1)
        .any(|behind| behind.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether Gemini finds the end of a command line, which needs a partner for every brace, and nothing else in it.
fn can_be_run(line: &str) -> bool {
    let mut depth = 0i32;
    let closed = line.chars().all(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth >= 0
    });
    closed && depth == 0 && !line.contains("!{") && !line.contains("@{")
}
