//! Plugins of a marketplace that share a directory, and parts that several plugins have in common.

use agpm_testkit::Repository;

use crate::support::Project;

const FILE: &str = ".claude-plugin/marketplace.json";

fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}.\n---\n{name}\n")
}

/// A marketplace whose plugins all are in its root, and list their skills.
fn marketplace(plugins: &[(&str, &str)]) -> String {
    let entry = |(name, members): &(&str, &str)| {
        format!(r#"{{"name": "{name}", "source": "./", "strict": false, {members}}}"#)
    };
    let entries: Vec<String> = plugins.iter().map(entry).collect();
    format!(
        r#"{{"name": "hub", "owner": {{"name": "x"}}, "plugins": [{}]}}"#,
        entries.join(", ")
    )
}

const PLUGINS: &[(&str, &str)] = &[
    ("one", r#""skills": ["./skills/a", "./skills/b"]"#),
    ("two", r#""skills": ["./skills/c"]"#),
    ("twice", r#""skills": ["./skills/b", "./skills/c"]"#),
    (
        "needing",
        r#""skills": ["./skills/a"], "dependencies": ["two"]"#,
    ),
    ("meta", r#""skills": [], "dependencies": ["two", "one"]"#),
];

fn hub(owner: &Project) -> Repository<'_> {
    let mut repository = Repository::init(&owner.sandbox, "community");
    let text = marketplace(PLUGINS);
    let skills = ["a", "b", "c"].map(|name| (format!("skills/{name}/SKILL.md"), skill(name)));
    let mut files: Vec<(&str, &str)> = vec![(FILE, &text)];
    files.extend(
        skills
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str())),
    );
    repository.commit(&files);
    repository
}

fn plugins(names: &[&str]) -> String {
    let line = |name: &&str| format!("{name} = {{ marketplace = \"community\" }}\n");
    let lines: Vec<String> = names.iter().map(line).collect();
    format!("[plugins]\n{}", lines.concat())
}

/// The installed skills.
fn skills(project: &Project) -> String {
    let is_there = |name: &&str| project.exists(&format!(".claude/skills/{name}/SKILL.md"));
    let names: Vec<&str> = ["a", "b", "c"].into_iter().filter(is_there).collect();
    names.concat()
}

#[test]
fn plugins_of_one_directory_have_their_own_parts() {
    let project = Project::new();
    let mut hub = hub(&project);
    project.manifest(&plugins(&["one", "two"]));
    project.good("install");
    assert_eq!(skills(&project), "abc");
    let lock = project.read("agpm.lock");
    for parts in [
        r#"parts = ["skills/a", "skills/b"]"#,
        r#"parts = ["skills/c"]"#,
    ] {
        assert!(lock.contains(parts), "{lock}");
    }
    let list = project.good("list --detailed").to_string();
    assert!(
        list.contains("skills/a") && list.contains("skills/c"),
        "{list}"
    );
    for line in [
        "install",
        "install --frozen",
        "install --locked",
        "verify",
        "outdated",
        "tree",
    ] {
        project.good(line);
        assert_eq!(project.read("agpm.lock"), lock, "{line}");
    }
    project.good("remove two");
    assert_eq!(skills(&project), "ab");
    project.good("undo");
    assert_eq!(skills(&project), "abc");
    hub.commit(&[("skills/c/more.md", "more\n")]);
    project.good("update");
    assert!(project.exists(".claude/skills/c/more.md"));
    project.good("install --frozen");
    project.good("remove one");
    assert_eq!(skills(&project), "c");
}

#[test]
fn a_part_of_several_plugins_is_installed_once_and_stays_until_the_last_is_removed() {
    let project = Project::new();
    hub(&project);
    project.manifest(&plugins(&["one", "twice", "two"]));
    let installed = project.good("install").to_string();
    assert_eq!(
        installed.matches(".claude/skills/b/").count(),
        1,
        "{installed}"
    );
    assert_eq!(skills(&project), "abc");
    let lock = project.read("agpm.lock");
    assert!(
        lock.contains(r#"parts = ["skills/b", "skills/c"]"#),
        "{lock}"
    );
    for line in [
        "install --frozen",
        "verify",
        "list --detailed",
        "why skills/b",
    ] {
        project.good(line);
    }
    for (removed, left) in [("one", "bc"), ("two", "bc"), ("twice", "")] {
        project.good(&format!("remove {removed}"));
        assert_eq!(skills(&project), left, "{removed}");
        project.good("install --frozen");
    }
}

#[test]
fn a_hook_of_several_plugins_runs_once() {
    let project = Project::new();
    let mut repository = Repository::init(&project.sandbox, "community");
    let text = r#"{"name": "hub", "owner": {"name": "x"}, "plugins": [{"name": "one", "source": "./"}, {"name": "two", "source": "./"}]}"#;
    let hooks = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "sh \"${CLAUDE_PLUGIN_ROOT}/run.sh\""}]}]}}"#;
    repository.commit(&[
        (FILE, text),
        ("hooks/hooks.json", hooks),
        ("run.sh", "true\n"),
    ]);
    project.manifest(&plugins(&["one", "two"]));
    project.good("install");
    let settings = project.read(".claude/settings.local.json");
    assert_eq!(settings.matches("run.sh").count(), 1, "{settings}");
    project.good("install --frozen");
    project.good("remove one");
    let settings = project.read(".claude/settings.local.json");
    assert!(settings.contains(".agpm/plugins/two/run.sh"), "{settings}");
}

