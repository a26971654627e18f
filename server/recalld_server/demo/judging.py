"""The part of the demo that needs a person, and the part that looks back: a contradiction that is decided, a session."""

from __future__ import annotations

from recalld import Client, Reflection, Review, ToolCall, TurnInput
from recalld_server.demo.screen import Screen

SESSION = "heron-nightly"


def decide(screen: Screen, planner: Client, mei: Client, lead: Client) -> None:
    """Two memories contradict each other, nobody can say which is right, and a person decides."""
    screen.step("7. In doubt", "what is only hearsay replaces nothing: a review waits for a person")
    known = planner.write("The Heron API rate limit is 100 requests a minute.", tags=["heron"])
    heard = mei.write("I think the Heron API rate limit might be 60 requests a minute.", tags=["heron"])
    screen.expect(f"the second is a {heard.outcome.name}: both are kept", heard.outcome.name == "CONFLICT")
    waiting = [each for each in lead.reviews() if each.review_id == heard.review_id]
    screen.expect("a review waits for the lead", len(waiting) == 1)
    if not waiting or known.memory_id is None:
        return
    _show_review(screen, waiting[0])
    decided = lead.resolve_review(
        waiting[0].review_id, "choose", chosen_id=known.memory_id, reason="read in the config"
    )
    screen.expect(
        f"the lead chooses the first: {', '.join(memory.state.name for memory in decided.memories)}",
        [memory.state.name for memory in decided.memories] == ["SUPERSEDED", "ACTIVE"],
    )
    latest = planner.revisions(known.memory_id).page().items[0]
    screen.expect(
        f"its history says who and why: {latest.actor}, “{latest.reason}”",
        (latest.action, latest.actor) == ("review", "lead"),
    )
    found = [hit.content for hit in planner.search("what is the rate limit of the Heron API?", top_k=5)]
    screen.expect("only the right one is found", "100" in found[0] and not any("60 requests" in each for each in found))


def look_back(screen: Screen, planner: Client, mei: Client) -> None:
    """Both agents work in one session; when it ends, what lasts is kept."""
    screen.step("8. A session, and hindsight", "both write turns into it, each sees the other's at once")
    planner.session(SESSION, user_id="lin").add_turns(
        [
            TurnInput("Good morning! Can you look at the nightly run?"),
            TurnInput("Sure, one moment.", role="assistant"),
            TurnInput("From now on, send me the nightly report before 9 o'clock.", speaker="Lin"),
        ]
    )
    added = mei.session(SESSION).add_turns(
        [
            TurnInput(
                "",
                role="tool",
                tool_calls=(ToolCall("pg_dump", "error", "--jobs 8", "too many connections for role backup"),),
            ),
            TurnInput("", role="tool", tool_calls=(ToolCall("pg_dump", "ok", "--jobs 2"),)),
            TurnInput("用两个并发任务就成功了:备份角色最多允许四个连接。", role="assistant"),
            TurnInput("记住:鹭计划的周报以后都用中文写。", speaker="Lin"),
        ]
    )
    seen = planner.session(SESSION).get()
    screen.expect(f"planner sees all {len(seen.turns)} turns", len(seen.turns) == seen.session.turn_count == 7)
    context = planner.context("what should I do next?", session_id=SESSION, max_tokens=400)
    screen.expect("and a prompt's context has them", "pg_dump" in context.text)
    ended = mei.session(SESSION).end()
    # on a slow machine the failed tool has set it off before the end could
    reflection_id = ended.reflection_id or added.reflection_id
    screen.expect("mei ends the session, and a look back begins", bool(reflection_id))
    if reflection_id:
        _show_reflection(screen, planner.reflection(reflection_id).wait(timeout=30))


def _show_review(screen: Screen, review: Review) -> None:
    table = screen.table("", "memory", "who", title=f"  review: {review.cause.name}")
    for place, memory in enumerate(review.memories, 1):
        table.add_row(str(place), memory.content, memory.agent_id)
    screen.console.print(table)


def _show_reflection(screen: Screen, reflection: Reflection) -> None:
    table = screen.table("what", "hindsight keeps", "sure", "sources", "outcome", title="  what was made of it")
    for each in reflection.insights:
        sure = f"{each.confidence:.2f}"
        table.add_row(each.category, each.content, sure, str(len(each.source_ids)), each.outcome)
    screen.console.print(table)
    kept = [each for each in reflection.insights if each.outcome != "skipped"]
    screen.expect(f"{len(kept)} insights, each with its sources", bool(kept) and all(each.source_ids for each in kept))
    screen.expect("small talk is not among them", not any("morning" in each.content.lower() for each in kept))
