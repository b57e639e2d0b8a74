//! Findings about a manifest with syntax errors. A finding must still hold after the syntax errors are fixed, so
//! anything that they may have caused is dropped.

use std::ops::{Range, RangeInclusive};

use agpm_diag::{Diagnostic, Label, SourceId, SourceSpan, codes};
use agpm_text::{Document, NodeKind, NodeRef};

use crate::limits::MOST_SYNTAX_ERRORS;

/// The findings that the syntax errors cannot have caused.
pub(super) fn beside_syntax_errors<'d>(
    found: Vec<Diagnostic>,
    documents: impl Iterator<Item = &'d Document>,
    errors: &[SourceSpan],
) -> Vec<Diagnostic> {
    if errors.is_empty() {
        return found;
    }
    if errors.len() > MOST_SYNTAX_ERRORS {
        return Vec::new();
    }
    let broken: Vec<BrokenText<'_>> = documents
        .map(|document| BrokenText::new(document, errors))
        .collect();
    let is_certain = |one: &Diagnostic, label: &Label| {
        let text = broken.iter().find(|text| text.source == label.source);
        let is_key = *one.code == codes::MANIFEST_UNKNOWN_KEY;
        text.is_some_and(|text| {
            !text.is_in_brackets(label)
                && (text.is_in_sound_section(label) || is_key && text.is_certain_key(label))
        })
    };
    let all_certain = |one: &Diagnostic| one.labels.iter().all(|label| is_certain(one, label));
    found.into_iter().filter(all_certain).collect()
}

/// Text and the positions of its syntax errors.
struct BrokenText<'t> {
    source: SourceId,
    text: &'t str,
    errors: Vec<usize>,
    lines: Vec<usize>,
    /// Starts of lines that look like a table header. One inside a list only makes a section shorter.
    headers: Vec<usize>,
    /// Lists and inline tables with an error inside.
    brackets: Vec<RangeInclusive<usize>>,
}

impl<'t> BrokenText<'t> {
    fn new(document: &'t Document, errors: &[SourceSpan]) -> Self {
        let (source, text): (SourceId, &str) = (document.source(), document.text());
        let errors_here = errors.iter().filter(|error| error.source == source);
        let mut lines = vec![0];
        lines.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        let is_header = |start: &usize| is_header(text, *start);
        let mut broken = BrokenText {
            source,
            text,
            errors: errors_here.map(|error| error.span.start as usize).collect(),
            headers: lines.iter().copied().filter(is_header).collect(),
            lines,
            brackets: Vec::new(),
        };
        if let Some(root) = document.root() {
            broken.collect_brackets(root);
        }
        broken
    }

    fn collect_brackets(&mut self, node: NodeRef<'_>) {
        for (key, value) in node.entries() {
            let is_beside_its_key = value.span().start >= key.span().end;
            if is_beside_its_key {
                self.add_brackets(value);
            }
            self.collect_brackets(value);
        }
        for item in node.items() {
            self.collect_brackets(item);
        }
    }

    fn add_brackets(&mut self, value: NodeRef<'_>) {
        let range = value.span().start as usize..=value.span().end as usize;
        if !matches!(value.kind(), NodeKind::List | NodeKind::Map) || self.is_sound(&range) {
            return;
        }
        // The intended end of brackets on several lines is unknown, and so is what follows them.
        let is_on_one_line = !self.text[value.span().range()].contains('\n');
        let end = if is_on_one_line {
            *range.end()
        } else {
            self.text.len()
        };
        self.brackets.push(*range.start()..=end);
    }

    /// A key is certain if its section is valid up to its line, or if braces on one line contain it and the section has
    /// no line that may be a broken header.
    fn is_certain_key(&self, key: &Label) -> bool {
        let (start, end) = (key.span.start as usize, key.span.end as usize);
        let line = self.around(&self.lines, start);
        let section = self.around(&self.headers, start);
        let up_to_key = *section.start()..=*self.around(&self.lines, end).end();
        let in_braces = self.text[*line.start()..start].contains('{')
            && self.text[start..*line.end()].trim_end().ends_with('}');
        let has_broken_header = self
            .errors
            .iter()
            .any(|error| up_to_key.contains(error) && !is_entry(&self.text[self.line_of(*error)]));
        self.is_sound(&up_to_key) || in_braces && self.is_sound(&line) && !has_broken_header
    }

    fn line_of(&self, at: usize) -> Range<usize> {
        let line = self.around(&self.lines, at);
        *line.start()..*line.end()
    }

    fn is_in_brackets(&self, label: &Label) -> bool {
        let at = label.span.start as usize;
        self.brackets.iter().any(|range| range.contains(&at))
    }

    fn is_in_sound_section(&self, label: &Label) -> bool {
        self.is_sound(&self.around(&self.headers, label.span.start as usize))
    }

    fn is_sound(&self, range: &RangeInclusive<usize>) -> bool {
        !self.errors.iter().any(|error| range.contains(error))
    }

