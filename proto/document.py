"""Writes docs/api.md from the comments of the protos. Usage: python proto/document.py [--check]

With --check nothing is written; the program ends with 1 when the page is not current.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    ServiceDescriptorProto,
)
from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "api.md"
PACKAGE = "recalld.v1"
# Numbers of the fields of the descriptors, of which paths to comments are made.
MESSAGES, ENUMS, SERVICES = 4, 5, 6
FIELDS, VALUES, METHODS = 2, 2, 2
SCALARS = {kind.number: kind.name.removeprefix("TYPE_").lower() for kind in FieldDescriptorProto.Type.DESCRIPTOR.values}
HEAD = """# API reference

Made from the comments of `proto/recalld/v1` by `make gen`. Every service speaks gRPC; errors carry a
`google.rpc.ErrorInfo` of the domain `recalld.dev` whose reason is an [ErrorReason](#errorreason).
"""


def descriptors() -> FileDescriptorSet:
    """What a protoc plugin is given: our files with their comments, and everything that they import."""
    files = sorted(path.relative_to(ROOT / "proto").as_posix() for path in (ROOT / "proto/recalld/v1").glob("*.proto"))
    includes = [ROOT / "proto", ROOT / "proto/third_party", Path(protoc.__file__).parent / "_proto"]
    with tempfile.TemporaryDirectory() as directory:
        out = Path(directory, "set.pb")
        arguments = [f"-I{path}" for path in includes]
        arguments += ["--include_imports", "--include_source_info", f"--descriptor_set_out={out}"]
        if protoc.main(["protoc", *arguments, *files]) != 0:
            raise SystemExit("protoc failed; its output says why")
        return FileDescriptorSet.FromString(out.read_bytes())


class Comments:
    """The comments of one file by the path of what they belong to."""

    def __init__(self, file: FileDescriptorProto) -> None:
        self._by_path = {tuple(each.path): each.leading_comments for each in file.source_code_info.location}

    def __call__(self, *path: int) -> str:
        """In one line."""
        return " ".join(self._by_path.get(path, "").split())


def page(found: FileDescriptorSet) -> str:
    """The whole page: services first, then the messages and enumerations by name."""
    services: list[str] = []
    others: dict[str, str] = {}
    for file in found.file:
        if file.package != PACKAGE:
            continue
        comments = Comments(file)
        services += [service(each, comments, index) for index, each in enumerate(file.service)]
        others |= {each.name: message(each, comments, index) for index, each in enumerate(file.message_type)}
        others |= {each.name: enumeration(each, comments, index) for index, each in enumerate(file.enum_type)}
    return "\n".join([HEAD, *services, "## Messages and enumerations\n", *(others[name] for name in sorted(others))])


def service(each: ServiceDescriptorProto, comments: Comments, index: int) -> str:
    rows = [
        f"| `{method.name}` | {stream(method.client_streaming)}{link(method.input_type)} "
        f"| {stream(method.server_streaming)}{link(method.output_type)} | {comments(SERVICES, index, METHODS, number)} |"
        for number, method in enumerate(each.method)
    ]
    table = "\n".join(["| method | takes | gives | |", "|---|---|---|---|", *rows])
    return f"## {each.name}\n\n{comments(SERVICES, index)}\n\n{table}\n"


def message(each: DescriptorProto, comments: Comments, index: int) -> str:
    maps = {nested.name: nested for nested in each.nested_type if nested.options.map_entry}
    rows = [
        f"| `{field.name}` | {kind(field, maps)} | {choice(each, field)}{comments(MESSAGES, index, FIELDS, number)} |"
        for number, field in enumerate(each.field)
    ]
    table = "\n".join(["", "| field | type | |", "|---|---|---|", *rows, ""]) if rows else ""
    return f"### {each.name}\n\n{comments(MESSAGES, index)}\n{table}"


def enumeration(each: EnumDescriptorProto, comments: Comments, index: int) -> str:
    rows = [
        f"| `{value.name}` | {value.number} | {comments(ENUMS, index, VALUES, number)} |"
        for number, value in enumerate(each.value)
    ]
    table = "\n".join(["| value | number | |", "|---|---|---|", *rows])
    return f"### {each.name}\n\n{comments(ENUMS, index)}\n\n{table}\n"


def kind(field: FieldDescriptorProto, maps: dict[str, DescriptorProto]) -> str:
    """The type as a reader names it."""
    entry = maps.get(field.type_name.rpartition(".")[2])
    if entry:
        key, value = entry.field
        return f"map of {SCALARS[key.type]} to {kind(value, {})}"
    name = link(field.type_name) if field.type_name else SCALARS[field.type]
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return f"list of {name}"
    return f"{name}, optional" if field.proto3_optional else name


def choice(each: DescriptorProto, field: FieldDescriptorProto) -> str:
    """Says that a field is one of several that exclude each other."""
    if not field.HasField("oneof_index") or field.proto3_optional:
        return ""
    return f"(one of `{each.oneof_decl[field.oneof_index].name}`) "


def stream(streaming: bool) -> str:
    return "stream of " if streaming else ""


def link(type_name: str) -> str:
    """A link within the page for our types, the name alone for others."""
    name = type_name.lstrip(".")
    if name.startswith(f"{PACKAGE}."):
        short = name.removeprefix(f"{PACKAGE}.")
        return f"[{short}](#{short.lower()})"
    return name


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say whether the committed page is current")
    arguments = parser.parse_args()
    text = page(descriptors())
    if not arguments.check:
        PAGE.write_text(text)
        return 0
    if PAGE.exists() and PAGE.read_text() == text:
        return 0
    print("not current: docs/api.md (run make gen)", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
