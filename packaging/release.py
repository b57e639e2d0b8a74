#!/usr/bin/env python3
"""Builds and checks what a release publishes. `docs/releasing.md` explains each step."""

import argparse
import re
import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from archives import build_archive, generate_assets, write_checksums  # noqa: E402
from manifests import write_manifests  # noqa: E402
from npm_packages import build_npm_packages  # noqa: E402
from project import PROGRAM, ROOT, TARGETS, ReleaseError, find_target, read_project, require_repository  # noqa: E402
from sbom import write_sbom  # noqa: E402
from wheels import build_wheels, python_version  # noqa: E402


def find_problems(project, tag):
    """Returns everything that would make the release wrong, at once."""
    problems = []
    if tag is not None and tag != f"v{project.version}":
        problems.append(f"the tag is `{tag}`, and the version in Cargo.toml is `{project.version}`")
    for check in (lambda: require_repository(project), lambda: python_version(project.version)):
        try:
            check()
        except ReleaseError as error:
            problems.append(f"{error}; {error.help_line}")
    changelog = (ROOT / "CHANGELOG.md").read_text()
    dated = rf"^## {re.escape(project.version)} - \d{{4}}-\d{{2}}-\d{{2}}$"
    if not re.search(dated, changelog, re.MULTILINE):
        problems.append(f"CHANGELOG.md has no section `## {project.version} - YYYY-MM-DD`")
    dist = tomllib.loads((ROOT / "dist-workspace.toml").read_text())["dist"]
    if sorted(dist["targets"]) != [target.triple for target in TARGETS]:
        problems.append("the targets in dist-workspace.toml are not those in packaging/project.py")
    return problems


def read_notes(changelog, version):
    """Returns the section of a version."""
    section = re.search(rf"^## {re.escape(version)} .*?\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if section is None:
        raise ReleaseError(f"CHANGELOG.md has no section for {version}")
    return section[1].strip() + "\n"


def parse_arguments():
    parser = argparse.ArgumentParser(prog="release.py", description=__doc__.splitlines()[0])
    parser.add_argument("--repository", help="the URL of the repository, instead of the one in Cargo.toml")
    commands = parser.add_subparsers(dest="command", required=True)

    check = commands.add_parser("check", help="check version, tag, changelog, repository and targets")
    check.add_argument("--tag", help="the tag to be released")

    commands.add_parser("notes", help="print the section of this version in CHANGELOG.md")

    assets = commands.add_parser("assets", help="write completions and manual pages")
    assets.add_argument("program", type=Path)
    assets.add_argument("out", type=Path)

    archive = commands.add_parser("archive", help="pack a program of this machine, and write the checksums")
    archive.add_argument("target")
    archive.add_argument("program", type=Path)
    archive.add_argument("out", type=Path)

    for name, text in [
        ("npm", "write packages for npm from verified archives"),
        ("pypi", "write wheels from verified archives"),
        ("manifests", "write the Homebrew formula, winget manifests and install script from the checksums"),
    ]:
        command = commands.add_parser(name, help=text)
        command.add_argument("archives", type=Path)
        command.add_argument("out", type=Path)

    sbom = commands.add_parser("sbom", help="write the bill of materials for a target")
    sbom.add_argument("target")
    sbom.add_argument("out", type=Path)
    return parser.parse_args()


def run(arguments):
    written = []
    if arguments.command == "check":
        project = read_project(arguments.repository)
        problems = find_problems(project, arguments.tag)
        if problems:
            raise ReleaseError("\n".join(problems))
        print(f"{PROGRAM} {project.version} is ready for the tag v{project.version}")
    elif arguments.command == "notes":
        project = read_project(arguments.repository)
        print(read_notes((ROOT / "CHANGELOG.md").read_text(), project.version), end="")
    elif arguments.command == "assets":
        generate_assets(arguments.program.resolve(), arguments.out)
    elif arguments.command == "archive":
        path = build_archive(find_target(arguments.target), arguments.program.resolve(), arguments.out)
        write_checksums(arguments.out)
        written = [path]
    elif arguments.command == "npm":
        written = build_npm_packages(read_project(arguments.repository), arguments.archives, arguments.out)
    elif arguments.command == "pypi":
        written = build_wheels(read_project(arguments.repository), arguments.archives, arguments.out)
    elif arguments.command == "manifests":
        written = write_manifests(read_project(arguments.repository), arguments.archives, arguments.out)
    elif arguments.command == "sbom":
        write_sbom(find_target(arguments.target), arguments.out)
        written = [arguments.out]
    for path in written:
        print(path)


def main():
    try:
        run(parse_arguments())
    except ReleaseError as error:
        print(f"error: {error}", file=sys.stderr)
        if error.help_line:
            print(f" = help: {error.help_line}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
