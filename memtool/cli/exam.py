"""`memtool eval`: exams of recall."""

from __future__ import annotations

from typing import Annotated

import typer

from memtool.cli.console import FormatOption, Output, print_json, root_of, write
from memtool.errors import MemtoolError
from memtool.hook import tell, today


def evaluate(
    context: typer.Context,
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="Cases, in YAML or JSONL.")] = None,
    own: Annotated[bool, typer.Option("--self", help="The exam that this memory itself sets.")] = False,
    output: FormatOption = Output.text,
) -> None:
    """Sit a recall exam: whether the right thing comes out, and nothing void.

    FILE holds cases that set a memory up, change it and ask it, each on a memory of its own in a temporary folder.
    --self asks your memory by its own descriptions and void texts, and changes nothing. Exit code 1 where something
    void, forbidden or invented comes out.
    """
    from memtool.core.exam import report
    from memtool.core.exam.report import hard
    from memtool.jobs import exam

    if own == (file is not None):
        raise MemtoolError("which exam?", hint="memtool eval FILE, or memtool eval --self; docs/eval.md has the form.")
    if file is not None:
        verdicts, warnings = exam.sit_file(file, today=today())
        for warning in warnings:
            tell(f"memtool: {warning.path}:{warning.line}: {warning.message}\n")
    else:
        verdicts = exam.sit_self(root_of(context), today=today())
    if output is Output.json:
        print_json(report.asdict(verdicts))
    else:
        write(report.text(verdicts))
    raise typer.Exit(1 if hard(verdicts) else 0)
