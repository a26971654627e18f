"""The `recalld` command: runs a server and looks after its database."""

from __future__ import annotations

import sys

import typer

from recalld_server.commands import later

COMMANDS = (
    (
        "export",
        "moving:export",
        "Writes the memories of a namespace, those private to an agent too, one JSON record a line.",
    ),
    (
        "import",
        "moving:import_",
        "Takes in what an export wrote, with ids, history and owners. Run again after a break: what is there is left alone.",
    ),
    ("retention", "forgetting:retention", "Applies the rules of a namespace's policy now; servers do so every hour."),
    (
        "erase",
        "forgetting:erase",
        "Erases all that is kept about a person in a namespace, private memories of every agent too. Asks first.",
    ),
    (
        "reembed",
        "reembed:reembed",
        "Gives every memory a vector of the model that is configured now, beside the old one, then makes it the one in use. Servers go on meanwhile. Can be stopped and run again: it goes on where it stopped.",
    ),
    (
        "stats",
        "stats:stats",
        "Prints what the service holds and how it is used, memories that are private to agents included.",
    ),
    (
        "doctor",
        "doctor:doctor",
        "Looks at everything that a server needs (database, extension, migrations, row-level security, clocks, model, Redis, archive, disk, queues) and says what to do. Changes nothing. Ends with 1 when something would keep a server from working.",
    ),
    (
        "serve",
        "serving:serve",
        "Serves the API. With nothing configured: PostgreSQL and Valkey from wheels, in the data directory.",
    ),
    ("demo", "serving:demo", "Shows what two agents do with a shared memory. Needs the extras embedded and demo."),
    (
        "migrate",
        "serving:migrate_command",
        "Brings the database to the newest schema; several may do so at once. What servers of the version before still need is taken away as well: run it when all are of this version, or with --additive.",
    ),
    ("reindex", "serving:reindex", "Lets running servers index memories again, in every tenant."),
    ("settings", "serving:settings_command", "Lists every setting with its default. Example: recalld settings"),
    ("key", "keys:app", "Keys of a tenant. Example: recalld key create --agent planner"),
    ("tenant", "tenants:app", "Tenants. Example: recalld tenant limits default --memories 100000"),
    ("namespace", "tenants:namespaces", "Namespaces. Example: recalld namespace create team/search"),
)
"""Name, place below `recalld_server.commands` and summary of each command."""

cli = typer.Typer(
    name="recalld",
    help="A memory service that agents share. Example: recalld serve",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for name, place, summary in COMMANDS:
    later.add(cli, name, f"recalld_server.commands.{place}", summary)


def main() -> None:
    """The entry point: what is wrong with the surroundings is one clear line, never a traceback."""
    try:
        cli()
    except Exception as error:  # which ones are expected is known only once the command's modules are loaded
        if not isinstance(error, _expected()):
            raise
        print(f"recalld: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(1)


def _expected() -> tuple[type[Exception], ...]:
    """What a command may raise, asked for once something was: by then its modules are loaded."""
    from recalld_server.bootstrap import RootKeyError
    from recalld_server.core.identity import IdentityError
    from recalld_server.embedded import EmbeddedError
    from recalld_server.errors import RecalldError
    from recalld_server.models.base import ModelSetupError
    from recalld_server.rpc.server import ListenError
    from recalld_server.rpc.tls import TlsError
    from recalld_server.settings import SettingsError
    from recalld_server.store.postgres import MigrationError
    from recalld_server.telemetry import TelemetrySetupError

    return (
        SettingsError,
        EmbeddedError,
        RootKeyError,
        MigrationError,
        ModelSetupError,
        TelemetrySetupError,
        ListenError,
        TlsError,
        IdentityError,
        RecalldError,
    )
