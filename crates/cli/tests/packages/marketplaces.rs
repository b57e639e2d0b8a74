//! Plugins by their names in marketplaces, and plugins that require others.

use agpm_testkit::Repository;

use crate::plugins::REVIEW;
use crate::support::Project;

const FILE: &str = ".claude-plugin/marketplace.json";

fn marketplace(plugins: &str) -> String {
    format!(
        r#"{{"name": "hub", "owner": {{"name": "x"}}, "plugins": [{plugins}], "renames": {{"older": "kit"}}}}"#
    )
}

fn named(name: &str) -> String {
    format!("[plugins]\nkit = {{ marketplace = \"community\", name = \"{name}\" }}\n")
}

/// A project whose source `community` is a marketplace with these plugins and files.
fn project<'s>(owner: &'s Project, plugins: &str, files: &[(&str, &str)]) -> Repository<'s> {
    let mut repository = Repository::init(&owner.sandbox, "community");
    let text = marketplace(plugins);
    let all: Vec<(&str, &str)> = [(FILE, text.as_str())]
        .into_iter()
        .chain(files.iter().copied())
        .collect();
    repository.commit(&all);
    repository
}

#[test]
fn a_plugin_is_found_by_its_name_and_by_its_old_one() {
    let owner = Project::new();
    let mut hub = project(
        &owner,
        r#"{"name": "kit", "source": "./plugins/kit"}"#,
        &[("plugins/kit/agents/review.md", REVIEW)],
    );
    for name in ["kit", "older"] {
        owner.manifest(&named(name));
        owner.good("validate --resolve");
        owner.good("install");
        assert_eq!(owner.read(".claude/agents/review.md"), REVIEW);
    }
    owner.manifest(&named("kit"));
    owner.good("install");
    let lock = owner.read("agpm.lock");
    assert!(
        lock.contains("name = \"kit\"") && lock.contains("[plugins.marketplace]"),
        "{lock}"
    );
    // The lockfile keeps the commit until an update.
    let text = marketplace(r#"{"name": "kit", "source": "./moved"}"#);
    hub.commit(&[(FILE, &text), ("moved/agents/other.md", REVIEW)]);
    owner.good("install");
    owner.good("install --frozen");
    assert_eq!(owner.read("agpm.lock"), lock);
    owner.good("update");
    assert!(owner.exists(".claude/agents/other.md") && !owner.exists(".claude/agents/review.md"));
    owner.manifest(&named("kitt"));
    owner.refused(
        "install",
        3,
        &[
            "name/unknown",
            "has no plugin `kitt`",
            "did you mean `kit`?",
        ],
    );
}

#[test]
fn plugins_in_other_repositories_open_a_source_of_their_own() {
    let owner = Project::new();
    let mut other = Repository::init(&owner.sandbox, "other");
    let old = other.commit(&[("kits/kit/agents/review.md", REVIEW)]);
    other.tag("v1");
    other.commit(&[("kits/kit/agents/newer.md", REVIEW)]);
    let url = other.url();
    let at = |more: &str| {
        format!(
            r#"{{"name": "kit", "source": {{"source": "git-subdir", "url": "{url}", "path": "kits/kit"{more}}}}}"#
        )
    };
    let mut hub = project(
        &owner,
        &at(&format!(r#", "ref": "main", "sha": "{old}""#)),
        &[],
    );
    owner.manifest(&named("kit"));
    owner.good("install");
    assert!(owner.exists(".claude/agents/review.md") && !owner.exists(".claude/agents/newer.md"));
    let lock = owner.read("agpm.lock");
    assert!(
        lock.contains(&old) && lock.contains("community/kit"),
        "{lock}"
    );
    for line in ["verify", "install --frozen", "list", "tree", "outdated"] {
        owner.good(line);
    }
    hub.commit(&[(FILE, &marketplace(&at("")))]);
    owner.good("update");
    assert!(owner.exists(".claude/agents/newer.md"));
    let absent = "a".repeat(40);
    hub.commit(&[(FILE, &marketplace(&at(&format!(r#", "sha": "{absent}""#))))]);
    owner.refused("update", 4, &["plugin/commit", "is not reachable"]);
}

#[test]
fn a_commit_belongs_to_the_branch_or_tag_next_to_it() {
    let owner = Project::new();
    let mut other = Repository::init(&owner.sandbox, "other");
    let old = other.commit(&[("agents/review.md", REVIEW)]);
    other.tag("v1");
    other.git(&["checkout", "-q", "-b", "fork"]);
    let fork = other.commit(&[("agents/fork.md", REVIEW)]);
    other.git(&["checkout", "-q", "main"]);
    let tip = other.commit(&[("agents/newer.md", REVIEW)]);
    let url = other.url();
    let at = |reference: &str, sha: &str| {
        marketplace(&format!(
            r#"{{"name": "kit", "source": {{"source": "url", "url": "{url}", "ref": "{reference}", "sha": "{sha}"}}}}"#
        ))
    };
    let mut hub = project(&owner, "", &[]);
    owner.manifest(&named("kit"));
    // The commit wins over the tip of its branch.
    for (reference, sha) in [("main", &old), ("main", &tip), ("fork", &old), ("v1", &old)] {
        hub.commit(&[(FILE, &at(reference, sha))]);
        owner.good("update");
        assert_eq!(owner.exists(".claude/agents/newer.md"), *sha == tip);
        assert!(owner.read("agpm.lock").contains(sha.as_str()));
        owner.good("install --frozen");
    }
    hub.commit(&[(FILE, &at("main", &fork))]);
    let words = ["plugin/commit", "is not reachable from `main`", "report it"];
    owner.refused("update", 4, &words);
    hub.commit(&[(FILE, &at("gone", &old))]);
    owner.refused(
        "update",
        4,
        &["plugin/commit", "has no branch or tag `gone`"],
    );
    hub.commit(&[(FILE, &at("v1", &tip))]);
    let words = ["plugin/commit", "`v1` of `community/kit` is ", &tip[..8]];
    owner.refused("update", 1, &words);
    hub.commit(&[(FILE, &at("main", "1234"))]);
    owner.refused(
        "update",
        1,
        &["plugin/marketplace", "`sha` is not a commit"],
    );
}

#[test]
fn sources_that_are_not_read_are_named() {
    for kind in ["npm", "archive", "command"] {
        let owner = Project::new();
        project(
            &owner,
            &format!(r#"{{"name": "kit", "source": {{"source": "{kind}", "package": "x"}}}}"#),
            &[],
        );
        owner.manifest(&named("kit"));
        owner.refused(
            "install",
            1,
            &["plugin/marketplace", &format!("type `{kind}`")],
        );
    }
    let owner = Project::with(&[("a.md", "")], &named("kit"));
    owner.refused("install", 3, &["source `community` is not a marketplace"]);
}

#[test]
fn an_entry_can_be_the_manifest() {
    let owner = Project::new();
    let skill = |name: &str| format!("---\nname: {name}\ndescription: d\n---\n");
    let (pdf, doc) = (skill("pdf"), skill("doc"));
    project(
        &owner,
        r#"{"name": "kit", "source": "./", "strict": false, "skills": ["./skills/pdf"]}"#,
        &[("skills/pdf/SKILL.md", &pdf), ("skills/doc/SKILL.md", &doc)],
    );
    owner.manifest(&named("kit"));
    owner.good("install");
    assert!(owner.exists(".claude/skills/pdf") && !owner.exists(".claude/skills/doc"));
    assert!(
        owner.exists(".agpm/plugins/kit/skills/doc/SKILL.md"),
        "kept whole"
    );
    owner.good("verify");
    owner.good("install --frozen");
}

fn needing(needs: &str) -> String {
    format!(r#"{{"name": "kit", "dependencies": [{needs}]}}"#)
}

const TWO: &str = r#"{"name": "kit", "source": "./kit"}, {"name": "base", "source": "./base"}"#;

#[test]
fn plugins_need_others_of_their_marketplace() {
    let owner = Project::new();
    let manifest = needing(r#""base""#);
    let hook = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "date"}]}]}}"#;
    let mut hub = project(
        &owner,
        TWO,
        &[
            ("kit/.claude-plugin/plugin.json", &manifest),
            ("kit/agents/review.md", REVIEW),
            ("base/agents/basic.md", REVIEW),
        ],
    );
    owner.manifest(&named("kit"));
    owner.good("install");
    assert!(
        owner.exists(".claude/agents/basic.md")
            && owner.exists(".agpm/plugins/base/agents/basic.md")
    );
    let tree = owner.good("tree").stdout;
    assert!(tree.contains("plugins/base (main) [transitive]"), "{tree}");
    owner.good("install --frozen");
    // An executable that only another plugin requires needs approval.
    hub.commit(&[("base/hooks/hooks.json", hook)]);
    owner.refused("update", 6, &["package/executable", "plugins/base"]);
    owner.good("update --allow-executables");
    assert!(owner.read(".claude/settings.local.json").contains("date"));
}

#[test]
fn ranges_are_over_the_tags_of_the_plugin() {
    let owner = Project::new();
    let manifest = needing(r#"{"name": "base", "version": "^1.0"}"#);
    let mut hub = project(
        &owner,
        TWO,
        &[
            ("kit/.claude-plugin/plugin.json", &manifest),
            ("kit/agents/review.md", REVIEW),
            ("base/agents/one.md", REVIEW),
        ],
    );
    hub.tag("base--v1.0.0");
    hub.tag("kit--v9.0.0");
    hub.commit(&[("base/agents/two.md", REVIEW)]);
    hub.tag("base--v2.0.0");
    owner.manifest(&named("kit"));
    owner.good("install");
    assert!(owner.exists(".claude/agents/one.md") && !owner.exists(".claude/agents/two.md"));
    assert!(owner.read("agpm.lock").contains("base--v1.0.0"));
}

#[test]
fn cycles_and_foreign_marketplaces_are_reported() {
    let owner = Project::new();
    let (kit, base) = (needing(r#""base""#), needing(r#""kit""#));
    let mut hub = project(
        &owner,
        TWO,
        &[
            ("kit/.claude-plugin/plugin.json", &kit),
            ("kit/agents/review.md", REVIEW),
            ("base/.claude-plugin/plugin.json", &base),
            ("base/agents/basic.md", REVIEW),
        ],
    );
    owner.manifest(&named("kit"));
    owner.refused("install", 1, &["package/cycle"]);
    let elsewhere = needing(r#""base@elsewhere""#);
    hub.commit(&[("kit/.claude-plugin/plugin.json", &elsewhere)]);
    owner.refused(
        "install",
        1,
        &["plugin/marketplace", "unknown marketplace `elsewhere`"],
    );
    let unknown = needing(r#""basis""#);
    hub.commit(&[("kit/.claude-plugin/plugin.json", &unknown)]);
    owner.refused("install", 3, &["has no plugin `basis`"]);
}

/// A marketplace whose plugin `kit` needs `base`, which is in a separate repository.
fn needing_elsewhere(owner: &Project) -> (Repository<'_>, String) {
    let mut other = Repository::init(&owner.sandbox, "other");
    let commit = other.commit(&[("agents/basic.md", REVIEW)]);
    other.commit(&[("agents/newer.md", REVIEW)]);
    let url = other.url();
    let base = format!(
        r#"{{"name": "base", "source": {{"source": "url", "url": "{url}", "ref": "main", "sha": "{commit}"}}}}"#
    );
    let manifest = needing(r#""base""#);
    let hub = project(
        owner,
        &format!(r#"{{"name": "kit", "source": "./kit"}}, {base}"#),
        &[
            ("kit/.claude-plugin/plugin.json", &manifest),
            ("kit/agents/review.md", REVIEW),
        ],
    );
    (hub, url)
}

#[test]
fn a_needed_plugin_of_another_repository_has_to_be_approved() {
    let owner = Project::new();
    let (mut hub, url) = needing_elsewhere(&owner);
    owner.manifest(&named("kit"));
    let line = "base = { marketplace = \"community\" }";
    let words = ["source/not-allowed", "community:kit", line, "allow-sources"];
    owner.refused("install", 6, &words);
    // Both ways out lead to the commit of the marketplace.
    owner.manifest(&format!("{}{line}\n", named("kit")));
    owner.good("install");
    let is_pinned =
        || owner.exists(".claude/agents/basic.md") && !owner.exists(".claude/agents/newer.md");
    assert!(is_pinned());
    let text = format!("allow-sources = [\"{url}\"]\n[sources]\ncommunity = \"../community\"\n");
    owner.write("agpm.toml", &format!("{text}{}", named("kit")));
    owner.good("install");
    assert!(is_pinned());
    let tree = owner.good("tree").stdout;
    assert!(tree.contains("[transitive]"), "{tree}");
    for line in ["install --frozen", "verify", "update"] {
        owner.good(line);
    }
    let absent = "a".repeat(40);
    let base = format!(
        r#"{{"name": "kit", "source": "./kit"}}, {{"name": "base", "source": {{"source": "url", "url": "{url}", "sha": "{absent}"}}}}"#
    );
    hub.commit(&[(FILE, &marketplace(&base))]);
    owner.refused("update", 4, &["plugin/commit"]);
}

#[test]
fn another_marketplace_is_known_by_its_own_name() {
    let owner = Project::new();
    let manifest = needing(r#""base@tools""#);
    project(
        &owner,
        r#"{"name": "kit", "source": "./kit"}"#,
        &[
            ("kit/.claude-plugin/plugin.json", &manifest),
            ("kit/agents/review.md", REVIEW),
        ],
    );
    let mut second = Repository::init(&owner.sandbox, "second");
    let listing = r#"{"name": "tools", "owner": {"name": "x"}, "plugins": [{"name": "base", "source": "./base"}]}"#;
    second.commit(&[(FILE, listing), ("base/agents/basic.md", REVIEW)]);
    owner.manifest(&named("kit"));
    owner.refused("install", 1, &["unknown marketplace `tools`", "[sources]"]);
    owner.manifest(&format!("second = \"../second\"\n{}", named("kit")));
    owner.good("install");
    assert!(owner.exists(".claude/agents/basic.md"));
    owner.good("install --frozen");
}

#[test]
fn names_that_were_changed_in_a_circle_are_unknown() {
    let owner = Project::new();
    let mut hub = Repository::init(&owner.sandbox, "community");
    let text = r#"{"name": "hub", "owner": {"name": "x"}, "plugins": [{"name": "other", "source": "./"}], "renames": {"a": "b", "b": "a", "gone": null}}"#;
    hub.commit(&[(FILE, text), ("agents/review.md", REVIEW)]);
    owner.manifest(&named("a"));
    owner.refused("install", 3, &["name/unknown", "has no plugin `a`"]);
    owner.manifest(&named("gone"));
    owner.refused(
        "install",
        3,
        &["name/unknown", "the marketplace removed it"],
    );
}

#[test]
fn every_client_has_its_own_path_for_a_marketplace() {
    for file in [
        ".cursor-plugin/marketplace.json",
        ".agents/plugins/marketplace.json",
        ".agents/plugins/api_marketplace.json",
        ".github/plugin/marketplace.json",
    ] {
        let owner = Project::new();
        let mut hub = Repository::init(&owner.sandbox, "community");
        let text = marketplace(r#"{"name": "kit", "source": "./plugins/kit"}"#);
        hub.commit(&[(file, &text), ("plugins/kit/agents/review.md", REVIEW)]);
        owner.manifest("");
        owner.good("add kit@hub");
        assert!(owner.exists(".claude/agents/review.md"), "{file}");
        owner.good("install --frozen");
    }
}
