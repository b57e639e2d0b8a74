//! Locations of personas, and the precedence of their documents.

use agpm_text::Value;

use crate::support::{Tree, chain, document, json, named, tags, title, under};

/// Writes a document with its own name in each of these directories.
fn tree(directories: &[&str]) -> Tree {
    let tree = Tree::new();
    directories
        .iter()
        .for_each(|directory| tree.ada(directory, named(directory, &[])));
    tree
}

#[test]
fn every_directory_from_the_top_of_the_repository_applies_and_the_nearest_wins() {
    let tree = tree(&["repo", "repo/a", "repo/a/b", "repo/a/b/c", "repo/other"]);
    tree.repository("repo");
    tree.directory("repo/empty/deep");
    for (directory, expected) in [
        ("repo", &["repo"][..]),
        ("repo/a", &["repo", "repo/a"]),
        ("repo/a/b", &["repo", "repo/a", "repo/a/b"]),
        ("repo/a/b/c", &["repo", "repo/a", "repo/a/b", "repo/a/b/c"]),
        ("repo/other", &["repo", "repo/other"]),
        ("repo/empty/deep", &["repo"]),
    ] {
        let text = tree.good(directory, "profile ada");
        assert_eq!(tags(&text), expected, "{directory}");
        assert_eq!(title(&text), *expected.last().unwrap(), "{directory}");
    }
}

#[test]
fn levels_without_a_document_are_not_gap() {
    let tree = tree(&["repo", "repo/a/b/c/d"]);
    tree.repository("repo");
    assert_eq!(
        tree.tags("repo/a/b/c/d", "profile ada"),
        ["repo", "repo/a/b/c/d"]
    );
    assert_eq!(tree.tags("repo/a/b", "profile ada"), ["repo"]);
}

#[test]
fn directories_above_the_outermost_repository_do_not_count() {
    let tree = tree(&["", "out", "out/repo", "out/repo/a"]);
    tree.repository("out/repo");
    assert_eq!(
        tree.tags("out/repo/a", "profile ada"),
        ["out/repo", "out/repo/a"]
    );
}

#[test]
fn outside_of_any_repository_only_the_directory_itself_is_used() {
    let tree = tree(&["", "a", "a/b"]);
    assert_eq!(tree.tags("a/b", "profile ada"), ["a/b"]);
    assert_eq!(tree.tags("a", "profile ada"), ["a"]);
    assert_eq!(tree.tags(".", "profile ada --path a/b"), ["a/b"]);
    tree.directory("a/c");
    tree.fails("a/c", "profile ada", 3, &["name/unknown", "ada"]);
}

#[test]
fn a_nested_repository_is_used_together_with_the_outer_one() {
    let tree = tree(&[
        "top",
        "outer",
        "outer/mid",
        "outer/mid/inner",
        "outer/mid/inner/deep",
    ]);
    tree.repository("outer");
    tree.repository("outer/mid/inner");
    let expected = [
        "outer",
        "outer/mid",
        "outer/mid/inner",
        "outer/mid/inner/deep",
    ];
    assert_eq!(tree.tags("outer/mid/inner/deep", "profile ada"), expected);
    assert_eq!(tree.tags("outer/mid", "profile ada"), &expected[..2]);
}

#[test]
fn a_worktree_is_a_repository_of_its_own() {
    let tree = tree(&["main", "work/tree/a", "work"]);
    tree.repository("main");
    tree.commit("main");
    tree.git("main", &["worktree", "add", "-q", "../work/linked"]);
    tree.ada("work/linked/a", named("linked/a", &[]));
    assert_eq!(
        tree.tags("work/linked/a", "profile ada"),
        ["main", "linked/a"]
    );
}

