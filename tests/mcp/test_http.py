"""Over HTTP each bearer key is a recalld key, and nothing is open that need not be."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest
from mcp.client.sse import sse_client
from tests.mcp.bridges import BridgeOverHttp, Endpoint, http_client, text
from tests.mcp.scripted import scripted

import recalld
from mcp import Client
from recalld.errors import ConfigurationError
from recalld_mcp.http import place_of
from recalld_mcp.options import Options
from recalld_server.demo.process import Running

ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}


def bearer(key: str, **more: str) -> dict[str, str]:
    return {**ACCEPT, "Authorization": f"Bearer {key}", **more}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_each_key_is_its_own_agent(endpoint: Endpoint, root: recalld.Client, mode: str) -> None:
    keys = [root.keys.create(agent, "writer").secret for agent in ("ada", "ben")]

    async def call(key: str, tool: str, **arguments: Any) -> dict[str, Any]:
        async with http_client(endpoint.url, key, mode) as client:
            result = await client.call_tool(tool, {"namespace": root.name, **arguments})
            assert not result.is_error, text(result)
            return result.structured_content or {}

    await call(keys[0], "memory_write", content="Ada's own 密码提示: 7781.", visibility="private")
    await call(keys[0], "memory_write", content="The shared 门牌 is 9912.")
    seen = [await call(key, "memory_list") for key in keys]
    assert [{each["content"] for each in page["memories"]} for page in seen] == [
        {"Ada's own 密码提示: 7781.", "The shared 门牌 is 9912."},
        {"The shared 门牌 is 9912."},
    ]
    assert {each["agent_id"] for page in seen for each in page["memories"]} == {"ada"}


@pytest.mark.parametrize("value", ["NaN", "[1, -Infinity]", '{"深": 1e999}'])
async def test_a_number_that_is_none_is_refused_by_its_place(
    endpoint: Endpoint, running: Running, root: recalld.Client, value: str
) -> None:
    """JSON has no such number, but some programs send it as if it had; the official client sends null."""
    given = {"content": "量 amount", "namespace": root.name, "metadata": {"amount": "VALUE"}}
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "memory_write", "arguments": given}}
    async with httpx2.AsyncClient(headers=bearer(running.root_key)) as http:
        hello = await http.post(endpoint.url, json=HELLO)
        session = {"mcp-session-id": hello.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-06-18"}
        sent = json.dumps(call).replace('"VALUE"', value)
        answer = await http.post(endpoint.url, headers=session, content=sent)
    assert "INVALID_FIELD: memory.metadata.amount" in answer.text
    assert "is NaN or infinite" in answer.text
    assert list(root.list()) == []


async def test_without_a_good_key_nothing_is_answered(endpoint: Endpoint, root: recalld.Client) -> None:
    revoked = root.keys.create("gone", "reader")
    root.keys.revoke(revoked.key.key_id)
    async with httpx2.AsyncClient() as http:
        for headers in (
            ACCEPT,
            bearer("rk_0123456789abcdef_" + "x" * 43),
            bearer(revoked.secret),
            bearer("x"),
            bearer("a b"),
            {**ACCEPT, "Authorization": "Basic cm9vdDpyb290"},
        ):
            answer = await http.post(endpoint.url, headers=headers, json=HELLO)
            assert answer.status_code == 401
            assert "/.well-known/oauth-protected-resource/mcp" in answer.headers["www-authenticate"]
            assert "recalld" not in answer.text
        where = endpoint.url.removesuffix("/mcp") + "/.well-known/oauth-protected-resource/mcp"
        described = (await http.get(where)).json()
        assert described["resource"] == endpoint.url
        assert described["bearer_methods_supported"] == ["header"]


async def test_pages_of_other_hosts_are_turned_away(endpoint: Endpoint, running: Running) -> None:
    async with httpx2.AsyncClient() as http:
        evil = await http.post(endpoint.url, headers=bearer(running.root_key, Host="evil.test"), json=HELLO)
        assert evil.status_code == 421
        evil = await http.post(endpoint.url, headers=bearer(running.root_key, Origin="https://evil.test"), json=HELLO)
        assert evil.status_code == 403
        assert (await http.post(endpoint.url, headers=bearer(running.root_key), json=HELLO)).status_code == 200


async def test_a_session_belongs_to_its_key(endpoint: Endpoint, root: recalld.Client) -> None:
    keys = [root.keys.create(agent, "reader").secret for agent in ("eve", "dan")]
    async with httpx2.AsyncClient() as http:
        hello = await http.post(endpoint.url, headers=bearer(keys[0]), json=HELLO)
        session = {"mcp-session-id": hello.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-06-18"}
        assert (await http.post(endpoint.url, headers=bearer(keys[1], **session), json=PING)).status_code == 404
        assert (await http.post(endpoint.url, headers=bearer(keys[0], **session), json=PING)).status_code == 200


async def test_a_key_that_calls_too_often_is_slowed_and_another_is_not(running: Running, root: recalld.Client) -> None:
    keys = [root.keys.create(agent, "reader").secret for agent in ("fast", "slow")]
    with BridgeOverHttp(running.address, "--calls-per-minute", "8", "--namespace", root.name) as endpoint:
        async with http_client(endpoint.url, keys[0]) as client:
            answers = [await client.call_tool("memory_stats", {}) for _ in range(4)]
        assert [answer.is_error for answer in answers[:2]] == [False, False]
        assert "QUOTA_EXCEEDED" in text(answers[3])
        assert "try again after" in text(answers[3])
        async with http_client(endpoint.url, keys[1]) as client:
            assert not (await client.call_tool("memory_stats", {})).is_error


async def test_a_server_that_is_down_is_said_by_the_call() -> None:
    with BridgeOverHttp("127.0.0.1:1") as endpoint:
        async with http_client(endpoint.url, "rk_0123456789abcdef_" + "x" * 43) as client:
            assert len((await client.list_tools()).tools) == 10
            result = await client.call_tool("memory_stats", {})
            assert "does not answer" in text(result)


async def test_a_trace_in_the_header_reaches_the_server() -> None:
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    call = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {
            "name": "memory_stats",
            "arguments": {},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    }
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "memory_stats"}
    async with scripted() as (script, address):
        with BridgeOverHttp(address) as endpoint:
            async with httpx2.AsyncClient(timeout=30) as http:
                key = "rk_0123456789abcdef_" + "x" * 43
                answer = await http.post(endpoint.url, headers=bearer(key, traceparent=trace, **headers), json=call)
                assert answer.status_code == 200, answer.text
    assert trace.split("-")[1] in script.metadata[-1]["traceparent"]


def test_keys_do_not_travel_in_the_clear_beyond_this_machine() -> None:
    with pytest.raises(ConfigurationError, match="--public-url"):
        place_of(Options(transport="http", host="0.0.0.0"))
    with pytest.raises(ConfigurationError, match="https"):
        place_of(Options(transport="http", host="0.0.0.0", public_url="http://memory.example.com/mcp"))
    place = place_of(Options(transport="http", host="0.0.0.0", public_url="https://memory.example.com/mcp"))
    assert place.security.allowed_hosts == ["memory.example.com", "memory.example.com:*"]
    local = place_of(Options(transport="http"))
    assert "127.0.0.1:*" in local.security.allowed_hosts
    assert local.public_url == "http://127.0.0.1:8765/mcp"


async def test_the_oldest_clients_are_served_by_sse(running: Running, root: recalld.Client) -> None:
    with BridgeOverHttp(running.address, "--transport", "sse", "--namespace", root.name) as endpoint:
        url = endpoint.url.removesuffix("/mcp") + "/sse"
        async with httpx2.AsyncClient() as http:
            assert (await http.get(url)).status_code == 401
        headers = {"Authorization": f"Bearer {running.root_key}"}
        async with Client(sse_client(url, headers=headers), mode="legacy") as client:
            written = await client.call_tool("memory_write", {"content": "老客户端也能记住。"})
            assert not written.is_error, text(written)
    assert [memory.content for memory in root.list()] == ["老客户端也能记住。"]
