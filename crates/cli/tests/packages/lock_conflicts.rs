//! Lockfiles of branches that git merges: with conflict markers, and with `agpm lock merge` as a driver.

use agpm_testkit::{CommandOutput, Repository};

use crate::support::{PROGRAM, Project, json};

const NAMES: [&str; 3] = ["a", "b", "c"];

/// A source with releases of three agents, and a project under git that has two of them at v1.0.0.
struct Branches {
    project: Project,
}

fn manifest_of(entries: &[(&str, &str)]) -> String {
    let mut text = "[sources]\ncommunity = \"../community\"\n\n[agents]\n".to_owned();
    for (name, version) in entries {
        text.push_str(&format!(
            "{name} = {{ source = \"community\", path = \"agents/{name}.md\", version = \"{version}\" }}\n\n"
        ));
    }
    text
}

impl Branches {
    fn new(entries: &[(&str, &str)]) -> Self {
        let project = Project::new();
        let mut source = Repository::init(&project.sandbox, "community");
        for version in ["1.0", "1.1", "1.2", "2.0"] {
            let files =
                NAMES.map(|name| (format!("agents/{name}.md"), format!("{name} {version}\n")));
            let files = files
                .each_ref()
                .map(|(path, text)| (path.as_str(), text.as_str()));
            source.commit(&files);
            source.tag(&format!("v{version}.0"));
        }
        drop(source);
        let branches = Branches { project };
        let repository = branches.repository();
        repository.write(".gitignore", ".agpm/\n.claude/\n");
        repository.write("agpm.toml", &manifest_of(entries));
        drop(repository);
        for (name, _) in entries {
            branches.project.good(&format!("update {name}@v1.0.0"));
        }
        branches.save("start");
        branches.git(&["branch", "-M", "main"]);
        branches
    }

    fn repository(&self) -> Repository<'_> {
        Repository::open(&self.project.sandbox, "project")
    }

    fn git(&self, arguments: &[&str]) -> CommandOutput {
        self.repository().git(arguments)
    }

    /// Runs git where it may stop at a conflict.
    fn try_git(&self, arguments: &[&str]) -> CommandOutput {
        let mut command = self.project.sandbox.command("git");
        command
            .current_dir(self.project.sandbox.work().join("project"))
            .args([
                "-c",
                "user.name=Test",
                "-c",
                "user.email=test@example.invalid",
            ])
            .args(arguments)
            .env("GIT_EDITOR", "true");
        self.project.sandbox.output(command)
    }

    fn save(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    /// Runs commands on two branches that start here.
    fn diverge(&self, ours: &[&str], theirs: &[&str]) {
        self.git(&["switch", "-q", "-c", "theirs"]);
        for line in theirs {
            self.project.good(line);
        }
        self.save("theirs");
        self.git(&["switch", "-q", "main"]);
        self.project.good("install");
        for line in ours {
            self.project.good(line);
        }
        self.save("ours");
    }

    fn use_driver(&self) {
        let command = format!("{PROGRAM} lock merge %O %A %B");
        self.git(&["config", "merge.agpm.driver", &command]);
        self.project
            .write(".gitattributes", "agpm.lock merge=agpm\n");
        self.save("driver");
    }

    fn agent(&self, name: &str) -> String {
        self.project.read(&format!(".claude/agents/{name}.md"))
    }

    fn locked(&self) -> Vec<String> {
        let lock = self.project.read("agpm.lock");
        let lines = lock.lines().filter_map(|line| {
            line.strip_prefix("name = ")
                .filter(|name| *name != "\"community\"")
                .or_else(|| line.strip_prefix("version = \"").map(|_| line))
        });
        let words: Vec<&str> = lines.collect();
        words
            .chunks(2)
            .map(|pair| pair.join(" ").replace('"', "").replace("version = ", ""))
            .collect()
    }

    fn has_markers(&self) -> bool {
        self.project.read("agpm.lock").contains("<<<<<<< ")
    }
}

/// Both branches update both agents, each one further than the other.
fn crossed() -> Branches {
    let branches = Branches::new(&[("a", "^1"), ("b", "^1")]);
    branches.diverge(&["update a@v1.1.0 b@v1.2.0"], &["update a@v1.2.0 b@v1.1.0"]);
    branches
}

#[test]
fn install_joins_the_sides_of_a_merge() {
    for style in ["merge", "diff3", "zdiff3"] {
        let branches = crossed();
        branches.git(&["config", "merge.conflictStyle", style]);
        assert_eq!(branches.try_git(&["merge", "theirs"]).code, Some(1));
        assert!(branches.has_markers());
        let output = branches.project.good("install");
        assert!(
            output.stderr.contains(
                "note[lock/joined]: joined both sides of `agpm.lock`: 2 versions differ\n"
            ) && output
                .stderr
                .contains("agents/a: v1.2.0 of v1.1.0 and v1.2.0"),
            "{output}"
        );
        assert_eq!(branches.locked(), ["a v1.2.0", "b v1.2.0"]);
        assert_eq!(branches.agent("a"), "a 1.2\n");
        branches.project.good("install --frozen");
        branches.project.good("verify");
        branches.git(&["add", "-A"]);
        branches.git(&["commit", "-q", "--no-edit"]);
    }
}

