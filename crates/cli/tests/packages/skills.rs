//! Skills: directories with a `SKILL.md`, copied as a whole.

use agpm_testkit::Repository;

use crate::support::{Project, entry};

const HEAD: &str = "---\nname: notes\ndescription: Takes notes.\n---\n";
const SKILL: &str = "---\nname: notes\ndescription: Takes notes.\nallowed-tools: [Read, Write] # as a list\n---\nTake {{ notes }}.\n";

fn asking() -> String {
    format!("[skills]\n{}", entry("notes", "skills/notes", ""))
}

/// A project that asks for the skill `notes` with these files.
fn notes(files: &[(&str, &str)]) -> Project {
    let files: Vec<(String, &str)> = files
        .iter()
        .map(|(path, text)| (format!("skills/notes/{path}"), *text))
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), *text))
        .collect();
    Project::with(&files, &asking())
}

#[cfg(unix)]
fn set_mode(source: &Repository<'_>, path: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(source.path().join(path), PermissionsExt::from_mode(mode)).unwrap();
}

#[cfg(unix)]
fn is_executable(project: &Project, path: &str) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(project.path(path))
        .unwrap()
        .permissions()
        .mode()
        & 0o111
        != 0
}

fn checksum(project: &Project) -> String {
    let locked = project.locked("notes");
    let line = locked
        .lines()
        .find(|line| line.starts_with("checksum = \"sha256:"));
    line.unwrap_or_else(|| panic!("{locked}")).to_owned()
}

