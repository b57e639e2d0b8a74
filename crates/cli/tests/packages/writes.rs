//! Files that are written, kept and removed, also after an interruption.

use crate::support::{PROGRAM, Project, needs};

#[test]
fn files_that_are_not_ours_are_safe() {
    let project = Project::new();
    let mut source = project.source(&[("v1.0.0", &[("agents/a.md", "a1\n")])]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n",
    );
    project.write(".claude/agents/a.md", "the user's\n");
    project.write(".claude/agents/own.md", "own\n");
    project.refused(
        "install",
        6,
        &["install/unmanaged", ".claude/agents/a.md", "--adopt"],
    );
    project.good("install --adopt");
    assert_eq!(project.read(".claude/agents/a.md"), "a1\n");
    // Edited: kept and reported.
    project.write(".claude/agents/a.md", "edited\n");
    let output = project.good("install");
    assert!(output.stderr.contains("install/edited"), "{output}");
    assert_eq!(project.read(".claude/agents/a.md"), "edited\n");
    source.commit(&[("agents/a.md", "a2\n")]);
    source.tag("v1.1.0");
    assert_eq!(project.run("update").code, Some(1));
    assert_eq!(project.read(".claude/agents/a.md"), "edited\n");
    project.good("install --force");
    assert_eq!(project.read(".claude/agents/a.md"), "a2\n");
    assert_eq!(project.read(".claude/agents/own.md"), "own\n");
}

#[test]
fn equal_bytes_are_taken_over_and_unchanged_files_are_not_touched() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a1\n")])]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n",
    );
    project.write(".claude/agents/a.md", "a1\n");
    let path = project.sandbox.work().join("project/.claude/agents/a.md");
    let before = std::fs::metadata(&path).unwrap().modified().unwrap();
    project.good("install");
    project.good("install");
    project.good("install --force");
    assert_eq!(
        std::fs::metadata(&path).unwrap().modified().unwrap(),
        before
    );
}

#[test]
fn files_removed_from_the_manifest_are_deleted() {
    let project = Project::new();
    let a = needs("snippets", &["snippets/deep/only.md", "snippets/both.md"]);
    let b = needs("snippets", &["snippets/both.md"]);
    project.source(&[(
        "v1.0.0",
        &[
            ("agents/a.md", &a),
            ("agents/b.md", &b),
            ("snippets/deep/only.md", "1\n"),
            ("snippets/both.md", "2\n"),
        ],
    )]);
    project.write(".claude/user.md", "mine\n");
    project.manifest("# top\n[agents] # the agents\n");
    project.good("add dep agent community:agents/a.md@v1.0.0");
    project.good("add dep agents community:agents/b.md@v1.0.0 --name second");
    let manifest = project.read("agpm.toml");
    assert!(
        manifest.contains(
            "second = { source = \"community\", path = \"agents/b.md\", version = \"v1.0.0\" }"
        ),
        "{manifest}"
    );
    assert!(project.exists(".claude/snippets/deep/only.md"));
    project.good("remove dep agent a");
    assert_eq!(
        project.installed(),
        [
            ".claude/agents/b.md",
            ".claude/snippets/both.md",
            ".claude/user.md"
        ]
    );
    assert!(
        !project.exists(".claude/snippets/deep"),
        "the empty folder is left"
    );
    project.good("remove dep agent second");
    assert_eq!(project.installed(), [".claude/user.md"]);
    assert!(
        project
            .read("agpm.toml")
            .contains("# top\n[agents] # the agents\n")
    );
    project.refused("remove dep agent second", 3, &["unknown agent `second`"]);
    project.refused("remove source comunity", 3, &["did you mean `community`?"]);
    project.good("remove source community");
}

