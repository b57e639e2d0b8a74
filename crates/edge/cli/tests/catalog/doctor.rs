//! What `doctor` says of catalogs.

use crate::support::{HOME, PROJECT, Place, diagnostics, text};

/// The codes of the catalog that the doctor finds, each as often as it is told.
fn found(place: &Place) -> Vec<String> {
    let output = place.run("doctor");
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
    let strict = place.run("doctor --strict");
    let codes: Vec<String> = lines.filter_map(coded).collect();
    assert_eq!(strict.code, Some(i32::from(!codes.is_empty())), "{strict}");
    codes
}

fn good() -> Place {
    Place::of(&[
        (PROJECT, "name,module,path\npm,bmm,bmad/bmm/agents/pm.md\n"),
        ("bmad/bmm/agents/pm.md", "x"),
        (HOME, "name,module,path\npm,bmm,~/.bmad/bmm/agents/pm.md\n"),
        ("~/.bmad/bmm/agents/pm.md", "x"),
    ])
}

#[test]
fn a_catalog_in_order_has_no_findings() {
    let place = good();
    assert_eq!(found(&place), [""; 0]);
    assert!(
        place.good("doctor").contains("catalog    1 entry"),
        "{}",
        place.good("doctor")
    );
}

#[test]
fn no_catalog_is_not_a_finding() {
    let place = Place::of(&[]);
    assert_eq!(found(&place), [""; 0]);
    assert!(
        place.good("doctor").contains("catalog    no catalog"),
        "{}",
        place.good("doctor")
    );
}

#[test]
fn a_row_whose_file_is_missing_is_reported_with_its_line() {
    let place = good();
    std::fs::remove_file(place.path("bmad/bmm/agents/pm.md")).unwrap();
    assert_eq!(found(&place), ["catalog/missing-file"]);
    let text = place.good("doctor");
    assert!(
        text.contains("bmad/_cfg/agent-manifest.csv:2") && text.contains("help:"),
        "{text}"
    );
    let text = place.run("doctor --strict");
    assert_eq!(text.code, Some(1), "{text}");
}

#[test]
fn rows_that_are_shadowed_are_checked_too() {
    let place = good();
    std::fs::remove_file(place.path("~/.bmad/bmm/agents/pm.md")).unwrap();
    assert_eq!(found(&place), ["catalog/missing-file"]);
}

#[test]
fn a_path_that_leads_out_is_reported() {
    let place = good();
    place.write(
        PROJECT,
        "name,module,path\npm,bmm,bmad/bmm/agents/pm.md\nout,bmm,../x.md\n",
    );
    assert_eq!(found(&place), ["catalog/escape"]);
}

#[test]
fn files_that_no_row_names_are_reported() {
    let place = good();
    place.write("bmad/bmm/agents/dev.md", "x");
    place.write("~/.bmad/bmm/agents/qa.md", "x");
    assert_eq!(found(&place), ["catalog/unlisted"; 2]);
    let text = place.good("doctor");
    assert!(
        text.contains("bmad/bmm/agents/dev.md") && text.contains(".bmad/bmm/agents/qa.md"),
        "{text}"
    );
}

#[test]
fn files_that_are_not_entries_are_not_reported() {
    let place = good();
    for path in [
        "bmad/bmm/README.md",
        "bmad/bmm/agents/pm.md.bak",
        "bmad/bmm/data/x.md",
        "bmad/docs/x.md",
        "notes.md",
    ] {
        place.write(path, "x");
    }
    assert_eq!(found(&place), [""; 0]);
}

