"""The order of an answer: pure functions over what the store's arms measured."""

from recalld_server.core.ranking.fusion import rank
from recalld_server.core.ranking.types import Arm, QueryFeatures, Ranked, Weights

__all__ = ["Arm", "QueryFeatures", "Ranked", "Weights", "rank"]
