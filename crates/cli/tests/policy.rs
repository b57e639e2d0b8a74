//! Policies: rules that apply, refusals, and no writes after a refusal.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use agpm_testkit::{CommandOutput, Repository, Sandbox};

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");

const AGENT: &str = "---\nname: a\ntools: Bash\n---\nText.\n";
const MANIFEST: &str =
    "[agents]\na = \"a.md\"\n\n[mcp-servers]\ns = { command = \"npx\", args = [\"search\"] }\n";

fn project(policy: &str) -> Sandbox {
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write("agpm.toml", MANIFEST);
    sandbox.write("a.md", AGENT);
    sandbox.write("rules/policy.toml", policy);
    sandbox
}

fn rules(output: &CommandOutput) -> Vec<String> {
    let lines = output.stderr.lines();
    let rule = |line: &str| {
        let rest = line.strip_prefix("error[policy/violation]: policy `")?;
        Some(rest.split_once('`')?.0.to_owned())
    };
    lines.filter_map(rule).collect()
}

#[test]
fn every_rule_refuses_before_anything_is_written() {
    for (policy, expected) in [
        ("[types]\ndeny = [\"agents\"]\n", "types.deny"),
        ("[types]\nallow = [\"mcp-servers\"]\n", "types.allow"),
        ("[tools]\nallow = [\"codex\"]\n", "tools.allow"),
        ("[mcp]\nallow-commands = [\"uvx\"]\n", "mcp.allow-commands"),
        ("[executables]\nmode = \"deny\"\n", "executables.mode"),
        ("[permissions]\ndeny = [\"Bash(*)\"]\n", "permissions.deny"),
        ("[require]\n\"skills/x\" = \"^1\"\n", "require"),
    ] {
        let sandbox = project(policy);
        let output = sandbox.run_line("agpm install --policy rules/policy.toml");
        assert_eq!(output.code, Some(6), "{policy}\n{output}");
        assert!(rules(&output).contains(&expected.to_owned()), "{output}");
        assert!(output.stderr.contains("rules/policy.toml:2"), "{output}");
        assert!(!sandbox.work().join(".claude").exists(), "{policy}");
        assert!(!sandbox.work().join("agpm.lock").exists(), "{policy}");
        let output = sandbox.run_line("agpm policy check --policy rules/policy.toml");
        assert_eq!(output.code, Some(6), "{policy}\n{output}");
    }
}

#[test]
fn installed_resources_are_judged_too() {
    let sandbox = project("[types]\ndeny = [\"agents\"]\n");
    assert_eq!(sandbox.run_line("agpm install").code, Some(0));
    let output = sandbox.run_line("agpm install --policy rules/policy.toml");
    assert_eq!(output.code, Some(6), "{output}");
    let output = sandbox.run_line("agpm install --frozen --policy rules/policy.toml");
    assert_eq!(output.code, Some(6), "{output}");
}

#[test]
fn a_policy_of_the_project_or_the_user_applies_without_being_named() {
    let sandbox = project("");
    let own = format!("{MANIFEST}\n[policy.types]\ndeny = [\"agents\"]\n");
    sandbox.write("agpm.toml", &own);
    let output = sandbox.run_line("agpm install");
    assert_eq!(output.code, Some(6), "{output}");
    assert!(output.stderr.contains("agpm.toml:8"), "{output}");

    let sandbox = project("");
    let path = sandbox.home().join("../config/agpm");
    std::fs::create_dir_all(&path).unwrap();
    std::fs::write(path.join("policy.toml"), "[tools]\nallow = [\"codex\"]\n").unwrap();
    let output = sandbox.run_line("agpm install");
    assert_eq!(output.code, Some(6), "{output}");
    let output = sandbox.run_line("agpm policy show --policy rules/policy.toml");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains("tools.allow  codex"), "{output}");
}

#[test]
fn a_farther_policy_does_not_loosen_a_nearer_one() {
    let sandbox = project("[types]\nallow = [\"agents\", \"mcp-servers\"]\ndeny = []\n");
    let own = format!("{MANIFEST}\n[policy.types]\ndeny = [\"agents\"]\n");
    sandbox.write("agpm.toml", &own);
    let output = sandbox.run_line("agpm install --policy rules/policy.toml");
    assert_eq!(rules(&output), ["types.deny"], "{output}");
}

