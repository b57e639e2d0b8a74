//! Requests: the tool, resources and completions of a project.

use agpm_mcp::WriteAccess;
use serde_json::{Value, json};

use crate::support::{Client, project, sandbox};

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[test]
fn installed_resources_are_listed_filtered_and_paged() {
    let sandbox = project();
    let mut client = Client::open(&sandbox);
    let all = client.call(json!({ "operation": "list", "kind": "installed" }));
    let value = &all["structuredContent"];
    assert_eq!((&value["ok"], &value["total"]), (&json!(true), &json!(2)));
    assert_eq!(
        value["rows"][0]["installed_at"],
        ".claude/agents/reviewer.md"
    );
    assert_eq!(text(&all), "agents/reviewer\nscripts/check\n");
    let one = client.call(json!({ "operation": "list", "kind": "installed/script" }));
    assert_eq!(text(&one), "scripts/check\n");
    let one = client.call(json!({ "operation": "list", "kind": "installed", "query": "REV" }));
    assert_eq!(text(&one), "agents/reviewer\n");
    let first = client.call(json!({ "operation": "list", "kind": "installed", "limit": 1 }));
    let cursor = first["structuredContent"]["nextCursor"].clone();
    assert_eq!(
        text(&first),
        "agents/reviewer\n1 of 2; use `cursor` for more\n"
    );
    let second = json!({ "operation": "list", "kind": "installed", "limit": 1, "cursor": cursor });
    let second = client.call(second);
    assert_eq!(text(&second), "scripts/check\n");
    assert_eq!(second["structuredContent"].get("nextCursor"), None);
    client.finish();
}

#[test]
fn a_change_of_the_lockfile_is_seen_by_the_next_call() {
    let sandbox = project();
    let mut client = Client::open(&sandbox);
    let ask = json!({ "operation": "list", "kind": "installed" });
    assert_eq!(client.call(ask.clone())["structuredContent"]["total"], 2);
    sandbox.write(
        "agpm.toml",
        "[agents]\nreviewer = { path = \"kit/reviewer.md\" }\n",
    );
    let world = crate::support::world(&sandbox);
    assert!(
        agpm_app::install::install(&world, &agpm_app::install::InstallRequest::PLAIN)
            .result
            .is_ok()
    );
    assert_eq!(client.call(ask)["structuredContent"]["total"], 1);
    client.finish();
}

#[test]
fn an_installed_file_is_read_by_tool_and_by_url() {
    let sandbox = project();
    let mut client = Client::open(&sandbox);
    let read = json!({ "operation": "read", "kind": "installed/agent", "name": "reviewer" });
    let result = client.call(read);
    let file = sandbox.read(".claude/agents/reviewer.md");
    assert_eq!(text(&result), file);
    assert_eq!(
        result["structuredContent"]["uri"],
        "agpm://installed/agents/reviewer"
    );
    let listed = client.ask("resources/list", json!({}));
    let resources = listed["result"]["resources"].as_array().unwrap();
    let uris: Vec<&str> = resources
        .iter()
        .map(|one| one["uri"].as_str().unwrap())
        .collect();
    assert_eq!(
        uris,
        [
            "agpm://installed/agents/reviewer",
            "agpm://installed/scripts/check"
        ]
    );
    let mimes: Vec<&str> = resources
        .iter()
        .map(|one| one["mimeType"].as_str().unwrap())
        .collect();
    assert_eq!(mimes, ["text/markdown", "text/x-shellscript"]);
    let read = client.ask("resources/read", json!({ "uri": uris[0] }));
    let expected = json!([{ "uri": uris[0], "mimeType": "text/markdown", "text": file }]);
    assert_eq!(read["result"]["contents"], expected);
    client.finish();
}

#[test]
fn a_failure_is_a_result_with_its_code() {
    let sandbox = project();
    let mut client = Client::open(&sandbox);
    let read = json!({ "operation": "read", "kind": "installed/agent", "name": "reviewr" });
    let result = client.call(read);
    assert_eq!(result["isError"], true);
    let value = &result["structuredContent"];
    assert_eq!(
        (&value["ok"], &value["code"]),
        (&json!(false), &json!("name/unknown"))
    );
    assert_eq!(value["diagnostics"][0]["code"], "name/unknown");
    assert!(
        text(&result).contains("help: did you mean"),
        "{}",
        text(&result)
    );
    let explained = client.call(json!({ "operation": "explain", "what": "profile:nobody" }));
    assert_eq!(explained["isError"], true);
    let unknown = client.trouble(
        "resources/read",
        json!({ "uri": "agpm://installed/agents/none" }),
    );
    assert_eq!(unknown, "-32002 name/unknown");
    client.finish();
}