#[test]
fn path_is_the_directory_to_stand_in() {
    let tree = tree(&["repo", "repo/a", "repo/a/b"]);
    tree.repository("repo");
    let inside = tree.good("repo/a/b", "profile ada --root-chain --with-sources");
    assert_eq!(
        tree.good("repo", "profile ada --root-chain --with-sources --path a/b"),
        inside
    );
    assert_eq!(
        tree.good(
            ".",
            "profile ada --root-chain --with-sources --path repo/a/b"
        ),
        inside
    );
    assert_eq!(
        tree.good(
            "repo/a",
            "profile ada --root-chain --with-sources --path ./b/../b/"
        ),
        inside
    );
    let absolute = tree.absolute("repo/a/b");
    assert_eq!(
        tree.good(
            ".",
            &format!("profile ada --root-chain --with-sources --path {absolute}")
        ),
        inside
    );
    assert_eq!(
        tree.tags("repo/a/b", "profile ada --path .."),
        ["repo", "repo/a"]
    );
}

#[test]
fn a_path_through_a_link_is_where_it_leads() {
    let tree = tree(&["repo", "repo/a"]);
    tree.repository("repo");
    tree.link("elsewhere", "repo/a");
    assert_eq!(
        tree.tags(".", "profile ada --path elsewhere"),
        ["repo", "repo/a"]
    );
    assert_eq!(tree.tags("elsewhere", "profile ada"), ["repo", "repo/a"]);
}

#[test]
fn a_path_that_is_not_a_directory_is_reported() {
    let tree = tree(&["repo"]);
    tree.write("repo/file", "x");
    tree.fails(
        "repo",
        "profile ada --path nowhere",
        1,
        &["io/not-found", "`nowhere` does not exist"],
    );
    tree.fails(
        "repo",
        "profile ada --path file",
        1,
        &["io/not-found", "`file` is not a directory"],
    );
    tree.fails(
        "repo",
        "profile ada --ceiling nowhere",
        1,
        &["io/not-found", "`nowhere` does not exist"],
    );
}

#[test]
fn a_ceiling_is_another_end() {
    let tree = tree(&["", "out", "out/repo", "out/repo/a", "out/repo/a/b"]);
    tree.repository("out/repo");
    for (ceiling, expected) in [
        (
            "../../../..",
            &["", "out", "out/repo", "out/repo/a", "out/repo/a/b"][..],
        ),
        (
            "../../..",
            &["out", "out/repo", "out/repo/a", "out/repo/a/b"],
        ),
        ("../..", &["out/repo", "out/repo/a", "out/repo/a/b"]),
        ("..", &["out/repo/a", "out/repo/a/b"]),
        (".", &["out/repo/a/b"]),
    ] {
        let expected: Vec<&str> = expected
            .iter()
            .copied()
            .filter(|name| !name.is_empty())
            .collect();
        let line = format!("profile ada --ceiling {ceiling}");
        assert_eq!(tree.tags("out/repo/a/b", &line), expected, "{ceiling}");
    }
}

#[test]
fn a_ceiling_is_found_from_the_working_directory_and_not_from_the_path() {
    let tree = tree(&["repo", "repo/a", "repo/a/b"]);
    tree.repository("repo");
    assert_eq!(
        tree.tags("repo", "profile ada --path a/b --ceiling a"),
        ["repo/a", "repo/a/b"]
    );
}

#[test]
fn a_ceiling_that_is_not_above_is_wrong_usage() {
    let tree = tree(&["repo", "repo/a", "repo/ab"]);
    tree.repository("repo");
    for ceiling in ["../ab", "../../repo/ab", "below"] {
        tree.directory("repo/a/below");
        let words = [
            "error[usage]",
            "is not a parent of the start directory",
            "help:",
        ];
        tree.fails(
            "repo/a",
            &format!("profile ada --ceiling {ceiling}"),
            2,
            &words,
        );
    }
}

#[test]
fn directories_under_the_working_directory_are_ignored() {
    let tree = tree(&["repo", "repo/a"]);
    tree.repository("repo");
    assert_eq!(tree.tags("repo", "profile ada"), ["repo"]);
    tree.persona("repo/a", "grace", "agent", "{}");
    tree.fails("repo", "profile grace", 3, &["grace"]);
}

