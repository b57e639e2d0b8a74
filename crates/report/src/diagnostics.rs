//! Diagnostics for people: message, location with its line, and help.

use std::collections::BTreeMap;
use std::ops::Range;

use agpm_diag::{
    Diagnostic, Label, Severity, SourceId, SourceMap, Span, codes, fold, fold_locations,
    is_invisible, mask_line_after, visible,
};
use agpm_merge::SecretDisplay;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

/// The style of diagnostics.
#[derive(Clone, Copy, Debug)]
pub struct DiagnosticStyle {
    /// Whether colors are used.
    pub paint: ColorMode,
    /// Whether lines of files are drawn with their secrets.
    pub secrets: SecretDisplay,
    /// The level of detail.
    pub detail: DetailLevel,
}

/// Whether colors are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorMode {
    /// No escape codes.
    Plain,
    /// Escape codes.
    Colour,
}

/// Whether similar findings are shown once, with their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetailLevel {
    /// Repeated findings are folded.
    Folded,
    /// Everything is shown.
    All,
}

/// Lines longer than this are cut around the location; shorter ones are trimmed by the renderer.
const WIDEST_LINE: usize = 4096;

/// How much of a longer line is examined on either side of a location.
const SHOWN_BYTES: usize = WIDEST_LINE / 2;

/// Draws diagnostics, each with a blank line after it.
pub fn draw_diagnostics<'d>(
    found: impl Iterator<Item = &'d Diagnostic>,
    sources: &SourceMap,
    pen: DiagnosticStyle,
) -> String {
    match pen.detail {
        DetailLevel::All => found
            .map(|finding| diagnostic(finding, None, sources, pen))
            .collect(),
        DetailLevel::Folded => {
            let folded = fold(&found.collect::<Vec<_>>(), sources).into_iter();
            folded
                .map(|group| match (fold_locations(group.first), group.others) {
                    (Some((first, more)), None) => diagnostic(&first, Some(&more), sources, pen),
                    (_, others) => diagnostic(group.first, others.as_deref(), sources, pen),
                })
                .collect()
        }
    }
}

fn diagnostic(
    diagnostic: &Diagnostic,
    others: Option<&str>,
    sources: &SourceMap,
    pen: DiagnosticStyle,
) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let message = one_line(&diagnostic.shown_message());
    let excerpts = excerpts(diagnostic, sources, pen.secrets);
    let mut group = Group::with_title(level.primary_title(message).id(diagnostic.code.name));
    for excerpt in &excerpts {
        let labels = excerpt.labels.iter().map(MarkedRange::annotation);
        let snippet = Snippet::source(excerpt.text.as_str())
            .line_start(excerpt.line)
            .annotations(labels);
        group = match excerpt.column {
            None => group.element(snippet.path(excerpt.path.as_str())),
            Some(column) => {
                let origin = Origin::path(excerpt.path.as_str())
                    .line(excerpt.line)
                    .char_column(column);
                group.element(origin).element(snippet)
            }
        };
    }
    let file = file(diagnostic, sources);
    if excerpts.is_empty()
        && let Some(file) = file
    {
        group = group.element(Origin::path(shown_path(file)));
    }
    // Files on the command line are layers named after the file, so the name is shown once.
    if let Some(layer) = diagnostic
        .layer
        .as_deref()
        .filter(|layer| Some(*layer) != file)
    {
        group = group.element(Level::NOTE.message(format!("in layer `{}`", one_line(layer))));
    }
    if let Some(unit) = &diagnostic.unit {
        group = group.element(Level::NOTE.message(format!("in `{}`", one_line(unit))));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(one_line(help)));
    }
    if let Some(others) = others {
        group = group.element(Level::NOTE.message(one_line(others)));
    }
    let renderer = match pen.paint {
        ColorMode::Plain => Renderer::plain(),
        ColorMode::Colour => Renderer::styled(),
    };
    let drawn = renderer.render(&[group]);
    let drawn = if excerpts.is_empty() {
        without_empty_gutter(&drawn)
    } else {
        drawn
    };
    format!("{}\n\n", with_details(&drawn, &diagnostic.details))
}

/// Formats diagnostics as plain lines: message, location and help.
pub fn diagnostic_lines(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(plain_lines).collect()
}

