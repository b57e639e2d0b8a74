//! Locations of manifests: generations, modules, the nearest directory, home, modes.

use crate::support::{HOME, PROJECT, Workspace, text};

const ROOTS: [&str; 4] = ["bmad/_cfg", ".bmad/_cfg", "_bmad/_config", "_bmad/_cfg"];
const FILES: [(&str, &str); 5] = [
    ("agent", "agent-manifest.csv"),
    ("workflow", "workflow-manifest.csv"),
    ("task", "task-manifest.csv"),
    ("tool", "tool-manifest.csv"),
    ("skill", "skill-manifest.csv"),
];

#[test]
fn every_generation_and_every_kind_is_found_in_the_project_and_in_home() {
    for root in ROOTS {
        for (kind, file) in FILES {
            for (prefix, layer) in [("", "project"), ("~/", "user")] {
                let path = format!("{prefix}{root}/{file}");
                let workspace = Workspace::of(&[(&path, "name,module\nx,m\n")]);
                assert_eq!(
                    workspace.names("catalog"),
                    [format!("{kind} m/x {layer}")],
                    "{path}"
                );
            }
        }
    }
}

#[test]
fn manifests_of_modules_are_found_in_every_generation() {
    for root in ["bmad", ".bmad", "_bmad"] {
        for config in ["_cfg", "_config"] {
            for (prefix, layer) in [("", "project"), ("~/", "user")] {
                let path = format!("{prefix}{root}/bmm/{config}/workflow-manifest.csv");
                let workspace = Workspace::of(&[(&path, "name\nplan\n")]);
                assert_eq!(
                    workspace.names("catalog"),
                    [format!("workflow bmm/plan {layer}")],
                    "{path}"
                );
            }
        }
    }
}

#[test]
fn other_directories_and_files_are_not_catalog() {
    for path in [
        "bmad/agent-manifest.csv",
        "bmad/_config/agent-manifest.csv",
        "bmad/_cfg/agents.csv",
        "bmad/_cfg/Agent-Manifest.csv",
        "bmad/_cfg/agent-manifest.csv.bak",
        "bmad/a/b/_cfg/agent-manifest.csv",
        "bmad/_cfg/_cfg/agent-manifest.csv",
        "_cfg/agent-manifest.csv",
    ] {
        let workspace = Workspace::of(&[(path, "name\nx\n")]);
        assert_eq!(workspace.names("catalog"), [""; 0], "{path}");
    }
}

#[test]
fn a_file_in_the_place_of_a_directory_is_not_a_root() {
    let workspace = Workspace::of(&[
        (PROJECT, "name\ntop\n"),
        ("a/bmad/_cfg", "a file"),
        ("b/bmad", "a file"),
    ]);
    workspace.link("c/bmad", "nowhere");
    for directory in ["a", "b", "c"] {
        assert_eq!(
            workspace.names_in(directory, "catalog"),
            ["agent /top project"],
            "{directory}"
        );
        workspace.good_in(directory, "catalog");
    }
}

#[test]
fn generations_side_by_side_are_one_layer_and_the_order_of_the_contract_ranks_them() {
    let workspace = Workspace::of(&[]);
    for (at, root) in ROOTS.iter().enumerate() {
        workspace.write(
            &format!("{root}/agent-manifest.csv"),
            format!("name,title\nx,{root}\nown{at},{root}\n"),
        );
    }
    for (at, root) in ROOTS.iter().enumerate() {
        let rows = workspace.rows("catalog");
        let title = |name: &str| {
            let row = rows.iter().find(|row| text(row, "name") == Some(name));
            row.and_then(|row| text(row, "title")).map(str::to_owned)
        };
        assert_eq!(title("x").as_deref(), Some(*root));
        assert_eq!(title("own3").as_deref(), Some(ROOTS[3]));
        assert_eq!(rows.len(), ROOTS.len() + 1 - at);
        std::fs::remove_file(workspace.path(&format!("{root}/agent-manifest.csv"))).unwrap();
    }
}

