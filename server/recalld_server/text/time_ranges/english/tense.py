"""Whether what stands around an English amount of time lies behind or ahead: "due in 3 days", "we built it in 3 days"."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges.reader import Reader

_BEFORE: Final = 12
_AFTER: Final = 4
_ENDS: Final = frozenset(".?!;")
# What was done in so long, how often something is, what is the first or the most in so long.
_PAST: Final = frozenset(
    """
    did was were had been has have having haven hasn hadn didn wasn weren done got went made built wrote ran won lost took
    came saw sold grew spent read said told sent paid met ate slept
    once twice times how learn around first only never no nothing nobody
    biggest largest worst best highest lowest longest shortest fastest hottest coldest greatest most least
    """.split()  # noqa: SIM905 - words read better in lines than in quotes
)
_FUTURE: Final = frozenset(
    """
    due deadline will ll must should shall need needs expire expires expiring renew renews start starts begin begins end
    ends leave leaves arrive arrives coming upcoming going plan plans planned scheduled expected supposed booked
    """.split()  # noqa: SIM905
)
_NO_PAST: Final = frozenset({"need", "feed", "speed", "seed", "indeed", "shed"})


def direction(r: Reader, first: int, stop: int) -> int:
    """-1 where the words beside those from `first` to `stop` tell of the past, 1 of what is to come, 0 of neither."""
    before = _until_an_end(r, range(first - 1, max(-1, first - _BEFORE), -1))
    around = before + _until_an_end(r, range(stop, min(r.size, stop + _AFTER)))
    words = [r.word(j) for j in around]
    if any(word in _FUTURE for word in words):
        return 1
    return -1 if any(_is_past(r, j) for j in around) else 0


def _until_an_end(r: Reader, places: range) -> list[int]:
    found = []
    for j in places:
        if r.word(j) in _ENDS:
            break
        found.append(j)
    return found


def _is_past(r: Reader, i: int) -> bool:
    word = r.word(i)
    if word in ("have", "has", "had", "how") and r.word(i + 1) == "to":
        return word in ("had", "how")
    return word in _PAST or (word.endswith("ed") and len(word) > 3 and word not in _NO_PAST)
