//! `[[layers]]`: paths, versions and the files that are used.

use agpm_testkit::Repository;

use crate::support::{ACME, Project, SETTINGS, directory, of_source};

/// A source `acme` with the releases 1.0.0, 1.1.0 and 2.0.0, and a branch that is further on.
fn acme(project: &Project) -> Repository<'_> {
    let mut source = project.named_source(
        "acme",
        &[
            ("v1.0.0", &[("CLAUDE.md", "one\n")]),
            ("v1.1.0", &[("CLAUDE.md", "one and a bit\n")]),
            ("v2.0.0", &[("CLAUDE.md", "two\n")]),
        ],
    );
    source.switch("next");
    source.commit(&[("CLAUDE.md", "next\n")]);
    source.switch("main");
    source
}

#[test]
fn a_git_layer_is_a_tag_a_range_a_branch_or_a_commit() {
    let project = Project::new();
    let source = acme(&project);
    let first = source
        .git(&["rev-parse", "v1.0.0"])
        .stdout
        .trim()
        .to_owned();
    let rev = format!("rev = \"{first}\"");
    let cases = [
        ("version = \"v1.0.0\"", "one\n"),
        ("version = \"^1.0\"", "one and a bit\n"),
        ("version = \"latest\"", "two\n"),
        ("branch = \"next\"", "next\n"),
        (&rev, "one\n"),
    ];
    for (version, text) in cases {
        project.plain_manifest(&format!("{ACME}{}", of_source("org", version)));
        project.good("install");
        assert_eq!(project.read("CLAUDE.md"), text, "{version}");
        project.good("install --frozen");
        project.good("verify");
    }
}

#[test]
fn a_git_layer_is_pinned_in_the_lockfile() {
    let project = Project::new();
    let source = acme(&project);
    let commit = source
        .git(&["rev-parse", "v1.1.0"])
        .stdout
        .trim()
        .to_owned();
    project.plain_manifest(&format!("{ACME}{}", of_source("org", "version = \"^1.0\"")));
    project.good("install");
    let locked = project.locked("org");
    for line in [
        "[[layers]]",
        "version = \"v1.1.0\"",
        &commit,
        "checksum = \"sha256:",
        "source = \"acme\"",
    ] {
        assert!(locked.contains(line), "no `{line}` in\n{locked}");
    }
}

#[test]
fn a_directory_is_locked_by_its_checksum_and_its_place_is_not_written_down() {
    let project = Project::stacked("CLAUDE.md", &["one\n"], "");
    project.good("install");
    let locked = project.locked("org");
    assert!(
        locked.contains("checksum = \"sha256:") && !locked.contains("commit"),
        "{locked}"
    );
    project.layer("org", "CLAUDE.md", "two\n");
    project.good("install");
    assert_ne!(project.locked("org"), locked);
    project.layer("org", "CLAUDE.md", "one\n");
    project.good("install");
    assert_eq!(project.locked("org"), locked);
    let lock = project.read("agpm.lock");
    assert!(
        !lock.contains(&project.sandbox.work().display().to_string()),
        "{lock}"
    );
}

#[test]
fn a_source_may_be_a_layer_and_give_packages_too() {
    let project = Project::new();
    let mut source = Repository::init(&project.sandbox, "acme");
    source.commit(&[
        ("agents/a.md", "agent\n"),
        ("config/CLAUDE.md", "hello\n"),
        ("CLAUDE.md", "not this\n"),
    ]);
    source.tag("v1.0.0");
    project.plain_manifest(&format!(
        "{ACME}[agents]\na = {{ source = \"acme\", path = \"agents/a.md\", version = \"v1.0.0\" }}\n{}root = \"config\"\n",
        of_source("org", "version = \"v1.0.0\"")
    ));
    project.good("install");
    assert_eq!(project.written(), [".claude/agents/a.md", "CLAUDE.md"]);
    assert_eq!(project.read("CLAUDE.md"), "hello\n");
}

