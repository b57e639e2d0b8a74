#!/usr/bin/env python3
"""Measure how processor time and memory grow with the size of a project: nothing may grow faster than n log n.

usage: limits.py [AGPM] [--only NAME,NAME] [--scale FACTOR]

Each kind of project is built with a quarter, a half and all of its entries. Every command runs in a fresh copy of the
state that it needs. The table has user and system time, which other load on the machine changes little, and the peak
memory. The last columns are the growth from the half to the whole: an exponent of 1 is linear, n log n is at most 1.1.
Times below 0.2 s say nothing about growth and are not judged. The exit code is 1 if anything grows faster.
"""
import argparse
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from install import ROOT, environment, sh

# The measurement of one doubling varies by about a tenth on a busy machine.
MOST_EXPONENT = 1.35
SHORTEST = 0.2
# An exponent says little about times that start far above zero, so the slowest allowed commands are limited too.
LONGEST = 60


class Project:
    """A directory with a home, and the sources that its manifest names."""

    def __init__(self, directory):
        self.directory = directory
        self.project = directory / "project"
        self.project.mkdir(parents=True)
        self.env = environment(directory / "home")

    def manifest(self, text):
        (self.project / "agpm.toml").write_text(text)

    def repository(self, name, commits):
        """Creates a repository from `(files, tags)` per commit, through `git fast-import`, and returns its URL."""
        directory = self.directory / name
        sh("git", "init", "-q", "--bare", "-b", "main", directory)
        stream = []
        for number, (files, tags) in enumerate(commits):
            stream.append(f"commit refs/heads/main\ncommitter b <b@localhost> {1700000000 + number} +0000\ndata 1\nx\n")
            for path, text in files.items():
                stream.append(f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}\n")
            for tag in tags:
                stream.append(f"reset refs/tags/{tag}\nfrom refs/heads/main\n\n")
        subprocess.run(["git", "-C", directory, "fast-import", "--quiet"], input="".join(stream).encode(), check=True)
        return f"file://{directory}"


def agent(number, needs=()):
    lines = "".join(f"    - path: agents/{other}.md\n" for other in needs)
    needed = f"dependencies:\n  agents:\n{lines}" if needs else ""
    return f"---\nname: a{number}\ndescription: Agent number {number}\n{needed}---\n# Agent {number}\n\nDo it.\n"


def chain(project, count):
    files = {f"agents/{n}.md": agent(n, [n + 1] if n + 1 < count else []) for n in range(count)}
    url = project.repository("source", [(files, ["v1.0.0"])])
    project.manifest(f'[sources]\ns = "{url}"\n\n[agents]\n"0" = {{ source = "s", path = "agents/0.md", version = "v1.0.0" }}\n')


def agents(project, count):
    files = {f"agents/{n}.md": agent(n) for n in range(count)}
    newer = {f"agents/{n}.md": agent(n) + "More.\n" for n in range(count)}
    url = project.repository("source", [(files, ["v1.0.0"]), (newer, ["v1.1.0"])])
    project.manifest(f'[sources]\ns = "{url}"\n\n[agents]\nall = {{ source = "s", path = "agents/*.md", version = "^1" }}\n')


def listed(project, count):
    files = {f"agents/{n}.md": agent(n) for n in range(count)}
    url = project.repository("source", [(files, ["v1.0.0"])])
    lines = "".join(f'a{n} = {{ source = "s", path = "agents/{n}.md", version = "^1" }}\n' for n in range(count))
    project.manifest(f'[sources]\ns = "{url}"\n\n[agents]\n{lines}')


def servers(project, count):
    lines = "".join(f's{n} = {{ command = "run", args = ["{n}"], env = {{ KEY = "v{n}" }} }}\n' for n in range(count))
    project.manifest(f"[mcp-servers]\n{lines}")


