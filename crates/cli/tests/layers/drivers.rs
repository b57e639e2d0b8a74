//! Merge executables.

use crate::support::{Project, SETTINGS, json};

const SORTED: &str = "[merge]\n\"*.list\" = \"sorted\"\n[strategies.sorted]\ncommand = [\"sort\", \"-u\", \"%base\", \"%new\"]\n";
const LIST: &str = ".claude/words.list";

fn driver(script: &str) -> String {
    format!(
        "[merge]\n\"settings.json\" = \"own\"\n[strategies.own]\ncommand = [\"sh\", \"-c\", '{script}', \"x\", \"%base\", \"%new\"]\n"
    )
}

#[test]
fn a_program_of_the_manifest_folds_from_low_to_high() {
    let project = Project::stacked(LIST, &["pear\n", "apple\n", "fig\napple\n"], SORTED);
    project.good("approve --yes");
    let output = project.good("install");
    assert_eq!(output.stderr, "");
    assert_eq!(project.read(LIST), "apple\nfig\npear\n");
    assert!(
        project
            .good("install")
            .stdout
            .ends_with("Everything is up to date (1 layer file)\n")
    );
    project.good("verify");
    project.layer("me", LIST, "kiwi\n");
    project.good("install");
    assert_eq!(project.read(LIST), "apple\nkiwi\npear\n");
    project.stack(&[], "");
    project.good("install");
    assert!(!project.exists(".claude"));
}

#[test]
fn a_program_of_the_users_config_runs_too() {
    let project = Project::stacked(LIST, &["b\n", "a\n"], "[merge]\n\"*.list\" = \"sorted\"\n");
    let config = project.work("../config/agpm/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(
        config,
        SORTED
            .split_once("[strategies")
            .unwrap()
            .1
            .replacen("", "[strategies", 1),
    )
    .unwrap();
    project.good("install");
    assert_eq!(project.read(LIST), "a\nb\n");
}

#[test]
fn one_contributor_runs_no_program() {
    let project = Project::stacked(SETTINGS, &["{\"a\":   1}"], &driver("exit 3"));
    project.good("install");
    assert_eq!(project.read(SETTINGS), "{\"a\":   1}");
}

#[test]
fn the_result_of_a_program_is_owned_key_by_key() {
    let project = Project::stacked(
        SETTINGS,
        &["{\"a\": 1}", "{\"a\": 2}"],
        &driver("cat \"$2\""),
    );
    project.good("approve --yes");
    project.write(SETTINGS, "{\"mine\": 0}\n");
    project.good("install --approve all");
    project.says(SETTINGS, "{\"mine\": 0, \"a\": 2}");
    project.layer("team", SETTINGS, "{\"b\": 3}");
    project.good("install --approve all");
    project.says(SETTINGS, "{\"mine\": 0, \"b\": 3}");
    project.good("verify");
    project.write(SETTINGS, "{\"b\": \"theirs\"}\n");
    project.forget();
    project.refused("install --approve all", 6, &["install/unmanaged", "/b"]);
}

#[test]
fn a_program_that_fails_is_reported_with_what_it_said_and_nothing_is_written() {
    let project = Project::stacked(
        SETTINGS,
        &["{}", "{}"],
        &driver("echo no such luck >&2; exit 3"),
    );
    project.good("approve --yes");
    project.layer("org", "CLAUDE.md", "hello\n");
    project.refused("install", 1, &["merge/driver", "no such luck", "3"]);
    let gone = driver("x").replace("\"sh\"", "\"no-such-program-anywhere\"");
    project.stack(&["org", "team"], &gone);
    project.good("approve --yes");
    project.refused("install", 1, &["merge/driver", "no-such-program-anywhere"]);
}

#[test]
fn a_program_that_fails_is_reported_with_the_file() {
    let project = Project::stacked(SETTINGS, &["{}", "{}"], &driver("exit 3"));
    project.good("approve --yes");
    project.refused("install", 1, &["merge/driver", SETTINGS]);
}

#[test]
fn a_program_whose_result_cannot_be_read_costs_no_key_of_the_user() {
    let project = Project::stacked(
        SETTINGS,
        &["{\"a\": 1}", "{\"a\": 2}"],
        &driver("cat \"$2\""),
    );
    project.good("approve --yes");
    project.write(SETTINGS, "{\"mine\": 0}\n");
    project.good("install");
    project.stack(&["org", "team"], &driver("echo \"{ not json\""));
    project.good("approve --yes");
    let before = project.read(SETTINGS);
    let output = project.run("install");
    assert_ne!(output.code, Some(0), "{output}");
    assert_eq!(project.read(SETTINGS), before, "{output}");
}

#[test]
fn a_layer_cannot_name_a_program() {
    let project = Project::stacked(SETTINGS, &["{\"a\": 1}", "{\"b\": 2}"], "");
    for layer in ["org", "team"] {
        project.layer(layer, "agpm.toml", driver("touch ran; echo {}"));
        project.layer(layer, "agpm.private.toml", driver("touch ran; echo {}"));
        project.layer(layer, ".agpm/config.toml", driver("touch ran; echo {}"));
    }
    project.good("install");
    assert_eq!(json(&project.read(SETTINGS)), json("{\"a\": 1, \"b\": 2}"));
    assert!(!project.exists("ran") && !project.exists("agpm.private.toml"));
    // Nor by way of a name that only it knows.
    project.stack(&["org", "team"], "[merge]\n\"settings.json\" = \"own\"\n");
    project.refused("install", 1, &["manifest/unknown-strategy"]);
}

#[test]
fn dry_run_and_merge_show_what_the_program_gives() {
    let project = Project::stacked(LIST, &["b\n", "a\n"], SORTED);
    project.good("approve --yes");
    let output = project.good("install --dry-run");
    assert!(output.stdout.contains(&format!("+ {LIST}")), "{output}");
    assert!(!project.exists(".claude") && !project.exists(".agpm"));
    project.good("install");
    let printed = project.good(&format!("merge ../org/{LIST} ../team/{LIST}"));
    assert_eq!(printed.stdout, project.read(LIST));
}
