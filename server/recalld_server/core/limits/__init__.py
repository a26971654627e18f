"""Fairness: what one tenant may use, so that the others have theirs."""

from recalld_server.core.limits.fairness import Fairness
from recalld_server.core.limits.metered import MeteredEmbedder
from recalld_server.core.limits.tenant import TENANT

__all__ = ["TENANT", "Fairness", "MeteredEmbedder"]