#[test]
fn parts_of_one_name_with_different_bytes_clash() {
    let project = Project::new();
    let mut repository = Repository::init(&project.sandbox, "community");
    let text = marketplace(&[
        ("one", r#""skills": ["./x/a", "./x/b"]"#),
        ("two", r#""skills": ["./y/a"]"#),
    ]);
    repository.commit(&[
        (FILE, &text),
        ("x/a/SKILL.md", &skill("a")),
        ("x/b/SKILL.md", &skill("b")),
        ("y/a/SKILL.md", &skill("a").replace("Does", "Did")),
    ]);
    project.manifest(&plugins(&["one", "two"]));
    let help = "set `prefix = true` on plugins/two, which makes it skills/two-a, or remove plugins/two, which has nothing else";
    project.refused(
        "install",
        1,
        &["plugin/clash", "skills/a is defined twice", help],
    );
    project.manifest(&plugins(&["one"]));
    let both = plugins(&["one"]) + "two = { marketplace = \"community\", prefix = true }\n";
    project.manifest(&both);
    project.good("install");
    assert_eq!(skills(&project), "ab");
    assert!(project.exists(".claude/skills/two-a/SKILL.md"));
    let exclude =
        plugins(&["two"]) + "one = { marketplace = \"community\", exclude = [\"skills/a\"] }\n";
    project.manifest(&exclude);
    project.good("install");
    assert!(project.read(".claude/skills/a/SKILL.md").contains("Did"));
}

#[test]
fn a_plugin_requires_another_one_of_its_directory() {
    let project = Project::new();
    hub(&project);
    for name in ["needing", "meta"] {
        project.manifest(&plugins(&[name]));
        project.good("install");
        let expected = if name == "meta" { "abc" } else { "ac" };
        assert_eq!(skills(&project), expected, "{name}");
        for line in [
            "install --frozen",
            "install",
            "verify",
            "tree",
            "why skills/c",
        ] {
            project.good(line);
        }
    }
    project.manifest("");
    project.good("install");
    assert_eq!(skills(&project), "");
}

#[test]
fn a_plugin_of_dependencies_alone_is_a_plugin() {
    let project = Project::new();
    let mut repository = Repository::init(&project.sandbox, "community");
    let text = r#"{"name": "hub", "owner": {"name": "x"}, "plugins": [{"name": "all", "source": "./all"}, {"name": "b", "source": "./b"}, {"name": "none", "source": "./none"}]}"#;
    repository.commit(&[
        (FILE, text),
        (
            "all/.claude-plugin/plugin.json",
            r#"{"name": "all", "dependencies": ["b"]}"#,
        ),
        ("b/skills/b/SKILL.md", &skill("b")),
        ("none/.claude-plugin/plugin.json", r#"{"name": "none"}"#),
    ]);
    project.manifest(&plugins(&["all"]));
    project.good("install");
    assert_eq!(skills(&project), "b");
    project.good("install --frozen");
    project.manifest(&plugins(&["none"]));
    project.refused("install", 1, &["plugin/no-parts", "nothing to install"]);
}

#[test]
fn add_finds_a_plugin_by_its_old_name() {
    let project = Project::new();
    let mut repository = Repository::init(&project.sandbox, "community");
    let text = r#"{"name": "hub", "owner": {"name": "x"}, "plugins": [{"name": "new", "source": "./new"}], "renames": {"older": "old", "old": "new", "x": "y", "y": "x"}}"#;
    repository.commit(&[(FILE, text), ("new/skills/a/SKILL.md", &skill("a"))]);
    project.manifest("");
    project.good("add older@community");
    assert!(project.read("agpm.toml").contains("[plugins]\nnew = "));
    assert_eq!(skills(&project), "a");
    project.refused("add x@community", 3, &["unknown plugin"]);
}