#[test]
fn a_manifest_of_the_whole_catalog_ranks_above_a_modules_own() {
    let workspace = Workspace::of(&[
        (PROJECT, "name,title,module\npm,whole,bmm\n"),
        (
            "bmad/bmm/_cfg/agent-manifest.csv",
            "name,title\npm,module\ndev,module\n",
        ),
        (
            "bmad/bmm/_config/agent-manifest.csv",
            "name,title\ndev,config\nqa,config\n",
        ),
    ]);
    let rows = workspace.rows("catalog");
    let titles: Vec<&str> = rows.iter().map(|row| text(row, "title").unwrap()).collect();
    assert_eq!(titles, ["module", "whole", "config"]);
}

#[test]
fn a_row_of_a_modules_manifest_may_name_another_module() {
    let workspace = Workspace::of(&[(
        "bmad/bmm/_cfg/agent-manifest.csv",
        "name,module\npm,cis\ndev,\nqa, \n",
    )]);
    let expected = [
        "agent bmm/dev project",
        "agent bmm/qa project",
        "agent cis/pm project",
    ];
    assert_eq!(workspace.names("catalog"), expected);
}

#[test]
fn the_project_is_the_nearest_directory_upward_that_holds_a_root() {
    let workspace = Workspace::of(&[
        (PROJECT, "name\ntop\nshared\n"),
        ("a/_bmad/_config/agent-manifest.csv", "name\nnear\nshared\n"),
    ]);
    workspace.directory("a/b/c");
    workspace.directory("b");
    for (directory, names) in [
        ("a/b/c", ["agent /near project", "agent /shared project"]),
        ("a", ["agent /near project", "agent /shared project"]),
        (
            "a/_bmad/_config",
            ["agent /near project", "agent /shared project"],
        ),
        ("b", ["agent /shared project", "agent /top project"]),
        ("", ["agent /shared project", "agent /top project"]),
    ] {
        assert_eq!(
            workspace.names_in(directory, "catalog"),
            names,
            "{directory}"
        );
    }
}

#[test]
fn a_module_alone_makes_a_directory_the_project() {
    let workspace = Workspace::of(&[
        (PROJECT, "name\ntop\n"),
        ("a/bmad/bmm/_cfg/agent-manifest.csv", "name\nnear\n"),
    ]);
    assert_eq!(
        workspace.names_in("a", "catalog"),
        ["agent bmm/near project"]
    );
}

#[test]
fn home_is_never_the_project() {
    let workspace = Workspace::of(&[(HOME, "name\npm\n")]);
    workspace.directory("~/code/deep");
    for directory in ["~/", "~/.bmad", "~/.bmad/_cfg", "~/code", "~/code/deep"] {
        assert_eq!(
            workspace.names_in(directory, "catalog"),
            ["agent /pm user"],
            "{directory}"
        );
        assert_eq!(
            workspace.names_in(directory, "catalog --all"),
            ["agent /pm user"],
            "{directory}"
        );
        assert_eq!(
            workspace.names_in(directory, "catalog --mode local"),
            [""; 0],
            "{directory}"
        );
        assert_eq!(
            workspace.names_in(directory, "catalog --mode user"),
            ["agent /pm user"],
            "{directory}"
        );
    }
}

#[test]
fn a_project_below_home_is_the_project() {
    let workspace = Workspace::of(&[
        (HOME, "name\npm\n"),
        ("~/code/bmad/_cfg/agent-manifest.csv", "name\npm\nown\n"),
    ]);
    assert_eq!(
        workspace.names_in("~/code", "catalog"),
        ["agent /own project", "agent /pm project"]
    );
}

#[test]
fn home_behind_a_link_is_home_all_the_same() {
    let workspace = Workspace::of(&[(HOME, "name\npm\n")]);
    workspace.link("linked", workspace.sandbox.home());
    let mut command = workspace.sandbox.command(crate::support::PROGRAM);
    command
        .env("HOME", workspace.path("linked"))
        .current_dir(workspace.sandbox.home())
        .args(["catalog", "--format", "csv"]);
    command.args(["--mode", "local"]);
    let output = workspace.sandbox.output(command);
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (Some(0), ""),
        "{output}"
    );
}

#[test]
fn without_a_home_there_is_not_a_layer_of_the_user() {
    let workspace = Workspace::of(&[(PROJECT, "name\npm\n")]);
    let mut command = workspace.sandbox.command(crate::support::PROGRAM);
    command
        .env_remove("HOME")
        .env_remove("USERPROFILE")
        .args(["catalog", "--format", "csv"]);
    let output = workspace.sandbox.output(command);
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (Some(0), "name\n\"pm\"\n"),
        "{output}"
    );
}

