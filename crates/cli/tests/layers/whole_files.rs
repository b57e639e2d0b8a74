//! Files that agpm manages as a whole, and files that change between whole and shared.

use crate::support::{Project, SETTINGS};

#[test]
fn an_unowned_file_without_keys_in_the_way_is_refused() {
    for path in [
        "CLAUDE.local.md",
        ".claude/notes.txt",
        ".claude/run.sh",
        ".claude/a.bin",
    ] {
        let project = Project::stacked(path, &["layer\n"], "");
        project.layer("org", ".claude/other.md", "x\n");
        project.write(path, "mine\n");
        project.refused(
            "install",
            6,
            &["install/unmanaged", path, "layers/org", "--adopt"],
        );
        project.good("install --adopt");
        assert_eq!(project.read(path), "layer\n");
        project.good("verify");
        project.good("undo");
        assert_eq!(project.read(path), "mine\n");
    }
}

#[test]
fn an_equal_file_is_not_a_clash() {
    let project = Project::stacked("CLAUDE.md", &["same\n"], "");
    project.write("CLAUDE.md", "same\n");
    project.good("install");
    assert_eq!(project.read("CLAUDE.md"), "same\n");
    project.good("verify");
    project.good("install --check");
}

#[test]
fn an_equal_file_stays_the_users_until_it_is_adopted() {
    let project = Project::stacked("CLAUDE.md", &["same\n"], "");
    project.write("CLAUDE.md", "same\n");
    project.good("install");
    project.layer("org", ".claude/a.md", "more\n");
    project.good("install");
    project.stack(&[], "");
    project.good("install");
    assert_eq!(project.read("CLAUDE.md"), "same\n");
    project.stack(&["org"], "");
    project.good("install --adopt");
    project.stack(&[], "");
    project.good("install");
    assert!(!project.path("CLAUDE.md").exists());
}

#[test]
fn a_file_of_the_users_that_was_equal_and_goes_comes_back_as_ours() {
    let project = Project::stacked("CLAUDE.md", &["same\n"], "");
    project.write("CLAUDE.md", "same\n");
    project.good("install");
    std::fs::remove_file(project.path("CLAUDE.md")).unwrap();
    project.good("install");
    assert_eq!(project.read("CLAUDE.md"), "same\n");
    project.stack(&[], "");
    project.good("install");
    assert!(!project.path("CLAUDE.md").exists());
}

#[test]
fn an_edited_file_is_kept_and_reported_and_force_takes_it_back() {
    for path in ["CLAUDE.md", ".claude/notes.txt", ".claude/run.sh"] {
        let project = Project::stacked(path, &["one\n"], "");
        project.good("install");
        project.write(path, "mine\n");
        project.fails("verify", 1, &["verify/changed", path]);
        project.warned("install", &["install/edited", path]);
        assert_eq!(project.read(path), "mine\n");
        project.layer("org", path, "two\n");
        project.fails("install", 1, &["install/conflict", path]);
        assert_eq!(project.read(path), "mine\n");
        project.stack(&[], "");
        project.warned("install", &["install/edited", path]);
        assert_eq!(project.read(path), "mine\n");
        project.stack(&["org"], "");
        project.good("install --force");
        assert_eq!(project.read(path), "two\n");
    }
}

#[test]
fn a_directory_or_a_link_in_the_way_is_refused() {
    let project = Project::stacked(SETTINGS, &["{\"a\": 1}"], "");
    project.layer("org", "CLAUDE.md", "x\n");
    project.write(".claude/settings.json/inner.md", "mine\n");
    project.refused("install", 6, &[SETTINGS]);
    project.refused("install --adopt", 6, &[SETTINGS]);
    std::fs::remove_dir_all(project.path(".claude")).unwrap();
    project.sandbox.write("outside.json", "{\"outside\": 1}\n");
    std::fs::create_dir(project.path(".claude")).unwrap();
    std::os::unix::fs::symlink(project.work("outside.json"), project.path(SETTINGS)).unwrap();
    for line in ["install", "install --adopt", "install --force"] {
        let output = project.run(line);
        assert_eq!(output.code, Some(6), "{line}: {output}");
        assert_eq!(project.sandbox.read("outside.json"), "{\"outside\": 1}\n");
        assert!(!project.exists("CLAUDE.md"));
    }
}

#[test]
fn a_directory_that_leads_outside_is_refused() {
    let project = Project::stacked(SETTINGS, &["{\"a\": 1}"], "");
    std::fs::create_dir(project.work("outside")).unwrap();
    std::os::unix::fs::symlink(project.work("outside"), project.path(".claude")).unwrap();
    for line in ["install", "install --force"] {
        let output = project.run(line);
        assert_eq!(output.code, Some(6), "{line}: {output}");
    }
    assert_eq!(
        std::fs::read_dir(project.work("outside")).unwrap().count(),
        0
    );
}

