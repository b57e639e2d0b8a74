//! Instructions: files in the format of each tool, and blocks in files that users write too.

use crate::support::{Project, entry, json};

const STYLE: &str = "---\ndescription: Style\npaths: [\"src/**\"]\n---\n\n# Style\n\nUse tabs.\n";
const GENERAL: &str = "# General\n\nBe brief.\n";

/// Returns a block as written.
fn block(name: &str, text: &str) -> String {
    format!(
        "<!-- agpm:begin instructions/{name} -->\n{text}<!-- agpm:end instructions/{name} -->\n"
    )
}

fn general() -> String {
    block("general", GENERAL)
}

/// A project with `general`, which is a block in `AGENTS.md`.
fn with_block() -> Project {
    let project = Project::new();
    project.release(&[("rules/general.md", GENERAL), ("rules/style.md", STYLE)]);
    project.manifest(&one_block());
    project
}

fn one_block() -> String {
    let entry = entry("general", "rules/general.md", "tool = \"codex\"");
    format!("[instructions]\n{entry}")
}

fn no_entries(project: &Project) {
    project.manifest("");
    project.good("install");
}

#[test]
fn every_tool_gets_instructions_in_its_own_words() {
    let project = Project::new();
    project.release(&[("rules/general.md", GENERAL), ("rules/style.md", STYLE)]);
    project.write("src/main.rs", "");
    let tools = "tools = [\"claude-code\", \"cursor\", \"copilot\", \"codex\", \"opencode\", \"amp\", \"zed\", \"agents\", \"gemini\"]";
    let entries = [
        entry("style", "rules/style.md", tools),
        entry("general", "rules/general.md", tools),
    ];
    project.manifest(&format!("[instructions]\n{}", entries.concat()));
    project.good("install");
    let body = "\n# Style\n\nUse tabs.\n";
    let style = block("style", "Applies to: `src/**`\n\n# Style\n\nUse tabs.\n");
    for (path, expected) in [
        (".claude/rules/style.md", STYLE.to_owned()),
        (".claude/rules/general.md", GENERAL.to_owned()),
        (
            ".cursor/rules/style.mdc",
            format!("---\ndescription: Style\nglobs: src/**\nalwaysApply: false\n---\n{body}"),
        ),
        (
            ".cursor/rules/general.mdc",
            format!("---\nalwaysApply: true\n---\n{GENERAL}"),
        ),
        (
            ".github/instructions/style.instructions.md",
            format!("---\ndescription: Style\napplyTo: src/**\n---\n{body}"),
        ),
        (
            ".github/instructions/general.instructions.md",
            format!("---\napplyTo: \"**\"\n---\n{GENERAL}"),
        ),
        ("AGENTS.md", general()),
        ("src/AGENTS.md", style.clone()),
        ("GEMINI.md", general()),
        ("src/GEMINI.md", style),
    ] {
        assert_eq!(project.read(path), expected, "{path}");
    }
    assert!(!project.exists("CLAUDE.md"));
    let locked = project.locked("style");
    assert!(
        locked.contains("{ tool = \"codex\", at = \"src/AGENTS.md\" }"),
        "{locked}"
    );
    assert!(
        locked.contains("{ tool = \"cursor\", at = \".cursor/rules/style.mdc\" }"),
        "{locked}"
    );
    assert_eq!(
        project.good("install").stdout,
        "Everything is up to date (2 resources)\n"
    );
    project.good("install --locked --check");
    project.good("install --frozen --check");
    project.good("verify");
    let before = project.tree();
    project.good("install --force");
    assert_eq!(project.tree(), before);
    no_entries(&project);
    assert_eq!(project.written(), ["src/main.rs"]);
}

#[test]
fn the_entry_decides_over_the_front_matter() {
    let project = Project::new();
    project.release(&[("rules/style.md", STYLE)]);
    project.write("docs/x.md", "");
    for (paths, file, text) in [
        (
            "[\"docs/**\"]",
            "docs/AGENTS.md",
            "Applies to: `docs/**`\n\n",
        ),
        (
            "\"docs/a/**, docs/*.md\"",
            "docs/AGENTS.md",
            "Applies to: `docs/a/**`, `docs/*.md`\n\n",
        ),
        ("[\"none/**\"]", "AGENTS.md", "Applies to: `none/**`\n\n"),
        (
            "[\"docs/**\", \"src/**\"]",
            "AGENTS.md",
            "Applies to: `docs/**`, `src/**`\n\n",
        ),
        ("[\"**\"]", "AGENTS.md", ""),
    ] {
        let more = format!("tool = \"codex\", paths = {paths}");
        project.manifest(&format!(
            "[instructions]\n{}",
            entry("style", "rules/style.md", &more)
        ));
        project.good("install");
        let expected = block("style", &format!("{text}# Style\n\nUse tabs.\n"));
        assert_eq!(project.read(file), expected, "{paths}");
        let locked = project.locked("style");
        assert!(
            locked.contains(&format!("installed_at = \"{file}\"")),
            "{locked}"
        );
        project.good("install --frozen --check");
        project.good("verify");
    }
    assert!(!project.exists("docs/AGENTS.md"));
}

