"""What every client is shown: names and schemas that the strictest of them take."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from mcp.types import Prompt, Resource, ResourceTemplate
from pydantic import BaseModel, Field

from mcp import Client
from recalld_mcp.bridge import Bridge, ConfiguredConnection, Defaults
from recalld_mcp.schema import plain
from recalld_mcp.server import make_server
from recalld_mcp.tools import make_tools
from recalld_server.settings import Settings

REFUSED = {"anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref", "$defs", "const", "prefixItems", "title"}
TYPES = {"string", "integer", "number", "boolean", "array", "object"}
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
TEN = {
    *("memory_write", "memory_search", "memory_get", "memory_list", "memory_update", "memory_forget"),
    *("memory_reflect", "memory_stats", "memory_context", "memory_session"),
}


def faults(schema: Any, path: str = "$") -> Iterator[str]:
    """Every construct in a schema that some client refuses."""
    if not isinstance(schema, dict):
        yield f"{path}: is not an object"
        return
    yield from (f"{path}: {word}" for word in REFUSED & schema.keys())
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in TYPES:
        yield f"{path}: type {kind!r}"
    if path != "$" and not path.endswith(".*") and not schema.get("description"):
        yield f"{path}: no description"
    if "enum" in schema and not schema["enum"]:
        yield f"{path}: an empty enum"
    if "default" in schema and schema["default"] is None:
        yield f"{path}: null as the default"
    if kind == "array":
        yield from faults(schema["items"], f"{path}[]") if "items" in schema else [f"{path}: no items"]
    if kind == "object":
        if "properties" not in schema and "additionalProperties" not in schema:
            yield f"{path}: neither properties nor additionalProperties"
        for name, each in schema.get("properties", {}).items():
            yield from faults(each, f"{path}.{name}")
        if isinstance(schema.get("additionalProperties"), dict):
            yield from faults(schema["additionalProperties"], f"{path}.*")
        for name in schema.get("required", []):
            if name not in schema.get("properties", {}):
                yield f"{path}: requires {name}, which it does not describe"


@pytest.mark.parametrize("tool", make_tools("full"), ids=lambda tool: tool.name)
def test_every_schema_is_plain(tool: Any) -> None:
    assert list(faults(tool.parameters)) == []
    assert list(faults(tool.output_schema)) == []
    assert tool.parameters["additionalProperties"] is False


@pytest.mark.parametrize("tool", make_tools("full"), ids=lambda tool: tool.name)
def test_optional_arguments_have_plain_types_and_are_not_required(tool: Any) -> None:
    required = set(tool.parameters.get("required", []))
    expected = {
        "memory_write": {"content"},
        "memory_search": {"query"},
        "memory_context": {"query"},
        "memory_get": {"memory_id"},
        "memory_update": {"memory_id"},
        "memory_session": {"action", "session_id"},
    }
    assert required == expected.get(tool.name, set())


def test_how_much_a_client_may_write_is_declared() -> None:
    (write,) = [tool for tool in make_tools("full") if tool.name == "memory_write"]
    declared = write.parameters["properties"]["content"]["maxLength"]
    assert declared == Settings.model_fields["content_limit_bytes"].default


def test_the_walker_finds_what_strict_clients_refuse() -> None:
    class Inner(BaseModel):
        word: Annotated[str | int, Field(description="A union.")]

    class Outer(BaseModel):
        inner: Annotated[Inner, Field(description="A reference.")]
        maybe: Annotated[int | None, Field(description="An optional.")] = None
        items: list[Any] = []

    found = "\n".join(faults(Outer.model_json_schema()))
    for word in ("$defs", "$ref", "anyOf", "title", "$.items: no description", "$.maybe: null as the default"):
        assert word in found
    with pytest.raises(ValueError, match="union"):
        plain(Outer.model_json_schema())


def test_names_fit_every_client_with_its_prefix() -> None:
    names = [tool.name for tool in make_tools("full")]
    assert set(names) == TEN
    assert len(names) == 10
    for name in names:
        assert NAME.fullmatch(f"mcp__{'s' * 30}__{name}"), name


def test_the_minimal_toolset_has_four() -> None:
    names = [tool.name for tool in make_tools("minimal")]
    assert names == ["memory_write", "memory_search", "memory_update", "memory_forget"]


def test_descriptions_say_when_to_call_and_when_not() -> None:
    for tool in make_tools("full"):
        assert "Call it" in tool.description, tool.name
        assert len(tool.description) < 600, tool.name


def test_annotations_tell_reading_from_destroying() -> None:
    tools = {tool.name: tool.annotations for tool in make_tools("full")}
    readers = {name for name, hints in tools.items() if hints and hints.read_only_hint}
    assert readers == {"memory_search", "memory_context", "memory_get", "memory_list", "memory_stats"}
    assert [name for name, hints in tools.items() if hints and hints.destructive_hint] == ["memory_forget"]


async def test_prompts_and_resources_are_named_for_every_client() -> None:
    server = make_server(Bridge(ConfiguredConnection(), Defaults(namespace="default")))
    async with Client(server) as client:
        prompts = (await client.list_prompts()).prompts
        assert {prompt.name for prompt in prompts} == {"recall_context", "end_of_session_hindsight", "weekly_review"}
        resources = (await client.list_resources()).resources
        assert {str(resource.uri) for resource in resources} == {
            "memory://namespaces",
            "memory://default/recent",
            "memory://default/stats",
        }
        templates = (await client.list_resource_templates()).resource_templates
        assert {template.uri_template for template in templates} == {
            "memory://{+namespace}/recent",
            "memory://{+namespace}/stats",
            "memory://memory/{memory_id}",
        }
        offered: list[Prompt | Resource | ResourceTemplate] = [*prompts, *resources, *templates]
        for each in offered:
            assert NAME.fullmatch(each.name), each.name
            assert each.description
        tools = (await client.list_tools()).tools
        for tool in tools:  # as they are on the wire, too
            assert list(faults(tool.input_schema)) == []
            assert list(faults(tool.output_schema)) == []
