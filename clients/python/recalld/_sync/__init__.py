# Generated from recalld/_async by generate_sync.py: edit that.
"""One of the two front ends: `_async` is edited, `_sync` is generated from it by `generate_sync.py`."""
