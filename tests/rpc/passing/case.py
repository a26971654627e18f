"""What is said of one call that is passed on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from google.protobuf.message import Message

from recalld_server.core.types import (
    CallOptions,
)

OTHER = UUID("01890a5d-ac96-774b-bcce-b302099a8058")


CALL = CallOptions()


@dataclass(frozen=True)
class Case:
    """A request, the call of the rules that it must become, and the answer for one of theirs."""

    method: str
    request: Message
    asked: str
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]
    answer: Any
    response: Message | list[Message]
