"""What the tests share: the list of them, servers, worlds, and waiting for conditions."""

import contextlib
import csv
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

# Longer than anything takes, and short enough to wait for.
PATIENCE = 60
TESTS = []
AGENTS = "bmad/_cfg/agent-manifest.csv"


def test(function):
    """Adds a test; its name is what it says."""
    TESTS.append(function)
    return function


class World:
    """A program with a home and a project that a test may change."""

    def __init__(self, program, root):
        self.program, self.root = program, pathlib.Path(root)
        self.home, self.project = self.root / "home", self.root / "project"

    @contextlib.contextmanager
    def copy(self):
        """The same world elsewhere, for tests that change it. The repositories stay where they are."""
        with tempfile.TemporaryDirectory() as folder:
            copied = pathlib.Path(folder) / "world"
            shutil.copytree(self.root, copied, symlinks=True)
            yield World(self.program, copied)

    def environment(self, **more):
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1", **more}

    def stdio(self, *arguments):
        return StdioServerParameters(
            command=self.program, args=["serve", "mcp", *arguments], env=self.environment(), cwd=self.project
        )

    def client(self, *arguments, **options):
        """A client of a server over standard input and output."""
        return Client(self.stdio(*arguments), read_timeout_seconds=PATIENCE, cache=None, **options)

    def write(self, path, text):
        """Replaces a file of the project at once, as editors do."""
        target = self.project / path
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = target.with_name(target.name + ".new")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(target)

    def write_agents(self, names, module="many"):
        """A manifest with these agents alone, each with its file."""
        with (self.project / AGENTS).open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["name", "title", "module", "path"])
            rows.writerows([name, name.title(), module, f"bmad/{module}/agents/{name}.md"] for name in names)
        for name in names:
            self.write(f"bmad/{module}/agents/{name}.md", f"You are {name}.\n")


class HttpServer:
    """A server over HTTP, with what it tells at its start."""

    ADDRESS = re.compile(r"agpm: serving MCP at (http://127\.0\.0\.1:\d+/mcp)$")
    TOKEN = re.compile(r"agpm: the token is (\S+)$")

    def __init__(self, process, url, token):
        self.process, self.url, self.token = process, url, token

    @classmethod
    @contextlib.contextmanager
    def start(cls, world, *arguments, token=None):
        environment = world.environment(**({"AGPM_MCP_TOKEN": token} if token else {}))
        line = [world.program, "serve", "mcp", "--http", "0", *arguments]
        process = subprocess.Popen(
            line, cwd=world.project, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        try:
            url = cls.ADDRESS.match(process.stderr.readline()).group(1)
            yield cls(process, url, token or cls.TOKEN.match(process.stderr.readline()).group(1))
        finally:
            process.kill()
            process.wait()
            process.stderr.close()

    def headers(self):
        return {"Authorization": f"Bearer {self.token}"}

    @contextlib.asynccontextmanager
    async def client(self, **options):
        """A client that shows the token."""
        async with httpx2.AsyncClient(headers=self.headers(), timeout=PATIENCE) as http:
            transport = streamable_http_client(self.url, http_client=http)
            async with Client(transport, read_timeout_seconds=PATIENCE, cache=None, **options) as client:
                yield client


class Heard:
    """Notifications of a session, for waiting for one of them."""

    def __init__(self):
        self.methods, self.messages = [], []

    async def handle(self, message):
        if isinstance(message, Exception):
            raise message
        self.methods.append(message.method)

    async def log(self, message):
        self.messages.append(message)

    def count(self, method):
        return self.methods.count(method)


async def until(what, condition):
    """Waits for a condition, with a bound."""
    with anyio.move_on_after(PATIENCE):
        while not condition():
            await anyio.sleep(0.02)
        return
    raise AssertionError(f"waited in vain for {what}")


async def call(client, operation, **arguments):
    return await client.call_tool("agpm", {"operation": operation, **arguments})


async def pages(fetch, key):
    """All items of a list in pages, and how many pages there were."""
    items, count, cursor = [], 0, None
    while count == 0 or cursor is not None:
        page = await fetch(cursor=cursor)
        items, count, cursor = items + getattr(page, key), count + 1, page.next_cursor
        assert count < 100, "the pages have no end"
    return items, count


async def trouble(awaitable):
    """The number and the word of an error that something ends with."""
    try:
        answer = await awaitable
    except MCPError as error:
        return error.code, (error.data or {}).get("code")
    raise AssertionError(f"no error but {answer}")
