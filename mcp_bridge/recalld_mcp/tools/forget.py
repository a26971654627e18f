"""memory_forget: asks the person where the client can, else wants the digest of a dry run."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, Resolve
from pydantic import BaseModel, Field

import recalld
from recalld.errors import FailedPrecondition, InvalidArgument, NotFound
from recalld_mcp.bridge import Bridge, bridge_of
from recalld_mcp.shapes import Id, Word, shorten
from recalld_mcp.tools.fields import (
    After,
    AnyTags,
    Before,
    Kinds,
    Namespace,
    OnlySessionId,
    OnlyUserId,
    one,
    time_range,
)

SHOWN = 5
Mode: TypeAlias = Literal["forget", "archive", "erase"]
_DOES = {
    "forget": "Forget (it can be undone for a while)",
    "archive": "Archive (it can be undone)",
    "erase": "ERASE FOR GOOD, with everything derived from it,",
}


class Forgotten(BaseModel):
    """What was forgotten, or would be."""

    done: Annotated[bool, Field(description="Whether it was carried out.")]
    count: Annotated[int, Field(description="How many memories it is about.")]
    message: Annotated[str, Field(description="What to do next.")] = ""
    memory_ids: Annotated[list[Id], Field(description="Some of their ids.")] = []
    examples: Annotated[list[Word], Field(description="What some of them say.")] = []
    skipped_ids: Annotated[list[Id], Field(description="Ids that are not there, or were forgotten already.")] = []
    digest: Annotated[str, Field(description="Names what the dry run found; give it back to carry it out.")] = ""
    receipt_id: Annotated[str, Field(description="The receipt of an erasure.")] = ""


class Consent(BaseModel):
    """The person's answer."""

    forget: Annotated[bool, Field(description="Forget these memories?")]


@dataclass(frozen=True, slots=True)
class _Order:
    """What is to be forgotten."""

    memory_ids: tuple[str, ...]
    filter: recalld.Filter | None
    mode: Mode
    reason: str | None


@dataclass(frozen=True, slots=True)
class _Plan:
    """What an order means at the moment."""

    preview: recalld.ForgetResult
    digest: str
    examples: tuple[str, ...]
    by_filter: recalld.AsyncForgetPlan | None


def _order(
    memory_ids: list[str] | None,
    kinds: list[Any] | None,
    any_tags: list[str] | None,
    user_id: str | None,
    session_id: str | None,
    after: str | None,
    before: str | None,
    mode: Mode | None,
    reason: str | None,
) -> _Order:
    parts: dict[str, Any] = {
        "kinds": kinds or (),
        "any_tags": any_tags or (),
        "user_ids": one(user_id),
        "session_ids": one(session_id),
        "event_time": time_range(after, before),
    }
    restricts = any(parts.values())
    if bool(memory_ids) == restricts:
        raise InvalidArgument.of(
            "memory_ids", "give either ids, or at least one of kinds, any_tags, user_id, session_id, after, before"
        )
    return _Order(tuple(memory_ids or ()), recalld.Filter(**parts) if restricts else None, mode or "forget", reason)


async def _plan(view: recalld.AsyncNamespaceView, order: _Order) -> _Plan:
    by_filter = None
    if order.filter is None:
        preview = await view.forget(order.memory_ids, mode=order.mode, dry_run=True)
    else:
        by_filter = await view.plan_forget(mode=order.mode, filter=order.filter, reason=order.reason)
        preview = by_filter.preview
    shown = await asyncio.gather(*(_read(view, memory_id) for memory_id in preview.memory_ids[:100]))
    held = [memory for memory in shown if memory is not None]
    digest = preview.digest or _digest(order, held)
    return _Plan(preview, digest, tuple(shorten(memory.content, 100)[0] for memory in held[:SHOWN]), by_filter)


async def _read(view: recalld.AsyncNamespaceView, memory_id: str) -> recalld.Memory | None:
    try:
        return await view.get(memory_id)
    except NotFound:
        return None  # forgotten already, which only erasing goes on from


def _digest(order: _Order, held: list[recalld.Memory]) -> str:
    """Names the set as the server's digest of a filter does: other ids, another revision or mode give another."""
    said = "\n".join([order.mode, *sorted(order.memory_ids), *sorted(f"{each.memory_id} {each.etag}" for each in held)])
    return hashlib.sha256(said.encode()).hexdigest()


def _can_ask(ctx: Context[Bridge]) -> bool:
    capabilities = ctx.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    if elicitation is None or (elicitation.form is None and elicitation.url is not None):
        return False
    modern = (ctx.protocol_version or "") >= "2026-07-28"
    return modern or ctx.session.can_send_request


