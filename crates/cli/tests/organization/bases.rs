//! `extends`: every rule of its reference.

use agpm_testkit::{HttpServer, Repository};

use crate::{AGENT, PROGRAM, assert_code, base_repository, exists, extending, read, sandbox};

const BASE: &str = "[agents]\nreviewer = \"agents/reviewer.md\"\n";

#[test]
fn the_manifest_of_a_base_is_a_lower_layer() {
    let sandbox = sandbox();
    let base = base_repository(
        &sandbox,
        "[sources]\nlocal = \"./pkgs\"\n\n[project]\nname = \"corp\"\ndeep = { a = 1, b = 2 }\n\n[agents]\nreviewer = \"agents/reviewer.md\"\nhelper = { source = \"local\", path = \"helper.md\" }\n\n[[layers]]\nname = \"org\"\npath = \"layers/org\"\n\n[patch.agents.reviewer]\nmodel = \"opus\"\n",
        "v2.9.0",
    );
    let mut base = base;
    base.commit(&[
        ("pkgs/helper.md", AGENT),
        ("layers/org/.claude/settings.json", "{\"from\": \"org\"}\n"),
    ]);
    base.tag("v3.0.0");
    sandbox.write(
        "agpm.toml",
        extending(&base, "^3", "[project]\ndeep = { b = 3 }\n"),
    );
    assert_code(&sandbox.run_line("agpm install"), 0);
    assert!(read(&sandbox, ".claude/agents/reviewer.md").contains("model: opus"));
    assert!(exists(&sandbox, ".claude/agents/helper.md"));
    assert!(read(&sandbox, ".claude/settings.json").contains("org"));
    let lock = read(&sandbox, "agpm.lock");
    assert!(lock.contains("[[base]]"), "{lock}");
    assert!(lock.contains("version = \"v3.0.0\""), "{lock}");
    // Paths of the base are paths of its repository: nothing of this machine is locked.
    assert!(lock.contains("path = \"agents/reviewer.md\""), "{lock}");
    assert!(lock.contains("path = \"pkgs/helper.md\""), "{lock}");
    let output = sandbox.run_line("agpm explain manifest:/project/deep");
    assert!(output.stdout.contains("//agpm.toml@v3.0.0:6"), "{output}");
    assert!(output.stdout.contains("agpm.toml:3"), "{output}");
    let output = sandbox.run_line("agpm explain manifest:/agents/reviewer --json");
    assert!(output.stdout.contains("\"line\": 9"), "{output}");
    assert!(output.stdout.contains("\"layer\": \"file://"), "{output}");
    let output = sandbox.run_line("agpm explain manifest:/agents/nobody");
    assert_code(&output, 3);
}

#[test]
fn a_dependency_is_replaced_whole_and_the_private_manifest_is_the_highest() {
    let sandbox = sandbox();
    sandbox.write(
        "base/agpm.toml",
        "[agents]\nreviewer = { path = \"r.md\", target = \"deep\" }\n",
    );
    sandbox.write("base/r.md", AGENT);
    sandbox.write("own.md", "Own.\n");
    sandbox.write("private.md", "Private.\n");
    let manifest = "extends = \"./base\"\n";
    sandbox.write("agpm.toml", manifest);
    assert_code(&sandbox.run_line("agpm install"), 0);
    assert!(exists(&sandbox, ".claude/agents/deep/r.md"));
    sandbox.write(
        "agpm.toml",
        format!("{manifest}[agents]\nreviewer = {{ path = \"own.md\" }}\n"),
    );
    assert_code(&sandbox.run_line("agpm install"), 0);
    assert!(!exists(&sandbox, ".claude/agents/deep/r.md"));
    assert!(exists(&sandbox, ".claude/agents/own.md"));
    sandbox.write("agpm.private.toml", "[agents]\nreviewer = \"private.md\"\n");
    let output = sandbox.run_line("agpm install");
    assert_code(&output, 1);
    assert!(output.stderr.contains("manifest/shadow"), "{output}");
    sandbox.write("agpm.private.toml", "[agents]\nown = \"private.md\"\n");
    assert_code(&sandbox.run_line("agpm install"), 0);
    assert!(exists(&sandbox, ".claude/agents/private.md"));
    let output = sandbox.run_line("agpm explain manifest:/agents/own");
    assert!(output.stdout.contains("agpm.private.toml:2"), "{output}");
}