#[test]
fn status_and_plan_are_the_reports_of_the_program() {
    let sandbox = project();
    let mut client = Client::open(&sandbox);
    let status = client.call(json!({ "operation": "status" }));
    let value = &status["structuredContent"];
    assert_eq!(
        value["installed"],
        json!({ "agents": 1, "scripts": 1 }),
        "{value}"
    );
    assert_eq!(value["drift"], json!({ "checked": 2, "findings": [] }));
    sandbox.write(".claude/agents/reviewer.md", "edited");
    let status = client.call(json!({ "operation": "status" }));
    assert_eq!(
        status["structuredContent"]["drift"]["findings"][0]["code"],
        "verify/changed"
    );
    let before = sandbox.listing();
    sandbox.write(
        "agpm.toml",
        "[agents]\nreviewer = { path = \"kit/reviewer.md\" }\n",
    );
    let plan = client.call(json!({ "operation": "plan" }));
    assert_eq!(plan["structuredContent"]["dry_run"], true);
    assert!(
        text(&plan).contains("- .claude/scripts/kit/check.sh"),
        "{}",
        text(&plan)
    );
    assert_eq!(
        sandbox.listing().lines().count(),
        before.lines().count(),
        "nothing is written"
    );
    client.finish();
}

#[test]
fn explain_reports_what_a_code_means() {
    let mut client = Client::open(&sandbox());
    let page = client.call(json!({ "operation": "explain", "what": "json/syntax" }));
    assert_eq!(page["structuredContent"]["code"], "json/syntax");
    assert!(text(&page).contains("## Fails"));
    client.finish();
}

#[test]
fn with_leave_to_write_it_installs() {
    let sandbox = project();
    sandbox.write(
        "agpm.toml",
        "[agents]\nreviewer = { path = \"kit/reviewer.md\" }\n",
    );
    let mut client = Client::open_with(&sandbox, WriteAccess::Allowed);
    let done = client.call(json!({ "operation": "install" }));
    assert_eq!(done["structuredContent"]["dry_run"], false);
    assert!(!sandbox.listing().contains("scripts/check.sh"));
    let updated = client.call(json!({ "operation": "update", "names": ["nobody"] }));
    assert_eq!(updated["structuredContent"]["code"], "name/unknown");
    client.finish();
}

#[test]
fn without_a_project_there_is_less_and_nothing_breaks() {
    let empty = sandbox();
    let mut client = Client::open(&empty);
    let plan = client.call(json!({ "operation": "plan" }));
    assert_eq!(plan["structuredContent"]["code"], "manifest/missing");
    let listed = client.ask("resources/list", json!({}));
    assert_eq!(listed["result"]["resources"], json!([]));
    let prompts = client.ask("prompts/list", json!({}));
    assert_eq!(prompts["result"]["prompts"], json!([]));
    client.finish();
}

#[test]
fn bottles_are_shown_with_their_secrets_masked() {
    let sandbox = sandbox();
    sandbox.write(
        "~/.bot-bottle/bottles/dev.md",
        "---\nenv:\n  API_TOKEN: s3cretvalue123456\n  MODE: fast\n---\n",
    );
    let mut client = Client::open(&sandbox);
    let listed = client.call(json!({ "operation": "list", "kind": "bottles" }));
    assert_eq!(text(&listed), "dev\n", "{listed}");
    let read = client.call(json!({ "operation": "read", "kind": "bottle", "name": "dev" }));
    let by_address = client.ask("resources/read", json!({ "uri": "agpm://bottle/dev" }));
    for answer in [read.to_string(), by_address.to_string()] {
        assert!(
            answer.contains("fast") && !answer.contains("s3cret"),
            "{answer}"
        );
    }
    client.finish();
}

