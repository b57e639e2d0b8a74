"""Sessions over standard input and output."""

import socket
import warnings

import anyio
from mcp.client.subscriptions import PromptsListChanged, ResourcesListChanged
from mcp.types import PromptReference, ResourceTemplateReference

from support import AGENTS, Notifications, call, pages, test, error_of, until

# Log levels are deprecated in the protocol, but current clients use them.
warnings.simplefilter("ignore")

ENTRY = ResourceTemplateReference(type="ref/resource", uri="agpm://{kind}/{module}/{name}")
MANY = [f"agent-{at:03}" for at in range(250)]
RESOURCES, PROMPTS = "notifications/resources/list_changed", "notifications/prompts/list_changed"


@test
async def a_session_with_a_handshake_lives_and_ends(world):
    async with world.client(mode="legacy") as client:
        assert client.server_info.name == "agpm"
        assert client.protocol_version == "2025-11-25"
        capabilities = client.server_capabilities
        assert capabilities.prompts.list_changed and capabilities.resources.list_changed
        assert capabilities.tools and capabilities.logging is not None and capabilities.completions is not None
        assert "agpm" in client.instructions
        await client.send_ping()
        assert [tool.name for tool in (await client.list_tools()).tools] == ["agpm"]


@test
async def a_session_of_the_newest_protocol_needs_no_handshake(world):
    async with world.client(mode="auto") as client:
        assert client.protocol_version == "2026-07-28", client.protocol_version
        assert [tool.name for tool in (await client.list_tools()).tools] == ["agpm"]
        assert (await call(client, "read", kind="agent", name="pm")).structured_content["ok"] is True


@test
async def ending_a_session_ends_the_server(world):
    async with await anyio.open_process(
        [world.program, "serve", "mcp"], cwd=world.project, env=world.environment()
    ) as process:
        await process.stdin.aclose()
        assert await process.wait() == 0


@test
async def the_tool_looks_at_every_face(world):
    async with world.client(mode="legacy") as client:
        for kind, name in [("agents", "bmm/pm"), ("workflows", "prd"), ("installed/agents", "reviewer"),
                           ("personas", "ada"), ("bottles", "base"), ("bottle-agents", "runner")]:
            listed = await call(client, "list", kind=kind)
            assert not listed.is_error, listed
            assert name.split("/")[-1] in listed.content[0].text, listed
            read = await call(client, "read", kind=kind, name=name)
            assert not read.is_error and read.structured_content["uri"].startswith("agpm://"), read
            resource = await client.read_resource(read.structured_content["uri"])
            assert resource.contents[0].text == read.content[0].text, kind


@test
async def shadowed_rows_are_never_sent(world):
    async with world.client(mode="legacy") as client:
        listed = await call(client, "list", kind="agent", query="manager")
        assert listed.structured_content["total"] == 0, listed
        csv = (await client.read_resource("agpm://catalog/agent.csv")).contents[0].text
        assert "Custom PM" in csv and "Product Manager" not in csv and "Remote PM" not in csv


@test
async def lists_of_250_agents_come_in_pages(world):
    with world.copy() as own:
        own.write_agents(MANY)
        async with own.client("--mode", "local", mode="legacy") as client:
            prompts, count = await pages(client.list_prompts, "prompts")
            assert [prompt.name for prompt in prompts] == [f"many.{name}" for name in MANY]
            assert count == 3, count
            resources, count = await pages(client.list_resources, "resources")
            uris = [resource.uri for resource in resources]
            assert len(set(uris)) == len(uris) and count >= 3
            assert {f"agpm://agent/many/{name}" for name in MANY} <= set(uris)
            rows, cursor = [], {}
            while cursor is not None:
                page = (await call(client, "list", kind="agent", limit=60, **cursor)).structured_content
                assert page["total"] == 250 and len(page["rows"]) <= 60
                rows += [row["name"] for row in page["rows"]]
                cursor = {"cursor": page["nextCursor"]} if "nextCursor" in page else None
            assert rows == MANY
            assert await error_of(client.list_prompts(cursor="made up")) == (-32602, "mcp/cursor")


@test
async def names_are_completed(world):
    async with world.client(mode="legacy") as client:
        async def values(reference, name, value, **context):
            completed = await client.complete(reference, {"name": name, "value": value}, context or None)
            return completed.completion.values

        assert await values(ENTRY, "kind", "a") == ["agent", "task"]
        assert await values(ENTRY, "module", "b", kind="agent") == ["bmm"]
        assert await values(ENTRY, "name", "p", kind="agent", module="bmm") == ["pm"]
        assert await values(ENTRY, "name", "", kind="workflow") == ["prd"]
        persona = ResourceTemplateReference(type="ref/resource", uri="agpm://persona/{slug}")
        assert await values(persona, "slug", "a") == ["ada"]
        installed = ResourceTemplateReference(type="ref/resource", uri="agpm://installed/{type}/{name}")
        assert await values(installed, "name", "rev", type="agents") == ["reviewer"]
        prompt = PromptReference(type="ref/prompt", name="bmm.pm")
        assert await values(prompt, "message", "x") == []
        wrong = client.complete(prompt, {"name": "volume", "value": ""})
        assert await error_of(wrong) == (-32602, "mcp/parameters")


@test
async def a_completion_of_many_tells_that_there_are_more(world):
    with world.copy() as own:
        own.write_agents(MANY)
        async with own.client("--mode", "local", mode="legacy") as client:
            found = (await client.complete(ENTRY, {"name": "name", "value": "agent"})).completion
            assert (len(found.values), found.total, found.has_more) == (100, 250, True)