#[test]
fn links_of_a_source_are_not_followed_and_modes_and_bytes_are_exact() {
    let project = Project::new();
    let mut source = project.source(&[]);
    std::fs::create_dir_all(source.path().join("scripts")).unwrap();
    std::fs::write(source.path().join("scripts/run.sh"), "#!/bin/sh\r\n\0").unwrap();
    std::fs::write(source.path().join("scripts/data.bin"), [0xff, 0xfe, 0, 1]).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        std::fs::set_permissions(
            source.path().join("scripts/run.sh"),
            PermissionsExt::from_mode(0o755),
        )
        .unwrap();
        symlink("/etc/passwd", source.path().join("scripts/link.sh")).unwrap();
    }
    source.commit(&[]);
    source.tag("v1.0.0");
    project.manifest(
        "[scripts]\nall = { source = \"community\", path = \"scripts/*\", version = \"v1.0.0\" }\n",
    );
    project.good("install");
    let root = project.sandbox.work().join("project");
    assert_eq!(
        std::fs::read(root.join(".claude/scripts/run.sh")).unwrap(),
        b"#!/bin/sh\r\n\0"
    );
    assert_eq!(
        std::fs::read(root.join(".claude/scripts/data.bin")).unwrap(),
        [0xff, 0xfe, 0, 1]
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &str| {
            std::fs::metadata(root.join(path))
                .unwrap()
                .permissions()
                .mode()
                & 0o111
        };
        assert_ne!(mode(".claude/scripts/run.sh"), 0);
        assert_eq!(mode(".claude/scripts/data.bin"), 0);
        assert!(!project.exists(".claude/scripts/link.sh"));
        project.manifest(
            "[scripts]\nl = { source = \"community\", path = \"scripts/link.sh\", version = \"v1.0.0\" }\n",
        );
        project.refused("install", 6, &["symlink"]);
    }
}

#[test]
fn two_installs_at_once_both_end_well() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n"), ("agents/b.md", "b\n")])]);
    project.manifest(
        "[agents]\nall = { source = \"community\", path = \"agents/*.md\", version = \"v1.0.0\" }\n",
    );
    let start = || {
        let mut command = project.sandbox.command(PROGRAM);
        command
            .current_dir(project.sandbox.work().join("project"))
            .arg("install");
        command
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null());
        command.spawn().unwrap()
    };
    let mut all: Vec<_> = (0..4).map(|_| start()).collect();
    assert!(all.iter_mut().all(|child| child.wait().unwrap().success()));
    assert_eq!(
        project.installed(),
        [".claude/agents/a.md", ".claude/agents/b.md"]
    );
    project.good("install --check");
}

/// A ledger without the places of kept bytes, which depend on the runs before.
#[cfg(debug_assertions)]
fn without_bases(ledger: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(ledger.to_vec()).unwrap();
    let lines = text.lines().filter(|line| !line.contains("\"base\":"));
    let lines: Vec<&str> = lines.map(|line| line.trim_end_matches(',')).collect();
    lines.join("\n").into_bytes()
}

/// The process is stopped at every single write, and once more while the next run puts things in order.
#[cfg(debug_assertions)]
#[test]
fn a_run_that_is_killed_at_any_write_leaves_the_old_state_or_the_new_one() {
    let project = Project::new();
    let mut source = project.source(&[(
        "v1.0.0",
        &[
            ("agents/a.md", "a1\n"),
            ("agents/b.md", "b1\n"),
            ("commands/gone.md", "gone\n"),
        ],
    )]);
    source.git(&["rm", "-q", "commands/gone.md"]);
    source.commit(&[("agents/a.md", "a2\n"), ("agents/new/c.md", "c2\n")]);
    source.tag("v2.0.0");
    let manifest = |version: &str| {
        project.manifest(&format!(
            "[agents]\nall = {{ source = \"community\", path = \"agents/**/*.md\", version = \"{version}\" }}\n{}",
            if version == "v1.0.0" {
                "[commands]\ng = { source = \"community\", path = \"commands/gone.md\", version = \"v1.0.0\" }\n"
            } else {
                ""
            }
        ));
    };
    let states = |project: &Project| -> Vec<(String, Vec<u8>)> {
        project
            .tree()
            .into_iter()
            .filter(|(name, _)| name != "agpm.toml" && !name.contains("transaction"))
            .map(|(name, bytes)| match name.as_str() {
                ".agpm/ledger.json" => (name, without_bases(&bytes)),
                _ => (name, bytes),
            })
            .collect()
    };
    manifest("v2.0.0");
    project.good("install");
    let new = states(&project);
    let reset = || {
        for path in [".claude", ".agpm", "agpm.lock"] {
            let path = project.sandbox.work().join("project").join(path);
            let _ = std::fs::remove_dir_all(&path);
            let _ = std::fs::remove_file(&path);
        }
        manifest("v1.0.0");
        project.good("install");
        let old = states(&project);
        manifest("v2.0.0");
        old
    };
    for stop in 1.. {
        let old = reset();
        let mut command = project.sandbox.command(PROGRAM);
        command
            .current_dir(project.sandbox.work().join("project"))
            .arg("install");
        command.env("AGPM_STOP_AT_WRITE", stop.to_string());
        let output = project.sandbox.output(command);
        if output.code == Some(0) {
            assert!(stop > 10, "the test stopped nothing: {output}");
            break;
        }
        assert_eq!(output.code, None, "write {stop}: {output}");
        // With the old manifest back, only recovery decides: an install then follows the manifest.
        manifest("v1.0.0");
        project.good("install");
        assert_eq!(states(&project), old, "write {stop}, back to the old state");
        manifest("v2.0.0");
        project.good("install");
        assert_eq!(states(&project), new, "write {stop}, on to the new state");
    }
}

