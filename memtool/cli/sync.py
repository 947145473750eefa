"""The command `sync`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Annotated, NoReturn

import typer

from memtool.cli.console import AgentOption, DryRun, FormatOption, Output, print_json, root_of, write_lines
from memtool.hook import tell, today


def sync(
    context: typer.Context,
    undo: Annotated[bool, typer.Option("--undo", help="Take the last sync back.")] = False,
    push: Annotated[bool, typer.Option("--push/--no-push", help="Send what is new here.")] = True,
    timeout: Annotated[
        float, typer.Option(metavar="S", min=1, help="Seconds for all that goes over the network.")
    ] = 60,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing where all went well.")] = False,
    agent: AgentOption = None,
    dry_run: DryRun = False,
    output: FormatOption = Output.text,
) -> None:
    """Bring this machine's memory and the remote's together; lose nothing.

    Commits what changed in memory files, fetches, merges entry by entry, writes the index anew and pushes. Where both
    sides changed the same, both texts are kept. Never forces, rebases, resets or stashes; never asks for a password.
    Ends in a named state; exit code 0 done, 1 a person should look, 2 could not.

    \b
    memtool sync                  by hand, or at the end of a session
    memtool sync --quiet          from cron or a timer: says only what a person should see
    memtool sync --undo           back to where the last sync began
    """  # noqa: D301 (the \b keeps these lines apart in the help)
    from memtool.edge import location
    from memtool.jobs.sync import run
    from memtool.jobs.sync.course import Options

    root = root_of(context)
    name = location.agent(root, agent)
    if undo:
        from memtool.jobs.sync import undo as back

        said = back.undo(root, agent=name, today=today(), dry_run=dry_run)
        if output is Output.json:
            print_json(said.asdict())
        else:
            write_lines(said.lines())
        return
    signal.signal(signal.SIGTERM, _end)
    options = Options(name, today(), timeout, push, dry_run)
    progress = _progress(output)
    result = run.sync(root, options, tell=progress)
    progress("")
    if output is Output.json:
        print_json(result.asdict())
    elif not (quiet and result.is_silent):
        write_lines(result.lines())
    raise typer.Exit(result.code)


def _end(*_signal: object) -> NoReturn:
    """End as by an exception, so that git ends too and what was begun is put back."""
    sys.exit(128 + signal.SIGTERM)


def _progress(output: Output) -> Callable[[str], None]:
    """Show on a terminal what is being done, on one line that goes again."""
    if output is Output.json or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return lambda _: None
    return lambda text: tell(f"\r\x1b[K{text} … " if text else "\r\x1b[K")