#[test]
fn several_bases_rank_in_the_order_of_the_list_and_a_diamond_is_fine() {
    let sandbox = sandbox();
    sandbox.write("org/agpm.toml", "[project]\nfrom = \"org\"\norg = 1\n");
    sandbox.write(
        "a/agpm.toml",
        "extends = \"../org\"\n[project]\nfrom = \"a\"\na = 1\n",
    );
    sandbox.write(
        "b/agpm.toml",
        "extends = [\"../org\"]\n[project]\nfrom = \"b\"\n",
    );
    sandbox.write(
        "agpm.toml",
        "extends = [\"./a\", \"./b\"]\n[agents]\nx = \"x.md\"\n",
    );
    sandbox.write("x.md", "---\nagpm:\n  templating: true\n---\n{{ agpm.project.from }} {{ agpm.project.org }} {{ agpm.project.a }}\n");
    assert_code(&sandbox.run_line("agpm install"), 0);
    let text = read(&sandbox, ".claude/agents/x.md");
    assert!(text.contains("b 1 1"), "{text}");
    let lock = read(&sandbox, "agpm.lock");
    let paths: Vec<&str> = lock
        .lines()
        .filter(|line| line.starts_with("path = "))
        .collect();
    assert_eq!(
        paths[..3],
        ["path = \"org\"", "path = \"a\"", "path = \"b\""],
        "{lock}"
    );
}

#[test]
fn cycles_and_long_chains_are_errors_with_the_chain() {
    let sandbox = sandbox();
    sandbox.write("agpm.toml", "extends = \"./a\"\n");
    sandbox.write("a/agpm.toml", "extends = \"../b\"\n");
    sandbox.write("b/agpm.toml", "extends = \"../a\"\n");
    let output = sandbox.run_line("agpm install");
    assert_code(&output, 1);
    assert!(output.stderr.contains("base/cycle"), "{output}");
    assert!(output.stderr.contains("./a -> b -> ./a"), "{output}");
    sandbox.write("agpm.toml", "extends = \".\"\n");
    let output = sandbox.run_line("agpm install");
    assert!(output.stderr.contains("base/cycle"), "{output}");
    assert!(!exists(&sandbox, "agpm.lock"));
    let chain = |length: usize| {
        for number in 1..length {
            let next = format!("extends = \"../c{}\"\n", number + 1);
            sandbox.write(&format!("c{number}/agpm.toml"), next);
        }
        sandbox.write(&format!("c{length}/agpm.toml"), "[project]\n");
        sandbox.run_line("agpm install")
    };
    sandbox.write("agpm.toml", "extends = \"./c1\"\n");
    assert_code(&chain(10), 0);
    let output = chain(11);
    assert_code(&output, 1);
    assert!(output.stderr.contains("base/chain"), "{output}");
}

#[test]
fn layers_of_a_base_rank_below_and_the_same_name_replaces() {
    let sandbox = sandbox();
    sandbox.write("base/agpm.toml", "[[layers]]\nname = \"team\"\npath = \"team\"\n\n[[layers]]\nname = \"org\"\npath = \"org\"\n");
    sandbox.write(
        "base/org/.claude/settings.json",
        "{\"a\": \"org\", \"b\": \"org\"}\n",
    );
    sandbox.write("base/team/.claude/settings.json", "{\"gone\": true}\n");
    sandbox.write("own/.claude/settings.json", "{\"b\": \"own\"}\n");
    sandbox.write(
        "agpm.toml",
        "extends = \"./base\"\n[[layers]]\nname = \"team\"\npath = \"own\"\n",
    );
    assert_code(&sandbox.run_line("agpm install"), 0);
    let text = read(&sandbox, ".claude/settings.json");
    assert!(!text.contains("gone"), "{text}");
    // The project's layer has the rank of the project, not of the layer that it replaces.
    assert!(
        text.contains("\"a\": \"org\"") && text.contains("\"b\": \"own\""),
        "{text}"
    );
    sandbox.write("agpm.toml", "extends = \"./base\"\n[[layers]]\nname = \"x\"\npath = \"own\"\n[[layers]]\nname = \"x\"\npath = \"own\"\n");
    let output = sandbox.run_line("agpm install");
    assert!(
        output.stderr.contains("manifest/duplicate-layer"),
        "{output}"
    );
}

#[test]
fn a_merge_program_of_a_base_is_refused() {
    let sandbox = sandbox();
    sandbox.write("agpm.toml", "extends = \"./base\"\n");
    sandbox.write(
        "base/agpm.toml",
        "[strategies.mine]\ncommand = [\"touch\", \"pwned\"]\n",
    );
    for command in [
        "agpm install",
        "agpm install --dry-run",
        "agpm list",
        "agpm install --approve programs",
    ] {
        let output = sandbox.run_line(command);
        assert_code(&output, 6);
        assert!(output.stderr.contains("base/agpm.toml:2"), "{output}");
    }
    assert!(!exists(&sandbox, "pwned"));
}

