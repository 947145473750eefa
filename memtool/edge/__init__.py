"""Where memtool meets git, files and the installed package."""
