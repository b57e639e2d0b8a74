"""Archives with fixed order, owners and times, and the checksums of a release."""

import gzip
import hashlib
import io
import subprocess
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

from project import CHECKSUMS, COMPLETIONS, DOCUMENTS, PROGRAM, ROOT, TARGETS, ReleaseError, source_date


def write_tar_gz(path, files):
    """Writes `files`, a list of name, content and mode."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data, mode in sorted(files):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            entry.mode = mode
            entry.mtime = source_date()
            archive.addfile(entry, io.BytesIO(data))
    # The header of gzip would hold the file's name and the current time.
    path.write_bytes(gzip.compress(content.getvalue(), compresslevel=9, mtime=0))


def write_zip(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data, mode in sorted(files):
            entry = zipfile.ZipInfo(name, time.gmtime(source_date())[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            # Unix, so the executable bit is kept.
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data)


def generate_assets(program, directory):
    """Lets the program write its completion scripts and manual pages."""
    completions = directory / "completions"
    completions.mkdir(parents=True, exist_ok=True)
    for shell, name in COMPLETIONS.items():
        script = subprocess.run([program, "completions", shell], capture_output=True, check=True)
        (completions / name).write_bytes(script.stdout)
    subprocess.run([program, "man", "--dir", directory / "man"], stdout=subprocess.DEVNULL, check=True)


def build_archive(target, program, out):
    """Packs one program as `dist` does. The program must run on this machine, because it writes its own assets."""
    with tempfile.TemporaryDirectory() as temporary:
        assets = Path(temporary)
        generate_assets(program, assets)
        files = [(target.executable, Path(program).read_bytes(), 0o755)]
        for path in sorted(assets.rglob("*")):
            if path.is_file():
                files.append((path.relative_to(assets).as_posix(), path.read_bytes(), 0o644))
    for name in DOCUMENTS:
        files.append((name, (ROOT / name).read_bytes(), 0o644))
    files = [(target.directory + name, data, mode) for name, data, mode in files]
    out.mkdir(parents=True, exist_ok=True)
    path = out / target.archive
    if target.is_windows:
        write_zip(path, files)
    else:
        write_tar_gz(path, files)
    return path


def read_archive_file(directory, target, name):
    """Returns the content of a file in the archive of a target."""
    path = directory / target.archive
    member = target.directory + name
    try:
        if target.is_windows:
            with zipfile.ZipFile(path) as archive:
                return archive.read(member)
        with tarfile.open(path) as archive:
            # dist and tar may begin names with `./`.
            for entry in archive:
                if entry.isfile() and entry.name.removeprefix("./") == member:
                    return archive.extractfile(entry).read()
    except (tarfile.TarError, zipfile.BadZipFile, KeyError, EOFError) as error:
        raise ReleaseError(f"{path} cannot be read: {error}") from error
    raise ReleaseError(f"{path} does not contain `{member}`")


def file_checksum(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_checksums(directory):
    lines = [
        f"{file_checksum(directory / target.archive)}  {target.archive}\n"
        for target in TARGETS
        if (directory / target.archive).is_file()
    ]
    (directory / CHECKSUMS).write_text("".join(lines))


def read_checksums(directory):
    """Returns the checksums by file name."""
    path = directory / CHECKSUMS
    if not path.is_file():
        raise ReleaseError(f"{path} not found", f"`python3 packaging/release.py archive` writes it, and so does `dist build`")
    checksums = {}
    for line in path.read_text().splitlines():
        # The second space is `*` for binary mode, which means the same.
        checksum, _, name = line.partition(" ")
        checksums[name.lstrip(" *")] = checksum.lower()
    return checksums


def verified_targets(directory):
    """Returns the targets whose archives are present. A wrong or missing checksum stops the release."""
    checksums = read_checksums(directory)
    present = []
    for target in TARGETS:
        path = directory / target.archive
        if not path.is_file():
            continue
        if checksums.get(target.archive) != file_checksum(path):
            raise ReleaseError(f"the checksum of {path} is not the one in {CHECKSUMS}")
        present.append(target)
    if not present:
        raise ReleaseError(f"{directory} has no archive of {PROGRAM}")
    return present