#[test]
fn a_project_drops_an_inherited_dependency_if_policy_lets_it() {
    let sandbox = sandbox();
    sandbox.write("base/agpm.toml", "[agents]\nreviewer = \"r.md\"\nother = \"o.md\"\n\n[patch.agents.reviewer]\nmodel = \"opus\"\n");
    sandbox.write("base/o.md", AGENT);
    sandbox.write("base/r.md", AGENT);
    sandbox.write("agpm.toml", "extends = \"./base\"\n[agents]\nreviewer = false\nother = { path = \"base/r.md\", filename = \"o.md\" }\n");
    assert_code(&sandbox.run_line("agpm install"), 0);
    assert!(!exists(&sandbox, ".claude/agents/r.md"));
    assert!(exists(&sandbox, ".claude/agents/o.md"));
    sandbox.write("policy.toml", "[require]\n\"agents/reviewer\" = \"*\"\n");
    let output = sandbox.run_line("agpm install --policy policy.toml");
    assert_code(&output, 6);
    assert!(output.stderr.contains("agents/reviewer"), "{output}");
    // Nothing to drop is worth a warning, and without a base it is no dependency at all.
    sandbox.write(
        "agpm.toml",
        "extends = \"./base\"\n[agents]\nreviewr = false\n",
    );
    let output = sandbox.run_line("agpm install");
    assert_code(&output, 0);
    assert!(output.stderr.contains("agents/reviewr"), "{output}");
    sandbox.write("agpm.toml", "[agents]\nreviewer = false\n");
    assert_code(&sandbox.run_line("agpm install"), 1);
    sandbox.write(
        "agpm.toml",
        "extends = \"./base\"\n[agents]\nreviewer = true\n",
    );
    assert_code(&sandbox.run_line("agpm install"), 1);
}

#[test]
fn a_base_is_pinned_and_moves_with_update_alone() {
    let sandbox = sandbox();
    let mut base = base_repository(&sandbox, BASE, "v3.0.0");
    sandbox.write("agpm.toml", extending(&base, "^3", ""));
    assert_code(&sandbox.run_line("agpm install"), 0);
    base.commit(&[(
        "agpm.toml",
        "[agents]\nreviewer = { path = \"agents/reviewer.md\", filename = \"second.md\" }\n",
    )]);
    base.tag("v3.1.0");
    let lock = read(&sandbox, "agpm.lock");
    for command in [
        "agpm install",
        "agpm install --locked",
        "agpm install --frozen",
        "agpm install --offline",
    ] {
        assert_code(&sandbox.run_line(command), 0);
        assert_eq!(read(&sandbox, "agpm.lock"), lock, "{command}");
    }
    let output = sandbox.run_line("agpm outdated --json");
    assert!(output.stdout.contains("\"type\": \"base\""), "{output}");
    assert!(output.stdout.contains("\"newest\": \"v3.1.0\""), "{output}");
    let output = sandbox.run_line("agpm update --dry-run");
    assert!(output.stdout.contains("bases/"), "{output}");
    assert_eq!(read(&sandbox, "agpm.lock"), lock);
    assert_code(&sandbox.run_line("agpm update"), 0);
    assert!(exists(&sandbox, ".claude/agents/second.md"));
    assert!(read(&sandbox, "agpm.lock").contains("version = \"v3.1.0\""));
    assert_eq!(
        sandbox.run_line("agpm install").stdout,
        "Everything is up to date (1 resource)\n"
    );
}

#[test]
fn one_base_is_updated_by_its_name() {
    let sandbox = sandbox();
    let mut base = base_repository(&sandbox, BASE, "v3.0.0");
    sandbox.write("agpm.toml", extending(&base, "^3", ""));
    assert_code(&sandbox.run_line("agpm install"), 0);
    base.commit(&[("x", "x")]);
    base.tag("v3.1.0");
    let output = sandbox.run_line(&format!("agpm update bases/{}", base.url()));
    assert_code(&output, 0);
    assert!(read(&sandbox, "agpm.lock").contains("version = \"v3.1.0\""));
}

