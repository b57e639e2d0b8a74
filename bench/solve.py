#!/usr/bin/env python3
"""Compare resolving a puzzle without a solution with an install of as many resources.

usage: bench/solve.py AGPM [AGENTS]

Each of AGENTS agents [default: 11] takes one of AGENTS - 1 slots for itself, so the number of combinations is a factorial. The
peer is an install of the same agents at one version, in the same run.
"""

import os
import subprocess
import sys
import tempfile
import time


def main():
    agpm = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 11
    with tempfile.TemporaryDirectory() as root:
        names = {"HOME": "home", "XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache"}
        environment = dict(os.environ, **{name: f"{root}/{directory}" for name, directory in names.items()})
        for directory in ("home", "config", "cache", "source/agents", "source/snippets", "puzzle", "plain"):
            os.makedirs(f"{root}/{directory}")
        make_source(f"{root}/source", count, environment)
        plain = timed(agpm, f"{root}/plain", f"{root}/source", count, "v1.0.0", environment)
        puzzle = timed(agpm, f"{root}/puzzle", f"{root}/source", count, f"<1.{count - 1}", environment)
        print(f"{count} agents, {count - 1} slots: {puzzle:.2f} s, {puzzle / plain:.1f} times a plain attempt ({plain:.2f} s)")


def make_source(directory, count, environment):
    git = ["git", "-C", directory, "-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    subprocess.run(git + ["init", "-q", "-b", "main"], check=True, env=environment)
    for version in range(count):
        for agent in range(count):
            head = f"---\ndependencies:\n  snippets:\n    - path: snippets/{version}.md\n      version: v1.{agent}.0\n---\n"
            with open(f"{directory}/agents/{agent}.md", "w") as file:
                file.write(head)
            with open(f"{directory}/snippets/{agent}.md", "w") as file:
                file.write(f"{version}\n")
        subprocess.run(git + ["add", "-A"], check=True, env=environment)
        subprocess.run(git + ["commit", "-q", "-m", "change"], check=True, env=environment)
        subprocess.run(git + ["tag", f"v1.{version}.0"], check=True, env=environment)


def timed(agpm, project, source, count, version, environment):
    agents = "".join(
        f'a{agent} = {{ source = "s", path = "agents/{agent}.md", version = "{version}" }}\n' for agent in range(count)
    )
    with open(f"{project}/agpm.toml", "w") as file:
        file.write(f'[sources]\ns = "{source}"\n[agents]\n{agents}')
    start = time.perf_counter()
    subprocess.run([agpm, "install"], cwd=project, env=environment, capture_output=True)
    return time.perf_counter() - start


main()
