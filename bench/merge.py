#!/usr/bin/env python3
"""Compare merging with other tools, in one run. Prints ratios, because absolute times differ between machines.

usage: bench/merge.py [AGPM]      (default: target/dist/agpm)

Peers that are not installed (jq, node, PyYAML, tomli_w, yq) are skipped and reported.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

AGPM = os.path.abspath(sys.argv[1] if len(sys.argv) == 2 else "target/dist/agpm")
RUNS = 5
WORDS = [f"w{n:x}" for n in range(4096)]

NODE = """
const fs = require('fs');
const deep = (a, b) => {
  for (const k in b) a[k] = a[k] && b[k] && typeof a[k] === 'object' && typeof b[k] === 'object' && !Array.isArray(a[k]) && !Array.isArray(b[k]) ? deep(a[k], b[k]) : b[k];
  return a;
};
process.stdout.write(JSON.stringify(process.argv.slice(1).map(f => JSON.parse(fs.readFileSync(f, 'utf8'))).reduce(deep), null, 2) + '\\n');
"""

PYTHON = """
import sys
def deep(a, b):
    for k, v in b.items():
        a[k] = deep(a[k], v) if isinstance(v, dict) and isinstance(a.get(k), dict) else v
    return a
def fold(load):
    docs = [load(f) for f in sys.argv[1:]]
    out = docs[0]
    for doc in docs[1:]:
        out = deep(out, doc)
    return out