/// A project with a skill of two releases, between which `change` happened.
fn changed(change: impl FnOnce(&Repository<'_>)) -> Project {
    let project = Project::new();
    let mut source = project.release(&[
        ("skills/notes/SKILL.md", SKILL),
        ("skills/notes/bin/run.sh", "#!/bin/sh\n"),
        ("skills/notes/docs/old.md", "old\n"),
    ]);
    change(&source);
    source.commit(&[]);
    source.tag("v1.1.0");
    project.manifest(&asking());
    project
}

fn update(project: &Project) {
    project.manifest(&asking().replace("v1.0.0", "v1.1.0"));
    project.good("install --approve all");
}

#[cfg(unix)]
#[test]
fn a_skill_is_copied_whole_with_bytes_and_modes() {
    let project = Project::new();
    let mut source = project.source(&[]);
    source.write("skills/notes/SKILL.md", SKILL);
    source.write("skills/notes/bin/run.sh", "#!/bin/sh\r\n");
    source.write("skills/notes/.hidden/deep/er.txt", "no end");
    source.write("skills/notes/empty", "");
    source.write("skills/other/SKILL.md", SKILL);
    std::fs::write(
        source.path().join("skills/notes/image.png"),
        [0x89, 0, 0xff, 0xfe],
    )
    .unwrap();
    set_mode(&source, "skills/notes/bin/run.sh", 0o755);
    source.commit(&[]);
    source.tag("v1.0.0");
    project.manifest(&asking());
    project.good("install");
    assert_eq!(
        project.written(),
        [
            ".claude/skills/notes/.hidden/deep/er.txt",
            ".claude/skills/notes/SKILL.md",
            ".claude/skills/notes/bin/run.sh",
            ".claude/skills/notes/empty",
            ".claude/skills/notes/image.png"
        ]
    );
    assert_eq!(project.read(".claude/skills/notes/SKILL.md"), SKILL);
    assert_eq!(
        std::fs::read(project.path(".claude/skills/notes/image.png")).unwrap(),
        [0x89, 0, 0xff, 0xfe]
    );
    assert!(is_executable(&project, ".claude/skills/notes/bin/run.sh"));
    assert!(!is_executable(&project, ".claude/skills/notes/empty"));
    project.good("install --frozen");
    assert_eq!(project.good("verify").code, Some(0));
}

#[test]
fn a_pattern_matches_directories_with_a_skill_in_them() {
    let project = Project::with(
        &[
            (
                "skills/one/SKILL.md",
                "---\nname: one\ndescription: 1\n---\n",
            ),
            ("skills/one/x.md", "x\n"),
            (
                "skills/two/SKILL.md",
                "---\nname: two\ndescription: 2\n---\n",
            ),
            ("skills/none/README.md", "no skill\n"),
            ("skills/README.md", "no skill\n"),
        ],
        &format!("[skills]\n{}", entry("all", "skills/*", "")),
    );
    project.good("install");
    assert_eq!(
        project.written(),
        [
            ".claude/skills/one/SKILL.md",
            ".claude/skills/one/x.md",
            ".claude/skills/two/SKILL.md"
        ]
    );
    assert!(
        project.locked("one").contains("path = \"skills/one\""),
        "{}",
        project.locked("one")
    );
    assert!(
        project.locked("two").contains("manifest_alias = \"all\""),
        "{}",
        project.locked("two")
    );
}

#[test]
fn a_skill_of_the_project_itself_is_installed_too() {
    let project = Project::new();
    project.write("mine/notes/SKILL.md", SKILL);
    project.write("mine/notes/more.md", "more\n");
    project.write("agpm.toml", "[skills]\nnotes = \"mine/notes\"\n");
    project.good("install");
    assert_eq!(project.read(".claude/skills/notes/more.md"), "more\n");
    project.write("mine/notes/more.md", "changed\n");
    project.good("install");
    assert_eq!(project.read(".claude/skills/notes/more.md"), "changed\n");
}

#[test]
fn a_directory_without_a_skill_file_is_none() {
    let project = Project::with(&[("skills/notes/README.md", "no\n")], &asking());
    project.refused("install", 1, &["package/not-found", "skills/notes"]);
}

#[test]
fn the_checksum_changes_with_a_byte_of_any_file() {
    let project = changed(|source| source.write("skills/notes/docs/old.md", "new\n"));
    project.good("install");
    let before = checksum(&project);
    update(&project);
    assert_ne!(checksum(&project), before);
    assert_eq!(project.read(".claude/skills/notes/docs/old.md"), "new\n");
}

#[cfg(unix)]
#[test]
fn the_checksum_changes_with_a_mode() {
    let project = changed(|source| set_mode(source, "skills/notes/bin/run.sh", 0o755));
    project.good("install");
    let before = checksum(&project);
    assert!(!is_executable(&project, ".claude/skills/notes/bin/run.sh"));
    update(&project);
    assert_ne!(checksum(&project), before);
    assert!(is_executable(&project, ".claude/skills/notes/bin/run.sh"));
}

#[test]
fn the_checksum_changes_with_a_name() {
    let project = changed(|source| {
        source.remove("skills/notes/docs/old.md");
        source.write("skills/notes/docs/young.md", "old\n");
    });
    project.good("install");
    let before = checksum(&project);
    update(&project);
    assert_ne!(checksum(&project), before);
}

#[test]
fn the_checksum_stays_when_something_outside_changes() {
    let project = changed(|source| source.write("skills/other.md", "new\n"));
    project.good("install");
    let before = checksum(&project);
    update(&project);
    assert_eq!(checksum(&project), before);
}

#[test]
fn names_that_break_the_rules_warn_and_install() {
    let long = "n".repeat(65);
    let wordy = "d".repeat(1025);
    for (head, code, words) in [
        (
            "name: Note Taker\ndescription: d\n",
            "skill/name",
            "Note Taker",
        ),
        ("name: other\ndescription: d\n", "skill/name", "notes"),
        ("description: d\n", "skill/name", "name"),
        ("name: notes\n", "skill/description", "description"),
        (
            "name: notes\ndescription: \"\"\n",
            "skill/description",
            "description",
        ),
        (
            &format!("name: {long}\ndescription: d\n"),
            "skill/name",
            "64",
        ),
        (
            &format!("name: notes\ndescription: {wordy}\n"),
            "skill/description",
            "1024",
        ),
    ] {
        let text = format!("---\n{head}---\nbody\n");
        let project = notes(&[("SKILL.md", &text)]);
        project.refused("install --strict", 1, &[code]);
        project.warned("install", &[&format!("warning[{code}]"), words]);
        assert_eq!(project.read(".claude/skills/notes/SKILL.md"), text);
    }
}

#[test]
fn good_heads_do_not_warn_whatever_else_they_hold() {
    let wordy = "d".repeat(1024);
    for head in [
        "name: notes\ndescription: d\nallowed-tools: Read, Write\nlicense: MIT\nmetadata:\n  a: 1\n",
        "name: notes\ndescription: d\nallowed-tools:\n  - Read\n",
        &format!("name: notes\ndescription: {wordy}\n"),
    ] {
        let project = notes(&[("SKILL.md", &format!("---\n{head}---\nbody\n"))]);
        let output = project.good("install --strict");
        assert!(output.stderr.is_empty(), "{output}");
    }
}

#[test]
fn what_the_standard_does_not_allow_is_a_warning_and_fails_a_strict_validation() {
    for (head, message) in [
        (
            "name: notes\ndescription: d\nmodel: opus\n",
            "fields that the standard does not: `model`",
        ),
        (
            "name: notes\ndescription: d\nallowed-tools: [Read]\n",
            "uses brackets",
        ),
        (
            "name: notes\ndescription: d\nargument-hint: [file]\n",
            "Copilot CLI does not load the skill",
        ),
        ("name: X Y\ndescription: d\n", "the skill's name `X Y`"),
        ("name: notes\n", "has no `description`"),
    ] {
        let project = Project::new();
        let text = format!("---\n{head}---\nbody\n");
        project
            .sandbox
            .write("project/skills/notes/SKILL.md", &text);
        project.sandbox.write(
            "project/skills/fine/SKILL.md",
            "---\nname: fine\ndescription: d\n---\n",
        );
        project
            .sandbox
            .write("project/agpm.toml", "[skills]\nall = \"skills/*\"\n");
        project.good("validate");
        let strict = project.run("validate --strict");
        assert_eq!(strict.code, Some(1), "{strict}");
        let strict = strict.to_string();
        assert!(
            strict.contains("error[skill/") && strict.contains(message),
            "{strict}"
        );
        let installed = project.good("install");
        assert!(installed.stderr.contains(message), "{installed}");
        assert_eq!(project.read(".claude/skills/notes/SKILL.md"), text);
    }
}

#[test]
fn a_skill_brings_what_its_head_declares() {
    let head = HEAD.replace(
        "description: Takes notes.\n",
        "description: Takes notes.\ndependencies:\n  snippets:\n    - path: snippets/style.md\n  skills:\n    - path: skills/other\n",
    );
    let project = Project::with(
        &[
            ("skills/notes/SKILL.md", &head),
            (
                "skills/other/SKILL.md",
                "---\nname: other\ndescription: o\n---\n",
            ),
            ("skills/other/x.txt", "x\n"),
            ("snippets/style.md", "style\n"),
        ],
        &asking(),
    );
    project.good("install");
    assert_eq!(
        project.written(),
        [
            ".claude/skills/notes/SKILL.md",
            ".claude/skills/other/SKILL.md",
            ".claude/skills/other/x.txt",
            ".claude/snippets/style.md"
        ]
    );
    let locked = project.locked("notes");
    assert!(
        locked.contains("\"snippets/style@v1.0.0\"") && locked.contains("\"skills/other@v1.0.0\""),
        "{locked}"
    );
    project.manifest("");
    project.good("install");
    assert!(project.written().is_empty());
}

#[test]
fn a_relative_declaration_starts_at_the_skill_file() {
    let head = HEAD.replace("---\n", "").to_owned();
    let text = format!("---\n{head}dependencies:\n  snippets:\n    - path: ./parts/part.md\n---\n");
    let project = notes(&[("SKILL.md", &text), ("parts/part.md", "part\n")]);
    project.good("install");
    assert!(
        project
            .written()
            .iter()
            .any(|path| path.starts_with(".claude/snippets/")),
        "{:?}",
        project.written()
    );
}

#[test]
fn a_patch_changes_the_head_of_the_skill_file_only() {
    let project = notes(&[("SKILL.md", SKILL), ("more.md", "---\nname: x\n---\n")]);
    project.manifest(&format!(
        "{}[patch.skills.notes]\ndescription = \"Ours.\"\nmodel = \"haiku\"\n",
        asking()
    ));
    project.good("install");
    let expected = SKILL
        .replace("Takes notes.\n", "Ours.\n")
        .replace("# as a list\n", "# as a list\nmodel: haiku\n");
    assert_eq!(project.read(".claude/skills/notes/SKILL.md"), expected);
    assert_eq!(
        project.read(".claude/skills/notes/more.md"),
        "---\nname: x\n---\n"
    );
    assert!(
        project
            .locked("notes")
            .contains("patches = [\"description\", \"model\"]")
    );
    let patched = checksum(&project);
    project.manifest(&asking());
    project.good("install");
    assert_eq!(project.read(".claude/skills/notes/SKILL.md"), SKILL);
    assert_eq!(checksum(&project), patched);
}

#[test]
fn a_patch_can_fix_a_name() {
    let project = notes(&[("SKILL.md", "---\nname: Wrong\ndescription: d\n---\n")]);
    project.manifest(&format!(
        "{}[patch.skills.notes]\nname = \"notes\"\n",
        asking()
    ));
    project.good("install --strict");
}

#[test]
fn templates_in_a_skill_are_filled() {
    let text = format!("{HEAD}Use {{{{ agpm.project.language }}}}.\n");
    let project = notes(&[
        ("SKILL.md", &text),
        ("more.md", "{{ agpm.resource.install_path }}\n"),
        ("x.txt", "{{ agpm.x }}\n"),
    ]);
    project.manifest(&format!("[project]\nlanguage = \"Rust\"\n{}", asking()));
    project.good("install");
    assert_eq!(
        project.read(".claude/skills/notes/SKILL.md"),
        format!("{HEAD}Use Rust.\n")
    );
    assert!(
        project
            .read(".claude/skills/notes/more.md")
            .starts_with(".claude/skills/notes")
    );
    assert_eq!(project.read(".claude/skills/notes/x.txt"), "{{ agpm.x }}\n");
}

#[test]
fn a_thousand_files_are_a_skill_and_one_more_is_not() {
    let names: Vec<String> = (0..1000).map(|n| format!("data/{n}.txt")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x\n")).collect();
    files[0] = ("SKILL.md", HEAD);
    let project = notes(&files);
    project.good("install");
    assert_eq!(project.written().len(), 1000);
    files.push(("one-more.txt", "x\n"));
    notes(&files).refused("install", 6, &["skill/limit", "1000"]);
}

#[cfg(unix)]
#[test]
fn a_link_in_a_skill_is_refused() {
    for target in ["SKILL.md", "/etc/passwd", "../../..", "nowhere"] {
        let project = Project::new();
        let mut source = project.source(&[]);
        source.write("skills/notes/SKILL.md", HEAD);
        source.link("skills/notes/docs/latest", target);
        source.commit(&[]);
        source.tag("v1.0.0");
        project.manifest(&asking());
        project.refused("install", 6, &["skill/limit", "docs/latest", "symlink"]);
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_a_skill_of_the_project_is_refused() {
    let project = Project::new();
    project.sandbox.write("secret.txt", "secret\n");
    project.write("mine/notes/SKILL.md", HEAD);
    std::os::unix::fs::symlink("../../../secret.txt", project.path("mine/notes/x.txt")).unwrap();
    project.write("agpm.toml", "[skills]\nnotes = \"mine/notes\"\n");
    let output = project.run("install");
    assert_eq!(output.code, Some(6), "{output}");
    assert!(!project.exists(".claude"));
}

#[test]
fn removal_keeps_what_the_user_put_next_to_it() {
    let project = notes(&[("SKILL.md", SKILL), ("docs/x.md", "x\n")]);
    project.good("install");
    project.write(".claude/skills/notes/mine.md", "mine\n");
    project.manifest("");
    project.good("install");
    assert_eq!(project.written(), [".claude/skills/notes/mine.md"]);
    assert!(!project.exists(".claude/skills/notes/docs"));
}

#[test]
fn an_edited_file_of_a_skill_is_kept_and_reported() {
    let project = notes(&[("SKILL.md", SKILL), ("docs/x.md", "x\n")]);
    project.good("install");
    project.write(".claude/skills/notes/docs/x.md", "edited\n");
    project.warned(
        "install",
        &["install/edited", ".claude/skills/notes/docs/x.md"],
    );
    let output = project.run("verify");
    assert!(
        output.code == Some(1) && output.stdout.contains("docs/x.md"),
        "{output}"
    );
    assert_eq!(project.read(".claude/skills/notes/docs/x.md"), "edited\n");
    project.good("install --force");
    assert_eq!(project.read(".claude/skills/notes/docs/x.md"), "x\n");
}

#[test]
fn a_file_of_the_user_in_the_way_of_a_skill_is_refused() {
    let project = notes(&[("SKILL.md", SKILL), ("docs/x.md", "x\n")]);
    project.write(".claude/skills/notes/docs/x.md", "mine\n");
    project.refused(
        "install",
        6,
        &["install/unmanaged", ".claude/skills/notes/docs/x.md"],
    );
}

#[test]
fn an_update_drops_files_that_left_and_brings_new_ones() {
    let project = changed(|source| {
        source.remove("skills/notes/docs/old.md");
        source.write("skills/notes/new/file.md", "new\n");
    });
    project.good("install");
    assert!(project.exists(".claude/skills/notes/docs/old.md"));
    update(&project);
    assert_eq!(
        project.written(),
        [
            ".claude/skills/notes/SKILL.md",
            ".claude/skills/notes/bin/run.sh",
            ".claude/skills/notes/new/file.md"
        ]
    );
    assert!(!project.exists(".claude/skills/notes/docs"));
}

#[test]
fn target_and_filename_place_the_directory() {
    let project = notes(&[
        ("SKILL.md", &HEAD.replace("notes\n", "memo\n")),
        ("x.md", "x\n"),
    ]);
    project.manifest(&format!(
        "[skills]\n{}",
        entry(
            "notes",
            "skills/notes",
            "target = \"team\", filename = \"memo\""
        )
    ));
    project.good("install --strict");
    assert_eq!(
        project.written(),
        [
            ".claude/skills/team/memo/SKILL.md",
            ".claude/skills/team/memo/x.md"
        ]
    );
}

#[test]
fn frozen_finds_a_byte_that_differs_in_any_file_of_a_skill() {
    let project = notes(&[("SKILL.md", SKILL), ("docs/x.md", "x\n")]);
    project.good("install");
    project.write(".claude/skills/notes/docs/x.md", "y\n");
    project.refused("install --frozen", 1, &["docs/x.md"]);
}

#[cfg(unix)]
#[test]
fn a_skill_that_only_is_transitive_needs_a_word_for_its_programs() {
    let project = Project::new();
    let mut source = project.source(&[]);
    source.write(
        "agents/a.md",
        "---\ndependencies:\n  skills:\n    - path: skills/notes\n---\n",
    );
    source.write("skills/notes/SKILL.md", HEAD);
    source.write("skills/notes/bin/run.sh", "#!/bin/sh\n");
    set_mode(&source, "skills/notes/bin/run.sh", 0o755);
    source.commit(&[]);
    source.tag("v1.0.0");
    project.manifest(&format!("[agents]\n{}", entry("a", "agents/a.md", "")));
    project.refused("install", 6, &["package/executable", "skills/notes"]);
    project.good("install --allow-executables");
    assert!(is_executable(&project, ".claude/skills/notes/bin/run.sh"));
}

#[test]
fn an_edited_file_that_left_the_skill_is_kept_and_reported() {
    let project = changed(|source| source.remove("skills/notes/docs/old.md"));
    project.good("install");
    project.write(".claude/skills/notes/docs/old.md", "edited\n");
    project.manifest(&asking().replace("v1.0.0", "v1.1.0"));
    project.warned("install", &["install/edited", "docs/old.md"]);
    assert_eq!(project.read(".claude/skills/notes/docs/old.md"), "edited\n");
}

#[test]
fn a_name_that_not_every_system_has_is_refused() {
    for name in ["a:b.txt", "CON", "x.", "sub/COM1.md"] {
        let project = notes(&[("SKILL.md", HEAD), (name, "x\n")]);
        project.refused("install", 6, &["skill/limit", name]);
    }
}

#[test]
fn files_of_a_skill_that_differ_in_case_are_a_clash() {
    let project = notes(&[
        ("SKILL.md", HEAD),
        ("docs/a.md", "1\n"),
        ("docs/A.md", "2\n"),
    ]);
    project.refused("install", 6, &["skill/limit", "`docs/A.md` exists twice"]);
}

#[test]
fn a_repository_inside_a_skill_is_refused() {
    let project = Project::new();
    let mut source = project.source(&[]);
    let commit = source.commit(&[("skills/notes/SKILL.md", HEAD)]);
    source.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("160000,{commit},skills/notes/sub"),
    ]);
    source.git(&["commit", "-q", "-m", "sub"]);
    source.tag("v1.0.0");
    project.manifest(&asking());
    project.refused(
        "install",
        6,
        &["skill/limit", "`sub` is another repository"],
    );
}

#[test]
fn skills_are_added_and_removed_by_command() {
    let project = notes(&[("SKILL.md", SKILL), ("docs/x.md", "x\n")]);
    project.manifest("");
    project.good("add dep skill community:skills/notes@v1.0.0");
    assert!(
        project
            .read("agpm.toml")
            .contains("[skills]\nnotes = { source = \"community\", path = \"skills/notes\"")
    );
    assert!(project.exists(".claude/skills/notes/docs/x.md"));
    project.good("remove dep skill notes");
    assert!(project.written().is_empty(), "{:?}", project.written());
}

#[test]
fn undo_takes_a_whole_skill_back() {
    let project = changed(|source| source.remove("skills/notes/docs/old.md"));
    project.good("install");
    let before = project.tree();
    project.good("install");
    update(&project);
    project.good("undo");
    let files = |tree: Vec<(String, Vec<u8>)>| -> Vec<(String, Vec<u8>)> {
        tree.into_iter()
            .filter(|(name, _)| name.starts_with(".claude") || name == "agpm.lock")
            .collect()
    };
    assert_eq!(files(project.tree()), files(before));
}

#[test]
fn a_skill_of_more_than_100_mib_is_refused_wherever_it_comes_from() {
    let project = Project::new();
    let mut source = project.source(&[]);
    source.commit(&[("skills/notes/SKILL.md", HEAD)]);
    for directory in [
        source.path().join("skills/notes"),
        project.path("skills/notes"),
    ] {
        std::fs::create_dir_all(&directory).unwrap();
        for name in ["one.bin", "two.bin"] {
            std::fs::write(directory.join(name), vec![0; 60 << 20]).unwrap();
        }
    }
    project.write("skills/notes/SKILL.md", HEAD);
    source.commit(&[]);
    source.tag("v1.0.0");
    for manifest in [asking(), "[skills]\nnotes = \"skills/notes\"\n".to_owned()] {
        project.manifest(&manifest);
        let output = project.run("install");
        assert_eq!(output.code, Some(6), "{output}");
        assert!(output.stderr.contains("more than 100 MiB"), "{output}");
        assert!(!project.exists(".claude"));
    }
}
