//! Findings that differ only in what they are about, drawn once.

use std::collections::HashMap;

use crate::limits::{MOST_DRAWN_ALONE, MOST_ERROR_SUBJECTS, MOST_LOCATIONS, MOST_SUBJECTS};
use crate::{Diagnostic, Severity, SourceMap};

/// A finding, and what else it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldedDiagnostic<'d> {
    /// The first of those that are alike.
    pub first: &'d Diagnostic,
    /// The others on one line; `None` if there are none.
    pub others: Option<String>,
}

/// The shape by which findings are alike: everything but the ids, paths, numbers and quoted words in their strings.
#[derive(PartialEq, Eq, Hash)]
struct FindingShape<'d> {
    code: &'static str,
    severity: Severity,
    layer: Option<&'d str>,
    message: Vec<&'d str>,
    details: Vec<Vec<&'d str>>,
    help: Vec<&'d str>,
}

/// A part of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MessagePart<'t> {
    /// Words that are the same for every subject.
    Fixed(&'t str),
    /// An id, a path, a number or a quoted word.
    Subject(&'t str),
}

/// Folds findings; each group takes the position of its first finding.
pub fn fold<'d>(found: &[&'d Diagnostic], sources: &SourceMap) -> Vec<FoldedDiagnostic<'d>> {
    let mut alike: HashMap<FindingShape<'d>, Vec<&'d Diagnostic>> = HashMap::new();
    for diagnostic in found.iter().copied() {
        alike
            .entry(FindingShape::of(diagnostic))
            .or_default()
            .push(diagnostic);
    }
    let mut folded = Vec::new();
    for diagnostic in found.iter().copied() {
        match alike.get(&FindingShape::of(diagnostic)).map(Vec::as_slice) {
            Some([first, rest @ ..]) if rest.len() >= MOST_DRAWN_ALONE => {
                // The others were named with the first.
                if std::ptr::eq(*first, diagnostic) {
                    folded.push(FoldedDiagnostic {
                        first,
                        others: Some(others(first, rest, sources)),
                    });
                }
            }
            _ => folded.push(FoldedDiagnostic {
                first: diagnostic,
                others: None,
            }),
        }
    }
    folded
}

/// A finding with its first location alone and the number of the others; `None` if it has only a few, or if they say
/// more than where it is.
pub fn fold_locations(found: &Diagnostic) -> Option<(Diagnostic, String)> {
    let says_more = found.labels.iter().any(|label| !label.text.is_empty());
    let count = found.labels.len();
    (count > MOST_LOCATIONS && !says_more).then(|| {
        let mut first = found.clone();
        first.labels.truncate(1);
        let more = format!("and {} more locations; `-v` shows all", count - 1);
        (first, more)
    })
}

impl<'d> FindingShape<'d> {
    fn of(diagnostic: &'d Diagnostic) -> Self {
        FindingShape {
            code: diagnostic.code.name,
            severity: diagnostic.severity,
            layer: diagnostic.layer.as_deref(),
            message: fixed_parts(&diagnostic.message),
            details: diagnostic
                .details
                .iter()
                .map(|line| fixed_parts(line))
                .collect(),
            help: diagnostic
                .help
                .as_deref()
                .map(fixed_parts)
                .unwrap_or_default(),
        }
    }
}

fn fixed_parts(text: &str) -> Vec<&str> {
    let fixed = |part| match part {
        MessagePart::Fixed(words) => words,
        MessagePart::Subject(_) => "",
    };
    let mut shape: Vec<&str> = Vec::new();
    for part in parts(text).into_iter().map(fixed) {
        // A list of subjects is one subject, however long it is.
        if part.is_empty() && shape.ends_with(&["", ", "]) {
            shape.pop();
            continue;
        }
        shape.push(part);
    }
    shape
}

/// Cuts text into what is fixed and what is not.
fn parts(text: &str) -> Vec<MessagePart<'_>> {
    let mut parts = Vec::new();
    // Every second piece is inside of backquotes.
    for (at, piece) in text.split('`').enumerate() {
        match at % 2 {
            1 => parts.push(MessagePart::Subject(piece)),
            _ => parts.extend(piece.split_inclusive(' ').flat_map(word_parts)),
        }
    }
    parts
}