#[test]
fn root_selects_a_subdirectory() {
    let project = Project::layered(
        &[("org", &[("a/b/CLAUDE.md", "in\n"), ("CLAUDE.md", "out\n")])],
        "",
    );
    project.plain_manifest(&format!("{}root = \"a/b\"\n", directory("org")));
    project.good("install");
    assert_eq!(
        (project.written(), project.read("CLAUDE.md")),
        (vec!["CLAUDE.md".to_owned()], "in\n".to_owned())
    );
    project.plain_manifest(&format!("{}root = \"a/c\"\n", directory("org")));
    project.warned("install", &["layers/missing", "../org/a/c"]);
    project.plain_manifest(&format!("{}root = \"../project\"\n", directory("org")));
    let output = project.run("install");
    assert!(
        matches!(output.code, Some(1 | 6)) && output.stderr.contains("root"),
        "{output}"
    );
}

#[test]
fn a_root_that_a_git_layer_does_not_have_is_reported() {
    let project = Project::new();
    acme(&project);
    project.plain_manifest(&format!(
        "{ACME}{}root = \"config\"\n",
        of_source("org", "version = \"v1.0.0\"")
    ));
    project.refused("install", 1, &["org", "config", "v1.0.0"]);
}

#[test]
fn without_include_the_places_of_all_tools_count_and_nothing_else() {
    let counted = [
        ".claude/agents/deep/a.md",
        ".claude/settings.json",
        ".codex/config.toml",
        ".gemini/settings.json",
        ".mcp.json",
        ".opencode/agents/a.md",
        "AGENTS.md",
        "CLAUDE.md",
        "GEMINI.md",
    ];
    let project = Project::layered(&[("org", &[])], "");
    for path in counted {
        project.layer("org", path, if path.ends_with("json") { "{}" } else { "" });
    }
    for path in [
        "README.md",
        "src/main.rs",
        "package.json",
        "docs/CLAUDE.md",
        ".github/workflows/ci.yml",
        "agents/a.md",
    ] {
        project.layer("org", path, "x");
    }
    project.good("install");
    assert_eq!(project.written(), counted);
}

#[test]
fn include_selects_the_files_of_a_layer() {
    let project = Project::layered(
        &[(
            "org",
            &[
                ("CLAUDE.md", "a"),
                ("docs/a/b.md", "b"),
                ("docs/c.txt", "c"),
                ("docs.md", "d"),
                (".claude/x.md", "e"),
            ],
        )],
        "",
    );
    for (include, expected) in [
        ("[\"docs/**\"]", &["docs/a/b.md", "docs/c.txt"][..]),
        ("[\"docs/*\"]", &["docs/c.txt"]),
        (
            "[\"*.md\", \".claude/**\"]",
            &[".claude/x.md", "CLAUDE.md", "docs.md"],
        ),
        (
            "[\"**/*.md\"]",
            &[".claude/x.md", "CLAUDE.md", "docs.md", "docs/a/b.md"],
        ),
        ("[]", &[]),
    ] {
        project.plain_manifest(&format!("{}include = {include}\n", directory("org")));
        project.good("install --approve all");
        assert_eq!(project.written(), expected, "{include}");
    }
    project.plain_manifest(&format!("{}include = [\"a[\"]\n", directory("org")));
    project.refused("install", 1, &["include"]);
}

#[test]
fn junk_and_files_of_our_own_never_count() {
    let project = Project::layered(&[("org", &[("CLAUDE.md", "yes")])], "");
    for path in [
        ".git/config",
        ".claude/.git/HEAD",
        ".DS_Store",
        ".claude/.DS_Store",
        ".claude/__pycache__/a.pyc",
        ".claude/a.md~",
        ".claude/.a.md.swp",
        "node_modules/x/CLAUDE.md",
        ".idea/x.xml",
        "agpm.toml",
        "agpm.lock",
        "agpm.private.toml",
        ".agpm/ledger.json",
    ] {
        project.layer("org", path, "no");
    }
    project.plain_manifest(&format!("{}include = [\"**\"]\n", directory("org")));
    project.good("install");
    assert_eq!(project.written(), ["CLAUDE.md"]);
    // A name that only starts like an ignored one is used.
    project.layer("org", ".gitignore", "x");
    project.layer("org", ".claude/git/a.md", "x");
    project.good("install");
    assert_eq!(
        project.written(),
        [".claude/git/a.md", ".gitignore", "CLAUDE.md"]
    );
}