#[test]
fn directories_that_an_install_creates_count_for_it() {
    let project = Project::new();
    project.release(&[
        (
            "rules/ci.md",
            "---\napplyTo: '.github/workflows/*.yml'\n---\nPin actions.\n",
        ),
        ("agents/a.md", "---\nname: a\ndescription: A\n---\nA.\n"),
    ]);
    project.manifest(&format!(
        "[instructions]\n{}[agents]\n{}",
        entry("ci", "rules/ci.md", "tool = \"codex\""),
        entry("a", "agents/a.md", "tool = \"copilot\""),
    ));
    project.good("install");
    assert!(project.exists(".github/AGENTS.md"));
    let again = project.good("update");
    assert!(again.stdout.contains("up to date"), "{again}");
}

#[test]
fn a_block_for_every_tool_goes_into_the_file_that_the_tool_reads() {
    let project = Project::new();
    project.release(&[("rules/general.md", GENERAL)]);
    let more =
        "block = true, tools = [\"claude-code\", \"cursor\", \"copilot\", \"codex\", \"gemini\"]";
    let manifest = format!(
        "[instructions]\n{}",
        entry("general", "rules/general.md", more)
    );
    project.manifest(&manifest);
    project.good("install");
    assert_eq!(project.written(), ["AGENTS.md", "GEMINI.md"]);
    assert_eq!(project.read("AGENTS.md"), general());
    project.good("install --frozen --check");
    no_entries(&project);
    project.write("CLAUDE.md", "# Claude\n");
    project.manifest(&manifest);
    project.good("install");
    assert_eq!(project.written(), ["AGENTS.md", "CLAUDE.md", "GEMINI.md"]);
    assert_eq!(
        project.read("CLAUDE.md"),
        format!("# Claude\n\n{}", general())
    );
    let locked = project.locked("general");
    assert!(
        locked.contains("{ tool = \"claude-code\", at = \"CLAUDE.md\" }"),
        "{locked}"
    );
    no_entries(&project);
    assert_eq!(project.read("CLAUDE.md"), "# Claude\n");
}

#[test]
fn every_byte_around_a_block_stays_through_its_life() {
    for mine in [
        "# Mine\n",
        "# Mine",
        "# Mine\n\n",
        "",
        "\u{feff}# Mine\r\n\r\ntext\r\n",
        "a\r\nb\r\nc\n",
        "---\nfront: matter\n---\n# Mine\n",
        "```\n<!-- agpm:begin instructions/general -->\n```\n",
        "- item\n  ```\n  code\n  ```\n",
    ] {
        let project = with_block();
        project.write("AGENTS.md", mine);
        project.good("install");
        let written = project.read("AGENTS.md");
        assert!(written.starts_with(mine), "{written:?}");
        assert_eq!(
            written.matches("agpm:begin instructions/general").count(),
            1 + mine.matches("agpm:begin").count()
        );
        let mixed = written.contains("\r\n") && !mine.contains('\r');
        assert!(!mixed, "{written:?}");
        assert_eq!(
            project.good("install").stdout,
            "Everything is up to date (1 resource)\n"
        );
        project.good("undo");
        assert_eq!(project.read("AGENTS.md"), mine);
        project.good("install");
        no_entries(&project);
        assert_eq!(project.read("AGENTS.md"), mine);
        project.good("undo");
        assert_eq!(project.read("AGENTS.md"), written);
    }
}

