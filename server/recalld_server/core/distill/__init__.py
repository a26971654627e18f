"""Distilling: from what was said and done to what is worth keeping, with its sources and how sure it is."""

from recalld_server.core.distill.rules import RulesDistiller
from recalld_server.core.distill.types import Category, Distilled, Distiller, Insight, Role, Source

__all__ = ["Category", "Distilled", "Distiller", "Insight", "Role", "RulesDistiller", "Source"]
