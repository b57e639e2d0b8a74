//! The variables of a plugin's directory.

use agpm_resolve::plugin::{
    PluginPaths, PluginTree, RelativeFiles, RootReference, environment_of, has_root_variable,
    named_files, rewrite_command, rewrite_hooks, rewrite_markdown, rewrite_servers,
    unknown_variables,
};
use agpm_text::{Format, Value, parse_alone, to_value};
use proptest::prelude::*;

const PLACE: PluginPaths<'_> = PluginPaths {
    root: ".agpm/plugins/kit",
    data: ".agpm/plugin-data/kit",
    environment: &[],
};
const CLAUDE: RootReference<'_> = RootReference {
    command: Some("CLAUDE_PROJECT_DIR"),
    field: Some("${CLAUDE_PROJECT_DIR:-.}"),
};

fn json(text: &str) -> Value {
    to_value(
        parse_alone(text, Format::Jsonc)
            .document
            .root()
            .expect("a value"),
    )
}

#[test]
fn commands_get_a_path_that_works_inside_any_quotes() {
    for (before, with_variable, without) in [
        (
            "sh ${CLAUDE_PLUGIN_ROOT}/a.sh",
            "sh \"$CLAUDE_PROJECT_DIR\"/.agpm/plugins/kit/a.sh",
            "sh .agpm/plugins/kit/a.sh",
        ),
        (
            "sh \"${PLUGIN_ROOT}/a.sh\" $HOME",
            "sh \"$CLAUDE_PROJECT_DIR/.agpm/plugins/kit/a.sh\" $HOME",
            "sh \".agpm/plugins/kit/a.sh\" $HOME",
        ),
        (
            "sh '$CLAUDE_PLUGIN_ROOT/a.sh'",
            "sh ''\"$CLAUDE_PROJECT_DIR\"'/.agpm/plugins/kit/a.sh'",
            "sh '.agpm/plugins/kit/a.sh'",
        ),
        (
            "X=${CLAUDE_PLUGIN_DATA} \\${CLAUDE_PLUGIN_ROOT} ${CLAUDE_PLUGIN_ROOTS}",
            "X=\"$CLAUDE_PROJECT_DIR\"/.agpm/plugin-data/kit \\${CLAUDE_PLUGIN_ROOT} ${CLAUDE_PLUGIN_ROOTS}",
            "X=.agpm/plugin-data/kit \\${CLAUDE_PLUGIN_ROOT} ${CLAUDE_PLUGIN_ROOTS}",
        ),
        (
            "${CLAUDE_PLUGIN_ROOT:-.}/a",
            "\"$CLAUDE_PROJECT_DIR\"/.agpm/plugins/kit/a",
            ".agpm/plugins/kit/a",
        ),
    ] {
        assert_eq!(rewrite_command(before, PLACE, CLAUDE), with_variable);
        assert_eq!(
            rewrite_command(before, PLACE, RootReference::default()),
            without
        );
    }
}

#[test]
fn hooks_servers_and_markdown_are_rewritten_where_they_are_read() {
    let hooks = json(
        r#"{"hooks": {"Stop": [{"hooks": [
            {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/a"},
            {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/a", "args": ["${CLAUDE_PLUGIN_ROOT}/b"]}
        ]}]}}"#,
    );
    assert_eq!(
        rewrite_hooks(&hooks, PLACE, CLAUDE, None),
        json(
            r#"{"hooks": {"Stop": [{"hooks": [
                {"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.agpm/plugins/kit/a"},
                {"type": "command", "command": "${CLAUDE_PROJECT_DIR}/.agpm/plugins/kit/a",
                 "args": ["${CLAUDE_PROJECT_DIR}/.agpm/plugins/kit/b"]}
            ]}]}}"#
        )
    );
    let server = json(
        r#"{"a": {"command": "${PLUGIN_ROOT}/a", "env": {"D": "${PLUGIN_DATA}", "K": "${KEY}"}}}"#,
    );
    assert_eq!(
        rewrite_servers(&server, PLACE, CLAUDE),
        json(
            r#"{"a": {"command": "${CLAUDE_PROJECT_DIR:-.}/.agpm/plugins/kit/a",
                "env": {"D": "${CLAUDE_PROJECT_DIR:-.}/.agpm/plugin-data/kit", "K": "${KEY}"}}}"#
        )
    );
    assert_eq!(
        rewrite_markdown("Run `${CLAUDE_PLUGIN_ROOT}/x.sh` for $5.", PLACE),
        "Run `.agpm/plugins/kit/x.sh` for $5."
    );
}