/// A full disk at every single write: an error, and everything as before.
#[cfg(debug_assertions)]
#[test]
fn a_disk_that_fills_up_at_any_write_changes_nothing() {
    let project = Project::new();
    project.source(&[(
        "v1.0.0",
        &[("agents/a.md", "a1\n"), ("agents/x/b.md", "b1\n")],
    )]);
    project.manifest(
        "[agents]\nall = { source = \"community\", path = \"agents/**/*.md\", version = \"v1.0.0\" }\n",
    );
    project.good("validate --resolve");
    let before = project.tree();
    for fail in 1.. {
        let mut command = project.sandbox.command(PROGRAM);
        command
            .current_dir(project.sandbox.work().join("project"))
            .arg("install");
        command.env("AGPM_FAIL_AT_WRITE", fail.to_string());
        let output = project.sandbox.output(command);
        if output.code == Some(0) {
            assert!(fail > 5, "the test failed nothing: {output}");
            break;
        }
        assert_eq!(output.code, Some(1), "write {fail}: {output}");
        assert!(
            output.stderr.contains("the disk is full"),
            "write {fail}: {output}"
        );
        assert_eq!(project.tree(), before, "write {fail}");
    }
}

#[test]
fn a_file_is_not_installed_onto_itself() {
    let project = Project::new();
    project.write(".claude/agents/a.md", "precious\n");
    project.write("agpm.toml", "[agents]\na = \".claude/agents/a.md\"\n");
    project.refused("install", 6, &["is where it would be installed"]);
    project.write(
        "agpm.toml",
        "[sources]\nl = \".\"\n[agents]\na = { source = \"l\", path = \".claude/agents/*.md\" }\n",
    );
    project.refused("install", 6, &["is where it would be installed"]);
}

#[test]
fn a_run_without_changes_adds_nothing_to_the_history() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    let entry =
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n";
    project.manifest(entry);
    project.good("install");
    let before = project.good("undo --list").stdout;
    for comment in ["# one\n", "# two\n"] {
        project.manifest(&format!("{comment}{entry}"));
        project.good("install");
    }
    assert_eq!(project.good("undo --list").stdout, before);
    project.good("undo");
    assert!(project.installed().is_empty());
}

#[test]
fn eight_changes_at_once_are_all_made() {
    let project = Project::new();
    let files: Vec<(String, String)> = (0..8)
        .map(|n| (format!("agents/a{n}.md"), format!("{n}\n")))
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    project.source(&[("v1.0.0", &files)]);
    project.manifest("");
    let start = |n: usize| {
        let mut command = project.sandbox.command(PROGRAM);
        command.current_dir(project.sandbox.work().join("project"));
        command.args([
            "add",
            "dep",
            "agent",
            &format!("community:agents/a{n}.md@v1.0.0"),
        ]);
        command
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null());
        command.spawn().unwrap()
    };
    let mut all: Vec<_> = (0..8).map(start).collect();
    assert!(all.iter_mut().all(|child| child.wait().unwrap().success()));
    assert_eq!(project.installed().len(), 8);
    project.good("install --check");
}

