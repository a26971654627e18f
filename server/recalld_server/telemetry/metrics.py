"""Figures. Labels are bounded: names of ours, codes, kinds and states, never a tenant, a namespace, an agent or a user.

While nothing is configured every function here returns at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock

from opentelemetry.metrics import CallbackOptions, Counter, Histogram, Meter, Observation

from recalld_server.telemetry.conventions import (
    DB_POOL,
    DB_STATE,
    ERROR_TYPE,
    GEN_AI_MODEL,
    GEN_AI_OPERATION,
    GEN_AI_TOKEN_TYPE,
    RPC_METHOD,
    RPC_STATUS,
    RPC_SYSTEM,
)

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
COUNTS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500)

GAUGES: Mapping[str, tuple[str, str]] = {
    "recalld.queue.depth": ("{job}", "Jobs that wait, by queue"),
    "recalld.queue.age": ("s", "Age of the oldest job that waits, by queue"),
    "recalld.queue.failed": ("{job}", "Jobs that were given up, by queue"),
    "recalld.memories": ("{memory}", "Memories by kind and state"),
    "recalld.breaker.open": ("1", "1 while a dependency that keeps failing is left alone"),
    "recalld.replica.lag": ("s", "How far a standby that answers reads is behind"),
    "recalld.loop.lag": ("s", "How late the event loop got to a task in the last period"),
    "recalld.loop.tasks": ("{task}", "Tasks of the event loop"),
    "recalld.rows.skipped": ("{row}", "Stored rows that could not be read and were passed over since the start"),
    "db.client.connection.count": ("{connection}", "Connections of the pool by state"),
    "db.client.connection.max": ("{connection}", "Connections that the pool may open"),
}
"""What is observed when somebody asks: unit and description by name."""

Labels = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Instruments:
    calls: Histogram
    stages: Histogram
    hits: Histogram
    candidates: Histogram
    searches: Counter
    degraded: Counter
    used: Counter
    replica_reads: Counter
    outcomes: Counter
    jobs: Counter
    chores: Counter
    pool_wait: Histogram
    pool_timeouts: Counter
    cache: Counter
    model_calls: Histogram
    model_tokens: Counter


@dataclass(slots=True)
class _Observed:
    """The latest values of gauges: written by the event loop, read by the exporters' threads."""

    lock: Lock = field(default_factory=Lock)
    values: dict[str, list[tuple[float, Labels]]] = field(default_factory=dict)


_instruments: _Instruments | None = None
_observed = _Observed()


def use_meter(meter: Meter | None) -> None:
    """Figures of this process go to `meter` from now on; None: nowhere."""
    global _instruments
    with _observed.lock:
        _observed.values.clear()
    _instruments = None if meter is None else _make(meter)


def measuring() -> bool:
    """Whether figures go anywhere."""
    return _instruments is not None


def record_call(method: str, code: str, seconds: float) -> None:
    """A call of the API ended with a gRPC code."""
    if _instruments is not None:
        labels = {RPC_SYSTEM: "grpc", RPC_METHOD: method, RPC_STATUS: code}
        _instruments.calls.record(seconds, labels)


def record_stage(operation: str, stage: str, seconds: float) -> None:
    """A stage of a search, a write or a job took this long."""
    if _instruments is not None:
        _instruments.stages.record(seconds, {"operation": operation, "stage": stage})


def record_search(hits: int, candidates: Mapping[str, int], degraded: Sequence[str]) -> None:
    """A search was answered: hits, what each arm proposed, and the stages that it did without."""
    if _instruments is None:
        return
    _instruments.searches.add(1)
    _instruments.hits.record(hits)
    for arm, count in candidates.items():
        _instruments.candidates.record(count, {"arm": arm})
    for stage in degraded:
        _instruments.degraded.add(1, {"stage": stage})


def count_replica_read(result: str) -> None:
    """A read that a standby may answer: it served, or was away, behind or failing, so that the database was asked."""
    if _instruments is not None:
        _instruments.replica_reads.add(1, {"result": result})


def count_used(hits: int) -> None:
    """Hits were marked as used."""
    if _instruments is not None and hits:
        _instruments.used.add(hits)


def count_outcome(outcome: str) -> None:
    """A memory was written with this outcome, or refused with this reason."""
    if _instruments is not None:
        _instruments.outcomes.add(1, {"outcome": outcome})


def count_jobs(queue: str, result: str, count: int = 1) -> None:
    """Jobs of a queue ended."""
    if _instruments is not None and count:
        _instruments.jobs.add(count, {"queue": queue, "result": result})


