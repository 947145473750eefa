"""The commands of history: log, restore."""

from __future__ import annotations

from typing import Annotated

import typer

from memtool.cli.console import (
    AgentOption,
    DryRun,
    FormatOption,
    Output,
    place_in,
    print_json,
    root_of,
    write_lines,
)
from memtool.core.log.report import OID
from memtool.core.terminal import printable
from memtool.hook import tell


def log(
    context: typer.Context,
    target: Annotated[
        str | None, typer.Argument(metavar="[PATH|REF]", help="A file, or an entry as path#slug; else all memory.")
    ] = None,
    n: Annotated[int, typer.Option("-n", metavar="N", min=1, help="At most so many, the newest.")] = 20,
    output: FormatOption = Output.text,
) -> None:
    """Say who changed what, when and why.

    From git history: of all memory, of one file, or of one entry, through renames and splits, and also of what is gone.
    Reads only; no command of the repo is run.

    \b
    memtool log                              the newest commits that changed memory
    memtool log topics/git.md                one file, back to its first commit
    memtool log topics/git.md#exit-codes     one entry: recorded, revised, moved, and why
    """  # noqa: D301 (the \b keeps these lines apart in the help)
    from memtool.core.log import report
    from memtool.jobs import log as jobs

    root = root_of(context)
    found = jobs.newest(root, n=n) if target is None else jobs.log(root, _placed(root, target), n=n)
    if output is Output.json:
        print_json(found.asdict())
    elif found.changes:
        write_lines(report.lines(found) if target else report.memory_lines(found))
    if not found.changes:
        tell("memtool: no commit has changed memory yet\n")
        raise typer.Exit(1)


def restore(
    context: typer.Context,
    target: Annotated[str, typer.Argument(metavar="PATH|REF", help="A file, or an entry as path#slug[@hash].")],
    at: Annotated[
        str, typer.Option("--at", metavar="REV", help="As this commit has it; else as before the last change.")
    ] = "",
    agent: AgentOption = None,
    dry_run: DryRun = False,
    output: FormatOption = Output.text,
) -> None:
    """Bring back a file or an entry as it was.

    What is gone comes back as it was last, what is there as it was before its last change. It is a new commit, so
    nothing that is there now is lost; what is not committed is refused, and so is a text that is void by now. Only a
    file whose deletion is not committed needs no commit.

    \b
    memtool restore topics/git.md --dry-run       what would change
    memtool restore topics/git.md --at HEAD~3     the file as it was then
    memtool restore topics/git.md#exit-codes      one entry, in its old place
    """  # noqa: D301 (the \b keeps these lines apart in the help)
    from memtool.edge import location
    from memtool.jobs.restore import restore as job

    root = root_of(context)
    done = job(root, _placed(root, target), agent=location.agent(root, agent), at=at, dry_run=dry_run)
    if output is Output.json:
        print_json(done.asdict())
        return
    name = printable(done.ref or done.path)
    if not done.diff:
        write_lines([f"{name} is so already"])
    elif dry_run:
        write_lines(map(printable, [f"would restore {name} from {done.version[:OID]}:", "", *done.diff.splitlines()]))
    elif not done.commit:
        write_lines([f"{name}, as in {done.version[:OID]}: its deletion was not committed, so no commit was needed"])
    else:
        write_lines([f"{name}, as in {done.version[:OID]}: commit {done.commit[:OID]}"])


def _placed(root: str, target: str) -> str:
    """Give a path or a ref as typed, from the current folder or from the root of the repo, as one from the root."""
    path, mark, slug = target.rpartition("#")
    return place_in(root, path) + mark + slug if mark and path else place_in(root, target)
