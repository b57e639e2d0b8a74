"""Packages for npm: one with a launcher, and one for each platform with its program.

npm installs only the optional dependency of its own platform. Nothing is downloaded or run at install time, so
`--ignore-scripts`, mirrors and offline caches work.
"""

import json

from archives import read_archive_file, verified_targets, write_tar_gz
from project import PACKAGE, PROGRAM, ROOT, TARGETS

LICENSES = ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT"]


def describe_package(project, name, description):
    package = {
        "name": name,
        "version": project.version,
        "description": description,
        "license": f"({project.license})",
        "homepage": project.repository,
        "repository": {"type": "git", "url": f"git+{project.repository}.git"},
    }
    return package


def package_files(package, files):
    manifest = (json.dumps(package, indent=2) + "\n").encode()
    files = [("package.json", manifest, 0o644), *files]
    files += [(name, (ROOT / name).read_bytes(), 0o644) for name in LICENSES]
    return [(f"package/{name}", data, mode) for name, data, mode in files]


def build_platform_package(project, target, archives, out):
    package = describe_package(
        project, target.npm_package, f"The program of {PACKAGE} for {target.npm_os} {target.npm_cpu}"
    )
    package["os"] = [target.npm_os]
    package["cpu"] = [target.npm_cpu]
    package["files"] = ["bin"]
    # The launcher reads the program where it is, also in zipped caches of some package managers.
    package["preferUnplugged"] = True
    program = read_archive_file(archives, target, target.executable)
    readme = f"# {target.npm_package}\n\n{package['description']}. Install `{PACKAGE}` instead.\n".encode()
    files = [(f"bin/{target.executable}", program, 0o755), ("README.md", readme, 0o644)]
    path = out / f"{target.npm_package}-{project.version}.tgz"
    write_tar_gz(path, package_files(package, files))
    return path


def build_main_package(project, out):
    package = describe_package(project, PACKAGE, project.description)
    package["keywords"] = [PROGRAM, "agents", "skills", "mcp", "claude-code", "codex", "cursor"]
    package["bin"] = {PROGRAM: f"bin/{PROGRAM}.js"}
    package["files"] = ["bin"]
    package["engines"] = {"node": ">=18"}
    package["optionalDependencies"] = {target.npm_package: project.version for target in TARGETS}
    here = ROOT / "packaging" / "npm"
    files = [
        (f"bin/{PROGRAM}.js", (here / "agpm.js").read_bytes(), 0o755),
        ("README.md", (here / "README.md").read_bytes(), 0o644),
    ]
    path = out / f"{PACKAGE}-{project.version}.tgz"
    write_tar_gz(path, package_files(package, files))
    return path


def build_npm_packages(project, archives, out):
    """Returns the packages, platforms first: the main package must not be published before what it needs."""
    out.mkdir(parents=True, exist_ok=True)
    paths = [build_platform_package(project, target, archives, out) for target in verified_targets(archives)]
    return [*paths, build_main_package(project, out)]
