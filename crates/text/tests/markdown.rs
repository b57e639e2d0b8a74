//! Markdown front matter: its range, its mistakes, and its edits.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use agpm_diag::SourceMap;
use agpm_text::{Edit, Format, Limits, ParsedDocument, Value, markdown_body, parse, to_value};

fn read(text: &str) -> ParsedDocument {
    let mut sources = SourceMap::default();
    parse(
        sources.add("x.md", text),
        text,
        Format::Markdown,
        Limits::default(),
    )
}

fn edited(text: &str, edit: &Edit) -> String {
    read(text)
        .document
        .edit(edit)
        .unwrap_or_else(|error| format!("{error:?}"))
}

#[test]
fn front_matter_and_body_are_distinguished() {
    let none: Option<&str> = None;
    let table: &[(&str, Option<&str>, &str)] = &[
        ("---\na: 1\n---\nText: b\n", Some("a: 1"), "Text: b\n"),
        ("---\r\na: 1\r\n---\r\nx\r\n", Some("a: 1"), "x\r\n"),
        ("\u{feff}---\na: 1\n---\nx", Some("a: 1"), "x"),
        ("--- \t\na: 1\n---  \nx", Some("a: 1"), "x"),
        ("---\na: 1\n...\nx", Some("a: 1"), "x"),
        ("---\na: 1\n---", Some("a: 1"), ""),
        ("---\n---\nx", none, "x"),
        ("---\n# only\n---\nx", none, "x"),
        (
            "---\na: |\n  ---\n  x\nb: 1\n---\nx",
            Some("a: |\n  ---\n  x\nb: 1"),
            "x",
        ),
        ("---\na: --- x\n---\n---\n", Some("a: --- x"), "---\n"),
        (
            "# Title\n---\na: 1\n---\n",
            none,
            "# Title\n---\na: 1\n---\n",
        ),
        (" ---\na: 1\n", none, " ---\na: 1\n"),
        ("----\nx", none, "----\nx"),
        ("", none, ""),
        ("\u{feff}x", none, "x"),
    ];
    for (text, front, body) in table {
        let parsed = read(text);
        assert!(
            parsed.diagnostics.is_empty(),
            "{text:?}: {:?}",
            parsed.diagnostics
        );
        let root = parsed
            .document
            .root()
            .map(|root| &text[root.span().range()]);
        assert_eq!(root, *front, "{text:?}");
        assert_eq!(&text[parsed.document.body().range()], *body, "{text:?}");
        assert_eq!(markdown_body(text), *body, "{text:?}");
    }
}

#[test]
fn a_rule_that_closes_nothing_is_part_of_the_body() {
    assert_eq!(markdown_body("---\nno end\n"), "---\nno end\n");
}

#[test]
fn mistakes_are_reported_with_code_and_line() {
    let table: &[(&str, &str, usize)] = &[
        ("---\na: 1\n", "markdown/fence", 1),
        ("---", "markdown/fence", 1),
        ("---\na: 1\n ---\n", "markdown/fence", 1),
        ("---\n- a\n---\n", "markdown/fence", 2),
        ("---\n\ntext\n---\n", "markdown/fence", 3),
        ("---\na: 1\na: 2\n---\n", "text/duplicate-key", 3),
        ("---\na: [1\n---\n", "yaml/syntax", 2),
        ("---\né: 1\na: *x\n---\n", "yaml/alias", 3),
        ("---\na: 1\n--- b\n---\n", "yaml/documents", 3),
    ];
    for (text, code, line) in table {
        let parsed = read(text);
        let first = parsed
            .diagnostics
            .first()
            .unwrap_or_else(|| panic!("{text:?} has no error"));
        let mut sources = SourceMap::default();
        let source = sources.add("x", *text);
        let found = sources.position(source, first.labels[0].span.start).line;
        assert_eq!(
            (first.code.name, found),
            (*code, *line),
            "{text:?}: {}",
            first.message
        );
        assert!(first.help.is_some());
    }
}

