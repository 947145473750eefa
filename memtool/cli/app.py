"""The command line: each command parses, calls one job, prints, and returns a code.

Results go to stdout, all else to stderr. 0: done, or no error found; 1: an error, or nothing to show;
2: memtool could not. What is imported inside a command costs nothing to the others.
"""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import Annotated, NoReturn

import typer

import memtool
from memtool.cli import entries
from memtool.cli.console import (
    PIPE,
    AgentOption,
    DryRun,
    FormatOption,
    Output,
    discard_stdout,
    from_root,
    print_json,
    root_of,
    write,
    write_lines,
)
from memtool.cli.describe import describe
from memtool.cli.exam import evaluate
from memtool.cli.history import log, restore
from memtool.cli.review import resolve, review
from memtool.cli.split import split
from memtool.cli.sync import sync
from memtool.errors import MemtoolError
from memtool.hook import say, speak_utf8, today

app = typer.Typer(
    name="memtool",
    help="Keeps what AI agents remember in one git repository of markdown: small, routed, true and in sync.",
    epilog="Start with `memtool demo` to see it work, or `memtool init DIR` to make or adopt a memory repo.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich alone takes eight times as long to load as Python to start
)


class CheckOutput(StrEnum):
    """As text and json; `github` marks the lines of a pull request."""

    text = "text"
    json = "json"
    github = "github"


class StartOutput(StrEnum):
    """As text and json; the others are what a provider's API takes."""

    text = "text"
    json = "json"
    anthropic = "anthropic"
    openai = "openai"


def run() -> NoReturn:
    """Run the command line; the one place that turns errors into words and exit codes."""
    speak_utf8()
    _leave_out_others(sys.argv[1:])
    try:
        app()
    except MemtoolError as error:
        say(error)
        sys.exit(2)
    except OSError as error:
        discard_stdout()
        if not isinstance(error, BrokenPipeError):
            say(MemtoolError(f"output could not be written: {error.strerror}"))
            sys.exit(2)
        sys.exit(PIPE)
    sys.exit(0)


def _leave_out_others(args: list[str]) -> None:
    """Keep of the commands only the one that is asked for: Typer reads the signature of each, a third of its time."""
    asked = args[2:3] if args[:1] == ["-C"] else args[:1]
    named = [one for one in app.registered_commands if [one.name or getattr(one.callback, "__name__", "")] == asked]
    app.registered_commands = named or app.registered_commands


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"memtool {memtool.__version__}")
        raise typer.Exit


