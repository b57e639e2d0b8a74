//! The catalog, served: rows, files, prompts, and what happens when it changes.

use agpm_testkit::Sandbox;
use serde_json::{Value, json};

use crate::support::{Client, sandbox};

const AGENTS: &str = "bmad/_cfg/agent-manifest.csv";

fn catalog() -> Sandbox {
    let sandbox = sandbox();
    sandbox.write(
        AGENTS,
        "name,displayName,title,module,path\n\
         analyst,Mary,Business Analyst,bmm,bmad/bmm/agents/analyst.md\n\
         pm,John,Product Manager,bmm,bmad/bmm/agents/pm.md\n\
         sneaky,Eve,Out,bmm,../secret.md\n",
    );
    sandbox.write(
        "bmad/_cfg/workflow-manifest.csv",
        "name,description,module,path\nplan,Plans,bmm,bmad/plan.yaml\n",
    );
    sandbox.write("bmad/plan.yaml", "steps: []\n");
    sandbox.write("bmad/bmm/agents/analyst.md", "# Mary\n");
    sandbox.write("bmad/bmm/agents/pm.md", "# John\n");
    sandbox.write(
        "~/.bmad/_cfg/agent-manifest.csv",
        "name,title,module,path\npm,Shadowed,bmm,x.md\nme,Mine,own,.bmad/me.md\n",
    );
    sandbox.write("~/.bmad/me.md", b"# \xff\n");
    sandbox
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[test]
fn rows_are_listed_and_the_highest_rank_wins() {
    let sandbox = catalog();
    let mut client = Client::open(&sandbox);
    let all = client.call(json!({ "operation": "list" }));
    assert_eq!(all["structuredContent"]["total"], 5);
    assert!(!all.to_string().contains("Shadowed"));
    let agents = client.call(
        json!({ "operation": "list", "kind": "agents", "module": "bmm", "query": "MANAGER" }),
    );
    assert_eq!(text(&agents), "agent bmm/pm: Product Manager\n");
    let row = &agents["structuredContent"]["rows"][0];
    assert_eq!(
        (&row["layer"], &row["displayName"]),
        (&json!("project"), &json!("John"))
    );
    let first = client.call(json!({ "operation": "list", "limit": 4 }));
    let cursor = &first["structuredContent"]["nextCursor"];
    let second = client.call(json!({ "operation": "list", "limit": 4, "cursor": cursor }));
    assert_eq!(text(&second), "workflow bmm/plan: Plans\n");
    client.finish();
}

#[test]
fn a_file_is_read_by_name_by_module_and_by_url() {
    let sandbox = catalog();
    let mut client = Client::open(&sandbox);
    for name in ["analyst", "bmm/analyst"] {
        let read = client.call(json!({ "operation": "read", "kind": "agent", "name": name }));
        assert_eq!(text(&read), "# Mary\n");
        assert_eq!(read["structuredContent"]["uri"], "agpm://agent/bmm/analyst");
        assert_eq!(read["structuredContent"]["mimeType"], "text/markdown");
    }
    let unknown = client.call(json!({ "operation": "read", "kind": "agent", "name": "analist" }));
    assert_eq!(
        (&unknown["isError"], &unknown["structuredContent"]["code"]),
        (&json!(true), &json!("name/unknown"))
    );
    let sneaky = client.call(json!({ "operation": "read", "kind": "agent", "name": "sneaky" }));
    assert_eq!(sneaky["structuredContent"]["code"], "catalog/escape");
    let read = client.ask(
        "resources/read",
        json!({ "uri": "agpm://workflow/bmm/plan" }),
    );
    let expected = json!([{ "uri": "agpm://workflow/bmm/plan", "mimeType": "application/yaml", "text": "steps: []\n" }]);
    assert_eq!(read["result"]["contents"], expected);
    let blob = client.ask("resources/read", json!({ "uri": "agpm://agent/own/me" }));
    let expected = json!([{ "uri": "agpm://agent/own/me", "mimeType": "application/octet-stream", "blob": "IyD/Cg==" }]);
    assert_eq!(blob["result"]["contents"], expected);
    let missing = client.trouble(
        "resources/read",
        json!({ "uri": "agpm://agent/bmm/nobody" }),
    );
    assert_eq!(missing, "-32002 name/unknown");
    assert_eq!(
        client.trouble(
            "resources/read",
            json!({ "uri": "agpm://agent/bmm/sneaky" })
        ),
        "-32002 catalog/escape"
    );
    client.finish();
}

#[test]
fn lists_of_a_kind_are_resources_too() {
    let sandbox = catalog();
    let mut client = Client::open(&sandbox);
    let listed = client.ask("resources/list", json!({}));
    let uris: Vec<&str> = listed["result"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["uri"].as_str().unwrap())
        .collect();
    let expected = [
        "agpm://catalog/agent.csv",
        "agpm://catalog/workflow.csv",
        "agpm://agent/bmm/analyst",
        "agpm://agent/bmm/pm",
        "agpm://agent/bmm/sneaky",
        "agpm://agent/own/me",
        "agpm://workflow/bmm/plan",
    ];
    assert_eq!(uris, expected);
    let csv = client.ask(
        "resources/read",
        json!({ "uri": "agpm://catalog/workflow.csv" }),
    );
    let text = csv["result"]["contents"][0]["text"].as_str().unwrap();
    assert_eq!(
        text,
        "name,description,module,path\n\"plan\",\"Plans\",\"bmm\",\"bmad/plan.yaml\"\n"
    );
    let templates = client.ask("resources/templates/list", json!({}));
    assert_eq!(
        templates["result"]["resourceTemplates"]
            .as_array()
            .unwrap()
            .len(),
        6
    );
    client.finish();
}

#[test]
fn every_agent_is_a_prompt() {
    let sandbox = catalog();
    let mut client = Client::open(&sandbox);
    let listed = client.ask("prompts/list", json!({}));
    let prompts = listed["result"]["prompts"].as_array().unwrap();
    let names: Vec<&str> = prompts
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["bmm.analyst", "bmm.pm", "bmm.sneaky", "own.me"]);
    assert_eq!(prompts[0]["arguments"][0]["name"], "message");
    assert_eq!(prompts[0]["arguments"][0]["required"], false);
    let got = client.ask(
        "prompts/get",
        json!({ "name": "bmm.pm", "arguments": { "message": "Hello" } }),
    );
    let user_message =
        |text: &str| json!({ "role": "user", "content": { "type": "text", "text": text } });
    assert_eq!(
        got["result"]["messages"],
        json!([user_message("# John\n"), user_message("Hello")])
    );
    let alone = client.ask("prompts/get", json!({ "name": "bmm.pm" }));
    assert_eq!(alone["result"]["messages"].as_array().unwrap().len(), 1);
    let strange = json!({ "name": "bmm.pm", "arguments": { "mood": "good" } });
    assert_eq!(
        client.trouble("prompts/get", strange),
        "-32602 mcp/parameters"
    );
    client.finish();
}