#[test]
fn names_are_completed() {
    let sandbox = project();
    let mut client = Client::open(&sandbox);
    let mut complete = |uri: &str, name: &str, value: &str, given: Value| {
        let parameters = json!({
            "ref": { "type": "ref/resource", "uri": uri },
            "argument": { "name": name, "value": value },
            "context": { "arguments": given },
        });
        client.ask("completion/complete", parameters)["result"]["completion"]["values"].clone()
    };
    let installed = "agpm://installed/{type}/{name}";
    assert_eq!(
        complete(installed, "name", "", json!({})),
        json!(["check", "reviewer"])
    );
    assert_eq!(
        complete(installed, "name", "", json!({ "type": "agents" })),
        json!(["reviewer"])
    );
    assert_eq!(complete(installed, "type", "s", json!({}))[0], "scripts");
    assert_eq!(
        complete("agpm://{kind}/{module}/{name}", "kind", "ta", json!({})),
        json!(["task"])
    );
    client.finish();
}

#[test]
fn urls_with_tricks_are_refused() {
    let sandbox = project();
    sandbox.write("secret.txt", "outside");
    let mut client = Client::open(&sandbox);
    let tricks = [
        "agpm://installed/agents/../../../secret.txt",
        "agpm://installed/agents/..%2f..%2f..%2fsecret.txt",
        "agpm://installed/agents/%2e%2e/secret.txt",
        "agpm://installed/agents/%252e%252e/secret.txt",
        "agpm://installed/agents/reviewer%00",
        "file:///etc/passwd",
        "agpm://catalog/../../secret.txt",
    ];
    for uri in tricks {
        assert_eq!(
            client.trouble("resources/read", json!({ "uri": uri })),
            "-32602 mcp/uri",
            "{uri}"
        );
    }
    for name in [
        "../../secret.txt",
        "/etc/passwd",
        "..",
        "reviewer/../reviewer",
    ] {
        let read = json!({ "operation": "read", "kind": "installed/agents", "name": name });
        assert_eq!(client.call(read)["isError"], true, "{name}");
    }
    client.finish();
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_project_is_not_followed() {
    let sandbox = project();
    sandbox.write("~/secret.txt", "hunter2");
    let place = sandbox.work().join(".claude/agents/reviewer.md");
    std::fs::remove_file(&place).unwrap();
    std::os::unix::fs::symlink(sandbox.home().join("secret.txt"), &place).unwrap();
    let mut client = Client::open(&sandbox);
    let answer = client.ask(
        "resources/read",
        json!({ "uri": "agpm://installed/agents/reviewer" }),
    );
    assert!(
        answer.get("error").is_some() && !answer.to_string().contains("hunter2"),
        "{answer}"
    );
    client.finish();
}

/// A project whose two layers are merged by a program that leaves a mark.
fn driven() -> agpm_testkit::Sandbox {
    let sandbox = sandbox();
    sandbox.write("one/.claude/s.json", "{\"a\": 1}");
    sandbox.write("two/.claude/s.json", "{\"a\": 2}");
    let layers =
        "[[layers]]\nname = \"a\"\npath = \"one\"\n[[layers]]\nname = \"b\"\npath = \"two\"\n";
    let program = "[strategies.e]\ncommand = [\"sh\", \"-c\", \"touch RAN; cat $0\", \"%base\"]\n";
    sandbox.write(
        "agpm.toml",
        format!("{layers}[merge]\n\"s.json\" = \"e\"\n{program}"),
    );
    sandbox
}

#[test]
fn looking_runs_no_program_approved_or_not() {
    let sandbox = driven();
    let world = crate::support::world(&sandbox);
    for approved in [false, true] {
        if approved {
            let shown = agpm_app::approve::programs(&world).result.unwrap();
            assert!(agpm_app::approve::approve(&world, shown).result.is_ok());
        }
        let mut client = Client::open(&sandbox);
        let operations = [
            json!({ "operation": "plan" }),
            json!({ "operation": "explain", "what": "file:.claude/s.json" }),
            json!({ "operation": "status" }),
        ];
        for operation in operations {
            let result = client.call(operation.clone());
            assert!(
                !sandbox.work().join("RAN").exists(),
                "{operation}: {result}"
            );
            if operation["operation"] != "status" {
                assert_eq!(
                    result["structuredContent"]["code"], "trust/program",
                    "{operation}: {result}"
                );
                assert!(
                    text(&result).contains("merge programs never run in the server"),
                    "{result}"
                );
                assert!(
                    text(&result).contains("sh -c 'touch RAN; cat $0' %base"),
                    "{result}"
                );
            }
        }
        client.finish();
    }
}

#[test]
fn a_server_that_may_write_runs_what_was_approved_and_nothing_else() {
    let sandbox = driven();
    let mut client = Client::open_with(&sandbox, WriteAccess::Allowed);
    let refused = client.call(json!({ "operation": "install" }));
    assert_eq!(
        refused["structuredContent"]["code"], "trust/program",
        "{refused}"
    );
    assert!(!sandbox.work().join("RAN").exists());
    let world = crate::support::world(&sandbox);
    let shown = agpm_app::approve::programs(&world).result.unwrap();
    assert!(agpm_app::approve::approve(&world, shown).result.is_ok());
    let done = client.call(json!({ "operation": "install" }));
    assert_eq!(done["structuredContent"]["ok"], true, "{done}");
    client.finish();
}

#[test]
fn a_list_without_a_kind_names_the_others_where_the_catalog_is_empty() {
    let installed = project();
    let mut client = Client::open(&installed);
    let list = client.call(json!({ "operation": "list" }));
    assert_eq!(
        text(&list),
        "No matching catalog entry. Set `kind` to list others: installed/agents (1), installed/scripts (1).\n"
    );
    let value = &list["structuredContent"];
    assert_eq!((&value["ok"], &value["total"]), (&json!(true), &json!(0)));
    assert_eq!(
        value["kinds"],
        json!({ "installed/agents": 1, "installed/scripts": 1 })
    );
    client.finish();
    let empty = sandbox();
    let mut client = Client::open(&empty);
    let list = client.call(json!({ "operation": "list" }));
    assert_eq!(
        text(&list),
        "No matching catalog entry, and nothing is installed.\n"
    );
    client.finish();
}

#[test]
fn nothing_outside_of_the_project_is_served() {
    let sandbox = sandbox();
    std::fs::create_dir(sandbox.work().join(".git")).unwrap();
    sandbox.write("~/.docker/config.json", "{\"auths\": {\"x\": \"PRIVATE\"}}");
    sandbox.write(
        "~/other/p.json",
        "{\"schemaVersion\": \"1\", \"tags\": [\"PRIVATE\"]}",
    );
    let mut client = Client::open(&sandbox);
    for path in [".docker/config.json", "other/p.json"] {
        let parent = sandbox.home().join(path).display().to_string();
        let persona = json!({ "tags": ["me"], "inherits": [parent] }).to_string();
        sandbox.write(".clia/agents/ada/ada@x.agent.triad.json", persona);
        let read = client.ask("resources/read", json!({ "uri": "agpm://persona/ada" }));
        assert!(!read.to_string().contains("PRIVATE"), "{path}: {read}");
        for what in [
            "profile:ada".to_owned(),
            format!("file:{parent}"),
            format!("file:../home/{path}"),
        ] {
            let answer = client.call(json!({ "operation": "explain", "what": what }));
            assert!(
                !answer.to_string().contains("PRIVATE"),
                "{path}, {what}: {answer}"
            );
        }
    }
    client.finish();
}

#[test]
fn an_unknown_resource_is_answered_with_names_of_its_own_type() {
    let sandbox = project();
    let mut client = Client::open(&sandbox);
    let read = json!({ "operation": "read", "kind": "installed/agent", "name": "nobody" });
    let result = client.call(read);
    assert!(
        text(&result).contains("installed resources are: `agents/reviewer`\n"),
        "{}",
        text(&result)
    );
    let read = json!({ "operation": "read", "kind": "installed/mcp-server", "name": "reviewer" });
    let result = client.call(read);
    assert_eq!(result["structuredContent"]["code"], "name/unknown");
    assert!(
        text(&result).contains("no mcp-servers are installed"),
        "{}",
        text(&result)
    );
    assert!(!text(&result).contains("agents/"), "{}", text(&result));
    client.finish();
}

#[test]
fn a_file_that_changes_is_read_again_though_the_lockfile_is_not() {
    let sandbox = project();
    let mut client = Client::open(&sandbox);
    let read = json!({ "operation": "read", "kind": "installed/agent", "name": "reviewer" });
    client.call(read.clone());
    sandbox.write(".claude/agents/reviewer.md", "edited\n");
    assert_eq!(text(&client.call(read)), "edited\n");
    client.finish();
}

#[test]
fn the_status_of_no_project_is_an_answer() {
    let empty = sandbox();
    let mut client = Client::open(&empty);
    let status = client.call(json!({ "operation": "status" }));
    assert_ne!(status["isError"], true, "{status}");
    let value = &status["structuredContent"];
    assert_eq!(
        (&value["ok"], &value["project"]),
        (&json!(true), &json!(false))
    );
    assert!(
        text(&status).starts_with("No project found"),
        "{}",
        text(&status)
    );
    client.finish();
}