fn plain_lines(found: &Diagnostic) -> String {
    let file = found.file.as_deref();
    let file = file.map(|file| format!(" ({file})")).unwrap_or_default();
    let help = found.help.as_deref();
    let help = help
        .map(|help| format!("help: {help}\n"))
        .unwrap_or_default();
    let details: String = found
        .details
        .iter()
        .map(|line| format!("  {line}\n"))
        .collect();
    format!(
        "{}[{}]: {}{file}\n{details}{help}",
        found.severity,
        found.code.name,
        found.shown_message()
    )
}

/// A drawn diagnostic with lines directly under its message.
fn with_details(drawn: &str, details: &[String]) -> String {
    let lines: String = details
        .iter()
        .map(|line| format!("\n  {}", one_line(line)))
        .collect();
    match drawn.split_once('\n') {
        Some((message, rest)) => format!("{message}{lines}\n{rest}"),
        None => format!("{drawn}{lines}"),
    }
}

/// The renderer leaves room for source lines above notes; without any, it prints a single bar.
fn without_empty_gutter(drawn: &str) -> String {
    let is_bar = |line: &&str| plain(line).trim() == "|";
    drawn
        .lines()
        .filter(|line| !is_bar(line))
        .collect::<Vec<_>>()
        .join("\n")
}

/// A line without its escape codes, which all end with `m`.
fn plain(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once('m').map_or(part, |(_, text)| text));
    rest.fold(first, |line, text| line + text)
}

/// The file concerned.
fn file<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Option<&'a str> {
    let file = diagnostic
        .labels
        .first()
        .map(|label| sources.get(label.source).name.as_str());
    file.or(diagnostic.file.as_deref())
}

/// Consecutive lines of one source, with their labels.
struct SourceExcerpt {
    path: String,
    line: usize,
    /// The column of the first label, if the start of the line is cut off and the renderer cannot count it.
    column: Option<usize>,
    text: String,
    labels: Vec<MarkedRange>,
}

struct MarkedRange {
    range: Range<usize>,
    text: String,
    kind: AnnotationKind,
}

impl MarkedRange {
    fn annotation(&self) -> Annotation<'_> {
        let annotation = self.kind.span(self.range.clone());
        if self.text.is_empty() {
            annotation
        } else {
            annotation.label(self.text.as_str())
        }
    }
}

/// One excerpt for each line that a label is on; the primary label's comes first. An empty text has no line to show.
fn excerpts(
    diagnostic: &Diagnostic,
    sources: &SourceMap,
    secrets: SecretDisplay,
) -> Vec<SourceExcerpt> {
    let mut order: Vec<(SourceId, usize)> = Vec::new();
    let mut by_line: BTreeMap<(SourceId, usize), SourceExcerpt> = BTreeMap::new();
    for (index, label) in diagnostic.labels.iter().enumerate() {
        if sources.get(label.source).text.is_empty() {
            continue;
        }
        let line = sources.line(label.source, label.span.start);
        let key = (label.source, line);
        let kind = if index == 0 {
            AnnotationKind::Primary
        } else {
            AnnotationKind::Context
        };
        let quoting = if *diagnostic.code == codes::MANIFEST_SECRET {
            QuotedParts::KeysOnly
        } else {
            QuotedParts::All
        };
        let (text, range, cut) = marked_line(label, sources, secrets, quoting);
        let excerpt = by_line.entry(key).or_insert_with(|| {
            order.push(key);
            SourceExcerpt {
                path: shown_path(&sources.get(label.source).name),
                line,
                column: cut.then(|| sources.position(label.source, label.span.start).column),
                text: text.clone(),
                labels: Vec::new(),
            }
        });
        // A second label on a long line may be in another part; then it is left out.
        if excerpt.text == text {
            excerpt.labels.push(MarkedRange {
                range,
                text: one_line(&label.text),
                kind,
            });
        }
    }
    order
        .into_iter()
        .filter_map(|key| by_line.remove(&key))
        .collect()
}

