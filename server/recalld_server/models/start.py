"""The start of an embedder whose server may be down: that keeps no recalld from starting which knows its vectors."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from recalld_server.errors import ModelUnavailable
from recalld_server.models.base import Embedder

log = structlog.get_logger(__name__)

PAUSE_SECONDS = 2.0


async def start_embedder(
    embedder: Embedder, stored: Callable[[], Awaitable[tuple[str, int] | None]], pause: float = PAUSE_SECONDS
) -> None:
    """Starts a model. One that does not answer is gone without for now, when the length of its vectors is known from its
    configuration or from `stored` (name and length); otherwise it is waited for. Raises ModelSetupError."""
    while True:
        try:
            await embedder.start()
            return
        except ModelUnavailable as error:
            known = await stored()
            if known is not None and known[0] == embedder.id:
                embedder.expect(known[1])
            if embedder.knows_dimensions:
                log.warning("the embedding model does not answer; going on without it until it does", cause=str(error))
                return
            log.warning(
                "waiting for the embedding model, since nothing tells how long its vectors are: "
                "set RECALLD_EMBEDDING_DIMENSIONS to start without it",
                cause=str(error),
            )
            await asyncio.sleep(pause)
