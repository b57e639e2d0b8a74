//! `-g`: the user's own manifest, installed into home.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use agpm_testkit::{CommandOutput, Repository, Sandbox};

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");

/// Everything of a kit, with what a user has already.
const FILES: [(&str, &str); 5] = [
    (
        "agents/dev.md",
        "---\nname: dev\ndescription: x\n---\nbody\n",
    ),
    (
        "hooks/fmt.json",
        "{\"events\":[\"PostToolUse\"],\"matcher\":\"Edit\",\"type\":\"command\",\"command\":\"fmt\"}",
    ),
    ("mcp/fs.json", "{\"command\":\"npx\",\"args\":[\"fs\"]}"),
    (
        "skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: x\n---\n",
    ),
    ("skills/pdf/run.sh", "#!/bin/sh\n"),
];
const KIT: [(&str, &str, &str); 4] = [
    ("agents", "dev", "agents/dev.md"),
    ("hooks", "fmt", "hooks/fmt.json"),
    ("mcp-servers", "fs", "mcp/fs.json"),
    ("skills", "pdf", "skills/pdf"),
];

/// Where the configuration is.
#[derive(Clone, Copy)]
enum Config {
    InHome,
    Elsewhere,
}

/// A user with a home and a source.
struct User {
    sandbox: Sandbox,
    config: Config,
}

impl User {
    fn new(config: Config) -> Self {
        let user = User {
            sandbox: Sandbox::new(PROGRAM),
            config,
        };
        let mut community = Repository::init(&user.sandbox, "community");
        community.commit(&FILES);
        community.tag("v1.0.0");
        user
    }

    /// One whose manifest asks for the whole kit.
    fn with_kit(config: Config) -> Self {
        let user = User::new(config);
        user.manifest(&KIT.map(user_entry).concat());
        user
    }

    fn directory(&self) -> PathBuf {
        match self.config {
            Config::InHome => self.sandbox.home().join(".config/agpm"),
            Config::Elsewhere => self.sandbox.work().parent().unwrap().join("config/agpm"),
        }
    }

    fn manifest(&self, entries: &str) {
        let url = Repository::open(&self.sandbox, "community").url();
        write(
            &self.directory().join("agpm.toml"),
            &format!("[sources]\ncommunity = \"{url}\"\n{entries}"),
        );
    }

    fn run_in(&self, directory: &Path, line: &str) -> CommandOutput {
        let mut command = self.sandbox.command(PROGRAM);
        if let Config::InHome = self.config {
            command.env_remove("XDG_CONFIG_HOME");
        }
        command.current_dir(directory).args(line.split_whitespace());
        self.sandbox.output(command)
    }

    fn run(&self, line: &str, code: i32) -> CommandOutput {
        let output = self.run_in(&self.sandbox.work(), line);
        assert_eq!(output.code, Some(code), "{line}\n{output}");
        output
    }