def hooks(project, count):
    files = {}
    for n in range(count):
        hook = {"type": "command", "command": f"check-{n}"}
        files[f"hooks/{n}.json"] = json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}})
    url = project.repository("source", [(files, ["v1.0.0"])])
    lines = "".join(f'h{n} = {{ source = "s", path = "hooks/{n}.json", version = "^1" }}\n' for n in range(count))
    project.manifest(f'[sources]\ns = "{url}"\n\n[hooks]\n{lines}')


def blocks(project, count):
    files = {f"rules/{n}.md": f"# Rule {n}\n\nKeep it short.\n" for n in range(count)}
    url = project.repository("source", [(files, ["v1.0.0"])])
    lines = "".join(f'r{n} = {{ source = "s", path = "rules/{n}.md", version = "^1" }}\n' for n in range(count))
    project.manifest(f'[sources]\ns = "{url}"\n\n[instructions]\n{lines}')


def tags(project, count):
    files = {"agents/0.md": agent(0)}
    names = [f"v1.{n // 100}.{n % 100}" for n in range(count)]
    url = project.repository("source", [(files, names)])
    project.manifest(f'[sources]\ns = "{url}"\n\n[agents]\na = {{ source = "s", path = "agents/0.md", version = "^1" }}\n')


def plugins(project, count):
    listing = {"name": "market", "owner": {"name": "b"}, "plugins": []}
    files = {}
    for n in range(count):
        listing["plugins"].append({"name": f"p{n}", "source": f"./plugins/p{n}", "description": f"Plugin {n}"})
        files[f"plugins/p{n}/.claude-plugin/plugin.json"] = json.dumps({"name": f"p{n}", "version": "1.0.0"})
        files[f"plugins/p{n}/commands/c{n}.md"] = f"---\ndescription: Command {n}\n---\nDo {n}.\n"
        files[f"plugins/p{n}/skills/s{n}/SKILL.md"] = f"---\nname: s{n}\ndescription: Skill {n}\n---\nDo {n}.\n"
    files[".claude-plugin/marketplace.json"] = json.dumps(listing)
    url = project.repository("source", [(files, ["v1.0.0"])])
    lines = "".join(f'p{n} = {{ source = "s", path = "plugins/p{n}", version = "^1" }}\n' for n in range(count))
    project.manifest(f'[sources]\ns = "{url}"\n\n[plugins]\n{lines}')


def settings(megabytes, level):
    """An object as in settings files, with about this size."""
    out, size, number = {"permissions": {"deny": []}, "env": {}}, 0, 0
    while size < megabytes * 1e6:
        key, value = f"KEY_{level if number % 2 else 'shared'}_{number}", f"value {number} of {level}"
        out["env"][key] = value
        size += len(key) + len(value) + 12
        number += 1
    return json.dumps(out, indent=2)


def layers(project, megabytes):
    lines = ""
    for level in ["org", "team"]:
        file = project.directory / level / ".claude" / "settings.json"
        file.parent.mkdir(parents=True)
        file.write_text(settings(megabytes, level))
        lines += f'[[layers]]\nname = "{level}"\npath = "{project.directory / level}"\n\n'
    project.manifest(lines)


