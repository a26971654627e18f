"""The protos as a code generator for any language would get them, and the reference that is made of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def document() -> ModuleType:
    spec = importlib.util.spec_from_file_location("document", ROOT / "proto" / "document.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_set_is_complete_and_builds_by_itself(document: ModuleType) -> None:
    found = document.descriptors()
    pool = DescriptorPool()
    for file in found.file:  # each after what it imports, as protoc promises plugins
        pool.Add(file) if hasattr(pool, "Add") else pool.AddSerializedFile(file.SerializeToString())
    services = [
        f"{file.package}.{each.name}" for file in found.file for each in file.service if file.package == "recalld.v1"
    ]
    assert len(services) == 5
    for name in services:
        for method in pool.FindServiceByName(name).methods:
            GetMessageClass(method.input_type)()


def test_everything_has_a_comment(document: ModuleType) -> None:
    text = document.page(document.descriptors())
    assert "|  |" not in text
    assert "\n\n\n" not in text.replace("\n\n\n|", "\n\n|")


def test_the_reference_names_every_call(document: ModuleType) -> None:
    text = (ROOT / "docs" / "api.md").read_text()
    assert text == document.page(document.descriptors())
    for name in ("`Write`", "`WatchReflection`", "### Memory\n", "ERROR_REASON_REQUEST_ID_REUSED"):
        assert name in text