#[test]
fn modules_and_names_are_completed_in_what_is_decided() {
    let sandbox = catalog();
    let mut client = Client::open(&sandbox);
    let mut complete = |name: &str, value: &str, given: Value| {
        let parameters = json!({
            "ref": { "type": "ref/resource", "uri": "agpm://{kind}/{module}/{name}" },
            "argument": { "name": name, "value": value },
            "context": { "arguments": given },
        });
        client.ask("completion/complete", parameters)["result"]["completion"]["values"].clone()
    };
    assert_eq!(
        complete("module", "", json!({ "kind": "agent" })),
        json!(["bmm", "own"])
    );
    assert_eq!(
        complete("name", "", json!({ "kind": "agent", "module": "own" })),
        json!(["me"])
    );
    assert_eq!(complete("name", "P", json!({})), json!(["plan", "pm"]));
    let prompt = json!({ "ref": { "type": "ref/prompt", "name": "bmm.pm" }, "argument": { "name": "message", "value": "x" } });
    let none = client.ask("completion/complete", prompt);
    assert_eq!(none["result"]["completion"]["values"], json!([]));
    client.finish();
}

#[test]
fn a_change_is_seen_at_once_and_reported() {
    let sandbox = catalog();
    let mut client = Client::open(&sandbox);
    let ask = json!({ "operation": "list", "kind": "agent" });
    assert_eq!(client.call(ask.clone())["structuredContent"]["total"], 4);
    std::thread::sleep(std::time::Duration::from_millis(700));
    sandbox.write(AGENTS, "name,module,path\n\"broken,bmm,x\n");
    assert_eq!(
        client.call(ask)["structuredContent"]["total"],
        2,
        "only those of home are left"
    );
    let message = client.notification("notifications/message");
    assert_eq!(
        message["params"]["data"]["code"], "catalog/malformed",
        "{message}"
    );
    std::thread::sleep(std::time::Duration::from_millis(700));
    sandbox.write(AGENTS, "name,module,path\nnew,bmm,x\n");
    client.notification("notifications/prompts/list_changed");
    client.notification("notifications/resources/list_changed");
    client.finish();
}

