"""Shared by the tests: their list, servers, worlds, and waiting for conditions."""

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

# Longer than any operation takes.
PATIENCE = 60
TESTS = []
AGENTS = "bmad/_cfg/agent-manifest.csv"


def test(function):
    """Registers a test, named after the function."""
    TESTS.append(function)
    return function


class World:
    """An executable with a home and a project that a test may change."""

    def __init__(self, program, root):
        self.program, self.root = program, pathlib.Path(root)
        self.home, self.project = self.root / "home", self.root / "project"

    @contextlib.contextmanager
    def copy(self):
        """Copies the world, for tests that change it. The repositories are not copied."""
        with tempfile.TemporaryDirectory() as directory:
            copied = pathlib.Path(directory) / "world"
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
        """Replaces a file of the project atomically, like editors do."""
        target = self.project / path
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = target.with_name(target.name + ".new")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(target)

    def write_agents(self, names, module="many"):
        """Writes a manifest with only these agents, each with its file."""
        with (self.project / AGENTS).open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["name", "title", "module", "path"])
            rows.writerows([name, name.title(), module, f"bmad/{module}/agents/{name}.md"] for name in names)
        for name in names:
            self.write(f"bmad/{module}/agents/{name}.md", f"You are {name}.\n")


class HttpServer:
    """A server over HTTP, with the URL and the token that it prints."""

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
        """A client that sends the token."""
        async with httpx2.AsyncClient(headers=self.headers(), timeout=PATIENCE) as http:
            transport = streamable_http_client(self.url, http_client=http)
            async with Client(transport, read_timeout_seconds=PATIENCE, cache=None, **options) as client:
                yield client


class Notifications:
    """The notifications of a session."""

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


async def until(event, condition):
    """Waits for a condition, with a time limit."""
    with anyio.move_on_after(PATIENCE):
        while not condition():
            await anyio.sleep(0.02)
        return
    raise AssertionError(f"timed out waiting for {event}")


async def call(client, operation, **arguments):
    return await client.call_tool("agpm", {"operation": operation, **arguments})


async def pages(fetch, key):
    """Returns all items of a paginated list, and the number of pages."""
    items, count, cursor = [], 0, None
    while count == 0 or cursor is not None:
        page = await fetch(cursor=cursor)
        items, count, cursor = items + getattr(page, key), count + 1, page.next_cursor
        assert count < 100, "the pages have no end"
    return items, count


async def error_of(awaitable):
    """Returns the number and the code of the error that something fails with."""
    try:
        answer = await awaitable
    except MCPError as error:
        return error.code, (error.data or {}).get("code")
    raise AssertionError(f"expected an error, got {answer}")
