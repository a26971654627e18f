"""What is known about text without a model: cleaning, the lexical arm's tokens, language, time ranges, entities.

Pure functions; they take any `str`, and none of them reads a clock, a file or the network.
"""
