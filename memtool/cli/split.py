"""`memtool split`: cut a big file, prove the cuts of the past, mend the links that they broke."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from memtool.cli.console import (
    AgentOption,
    DryRun,
    FormatOption,
    Output,
    from_root,
    place_in,
    print_json,
    root_of,
    write_lines,
)
from memtool.errors import MemtoolError

if TYPE_CHECKING:
    from memtool.jobs.split.history import Proved
    from memtool.jobs.split.relink import Relinked
    from memtool.jobs.split.split import Split


def split(
    context: typer.Context,
    file: Annotated[
        str | None,
        typer.Argument(metavar="[FILE|REV]", help="The file to split; with --verify or --relink, a split commit."),
    ] = None,
    level: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=6, help="Cut at headings of level N; else to parts of 8 KB.")
    ] = None,
    deep: Annotated[bool, typer.Option("--deep", help="Cut a section over 8 KB one level deeper.")] = False,
    setext: Annotated[bool, typer.Option("--setext", help="Cut at underlined headings too.")] = False,
    into: Annotated[
        str | None, typer.Option(metavar="DIR", help="Put the parts there; else beside the file, or in topics/.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Leave no route where the file was.")] = False,
    relink: Annotated[
        bool,
        typer.Option(
            "--relink", help="Mend the links that it breaks, in a second commit; without FILE those of the split REV."
        ),
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Prove a split commit, or all of them, from history.")
    ] = False,
    agent: AgentOption = None,
    dry_run: DryRun = False,
    output: FormatOption = Output.text,
) -> None:
    """Split a big memory file along its headings, byte for byte.

    Each part becomes a file with a drafted description; the file stays as a short route to them. Nothing is rewritten,
    and that is proved: before anything is written, and from history with --verify. See --dry-run first.

    \b
    split FILE --dry-run       the plan: parts, headings, links that break
    split FILE                 do it: one commit, which `git revert` undoes
    split --relink [REV]       mend the links that a split broke
    split --verify [REV]       prove that a split lost nothing
    """  # noqa: D301 (the \b keeps these lines apart in the help)
    from memtool.edge import location

    cuts = [name for name, given in (("--level", level), ("--deep", deep), ("--setext", setext), ("--into", into),
                                     ("--remove", remove)) if given]  # fmt: skip
    root = root_of(context)
    _refuse_aimless(cuts if verify or (relink and not _is_file(root, file)) else [], verify and (relink or dry_run))
    if verify:
        raise typer.Exit(_verify(root, file, output))
    name = location.agent(root, agent)
    if relink and not _is_file(root, file):
        _mend(root, file, name, output, dry_run=dry_run)
        return
    if file is None:
        raise MemtoolError("which file?", hint="memtool split FILE --dry-run; `memtool stats` names the largest.")
    from memtool.core.split.plan import Cut
    from memtool.jobs.split.split import split as job

    (source,) = from_root(root, [file])
    folder = into if into is None else place_in(root, into)
    cut = Cut(level=level or 0, deep=deep, setext=setext, remove=remove, into=folder)
    done = job(root, source, cut=cut, agent=name, dry_run=dry_run)
    mended, problem = None, None
    if relink and done.commit:
        try:
            mended = _relinked(root, done, name)
        except MemtoolError as error:  # the split stands; it is said before what went wrong
            problem = error
    if output is Output.json:
        _print_json(done, mended)
    else:
        write_lines(_lines(done, mended))
    if problem:
        raise problem


def _refuse_aimless(cuts: list[str], mixed: bool) -> None:
    """Raise MemtoolError for options that would do nothing."""
    if cuts:
        raise MemtoolError(f"{', '.join(cuts)}: nothing is cut by --verify, or by --relink without a FILE")
    if mixed:
        raise MemtoolError("--verify only reads; --relink and --dry-run do not go with it")


def _is_file(root: str, typed: str | None) -> bool:
    return typed is not None and (os.path.lexists(typed) or os.path.lexists(os.path.join(root, typed)))


def _relinked(root: str, done: Split, agent: str) -> Relinked:
    from memtool.jobs.split.relink import relink

    return relink(root, done.links, agent=agent)


def _print_json(done: Split, mended: Relinked | None) -> None:
    from memtool.core.split import report

    more = {"commit": done.commit, "relink_commit": mended.commit if mended else ""}
    print_json({**report.asdict(done.plan, done.links, done.notes), **more})


def _lines(done: Split, mended: Relinked | None) -> Iterator[str]:
    from memtool.core.split import report

    yield from report.text(done.plan, done.notes, headings=not done.commit)
    yield ""
    if not done.commit:
        if done.links:
            yield from report.link_lines(done.links)
            yield ""
        yield "Nothing is written yet; the same command without --dry-run does it."
        return
    commits = [done.commit[:12]]
    yield f"Split, and proved byte for byte: commit {done.commit[:12]}"
    if mended:
        yield from _mended(mended)
        commits = [mended.commit[:12], *commits] if mended.commit else commits
    elif done.links:
        yield f"{len(done.links):,} links break; mend them:  memtool split --relink {done.commit[:12]}"
    yield "Improve the descriptions:  memtool describe"
    yield f"Undo, while nothing else has changed:  git revert --no-edit {' '.join(commits)}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _mend(root: str, revision: str | None, agent: str, output: Output, *, dry_run: bool) -> None:
    from memtool.core.split import report
    from memtool.jobs.split.relink import broken_by, relink

    found = broken_by(root, revision)
    result = relink(root, found.links, agent=agent, dry_run=dry_run)
    if output is Output.json:
        print_json(
            {
                "schema": "memtool.relink/1",
                "commit": result.commit,
                "mended": report.link_dicts(result.mended),
                "left": report.link_dicts(result.left),
                "edited": list(found.edited),
            }
        )
        return
    write_lines([*_mended(result, dry_run=dry_run), *_not_looked_at(found.edited)])


def _mended(result: Relinked, *, dry_run: bool = False) -> Iterator[str]:
    """Yield what was mended, and what is left for a person, with the reason."""
    from memtool.core.split.report import link_line

    verb = "would be mended" if dry_run else "mended"
    said = f": commit {result.commit[:12]}" if result.commit else ""
    yield f"{_count(len(result.mended), 'link')} {verb}{said}"
    for link in result.left:
        why = (
            "the file has changes that are not committed"
            if link.path in result.touched
            else "it has to be mended by hand"
        )
        yield f"  {link_line(link)}; left, for {why}"


def _not_looked_at(edited: Sequence[str]) -> Iterator[str]:
    from memtool.core.terminal import printable

    for path in edited:
        yield f"  not looked at  {printable(path)}: its text was changed since the split"


def _verify(root: str, revision: str | None, output: Output) -> int:
    from memtool.jobs.split.history import prove_all

    proved = prove_all(root, revision)
    if output is Output.json:
        print_json({"schema": "memtool.split-verify/1", "commits": [one.asdict() for one in proved]})
    else:
        write_lines(line for one in proved for line in _proof(one))
    faulty = sum(bool(one.faults) for one in proved)
    if faulty:
        print(f"memtool: {faulty} of {_count(len(proved), 'split')} could not be proved", file=sys.stderr)
    return 1 if faulty else 0


def _proof(one: Proved) -> Iterator[str]:
    from memtool.core.terminal import printable

    what = f"{one.commit[:12]}  {printable(one.source) or '?'}  {one.bytes:,} bytes in {one.parts} files"
    yield f"{what}  {'FAILED' if one.faults else 'proved'}"
    yield from (f"  {printable(fault)}" for fault in one.faults)
    yield from (f"  note: {printable(note)}" for note in one.notes)
