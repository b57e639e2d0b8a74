#!/usr/bin/env python3
"""Builds the program twice, in different directories, and compares the bytes.

usage: reproduce.py                 builds the commit twice with the profile `dist`, and compares
       reproduce.py --print-flags   prints the flags of rustc that a release is built with
"""

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def remapping_flags(root):
    """Returns flags that replace the directories of this machine in panic messages."""
    cargo_home = os.environ.get("CARGO_HOME") or str(Path.home() / ".cargo")
    flags = [f"--remap-path-prefix={root}=/agpm", f"--remap-path-prefix={cargo_home}=/cargo"]
    if any(" " in flag for flag in flags):
        # RUSTFLAGS is split at spaces.
        sys.exit(f"error: `{root}` or `{cargo_home}` contains a space, which RUSTFLAGS cannot hold")
    return " ".join(flags)


def build_program(directory):
    """Builds the committed files in a directory, and returns the program's checksum and size."""
    directory.mkdir()
    archive = subprocess.Popen(["git", "archive", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", directory], stdin=archive.stdout, check=True)
    if archive.wait() != 0:
        sys.exit("error: `git archive HEAD` failed")
    date = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=True)
    environment = {
        **os.environ,
        "RUSTFLAGS": remapping_flags(directory),
        "SOURCE_DATE_EPOCH": date.stdout.strip(),
        # Nothing may come from an earlier build.
        "CARGO_TARGET_DIR": str(directory / "target"),
        "CARGO_INCREMENTAL": "0",
    }
    # cargo-auditable adds the list of dependencies, as in a release.
    auditable = subprocess.run(["cargo", "auditable", "--version"], capture_output=True, check=False).returncode == 0
    command = ["cargo", *(["auditable"] if auditable else []), "build", "--profile", "dist", "--locked", "-p", "agpm"]
    subprocess.run(command, cwd=directory, env=environment, check=True)
    program = (directory / "target" / "dist" / ("agpm.exe" if os.name == "nt" else "agpm")).read_bytes()
    return hashlib.sha256(program).hexdigest(), len(program)


def main():
    if sys.argv[1:] == ["--print-flags"]:
        print(remapping_flags(ROOT))
        return 0
    if sys.argv[1:]:
        sys.exit(__doc__.strip())
    with tempfile.TemporaryDirectory() as temporary:
        # Paths of different lengths, because a shorter string can move others.
        first, size = build_program(Path(temporary) / "a")
        second, _ = build_program(Path(temporary) / "another-directory")
    print(f"{first}  {size} bytes\n{second}")
    print("the bytes are the same" if first == second else "the bytes differ")
    return 0 if first == second else 1


if __name__ == "__main__":
    sys.exit(main())
