//! Edits of installed files over new versions: merges, conflicts and their ways out.

use agpm_testkit::Repository;

use crate::support::{Project, json};

const A: &str = "agents/a.md";
const B: &str = "agents/b.md";
const A_ON_DISK: &str = ".claude/agents/a.md";
const B_ON_DISK: &str = ".claude/agents/b.md";
const B_BESIDE: &str = ".claude/agents/b.md.agpm-new";

const A_1: &str = "---\nname: a\nmodel: sonnet\n---\n1\n2\n3\n4\n5\n";
const A_2: &str = "---\nname: a\nmodel: sonnet\ncolor: red\n---\n1\n2\n3\n4\n5 new\n";
const B_1: &str = "1\n2\n3\n";
const B_2: &str = "1\nnew\n3\n";
const B_3: &str = "1\nnewest\n3\n";

fn manifest(version: &str) -> String {
    let entry = |name: &str, path: &str| {
        format!(
            "{name} = {{ source = \"community\", path = \"{path}\", version = \"{version}\" }}\n"
        )
    };
    format!("[agents]\n{}{}", entry("a", A), entry("b", B))
}

fn source(project: &Project) -> Repository<'_> {
    project.source(&[
        ("v1.0.0", &[(A, A_1), (B, B_1)]),
        ("v1.1.0", &[(A, A_2), (B, B_2)]),
    ])
}

/// A project with edits of both files, one of which merges with v1.1.0.
fn edited() -> Project {
    let project = Project::new();
    source(&project);
    project.manifest(&manifest("=1.0.0"));
    project.good("install");
    let mine = A_1
        .replace("sonnet", "haiku # cheaper")
        .replace("1\n2", "1 mine\n2");
    project.write(A_ON_DISK, &mine);
    project.write(B_ON_DISK, "1\nmine\n3\n");
    project.manifest(&manifest("^1.0"));
    project
}

fn in_conflict() -> Project {
    let project = edited();
    let output = project.run("update");
    assert_eq!(output.code, Some(1), "{output}");
    project
}

/// The status and the base of each resource in `list --json`.
fn statuses(project: &Project) -> Vec<(String, String)> {
    let listed = json(&project.good("list --json").stdout);
    let text = |value: &agpm_text::Value, key: &str| {
        let value = value.get(key).and_then(agpm_text::Value::as_str);
        value.unwrap_or_default().to_owned()
    };
    let resources = listed.get("agents").unwrap();
    let mut found = Vec::new();
    for at in 0..2 {
        let resource = resources.child(&at.to_string()).unwrap();
        found.push((text(resource, "status"), text(resource, "base")));
    }
    found
}

fn pairs(pairs: [(&str, &str); 2]) -> Vec<(String, String)> {
    let owned = pairs.map(|(left, right)| (left.to_owned(), right.to_owned()));
    owned.to_vec()
}

#[test]
fn a_new_version_is_merged_into_an_edit_or_left_beside_it() {
    let project = edited();
    let preview = project.good("update --dry-run");
    assert!(
        preview.stdout.contains("Would merge 1 resource"),
        "{preview}"
    );
    assert!(!project.exists(B_BESIDE));
    let output = project.run("update");
    assert_eq!(output.code, Some(1), "{output}");
    for words in [
        "~ .claude/agents/a.md  agents/a: merged with your changes",
        "Merged 1 resource, skipped 1 resource (modified locally)",
    ] {
        assert!(output.stdout.contains(words), "{output}");
    }
    for words in [
        "you and the new version changed line 2",
        "compare it with `.claude/agents/b.md.agpm-new`, then run `agpm resolve agents/b`",
    ] {
        assert!(output.stderr.contains(words), "{output}");
    }
    assert_eq!(
        project.read(A_ON_DISK),
        "---\nname: a\nmodel: haiku # cheaper\ncolor: red\n---\n1 mine\n2\n3\n4\n5 new\n"
    );
    assert_eq!(project.read(B_ON_DISK), "1\nmine\n3\n");
    assert_eq!(project.read(B_BESIDE), B_2);
    assert!(project.read("agpm.lock").contains("version = \"v1.1.0\""));
    let expected = pairs([("modified", "1.1.0"), ("conflict", "1.0.0")]);
    assert_eq!(statuses(&project), expected);
    let status = project.good("status").stdout;
    let verified = project.run("verify").stdout;
    for words in ["modified (based on 1.1.0)", "conflict (based on 1.0.0)"] {
        assert!(status.contains(words), "{status}");
        assert!(verified.contains(words), "{verified}");
    }
    // A second install changes nothing, and a deleted new version comes back.
    let before = project.tree();
    assert_eq!(project.run("install").code, Some(1));
    assert_eq!(project.tree(), before);
    project.remove(B_BESIDE);
    assert_eq!(project.run("install").code, Some(1));
    assert_eq!(project.tree(), before);
}