#[test]
fn blocks_come_in_the_order_of_the_manifest_and_stay_where_they_are() {
    let project = Project::new();
    project.release(&[("a.md", "A\n"), ("b.md", "B\n"), ("c.md", "C\n")]);
    let tool = "tool = \"codex\"";
    let (a, b, c) = (
        entry("a", "a.md", tool),
        entry("b", "b.md", tool),
        entry("c", "c.md", tool),
    );
    project.manifest(&format!("[instructions]\n{c}{a}"));
    project.good("install");
    let (block_a, block_b, block_c) = (block("a", "A\n"), block("b", "B\n"), block("c", "C\n"));
    assert_eq!(project.read("AGENTS.md"), format!("{block_c}\n{block_a}"));
    project.manifest(&format!("[instructions]\n{a}{b}{c}"));
    project.good("install");
    assert_eq!(
        project.read("AGENTS.md"),
        format!("{block_c}\n{block_a}\n{block_b}")
    );
    let moved = format!("{block_b}text\n{block_a}\n{block_c}");
    project.write("AGENTS.md", &moved);
    project.good("install");
    assert_eq!(project.read("AGENTS.md"), moved);
    project.good("verify");
}

#[test]
fn a_new_version_replaces_the_block_alone() {
    let project = Project::new();
    let mut source = project.release(&[("rules/general.md", GENERAL)]);
    source.commit(&[("rules/general.md", "Be long.\n")]);
    source.tag("v1.1.0");
    let entry = "general = { source = \"community\", path = \"rules/general.md\", version = \"^1.0\", tool = \"codex\" }\n";
    project.manifest(&format!(
        "[instructions]\n{}",
        entry.replace("^1.0", "=1.0.0")
    ));
    project.write("AGENTS.md", "# Mine\n");
    project.good("install");
    let text = project.read("AGENTS.md") + "\nafter\n";
    project.write("AGENTS.md", &text);
    project.manifest(&format!("[instructions]\n{entry}"));
    project.good("update");
    assert_eq!(
        project.read("AGENTS.md"),
        text.replace(GENERAL, "Be long.\n")
    );
    project.good("undo");
    assert_eq!(project.read("AGENTS.md"), text);
}

#[test]
fn an_edited_block_is_kept_and_left_to_the_user() {
    let project = with_block();
    project.write("AGENTS.md", "# Mine\n");
    project.good("install");
    let edited = project.read("AGENTS.md").replace("Be brief.", "Be nice.");
    project.write("AGENTS.md", &edited);
    project.warned(
        "install",
        &["install/edited", "instructions/general", "AGENTS.md"],
    );
    assert_eq!(project.read("AGENTS.md"), edited);
    let verified = project.run("verify");
    assert_eq!(verified.code, Some(1));
    assert!(
        verified.stdout.contains("instructions/general"),
        "{verified}"
    );
    assert_eq!(project.run("install --frozen --check").code, Some(1));
    project.manifest("");
    project.warned("install", &["install/edited", "no longer manages it"]);
    assert_eq!(project.read("AGENTS.md"), edited);
    // From now on it is a block like the user's own.
    project.good("install");
    project.manifest(&one_block());
    project.refused(
        "install",
        6,
        &["install/unmanaged", "instructions/general", "--adopt"],
    );
    project.good("install --adopt");
    assert_eq!(
        project.read("AGENTS.md"),
        format!("# Mine\n\n{}", general())
    );
}

#[test]
fn force_drops_the_edits_of_a_block() {
    let project = with_block();
    project.write("AGENTS.md", "# Mine\n");
    project.good("install");
    let text = project.read("AGENTS.md");
    project.write("AGENTS.md", &text.replace("Be brief.", "Be nice."));
    project.good("install --force");
    assert_eq!(project.read("AGENTS.md"), text);
    project.write("AGENTS.md", &text.replace("Be brief.", "Be nice."));
    project.manifest("");
    project.good("install --force");
    assert_eq!(project.read("AGENTS.md"), "# Mine\n");
}

#[test]
fn a_block_that_the_user_deletes_comes_back() {
    let project = with_block();
    project.write("AGENTS.md", "# Mine\n");
    project.good("install");
    project.write("AGENTS.md", "# Mine, edited\n");
    let verified = project.run("verify");
    assert_eq!(verified.code, Some(1));
    assert!(verified.stdout.contains("verify/missing"), "{verified}");
    project.good("install");
    assert_eq!(
        project.read("AGENTS.md"),
        format!("# Mine, edited\n\n{}", general())
    );
}

#[test]
fn broken_markers_are_an_error_with_the_line_and_nothing_is_written() {
    let (begin, end) = (
        "<!-- agpm:begin instructions/general -->\n",
        "<!-- agpm:end instructions/general -->\n",
    );
    for (text, line) in [
        (format!("x\n{begin}y\n"), "line 2"),
        (format!("x\n\n{end}"), "line 3"),
        (format!("{begin}<!-- agpm:begin other -->\n{end}"), "line 2"),
        (format!("{begin}{end}{begin}{end}"), "line 3"),
        ("a\n```\nopen\n".to_owned(), "line 2"),
    ] {
        let project = with_block();
        project.write("AGENTS.md", &text);
        project.refused("install", 1, &["block/markers", line, "AGENTS.md"]);
    }
}

