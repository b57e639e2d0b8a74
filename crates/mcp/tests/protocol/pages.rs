//! Every page of the server's codes is true: its first request gets that code, its second a result.

use std::path::Path;

use agpm_diag::{Code, PageExample, SERVER_CODES};
use agpm_mcp::WriteAccess;
use agpm_testkit::compare;
use serde_json::Value;

use crate::support::{Client, sandbox};

const PASSES: &str = "\n## Passes\n";
const REQUEST: &str = "request";
/// A request that comes where others have `initialize` before them.
const FIRST_REQUEST: &str = "first request";
const ANSWER: &str = "answer";

/// Codes whose first answer is shown and not asked for, each with what it would take and where it is tested.
const SHOWN: &[(&str, &str)] = &[
    ("mcp/busy", "seventeen subscriptions: telling.rs"),
    ("mcp/duplicate-id", "two requests at once: robust.rs"),
    ("mcp/internal", "a bug in agpm: crates/mcp/src/session.rs"),
    ("mcp/too-large", "a line of 16 MiB: robust.rs"),
    (
        "mcp/unknown-resource",
        "a missing resource without a diagnostic, which none is",
    ),
];

#[test]
fn every_page_is_what_the_server_answers() {
    let mut failures = Vec::new();
    for code in SERVER_CODES {
        let (fails, passes) = code
            .page
            .split_once(PASSES)
            .expect("a page has two examples");
        let page = code.parsed();
        let fails = if is_shown(code) {
            fails.to_owned()
        } else {
            with_real_answer(fails, &page.fails)
        };
        let real = format!("{fails}{PASSES}{}", with_real_answer(passes, &page.passes));
        failures.extend(compare(&file_of(code), code.page, &real).err());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_first_answer_is_its_code_and_every_second_a_result() {
    for code in SERVER_CODES {
        let (first, second) = (shown_answer(code), answer_of(&code.parsed().passes));
        assert_eq!(first["error"]["data"]["code"], code.name);
        assert!(
            second["result"].is_object() && second["result"]["isError"] != true,
            "{}",
            code.name
        );
    }
}

#[test]
fn every_shown_code_has_a_page() {
    for (name, _) in SHOWN {
        assert!(SERVER_CODES.iter().any(|code| code.name == *name), "{name}");
    }
}

fn is_shown(code: &Code) -> bool {
    SHOWN.iter().any(|(name, _)| *name == code.name)
}

fn file_of(code: &Code) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../diag/pages")
        .join(format!("{}.md", code.name))
}

fn part<'a>(example: &PageExample<'a>, name: &str) -> Option<&'a str> {
    example
        .files
        .iter()
        .find(|(found, _)| *found == name)
        .map(|(_, content)| *content)
}

/// What the page of a code shows as the answer.
pub(crate) fn shown_answer(code: &Code) -> Value {
    answer_of(&code.parsed().fails)
}

fn answer_of(example: &PageExample<'_>) -> Value {
    serde_json::from_str(part(example, ANSWER).expect("an example has an answer")).unwrap()
}

/// The text of an example with the answer that its request gets.
fn with_real_answer(text: &str, example: &PageExample<'_>) -> String {
    let written = part(example, ANSWER).expect("an example has an answer");
    let fence = |content: &str| format!("`{ANSWER}`\n```json\n{content}```\n");
    assert_eq!(text.matches(&fence(written)).count(), 1, "{text}");
    let real = serde_json::to_string_pretty(&answered(example)).unwrap();
    text.replace(&fence(written), &fence(&format!("{real}\n")))
}

/// What a new server says to the request, in a project with the files of the example.
fn answered(example: &PageExample<'_>) -> Value {
    let sandbox = sandbox();
    let own = [REQUEST, FIRST_REQUEST, ANSWER];
    for (name, content) in example.files.iter().filter(|(name, _)| !own.contains(name)) {
        sandbox.write(name, content);
    }
    let (mut client, line) = match part(example, FIRST_REQUEST) {
        Some(line) => (Client::silent(&sandbox, WriteAccess::Refused), line),
        None => (
            Client::open(&sandbox),
            part(example, REQUEST).expect("an example has a request"),
        ),
    };
    client.write(line.as_bytes());
    let answer = loop {
        let heard = client.hear().expect("an answer");
        if heard.get("method").is_none() {
            break heard;
        }
    };
    client.finish();
    answer
}
