//! Inheritance between documents, and the rank of parents.

use crate::support::{Tree, chain, document, json, named, strings, tags, title, under};

const RULES: &str = "rules/base.json";

#[test]
fn a_parent_ranks_directly_under_the_document_that_names_it() {
    let tree = Tree::of(&[
        ("", &named("top", &["p/top.json"])),
        ("a", &named("a", &["p/a1.json", "p/a2.json"])),
        ("a/b", &named("b", &["p/b.json"])),
    ]);
    for name in ["top", "a1", "a2", "b"] {
        tree.write(
            &format!("repo/p/{name}.json"),
            named(&format!("p-{name}"), &[]),
        );
    }
    let text = tree.good("repo/a/b", "profile ada --root-chain");
    assert_eq!(
        tags(&text),
        ["p-top", "top", "p-a1", "p-a2", "a", "p-b", "b"]
    );
    assert_eq!(title(&text), "b");
    let paths = chain(&text, "inheritedFrom");
    assert_eq!(paths[0], document("ada", "agent"));
    assert_eq!(paths[2], under("a", &document("ada", "agent")));
    assert_eq!((&*paths[1], &*paths[4], &*paths[6]), ("-", "-", "-"));
    assert_eq!(chain(&text, "prefix")[2], "a1");
}

#[test]
fn a_parent_of_a_lower_level_does_not_win_over_a_higher_level() {
    let tree = Tree::of(&[
        ("", "{\"title\": \"low\", \"role\": \"low\"}"),
        ("a", "{\"tags\": [\"x\"], \"inherits\": [\"p.json\"]}"),
    ]);
    tree.write("repo/p.json", "{\"title\": \"parent\"}");
    // The parent ranks lower than the document of `a`, and higher than that of the top.
    let text = tree.good("repo/a", "profile ada");
    assert_eq!(title(&text), "parent");
    assert_eq!(
        json(&text).get("role").and_then(|role| role.as_str()),
        Some("low")
    );
}

#[test]
fn parents_of_parents_come_first_depth_first_in_the_order_of_the_list() {
    let tree = Tree::of(&[("", &named("me", &["z.json", "a.json"]))]);
    tree.write("repo/z.json", named("z", &["z2.json", "z1.json"]));
    tree.write("repo/z1.json", named("z1", &[]));
    tree.write("repo/z2.json", named("z2", &["z3.json"]));
    tree.write("repo/z3.json", named("z3", &[]));
    tree.write("repo/a.json", named("a", &[]));
    let text = tree.good("repo", "profile ada --root-chain");
    assert_eq!(tags(&text), ["z3", "z2", "z1", "z", "a", "me"]);
    let heirs = [
        "z2.json",
        "z.json",
        "z.json",
        &document("ada", "agent"),
        &document("ada", "agent"),
        "-",
    ];
    assert_eq!(chain(&text, "inheritedFrom"), heirs);
}

#[test]
fn a_shared_parent_is_used_once_at_its_lowest_rank() {
    let tree = Tree::of(&[
        ("", &named("top", &["left.json", "right.json"])),
        ("a", &named("a", &["shared.json", "right.json"])),
    ]);
    tree.write("repo/left.json", named("left", &["shared.json"]));
    tree.write("repo/right.json", named("right", &["shared.json"]));
    tree.write("repo/shared.json", named("shared", &[]));
    let text = tree.good("repo/a", "profile ada --root-chain --strict");
    assert_eq!(tags(&text), ["shared", "left", "right", "top", "a"]);
    assert_eq!(chain(&text, "path").len(), 5);
    assert_eq!(chain(&text, "inheritedFrom")[0], "left.json");
}

#[test]
fn one_parent_in_several_spellings_is_one() {
    let tree = Tree::of(&[]);
    let absolute = tree.absolute("repo/base.json");
    let spellings = [
        "base.json",
        "./base.json",
        "x/../base.json",
        "x//..//base.json",
        " base.json ",
        &absolute,
    ];
    tree.ada("repo", named("me", &spellings));
    tree.directory("repo/x");
    tree.write("repo/base.json", named("base", &[]));
    tree.link("repo/linked.json", "base.json");
    tree.ada("repo/a", named("a", &["linked.json"]));
    let text = tree.good("repo/a", "profile ada --root-chain");
    assert_eq!(tags(&text), ["base", "me", "a"]);
    assert_eq!(chain(&text, "layer").len(), 3);
}

