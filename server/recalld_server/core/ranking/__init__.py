"""The order of an answer: pure functions over what the store's arms measured."""

from recalld_server.core.ranking.fusion import lexical_unit, rank
from recalld_server.core.ranking.types import Arm, Candidate, QueryFeatures, Ranked, Weights

__all__ = ["Arm", "Candidate", "QueryFeatures", "Ranked", "Weights", "lexical_unit", "rank"]
