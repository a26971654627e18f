"""What the command line says."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from recalld_mcp import __version__

Transport: TypeAlias = Literal["stdio", "http", "sse"]
LOG_LEVELS = ("debug", "info", "warning", "error")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Everything that can be chosen. None, and the empty tuple: not given."""

    transport: Transport = "stdio"
    toolset: Literal["full", "minimal"] = "full"
    addr: str | None = None
    key_file: str | None = None
    namespace: str | None = None
    workspace: str | None = None
    user_id: str | None = None
    embedded: bool = False
    data_dir: Path | None = None
    agent: str | None = None
    host: str = "127.0.0.1"
    port: int = 8765
    public_url: str | None = None
    allowed_hosts: tuple[str, ...] = ()
    calls_per_minute: int = 240
    log_level: str = "warning"


def read_options(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> Options:
    """The options of a command line. A wrong one ends the process with a message on standard error."""
    env = os.environ if environment is None else environment
    given = {name: value for name, value in vars(_parser().parse_args(arguments)).items() if value is not None}
    given.setdefault("user_id", env.get("RECALLD_USER_ID") or None)
    given["allowed_hosts"] = tuple(given.pop("allowed_host", ()))
    return Options(**given)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="recalld-mcp",
        description="The memory of recalld as MCP tools. Where the server is and with which key comes from "
        "RECALLD_ADDR and RECALLD_KEY (or RECALLD_KEY_FILE), as for every client.",
        argument_default=None,
    )
    parser.add_argument("--version", action="version", version=f"recalld-mcp {__version__}")
    parser.add_argument("--transport", choices=("stdio", "http", "sse"), help="default: stdio")
    parser.add_argument("--toolset", choices=("full", "minimal"), help="minimal: four tools instead of ten")
    parser.add_argument("--log-level", choices=LOG_LEVELS, help="of the log on standard error; default: warning")

    where = parser.add_argument_group("where memories are")
    where.add_argument("--addr", help="HOST:PORT of the recalld server; default: RECALLD_ADDR")
    where.add_argument("--key-file", help="file that holds the key; default: RECALLD_KEY or RECALLD_KEY_FILE")
    where.add_argument("--namespace", help="default: RECALLD_NAMESPACE")
    where.add_argument("--workspace", metavar="FOLDER", help="a namespace of its own for this project's folder")
    where.add_argument("--user-id", help="the person whose memories are written; default: RECALLD_USER_ID")

    embedded = parser.add_argument_group("a server of one's own")
    embedded.add_argument(
        "--embedded", action="store_true", default=None, help="start the embedded server, or join the one that runs"
    )
    embedded.add_argument("--data-dir", type=Path, help="where its data is; default: the user's state directory")
    embedded.add_argument("--agent", help="the agent that writes; default: root")

    http = parser.add_argument_group("--transport http and sse")
    http.add_argument("--host", help="default: 127.0.0.1")
    http.add_argument("--port", type=int, help="default: 8765")
    http.add_argument("--public-url", help="how clients reach it, such as https://memory.example.com/mcp")
    http.add_argument("--allowed-host", action="append", help="a Host header that is accepted; may be repeated")
    http.add_argument("--calls-per-minute", type=int, help="of one key; default: 240; 0: no limit")
    return parser