#[test]
fn a_document_of_a_lower_level_that_is_inherited_stays_where_it_is() {
    let own = document("ada", "agent");
    let tree = Tree::of(&[
        ("", &named("top", &[])),
        ("a", &named("a", &[])),
        ("a/b", &named("b", &[&own])),
    ]);
    let text = tree.good("repo/a/b", "profile ada --root-chain");
    assert_eq!(tags(&text), ["top", "a", "b"]);
    assert_eq!(chain(&text, "inheritedFrom"), ["-", "-", "-"]);
}

#[test]
fn an_inherited_document_of_a_higher_level_ranks_under_its_heir() {
    let higher = under("a", &document("ada", "agent"));
    let tree = Tree::of(&[("", &named("top", &[&higher])), ("a", &named("a", &[]))]);
    assert_eq!(tree.tags("repo/a", "profile ada"), ["a", "top"]);
}

#[test]
fn paths_are_from_the_root_of_the_repository_that_holds_the_document() {
    let tree = Tree::of(&[("a/b", &named("b", &[RULES]))]);
    tree.write(&under("repo", RULES), named("root rules", &[]));
    tree.write(&under("repo/a", RULES), named("wrong", &[]));
    tree.write(&under("repo/a/b", RULES), named("wrong", &[]));
    for directory in ["repo/a/b", "repo/a/b/c/d"] {
        tree.directory(directory);
        assert_eq!(
            tree.tags(directory, "profile ada"),
            ["root rules", "b"],
            "{directory}"
        );
    }
    assert_eq!(
        tree.tags(".", "profile ada --path repo/a/b"),
        ["root rules", "b"]
    );
    // The end of the search does not affect where paths start.
    assert_eq!(
        tree.tags("repo/a/b", "profile ada --ceiling ."),
        ["root rules", "b"]
    );
}

#[test]
fn a_document_of_an_inner_repository_inherits_from_its_own_root() {
    let tree = Tree::of(&[
        ("", &named("outer", &[RULES])),
        ("in/a", &named("inner", &[RULES])),
    ]);
    tree.repository("repo/in");
    tree.write(&under("repo", RULES), named("outer rules", &["more.json"]));
    tree.write("repo/more.json", named("outer more", &[]));
    tree.write(
        &under("repo/in", RULES),
        named("inner rules", &["more.json"]),
    );
    tree.write("repo/in/more.json", named("inner more", &[]));
    let expected = [
        "outer more",
        "outer rules",
        "outer",
        "inner more",
        "inner rules",
        "inner",
    ];
    assert_eq!(tree.tags("repo/in/a", "profile ada"), expected);
}

#[test]
fn an_absolute_path_may_lead_anywhere_and_its_parents_start_at_its_own_repository() {
    let tree = Tree::of(&[]);
    tree.repository("shared");
    tree.write("shared/deep/p.json", named("p", &["q.json"]));
    tree.write("shared/q.json", named("q", &[]));
    tree.write("repo/q.json", named("wrong", &[]));
    tree.ada("repo", named("me", &[&tree.absolute("shared/deep/p.json")]));
    let text = tree.good("repo", "profile ada --root-chain");
    assert_eq!(tags(&text), ["q", "p", "me"]);
    assert_eq!(chain(&text, "path")[1], "[SANDBOX]/work/shared/deep/p.json");
}

#[test]
fn a_relative_path_may_lead_out_of_the_repository() {
    let tree = Tree::of(&[("a", &named("me", &["../beside.json"]))]);
    tree.write("beside.json", named("beside", &[]));
    assert_eq!(tree.tags("repo/a", "profile ada"), ["beside", "me"]);
}

