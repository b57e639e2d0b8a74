#!/usr/bin/env python3
"""Measure personas and bottles: how long inheritance takes, and how it grows.

usage: inherit.py [AGPM] [--runs N]

A persona of 12 nested directories, whose documents inherit 60 more; then twice and four times as many. The peer reads
and merges the same documents in Python as simply as possible: no origins, no diagnostics. Bottles by the thousand, in chains of
ten, are checked; the floor is Python opening and reading every file. The contenders alternate, and the best run is reported; the start
of Python itself is measured separately and subtracted.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from install import ROOT, environment, measure

KIND = "agent.triad.json"
PEER = r"""
import json, pathlib, sys
root, deepest = map(pathlib.Path, sys.argv[1:3])
seen, order = set(), []
def visit(path):
    if path in seen:
        return
    seen.add(path)
    document = json.loads(path.read_text())
    for parent in document.get("inherits", []):
        visit(root / parent)
    order.append(document)
for directory in [*reversed([p for p in deepest.parents if root in [p, *p.parents]]), deepest]:
    for path in sorted((directory / ".clia/agents/ada").glob("*.agent.triad.json"))[:1]:
        visit(path)
def merge(low, high):
    if isinstance(low, dict) and isinstance(high, dict):
        return {**low, **{key: merge(low[key], value) if key in low else value for key, value in high.items()}}
    if isinstance(low, list) and isinstance(high, list):
        return low + [item for item in high if item not in low]
    return high if high not in ("", None) else low
merged = {}
for document in order:
    merged = merge(merged, document)
print(json.dumps(merged, indent=2))
"""
FLOOR = "import pathlib, sys\nprint(sum(len(path.read_bytes()) for path in pathlib.Path(sys.argv[1]).rglob('*.md')))"


def document(number, parents):
    return {
        "schemaVersion": "0.4.0", "title": f"Document {number}", "purpose": f"Purpose {number}", "status": "active",
        "inherits": parents, "tags": [f"tag-{number % 7}", f"tag-{number}"], "mentors": [f"mentor-{number % 5}"],
        "guardrails": [f"Guardrail {number}, line {line}, is kept by all." for line in range(6)] + ["Never commit secrets."],
        "sections": [{"slug": f"section-{number % 9}", "title": f"Section {number % 9}", "items": [f"Item {number}.{line}" for line in range(5)]}],
        "links": [{"title": f"Link {number % 11}", "url": f"docs/{number % 11}.md"}],
        "persona": {"voice": "calm", f"key{number % 4}": f"value {number}"}, "extensions": {"x-number": number},
    }


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def personas(directory, levels, inherited):
    """Returns the deepest directory."""
    subprocess.run(["git", "init", "-q", directory], check=True)
    per_level = inherited // levels
    deepest, number = directory, 0
    for level in range(levels):
        parents = []
        for _ in range(per_level):
            parent = f".clia/agents/shared/doc{number}.agent.triad.json"
            # Every other one is inherited by the one before it, not by the persona itself.
            chained = [f".clia/agents/shared/doc{number + 1}.agent.triad.json"] if number % 2 == 0 and number + 1 < inherited else []
            write(directory / parent, json.dumps(document(number, chained), indent=2))
            parents.append(parent)
            number += 1
        write(deepest / f".clia/agents/ada/ada@{level}.{KIND}", json.dumps(document(1000 + level, parents), indent=2))
        if level + 1 < levels:
            deepest = deepest / f"level{level}"
    return deepest


def bottles(home, count, length):
    for number in range(count):
        parent = f"extends: b{number - 1}\n" if number % length else ""
        text = (
            f"---\n{parent}image: image-{number}\nenv:\n  SHARED: '{number}'\n  OWN_{number}: value\n  MODE: plain\n"
            f"git:\n  user:\n    name: user {number}\n  remotes:\n    host{number % 3}.example:\n      url: https://host{number % 3}.example/r\n"
            f"egress:\n  routes:\n    - host: api{number}.example\n      methods: [GET, POST]\n---\nNotes.\n"
        )
        write(home / f".bot-bottle/bottles/b{number}.md", text)


def best(runs, commands):
    """Returns the best time of each, in milliseconds; the contenders alternate."""
    times = {name: float("inf") for name in commands}
    for _ in range(runs):
        for name, (arguments, where, env) in commands.items():
            times[name] = min(times[name], measure(arguments, where, env)[0] * 1000)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agpm", nargs="?", default=str(ROOT / "target/dist/agpm"))
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    agpm = str(pathlib.Path(options.agpm).resolve())
    base = pathlib.Path(tempfile.mkdtemp(prefix="agpm-inherit-"))
    try:
        env = environment(base / "home")
        start = best(options.runs, {"python": ([sys.executable, "-c", "import json, pathlib, sys"], base, env)})["python"]
        print("personas: milliseconds for one, out of 12 directories and their inherited documents")
        for inherited in (60, 120, 240, 480):
            directory = base / f"p{inherited}"
            deepest = personas(directory, 12, inherited)
            times = best(options.runs, {
                "agpm": ([agpm, "profile", "ada", "--root-chain"], deepest, env),
                "python": ([sys.executable, "-c", PEER, str(directory), str(deepest)], deepest, env),
            })
            peer = times["python"] - start
            print(f"  {inherited:4} inherited: agpm {times['agpm']:6.1f}   python {peer:6.1f} ({peer / times['agpm']:.1f} times)   {times['agpm'] / inherited * 1000:6.1f} microseconds a document")
        print("bottles: milliseconds to check all, in chains of 10")
        for count in (1250, 2500, 5000, 10000):
            home = base / f"h{count}"
            env = environment(home)
            bottles(home, count, 10)
            times = best(options.runs, {
                "agpm": ([agpm, "bottle", "check"], base, env),
                "python": ([sys.executable, "-c", FLOOR, str(home)], base, env),
            })
            floor = times["python"] - start
            print(f"  {count:5}: agpm {times['agpm']:6.1f}   reading alone {floor:6.1f} ({times['agpm'] / floor:.2f} of it)   {times['agpm'] / count * 1000:5.1f} microseconds a bottle")
    finally:
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    main()