#[test]
fn files_that_come_and_go_under_its_hands_break_nothing() {
    let sandbox = catalog();
    let mut client = Client::open(&sandbox);
    for round in 0..60 {
        client.send(
            "tools/call",
            json!({ "name": "agpm", "arguments": { "operation": "list" } }),
        );
        client.send("prompts/get", json!({ "name": "bmm.pm" }));
        client.send("resources/read", json!({ "uri": "agpm://agent/bmm/pm" }));
        match round % 3 {
            0 => std::fs::remove_file(sandbox.work().join("bmad/bmm/agents/pm.md"))
                .unwrap_or_default(),
            1 => sandbox.write(AGENTS, "name,module,path\n\"pm"),
            _ => {
                sandbox.write("bmad/bmm/agents/pm.md", "# John\n");
                sandbox.write(AGENTS, "name,module,path\npm,bmm,bmad/bmm/agents/pm.md\n");
            }
        }
    }
    let answers = client.finish();
    assert_eq!(
        answers
            .iter()
            .filter(|answer| answer.get("id").is_some())
            .count(),
        180
    );
}

#[test]
fn a_name_alone_is_read_where_it_means_one_thing() {
    let sandbox = catalog();
    let mut client = Client::open(&sandbox);
    let plan = client.call(json!({ "operation": "read", "name": "plan" }));
    assert_eq!(
        (text(&plan), &plan["structuredContent"]["kind"]),
        ("steps: []\n", &json!("workflow"))
    );
    let nothing = client.call(json!({ "operation": "read", "name": "nobody" }));
    assert_eq!(
        (&nothing["isError"], &nothing["structuredContent"]["code"]),
        (&json!(true), &json!("name/unknown"))
    );
    client.finish();
}

#[test]
fn an_empty_catalog_has_its_note() {
    let sandbox = sandbox();
    let mut client = Client::open(&sandbox);
    let all = client.call(json!({ "operation": "list" }));
    assert_eq!(
        all["structuredContent"]["diagnostics"][0]["code"],
        "catalog/empty"
    );
    client.finish();
}

#[test]
fn a_prompt_is_text() {
    let sandbox = catalog();
    let mut client = Client::open(&sandbox);
    assert_eq!(
        client.trouble("prompts/get", json!({ "name": "own.me" })),
        "-32602 mcp/unknown-prompt"
    );
    client.finish();
}

#[test]
fn shadowed_rows_are_sent_when_required() {
    let sandbox = catalog();
    let mut client = Client::open(&sandbox);
    let rows =
        client.call(json!({ "operation": "list", "module": "bmm", "query": "john", "all": true }));
    let rows = rows["structuredContent"]["rows"]
        .as_array()
        .unwrap()
        .clone();
    let pairs: Vec<(&Value, &Value)> = rows
        .iter()
        .map(|row| (&row["layer"], &row["shadowed"]))
        .collect();
    assert_eq!(
        pairs,
        [
            (&json!("project"), &json!(false)),
            (&json!("user"), &json!(true))
        ]
    );
    assert_eq!(rows[1]["shadowedBy"], "project");
    client.finish();
}

#[test]
fn guesses_that_make_sense_are_understood() {
    let sandbox = catalog();
    let mut client = Client::open(&sandbox);
    let pm = client
        .call(json!({ "operation": "read", "kind": "agents", "module": "bmm", "name": "pm" }));
    assert_eq!(text(&pm), "# John\n");
    let none = client.call(json!({ "operation": "list", "kind": "profiles" }));
    assert_eq!(none["structuredContent"]["total"], 0);
    client.finish();
}

/// Catalogs of BMAD 6.12 list skills alone, whose files are in the folders of tools.
#[test]
fn skills_that_are_agents_are_read_and_have_prompts() {
    let sandbox = sandbox();
    sandbox.write(
        "_bmad/_config/skill-manifest.csv",
        "canonicalId,name,description,module,path\n\
         bmad-agent-pm,bmad-agent-pm,Plans products,bmm,_bmad/bmm/bmad-agent-pm/SKILL.md\n\
         bmad-help,bmad-help,Helps,core,_bmad/core/bmad-help/SKILL.md\n",
    );
    sandbox.write(".claude/skills/bmad-agent-pm/SKILL.md", "# John\n");
    sandbox.write(".claude/skills/bmad-help/SKILL.md", "# Help\n");
    let mut client = Client::open(&sandbox);
    let read = client.call(json!({ "operation": "read", "kind": "skill", "name": "bmad-help" }));
    assert_eq!(text(&read), "# Help\n");
    let prompts = client.ask("prompts/list", json!({}));
    let names: Vec<&Value> = prompts["result"]["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|prompt| &prompt["name"])
        .collect();
    assert_eq!(names, ["bmm.bmad-agent-pm"]);
    let prompt = client.ask("prompts/get", json!({ "name": "bmm.bmad-agent-pm" }));
    assert_eq!(
        prompt["result"]["messages"][0]["content"]["text"],
        "# John\n"
    );
    client.finish();
}
