// The server over HTTP in the official conformance suite of the protocol.
//
// usage: node conformance.mjs CONFORMANCE AGPM WORLD
//
// The suite knows no tokens, so it talks to a proxy that adds them. Its other scenarios call tools, prompts and resources
// of a server that was written for the suite.
import { spawn } from "node:child_process";
import { createServer, request } from "node:http";

const [conformance, agpm, world] = process.argv.slice(2);
const PATIENCE = 60_000;
const TOKEN = "conformance";
const SCENARIOS = [
  "server-initialize",
  "ping",
  "logging-set-level",
  "tools-list",
  "resources-list",
  "prompts-list",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
];

const env = { ...process.env, AGPM_MCP_TOKEN: TOKEN };
const server = spawn(agpm, ["serve", "mcp", "--http", "0"], { cwd: `${world}/project`, env, stdio: ["ignore", "ignore", "pipe"] });

/** The port in the line that the server prints at startup. */
function started() {
  return new Promise((resolve, reject) => {
    let text = "";
    server.stderr.on("data", (part) => {
      text += part;
      const port = /http:\/\/127\.0\.0\.1:(\d+)\/mcp/.exec(text)?.[1];
      if (port) resolve(Number(port));
    });
    server.on("exit", () => reject(new Error(`the server ended: ${text}`)));
  });
}

/** Forwards requests with the token. Foreign names of the host stay as they are. */
function forward(port, incoming, outgoing) {
  const own = incoming.headers.host?.endsWith(`:${proxy.address().port}`);
  const name = incoming.headers.host?.replace(/:\d+$/, "");
  const headers = { ...incoming.headers, authorization: `Bearer ${TOKEN}` };
  if (own) headers.host = `${name}:${port}`;
  const { method, url } = incoming;
  const forwarded = request({ host: "127.0.0.1", port, method, path: url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
  });
  forwarded.on("error", () => outgoing.destroy());
  outgoing.on("close", () => forwarded.destroy());
  incoming.pipe(forwarded);
}

/** Runs a scenario; the text is what the suite prints. */
function run(scenario, url) {
  return new Promise((resolve) => {
    const line = [conformance, "server", "--url", url, "--scenario", scenario];
    const ran = spawn(process.execPath, line, { cwd: world, timeout: PATIENCE });
    let text = "";
    ran.stdout.on("data", (part) => (text += part));
    ran.stderr.on("data", (part) => (text += part));
    ran.on("close", (status) => resolve({ passed: status === 0, text }));
  });
}

const port = await started();
const proxy = createServer((incoming, outgoing) => forward(port, incoming, outgoing));
await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
const url = `http://localhost:${proxy.address().port}/mcp`;

let passed = 0;
let failed = 0;
for (const scenario of SCENARIOS) {
  const { passed: good, text } = await run(scenario, url);
  console.log(`${good ? "ok     " : "FAILED "} ${scenario}`);
  if (good) {
    passed += 1;
  } else {
    failed += 1;
    console.log(text);
  }
}
console.log(`${passed} passed, ${failed} failed`);
server.removeAllListeners("exit");
server.kill();
proxy.closeAllConnections();
proxy.close();
process.exitCode = failed === 0 ? 0 : 1;