#[test]
fn the_lockfile_alone_decides_where_it_must_not_change() {
    let sandbox = sandbox();
    let base = base_repository(&sandbox, BASE, "v3.0.0");
    sandbox.write("agpm.toml", "[agents]\n");
    assert_code(&sandbox.run_line("agpm install"), 0);
    sandbox.write("agpm.toml", extending(&base, "^3", ""));
    for flag in ["--locked", "--frozen"] {
        let output = sandbox.run_line(&format!("agpm install {flag}"));
        assert_code(&output, 5);
    }
    assert_code(&sandbox.run_line("agpm install"), 0);
    sandbox.write("agpm.toml", extending(&base, "v3.0.0", ""));
    for flag in ["--locked", "--frozen"] {
        assert_code(&sandbox.run_line(&format!("agpm install {flag}")), 5);
    }
    sandbox.write("agpm.toml", "[agents]\n");
    for flag in ["--locked", "--frozen"] {
        assert_code(&sandbox.run_line(&format!("agpm install {flag}")), 5);
    }
}

#[test]
fn a_cached_base_needs_no_network() {
    let sandbox = sandbox();
    let base = base_repository(&sandbox, BASE, "v3.0.0");
    sandbox.write("agpm.toml", extending(&base, "^3", ""));
    assert_code(&sandbox.run_line("agpm install"), 0);
    std::fs::rename(base.path(), sandbox.work().join("away")).unwrap();
    std::fs::remove_dir_all(sandbox.work().join(".claude")).unwrap();
    for command in [
        "agpm install --frozen",
        "agpm install",
        "agpm list",
        "agpm tree",
    ] {
        assert_code(&sandbox.run_line(command), 0);
    }
    assert!(exists(&sandbox, ".claude/agents/reviewer.md"));
    // Content that was never fetched is not available offline, and nothing is written.
    sandbox.write("agpm.toml", "extends = \"git+file:///nowhere/at/all@^1\"\n");
    let output = sandbox.run_line("agpm install");
    assert_code(&output, 4);
    assert!(output.stderr.contains("agpm.toml:1"), "{output}");
}

#[test]
fn a_directory_is_read_as_it_is_and_a_change_is_noticed() {
    let sandbox = sandbox();
    sandbox.write("../outside/agpm.toml", "[agents]\nreviewer = \"r.md\"\n");
    sandbox.write("../outside/r.md", AGENT);
    sandbox.write("agpm.toml", "extends = \"../outside\"\n");
    let output = sandbox.run_line("agpm install");
    assert_code(&output, 0);
    assert!(output.stdout.contains("reads  ../outside"), "{output}");
    assert_eq!(
        sandbox.run_line("agpm install").stdout,
        "Everything is up to date (1 resource)\n"
    );
    sandbox.write(
        "../outside/agpm.toml",
        "[agents]\nreviewer = { path = \"r.md\", filename = \"n.md\" }\n",
    );
    for flag in ["--locked", "--frozen"] {
        assert_code(&sandbox.run_line(&format!("agpm install {flag}")), 5);
    }
    assert_code(&sandbox.run_line("agpm install"), 0);
    assert!(exists(&sandbox, ".claude/agents/n.md"));
    // A location for credentials is not read.
    sandbox.write("agpm.toml", "extends = \"~/.ssh\"\n");
    std::fs::create_dir_all(sandbox.home().join(".ssh")).unwrap();
    std::fs::write(sandbox.home().join(".ssh/agpm.toml"), "[agents]\n").unwrap();
    assert_code(&sandbox.run_line("agpm install"), 6);
}

#[test]
fn a_base_in_a_subdirectory_extends_its_own_repository() {
    let sandbox = sandbox();
    let mut base = Repository::init(&sandbox, "base");
    base.commit(&[
        ("agpm.toml", "[agents]\nreviewer = \"agents/reviewer.md\"\n"),
        ("agents/reviewer.md", AGENT),
        (
            "teams/web/agpm.toml",
            "extends = \"../..\"\n[agents]\nweb = \"web.md\"\n",
        ),
        ("teams/web/web.md", AGENT),
        ("evil/agpm.toml", "[agents]\nx = \"../../x.md\"\n"),
        ("worse/agpm.toml", "extends = \"../../..\"\n"),
    ]);
    base.tag("v1.0.0");
    sandbox.write(
        "agpm.toml",
        format!("extends = \"{}//teams/web@^1\"\n", base.url()),
    );
    assert_code(&sandbox.run_line("agpm install"), 0);
    assert!(exists(&sandbox, ".claude/agents/reviewer.md"));
    assert!(exists(&sandbox, ".claude/agents/web.md"));
    for inner in ["evil", "worse"] {
        sandbox.write(
            "agpm.toml",
            format!("extends = \"{}//{inner}@^1\"\n", base.url()),
        );
        let output = sandbox.run_line("agpm install");
        assert_ne!(output.code, Some(0), "{output}");
        assert!(output.stderr.contains("manifest/escape"), "{output}");
    }
    sandbox.write(
        "agpm.toml",
        format!("extends = \"{}//nothing@^1\"\n", base.url()),
    );
    let output = sandbox.run_line("agpm install");
    assert_code(&output, 1);
    assert!(output.stderr.contains("base/missing"), "{output}");
    sandbox.write("agpm.toml", format!("extends = \"{}@^7\"\n", base.url()));
    let output = sandbox.run_line("agpm install");
    assert_code(&output, 1);
    assert!(output.stderr.contains("v1.0.0"), "{output}");
}

