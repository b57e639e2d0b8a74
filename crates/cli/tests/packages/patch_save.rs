//! `agpm patch save`: edits become fields and diffs of a patch, which later versions are merged with.

use agpm_testkit::Repository;

use crate::support::{PROGRAM, Project};

const AGENT: &str = "agents/a.md";
const ON_DISK: &str = ".claude/agents/a.md";
const DIFF: &str = "patches/agents/a.diff";
const V1: &str =
    "---\nname: a\nmodel: sonnet # cheap\ncolor: red\n---\none\ntwo\nthree\nfour\nfive\n";

fn manifest(version: &str) -> String {
    format!(
        "[agents]\na = {{ source = \"community\", path = \"{AGENT}\", version = \"{version}\" }}\n"
    )
}

fn installed() -> Project {
    let project = Project::new();
    project.source(&[("v1.0.0", &[(AGENT, V1)])]);
    project.manifest(&manifest("^1.0"));
    project.good("install");
    project
}

fn release(project: &Project, version: &str, text: &str) {
    let mut source = Repository::open(&project.sandbox, "community");
    source.commit(&[(AGENT, text)]);
    source.tag(version);
}

#[test]
fn fields_go_into_the_manifest_and_text_into_a_diff() {
    let project = installed();
    let edited = V1
        .replace("sonnet", "haiku")
        .replace("color: red\n", "")
        .replace("two", "TWO");
    project.write(ON_DISK, &edited);
    let before = project.tree();
    let shown = project.good("patch save a --dry-run");
    assert!(shown.stdout.contains("Would save"), "{shown}");
    assert_eq!(project.tree(), before);
    project.good("patch save a");
    assert_eq!(project.read(ON_DISK), edited);
    let manifest = project.read("agpm.toml");
    let table = format!("[patch.agents.a]\nmodel = \"haiku\"\npatch-file = \"{DIFF}\"\n");
    assert!(manifest.ends_with(&table), "{manifest}");
    let diff = project.read(DIFF);
    assert!(diff.contains("# version: v1.0.0 ("), "{diff}");
    assert!(
        diff.contains("-color: red\n") && diff.contains("-two\n+TWO\n"),
        "{diff}"
    );
    assert!(!diff.contains("-model"), "{diff}");
    let lock = project.read("agpm.lock");
    assert!(
        lock.contains("patches = [\"model\", \"patch-file\"]"),
        "{lock}"
    );
    project.good("verify");
    project.good("install --frozen");
    let again = project.good("patch save agents/a");
    assert_eq!(again.stdout, "agents/a has no local edits\n");
    // The next version keeps both, and the diff is made again from it.
    release(&project, "v1.1.0", &V1.replace("five", "FIVE"));
    project.good("update");
    assert_eq!(project.read(ON_DISK), edited.replace("five", "FIVE"));
    project.good("verify");
    project.write(ON_DISK, &edited.replace("five", "5"));
    project.good("patch save a");
    let diff = project.read(DIFF);
    assert!(
        diff.contains("# version: v1.1.0 (") && diff.contains("-two\n+TWO\n"),
        "{diff}"
    );
    project.good("verify");
    let output = project.good("undo 2");
    // The last save wrote nothing into the edited file.
    assert!(
        output.stdout.contains("kept .claude/agents/a.md"),
        "{output}"
    );
    project.write(ON_DISK, &edited);
    assert_eq!(project.tree(), before);
}

#[test]
fn a_new_version_of_the_same_line_fails_with_hunk_and_line() {
    let project = installed();
    project.write(ON_DISK, &V1.replace("two", "TWO").replace("five", "FIVE"));
    project.good("patch save a");
    release(&project, "v1.1.0", &V1.replace("five", "5"));
    let before = project.tree();
    let words = [
        "error[patch/text-conflict]",
        "hunk 2 and the new version change line 10 of a.md",
        "patches/agents/a.diff:",
        "-five",
    ];
    project.refused("update", 1, &words);
    assert_eq!(project.tree(), before);
    // A fresh clone gives the same files from the lockfile and the diff.
    project.remove(ON_DISK);
    std::fs::remove_dir_all(project.path(".agpm")).unwrap();
    project.good("install --frozen");
    assert_eq!(
        project
            .tree()
            .iter()
            .filter(|(path, _)| path == ON_DISK)
            .count(),
        1
    );
    project.good("verify");
    project.write(DIFF, "not a diff\n");
    project.refused("install", 1, &["is not a unified diff"]);
    project.remove(DIFF);
    project.refused("install", 1, &["does not exist"]);
}

#[test]
fn a_change_of_the_diff_alone_is_installed() {
    let project = installed();
    project.write(ON_DISK, &V1.replace("two", "TWO"));
    project.good("patch save a");
    project.good("install");
    let diff = project.read(DIFF).replace("+TWO", "+2");
    project.write(DIFF, &diff);
    project.refused("install --check", 1, &[]);
    project.good("install");
    assert_eq!(project.read(ON_DISK), V1.replace("two", "2"));
}

