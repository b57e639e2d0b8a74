//! The example and the edge cases of the decision about catalogs.

use crate::support::{HOME, PROJECT, Workspace};

/// The two manifests of the example, to the byte.
fn example() -> Workspace {
    Workspace::of(&[
        (
            PROJECT,
            "name,displayName,title,module,path\npm,John (Custom),Custom PM,bmm,./bmad/bmm/agents/pm.md\n",
        ),
        (
            HOME,
            "name,displayName,title,module,path\npm,John,Product Manager,bmm,~/.bmad/bmm/agents/pm.md\n",
        ),
        ("bmad/bmm/agents/pm.md", "custom\n"),
        ("~/.bmad/bmm/agents/pm.md", "plain\n"),
    ])
}

#[test]
fn merged_result_the_project_has_the_highest_rank() {
    let expected = "name,displayName,title,module,path\n\
                    \"pm\",\"John (Custom)\",\"Custom PM\",\"bmm\",\"./bmad/bmm/agents/pm.md\"\n";
    assert_eq!(example().good("catalog --format csv"), expected);
    assert_eq!(example().good("catalog agents --format csv"), expected);
}

#[test]
fn consistency_with_file_loading() {
    let workspace = example();
    assert_eq!(workspace.good("catalog show pm"), "custom\n");
    assert_eq!(workspace.good("catalog show bmm/pm --mode user"), "plain\n");
    let expected = "name,displayName,title,module,path\n\
                    \"pm\",\"John\",\"Product Manager\",\"bmm\",\"~/.bmad/bmm/agents/pm.md\"\n";
    assert_eq!(workspace.good("catalog --mode user --format csv"), expected);
}

#[test]
fn the_file_of_a_winner_is_never_taken_from_a_lower_layer() {
    let workspace = example();
    std::fs::remove_file(workspace.path("bmad/bmm/agents/pm.md")).unwrap();
    workspace.fails(
        "catalog show pm",
        1,
        &[
            "error[catalog/missing-file]",
            "./bmad/bmm/agents/pm.md",
            "project",
        ],
    );
}

#[test]
fn why_not_merge_properties() {
    let workspace = Workspace::of(&[
        (PROJECT, "name,displayName,title,module\npm,,,bmm\n"),
        (
            HOME,
            "name,displayName,title,module,capabilities\npm,John,Product Manager,bmm,plans\n",
        ),
    ]);
    assert_eq!(
        workspace.good("catalog --format csv"),
        "name,displayName,title,module\n\"pm\",\"\",\"\",\"bmm\"\n"
    );
}

#[test]
fn empty_manifests_are_skipped_silently() {
    for other in [PROJECT, HOME] {
        let workspace = Workspace::of(&[(other, "name,title\npm,PM\n")]);
        workspace.directory("bmad/_cfg");
        workspace.directory("~/.bmad/_cfg");
        assert_eq!(
            workspace.good("catalog --format csv"),
            "name,title\n\"pm\",\"PM\"\n",
            "{other}"
        );
    }
}

#[test]
fn a_manifest_of_a_header_alone_is_not_a_mistake() {
    let workspace = Workspace::of(&[(PROJECT, "name,title\n"), (HOME, "name,title\npm,PM\n")]);
    assert_eq!(workspace.names("catalog"), ["agent /pm user"]);
    workspace.good("catalog");
}

#[test]
fn malformed_csv_is_reported_and_skipped_and_the_others_count() {
    let workspace = Workspace::of(&[
        (PROJECT, "name,title\npm,\"Custom\ndev,Developer\n"),
        (
            "bmad/_cfg/workflow-manifest.csv",
            "name,description\nplan,Plans\n",
        ),
        (HOME, "name,title\npm,PM\n"),
    ]);
    let words = [
        "warning[catalog/malformed]: this catalog file is ignored",
        "bmad/_cfg/agent-manifest.csv:2",
    ];
    workspace.warned("catalog", &words);
    assert_eq!(
        workspace.names("catalog"),
        ["agent /pm user", "workflow /plan project"]
    );
}

#[test]
fn module_scoped_manifests_merge_across_modules() {
    let workspace = Workspace::of(&[
        (
            "bmad/bmm/_cfg/agent-manifest.csv",
            "name,title,path\npm,Plans,agents/pm.md\n",
        ),
        (
            "bmad/cis/_cfg/agent-manifest.csv",
            "name,title,path\npm,Invents,agents/pm.md\n",
        ),
        (
            "~/.bmad/bmm/_cfg/agent-manifest.csv",
            "name,title,path\npm,Home,agents/pm.md\ndev,Home,agents/dev.md\n",
        ),
        ("bmad/bmm/agents/pm.md", "plans\n"),
        ("bmad/cis/agents/pm.md", "invents\n"),
        ("~/.bmad/bmm/agents/dev.md", "home\n"),
    ]);
    // The module prefix prevents collisions, and the same rule holds in each module.
    assert_eq!(
        workspace.names("catalog"),
        [
            "agent bmm/dev user",
            "agent bmm/pm project",
            "agent cis/pm project"
        ]
    );
    for (name, content) in [
        ("bmm/pm", "plans\n"),
        ("cis/pm", "invents\n"),
        ("bmm/dev", "home\n"),
    ] {
        assert_eq!(workspace.good(&format!("catalog show {name}")), content);
    }
    assert_eq!(
        workspace.good("catalog --format csv"),
        "name,title,module,path\n\"dev\",\"Home\",\"bmm\",\"agents/dev.md\"\n\
         \"pm\",\"Plans\",\"bmm\",\"agents/pm.md\"\n\"pm\",\"Invents\",\"cis\",\"agents/pm.md\"\n"
    );
}

#[test]
fn clear_logging_shows_which_source_was_used() {
    let workspace = example();
    let output = workspace.run("-v catalog");
    assert!(
        output
            .stderr
            .contains("agent bmm/pm: project, bmad/_cfg/agent-manifest.csv:2"),
        "{output}"
    );
    assert_eq!(output.code, Some(0));
}
