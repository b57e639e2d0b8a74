#!/usr/bin/env python3
"""Measure the cost of rendering and patching in an install.

usage: content.py [AGPM] [--count N] [--runs N]

Two sources of the same agents, in one of which each agent is a template with ten tags; the project of that one patches
four fields of every agent too. Installs of both alternate in fresh directories, to share the load of a busy machine.
"""
import argparse
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from install import ROOT, environment, measure, sh

WORDS = "Read the whole change before you say anything about it, and name the line that you mean. " * 20
PLAIN = "Follow the style guide of the project, written in rust, and keep lines below a hundred.\n"
TAGS = (
    "Follow {{ agpm.project.guide }} of {{ agpm.resource.name }}, written in {{ agpm.project.language }}.\n"
    "{% if agpm.project.tests %}Test with {{ agpm.project.runner | default(value='cargo') }}.{% endif %}\n"
    "{% for env in agpm.project.envs %}- {{ env | upper }}\n{% endfor %}"
    "{{ agpm.resource.version }} {{ agpm.resource.install_path }}\n"
)


def agent(number, line):
    return (
        f"---\nname: a{number:04}\ndescription: Agent number {number}.\nmodel: opus  # the largest\n"
        f"tools: [Read, Grep]\n---\n# Agent {number}\n\n{line}\n{WORDS}\n"
    )


def source(directory, count, line):
    (directory / "agents").mkdir(parents=True)
    for number in range(count):
        (directory / "agents" / f"a{number:04}.md").write_text(agent(number, line))
    sh("git", "init", "-q", "-b", "main", directory)
    git = ["git", "-C", directory, "-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    sh(*git, "add", "-A")
    sh(*git, "commit", "-q", "-m", "one")
    sh(*git, "tag", "v1.0.0")


def manifest(url, count, patched):
    text = (
        f'[sources]\ncorpus = "{url}"\n\n[project]\nguide = "docs/style.md"\nlanguage = "rust"\ntests = true\n'
        f'envs = ["staging", "production"]\n\n'
        f'[agents]\nall = {{ source = "corpus", path = "agents/*.md", version = "^1.0" }}\n'
    )
    for number in range(count if patched else 0):
        text += (
            f'\n[patch.agents.a{number:04}]\nmodel = "haiku"\ntemperature = "0.2"\n'
            f'tools = ["Read", "Grep", "Glob"]\nlimits.tokens = 4096\n'
        )
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("agpm", nargs="?", default=ROOT / "target/dist/agpm")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--runs", type=int, default=7)
    args = parser.parse_args()
    agpm = pathlib.Path(args.agpm).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        kinds = {"plain": PLAIN, "made": TAGS}
        for kind, line in kinds.items():
            source(scratch / kind, args.count, line)
        times = {kind: [] for kind in kinds}
        for run in range(args.runs):
            for kind in kinds:
                directory = scratch / f"project-{kind}-{run}"
                directory.mkdir()
                text = manifest(f"file://{scratch / kind}", args.count, kind == "made")
                (directory / "agpm.toml").write_text(text)
                env = environment(scratch / f"home-{kind}-{run}")
                times[kind].append(measure([agpm, "install"], directory, env)[0])
        plain, made = (statistics.median(times[kind]) for kind in kinds)
        print(
            f"{args.count} agents: plain {plain * 1000:.0f} ms, rendered and patched {made * 1000:.0f} ms: "
            f"adds {(made - plain) / plain * 100:.0f} % of the plain install"
        )


if __name__ == "__main__":
    main()
