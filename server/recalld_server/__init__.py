"""The recalld server. Layers, each importing only what is to its right: app → rpc → core → store, models, text → model, errors."""

__version__ = "0.1.0"
