#!/usr/bin/env python3
"""Measure the MCP server: the time to its first answer, and the filtered calls of `list` per second on one core.

usage: mcp.py [AGPM] [--calls N]

The server reads a catalog of 100, 1,000 and 10,000 agents. Calls are sent without waiting for answers: one agent by its name,
and all agents of a module in pages of ten. The floor is `cat` with lines of the same length. `initialize` is
measured from before the process starts; the floor is `agpm --version`. The best of twenty starts is reported.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from install import ROOT, environment

INITIALIZE = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}\n'
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
CALL = '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"agpm","arguments":{"operation":"list","kind":"agent",%s}}}\n'
BATCH = 100


def catalog(directory, rows):
    manifest = directory / "bmad/_cfg/agent-manifest.csv"
    manifest.parent.mkdir(parents=True)
    lines = (
        f"agent-{at:05},Agent {at},The {at}th of all agents,module-{at % 10},bmad/module-{at % 10}/agents/agent-{at:05}.md\n"
        for at in range(rows)
    )
    manifest.write_text("name,displayName,title,module,path\n" + "".join(lines))


def start(words, directory, env):
    return subprocess.Popen(words, cwd=directory, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def on_one_core(words):
    return (["taskset", "-c", "0"] if shutil.which("taskset") else []) + words


def first_answer(agpm, directory, env):
    begun = time.perf_counter()
    server = start([agpm, "serve", "mcp"], directory, env)
    server.stdin.write(INITIALIZE)
    server.stdin.flush()
    server.stdout.readline()
    taken = time.perf_counter() - begun
    server.communicate()
    return taken


def plain_start(agpm, directory, env):
    begun = time.perf_counter()
    subprocess.run([agpm, "--version"], cwd=directory, env=env, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def calls_a_second(child, lines):
    def send():
        for at in range(0, len(lines), BATCH):
            child.stdin.write(b"".join(lines[at : at + BATCH]))
        child.stdin.flush()

    begun = time.perf_counter()
    sender = threading.Thread(target=send)
    sender.start()
    answers = [child.stdout.readline() for _ in lines]
    taken = time.perf_counter() - begun
    sender.join()
    child.communicate()
    return len(lines) / taken, answers


def through_server(agpm, directory, env, filters):
    server = start(on_one_core([agpm, "serve", "mcp"]), directory, env)
    server.stdin.write(INITIALIZE + INITIALIZED)
    server.stdin.flush()
    server.stdout.readline()
    lines = [(CALL % (at + 1, words)).encode() for at, words in enumerate(filters)]
    speed, answers = calls_a_second(server, lines)
    wrong = [answer for answer in answers if b'"ok":true' not in answer]
    if wrong:
        sys.exit(f"not an answer: {wrong[0][:300]}")
    return speed, sum(map(len, answers)) // len(answers)


def floor(length, count, env, directory):
    cat = start(on_one_core(["cat"]), directory, env)
    return calls_a_second(cat, [b"x" * (length - 1) + b"\n"] * count)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agpm", nargs="?", default=str(ROOT / "target/dist/agpm"))
    parser.add_argument("--calls", type=int, default=10_000)
    arguments = parser.parse_args()
    agpm = str(pathlib.Path(arguments.agpm).resolve())
    with tempfile.TemporaryDirectory(prefix="agpm-bench-") as root:
        root = pathlib.Path(root)
        env = environment(root / "home")
        for rows in (100, 1_000, 10_000):
            directory = root / str(rows)
            catalog(directory, rows)
            answered = min(first_answer(agpm, directory, env) for _ in range(20)) * 1000
            started = min(plain_start(agpm, directory, env) for _ in range(20)) * 1000
            print(f"{rows:>6,} agents  initialize after {answered:.1f} ms (`--version`: {started:.1f} ms)", flush=True)
            one = [f'"query":"agent-{at % rows:05}"' for at in range(arguments.calls)]
            ten = [f'"module":"module-{at % 10}","limit":10' for at in range(arguments.calls)]
            for label, filters in (("one by name", one), ("ten of a module", ten)):
                speed, length = through_server(agpm, directory, env, filters)
                ratio = floor(length, arguments.calls, env, directory) / speed
                print(f"       {label:16} {speed:8,.0f} calls a second, {length:,} bytes each ({ratio:.0f} times as many lines through cat)", flush=True)


if __name__ == "__main__":
    main()
