#!/usr/bin/env python3
"""Compare installs with agpm-cli 0.4.14 and with the floor, and measure one agent of a large repository.

usage: install.py [AGPM] [--counts 1,50,500,2000] [--runs N] [--peer PROGRAM] [--skip-peer] [--skip-network]

The peer is installed with cargo into `target/peer` unless it is named. All figures of one line come from one run, in
fresh directories: a file system that has just deleted many files is slow to create new ones, for every program.
The floor is the unavoidable work: a bare clone of the source and writing the same files.
"""
import argparse
import http.server
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


def sh(*words, **more):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, **more)


def measure(words, directory, env):
    """Returns the seconds and the peak memory in MB of one command."""
    start = time.perf_counter()
    child = subprocess.Popen(words, cwd=directory, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    stderr = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    taken = time.perf_counter() - start
    if status:
        sys.exit(f"{words} failed in {directory}:\n{stderr.decode()}")
    return taken, usage.ru_maxrss / 1024


def make_corpus(directory, count, tags, padding=0):
    maker = ROOT.parent / "shared" / "bench" / "make_corpus.py"
    if not maker.exists():
        maker = HERE / "make_corpus.py"
    sh(sys.executable, maker, directory, str(count), str(tags), str(padding))


def project(directory, url, pattern="agents/*.md"):
    directory.mkdir(parents=True)
    (directory / "agpm.toml").write_text(
        f'[sources]\ncorpus = "{url}"\n\n[agents]\nall = {{ source = "corpus", path = "{pattern}", version = "^1.0" }}\n'
    )
    return directory


def environment(home):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("AGPM_", "XDG_"))}
    env.update(HOME=str(home), GIT_CONFIG_NOSYSTEM="1")
    home.mkdir(parents=True)
    return env


def floor(scratch, corpus, installed):
    """Measures a bare clone, and writing the installed files again."""
    files = [(path.relative_to(installed), path.read_bytes()) for path in installed.rglob("*.md")]
    start = time.perf_counter()
    sh("git", "clone", "-q", "--bare", f"file://{corpus}", scratch / "clone")
    created = set()
    for path, content in files:
        target = scratch / "files" / path
        if target.parent not in created:
            target.parent.mkdir(parents=True, exist_ok=True)
            created.add(target.parent)
        target.write_bytes(content)
    return time.perf_counter() - start


def installs(program, corpus, scratch, runs, peer):
    """Returns the cold and warm times, the memory, and the directory of the last project."""
    cold, warm, memory = [], [], 0
    for run in range(runs):
        env = environment(scratch / f"home{run}")
        directory = project(scratch / f"project{run}", f"file://{corpus}")
        words = [program, "install"]
        seconds, mb = measure(words, directory, env)
        cold.append(seconds)
        memory = max(memory, mb)
        warm += [measure(words, directory, env)[0] for _ in range(1 if peer else 5)]
    return statistics.median(cold), statistics.median(warm), memory, directory


class Counter:
    """Passes bytes between a client and a port, and counts what the client gets."""

    def __init__(self, port):
        self.received, self.port_behind = 0, port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(("127.0.0.1", self.port_behind))
            threading.Thread(target=self.pump, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self.pump, args=(server, client, True), daemon=True).start()

    def pump(self, source, sink, counted):
        try:
            while chunk := source.recv(1 << 16):
                self.received += len(chunk) if counted else 0
                sink.sendall(chunk)
        except OSError:
            pass
        finally:
            try:
                sink.shutdown(socket.SHUT_WR)
            except OSError:
                pass


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def git_daemon(base):
    port = free_port()
    child = subprocess.Popen(
        ["git", "daemon", "--export-all", f"--base-path={base}", "--listen=127.0.0.1", f"--port={port}", "--reuseaddr"],
        stderr=subprocess.DEVNULL,
    )
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(0.05)
    return child, port