#[test]
fn a_missing_directory_is_a_warning_and_under_strict_an_error() {
    let project = Project::layered(&[("org", &[("CLAUDE.md", "a\n")])], "");
    project.stack(&["org", "gone"], "");
    project.refused("install --strict", 1, &["layers/missing", "gone"]);
    let output = project.warned(
        "install",
        &["warning[layers/missing]", "`gone`", "../gone", "agpm.toml:"],
    );
    assert_eq!(
        output.stderr.matches("layers/missing").count(),
        1,
        "{output}"
    );
    assert_eq!(project.read("CLAUDE.md"), "a\n");
    project.fails("validate --strict", 1, &["layers/missing"]);
    let output = project.good("validate");
    assert!(output.to_string().contains("layers/missing"), "{output}");
    // It is reported every time, even if nothing changes.
    project.warned("install", &["layers/missing"]);
    project.refused("install --strict", 1, &["layers/missing"]);
    std::fs::create_dir(project.work("gone")).unwrap();
    project.good("install --strict");
    project.good("validate --strict");
}

#[test]
fn files_of_a_missing_directory_are_reported_before_removal() {
    let project = Project::layered(
        &[
            ("org", &[("CLAUDE.md", "a\n")]),
            ("me", &[(SETTINGS, "{\"a\": 1}")]),
        ],
        "",
    );
    project.good("install");
    std::fs::rename(project.work("me"), project.work("elsewhere")).unwrap();
    project.warned("install", &["layers/missing", "`me`"]);
    assert!(!project.exists(SETTINGS));
    std::fs::rename(project.work("elsewhere"), project.work("me")).unwrap();
    project.good("install");
    project.says(SETTINGS, "{\"a\": 1}");
}

#[test]
fn mistakes_in_the_manifest_are_reported_with_their_place() {
    let project = Project::layered(&[("org", &[])], "");
    let cases = [
        (
            format!("{}{}", directory("org"), directory("org")),
            "manifest/duplicate-layer",
        ),
        (
            of_source("org", "version = \"1\""),
            "manifest/unknown-source",
        ),
        (
            format!("[sources]\nacne = \"../acme\"\n{}", of_source("org", "")),
            "did you mean `acne`",
        ),
        (format!("{}version = \"^1\"\n", directory("org")), "version"),
        (format!("{}branch = \"main\"\n", directory("org")), "branch"),
        (
            format!("{ACME}{}path = \"../org\"\n", of_source("org", "")),
            "both `path` and `source`",
        ),
        (
            "[[layers]]\nname = \"org\"\n".to_owned(),
            "neither `path` nor `source`",
        ),
        ("[[layers]]\npath = \"../org\"\n".to_owned(), "name"),
        (
            format!("{}includes = []\n", directory("org")),
            "did you mean `include`",
        ),
        (
            "[[layers]]\nname = \"\"\npath = \"../org\"\n".to_owned(),
            "name",
        ),
        (
            "[layers]\nname = \"org\"\npath = \"../org\"\n".to_owned(),
            "[[layers]]",
        ),
        (
            format!(
                "{}[merge]\n\"*.json\" = \"extends-lists\"\n",
                directory("org")
            ),
            "did you mean `extend-lists`",
        ),
    ];
    for (manifest, words) in cases {
        project.plain_manifest(&manifest);
        for command in ["install", "layers"] {
            project.refused(command, 1, &[words, "agpm.toml:"]);
        }
        project.fails("validate", 1, &[words]);
    }
}

#[test]
fn home_is_written_with_a_tilde() {
    let project = Project::new();
    std::fs::write(project.sandbox.home().join("CLAUDE.md"), "never\n").unwrap();
    std::fs::create_dir(project.sandbox.home().join("me")).unwrap();
    std::fs::write(project.sandbox.home().join("me/CLAUDE.md"), "mine\n").unwrap();
    project.plain_manifest("[[layers]]\nname = \"me\"\npath = \"~/me\"\n");
    project.good("install");
    assert_eq!(project.read("CLAUDE.md"), "mine\n");
    // Files that exist only on this machine are not locked for others.
    assert!(
        !project.exists("agpm.lock") || !project.read("agpm.lock").contains("layers"),
        "{}",
        project.read("agpm.lock")
    );
    project.good("install --frozen");
}