/// A killed `remove` is finished before anything is read, whatever comes next.
#[cfg(debug_assertions)]
#[test]
fn a_change_that_is_killed_at_any_write_is_finished_or_undone_by_the_next_command() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n"), ("agents/b.md", "b\n")])]);
    let entry = |name: &str| {
        format!(
            "{name} = {{ source = \"community\", path = \"agents/{name}.md\", version = \"v1.0.0\" }}\n"
        )
    };
    for stop in 1.. {
        project.manifest(&format!("[agents]\n{}{}", entry("a"), entry("b")));
        project.good("install");
        let mut command = project.sandbox.command(PROGRAM);
        command
            .current_dir(project.sandbox.work().join("project"))
            .args(["remove", "dep", "agent", "a"]);
        command.env("AGPM_STOP_AT_WRITE", stop.to_string());
        let output = project.sandbox.output(command);
        if output.code == Some(0) {
            assert!(stop > 8, "the test stopped nothing: {output}");
            break;
        }
        assert!(
            project.exists("agpm.toml"),
            "write {stop}: the manifest is gone"
        );
        project.good("install");
        project.good("install --check");
        let manifest = project.read("agpm.toml");
        assert_eq!(
            manifest.contains("a = {"),
            project.exists(".claude/agents/a.md"),
            "write {stop}"
        );
    }
}

#[test]
fn undo_checks_what_was_kept_before_it_gives_it_back() {
    let damages: [&dyn Fn(&std::path::Path); 3] = [
        &|old| std::fs::remove_dir_all(old).unwrap(),
        &|old| {
            for file in std::fs::read_dir(old).unwrap() {
                std::fs::write(file.unwrap().path(), "").unwrap();
            }
        },
        &|old| {
            for file in std::fs::read_dir(old).unwrap() {
                std::fs::write(file.unwrap().path(), "# evil").unwrap();
            }
        },
    ];
    for damage in damages {
        let project = Project::new();
        project.source(&[("v1.0.0", &[("agents/a.md", "a\n"), ("agents/b.md", "b\n")])]);
        project.manifest(
            "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
        );
        project.good("install");
        project.good("add dep agent community:agents/b.md@v1.0.0");
        damage(&project.sandbox.work().join("project/.agpm/history/2/old"));
        project.refused("undo", 1, &["history/2/old"]);
    }
}

/// As after a program that had the file open wrote to it once it was replaced.
#[test]
fn undo_with_force_restores_what_was_written_into_the_history() {
    let project = Project::new();
    let versions: [(&str, &[(&str, &str)]); 2] = [
        ("v1.0.0", &[("agents/a.md", "one\n")]),
        ("v2.0.0", &[("agents/a.md", "two\n")]),
    ];
    project.source(&versions);
    for version in ["v1.0.0", "v2.0.0"] {
        let agent = format!(
            "a = {{ source = \"community\", path = \"agents/a.md\", version = \"{version}\" }}\n"
        );
        project.manifest(&format!("[agents]\n{agent}"));
        project.good("install");
    }
    let old = project.sandbox.work().join("project/.agpm/history/2/old");
    let backups = std::fs::read_dir(&old)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let file = backups
        .into_iter()
        .find(|path| std::fs::read(path).unwrap() == b"one\n")
        .unwrap();
    std::fs::write(file, "one, and mine\n").unwrap();
    project.refused("undo", 1, &["run `agpm undo --force` to restore it anyway"]);
    project.good("undo --force");
    assert_eq!(project.read(".claude/agents/a.md"), "one, and mine\n");
    project.good("undo --force");
    assert!(!project.exists(".claude/agents/a.md"));
}

#[test]
fn a_file_where_a_directory_is_needed_is_reported_by_dry_and_real_runs_alike() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
    );
    project.write(".claude", "a file\n");
    let preview = project.good("install --dry-run");
    assert!(preview.stderr.contains("install/unmanaged"), "{preview}");
    assert_eq!(project.run("install --check").code, Some(1));
    let words = "cannot create `.claude/`: a file of that name exists";
    project.refused("install", 6, &["install/unmanaged", words]);
}

#[test]
fn a_symlink_out_of_the_project_is_named_itself() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
    );
    let work = project.sandbox.work();
    std::fs::create_dir_all(work.join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", work.join("project/.claude")).unwrap();
    let words = "`.claude` is a symlink to `../elsewhere`, outside the project";
    project.refused("install", 6, &["io/unreadable", words]);
}
