"""`recalld demo`: two agents, one English and one Chinese, share a namespace on the embedded default."""
