"""Facts of the release: names, version, repository, and the six targets."""

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The command. `docs/adr/0031-published-names-and-releases.md` says why the packages are called otherwise.
PROGRAM = "agpm"
PACKAGE = "agentlayers"

# The unified checksum file of a release, in the format of `sha256sum --check`.
CHECKSUMS = "sha256.sum"

COMPLETIONS = {
    "bash": "agpm.bash",
    "elvish": "agpm.elv",
    "fish": "agpm.fish",
    "powershell": "agpm.ps1",
    "zsh": "_agpm",
}

# Files of the repository that every archive holds next to the program.
DOCUMENTS = ["CHANGELOG.md", "LICENSE", "LICENSE-APACHE", "LICENSE-MIT", "README.md"]


class ReleaseError(Exception):
    """A problem of the release, with its help."""

    def __init__(self, message, help_line=None):
        super().__init__(message)
        self.help_line = help_line


@dataclass(frozen=True)
class Target:
    """A platform, as each channel names it."""

    triple: str
    npm_os: str
    npm_cpu: str
    wheel_platform: str

    @property
    def is_windows(self):
        return self.npm_os == "win32"

    @property
    def executable(self):
        return PROGRAM + (".exe" if self.is_windows else "")

    @property
    def directory(self):
        """The directory inside an archive. Zip files have none, because Windows extracts them into one."""
        return "" if self.is_windows else f"{PROGRAM}-{self.triple}/"

    @property
    def archive(self):
        return f"{PROGRAM}-{self.triple}" + (".zip" if self.is_windows else ".tar.gz")

    @property
    def npm_package(self):
        return f"{PACKAGE}-{self.npm_os}-{self.npm_cpu}"


# The Linux programs are static, so one wheel serves glibc and musl.
LINUX_X64 = "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64"
LINUX_ARM64 = "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"

TARGETS = [
    Target("aarch64-apple-darwin", "darwin", "arm64", "macosx_11_0_arm64"),
    Target("aarch64-pc-windows-msvc", "win32", "arm64", "win_arm64"),
    Target("aarch64-unknown-linux-musl", "linux", "arm64", LINUX_ARM64),
    Target("x86_64-apple-darwin", "darwin", "x64", "macosx_10_12_x86_64"),
    Target("x86_64-pc-windows-msvc", "win32", "x64", "win_amd64"),
    Target("x86_64-unknown-linux-musl", "linux", "x64", LINUX_X64),
]


def find_target(triple):
    for target in TARGETS:
        if target.triple == triple:
            return target
    known = ", ".join(target.triple for target in TARGETS)
    raise ReleaseError(f"unknown target `{triple}`", f"use one of {known}")


@dataclass(frozen=True)
class Project:
    """What the manifest of the workspace states."""

    version: str
    description: str
    license: str
    repository: str

    @property
    def owner(self):
        """The account that publishes, out of the URL of the repository."""
        return self.repository.split("/")[3]

    def download_url(self, file_name):
        return f"{self.repository}/releases/download/v{self.version}/{file_name}"


def run_cargo_metadata(*arguments):
    command = ["cargo", "metadata", "--format-version", "1", "--locked", *arguments]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise ReleaseError(f"`{' '.join(command)}` failed: {result.stderr.strip()}")
    return json.loads(result.stdout)


def read_project(repository=None):
    packages = run_cargo_metadata("--no-deps", "--offline")["packages"]
    package = next(package for package in packages if package["name"] == PROGRAM)
    return Project(
        version=package["version"],
        description=package["description"],
        license=package["license"],
        repository=(repository or package["repository"] or "").rstrip("/"),
    )


def require_repository(project):
    """Refuses a placeholder: what is generated from it would be published with a URL that leads nowhere."""
    if not re.fullmatch(r"https://[^/]+/[^/]+/[^/]+", project.repository) or ".invalid/" in project.repository:
        raise ReleaseError(
            f"`{project.repository}` is not the URL of a public repository",
            "set `repository` in `[workspace.package]` of Cargo.toml, or pass `--repository https://github.com/OWNER/agpm`",
        )


def source_date():
    """The time that generated files get: of `SOURCE_DATE_EPOCH`, else of the commit, so two runs give the same bytes."""
    stated = os.environ.get("SOURCE_DATE_EPOCH")
    if stated:
        return int(stated)
    command = ["git", "log", "-1", "--format=%ct"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    # Without git, such as in a source archive: zip files begin in 1980.
    return int(result.stdout) if result.returncode == 0 and result.stdout.strip() else 315532800