#[test]
fn all_mistakes_of_a_base_are_reported_with_its_file_and_line() {
    let sandbox = sandbox();
    let base = base_repository(
        &sandbox,
        "surprise = 1\n[agents]\nreviewer = 5\n[policy.types]\ndeny = [\"nothing\"]\n",
        "v1.0.0",
    );
    sandbox.write("agpm.toml", extending(&base, "^1", "[agents]\nmine = 7\n"));
    let output = sandbox.run_line("agpm install");
    assert_code(&output, 1);
    for location in [
        "//agpm.toml@v1.0.0:1",
        "//agpm.toml@v1.0.0:3",
        "//agpm.toml@v1.0.0:5",
        "agpm.toml:3",
    ] {
        assert!(output.stderr.contains(location), "{location}\n{output}");
    }
    let mut base = base;
    base.commit(&[("agpm.toml", "[agents\n")]);
    base.tag("v1.1.0");
    let output = sandbox.run_line("agpm install");
    assert_code(&output, 1);
    assert!(output.stderr.contains("toml/syntax"), "{output}");
}

#[test]
fn the_manifest_says_what_it_extends_in_one_of_the_forms() {
    let sandbox = sandbox();
    for extends in ["1", "[1]", "\"word\"", "\"oci://host/x:1\"", "\"\""] {
        sandbox.write("agpm.toml", format!("extends = {extends}\n"));
        let output = sandbox.run_line("agpm validate");
        assert_code(&output, 1);
        assert!(output.stdout.contains("agpm.toml:1"), "{output}");
    }
    sandbox.write("agpm.private.toml", "extends = \"./base\"\n");
    sandbox.write("agpm.toml", "extends = []\n");
    let output = sandbox.run_line("agpm validate");
    assert!(output.stdout.contains("agpm.private.toml:1"), "{output}");
}

#[test]
fn adding_and_removing_edit_the_project_alone() {
    let sandbox = sandbox();
    let base = base_repository(&sandbox, BASE, "v1.0.0");
    let manifest = extending(&base, "^1", "");
    sandbox.write("agpm.toml", &manifest);
    sandbox.write("x.md", AGENT);
    assert_code(&sandbox.run_line("agpm install"), 0);
    let output = sandbox.run_line("agpm remove reviewer");
    assert_ne!(output.code, Some(0), "{output}");
    assert!(output.stderr.contains("inherited"), "{output}");
    assert!(output.stderr.contains("reviewer = false"), "{output}");
    assert_eq!(read(&sandbox, "agpm.toml"), manifest);
    let output = sandbox.run_line("agpm add dep agent x.md --name reviewer");
    assert_code(&output, 0);
    assert!(read(&sandbox, "agpm.toml").contains("reviewer"));
    assert!(exists(&sandbox, ".claude/agents/x.md"));
    assert_code(&sandbox.run_line("agpm remove reviewer"), 0);
    assert!(!read(&sandbox, "agpm.toml").contains("reviewer"));
    assert!(exists(&sandbox, ".claude/agents/reviewer.md"));
}

#[test]
fn a_repository_of_this_machine_has_versions_where_one_is_named() {
    let sandbox = sandbox();
    let mut base = base_repository(&sandbox, BASE, "v3.0.0");
    base.commit(&[("agpm.toml", "[agents]\n")]);
    sandbox.write("agpm.toml", "extends = \"./base@^3\"\n");
    assert_code(&sandbox.run_line("agpm install"), 0);
    assert!(exists(&sandbox, ".claude/agents/reviewer.md"));
    assert!(read(&sandbox, "agpm.lock").contains("version = \"v3.0.0\""));
    assert_code(&sandbox.run_line("agpm install --frozen"), 0);
    // Without a version, the current content of the directory is read.
    sandbox.write("agpm.toml", "extends = \"./base\"\n");
    assert_code(&sandbox.run_line("agpm install"), 0);
    assert!(!exists(&sandbox, ".claude/agents/reviewer.md"));
}

