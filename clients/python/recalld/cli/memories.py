"""write, list, show, history, restore, forget."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

import typer

from recalld.cli import filters, parse
from recalld.cli.choices import ForgetChoice, KindChoice, VisibilityChoice
from recalld.cli.common import PARTLY, Session, ask, command, standard_input
from recalld.enums import IndexState
from recalld.filters import Filter
from recalld.types.memories import ForgetResult, Memory, MemoryInput

Texts = list[str] | None
MemoryId = Annotated[str, typer.Argument(help="Id of the memory.")]


def add(app: typer.Typer) -> None:
    """Adds the commands."""
    command(app, "write")(write)
    command(app, "list", filters.filter)(list_)
    command(app, "show")(show)
    command(app, "get", hidden=True)(show)
    command(app, "history")(history)
    command(app, "restore")(restore)
    command(app, "forget", filters.filter)(forget)


def write(
    session: Session,
    content: Annotated[str, typer.Argument(help="The text, or - to read it from standard input.")],
    kind: Annotated[KindChoice | None, typer.Option(help="What it is about; else semantic.")] = None,
    visibility: Annotated[VisibilityChoice | None, typer.Option(help="Who may read it.")] = None,
    user_id: Annotated[str | None, typer.Option(help="The person it is about.")] = None,
    session_id: Annotated[str | None, typer.Option(help="The session it comes from.")] = None,
    speaker: Annotated[str | None, typer.Option(help="Who said it.")] = None,
    tag: Annotated[Texts, typer.Option(help="A label; can be repeated.")] = None,
    entity: Annotated[Texts, typer.Option(help="What it speaks of; can be repeated.")] = None,
    importance: Annotated[float | None, typer.Option(help="0 to 1; else scored by rules.")] = None,
    confidence: Annotated[float | None, typer.Option(help="0 to 1; else 1.")] = None,
    metadata: Annotated[Texts, typer.Option(help="KEY=VALUE, the value as JSON or text; can be repeated.")] = None,
    event_time: Annotated[str | None, typer.Option(help="When it happened; else now.")] = None,
    ttl: Annotated[str | None, typer.Option(help="How long it is found: 12h, 30d.")] = None,
    source_id: Annotated[Texts, typer.Option(help="A memory it was derived from; can be repeated.")] = None,
    accepted: Annotated[bool, typer.Option("--accepted", help="Do not wait until it is indexed.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what the outcome would be.")] = False,
) -> None:
    """Stores a memory and says what became of it.

    Example: recall write "Alice is allergic to peanuts." --user-id alice --tag food
    """
    result = session.memory.write(
        MemoryInput(
            standard_input().read().rstrip("\r\n") if content == "-" else content,
            kind=kind,
            visibility=visibility,
            user_id=user_id,
            session_id=session_id,
            speaker=speaker,
            tags=tag or (),
            entities=entity or (),
            importance=importance,
            confidence=confidence,
            metadata=parse.pairs(metadata),
            event_time=parse.instant(event_time),
            ttl=parse.duration(ttl),
            source_ids=source_id or (),
        ),
        durability="accepted" if accepted else None,
        validate_only=dry_run,
        timeout=session.timeout,
    )
    if session.out.as_json:
        session.out.json(result)
        return
    waiting = result.index_state if result.index_state not in (IndexState.INDEXED, IndexState.UNSPECIFIED) else ""
    session.out.facts(
        {
            "outcome": result.outcome,
            "memory": result.memory_id,
            "why": result.reason,
            "related": [f"{each.memory_id} ({each.similarity:.2f})" for each in result.related],
            "threshold": result.importance_threshold or None,
            "review": result.review_id,
            "index": waiting,
        }
    )


def list_(
    session: Session,
    filter: Filter | None,
    limit: Annotated[int, typer.Option(help="How many at most; 0: all.", min=0)] = 50,
    as_of: Annotated[str | None, typer.Option(help="As they were then.")] = None,
) -> None:
    """Lists memories, newest first.

    Example: recall list --kind episodic --since 7d
    """
    listing = session.memory.list(filter=filter, as_of=parse.instant(as_of), timeout=session.timeout)
    found = islice(listing, limit or None)
    if session.out.as_json:
        for memory in found:
            session.out.json(memory)
        return
    session.out.table(
        ("memory", "kind", "when", "about", "content"),
        ((each.memory_id, each.kind, each.event_time, each.user_id, each.content) for each in found),
        "(no memories)",
    )


def show(
    session: Session,
    memory_id: MemoryId,
    as_of: Annotated[str | None, typer.Option(help="As it was then.")] = None,
) -> None:
    """Shows one memory with all that is known about it.

    Example: recall show 0197b2a0-0000-7000-8000-000000000001
    """
    _show(session, session.memory.get(memory_id, as_of=parse.instant(as_of), timeout=session.timeout))


def history(session: Session, memory_id: MemoryId) -> None:
    """Lists every change of a memory, newest first.

    Example: recall history 0197b2a0-0000-7000-8000-000000000001
    """
    changes = session.memory.revisions(memory_id, timeout=session.timeout)
    if session.out.as_json:
        for change in changes:
            session.out.json(change)
        return
    session.out.table(
        ("revision", "when", "action", "who", "state", "why", "content"),
        (
            (
                each.memory.revision,
                each.create_time,
                each.action,
                each.actor,
                each.memory.state,
                each.reason,
                each.memory.content,
            )
            for each in changes
        ),
    )


def restore(
    session: Session,
    memory_id: MemoryId,
    revision: Annotated[int | None, typer.Option(help="To which; else the latest in which it was active.")] = None,
    reason: Annotated[str | None, typer.Option(help="Why, for the record.")] = None,
) -> None:
    """Brings a memory back to an earlier revision, or back from the forgotten.

    Example: recall restore 0197b2a0-0000-7000-8000-000000000001 --revision 2
    """
    _show(session, session.memory.restore(memory_id, revision=revision, reason=reason, timeout=session.timeout))


def forget(
    session: Session,
    filter: Filter | None,
    memory_ids: Annotated[Texts, typer.Argument(help="Ids; or say which with the options.")] = None,
    mode: Annotated[ForgetChoice, typer.Option(help="archive, forget (restorable for a while) or erase.")] = "forget",
    reason: Annotated[str | None, typer.Option(help="Why, for the record.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Forgets memories, by id or by what the options say. Asks first.

    Example: recall forget --user-id alice --mode erase --reason "asked for it"
    """
    if bool(memory_ids) == (filter is not None):
        raise typer.BadParameter("give ids, or say which with options such as --user-id, and not both")
    if memory_ids:
        if dry_run:
            result = session.memory.forget(memory_ids, mode=mode, dry_run=True, timeout=session.timeout)
        else:
            ask(f"{mode.capitalize()} {_number(len(memory_ids))}?", yes=yes)
            result = session.memory.forget(memory_ids, mode=mode, reason=reason, timeout=session.timeout)
    else:
        plan = session.memory.plan_forget(mode=mode, filter=filter, reason=reason, timeout=session.timeout)
        result = plan.preview
        if not dry_run and plan.count:
            ask(f"{mode.capitalize()} {_number(plan.count)}?", yes=yes)
            result = plan.confirm(timeout=session.timeout)
    _forgotten(session, result, "would go" if dry_run else "gone")
    if result.skipped_ids and not dry_run:
        raise typer.Exit(PARTLY)


def _forgotten(session: Session, result: ForgetResult, word: str) -> None:
    if session.out.as_json:
        session.out.json(result)
        return
    facts: dict[str, object] = {word: _number(result.count), "skipped": result.skipped_ids}
    if result.receipt is not None:
        facts |= {"receipt": result.receipt.receipt_id, "removed": result.receipt.counts}
    session.out.facts(facts)


def _show(session: Session, memory: Memory) -> None:
    if session.out.as_json:
        session.out.json(memory)
        return
    facts = {
        name.removesuffix("_id").replace("_", " "): getattr(memory, name)
        for name in memory.__dataclass_fields__
        if name not in ("content", "etag", "tool_calls")
    }
    tools = [f"{call.tool} {call.status} {call.error}".strip() for call in memory.tool_calls]
    session.out.facts(facts | {"tools": tools})
    session.out.text(f"\n{memory.content}")


def _number(count: int) -> str:
    return "1 memory" if count == 1 else f"{count:,} memories"
