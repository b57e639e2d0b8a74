//! Reports rendered for standard output, with the context that they need.

use std::io::{self, Write};
use std::time::Duration;

use crate::diagnostic_fields::report_all;
use agpm_diag::FailureKind;
use agpm_diag::{Diagnostic, Severity, SourceMap};
use agpm_merge::FileBytes;
use agpm_text::{Format, parse_alone, print, to_json};
use serde::Serialize;

use crate::command_scope::CommandScope;
use crate::diagnostics::{ColorMode, DiagnosticStyle, draw_diagnostics};
use crate::envelope::ReportDocument;
use crate::styled::StyledLine;

/// A report, ready for standard output.
pub enum RenderedReport {
    /// Text for people, in which nothing can move a terminal's cursor or hide; diagnostics go to standard error.
    Text(String),
    /// Text in its own format, byte for byte; diagnostics go to standard error.
    Data(String),
    /// Text with a style for each part of a line, for a terminal with colors.
    Lines(Vec<StyledLine>),
    /// The result of a change, with styles; `-q` hides it.
    DoneLines(Vec<StyledLine>),
    /// The result of a change, in steps that a terminal shows one after the other; `-q` hides it.
    Steps(Vec<Vec<StyledLine>>),
    /// The result of a change, which `-q` hides; diagnostics go to standard error.
    Done(String),
    /// A note that a list is empty. It goes to standard error like the diagnostics, and `-q` hides it.
    Empty(&'static str),
    /// A file's bytes; diagnostics go to standard error.
    Bytes(Vec<u8>),
    /// A file's content; diagnostics go to standard error.
    Pieces(FileBytes),
    /// Content that writes itself; diagnostics go to standard error.
    Stream(PieceWriter),
    /// A document that holds the diagnostics.
    Report(String),
    /// A document that writes itself.
    ReportStream(PieceWriter),
}

/// The terminal or file that results go to.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// Its columns, if it is a terminal.
    pub width: Option<usize>,
    /// Whether colors are used.
    pub color: ColorMode,
    /// How long the command took, for people who wait at a terminal.
    pub elapsed: Option<Duration>,
}

impl Screen {
    /// A file or a pipe.
    pub const FILE: Screen = Screen {
        width: None,
        color: ColorMode::Plain,
        elapsed: None,
    };
}

/// Writes text piece by piece.
pub type PieceWriter = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()>>;

/// Whether a report contains something that makes the command fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The command succeeded.
    Good,
    /// The command has findings.
    Findings,
    /// The command fails, as this kind of failure.
    As(FailureKind),
}

/// The context that a report may need.
pub struct RenderContext<'a> {
    /// The findings of the command.
    pub diagnostics: &'a [Diagnostic],
    /// The strings that diagnostics point into.
    pub sources: &'a SourceMap,
    /// Whether a JSON document is wanted.
    pub json: bool,
    /// Whether only errors and results are wanted.
    pub quiet: bool,
    /// Whether the report holds findings.
    pub verdict: Verdict,
    /// The style of diagnostics.
    pub pen: DiagnosticStyle,
    /// The terminal or file that gets the report.
    pub screen: Screen,
    /// The options that suggested commands need to act on the same project.
    pub commands: &'a CommandScope,
}

/// Formats the JSON document as YAML, so both have the same content.
pub(crate) fn to_yaml<R: Serialize>(report: &R) -> String {
    let parsed = parse_alone(to_json(report), Format::Json);
    let root = parsed.document.root();
    root.and_then(|root| print(root, Format::Yaml).ok())
        .unwrap_or_default()
}

/// A list of a JSON document that is too large to be built as one value.
pub(crate) struct ListDocument {
    pub(crate) key: &'static str,
    pub(crate) is_empty: bool,
    /// Writes the items with a comma between them, in lines that begin with `LIST_INDENT`.
    pub(crate) write_items: PieceWriter,
}

/// How the lines of such a list begin.
pub(crate) const LIST_INDENT: &str = "    ";

