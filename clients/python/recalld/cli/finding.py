"""search and context."""

from __future__ import annotations

from typing import Annotated

import typer

from recalld.cli import filters, parse
from recalld.cli.choices import TimeModeChoice
from recalld.cli.common import Session, command
from recalld.cli.output import shown
from recalld.filters import Filter
from recalld.types.search import SearchHit, SearchResult

Query = Annotated[str, typer.Argument(help="A question, words, an identifier, or the last turns of a dialogue.")]
TimeZone = Annotated[str | None, typer.Option(help="IANA zone of words like “yesterday”; else UTC.")]
Also = Annotated[list[str] | None, typer.Option("--also", help="Search this namespace as well; can be repeated.")]


def add(app: typer.Typer) -> None:
    """Adds the commands."""
    command(app, "search", filters.filter)(search)
    command(app, "context", filters.filter)(context)


def search(
    session: Session,
    filter: Filter | None,
    query: Query,
    top_k: Annotated[int | None, typer.Option("--top-k", "-k", help="How many hits at most; else 5.")] = None,
    min_score: Annotated[float | None, typer.Option(help="Leave out hits below this score, 0 to 1.")] = None,
    time_zone: TimeZone = None,
    time_mode: Annotated[TimeModeChoice | None, typer.Option(help="What words for a time do; else boost.")] = None,
    as_of: Annotated[str | None, typer.Option(help="Search memories as they were then.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Stop when the texts reach this many tokens.")] = None,
    also: Also = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show how each hit came about.")] = False,
) -> None:
    """Finds memories by meaning, by words and by time; best first.

    Example: recall search "what can't Alice eat?" --explain
    """
    result = session.memory.search(
        query,
        top_k=top_k,
        min_score=min_score,
        filter=filter,
        time_zone=time_zone,
        time_mode=time_mode,
        as_of=parse.instant(as_of),
        max_tokens=max_tokens,
        explain=explain,
        namespaces=[session.memory.name, *also] if also else None,
        timeout=session.timeout,
    )
    if session.out.as_json:
        session.out.json(result)
        return
    _hits(session, result, explain=explain)
    if explain:
        _explanation(session, result)
    if result.understood_time is not None:
        start, end = (shown(each) or "…" for each in result.understood_time.range)
        session.out.note(f"“{result.understood_time.phrase}” was understood as {start} to {end} UTC")
    if result.omitted_by_tokens:
        session.out.note(f"{result.omitted_by_tokens} more fitted but for --max-tokens")
    if result.degraded_stages:
        session.out.note(f"without {', '.join(result.degraded_stages)}: out of time, or a model is down")


def _hits(session: Session, result: SearchResult, *, explain: bool) -> None:
    several = len({hit.memory.namespace for hit in result}) > 1
    columns = ["score", "when", *(["namespace"] if several else []), *(["arms"] if explain else []), "content"]

    def row(hit: SearchHit) -> list[object]:
        memory = hit.memory
        when = memory.event_time or memory.create_time
        arms = "\n".join(
            f"{arm.arm} {arm.contribution:+.2f} ({f'#{arm.rank}, ' if arm.rank else ''}{arm.raw:.2f})"
            for arm in hit.arms
        )
        place = [memory.namespace] if several else []
        told = [memory.content, memory.memory_id]
        if explain and memory.counterfactual:
            told.append(f"otherwise: {memory.counterfactual}")
        return [hit.score, when, *place, *([arms] if explain else []), "\n".join(told)]

    session.out.table(columns, map(row, result), "(nothing found)")


def _explanation(session: Session, result: SearchResult) -> None:
    explanation = result.explanation
    if explanation is None:
        return
    session.out.facts(
        {
            "plans": explanation.plans,
            "candidates": [f"{arm} {count}" for arm, count in explanation.candidates.items()],
            "weights": [f"{arm} {weight:.2f}" for arm, weight in explanation.weights.items()],
            "terms": explanation.terms,
            "timings": [f"{each.stage} {each.milliseconds:.1f} ms" for each in explanation.timings],
        }
    )


def context(
    session: Session,
    filter: Filter | None,
    query: Query,
    max_tokens: Annotated[int | None, typer.Option(help="How long it may be; else 1,000.")] = None,
    running: Annotated[
        str | None, typer.Option("--running-session", help="The session whose latest turns are added.")
    ] = None,
    language: Annotated[str | None, typer.Option(help="Of the headings: en or zh; else that of the query.")] = None,
    time_zone: TimeZone = None,
    also: Also = None,
    counterfactuals: Annotated[
        bool, typer.Option("--counterfactuals", help="Add what would have happened otherwise.")
    ] = False,
) -> None:
    """Prints the text that an agent pastes into its prompt.

    Example: recall context "plan dinner for Alice" --max-tokens 500
    """
    built = session.memory.context(
        query,
        max_tokens=max_tokens,
        session_id=running,
        language=language,
        time_zone=time_zone,
        include_counterfactuals=counterfactuals,
        filter=filter,
        namespaces=[session.memory.name, *also] if also else None,
        timeout=session.timeout,
    )
    if session.out.as_json:
        session.out.json(built)
        return
    session.out.text(built.text)
    session.out.note(f"{built.token_count} tokens")
