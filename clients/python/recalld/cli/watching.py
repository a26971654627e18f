"""watch and stats."""

from __future__ import annotations

from typing import Annotated

import typer

from recalld.cli import filters, parse
from recalld.cli.choices import words
from recalld.cli.common import Session, command
from recalld.enums import WatchEventType
from recalld.filters import Filter


def add(app: typer.Typer) -> None:
    """Adds the commands."""
    command(app, "watch", filters.filter)(watch)
    command(app, "stats")(stats)


def watch(
    session: Session,
    filter: Filter | None,
    event: Annotated[
        list[WatchEventType] | None, words(WatchEventType, "Only these.", without=("checkpoint", "reset"))
    ] = None,
    resume_token: Annotated[str | None, typer.Option(help="From here on; else from now on.")] = None,
    count: Annotated[int, typer.Option(help="End after this many events; 0: never.", min=0)] = 0,
    also: Annotated[list[str] | None, typer.Option(help="This namespace as well; can be repeated.")] = None,
) -> None:
    """Shows what happens as it happens, until Ctrl-C. With --json, one event a line, with its resume_token. --timeout is
    how long it tries to reach the server again after a break.

    Example: recall watch --event created --event superseded
    """
    following = session.memory.watch(
        types=event or (),
        resume_token=resume_token,
        filter=filter,
        namespaces=[session.memory.name, *also] if also else None,
        patience=60.0 if session.timeout is None else session.timeout,
    )
    for seen, each in enumerate(following, 1):
        if session.out.as_json:
            session.out.json(each)
        elif each.type is WatchEventType.RESET:
            session.out.note("the resume token was too old: events may be missing here")
        else:
            content = each.memory.content if each.memory else each.memory_id
            when = f"{each.create_time:%H:%M:%S}" if each.create_time else ""
            session.out.text(f"{when} {each.namespace} {each.type:<10} {each.actor}: {content}")
        if seen == count:
            return


def stats(
    session: Session,
    everywhere: Annotated[bool, typer.Option("--all", help="Every namespace that the key may read.")] = False,
    since: Annotated[str | None, typer.Option(help="For what is about a time; else the last 7 days.")] = None,
    until: Annotated[str | None, typer.Option(help="… until then.")] = None,
) -> None:
    """Counts what a namespace holds and how it is used.

    Example: recall stats --all --since 30d
    """
    span = (parse.instant(since), parse.instant(until))
    found = session.memory.stats(range=span if any(span) else None, all_namespaces=everywhere, timeout=session.timeout)
    if session.out.as_json:
        session.out.json(found)
        return
    session.out.table(
        ("kind", "state", "memories"), ((each.kind, each.state, f"{each.count:,}") for each in found.counts)
    )
    session.out.table(
        ("day", "written", "searches"),
        ((f"{each.day:%Y-%m-%d}" if each.day else "", each.created, each.searches) for each in found.days),
    )
    session.out.facts(
        {
            "live memories": f"{found.total:,}",
            "bytes of text": f"{found.content_bytes:,}",
            "mean confidence": found.mean_confidence,
            "duplicates skipped": found.duplicates_skipped,
            "conflicts open": found.conflicts_open,
            "reviews waiting": found.reviews_waiting,
            "searches": found.searches,
            "hit rate": f"{found.hit_rate:.0%}",
            "never found": found.never_found,
            "search, median": f"{found.search_p50_milliseconds:.1f} ms",
            "jobs": f"{found.queue_depth} waiting, oldest {found.queue_age_seconds:.0f} s, {found.dead_jobs} dead",
            "namespaces": found.namespaces,
            "model tokens": found.model_tokens,
            "embedding model": found.embedding_model,
        }
    )
