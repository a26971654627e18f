"""export and import."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import chain
from pathlib import Path
from typing import Annotated, TextIO
from uuid import uuid4

import typer
from rich.progress import Progress, TimeElapsedColumn

from recalld._convert.export import from_line, to_line
from recalld.cli import filters
from recalld.cli.common import PARTLY, Session, command, standard_input
from recalld.cli.shapes import Shape, guess, read
from recalld.errors import InvalidArgument, NotFound, PermissionDenied, Unauthenticated
from recalld.filters import Filter
from recalld.types.namespaces import ExportRecord

GUESSED_FROM = 64 * 1024
"""Characters of a file that are looked at to know what it holds."""
_REFUSALS = (NotFound, PermissionDenied, Unauthenticated)
"""Of the import as a whole: nothing was taken in."""

Place = Annotated[Path, typer.Argument(help="A file of JSON lines, or - for standard input or output.")]


def add(app: typer.Typer) -> None:
    """Adds the commands."""
    command(app, "export", filters.filter)(export)
    command(app, "import")(import_)


def export(
    session: Session,
    filter: Filter | None,
    file: Place = Path("-"),
    vectors: Annotated[bool, typer.Option("--vectors", help="With their vectors.")] = False,
    revisions: Annotated[bool, typer.Option("--revisions", help="With their revisions.")] = False,
) -> None:
    """Writes memories to a file, one JSON record a line.

    Example: recall export team.jsonl --namespace team
    """
    records = session.memory.export(
        filter=filter, include_vectors=vectors, include_revisions=revisions, timeout=session.timeout
    )
    count = 0
    with _target(file) as stream:
        for record in records:
            stream.write(to_line(record) + "\n")
            count += 1
    if session.out.as_json and file != Path("-"):
        session.out.json({"exported": count})
    else:
        session.out.note(f"{count:,} memories exported")


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
        raise OSError(error.errno, error.strerror, str(file)) from None
    finally:
        partial.unlink(missing_ok=True)


def import_(
    session: Session,
    file: Place,
    shape: Annotated[
        Shape | None, typer.Option("--from", help="What the file holds; else it is guessed from its beginning.")
    ] = None,
    import_id: Annotated[
        str | None, typer.Option(help="Names this import: given again after a break, nothing is taken in twice.")
    ] = None,
) -> None:
    """Takes in memories: what export wrote, as it is; or text lines, chat logs (OpenAI's messages), LoCoMo, the graph of
    the reference MCP memory server, as new memories.

    Example: recall import team.jsonl --namespace team/copy
    """
    name = import_id or str(uuid4())
    outcomes: Counter[str] = Counter()
    size = None if file == Path("-") else file.stat().st_size
    stream = nullcontext(standard_input()) if file == Path("-") else file.open(encoding="utf-8-sig")
    with stream as opened, _progress(session, size) as lines:
        given = lines(opened)
        try:
            for sequence, outcome, error in _taken_in(session, given, shape, name):
                outcomes[outcome] += 1
                if error:
                    session.out.note(f"record {sequence + 1}: {error}")
        except BaseException as error:  # a Ctrl-C as well: without the id nobody could go on
            if outcomes or not isinstance(error, _REFUSALS):
                session.out.note(f"interrupted after {outcomes.total():,}; go on with --import-id {name}")
            raise
    if session.out.as_json:
        session.out.json(dict(outcomes))
    else:
        session.out.facts({key: f"{count:,}" for key, count in outcomes.items()} or {"records": "0"})
    if outcomes["failed"]:
        raise typer.Exit(PARTLY)


def _taken_in(session: Session, lines: Iterator[str], shape: Shape | None, name: str) -> Iterator[tuple[int, str, str]]:
    """Number, outcome and, of one that failed, the reason."""
    if shape is None:
        beginning = list(_beginning(lines))
        shape, lines = guess("".join(beginning)), chain(beginning, lines)
    if shape is Shape.RECALL:
        for result in session.memory.import_(_records(lines), import_id=name, timeout=session.timeout):
            yield result.sequence, result.outcome, result.error if result.outcome == "failed" else ""
        return
    for item in session.memory.write_stream(read(shape, lines, name), stream_id=name, timeout=session.timeout):
        if item.result is not None:
            yield item.sequence, item.result.outcome.value, ""
        elif isinstance(item.error, _REFUSALS):
            raise item.error  # each of the others would be refused for it as well
        else:
            yield item.sequence, "failed", item.error.message if item.error else "no answer"


def _beginning(lines: Iterator[str]) -> Iterator[str]:
    size = 0
    for line in lines:
        yield line
        size += len(line)
        if size >= GUESSED_FROM:
            return


@contextmanager
def _progress(session: Session, size: int | None) -> Iterator[Callable[[TextIO], Iterator[str]]]:
    """Counts the lines that are read on a bar, where someone looks on and the end is known."""
    if size is None or not session.out.err.is_terminal:
        yield iter
        return
    columns = (*Progress.get_default_columns(), TimeElapsedColumn())
    with Progress(*columns, console=session.out.err, transient=True) as bar:
        task = bar.add_task("reading", total=size)

        def read_on(stream: TextIO) -> Iterator[str]:
            for line in stream:
                bar.advance(task, len(line.encode()))
                yield line

        yield read_on


def _records(lines: Iterator[str]) -> Iterator[ExportRecord]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield from_line(line)
            except InvalidArgument as error:
                raise InvalidArgument.of(f"line {number}", error.fields[0].description) from None
