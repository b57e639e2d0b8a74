//! Unusual names, numbers and files.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use agpm_text::Value;

use crate::support::{Tree, document, json, named, strings, tags, under};

#[test]
fn numbers_are_printed_as_they_are_written() {
    let numbers = [
        "12345678901234567890",
        "0.10",
        "1e400",
        "-0",
        "1E+2",
        "0.1234567890123456789",
    ];
    let document: Vec<String> = numbers
        .iter()
        .enumerate()
        .map(|(at, number)| format!("\"n{at}\": {number}"))
        .collect();
    let tree = Tree::of(&[
        ("", &format!("{{{}}}", document.join(", "))),
        ("a", "{\"title\": \"a\"}"),
    ]);
    let text = tree.good("repo/a", "profile ada");
    for line in document {
        assert!(text.contains(&line), "{line}\n{text}");
    }
}

#[test]
fn keys_and_strings_that_are_written_in_another_way_are_the_same() {
    let tree = Tree::of(&[
        (
            "",
            "{\"title\": \"low\", \"tags\": [\"\\u0061b\", \"x\\/y\", \"\\u00e9\"]}",
        ),
        (
            "a",
            "{\"\\u0074itle\": \"high\", \"tags\": [\"ab\", \"x/y\", \"é\", \"e\\u0301\"]}",
        ),
    ]);
    let value = json(&tree.good("repo/a", "profile ada"));
    assert_eq!(value.get("title").and_then(Value::as_str), Some("high"));
    assert_eq!(strings(value.get("tags")), ["ab", "x/y", "é", "e\u{301}"]);
}

#[test]
fn texts_with_control_characters_come_out_as_they_went_in() {
    let text = "{\"tags\": [\"a\\u0000b\", \"\\u001b[31m\", \"x\\u2028\", \"\\t\\n\\\\\", \"\\ud83d\\ude00\"]}";
    let tree = Tree::of(&[("", text)]);
    assert_eq!(
        tags(&tree.good("repo", "profile ada")),
        ["a\0b", "\u{1b}[31m", "x\u{2028}", "\t\n\\", "😀"]
    );
}

#[test]
fn control_characters_of_documents_do_not_reach_the_terminal_with_diagnostics() {
    let tree = Tree::of(&[("", &named("top", &["\u{1b}[2J.json", "http://\u{1b}[2J"]))]);
    tree.write(
        "repo/a/.clia/agents/ada/ada@x.agent.triad.json",
        "{\"\u{1b}[2J\": }",
    );
    for line in ["profile ada", "profile ada --strict", "explain profile:ada"] {
        let output = tree.run("repo/a", line);
        assert!(
            !output.stderr.contains('\u{1b}'),
            "{line}\n{:?}",
            output.stderr
        );
    }
}

#[test]
fn control_characters_of_names_do_not_reach_the_terminal() {
    let tree = Tree::of(&[]);
    tree.persona(
        "repo/x\u{1b}[2Jy",
        "ada\u{1b}[31m",
        "agent",
        "{\"inherits\": [\"no.json\"]}",
    );
    tree.persona(
        "repo/x\u{1b}[2Jy",
        "ada",
        "agent",
        "{\"inherits\": [\"no.json\"]}",
    );
    for line in [
        "profile --list",
        "profile ada",
        "profile --list --format md",
        "profile --list --format json",
    ] {
        let output = tree.run("repo/x\u{1b}[2Jy", line);
        assert_eq!(output.code, Some(0), "{output}");
        assert!(!output.to_string().contains('\u{1b}'), "{line}\n{output:?}");
    }
}

#[test]
fn files_of_the_system_are_not_parents_and_nothing_waits_for_them() {
    let paths = ["/dev/zero", "/dev/null", "/"];
    let tree = Tree::of(&[("", &named("me", &paths))]);
    let words = paths.map(|path| format!("inherited file `{path}` is ignored"));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert_eq!(tags(&tree.warned("repo", "profile ada", &words)), ["me"]);
}

