//! Renders Markdown except for fences marked `literal`.

use std::ops::Range;

use crate::limits::LARGEST_OUTPUT;
use crate::{RenderError, RenderedTemplate, TemplateFiles, TemplateNames, TemplateRenderer};

/// The mark of a code fence whose content is not rendered.
const LITERAL: &str = "literal";
/// The markers around the index of a literal while its text is removed.
const OPEN: &str = "\u{1}literal ";
const CLOSE: char = '\u{1}';

impl TemplateRenderer {
    /// Renders a Markdown template; positions in errors refer to `text`.
    pub fn render_markdown(
        &self,
        text: &str,
        names: &TemplateNames,
        files: &TemplateFiles,
    ) -> Result<RenderedTemplate, RenderError> {
        let literals = literals(text);
        if literals.is_empty() {
            return self.render(text, names, files);
        }
        let template = without(text, &literals);
        match self
            .render(&template, names, files)
            .map_err(|error| in_text(error, &literals))?
        {
            RenderedTemplate::Text { text: filled, read } => {
                let literals: Vec<&str> = literals.into_iter().map(|range| &text[range]).collect();
                Ok(RenderedTemplate::Text {
                    text: put_back(&filled, &literals)?,
                    read,
                })
            }
            needs @ RenderedTemplate::Needs(_) => Ok(needs),
        }
    }
}

/// The text with each literal replaced by a short marker.
fn without(text: &str, literals: &[Range<usize>]) -> String {
    let mut template = String::with_capacity(text.len());
    let mut at = 0;
    for (number, range) in literals.iter().enumerate() {
        template.push_str(&text[at..range.start]);
        template.push_str(&placeholder(number));
        at = range.end;
    }
    template.push_str(&text[at..]);
    template
}

/// Restores the literals, each as often as the template outputs its marker.
fn put_back(filled: &str, literals: &[&str]) -> Result<String, RenderError> {
    let mut out = String::with_capacity(filled.len());
    let mut pieces = filled.split(OPEN);
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let placed = piece
            .split_once(CLOSE)
            .and_then(|(number, rest)| Some((*literals.get(number.parse::<usize>().ok()?)?, rest)));
        let (literal, rest) = placed.unwrap_or((OPEN, piece));
        if out.len() + literal.len() + rest.len() > LARGEST_OUTPUT {
            return Err(RenderError::too_large());
        }
        out.extend([literal, rest]);
    }
    Ok(out)
}

/// An error with its position in the original text.
fn in_text(mut error: RenderError, literals: &[Range<usize>]) -> RenderError {
    let original = |at: usize| {
        literals.iter().enumerate().fold(at, |at, (number, range)| {
            if at > range.start {
                at + range.len() - placeholder(number).len()
            } else {
                at
            }
        })
    };
    error.range = error
        .range
        .map(|range| original(range.start)..original(range.end));
    error
}

fn placeholder(number: usize) -> String {
    format!("{OPEN}{number}{CLOSE}")
}

/// The contents of fences marked `literal`.
fn literals(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // The open fence, the start of its content, and whether it is marked.
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
                let marked = info
                    .split(|c: char| !c.is_alphanumeric())
                    .any(|word| word == LITERAL);
                open = Some((fence, at + line.len(), marked));
            }
            _ => {}
        }
        at += line.len();
    }
    // An unclosed fence extends to the end of the text.
    found.extend(
        open.filter(|(_, _, marked)| *marked)
            .map(|(_, start, _)| start..text.len()),
    );
    found
        .into_iter()
        .filter(|range| !range.is_empty())
        .collect()
}

/// The marks of a fence and what follows them.
fn fence(line: &str) -> Option<(&str, &str)> {
    let line = inside(line).trim();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let marks = line.len() - line.trim_start_matches(mark).len();
    (marks >= 3).then(|| (&line[..marks], line[marks..].trim()))
}

/// A line without the marks of its quotes and lists.
fn inside(line: &str) -> &str {
    let mut line = line.trim_start();
    loop {
        let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let counted = Some(number).filter(|rest| rest.len() < line.len());
        let item =
            counted.and_then(|rest| rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")));
        let marks = [">", "- ", "* ", "+ "]
            .iter()
            .find_map(|mark| line.strip_prefix(mark));
        match marks.or(item) {
            Some(rest) => line = rest.trim_start(),
            None => return line,
        }
    }
}

#[cfg(test)]
mod tests {
    use agpm_text::Value;

    use super::*;

    #[test]
    fn fences_marked_literal_are_found() {
        let text = "a\n```literal\n{{ x }}\n```\n```rust\ny\n```\n~~~~ {.literal}\n~~~\nz\n~~~~\n``` md,literal\nend\n";
        let found: Vec<&str> = literals(text)
            .into_iter()
            .map(|range| &text[range])
            .collect();
        assert_eq!(found, ["{{ x }}\n", "~~~\nz\n", "end\n"]);
        let nested = "> ```literal\n> {{ x }}\n> ```\n1. - ```literal\n     {{ y }}\n     ```\n";
        let found: Vec<&str> = literals(nested)
            .into_iter()
            .map(|range| &nested[range])
            .collect();
        assert_eq!(found, ["> {{ x }}\n", "     {{ y }}\n"]);
    }

    #[test]
    fn errors_point_into_the_text_with_its_literals() {
        let text = "```literal\n{{ a long literal that is left alone, longer than what stands for it }}\n```\n{{ agpm.x }}";
        let context = Value::map([("agpm", Value::Map(Vec::new()))]);
        let (names, files) = (TemplateNames::new(&context), TemplateFiles::default());
        let error = TemplateRenderer::new()
            .render_markdown(text, &names, &files)
            .expect_err("undefined");
        assert_eq!(&text[error.range.expect("a place")], "agpm.x");
    }
}
