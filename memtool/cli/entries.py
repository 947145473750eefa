"""The commands of entries: remember, recall, show, recent, revise, forget, verify."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

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
from memtool.core.terminal import printable
from memtool.errors import MemtoolError
from memtool.hook import tell, today

if TYPE_CHECKING:
    from memtool.core.recall.hit import Hit
    from memtool.jobs.revise import Changed, Writer

Ref = Annotated[str, typer.Argument(metavar="REF", help="path#slug or path#slug@hash, as `recall` prints it.")]
Reason = Annotated[str, typer.Option("--reason", metavar="WHY", help="Why it no longer holds.")]
Budget = Annotated[
    int, typer.Option(metavar="BYTES", min=256, help="At most so many bytes of text; --format json is not cut.")
]


def remember(
    context: typer.Context,
    text: Annotated[str | None, typer.Argument(help="What to remember; else standard input, else your editor.")] = None,
    to: Annotated[str | None, typer.Option(metavar="PATH", help="The file; else your journal of the month.")] = None,
    title: Annotated[str, typer.Option(metavar="T", help="Else the first clause of the text.")] = "",
    scope: Annotated[
        str, typer.Option(metavar="S", help="Where it holds: `*`, or kind:name such as project:blog.")
    ] = "",
    date: Annotated[str | None, typer.Option(metavar="DATE", help="The day on which it was so; else today.")] = None,
    why: Annotated[str, typer.Option(metavar="WHY", help="The reason.")] = "",
    source: Annotated[str, typer.Option(metavar="S", help="Where it comes from.")] = "",
    valid_until: Annotated[str, typer.Option(metavar="DATE", help="The last day on which it holds.")] = "",
    agent: AgentOption = None,
    dry_run: DryRun = False,
    output: FormatOption = Output.text,
) -> None:
    """Remember one conclusion: a dated entry, committed.

    Record conclusions and reasons, not how you got there; one fact an entry. Prints the ref of the entry once it is on
    disk: what was reported is never lost.

    \b
    memtool remember "Keep each post at 4,000 words or more." --scope project:blog --why "readers finish them"
    git log -1 --format=%B | memtool remember --title "Why the parser is hand-written"
    """  # noqa: D301 (the \b keeps these lines apart in the help)
    from memtool.core.writing.compose import Draft
    from memtool.edge import location
    from memtool.jobs.remember import remember as job

    root = root_of(context)
    draft = Draft(_text(root, text), date or today(), title, scope, why, source, valid_until)
    path = to if to is None else place_in(root, to)
    done, entry = job(root, draft, agent=location.agent(root, agent), to=path, dry_run=dry_run)
    if output is Output.json:
        print_json({"schema": "memtool.remember/1", **done.asdict(), "notes": list(done.notes)})
    elif dry_run:
        write(f"would be {done.ref}:\n\n{entry.decode('utf-8', 'replace')}")
    else:
        write(f"{printable(done.ref)}\n")
    for note in done.notes:
        tell("memtool: " + "\n".join(map(printable, note.split("\n"))) + "\n")


def _text(root: str, given: str | None) -> str:
    """Give the text of an argument, of standard input, or of the user's editor."""
    if given is None and sys.stdin is not None and not sys.stdin.isatty():
        given = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    elif given is None:
        from memtool.edge.editor import edit

        given = edit(root)
    try:
        given.encode()
    except UnicodeEncodeError:
        raise MemtoolError("the text is not UTF-8; nothing was stored") from None
    if not given.strip():
        raise MemtoolError("nothing to remember", hint='memtool remember "the conclusion" --why "the reason"')
    return given.strip("\r\n")


def recall(
    context: typer.Context,
    words: Annotated[list[str], typer.Argument(metavar="QUERY", help="Any words of the task at hand.")],
    k: Annotated[int, typer.Option("-k", metavar="N", min=1, max=100, help="At most so many entries.")] = 3,
    budget: Budget = 8192,
    scope: Annotated[str, typer.Option(metavar="S", help="Only entries of this scope, or of none.")] = "",
    as_of: Annotated[str, typer.Option(metavar="DATE", help="What was remembered on that day.")] = "",
    include: Annotated[
        list[str] | None, typer.Option(metavar="STATUS", help="Show void or expired entries too, qualified.")
    ] = None,
    files: Annotated[bool, typer.Option("--files", help="Which files to open, by their descriptions.")] = False,
    output: FormatOption = Output.text,
) -> None:
    """Find what is remembered, by the words of the task.

    In any language; no word has a special meaning. Each entry comes with its date, scope, age, status and who wrote it,
    quoted as data. Void and expired text is left out. Nothing near enough: says so, exit code 1.
    """
    from memtool.core.dates import is_date
    from memtool.core.recall.shown import text
    from memtool.jobs.recall import Question
    from memtool.jobs.recall import recall as job

    root = root_of(context)
    if as_of and not is_date(as_of):
        raise MemtoolError(f"{as_of!r} is no date; write it YYYY-MM-DD")
    if unknown := set(include or ()) - {"void", "expired"}:
        raise MemtoolError(f"--include {min(unknown)}: void or expired are left out, and can be included")
    if files:
        _files(root, " ".join(words), k, scope, output)
        return
    found = job(root, Question(" ".join(words), scope, frozenset(include or ()), as_of), today=today(), k=k)
    if output is Output.json:
        print_json(found.asdict())
    elif found.hits:
        write(text(found.hits, budget=budget, as_of=as_of))
    if not found.hits:
        more = "".join(f"; what is {status} would, with --include {status}" for status in found.hidden)
        tell(f"memtool: nothing is remembered that answers this{more}\n")
        raise typer.Exit(1)