#[test]
fn a_policy_with_a_mistake_stops_the_run() {
    for (policy, code) in [
        ("[type]\ndeny = [\"agents\"]\n", "policy/unknown-key"),
        ("[types]\ndeny = [\"agent-s\"]\n", "policy/value"),
        ("[types]\ndeny = \"agents\"\n", "policy/value"),
        ("[types\n", "toml/syntax"),
    ] {
        let sandbox = project(policy);
        let output = sandbox.run_line("agpm install --policy rules/policy.toml");
        assert_eq!(output.code, Some(1), "{policy}\n{output}");
        assert!(output.stderr.contains(code), "{policy}\n{output}");
        assert!(!sandbox.work().join(".claude").exists());
        // Read commands are not judged, so they go on.
        assert_eq!(sandbox.run_line("agpm list").code, Some(0));
    }
}

#[test]
fn only_the_machine_or_its_user_lets_a_run_go_on_without_a_policy() {
    let warn = "on-unreachable = \"warn\"\n";
    let sandbox = project(warn);
    let output = sandbox.run_line("agpm install --policy missing.toml");
    assert_eq!(output.code, Some(4), "{output}");
    assert!(output.stderr.contains("policy/unreachable"), "{output}");
    // The project and the command could be written by the person who wants to avoid the policy.
    sandbox.write("agpm.toml", format!("{MANIFEST}\n[policy]\n{warn}"));
    let output = sandbox.run_line("agpm install --policy missing.toml");
    assert_eq!(output.code, Some(4), "{output}");
    let path = sandbox.home().join("../config/agpm");
    std::fs::create_dir_all(&path).unwrap();
    std::fs::write(path.join("policy.toml"), warn).unwrap();
    let output = sandbox.run_line("agpm install --policy missing.toml");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(
        output.stderr.contains("warning[policy/unreachable]"),
        "{output}"
    );
}

#[test]
fn the_variable_adds_a_policy_and_replaces_none() {
    let sandbox = project("[types]\ndeny = [\"agents\"]\n");
    let path = sandbox.home().join("../config/agpm");
    std::fs::create_dir_all(&path).unwrap();
    std::fs::write(path.join("policy.toml"), "[mcp]\nallow-commands = []\n").unwrap();
    let mut command = sandbox.command(PROGRAM);
    command
        .arg("install")
        .env("AGPM_POLICY", "rules/policy.toml");
    let output = sandbox.output(command);
    assert_eq!(
        rules(&output),
        ["types.deny", "mcp.allow-commands"],
        "{output}"
    );
}

#[test]
fn a_policy_of_the_command_applies_to_what_is_added_and_removed() {
    let sandbox = project("[types]\ndeny = [\"agents\"]\n");
    sandbox.write("agpm.toml", "");
    for command in [
        "agpm add ./a.md --type agent --policy rules/policy.toml",
        "agpm add dep agent a.md --policy rules/policy.toml",
        "agpm add --policy rules/policy.toml dep agent a.md",
    ] {
        let output = sandbox.run_line(command);
        assert_eq!(output.code, Some(6), "{command}\n{output}");
        assert_eq!(rules(&output), ["types.deny"], "{output}");
    }
    sandbox.write("agpm.toml", MANIFEST);
    assert_eq!(sandbox.run_line("agpm install").code, Some(0));
    let output = sandbox.run_line("agpm remove s --policy rules/policy.toml");
    assert_eq!(output.code, Some(6), "{output}");
}

