//! Tests that the guide names every operation, URI and code.

use crate::options::WriteAccess;
use crate::protocol::error::ALL;
use crate::resources::templates;
use crate::tool::tool;

const GUIDE: &str = include_str!("../../../docs/mcp.md");

/// The cells of the table with this first line, without backticks.
fn rows(head: &str) -> Vec<Vec<&'static str>> {
    let (_, table) = GUIDE.split_once(head).expect("the guide has the table");
    let lines = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    lines
        .map(|line| {
            line.trim_matches('|')
                .split('|')
                .map(|cell| cell.trim().trim_matches('`'))
                .collect()
        })
        .collect()
}

/// A code with a link to its page.
fn linked(word: &str) -> String {
    format!("[`{word}`](reference/errors.md#{})", word.replace('/', ""))
}

#[test]
fn the_guide_has_every_word_with_its_number() {
    let documented: Vec<String> = rows("| code | number | meaning |")
        .iter()
        .map(|row| format!("{} {}", row[0], row[1]))
        .collect();
    let known: Vec<String> = ALL
        .iter()
        .map(|trouble| format!("{} {}", linked(trouble.code.name), trouble.number))
        .collect();
    assert_eq!(documented, known);
}

#[test]
fn every_page_shows_the_word_with_its_number() {
    for trouble in ALL {
        let page = trouble.code.parsed();
        let (_, answer) = page
            .fails
            .files
            .last()
            .expect("the last of an example is the answer");
        let answer: serde_json::Value = serde_json::from_str(answer).unwrap();
        let error = &answer["error"];
        assert_eq!(
            (&error["code"], &error["data"]["code"]),
            (&trouble.number.into(), &trouble.code.name.into())
        );
    }
}

#[test]
fn the_guide_has_every_operation_with_its_arguments() {
    let tool = tool(WriteAccess::Allowed);
    let properties = &tool.input_schema["properties"];
    let rows = rows("| operation | arguments | result |");
    let documented: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(
        serde_json::json!(documented),
        properties["operation"]["enum"]
    );
    for argument in properties
        .as_object()
        .unwrap()
        .keys()
        .filter(|key| *key != "operation")
    {
        let named = rows.iter().any(|row| row[1].contains(argument.as_str()));
        assert!(named, "no row names `{argument}`");
    }
}

#[test]
fn the_guide_has_every_template_with_its_type() {
    let documented: Vec<(&str, &str)> = rows("| URI | content | media type |")
        .iter()
        .map(|row| (row[0], row[2]))
        .collect();
    let listed = templates();
    let known: Vec<(&str, &str)> = listed
        .iter()
        .map(|template| {
            let mime = template.mime_type.as_deref();
            let uri = template.uri_template.as_str();
            (uri, mime.unwrap_or("by extension"))
        })
        .collect();
    assert_eq!(documented, known);
}
