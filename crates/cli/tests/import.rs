//! `import agent-manager`: the configuration of another program in the manifest.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use std::fs;

use agpm_testkit::{CommandOutput, Sandbox};

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");
const MANIFEST: &str =
    "# ours\n[sources] # where from\nlib = \"https://git.example/lib.git\"\n\n# the end\n";
const CONFIG: &str = "\
hierarchy:
  - name: org
    url: https://git.example/org.git
    repo_type: git
    repo: !python/object:agent_manager.plugins.repos.git_repo.GitRepo {...}
  - name: mine
    url: file:///srv/mine
    repo_type: local
mergers:
  JsonMerger:
    indent: 4
  MarkdownMerger:
    separator_style: heading
";
const SECTIONS: &str = "\
[[layers]]
name = \"org\"
source = \"org\"
branch = \"main\"

[[layers]]
name = \"mine\"
path = \"/srv/mine\"

[merge]
\"*.md\" = { separator = \"heading\" }
\"*.markdown\" = { separator = \"heading\" }
";

fn project(manifest: &str, config: impl AsRef<[u8]>) -> Sandbox {
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write("agpm.toml", manifest);
    sandbox.write("config.yaml", config);
    sandbox
}

fn run(sandbox: &Sandbox, line: &str, code: i32) -> CommandOutput {
    let output = sandbox.run_line(line);
    assert_eq!(output.code, Some(code), "{line}\n{output}");
    output
}

#[test]
fn a_configuration_comes_into_the_manifest_and_leaves_it_again() {
    let sandbox = project(MANIFEST, CONFIG);
    let output = run(&sandbox, "agpm import agent-manager config.yaml", 0);
    let expected = "\
layer org: org, branch main
layer mine: /srv/mine
merge *.md: separator heading
merge *.markdown: separator heading
agpm.toml changed: 2 layers, 1 source, 2 lines of [merge] added
check the branches: agent-manager follows the default branch, which need not be `main`
Next: run `agpm install`
";
    assert_eq!(output.stdout, expected);
    assert_eq!(output.stderr.matches("warning[").count(), 1, "{output}");
    assert!(output.stderr.contains("--> config.yaml:11:5"), "{output}");
    let lines = "[sources] # where from\nlib = \"https://git.example/lib.git\"\norg = \"https://git.example/org.git\"\n";
    assert_eq!(
        sandbox.read("agpm.toml"),
        format!("# ours\n{lines}\n# the end\n\n{SECTIONS}")
    );
    run(&sandbox, "agpm validate", 0);
    run(&sandbox, "agpm undo", 0);
    assert_eq!(sandbox.read("agpm.toml"), MANIFEST);
}