#[test]
fn prefixes_are_free() {
    let tree = Tree::of(&[]);
    for (level, file) in [
        ("", "ada@mono.agent.triad.json"),
        ("a", "x.agent.triad.json"),
        ("a/b", "ada@x.y z.agent.triad.json"),
    ] {
        tree.write(
            &under(&under("repo", level), &format!(".clia/agents/ada/{file}")),
            named(file, &[]),
        );
    }
    let text = tree.good("repo/a/b", "profile ada --root-chain");
    assert_eq!(chain(&text, "prefix"), ["ada@mono", "x", "ada@x.y z"]);
    assert_eq!(chain(&text, "layer"), [".", "a", "a/b"]);
    assert_eq!(
        chain(&text, "path")[2],
        "a/b/.clia/agents/ada/ada@x.y z.agent.triad.json"
    );
    assert_eq!(chain(&text, "inheritedFrom"), ["-", "-", "-"]);
}

#[test]
fn other_files_in_the_directory_are_not_documents() {
    let tree = Tree::of(&[("", &named("one", &[]))]);
    for name in [
        "agent.triad.json",
        ".agent.triad.json",
        "ada.agent.json",
        "ada.agents.triad.json",
        "ada.agent.triad.json.bak",
        "ada.AGENT.triad.json",
        "notes.md",
        "legacy-imports/old.agent.triad.json",
    ] {
        tree.write(&format!("repo/.clia/agents/ada/{name}"), "not even JSON");
    }
    tree.write("repo/.clia/agents/README.md", "# Personas\n");
    tree.write("repo/.clia/ada.agent.triad.json", "{}");
    assert_eq!(tree.tags("repo", "profile ada"), ["one"]);
    let list = json(&tree.good("repo", "profile --list --json"));
    let Value::List(rows) = list else {
        panic!("{list:?}")
    };
    assert_eq!(rows.len(), 1);
}

#[test]
fn of_two_documents_of_one_kind_the_first_by_name_is_used() {
    let tree = Tree::of(&[]);
    for name in ["b@x", "a@x", "c@x"] {
        tree.write(
            &format!("repo/.clia/agents/ada/{name}.agent.triad.json"),
            named(name, &[]),
        );
        tree.write(
            &format!("repo/.clia/agents/ada/{name}.agenda.triad.json"),
            named(name, &[]),
        );
    }
    let text = tree.warned("repo", "profile ada", &["b@x.agent.triad.json` is ignored"]);
    assert_eq!(tags(&text), ["a@x"]);
    tree.fails(
        "repo",
        "profile ada --strict",
        1,
        &["error[lineage/two-documents]"],
    );
}

#[test]
fn every_document_that_does_not_count_is_reported() {
    let tree = Tree::of(&[]);
    for name in ["b@x", "a@x", "c@x"] {
        tree.write(
            &format!("repo/.clia/agents/ada/{name}.agent.triad.json"),
            named(name, &[]),
        );
    }
    let words = [
        "b@x.agent.triad.json` is ignored",
        "c@x.agent.triad.json` is ignored",
    ];
    tree.warned("repo", "profile ada", &words);
}

#[test]
fn the_first_by_name_is_used_even_if_it_cannot_be_read() {
    let tree = Tree::of(&[("", &named("top", &[]))]);
    tree.write("repo/a/.clia/agents/ada/a.agent.triad.json", "{");
    tree.write(
        "repo/a/.clia/agents/ada/b.agent.triad.json",
        named("b", &[]),
    );
    let words = [
        "a/.clia/agents/ada/a.agent.triad.json` is ignored",
        "lineage/two-documents",
    ];
    assert_eq!(tags(&tree.warned("repo/a", "profile ada", &words)), ["top"]);
}

#[test]
fn names_are_distinguished_by_case_and_those_that_differ_only_in_it_are_reported() {
    let tree = Tree::of(&[("", &named("small", &[]))]);
    if tree.path("repo/.clia/agents/ADA").exists() {
        return;
    }
    tree.persona("repo", "Ada", "agent", named("large", &[]));
    let words = [
        "lineage/case",
        "the personas `Ada` and `ada` differ only in case",
    ];
    assert_eq!(tags(&tree.warned("repo", "profile ada", &words)), ["small"]);
    assert_eq!(tags(&tree.warned("repo", "profile Ada", &words)), ["large"]);
    tree.warned("repo", "profile --list", &words);
    tree.fails("repo", "profile ADA", 3, &["did you mean"]);
}