/// One word with the space after it, and with the punctuation around it.
fn word_parts(word: &str) -> Vec<MessagePart<'_>> {
    let inner = word.trim_matches(|sign: char| {
        !sign.is_alphanumeric() && !matches!(sign, '/' | '.' | '_' | '~')
    });
    let inner = inner.trim_end_matches('.');
    let is_number = inner.starts_with(|sign: char| sign.is_ascii_digit());
    if !(is_number || inner.contains('/')) {
        return vec![MessagePart::Fixed(word)];
    }
    let Some((before, after)) = word.split_once(inner) else {
        return vec![MessagePart::Fixed(word)];
    };
    vec![
        MessagePart::Fixed(before),
        MessagePart::Subject(inner),
        MessagePart::Fixed(after),
    ]
}

/// The subjects of the others, in one line.
fn others(first: &Diagnostic, rest: &[&Diagnostic], sources: &SourceMap) -> String {
    let most = match first.severity {
        Severity::Error => MOST_ERROR_SUBJECTS,
        Severity::Warning | Severity::Note => MOST_SUBJECTS,
    };
    let mut subjects = Vec::new();
    for other in rest {
        // A file with several findings is named once.
        let subject = subject(first, other, sources).filter(|subject| !subjects.contains(subject));
        subjects.extend(subject);
        if subjects.len() == most {
            break;
        }
    }
    match (subjects.is_empty(), rest.len() - subjects.len()) {
        (true, more) => format!("and {more} more like this; `-v` shows all"),
        (false, 0) => format!("also {}", subjects.join(", ")),
        (false, more) => format!(
            "also {}, and {more} more like this; `-v` shows all",
            subjects.join(", ")
        ),
    }
}

/// The subject of a finding: the first part in which its message differs, or else its location.
fn subject(first: &Diagnostic, other: &Diagnostic, sources: &SourceMap) -> Option<String> {
    let (first_message, other_message) = (first.shown_message(), other.shown_message());
    let pairs = parts(&first_message).into_iter().zip(parts(&other_message));
    let differing = pairs.into_iter().find_map(|pair| match pair {
        (MessagePart::Subject(one), MessagePart::Subject(two)) if one != two => {
            Some(two.to_owned())
        }
        _ => None,
    });
    differing
        .or_else(|| other_location(first, other, sources))
        .or_else(|| other.file.clone())
}

