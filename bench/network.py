#!/usr/bin/env python3
"""Count requests and measure time over HTTP with latency, compared with one shallow clone and with other managers.

usage: bench/network.py AGPM [--skills N] [--latency MS] [--runs N] [--peer NAME=PROGRAM]...

A git server on this machine waits LATENCY milliseconds [default: 60] before each answer. It serves a library of N skills
[default: 100] in ten versions. Every job starts with an empty home directory unless it says `warm`. Peers are
`agpm-cli` (0.4) and `skills` (of npm); each runs only if it is named, and git sends their requests to the same server.
"""

import argparse
import http.server
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

VERSIONS = 10


class Server(http.server.ThreadingHTTPServer):
    """Smart HTTP for the repositories of a directory."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, root, latency):
        super().__init__(("127.0.0.1", 0), Handler)
        self.root, self.latency = root, latency
        self.lock, self.requests, self.sent = threading.Lock(), 0, 0
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_port}/"

    def take(self):
        """Returns the requests and the bytes since the last call."""
        with self.lock:
            taken = self.requests, self.sent
            self.requests = self.sent = 0
        return taken


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self):
        time.sleep(self.server.latency / 1000)
        path, _, query = self.path.partition("?")
        body = self.body()
        environment = dict(
            os.environ,
            GIT_PROJECT_ROOT=str(self.server.root),
            GIT_HTTP_EXPORT_ALL="1",
            PATH_INFO=path.replace("/info/refs", ".git/info/refs").replace("/git-upload-pack", ".git/git-upload-pack")
            if ".git/" not in path
            else path,
            QUERY_STRING=query,
            REQUEST_METHOD=self.command,
            CONTENT_TYPE=self.headers.get("Content-Type", ""),
            CONTENT_LENGTH=str(len(body)),
            HTTP_CONTENT_ENCODING=self.headers.get("Content-Encoding", ""),
            GIT_PROTOCOL=self.headers.get("Git-Protocol", ""),
            REMOTE_ADDR="127.0.0.1",
        )
        done = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = [line.partition(": ")[::2] for line in head.decode().split("\r\n")]
        status = next((int(value.split()[0]) for name, value in fields if name == "Status"), 200)
        self.send_response(status)
        for name, value in fields:
            if name and name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        with self.server.lock:
            self.server.requests += 1
            self.server.sent += len(content)

    do_GET = do_POST = answer

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body


def git(directory, *words):
    subprocess.run(["git", "-C", directory, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_library(root, skills):
    """Creates `acme/kit`: skills of two files, and in each version a tenth of them changes."""
    work = root / "work"
    subprocess.run(["git", "init", "-q", "-b", "main", work], check=True)
    git(work, "config", "user.name", "bench")
    git(work, "config", "user.email", "bench@example.org")
    for version in range(VERSIONS):
        for number in range(skills):
            directory = work / f"skills/skill-{number}"
            directory.mkdir(parents=True, exist_ok=True)
            changed = version if number % VERSIONS == version else 0
            (directory / "SKILL.md").write_text(
                f"---\nname: skill-{number}\ndescription: Does thing {number}, version {changed}.\n---\n\nDo it.\n"
            )
            (directory / "notes.md").write_text(f"Notes about {number}.\n" * 40)
        git(work, "add", "-A")
        git(work, "commit", "-q", "--allow-empty", "-m", f"version {version}")
        git(work, "tag", f"v1.{version}.0")
    bare = root / "served/acme/kit.git"
    bare.parent.mkdir(parents=True)
    subprocess.run(["git", "clone", "-q", "--bare", work, bare], check=True)
    git(bare, "config", "uploadpack.allowFilter", "true")
    git(bare, "config", "uploadpack.allowAnySHA1InWant", "true")
    return root / "served"


class Bench:
    def __init__(self, arguments, root):
        self.arguments, self.root = arguments, root
        self.server = Server(make_library(root, arguments.skills), arguments.latency)
        self.number = 0

    def fresh(self):
        """Returns an empty project directory, and an environment with an empty home directory."""
        self.number += 1
        home, project = self.root / f"home{self.number}", self.root / f"project{self.number}"
        home.mkdir()
        project.mkdir()
        (home / ".gitconfig").write_text(f'[url "{self.server.url}"]\n\tinsteadOf = https://github.com/\n')
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("AGPM_", "XDG_", "GIT_"))}
        return project, dict(kept, HOME=str(home), CI="1", NO_COLOR="1", DISABLE_TELEMETRY="1")

    def run(self, words, project, environment):
        self.server.take()
        start = time.perf_counter()
        done = subprocess.run(words, cwd=project, env=environment, capture_output=True, stdin=subprocess.DEVNULL)
        seconds = time.perf_counter() - start
        if done.returncode:
            sys.exit(f"{words} failed:\n{done.stdout.decode()}{done.stderr.decode()}")
        return (seconds, *self.server.take())

    def row(self, name, job):
        """Prints the requests, the bytes and the median of the seconds of a job."""
        results = [job() for _ in range(self.arguments.runs)]
        seconds = statistics.median(result[0] for result in results)
        _, requests, sent = results[-1]
        print(f"{name:<52} {requests:>4} requests {sent / 1024:>8.0f} KiB {seconds:>7.2f} s", flush=True)

    def clone(self):
        project, environment = self.fresh()
        return self.run(["git", "clone", "-q", "--depth=1", "https://github.com/acme/kit"], project, environment)

    def cold(self, *words, manifest=None, before=None):
        """Measures a command with an empty cache; `before` runs with another home directory, to have a lockfile."""
        project, environment = self.fresh()
        if manifest:
            (project / "agpm.toml").write_text(manifest)
        if before:
            _, other = self.fresh()
            self.run([*before], project, other)
            for name in (".claude", ".agpm"):
                shutil.rmtree(project / name, ignore_errors=True)
        return self.run([*words], project, environment)

    def warm(self, first, second, change=None, manifest=None):
        project, environment = self.fresh()
        if manifest:
            (project / "agpm.toml").write_text(manifest)
        self.run([*first], project, environment)
        if change:
            path = project / "agpm.toml"
            path.write_text(change(path.read_text()))
        return self.run([*second], project, environment)


def manifest(entries):
    lines = "".join(f"{name} = {{ source = \"kit\", {rest} }}\n" for name, rest in entries)
    return f'[sources]\nkit = "https://github.com/acme/kit"\n\n[skills]\n{lines}'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agpm")
    parser.add_argument("--skills", type=int, default=100)
    parser.add_argument("--latency", type=int, default=60)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--peer", action="append", default=[])
    arguments = parser.parse_args()
    agpm = os.path.abspath(arguments.agpm)
    peers = dict(peer.split("=", 1) for peer in arguments.peer)
    every = manifest([("all", 'path = "skills/*", version = "^1.0"')])
    ten = manifest(
        (f"skill-{number}", f'path = "skills/skill-{number}", version = "v1.{number}.0"') for number in range(10)
    )
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(arguments, pathlib.Path(scratch))
        print(f"{arguments.skills} skills in {VERSIONS} versions, {arguments.latency} ms for each request")
        bench.row("git clone --depth=1", bench.clone)
        bench.row("agpm add, one skill", lambda: bench.cold(agpm, "add", "acme/kit", "skill-1"))
        bench.row("agpm add, all skills", lambda: bench.cold(agpm, "add", "acme/kit", "--all"))
        bench.row("agpm install, all skills", lambda: bench.cold(agpm, "install", manifest=every))
        frozen = lambda: bench.cold(agpm, "install", "--frozen", manifest=every, before=[agpm, "install"])
        bench.row("agpm install --frozen, all skills", frozen)
        bench.row("agpm install, ten skills in ten versions", lambda: bench.cold(agpm, "install", manifest=ten))
        ranges = lambda text: text.replace('version = "v', 'version = "^')
        update = lambda: bench.warm([agpm, "install"], [agpm, "update"], ranges, ten)
        bench.row("agpm update, ten skills (warm)", update)
        bench.row("agpm outdated (warm)", lambda: bench.warm([agpm, "install"], [agpm, "outdated"], manifest=every))
        bench.row("agpm browse", lambda: bench.cold(agpm, "browse", "acme/kit"))
        if program := peers.get("agpm-cli"):
            bench.row("agpm-cli install, all skills", lambda: bench.cold(program, "install", manifest=every))
            bench.row("agpm-cli install, ten versions", lambda: bench.cold(program, "install", manifest=ten))
        if program := peers.get("skills"):
            words = [program, "add", "https://github.com/acme/kit", "--agent", "claude-code", "--yes"]
            bench.row("skills add, one skill", lambda: bench.cold(*words, "--skill", "skill-1"))
            bench.row("skills add, all skills", lambda: bench.cold(*words, "--skill", "*"))


if __name__ == "__main__":
    main()