#[test]
fn each_side_resolves_a_conflict_and_undo_brings_it_back() {
    let after = pairs([("modified", "1.1.0"), ("modified", "1.1.0")]);
    for (side, content, expected) in [
        ("--mine", "1\nmine\n3\n", after.clone()),
        ("--merged", "1\nmine\n3\n", after),
        ("--new", B_2, pairs([("modified", "1.1.0"), ("", "")])),
    ] {
        let project = in_conflict();
        let before = project.tree();
        project.good(&format!("resolve agents/b {side}"));
        assert_eq!(project.read(B_ON_DISK), content, "{side}");
        assert!(!project.exists(B_BESIDE), "{side}");
        assert_eq!(statuses(&project), expected, "{side}");
        project.good("install");
        project.refused(
            &format!("resolve b {side}"),
            3,
            &["no resource is in conflict"],
        );
        project.good("undo");
        assert_eq!(project.tree(), before, "{side}");
        assert_eq!(project.run("install").code, Some(1), "{side}");
    }
}

#[test]
fn an_edit_after_the_conflict_is_not_lost() {
    let project = in_conflict();
    project.write(B_ON_DISK, "1\nmine and new\n3\n");
    let words = [
        "`.claude/agents/b.md` was edited since the conflict arose",
        "`agpm resolve agents/b --merged` keeps it as it is now",
    ];
    project.refused("resolve b --mine", 6, &words);
    project.good("resolve .claude/agents/b.md --merged");
    assert_eq!(project.read(B_ON_DISK), "1\nmine and new\n3\n");
    assert!(!project.exists(B_BESIDE));
    // A deleted file comes back as it was when the conflict arose.
    let project = in_conflict();
    project.remove(B_ON_DISK);
    project.refused("resolve b --merged", 6, &["does not exist"]);
    project.good("resolve b --mine");
    assert_eq!(project.read(B_ON_DISK), "1\nmine\n3\n");
}

#[test]
fn a_newer_version_during_a_conflict_merges_from_the_old_base() {
    let project = edited();
    let mut source = Repository::open(&project.sandbox, "community");
    assert_eq!(project.run("update").code, Some(1));
    source.commit(&[(B, B_3)]);
    source.tag("v1.2.0");
    let output = project.run("update");
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(project.read(B_BESIDE), B_3);
    let expected = pairs([("modified", "1.2.0"), ("conflict", "1.0.0")]);
    assert_eq!(statuses(&project), expected);
    // The next one has the same line as the edit, so the conflict is over.
    source.commit(&[(B, "1\nmine\n3\n4\n")]);
    source.tag("v1.3.0");
    project.good("update");
    assert_eq!(project.read(B_ON_DISK), "1\nmine\n3\n4\n");
    assert!(!project.exists(B_BESIDE));
}

#[test]
fn a_file_of_the_user_beside_a_conflict_is_not_overwritten() {
    let project = edited();
    project.write(B_BESIDE, "my own\n");
    let output = project.run("update");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stderr.contains("is your own"), "{output}");
    assert_eq!(project.read(B_BESIDE), "my own\n");
    project.good("install --force");
    assert_eq!(project.read(B_BESIDE), "my own\n");
    assert_eq!(project.read(B_ON_DISK), B_2);
}

