"""The commands for what needs a person: review, resolve."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memtool.cli.console import (
    AgentOption,
    DryRun,
    FormatOption,
    Output,
    place_in,
    print_json,
    root_of,
    write,
    write_lines,
)
from memtool.errors import MemtoolError
from memtool.hook import today

if TYPE_CHECKING:
    from memtool.jobs.revise import Writer

Keep = Annotated[
    Literal["here", "copy", "both"] | None, typer.Option("--keep", help="Close it: which of the two texts is right.")
]


def review(context: typer.Context, output: FormatOption = Output.text) -> None:
    """List what needs a person, the most urgent first.

    What a merge set aside, what is over budget, what is due to be looked at, what cannot be read, what waits in the
    inbox, descriptions that no person has approved; with what settles each. Exit code 1 while anything waits.

    \b
    memtool review    once a week, and before a `git push`
    """  # noqa: D301 (the \b keeps these lines apart in the help)
    from memtool.jobs.review import review as job

    found = job(root_of(context), today=today())
    if output is Output.json:
        print_json(found.asdict())
    else:
        write(found.text())
    raise typer.Exit(1 if found.groups else 0)


def _offered(context: typer.Context, incomplete: str) -> list[str]:
    """Offer a shell the copies of the open conflicts; the options before the command are read, but not acted upon."""
    from memtool.edge.location import find_root
    from memtool.jobs.conflict import conflicts

    above = context.parent.params if context.parent else {}
    try:
        found = conflicts(find_root(above.get("directory")))
    except MemtoolError:
        return []
    return [one.place for one in found if one.place.startswith(incomplete)]


def resolve(
    context: typer.Context,
    copy: Annotated[
        str | None,
        typer.Argument(
            metavar="[COPY]",
            help="A conflict copy, by its path or name; or the file, where one conflict is open.",
            autocompletion=_offered,
        ),
    ] = None,
    keep: Keep = None,
    agent: AgentOption = None,
    dry_run: DryRun = False,
    output: FormatOption = Output.text,
) -> None:
    """Close a conflict: say which of two texts is right.

    Where two machines changed the same text, a merge keeps one in its place and sets the other aside, in a conflict
    copy. Closing it deletes the copy, in one commit, and changes nothing else.

    \b
    resolve                     list the open conflicts
    resolve COPY                show both texts of one
    resolve COPY --keep here    what stands in the file is right, as it is or as you have edited it
    resolve COPY --keep copy    what was set aside is right: it takes that place
    resolve COPY --keep both    both are: what was set aside goes behind the other
    """  # noqa: D301 (the \b keeps these lines apart in the help)
    from memtool.jobs import resolve as jobs
    from memtool.jobs.conflict import conflict, conflicts, inline

    _refuse_aimless(copy, keep, dry_run=dry_run)
    root = root_of(context)
    done = None
    if copy is None:
        open_ones = conflicts(root)
    elif keep is None:
        open_ones = [conflict(root, _named(root, copy))]
    else:
        done = jobs.close(_writer(root, agent, dry_run), _named(root, copy), keep)
        open_ones = conflicts(root)
    if output is Output.json:
        print_json(jobs.asdict(open_ones, inline(root), done))
    elif done:
        write_lines(done.lines())
    else:
        write_lines(jobs.overview(open_ones, inline(root)) if copy is None else open_ones[0].shown())


def _named(root: str, copy: str) -> str:
    """Give a path as typed as one from the root; a bare name of what is not here stays as it is."""
    return place_in(root, copy) if "/" in copy or os.path.lexists(copy) else copy


def _refuse_aimless(copy: str | None, keep: str | None, *, dry_run: bool) -> None:
    """Raise MemtoolError for options that would do nothing."""
    if keep is None and dry_run:
        raise MemtoolError("--dry-run goes with --keep", hint="Without --keep nothing is changed anyhow.")
    if keep is not None and copy is None:
        raise MemtoolError("--keep closes one conflict", hint="Name its copy; memtool resolve lists the open ones.")


def _writer(root: str, agent: str | None, dry_run: bool) -> Writer:
    from memtool.edge import location
    from memtool.jobs.revise import Writer

    return Writer(root, location.agent(root, agent), today(), dry_run)
