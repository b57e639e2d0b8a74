#!/usr/bin/env python3
"""Measure the catalog: three catalogs merged, and how that grows.

usage: catalog.py [AGPM] [--runs N]

Three catalogs of equal size, project, home and a remote, of which half of the rows shadow others, are listed as CSV. The peer
is node with csv-parse, as plainly as can be: read, keep the row of the highest rank, sort, write. Both results are compared to
the byte. All take turns, and the best of the runs counts.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from install import ROOT, environment, measure

COLUMNS = ["name", "displayName", "title", "icon", "role", "identity", "communicationStyle", "principles", "module", "path"]
PEER = r"""
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
const seen = new Map()
let columns
for (const file of process.argv.slice(2)) {
  const rows = parse(readFileSync(file), { columns: true, bom: true, trim: true })
  columns ??= Object.keys(rows[0])
  for (const row of rows) {
    const key = row.module + '\0' + row.name
    if (!seen.has(key)) seen.set(key, row)
  }
}
const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0)
const rows = [...seen.values()].sort((a, b) => order(a.module, b.module) || order(a.name, b.name))
const out = [columns.join(',')]
for (const row of rows) out.push(columns.map((c) => '"' + row[c].replaceAll('"', '""') + '"').join(','))
process.stdout.write(out.join('\n') + '\n')
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
    parser.add_argument("agpm", nargs="?", default=str(ROOT / "target/release/agpm"))
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    agpm = str(pathlib.Path(arguments.agpm).resolve())
    with tempfile.TemporaryDirectory(prefix="agpm-bench-") as place:
        place = pathlib.Path(place)
        peer = node(place)
        for rows in (25_000, 50_000, 100_000, 200_000):
            compare(place / str(rows), agpm, peer, rows, arguments.runs)


def node(place):
    """The peer's script beside its library, if node and npm are there."""
    if not (shutil.which("node") and shutil.which("npm")):
        return None
    folder = place / "peer"
    folder.mkdir()
    (folder / "package.json").write_text('{"type": "module", "private": true}')
    installed = subprocess.run(["npm", "install", "--silent", "csv-parse@7"], cwd=folder)
    (folder / "merge.js").write_text(PEER)
    return folder / "merge.js" if installed.returncode == 0 else None


def compare(place, agpm, peer, rows, runs):
    project, home, remote = place / "project", place / "home", place / "remote"
    env = environment(home)
    files = [project / "bmad/_cfg/agent-manifest.csv", home / ".bmad/_cfg/agent-manifest.csv", remote / "bmad/_cfg/agent-manifest.csv"]
    for at, file in enumerate(files):
        manifest(file, at * rows // 2, rows, file.parts[-4])
    (project / "agpm.toml").write_text(f'[sources]\nshared = "{remote}"\n')
    ours = [agpm, "catalog", "agents", "--remote", "shared", "--format", "csv"]
    contenders = {"agpm": ours}
    if peer:
        contenders["node"] = ["node", str(peer), *map(str, files)]
        results = [subprocess.run(command, cwd=project, env=env, capture_output=True).stdout for command in contenders.values()]
        assert results[0] == results[1] and len(results[0]) > rows, "the two results differ"
    best = {}
    for _ in range(runs):
        for name, command in contenders.items():
            best[name] = min(best.get(name, (1e9, 0)), measure(command, project, env))
    seconds, memory = best["agpm"]
    line = f"3 x {rows:>7,} rows  agpm {seconds * 1000:7.1f} ms {memory:6.0f} MB  {seconds / rows / 3 * 1e9:5.0f} ns a row"
    if peer:
        theirs, their_memory = best["node"]
        line += f"   node {theirs * 1000:7.1f} ms {their_memory:6.0f} MB   {theirs / seconds:.1f} times as fast, {memory / their_memory:.2f} of the memory"
    print(line, flush=True)


if __name__ == "__main__":
    main()
