"""Writing entries: a new one at the end of a file, a change of one; kept only where it reads back as meant."""
