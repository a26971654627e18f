"""Makes the embedder that is configured."""

from __future__ import annotations

from pathlib import Path

from recalld_server.models.base import Embedder, ModelSetupError
from recalld_server.models.hash import DIMENSIONS as HASH_DIMENSIONS
from recalld_server.models.hash import HashEmbedder
from recalld_server.models.local import DIMENSIONS as LOCAL_DIMENSIONS
from recalld_server.models.local import LocalEmbedder
from recalld_server.models.openai import OpenAIEmbedder
from recalld_server.models.remote import TIMEOUT_SECONDS
from recalld_server.models.remote_embedder import RemoteEmbedder
from recalld_server.models.tei import TEIEmbedder


def make_embedder(
    kind: str,
    *,
    model: str = "",
    base_url: str = "",
    api_key: str | None = None,
    dimensions: int | None = None,
    cache_dir: Path | None = None,
    threads: int | None = None,
    query_prefix: str = "",
    passage_prefix: str = "",
    timeout: float = TIMEOUT_SECONDS,
) -> Embedder:
    """The embedder of this kind, not started yet.

    local: needs `cache_dir`; `threads` bounds its load. openai, tei: need `model` and `base_url`; `dimensions` None takes
    what the model gives; the prefixes are what the model's card asks for, `timeout` bounds a request whose caller sets no limit. hash: for tests.
    Raises ModelSetupError when something needed is missing or contradicts the model.
    """
    match kind:
        case "local":
            if cache_dir is None:
                raise ModelSetupError("the local embedding model needs a cache directory")
            if dimensions not in (None, LOCAL_DIMENSIONS):
                raise ModelSetupError(f"the local model's vectors have {LOCAL_DIMENSIONS} dimensions, not {dimensions}")
            return LocalEmbedder(cache_dir, threads=threads)
        case "openai" | "tei":
            if not model or not base_url:
                raise ModelSetupError(f"the embedder {kind} needs the name of a model and a base URL")
            make: type[RemoteEmbedder] = OpenAIEmbedder if kind == "openai" else TEIEmbedder
            return make(
                model=model,
                base_url=base_url,
                api_key=api_key,
                dimensions=dimensions,
                query_prefix=query_prefix,
                passage_prefix=passage_prefix,
                timeout=timeout,
            )
        case "hash":
            return HashEmbedder(dimensions or HASH_DIMENSIONS)
        case _:
            raise ModelSetupError(f"there is no embedder {kind!r}: use local, openai, tei or hash")
