"""The command `memtool`: the light entry for hooks, the Typer command line for people."""

from __future__ import annotations

import sys


def main() -> None:
    """Run `memtool`; what git and hosts call never waits for Typer to load."""
    if sys.argv[1:2] == ["hook"]:
        from memtool.hook import main as hook

        hook(sys.argv[2:])
    from memtool.cli.app import run

    run()


if __name__ == "__main__":
    main()