#[test]
fn a_name_of_another_case_is_another_persona() {
    let tree = Tree::of(&[("", &named("small", &[]))]);
    if tree.path("repo/.clia/agents/ADA").exists() {
        return;
    }
    tree.persona("repo/a", "Ada", "agent", named("large", &[]));
    assert_eq!(tree.tags("repo/a", "profile ada"), ["small"]);
    assert_eq!(tree.tags("repo/a", "profile Ada"), ["large"]);
}

#[test]
fn slugs_with_spaces_and_letters_of_any_alphabet_are_names() {
    let tree = Tree::of(&[]);
    for slug in ["code swiftly", "zoë", "名前", "-x", "a.b"] {
        tree.persona("repo", slug, "agent", named(slug, &[]));
        let mut command = tree.command("repo", "profile --");
        command.arg(slug);
        let output = tree.sandbox.output(command);
        assert_eq!(
            (output.code, tags(&output.stdout)),
            (Some(0), vec![slug.to_owned()]),
            "{output}"
        );
    }
}

#[test]
fn directories_with_any_name_are_levels() {
    for directory in [
        "with space",
        "zoë",
        "a+b",
        "-dash",
        "a:b",
        "a`b",
        "UPPER",
        "a\tb",
    ] {
        let tree = Tree::of(&[("", &named("top", &[])), (directory, &named("inner", &[]))]);
        let text = tree.good(&under("repo", directory), "profile ada --root-chain");
        assert_eq!(chain(&text, "layer"), [".", directory]);
        assert_eq!(tags(&text), ["top", "inner"]);
    }
}

#[test]
fn directories_with_any_name_are_reported_by_it() {
    for directory in ["with space", "zoë", "a+b", "-dash", "a:b", "UPPER"] {
        let tree = Tree::of(&[("", &named("top", &[])), (directory, &named("inner", &[]))]);
        let text = tree.good(&under("repo", directory), "explain profile:ada /title");
        assert!(text.contains(&format!("from {directory} (")), "{text}");
        tree.ada(&under("repo", directory), "{\"title\": [1]}");
        tree.warned(
            &under("repo", directory),
            "profile ada",
            &[&format!("layer `{directory}` wins")],
        );
    }
    // A name that would break the line is not shown.
    let tree = Tree::of(&[("", &named("top", &[])), ("a\tb", &named("inner", &[]))]);
    assert!(
        tree.good("repo/a\tb", "explain profile:ada /title")
            .contains("from ? (")
    );
}

#[test]
fn documents_that_are_not_files_are_reported() {
    let tree = Tree::of(&[("", &named("top", &[]))]);
    tree.directory(&under("repo/a", &document("ada", "agent")));
    let words = [
        "warning[lineage/unreadable]",
        "ada@x.agent.triad.json` is ignored",
    ];
    assert_eq!(tags(&tree.warned("repo/a", "profile ada", &words)), ["top"]);
}

#[test]
fn a_pipe_is_not_a_document_and_nothing_waits_for_it() {
    let tree = Tree::of(&[("", &named("top", &["pipe"]))]);
    let mut command = tree.sandbox.command("mkfifo");
    command.arg(tree.path("repo/pipe"));
    assert_eq!(tree.sandbox.output(command).code, Some(0));
    let words = ["inherited file `pipe` is ignored"];
    assert_eq!(tags(&tree.warned("repo", "profile ada", &words)), ["top"]);
}

#[test]
fn the_directory_of_all_personas_may_be_a_link_that_stays_inside() {
    let tree = Tree::of(&[("", &named("top", &[]))]);
    tree.link("repo/a/.clia", "../.clia");
    // Both levels have the very same document, which wins once.
    let text = tree.good("repo/a", "profile ada --root-chain");
    assert_eq!(
        (tags(&text), chain(&text, "layer")),
        (vec!["top".to_owned()], vec![".".to_owned()])
    );
}
