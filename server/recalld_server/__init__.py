"""The recalld server. Layers, each importing only what is to its right: app → rpc → core → store, models, text → model, errors."""

import os

# One process uses one core. Threads of the matrix library, which is loaded after this, would wait for each other on the
# cores that the database needs, for products that are too small to share.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

__version__ = "0.1.0"