#[test]
fn a_pipeline_checks_a_project_with_bases() {
    let sandbox = sandbox();
    let mut base = base_repository(&sandbox, BASE, "v3.0.0");
    sandbox.write("agpm.toml", extending(&base, "^3", ""));
    assert_code(&sandbox.run_line("agpm install"), 0);
    assert_code(&sandbox.run_line("agpm ci"), 0);
    assert_code(&sandbox.run_line("agpm verify"), 0);
    base.commit(&[("x", "x")]);
    base.tag("v3.1.0");
    assert_code(&sandbox.run_line("agpm ci"), 0);
    sandbox.write("agpm.toml", extending(&base, "v3.1.0", ""));
    assert_code(&sandbox.run_line("agpm ci"), 5);
}

#[test]
fn locked_resources_are_shown_without_fetching_a_base() {
    let sandbox = sandbox();
    let manifest = "[agents]\nreviewer = \"agents/reviewer.md\"\n";
    let base = base_repository(&sandbox, manifest, "v1.0.0");
    sandbox.write("agpm.toml", extending(&base, "^1", ""));
    assert_code(&sandbox.run_line("agpm install"), 0);
    // A server that may not be contacted, and an empty cache.
    let url = base.url();
    let server = "https://git.invalid/base";
    for file in ["agpm.toml", "agpm.lock"] {
        let text = read(&sandbox, file).replace(&url, server);
        sandbox.write(file, text);
    }
    for line in ["list", "tree", "why reviewer", "status"] {
        let mut command = sandbox.command(PROGRAM);
        let empty = sandbox.work().join("../empty-cache");
        command
            .args(line.split_whitespace())
            .env("AGPM_CACHE_DIR", empty);
        let output = sandbox.output(command);
        assert_code(&output, 0);
        assert!(
            output.stdout.contains("reviewer") || line == "status",
            "{output}"
        );
        assert!(
            output.stderr.contains("warning[source/offline]"),
            "{line}\n{output}"
        );
        assert!(
            output.stderr.contains("run `agpm install`"),
            "{line}\n{output}"
        );
    }
}

#[test]
fn a_wider_conversion_of_a_base_is_allowed_by_the_project_alone() {
    let sandbox = sandbox();
    let limited = "---\nname: r\ndescription: d\ntools: Read, Bash\n---\nText.\n";
    let base = |more: &str| {
        format!("{more}[agents]\nreviewer = {{ path = \"r.md\", tool = \"codex\" }}\n")
    };
    let widening = "[project]\nallow-widening = [\"codex\"]\n";
    sandbox.write("base/r.md", limited);
    sandbox.write("base/agpm.toml", base(""));
    sandbox.write("agpm.toml", "extends = \"./base\"\n");
    let refused = sandbox.run_line("agpm install");
    assert_code(&refused, 6);
    let help = "add `allow-widening = [\"codex\"]` to `[project]`";
    assert!(refused.stderr.contains(help), "{refused}");
    sandbox.write("base/agpm.toml", base(widening));
    let refused = sandbox.run_line("agpm install");
    assert_code(&refused, 6);
    let warning = "`allow-widening` of a base has no effect";
    assert!(refused.stderr.contains(warning), "{refused}");
    sandbox.write("base/agpm.toml", base(""));
    sandbox.write("agpm.toml", format!("extends = \"./base\"\n{widening}"));
    assert_code(&sandbox.run_line("agpm install"), 0);
}

