"""Resources: what a person can attach to a conversation, or keep an eye on."""

from __future__ import annotations

import json
from collections.abc import Awaitable
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from recalld.errors import NotFound, RecalldError
from recalld_mcp import uris
from recalld_mcp.bridge import Bridge
from recalld_mcp.explain import explain
from recalld_mcp.shapes import shape, shapes
from recalld_mcp.tools.read import CONTENT, PAGE, figures

JSON = "application/json"
NAMESPACES = 200


def add_resources(server: MCPServer[Bridge], bridge: Bridge, namespace: str) -> None:
    """Adds them; those of the default `namespace` are listed, the others are reached by their template."""

    async def namespaces() -> str:
        client = await bridge.client()
        page = await client.namespaces.list(page_size=NAMESPACES).page()
        return _json(
            {
                "namespaces": [
                    {"name": each.name, "description": each.description, "memories": each.memory_count} for each in page
                ],
                "more": bool(page.next_page_token),
            }
        )

    async def recent(namespace: str) -> str:
        view = await bridge.view(namespace)
        page = await view.list(page_size=PAGE).page()
        return _json({"memories": [each.model_dump(mode="json", exclude_defaults=True) for each in shapes(page.items)]})

    async def stats(namespace: str) -> str:
        view = await bridge.view(namespace)
        return _json(figures(await view.stats()).model_dump(mode="json", exclude_defaults=True))

    @server.resource(
        uris.NAMESPACES, title="Namespaces", description="The namespaces that may be read.", mime_type=JSON
    )
    async def namespaces_resource() -> str:
        return await _read(namespaces())

    @server.resource(
        uris.recent(namespace), title="Latest memories", description="The latest memories here.", mime_type=JSON
    )
    async def recent_here() -> str:
        return await _read(recent(namespace))

    @server.resource(uris.stats(namespace), title="Memory figures", description="What is held here.", mime_type=JSON)
    async def stats_here() -> str:
        return await _read(stats(namespace))

    @server.resource(uris.RECENT, title="Latest memories of a namespace", description="Newest first.", mime_type=JSON)
    async def recent_of(namespace: str) -> str:
        return await _read(recent(namespace))

    @server.resource(uris.STATS, title="Figures of a namespace", description="What it holds.", mime_type=JSON)
    async def stats_of(namespace: str) -> str:
        return await _read(stats(namespace))

    @server.resource(uris.MEMORY, title="A memory", description="One memory, by its id.", mime_type=JSON)
    async def memory(memory_id: str) -> str:
        async def read() -> str:
            view = await bridge.view(None)
            found = await view.get(memory_id)
            return _json(shape(found, CONTENT).model_dump(mode="json", exclude_defaults=True))

        return await _read(read())


async def _read(reading: Awaitable[str]) -> str:
    try:
        return await reading
    except NotFound as error:
        raise ResourceNotFoundError(explain(error)) from error
    except RecalldError as error:
        raise ResourceError(explain(error)) from error


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