#[test]
fn the_diff_goes_with_its_patch_and_comes_back_with_undo() {
    let project = installed();
    project.write(ON_DISK, &V1.replace("two", "TWO"));
    project.good("patch save a");
    let before = project.tree();
    project.good("add source other ../community");
    project.good("remove a");
    assert!(!project.exists(DIFF));
    project.good("undo 3");
    assert_eq!(project.tree(), before);
}

#[test]
fn an_edit_of_one_copy_is_saved_for_all_tools() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[(AGENT, V1)])]);
    let entry = format!(
        "[agents]\na = {{ source = \"community\", path = \"{AGENT}\", version = \"^1.0\", tools = [\"claude-code\", \"opencode\"] }}\n"
    );
    project.manifest(&entry);
    project.good("install");
    let other = ".opencode/agent/a.md";
    let converted = project.read(other);
    project.write(ON_DISK, &V1.replace("two", "TWO"));
    project.good("patch save a");
    assert_eq!(project.read(other), converted.replace("two", "TWO"));
    project.good("verify");
    // The other way round: the body of a converted copy is that of the source.
    project.write(other, &project.read(other).replace("three", "THREE"));
    project.good("patch save a");
    assert_eq!(
        project.read(ON_DISK),
        V1.replace("two", "TWO").replace("three", "THREE")
    );
    project.good("verify");
    project.write(ON_DISK, &V1.replace("two", "one way"));
    project.write(other, &converted.replace("two", "another way"));
    project.refused("patch save a", 6, &["were edited differently"]);
}

#[test]
fn servers_and_blocks_are_saved_too() {
    let project = Project::new();
    project.source(&[(
        "v1.0.0",
        &[
            (
                "mcp/fs.json",
                "{\"command\": \"npx\", \"args\": [\"a\"], \"env\": {\"A\": \"1\"}}\n",
            ),
            ("rules/style.md", "one\n\ntwo\n"),
        ],
    )]);
    project.manifest(
        "[mcp-servers]\nfs = { source = \"community\", path = \"mcp/fs.json\", version = \"^1.0\" }\n\
         [instructions]\nstyle = { source = \"community\", path = \"rules/style.md\", version = \"^1.0\", tool = \"codex\" }\n",
    );
    project.good("install");
    let mcp = project.read(".mcp.json");
    project.write(".mcp.json", &mcp.replace("\"a\"", "\"b\""));
    project.good("patch save mcp-servers/fs");
    let manifest = project.read("agpm.toml");
    assert!(
        manifest.ends_with("[patch.mcp-servers.fs]\nargs = [\"b\"]\n"),
        "{manifest}"
    );
    let block = project.read("AGENTS.md").replace("two", "TWO");
    project.write("AGENTS.md", &block);
    project.good("patch save style");
    assert_eq!(project.read("AGENTS.md"), block);
    project.good("verify");
    project.good("install --frozen");
}

#[test]
fn edits_that_no_patch_can_have_are_refused() {
    let project = installed();
    project.refused("patch save b", 3, &["unknown resource `b`"]);
    project.write(ON_DISK, "binary \0");
    project.good("patch save a");
    project.remove(ON_DISK);
    project.refused("patch save a", 1, &["it was deleted"]);
    let project = installed();
    project.write("agpm.private.toml", "[patch.agents.a]\ncolor = \"blue\"\n");
    project.good("install");
    let text = project.read(ON_DISK);
    project.write(ON_DISK, &text.replace("two", "TWO"));
    project.good("patch save a");
    assert_eq!(project.read(ON_DISK), text.replace("two", "TWO"));
    // The shared diff does not have what only this user patches.
    assert!(!project.read(DIFF).contains("blue"));
    project.good("verify");
    project.write(ON_DISK, &project.read(ON_DISK).replace("blue", "green"));
    project.refused("patch save a", 1, &["agpm.private.toml"]);
}

/// Killed at every write, the edit is on the disk, and the command can be repeated.
#[test]
fn a_killed_save_keeps_the_edit() {
    let edited = V1.replace("two", "TWO");
    for at in 1..60 {
        let project = installed();
        project.write(ON_DISK, &edited);
        let mut command = project.sandbox.command(PROGRAM);
        command
            .current_dir(project.path(""))
            .args(["patch", "save", "a"])
            .env("AGPM_STOP_AT_WRITE", at.to_string());
        if project.sandbox.output(command).code == Some(0) {
            assert!(at > 4, "only {at} writes");
            return;
        }
        assert_eq!(project.read(ON_DISK), edited, "killed at write {at}");
        project.good("patch save a");
        assert_eq!(project.read(ON_DISK), edited, "killed at write {at}");
        project.good("install");
        project.good("verify");
        assert!(project.exists(DIFF));
    }
}
