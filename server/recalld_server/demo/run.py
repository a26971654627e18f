"""The demo: what two agents do with a shared memory, step by step, with every expectation checked."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from recalld import Client, MemoryInput, ToolCall, where
from recalld.enums import RoleLike
from recalld_server.demo import corpus, judging, process
from recalld_server.demo.screen import Screen

if TYPE_CHECKING:
    from recalld_server.demo.tracing import Collected

NAMESPACE = "demo/team"
ROLES: Mapping[str, RoleLike] = {"planner": "writer", "mei": "writer", "lead": "reflector"}


def run(*, keep: bool = False, trace: bool = False) -> int:
    """Runs the demo. Returns 0 only when every expectation held. With `keep` the server stays up afterwards; with `trace`
    the spans of one search are shown at the end."""
    if not trace:
        return _run(keep, None)
    from recalld_server.demo.tracing import collecting  # its libraries are another extra

    with collecting() as collected:
        return _run(keep, collected)


def _run(keep: bool, collected: Collected | None) -> int:
    screen = Screen()
    data_dir = Path(tempfile.mkdtemp(prefix="recalld-demo-"))
    data_dir.chmod(0o755)
    screen.step(
        "recalld demo", "PostgreSQL, Valkey and the embedding model start from wheels; the first time takes longest"
    )
    running = process.start(data_dir, collected.environment if collected else None)
    try:
        screen.expect(f"the server answers on {running.address}", True)
        demo = _Demo(screen, running)
        demo.play()
        if collected:
            with demo.client("planner") as planner:
                collected.show(screen, planner)
        if keep:
            _say_how(screen, running)
    finally:
        if not keep:
            process.stop(running.process)
            shutil.rmtree(data_dir, ignore_errors=True)
    verdict = (
        "[bold green]every expectation held[/]" if not screen.failures else f"[bold red]{screen.failures} failed[/]"
    )
    screen.console.print(f"\n{verdict} in {screen.seconds:.0f} s")
    return 1 if screen.failures else 0


def _say_how(screen: Screen, running: process.Running) -> None:
    screen.step("The server stays up", f"end it with: kill {running.process.pid}")
    screen.console.print(f"  export RECALLD_ADDR={running.address} RECALLD_NAMESPACE={NAMESPACE}")
    screen.console.print(f"  export RECALLD_KEY=$(cat {running.data_dir}/root.key)")
    screen.console.print('  recall search "who is allergic to peanuts?"')


class _Demo:
    def __init__(self, screen: Screen, running: process.Running) -> None:
        self.screen = screen
        self.address = running.address
        with Client(running.address, key=running.root_key) as root:
            root.namespaces.create(NAMESPACE, description="what two agents share")
            self.keys = {
                agent: root.keys.create(agent, role, namespaces=[NAMESPACE]).secret for agent, role in ROLES.items()
            }

    def play(self) -> None:
        with self.client("planner") as planner, self.client("mei") as mei:
            self.write(planner, mei)
            self.change(planner, mei)
            self.ask(planner, mei)
            self.keep_private(planner, mei)
            self.narrow(planner)
            self.explain(planner)
            with self.client("lead") as lead:
                judging.decide(self.screen, planner, mei, lead)
            judging.look_back(self.screen, planner, mei)
            self.count(planner)

    def write(self, planner: Client, mei: Client) -> None:
        """Each agent writes what it knows, and one repeats what is known."""
        self.screen.step(
            "1. Two agents write", "one speaks English, one Chinese; both use one namespace, each with its own key"
        )
        for agent, client, notes in (("planner", planner, corpus.ENGLISH), ("mei", mei, corpus.CHINESE)):
            batch = client.write_batch([_input(note) for note in notes])
            stored = sum(item.result is not None and item.result.outcome.name == "CREATED" for item in batch)
            self.screen.expect(f"{agent} wrote {stored} of {len(notes)} memories", stored == len(notes))
        again = mei.write("Lin Qiao is allergic to peanuts and carries an adrenaline pen", user_id="lin")
        self.screen.expect(
            f"saying it again is {again.outcome.name}: nothing is stored twice", again.outcome.name == "DUPLICATE"
        )

    def change(self, planner: Client, mei: Client) -> None:
        """Lin moves: the old fact ends, and can still be read."""
        self.screen.step("2. Something changes", "Lin moves from Hangzhou to Shanghai; nothing is overwritten")
        old = planner.write("林乔住在杭州市。", user_id="lin", tags=["home"], event_time=_ago(200))
        move = mei.write("林乔搬到上海了,不再住在杭州。", user_id="lin", tags=["home"])
        self.screen.console.print(f"  [dim]{old.outcome.name} → {move.outcome.name}: {move.reason}[/]")
        self.screen.expect("the new fact supersedes the old one", move.outcome.name == "SUPERSEDED")
        for related in move.related:
            before = planner.get(related.memory_id)
            self.screen.expect(
                f"the old one is {before.state.name} and points to the new one", before.superseded_by == move.memory_id
            )
            table = self.screen.table("revision", "what", "who", "state", "content", title="  its history")
            for each in planner.revisions(related.memory_id):
                state = each.memory.state.name
                table.add_row(str(each.memory.revision), each.action, each.actor, state, each.memory.content)
            self.screen.console.print(table)
        answer = planner.search("林乔现在住在哪里?", top_k=5)
        self.screen.hits("planner", "林乔现在住在哪里?", answer, "搬到上海", 1)

    def ask(self, planner: Client, mei: Client) -> None:
        """Each asks in its own language, then both across the two."""
        self.screen.step(
            "3. They find it again", "by meaning, by words, by identifiers, in both languages and across them"
        )
        for asker, client, questions in (
            ("planner", planner, corpus.ENGLISH_QUESTIONS),
            ("mei", mei, corpus.CHINESE_QUESTIONS),
            ("planner", planner, corpus.CROSS_QUESTIONS),
        ):
            self._ask(asker, client, questions)

    def _ask(self, asker: str, client: Client, questions: Sequence[corpus.Question]) -> None:
        for question in questions:
            result = client.search(question.query, top_k=5)
            self.screen.hits(asker, question.query, result, question.expected, question.within)

    def keep_private(self, planner: Client, mei: Client) -> None:
        """What is PRIVATE is not there for the other."""
        self.screen.step("4. A private memory")
        secret = mei.write(corpus.PRIVATE.content, visibility="private", user_id="lin")
        mine = [hit.memory_id for hit in mei.search("生日惊喜", top_k=3)]
        theirs = [hit.memory_id for hit in planner.search("生日惊喜", top_k=50)]
        self.screen.expect("mei finds her note", secret.memory_id in mine)
        self.screen.expect("planner does not, however it asks", secret.memory_id not in theirs)

    def narrow(self, planner: Client) -> None:
        """Filters and words for a time."""
        self.screen.step("5. Filters and time")
        rules = planner.search("what are the rules of the project?", top_k=10, all_tags=["heron"])
        self.screen.expect(
            f"only memories with the tag heron: {len(rules.hits)}",
            bool(rules.hits) and all("heron" in hit.memory.tags for hit in rules),
        )
        order = planner.search("order", top_k=10, metadata=where("order") == 88213)
        self.screen.expect(f"metadata order = 88213 gives {len(order.hits)} memories", len(order.hits) == 2)
        lately = planner.search("which tool failed last week or this week?", top_k=10, kinds="episodic")
        if lately.understood_time is not None:
            span = lately.understood_time
            self.screen.console.print(
                f"  [dim]“{span.phrase}” is read as {span.range.start:%Y-%m-%d} to {span.range.end:%Y-%m-%d}[/]"
            )
        past = planner.search("过去两周发生了什么?", top_k=20, time_mode="filter", kinds="episodic")
        recent = all(hit.memory.event_time and hit.memory.event_time >= _ago(15) for hit in past)
        self.screen.expect(f"过去两周: {len(past.hits)} events, none older", bool(past.hits) and recent)

    def explain(self, planner: Client) -> None:
        """How one hit came about."""
        self.screen.step("6. Why was it found?")
        query = "why did the npm build fail?"
        result = planner.search(query, top_k=3, explain=True)
        table = self.screen.table("memory", "score", "arm", "measured", "rank", "adds", title=f"  {query}")
        for hit in result:
            for row, arm in enumerate(hit.arms):
                first = (hit.content[:44], f"{hit.score:.2f}") if row == 0 else ("", "")
                table.add_row(*first, arm.arm, f"{arm.raw:.2f}", str(arm.rank or "–"), f"{arm.contribution:+.3f}")
        self.screen.console.print(table)
        assert result.explanation is not None
        timings = ", ".join(f"{each.stage} {each.milliseconds:.1f} ms" for each in result.explanation.timings)
        self.screen.console.print(f"  [dim]{timings}; plan {', '.join(result.explanation.plans)}[/]")
        self.screen.expect("the answer says how it was found", bool(result.hits) and bool(result.hits[0].arms))

    def count(self, planner: Client) -> None:
        """Stats agree with what can be listed."""
        self.screen.step("9. What is stored")
        stats = planner.stats()
        table = self.screen.table("kind", "state", "memories")
        for each in stats.counts:
            table.add_row(each.kind.name, each.state.name, str(each.count))
        self.screen.console.print(table)
        listed = sum(1 for _ in planner.list())
        self.screen.expect(f"Stats says {stats.total}, List gives {listed}", stats.total == listed)

    def client(self, agent: str) -> Client:
        return Client(self.address, key=self.keys[agent], namespace=NAMESPACE)


def _ago(days: float) -> datetime:
    return datetime.now(UTC) - timedelta(days=days)


def _input(note: corpus.Note) -> MemoryInput:
    calls = [ToolCall(note.failed_tool, status="error")] if note.failed_tool else []
    return MemoryInput(
        note.content,
        kind=note.kind,
        user_id=note.user_id or None,
        tags=note.tags,
        metadata=note.metadata or None,
        event_time=_ago(note.days_ago) if note.days_ago else None,
        tool_calls=calls,
        visibility="private" if note.private else None,
    )
