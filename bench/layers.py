#!/usr/bin/env python3
"""Compare installing three layers of the same files with merging them pairwise in Python, and with plain copies.

usage: layers.py [AGPM] [--count N] [--runs N] [--git] [--skip-agpm]

Every path is in all three layers, so everything merges. The peer does what agent-manager does: level by level, low to
high, it reads each file and merges its text into the text it has so far, which is parsed again on every level; once with
PyYAML's own reader, as agent-manager does, and once with libyaml's, which it could. The contenders alternate in fresh directories,
and the best run is reported. The floor is a plain copy of one layer.

The peer needs PyYAML: python3 -m venv target/peer-yaml && target/peer-yaml/bin/pip install pyyaml
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from install import ROOT, environment, measure, sh

LEVELS = ["org", "team", "personal"]
VENV = ROOT / "target/peer-yaml"
WORDS = "read change review name line test keep short plain guide style tool agent scope allow deny note before after".split()
# The number of files of each format in ten.
MIX = ["json", "json", "json", "yaml", "yaml", "md", "md", "md", "md", "txt"]


def words(noise, count):
    return " ".join(noise.choices(WORDS, k=count))


def settings(noise, level, size):
    """Returns an object like settings and MCP servers, with shared keys, own keys and lists, of about this size."""
    out = {"model": noise.choice(["opus", "sonnet", "haiku"]), "permissions": {"allow": [], "deny": ["Read(.env)"]}, "servers": {}}
    number = 0
    while len(json.dumps(out, indent=2)) < size:
        owner = "shared" if number % 2 else level
        out["servers"][f"{owner}-{number}"] = {
            "command": "npx", "args": ["-y", f"server-{number}"], "env": {"LEVEL": level, "MODE": words(noise, 2)}, "timeout": number,
        }
        out["permissions"]["allow"].append(f"Bash({words(noise, 2)}:*)")
        number += 1
    return out


def yaml_text(value, indent=0):
    """Block YAML of maps, lists of strings, strings and numbers, as a person writes it."""
    pad, out = "  " * indent, ""
    for key, inner in value.items():
        if isinstance(inner, dict):
            out += f"{pad}{key}:\n{yaml_text(inner, indent + 1)}"
        elif isinstance(inner, list):
            out += f"{pad}{key}:\n" + "".join(f"{pad}  - {json.dumps(item)}\n" for item in inner)
        else:
            out += f"{pad}{key}: {json.dumps(inner)}\n"
    return out


def prose(noise, size):
    out = ""
    while len(out) < size:
        out += f"{words(noise, 14).capitalize()}.\n" + ("\n" if noise.random() < 0.2 else "")
    return out


def content(kind, level, seed):
    noise = random.Random(f"{level} {seed}")
    size = random.Random(seed).randint(500, 4000)
    if kind == "json":
        return json.dumps(settings(noise, level, size), indent=2) + "\n"
    if kind == "yaml":
        return f"# of {level}\n{yaml_text(settings(noise, level, size))}"
    if kind == "md":
        head = f"---\nname: a{seed}\ndescription: {words(noise, 8)}\nmodel: {noise.choice(['opus', 'haiku'])}\ntools: [Read, Grep]\n---\n"
        return f"{head}# Agent {seed}\n\n{prose(noise, size)}"
    return prose(noise, size)


def make_layers(directory, count):
    """Creates three directories with the same paths, and returns the number of files of each format."""
    directories_of = {"json": "settings", "yaml": "config", "md": "agents", "txt": "notes"}
    shares = dict.fromkeys(directories_of, 0)
    for number in range(count):
        kind = MIX[number % len(MIX)]
        shares[kind] += 1
        for level in LEVELS:
            path = directory / level / ".claude" / directories_of[kind] / f"d{number % 20}" / f"f{number:04}.{kind}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content(kind, level, number))
    return shares


def make_repository(directory):
    git = ["git", "-C", directory, "-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    sh("git", "init", "-q", "-b", "main", directory)
    sh(*git, "add", "-A")
    sh(*git, "commit", "-q", "-m", "one")
    sh(*git, "tag", "v1.0.0")


def manifest(layers, git):
    out = ""
    if git:
        out += "[sources]\n" + "".join(f'{level} = "file://{layers / level}"\n' for level in LEVELS) + "\n"
    for level in LEVELS:
        origin = f'source = "{level}"\nversion = "v1.0.0"' if git else f'path = "{layers / level}"'
        out += f'[[layers]]\nname = "{level}"\n{origin}\n\n'
    return out


def deep(base, new):
    for key, value in new.items():
        both = isinstance(value, dict) and isinstance(base.get(key), dict)
        base[key] = deep(base[key], value) if both else value
    return base


def merge_text(kind, base, new, level, load, dump):
    if kind == ".json":
        return json.dumps(deep(json.loads(base), json.loads(new)), indent=2)
    if kind in (".yaml", ".yml"):
        return dump(deep(load(base), load(new)))
    if kind == ".md":
        return f"{base}\n\n---\n\n{new}"
    if kind == ".txt":
        return f"{base}\n\n# from {level}\n\n{new}"
    return new


def pairwise(layers, target, load, dump):
    """Merges all levels, writes the result, and returns the seconds."""
    start = time.perf_counter()
    merged = {}
    for level in LEVELS:
        for path in sorted((layers / level / ".claude").rglob("*")):
            if path.is_file():
                name = path.relative_to(layers / level)
                text = path.read_text()
                merged[name] = merge_text(path.suffix, merged[name], text, level, load, dump) if name in merged else text
    for name, text in merged.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text(text)
    return time.perf_counter() - start


def copy(layers, target):
    start = time.perf_counter()
    shutil.copytree(layers / LEVELS[0] / ".claude", target / ".claude", copy_function=shutil.copyfile)
    return time.perf_counter() - start


def ours(agpm, scratch, name, text):
    """Returns the seconds and MB of a first install, and the seconds of one with nothing to do."""
    directory = scratch / name
    directory.mkdir()
    (directory / "agpm.toml").write_text(text)
    env = environment(scratch / f"home-{name}")
    cold, memory = measure([agpm, "install"], directory, env)
    return cold, memory, min(measure([agpm, "install"], directory, env)[0] for _ in range(3)), directory


def installed(directory):
    return sum(1 for path in (directory / ".claude").rglob("*") if path.is_file()) if (directory / ".claude").is_dir() else 0


def the_yaml():
    """PyYAML, from the system or from the environment in `target`."""
    sys.path += [str(path) for path in VENV.glob("lib/python*/site-packages")]
    try:
        import yaml
    except ImportError:
        sys.exit(f"the peer needs PyYAML: python3 -m venv {VENV} && {VENV}/bin/pip install pyyaml")
    return yaml


def codecs(yaml):
    """Reading and writing YAML, with PyYAML's own code and with libyaml where it has it."""
    def pair(loader, dumper):
        dump = lambda value: yaml.dump(value, Dumper=dumper, default_flow_style=False, sort_keys=False)
        return lambda text: yaml.load(text, Loader=loader), dump

    plain = pair(yaml.SafeLoader, yaml.SafeDumper)
    return plain, pair(yaml.CSafeLoader, yaml.CSafeDumper) if yaml.__with_libyaml__ else plain


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("agpm", nargs="?", default=ROOT / "target/dist/agpm")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--git", action="store_true", help="layers from git repositories too")
    parser.add_argument("--skip-agpm", action="store_true")
    args = parser.parse_args()
    agpm, (plain, libyaml) = pathlib.Path(args.agpm).resolve(), codecs(the_yaml())
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="agpm-layers-", dir=os.environ.get("AGPM_BENCH_DIR")))
    try:
        layers = scratch / "layers"
        shares = make_layers(layers, args.count)
        mix = ", ".join(f"{kind} {count * 100 // args.count} %" for kind, count in shares.items())
        size = sum(path.stat().st_size for path in layers.rglob("*") if path.is_file())
        print(f"{len(LEVELS)} layers of {args.count} files, {size / 1e6:.1f} MB: {mix}")
        kinds = {"directories": False} | ({"git": True} if args.git else {})
        if args.git:
            for level in LEVELS:
                make_repository(layers / level)
        floor, peer, fast, found = [], [], [], {kind: [] for kind in kinds}
        for run in range(args.runs):
            floor.append(copy(layers, scratch / f"copy{run}"))
            peer.append(pairwise(layers, scratch / f"peer{run}", *plain))
            fast.append(pairwise(layers, scratch / f"fast{run}", *libyaml))
            for kind, git in kinds.items() if not args.skip_agpm else ():
                found[kind].append(ours(agpm, scratch, f"{kind}{run}", manifest(layers, git)))
        floor, peer, fast = (min(times) * 1000 for times in (floor, peer, fast))
        print(f"pairwise {peer:.0f} ms, with libyaml {fast:.0f} ms; a plain copy {floor:.0f} ms")
        print("layers  | cold ms, MB | x pairwise | x libyaml | x copy | no-op ms | x pairwise | x libyaml")
        for kind, runs in found.items():
            if not runs:
                continue
            cold, warm, memory = min(r[0] for r in runs) * 1000, min(r[2] for r in runs) * 1000, max(r[1] for r in runs)
            print(
                f"{kind:7} | {cold:.0f}, {memory:.0f} | {peer / cold:.1f} | {fast / cold:.1f} | {cold / floor:.2f} | "
                f"{warm:.1f} | {peer / warm:.1f} | {fast / warm:.1f}"
            )
            count = installed(runs[-1][3])
            if count != args.count:
                print(f"{kind:7}   only {count} of {args.count} files were installed: these times mean nothing")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
