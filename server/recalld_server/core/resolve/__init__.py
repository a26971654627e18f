"""Same, new, changed or doubtful: the write-time decision about a statement and its neighbours."""

from .asked import AskingResolver
from .decide import RulesResolver
from .types import Case, Lines, Neighbour, Resolution, Resolver, Statement, Verdict

__all__ = [
    "AskingResolver",
    "Case",
    "Lines",
    "Neighbour",
    "Resolution",
    "Resolver",
    "RulesResolver",
    "Statement",
    "Verdict",
]