#[test]
fn workflows_and_skills_are_known_by_their_files() {
    let place = Place::of(&[
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
    assert_eq!(found(&place), [""; 0]);
    place.write("bmad/bmm/workflows/2-plan/prd/workflow.md", "x");
    place.write("bmad/bmm/skills/reading/SKILL.md", "x");
    assert_eq!(found(&place), ["catalog/unlisted"; 2]);
}

#[test]
fn a_file_that_only_the_other_layer_names_is_reported() {
    let place = Place::of(&[
        (PROJECT, "name,module,path\n"),
        ("bmad/bmm/agents/pm.md", "x"),
        (HOME, "name,module,path\npm,bmm,bmad/bmm/agents/pm.md\n"),
        ("~/bmad/bmm/agents/pm.md", "x"),
    ]);
    assert_eq!(found(&place), ["catalog/unlisted"]);
}

#[test]
fn duplicate_and_ragged_rows_and_malformed_manifests_are_findings() {
    let place = good();
    let row = "pm,bmm,bmad/bmm/agents/pm.md";
    place.write(
        PROJECT,
        format!("name,module,path\n{row}\n{row}\n{row},more\n"),
    );
    place.write("bmad/_cfg/task-manifest.csv", "no name\n");
    let mut codes = found(&place);
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
    let place = good();
    place.write(
        PROJECT,
        "name,module,path\npm,\"bmm,bmad/bmm/agents/pm.md\n",
    );
    assert_eq!(found(&place), ["catalog/malformed"]);
}

#[test]
fn a_module_manifest_next_to_a_malformed_one_does_not_make_files_unlisted() {
    let place = good();
    place.write(
        PROJECT,
        "name,module,path\npm,\"bmm,bmad/bmm/agents/pm.md\n",
    );
    place.write(
        "bmad/cis/_cfg/agent-manifest.csv",
        "name,path\ninventor,agents/inventor.md\n",
    );
    place.write("bmad/cis/agents/inventor.md", "x");
    assert_eq!(found(&place), ["catalog/malformed"]);
}

#[test]
fn findings_as_json_have_their_place() {
    let place = good();
    std::fs::remove_file(place.path("bmad/bmm/agents/pm.md")).unwrap();
    let output = place.run("--json doctor");
    assert_eq!(
        (output.code, output.stderr.as_str()),
        (Some(0), ""),
        "{output}"
    );
    let all = diagnostics(&output);
    let one = all
        .iter()
        .find(|one| text(one, "code") == Some("catalog/missing-file"))
        .unwrap();
    assert_eq!(
        (text(one, "file"), text(one, "layer")),
        (Some(PROJECT), Some("project"))
    );
    assert_eq!(one.get("line"), Some(&agpm_text::Value::from(2_i64)));
    assert_eq!(place.run("--json doctor --strict").code, Some(1));
}

#[test]
fn a_workflow_in_the_directory_of_a_listed_skill_is_a_part_of_it() {
    let place = Place::of(&[
        ("bmad/_cfg/workflow-manifest.csv", "name,module,path\n"),
        (
            "bmad/_cfg/skill-manifest.csv",
            "name,module,path\nplan,bmm,bmad/bmm/workflows/plan/SKILL.md\n",
        ),
        ("bmad/bmm/workflows/plan/SKILL.md", "x"),
        ("bmad/bmm/workflows/plan/workflow.md", "x"),
        ("bmad/bmm/workflows/plan/more/workflow.md", "x"),
    ]);
    assert_eq!(found(&place), [""; 0]);
    place.write("bmad/bmm/workflows/other/workflow.md", "x");
    assert_eq!(found(&place), ["catalog/unlisted"]);
}

/// What the installer of BMAD 6.12 leaves: rows with the path of the package, files in the tools' folders alone.
#[test]
fn a_skill_in_a_directory_of_a_tool_is_found_by_its_canonical_id() {
    let place = Place::of(&[
        (
            "_bmad/_config/skill-manifest.csv",
            "canonicalId,name,description,module,path\n\
             bmad-help,bmad-help,Helps,core,_bmad/core/bmad-help/SKILL.md\n\
             bmad-ux,bmad-ux,Draws,bmm,_bmad/bmm/bmad-ux/SKILL.md\n",
        ),
        (".claude/skills/bmad-help/SKILL.md", "help"),
        (".kiro/skills/bmad-ux/SKILL.md", "draw"),
    ]);
    assert_eq!(place.good("catalog show bmad-help"), "help");
    assert_eq!(place.good("catalog show bmm/bmad-ux"), "draw");
    assert_eq!(found(&place), [""; 0]);
    place.write(
        "_bmad/_config/skill-manifest.csv",
        "canonicalId,name,module,path\n../skills/bmad-help,sly,bmm,_bmad/bmm/sly/SKILL.md\n",
    );
    assert_eq!(found(&place), ["catalog/missing-file"]);
}