/// Returns the label's first line, masked and cut, the range of the label in it, and whether the start was cut off.
fn marked_line(
    label: &Label,
    sources: &SourceMap,
    secrets: SecretDisplay,
    quoting: QuotedParts,
) -> (String, Range<usize>, bool) {
    let source = &sources.get(label.source).text;
    let line = sources.lines_around(
        label.source,
        Span {
            start: label.span.start,
            end: label.span.start,
        },
    );
    let raw = &source[line.range()];
    let bom = raw.len() - raw.trim_start_matches('\u{feff}').len();
    let cut = near(&raw[bom..], (label.span.start - line.start) as usize);
    let (skipped, raw) = (bom + cut.start, &raw[bom..][cut]);
    let offset = |at: u32| {
        (at.saturating_sub(line.start) as usize)
            .saturating_sub(skipped)
            .min(raw.len())
    };
    let chars = |at: usize| {
        raw.char_indices()
            .take_while(|(byte, _)| *byte < at)
            .count()
    };
    // Masking keeps the number of characters, not of bytes.
    let (start, end) = (
        chars(offset(label.span.start)),
        chars(offset(label.span.end.max(label.span.start))),
    );
    let before = &source[..line.start as usize];
    let masked: Vec<char> = match secrets {
        SecretDisplay::Masked if quoting == QuotedParts::KeysOnly => {
            without_values(raw).chars().map(drawable).collect()
        }
        SecretDisplay::Masked => mask_line_after(before, raw).chars().map(drawable).collect(),
        SecretDisplay::Shown => raw.chars().map(drawable).collect(),
    };
    let from = if masked.len() <= WIDEST_LINE {
        0
    } else {
        start.saturating_sub(WIDEST_LINE / 2)
    };
    let upto = masked.len().min(from + WIDEST_LINE);
    let text: String = masked[from..upto].iter().collect();
    let byte = |at: usize| {
        masked[from..at.clamp(from, upto)]
            .iter()
            .map(|c| c.len_utf8())
            .sum::<usize>()
    };
    let range = byte(start)..byte(end);
    let wide = if range.is_empty() {
        range.start..next_char(&text, range.start)
    } else {
        range
    };
    (text, wide, from > 0 || skipped > bom)
}

/// How much of a line is quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QuotedParts {
    /// Everything except values that look like secrets.
    All,
    /// No value: the finding is that one of them is a secret, whatever it looks like.
    KeysOnly,
}

/// Masks everything after the key in a line of a manifest, or all of it if it has no key.
fn without_values(line: &str) -> String {
    let (key, value) = line.split_at(line.find(['=', ':']).map_or(0, |at| at + 1));
    let hidden = |c: char| {
        if c.is_whitespace() || "\"'{}[],=".contains(c) {
            c
        } else {
            '*'
        }
    };
    key.chars().chain(value.chars().map(hidden)).collect()
}

/// Returns a visible form of a character in a quoted line. The renderer handles ASCII control characters; every other
/// one that moves the cursor or hides text is replaced by a symbol, so columns stay.
fn drawable(c: char) -> char {
    let is_old = c.is_ascii_control();
    if !is_old && (c.is_control() || is_invisible(c)) && c != '\u{200d}' {
        char::REPLACEMENT_CHARACTER
    } else {
        c
    }
}

/// Returns the part of a very long line around a byte, so the rest is not processed.
fn near(line: &str, byte: usize) -> Range<usize> {
    if line.len() <= WIDEST_LINE {
        return 0..line.len();
    }
    let char_at = |at: usize| {
        (0..=at.min(line.len()))
            .rev()
            .find(|at| line.is_char_boundary(*at))
            .unwrap_or(0)
    };
    char_at(byte.saturating_sub(SHOWN_BYTES))..char_at(byte + SHOWN_BYTES)
}

fn next_char(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(at, |c| at + c.len_utf8())
}

/// Returns untrusted text on one line, in which nothing can move the cursor or hide other text.
pub fn one_line(text: &str) -> String {
    let plain = |c: char| match c {
        '\n' | '\r' | '\t' => " ".to_owned(),
        // Joins the parts of an emoji.
        '\u{200d}' => c.to_string(),
        c if c.is_control() || is_invisible(c) => c.escape_default().to_string(),
        c => c.to_string(),
    };
    text.chars().map(plain).collect()
}

/// Returns untrusted text in which nothing can move the cursor or hide other text.
pub fn printable(text: &str) -> String {
    let plain = |c: char| match c {
        '\n' | '\t' | '\u{200c}' | '\u{200d}' => c.to_string(),
        c if c.is_control() || is_invisible(c) => c.escape_default().to_string(),
        c => c.to_string(),
    };
    if text.chars().any(|c| c.is_control() || is_invisible(c)) {
        text.chars().map(plain).collect()
    } else {
        text.to_owned()
    }
}

/// Returns the name of a file with every character visible, because names may contain anything.
fn shown_path(path: &str) -> String {
    visible(path)
}
