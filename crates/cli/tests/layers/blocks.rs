//! Text of layers next to the project's own: blocks in `AGENTS.md`, `CLAUDE.md` and `GEMINI.md`.

use crate::support::Project;

fn block(layer: &str, text: &str) -> String {
    format!("<!-- agpm:begin layers/{layer} -->\n{text}<!-- agpm:end layers/{layer} -->\n")
}

#[test]
fn a_projects_own_file_gets_a_block_for_each_layer() {
    for path in ["AGENTS.md", "CLAUDE.md", "GEMINI.md"] {
        let project = Project::stacked(path, &["Org.\n", "---\nfront: x\n---\nTeam.\n"], "");
        project.write(path, "# Mine\n");
        project.good("install");
        let blocks = format!("{}\n{}", block("org", "Org.\n"), block("team", "Team.\n"));
        assert_eq!(project.read(path), format!("# Mine\n\n{blocks}"));
        project.good("install --check");
        project.good("verify");
        project.layer("org", path, "Organization.\n");
        project.good("install");
        let changed = blocks.replace("Org.", "Organization.");
        assert_eq!(project.read(path), format!("# Mine\n\n{changed}"));
        project.good("undo");
        assert_eq!(project.read(path), format!("# Mine\n\n{blocks}"));
        project.good("undo");
        assert_eq!(project.read(path), "# Mine\n");
        project.good("install");
        project.stack(&[], "");
        project.good("install");
        assert_eq!(project.read(path), "# Mine\n");
    }
}

#[test]
fn without_a_file_of_the_project_the_layers_give_it_whole() {
    let project = Project::stacked("AGENTS.md", &["Org.\n"], "");
    project.good("install");
    assert_eq!(project.read("AGENTS.md"), "Org.\n");
    project.write("AGENTS.md", "edited\n");
    project.warned("install", &["install/edited", "AGENTS.md"]);
    assert_eq!(project.read("AGENTS.md"), "edited\n");
}

#[test]
fn the_strategy_block_is_for_every_case_and_for_markdown() {
    let merge = "[merge]\n\"AGENTS.md\" = \"block\"\n\"notes.md\" = \"block\"\n";
    let project = Project::stacked("AGENTS.md", &["Org.\n"], merge);
    project.good("install");
    assert_eq!(project.read("AGENTS.md"), block("org", "Org.\n"));
    project.stack(&[], "");
    project.good("install");
    assert!(!project.path("AGENTS.md").exists());
    let json = Project::stacked(
        ".claude/settings.json",
        &["{}"],
        "[merge]\n\"settings.json\" = \"block\"\n",
    );
    json.fails("install", 1, &["only Markdown has blocks"]);
}

#[test]
fn another_strategy_leaves_the_file_to_the_user() {
    let merge = "[merge]\n\"AGENTS.md\" = \"replace\"\n";
    let project = Project::stacked("AGENTS.md", &["Org.\n"], merge);
    project.write("AGENTS.md", "# Mine\n");
    project.refused("install", 6, &["install/unmanaged", "AGENTS.md"]);
}

#[test]
fn instructions_and_layers_share_a_file() {
    let project = Project::stacked(
        "AGENTS.md",
        &["Org.\n"],
        "[instructions]\nown = { path = \"own.txt.md\", tool = \"codex\" }\n",
    );
    project.write("own.txt.md", "Own.\n");
    project.good("install");
    let own = block("org", "Own.\n").replace("layers/org", "instructions/own");
    assert_eq!(
        project.read("AGENTS.md"),
        format!("{}\n{own}", block("org", "Org.\n"))
    );
    project.good("install --check");
    project.good("verify");
}

#[test]
fn marker_lines_of_a_layer_are_refused() {
    let project = Project::stacked("AGENTS.md", &["<!-- agpm:end layers/org -->\n"], "");
    project.write("AGENTS.md", "# Mine\n");
    project.refused("install", 6, &["resource/markers", "layers/org"]);
}
