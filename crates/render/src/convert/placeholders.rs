//! Placeholders in the text of commands: arguments, output of command lines, files.

use agpm_tools::Placeholders;

use super::outcome::{FieldOutcomeKind, FieldOutcomes};

/// Text that the reference tool replaces.
enum CommandPlaceholder<'a> {
    /// All arguments.
    Arguments,
    /// One argument.
    Argument,
    /// The output of a command line.
    Output(&'a str),
    /// The text of a file.
    File(&'a str),
    /// Text without a meaning in the reference that the target would replace.
    Foreign,
}

/// The text with the tool's placeholders.
pub(super) fn rewrite(body: &str, marks: &Placeholders, outcomes: &mut FieldOutcomes) -> String {
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
            (CommandPlaceholder::Arguments, ..) => out.push_str(marks.arguments),
            (CommandPlaceholder::Output(line), Some((open, close)), _) if can_be_run(line) => {
                out.extend([open, &line.replace("$ARGUMENTS", marks.arguments), close]);
            }
            (CommandPlaceholder::File(path), _, Some((open, close))) => {
                out.extend([open, path, close])
            }
            (CommandPlaceholder::Foreign, ..) => out.extend([&written[..1], " ", &written[1..]]),
            _ => out.push_str(written),
        }
        notes.extend(note(&mark, marks));
        at += length;
    }
    notes.sort_unstable();
    notes.dedup();
    if !notes.is_empty() {
        outcomes.add("(body)", FieldOutcomeKind::Approximated, notes.join("; "));
    }
    out
}

/// The note about a placeholder that is not preserved.
fn note(mark: &CommandPlaceholder<'_>, marks: &Placeholders) -> Option<&'static str> {
    match mark {
        CommandPlaceholder::Argument => Some("single arguments such as `$1` are not replaced"),
        CommandPlaceholder::Output(_) if marks.output.is_none() => {
            Some("command lines in the body are not run")
        }
        CommandPlaceholder::Output(line) if !can_be_run(line) => {
            Some("a command line with unbalanced braces is not run")
        }
        CommandPlaceholder::Output(line) if has_argument(line) => {
            Some("single arguments such as `$1` are not replaced")
        }
        CommandPlaceholder::File(_) if marks.file.is_none() => Some("`@` files are not replaced"),
        CommandPlaceholder::Foreign => {
            Some("a space is inserted so the tool does not run or read it")
        }
        _ => None,
    }
}

fn mark_at<'a>(
    body: &'a str,
    at: usize,
    marks: &Placeholders,
) -> Option<(CommandPlaceholder<'a>, usize)> {
    let rest = &body[at..];
    let starts_word = body[..at]
        .chars()
        .next_back()
        .is_none_or(char::is_whitespace);
    if let Some(after) = rest.strip_prefix("$ARGUMENTS") {
        let indexed = after.starts_with('[');
        let is_complete = !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let mark = if indexed {
            CommandPlaceholder::Argument
        } else {
            CommandPlaceholder::Arguments
        };
        return is_complete.then_some((mark, "$ARGUMENTS".len()));
    }
    if rest.starts_with('$') && rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
        return Some((CommandPlaceholder::Argument, 2));
    }
    let foreign = [marks.output, marks.file]
        .into_iter()
        .flatten()
        .any(|(open, _)| rest.starts_with(open));
    if foreign {
        return Some((CommandPlaceholder::Foreign, 2));
    }
    if let Some(line) = rest.strip_prefix("!`").filter(|_| starts_word) {
        let end = line.find('`').filter(|end| *end > 0)?;
        return Some((CommandPlaceholder::Output(&line[..end]), end + 3));
    }
    let path = rest.strip_prefix('@').filter(|_| starts_word)?;
    let end = path
        .find(|c: char| !(c.is_alphanumeric() || "_./~-".contains(c)))
        .unwrap_or(path.len());
    let path = path[..end].trim_end_matches('.');
    path.contains(['/', '.'])
        .then_some((CommandPlaceholder::File(path), path.len() + 1))
}

fn has_argument(line: &str) -> bool {
    line.split('$')
        .skip(1)
        .any(|after| after.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether the end of a command line in braces can be found: braces are balanced, and it has no other special
/// characters.
fn can_be_run(line: &str) -> bool {
    let mut depth = 0i32;
    let closed = line.chars().all(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth >= 0
    });
    closed && depth == 0 && !line.contains("!{") && !line.contains("@{")
}
