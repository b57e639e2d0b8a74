// The server through the command line of the MCP inspector: one process for each question, as scripts use it.
//
// usage: node inspector.mjs INSPECTOR AGPM WORLD
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

const [inspector, agpm, world] = process.argv.slice(2);
const PATIENCE = 60_000;

/** What a method answers; throws with what the inspector prints if that is an error. */
function ask(method, ...options) {
  const line = [inspector, "--cli", agpm, "serve", "mcp", "--method", method, ...options];
  const ran = spawnSync(process.execPath, line, { cwd: `${world}/project`, encoding: "utf8", timeout: PATIENCE });
  if (ran.error) throw ran.error;
  if (ran.status !== 0) throw new Error(`${ran.stdout}${ran.stderr}`);
  return JSON.parse(ran.stdout);
}

/** Calls the tool. */
function call(operation, options = {}) {
  const pairs = Object.entries({ operation, ...options }).flatMap(([key, value]) => ["--tool-arg", `${key}=${value}`]);
  return ask("tools/call", "--tool-name", "agpm", ...pairs);
}

const read = (uri) => ask("resources/read", "--uri", uri).contents[0];
const names = (rows) => rows.map((row) => row.name);

const tests = {
  "there is one tool, and it only looks"() {
    const { tools } = ask("tools/list");
    assert.deepEqual(names(tools), ["agpm"]);
    assert.equal(tools[0].annotations.readOnlyHint, true);
    const operations = tools[0].inputSchema.properties.operation.enum;
    assert.deepEqual(operations, ["list", "read", "explain", "status", "plan"]);
  },
  "the highest rank wins in the list, and shadowed rows are not sent"() {
    const { structuredContent, content, isError } = call("list", { kind: "agents" });
    assert.equal(isError ?? false, false);
    const rows = structuredContent.rows.map((row) => `${row.module}/${row.name} ${row.remote ?? row.layer} ${row.title}`);
    const expected = ["bmm/architect community#main Architect", "bmm/dev user Developer", "bmm/gone project Gone", "bmm/pm project Custom PM"];
    assert.deepEqual(rows, expected);
    assert.match(content[0].text, /agent bmm\/pm/);
    assert.doesNotMatch(JSON.stringify(structuredContent), /Product Manager|Remote PM/);
  },
  "a list has pages"() {
    const first = call("list", { kind: "agent", limit: 3 }).structuredContent;
    assert.deepEqual(names(first.rows), ["architect", "dev", "gone"]);
    assert.equal(first.total, 4);
    const second = call("list", { kind: "agent", limit: 3, cursor: first.nextCursor }).structuredContent;
    assert.deepEqual(names(second.rows), ["pm"]);
    assert.equal(second.nextCursor, undefined);
  },
  "a query finds what is installed, and a module filters"() {
    assert.deepEqual(call("list", { kind: "installed", query: "REVIEW" }).structuredContent.total, 1);
    assert.deepEqual(names(call("list", { module: "bmm", query: "requirements" }).structuredContent.rows), ["prd"]);
  },
  "read gives the file of the winner, of every face"() {
    assert.equal(call("read", { kind: "agent", name: "pm" }).structuredContent.text, "You plan this project. ✅\n");
    assert.equal(call("read", { kind: "agents", name: "bmm/architect" }).structuredContent.text, "You draw plans.\n");
    assert.match(call("read", { kind: "installed/agents", name: "reviewer" }).content[0].text, /Read the change\./);
    assert.equal(call("read", { kind: "persona", name: "ada" }).structuredContent.value.title, "Ada");
    const bottle = call("read", { kind: "bottle", name: "base" }).content[0].text;
    assert.match(bottle, /debian:13/);
    assert.doesNotMatch(bottle, /r3g-0123456789/);
    assert.match(call("read", { kind: "bottle-agent", name: "runner" }).content[0].text, /debian:13/);
  },
  "explain tells where a value came from"() {
    const { text } = call("explain", { what: "catalog:bmm/pm", pointer: "/title" }).content[0];
    assert.match(text, /Custom PM/);
    assert.match(text, /from project \(bmad\/_cfg\/agent-manifest\.csv:2\)/);
    assert.match(text, /Product Manager/);
    assert.match(call("explain", { what: "catalog/missing-file" }).content[0].text, /missing-file/);
  },
  "status and plan tell how the project stands"() {
    assert.equal(call("status").structuredContent.ok, true);
    assert.match(call("plan").content[0].text, /Nothing would change/);
  },
  "an operation that fails says so with a code"() {
    const missing = call("read", { kind: "agent", name: "gone" });
    assert.equal(missing.isError, true);
    assert.equal(missing.structuredContent.code, "catalog/missing-file");
    const unknown = call("read", { kind: "agent", name: "architct" });
    assert.equal(unknown.isError, true);
    assert.equal(unknown.structuredContent.code, "name/unknown");
    assert.match(unknown.content[0].text, /did you mean `(bmm\/)?architect`/);
  },
  "a call that is malformed is an error of the protocol"() {
    assert.throws(() => call("fly"), /-32602.*unknown operation `fly`/s);
    assert.throws(() => call("install"), /unknown operation `install`/);
    assert.throws(() => call("list", { kind: "planets" }), /unknown kind `planets`/);
    assert.throws(() => ask("tools/call", "--tool-name", "other"), /-32602/);
  },
  "resources of every face are listed"() {
    const { resources } = ask("resources/list");
    const types = Object.fromEntries(resources.map((resource) => [resource.uri, resource.mimeType]));
    const expected = {
      "agpm://catalog/agent.csv": "text/csv",
      "agpm://agent/bmm/pm": "text/markdown",
      "agpm://workflow/bmm/prd": "application/yaml",
      "agpm://installed/agents/reviewer": "text/markdown",
      "agpm://persona/ada": "application/json",
      "agpm://bottle/base": "application/yaml",
      "agpm://bottle-agent/runner": "application/yaml",
    };
    for (const [uri, type] of Object.entries(expected)) assert.equal(types[uri], type, uri);
  },
  "resources are read"() {
    const csv = read("agpm://catalog/agents.csv");
    assert.equal(csv.mimeType, "text/csv");
    assert.equal(csv.text.split("\n")[0], "name,displayName,title,module,path");
    assert.match(csv.text, /^"pm","John \(Custom\)","Custom PM","bmm","bmad\/bmm\/agents\/pm\.md"$/m);
    assert.equal(read("agpm://agent/bmm/dev").text, "You write code.\n");
    assert.match(read("agpm://installed/agents/reviewer").text, /Read the change\./);
    assert.equal(JSON.parse(read("agpm://persona/ada").text).title, "Ada");
  },
  "a path in an address is refused, and so is what is not there"() {
    assert.throws(() => read("agpm://agent/bmm/..%2f..%2fsecret"), /-32602/);
    assert.throws(() => read("agpm://installed/agents/../../agpm.toml"), /-32602|-32002/);
    assert.throws(() => read("agpm://agent/bmm/nobody"), /-32002/);
    assert.throws(() => read("file:///etc/passwd"), /-32602/);
  },
  "templates are listed"() {
    const templates = ask("resources/templates/list").resourceTemplates.map((template) => template.uriTemplate);
    for (const template of ["agpm://catalog/{kind}.csv", "agpm://{kind}/{module}/{name}", "agpm://installed/{type}/{name}"]) {
      assert.ok(templates.includes(template), template);
    }
  },
  "there is a prompt for each agent"() {
    const { prompts } = ask("prompts/list");
    assert.deepEqual(names(prompts), ["bmm.architect", "bmm.dev", "bmm.gone", "bmm.pm"]);
    assert.deepEqual(prompts[3].arguments.map((argument) => [argument.name, argument.required]), [["message", false]]);
  },
  "a prompt is the agent's file, then the message"() {
    const texts = (...options) => ask("prompts/get", "--prompt-name", "bmm.pm", ...options).messages.map((message) => message.content.text);
    assert.deepEqual(texts(), ["You plan this project. ✅\n"]);
    assert.deepEqual(texts("--prompt-args", "message=Plan it"), ["You plan this project. ✅\n", "Plan it"]);
  },
  "an unknown prompt is an error"() {
    assert.throws(() => ask("prompts/get", "--prompt-name", "bmm.nobody"), /-32602.*unknown prompt `bmm\.nobody`/s);
  },
  "a level of messages is taken"() {
    assert.deepEqual(ask("logging/setLevel", "--log-level", "debug"), {});
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    test();
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
}
console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
