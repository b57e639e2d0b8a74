#!/usr/bin/env python3
"""Measure the catalog: three catalogs merged, and how that grows.

usage: catalog.py [AGPM] [--runs N]

Three catalogs of equal size, project, home and a remote, of which half of the rows shadow others, are listed as CSV, as JSON and
as a table. The peer is node with csv-parse, as simply as possible: read, keep the row of the highest rank, sort, write. It does not
check whether the files of rows exist, which agpm does for JSON. The results are compared: CSV and tables to the byte, JSON by its
rows. The contenders alternate, and the best run is reported. `--files` creates the files that the rows of the project name.
"""
import argparse
import json
import multiprocessing
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from install import ROOT, environment, measure

COLUMNS = ["name", "displayName", "title", "icon", "role", "identity", "communicationStyle", "principles", "module", "path"]
FORMATS = ("csv", "json", "table")
PEER = r"""
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'csv-parse/sync'
const [format, ...files] = process.argv.slice(2)
const layers = ['project', 'user', 'git']
const seen = new Map()
let columns
for (const [at, file] of files.entries()) {
  const rows = parse(readFileSync(file), { columns: true, bom: true, trim: true })
  columns ??= Object.keys(rows[0])
  for (const row of rows) {
    const key = row.module + '\0' + row.name
    if (!seen.has(key)) seen.set(key, [row, at])
  }
}
const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0)
const rows = [...seen.values()].sort(([a], [b]) => order(a.module, b.module) || order(a.name, b.name))
if (format === 'csv') {
  const out = [columns.join(',')]
  for (const [row] of rows) out.push(columns.map((c) => '"' + row[c].replaceAll('"', '""') + '"').join(','))
  process.stdout.write(out.join('\n') + '\n')
} else if (format === 'json') {
  const told = rows.map(([row, at]) => ({
    kind: 'agent', ...row, layer: layers[at], manifest: files[at], file: join(dirname(files[at]), '../..', row.path),
  }))
  process.stdout.write(JSON.stringify({ ok: true, rows: told, diagnostics: [] }, null, 2) + '\n')
} else {
  const labels = ['project', 'user', 'git shared']
  const cells = rows.map(([row, at]) => ['agent', row.module, row.name, row.title, labels[at]])
  cells.unshift(['Kind', 'Module', 'Name', 'Title', 'Layer'])
  const widths = cells[0].map((_, c) => cells.reduce((most, row) => Math.max(most, [...row[c]].length), 0))
  const line = (row) => row.map((cell, c) => cell.padEnd(widths[c])).join('  ').trimEnd()
  process.stdout.write(cells.map(line).join('\n') + '\n')
}
"""


def manifest(path, start, rows, label):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as out:
        out.write(",".join(COLUMNS) + "\n")
        for number in range(start, start + rows):
            # Not in the order of the names, and some of it quoted, as manifests are.
            name = f"agent-{number * 7919 % 1000003:07}"
            out.write(
                f'{name},Agent {number},"{label}, the {number}th",🧭,Works on part {number % 97},'
                f'"Knows ""{number % 13}"" things, and says so.",Short and plain,"Ask first, then act; keep it small.",'
                f"module-{number % 20},bmad/module-{number % 20}/agents/{name}.md\n"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agpm", nargs="?", default=str(ROOT / "target/dist/agpm"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rows", type=int, nargs="*", default=[25_000, 50_000, 100_000, 200_000])
    parser.add_argument("--files", action="store_true")
    arguments = parser.parse_args()
    agpm = str(pathlib.Path(arguments.agpm).resolve())
    with tempfile.TemporaryDirectory(prefix="agpm-bench-") as temp:
        temp = pathlib.Path(temp)
        peer = node(temp)
        for rows in arguments.rows:
            compare(temp / str(rows), agpm, peer, rows, arguments)


def node(temp):
    """The peer's script beside its library, if node and npm are there."""
    if not (shutil.which("node") and shutil.which("npm")):
        return None
    directory = temp / "peer"
    directory.mkdir()
    (directory / "package.json").write_text('{"type": "module", "private": true}')
    installed = subprocess.run(["npm", "install", "--silent", "csv-parse@7"], cwd=directory)
    (directory / "merge.js").write_text(PEER)
    return directory / "merge.js" if installed.returncode == 0 else None


def compare(temp, agpm, peer, rows, arguments):
    project, home, remote = temp / "project", temp / "home", temp / "remote"
    env = environment(home)
    files = [project / "bmad/_cfg/agent-manifest.csv", home / ".bmad/_cfg/agent-manifest.csv", remote / "bmad/_cfg/agent-manifest.csv"]
    for at, file in enumerate(files):
        manifest(file, at * rows // 2, rows, file.parts[-4])
    (project / "agpm.toml").write_text(f'[sources]\nshared = "{remote}"\n')
    if arguments.files:
        create_files(project, rows)
    for form in FORMATS:
        contenders = {"agpm": [agpm, "catalog", "agents", "--remote", "shared", "--format", form]}
        if peer:
            contenders["node"] = ["node", str(peer), form, *map(str, files)]
            # In a process of its own: what is started by a large one looks as large as that.
            checked = multiprocessing.Process(target=check, args=(form, contenders, project, env, rows))
            checked.start()
            checked.join()
            assert checked.exitcode == 0, f"the two results differ: {form}"
        best = {}
        for _ in range(arguments.runs):
            for name, command in contenders.items():
                best[name] = min(best.get(name, (1e9, 0)), measure(command, project, env))
        print(line(form, rows, best), flush=True)


def run(command, directory, env):
    return subprocess.run(command, cwd=directory, env=env, capture_output=True, check=True).stdout


def create_files(project, rows):
    for number in range(rows):
        file = project / f"bmad/module-{number % 20}/agents/agent-{number * 7919 % 1000003:07}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()


def check(form, contenders, directory, env, rows):
    """Both say the same; whether a file exists only agpm knows."""
    ours, theirs = (run(command, directory, env) for command in contenders.values())
    if form == "json":
        ours, theirs = (json.loads(text)["rows"] for text in (ours, theirs))
        for row in [*ours, *theirs]:
            row.pop("file")
            row["manifest"] = pathlib.Path(row["manifest"]).resolve()
            row.pop("remote", None)
    assert ours == theirs and len(ours) > rows


def line(form, rows, best):
    seconds, memory = best["agpm"]
    text = f"{form:<5} 3 x {rows:>7,} rows  agpm {seconds * 1000:7.1f} ms {memory:6.0f} MB  {seconds / rows / 3 * 1e9:5.0f} ns a row"
    if "node" in best:
        theirs, their_memory = best["node"]
        text += f"   node {theirs * 1000:7.1f} ms {their_memory:6.0f} MB   {theirs / seconds:.1f} times as fast, {memory / their_memory:.2f} of the memory"
    return text


if __name__ == "__main__":
    main()
