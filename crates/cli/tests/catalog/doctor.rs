//! The checks of `doctor` for catalogs.

use crate::support::{HOME, PROJECT, Workspace, diagnostics, text};

/// Returns the catalog codes that the doctor reports, with repetitions.
fn found(workspace: &Workspace) -> Vec<String> {
    let output = workspace.run("doctor");
    assert_eq!(
        (output.code, output.stderr.as_str()),
        (Some(0), ""),
        "{output}"
    );
    let coded = |line: &str| Some(line.split_once('[')?.1.split_once("]: ")?.0.to_owned());
    let lines = output
        .stdout
        .lines()
        .filter(|line| line.starts_with("warning[") || line.starts_with("error["));
    let strict = workspace.run("doctor --strict");
    let codes: Vec<String> = lines.filter_map(coded).collect();
    assert_eq!(strict.code, Some(i32::from(!codes.is_empty())), "{strict}");
    codes
}

fn good() -> Workspace {
    Workspace::of(&[
        (PROJECT, "name,module,path\npm,bmm,bmad/bmm/agents/pm.md\n"),
        ("bmad/bmm/agents/pm.md", "x"),
        (HOME, "name,module,path\npm,bmm,~/.bmad/bmm/agents/pm.md\n"),
        ("~/.bmad/bmm/agents/pm.md", "x"),
    ])
}

#[test]
fn a_catalog_in_order_has_no_findings() {
    let workspace = good();
    assert_eq!(found(&workspace), [""; 0]);
    assert!(
        workspace.good("doctor").contains("catalog    1 entry"),
        "{}",
        workspace.good("doctor")
    );
}

#[test]
fn no_catalog_is_not_a_finding() {
    let workspace = Workspace::of(&[]);
    assert_eq!(found(&workspace), [""; 0]);
    assert!(
        workspace.good("doctor").contains("catalog    no catalog"),
        "{}",
        workspace.good("doctor")
    );
}

#[test]
fn a_row_whose_file_is_missing_is_reported_with_its_line() {
    let workspace = good();
    std::fs::remove_file(workspace.path("bmad/bmm/agents/pm.md")).unwrap();
    assert_eq!(found(&workspace), ["catalog/missing-file"]);
    let text = workspace.good("doctor");
    assert!(
        text.contains("bmad/_cfg/agent-manifest.csv:2") && text.contains("help:"),
        "{text}"
    );
    let text = workspace.run("doctor --strict");
    assert_eq!(text.code, Some(1), "{text}");
}

#[test]
fn rows_that_are_shadowed_are_checked_too() {
    let workspace = good();
    std::fs::remove_file(workspace.path("~/.bmad/bmm/agents/pm.md")).unwrap();
    assert_eq!(found(&workspace), ["catalog/missing-file"]);
}

#[test]
fn a_path_that_leads_out_is_reported() {
    let workspace = good();
    workspace.write(
        PROJECT,
        "name,module,path\npm,bmm,bmad/bmm/agents/pm.md\nout,bmm,../x.md\n",
    );
    assert_eq!(found(&workspace), ["catalog/escape"]);
}

#[test]
fn files_that_no_row_names_are_reported() {
    let workspace = good();
    workspace.write("bmad/bmm/agents/dev.md", "x");
    workspace.write("~/.bmad/bmm/agents/qa.md", "x");
    assert_eq!(found(&workspace), ["catalog/unlisted"; 2]);
    let text = workspace.good("doctor");
    assert!(
        text.contains("bmad/bmm/agents/dev.md") && text.contains(".bmad/bmm/agents/qa.md"),
        "{text}"
    );
}

#[test]
fn files_that_are_not_entries_are_not_reported() {
    let workspace = good();
    for path in [
        "bmad/bmm/README.md",
        "bmad/bmm/agents/pm.md.bak",
        "bmad/bmm/data/x.md",
        "bmad/docs/x.md",
        "notes.md",
    ] {
        workspace.write(path, "x");
    }
    assert_eq!(found(&workspace), [""; 0]);
}

#[test]
fn workflows_and_skills_are_known_by_their_files() {
    let workspace = Workspace::of(&[
        (
            "bmad/_cfg/workflow-manifest.csv",
            "name,module,path\nplan,bmm,bmad/bmm/workflows/plan/workflow.yaml\n",
        ),
        (
            "bmad/_cfg/skill-manifest.csv",
            "name,module,path\nwriting,bmm,bmad/bmm/skills/writing\n",
        ),
        ("bmad/bmm/workflows/plan/workflow.yaml", "x"),
        ("bmad/bmm/workflows/plan/template.md", "x"),
        ("bmad/bmm/skills/writing/SKILL.md", "x"),
        ("bmad/bmm/skills/writing/more.md", "x"),
    ]);
    assert_eq!(found(&workspace), [""; 0]);
    workspace.write("bmad/bmm/workflows/2-plan/prd/workflow.md", "x");
    workspace.write("bmad/bmm/skills/reading/SKILL.md", "x");
    assert_eq!(found(&workspace), ["catalog/unlisted"; 2]);
}

