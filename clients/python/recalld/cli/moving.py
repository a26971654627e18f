"""export and import."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, TextIO
from uuid import uuid4

import typer

from recalld._convert.export import from_line, to_line
from recalld.cli import filters
from recalld.cli.common import PARTLY, Session, command
from recalld.errors import InvalidArgument
from recalld.filters import Filter
from recalld.types.namespaces import ExportRecord

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
    finally:
        partial.unlink(missing_ok=True)


def import_(
    session: Session,
    file: Place,
    import_id: Annotated[
        str | None, typer.Option(help="Names this import: given again after a break, nothing is taken in twice.")
    ] = None,
) -> None:
    """Takes in memories that export wrote.

    Example: recall import team.jsonl --namespace team/copy
    """
    name = import_id or str(uuid4())
    outcomes: Counter[str] = Counter()
    stream = nullcontext(sys.stdin) if file == Path("-") else file.open(encoding="utf-8")
    with stream as lines:
        try:
            for result in session.memory.import_(_records(lines), import_id=name, timeout=session.timeout):
                outcomes[result.outcome] += 1
                if result.outcome == "failed":
                    session.out.note(f"record {result.sequence + 1}: {result.error}")
        except BaseException:
            session.out.note(f"interrupted after {outcomes.total():,}; go on with --import-id {name}")
            raise
    if session.out.as_json:
        session.out.json(dict(outcomes))
    else:
        session.out.facts({key: f"{count:,}" for key, count in outcomes.items()} or {"records": "0"})
    if outcomes["failed"]:
        raise typer.Exit(PARTLY)


def _records(lines: Iterator[str]) -> Iterator[ExportRecord]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield from_line(line)
            except InvalidArgument as error:
                raise InvalidArgument.of(f"line {number}", error.fields[0].description) from None