#[test]
fn programs_that_read_a_variable_get_it() {
    let tree = PluginTree::new([
        ("hooks/a.py", b"os.environ['CLAUDE_PLUGIN_ROOT']".as_slice()),
        ("README.md", b"CLAUDE_PLUGIN_DATA"),
        ("bin/x", b"MY_PLUGIN_ROOT PLUGIN_ROOT_DIR"),
    ]);
    let environment = environment_of(&tree);
    assert_eq!(environment, ["CLAUDE_PLUGIN_ROOT"]);
    let paths = PluginPaths {
        environment: &environment,
        ..PLACE
    };
    let hooks = json(r#"{"command": "python3 ${CLAUDE_PLUGIN_ROOT}/a.py && x"}"#);
    assert_eq!(
        rewrite_hooks(&hooks, paths, RootReference::default(), None),
        json(
            r#"{"command": "export CLAUDE_PLUGIN_ROOT=\"$PWD/.agpm/plugins/kit\"; python3 .agpm/plugins/kit/a.py && x"}"#
        )
    );
    let servers = json(r#"{"a": {"command": "a"}, "b": {"url": "https://b.example"}}"#);
    assert_eq!(
        rewrite_servers(&servers, paths, CLAUDE),
        json(
            r#"{"a": {"command": "a", "env": {"CLAUDE_PLUGIN_ROOT": "${CLAUDE_PROJECT_DIR:-.}/.agpm/plugins/kit"}},
                "b": {"url": "https://b.example"}}"#
        )
    );
}

#[test]
fn other_variables_of_plugins_are_unknown() {
    let text = "${CLAUDE_PLUGIN_ROOT} ${CLAUDE_PLUGIN_NAME} $PLUGIN_HOME ${user_config.key} $HOME";
    let unknown: Vec<String> = unknown_variables(text).into_iter().collect();
    assert_eq!(
        unknown,
        ["CLAUDE_PLUGIN_NAME", "PLUGIN_HOME", "user_config.key"]
    );
}

#[test]
fn files_that_hooks_name_are_found() {
    let hooks = json(
        r#"{"hooks": {"Stop": [{"hooks": [
            {"command": "sh \"${CLAUDE_PLUGIN_ROOT}\"/a.sh && ${CLAUDE_PLUGIN_ROOT}/b/c.py;"},
            {"command": "ls ${CLAUDE_PLUGIN_ROOT} ${CLAUDE_PLUGIN_ROOT}/$X ${CLAUDE_PLUGIN_ROOT}/lib/*.sh ${CLAUDE_PLUGIN_DATA}/d"}
        ]}]}}"#,
    );
    let files: Vec<String> = named_files(&hooks).into_iter().collect();
    assert_eq!(files, ["a.sh", "b/c.py"]);
    for (command, expected) in [
        (
            r#"sh "${CLAUDE_PLUGIN_ROOT}/hooks/two words.sh" arg"#,
            Some("hooks/two words.sh"),
        ),
        (
            r#"sh "${CLAUDE_PLUGIN_ROOT}"/hooks/"two words.sh""#,
            Some("hooks/two words.sh"),
        ),
        (r#"bash -c 'sh "${PLUGIN_ROOT}/a b.sh"; x'"#, Some("a b.sh")),
        (r#"echo "don't" && ${PLUGIN_ROOT}/a.sh b"#, Some("a.sh")),
        (r#"sh "${PLUGIN_ROOT}/a $NAME.sh""#, None),
        (r#"sh ${PLUGIN_ROOT}/a\ b.sh"#, None),
    ] {
        let found = named_files(&Value::from(command)).into_iter().next();
        assert_eq!(found.as_deref(), expected, "{command}");
    }
}

#[test]
fn relative_paths_of_scripts_lead_into_the_plugin() {
    let files = ["hooks/run.cmd", "scripts/check.py", "hooks/guard/audit.sh"];
    let tree = PluginTree::new(files.iter().map(|path| (*path, &b""[..])));
    let pointed = |directory: &str, command: &str| {
        let hooks = Value::map([("command", Value::from(command))]);
        let files = RelativeFiles {
            tree: &tree,
            directory,
        };
        let rewritten = rewrite_hooks(&hooks, PLACE, RootReference::default(), Some(files));
        rewritten
            .get("command")
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    for (directory, command, expected) in [
        (
            "hooks",
            "./hooks/run.cmd start",
            ".agpm/plugins/kit/hooks/run.cmd start",
        ),
        (
            "hooks",
            "./run.cmd start",
            ".agpm/plugins/kit/hooks/run.cmd start",
        ),
        (
            "hooks",
            "python3 scripts/check.py",
            "python3 .agpm/plugins/kit/scripts/check.py",
        ),
        (
            "",
            "cd x && hooks/run.cmd",
            "cd x && .agpm/plugins/kit/hooks/run.cmd",
        ),
        (
            "hooks/guard",
            ".github/hooks/guard/audit.sh",
            ".agpm/plugins/kit/hooks/guard/audit.sh",
        ),
        // Neither a script of the plugin nor a path.
        ("hooks", "./gradlew check", "./gradlew check"),
        ("hooks", "run.cmd", ".agpm/plugins/kit/hooks/run.cmd"),
        (
            "hooks",
            "cat hooks/run ../hooks/run.cmd /hooks/run.cmd",
            "cat hooks/run ../hooks/run.cmd /hooks/run.cmd",
        ),
    ] {
        assert_eq!(
            pointed(directory, command).as_deref(),
            Some(expected),
            "{command}"
        );
    }
}

proptest! {
    #[test]
    fn nothing_of_the_plugins_variables_is_left_and_other_strings_stay(text in "[a-z \"'$\\\\{}./é-]{0,40}") {
        prop_assert_eq!(rewrite_command(&text, PLACE, CLAUDE), text.clone());
        prop_assert_eq!(rewrite_markdown(&text, PLACE), text.clone());
        let with = format!("{text}${{CLAUDE_PLUGIN_ROOT}}/x");
        prop_assert!(!has_root_variable(&rewrite_markdown(&with, PLACE)));
    }
}