#[test]
fn marker_lines_in_the_text_are_refused() {
    for text in [
        "a\n<!-- agpm:end instructions/general -->\n",
        "<!-- agpm:begin x -->\na\n",
        "---\npaths: a\n---\n<!-- agpm:begin x -->  \n",
    ] {
        let project = Project::new();
        project.release(&[("rules/general.md", text)]);
        project.manifest(&one_block());
        project.refused("install", 6, &["resource/markers", "instructions/general"]);
    }
    let project = Project::new();
    project.release(&[(
        "rules/general.md",
        "```\n<!-- agpm:end instructions/general -->\n```\ninline <!-- agpm:end x -->\n",
    )]);
    project.manifest(&one_block());
    project.good("install");
    project.good("verify");
    assert_eq!(
        project.good("install").stdout,
        "Everything is up to date (1 resource)\n"
    );
}

#[test]
fn an_open_fence_of_an_instruction_ends_with_its_block() {
    let project = Project::new();
    project.release(&[("rules/general.md", "```sh\nrun\n")]);
    project.manifest(&one_block());
    project.good("install");
    assert_eq!(
        project.read("AGENTS.md"),
        block("general", "```sh\nrun\n```\n")
    );
    project.good("verify");
}

#[test]
fn a_file_goes_with_its_last_block_if_agpm_created_it() {
    let project = with_block();
    project.good("install");
    no_entries(&project);
    assert!(!project.exists("AGENTS.md"));
    project.manifest(&one_block());
    project.good("install");
    project.write("AGENTS.md", &(general() + "mine\n"));
    no_entries(&project);
    assert_eq!(project.read("AGENTS.md"), "mine\n");
}

#[test]
fn an_identical_block_is_adopted_and_stays() {
    let project = with_block();
    let text = format!("# Mine\n\n{}\nmore\n", general());
    project.write("AGENTS.md", &text);
    let output = project.good("install");
    assert!(output.stdout.contains("adopted, identical"), "{output}");
    assert_eq!(project.read("AGENTS.md"), text);
    no_entries(&project);
    assert_eq!(project.read("AGENTS.md"), text);
}

#[test]
fn a_clone_knows_its_blocks() {
    let project = with_block();
    project.write("AGENTS.md", "# Mine\n");
    project.good("install");
    let text = project.read("AGENTS.md");
    std::fs::remove_dir_all(project.path(".agpm")).unwrap();
    project.good("install --frozen --check");
    project.good("verify");
    project.good("install --frozen");
    assert_eq!(project.read("AGENTS.md"), text);
    std::fs::remove_dir_all(project.path(".agpm")).unwrap();
    no_entries(&project);
    assert_eq!(project.read("AGENTS.md"), "# Mine\n");
}

#[test]
fn undo_keeps_what_the_user_wrote_since() {
    let project = with_block();
    project.write("AGENTS.md", "# Mine\n");
    project.good("install");
    let text = project.read("AGENTS.md");
    project.write("AGENTS.md", &format!("{text}after\n"));
    project.good("undo");
    assert_eq!(project.read("AGENTS.md"), "# Mine\nafter\n");
    project.good("install");
    let text = project.read("AGENTS.md");
    project.write("AGENTS.md", &format!("new\n{text}"));
    project.good("undo");
    assert_eq!(project.read("AGENTS.md"), "new\n# Mine\nafter\n");
    project.good("install");
    let edited = project.read("AGENTS.md").replace("Be brief", "Be nice");
    project.write("AGENTS.md", &edited);
    let output = project.good("undo");
    let kept = "kept AGENTS.md (changed since)\n";
    assert!(output.stdout.contains(kept), "{output}");
    assert_eq!(project.read("AGENTS.md"), edited);
}

