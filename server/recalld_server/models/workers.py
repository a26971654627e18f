"""Threads that encode for all callers at once: queries first, then passages, each in the order of arrival.

One window is one piece of work, so a long text or a large batch holds a query up by one window at most.
"""

from __future__ import annotations

import atexit
import itertools
import os
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np

from recalld_server.models.base import Vector
from recalld_server.models.vectors import BLANK, unit

PATIENCE_SECONDS: Final = 2.0
"""Queries overtake passages that came up to this long before them, so that a stream of queries starves no write."""

_LAST: Final = float("-inf")


class Windowed(Protocol):
    """What the workers run: `windows` of a text, the vector of a window, the text's vector from the windows' mean."""

    def windows(self, text: str, prefix: str) -> list[list[int]]: ...

    def encode(self, window: list[int]) -> Vector: ...

    def finish(self, text: str, mean: Vector) -> Vector: ...


class BlankText(ValueError):
    """Nothing of the text is left for the model."""

    def __init__(self) -> None:
        super().__init__(BLANK)


@dataclass(eq=False, slots=True)
class _Text:
    """A text on its way: cut into windows by the first worker that takes it, done with its last window."""

    text: str
    prefix: str
    rank: float
    future: Future[Vector]
    missing: int = 0
    total: Vector | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


_Work = tuple[float, int, "_Text | None", "list[int] | None"]


class Workers:
    """A fixed number of threads over one encoder, which the first of them loads."""

    def __init__(self, load: Callable[[], Windowed], threads: int) -> None:
        self.ready: Future[None] = Future()
        self._load = load
        self._work: queue.PriorityQueue[_Work] = queue.PriorityQueue()
        self._arrivals = itertools.count()
        self._closed = False
        self._process = os.getpid()
        # Daemons, so that a process that forgets to close them can end; at its exit no thread may be inside the encoder.
        atexit.register(self.close)
        self._threads = [threading.Thread(target=self._run, name=f"encoder-{n}", daemon=True) for n in range(threads)]
        self._threads[0].start()

    def usable(self) -> bool:
        """Whether they belong to this process and the encoder was loaded, or is still being loaded."""
        failed = self.ready.done() and self.ready.exception() is not None
        return self._process == os.getpid() and not self._closed and not failed

    def submit(self, text: str, prefix: str, *, query: bool) -> Future[Vector]:
        """The text's vector: of the mean of its windows' vectors, brought to norm 1. Fails with BlankText, or what the encoder raised.

        Cancelling the future takes the text out of the queue.
        """
        future: Future[Vector] = Future()
        rank = time.monotonic() + (0.0 if query else PATIENCE_SECONDS)
        self._put(_Text(text, prefix, rank, future), None)
        return future

    def close(self) -> None:
        """Ends the threads after the windows they are at; texts that still wait are cancelled."""
        atexit.unregister(self.close)
        if self._process != os.getpid():
            return  # a fork's copy: the threads, and whoever held the queue's lock, are in the parent
        self._closed = True
        for _ in self._threads:
            self._work.put((_LAST, next(self._arrivals), None, None))
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()
        while True:
            try:
                _, _, text, _ = self._work.get_nowait()
            except queue.Empty:
                return
            if text is not None:
                text.future.cancel()

    def _put(self, text: _Text, window: list[int] | None) -> None:
        if self._closed:
            text.future.cancel()
        else:
            self._work.put((text.rank, next(self._arrivals), text, window))

    def _run(self) -> None:
        if threading.current_thread() is self._threads[0]:
            try:
                self._encoder = self._load()
            except Exception as error:  # noqa: BLE001 -- whatever it is, `ready` hands it to whoever starts the model
                self.ready.set_exception(error)
                return
            for thread in self._threads[1:]:
                thread.start()
            self.ready.set_result(None)
        while True:
            _, _, text, window = self._work.get()
            if text is None:
                return
            if not text.future.done():
                self._advance(text, window)

    def _advance(self, text: _Text, window: list[int] | None) -> None:
        try:
            if window is None:
                windows = self._encoder.windows(text.text, text.prefix)
                if not windows:
                    raise BlankText
                text.missing = len(windows)
                window, *others = windows
                for other in others:
                    self._put(text, other)
            vector = self._encoder.encode(window)
            with text.lock:
                text.total = vector if text.total is None else text.total + vector
                text.missing -= 1
                done = text.missing == 0
            if done:
                _settle(text.future, self._encoder.finish(text.text, unit(np.asarray(text.total))))
        except Exception as error:  # noqa: BLE001 -- onnxruntime's errors have no common base; the future hands them on
            _settle(text.future, error)


def _settle(future: Future[Vector], outcome: Vector | Exception) -> None:
    try:
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
    except InvalidStateError:
        pass  # the caller has gone, or another window of this text has failed before
