//! What can be asked: the tool, resources and completions, over a project.

use agpm_mcp::WriteAccess;
use serde_json::{Value, json};

use crate::support::{Client, project, sandbox};

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn installed_resources_are_listed_filtered_and_paged() {
    let sandbox = project();
    let mut client = Client::open(&sandbox).await;
    let all = client
        .call(json!({ "operation": "list", "kind": "installed" }))
        .await;
    let value = &all["structuredContent"];
    assert_eq!((&value["ok"], &value["total"]), (&json!(true), &json!(2)));
    assert_eq!(
        value["rows"][0]["installed_at"],
        ".claude/agents/reviewer.md"
    );
    assert_eq!(text(&all), "agents/reviewer\nscripts/check\n");
    let one = client
        .call(json!({ "operation": "list", "kind": "installed/script" }))
        .await;
    assert_eq!(text(&one), "scripts/check\n");
    let one = client
        .call(json!({ "operation": "list", "kind": "installed", "query": "REV" }))
        .await;
    assert_eq!(text(&one), "agents/reviewer\n");
    let first = client
        .call(json!({ "operation": "list", "kind": "installed", "limit": 1 }))
        .await;
    let cursor = first["structuredContent"]["nextCursor"].clone();
    assert_eq!(
        text(&first),
        "agents/reviewer\n1 of 2; use `cursor` for more\n"
    );
    let second = json!({ "operation": "list", "kind": "installed", "limit": 1, "cursor": cursor });
    let second = client.call(second).await;
    assert_eq!(text(&second), "scripts/check\n");
    assert_eq!(second["structuredContent"].get("nextCursor"), None);
    client.finish().await;
}

#[tokio::test]
async fn a_change_of_the_lockfile_is_seen_by_the_next_call() {
    let sandbox = project();
    let mut client = Client::open(&sandbox).await;
    let ask = json!({ "operation": "list", "kind": "installed" });
    assert_eq!(
        client.call(ask.clone()).await["structuredContent"]["total"],
        2
    );
    sandbox.write(
        "agpm.toml",
        "[agents]\nreviewer = { path = \"kit/reviewer.md\" }\n",
    );
    let world = crate::support::world(&sandbox);
    assert!(
        agpm_ops::install(&world, &agpm_ops::InstallRequest::PLAIN)
            .result
            .is_ok()
    );
    assert_eq!(client.call(ask).await["structuredContent"]["total"], 1);
    client.finish().await;
}

#[tokio::test]
async fn an_installed_file_is_read_by_tool_and_by_url() {
    let sandbox = project();
    let mut client = Client::open(&sandbox).await;
    let read = json!({ "operation": "read", "kind": "installed/agent", "name": "reviewer" });
    let result = client.call(read).await;
    let file = sandbox.read(".claude/agents/reviewer.md");
    assert_eq!(text(&result), file);
    assert_eq!(
        result["structuredContent"]["uri"],
        "agpm://installed/agents/reviewer"
    );
    let listed = client.ask("resources/list", json!({})).await;
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
    let read = client
        .ask("resources/read", json!({ "uri": uris[0] }))
        .await;
    let expected = json!([{ "uri": uris[0], "mimeType": "text/markdown", "text": file }]);
    assert_eq!(read["result"]["contents"], expected);
    client.finish().await;
}

#[tokio::test]
async fn a_failure_is_a_result_with_its_code() {
    let sandbox = project();
    let mut client = Client::open(&sandbox).await;
    let read = json!({ "operation": "read", "kind": "installed/agent", "name": "reviewr" });
    let result = client.call(read).await;
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
    let explained = client
        .call(json!({ "operation": "explain", "what": "profile:nobody" }))
        .await;
    assert_eq!(explained["isError"], true);
    let unknown = client
        .trouble(
            "resources/read",
            json!({ "uri": "agpm://installed/agents/none" }),
        )
        .await;
    assert_eq!(unknown, "-32002 name/unknown");
    client.finish().await;
}

#[tokio::test]
async fn status_and_plan_are_the_reports_of_the_program() {
    let sandbox = project();
    let mut client = Client::open(&sandbox).await;
    let status = client.call(json!({ "operation": "status" })).await;
    let value = &status["structuredContent"];
    assert_eq!(
        value["installed"],
        json!({ "agents": 1, "scripts": 1 }),
        "{value}"
    );
    assert_eq!(value["drift"], json!({ "checked": 2, "findings": [] }));
    sandbox.write(".claude/agents/reviewer.md", "edited");
    let status = client.call(json!({ "operation": "status" })).await;
    assert_eq!(
        status["structuredContent"]["drift"]["findings"][0]["code"],
        "verify/changed"
    );
    let before = sandbox.listing();
    sandbox.write(
        "agpm.toml",
        "[agents]\nreviewer = { path = \"kit/reviewer.md\" }\n",
    );
    let plan = client.call(json!({ "operation": "plan" })).await;
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
    client.finish().await;
}