    fn home(&self, path: &str) -> PathBuf {
        self.sandbox.home().join(path)
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.home(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn lock(&self) -> String {
        fs::read_to_string(self.directory().join("agpm.lock")).unwrap()
    }

    /// All files but the copies of sources.
    fn without_cache(&self) -> String {
        let all = self.sandbox.listing();
        all.lines()
            .filter(|line| !line.contains("cache/"))
            .map(|line| format!("{line}\n"))
            .collect()
    }

    /// Lists every file in home except agpm's state and the configuration.
    fn installed(&self) -> Vec<String> {
        let all = self.sandbox.listing();
        let paths = all
            .lines()
            .filter_map(|line| line.split_whitespace().find(|word| word.contains("home/")));
        let paths = paths.map(|path| path.rsplit_once("home/").unwrap().1.to_owned());
        let states = [".local/state/agpm", ".config/agpm", ".agpm/history"];
        let ours = |path: &String| states.iter().any(|state| path.starts_with(state));
        paths.filter(|path| !ours(path)).collect()
    }
}

fn user_entry((kind, name, path): (&str, &str, &str)) -> String {
    format!(
        "[{kind}]\n{name} = {{ source = \"community\", path = \"{path}\", version = \"v1.0.0\" }}\n"
    )
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The files of the kit, in home.
const INSTALLED: [&str; 5] = [
    ".claude.json",
    ".claude/agents/dev.md",
    ".claude/settings.json",
    ".claude/skills/pdf/SKILL.md",
    ".claude/skills/pdf/run.sh",
];

#[test]
fn everything_goes_where_tools_look_in_home_wherever_the_configuration_is() {
    for config in [Config::InHome, Config::Elsewhere] {
        let user = User::with_kit(config);
        user.run("install -g", 0);
        assert_eq!(user.installed(), INSTALLED);
        assert!(
            user.read(".claude.json").contains("\"mcpServers\""),
            "{}",
            user.read(".claude.json")
        );
        assert!(
            user.read(".claude/settings.json")
                .contains("\"PostToolUse\"")
        );
        assert!(
            user.lock()
                .contains("installed_at = \".claude/skills/pdf\""),
            "{}",
            user.lock()
        );
        assert!(user.home(".local/state/agpm/ledger.json").is_file());
        assert!(!user.home(".agpm").exists() && !user.sandbox.work().join(".claude").exists());
        let before = user.sandbox.listing();
        assert_eq!(
            user.run("install -g", 0).stdout,
            "Everything is up to date (4 resources)\n"
        );
        user.run("install -g --frozen", 0);
        user.run("install -g --locked --check", 0);
        assert_eq!(user.run("verify -g", 0).stdout, "5 files verified\n");
        assert_eq!(user.sandbox.listing(), before);
    }
}

#[test]
fn user_content_of_a_shared_file_keeps_its_bytes_and_mode() {
    let user = User::with_kit(Config::InHome);
    let own = "{\n  \"numStartups\": 7,\n   \"oauth\" : {\"token\": \"t\"}, // mine\n  \"mcpServers\": {\n    \"own\": { \"command\": \"x\" }\n  },\n  \"projects\": {}\n}\n";
    write(&user.home(".claude.json"), own);
    fs::set_permissions(user.home(".claude.json"), fs::Permissions::from_mode(0o600)).unwrap();
    user.run("install -g", 0);
    let now = user.read(".claude.json");
    let (start, end) = own.split_at(own.find("\n  },\n  \"projects\"").unwrap());
    assert!(
        now.starts_with(start) && now.ends_with(end) && now.contains("\"fs\""),
        "{now}"
    );
    let mode = |path| fs::metadata(user.home(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(".claude.json"), 0o600);
    // The backup for `undo` must be private too.
    assert_eq!(mode(".local/state/agpm"), 0o700);
    user.manifest("");
    user.run("install -g", 0);
    assert_eq!(user.read(".claude.json"), own);
    assert_eq!(mode(".claude.json"), 0o600);
    assert_eq!(user.installed(), [".claude.json"]);
}

#[test]
fn a_users_own_entry_and_file_are_refused() {
    let user = User::with_kit(Config::InHome);
    write(
        &user.home(".claude.json"),
        "{\"mcpServers\":{\"fs\":{\"command\":\"mine\"}}}",
    );
    write(&user.home(".claude/agents/dev.md"), "mine");
    let before = user.sandbox.listing();
    let output = user.run("install -g", 6);
    assert!(
        output.stderr.contains("/mcpServers/fs") && output.stderr.contains("agents/dev.md"),
        "{output}"
    );
    assert_eq!(user.without_cache(), before);
}

#[test]
fn undo_brings_back_files_and_lockfile() {
    let user = User::with_kit(Config::InHome);
    let [agent, ..] = KIT;
    user.manifest(&user_entry(agent));
    user.run("install -g", 0);
    let (lock, files) = (user.lock(), user.installed());
    user.manifest(&KIT.map(user_entry).concat());
    user.run("install -g", 0);
    assert_ne!(user.lock(), lock);
    let list = user.run("undo -g --list", 0);
    assert!(
        list.stdout.contains("updated .config/agpm/agpm.lock"),
        "{list}"
    );
    let undone = user.run("undo -g", 0);
    assert_eq!(undone.stderr, "");
    assert_eq!((user.lock(), user.installed()), (lock, files));
    user.run("undo -g", 0);
    assert!(user.installed().is_empty() && !user.directory().join("agpm.lock").exists());
    user.run("undo -g", 1);
}

#[test]
fn undo_says_what_it_cannot_reach() {
    let user = User::with_kit(Config::Elsewhere);
    user.run("install -g", 0);
    let lock = user.lock();
    let undone = user.run("undo -g", 0);
    assert!(
        undone.stderr.contains("[SANDBOX]/config/agpm/agpm.lock"),
        "{undone}"
    );
    assert!(user.installed().is_empty());
    assert_eq!(user.lock(), lock);
    user.run("install -g --locked", 0);
    assert_eq!(user.installed(), INSTALLED);
}

#[test]
fn a_project_in_home_and_the_users_own_things_do_not_meet() {
    let user = User::with_kit(Config::InHome);
    let url = Repository::open(&user.sandbox, "community").url();
    let other = "[snippets]\nother = { source = \"community\", path = \"agents/dev.md\", version = \"v1.0.0\" }\n";
    write(
        &user.home("agpm.toml"),
        &format!("[sources]\ncommunity = \"{url}\"\n{other}"),
    );
    let in_home = |line: &str| {
        let output = user.run_in(&user.sandbox.home(), line);
        assert_eq!(output.code, Some(0), "{line}\n{output}");
        output.stdout
    };
    in_home("install");
    user.run("install -g", 0);
    let both = user.installed();
    assert!(in_home("list").contains("other") && !in_home("list").contains("fs"));
    assert!(in_home("list -g").contains("fs") && !in_home("list -g").contains("other"));
    assert_eq!(
        [in_home("install"), in_home("install -g")],
        [
            "Everything is up to date (1 resource)\n",
            "Everything is up to date (4 resources)\n"
        ]
    );
    user.run("undo -g", 0);
    assert!(
        user.home(".agpm/snippets/agents/dev.md").is_file() && !user.home(".claude.json").exists()
    );
    in_home("undo");
    assert!(!user.home(".agpm/snippets").exists());
    user.run("install -g", 0);
    in_home("install");
    assert_eq!(user.installed(), both);
}

#[test]
fn without_the_flag_the_users_manifest_is_not_used() {
    let user = User::with_kit(Config::InHome);
    let output = user.run("install", 1);
    assert!(
        output.stderr.contains("error[manifest/missing]"),
        "{output}"
    );
    assert!(user.installed().is_empty());
}

#[test]
fn add_and_remove_edit_the_users_manifest_wherever_it_is() {
    for config in [Config::InHome, Config::Elsewhere] {
        let user = User::new(config);
        let created = user.run("init -g", 0);
        let path = if let Config::InHome = config {
            "home/.config"
        } else {
            "config"
        };
        assert!(
            created
                .stdout
                .starts_with(&format!("Wrote [SANDBOX]/{path}/agpm/agpm.toml\n")),
            "{created}"
        );
        let names: Vec<_> = fs::read_dir(user.directory())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["agpm.toml"]);
        assert!(user.run("init -g", 6).stderr.contains("already exists"));
        user.run("add source community ./community -g", 0);
        user.run("add -g dep agent community:agents/dev.md@v1.0.0", 0);
        assert_eq!(user.installed(), [".claude/agents/dev.md"]);
        user.sandbox.write("near/here.md", "near\n");
        let near = user.run_in(
            &user.sandbox.work().join("near"),
            "add dep agent ./here.md -g",
        );
        assert_eq!(near.code, Some(0), "{near}");
        assert_eq!(user.read(".claude/agents/here.md"), "near\n");
        let list = user.run("list -g", 0).stdout;
        assert!(list.contains("dev") && list.contains("here"), "{list}");
        user.run("remove dep agent dev -g", 0);
        assert_eq!(user.installed(), [".claude/agents/here.md"]);
        let manifest = fs::read_to_string(user.directory().join("agpm.toml")).unwrap();
        assert!(
            manifest.contains("here = ") && !manifest.contains("dev = "),
            "{manifest}"
        );
        assert_eq!(
            user.run("install -g", 0).stdout,
            "Everything is up to date (1 resource)\n"
        );
    }
}

#[test]
fn undo_brings_back_the_users_manifest() {
    let user = User::with_kit(Config::InHome);
    user.run("install -g", 0);
    let (manifest, files) = (user.read(".config/agpm/agpm.toml"), user.installed());
    user.run("remove dep mcp-server fs -g", 0);
    assert!(!user.home(".claude.json").exists());
    user.run("undo -g", 0);
    assert_eq!(
        (user.read(".config/agpm/agpm.toml"), user.installed()),
        (manifest, files)
    );
}

#[test]
fn a_linked_manifest_is_changed_where_it_is() {
    let user = User::with_kit(Config::InHome);
    let target = user.home("dotfiles/agpm.toml");
    fs::create_dir_all(target.parent().unwrap()).unwrap();
    fs::rename(user.directory().join("agpm.toml"), &target).unwrap();
    std::os::unix::fs::symlink(&target, user.directory().join("agpm.toml")).unwrap();
    user.run("remove dep mcp-server fs -g", 0);
    assert!(!fs::read_to_string(&target).unwrap().contains("mcp/fs.json"));
    assert!(
        fs::symlink_metadata(user.directory().join("agpm.toml"))
            .unwrap()
            .is_symlink()
    );
}

#[test]
fn a_dry_run_and_a_failure_leave_home_alone() {
    let user = User::with_kit(Config::InHome);
    let before = user.sandbox.listing();
    let output = user.run("install -g --dry-run", 0);
    assert!(output.stdout.contains(".claude/agents/dev.md"), "{output}");
    user.run("install -g --check", 1);
    user.run("install -g --frozen", 5);
    user.run("install -g --locked", 5);
    assert_eq!(user.without_cache(), before);
}

#[test]
fn looks_are_at_the_users_own_lockfile_and_ledger() {
    let user = User::with_kit(Config::Elsewhere);
    user.run("install -g", 0);
    assert!(user.run("tree -g", 0).stdout.contains("agents/dev"));
    assert!(user.run("why dev -g", 0).stdout.contains("agents/dev"));
    let path = user.home(".claude/agents/dev.md");
    assert!(
        user.run(&format!("why -g {}", path.display()), 0)
            .stdout
            .contains("agents/dev")
    );
    user.run("validate -g --resolve --sources --check-lock --render", 0);
    user.run("outdated -g", 0);
    user.run("update -g --check", 0);
    let explained = user.run(
        "explain -g file:.claude/settings.json /hooks/PostToolUse/0/matcher",
        0,
    );
    assert!(explained.stdout.contains("Edit"), "{explained}");
    write(&path, "edited");
    let found = user.run("verify -g", 1);
    assert!(found.stdout.contains(".claude/agents/dev.md"), "{found}");
}

#[test]
fn updates_move_the_users_pins() {
    let user = User::new(Config::InHome);
    user.manifest(
        "[agents]\ndev = { source = \"community\", path = \"agents/dev.md\", version = \"^1.0\" }\n",
    );
    user.run("install -g", 0);
    let mut community = Repository::open(&user.sandbox, "community");
    community.commit(&[("agents/dev.md", "new\n")]);
    community.tag("v1.1.0");
    assert!(user.run("outdated -g", 0).stdout.contains("v1.1.0"));
    user.run("update dev -g", 0);
    assert_eq!(user.read(".claude/agents/dev.md"), "new\n");
    assert!(user.lock().contains("v1.1.0"));
}

#[test]
fn tools_have_their_places_in_home_or_none() {
    let user = User::new(Config::InHome);
    let entry = |kind: &str, path: &str, tool: &str| {
        format!(
            "[{kind}]\nx = {{ source = \"community\", path = \"{path}\", version = \"v1.0.0\", tool = \"{tool}\" }}\n"
        )
    };
    user.manifest(
        &(entry("agents", "agents/dev.md", "opencode")
            + &entry("mcp-servers", "mcp/fs.json", "opencode")),
    );
    user.run("install -g", 0);
    assert_eq!(
        user.installed(),
        [
            ".config/opencode/agent/dev.md",
            ".config/opencode/opencode.json"
        ]
    );
    user.manifest(&entry("commands", "agents/dev.md", "copilot"));
    let output = user.run("install -g", 1);
    assert!(
        output
            .stderr
            .contains("the tool `copilot` does not support commands"),
        "{output}"
    );
    // The manifest still has the last word.
    let own = "[tools.copilot.resources]\ncommands = { path = \"own\" }\n";
    user.manifest(&(entry("commands", "agents/dev.md", "copilot") + own));
    user.run("install -g", 0);
    assert_eq!(user.installed(), [".copilot/own/dev.prompt.md"]);
}

#[test]
fn nothing_is_installed_over_the_manifest_even_by_force() {
    let user = User::new(Config::InHome);
    let entry = "[agents]\ndev = { source = \"community\", path = \"agents/dev.md\", version = \"v1.0.0\", filename = \"agpm.toml\" }\n";
    user.manifest(&format!(
        "{entry}[tools.claude-code]\npath = \".config\"\nresources.agents = {{ path = \"agpm\" }}\n"
    ));
    let before = user.read(".config/agpm/agpm.toml");
    let output = user.run("install -g --force", 6);
    assert!(
        output
            .stderr
            .contains("agents/dev would be installed at `.config/agpm/agpm.toml`"),
        "{output}"
    );
    assert_eq!(user.read(".config/agpm/agpm.toml"), before);
}

#[test]
fn templates_read_next_to_the_manifest_and_nothing_of_home() {
    let user = User::new(Config::InHome);
    write(&user.home("secret.md"), "secret");
    write(&user.directory().join("docs/style.md"), "my style");
    write(
        &user.directory().join("agents/t.md"),
        "{# agpm. #}{{ 'docs/style.md' | content }}{{ agpm.resource.name }}\n",
    );
    user.manifest("[agents]\nt = \"agents/t.md\"\n");
    user.run("install -g", 0);
    assert_eq!(user.read(".claude/agents/t.md"), "my stylet\n");
    for (hidden, code) in [("secret.md", 1), ("agpm.toml", 1), ("../../secret.md", 6)] {
        write(
            &user.directory().join("agents/t.md"),
            &format!("{{{{ '{hidden}' | content }}}}{{{{ agpm.resource.name }}}}\n"),
        );
        user.run("install -g", code);
        assert_eq!(user.read(".claude/agents/t.md"), "my stylet\n", "{hidden}");
    }
}

#[test]
fn copies_that_the_user_manifest_uses_stay_in_the_cache() {
    let user = User::with_kit(Config::InHome);
    user.run("install -g", 0);
    user.sandbox.write("agpm.toml", "");
    assert_eq!(
        user.run("cache clean --older-than 0s", 0).stdout,
        "Nothing to remove\n"
    );
    fs::remove_file(user.directory().join("agpm.toml")).unwrap();
    assert!(
        user.run("cache clean --older-than 0s", 0)
            .stdout
            .contains("removed file://")
    );
}

#[test]
fn mistakes_are_reported_with_their_place() {
    let user = User::new(Config::Elsewhere);
    let missing = user.run("install -g", 1);
    assert!(
        missing
            .stderr
            .contains("error[manifest/missing]: no `[SANDBOX]/config/agpm/agpm.toml`"),
        "{missing}"
    );
    assert!(missing.stderr.contains("agpm init -g"), "{missing}");
    user.manifest("[agentz]\n");
    let wrong = user.run("install -g", 1);
    assert!(
        wrong.stderr.contains("[SANDBOX]/config/agpm/agpm.toml:3:"),
        "{wrong}"
    );
    assert!(wrong.stderr.contains("manifest/unknown-key"), "{wrong}");
    assert!(
        user.run("--manifest-path x.toml install -g", 2)
            .stderr
            .contains("cannot be combined")
    );
    assert!(
        user.run("install -g --manifest-path x.toml", 2)
            .stderr
            .contains("cannot be combined")
    );
    user.run("init -g somewhere", 2);
    user.run("merge -g a.json", 2);
}

#[test]
fn without_a_home_there_is_not_a_manifest_of_ones_own() {
    let user = User::with_kit(Config::Elsewhere);
    for line in ["install -g", "init -g", "list -g"] {
        let mut command = user.sandbox.command(PROGRAM);
        command
            .env_remove("HOME")
            .env_remove("USERPROFILE")
            .args(line.split_whitespace());
        let output = user.sandbox.output(command);
        assert_eq!(output.code, Some(1), "{output}");
        assert!(
            output.stderr.contains("cannot locate the home directory"),
            "{output}"
        );
    }
}

#[test]
fn suggested_commands_act_on_the_manifest_of_the_run() {
    let user = User::with_kit(Config::InHome);
    user.run("install -g", 0);
    let project = user.sandbox.work().join("project");
    fs::create_dir_all(&project).unwrap();
    // Outside of a project, the user's resources are mentioned.
    let output = user.run_in(&project, "list");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(
        output
            .stderr
            .contains("4 resources are installed for you: `agpm list -g`"),
        "{output}"
    );
    let listed = user.run("list -g", 0).stdout;
    assert!(listed.contains("~/.claude/agents/dev.md"), "{listed}");
    let url = Repository::open(&user.sandbox, "community").url();
    let added = user.run(
        &format!("add -g {url} agents/dev --name second --dry-run"),
        0,
    );
    assert!(!added.stdout.contains("Undo it"), "{added}");
    user.run("remove -g agents/dev", 0);
    let added = user.run("add -g community:agents/dev.md", 0);
    assert!(
        added.stdout.ends_with("Undo it with `agpm undo -g`\n"),
        "{added}"
    );
    write(&user.home(".claude/agents/dev.md"), "mine\n");
    let output = user.run("install -g", 0);
    assert!(
        output
            .stderr
            .contains("`agpm install -g --force` discards it"),
        "{output}"
    );
    let status = user.run("status -g", 0);
    assert!(status.stdout.contains("(agpm diff -g)"), "{status}");
    // With other ways to select a manifest, too.
    write(&project.join("agpm.toml"), "[agents]\na = \"a.md\"\n");
    write(&project.join("a.md"), "one\n");
    user.run("-C project install", 0);
    write(&project.join(".claude/agents/a.md"), "mine\n");
    for (options, command) in [
        ("-C project", "agpm -C project diff agents/a"),
        (
            "--manifest-path project/agpm.toml",
            "agpm --manifest-path project/agpm.toml diff agents/a",
        ),
    ] {
        let output = user.run(&format!("{options} install"), 0);
        assert!(output.stderr.contains(command), "{command}: {output}");
        user.run(&command["agpm ".len()..], 0);
    }
}
