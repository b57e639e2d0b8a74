//! Superprojects and submodules, created by git itself.

use crate::support::{Tree, chain, named, tags};

/// A superproject `super` with the submodules `libs/one`, `libs/two` and `apps/three`; each has an `ada` with its name.
fn superproject() -> Tree {
    let tree = Tree::new();
    for name in ["one", "two", "three"] {
        let origin = format!("origins/{name}");
        tree.repository(&origin);
        tree.ada(&origin, named(name, &["rules.json"]));
        tree.ada(
            &format!("{origin}/deep"),
            named(&format!("{name}/deep"), &[]),
        );
        tree.write(
            &format!("{origin}/rules.json"),
            named(&format!("{name} rules"), &[]),
        );
        tree.commit(&origin);
    }
    tree.repository("super");
    tree.ada("super", named("super", &["rules.json"]));
    tree.write("super/rules.json", named("super rules", &[]));
    tree.ada("super/libs", named("libs", &[]));
    for (name, path) in [
        ("two", "libs/two"),
        ("three", "apps/three"),
        ("one", "libs/one"),
    ] {
        tree.git(
            "super",
            &[
                "submodule",
                "add",
                "-q",
                &format!("../origins/{name}"),
                path,
            ],
        );
    }
    tree.commit("super");
    tree
}

#[test]
fn the_superproject_ranks_under_the_submodule_of_the_working_directory() {
    let tree = superproject();
    let expected = [
        "super rules",
        "super",
        "libs",
        "one rules",
        "one",
        "one/deep",
    ];
    let text = tree.good("super/libs/one/deep", "profile ada --root-chain");
    assert_eq!(tags(&text), expected);
    let layers = [".", ".", "libs", "libs/one", "libs/one", "libs/one/deep"];
    assert_eq!(chain(&text, "layer"), layers);
    assert_eq!(tree.tags("super/libs/one", "profile ada"), &expected[..5]);
}

#[test]
fn other_submodules_do_not_count() {
    let tree = superproject();
    assert_eq!(tree.tags("super", "profile ada"), ["super rules", "super"]);
    assert_eq!(
        tree.tags("super/libs", "profile ada"),
        ["super rules", "super", "libs"]
    );
}

#[test]
fn submodules_are_added_below_the_repositorys_own_documents_in_the_order_of_their_paths() {
    let tree = superproject();
    let added = [
        "three rules",
        "three",
        "one rules",
        "one",
        "two rules",
        "two",
        "super rules",
        "super",
    ];
    let text = tree.good("super", "profile ada --submodules --root-chain");
    assert_eq!(tags(&text), added);
    assert_eq!(chain(&text, "layer")[1], "apps/three");
    let with_libs: Vec<&str> = added.into_iter().chain(["libs"]).collect();
    assert_eq!(
        tree.tags("super/libs", "profile ada --submodules"),
        with_libs
    );
    assert_eq!(
        tree.tags(".", "profile ada --submodules --path super/libs"),
        with_libs
    );
}

#[test]
fn in_a_submodule_its_own_submodules_are_added_and_not_its_siblings() {
    let tree = superproject();
    let expected = ["super rules", "super", "libs", "one rules", "one"];
    assert_eq!(
        tree.tags("super/libs/one", "profile ada --submodules"),
        expected
    );
}

#[test]
fn the_submodules_of_a_submodule_stand_between_it_and_the_superproject() {
    let tree = superproject();
    tree.git(
        "super/libs/one",
        &[
            "submodule",
            "add",
            "-q",
            &tree.absolute("origins/three"),
            "vendor/three",
        ],
    );
    let expected = [
        "super rules",
        "super",
        "libs",
        "three rules",
        "three",
        "one rules",
        "one",
    ];
    assert_eq!(
        tree.tags("super/libs/one", "profile ada --submodules"),
        expected
    );
    // From the superproject only its own submodules are added, not theirs.
    let of_super = [
        "three rules",
        "three",
        "one rules",
        "one",
        "two rules",
        "two",
        "super rules",
        "super",
    ];
    assert_eq!(tree.tags("super", "profile ada --submodules"), of_super);
}

#[test]
fn a_submodule_that_is_not_checked_out_says_nothing() {
    let tree = superproject();
    tree.git(".", &["clone", "-q", "super", "fresh"]);
    assert_eq!(
        tree.tags("fresh", "profile ada --submodules"),
        ["super rules", "super"]
    );
    tree.git(
        "fresh",
        &["submodule", "--quiet", "update", "--init", "libs/two"],
    );
    let expected = ["two rules", "two", "super rules", "super"];
    assert_eq!(tree.tags("fresh", "profile ada --submodules"), expected);
}

#[test]
fn a_ceiling_ends_the_search_at_the_submodule() {
    let tree = superproject();
    assert_eq!(
        tree.tags("super/libs/one", "profile ada --ceiling ."),
        ["one rules", "one"]
    );
}

#[test]
fn submodules_of_a_directory_outside_of_any_repository_are_none() {
    let tree = Tree::new();
    tree.ada("plain", named("plain", &[]));
    assert_eq!(tree.tags("plain", "profile ada --submodules"), ["plain"]);
}

#[test]
fn a_repository_without_submodules_adds_none() {
    let tree = Tree::of(&[("", &named("top", &[])), ("a", &named("a", &[]))]);
    assert_eq!(
        tree.tags("repo/a", "profile ada --submodules"),
        ["top", "a"]
    );
}

#[test]
fn personas_of_submodules_are_listed_when_they_count() {
    let tree = superproject();
    tree.persona("super/libs/two", "grace", "agenda", "{}");
    let without = tree.good("super", "profile --list");
    assert!(!without.contains("grace"), "{without}");
    let with = tree.good("super", "profile --list --submodules");
    assert!(
        with.contains("grace") && with.contains("libs/two"),
        "{with}"
    );
}

#[test]
fn a_submodule_without_a_commit_and_a_foreign_entry_in_gitmodules_do_no_harm() {
    let tree = superproject();
    let modules = tree.sandbox.read("super/.gitmodules");
    let more = "[submodule \"evil\"]\n\tpath = ../origins/one\n\turl = x\n[submodule \"gone\"]\n\tpath = gone\n\turl = x\n";
    tree.write("super/.gitmodules", format!("{modules}{more}"));
    let expected = [
        "three rules",
        "three",
        "one rules",
        "one",
        "two rules",
        "two",
        "super rules",
        "super",
    ];
    assert_eq!(tree.tags("super", "profile ada --submodules"), expected);
}