#[test]
fn a_denied_version_is_skipped_by_a_range_and_refused_with_its_reason() {
    let sandbox = Sandbox::new(PROGRAM);
    let mut repository = Repository::init(&sandbox, "team");
    for tag in ["v1.3.0", "v1.4.0", "v1.5.0"] {
        let text = format!("---\nname: r\n---\n{tag}\n");
        repository.commit(&[
            ("agents/r.md", text.as_str()),
            ("agents/s.md", text.as_str()),
        ]);
        repository.tag(tag);
    }
    let url = repository.url();
    let manifest = |version: &str| {
        format!(
            "[sources]\nteam = \"{url}\"\n\n[agents]\nr = {{ source = \"team\", path = \"agents/r.md\", {version} }}\n"
        )
    };
    let deny = |pattern: &str| {
        let rule = format!("{{ match = \"{url}{pattern}\", reason = \"it leaks\" }}");
        sandbox.write("policy.toml", format!("[resources]\ndeny = [{rule}]\n"));
    };
    let install = |version: &str| {
        sandbox.write("agpm.toml", manifest(version));
        let _ = std::fs::remove_file(sandbox.work().join("agpm.lock"));
        sandbox.run_line("agpm install --policy policy.toml")
    };
    let locked = || std::fs::read_to_string(sandbox.work().join("agpm.lock")).unwrap();
    deny("//agents/r.md@>=1.5");
    for version in ["version = \"^1\"", "version = \"latest\""] {
        let output = install(version);
        assert_eq!(output.code, Some(0), "{output}");
        assert!(locked().contains("v1.4.0"), "{}", locked());
    }
    let commit = repository.head();
    for version in [
        "version = \"1.5.0\"".to_owned(),
        "branch = \"main\"".to_owned(),
        format!("rev = \"{commit}\""),
    ] {
        let output = install(&version);
        assert_eq!(output.code, Some(6), "{version}\n{output}");
        assert_eq!(rules(&output), ["resources.deny"], "{output}");
        assert!(output.stderr.contains("it leaks"), "{output}");
    }
    // What was locked before is judged too.
    deny("@9.9.9");
    assert_eq!(install("version = \"^1\"").code, Some(0));
    deny(&format!("@{}", &commit[..8]));
    let output = sandbox.run_line("agpm install --frozen --policy policy.toml");
    assert_eq!(rules(&output), ["resources.deny"], "{output}");
    let output = sandbox.run_line("agpm update --policy policy.toml");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(locked().contains("v1.4.0"), "{}", locked());
    deny("//agents/s.md");
    let output = sandbox.run_line("agpm install --policy policy.toml");
    assert_eq!(output.code, Some(0), "{output}");
    deny("//agents");
    let output = sandbox.run_line("agpm install --policy policy.toml");
    assert_eq!(rules(&output), ["resources.deny"], "{output}");
}

