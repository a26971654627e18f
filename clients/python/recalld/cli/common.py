"""What every command shares: the connection, `--json`, errors and exit codes."""

from __future__ import annotations

import functools
import inspect
import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TextIO, get_type_hints

import typer

from recalld import errors
from recalld._retry import RetryPolicy
from recalld._sync.client import Client, NamespaceView
from recalld.cli.output import Output
from recalld.config import DEFAULT_ADDR

DECLINED, USAGE, REFUSED, ABSENT, CLASH, LATER, PARTLY = 1, 2, 3, 4, 5, 6, 7

EXIT_CODES = """
Exit codes: 0 done · 1 failed or declined · 2 wrong arguments or configuration · 3 no or wrong key, or not allowed ·
4 not found · 5 conflict, exists already, or not in this state · 6 unavailable, over quota or out of time: try later ·
7 done in part · 130 interrupted.
"""

_CODES: tuple[tuple[type[errors.RecalldError], int], ...] = (
    (errors.InvalidArgument, USAGE),
    (errors.ConfigurationError, USAGE),
    (errors.Unauthenticated, REFUSED),
    (errors.PermissionDenied, REFUSED),
    (errors.NotFound, ABSENT),
    (errors.AlreadyExists, CLASH),
    (errors.Conflict, CLASH),
    (errors.FailedPrecondition, CLASH),
    (errors.Unavailable, LATER),
    (errors.QuotaExceeded, LATER),
    (errors.DeadlineExceeded, LATER),
)


@dataclass(frozen=True, slots=True)
class Session:
    """One run of a command."""

    client: Client
    out: Output
    timeout: float | None

    @property
    def memory(self) -> NamespaceView:
        """The verbs on the namespace that was chosen."""
        return self.client


def connect(
    namespace: Annotated[
        str | None, typer.Option("--namespace", "-n", help="Where. Default: RECALLD_NAMESPACE, or “default”.")
    ] = None,
    addr: Annotated[
        str | None, typer.Option(help=f"host:port of the server. Default: RECALLD_ADDR, or {DEFAULT_ADDR}.")
    ] = None,
    timeout: Annotated[float | None, typer.Option(help="Seconds that a call may take.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> Session:
    """The options that every command has. The key has none, since others see arguments: RECALLD_KEY or the file."""
    client = Client(addr, namespace=namespace, retry=RetryPolicy(attempts=3))
    return Session(client, Output(as_json), timeout)


def command(
    app: typer.Typer, name: str, *parts: Callable[..., Any], hidden: bool = False
) -> Callable[[Callable[..., None]], None]:
    """Registers a command whose first parameter is a Session; a `hidden` one is not listed.

    Each of `parts` is a function of options; the command takes the result as the parameter of the function's name.
    """

    def register(function: Callable[..., None]) -> None:
        makers = {"session": connect, **{part.__name__: part for part in parts}}
        own = [each for each in _parameters(function) if each.name not in makers]
        shared = {key: _parameters(maker) for key, maker in makers.items()}

        @functools.wraps(function)
        def run(**given: Any) -> None:
            with _explained(as_json=given["as_json"]):
                made = {
                    key: maker(**{each.name: given.pop(each.name) for each in shared[key]})
                    for key, maker in makers.items()
                }
                with made["session"].client:
                    function(**made, **given)

        options = [each for key in reversed(shared) for each in shared[key]]
        run.__signature__ = inspect.Signature([*own, *options])  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in (*own, *options)}
        app.command(name, hidden=hidden)(run)

    return register


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(function, include_extras=True)
    return [
        each.replace(annotation=hints[each.name], kind=inspect.Parameter.KEYWORD_ONLY)
        for each in inspect.signature(function).parameters.values()
    ]


class _explained:  # noqa: N801 - reads as a phrase: with _explained(…)
    """Turns what a call raises into one line on stderr and an exit code."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, KeyboardInterrupt):
            raise typer.Exit(130) from None
        if isinstance(error, BrokenPipeError):
            # The reader has gone (`recall export | head`): nobody is left to be told.
            sys.stdout = None
            raise typer.Exit(0) from None
        if isinstance(error, OSError | UnicodeDecodeError):
            typer.echo(f"recall: {_about_a_file(error)}", err=True)
            raise typer.Exit(USAGE) from None
        if not isinstance(error, errors.RecalldError):
            return
        if self._as_json:
            shown = {
                "error": type(error).__name__,
                "message": error.message,
                "reason": error.reason,
                "metadata": dict(error.metadata),
            }
            typer.echo(json.dumps(shown, ensure_ascii=False), err=True)
        else:
            typer.echo(f"recall: {error.message}", err=True)
            if isinstance(error, errors.Unavailable) and not error.reason:
                typer.echo("Is the server running there? See RECALLD_ADDR and --addr.", err=True)
            if error.reason == "NAMESPACE_NOT_FOUND":
                typer.echo(
                    "Those that there are: recall namespaces list. A new one: recall namespaces create NAME", err=True
                )
        raise typer.Exit(next((code for each, code in _CODES if isinstance(error, each)), 1)) from None


def _about_a_file(error: OSError | UnicodeDecodeError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "the input is not UTF-8 text"
    return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)


def standard_input() -> TextIO:
    """What is piped in, as UTF-8 whatever the locale; what is not raises UnicodeDecodeError."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8-sig", errors="strict")
    return sys.stdin


def is_interactive() -> bool:
    """Whether someone is there to be asked."""
    return sys.stdin.isatty()


def ask(question: str, *, yes: bool) -> None:
    """Goes on when the answer is yes; without a terminal to ask on, only when `yes` was given."""
    if yes:
        return
    if not is_interactive():
        typer.echo("recall: there is nobody to ask here: add --yes", err=True)
        raise typer.Exit(USAGE)
    if not typer.confirm(question, err=True):
        raise typer.Exit(DECLINED)
