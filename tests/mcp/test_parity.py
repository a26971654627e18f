"""The same question gets the same answer on every surface, since no surface has defaults of its own."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.mcp.bridges import in_memory, python_environment

import recalld
from mcp import Client
from recalld_server.demo.process import Running

ENGLISH = [
    f"Note {n}: the {thing} of room {n * 7} is {n * 13}." for n, thing in enumerate(["lamp", "desk", "door"] * 17)
]
CHINESE = [f"记录{n}：{n * 7}号房间的{thing}编号是{n * 13}。" for n, thing in enumerate(["台灯", "书桌", "房门"] * 17)]
QUESTIONS = ["Which lamp is in room 84?", "the desk", "哪一盏台灯在84号房间？", "书桌编号"]


async def test_grpc_mcp_and_the_command_line_find_the_same(running: Running, root: recalld.Client) -> None:
    root.write_batch([*ENGLISH[:50], *CHINESE[:50]]).unwrap()
    async with Client(in_memory(running, root.name)) as client:
        for question in QUESTIONS:
            # Right after so many writes the ranking may still change under the three calls: look until it did not.
            for _ in range(10):
                before = root.search(question)
                result = await client.call_tool("memory_search", {"query": question})
                by_command = command_line(running, root.name, question)
                if ids(before) == ids(root.search(question)):
                    break
            content = result.structured_content or {}
            assert len(before) == 5
            assert [hit["memory_id"] for hit in content["hits"]] == ids(before)
            assert content.get("min_score", 0) == before.min_score
            assert by_command == ids(before)


def ids(result: recalld.SearchResult) -> list[str]:
    return [hit.memory_id for hit in result]


def command_line(running: Running, namespace: str, question: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "recalld", "search", question, "--json", "--namespace", namespace],
        env=python_environment()
        | {"RECALLD_ADDR": running.address, "RECALLD_KEY": running.root_key, "LANG": "C.UTF-8"},
        capture_output=True,
        check=True,
    )
    hits = json.loads(done.stdout)["hits"]
    return [(hit.get("memory") or hit)["memory_id"] for hit in hits]