#[test]
fn a_version_that_does_not_exist_is_reported_with_those_that_do() {
    let project = Project::new();
    acme(&project);
    project.plain_manifest(&format!("{ACME}{}", of_source("org", "version = \"^3.0\"")));
    project.refused("install", 1, &["package/version", "org", "^3.0", "v2.0.0"]);
    project.plain_manifest(&format!("{ACME}{}", of_source("org", "branch = \"nxt\"")));
    let output = project.run("install");
    assert!(
        output.code != Some(0) && output.stderr.contains("nxt"),
        "{output}"
    );
}

#[test]
fn a_name_may_be_any_words_and_still_be_reported_from_others() {
    let project = Project::new();
    let names = [
        "my team",
        "a+b",
        "a:b",
        "k:/x",
        "über/uns",
        "100%",
        "layers/x",
    ];
    let table = |name: &&str| {
        let number = names.iter().position(|other| other == name).unwrap();
        project.layer(
            &format!("l{number}"),
            SETTINGS,
            format!("{{\"k{number}\": {number}}}\n"),
        );
        format!("[[layers]]\nname = \"{name}\"\npath = \"../l{number}\"\n")
    };
    let tables: Vec<String> = names.iter().map(table).collect();
    project.plain_manifest(&tables.concat());
    let output = project.run("install");
    if output.code == Some(0) {
        project.good("install --check");
        project.good("verify");
        project.write(
            SETTINGS,
            &project.read(SETTINGS).replacen('{', "{\"mine\": 1, ", 1),
        );
        for (number, name) in names.iter().enumerate() {
            let output = project.good(&format!("explain file:{SETTINGS} /k{number}"));
            assert!(
                output.stdout.contains(&format!("from {name} (")),
                "{output}"
            );
        }
        project.plain_manifest(&tables[..1].concat());
        project.good("install");
        project.says(SETTINGS, "{\"mine\": 1, \"k0\": 0}");
    } else {
        assert!(output.stderr.contains("manifest/value"), "{output}");
    }
}

#[test]
fn a_directory_in_include_is_all_that_is_in_it_and_nothing_leads_out() {
    for pattern in [".claude", ".claude/", "./.claude"] {
        let project = Project::layered(
            &[("org", &[(".claude/a/b.md", "b\n"), ("CLAUDE.md", "c\n")])],
            "",
        );
        project.plain_manifest(&format!("{}include = [\"{pattern}\"]\n", directory("org")));
        project.good("install");
        assert_eq!(project.read(".claude/a/b.md"), "b\n");
        assert!(!project.path("CLAUDE.md").exists());
    }
    for pattern in ["../**", "/etc/**"] {
        let project = Project::layered(&[("org", &[("CLAUDE.md", "c\n")])], "");
        project.plain_manifest(&format!("{}include = [\"{pattern}\"]\n", directory("org")));
        project.refused("install", 6, &["manifest/escape", "include"]);
    }
}

#[test]
fn a_directory_anywhere_is_hashed_in_the_lockfile_and_one_of_home_is_not() {
    let project = Project::layered(&[("org", &[("CLAUDE.md", "c\n")])], "");
    let path = project.work("org");
    project.plain_manifest(&format!(
        "[[layers]]\nname = \"org\"\npath = \"{}\"\n",
        path.display()
    ));
    project.good("install");
    let lock = project.read("agpm.lock");
    assert!(
        lock.contains("name = \"org\"") && !lock.contains(&path.display().to_string()),
        "{lock}"
    );
    project.layer("org", "CLAUDE.md", "other\n");
    project.fails("install --frozen", 1, &["lock/checksum"]);
    project.plain_manifest("[[layers]]\nname = \"me\"\npath = \"~/me\"\n");
    project.run("install");
    assert!(
        !project.read("agpm.lock").contains("layers"),
        "{}",
        project.read("agpm.lock")
    );
}
