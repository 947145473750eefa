"""The command `describe`: list the files without a description, or set descriptions."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from memtool.cli.console import DryRun, FormatOption, Output, from_root, print_json, root_of, write, write_lines
from memtool.core import describe as core
from memtool.core.describe import Change
from memtool.core.terminal import printable
from memtool.errors import MemtoolError
from memtool.hook import say, tell

_TIMEOUT = 120
"""Seconds."""

Words = Annotated[
    list[str] | None, typer.Argument(metavar="[PATH [TEXT]]", help="A file, and what its description shall be.")
]
With = Annotated[
    str | None,
    typer.Option("--with", metavar="COMMAND", help="Let this write one line for each PATH, or each file listed."),
]
Timeout = Annotated[
    int | None, typer.Option(metavar="SECONDS", min=1, help="How long COMMAND may take for one file, else 120.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Approve what COMMAND writes, unasked.")]
Approve = Annotated[bool, typer.Option("--approve", help="Take the draft of each PATH as it stands.")]


def describe(
    context: typer.Context,
    words: Words = None,
    command: With = None,
    timeout: Timeout = None,
    yes: Yes = False,
    approve: Approve = False,
    dry_run: DryRun = False,
    output: FormatOption = Output.text,
) -> None:
    """Say when to open a file: by its description.

    \b
    describe                             list the files whose description is missing, a draft or weak
    describe PATH                        show the description of one
    describe PATH "read before …"        set it
    describe --approve PATH...           take drafts as they stand
    describe --with COMMAND [PATH]...    let a program write what no person has

    Setting changes the bytes of the description alone and refreshes the index; nothing is committed. COMMAND runs
    through the shell, once a file: it reads the file's text on stdin and prints the description, one line. Where no
    terminal is there to ask, what it prints is marked as a draft, unless --yes is given.
    """  # noqa: D301 (the \b keeps these lines apart in the help)
    from memtool.jobs.describe import survey

    given = words or []
    _refuse_aimless(given, command, timeout=timeout, yes=yes, approve=approve)
    setting = command is not None or approve or len(given) == 2
    if not setting and len(given) > 2:
        raise MemtoolError(f"PATH and TEXT are expected, not {len(given)} words", hint="Put TEXT in quotes.")
    if setting and output is Output.json:
        raise MemtoolError("--format json is for the list", hint="Set without it, then list with it.")
    root = root_of(context)
    if command is not None:
        _fill(root, from_root(root, given), command, timeout=timeout or _TIMEOUT, yes=yes, dry_run=dry_run)
    elif approve:
        _approve(root, from_root(root, given), dry_run=dry_run)
    elif setting:
        _set(root, *given, dry_run=dry_run)
    elif output is Output.json:
        print_json(survey(root, from_root(root, given)).asdict())
    else:
        write_lines(survey(root, from_root(root, given)).lines())


def _refuse_aimless(words: list[str], command: str | None, *, timeout: int | None, yes: bool, approve: bool) -> None:
    """Raise MemtoolError for options that would do nothing."""
    if command is None and (yes or timeout is not None):
        raise MemtoolError("--yes and --timeout go with --with COMMAND", hint="--approve PATH takes a draft as it is.")
    if approve and (command is not None or not words):
        raise MemtoolError("--approve takes the PATHs of drafts, and no COMMAND")


def _approve(root: str, paths: list[str], *, dry_run: bool) -> None:
    """Set the description that each of *paths* has, as a person's own."""
    from memtool.jobs import describe as jobs

    changes = []
    for target in jobs.targets(root, paths):
        change = jobs.prepare(root, target.path, core.checked(target.description))
        if _show(change, always=dry_run):
            changes.append(change)
        _warn(change)
    _finish(root, [] if dry_run else changes, code=2)


def _set(root: str, path: str, text: str, *, dry_run: bool) -> None:
    from memtool.jobs import describe as jobs

    if os.path.lexists(text):
        raise MemtoolError(f"{text} is a file; PATH and TEXT are expected", hint="Set one description at a time.")
    text = core.checked(text)
    (target,) = jobs.targets(root, from_root(root, [path]))
    change = jobs.prepare(root, target.path, text)
    if _show(change, always=dry_run):
        _finish(root, [] if dry_run else [change], code=2)
    _warn(change)


def _fill(root: str, paths: list[str], command: str, *, timeout: int, yes: bool, dry_run: bool) -> None:
    """Let *command* describe each file, show what would change, and write it all: asked for, or as drafts."""
    from memtool.jobs import describe as jobs

    person = os.isatty(0) and os.isatty(1)
    names = [target.path for target in jobs.targets(root, paths)]
    if not names:
        write("Nothing to describe.\n")
        return
    changes, failed = [], False
    for number, path in enumerate(names, 1):
        if os.isatty(2):
            tell(f"{number}/{len(names)} {printable(path)}\n")
        try:
            change = jobs.propose(root, path, command, timeout=timeout, draft=not (person or yes))
        except MemtoolError as error:
            say(error)
            failed = True
            continue
        if _show(change, always=True):
            changes.append(change)
        _warn(change)
    if changes and not dry_run and person and not yes:
        dry_run = not typer.confirm(
            f"write {'this description' if len(changes) == 1 else f'these {len(changes)} descriptions'}?"
        )
    _finish(root, [] if dry_run else changes, code=1)
    if failed:
        raise typer.Exit(1)


def _show(change: Change, *, always: bool) -> bool:
    """Tell whether anything changes, and print what, or that nothing does."""
    if change.before == change.after:
        write(f"unchanged: {printable(change.path)}\n")
        return False
    if always:
        write_lines(change.diff())
    return True


def _warn(change: Change) -> None:
    if reason := core.present(change.path, change.after).reason:
        tell(f"memtool: {printable(change.path)}: weak: the description {reason}\n")


def _finish(root: str, changes: list[Change], *, code: int) -> None:
    from memtool.jobs.describe import apply

    applied = apply(root, changes)
    write_lines(applied.lines())
    for error in applied.failed:
        say(error)
    if applied.failed:
        raise typer.Exit(code)
