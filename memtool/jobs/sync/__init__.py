"""Sync: commit, fetch, bring together, judge, push; each step by itself, `run` puts them in order."""
