"""reflect and review."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from recalld.cli import filters, parse
from recalld.cli.choices import DecisionChoice, ReviewStateChoice, words
from recalld.cli.common import Session, command, is_interactive
from recalld.enums import ReflectionState, ReflectionTarget, ReviewCause
from recalld.filters import Filter
from recalld.types.events import Review
from recalld.types.reflection import Insight, Reflection

Reason = Annotated[str | None, typer.Option(help="Why, for the record.")]


def add(app: typer.Typer) -> None:
    """Adds the commands."""
    command(app, "reflect", filters.filter)(reflect)
    command(app, "review")(review)


def reflect(
    session: Session,
    filter: Filter | None,
    on_session: Annotated[str | None, typer.Option(help="Look back on this session.")] = None,
    from_time: Annotated[str | None, typer.Option("--from", help="Look back on what happened from then on.")] = None,
    to_time: Annotated[str | None, typer.Option("--to", help="… until then.")] = None,
    target: Annotated[list[ReflectionTarget] | None, words(ReflectionTarget, "What to look for.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be stored.")] = False,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Only start it and print its id.")] = False,
    attach: Annotated[str | None, typer.Option(help="Follow this reflection, started before.")] = None,
) -> None:
    """Looks back on a session, a time, what the options mean, or else everything since the last time.

    Ctrl-C stops following; the reflection goes on. Example: recall reflect --from 7d --target lessons
    """
    if attach is not None:
        handle = session.memory.reflection(attach)
    else:
        span = (parse.instant(from_time), parse.instant(to_time))
        handle = session.memory.reflect(
            session_id=on_session,
            time_range=span if any(span) else None,
            filter=filter,
            targets=target or (),
            dry_run=dry_run,
            timeout=session.timeout,
        )
    if no_wait:
        if session.out.as_json:
            session.out.json({"reflection_id": handle.reflection_id})
        else:
            session.out.text(handle.reflection_id)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=session.out.err, transient=True, disable=session.out.as_json) as progress:
        bar = progress.add_task("looking back", total=1.0)
        reflection = None
        for reflection in handle.progress():
            progress.update(bar, completed=reflection.progress)
    assert reflection is not None
    _reflection(session, reflection)
    if reflection.state is not ReflectionState.SUCCEEDED:
        raise typer.Exit(1)


def _reflection(session: Session, reflection: Reflection) -> None:
    if session.out.as_json:
        session.out.json(reflection)
        return
    session.out.table(
        ("what", "sure", "support", "outcome", "content"),
        ((each.category, each.confidence, each.support, each.outcome, _told(each)) for each in reflection.insights),
        "(no insights)",
    )
    session.out.facts(
        {
            "reflection": reflection.reflection_id,
            "state": reflection.state,
            "error": reflection.error,
            "counts": [f"{name} {count}" for name, count in reflection.counts.items()],
            "skipped": [f"{name} {count}" for name, count in reflection.skipped.items()],
        }
    )


def _told(insight: Insight) -> str:
    told = [insight.content, insight.memory_id]
    if insight.review_id:
        told.append(f"review {insight.review_id}")
    if insight.counterfactual:
        told.append(f"otherwise: {insight.counterfactual}")
    return "\n".join(filter(None, told))


def review(
    session: Session,
    review_id: Annotated[
        str | None, typer.Argument(help="The review to decide; else go through the open ones.")
    ] = None,
    decision: Annotated[DecisionChoice | None, typer.Option(help="What you decide.")] = None,
    content: Annotated[str | None, typer.Option(help="The right text, with edit.")] = None,
    chosen_id: Annotated[str | None, typer.Option(help="The memory that stays, with choose.")] = None,
    reason: Reason = None,
    state: Annotated[ReviewStateChoice, typer.Option(help="Which to list.")] = "open",
    limit: Annotated[int, typer.Option(help="How many to list at most; 0: all.", min=0)] = 50,
) -> None:
    """Goes through the decisions that wait for a person; without a terminal, or with --json, lists them.

    Example: recall review 0197b2a0-0000-7000-8000-000000000001 --decision approve
    """
    if review_id is not None:
        if decision is None:
            raise typer.BadParameter("--decision says what you decide")
        decided = session.memory.resolve_review(
            review_id, decision, content=content, chosen_id=chosen_id, reason=reason, timeout=session.timeout
        )
        session.out.json(decided) if session.out.as_json else session.out.text(f"{decided.decision}")
        return
    found = islice(session.memory.reviews(state=state, timeout=session.timeout), limit or None)
    if session.out.as_json:
        for each in found:
            session.out.json(each)
    elif state == "open" and is_interactive():
        _go_through(session, list(found))
    else:
        session.out.table(
            ("review", "why", "since", "memories"),
            (
                (each.review_id, each.cause, each.create_time, "\n".join(memory.content for memory in each.memories))
                for each in found
            ),
            "(no reviews)",
        )


def _go_through(session: Session, reviews: list[Review]) -> None:
    for number, each in enumerate(reviews, 1):
        session.out.text(f"\n{number} of {len(reviews)} · {each.cause} · {each.create_time:%Y-%m-%d %H:%M}", "bold")
        for index, memory in enumerate(each.memories, 1):
            session.out.text(f"{index}. {memory.content}  (sure {memory.confidence:.2f}, {memory.agent_id})")
        if not _decide(session, each):
            return
    session.out.text("Nothing waits." if not reviews else "That was all.")


def _decide(session: Session, each: Review) -> bool:
    """Asks about one review; False ends the round."""
    conflict = each.cause is ReviewCause.CONFLICT
    question = "[a]pprove [e]dit [r]eject " + ("[b]oth [c]hoose " if conflict else "") + "[s]kip [q]uit"
    answers = "aersq" + ("bc" if conflict else "")
    answer = ""
    while len(answer) != 1 or answer not in answers:
        answer = typer.prompt(question, err=True).strip().lower()[:1]
    if answer in "sq":
        return answer == "s"
    decisions: dict[str, DecisionChoice] = {
        "a": "approve",
        "e": "edit",
        "r": "reject",
        "b": "keep_both",
        "c": "choose",
    }
    content = typer.prompt("The right text", err=True) if answer == "e" else None
    chosen = None
    if answer == "c":
        number = 0
        while not 1 <= number <= len(each.memories):
            number = typer.prompt(f"Which stays (1 to {len(each.memories)})", type=int, err=True)
        chosen = each.memories[number - 1].memory_id
    session.memory.resolve_review(
        each.review_id, decisions[answer], content=content, chosen_id=chosen, timeout=session.timeout
    )
    return True