#[test]
fn every_command_that_writes_the_lockfile_joins_it() {
    for (line, expected) in [
        (
            "add community:agents/c.md@v1.0.0",
            &["a v1.2.0", "b v1.2.0", "c v1.0.0"][..],
        ),
        ("remove b", &["a v1.2.0"]),
        ("update a@v1.0.0", &["a v1.0.0", "b v1.2.0"]),
        ("install --dry-run", &[]),
    ] {
        let branches = crossed();
        branches.try_git(&["merge", "theirs"]);
        let output = branches.project.good(line);
        assert!(output.stderr.contains("joined both sides"), "{output}");
        if expected.is_empty() {
            assert!(branches.has_markers());
        } else {
            assert_eq!(branches.locked(), expected, "{line}");
        }
    }
}

#[test]
fn commands_that_only_read_refuse_markers() {
    let branches = crossed();
    branches.try_git(&["merge", "theirs"]);
    for line in [
        "install --locked",
        "install --frozen",
        "ci",
        "verify",
        "list",
        "tree",
    ] {
        let output = branches.project.run(line);
        assert_eq!(output.code, Some(5), "{line}\n{output}");
        let text = format!("{}{}", output.stdout, output.stderr);
        assert!(
            text.contains("`agpm.lock` contains git merge conflict markers")
                && text.contains("run `agpm install` to join both sides"),
            "{line}\n{output}"
        );
    }
}

#[test]
fn the_merged_manifest_decides_which_version_stays() {
    let branches = Branches::new(&[("a", "^1"), ("b", "^1")]);
    // One branch requires 2.0 and another one 1.1; the merge takes the lower requirement.
    branches.diverge(&["update a@v1.1.0"], &["update a@v2.0.0"]);
    branches.try_git(&["merge", "theirs"]);
    branches.git(&["checkout", "-q", "--ours", "agpm.toml"]);
    branches
        .project
        .write("agpm.toml", &manifest_of(&[("a", "~1.1"), ("b", "^1")]));
    branches.project.good("install");
    assert_eq!(branches.locked(), ["a v1.1.0", "b v1.0.0"]);
}

#[test]
fn a_version_that_the_merged_manifest_excludes_is_resolved_again() {
    let branches = crossed();
    branches.try_git(&["merge", "theirs"]);
    branches
        .project
        .write("agpm.toml", &manifest_of(&[("a", "^2"), ("b", "^1")]));
    let output = branches.project.good("install");
    assert!(
        output
            .stderr
            .contains("agents/a: resolved again instead of v1.1.0 and v1.2.0"),
        "{output}"
    );
    assert_eq!(branches.locked(), ["a v2.0.0", "b v1.2.0"]);
}

#[test]
fn of_two_commits_of_a_branch_the_later_one_stays() {
    let branches = Branches::new(&[("a", "^1")]);
    let follow = manifest_of(&[("a", "main")]);
    branches.project.write("agpm.toml", &follow);
    branches.project.good("install");
    branches.save("follow main");
    let publish = |text: &str| {
        let mut source = Repository::open(&branches.project.sandbox, "community");
        source.commit(&[("agents/a.md", text)])
    };
    publish("a second\n");
    branches.diverge(&["update"], &[]);
    publish("a third\n");
    branches.git(&["switch", "-q", "theirs"]);
    branches.project.good("update");
    branches.save("theirs");
    publish("a fourth\n");
    branches.git(&["switch", "-q", "main"]);
    assert_eq!(branches.try_git(&["merge", "theirs"]).code, Some(1));
    branches.project.good("install");
    assert_eq!(branches.agent("a"), "a third\n");
}

#[test]
fn damaged_markers_and_markers_in_the_manifest_are_errors() {
    let branches = crossed();
    branches.try_git(&["merge", "theirs"]);
    let lock = branches.project.read("agpm.lock");
    branches
        .project
        .write("agpm.lock", &lock.replace(">>>>>>> theirs\n", ""));
    let output = branches.project.run("install");
    assert_eq!(output.code, Some(5), "{output}");
    assert!(
        output.stderr.contains("git checkout --ours agpm.lock"),
        "{output}"
    );
    branches.project.write(
        "agpm.toml",
        "[agents]\n<<<<<<< HEAD\n=======\n>>>>>>> theirs\nx = 1\n",
    );
    let output = branches.project.run("install");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(
        output
            .stderr
            .contains("the markers are from line 2 to line 4"),
        "{output}"
    );
}