#[test]
fn a_base_that_loosens_its_policy_needs_approval() {
    let sandbox = sandbox();
    let policy =
        "[policy.types]\ndeny = [\"hooks\"]\n[policy.versions]\nmin-release-age = \"7d\"\n";
    let mut base = base_repository(&sandbox, policy, "v1.0.0");
    sandbox.write("agpm.toml", extending(&base, "^1", ""));
    assert_code(&sandbox.run_line("agpm install"), 0);
    // Stricter rules need no approval.
    let stricter = "[policy.types]\ndeny = [\"hooks\", \"agents\"]\n[policy.versions]\nmin-release-age = \"2w\"\n";
    base.commit(&[("agpm.toml", stricter)]);
    base.tag("v1.1.0");
    assert_code(&sandbox.run_line("agpm update"), 0);
    base.commit(&[("agpm.toml", "[policy.types]\ndeny = [\"agents\"]\n")]);
    base.tag("v1.2.0");
    let lock = read(&sandbox, "agpm.lock");
    let output = sandbox.run_line("agpm diff --update");
    assert!(output.stderr.contains("policy/loosened"), "{output}");
    let output = sandbox.run_line("agpm update");
    assert_code(&output, 6);
    for line in [
        "types.deny hooks",
        "versions.min-release-age 2w",
        "agpm update --approve base",
    ] {
        assert!(output.stderr.contains(line), "{line}\n{output}");
    }
    assert_eq!(read(&sandbox, "agpm.lock"), lock);
    // A requirement that the project changed moves the base too.
    sandbox.write("agpm.toml", extending(&base, "1.2.0", ""));
    assert_code(&sandbox.run_line("agpm install"), 6);
    assert_code(&sandbox.run_line("agpm install --approve base"), 0);
    assert_code(&sandbox.run_line("agpm install"), 0);
    assert_code(&sandbox.run_line("agpm ci"), 0);
}

#[test]
fn a_base_cannot_approve_what_it_brings() {
    let sandbox = sandbox();
    let text = "allow-executables = [\"*/*\"]\nallow-sources = [\"**\"]\n[agents]\nreviewer = \"agents/reviewer.md\"\n\
        p = { path = \"agents/p.md\", allow-widening = [\"codex\"] }\n";
    let mut base = base_repository(&sandbox, text, "v1.0.0");
    base.commit(&[
        (
            "agents/p.md",
            "---\nname: p\ndependencies:\n  hooks:\n    - path: ../hooks/h.json\n---\nText.\n",
        ),
        (
            "hooks/h.json",
            "{\"events\": [\"Stop\"], \"type\": \"command\", \"command\": \"x\"}\n",
        ),
    ]);
    base.tag("v1.1.0");
    sandbox.write("agpm.toml", extending(&base, "^1", ""));
    let output = sandbox.run_line("agpm install");
    assert_code(&output, 6);
    let warning = "`allow-executables` of a base has no effect";
    let others = "also allow-sources, allow-widening";
    assert!(
        output.stderr.contains(warning) && output.stderr.contains(others),
        "{output}"
    );
    assert!(output.stderr.contains("hooks/h"), "{output}");
}

const HOOKED: &str = "---\nname: r\nhooks: {Stop: [{hooks: [{type: command, command: \"curl evil\"}]}]}\n---\nText.\n";

#[test]
fn whatever_an_update_of_a_base_brings_needs_approval() {
    let servers = "[mcp-servers]\nm = { command = \"curl evil\" }\n";
    let layer = "[[layers]]\nname = \"l\"\npath = \"l\"\n";
    let patch = "[patch.agents.reviewer.hooks]\nStop = [{ hooks = [{ type = \"command\", command = \"curl evil\" }] }]\n";
    let settings = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"curl evil\"}]}]}}";
    let agent = "[agents]\nz = \"z.md\"\n";
    let other = BASE.replace("reviewer.md", "other.md");
    let rows: &[&[(&str, &str)]] = &[
        &[("agents/reviewer.md", HOOKED)],
        &[("agpm.toml", &other), ("agents/other.md", HOOKED)],
        &[
            ("agpm.toml", &format!("{BASE}z = \"z.md\"\n")),
            ("z.md", HOOKED),
        ],
        &[("agpm.toml", &format!("{BASE}{servers}"))],
        &[("agpm.toml", &format!("{BASE}{patch}"))],
        &[
            ("agpm.toml", &format!("{BASE}{layer}")),
            ("l/.claude/settings.json", settings),
        ],
        &[
            ("agpm.toml", &format!("extends = \"./n\"\n{BASE}")),
            ("n/agpm.toml", servers),
        ],
        &[
            ("agpm.toml", &format!("extends = \"./n\"\n{BASE}")),
            ("n/agpm.toml", agent),
            ("n/z.md", HOOKED),
        ],
    ];
    for files in rows {
        let sandbox = sandbox();
        let mut base = base_repository(&sandbox, BASE, "v1.0.0");
        sandbox.write("agpm.toml", extending(&base, "^1", ""));
        assert_code(&sandbox.run_line("agpm install"), 0);
        let lock = read(&sandbox, "agpm.lock");
        base.commit(files);
        base.tag("v1.1.0");
        let output = sandbox.run_line("agpm update");
        assert_code(&output, 6);
        assert!(
            output.stderr.contains("runs curl evil"),
            "{files:?}\n{output}"
        );
        assert_eq!(read(&sandbox, "agpm.lock"), lock, "{files:?}");
        assert_code(&sandbox.run_line("agpm update --approve all"), 0);
        assert_code(&sandbox.run_line("agpm ci"), 0);
    }
}

