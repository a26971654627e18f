"""Distilling: from what was said and done to what is worth keeping, with its sources and how sure it is."""

from recalld_server.core.distill.budget import Budget, Limits
from recalld_server.core.distill.llm import ChatDistiller
from recalld_server.core.distill.rules import RulesDistiller
from recalld_server.core.distill.types import Category, Distilled, Distiller, Insight, Role, Source

__all__ = [
    "Budget",
    "Category",
    "ChatDistiller",
    "Distilled",
    "Distiller",
    "Insight",
    "Limits",
    "Role",
    "RulesDistiller",
    "Source",
]