#[test]
fn a_file_that_only_the_other_layer_names_is_reported() {
    let workspace = Workspace::of(&[
        (PROJECT, "name,module,path\n"),
        ("bmad/bmm/agents/pm.md", "x"),
        (HOME, "name,module,path\npm,bmm,bmad/bmm/agents/pm.md\n"),
        ("~/bmad/bmm/agents/pm.md", "x"),
    ]);
    assert_eq!(found(&workspace), ["catalog/unlisted"]);
}

#[test]
fn duplicate_and_ragged_rows_and_malformed_manifests_are_findings() {
    let workspace = good();
    let row = "pm,bmm,bmad/bmm/agents/pm.md";
    workspace.write(
        PROJECT,
        format!("name,module,path\n{row}\n{row}\n{row},more\n"),
    );
    workspace.write("bmad/_cfg/task-manifest.csv", "no name\n");
    let mut codes = found(&workspace);
    codes.sort();
    assert_eq!(
        codes,
        [
            "catalog/duplicate",
            "catalog/duplicate",
            "catalog/malformed",
            "csv/ragged"
        ]
    );
}

#[test]
fn a_manifest_that_is_malformed_does_not_make_its_files_unlisted() {
    let workspace = good();
    workspace.write(
        PROJECT,
        "name,module,path\npm,\"bmm,bmad/bmm/agents/pm.md\n",
    );
    assert_eq!(found(&workspace), ["catalog/malformed"]);
}

#[test]
fn a_module_manifest_next_to_a_malformed_one_does_not_make_files_unlisted() {
    let workspace = good();
    workspace.write(
        PROJECT,
        "name,module,path\npm,\"bmm,bmad/bmm/agents/pm.md\n",
    );
    workspace.write(
        "bmad/cis/_cfg/agent-manifest.csv",
        "name,path\ninventor,agents/inventor.md\n",
    );
    workspace.write("bmad/cis/agents/inventor.md", "x");
    assert_eq!(found(&workspace), ["catalog/malformed"]);
}

#[test]
fn findings_as_json_have_their_place() {
    let workspace = good();
    std::fs::remove_file(workspace.path("bmad/bmm/agents/pm.md")).unwrap();
    let output = workspace.run("--json doctor");
    assert_eq!(
        (output.code, output.stderr.as_str()),
        (Some(0), ""),
        "{output}"
    );
    let all = diagnostics(&output);
    let finding = all
        .iter()
        .find(|finding| text(finding, "code") == Some("catalog/missing-file"))
        .unwrap();
    assert_eq!(
        (text(finding, "file"), text(finding, "layer")),
        (Some(PROJECT), Some("project"))
    );
    assert_eq!(finding.get("line"), Some(&agpm_text::Value::from(2_i64)));
    assert_eq!(workspace.run("--json doctor --strict").code, Some(1));
}

#[test]
fn a_workflow_in_the_directory_of_a_listed_skill_is_a_part_of_it() {
    let workspace = Workspace::of(&[
        ("bmad/_cfg/workflow-manifest.csv", "name,module,path\n"),
        (
            "bmad/_cfg/skill-manifest.csv",
            "name,module,path\nplan,bmm,bmad/bmm/workflows/plan/SKILL.md\n",
        ),
        ("bmad/bmm/workflows/plan/SKILL.md", "x"),
        ("bmad/bmm/workflows/plan/workflow.md", "x"),
        ("bmad/bmm/workflows/plan/more/workflow.md", "x"),
    ]);
    assert_eq!(found(&workspace), [""; 0]);
    workspace.write("bmad/bmm/workflows/other/workflow.md", "x");
    assert_eq!(found(&workspace), ["catalog/unlisted"]);
}

/// The result of the installer of BMAD 6.12: rows with paths of the package, and files only in the directories of the
/// tools.
#[test]
fn a_skill_in_a_directory_of_a_tool_is_found_by_its_canonical_id() {
    let workspace = Workspace::of(&[
        (
            "_bmad/_config/skill-manifest.csv",
            "canonicalId,name,description,module,path\n\
             bmad-help,bmad-help,Helps,core,_bmad/core/bmad-help/SKILL.md\n\
             bmad-ux,bmad-ux,Draws,bmm,_bmad/bmm/bmad-ux/SKILL.md\n",
        ),
        (".claude/skills/bmad-help/SKILL.md", "help"),
        (".kiro/skills/bmad-ux/SKILL.md", "draw"),
    ]);
    assert_eq!(workspace.good("catalog show bmad-help"), "help");
    assert_eq!(workspace.good("catalog show bmm/bmad-ux"), "draw");
    assert_eq!(found(&workspace), [""; 0]);
    workspace.write(
        "_bmad/_config/skill-manifest.csv",
        "canonicalId,name,module,path\n../skills/bmad-help,sly,bmm,_bmad/bmm/sly/SKILL.md\n",
    );
    assert_eq!(found(&workspace), ["catalog/missing-file"]);
}