#[test]
fn a_base_from_a_server_names_no_paths_of_this_machine() {
    let sandbox = sandbox();
    let server = HttpServer::start(&sandbox);
    let mut base = base_repository(
        &sandbox,
        "[agents]\nreviewer = \"agents/reviewer.md\"\n",
        "v1.0.0",
    );
    std::fs::create_dir_all(sandbox.home().join("private")).unwrap();
    std::fs::write(sandbox.home().join("private/notes.md"), AGENT).unwrap();
    let other = base.url();
    let bad = [
        "[[layers]]\nname = \"l\"\npath = \"~/private\"\n".to_owned(),
        "[[layers]]\nname = \"l\"\npath = \"/etc\"\n".to_owned(),
        "[sources]\nc = \"~/private\"\n".to_owned(),
        format!("[sources]\nc = \"{other}\"\n"),
        "[agents]\na = \"/home/u/notes.md\"\n".to_owned(),
        "[agents]\na = \"~/private/notes.md\"\n".to_owned(),
        format!("[agents]\na = \"{other}//agents/reviewer.md@^1\"\n"),
        "extends = \"~/private\"\n".to_owned(),
        "extends = \"/srv/base\"\n".to_owned(),
        format!("extends = \"{other}@^1\"\n"),
    ];
    for (number, text) in bad.iter().enumerate() {
        let tag = format!("v1.{}.0", number + 1);
        base.commit(&[("agpm.toml", text.as_str())]);
        base.tag(&tag);
        let url = server.url("base");
        for (address, code) in [
            (format!("git+{url}@{tag}"), 6),
            (format!("git+{other}@{tag}"), 0),
        ] {
            sandbox.write("agpm.toml", format!("extends = \"{address}\"\n"));
            let output = sandbox.run_line("agpm install");
            if code == 6 {
                assert_code(&output, 6);
                assert!(
                    output.stderr.contains("manifest/escape"),
                    "{text}\n{output}"
                );
                assert!(!exists(&sandbox, ".claude"), "{text}");
            } else {
                // A base of this machine is as trusted as the project; some of these paths do not exist.
                assert!(
                    !output.stderr.contains("manifest/escape"),
                    "{text}\n{output}"
                );
            }
            let _ = std::fs::remove_dir_all(sandbox.work().join(".claude"));
            let _ = std::fs::remove_dir_all(sandbox.work().join(".agpm"));
            let _ = std::fs::remove_file(sandbox.work().join("agpm.lock"));
        }
    }
}

#[test]
fn a_requirement_of_a_base_is_reported_instead_of_edited() {
    let sandbox = sandbox();
    let mut source = Repository::init(&sandbox, "shared");
    for version in ["v1.0.0", "v1.1.0", "v2.0.0"] {
        source.commit(&[("agents/a.md", &format!("{version}\n"))]);
        source.tag(version);
    }
    let base = "[sources]\nshared = \"../shared\"\n\n[agents]\na = { source = \"shared\", path = \"agents/a.md\", version = \"^1.0\" }\n";
    sandbox.write("base/agpm.toml", base);
    let manifest = "extends = \"./base\"\n";
    sandbox.write("agpm.toml", manifest);
    assert_code(&sandbox.run_line("agpm install"), 0);
    let output = sandbox.run_line("agpm update --latest");
    assert_code(&output, 0);
    assert!(
        output.stdout.starts_with(
            "Kept agents/a at ^1.0, which base ./base requires; the latest version is v2.0.0\n"
        ),
        "{output}"
    );
    let output = sandbox.run_line("agpm update agents/a@v2.0.0");
    assert_code(&output, 1);
    assert!(
        output.stderr.contains("the base `./base` requires `^1.0`"),
        "{output}"
    );
    // A version that the base allows is pinned.
    assert_code(&sandbox.run_line("agpm update agents/a@v1.0.0"), 0);
    assert_eq!(read(&sandbox, ".claude/agents/a.md"), "v1.0.0\n");
    assert_eq!(read(&sandbox, "agpm.toml"), manifest);
    assert_eq!(read(&sandbox, "base/agpm.toml"), base);
}