@app.callback()
def common(
    context: typer.Context,
    directory: Annotated[
        str | None,
        typer.Option("-C", metavar="DIR", help="The memory repo; else $MEMTOOL_REPO, else the one around here."),
    ] = None,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    context.obj = directory


@app.command()
def init(
    context: typer.Context,
    directory: Annotated[str, typer.Argument(metavar="[DIR]", help="The folder; made if missing.")] = ".",
    agent: AgentOption = None,
    remote: Annotated[str | None, typer.Option(metavar="URL", help="Sync with this; a memory there is cloned.")] = None,
    dry_run: DryRun = False,
    output: FormatOption = Output.text,
) -> None:
    """Make a memory repo, or adopt a folder.

    Adds only what is missing and overwrites nothing; run again, it changes nothing. Installs the git hooks that keep
    the budgets, and makes the first commit.
    """
    from memtool.jobs.setup.init import init as job

    report = job(
        directory if context.obj is None else context.obj, agent=agent, remote=remote, dry_run=dry_run, today=today()
    )
    if output is Output.json:
        print_json(report.asdict())
    else:
        write_lines(report.lines())
    raise typer.Exit(report.code)


@app.command()
def check(
    context: typer.Context,
    paths: Annotated[list[str] | None, typer.Argument(metavar="[PATH]...", help="Only these files or folders.")] = None,
    staged: Annotated[bool, typer.Option("--staged", help="Judge what the next commit would hold.")] = False,
    rev: Annotated[str | None, typer.Option(metavar="REV", help="Judge the tree of this commit.")] = None,
    output: Annotated[CheckOutput, typer.Option("--format", help="How to print.")] = CheckOutput.text,
) -> None:
    """Check budgets and contents; never edit anything.

    Of the work tree, of what is staged, or of a commit.

    Never edits and never truncates. Exit code 1 when an error is found, 2 when it could not be checked. With --staged,
    a file that is over budget already is refused only if the commit makes it grow.
    """
    from memtool.core import report
    from memtool.jobs import check as jobs

    if staged + bool(rev) + bool(paths) > 1:
        raise MemtoolError("--staged, --rev and PATH exclude one another")
    root = root_of(context)
    if staged:
        checked = jobs.check_staged(root, today=today())
    elif rev:
        checked = jobs.check_commit(root, rev, today=today())
    else:
        checked = jobs.check_work_tree(root, today=today(), paths=from_root(root, paths or []))
    if output is CheckOutput.json:
        print_json(report.asdict(checked.report))
    elif output is CheckOutput.github:
        write(report.github(checked.report))
    else:
        write(report.text(checked.report, checked.config, checked.snapshot))
    raise typer.Exit(1 if checked.report.errors else 0)


@app.command()
def index(
    context: typer.Context,
    proof: Annotated[
        bool, typer.Option("--check", help="Only prove that every file has one line, every line one file.")
    ] = False,
    dry_run: DryRun = False,
    output: FormatOption = Output.text,
) -> None:
    """Write the index that routes agents to files.

    One line a file, made from its description. --check proves that every file has one line, every line one file.
    """
    from memtool.jobs import index as jobs

    root = root_of(context)
    result = jobs.check_index(root) if proof else jobs.write_index(root, dry_run=dry_run)
    if output is Output.json:
        print_json(result.asdict())
    else:
        write_lines(result.lines())
    raise typer.Exit(1 if proof and result.findings else 0)


@app.command()
def digest(
    context: typer.Context,
    stdout: Annotated[bool, typer.Option("--stdout", help="Print it too.")] = False,
    as_of: Annotated[
        str | None, typer.Option(metavar="DATE", help="Print the digest of that day; write nothing.")
    ] = None,
    agent: AgentOption = None,
) -> None:
    """Write the digest of what moved lately.

    Computed from git history, for this agent; never committed.
    """
    from memtool.core.dates import is_date
    from memtool.edge import location
    from memtool.edge.location import load_config
    from memtool.edge.trees import Folder
    from memtool.jobs import session

    root = root_of(context)
    name = location.agent(root, agent)
    if as_of is not None:
        if not is_date(as_of):
            raise MemtoolError(f"{as_of!r} is no date; write it YYYY-MM-DD")
        write(session.digest_as_of(root, agent=name, day=as_of))
        return
    text = session.refresh_digest(root, agent=name, today=today())
    if stdout:
        write(text)
    else:
        write(f"written: {load_config(Folder(root))[0].digest} ({len(text.encode()):,} bytes)\n")


@app.command()
def start(
    context: typer.Context,
    agent: AgentOption = None,
    output: Annotated[StartOutput, typer.Option("--format", help="How to print.")] = StartOutput.text,
) -> None:
    """Print what a session reads at its start.

    Refreshes the digest first. Stable files come first, so that a provider's prompt cache keeps them.
    """
    from memtool.core import startpack
    from memtool.edge import location
    from memtool.jobs.start import start as job

    root = root_of(context)
    pack = job(root, agent=location.agent(root, agent), today=today())
    for note in pack.notes:
        print(f"memtool: {note}", file=sys.stderr)
    if output is StartOutput.text:
        write(startpack.text(pack))
        return
    shapes = {"json": startpack.asdict, "anthropic": startpack.anthropic, "openai": startpack.openai}
    print_json(shapes[output.value](pack))


@app.command()
def stats(context: typer.Context, output: FormatOption = Output.text) -> None:
    """Print the bill of the memory.

    What reading everything costs, what the start costs, one topic on top; and the files to split first.
    """
    from memtool.core import stats as core
    from memtool.edge.location import load_config
    from memtool.edge.trees import WorkTree

    tree = WorkTree(root_of(context))
    bill = core.stats(tree, load_config(tree)[0])
    if output is Output.json:
        print_json(core.asdict(bill))
    else:
        write(core.text(bill))


app.command()(entries.remember)
app.command()(entries.recall)
app.command()(entries.show)
app.command()(entries.recent)
app.command()(entries.revise)
app.command()(entries.forget)
app.command()(entries.verify)
app.command()(log)
app.command()(restore)
app.command("eval")(evaluate)
app.command()(sync)
app.command()(split)
app.command()(describe)
app.command()(review)
app.command()(resolve)


@app.command()
def doctor(context: typer.Context, output: FormatOption = Output.text) -> None:
    """Say what is wrong here, and how to mend it."""
    import time

    from memtool.jobs.setup import checkup
    from memtool.jobs.setup.doctor import doctor as job

    checks = job(root_of(context), now=time.time())
    if output is Output.json:
        print_json({"schema": "memtool.doctor/1", "checks": [check.asdict() for check in checks]})
    else:
        write_lines(checkup.lines(checks))
    raise typer.Exit(1 if any(check.status == "fail" for check in checks) else 0)


@app.command()
def demo() -> None:
    """Show the product on a memory of its own.

    In a temporary folder, without network; the folder stays, to be looked at.
    """
    from memtool.jobs.demo import demo as job

    for line in job(today=today()):
        write(line + "\n")


@app.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
def hook(context: typer.Context, event: str, args: Annotated[list[str] | None, typer.Argument()] = None) -> None:
    """Run what git and agent hosts call.

    `memtool hook --help` lists the events.
    """
    from memtool.hook import main

    if context.obj is not None:
        os.chdir(root_of(context))
    main([event, *(args or [])])
