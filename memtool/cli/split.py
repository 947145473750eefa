"""`memtool split`: cut a big file, prove the cuts of the past, mend the links that they broke."""

from __future__ import annotations

import sys
from collections.abc import Iterator
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
        str | None, typer.Argument(metavar="[FILE|REV]", help="The file to split; with --verify, one commit.")
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
        bool, typer.Option("--relink", help="Mend the broken links in a second commit; alone: of the newest split.")
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
    and that is proved: before anything is written, and from history with --verify. All of it is one commit;
    `git revert` undoes it. See --dry-run first.
    """
    from memtool.edge import location

    root = root_of(context)
    if verify:
        raise typer.Exit(_verify(root, file, output))
    name = location.agent(root, agent)
    if file is None:
        if not relink:
            raise MemtoolError("which file?", hint="memtool split FILE --dry-run; `memtool stats` names the largest.")
        _mend(root, name, output, dry_run=dry_run)
        return
    from memtool.core.split.plan import Cut
    from memtool.jobs.split.split import split as job

    (source,) = from_root(root, [file])
    cut = Cut(level=level or 0, deep=deep, setext=setext, remove=remove)
    done = job(root, source, cut=cut, into=into if into is None else place_in(root, into), agent=name, dry_run=dry_run)
    mended = _relinked(root, done, name) if relink and done.commit else None
    if output is Output.json:
        _print_json(done, mended)
    else:
        write_lines(_lines(done, mended))


def _relinked(root: str, done: Split, agent: str) -> Relinked:
    from memtool.jobs.split.relink import relink

    return relink(root, done.links, agent=agent)


def _print_json(done: Split, mended: Relinked | None) -> None:
    from memtool.core.split import report

    more = {"commit": done.commit, "relink_commit": mended.commit if mended else ""}
    print_json({**report.asdict(done.plan, done.links), **more})


def _lines(done: Split, mended: Relinked | None) -> Iterator[str]:
    from memtool.core.split import report

    yield from report.text(done.plan, headings=not done.commit)
    left = mended.left if mended else done.links
    if mended and mended.commit:
        yield f"{_count(len(mended.mended), 'link')} mended: commit {mended.commit[:12]}"
    if left:
        yield ""
        yield f"{_count(len(left), 'link')} to look at:"
        yield from report.link_lines(left)
    yield ""
    if not done.commit:
        yield "Nothing is written yet; the same command without --dry-run does it."
        return
    yield f"Split, and proved byte for byte: commit {done.commit[:12]}. Undo: git revert {done.commit[:12]}"
    if any(link.replacement is not None for link in left):
        yield "Mend the links:            memtool split --relink"
    yield "Improve the descriptions:  memtool describe"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _mend(root: str, agent: str, output: Output, *, dry_run: bool) -> None:
    from memtool.core.split import report
    from memtool.jobs.split.relink import broken_by_last_split, relink

    result = relink(root, broken_by_last_split(root), agent=agent, dry_run=dry_run)
    if output is Output.json:
        print_json(
            {
                "schema": "memtool.relink/1",
                "commit": result.commit,
                "mended": report.link_dicts(result.mended),
                "left": report.link_dicts(result.left),
            }
        )
        return
    verb = "would be mended" if dry_run else "mended"
    said = f": commit {result.commit[:12]}" if result.commit else ""
    lines = [f"{_count(len(result.mended), 'link')} {verb}{said}", *report.link_lines(result.mended)]
    if result.left:
        lines += ["", f"{_count(len(result.left), 'link')} to look at:", *report.link_lines(result.left)]
    write_lines(lines)


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
    from memtool.core.report import printable

    what = f"{one.commit[:12]}  {printable(one.source) or '?'}  {one.bytes:,} bytes in {one.parts} files"
    yield f"{what}  {'FAILED' if one.faults else 'proved'}"
    yield from (f"  {printable(fault)}" for fault in one.faults)