def documents(project, megabytes):
    lines = ""
    for level in ["org", "team"]:
        file = project.directory / level / ".claude" / "agents" / "long.md"
        file.parent.mkdir(parents=True)
        file.write_text("---\nname: long\n---\n" + f"A line of {level} that says something.\n" * int(megabytes * 1e6 // 40))
        lines += f'[[layers]]\nname = "{level}"\npath = "{project.directory / level}"\n\n'
    project.manifest(lines)


# `tree` of a chain is left out: its lines are indented by their depth, so the text itself is quadratic.
# The name of a kind of project, how it is built, its largest size, the unit, and what runs in it after the install.
USUAL = [["install"], ["install", "--frozen"], ["verify"], ["list"], ["install", "--force"]]
KINDS = {
    "chain": (chain, 10_000, "dependencies in a chain", [*USUAL, ["update"], ["why", "agents/1"]]),
    "agents": (agents, 10_000, "agents by a pattern", [*USUAL, ["update"], ["outdated"]]),
    "listed": (listed, 4_000, "agents in the manifest", [*USUAL, ["remove", "agents/a1"], ["undo"]]),
    "servers": (servers, 10_000, "MCP servers in one file", [*USUAL, ["remove", "mcp-servers/s1"], ["undo"]]),
    "hooks": (hooks, 10_000, "hooks in one file", [*USUAL, ["remove", "hooks/h1"], ["undo"]]),
    "blocks": (blocks, 4_000, "blocks in one file", [*USUAL, ["remove", "instructions/r1"], ["undo"]]),
    "tags": (tags, 10_000, "tags of a source", [*USUAL, ["update"], ["outdated"]]),
    "plugins": (plugins, 2_000, "plugins", [*USUAL, ["update"], ["remove", "plugins/p1"]]),
    "layers": (layers, 25, "MB of JSON in each of two layers", [*USUAL, ["layers"]]),
    "documents": (documents, 25, "MB of Markdown in each of two layers", USUAL),
}


def run(agpm, words, project):
    """Returns the processor seconds and the peak memory in MB of one command."""
    child = subprocess.Popen(
        [agpm, *words], cwd=project.project, env=project.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    stderr = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code and not (words[0] == "outdated" and code == 1):
        print(f"`agpm {' '.join(words)}` ended with {code}:\n{stderr.decode()[-1500:]}", file=sys.stderr, flush=True)
        return None
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure_kind(agpm, name, scratch, scale):
    """Prints the rows of one kind, and returns those that grow too fast."""
    build, largest, unit, commands = KINDS[name]
    sizes = [max(1, int(largest * scale / part)) if largest > 100 else largest * scale / part for part in (4, 2, 1)]
    found = {}
    for size in sizes:
        project = Project(scratch / f"{name}-{size}")
        build(project, size)
        for number, words in enumerate([["install"], *commands]):
            label = "install, cold" if number == 0 else " ".join(words)
            found.setdefault(label, []).append(run(agpm, words, project))
        shutil.rmtree(project.directory)
    steep = []
    print(f"\n{name}: {', '.join(f'{size:g}' for size in sizes)} {unit}", flush=True)
    for label, figures in found.items():
        if None in figures:
            steep.append(f"{name}: {label} failed")
            continue
        cells = " | ".join(f"{seconds:7.2f} s {memory:5.0f} MB" for seconds, memory in figures)
        (_, _), (half, half_memory), (whole, whole_memory) = figures
        exponents = [math.log2(max(whole, 0.01) / max(half, 0.01)), math.log2(whole_memory / half_memory)]
        is_steep = whole > SHORTEST and exponents[0] > MOST_EXPONENT or exponents[1] > MOST_EXPONENT or whole > LONGEST
        mark = "  <- too fast" if is_steep else ""
        print(f"  {label:24} {cells} | time n^{exponents[0]:.2f}, memory n^{exponents[1]:.2f}{mark}", flush=True)
        if is_steep:
            steep.append(f"{name}: {label}")
    return steep


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("agpm", nargs="?", default=ROOT / "target/dist/agpm")
    parser.add_argument("--only", default=",".join(KINDS))
    parser.add_argument("--scale", type=float, default=1.0)
    args = parser.parse_args()
    agpm = str(pathlib.Path(args.agpm).resolve())
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="agpm-limits-", dir=os.environ.get("AGPM_BENCH_DIR")))
    steep = []
    try:
        for name in args.only.split(","):
            steep += measure_kind(agpm, name, scratch, args.scale)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    for row in steep:
        print(f"grows too fast: {row}", file=sys.stderr)
    sys.exit(1 if steep else 0)


if __name__ == "__main__":
    main()