#[test]
fn a_place_for_credentials_is_never_inherited() {
    let tree = Tree::of(&[]);
    tree.write(
        "u/.docker/config.json",
        "{\"auths\": {\"r.example\": {\"auth\": \"PRIVATE\"}}}",
    );
    let paths = [
        tree.absolute("u/.docker/config.json"),
        "../u/.docker/config.json".to_owned(),
    ];
    for path in paths.into_iter().chain(["/proc/self/environ".to_owned()]) {
        tree.ada("repo", named("me", &[&path]));
        for line in [
            "profile ada",
            "profile ada --format md",
            "explain profile:ada",
        ] {
            let output = tree.run("repo", line);
            assert_eq!(output.code, Some(6), "{line}\n{output}");
            assert!(
                output.to_string().contains("trust/credentials"),
                "{line}\n{output}"
            );
            assert!(!output.to_string().contains("PRIVATE"), "{line}\n{output}");
        }
    }
}

#[test]
fn outside_of_any_repository_paths_are_from_the_topmost_directory() {
    let tree = Tree::new();
    tree.ada("a/b", named("b", &["p.json"]));
    tree.write("a/b/p.json", named("near", &[]));
    tree.write("a/p.json", named("far", &[]));
    assert_eq!(tree.tags("a/b", "profile ada"), ["near", "b"]);
    assert_eq!(tree.tags("a/b", "profile ada --ceiling .."), ["far", "b"]);
}

#[test]
fn every_kind_inherits_for_itself() {
    let tree = Tree::of(&[("", &named("agent", &["agent.json"]))]);
    tree.persona("repo", "ada", "agenda", named("agenda", &["agenda.json"]));
    tree.persona("repo", "ada", "agency", named("agency", &[]));
    tree.write("repo/agent.json", named("p-agent", &[]));
    tree.write("repo/agenda.json", named("p-agenda", &[]));
    let all = json(&tree.good("repo", "profile ada --kind all"));
    let of = |kind: &str| strings(all.get(kind).and_then(|document| document.get("tags")));
    assert_eq!(of("agent"), ["p-agent", "agent"]);
    assert_eq!(of("agenda"), ["p-agenda", "agenda"]);
    assert_eq!(of("agency"), ["agency"]);
}

#[test]
fn inherited_lists_are_lists_of_the_profile() {
    let tree = Tree::of(&[
        ("", &named("top", &["one.json"])),
        ("a", &named("a", &["two.json", "one.json"])),
    ]);
    tree.write("repo/one.json", "{}");
    tree.write("repo/two.json", "{}");
    let value = json(&tree.good("repo/a", "profile ada"));
    assert_eq!(strings(value.get("inherits")), ["one.json", "two.json"]);
}

#[test]
fn inherits_may_be_one_path_nothing_or_blank() {
    for inherits in [
        "\"p.json\"",
        "[\"p.json\", \"\", \"  \"]",
        "[\"p.json\", \"p.json\"]",
    ] {
        let tree = Tree::of(&[(
            "",
            &format!("{{\"tags\": [\"me\"], \"inherits\": {inherits}}}"),
        )]);
        tree.write("repo/p.json", named("p", &[]));
        assert_eq!(tree.tags("repo", "profile ada"), ["p", "me"], "{inherits}");
    }
    for inherits in ["null", "[]", "\"\"", "[\"\"]"] {
        let tree = Tree::of(&[(
            "",
            &format!("{{\"tags\": [\"me\"], \"inherits\": {inherits}}}"),
        )]);
        assert_eq!(tree.tags("repo", "profile ada"), ["me"], "{inherits}");
    }
}

#[test]
fn invalid_paths_are_reported_and_the_others_apply() {
    for wrong in ["1", "true", "{}", "{\"path\": \"p.json\"}", "[\"p.json\"]"] {
        let text = format!("{{\"tags\": [\"me\"], \"inherits\": [{wrong}, \"p.json\"]}}");
        let tree = Tree::of(&[("", &text)]);
        tree.write("repo/p.json", named("p", &[]));
        let words = [
            "warning[lineage/value]: `inherits` must list paths",
            "ada@x.agent.triad.json:1:",
            "help:",
        ];
        assert_eq!(
            tags(&tree.warned("repo", "profile ada", &words)),
            ["p", "me"],
            "{wrong}"
        );
        tree.fails("repo", "profile ada --strict", 1, &["error[lineage/value]"]);
    }
    for wrong in ["1", "{\"path\": \"p.json\"}"] {
        let tree = Tree::of(&[(
            "",
            &format!("{{\"tags\": [\"me\"], \"inherits\": {wrong}}}"),
        )]);
        let words = ["warning[lineage/value]: `inherits` must list paths"];
        assert_eq!(
            tags(&tree.warned("repo", "profile ada", &words)),
            ["me"],
            "{wrong}"
        );
    }
}

