//! The expressions in the guide for update bots match the URLs that the manifest accepts.
#![allow(clippy::unwrap_used)]

use agpm_model::{Address, AddressContext, DefaultHost, VersionRequirement};
use agpm_text::{Format, NodeRef, parse_alone};
use regex_automata::meta::Regex;

const GUIDE: &str = include_str!("../../../docs/update-bots.md");

fn expressions() -> Vec<Regex> {
    let json = GUIDE
        .split("```json\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .unwrap();
    let document = parse_alone(json.to_owned(), Format::Json).document;
    let managers = document.root().unwrap().get("customManagers").unwrap();
    let strings = managers
        .items()
        .flat_map(|one| one.get("matchStrings").unwrap().items());
    strings
        .filter_map(NodeRef::as_str)
        .map(|text| Regex::new(text).unwrap())
        .collect()
}

/// The expression that matches a line, with the repository and the version that it finds.
fn read(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (number, expression) in expressions().iter().enumerate() {
        let mut captures = expression.create_captures();
        expression.captures(line, &mut captures);
        let group = |name: &str| captures.get_group_by_name(name).map(|span| &line[span]);
        if let (Some(name), Some(value)) = (group("depName"), group("currentValue")) {
            found.push(format!("{number} {name} {value}"));
        }
    }
    found
}

#[test]
fn each_url_is_read_by_one_expression() {
    for (address, expected) in [
        (
            "github:anthropics/skills/skills/pdf@^1",
            "0 anthropics/skills ^1",
        ),
        ("github:o/r@v1.2.0", "0 o/r v1.2.0"),
        ("github:o/r.git/agents/a.md@~1.2.3", "0 o/r ~1.2.3"),
        (
            "github:o/my.repo//skills/x@1.0.0-rc.1",
            "0 o/my.repo 1.0.0-rc.1",
        ),
        ("gitlab:group/repo@^2", "1 group/repo ^2"),
        (
            "gitlab:group/sub/repo//skills/x@v1.0.0",
            "1 group/sub/repo v1.0.0",
        ),
        (
            "https://git.corp/agents/base@^3",
            "2 https://git.corp/agents/base ^3",
        ),
        (
            "https://git.corp:8443/a/b.git//x/y@v2.0.0",
            "2 https://git.corp:8443/a/b.git v2.0.0",
        ),
        (
            "git+https://git.corp/a/b@=1.0.0",
            "2 https://git.corp/a/b =1.0.0",
        ),
    ] {
        assert_eq!(
            read(&format!("pdf = \"{address}\"")),
            [expected],
            "{address}"
        );
        let host = DefaultHost::default();
        let context = AddressContext {
            default_host: &host,
            is_source: &|_| false,
        };
        // The bot's version is the one that agpm requires.
        let Ok(Address::Repository(parsed)) = Address::parse(address, &context) else {
            unreachable!("{address} is a repository");
        };
        let required = parsed
            .inner
            .requirement
            .as_ref()
            .map(VersionRequirement::as_str);
        assert_eq!(required, expected.rsplit(' ').next(), "{address}");
    }
}

#[test]
fn everything_else_is_left_alone() {
    for line in [
        "a = \"./agents/a.md\"",
        "a = \"agents/a@1.0.0.md\"",
        "a = \"github:o/r/agents/a.md\"",
        "a = \"github:o/r/agents/a.md@main\"",
        "a = \"https://git.corp/a/b@feature/x\"",
        "a = { source = \"x\", path = \"y\", version = \"^1\" }",
    ] {
        assert_eq!(read(line), Vec::<String>::new(), "{line}");
    }
}

#[test]
fn an_entry_with_a_source_is_read_as_agpm_writes_it() {
    let json = GUIDE.split("```json\n").nth(2).unwrap();
    let json = json.split("```").next().unwrap();
    let document = parse_alone(json.to_owned(), Format::Json).document;
    let strings = document.root().unwrap().get("matchStrings").unwrap();
    let text = strings.items().find_map(NodeRef::as_str).unwrap();
    let expression = Regex::new(text).unwrap();
    let version = |line: &str| {
        let mut captures = expression.create_captures();
        expression.captures(line, &mut captures);
        let span = captures.get_group_by_name("currentValue")?;
        Some(line[span].to_owned())
    };
    let entry = |source: &str, version: &str| {
        format!("a = {{ source = \"{source}\", path = \"agents/a.md\", version = \"{version}\" }}")
    };
    for value in ["^1.2.0", "v1.0.0", "=2.0.0", "~1.2"] {
        assert_eq!(version(&entry("community", value)).as_deref(), Some(value));
    }
    for line in [
        entry("other", "^1.2.0"),
        entry("community", "main"),
        entry("community", "latest"),
    ] {
        assert_eq!(version(&line), None, "{line}");
    }
    // The block of TOML in the guide is such an entry.
    let toml = GUIDE.split("```toml\n").nth(1).unwrap();
    assert!(toml.lines().any(|line| version(line).is_some()), "{toml}");
}