fn pipe(tree: &Tree, path: &str) {
    let path = tree.path(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut command = tree.sandbox.command("mkfifo");
    command.arg(path);
    assert_eq!(tree.sandbox.output(command).code, Some(0));
}

#[test]
fn a_pipe_in_place_of_a_document_is_reported() {
    let tree = Tree::of(&[("", &named("top", &[]))]);
    pipe(&tree, &under("repo/a", &document("ada", "agent")));
    let words = ["ada@x.agent.triad.json` is ignored"];
    assert_eq!(tags(&tree.warned("repo/a", "profile ada", &words)), ["top"]);
}

#[test]
fn a_document_whose_prefix_is_not_utf_8_is_read_or_reported() {
    let tree = Tree::of(&[("", &named("top", &[])), ("a", "{}")]);
    let directory = tree.path("repo/b/.clia/agents/ada");
    std::fs::create_dir_all(&directory).unwrap();
    let name = OsStr::from_bytes(b"\xff.agent.triad.json");
    if std::fs::write(directory.join(name), named("odd", &[])).is_err() {
        return;
    }
    let output = tree.run("repo/b", "profile ada");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(
        tags(&output.stdout).contains(&"odd".to_owned()) || output.stderr.contains("ignored"),
        "{output}"
    );
}

#[test]
fn a_persona_whose_name_is_not_utf_8_is_listed_or_reported() {
    let tree = Tree::of(&[("", "{}")]);
    let directory = tree
        .path("repo/.clia/agents")
        .join(OsStr::from_bytes(b"x\xff"));
    if std::fs::create_dir_all(&directory).is_err() {
        return;
    }
    std::fs::write(directory.join("x.agent.triad.json"), "{}").unwrap();
    let output = tree.run("repo", "profile --list");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.to_string().contains('x'), "{output}");
}

#[test]
fn a_missing_parent_in_two_spellings_is_reported_once() {
    let tree = Tree::of(&[("", &named("me", &["no.json", "./no.json"]))]);
    tree.warned("repo", "profile ada", &["inherited file `no.json`"]);
}

#[test]
fn a_manifest_elsewhere_has_no_say_in_where_personas_are() {
    let tree = Tree::of(&[("", &named("top", &[]))]);
    tree.write("other/agpm.toml", "");
    tree.ada("other", named("other", &[]));
    assert_eq!(
        tree.tags("repo", "--manifest-path ../other/agpm.toml profile ada"),
        ["top"]
    );
    tree.good(
        "repo",
        "--manifest-path ../other/agpm.toml explain profile:ada /title",
    );
}

#[test]
fn a_directory_inside_of_a_personas_own_is_a_place_to_stand_in() {
    let tree = Tree::of(&[("", &named("top", &[]))]);
    assert_eq!(tree.tags("repo/.clia/agents/ada", "profile ada"), ["top"]);
}

#[test]
fn a_strict_list_fails_over_what_it_cannot_show() {
    let tree = Tree::of(&[("", "{}")]);
    tree.good("repo", "profile --list --strict");
    tree.link("repo/.clia/agents/gone", "nowhere");
    tree.fails(
        "repo",
        "profile --list --strict",
        1,
        &["error[lineage/unreadable]"],
    );
}

#[test]
fn documents_of_another_kind_may_be_inherited() {
    let tree = Tree::of(&[("", &named("agent", &[]))]);
    tree.persona(
        "repo",
        "ada",
        "agenda",
        named("agenda", &[&document("ada", "agent")]),
    );
    assert_eq!(
        tree.tags("repo", "profile ada --kind agenda"),
        ["agent", "agenda"]
    );
    assert_eq!(tree.tags("repo", "profile ada"), ["agent"]);
}

