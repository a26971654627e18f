"""`recalld export` and `recalld import`: memories in and out beside the database. An operator's export has the private
memories of every agent; an operator's import keeps whose they are."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import islice
from pathlib import Path
from typing import Annotated, TextIO

import typer

from recalld_server.bootstrap import TENANT
from recalld_server.commands.common import DataDir, with_model
from recalld_server.commands.keys import Tenant, known
from recalld_server.core.access import Access
from recalld_server.core.audit import Audit
from recalld_server.core.moving import Incoming, Moving
from recalld_server.errors import InvalidField, RecalldError
from recalld_server.model import EVERY_AGENT, Filter, Principal, Role, State
from recalld_server.models.base import Embedder
from recalld_server.rpc.convert.export import from_line, to_line
from recalld_server.settings import Settings, read_settings
from recalld_server.store.postgres import PostgresStore

Name = Annotated[str, typer.Argument(help="The namespace.")]
Place = Annotated[Path, typer.Argument(help="A file of JSON lines, or - for standard input or output.")]
BATCH = 64
PARTLY = 7
"""Exit code when some records failed, as that of the client's command."""


def export(
    namespace: Name,
    file: Place = Path("-"),
    everything: Annotated[bool, typer.Option("--all", help="In every state, not only the live ones.")] = False,
    vectors: Annotated[bool, typer.Option("--vectors", help="With their vectors.")] = False,
    revisions: Annotated[bool, typer.Option("--revisions", help="With their history.")] = False,
    tenant: Tenant = TENANT,
    data_dir: DataDir = None,
) -> None:
    """Writes the memories of a namespace, those private to an agent too, one JSON record a line.

    Example: recalld export team/search backup.jsonl --all --revisions --vectors
    """
    filter = Filter(states=tuple(State)) if everything else Filter()

    async def work(store: PostgresStore, embedder: Embedder) -> int:
        count = 0
        with _target(file) as stream:
            moving = _moving(store, embedder, read_settings(data_dir=data_dir))
            async for record in moving.export(
                await _operator(store, tenant), namespace, filter, vectors=vectors, revisions=revisions
            ):
                stream.write(to_line(record) + "\n")
                count += 1
        return count

    typer.echo(f"{with_model(data_dir, work):,} memories exported", err=True)


def import_(namespace: Name, file: Place, tenant: Tenant = TENANT, data_dir: DataDir = None) -> None:
    """Takes in what an export wrote, with ids, history and owners. Run again after a break: what is there is left alone.

    Example: recalld import team/search backup.jsonl
    """

    async def work(store: PostgresStore, embedder: Embedder) -> Counter[str]:
        moving = _moving(store, embedder, read_settings(data_dir=data_dir))
        operator, outcomes = await _operator(store, tenant), Counter[str]()
        with _source(file) as lines:
            for numbered in _batches(lines):
                records = [(number, record) for number, record in numbered if isinstance(record, Incoming)]
                results = await moving.import_(operator, namespace, [record for _, record in records])
                failed = [(number, error) for number, error in numbered if isinstance(error, RecalldError)]
                for (number, _), result in zip(records, results, strict=True):
                    if isinstance(result, RecalldError):
                        failed.append((number, result))
                    else:
                        outcomes[result.outcome] += 1
                for number, error in sorted(failed, key=lambda each: each[0]):
                    outcomes["failed"] += 1
                    typer.echo(f"line {number}: {error}", err=True)
                typer.echo(f"{outcomes.total():,} records", err=True)
        return outcomes

    outcomes = with_model(data_dir, work)
    typer.echo("  ".join(f"{name} {count:,}" for name, count in sorted(outcomes.items())) or "no records")
    if outcomes["failed"]:
        raise typer.Exit(PARTLY)


def _moving(store: PostgresStore, embedder: Embedder, settings: Settings) -> Moving:
    access = Access(store)
    return Moving(store, access, embedder, Audit(store, access), content_limit=settings.content_limit_bytes)


async def _operator(store: PostgresStore, tenant: str) -> Principal:
    """Whoever can run this can read the database: every agent's memories are open to them."""
    return Principal(await known(store, tenant), tenant, EVERY_AGENT, frozenset({Role.ADMIN}), "")


def _batches(lines: Iterable[str]) -> Iterator[list[tuple[int, Incoming | RecalldError]]]:
    numbered = ((number, _record(line)) for number, line in enumerate(lines, 1) if line.strip())
    while batch := list(islice(numbered, BATCH)):
        yield batch


def _record(line: str) -> Incoming | RecalldError:
    try:
        return Incoming(from_line(line))
    except RecalldError as error:
        return error


@contextmanager
def _source(file: Path) -> Iterator[Iterable[str]]:
    """The lines to read."""
    try:
        with nullcontext(sys.stdin) if file == Path("-") else file.open(encoding="utf-8-sig") as lines:
            yield lines
    except UnicodeDecodeError:
        raise InvalidField("FILE", f"{file} is not UTF-8 text") from None
    except OSError as error:
        raise InvalidField("FILE", f"{file}: {error.strerror}") from None


@contextmanager
def _target(file: Path) -> Iterator[TextIO]:
    """The stream to write to. A file is replaced at the end only: a broken export does not cost a whole one."""
    if file == Path("-"):
        yield sys.stdout
        return
    partial = file.with_name(f"{file.name}.part")
    try:
        with partial.open("w", encoding="utf-8") as stream:
            yield stream
        partial.replace(file)
    except OSError as error:
        raise InvalidField("FILE", f"{file}: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)
