//! Finds the layer or resource of each line of an effective file.

use agpm_text::{Document, Format, NodeRef, Pointer, parse_alone};
use serde::Serialize;

use crate::provenance::Provenance;

/// A line of a file, and its origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlameLine {
    /// The number of the line, from one.
    pub line: usize,
    /// The layer or resource; `None` for text of the user.
    pub layer: Option<String>,
    /// The line itself.
    pub text: String,
}

/// The origins of the lines of a file. A line that several layers share, such as a brace, belongs to the lowest;
/// `ranks` has their names, lowest first, and any other name is lower than all of them.
pub fn blame_lines(
    text: &str,
    format: Option<Format>,
    provenance: &Provenance,
    ranks: &[String],
) -> Vec<BlameLine> {
    let mut marks = LineMarks::new(text, ranks);
    if let Some(format) = format {
        marks.add_values(&parse_alone(text.to_owned(), format).document, provenance);
    }
    for part in &provenance.body {
        let (first, last) = part.lines;
        marks.add(first..=last, Some(&part.layer));
    }
    let leaves = provenance.leaves.iter().map(|leaf| leaf.layer.as_str());
    let layers = leaves.chain(provenance.body.iter().map(|part| part.layer.as_str()));
    let lowest = layers.min_by_key(|layer| marks.rank(layer));
    let line = |(at, text): (usize, &str)| BlameLine {
        line: at + 1,
        layer: match &marks.lines[at] {
            Mark::Unknown => lowest.map(str::to_owned),
            Mark::User => None,
            Mark::Layer(layer) => Some((*layer).to_owned()),
        },
        text: text.to_owned(),
    };
    text.lines().enumerate().map(line).collect()
}

/// The owner of a line.
#[derive(Clone, Copy)]
enum Mark<'p> {
    Unknown,
    User,
    Layer(&'p str),
}

struct LineMarks<'p> {
    /// The start of each line.
    starts: Vec<usize>,
    lines: Vec<Mark<'p>>,
    ranks: &'p [String],
}

impl<'p> LineMarks<'p> {
    fn new(text: &str, ranks: &'p [String]) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts: Vec<usize> = std::iter::once(0)
            .chain(breaks.map(|(at, _)| at + 1))
            .collect();
        LineMarks {
            lines: vec![Mark::Unknown; starts.len()],
            starts,
            ranks,
        }
    }

    fn rank(&self, layer: &str) -> usize {
        let rank = self.ranks.iter().position(|name| name == layer);
        rank.map_or(0, |at| at + 1)
    }

    fn line_of(&self, offset: u32) -> usize {
        let offset = offset as usize;
        self.starts.partition_point(|start| *start <= offset)
    }

    /// Marks every leaf of the document with the layer of its value.
    fn add_values(&mut self, document: &Document, provenance: &'p Provenance) {
        let root = document.root().map(|root| (Pointer::root(), None, root));
        let mut open: Vec<(Pointer, Option<NodeRef<'_>>, NodeRef<'_>)> = root.into_iter().collect();
        while let Some((pointer, key, node)) = open.pop() {
            let entries = node.entries();
            let items = node.items().enumerate();
            if entries.len() == 0 && items.len() == 0 {
                let mut leaves = provenance.leaves.iter();
                let leaf = leaves.find(|leaf| leaf.pointer == pointer);
                let start = key.unwrap_or(node).span().start;
                let end = node.span().end.saturating_sub(1).max(start);
                let lines = self.line_of(start)..=self.line_of(end);
                self.add(lines, leaf.map(|leaf| leaf.layer.as_str()));
                continue;
            }
            open.extend(
                entries.map(|(key, value)| (pointer.child(key.content()), Some(key), value)),
            );
            open.extend(items.map(|(at, item)| (pointer.child(at.to_string()), None, item)));
        }
    }

    fn add(&mut self, lines: std::ops::RangeInclusive<usize>, layer: Option<&'p str>) {
        for line in lines {
            let Some(at) = line.checked_sub(1).filter(|at| *at < self.lines.len()) else {
                continue;
            };
            self.lines[at] = match (self.lines[at], layer) {
                (Mark::Layer(current), Some(layer)) if self.rank(current) <= self.rank(layer) => {
                    Mark::Layer(current)
                }
                (Mark::Layer(current), None) => Mark::Layer(current),
                (_, Some(layer)) => Mark::Layer(layer),
                (_, None) => Mark::User,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provenance::{BodyLines, ExplainedLeaf};

    fn leaf(pointer: &str, layer: &str) -> ExplainedLeaf {
        ExplainedLeaf {
            pointer: pointer.parse().unwrap(),
            value: "x".into(),
            layer: layer.to_owned(),
            file: String::new(),
            line: 1,
            operation: "only",
            shadows: Vec::new(),
        }
    }

    fn layers(lines: &[BlameLine]) -> Vec<&str> {
        let layers = lines.iter();
        layers
            .map(|line| line.layer.as_deref().unwrap_or("-"))
            .collect()
    }

    #[test]
    fn a_line_has_the_layer_of_its_value_and_a_shared_one_the_lowest() {
        let text = "{\n  \"model\": \"opus\",\n  \"own\": 1,\n  \"allow\": [\"a\", \"b\"],\n  \"list\": [\n    \"c\"\n  ]\n}\n";
        let provenance = Provenance {
            leaves: vec![
                leaf("/model", "team"),
                leaf("/allow/0", "team"),
                leaf("/allow/1", "org"),
                leaf("/list/0", "you"),
            ],
            ..Provenance::default()
        };
        let ranks = ["org", "team", "you"].map(str::to_owned);
        let lines = blame_lines(text, Some(Format::Json), &provenance, &ranks);
        assert_eq!(
            layers(&lines),
            ["org", "team", "-", "org", "org", "you", "org", "org"]
        );
        assert_eq!(lines[5].text, "    \"c\"");
        assert_eq!(lines[5].line, 6);
    }

    #[test]
    fn lines_of_a_body_have_the_layer_that_wrote_them() {
        let part = |lines, layer: &str| BodyLines {
            lines,
            layer: layer.to_owned(),
            file: String::new(),
            from: lines,
        };
        let provenance = Provenance {
            body: vec![part((1, 2), "org"), part((4, 4), "team")],
            ..Provenance::default()
        };
        let ranks = ["org", "team"].map(str::to_owned);
        let lines = blame_lines("one\ntwo\n\nthree\n", None, &provenance, &ranks);
        assert_eq!(layers(&lines), ["org", "org", "org", "team"]);
    }
}
