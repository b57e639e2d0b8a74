//! `list`, `tree` and `why` for an installed project.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod assistant;

use agpm_testkit::{Repository, Sandbox};
use assistant::{PROGRAM, edit_lock, fails, good, sandbox};

/// A lockfile in which each entry needs the ones that it names.
fn lock(sandbox: &Sandbox, entries: &[(&str, Vec<String>)]) {
    let mut text = "version = 1\n".to_owned();
    for (name, needs) in entries {
        text.push_str(&format!(
            "[[snippets]]\nname = \"{name}\"\npath = \"{name}.md\"\ndependencies = {needs:?}\n"
        ));
    }
    sandbox.write("agpm.lock", text);
}

#[test]
fn list_is_the_table_of_the_documents() {
    let sandbox = Sandbox::new(PROGRAM);
    let mut repository = Repository::init(&sandbox, "community");
    let names = ["rust-expert", "ai-assistant", "helper"];
    let files = names.map(|name| (format!("agents/{name}.md"), "Text.\n"));
    repository.commit(&files.each_ref().map(|(path, text)| (path.as_str(), *text)));
    repository.tag("v1.0.0");
    let line = |name: &str| {
        format!(
            "{name} = {{ source = \"community\", path = \"agents/{name}.md\", version = \"v1.0.0\" }}\n"
        )
    };
    let agents: String = names.iter().map(|name| line(name)).collect();
    sandbox.write(
        "agpm.toml",
        format!(
            "[sources]\ncommunity = \"{}\"\n[agents]\n{agents}",
            repository.url()
        ),
    );
    assert_eq!(sandbox.run_line("agpm install").code, Some(0));
    for name in ["rust-expert", "ai-assistant"] {
        edit_lock(
            &sandbox,
            &format!("name = \"{name}\""),
            &format!("patches = [\"model\", \"x\"]\nname = \"{name}\""),
        );
    }
    let expected = "\
Name          Type    Version  Source     Installed At                    Status
ai-assistant  agent   v1.0.0   community  .claude/agents/ai-assistant.md  (patched)
helper        agent   v1.0.0   community  .claude/agents/helper.md
rust-expert   agent   v1.0.0   community  .claude/agents/rust-expert.md   (patched)
";
    assert_eq!(good(&sandbox, "agpm list"), expected);
    assert_eq!(good(&sandbox, "agpm -q list"), expected);
    let json = good(&sandbox, "agpm list --format json --search AI-");
    assert!(
        json.starts_with(
            "{\n  \"agents\": [\n    {\n      \"type\": \"agent\",\n      \"name\": \"ai-assistant\","
        ),
        "{json}"
    );
    assert!(
        json.contains("\"patches\": [\n        \"model\",\n        \"x\"\n      ]"),
        "{json}"
    );
    assert!(
        !json.contains("helper") && !json.contains("\"ok\""),
        "{json}"
    );
}

