"""Whether what stands around a Chinese amount of time lies behind or ahead: 三天内要交的, 三天内发生过的."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges.reader import Reader

_BEFORE: Final = 8
_AFTER: Final = 10
_PAST: Final = frozenset("了过曾")
_FUTURE: Final = frozenset("要将会须需应该待")
_FUTURE_WORDS: Final = ("必须", "到期", "截止", "过期", "计划", "打算", "安排", "准备", "预计", "完成", "提交", "交付")
# 会议, 需求, 经过, 要求 …: (characters before, characters after) that make another word of it.
_OTHER_WORDS: Final = {
    "会": ("开聚社晚例周大机不宴", "议员话计见面上客费长谈诊"),
    "过": ("经通超不", "程去敏期"),
    "了": ("为除", "解"),
    "要": ("重主纪摘需", "求点素闻"),
    "需": ("", "求"),
    "应": ("反响适", "用聘答"),
    "该": ("", "项公用"),
    "待": ("期等招", "遇"),
    "将": ("麻", "军"),
}


def direction(r: Reader, first: int, stop: int) -> int:
    """-1 where the words beside those from `first` to `stop` tell of the past, 1 of what is to come, 0 of neither."""
    around = (*range(max(0, first - _BEFORE), first), *range(stop, min(r.size, stop + _AFTER)))
    if any(r.word(j) in _PAST and not _other_word(r, j) for j in around):
        return -1
    ahead = any((r.word(j) in _FUTURE and not _other_word(r, j)) or r.longest(j, _FUTURE_WORDS) for j in around)
    return 1 if ahead else 0


def _other_word(r: Reader, i: int) -> bool:
    before, after = _OTHER_WORDS.get(r.word(i), ("", ""))
    return (r.word(i - 1) or " ") in before or (r.word(i + 1) or " ") in after