def _files(root: str, query: str, k: int, scope: str, output: Output) -> None:
    from memtool.jobs.recall import files as job

    found = job(root, query, k=k, today=today(), scope=scope)
    if output is Output.json:
        listed = [{"path": path, "description": about} for path, about in found]
        print_json({"schema": "memtool.recall-files/1", "query": query, "files": listed})
    elif found:
        write_lines(f"{printable(path)}  {printable(about) or '(no description)'}" for path, about in found)
    if not found:
        tell("memtool: no description answers this\n")
        raise typer.Exit(1)


def show(context: typer.Context, ref: Ref, output: FormatOption = Output.text) -> None:
    """Show one entry by its ref, also where it has moved."""
    from memtool.core.recall.shown import text
    from memtool.jobs.recall import show as job

    hit = job(root_of(context), ref, today=today())
    if output is Output.json:
        print_json({"schema": "memtool.show/1", "hit": hit.asdict()})
    else:
        write(text([hit], budget=1 << 30))


def recent(
    context: typer.Context,
    n: Annotated[int, typer.Option("-n", metavar="N", min=1, help="How many.")] = 5,
    agent: AgentOption = None,
    output: FormatOption = Output.text,
) -> None:
    """List the newest entries of the journals; with --agent those of one agent."""
    from memtool.jobs.recall import recent as job

    hits = job(root_of(context), today=today(), n=n, agents=[agent] if agent else [])
    if output is Output.json:
        print_json({"schema": "memtool.recent/1", "hits": [hit.asdict() for hit in hits]})
    elif hits:
        write_lines(line for hit in hits for line in _recent(hit))
    if not hits:
        tell("memtool: no journal holds a dated entry yet; `memtool remember` writes one\n")
        raise typer.Exit(1)


def _recent(hit: Hit) -> Iterator[str]:
    first = next((line for line in hit.text.splitlines() if line.strip()), "")
    status = "" if hit.status == "current" else f"  ({hit.status})"
    yield f"{printable(hit.ref)}{status}"
    yield f"  {printable(first[:110])}{'…' if len(first) > 110 else ''}"


def revise(
    context: typer.Context,
    ref: Ref,
    void: Annotated[str, typer.Option("--void", metavar="TEXT", help="The smallest part that no longer holds.")],
    reason: Reason,
    now: Annotated[str, typer.Option("--now", metavar="TEXT", help="What holds in its place.")] = "",
    agent: AgentOption = None,
    dry_run: DryRun = False,
    output: FormatOption = Output.text,
) -> None:
    """Correct an entry: what no longer holds is kept, quoted as void, with the reason.

    It leaves the live text, so that it never comes back as current.
    """
    from memtool.jobs.revise import revise as job

    _print(job(_writer(context, agent, dry_run), ref, void=void, reason=reason, now=now), output, dry_run=dry_run)


def forget(
    context: typer.Context,
    ref: Ref,
    reason: Reason,
    agent: AgentOption = None,
    dry_run: DryRun = False,
    output: FormatOption = Output.text,
) -> None:
    """Withdraw an entry: all of it is void from today, with the reason."""
    from memtool.jobs.revise import forget as job

    _print(job(_writer(context, agent, dry_run), ref, reason=reason), output, dry_run=dry_run)


def verify(
    context: typer.Context,
    ref: Ref,
    agent: AgentOption = None,
    dry_run: DryRun = False,
    output: FormatOption = Output.text,
) -> None:
    """Confirm an entry: it was found to hold today."""
    from memtool.jobs.revise import verify as job

    _print(job(_writer(context, agent, dry_run), ref), output, dry_run=dry_run)


def _writer(context: typer.Context, agent: str | None, dry_run: bool) -> Writer:
    from memtool.edge import location
    from memtool.jobs.revise import Writer

    root = root_of(context)
    return Writer(root, location.agent(root, agent), today(), dry_run)


def _print(done: Changed, output: Output, *, dry_run: bool) -> None:
    if output is Output.json:
        print_json({"schema": "memtool.revise/1", **done.asdict()})
    elif dry_run:
        write(f"would be {printable(done.ref)}:\n\n{done.text}{'' if done.text.endswith(os.linesep) else os.linesep}")
    else:
        write(f"{printable(done.ref)}\n")