#[test]
fn approval_of_executables_covers_what_the_manifest_names() {
    let sandbox = project("[executables]\nmode = \"approve\"\n");
    let output = sandbox.run_line("agpm install --policy rules/policy.toml");
    assert_eq!(output.code, Some(6), "{output}");
    assert!(output.stderr.contains("runs npx search"), "{output}");
    let output = sandbox.run_line("agpm install --policy rules/policy.toml --allow-executables");
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn files_of_layers_are_judged_by_path_and_key() {
    for (path, text, policy, expected) in [
        (
            ".claude/agents/x.md",
            "Text.\n",
            "[types]\ndeny = [\"agents\"]\n",
            "types.deny",
        ),
        (
            ".mcp.json",
            "{\"mcpServers\": {\"x\": {\"command\": \"curl\"}}}\n",
            "[types]\ndeny = [\"mcp-servers\"]\n",
            "types.deny",
        ),
        (
            ".mcp.json",
            "{\"mcpServers\": {\"x\": {\"url\": \"https://evil.com/mcp\"}}}\n",
            "[mcp]\nallow-hosts = [\"*.corp\"]\n",
            "mcp.allow-hosts",
        ),
        (
            ".claude/settings.json",
            "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"x\"}]}]}}\n",
            "[executables]\nmode = \"deny\"\n",
            "executables.mode",
        ),
        (
            ".claude/settings.json",
            "{\"permissions\": {\"defaultMode\": \"bypassPermissions\"}}\n",
            "[permissions]\ndeny = [\"bypassPermissions\"]\n",
            "permissions.deny",
        ),
        (
            ".cursor/rules/x.mdc",
            "Text.\n",
            "[tools]\nallow = [\"claude-code\"]\n",
            "tools.allow",
        ),
    ] {
        let sandbox = Sandbox::new(PROGRAM);
        sandbox.write(
            "agpm.toml",
            "[[layers]]\nname = \"team\"\npath = \"team\"\n",
        );
        sandbox.write(&format!("team/{path}"), text);
        sandbox.write("policy.toml", policy);
        let output = sandbox.run_line("agpm install --policy policy.toml");
        assert_eq!(output.code, Some(6), "{path}\n{output}");
        assert_eq!(rules(&output), [expected], "{path}\n{output}");
        assert!(output.stderr.contains("layers/team"), "{output}");
    }
}

#[test]
fn sources_and_branches_are_judged_and_local_paths_are_not() {
    let sandbox = Sandbox::new(PROGRAM);
    let mut repository = Repository::init(&sandbox, "team");
    repository.commit(&[("agents/r.md", "---\nname: r\n---\nText.\n")]);
    repository.tag("v1.0.0");
    let manifest = |version: &str| {
        format!(
            "[sources]\nteam = \"{}\"\n\n[agents]\nr = {{ source = \"team\", path = \"agents/r.md\", {version} }}\nlocal = \"l.md\"\n",
            repository.url()
        )
    };
    sandbox.write("l.md", "Text.\n");
    sandbox.write("agpm.toml", manifest("version = \"^1\""));
    let run = |policy: &str| {
        sandbox.write("policy.toml", policy);
        sandbox.run_line("agpm policy check --policy policy.toml")
    };
    let output = run("[sources]\nallow = [\"github:corp/*\"]\n");
    assert_eq!(rules(&output), ["sources.allow"], "{output}");
    assert!(output.stderr.contains("agents/r"), "{output}");
    let output = run("[sources]\ndeny = [\"file:///**\"]\n");
    assert_eq!(rules(&output), ["sources.deny"], "{output}");
    let output = run("[sources]\nallow = [\"file:///**\"]\n[versions]\npinned-only = true\n");
    assert_eq!(output.code, Some(0), "{output}");
    sandbox.write("agpm.toml", manifest("branch = \"main\""));
    let output = run("[versions]\npinned-only = true\n");
    assert_eq!(rules(&output), ["versions.pinned-only"], "{output}");
    let output = run("[signatures]\nrequire = [\"file:///**\"]\n");
    assert_eq!(rules(&output), ["signatures.require"], "{output}");
}

#[test]
fn versions_must_be_old_enough() {
    let sandbox = Sandbox::new(PROGRAM);
    let mut repository = Repository::init(&sandbox, "team");
    repository.commit(&[("agents/r.md", "---\nname: r\n---\nText.\n")]);
    repository.tag("v1.0.0");
    sandbox.write("l.md", "Text.\n");
    let manifest = format!(
        "[sources]\nteam = \"{}\"\n\n[agents]\nr = {{ source = \"team\", path = \"agents/r.md\", version = \"^1\" }}\nlocal = \"l.md\"\n",
        repository.url()
    );
    sandbox.write("agpm.toml", manifest);
    let run = |age: &str| {
        sandbox.write(
            "policy.toml",
            format!("[versions]\nmin-release-age = \"{age}\"\n"),
        );
        sandbox.run_line("agpm install --policy policy.toml --dry-run")
    };
    // Commits of the test are years old.
    assert_eq!(run("7d").code, Some(0));
    let output = run("5000w");
    assert_eq!(rules(&output), ["versions.min-release-age"], "{output}");
    assert!(output.stderr.contains("agents/r"), "{output}");
}

#[test]
fn branches_are_refused_for_layers_and_for_what_is_locked() {
    let sandbox = Sandbox::new(PROGRAM);
    let mut source = Repository::init(&sandbox, "lib");
    source.commit(&[
        ("agents/a.md", AGENT),
        (".claude/settings.json", "{\"model\": \"opus\"}"),
    ]);
    source.tag("v1.0.0");
    let layer = "[[layers]]\nname = \"org\"\nsource = \"lib\"\n";
    let agent = "[agents]\na = { source = \"lib\", path = \"agents/a.md\", ";
    sandbox.write("rules/policy.toml", "[versions]\npinned-only = true\n");
    for (text, id) in [
        (format!("{layer}version = \"main\"\n"), "layers/org"),
        (format!("{agent}branch = \"main\" }}\n"), "agents/a"),
    ] {
        sandbox.write("agpm.toml", format!("[sources]\nlib = \"./lib\"\n{text}"));
        assert_eq!(sandbox.run_line("agpm install").code, Some(0), "{text}");
        for line in ["install", "install --frozen", "ci"] {
            let output = sandbox.run_line(&format!("agpm {line} --policy rules/policy.toml"));
            assert_eq!(output.code, Some(6), "{line}\n{text}\n{output}");
            let text = format!("{}{}", output.stdout, output.stderr);
            assert!(text.contains(id), "{line}\n{output}");
        }
        let pinned = text.replace("\"main\"", "\"v1.0.0\"");
        let pinned = pinned.replace("branch =", "version =");
        sandbox.write("agpm.toml", format!("[sources]\nlib = \"./lib\"\n{pinned}"));
        let output = sandbox.run_line("agpm install --policy rules/policy.toml");
        assert_eq!(output.code, Some(0), "{pinned}\n{output}");
    }
    sandbox.write(
        "rules/policy.toml",
        "[versions]\nmin-release-age = \"30000d\"\n",
    );
    sandbox.write(
        "agpm.toml",
        format!("[sources]\nlib = \"./lib\"\n{layer}version = \"v1.0.0\"\n"),
    );
    let output = sandbox.run_line("agpm install --policy rules/policy.toml");
    assert_eq!(output.code, Some(6), "{output}");
    assert_eq!(rules(&output), ["versions.min-release-age"], "{output}");
}

#[test]
fn every_file_of_a_layer_is_judged() {
    let free = "---\nname: free\n---\nText.\n";
    let hook =
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"echo\"}]}]}}";
    let sandbox = project("[permissions]\ndeny = [\"Bash(*)\"]\n");
    sandbox.write("agpm.toml", "[[layers]]\nname = \"l\"\npath = \"l\"\n");
    sandbox.write("l/.claude/agents/a.md", AGENT);
    // One that lists no tools does not hide what another one lists.
    sandbox.write("l/.claude/agents/free.md", free);
    sandbox.write("l/.claude/settings.json", hook);
    let install = "agpm install --policy rules/policy.toml";
    let output = sandbox.run_line(install);
    assert_eq!(rules(&output), ["permissions.deny"], "{output}");
    // Executables of a layer need approval where direct content does.
    sandbox.write("rules/policy.toml", "[executables]\nmode = \"approve\"\n");
    let output = sandbox.run_line(install);
    assert_eq!(output.code, Some(6), "{output}");
    for words in ["layers/l", "runs echo (Stop)", "--approve layers/l"] {
        assert!(output.stderr.contains(words), "{words}\n{output}");
    }
    assert!(!sandbox.work().join(".claude").exists());
    let output = sandbox.run_line(&format!("{install} --approve layers/l"));
    assert_eq!(output.code, Some(0), "{output}");
    // Approved once, until it changes.
    assert_eq!(sandbox.run_line(install).code, Some(0));
    sandbox.write("l/.claude/settings.json", hook.replace("echo", "other"));
    assert_eq!(sandbox.run_line(install).code, Some(6));
}

#[test]
fn required_resources_must_be_in_the_manifest() {
    let sandbox = Sandbox::new(PROGRAM);
    let mut lib = Repository::init(&sandbox, "lib");
    let parent = "---\nname: p\ndependencies:\n  agents:\n    - path: agents/a.md\n---\nText.\n";
    lib.commit(&[("agents/a.md", AGENT), ("agents/p.md", parent)]);
    lib.tag("v1.0.0");
    let entry = |name: &str| {
        format!("{name} = {{ source = \"lib\", path = \"agents/{name}.md\", version = \"^1\" }}\n")
    };
    let start = "[sources]\nlib = \"./lib\"\n[policy.require]\n\"agents/a\" = \"^1\"\n[agents]\n";
    sandbox.write("agpm.toml", format!("{start}{}", entry("p")));
    let output = sandbox.run_line("agpm install");
    assert_eq!(output.code, Some(6), "{output}");
    assert_eq!(rules(&output), ["require"], "{output}");
    sandbox.write("agpm.toml", format!("{start}{}{}", entry("p"), entry("a")));
    let output = sandbox.run_line("agpm install");
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn remotes_of_the_catalog_and_marketplaces_are_judged() {
    let sandbox = Sandbox::new(PROGRAM);
    let mut plugin = Repository::init(&sandbox, "plugin");
    plugin.commit(&[
        (
            ".claude-plugin/plugin.json",
            "{\"name\": \"kit\", \"version\": \"1.0.0\"}",
        ),
        ("commands/kit.md", "---\ndescription: Kit.\n---\nKit.\n"),
    ]);
    plugin.tag("v1.0.0");
    let mut market = Repository::init(&sandbox, "market");
    let list = format!(
        "{{\"name\": \"m\", \"owner\": {{\"name\": \"o\"}}, \"plugins\": [{{\"name\": \"kit\", \"source\": {{\"source\": \"url\", \"url\": \"{}\", \"ref\": \"v1.0.0\"}}}}]}}",
        plugin.url()
    );
    let commit = market.commit(&[(".claude-plugin/marketplace.json", &list)]);
    market.tag("v1.0.0");
    let url = market.url();
    let plugin = |version: &str| {
        format!(
            "[sources]\nm = \"{url}\"\n[plugins]\nkit = {{ marketplace = \"m\", name = \"kit\"{version} }}\n"
        )
    };
    let remote = |reference: &str| format!("[catalog]\nremotes = [\"git+{url}{reference}\"]\n");
    let pinned = "[policy.versions]\npinned-only = true\n";
    for (manifest, code) in [
        (plugin(""), 6),
        (plugin(", branch = \"main\""), 6),
        (plugin(", version = \"v1.0.0\""), 0),
        (remote(""), 6),
        (remote("#main"), 6),
        (remote("#v1.0.0"), 0),
        (remote(&format!("#{commit}")), 0),
    ] {
        let _ = std::fs::remove_file(sandbox.work().join("agpm.lock"));
        sandbox.write("agpm.toml", format!("{manifest}{pinned}"));
        let output = sandbox.run_line("agpm install");
        assert_eq!(output.code, Some(code), "{manifest}\n{output}");
        let expected = if code == 6 {
            vec!["versions.pinned-only"]
        } else {
            vec![]
        };
        assert_eq!(rules(&output), expected, "{manifest}\n{output}");
    }
    // Where they are is judged too.
    let denied = format!("[policy.sources]\ndeny = [\"{url}\"]\n");
    for manifest in [plugin(", version = \"v1.0.0\""), remote("#v1.0.0")] {
        let _ = std::fs::remove_file(sandbox.work().join("agpm.lock"));
        sandbox.write("agpm.toml", format!("{manifest}{denied}"));
        let output = sandbox.run_line("agpm install");
        assert_eq!(rules(&output), ["sources.deny"], "{manifest}\n{output}");
    }
}

#[cfg(unix)]
#[test]
fn a_policy_of_the_user_that_cannot_be_read_stops_the_run() {
    let sandbox = project("");
    let file = sandbox.home().join("../config/agpm/policy.toml");
    std::fs::create_dir_all(&file).unwrap();
    for line in ["agpm install", "agpm policy show"] {
        let output = sandbox.run_line(line);
        assert_eq!(output.code, Some(4), "{line}\n{output}");
        assert!(output.stderr.contains("policy/unreachable"), "{output}");
    }
    std::fs::remove_dir(&file).unwrap();
    std::os::unix::fs::symlink("gone.toml", &file).unwrap();
    assert_eq!(sandbox.run_line("agpm install").code, Some(4));
    std::fs::remove_file(&file).unwrap();
    assert_eq!(sandbox.run_line("agpm install").code, Some(0));
}
