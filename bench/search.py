#!/usr/bin/env python3
"""Compare a search over many resources with the start of the program.

usage: bench/search.py AGPM [RESOURCES]

RESOURCES resources [default: 50,000] in ten sources whose indexes are in the cache. The peer is `agpm --version` in the
same run; `cat` of the same indexes measures reading alone.
"""

import hashlib
import os
import statistics
import subprocess
import sys
import tempfile
import time

WORDS = "review test python rust deploy pdf sheet cloud agent data api web build lint graph secure mobile design".split()


def main():
    agpm = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 50_000
    with tempfile.TemporaryDirectory() as root:
        names = {"HOME": "home", "XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache"}
        environment = dict(os.environ, **{name: f"{root}/{directory}" for name, directory in names.items()})
        for directory in ("home", "config/agpm", "cache/agpm/search", "project"):
            os.makedirs(f"{root}/{directory}")
        urls = [f"https://example.invalid/o/r{number}" for number in range(10)]
        with open(f"{root}/config/agpm/config.toml", "w") as file:
            file.write("[sources]\n")
            file.writelines(f's{number} = "{url}"\n' for number, url in enumerate(urls))
        for number, url in enumerate(urls):
            name = hashlib.sha256(f"\n{url}".encode()).hexdigest()
            with open(f"{root}/cache/agpm/search/{name}", "w") as file:
                file.write(index(url, number, count // 10))
        run = lambda *words: timed([agpm, *words], f"{root}/project", environment)
        start = run("--version")
        found = run("--offline", "search", "python", "review")
        fuzzy = run("--offline", "search", "pyhton")
        reading = timed(["sh", "-c", f"cat {root}/cache/agpm/search/* > /dev/null"], root, environment)
        print(f"{count} resources: {found:.1f} ms, mistyped {fuzzy:.1f} ms; start {start:.1f} ms, cat {reading:.1f} ms")
        output = subprocess.run([agpm, "--offline", "search", "python review"], cwd=f"{root}/project", env=environment, capture_output=True, text=True)
        assert "python" in output.stdout, output


def index(url, number, count):
    lines = [f"agpm-index-1\t{url}\t{'a' * 40}"]
    for at in range(count):
        first, second = WORDS[at % len(WORDS)], WORDS[at // len(WORDS) % len(WORDS)]
        name = f"{first}-{second}-{number}-{at}"
        about = f"Use this when the user wants to {first} or {second} something, and knows what it is about. " * 2
        lines.append(f"skill\t{name}\tskills/{name}\t\tv1.0.0\t{about.strip()}")
    return "\n".join(lines) + "\n"


def timed(command, directory, environment):
    times = []
    for _ in range(9):
        start = time.perf_counter()
        subprocess.run(command, cwd=directory, env=environment, check=True, capture_output=True)
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


main()