#[test]
fn edits_keep_the_body_and_make_front_matter_where_there_is_none() {
    let set = |at: &str, value: Value| Edit::Set {
        at: at.parse().unwrap(),
        value,
    };
    let table: Vec<(&str, Edit, &str)> = vec![
        (
            "---\na: 1 # c\n---\n# T\n",
            set("/a", 2usize.into()),
            "---\na: 2 # c\n---\n# T\n",
        ),
        (
            "---\na: 1\n---\n# T",
            set("/b", "x".into()),
            "---\na: 1\nb: x\n---\n# T",
        ),
        (
            "---\r\na: 1\r\n---\r\n# T",
            set("/b", "x".into()),
            "---\r\na: 1\r\nb: x\r\n---\r\n# T",
        ),
        (
            "---\na: 1\n---\nx",
            Edit::Remove {
                at: "/a".parse().unwrap(),
            },
            "---\n{}\n---\nx",
        ),
        (
            "---\na: 1\nb: 2\n---\nx",
            Edit::Remove {
                at: "/a".parse().unwrap(),
            },
            "---\nb: 2\n---\nx",
        ),
        (
            "---\na: 1\nb: 2\n---\nx",
            Edit::Remove {
                at: "/b".parse().unwrap(),
            },
            "---\na: 1\n---\nx",
        ),
        (
            "---\na: 1\n---\nx",
            set("/b", "p\nq".into()),
            "---\na: 1\nb: |-\n  p\n  q\n---\nx",
        ),
        (
            "---\na: 1\n---\nx",
            set("/b", "p\n---\n".into()),
            "---\na: 1\nb: |\n  p\n  ---\n---\nx",
        ),
        (
            "---\na: x\n---\nx",
            set("/a", "---".into()),
            "---\na: \"---\"\n---\nx",
        ),
        ("---\n---\nx", set("/a", 1usize.into()), "---\na: 1\n---\nx"),
        (
            "---\n# c\n---\nx",
            set("/a", 1usize.into()),
            "---\n# c\na: 1\n---\nx",
        ),
        (
            "# T\ntext",
            set("/a", 1usize.into()),
            "---\na: 1\n---\n# T\ntext",
        ),
        (
            "\u{feff}# T\r\n",
            set("/a/b", 1usize.into()),
            "\u{feff}---\r\na:\r\n  b: 1\r\n---\r\n# T\r\n",
        ),
        ("", set("/a", 1usize.into()), "---\na: 1\n---\n"),
        (
            "---\na: 1\n...\nx",
            set("/b", Value::list(["k"])),
            "---\na: 1\nb:\n  - k\n...\nx",
        ),
    ];
    for (text, edit, expected) in table {
        assert_eq!(edited(text, &edit), expected, "{text:?}");
        let again = read(expected);
        assert!(again.diagnostics.is_empty());
        let (before, after) = (read(text), again);
        let body = |parsed: &ParsedDocument| {
            parsed.document.text()[parsed.document.body().range()].to_owned()
        };
        assert_eq!(body(&before), body(&after), "{text:?}");
        assert!(after.document.root().map(to_value).is_some());
    }
}

#[test]
fn a_text_that_cannot_be_read_is_not_edited() {
    let parsed = read("---\na: 1\n");
    assert!(
        parsed
            .document
            .edit(&Edit::Set {
                at: "/b".parse().unwrap(),
                value: true.into()
            })
            .is_err()
    );
}

#[test]
fn odd_front_matter_is_read_or_refused_but_never_makes_us_fall() {
    for text in [
        "---\n\u{feff}'a': x\n---\nbody\n",
        "---\n{\"\":[? ],\"\":\"\"\n---",
        "---\n? \"\n---",
        "---\n'\n---\n",
    ] {
        let mut sources = agpm_diag::SourceMap::default();
        let parsed = agpm_text::parse(
            sources.add("x", text),
            text,
            agpm_text::Format::Markdown,
            agpm_text::Limits::default(),
        );
        for diagnostic in &parsed.diagnostics {
            assert!(
                text.get(diagnostic.labels[0].span.range()).is_some(),
                "{text:?}"
            );
        }
    }
}
