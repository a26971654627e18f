"""The rules: what becomes of a write, what is found, what is forgotten, and who may do what."""