#[test]
fn files_of_another_tool_are_understood() {
    let cursor = "---\ndescription: TS\nglobs: *.ts,**/*.tsx\nalwaysApply: false\n---\nTyped.\n";
    let copilot = "---\napplyTo: 'docs/**'\n---\nDocs.\n";
    let project = Project::new();
    project.release(&[
        ("rules/ts.mdc", cursor),
        ("i/docs.instructions.md", copilot),
    ]);
    project.write("docs/x.md", "");
    let tools = "tools = [\"claude-code\", \"cursor\", \"copilot\", \"codex\"]";
    let entries = [
        entry("ts", "rules/ts.mdc", tools),
        entry("all", "i/*.instructions.md", tools),
    ];
    project.manifest(&format!("[instructions]\n{}", entries.concat()));
    project.good("install");
    for (path, expected) in [
        (".cursor/rules/ts.mdc", cursor.to_owned()),
        (
            ".claude/rules/ts.md",
            "---\npaths:\n  - \"*.ts\"\n  - \"**/*.tsx\"\n---\nTyped.\n".to_owned(),
        ),
        (
            ".github/instructions/docs.instructions.md",
            copilot.to_owned(),
        ),
        (
            ".cursor/rules/docs.mdc",
            "---\nglobs: docs/**\nalwaysApply: false\n---\nDocs.\n".to_owned(),
        ),
        (
            "docs/AGENTS.md",
            block("docs", "Applies to: `docs/**`\n\nDocs.\n"),
        ),
        (
            "AGENTS.md",
            block("ts", "Applies to: `*.ts`, `**/*.tsx`\n\nTyped.\n"),
        ),
    ] {
        assert_eq!(project.read(path), expected, "{path}");
    }
}

#[test]
fn plans_and_json_name_the_block() {
    let project = with_block();
    project.write("AGENTS.md", "# Mine\n");
    let output = project.good("install --dry-run --json");
    let report = json(&output.stdout);
    let change = &report.get("changes").unwrap().to_json();
    for part in [
        "\"create\"",
        "AGENTS.md",
        "\"block\": \"instructions/general\"",
    ] {
        assert!(change.contains(part), "{change}");
    }
    assert_eq!(project.read("AGENTS.md"), "# Mine\n");
    project.good("install");
    let list = project.good("list --json").stdout;
    assert!(list.contains("instructions"), "{list}");
    for line in [
        "explain instructions/general",
        "explain file:AGENTS.md",
        "why instructions/general",
        "tree",
    ] {
        let output = project.good(line);
        assert!(output.stdout.contains("general"), "{line}: {output}");
    }
    project.good("remove instruction/general");
    assert_eq!(project.read("AGENTS.md"), "# Mine\n");
}

#[test]
fn codex_reads_so_much_of_a_file() {
    let project = with_block();
    project.write("AGENTS.md", &"x".repeat(32 * 1024));
    project.warned("install", &["block/too-large", "Codex", "32 KiB"]);
    let project = with_block();
    project.manifest(&one_block().replace("codex", "opencode"));
    project.write("AGENTS.md", &"x".repeat(32 * 1024));
    let output = project.good("install");
    assert!(!output.stderr.contains("too-large"), "{output}");
}

#[test]
fn wrong_values_are_reported() {
    let project = Project::new();
    project.release(&[("rules/general.md", GENERAL), ("a.md", "x\n")]);
    for (more, word) in [
        ("paths = []", "`paths` is empty"),
        ("paths = 1", "paths"),
        ("block = \"yes\"", "block"),
        ("tool = \"agpm\"", "does not support instructions"),
    ] {
        let entry = entry("general", "rules/general.md", more);
        project.manifest(&format!("[instructions]\n{entry}"));
        project.refused("install", 1, &[word]);
    }
    project.manifest(
        "[instructions]\n\"a-->b\" = { source = \"community\", path = \"a.md\", tool = \"codex\" }\n",
    );
    project.refused("install", 1, &["one line without `-->`"]);
    project.manifest(&format!(
        "[agents]\n{}",
        entry("a", "a.md", "paths = [\"x\"]")
    ));
    project.refused("install", 1, &["only instructions have `paths`"]);
}

#[test]
fn a_directory_or_a_link_at_the_path_is_refused() {
    let project = with_block();
    project.write("AGENTS.md/x", "");
    project.refused("install", 6, &["AGENTS.md"]);
    let project = with_block();
    project.write("other.md", "mine\n");
    std::os::unix::fs::symlink("other.md", project.path("AGENTS.md")).unwrap();
    let output = project.run("install");
    assert_eq!(output.code, Some(6), "{output}");
    assert_eq!(project.read("other.md"), "mine\n");
}

#[test]
fn a_linked_directory_gets_no_block() {
    let project = with_block();
    std::fs::create_dir(project.sandbox.work().join("outside")).unwrap();
    std::os::unix::fs::symlink("../outside", project.path("src")).unwrap();
    project.manifest(&format!(
        "[instructions]\n{}",
        entry("style", "rules/style.md", "tool = \"codex\"")
    ));
    project.good("install");
    assert!(project.read("AGENTS.md").contains("Applies to: `src/**`"));
    assert!(!project.sandbox.work().join("outside/AGENTS.md").exists());
}
