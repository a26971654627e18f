"""Whether a query asks for a time and for nothing else: "what did I do last Friday?", 上周五我做了什么."""

from __future__ import annotations

import re
from typing import Final

from recalld_server.text.simplified import SIMPLIFIED
from recalld_server.text.stop_words import ENGLISH

_WORDS: Final = re.compile(r"[a-z']+|[^\W_a-z]+")
_TELLING: Final = ENGLISH | frozenset(
    """
    happen happens happened happening go goes going went gone get got event events thing things stuff something anything
    everything know remember recall tell show list say said see talk talked talking discuss discussed summarize summarise
    recap give new notable interesting notes note memory memories please let yesterday today
    """.split()  # noqa: SIM905 - words read better in lines than in quotes
)
_CHINESE: Final = re.compile(
    "发生|什么|事情|事儿|哪些|哪里|哪儿|怎么样|怎样|情况|记得|记录|告诉|时候|那天|我们|咱们|东西|安排|请问|讨论|干嘛|干啥"
    "|总结一下|概括一下|回顾一下|一下"
    "|[我们你他她做干忙弄过了的是有在去到吗呢吧啊呀啥事都那这和跟给说聊谈看想些里得也又还]"
)


def asks_only_for_time(text: str, phrase: str) -> bool:
    """Whether nothing but a question is left of `text` without the `phrase` that names the time."""
    rest = text.replace(phrase, " ", 1).translate(SIMPLIFIED).lower()
    return all(word in _TELLING or not _CHINESE.sub("", word) for word in _WORDS.findall(rest))