#[tokio::test]
async fn explain_reports_what_a_code_means() {
    let mut client = Client::open(&sandbox()).await;
    let page = client
        .call(json!({ "operation": "explain", "what": "json/syntax" }))
        .await;
    assert_eq!(page["structuredContent"]["code"], "json/syntax");
    assert!(text(&page).contains("## Fails"));
    client.finish().await;
}

#[tokio::test]
async fn with_leave_to_write_it_installs() {
    let sandbox = project();
    sandbox.write(
        "agpm.toml",
        "[agents]\nreviewer = { path = \"kit/reviewer.md\" }\n",
    );
    let mut client = Client::open_with(&sandbox, WriteAccess::Allowed).await;
    let done = client.call(json!({ "operation": "install" })).await;
    assert_eq!(done["structuredContent"]["dry_run"], false);
    assert!(!sandbox.listing().contains("scripts/check.sh"));
    let updated = client
        .call(json!({ "operation": "update", "names": ["nobody"] }))
        .await;
    assert_eq!(updated["structuredContent"]["code"], "name/unknown");
    client.finish().await;
}

#[tokio::test]
async fn without_a_project_there_is_less_and_nothing_breaks() {
    let empty = sandbox();
    let mut client = Client::open(&empty).await;
    let plan = client.call(json!({ "operation": "plan" })).await;
    assert_eq!(plan["structuredContent"]["code"], "manifest/missing");
    let listed = client.ask("resources/list", json!({})).await;
    assert_eq!(listed["result"]["resources"], json!([]));
    let prompts = client.ask("prompts/list", json!({})).await;
    assert_eq!(prompts["result"]["prompts"], json!([]));
    client.finish().await;
}

#[tokio::test]
async fn bottles_are_shown_with_their_secrets_masked() {
    let sandbox = sandbox();
    sandbox.write(
        "~/.bot-bottle/bottles/dev.md",
        "---\nenv:\n  API_TOKEN: s3cretvalue123456\n  MODE: fast\n---\n",
    );
    let mut client = Client::open(&sandbox).await;
    let listed = client
        .call(json!({ "operation": "list", "kind": "bottles" }))
        .await;
    assert_eq!(text(&listed), "dev\n", "{listed}");
    let read = client
        .call(json!({ "operation": "read", "kind": "bottle", "name": "dev" }))
        .await;
    let by_address = client
        .ask("resources/read", json!({ "uri": "agpm://bottle/dev" }))
        .await;
    for answer in [read.to_string(), by_address.to_string()] {
        assert!(
            answer.contains("fast") && !answer.contains("s3cret"),
            "{answer}"
        );
    }
    client.finish().await;
}

#[tokio::test]
async fn names_are_completed() {
    let sandbox = project();
    let mut client = Client::open(&sandbox).await;
    let mut complete = async |uri: &str, name: &str, value: &str, given: Value| {
        let parameters = json!({
            "ref": { "type": "ref/resource", "uri": uri },
            "argument": { "name": name, "value": value },
            "context": { "arguments": given },
        });
        client.ask("completion/complete", parameters).await["result"]["completion"]["values"]
            .clone()
    };
    let installed = "agpm://installed/{type}/{name}";
    assert_eq!(
        complete(installed, "name", "", json!({})).await,
        json!(["check", "reviewer"])
    );
    assert_eq!(
        complete(installed, "name", "", json!({ "type": "agents" })).await,
        json!(["reviewer"])
    );
    assert_eq!(
        complete(installed, "type", "s", json!({})).await[0],
        "scripts"
    );
    assert_eq!(
        complete("agpm://{kind}/{module}/{name}", "kind", "ta", json!({})).await,
        json!(["task"])
    );
    client.finish().await;
}

