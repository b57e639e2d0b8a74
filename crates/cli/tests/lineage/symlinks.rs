//! Directories and documents of personas that are symlinks.

use crate::support::{Tree, chain, document, named, tags};

#[test]
fn a_linked_persona_directory_inside_of_the_repository_is_followed() {
    let tree = Tree::of(&[("", &named("top", &[]))]);
    tree.write(
        "repo/personas/ada/ada@y.agent.triad.json",
        named("linked", &["p.json"]),
    );
    tree.write("repo/p.json", named("p", &[]));
    tree.link("repo/a/.clia/agents/ada", "../../../personas/ada");
    let text = tree.good("repo/a", "profile ada --root-chain");
    assert_eq!(tags(&text), ["top", "p", "linked"]);
    assert_eq!(chain(&text, "layer")[2], "a");
    assert_eq!(
        chain(&text, "path")[2],
        "a/.clia/agents/ada/ada@y.agent.triad.json"
    );
    assert!(tree.good("repo/a", "profile --list").contains("ada"));
}

#[test]
fn a_persona_may_be_another_ones_link() {
    let tree = Tree::of(&[("", &named("ada", &[]))]);
    tree.link("repo/.clia/agents/countess", "ada");
    assert_eq!(tree.tags("repo", "profile countess"), ["ada"]);
}

#[test]
fn a_linked_persona_directory_outside_of_the_repository_is_left_out_and_reported() {
    let tree = Tree::of(&[("", &named("top", &[]))]);
    tree.write("outside/ada/ada@y.agent.triad.json", named("outside", &[]));
    tree.write(
        "repository/ada/ada@y.agent.triad.json",
        named("near name", &[]),
    );
    for target in [
        "../../../../outside/ada",
        "../../../../repository/ada",
        &tree.absolute("outside/ada"),
    ] {
        let _ = std::fs::remove_file(tree.path("repo/a/.clia/agents/ada"));
        tree.link("repo/a/.clia/agents/ada", target);
        let words = [
            "warning[lineage/outside]: `a/.clia/agents/ada` is ignored\n  it is a symlink out of its repository",
            "help:",
        ];
        assert_eq!(tags(&tree.warned("repo/a", "profile ada", &words)), ["top"]);
        tree.warned("repo/a", "profile --list", &words);
        tree.fails(
            "repo/a",
            "profile ada --strict",
            1,
            &["error[lineage/outside]"],
        );
    }
}

#[test]
fn a_persona_that_is_only_outside_is_nowhere() {
    let tree = Tree::of(&[]);
    tree.write("outside/ada/ada@y.agent.triad.json", named("outside", &[]));
    tree.link("repo/.clia/agents/ada", "../../../outside/ada");
    tree.fails("repo", "profile ada", 3, &["lineage/outside"]);
}

#[test]
fn a_linked_document_outside_of_the_repository_is_left_out_and_reported() {
    let tree = Tree::of(&[("", &named("top", &[]))]);
    tree.write("outside.json", named("outside", &[]));
    tree.link(
        "repo/a/.clia/agents/ada/ada@x.agent.triad.json",
        "../../../../../outside.json",
    );
    assert_eq!(
        tags(&tree.warned("repo/a", "profile ada", &["warning[lineage/outside]"])),
        ["top"]
    );
}

#[test]
fn all_of_clia_linked_to_outside_of_the_repository_is_left_out_and_reported() {
    let tree = Tree::of(&[("", &named("top", &[]))]);
    tree.ada("outside", named("outside", &[]));
    tree.link("repo/a/.clia", "../../outside/.clia");
    assert_eq!(
        tags(&tree.warned("repo/a", "profile ada", &["warning[lineage/outside]"])),
        ["top"]
    );
}

