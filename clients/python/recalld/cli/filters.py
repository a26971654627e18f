"""The options that say which memories are meant."""

from __future__ import annotations

from typing import Annotated

import typer

from recalld.cli import parse
from recalld.cli.choices import VisibilityChoice, words
from recalld.enums import Kind, State
from recalld.filters import Filter

Texts = list[str] | None


def filter(
    kind: Annotated[list[Kind] | None, words(Kind, "One of these kinds.")] = None,
    tag: Annotated[Texts, typer.Option(help="All of these tags.")] = None,
    any_tag: Annotated[Texts, typer.Option(help="At least one of these tags.")] = None,
    user_id: Annotated[Texts, typer.Option(help="About one of these people.")] = None,
    session_id: Annotated[Texts, typer.Option(help="From one of these sessions.")] = None,
    agent_id: Annotated[Texts, typer.Option(help="Written by one of these agents.")] = None,
    entity: Annotated[Texts, typer.Option(help="Speaking of one of these.")] = None,
    source_id: Annotated[Texts, typer.Option(help="Derived from one of these memories or turns.")] = None,
    state: Annotated[list[State] | None, words(State, "In one of these states; else active.")] = None,
    visibility: Annotated[VisibilityChoice | None, typer.Option(help="With this visibility.")] = None,
    min_importance: Annotated[float | None, typer.Option(help="At least this important, 0 to 1.")] = None,
    min_confidence: Annotated[float | None, typer.Option(help="At least this sure, 0 to 1.")] = None,
    since: Annotated[str | None, typer.Option(help="Happened at or after: 2025-03-01, or 7d ago.")] = None,
    until: Annotated[str | None, typer.Option(help="Happened before.")] = None,
    created_since: Annotated[str | None, typer.Option(help="Written at or after.")] = None,
    created_until: Annotated[str | None, typer.Option(help="Written before.")] = None,
    where: Annotated[
        Texts, typer.Option(help="Condition on metadata: rank>9, tier=pro, list~x, key, !key. All must hold.")
    ] = None,
) -> Filter | None:
    """The filter that the options say; None when they say nothing."""
    happened = (parse.instant(since), parse.instant(until))
    written = (parse.instant(created_since), parse.instant(created_until))
    found = Filter(
        kinds=kind or (),
        all_tags=tag or (),
        any_tags=any_tag or (),
        user_ids=user_id or (),
        session_ids=session_id or (),
        agent_ids=agent_id or (),
        any_entities=entity or (),
        any_source_ids=source_id or (),
        states=state or (),
        visibility=visibility,
        importance=None if min_importance is None else (min_importance, None),
        confidence=None if min_confidence is None else (min_confidence, None),
        event_time=happened if any(happened) else None,
        create_time=written if any(written) else None,
        metadata=parse.conditions(where) or (),
    )
    return None if found == Filter() else found
