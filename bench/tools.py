#!/usr/bin/env python3
"""Measure one install of many agents for six tools beside the same install for one tool.

usage: tools.py [AGPM] [--count N] [--runs N]

Six tools have six times the files, in five formats. What is fetched, solved and read is the same, so the ratio of the two is the
figure: at most 2.5 for a first install with an empty cache. With a filled cache nearly all that is left is writing files, so that
ratio is higher. A run that has nothing to do must not see how many tools there are.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ONE = ["claude-code"]
SIX = ["claude-code", "codex", "copilot", "cursor", "gemini", "opencode"]


def run(words, directory, env):
    start = time.perf_counter()
    done = subprocess.run(words, cwd=directory, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{words} failed in {directory}:\n{done.stderr.decode()}")
    return time.perf_counter() - start


def make_source(directory, count):
    agents = directory / "agents"
    agents.mkdir(parents=True)
    for number in range(count):
        text = f"---\nname: agent-{number}\ndescription: Agent number {number}\n---\n" + f"Step {number}.\n" * 40
        (agents / f"agent-{number}.md").write_text(text)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"], ["tag", "v1.0.0"]):
        subprocess.run(["git", "-c", "user.name=b", "-c", "user.email=b@b", *words], cwd=directory, check=True)


def make_project(directory, source, tools):
    directory.mkdir()
    listed = ", ".join(f'"{tool}"' for tool in tools)
    (directory / "agpm.toml").write_text(
        f'[project]\ntools = [{listed}]\n\n[sources]\ncorpus = "file://{source}"\n\n'
        '[agents]\nall = { source = "corpus", path = "agents/*.md", version = "^1.0" }\n'
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("agpm", nargs="?", default="target/dist/agpm")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    agpm = str(pathlib.Path(args.agpm).resolve())
    top = pathlib.Path(tempfile.mkdtemp(prefix="agpm-tools-"))
    env = {key: value for key, value in os.environ.items() if not key.startswith(("AGPM_", "XDG_"))}
    env.update(HOME=str(top / "home"), GIT_CONFIG_NOSYSTEM="1")
    (top / "home").mkdir()
    make_source(top / "source", args.count)
    empty, filled, idle = {}, {}, {}
    for number in range(args.runs):
        for name, tools in (("one", ONE), ("six", SIX)):
            own = dict(env, XDG_CACHE_HOME=str(top / f"cache-{name}-{number}"))
            for title, times in (("empty", empty), ("filled", filled)):
                directory = top / f"{title}-{name}-{number}"
                make_project(directory, top / "source", tools)
                times.setdefault(name, []).append(run([agpm, "install"], directory, own))
            idle.setdefault(name, []).append(run([agpm, "install"], directory, own))
    shutil.rmtree(top)
    for title, times in (("empty cache", empty), ("filled cache", filled), ("nothing to do", idle)):
        one, six = statistics.median(times["one"]), statistics.median(times["six"])
        print(f"{title}: one tool {one * 1000:.0f} ms, six tools {six * 1000:.0f} ms, ratio {six / one:.2f}")


if __name__ == "__main__":
    main()
