"""A chat model of any server that speaks the OpenAI API (`POST {base_url}/chat/completions`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recalld_server.errors import ModelUnavailable
from recalld_server.model import Json
from recalld_server.models.base import ChatModel, ChatRefused, ChatReply, ModelSetupError
from recalld_server.models.measured import count_tokens, model_call
from recalld_server.models.remote import TIMEOUT_SECONDS, Refused, Remote
from recalld_server.models.vectors import usable
from recalld_server.text.budget import estimate_tokens

__all__ = ["ChatModel", "ChatRefused", "ChatReply", "OpenAiChat"]


class OpenAiChat:
    """Asks for JSON by schema; of a server that does not know that, for JSON in words."""

    def __init__(
        self, *, base_url: str, model: str, api_key: str | None = None, timeout: float = TIMEOUT_SECONDS
    ) -> None:
        """`timeout`: seconds for a call whose caller sets no limit. Raises ModelSetupError."""
        if not model:
            raise ModelSetupError("the chat model needs a name: set RECALLD_CHAT_MODEL")
        self.id = model
        self._remote = Remote(base_url, api_key, timeout)
        self._by_schema = True

    async def complete(
        self, system: str, user: str, schema: Mapping[str, Json], *, max_tokens: int, timeout: float | None = None
    ) -> ChatReply:
        """See `ChatModel`. Raises ChatRefused, ModelUnavailable."""
        body: dict[str, Any] = {
            "model": self.id,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": usable(user)}],
            "temperature": 0,
            "max_tokens": max_tokens,
        }
        with model_call("chat", self.id) as span:
            reply = _reply(await self._post(body, schema, timeout), system + user)
            count_tokens(span, "chat", self.id, reply.prompt_tokens, reply.completion_tokens)
        return reply

    async def close(self) -> None:
        """Gives back connections."""
        await self._remote.close()

    async def _post(self, body: dict[str, Any], schema: Mapping[str, Json], limit: float | None) -> Any:
        if self._by_schema:
            form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}
            try:
                return await self._remote.post("/chat/completions", {**body, "response_format": form}, limit)
            except Refused:
                # either the schema is refused or the text is: the second call tells
                answer = await self._plain(body, limit)
                self._by_schema = False
                return answer
        return await self._plain(body, limit)

    async def _plain(self, body: dict[str, Any], limit: float | None) -> Any:
        try:
            return await self._remote.post("/chat/completions", body, limit)
        except Refused as error:
            raise ChatRefused(str(error)) from None


def _reply(answer: Any, asked: str) -> ChatReply:
    """Raises ModelUnavailable when it is not what the API answers."""
    try:
        choice = answer["choices"][0]
        text = choice["message"].get("content") or ""
        if not isinstance(text, str):
            raise TypeError
        cut_off = choice.get("finish_reason") in ("length", "content_filter")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise ModelUnavailable("the chat model's answer has no message: check the base URL") from None
    usage = answer.get("usage")
    read = _count(usage, "prompt_tokens", estimate_tokens(asked))
    return ChatReply(text, read, _count(usage, "completion_tokens", estimate_tokens(text)), cut_off)


def _count(usage: Any, name: str, estimate: int) -> int:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else estimate
