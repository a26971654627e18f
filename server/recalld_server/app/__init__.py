"""The only place that builds objects: every part is made here from the settings, and handed what it needs."""

from recalld_server.app.archive import build_archive
from recalld_server.app.beside import forgetting
from recalld_server.app.endpoints import Endpoints, prepare
from recalld_server.app.models import build_embedder
from recalld_server.app.rules import build_core
from recalld_server.app.server import App

__all__ = ["App", "Endpoints", "build_archive", "build_core", "build_embedder", "forgetting", "prepare"]