    /// From the last of these starts up to a position to the end of the line before the next one.
    fn around(&self, starts: &[usize], at: usize) -> RangeInclusive<usize> {
        let next = starts.partition_point(|start| *start <= at);
        let start = next.checked_sub(1).map_or(0, |last| starts[last]);
        let end = starts.get(next).map_or(self.text.len(), |next| next - 1);
        start..=end
    }
}

/// Whether a line looks like a table header, and not like the value of a line that ends in `=`.
fn is_header(text: &str, start: usize) -> bool {
    let line = text[start..].trim_start_matches([' ', '\t']);
    line.starts_with('[') && !text[..start].trim_end().ends_with('=')
}

/// Whether a line has a key and a value, however malformed, and cannot be a header.
fn is_entry(line: &str) -> bool {
    let key = line.split_once('=').map_or("", |(key, _)| key.trim());
    !key.is_empty() && !key.contains(['[', ']'])
}

#[cfg(test)]
mod tests {
    use agpm_diag::SourceMap;
    use agpm_text::{Format, Limits, parse};

    use super::*;
    use crate::{InstallScope, Manifest, ManifestTexts, SectionEntry};

    /// The messages about a manifest next to its syntax errors.
    fn messages(text: &str) -> Vec<String> {
        let source = SourceMap::default().add("agpm.toml", text);
        let parsed = parse(source, text, Format::Toml, Limits::default());
        let errors: Vec<SourceSpan> = parsed
            .diagnostics
            .iter()
            .map(|found| SourceSpan {
                source,
                span: found.labels[0].span,
            })
            .collect();
        assert!(!errors.is_empty(), "{text}");
        let root = parsed.document.root();
        let section = |name: &str| root.and_then(|root| root.get(name));
        let texts = ManifestTexts {
            scope: InstallScope::Project,
            project: &parsed.document,
            manifest: &parsed.document,
            bases: &[],
            private: None,
            config: None,
            entries: &|name| {
                let entries = section(name).into_iter().flat_map(NodeRef::entries);
                entries
                    .map(|(key, value)| SectionEntry { key, value })
                    .collect()
            },
            syntax_errors: &errors,
        };
        let found = Manifest::read(&texts).1.into_iter();
        found.map(|one| one.message).collect()
    }

    #[test]
    fn mistakes_that_the_error_did_not_cause_are_found() {
        for (text, expected) in [
            (
                "[agents]\na = \"a.md\n[soruces]\n",
                &["a manifest has no key `soruces`"][..],
            ),
            // Up to the error, and on its own line after it.
            (
                "[agents]\na = { path = \"a\", tol = 1 }\nb = \"b\nc = { path = \"c\", vesion = 1 }\n",
                &[
                    "a dependency has no key `tol`",
                    "a dependency has no key `vesion`",
                ],
            ),
            (
                "[agents]\na = 1\n[snippets]\nb = x.md\n",
                &["a dependency is a number"],
            ),
            (
                "[[layers]]\nname = \"a\"\npath = \"a\"\nrot = 1\n[sources\nhub = \"https://h.example\"\n",
                &["a layer has no key `rot`"],
            ),
        ] {
            assert_eq!(messages(text), expected, "{text}");
        }
    }

    #[test]
    fn consequences_of_a_syntax_error_are_not_reported() {
        for text in [
            // A broken header: the keys under it belong to no table.
            "[agents\na = { path = \"a.md\" }\n",
            "agents]\na = { path = \"a.md\" }\nb = \"b.md\"\n",
            "[[layers]\nname = \"a\"\npth = \"x\"\n",
            // A broken line: its key is missing.
            "[[layers]]\nname = \"a\npath = \"x\"\n",
            "[[layers]]\npath = \"a\nname = \"x\"\n",
            "[tools.own]\npath = \".own\n[tools.own.resources]\nagents = { path = \"a\" }\n",
            "[agents]\na = { path \"a\", version = \"v1\" }\n",
            // A source, tool, strategy or resource that other entries name.
            "[sources]\nhub = \"https://h.example\n[agents]\na = { source = \"hub\", path = \"a.md\" }\n",
            "[tools.own\npath = \".own\"\n[agents]\na = { tool = \"own\", path = \"a.md\" }\n",
            "[strategies.own\nlists = \"union\"\n[merge]\n\"*.json\" = \"own\"\n",
            "[agents]\na = \"a.md\n[patch.agents.b]\nmodel = \"x\"\n",
            "[agents\na = \"a.md\"\n[patch.agents.a]\nmodel = \"x\"\n",
            "[sources\nhub = \"https://h.example\"\n[catalog]\nremotes = [\"hub\"]\n",
            // Unclosed brackets swallow what follows.
            "[agents]\na = { path = \"a.md\"\nb = { path = \"b.md\" }\n",
            "[[layers]]\nname = \"a\"\npath = \"a\"\ninclude = [\n\"x\"\n\n[agents]\na = \"a.md\"\n",
            "[agents]\na = \"\"\"a.md\nb = 1\n[sorces]\n",
            "[agents]\na = [\nb = { pth = 1 }\n",
            "= 1\n[agents]\na = \"a.md\"\n",
        ] {
            assert_eq!(messages(text), Vec::<String>::new(), "{text}");
        }
    }
}