@test
async def a_changed_manifest_is_announced(world):
    notifications = Notifications()
    with world.copy() as own:
        async with own.client(mode="legacy", message_handler=notifications.handle) as client:
            names = {prompt.name for prompt in (await client.list_prompts()).prompts}
            assert "many.fresh" not in names
            own.write_agents(["fresh"])
            await until("list_changed", lambda: notifications.count(RESOURCES) and notifications.count(PROMPTS))
            names = {prompt.name for prompt in (await client.list_prompts()).prompts}
            assert "many.fresh" in names and "bmm.gone" not in names, names
            assert (await client.get_prompt("many.fresh")).messages[0].content.text == "You are fresh.\n"


@test
async def a_subscription_of_the_newest_protocol_is_notified(world):
    with world.copy() as own:
        async with own.client(mode="auto") as client:
            await client.list_prompts()
            async with client.listen(prompts_list_changed=True, resources_list_changed=True) as events:
                own.write_agents(["fresh"])
                seen = set()
                async for event in events:
                    seen.add(type(event))
                    if seen >= {PromptsListChanged, ResourcesListChanged}:
                        break
            prompts = (await client.list_prompts()).prompts
            assert "many.fresh" in {prompt.name for prompt in prompts}


@test
async def messages_have_the_requested_level(world):
    notifications = Notifications()
    with world.copy() as own:
        async with own.client(mode="legacy", message_handler=notifications.handle, logging_callback=notifications.log) as client:
            await client.list_prompts()
            await client.set_logging_level("emergency")
            own.write(AGENTS, 'name,module\npm,"bmm\n')
            await until("list_changed", lambda: notifications.count(PROMPTS) == 1)
            listed = await call(client, "list", kind="agent")
            codes = [found["code"] for found in listed.structured_content["diagnostics"]]
            assert codes == ["catalog/malformed"], codes
            await client.send_ping()
            assert notifications.messages == [], notifications.messages
            await client.set_logging_level("debug")
            own.write(AGENTS, "title\nno name\n")
            await until("a message", lambda: notifications.messages)
            message = notifications.messages[0]
            assert (message.level, message.data["code"]) == ("warning", "catalog/malformed"), message


@test
async def a_call_that_is_cancelled_does_not_hold_up_the_others(world):
    with world.copy() as own, socket.create_server(("127.0.0.1", 0)) as silent:
        # A source that accepts connections and never answers.
        port = silent.getsockname()[1]
        own.write("agpm.toml", f'[sources]\nslow = "http://127.0.0.1:{port}/slow.git"\n\n[agents]\n'
                               'a = { source = "slow", path = "a.md", version = "^1.0" }\n')
        async with own.client("--mode", "local", mode="legacy") as client:
            async with anyio.create_task_group() as tasks:
                ended = anyio.Event()

                async def plan():
                    try:
                        await call(client, "plan")
                    finally:
                        ended.set()

                tasks.start_soon(plan)
                connection, _ = await anyio.to_thread.run_sync(silent.accept, abandon_on_cancel=True)
                with connection:
                    await client.send_ping()
                    assert not ended.is_set()
                    tasks.cancel_scope.cancel()
            assert (await call(client, "read", kind="agent", name="pm")).is_error is False
            await client.send_ping()


@test
async def mistakes_have_numbers_and_words(world):
    async with world.client(mode="legacy") as client:
        table = [
            (call(client, "fly"), (-32602, "mcp/unknown-operation")),
            (call(client, "install"), (-32602, "mcp/unknown-operation")),
            (call(client, "list", limit=0), (-32602, "mcp/parameters")),
            (client.call_tool("other", {}), (-32602, "mcp/unknown-tool")),
            (client.get_prompt("bmm.nobody"), (-32602, "mcp/unknown-prompt")),
            (client.read_resource("agpm://agent/bmm/..%2fx"), (-32602, "mcp/uri")),
            (client.read_resource("agpm://agent/bmm/nobody"), (-32002, "name/unknown")),
            (client.read_resource("agpm://agent/bmm/gone"), (-32002, "catalog/missing-file")),
        ]
        for request, expected in table:
            assert (got := await error_of(request)) == expected, (got, expected)


@test
async def an_operation_that_fails_is_an_answer(world):
    async with world.client(mode="legacy") as client:
        for arguments, code in [({"kind": "agent", "name": "nobody"}, "name/unknown"),
                                ({"kind": "agent", "name": "gone"}, "catalog/missing-file"),
                                ({"kind": "persona", "name": "nobody"}, "name/unknown")]:
            answer = await call(client, "read", **arguments)
            assert answer.is_error and answer.structured_content["code"] == code, answer


@test
async def a_client_that_may_write_installs_and_updates(world):
    with world.copy() as own:
        installed = own.project / ".claude/agents/reviewer.md"
        installed.unlink()
        async with own.client("--allow-write", mode="legacy") as client:
            tool = (await client.list_tools()).tools[0]
            assert tool.annotations.read_only_hint is False
            assert {"install", "update"} <= set(tool.input_schema["properties"]["operation"]["enum"])
            planned = await call(client, "plan")
            assert "reviewer" in planned.content[0].text and not installed.exists()
            done = await call(client, "install")
            assert not done.is_error, done
            assert "Read the change." in installed.read_text()
            assert not (await call(client, "update")).is_error
            unknown = await call(client, "update", names=["nobody"])
            assert unknown.is_error and unknown.structured_content["code"] == "name/unknown", unknown