#[test]
fn everyone_inherits_everyone() {
    let names: Vec<String> = (0..60).map(|at| format!("{at}.json")).collect();
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    let tree = Tree::of(&[("", &named("me", &all))]);
    names
        .iter()
        .for_each(|name| tree.write(&under("repo", name), named(name, &all)));
    let output = tree.run("repo", "profile ada");
    assert_eq!(output.code, Some(0), "{}", output.stdout);
    assert_eq!(tags(&output.stdout).len(), 61);
    assert!(output.stderr.contains("lineage/cycle"));
}

#[test]
fn explain_reports_strings_that_a_map_took_in() {
    let tree = Tree::of(&[
        ("", "{\"sections\": [\"Style: a\"]}"),
        (
            "a",
            "{\"sections\": [{\"title\": \"Style\", \"items\": [\"a\"]}]}",
        ),
    ]);
    let text = tree.good("repo/a", "explain profile:ada /sections/0");
    assert!(
        text.contains("also in . (../.clia/agents/ada/ada@x.agent.triad.json:1): \"Style: a\""),
        "{text}"
    );
}

#[test]
fn explain_reports_what_notes_and_chosen_items_shadow() {
    let low =
        "{\"notes\": [\"low\"], \"focusDomains\": [{\"identifier\": \"x\", \"label\": \"low\"}]}";
    let high = "{\"notes\": [\"high\"], \"focusDomains\": [{\"identifier\": \"x\"}]}";
    let tree = Tree::of(&[("", low), ("a", high)]);
    for pointer in ["/notes", "/focusDomains/0"] {
        let text = tree.good("repo/a", &format!("explain profile:ada {pointer}"));
        assert!(
            text.contains("from a (") && text.contains("shadows . ("),
            "{text}"
        );
    }
}

#[test]
fn explain_reports_the_warnings_of_the_merge() {
    let tree = Tree::of(&[("", &named("top", &["no.json"]))]);
    for pointer in ["", "/title"] {
        tree.warned(
            "repo",
            &format!("explain profile:ada {pointer}"),
            &["lineage/missing-parent"],
        );
    }
}

#[test]
fn warnings_of_shared_parents_are_reported_once_with_all_kinds() {
    let tree = Tree::of(&[("", &named("agent", &["p.json"]))]);
    tree.persona("repo", "ada", "agenda", named("agenda", &["p.json"]));
    tree.write(
        "repo/p.json",
        "{\"inherits\": [\"no.json\", 1, \"p.json\"]}",
    );
    tree.warned(
        "repo",
        "profile ada --kind all",
        &["inherited file `no.json`", "lineage/value", "lineage/cycle"],
    );
}

#[test]
fn a_broken_repository_is_reported_when_its_submodules_are_required() {
    let tree = Tree::of(&[("", &named("top", &[]))]);
    tree.write("repo/a/.git", "gitdir: /nowhere\n");
    tree.ada("repo/a", named("a", &[]));
    assert_eq!(tree.tags("repo/a", "profile ada"), ["top", "a"]);
    tree.write(
        "repo/a/.gitmodules",
        "[submodule \"x\"]\n\tpath = x\n\turl = ../x\n",
    );
    let output = tree.run("repo/a", "profile ada --submodules");
    assert!(
        output.code == Some(0) || output.stderr.contains("help:"),
        "{output}"
    );
}

#[test]
fn long_type_changes_are_counted() {
    let keys: Vec<String> = (0..50).map(|at| format!("k{at}")).collect();
    let of = |value: &str| {
        format!(
            "{{{}}}",
            keys.iter()
                .map(|key| format!("\"{key}\": {value}"))
                .collect::<Vec<_>>()
                .join(", ")
        )
    };
    let tree = Tree::of(&[("", &of("1")), ("a", &of("[1]"))]);
    let output = tree.run("repo/a", "profile ada");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(
        output.stderr.matches("merge/type-change").count() < 50,
        "{output}"
    );
    assert!(
        output.stderr.contains("40 more"),
        "{}",
        output
            .stderr
            .lines()
            .rev()
            .take(8)
            .collect::<Vec<_>>()
            .join("\n")
    );
}