#[test]
fn a_missing_parent_is_reported_with_who_names_it_and_the_merge_goes_on() {
    let tree = Tree::of(&[
        ("", &named("top", &[])),
        ("a", &named("a", &["no/such.json", "p.json"])),
    ]);
    tree.write("repo/p.json", named("p", &["also/missing.json"]));
    let words = [
        "inherited file `no/such.json` does not exist",
        "inherited file `also/missing.json` does not exist",
    ];
    assert_eq!(
        tags(&tree.warned("repo/a", "profile ada", &words)),
        ["top", "p", "a"]
    );
    let output = tree.fails(
        "repo/a",
        "profile ada --strict",
        1,
        &["error[lineage/missing-parent]"],
    );
    assert_eq!(output.stdout, "");
}

#[test]
fn a_missing_parent_of_two_is_reported_for_each() {
    let tree = Tree::of(&[
        ("", &named("top", &["no.json"])),
        ("a", &named("a", &["no.json"])),
    ]);
    let words = [
        "inherited by `.clia/agents/ada/ada@x.agent.triad.json`",
        "inherited by `a/.clia/agents/ada/ada@x.agent.triad.json`",
    ];
    tree.warned("repo/a", "profile ada", &words);
}

#[test]
fn an_unreadable_parent_is_reported_with_who_names_it_and_the_merge_goes_on() {
    for (name, content) in [
        ("broken.json", &b"{\"tags\": ["[..]),
        ("list.json", b"[]"),
        ("empty.json", b""),
        ("binary.json", b"{\"a\": \"\xff\xfe\"}"),
        ("version.json", b"{\"schemaVersion\": \"1.0.0\"}"),
    ] {
        let tree = Tree::of(&[("", &named("me", &[name, "p.json"]))]);
        tree.write(&under("repo", name), content);
        tree.write("repo/p.json", named("p", &[]));
        let words = [&*format!("inherited file `{name}` is ignored")];
        assert_eq!(
            tags(&tree.warned("repo", "profile ada", &words)),
            ["p", "me"],
            "{name}"
        );
        tree.fails("repo", "profile ada --strict", 1, &[name]);
    }
}

#[test]
fn a_directory_is_not_a_parent() {
    let tree = Tree::of(&[("", &named("me", &["folder", "."]))]);
    tree.directory("repo/folder");
    let words = [
        "inherited file `folder` is ignored",
        "inherited file `.` is ignored",
    ];
    assert_eq!(tags(&tree.warned("repo", "profile ada", &words)), ["me"]);
}

#[test]
fn a_parent_without_permission_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let tree = Tree::of(&[("", &named("me", &["p.json"]))]);
    tree.write("repo/p.json", named("p", &[]));
    std::fs::set_permissions(tree.path("repo/p.json"), PermissionsExt::from_mode(0o000)).unwrap();
    if std::fs::read(tree.path("repo/p.json")).is_ok() {
        return;
    }
    let words = ["inherited file `p.json` is ignored"];
    assert_eq!(tags(&tree.warned("repo", "profile ada", &words)), ["me"]);
}

#[test]
fn a_parent_of_the_network_is_reported_and_not_loaded() {
    for url in [
        "http://127.0.0.1:9/p.json",
        "https://x.invalid/p.json",
        "HTTPS://X.invalid/p.json",
    ] {
        let tree = Tree::of(&[("", &named("me", &[url, "p.json"]))]);
        tree.write("repo/p.json", named("p", &[]));
        let words = [
            &*format!("inherited URL `{url}` is not loaded"),
            "warning[lineage/remote-parent]",
        ];
        assert_eq!(
            tags(&tree.warned("repo", "profile ada", &words)),
            ["p", "me"]
        );
        tree.fails(
            "repo",
            "profile ada --strict",
            1,
            &["error[lineage/remote-parent]"],
        );
        tree.warned("repo", "profile ada --offline", &words);
    }
}

