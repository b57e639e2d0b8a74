"""Wheels for PyPI: the program of one platform as a script, without Python code."""

import base64
import hashlib
import re

from archives import read_archive_file, verified_targets, write_zip
from project import PACKAGE, PROGRAM, ROOT, ReleaseError

LICENSES = ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT"]
PRE_RELEASES = {"alpha": "a", "beta": "b", "rc": "rc"}


def python_version(version):
    """Converts a version of cargo to one of Python: `1.2.0-rc.1` is `1.2.0rc1`."""
    matched = re.fullmatch(r"(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.(\d+))?", version)
    if matched is None:
        raise ReleaseError(f"`{version}` has no equivalent on PyPI", "use `-alpha.N`, `-beta.N` or `-rc.N`")
    release, stage, number = matched.groups()
    return release if stage is None else f"{release}{PRE_RELEASES[stage]}{number}"


def describe_wheel(project):
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {PACKAGE}",
        f"Version: {python_version(project.version)}",
        f"Summary: {project.description}",
        f"License-Expression: {project.license}",
        *(f"License-File: {name}" for name in LICENSES),
        f"Keywords: {PROGRAM},agents,skills,mcp,claude-code,codex,cursor",
        "Requires-Python: >=3.8",
        f"Project-URL: Repository, {project.repository}",
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / "packaging" / "pypi" / "README.md").read_text(),
    ]
    return "\n".join(lines).encode()


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def build_wheel(project, target, archives, out):
    name = f"{PACKAGE}-{python_version(project.version)}"
    info = f"{name}.dist-info"
    tags = "".join(f"Tag: py3-none-{platform}\n" for platform in target.wheel_platform.split("."))
    wheel = f"Wheel-Version: 1.0\nGenerator: agpm-packaging\nRoot-Is-Purelib: false\n{tags}"
    program = read_archive_file(archives, target, target.executable)
    files = [
        # Installers copy this directory into `bin` or `Scripts`.
        (f"{name}.data/scripts/{target.executable}", program, 0o755),
        (f"{info}/METADATA", describe_wheel(project), 0o644),
        (f"{info}/WHEEL", wheel.encode(), 0o644),
    ]
    files += [(f"{info}/licenses/{file}", (ROOT / file).read_bytes(), 0o644) for file in LICENSES]
    record = "".join(record_line(file, data) for file, data, _ in sorted(files))
    files.append((f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode(), 0o644))
    path = out / f"{name}-py3-none-{target.wheel_platform}.whl"
    write_zip(path, files)
    return path


def build_wheels(project, archives, out):
    out.mkdir(parents=True, exist_ok=True)
    return [build_wheel(project, target, archives, out) for target in verified_targets(archives)]
