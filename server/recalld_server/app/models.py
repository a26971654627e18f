"""The models that are configured."""

from __future__ import annotations

import os
from pathlib import Path

from recalld_server.core.resolve import AskingResolver, Resolver, RulesResolver
from recalld_server.models.base import ChatModel, Reranker
from recalld_server.models.chat import OpenAiChat
from recalld_server.models.factory import make_embedder
from recalld_server.models.measured import MeasuredEmbedder, MeasuredReranker
from recalld_server.models.rerank import make_reranker
from recalld_server.settings import Settings


def build_embedder(settings: Settings, data_dir: Path) -> MeasuredEmbedder:
    """The embedding model that is configured; start it before use."""
    threads = settings.embedding_threads or max(1, (os.cpu_count() or 1) // settings.workers)
    key = settings.embedding_api_key
    embedder = make_embedder(
        settings.embedder,
        model=settings.embedding_model,
        base_url=settings.embedding_url,
        api_key=key.get_secret_value() if key else "",
        dimensions=settings.embedding_dimensions,
        cache_dir=data_dir / "models",
        threads=threads,
        timeout=settings.embedding_timeout_seconds,
    )
    return MeasuredEmbedder(embedder)


def build_chat(settings: Settings) -> OpenAiChat | None:
    """The chat model that is configured, if any."""
    if not settings.chat_url:
        return None
    key = settings.chat_api_key.get_secret_value() if settings.chat_api_key else None
    return OpenAiChat(
        base_url=settings.chat_url, model=settings.chat_model, api_key=key, timeout=settings.chat_timeout_seconds
    )


def build_resolver(settings: Settings, chat: ChatModel | None) -> Resolver:
    """What says whether a statement repeats, replaces or contradicts another."""
    if settings.resolver == "rules" or chat is None:
        return RulesResolver()
    return AskingResolver(chat, timeout=settings.chat_timeout_seconds)


def build_reranker(settings: Settings) -> Reranker | None:
    """What orders the best hits anew, if anything."""
    key = settings.rerank_api_key
    reranker = make_reranker(
        settings.reranker,
        base_url=settings.rerank_url,
        model=settings.rerank_model,
        api_key=key.get_secret_value() if key else None,
    )
    return reranker and MeasuredReranker(reranker, settings.rerank_model or settings.reranker)