#[test]
fn other_urls_are_paths_that_are_missing() {
    let tree = Tree::of(&[(
        "",
        &named("me", &["git@x.invalid:p.json", "~/p.json", "$HOME/p.json"]),
    )]);
    let words = [
        "inherited file `git@x.invalid:p.json`",
        "inherited file `~/p.json`",
        "inherited file `$HOME/p.json`",
    ];
    assert_eq!(tags(&tree.warned("repo", "-v profile ada", &words)), ["me"]);
    let folded = [
        "inherited file `git@x.invalid:p.json`",
        "also ~/p.json, $HOME/p.json",
    ];
    assert_eq!(tags(&tree.warned("repo", "profile ada", &folded)), ["me"]);
}

/// Documents `0.json` to `N-1.json`, each of which inherits the next, and the last the first.
fn cycle(length: usize) -> Tree {
    let tree = Tree::of(&[("", &named("me", &["0.json"]))]);
    for at in 0..length {
        let next = format!("{}.json", (at + 1) % length);
        tree.write(&format!("repo/{at}.json"), named(&at.to_string(), &[&next]));
    }
    tree
}

#[test]
fn a_cycle_is_cut_at_the_repeat_and_reported_with_its_chain() {
    for length in [1, 2, 10] {
        let tree = cycle(length);
        let names: Vec<String> = (0..length)
            .chain([0])
            .map(|at| format!("{at}.json"))
            .collect();
        let words = [
            "warning[lineage/cycle]",
            &*format!("has a cycle\n  {}\n", names.join(" -> ")),
        ];
        let text = tree.warned("repo", "profile ada", &words);
        let expected: Vec<String> = (0..length)
            .rev()
            .map(|at| at.to_string())
            .chain(["me".to_owned()])
            .collect();
        assert_eq!(tags(&text), expected);
        let output = tree.fails("repo", "profile ada --strict --json", 1, &[]);
        assert!(output.stdout.contains("lineage/cycle"), "{output}");
    }
}

#[test]
fn a_document_that_inherits_itself_is_used_once() {
    let own = document("ada", "agent");
    let tree = Tree::of(&[("", &named("me", &[&own]))]);
    let words = [
        "warning[lineage/cycle]",
        &*format!("has a cycle\n  {own} -> {own}\n"),
    ];
    assert_eq!(tags(&tree.warned("repo", "profile ada", &words)), ["me"]);
}

#[test]
fn a_cycle_through_two_levels_is_cut() {
    let (top, inner) = (
        document("ada", "agent"),
        under("a", &document("ada", "agent")),
    );
    let tree = Tree::of(&[("", &named("top", &[&inner])), ("a", &named("a", &[&top]))]);
    let text = tree.warned("repo/a", "profile ada", &["warning[lineage/cycle]"]);
    assert_eq!(tags(&text), ["a", "top"]);
}

#[test]
fn a_diamond_is_not_a_cycle() {
    let tree = Tree::of(&[("", &named("me", &["b.json", "c.json"]))]);
    tree.write("repo/b.json", named("b", &["d.json"]));
    tree.write("repo/c.json", named("c", &["d.json"]));
    tree.write("repo/d.json", named("d", &[]));
    assert_eq!(
        tree.tags("repo", "profile ada --strict"),
        ["d", "b", "c", "me"]
    );
}

#[test]
fn two_cycles_are_both_reported() {
    let tree = Tree::of(&[("", &named("me", &["a.json", "b.json"]))]);
    tree.write("repo/a.json", named("a", &["a.json"]));
    tree.write("repo/b.json", named("b", &["b.json"]));
    tree.warned(
        "repo",
        "profile ada",
        &[
            "has a cycle\n  a.json -> a.json",
            "has a cycle\n  b.json -> b.json",
        ],
    );
}

#[test]
fn a_document_that_is_left_out_brings_no_parents() {
    let tree = Tree::of(&[
        ("", &named("top", &[])),
        (
            "a",
            "{\"schemaVersion\": \"9\", \"inherits\": [\"p.json\"]}",
        ),
    ]);
    tree.write("repo/p.json", named("p", &[]));
    assert_eq!(
        tags(&tree.warned("repo/a", "profile ada", &["lineage/version"])),
        ["top"]
    );
}