#[test]
fn modes_choose_the_layers() {
    let workspace = Workspace::agents("both,,m,\nmine,,m,\n", "both,,m,\ntheirs,,m,\n");
    let all = [
        "agent m/both project",
        "agent m/mine project",
        "agent m/theirs user",
    ];
    for (mode, names) in [
        ("", &all[..]),
        ("--mode auto", &all[..]),
        ("--mode=auto", &all[..]),
        (
            "--mode local",
            &["agent m/both project", "agent m/mine project"][..],
        ),
        (
            "--mode user",
            &["agent m/both user", "agent m/theirs user"][..],
        ),
        ("--mode strict", &[][..]),
    ] {
        assert_eq!(workspace.names(&format!("catalog {mode}")), names, "{mode}");
    }
}

#[test]
fn a_mode_that_is_none_is_wrong_usage_and_the_modes_are_listed() {
    let workspace = Workspace::agents("pm,,,\n", "");
    for line in [
        "catalog --mode global",
        "catalog --mode AUTO",
        "catalog agents --mode=",
        "catalog show pm --mode x",
    ] {
        let output = workspace.fails(line, 2, &["--mode", "auto", "local", "user", "strict"]);
        assert!(output.stderr.starts_with("error[usage]"), "{output}");
    }
    let output = workspace.run("--json catalog --mode global");
    assert_eq!(
        (output.code, crate::support::codes(&output)),
        (Some(2), vec!["usage".to_owned()]),
        "{output}"
    );
}

#[test]
fn nothing_anywhere_is_an_empty_list_and_a_note() {
    let workspace = Workspace::of(&[]);
    for line in ["catalog", "catalog agents --format csv", "catalog --all"] {
        let output = workspace.run(line);
        assert_eq!(
            (output.code, output.stdout.as_str()),
            (Some(0), ""),
            "{line}\n{output}"
        );
        assert!(
            output
                .stderr
                .starts_with("note[catalog/empty]: no catalog "),
            "{line}\n{output}"
        );
    }
    for line in ["catalog --format json", "--json catalog"] {
        let output = workspace.run(line);
        assert_eq!(
            (output.code, output.stderr.as_str()),
            (Some(0), ""),
            "{line}\n{output}"
        );
        assert_eq!(crate::support::codes(&output), ["catalog/empty"]);
    }
    assert_eq!(workspace.rows("catalog").len(), 0);
    assert_eq!(workspace.good("-q catalog"), "");
    let output = workspace.fails(
        "catalog show pm",
        3,
        &["error[name/unknown]", "pm", "help:"],
    );
    assert!(output.stderr.contains("agpm catalog"), "{output}");
    workspace.fails("explain catalog:bmm/pm", 3, &["error[name/unknown]"]);
}

#[test]
fn a_kind_that_no_manifest_is_of_is_an_empty_list_and_a_note() {
    let workspace = Workspace::agents("pm,,m,\n", "");
    assert_eq!(
        workspace.warned(
            "catalog tasks",
            &["note[catalog/empty]", "no catalog of tasks"]
        ),
        ""
    );
    assert_eq!(workspace.rows("catalog tasks").len(), 0);
}

#[test]
fn a_mode_that_leaves_every_layer_out_is_a_note() {
    let workspace = Workspace::agents("pm,,,\n", "");
    workspace.warned("catalog --mode user", &["note[catalog/empty]", "home"]);
    workspace.warned("catalog --mode strict", &["note[catalog/empty]"]);
    workspace.fails("catalog show pm --mode user", 3, &["error[name/unknown]"]);
}

#[test]
fn manifests_that_are_there_and_malformed_are_not_said_to_be_nowhere() {
    let workspace = Workspace::of(&[(PROJECT, "name,title\npm,\"open\n")]);
    let output = workspace.run("catalog");
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (Some(0), ""),
        "{output}"
    );
    assert!(output.stderr.contains("catalog/malformed"), "{output}");
    assert!(!output.stderr.contains("no catalog was found"), "{output}");
}
