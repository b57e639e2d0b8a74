//! Joins bodies of Markdown and text files from low to high, and records the layer of each line.

use std::ops::Range;

use agpm_model::{BodySeparator, LayerName};

/// A segment of a joined body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodySegment {
    /// The index of its contribution, from the lowest.
    pub layer: u32,
    /// The range in the contribution's text.
    pub from: Range<usize>,
    /// The range in the result.
    pub to: Range<usize>,
}

/// The text between two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyJoint {
    Markdown(BodySeparator),
    Text,
}

/// One layer's body.
pub(crate) struct BodyPart<'a> {
    pub(crate) layer: u32,
    pub(crate) name: &'a LayerName,
    pub(crate) text: &'a str,
    pub(crate) range: Range<usize>,
}

/// Joins bodies, lowest first, onto `out`. Blank bodies are skipped.
pub(crate) fn join(
    parts: &[BodyPart<'_>],
    joint: BodyJoint,
    newline: &str,
    out: &mut String,
) -> Vec<BodySegment> {
    let mut segments = Vec::new();
    let mut put = |out: &mut String, part: &BodyPart<'_>, from: Range<usize>| {
        let start = out.len();
        out.push_str(&part.text[from.clone()]);
        segments.push(BodySegment {
            layer: part.layer,
            from,
            to: start..out.len(),
        });
    };
    let shebang = parts
        .iter()
        .rev()
        .find_map(|part| Some((part, shebang(part)?)));
    if let (BodyJoint::Text, Some((part, line))) = (joint, shebang) {
        put(out, part, line);
        end_line(out, newline);
    }
    let non_blank: Vec<(&BodyPart<'_>, Range<usize>)> = parts
        .iter()
        .map(|part| {
            (
                part,
                if joint == BodyJoint::Text {
                    after_shebang(part)
                } else {
                    part.range.clone()
                },
            )
        })
        .filter(|(part, range)| !part.text[range.clone()].trim().is_empty())
        .collect();
    for (index, (part, range)) in non_blank.iter().enumerate() {
        let text = &part.text[range.clone()];
        let mut from = range.clone();
        if index > 0 {
            from.start += text.len() - text.trim_start_matches(['\r', '\n']).len();
            out.push_str(&separator_text(joint, part.name, newline));
        }
        if index + 1 < non_blank.len() {
            from.end -= text.len() - text.trim_end_matches(['\r', '\n']).len();
        }
        put(out, part, from);
        if index + 1 < non_blank.len() {
            end_line(out, newline);
        }
    }
    segments
}

/// Markdown needs the blank lines: `---` right under a paragraph would turn it into a heading.
fn separator_text(joint: BodyJoint, layer: &LayerName, newline: &str) -> String {
    let line = match joint {
        BodyJoint::Markdown(BodySeparator::None) => return newline.to_owned(),
        BodyJoint::Markdown(BodySeparator::Rule) => "---".to_owned(),
        BodyJoint::Markdown(BodySeparator::Heading) => format!("## {layer}"),
        BodyJoint::Markdown(BodySeparator::Comment) => {
            format!("<!-- layer: {} -->", layer.as_str().replace("--", "- -"))
        }
        BodyJoint::Text => format!("--- {layer} ---"),
    };
    format!("{newline}{line}{newline}{newline}")
}

fn end_line(out: &mut String, newline: &str) {
    if !out.ends_with('\n') {
        out.push_str(newline);
    }
}

fn shebang(part: &BodyPart<'_>) -> Option<Range<usize>> {
    let text = &part.text[part.range.clone()];
    let line = text
        .split_inclusive('\n')
        .next()
        .filter(|line| line.starts_with("#!"))?;
    Some(part.range.start..part.range.start + line.len())
}

fn after_shebang(part: &BodyPart<'_>) -> Range<usize> {
    shebang(part).map_or(part.range.start, |line| line.end)..part.range.end
}
