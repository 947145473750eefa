"""How an entry is found by words: what counts as a word, what a query asks, and in which order entries answer."""