def http_backend(base):
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def answer(self):
            path, _, query = self.path.partition("?")
            env = dict(
                os.environ, GIT_PROJECT_ROOT=str(base), GIT_HTTP_EXPORT_ALL="1", PATH_INFO=path, QUERY_STRING=query,
                REQUEST_METHOD=self.command, CONTENT_TYPE=self.headers.get("Content-Type", ""), REMOTE_ADDR="127.0.0.1",
                HTTP_CONTENT_ENCODING=self.headers.get("Content-Encoding", ""),
                GIT_PROTOCOL=self.headers.get("Git-Protocol", ""),
            )
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.headers.get("Transfer-Encoding") == "chunked":
                body = b""
                while size := int(self.rfile.readline(), 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
            env["CONTENT_LENGTH"] = str(len(body))
            out = subprocess.run(["git", "http-backend"], input=body, env=env, capture_output=True).stdout
            head, _, content = out.partition(b"\r\n\r\n")
            lines = [line.split(": ", 1) for line in head.decode().splitlines()]
            status = next((int(v.split()[0]) for k, v in lines if k == "Status"), 200)
            self.send_response(status)
            for key, value in lines:
                if key != "Status":
                    self.send_header(key, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = answer

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def network(agpm, scratch):
    make_corpus(scratch / "big", 20, 3, padding=200)
    child, daemon_port = git_daemon(scratch)
    for name, port, scheme in [("git", daemon_port, "git"), ("http", http_backend(scratch), "http")]:
        counter = Counter(port)
        env = environment(scratch / f"home-{name}")
        url = f"{scheme}://127.0.0.1:{counter.port}/big" + ("/.git" if name == "http" else "")
        directory = project(scratch / f"one-{name}", url, "agents/a0001.md")
        seconds, _ = measure([agpm, "install"], directory, env)
        print(f"one agent of a repository with 200 MiB over {scheme}: {counter.received / 1024:.0f} KiB received, {seconds:.2f} s")
    child.terminate()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("agpm", nargs="?", default=ROOT / "target/dist/agpm")
    parser.add_argument("--counts", default="1,50,500,2000")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--peer", default=ROOT / "target/peer/bin/agpm")
    parser.add_argument("--skip-peer", action="store_true")
    parser.add_argument("--skip-network", action="store_true")
    args = parser.parse_args()
    agpm = str(pathlib.Path(args.agpm).resolve())
    if not args.skip_peer and not pathlib.Path(args.peer).exists():
        sh("cargo", "install", "agpm-cli", "--version", "0.4.14", "--locked", "--root", ROOT / "target/peer")
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="agpm-bench-", dir=os.environ.get("AGPM_BENCH_DIR")))
    try:
        print("agents | cold s, MB | floor s | x floor | peer cold s, MB | x peer | no-op ms | peer no-op ms | x peer")
        for count in map(int, args.counts.split(",")):
            temp = scratch / str(count)
            corpus = temp / "corpus"
            make_corpus(corpus, count, 20)
            cold, warm, memory, directory = installs(agpm, corpus, temp / "ours", args.runs, peer=False)
            lowest = statistics.median(
                floor(temp / f"floor{run}", corpus, directory / ".claude") for run in range(args.runs)
            )
            line = f"{count:6} | {cold:.3f}, {memory:.0f} | {lowest:.3f} | {cold / lowest:.2f} | "
            if args.skip_peer:
                print(f"{line}- | - | {warm * 1000:.1f} | - | -", flush=True)
                continue
            p_cold, p_warm, p_memory, _ = installs(str(args.peer), corpus, temp / "peer", args.runs, peer=True)
            print(
                f"{line}{p_cold:.2f}, {p_memory:.0f} | {p_cold / cold:.1f} | "
                f"{warm * 1000:.1f} | {p_warm * 1000:.0f} | {p_warm / warm:.1f}",
                flush=True,
            )
        if not args.skip_network:
            network(agpm, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