#[tokio::test]
async fn urls_with_tricks_are_refused() {
    let sandbox = project();
    sandbox.write("secret.txt", "outside");
    let mut client = Client::open(&sandbox).await;
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
            client
                .trouble("resources/read", json!({ "uri": uri }))
                .await,
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
        assert_eq!(client.call(read).await["isError"], true, "{name}");
    }
    client.finish().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_out_of_the_project_is_not_followed() {
    let sandbox = project();
    sandbox.write("~/secret.txt", "hunter2");
    let place = sandbox.work().join(".claude/agents/reviewer.md");
    std::fs::remove_file(&place).unwrap();
    std::os::unix::fs::symlink(sandbox.home().join("secret.txt"), &place).unwrap();
    let mut client = Client::open(&sandbox).await;
    let answer = client
        .ask(
            "resources/read",
            json!({ "uri": "agpm://installed/agents/reviewer" }),
        )
        .await;
    assert!(
        answer.get("error").is_some() && !answer.to_string().contains("hunter2"),
        "{answer}"
    );
    client.finish().await;
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

#[tokio::test]
async fn looking_runs_no_program_approved_or_not() {
    let sandbox = driven();
    let world = crate::support::world(&sandbox);
    for approved in [false, true] {
        if approved {
            let shown = agpm_ops::programs(&world).result.unwrap();
            assert!(agpm_ops::approve(&world, shown).result.is_ok());
        }
        let mut client = Client::open(&sandbox).await;
        let operations = [
            json!({ "operation": "plan" }),
            json!({ "operation": "explain", "what": "file:.claude/s.json" }),
            json!({ "operation": "status" }),
        ];
        for operation in operations {
            let result = client.call(operation.clone()).await;
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
        client.finish().await;
    }
}

#[tokio::test]
async fn a_server_that_may_write_runs_what_was_approved_and_nothing_else() {
    let sandbox = driven();
    let mut client = Client::open_with(&sandbox, WriteAccess::Allowed).await;
    let refused = client.call(json!({ "operation": "install" })).await;
    assert_eq!(
        refused["structuredContent"]["code"], "trust/program",
        "{refused}"
    );
    assert!(!sandbox.work().join("RAN").exists());
    let world = crate::support::world(&sandbox);
    let shown = agpm_ops::programs(&world).result.unwrap();
    assert!(agpm_ops::approve(&world, shown).result.is_ok());
    let done = client.call(json!({ "operation": "install" })).await;
    assert_eq!(done["structuredContent"]["ok"], true, "{done}");
    client.finish().await;
}

#[tokio::test]
async fn a_list_without_a_kind_names_the_others_where_the_catalog_is_empty() {
    let installed = project();
    let mut client = Client::open(&installed).await;
    let list = client.call(json!({ "operation": "list" })).await;
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
    client.finish().await;
    let empty = sandbox();
    let mut client = Client::open(&empty).await;
    let list = client.call(json!({ "operation": "list" })).await;
    assert_eq!(
        text(&list),
        "No matching catalog entry, and nothing is installed.\n"
    );
    client.finish().await;
}

#[tokio::test]
async fn nothing_outside_of_the_project_is_served() {
    let sandbox = sandbox();
    std::fs::create_dir(sandbox.work().join(".git")).unwrap();
    sandbox.write("~/.docker/config.json", "{\"auths\": {\"x\": \"PRIVATE\"}}");
    sandbox.write(
        "~/other/p.json",
        "{\"schemaVersion\": \"1\", \"tags\": [\"PRIVATE\"]}",
    );
    let mut client = Client::open(&sandbox).await;
    for path in [".docker/config.json", "other/p.json"] {
        let parent = sandbox.home().join(path).display().to_string();
        let persona = json!({ "tags": ["me"], "inherits": [parent] }).to_string();
        sandbox.write(".clia/agents/ada/ada@x.agent.triad.json", persona);
        let read = client
            .ask("resources/read", json!({ "uri": "agpm://persona/ada" }))
            .await;
        assert!(!read.to_string().contains("PRIVATE"), "{path}: {read}");
        for what in [
            "profile:ada".to_owned(),
            format!("file:{parent}"),
            format!("file:../home/{path}"),
        ] {
            let told = client
                .call(json!({ "operation": "explain", "what": what }))
                .await;
            assert!(
                !told.to_string().contains("PRIVATE"),
                "{path}, {what}: {told}"
            );
        }
    }
    client.finish().await;
}

#[tokio::test]
async fn an_unknown_resource_is_answered_with_names_of_its_own_type() {
    let sandbox = project();
    let mut client = Client::open(&sandbox).await;
    let read = json!({ "operation": "read", "kind": "installed/agent", "name": "nobody" });
    let result = client.call(read).await;
    assert!(
        text(&result).contains("installed resources are: `agents/reviewer`\n"),
        "{}",
        text(&result)
    );
    let read = json!({ "operation": "read", "kind": "installed/mcp-server", "name": "reviewer" });
    let result = client.call(read).await;
    assert_eq!(result["structuredContent"]["code"], "name/unknown");
    assert!(
        text(&result).contains("no mcp-servers are installed"),
        "{}",
        text(&result)
    );
    assert!(!text(&result).contains("agents/"), "{}", text(&result));
    client.finish().await;
}

#[tokio::test]
async fn a_file_that_changes_is_read_again_though_the_lockfile_is_not() {
    let sandbox = project();
    let mut client = Client::open(&sandbox).await;
    let read = json!({ "operation": "read", "kind": "installed/agent", "name": "reviewer" });
    client.call(read.clone()).await;
    sandbox.write(".claude/agents/reviewer.md", "edited\n");
    assert_eq!(text(&client.call(read).await), "edited\n");
    client.finish().await;
}

#[tokio::test]
async fn the_status_of_no_project_is_an_answer() {
    let empty = sandbox();
    let mut client = Client::open(&empty).await;
    let status = client.call(json!({ "operation": "status" })).await;
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
    client.finish().await;
}
