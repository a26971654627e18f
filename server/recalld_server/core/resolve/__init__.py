"""Same, new, changed or doubtful: the write-time decision about a statement and its neighbours."""

from .decide import RulesResolver
from .types import Lines, Neighbour, Resolution, Resolver, Statement, Verdict

__all__ = ["Lines", "Neighbour", "Resolution", "Resolver", "RulesResolver", "Statement", "Verdict"]