#[test]
fn a_link_into_another_repository_inside_of_this_one_leads_out() {
    let tree = Tree::of(&[]);
    tree.repository("repo/inner");
    tree.write(
        "repo/inner/ada/ada@y.agent.triad.json",
        named("inner", &["p.json"]),
    );
    tree.write("repo/inner/p.json", named("inner p", &[]));
    tree.link("repo/.clia/agents/ada", "../../inner/ada");
    tree.fails("repo", "profile ada", 3, &["warning[lineage/outside]"]);
}

#[test]
fn a_link_out_of_an_inner_repository_into_the_outer_one_leads_out() {
    let tree = Tree::of(&[("", &named("outer", &[]))]);
    tree.repository("repo/inner");
    tree.link("repo/inner/.clia/agents/ada", "../../../.clia/agents/ada");
    assert_eq!(
        tags(&tree.warned("repo/inner", "profile ada", &["warning[lineage/outside]"])),
        ["outer"]
    );
}

#[test]
fn links_that_lead_in_a_circle_or_nowhere_are_reported() {
    for (name, target) in [
        ("itself", "ada"),
        ("circle", "other"),
        ("nowhere", "no/such/folder"),
    ] {
        let tree = Tree::of(&[("", &named("top", &[]))]);
        tree.link("repo/a/.clia/agents/ada", target);
        tree.link("repo/a/.clia/agents/other", "ada");
        let words = [
            "`a/.clia/agents/ada` is ignored",
            "warning[lineage/unreadable]",
        ];
        assert_eq!(
            tags(&tree.warned("repo/a", "profile ada", &words)),
            ["top"],
            "{name}"
        );
        tree.fails(
            "repo/a",
            "profile ada --strict",
            1,
            &["error[lineage/unreadable]"],
        );
        let list = tree.run("repo/a", "profile --list");
        assert_eq!(list.code, Some(0), "{list}");
        assert!(
            list.stdout.contains("ada") && list.stderr.contains("lineage/unreadable"),
            "{list}"
        );
    }
}

#[test]
fn a_dangling_document_is_reported() {
    let tree = Tree::of(&[("", &named("top", &[]))]);
    tree.link(
        "repo/a/.clia/agents/ada/ada@x.agent.triad.json",
        "gone.json",
    );
    let words = [
        "warning[lineage/unreadable]",
        "ada@x.agent.triad.json` is ignored",
    ];
    assert_eq!(tags(&tree.warned("repo/a", "profile ada", &words)), ["top"]);
}

#[test]
fn a_link_back_up_does_not_make_documents_count_twice() {
    let tree = Tree::of(&[("", &named("top", &[]))]);
    tree.link("repo/a/.clia/agents/ada", "../../../.clia/agents/ada");
    tree.link(
        "repo/a/b/.clia/agents/ada",
        "../../../../a/.clia/agents/ada",
    );
    let text = tree.good("repo/a/b", "profile ada --root-chain");
    assert_eq!(
        (tags(&text), chain(&text, "layer")),
        (vec!["top".to_owned()], vec![".".to_owned()])
    );
}

#[test]
fn outside_of_any_repository_links_stay_below_the_topmost_directory() {
    let tree = Tree::new();
    tree.write("personas/ada/ada@x.agent.triad.json", named("linked", &[]));
    tree.link("a/.clia/agents/ada", "../../../personas/ada");
    tree.fails("a", "profile ada", 3, &["lineage/outside"]);
    assert_eq!(tree.tags("a", "profile ada --ceiling .."), ["linked"]);
}

#[test]
fn a_linked_parent_is_the_document_that_it_leads_to() {
    let tree = Tree::of(&[("", &named("me", &["link.json", "real.json"]))]);
    tree.write("repo/real.json", named("real", &[]));
    tree.link("repo/link.json", "real.json");
    let text = tree.good("repo", "profile ada --root-chain");
    assert_eq!(tags(&text), ["real", "me"]);
    assert_eq!(
        chain(&text, "path"),
        ["real.json", &document("ada", "agent")]
    );
}