#[test]
fn force_drops_the_edits_and_undo_restores_them() {
    let project = in_conflict();
    let before = project.read(B_ON_DISK);
    project.good("install --force");
    assert_eq!(project.read(A_ON_DISK), A_2);
    assert_eq!(project.read(B_ON_DISK), B_2);
    assert!(!project.exists(B_BESIDE));
    project.good("verify");
    project.good("undo");
    assert_eq!(project.read(B_ON_DISK), before);
    assert_eq!(project.read(B_BESIDE), B_2);
}

#[test]
fn a_deleted_file_with_a_new_version_stays_deleted() {
    let project = Project::new();
    source(&project);
    project.manifest(&manifest("=1.0.0"));
    project.good("install");
    project.remove(A_ON_DISK);
    project.manifest(&manifest("^1.0"));
    let output = project.good("update");
    let words = "`.claude/agents/a.md` was deleted; its new version is not installed";
    assert!(output.stderr.contains(words), "{output}");
    assert!(!project.exists(A_ON_DISK));
    assert_eq!(project.read(B_ON_DISK), B_2);
    project.good("install --force");
    assert_eq!(project.read(A_ON_DISK), A_2);
}

#[test]
fn kept_bases_go_when_nothing_needs_them() {
    let bases = |project: &Project| -> Vec<String> {
        let directory = project.sandbox.work().join("project/.agpm/bases");
        let entries = std::fs::read_dir(directory).into_iter().flatten();
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.unwrap().file_name().to_string_lossy().into_owned()
        };
        entries.map(name).collect()
    };
    let project = Project::new();
    source(&project);
    project.manifest(&manifest("=1.0.0"));
    project.good("install");
    assert_eq!(bases(&project), ["1"]);
    project.good("cache clean --all");
    assert_eq!(bases(&project), ["1"]);
    project.manifest(&manifest("^1.0"));
    project.good("update");
    assert_eq!(bases(&project), ["2"]);
    project.good("undo");
    assert_eq!(bases(&project), ["1"]);
    project.manifest("");
    project.good("install");
    assert!(bases(&project).is_empty());
}

#[test]
fn files_of_a_skill_merge_one_by_one() {
    let project = Project::new();
    let skill = "---\nname: s\ndescription: S\n---\nText.\n";
    project.source(&[
        (
            "v1.0.0",
            &[
                ("s/SKILL.md", skill),
                ("s/a.json", "{\"a\": 1, \"b\": 1}\n"),
                ("s/b.txt", "1\n"),
            ],
        ),
        (
            "v1.1.0",
            &[("s/a.json", "{\"a\": 1, \"b\": 2}\n"), ("s/b.txt", "2\n")],
        ),
    ]);
    let manifest = |version: &str| {
        format!(
            "[skills]\ns = {{ source = \"community\", path = \"s\", version = \"{version}\" }}\n"
        )
    };
    project.manifest(&manifest("=1.0.0"));
    project.good("install");
    let at = |name: &str| format!(".claude/skills/s/{name}");
    project.write(&at("a.json"), "{\"a\": 5, \"b\": 1}\n");
    project.write(&at("b.txt"), "mine\n");
    project.manifest(&manifest("^1.0"));
    assert_eq!(project.run("update").code, Some(1));
    assert_eq!(project.read(&at("a.json")), "{\"a\": 5, \"b\": 2}\n");
    assert_eq!(project.read(&at("b.txt")), "mine\n");
    assert_eq!(project.read(&at("b.txt.agpm-new")), "2\n");
    // The new version beside the file is not a foreign file in the skill.
    let verified = project.run("verify");
    assert!(!verified.stdout.contains("agpm-new"), "{verified}");
    project.good("resolve s --new");
    assert_eq!(project.read(&at("b.txt")), "2\n");
}