def count_chore(chore: str, result: str) -> None:
    """A chore of the server was done, or failed."""
    if _instruments is not None:
        _instruments.chores.add(1, {"chore": chore, "result": result})


def record_wait(seconds: float, *, timed_out: bool) -> None:
    """A call waited for a connection to the database."""
    if _instruments is not None:
        labels = {DB_POOL: "postgres"}
        _instruments.pool_wait.record(seconds, labels)
        if timed_out:
            _instruments.pool_timeouts.add(1, labels)


def count_cache(cache: str, *, hit: bool) -> None:
    """A cache was asked."""
    if _instruments is not None:
        _instruments.cache.add(1, {"cache": cache, "result": "hit" if hit else "miss"})


def record_model(operation: str, model: str, seconds: float, error: str = "") -> None:
    """A model was called; `error` is the reason of a failure."""
    if _instruments is not None:
        labels = {GEN_AI_OPERATION: operation, GEN_AI_MODEL: model}
        _instruments.model_calls.record(seconds, labels | {ERROR_TYPE: error} if error else labels)


def count_tokens(operation: str, model: str, *, input: int = 0, output: int = 0) -> None:
    """Tokens that a model says it has read and written."""
    if _instruments is None:
        return
    for kind, count in (("input", input), ("output", output)):
        if count > 0:
            labels = {GEN_AI_OPERATION: operation, GEN_AI_MODEL: model, GEN_AI_TOKEN_TYPE: kind}
            _instruments.model_tokens.add(count, labels)


def observe(gauge: str, values: Sequence[tuple[float, Labels]]) -> None:
    """The present values of one of GAUGES, in place of those before."""
    if _instruments is not None:
        with _observed.lock:
            _observed.values[gauge] = [(float(value), labels) for value, labels in values]


def observe_pool(*, idle: int, used: int, limit: int) -> None:
    """Connections to the database."""
    pool = {DB_POOL: "postgres"}
    observe("db.client.connection.count", [(idle, pool | {DB_STATE: "idle"}), (used, pool | {DB_STATE: "used"})])
    observe("db.client.connection.max", [(limit, pool)])


def _make(meter: Meter) -> _Instruments:
    for name, (unit, description) in GAUGES.items():
        meter.create_observable_gauge(name, [_callback(name)], unit, description)

    def seconds(name: str, description: str) -> Histogram:
        return meter.create_histogram(name, "s", description, explicit_bucket_boundaries_advisory=SECONDS)

    def counts(name: str, unit: str, description: str) -> Histogram:
        return meter.create_histogram(name, unit, description, explicit_bucket_boundaries_advisory=COUNTS)

    return _Instruments(
        calls=seconds("rpc.server.call.duration", "Duration of calls by method and code"),
        stages=seconds("recalld.stage.duration", "Duration of the stages of searches, writes and jobs"),
        hits=counts("recalld.search.hits", "{hit}", "Hits of a search"),
        candidates=counts("recalld.search.candidates", "{memory}", "Memories that an arm proposed for a search"),
        searches=meter.create_counter("recalld.searches", "{search}", "Searches that were answered"),
        degraded=meter.create_counter("recalld.search.degraded", "{search}", "Searches that did without a stage"),
        replica_reads=meter.create_counter(
            "recalld.replica.reads", "{read}", "Reads that a standby may answer, by what became of that"
        ),
        used=meter.create_counter("recalld.hits.used", "{hit}", "Hits that were marked as used"),
        outcomes=meter.create_counter("recalld.write.outcomes", "{memory}", "Memories written, by outcome"),
        jobs=meter.create_counter("recalld.jobs", "{job}", "Jobs that ended, by queue and result"),
        chores=meter.create_counter("recalld.chores", "{run}", "Runs of the server's chores, by result"),
        pool_wait=seconds("db.client.connection.wait_time", "Time that calls waited for a connection"),
        pool_timeouts=meter.create_counter(
            "db.client.connection.timeouts", "{timeout}", "Waits for a connection that took too long"
        ),
        cache=meter.create_counter("recalld.cache.requests", "{request}", "Questions to a cache, by result"),
        model_calls=seconds("gen_ai.client.operation.duration", "Duration of calls to models"),
        model_tokens=meter.create_counter("gen_ai.client.token.usage", "{token}", "Tokens that models read and wrote"),
    )


def _callback(name: str) -> Callable[[CallbackOptions], Iterable[Observation]]:
    def read(_: CallbackOptions) -> Iterable[Observation]:
        with _observed.lock:
            values = list(_observed.values.get(name, ()))
        return [Observation(value, labels) for value, labels in values]

    return read