def _question(plan: _Plan, order: _Order, namespace: str) -> str:
    examples = "".join(f"\n- {text}" for text in plan.examples)
    count = plan.preview.count
    more = "\n…" if count > len(plan.examples) else ""
    return f"{_DOES[order.mode]} {count} {'memory' if count == 1 else 'memories'} of {namespace}?{examples}{more}"


async def ask(
    ctx: Context[Bridge],
    memory_ids: list[str] | None,
    kinds: list[Any] | None,
    any_tags: list[str] | None,
    user_id: str | None,
    session_id: str | None,
    after: str | None,
    before: str | None,
    mode: Mode | None,
    reason: str | None,
    dry_run: bool | None,
    namespace: str | None,
) -> Consent | Elicit[Consent]:
    """The question to the person; no question for a dry run, for nothing at all, or where the client cannot ask."""
    if dry_run or not _can_ask(ctx):
        return Consent(forget=False)
    view = await bridge_of(ctx).view(namespace)
    order = _order(memory_ids, kinds, any_tags, user_id, session_id, after, before, mode, reason)
    plan = await _plan(view, order)
    return Elicit(_question(plan, order, view.name), Consent) if plan.preview.count else Consent(forget=False)


async def memory_forget(
    ctx: Context[Bridge],
    consent: Annotated[ElicitationResult[Consent], Resolve(ask)],
    memory_ids: Annotated[
        list[Annotated[str, Field(description="An id.")]] | None,
        Field(description="Which memories, by id. Give these, or conditions.", max_length=100),
    ] = None,
    kinds: Kinds = None,
    any_tags: AnyTags = None,
    user_id: OnlyUserId = None,
    session_id: OnlySessionId = None,
    after: After = None,
    before: Before = None,
    mode: Annotated[
        Mode | None,
        Field(
            description="forget: hidden, can be restored for a while (default); archive: put away, can be restored; "
            "erase: gone for good, only when the user asks for exactly that."
        ),
    ] = None,
    reason: Annotated[str | None, Field(description="Why, for the history.")] = None,
    dry_run: Annotated[bool | None, Field(description="Only say what would go; default false.")] = None,
    digest: Annotated[str | None, Field(description="The digest of the dry run that is to be carried out.")] = None,
    namespace: Namespace = None,
) -> Forgotten:
    """Forgets memories, by their ids or by conditions.

    Call it only when the user asks to forget, delete or remove something. First call it with dry_run true, show the
    user what would go, then call it again with the same arguments and the digest. To correct a memory, call
    memory_update; a fact that has changed needs only memory_write.
    """
    order = _order(memory_ids, kinds, any_tags, user_id, session_id, after, before, mode, reason)
    view = await bridge_of(ctx).view(namespace)
    plan = await _plan(view, order)
    if dry_run or not plan.preview.count:
        return _told(
            plan, "Show the user what would go, then call again with the digest." if dry_run else "Nothing to do."
        )
    if _can_ask(ctx):
        if not (isinstance(consent, AcceptedElicitation) and consent.data.forget):
            return _told(plan, "The user did not agree: nothing was forgotten. Do not ask again.", digest="")
    elif digest is None:
        raise FailedPrecondition(
            "nothing was forgotten: call again with dry_run true, show the user what would go, then give back the "
            "digest",
            reason="DIGEST_REQUIRED",
        )
    elif digest != plan.digest:
        raise FailedPrecondition(
            "nothing was forgotten: the memories, or the arguments, are not those of the dry run; make another dry run "
            "and use its digest",
            reason="DIGEST_MISMATCH",
        )
    return await _carry_out(view, order, plan)


async def _carry_out(view: recalld.AsyncNamespaceView, order: _Order, plan: _Plan) -> Forgotten:
    if plan.by_filter is not None:
        result = await plan.by_filter.confirm()
    else:
        result = await view.forget(order.memory_ids, mode=order.mode, reason=order.reason)
    return Forgotten(
        done=True,
        count=result.count,
        memory_ids=list(result.memory_ids),
        skipped_ids=list(result.skipped_ids),
        receipt_id=result.receipt.receipt_id if result.receipt else "",
    )


def _told(plan: _Plan, message: str, digest: str | None = None) -> Forgotten:
    return Forgotten(
        done=False,
        count=plan.preview.count,
        message=message,
        memory_ids=list(plan.preview.memory_ids),
        examples=list(plan.examples),
        skipped_ids=list(plan.preview.skipped_ids),
        digest=plan.digest if digest is None else digest,
    )
