//! Versions, patterns, and transitive dependencies.

use agpm_testkit::Repository;

use crate::support::{Project, needs};

#[test]
fn the_highest_version_that_suits_all_is_taken() {
    let project = Project::new();
    let asks = |version: &str| {
        format!(
            "---\ndependencies:\n  snippets:\n    - path: snippets/helper.md\n      version: {version}\n---\n"
        )
    };
    let (a, b) = (asks("^v1.0.0"), asks("^v1.2.0"));
    project.source(&[
        (
            "v1.0.0",
            &[
                ("agents/a.md", &a),
                ("agents/b.md", &b),
                ("snippets/helper.md", "1.0\n"),
            ],
        ),
        ("v1.2.0", &[("snippets/helper.md", "1.2\n")]),
        ("v1.3.0-beta.1", &[("snippets/helper.md", "beta\n")]),
        ("v2.0.0", &[("snippets/helper.md", "2.0\n")]),
    ]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n\
         b = { source = \"community\", path = \"agents/b.md\", version = \"v1.0.0\" }\n",
    );
    project.good("install");
    assert_eq!(project.read(".claude/snippets/helper.md"), "1.2\n");
}

#[test]
fn requirements_that_exclude_each_other_are_reported_with_both_chains_and_a_way_out() {
    let project = Project::new();
    let asks = |version: &str| {
        format!(
            "---\ndependencies:\n  snippets:\n    - path: snippets/helper.md\n      version: {version}\n---\n"
        )
    };
    let (old, new) = (asks("^1.0"), asks("^2.0"));
    project.source(&[
        (
            "v1.0.0",
            &[
                ("agents/a.md", &old),
                ("agents/b.md", &new),
                ("snippets/helper.md", "1\n"),
            ],
        ),
        (
            "v2.0.0",
            &[("agents/a.md", &new), ("snippets/helper.md", "2\n")],
        ),
    ]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n\
         b = { source = \"community\", path = \"agents/b.md\", version = \"v1.0.0\" }\n",
    );
    project.refused(
        "install",
        1,
        &[
            "package/conflict",
            "agents/a (at v1.0.0) requires `^1.0`",
            "agents/b (at v1.0.0) requires `^2.0`",
            "`^1.0`",
            "`^2.0`",
            "version = \"v2.0.0\"",
        ],
    );
}

#[test]
fn a_circle_is_reported_as_a_chain() {
    let project = Project::new();
    let to = |path: &str| needs("agents", &[path]);
    let (a, b, c) = (to("agents/b.md"), to("agents/c.md"), to("agents/a.md"));
    project.source(&[(
        "v1.0.0",
        &[
            ("agents/a.md", &a),
            ("agents/b.md", &b),
            ("agents/c.md", &c),
        ],
    )]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
    );
    project.refused(
        "install",
        1,
        &[
            "Circular dependency detected",
            "agents/a.md → agents/b.md → agents/c.md → agents/a.md",
        ],
    );
}

#[test]
fn declared_paths_are_filled_in_from_the_project() {
    let project = Project::new();
    let agent = "---\ndependencies:\n  snippets:\n    - path: snippets/{{ agpm.project.language }}-guide.md\n\
                 {% if agpm.project.tests %}    - path: snippets/tests.md\n{% endif %}\
                 \x20   - path: snippets/{{ agpm.project.env | default(value=\"dev\") }}.md\n---\nbody\n";
    project.source(&[(
        "v1.0.0",
        &[
            ("agents/a.md", agent),
            ("snippets/rust-guide.md", "rust\n"),
            ("snippets/tests.md", "tests\n"),
            ("snippets/dev.md", "dev\n"),
        ],
    )]);
    let dependency =
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n";
    project.manifest(&format!(
        "[project]\nlanguage = \"rust\"\ntests = true\n{dependency}"
    ));
    project.good("install");
    assert_eq!(
        project.installed(),
        [
            ".claude/agents/a.md",
            ".claude/snippets/dev.md",
            ".claude/snippets/rust-guide.md",
            ".claude/snippets/tests.md"
        ]
    );
    project.manifest(&format!(
        "[project]\nlanguage = \"rust\"\nenv = \"dev\"\n{dependency}"
    ));
    project.good("install");
    assert!(!project.exists(".claude/snippets/tests.md"));
    project.manifest(dependency);
    let output = project.run("install");
    assert!(
        output.stderr.contains("resource/template") && output.code == Some(1),
        "{output}"
    );
}

#[test]
fn a_declaration_may_start_at_its_own_file() {
    let project = Project::new();
    let agent = needs(
        "snippets",
        &[
            "./near.md",
            "../snippets/far.md",
            "bare.md",
            "snippets/*.txt",
        ],
    );
    project.source(&[(
        "v1.0.0",
        &[
            ("agents/a.md", &agent),
            ("agents/near.md", "near\n"),
            ("agents/bare.md", "bare\n"),
            ("snippets/far.md", "far\n"),
            ("snippets/one.txt", "1\n"),
            ("snippets/two.txt", "2\n"),
        ],
    )]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
    );
    project.good("install");
    assert_eq!(
        project.installed(),
        [
            ".claude/agents/a.md",
            ".claude/snippets/agents/bare.md",
            ".claude/snippets/agents/near.md",
            ".claude/snippets/far.md",
            ".claude/snippets/one.txt",
            ".claude/snippets/two.txt"
        ]
    );
}

#[test]
fn a_declaration_that_does_not_read_is_an_error() {
    for (front, words) in [
        ("dependencies:\n  snippet:\n    - pth: x\n", "no `path`"),
        ("dependencies: {\n", "yaml/syntax"),
        (
            "dependencies:\n  widgets:\n    - path: x\n",
            "unknown resource type `widgets`",
        ),
    ] {
        let project = Project::new();
        let agent = format!("---\n{front}---\nbody\n");
        project.source(&[("v1.0.0", &[("agents/a.md", &agent)])]);
        project.manifest(
            "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
        );
        project.refused("install", 1, &[words]);
    }
}

#[test]
fn patterns_become_entries_with_names_of_their_own() {
    let project = Project::new();
    project.source(&[(
        "v1.0.0",
        &[
            ("agents/ai/assistant.md", "1\n"),
            ("agents/web/assistant.md", "2\n"),
            ("agents/ai/analyzer.md", "3\n"),
        ],
    )]);
    project.manifest(
        "[agents]\nall = { source = \"community\", path = \"agents/**/*.md\", version = \"v1.0.0\", flatten = false }\n",
    );
    project.good("install");
    let lock = project.read("agpm.lock");
    for name in ["ai-assistant", "web-assistant", "analyzer"] {
        assert!(
            lock.contains(&format!("name = \"{name}\"\nmanifest_alias = \"all\"\n")),
            "{lock}"
        );
    }
    assert!(project.exists(".claude/agents/web/assistant.md"));
}

#[test]
fn versions_are_chosen_by_every_form() {
    let project = Project::new();
    let mut source = project.source(&[
        ("v1.0.0", &[("agents/a.md", "1.0.0\n")]),
        ("agents-v1.0.0", &[("agents/a.md", "prefixed\n")]),
        ("v1.1.0", &[("agents/a.md", "1.1.0\n")]),
        ("v2.0.0-rc.1", &[("agents/a.md", "rc\n")]),
    ]);
    let tip = source.commit(&[("agents/a.md", "tip\n")]);
    source.annotated_tag("v1.5.0");
    let last = source.commit(&[("agents/a.md", "main\n")]);
    source.git(&["branch", "develop", "v1.0.0"]);
    for (form, expected) in [
        ("version = \"v1.0.0\"", "1.0.0"),
        ("version = \"1.0.0\"", "1.0.0"),
        ("version = \"^1.0\"", "tip"),
        ("version = \"~1.1\"", "1.1.0"),
        ("version = \"<1.5, !=1.1.0\"", "1.0.0"),
        ("version = \"latest\"", "tip"),
        ("version = \"*\"", "tip"),
        ("version = \"v2.0.0-rc.1\"", "rc"),
        ("version = \"agents-^v1.0.0\"", "prefixed"),
        ("version = \"main\"", "main"),
        ("branch = \"develop\"", "1.0.0"),
        (&format!("rev = \"{tip}\""), "tip"),
        (&format!("rev = \"{}\"", &last[..9]), "main"),
        (
            &format!(
                "rev = \"{}\", branch = \"develop\", version = \"v1.1.0\"",
                &tip[..12]
            ),
            "tip",
        ),
        ("branch = \"develop\", version = \"v1.1.0\"", "1.0.0"),
        ("install = true", "main"),
    ] {
        project.manifest(&format!(
            "[agents]\na = {{ source = \"community\", path = \"agents/a.md\", {form} }}\n"
        ));
        // Without a lockfile nothing stays where it was.
        if project.exists("agpm.lock") {
            project.remove("agpm.lock");
        }
        project.good("install");
        assert_eq!(
            project.read(".claude/agents/a.md"),
            format!("{expected}\n"),
            "{form}"
        );
    }
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.5.0\" }\n",
    );
    project.good("install");
    assert!(
        project
            .read("agpm.lock")
            .contains(&format!("resolved_commit = \"{tip}\"")),
        "the commit, not the tag"
    );
}

#[test]
fn the_order_of_the_manifest_has_no_say() {
    let project = Project::new();
    let flat =
        "---\ndependencies:\n  snippets:\n    - path: snippets/d/u.md\n      flatten: true\n---\n";
    let plain = needs("snippets", &["snippets/d/u.md"]);
    project.source(&[(
        "v1.0.0",
        &[
            ("agents/a.md", flat),
            ("agents/b.md", &plain),
            ("snippets/d/u.md", "u\n"),
        ],
    )]);
    let entry = |name: &str| {
        format!(
            "{name} = {{ source = \"community\", path = \"agents/{name}.md\", version = \"v1.0.0\" }}\n"
        )
    };
    let mut locks = Vec::new();
    for order in [["a", "b"], ["b", "a"]] {
        project.manifest(&format!("[agents]\n{}{}", entry(order[0]), entry(order[1])));
        let _ = std::fs::remove_file(project.sandbox.work().join("project/agpm.lock"));
        project.good("install");
        locks.push(project.read("agpm.lock"));
    }
    assert_eq!(locks[0], locks[1]);
}

#[test]
fn names_that_look_like_patterns_or_versions_are_names_too() {
    let project = Project::new();
    let source = project.source(&[(
        "v1.0.0",
        &[("agents/[slug].md", "slug\n"), ("agents/b.md", "b\n")],
    )]);
    source.git(&["branch", "release/v3.0.0"]);
    project.manifest(
        "[agents]\nall = { source = \"community\", path = \"agents/*.md\", version = \"release/v3.0.0\" }\n",
    );
    project.good("install");
    assert_eq!(project.read(".claude/agents/[slug].md"), "slug\n");
    project.good("install --frozen");
    project.good("verify");
}

/// More agents than slots, of which each takes one for itself: the number of ways is a factorial.
#[test]
fn a_puzzle_that_is_too_hard_is_given_up() {
    let project = Project::new();
    let mut source = Repository::init(&project.sandbox, "community");
    let count = 11;
    for version in 0..count {
        for agent in 0..count {
            let text = format!(
                "---\ndependencies:\n  snippets:\n    - path: snippets/{version}.md\n      version: v1.{agent}.0\n---\n"
            );
            source.write(&format!("agents/{agent}.md"), &text);
            source.write(&format!("snippets/{agent}.md"), "");
        }
        source.commit(&[]);
        source.tag(&format!("v1.{version}.0"));
    }
    let line = |agent| {
        format!(
            "a{agent} = {{ source = \"community\", path = \"agents/{agent}.md\", version = \"<1.10\" }}\n"
        )
    };
    project.manifest(&format!(
        "[agents]\n{}",
        (0..count).map(line).collect::<String>()
    ));
    project.refused(
        "install",
        1,
        &[
            "error[package/too-hard]: No matching versions found for `",
            " and 6 more",
            "require an exact version",
        ],
    );
}