#[test]
fn a_second_run_changes_nothing_even_after_a_change_of_branch() {
    let sandbox = project(MANIFEST, CONFIG);
    run(&sandbox, "agpm import agent-manager config.yaml", 0);
    let edited = sandbox
        .read("agpm.toml")
        .replace("branch = \"main\"", "version = \"^1.0\"");
    sandbox.write("agpm.toml", &edited);
    let before = sandbox.listing();
    let output = run(&sandbox, "agpm import agent-manager config.yaml", 0);
    assert_eq!(output.stdout, "Nothing to add: agpm.toml is unchanged\n");
    assert_eq!(sandbox.read("agpm.toml"), edited);
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn a_dry_run_prints_the_sections_alone() {
    let sandbox = project(MANIFEST, CONFIG);
    let before = sandbox.listing();
    let output = run(
        &sandbox,
        "agpm import agent-manager config.yaml --dry-run",
        0,
    );
    assert_eq!(
        output.stdout,
        format!("[sources]\norg = \"https://git.example/org.git\"\n\n{SECTIONS}")
    );
    let json = run(
        &sandbox,
        "agpm import agent-manager config.yaml --dry-run --json",
        0,
    );
    assert!(json.stdout.contains("\"written\": false"), "{json}");
    assert!(
        json.stdout
            .contains("\"org\": \"https://git.example/org.git\""),
        "{json}"
    );
    assert!(json.stdout.contains("\"line\": 11"), "{json}");
    assert_eq!(json.stderr, "");
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn the_file_is_looked_for_where_the_other_program_has_it() {
    let sandbox = project("", "");
    let output = run(&sandbox, "agpm import agent-manager", 1);
    assert!(
        output
            .stderr
            .contains("[SANDBOX]/home/.agent-manager/config.yaml"),
        "{output}"
    );
    assert!(
        output
            .stderr
            .contains("name the file: `agpm import agent-manager FILE`"),
        "{output}"
    );
    fs::create_dir(sandbox.home().join(".agent-manager")).unwrap();
    fs::write(sandbox.home().join(".agent-manager/config.yaml"), CONFIG).unwrap();
    let home = format!(
        "hierarchy:\n- {{name: own, url: 'file://{}/ai'}}\n",
        sandbox.home().display()
    );
    sandbox.write("elsewhere/config.yaml", home);
    let mut command = sandbox.command(PROGRAM);
    command
        .args(["import", "agent-manager", "--dry-run"])
        .env("AGENT_MANAGER_CONFIG_DIR", "elsewhere");
    assert_eq!(
        sandbox.output(command).stdout,
        "[[layers]]\nname = \"own\"\npath = \"~/ai\"\n"
    );
    let output = run(&sandbox, "agpm import agent-manager", 0);
    assert!(
        output.stdout.starts_with("layer org: org, branch main\n"),
        "{output}"
    );
}

#[test]
fn an_import_that_contradicts_the_manifest_is_refused() {
    let manifest =
        "[[layers]]\nname = \"mine\"\npath = \"else\"\n\n[merge]\n\"*.md\" = \"replace\"\n";
    let sandbox = project(manifest, CONFIG);
    let before = sandbox.listing();
    let output = run(&sandbox, "agpm import agent-manager config.yaml", 6);
    assert!(
        output
            .stderr
            .contains("the manifest already has a different layer `mine`"),
        "{output}"
    );
    assert!(output.stderr.contains("--> agpm.toml:6:10"), "{output}");
    assert_eq!(
        output.stderr.matches("error[io/exists]").count(),
        2,
        "{output}"
    );
    assert_eq!(sandbox.listing(), before);
    assert_eq!(sandbox.read("agpm.toml"), manifest);
}

#[test]
fn bad_input_changes_nothing_and_names_its_place() {
    for (config, location, code) in [
        (&b"hierarchy: [\n"[..], "config.yaml:1:12", "yaml/syntax"),
        (
            b"hierarchy:\n- name: one\n",
            "config.yaml:2:3",
            "import/format",
        ),
        (b"name: caf\xe9\n", "config.yaml:1:10", "text/encoding"),
        (b"", "--> config.yaml\n", "import/format"),
    ] {
        let sandbox = project(MANIFEST, config);
        let before = sandbox.listing();
        let output = run(&sandbox, "agpm import agent-manager config.yaml", 1);
        assert!(
            output.stderr.starts_with(&format!("error[{code}]: ")),
            "{output}"
        );
        assert!(output.stderr.contains(location), "{location}\n{output}");
        assert_eq!(sandbox.listing(), before);
    }
    let sandbox = project(MANIFEST, CONFIG);
    let output = run(&sandbox, "agpm import agent-manager gone.yaml", 1);
    assert!(
        output.stderr.starts_with("error[io/not-found]") && output.stderr.contains("gone.yaml"),
        "{output}"
    );
    let output = run(&sandbox, "agpm import agent-manger config.yaml", 3);
    assert!(
        output.stderr.contains("did you mean `agent-manager`?"),
        "{output}"
    );
    fs::remove_file(sandbox.work().join("agpm.toml")).unwrap();
    run(&sandbox, "agpm import agent-manager config.yaml", 0);
    assert!(sandbox.read("agpm.toml").ends_with(SECTIONS));
}

#[test]
fn no_secret_is_shown_or_written() {
    let config = "hierarchy:\n- name: a\n  url: https://ann:hunter2@git.example/a\n  repo_type: git\n- name: b\n  \
        url: s3://key:hunter2@bucket\n  repo_type: s3\n- name: c\n  url: https://ann:hunter2/3@git.example/c\n  repo_type: git\n";
    let sandbox = project("", config);
    let output = run(&sandbox, "agpm import agent-manager config.yaml", 1);
    assert!(output.stderr.contains("config.yaml:9:8"), "{output}");
    assert!(!output.to_string().contains("hunter2"), "{output}");
    sandbox.write("config.yaml", &config[..config.find("- name: c").unwrap()]);
    for line in [
        "agpm import agent-manager config.yaml --json",
        "agpm import agent-manager config.yaml",
    ] {
        let output = run(&sandbox, line, 0);
        assert!(output.to_string().contains("manifest/secret"), "{output}");
        assert!(!output.to_string().contains("hunter2"), "{output}");
    }
    assert!(
        sandbox
            .read("agpm.toml")
            .starts_with("[sources]\na = \"https://git.example/a\"\n")
    );
}

#[test]
fn awkward_manifests_keep_their_form() {
    for (manifest, expected) in [
        ("", "[[layers]]\nname = \"one\"\npath = \"/srv/one\"\n"),
        (
            "# only words",
            "# only words\n[[layers]]\nname = \"one\"\npath = \"/srv/one\"\n",
        ),
        (
            "[merge] # x\r\n# end\r\n",
            "[merge] # x\r\n# end\r\n\r\n[[layers]]\r\nname = \"one\"\r\npath = \"/srv/one\"\r\n",
        ),
        (
            "layers = []\n[merge]\n",
            "[merge]\n\n[[layers]]\nname = \"one\"\npath = \"/srv/one\"\n",
        ),
        (
            "layers = [{ name = \"low\", path = \"low\" }]\n",
            "layers = [{ name = \"low\", path = \"low\" }, { name = \"one\", path = \"/srv/one\" }]\n",
        ),
    ] {
        let sandbox = project(
            manifest,
            "hierarchy:\n- {name: one, url: 'file:///srv/one', repo_type: file}\n",
        );
        run(&sandbox, "agpm import agent-manager config.yaml", 0);
        assert_eq!(sandbox.read("agpm.toml"), expected, "{manifest}");
    }
}

#[test]
fn ten_thousand_entries_are_transitive() {
    let entry = |number| {
        format!("- {{name: l{number}, url: 'https://git.example/{number}', repo_type: git}}\n")
    };
    let config = format!("hierarchy:\n{}", (0..10_000).map(entry).collect::<String>());
    let sandbox = project(MANIFEST, config);
    let output = run(&sandbox, "agpm import agent-manager config.yaml", 0);
    assert!(output.stdout.contains("10000 layers, 10000 sources added"));
    let manifest = sandbox.read("agpm.toml");
    assert_eq!(manifest.matches("[[layers]]\n").count(), 10_000);
    assert!(
        manifest.ends_with("[[layers]]\nname = \"l9999\"\nsource = \"l9999\"\nbranch = \"main\"\n")
    );
}

#[test]
fn all_mistakes_of_an_entry_are_reported_at_once() {
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write("agpm.toml", "");
    sandbox.write(
        "am.yaml",
        "hierarchy:\n  - url: 5\n    repo_type: git\n    branch: 7\n    odd: 1\n",
    );
    let output = sandbox.run_line("agpm import agent-manager am.yaml");
    assert_eq!(output.code, Some(1), "{output}");
    for word in [
        "this entry has no `name`",
        "`url` is a number",
        "`branch` is a number",
        "the key `odd` of an entry",
    ] {
        assert_eq!(output.stderr.matches(word).count(), 1, "{word}\n{output}");
    }
}
