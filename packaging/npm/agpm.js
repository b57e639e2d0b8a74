#!/usr/bin/env node
// Runs the program of the package for this platform.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const name = `agentlayers-${process.platform}-${process.arch}`;
const executable = process.platform === "win32" ? "agpm.exe" : "agpm";

let program;
try {
  program = require.resolve(`${name}/bin/${executable}`);
} catch {
  console.error(`error: the package ${name} is not installed`);
  console.error(" = note: it has the program for this platform, and is an optional dependency of agentlayers");
  console.error(" = help: install again without `--omit=optional`, or see docs/install.md for other channels");
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });

// The terminal sends its signals to both processes. The launcher stays until the program has ended by itself.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}

child.on("error", (error) => {
  console.error(`error: ${program} cannot be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  process.exit(signal === null ? code : 128 + constants.signals[signal]);
});
