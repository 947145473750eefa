"""The Typer command line: parse, call one job, print, return a code."""