/// The location of a finding, unless the first has the same.
fn other_location(first: &Diagnostic, other: &Diagnostic, sources: &SourceMap) -> Option<String> {
    let location = |diagnostic: &Diagnostic| {
        let label = diagnostic.labels.first()?;
        let line = sources.line(label.source, label.span.start);
        Some(format!("{}:{line}", sources.get(label.source).name))
    };
    location(other).filter(|found| location(first).as_ref() != Some(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Span, codes};

    fn drawn(found: &[Diagnostic]) -> Vec<String> {
        let sources = SourceMap::default();
        let line = |one: FoldedDiagnostic<'_>| match one.others {
            Some(others) => format!("{} [{others}]", one.first.message),
            None => one.first.message.clone(),
        };
        fold(&found.iter().collect::<Vec<_>>(), &sources)
            .into_iter()
            .map(line)
            .collect()
    }

    fn warning(message: &str) -> Diagnostic {
        Diagnostic::new(&codes::SKILL_NAME, message)
    }

    fn widened(name: &str) -> Diagnostic {
        warning(&format!(
            "agents/{name} for codex: `tools` is widened: Codex cannot restrict tools"
        ))
    }

    #[test]
    fn findings_alike_are_one_with_their_number() {
        let mut found = vec![warning("something else")];
        found.extend((0..142).map(|number| widened(&format!("a{number}"))));
        let expected = "agents/a0 for codex: `tools` is widened: Codex cannot restrict tools \
                        [also agents/a1, agents/a2, and 139 more like this; `-v` shows all]";
        assert_eq!(drawn(&found), ["something else", expected]);
    }

    #[test]
    fn many_locations_are_one_with_their_number() {
        let source = SourceMap::default().add("agpm.toml", String::new());
        let spot = |at| crate::SourceSpan {
            source,
            span: Span::at(at),
        };
        let at = |count: usize| (0..count).fold(warning("x"), |found, at| found.at_spot(spot(at)));
        assert_eq!(fold_locations(&at(3)), None);
        let (first, more) = fold_locations(&at(124)).expect("they are many");
        assert_eq!((first.labels.len(), first.labels[0].span), (1, Span::at(0)));
        assert_eq!(more, "and 123 more locations; `-v` shows all");
    }

    #[test]
    fn two_are_two() {
        assert_eq!(drawn(&[widened("a"), warning("x"), widened("b")]).len(), 3);
    }

    #[test]
    fn three_name_all() {
        let found = [widened("a"), widened("b"), widened("c")];
        assert_eq!(
            drawn(&found),
            [
                "agents/a for codex: `tools` is widened: Codex cannot restrict tools [also agents/b, agents/c]"
            ]
        );
    }

    #[test]
    fn another_reason_severity_layer_or_help_is_another_finding() {
        let base = || widened("a");
        let error = Diagnostic {
            severity: Severity::Error,
            ..base()
        };
        let found = [
            base(),
            base(),
            warning("agents/a for codex: `tools` is widened: for another reason"),
            error.clone(),
            error,
            base().in_layer("org"),
            base().in_layer("org"),
            base().help("do this"),
            base().help("do that"),
        ];
        assert_eq!(drawn(&found).len(), found.len());
    }

    #[test]
    fn a_help_that_names_the_subject_is_the_same_help() {
        let one = |name: &str| {
            warning(&format!("the skill `{name}` is odd")).help(format!("rename `{name}`"))
        };
        assert_eq!(
            drawn(&[one("a"), one("b"), one("c")]),
            ["the skill `a` is odd [also b, c]"]
        );
    }

    #[test]
    fn lists_of_subjects_are_alike_however_long_they_are() {
        let skipped = |plugin: &str, parts: &str| {
            warning(&format!("parts of plugin `{plugin}` are skipped"))
                .details([format!("commands: {parts}")])
        };
        let found = [
            skipped("a", "`x`"),
            skipped("b", "`x`, `y`"),
            skipped("c", "`x`, `y`, `z`"),
        ];
        assert_eq!(
            drawn(&found),
            ["parts of plugin `a` are skipped [also b, c]"]
        );
    }

    #[test]
    fn equal_messages_are_distinguished_by_their_location() {
        let mut sources = SourceMap::default();
        let source = sources.add("agpm.lock", "a\nb\nc\nd\n");
        let at = |start| {
            Diagnostic::new(&codes::LOCK_BROKEN, "invalid checksum").at(
                source,
                Span {
                    start,
                    end: start + 1,
                },
                "",
            )
        };
        let found = [at(0), at(2), at(4)];
        let folded = fold(&found.iter().collect::<Vec<_>>(), &sources);
        assert_eq!(folded.len(), 1);
        assert_eq!(
            folded[0].others.as_deref(),
            Some("also agpm.lock:2, agpm.lock:3")
        );
    }

    #[test]
    fn subjects_are_named_once_and_not_by_the_location_of_the_first() {
        let mut sources = SourceMap::default();
        let source = sources.add("agpm.toml", "a\n");
        let clash = |path: &str| {
            let span = Span { start: 0, end: 1 };
            Diagnostic::new(&codes::LOCK_BROKEN, format!("two files at `{path}`"))
                .at(source, span, "")
        };
        let found = ["a.md", "b.md", "b.md", "a.md", "c.md"].map(clash);
        let folded = fold(&found.iter().collect::<Vec<_>>(), &sources);
        assert_eq!(
            folded[0].others.as_deref(),
            Some("also b.md, c.md, and 2 more like this; `-v` shows all")
        );
    }

    #[test]
    fn errors_are_named_further() {
        let error = |number: usize| Diagnostic {
            severity: Severity::Error,
            ..warning(&format!("{number} files in `x{number}`"))
        };
        let found: Vec<Diagnostic> = (0..30).map(error).collect();
        let text = &drawn(&found)[0];
        assert!(
            text.contains("also 1, 2, 3,") && text.contains("20, and 9 more like this"),
            "{text}"
        );
    }

    #[test]
    fn subjects_are_masked() {
        let one = |token: &str| warning(&format!("the address `https://u:{token}@x.org/a` is odd"));
        let found = [one("s3cret0"), one("s3cret1"), one("s3cret2")];
        assert!(!drawn(&found)[0].contains("s3cret1"), "{:?}", drawn(&found));
    }
}