#[test]
fn a_file_turns_from_shared_to_whole_and_back() {
    let program = "[merge]\n\"settings.json\" = \"own\"\n[strategies.own]\ncommand = [\"sh\", \"-c\", 'echo \"not json\"', \"%base\", \"%new\"]\n";
    let project = Project::stacked(SETTINGS, &["{\"a\": 1}", "{\"b\": 2}"], "");
    project.good("install");
    project.says(SETTINGS, "{\"a\": 1, \"b\": 2}");
    project.stack(&["org", "team"], program);
    let output = project.run("install --approve programs");
    if output.code == Some(0) {
        assert_eq!(project.read(SETTINGS), "not json\n");
        project.good("verify");
    }
    project.stack(&["org", "team"], "");
    project.good("install");
    project.says(SETTINGS, "{\"a\": 1, \"b\": 2}");
    project.good("verify");
    project.stack(&[], "");
    project.good("install");
    assert!(!project.exists(".claude"));
}

#[test]
fn a_file_of_one_layer_becomes_a_directory() {
    let project = Project::stacked(".claude/x", &["file\n"], "");
    project.good("install");
    project.unlayer("org", ".claude/x");
    project.layer("org", ".claude/x/y.md", "inner\n");
    project.good("install");
    assert_eq!(project.written(), [".claude/x/y.md"]);
}

#[test]
fn a_document_that_becomes_empty_takes_its_keys_with_it() {
    let project = Project::stacked(SETTINGS, &["{\"a\": 1}"], "");
    project.write(SETTINGS, "{\"mine\": 0}\n");
    project.good("install");
    project.layer("org", SETTINGS, "{}");
    project.good("install");
    assert_eq!(project.read(SETTINGS), "{\"mine\": 0}\n");
}

#[test]
fn a_document_of_nothing_is_not_in_the_way_of_a_users_keys() {
    for empty in ["", "// nothing\n"] {
        let project = Project::stacked(SETTINGS, &[empty], "");
        project.write(SETTINGS, "{\"mine\": 0}\n");
        project.good("install");
        assert_eq!(project.read(SETTINGS), "{\"mine\": 0}\n", "{empty:?}");
    }
}

#[test]
fn a_document_that_is_not_a_map_is_one_value() {
    let project = Project::stacked(".claude/l.json", &["[1, 2]"], "");
    project.good("install --approve all");
    assert_eq!(project.read(".claude/l.json"), "[1, 2]");
    project.layer("org", ".claude/l.json", "[3]");
    project.good("install --approve all");
    assert_eq!(project.read(".claude/l.json"), "[3]");
    project.write(".claude/l.json", "[4]");
    project.warned("install --approve all", &["install/edited"]);
    assert_eq!(project.read(".claude/l.json"), "[4]");
    let project = Project::stacked(".claude/l.json", &["[1, 2]"], "");
    project.write(".claude/l.json", "[7]");
    project.refused(
        "install --approve all",
        6,
        &["install/unmanaged", ".claude/l.json"],
    );
}

#[test]
fn a_file_that_is_whole_follows_its_layers_byte_for_byte_until_a_user_writes_in_it() {
    let project = Project::stacked(SETTINGS, &["{\"a\": 1} // one\n"], "");
    project.good("install --approve all");
    project.layer("org", SETTINGS, "// two\n{\"a\":   1}\n");
    project.good("install --approve all");
    assert_eq!(project.read(SETTINGS), "// two\n{\"a\":   1}\n");
    project.write(SETTINGS, "// two\n{\"a\":   1, \"mine\": 0}\n");
    project.layer("org", SETTINGS, "{\"a\": 2, \"b\": 3}\n");
    project.good("install --approve all");
    project.says(SETTINGS, "{\"a\": 2, \"mine\": 0, \"b\": 3}");
    assert!(project.read(SETTINGS).starts_with("// two\n"));
}

#[test]
fn an_empty_structured_file_of_the_user_stays_the_users() {
    for (path, empty) in [
        (".codex/config.toml", ""),
        (".claude/a.yaml", "# later\n"),
        (SETTINGS, "// later\n"),
    ] {
        let project = Project::stacked(path, &[empty], "");
        project.write(path, empty);
        project.good("install");
        project.stack(&[], "");
        project.good("install");
        assert!(project.exists(path), "{path}");
    }
}

#[test]
fn adopting_a_document_of_nothing_costs_no_key_of_the_user() {
    for empty in ["", "// later\n"] {
        let project = Project::stacked(SETTINGS, &[empty], "");
        project.write(SETTINGS, "{\"mine\": 0}\n");
        project.good("install --adopt");
        project.says(SETTINGS, "{\"mine\": 0}");
    }
}
