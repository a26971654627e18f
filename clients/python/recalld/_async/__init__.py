"""One of the two front ends: `_async` is edited, `_sync` is generated from it by `generate_sync.py`."""