#[test]
fn list_filters_and_prints_every_format() {
    let sandbox = sandbox();
    sandbox.write("notes/own.md", "Own.\n");
    sandbox.write(
        "agpm.toml",
        format!(
            "{}[snippets]\nown = \"notes/own.md\"\n",
            sandbox.read("agpm.toml")
        ),
    );
    assert_eq!(sandbox.run_line("agpm install").code, Some(0));
    let expected = "\
Name  Type     Version  Source  Installed At                 Status
own   snippet  -        local   .agpm/snippets/notes/own.md
";
    assert_eq!(good(&sandbox, "agpm list --search own"), expected);
    let names = |line: &str| -> Vec<String> {
        let text = good(&sandbox, line);
        text.lines()
            .skip(1)
            .map(|line| line.split(' ').next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names("agpm list --type agents"), ["assistant"]);
    assert_eq!(
        names("agpm list --type snippet"),
        ["common", "own", "prompts", "utils"]
    );
    assert_eq!(names("agpm list --source local"), ["own"]);
    assert_eq!(
        names("agpm list --source community"),
        ["assistant", "common", "prompts", "utils"]
    );
    assert_eq!(
        names("agpm list --type snippet --source community --search UTI"),
        ["utils"]
    );
    assert_eq!(good(&sandbox, "agpm -q list --search no-such"), "");
    assert_eq!(
        good(&sandbox, "agpm -q list --search no-such --json"),
        "{}\n"
    );
    assert_eq!(
        good(&sandbox, "agpm list --json"),
        good(&sandbox, "agpm list --format json")
    );
    let yaml = good(&sandbox, "agpm list --format yaml --search own");
    assert!(
        yaml.starts_with(
            "snippets:\n  - type: snippet\n    name: own\n    version: null\n    source: null\n"
        ),
        "{yaml}"
    );
}

#[test]
fn names_that_are_missing_are_said_with_near_ones() {
    let sandbox = sandbox();
    fails(
        &sandbox,
        "agpm list --type agnt",
        3,
        &["unknown type `agnt`", "did you mean `agent`?"],
    );
    fails(
        &sandbox,
        "agpm list --source comunity",
        3,
        &["unknown source `comunity`", "did you mean `community`?"],
    );
    fails(
        &sandbox,
        "agpm tree comon",
        3,
        &[
            "unknown resource `comon`",
            "did you mean `snippets/common`?",
        ],
    );
    fails(
        &sandbox,
        "agpm tree agents/common",
        3,
        &["unknown resource `agents/common`"],
    );
    fails(
        &sandbox,
        "agpm why snippets/utls",
        3,
        &["did you mean `snippets/utils`?"],
    );
    let json = fails(
        &sandbox,
        "agpm tree nothing --format json",
        3,
        &["\"ok\": false", "name/unknown"],
    );
    assert_eq!(json.stderr, "");
    fails(
        &sandbox,
        "agpm tree --json --format dot",
        2,
        &["cannot be combined", "\"usage\""],
    );
    fails(
        &sandbox,
        "agpm list --json --format yaml",
        2,
        &["cannot be combined"],
    );
}

#[test]
fn without_a_lockfile_there_is_nothing_and_without_a_manifest_an_error() {
    let sandbox = Sandbox::new(PROGRAM);
    for line in ["agpm list", "agpm tree", "agpm why x", "agpm verify"] {
        fails(&sandbox, line, 1, &["error[manifest/missing]", "agpm init"]);
    }
    sandbox.write("agpm.toml", "[agents]\n");
    let before = sandbox.listing();
    for (line, stdout) in [
        ("agpm list", ""),
        ("agpm list --json", "{}\n"),
        ("agpm tree", ""),
    ] {
        let output = sandbox.run_line(line);
        assert_eq!(
            (output.code, output.stdout.as_str()),
            (Some(0), stdout),
            "{output}"
        );
        assert!(
            output
                .stderr
                .starts_with("note[list/empty]: No resources installed."),
            "{output}"
        );
    }
    assert_eq!(good(&sandbox, "agpm -q list"), "");
    assert_eq!(good(&sandbox, "agpm verify"), "Nothing installed\n");
    fails(&sandbox, "agpm why x", 3, &["unknown resource `x`"]);
    assert_eq!(sandbox.listing(), before);
}

const TREE: &str = "\
agents/assistant (v2.0.0)
├─ snippets/prompts (v2.0.0) [transitive]
└─ snippets/utils (v2.0.0) [transitive]
    └─ snippets/common (v2.0.0) [transitive]
";

#[test]
fn tree_is_the_one_of_the_documents() {
    let sandbox = sandbox();
    let before = sandbox.listing();
    assert_eq!(good(&sandbox, "agpm tree"), TREE);
    for name in [
        "assistant",
        "agent/assistant",
        "agents/assistant",
        "agents/assistant@v2.0.0",
    ] {
        assert_eq!(good(&sandbox, &format!("agpm tree {name}")), TREE);
    }
    assert_eq!(
        good(&sandbox, "agpm tree --depth 0"),
        "agents/assistant (v2.0.0)\n"
    );
    assert_eq!(
        good(&sandbox, "agpm tree --depth 1"),
        TREE.lines()
            .take(3)
            .map(|l| format!("{l}\n"))
            .collect::<String>()
    );
    let inverted = "\
snippets/common (v2.0.0) [transitive]
└─ snippets/utils (v2.0.0) [transitive]
    └─ agents/assistant (v2.0.0)
";
    assert_eq!(good(&sandbox, "agpm tree --invert common"), inverted);
    let rest = "snippets/prompts (v2.0.0) [transitive]\n└─ agents/assistant (v2.0.0)\n";
    assert_eq!(
        good(&sandbox, "agpm tree --invert"),
        format!("{inverted}{rest}")
    );
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn tree_as_json_and_as_graphs() {
    let sandbox = sandbox();
    let node = |name: &str| {
        format!(
            "{{\"type\":\"snippet\",\"name\":\"{name}\",\"version\":\"v2.0.0\",\"source\":\"community\",\"id\":\"snippets/{name}\",\"transitive\":true"
        )
    };
    let squeezed = good(&sandbox, "agpm tree utils --json").replace(['\n', ' '], "");
    let common = format!("{},\"dependencies\":[]}}", node("common"));
    assert_eq!(
        squeezed,
        format!(
            "{{\"ok\":true,\"roots\":[{},\"dependencies\":[{common}]}}],\"diagnostics\":[]}}",
            node("utils")
        )
    );
    let utils = format!("{},\"dependents\":[", node("utils"));
    assert!(
        good(&sandbox, "agpm tree utils --invert --json")
            .replace(['\n', ' '], "")
            .contains(&utils)
    );
    let mermaid = "\
graph TD
    n1[\"snippets/common (v2.0.0) [transitive]\"]
    n3[\"snippets/utils (v2.0.0) [transitive]\"]
    n3 --> n1
";
    assert_eq!(good(&sandbox, "agpm tree utils --format mermaid"), mermaid);
    edit_lock(&sandbox, "\nname = \"common\"", "\nname = 'co\"m\\mon'");
    edit_lock(
        &sandbox,
        "[\"snippets/common@v2.0.0\"]",
        "['snippets/co\"m\\mon@v2.0.0']",
    );
    let dot = "\
digraph agpm {
    n1 [label=\"snippets/co\\\"m\\\\mon (v2.0.0) [transitive]\"];
    n3 [label=\"snippets/utils (v2.0.0) [transitive]\"];
    n3 -> n1;
}
";
    assert_eq!(good(&sandbox, "agpm tree utils --format dot"), dot);
    assert!(good(&sandbox, "agpm tree utils --format mermaid").contains("n1[\"snippets/co&quot;m"));
}

#[test]
fn repeats_are_marked_and_cycles_end() {
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write("agpm.toml", "[snippets]\na = \"a.md\"\nd = \"d.md\"\n");
    let to = |names: &[&str]| {
        names
            .iter()
            .map(|name| format!("snippets/{name}"))
            .collect::<Vec<_>>()
    };
    lock(
        &sandbox,
        &[
            ("a", to(&["b", "c", "d"])),
            ("b", to(&["d"])),
            ("c", vec![]),
            ("d", to(&["c", "e"])),
            ("e", to(&["b"])),
        ],
    );
    let expected = "\
snippets/a (local)
├─ snippets/b (local) [transitive]
│   └─ snippets/d (local)
│       ├─ snippets/c (local) [transitive]
│       └─ snippets/e (local) [transitive]
│           └─ snippets/b (local) [transitive] (*)
├─ snippets/c (local) [transitive]
└─ snippets/d (local) (*)
snippets/d (local) (*)
";
    assert_eq!(good(&sandbox, "agpm tree"), expected);
    assert!(good(&sandbox, "agpm tree --json").contains("\"repeated\": true"));
    let why = "\
snippets/d (local): required by the manifest
└─ snippets/e (local): required

snippets/a (local): required by the manifest
└─ snippets/d (local): required
    └─ snippets/e (local): required

snippets/a (local): required by the manifest
└─ snippets/b (local): required
    └─ snippets/d (local): required
        └─ snippets/e (local): required
";
    assert_eq!(good(&sandbox, "agpm why e"), why);
}

#[test]
fn a_chain_of_ten_thousand_levels_is_not_a_problem() {
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write("agpm.toml", "[snippets]\ns0 = \"s0.md\"\n");
    let names: Vec<String> = (0..10_000).map(|at| format!("s{at}")).collect();
    let next = |at: usize| names.get(at + 1).map(|name| format!("snippets/{name}"));
    let entries: Vec<(&str, Vec<String>)> = names
        .iter()
        .enumerate()
        .map(|(at, name)| (name.as_str(), next(at).into_iter().collect()))
        .collect();
    lock(&sandbox, &entries);
    assert_eq!(
        good(&sandbox, "agpm tree --format dot").lines().count(),
        2 + 10_000 + 9_999
    );
    assert!(good(&sandbox, "agpm tree --json").contains("\"truncated\": true"));
    let text = good(&sandbox, "agpm tree --depth 3");
    assert_eq!(
        text.lines().last(),
        Some("        └─ snippets/s3 (local) [transitive]")
    );
    let why = good(&sandbox, "agpm why s9999 --json");
    assert_eq!(why.matches("\"requirement\"").count(), 10_000);
}

#[test]
fn names_of_two_types_are_ambiguous() {
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write(
        "agpm.toml",
        "[agents]\nx = \"x.md\"\n[snippets]\nx = \"y.md\"\n",
    );
    let entry = |kind: &str, path: &str| {
        format!("[[{kind}]]\nname = \"x\"\npath = \"{path}\"\ndependencies = []\n")
    };
    sandbox.write(
        "agpm.lock",
        format!(
            "version = 1\n{}{}",
            entry("agents", "x.md"),
            entry("snippets", "y.md")
        ),
    );
    for command in ["tree", "why"] {
        fails(
            &sandbox,
            &format!("agpm {command} x"),
            3,
            &["`x` could be `agents/x` or `snippets/x`", "with its type"],
        );
    }
    assert_eq!(
        good(&sandbox, "agpm tree snippet/x"),
        "snippets/x (local)\n"
    );
}

#[test]
fn the_name_of_a_pattern_means_all_that_it_matched() {
    let sandbox = Sandbox::new(PROGRAM);
    let mut repository = Repository::init(&sandbox, "community");
    repository.commit(&[("agents/a.md", "a\n"), ("agents/b.md", "b\n")]);
    repository.tag("v1.0.0");
    let all = r#"all = { source = "s", path = "agents/*.md", version = "v1.0.0" }"#;
    sandbox.write(
        "agpm.toml",
        format!("[sources]\ns = \"{}\"\n[agents]\n{all}\n", repository.url()),
    );
    assert_eq!(sandbox.run_line("agpm install").code, Some(0));
    let both = "agents/a (v1.0.0)\nagents/b (v1.0.0)\n";
    for line in ["agpm tree", "agpm tree all", "agpm tree agents/all"] {
        assert_eq!(good(&sandbox, line), both, "{line}");
    }
    assert_eq!(
        good(&sandbox, "agpm why b"),
        "agents/b (v1.0.0): required by the manifest as v1.0.0\n"
    );
    assert_eq!(good(&sandbox, "agpm why agent/all").lines().count(), 3);
}

#[test]
fn why_reports_the_chain_by_name_and_by_file() {
    let sandbox = sandbox();
    let expected = "\
agents/assistant (v2.0.0): required by the manifest as v2.0.0
└─ snippets/utils (v2.0.0): required as v2.0.0
    └─ snippets/common (v2.0.0): required as v2.0.0
";
    for name in [
        "common",
        "snippet/common",
        ".claude/snippets/common.md",
        "./.claude/snippets/common.md",
    ] {
        assert_eq!(
            good(&sandbox, &format!("agpm why {name}")),
            expected,
            "{name}"
        );
    }
    let mut command = sandbox.command(PROGRAM);
    command
        .current_dir(sandbox.work().join(".claude"))
        .args(["why", "snippets/common.md"]);
    assert_eq!(sandbox.output(command).stdout, expected);
    assert_eq!(
        good(&sandbox, "agpm why assistant"),
        expected
            .lines()
            .take(1)
            .map(|l| format!("{l}\n"))
            .collect::<String>()
    );
    let json = good(&sandbox, "agpm why common --json").replace(['\n', ' '], "");
    assert!(
        json.starts_with("{\"ok\":true,\"resources\":[{\"type\":\"snippet\",\"name\":\"common\""),
        "{json}"
    );
    assert!(
        json.contains("\"chains\":[[{\"type\":\"agent\",\"name\":\"assistant\""),
        "{json}"
    );
    sandbox.write("agpm.toml", "");
    assert_eq!(
        good(&sandbox, "agpm why utils"),
        "snippets/utils (v2.0.0)\nno longer required\n"
    );
}

#[test]
fn looking_starts_no_git() {
    let sandbox = sandbox();
    for line in [
        "list",
        "tree",
        "why common",
        "verify",
        "cache info",
        "cache clean",
        "config show",
        "undo --list",
        "undo",
    ] {
        let mut command = sandbox.command(PROGRAM);
        command.args(line.split(' ')).env("PATH", sandbox.home());
        let output = sandbox.output(command);
        assert_eq!(output.code, Some(0), "{line}\n{output}");
    }
}
