"""Sessions over streamable HTTP, and refused requests."""

import logging

import anyio
import httpx2
from mcp import Client

from support import PATIENCE, Notifications, HttpServer, call, pages, test, error_of, until

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


class Records(logging.Handler):
    """Collects the log messages of a module of the SDK."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.warnings = []

    def emit(self, record):
        self.warnings.append(record.getMessage())

    @classmethod
    def of(cls, module):
        handler = cls()
        logging.getLogger(module).addHandler(handler)
        return handler


@test
async def a_session_over_http_lives_and_ends(world):
    failures = Records.of("mcp.client.streamable_http")
    with HttpServer.start(world) as server:
        assert len(server.token) >= 32
        async with server.client(mode="legacy") as client:
            assert client.server_info.name == "agpm"
            await client.send_ping()
            listed = await call(client, "list", kind="agent")
            assert [row["name"] for row in listed.structured_content["rows"]] == ["architect", "dev", "gone", "pm"]
            prompts, _ = await pages(client.list_prompts, "prompts")
            assert [prompt.name for prompt in prompts] == ["bmm.architect", "bmm.dev", "bmm.gone", "bmm.pm"]
            assert await error_of(client.get_prompt("bmm.nobody")) == (-32602, "mcp/unknown-prompt")
            assert (await call(client, "read", kind="agent", name="gone")).is_error
        assert failures.warnings == [], failures.warnings
        # The server outlives the session.
        async with server.client(mode="legacy") as client:
            await client.send_ping()
        assert server.process.poll() is None


@test
async def the_newest_protocol_over_http(world):
    with HttpServer.start(world) as server:
        async with server.client(mode="auto") as client:
            assert client.protocol_version == "2026-07-28", client.protocol_version
            read = await call(client, "read", kind="agent", name="bmm/pm")
            assert read.structured_content["text"] == "You plan this project. ✅\n"
            resource = await client.read_resource("agpm://agent/bmm/dev")
            assert resource.contents[0].text == "You write code.\n"


@test
async def several_sessions_are_notified_of_a_change(world):
    with world.copy() as own, HttpServer.start(own) as server:
        first, second = Notifications(), Notifications()
        async with server.client(mode="legacy", message_handler=first.handle) as one:
            async with server.client(mode="legacy", message_handler=second.handle) as two:
                await one.list_prompts()
                await two.list_prompts()
                changes = lambda notifications: notifications.count("notifications/prompts/list_changed")
                # The stream of notifications opens in parallel, and changes before that are not sent.
                with anyio.fail_after(PATIENCE):
                    at = 0
                    while not (changes(first) and changes(second)):
                        own.write_agents([f"fresh-{at}"])
                        at += 1
                        with anyio.move_on_after(2):
                            await until("both", lambda: changes(first) and changes(second))
                names = {prompt.name for prompt in (await two.list_prompts()).prompts}
                assert f"many.fresh-{at - 1}" in names, names


@test
async def a_missing_or_wrong_token_is_refused(world):
    with HttpServer.start(world) as server:
        async with httpx2.AsyncClient() as http:
            for header in [{}, {"Authorization": "Bearer wrong"}, {"Authorization": server.token},
                           {"Authorization": f"Bearer {server.token}x"}]:
                answer = await http.post(server.url, json=INITIALIZE, headers={**ACCEPT, **header})
                assert answer.status_code == 401, (header, answer)
                assert answer.headers["www-authenticate"] == "Bearer"
                assert server.token not in answer.text
            good = await http.post(server.url, json=INITIALIZE, headers={**ACCEPT, **server.headers()})
            assert good.status_code == 200, good


@test
async def the_sdk_cannot_connect_without_the_token(world):
    with HttpServer.start(world) as server:
        try:
            async with Client(server.url, mode="legacy", read_timeout_seconds=PATIENCE):
                pass
        except Exception:
            return
        raise AssertionError("a session without a token")


@test
async def pages_of_others_are_turned_away(world):
    with HttpServer.start(world) as server:
        async with httpx2.AsyncClient(headers={**ACCEPT, **server.headers()}) as http:
            for header in [{"Origin": "https://evil.example"}, {"Origin": "null"},
                           {"Origin": "http://127.0.0.1.evil.example"}, {"Host": "evil.example"}]:
                answer = await http.post(server.url, json=INITIALIZE, headers=header)
                assert answer.status_code == 403, (header, answer)
            own = await http.post(server.url, json=INITIALIZE, headers={"Origin": "http://localhost:3000"})
            assert own.status_code == 200, own


@test
async def a_token_of_the_environment_counts(world):
    with HttpServer.start(world, token="of-the-environment-0123456789") as server:
        async with server.client(mode="legacy") as client:
            await client.send_ping()


@test
async def writing_over_http_needs_the_same_word(world):
    with world.copy() as own:
        installed = own.project / ".claude/agents/reviewer.md"
        installed.unlink()
        with HttpServer.start(own) as server:
            async with server.client(mode="legacy") as client:
                assert await error_of(call(client, "install")) == (-32602, "mcp/unknown-operation")
        assert not installed.exists()
        with HttpServer.start(own, "--allow-write") as server:
            async with server.client(mode="legacy") as client:
                assert not (await call(client, "install")).is_error
        assert installed.exists()
