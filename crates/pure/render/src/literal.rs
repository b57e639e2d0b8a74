//! Markdown whose fences marked `literal` are left alone.

use std::ops::Range;

use agpm_text::Value;

use crate::{RenderError, render};

/// The word of a code fence whose content is left alone.
const LITERAL: &str = "literal";

/// Fills a Markdown template; places in errors are those of `text`.
pub fn render_markdown(text: &str, context: &Value) -> Result<String, RenderError> {
    let literals = literals(text);
    let mut template = text.to_owned();
    for (number, range) in literals.iter().enumerate().rev() {
        template.replace_range(range.clone(), &placeholder(number));
    }
    let mut filled = render(&template, context).map_err(|error| in_text(error, &literals))?;
    for (number, range) in literals.iter().enumerate() {
        filled = filled.replacen(&placeholder(number), &text[range.clone()], 1);
    }
    Ok(filled)
}

/// An error with its place as it is in the text with the literals.
fn in_text(mut error: RenderError, literals: &[Range<usize>]) -> RenderError {
    let original = |at: usize| {
        literals.iter().enumerate().fold(at, |at, (number, range)| match at > range.start {
            true => at + range.len() - placeholder(number).len(),
            false => at,
        })
    };
    error.range = error.range.map(|range| original(range.start)..original(range.end));
    error
}

fn placeholder(number: usize) -> String {
    format!("\u{1}literal {number}\u{1}")
}

/// The contents of fences that are marked to be left alone.
fn literals(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    // The fence that is open, where its content begins, and whether it is marked.
    let mut open: Option<(&str, usize, bool)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let fence = fence(line);
        match (open, fence) {
            (Some((opened, start, marked)), Some((closing, ""))) if closing.starts_with(opened) => {
                found.extend(marked.then_some(start..at));
                open = None;
            }
            (None, Some((fence, info))) => {
                let marked = info.split(|c: char| !c.is_alphanumeric()).any(|word| word == LITERAL);
                open = Some((fence, at + line.len(), marked));
            }
            _ => {}
        }
        at += line.len();
    }
    // A fence without an end reaches to the end of the text.
    found.extend(open.filter(|(_, _, marked)| *marked).map(|(_, start, _)| start..text.len()));
    found.into_iter().filter(|range| !range.is_empty()).collect()
}

/// The marks of a fence and what stands behind them.
fn fence(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let marks = line.len() - line.trim_start_matches(mark).len();
    (marks >= 3).then(|| (&line[..marks], line[marks..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_marked_literal_are_found() {
        let text = "a\n```literal\n{{ x }}\n```\n```rust\ny\n```\n~~~~ {.literal}\n~~~\nz\n~~~~\n``` md,literal\nend\n";
        let found: Vec<&str> = literals(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["{{ x }}\n", "~~~\nz\n", "end\n"]);
    }

    #[test]
    fn errors_point_into_the_text_with_its_literals() {
        let text = "```literal\n{{ a long literal that is left alone, longer than what stands for it }}\n```\n{{ agpm.x }}";
        let context = Value::map([("agpm", Value::Map(Vec::new()))]);
        let error = render_markdown(text, &context).expect_err("undefined");
        assert_eq!(&text[error.range.expect("a place")], "agpm.x");
    }
}
