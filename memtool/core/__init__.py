"""Functions from data to data: no git, no files, no clock, no terminal."""
