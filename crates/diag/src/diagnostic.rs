use crate::{Code, Remedy, Severity, SourceId, SourceSpan, Span, codes, mask_message};

/// A span in a source, and a message about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The text that the location is in.
    pub source: SourceId,
    /// The bytes of the location.
    pub span: Span,
    /// A few words next to the location; may be empty.
    pub text: String,
}

/// A change of text that resolves a finding, where the program knows the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestedEdit {
    /// The text that changes.
    pub source: SourceId,
    /// The bytes that go.
    pub span: Span,
    /// The replacement.
    pub replacement: String,
}

impl SuggestedEdit {
    /// The text after the change.
    pub fn applied_to(&self, text: &str) -> String {
        let Span { start, end } = self.span;
        let (before, after) = (&text[..start as usize], &text[end as usize..]);
        format!("{before}{}{after}", self.replacement)
    }
}

/// One finding. The first label is the location, the others are its context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable identity of this kind of finding.
    pub code: &'static Code,
    /// Starts as the code's own severity; strict commands may raise it.
    pub severity: Severity,
    /// One sentence without a final full stop.
    pub message: String,
    /// One line each under the message: the counted items. They are never masked, since they hold what
    /// somebody has to judge.
    pub details: Vec<String>,
    /// Locations, the primary one first.
    pub labels: Vec<Label>,
    /// The fix.
    pub help: Option<String>,
    /// The way out as a change of the text.
    pub edit: Option<SuggestedEdit>,
    /// The ways out as changes of manifest entries.
    pub remedies: Vec<Remedy>,
    /// The layer whose content is concerned.
    pub layer: Option<String>,
    /// The file concerned, where no text exists to point into.
    pub file: Option<String>,
    /// The thing concerned, where its file holds several.
    pub unit: Option<String>,
}

impl Diagnostic {
    /// The message with secret-looking values masked. Programs that are pulled in must be seen whole: they are nothing of
    /// the user's, and somebody has to judge them.
    pub fn shown_message(&self) -> String {
        if *self.code == codes::PACKAGE_EXECUTABLE {
            self.message.clone()
        } else {
            mask_message(&self.message)
        }
    }

    /// A finding of `code` without a position yet.
    pub fn new(code: &'static Code, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: code.severity,
            message: message.into(),
            details: Vec::new(),
            labels: Vec::new(),
            help: None,
            edit: None,
            remedies: Vec::new(),
            layer: None,
            file: None,
            unit: None,
        }
    }

    /// Adds a location with a few words.
    #[must_use]
    pub fn at(mut self, source: SourceId, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            source,
            span,
            text: text.into(),
        });
        self
    }

    /// Adds a location without words.
    #[must_use]
    pub fn at_spot(self, spot: SourceSpan) -> Self {
        self.at(spot.source, spot.span, "")
    }

    /// Adds lines under the message.
    #[must_use]
    pub fn details(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        self.details.extend(lines);
        self
    }

    /// Adds one line under the message, with secret-looking values masked: the part of a finding that is too long
    /// for its message.
    #[must_use]
    pub fn detail(mut self, line: impl AsRef<str>) -> Self {
        self.details.push(mask_message(line.as_ref()));
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the way out as a change of the text, if there is one.
    #[must_use]
    pub fn fixed_by(mut self, edit: Option<SuggestedEdit>) -> Self {
        self.edit = edit;
        self
    }

    /// Adds the ways out as changes of manifest entries.
    #[must_use]
    pub fn resolved_by(mut self, remedies: impl IntoIterator<Item = Remedy>) -> Self {
        self.remedies.extend(remedies);
        self
    }

    /// Names the layer concerned.
    #[must_use]
    pub fn in_layer(mut self, layer: impl Into<String>) -> Self {
        self.layer = Some(layer.into());
        self
    }

    /// Names the thing concerned, for files that hold several.
    #[must_use]
    pub fn in_unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = Some(unit.into());
        self
    }

    /// Names the file concerned, for findings without text.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }
}

/// At most this many findings; the number of the others is added as a note.
pub fn at_most(mut found: Vec<Diagnostic>, most: usize) -> Vec<Diagnostic> {
    let rest = found.split_off(most.min(found.len()));
    if let Some(first) = rest.first() {
        let message = format!("{} more findings with this code are not shown", rest.len());
        let help = Some("fix the ones shown, then check again".to_owned());
        found.push(Diagnostic {
            message,
            help,
            edit: None,
            ..first.clone()
        });
    }
    found
}

/// Whether any of these is an error.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}
