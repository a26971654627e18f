"""English words that say too little to search by.

Chinese has no such list here: dropping its question words and particles was measured and gained nothing.
"""

from __future__ import annotations

from typing import Final

ENGLISH: Final = frozenset(
    """
    a an the is are was were be been being am to of in on at for and or it its i we he she they you do does did doing
    done what which when where how who whom why my our his her hers their theirs this that these those with not no nor
    any s about after before again all also as both but by can could would will should has have had having from into if
    just me us him them then there here so some such than too very more most other only own same out over under up down
    off once during each few further through until i'm you're she's it's myself your yours ours itself himself now
    """.split()  # noqa: SIM905 - words read better in lines than in quotes
)