"""
PYTHON_JSON = PYTHON + "import json\njson.dump(fold(lambda f: json.load(open(f))), sys.stdout, indent=2)"
PYTHON_YAML = PYTHON + """
import yaml
L, D = getattr(yaml, 'CSafeLoader', yaml.SafeLoader), getattr(yaml, 'CSafeDumper', yaml.SafeDumper)
yaml.dump(fold(lambda f: yaml.load(open(f), L)), sys.stdout, D, sort_keys=False)
"""
PYTHON_TOML = PYTHON + "import tomllib, tomli_w\ntomli_w.dump(fold(lambda f: tomllib.load(open(f, 'rb'))), sys.stdout.buffer)"


def value(noise, depth, dense):
    kind = noise.random()
    if depth > 0 and kind < 0.35:
        return {f"k{n}_{depth}": value(noise, depth - 1, dense) for n in noise.sample(range(12), noise.randint(2, 8))}
    if depth > 0 and kind < 0.42:
        return [value(noise, 0, dense) for _ in range(noise.randint(0, 6))]
    if dense or kind < 0.6:
        return noise.randint(0, 999)
    return " ".join(noise.choices(WORDS, k=noise.randint(1, 8)))


def document(megabytes, seed, dense=False):
    """About so many megabytes; 60 % of the top keys are shared between seeds, and most of what is below them."""
    noise = random.Random(seed)
    out, size, number = {}, 0, 0
    while size < megabytes * 1_000_000:
        shared = number % 5 < 3
        key = f"section_{number}" if shared else f"section_{number}_{seed}"
        out[key] = {f"k{n}": value(noise, 4, dense) for n in range(8)}
        size += len(json.dumps(out[key], indent=2)) + 20
        number += 1
    return out


def make(directory, form, megabytes, dense=False):
    """Creates three files in another process, because the peak memory of this one would be attributed to its children."""
    names = [f"{directory}/{form}{megabytes}{'d' * dense}_{seed}.{form}" for seed in (1, 2, 3)]
    for seed, name in enumerate(names, 1):
        subprocess.check_call([sys.executable, __file__, "--write", name, form, str(megabytes), str(seed), str(int(dense))])
    return names


def write(path, data, form):
    with open(path, "w") as out:
        if form == "json":
            json.dump(data, out, indent=2)
        elif form == "yaml":
            block_yaml(out, data, 0)
        else:
            toml(out, data)


def block_yaml(out, data, level):
    for key, item in data.items():
        if isinstance(item, dict) and item:
            out.write("  " * level + f"{key}:\n")
            block_yaml(out, item, level + 1)
        elif isinstance(item, list) and item:
            out.write("  " * level + f"{key}:\n" + "".join("  " * level + f"  - {json.dumps(i)}\n" for i in item))
        else:
            out.write("  " * level + f"{key}: {json.dumps(item)}\n")


def toml(out, data, path=()):
    for key, item in data.items():
        if not isinstance(item, dict):
            out.write(f"{key} = {json.dumps(item)}\n")
    for key, item in data.items():
        if isinstance(item, dict):
            out.write(f"\n[{'.'.join(path + (key,))}]\n")
            toml(out, item, path + (key,))


def run(command, runs=RUNS):
    """Returns the best wall time in seconds and the peak memory in MB."""
    best, peak = None, 0
    for _ in range(runs):
        start = time.perf_counter()
        with open(os.devnull, "w") as null:
            process = subprocess.Popen(command, stdout=null, stderr=null)
            _, status, usage = os.wait4(process.pid, 0)
        took = time.perf_counter() - start
        if status != 0:
            return None
        best, peak = min(best or took, took), max(peak, usage.ru_maxrss / 1024)
    return best, peak


def compare(title, ours, peers, runs=RUNS):
    print(f"\n{title}")
    own = run(ours, runs)
    if own is None:
        sys.exit(f"agpm failed: {' '.join(ours)}")
    print(f"  {'agpm':<22}{own[0] * 1000:9.1f} ms {own[1]:8.1f} MB")
    for name, command in peers:
        found = run(command, runs) if shutil.which(command[0]) else None
        if found is None:
            print(f"  {name:<22} not there or failed")
            continue
        print(f"  {name:<22}{found[0] * 1000:9.1f} ms {found[1]:8.1f} MB   agpm is {found[0] / own[0]:5.1f} times as fast, with {own[1] / found[1]:.2f} of the memory")
    return own


def main():
    directory = tempfile.mkdtemp(prefix="agpm-bench-")
    merge = lambda files: [AGPM, "-q", "merge", "--no-manifest", *files]
    for title, dense in (("texts and numbers", False), ("numbers only", True)):
        files = make(directory, "json", 11, dense)
        compare(f"deep merge of three 11 MB JSON files ({title})", merge(files), [
            ("jq", ["jq", "-s", ".[0] * .[1] * .[2]", *files]),
            ("node", ["node", "-e", NODE, *files]),
            ("python json", ["python3", "-c", PYTHON_JSON, *files]),
        ])
    yaml_files = make(directory, "yaml", 2)
    compare("deep merge of three 2 MB YAML files", merge(yaml_files), [
        ("yq (jq wrapper)", ["yq", "-y", "-s", ".[0] * .[1] * .[2]", *yaml_files]),
        ("python PyYAML, C", ["python3", "-c", PYTHON_YAML, *yaml_files]),
    ], runs=2)
    toml_files = make(directory, "toml", 2)
    compare("deep merge of three 2 MB TOML files", merge(toml_files), [
        ("python tomllib+tomli_w", ["python3", "-c", PYTHON_TOML, *toml_files]),
    ], runs=3)
    print("\nlinear in size: three JSON files each")
    for megabytes in (1, 10, 100):
        own = run(merge(make(directory, "json", megabytes)), runs=3)
        per = own[0] * 1000 / megabytes
        print(f"  {megabytes:4} MB {own[0] * 1000:9.1f} ms {own[1]:8.1f} MB   {per:6.2f} ms per MB")
    print("\nstart-up")
    own, floor = run([AGPM, "--version"], 50), run(["true"], 50)
    print(f"  agpm --version {own[0] * 1000:.2f} ms {own[1]:.1f} MB; `true` {floor[0] * 1000:.2f} ms {floor[1]:.1f} MB")
    shutil.rmtree(directory)


if sys.argv[1:2] == ["--write"]:
    path, form, megabytes, seed, dense = sys.argv[2:]
    write(path, document(int(megabytes), int(seed), bool(int(dense))), form)
else:
    main()