impl RenderContext<'_> {
    /// The diagnostics as people read them, for commands whose results they are.
    pub(crate) fn drawn_diagnostics(&self) -> String {
        let is_shown = |found: &&Diagnostic| !self.quiet || found.severity == Severity::Error;
        let diagnostics = self.diagnostics.iter().filter(is_shown);
        draw_diagnostics(diagnostics, self.sources, self.pen)
    }

    /// The report as a JSON document, with the diagnostics.
    pub(crate) fn document<R: Serialize>(&self, report: &R) -> RenderedReport {
        let document = ReportDocument::new(report, self.diagnostics, self.sources);
        RenderedReport::Report(match self.verdict {
            Verdict::Good => to_json(&document),
            Verdict::Findings | Verdict::As(_) => to_json(&document.with_findings()),
        })
    }

    /// Renders a report of one list whose items write themselves, each on its own line.
    pub(crate) fn list_document(&self, list: ListDocument) -> RenderedReport {
        let diagnostics = to_json(&report_all(self.diagnostics, self.sources));
        // The indent of the document; a line break in a string is always escaped.
        let diagnostics = diagnostics.trim_end().replace('\n', "\n  ");
        RenderedReport::ReportStream(Box::new(move |out| {
            write!(out, "{{\n  \"ok\": true,\n  \"{}\": [", list.key)?;
            if list.is_empty {
                out.write_all(b"]")?;
            } else {
                out.write_all(b"\n")?;
                (list.write_items)(out)?;
                out.write_all(b"\n  ]")?;
            }
            writeln!(out, ",\n  \"diagnostics\": {diagnostics}\n}}")
        }))
    }
}

#[cfg(test)]
mod tests {
    use agpm_diag::codes;
    use agpm_merge::SecretDisplay;

    use super::*;
    use crate::diagnostics::DetailLevel;

    #[derive(Serialize)]
    struct Rows {
        rows: Vec<Option<usize>>,
    }

    static NEAREST: CommandScope = CommandScope {
        options: String::new(),
        project_commands: Vec::new(),
        global_commands: Vec::new(),
    };

    fn context<'a>(
        diagnostics: &'a [Diagnostic],
        sources: &'a SourceMap,
        verdict: Verdict,
    ) -> RenderContext<'a> {
        RenderContext {
            diagnostics,
            sources,
            json: true,
            quiet: false,
            verdict,
            pen: DiagnosticStyle {
                paint: ColorMode::Plain,
                secrets: SecretDisplay::Masked,
                detail: DetailLevel::Folded,
            },
            screen: Screen::FILE,
            commands: &NEAREST,
        }
    }

    fn written(rendering: RenderedReport) -> String {
        match rendering {
            RenderedReport::Report(text) => text,
            RenderedReport::ReportStream(write) => {
                let mut out = Vec::new();
                write(&mut out).unwrap();
                String::from_utf8(out).unwrap()
            }
            _ => panic!("a document is a report"),
        }
    }

    #[test]
    fn a_document_is_the_report_among_ok_and_diagnostics() {
        let (found, sources) = (
            [Diagnostic::new(&codes::USAGE, "wrong").help("right")],
            SourceMap::default(),
        );
        let report = Rows { rows: vec![None] };
        let text = written(context(&found, &sources, Verdict::Findings).document(&report));
        let expected = "{\n  \"ok\": false,\n  \"rows\": [\n    null\n  ],\n  \"diagnostics\": [\n    \
            {\n      \"code\": \"usage/arguments\",\n      \"severity\": \"error\",\n      \
            \"message\": \"wrong\",\n      \"help\": \"right\"\n    }\n  ]\n}\n";
        assert_eq!(text, expected.replace("usage/arguments", codes::USAGE.name));
    }

    #[test]
    fn a_list_that_writes_itself_is_the_same_document() {
        let found = [Diagnostic::new(&codes::USAGE, "two\nlines")];
        let sources = SourceMap::default();
        for diagnostics in [&found[..], &[]] {
            for rows in [vec![], vec![Some(1), Some(2)]] {
                let context = context(diagnostics, &sources, Verdict::Good);
                let items: Vec<String> = rows
                    .iter()
                    .flatten()
                    .map(|row| format!("{LIST_INDENT}{row}"))
                    .collect();
                let list = context.list_document(ListDocument {
                    key: "rows",
                    is_empty: rows.is_empty(),
                    write_items: Box::new(move |out| out.write_all(items.join(",\n").as_bytes())),
                });
                assert_eq!(written(list), written(context.document(&Rows { rows })));
            }
        }
    }

    #[test]
    fn yaml_says_what_json_says() {
        let report = Rows {
            rows: vec![None, Some(7)],
        };
        assert_eq!(to_yaml(&report), "rows:\n  - null\n  - 7\n");
    }
}
