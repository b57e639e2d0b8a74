//! Findings about files and their merge.

use std::fmt;

use agpm_diag::{Diagnostic, Severity, SourceMap};

/// Something that was found in the files, with its location.
///
/// ```
/// use agpm_merge::{Engine, Severity};
///
/// let merged = Engine::builder()
///     .layer("org", [("logo.png", "1")])
///     .layer("me", [("logo.png", "2")])
///     .merge()?;
/// let finding = merged.findings().next().expect("images cannot be merged");
/// assert_eq!(finding.severity, Severity::Warning);
/// assert_eq!(finding.code, "merge/opaque");
/// # Ok::<(), agpm_merge::EngineError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// A stable name, such as `json/syntax`.
    pub code: &'static str,
    /// The severity.
    pub severity: Severity,
    /// One sentence, with what looks like a secret masked.
    pub message: String,
    /// The location.
    pub location: Option<Location>,
    /// The fix.
    pub help: Option<String>,
}

/// A location in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The path of the file.
    pub file: String,
    /// From one; nothing for the file as a whole.
    pub line: Option<usize>,
}

impl Finding {
    pub(crate) fn of(diagnostic: &Diagnostic, sources: &SourceMap) -> Self {
        let labeled = diagnostic.labels.first().map(|label| Location {
            file: sources.get(label.source).name.clone(),
            line: Some(sources.line(label.source, label.span.start)),
        });
        let whole_file = diagnostic.file.as_ref().map(|file| Location {
            file: file.clone(),
            line: None,
        });
        Finding {
            code: diagnostic.code.name,
            severity: diagnostic.severity,
            message: message_of(diagnostic),
            location: labeled.or(whole_file),
            help: diagnostic.help.clone(),
        }
    }
}

/// The message with its details: a library's caller prints one line.
fn message_of(diagnostic: &Diagnostic) -> String {
    let message = std::iter::once(diagnostic.shown_message());
    let lines: Vec<String> = message.chain(diagnostic.details.iter().cloned()).collect();
    lines.join(": ")
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Location { file, line }) = &self.location {
            match line {
                Some(line) => write!(f, "{file}:{line}: ")?,
                None => write!(f, "{file}: ")?,
            }
        }
        f.write_str(&self.message)
    }
}
