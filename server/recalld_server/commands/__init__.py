"""Commands of `recalld` that work beside the database, by subject."""