#[test]
fn capabilities_that_no_branch_approved_need_approval() {
    let server = |command: &str| format!("{{\"command\": \"{command}\", \"args\": [\"serve\"]}}\n");
    let project = Project::new();
    let mut source = Repository::init(&project.sandbox, "community");
    for (version, command) in [
        ("v1.0.0", "first"),
        ("v1.1.0", "second"),
        ("v1.2.0", "third"),
    ] {
        source.commit(&[("mcp-servers/s.json", &server(command))]);
        source.tag(version);
    }
    drop(source);
    let manifest = |version: &str| {
        format!(
            "[sources]\ncommunity = \"../community\"\n[mcp-servers]\ns = {{ source = \"community\", path = \"mcp-servers/s.json\", version = \"{version}\" }}\n"
        )
    };
    project.write("agpm.toml", &manifest("v1.0.0"));
    project.good("install");
    let first = project.read("agpm.lock");
    project.write("agpm.toml", &manifest("v1.1.0"));
    project.good("install --approve mcp-servers/s");
    let second = project.read("agpm.lock");
    let conflict = format!("<<<<<<< HEAD\n{first}=======\n{second}>>>>>>> theirs\n");
    // What one branch approved stays approved.
    project.write("agpm.lock", &conflict);
    project.good("install");
    // What none approved does not.
    project.write("agpm.toml", &manifest("v1.2.0"));
    project.write("agpm.lock", &conflict);
    let output = project.run("install");
    assert_eq!(output.code, Some(6), "{output}");
    assert!(
        output.stderr.contains("--approve mcp-servers/s"),
        "{output}"
    );
    assert_eq!(project.read("agpm.lock"), conflict);
    project.good("install --approve mcp-servers/s");
}

#[test]
fn git_merges_with_the_driver() {
    let branches = Branches::new(&[("a", "^1"), ("b", "^1")]);
    branches.use_driver();
    branches.diverge(&["update a@v1.1.0 b@v1.2.0"], &["update a@v1.2.0 b@v1.1.0"]);
    let output = branches.try_git(&["merge", "-q", "--no-edit", "theirs"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(branches.locked(), ["a v1.2.0", "b v1.2.0"]);
    branches.project.good("install");
    branches.project.good("install --frozen");
    assert_eq!(branches.git(&["status", "--porcelain"]).stdout, "");
}

#[test]
fn git_rebases_and_picks_with_the_driver() {
    for is_rebase in [true, false] {
        let branches = Branches::new(&[("a", "^1"), ("b", "^1")]);
        branches.use_driver();
        branches.diverge(
            &["update a@v1.1.0", "add community:agents/c.md@v1.0.0"],
            &["update a@v1.2.0 b@v1.1.0"],
        );
        let output = if is_rebase {
            branches.try_git(&["rebase", "-q", "theirs"])
        } else {
            branches.try_git(&["cherry-pick", "theirs"])
        };
        assert_eq!(output.code, Some(0), "{output}");
        assert_eq!(branches.locked(), ["a v1.2.0", "b v1.1.0", "c v1.0.0"]);
        branches.project.good("install --frozen");
    }
}

#[test]
fn a_rebase_without_the_driver_is_joined_at_each_step() {
    let branches = crossed();
    assert_eq!(branches.try_git(&["rebase", "theirs"]).code, Some(1));
    branches.project.good("install");
    branches.git(&["add", "-A"]);
    let output = branches.try_git(&["rebase", "--continue"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(branches.locked(), ["a v1.2.0", "b v1.2.0"]);
    branches.project.good("install --frozen");
}

#[test]
fn the_driver_keeps_a_change_of_one_branch_and_leaves_the_file_where_it_cannot_read_one() {
    let branches = Branches::new(&[("a", "^1"), ("b", "^1")]);
    branches.project.good("update a@v1.2.0");
    branches.save("newer");
    branches.use_driver();
    // One branch goes back, the other one changes something else.
    branches.diverge(&["update b@v1.1.0"], &["update a@v1.1.0"]);
    branches.git(&["merge", "-q", "--no-edit", "theirs"]);
    assert_eq!(branches.locked(), ["a v1.1.0", "b v1.1.0"]);
    let lock = branches.project.read("agpm.lock");
    branches.project.write("base", "");
    branches.project.write("theirs", "][");
    let output = branches.project.run("lock merge base agpm.lock theirs");
    assert_eq!(output.code, Some(5), "{output}");
    assert!(
        output.stderr.contains("invalid lockfile `theirs`"),
        "{output}"
    );
    assert_eq!(branches.project.read("agpm.lock"), lock);
    branches
        .project
        .write("theirs", &lock.replace("v1.1.0", "v1.0.0"));
    let output = branches
        .project
        .good("lock merge base agpm.lock theirs --json");
    let report = json(&output.stdout);
    let joined = json(
        r#"[{"id": "agents/a", "ours": "v1.1.0", "theirs": "v1.0.0", "kept": "v1.1.0"},
            {"id": "agents/b", "ours": "v1.1.0", "theirs": "v1.0.0", "kept": "v1.1.0"}]"#,
    );
    assert_eq!(report.get("joined"), Some(&joined));
}
