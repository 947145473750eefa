"""What the commands share: their common options, and how a result is printed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Any

import typer

from memtool.errors import MemtoolError

PIPE = 141
"""128 + SIGPIPE: how a shell reports a program whose reader went away."""


class Output(StrEnum):
    """Plain text for people, JSON for programs."""

    text = "text"
    json = "json"


AgentOption = Annotated[str | None, typer.Option("--agent", metavar="NAME", help="Whose session it is.")]
FormatOption = Annotated[Output, typer.Option("--format", help="How to print.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done; change nothing.")]


def write(text: str) -> None:
    """Write a result to stdout, at once, so that a full disk or a closed pipe is met here and not at exit."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        discard_stdout()
        sys.exit(PIPE)


def write_lines(lines: Iterable[str]) -> None:
    write("\n".join(lines) + "\n")


def print_json(document: dict[str, Any]) -> None:
    import json

    write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def discard_stdout() -> None:
    """Let what is still buffered go nowhere: Python would fail over it once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def root_of(context: typer.Context) -> str:
    """Give the memory repo that the command is for, with what a killed command left undone first."""
    from memtool.edge.location import cache_path, find_root, leave_foreign_environment

    root = find_root(context.obj)
    leave_foreign_environment(root)
    if os.path.lexists(cache_path(root, "undo")):
        from memtool.edge.transaction import recover

        if said := recover(root):
            print(f"memtool: {said}", file=sys.stderr)
    return root


def from_root(root: str, paths: list[str]) -> list[str]:
    """Give paths as typed, from the current folder or from the root of the repo, as paths from the root."""
    places = [place_in(root, path) for path in paths]
    for path, place in zip(paths, places, strict=True):
        if not os.path.lexists(os.path.join(root, place)):
            raise MemtoolError(f"{path}: no such file or folder")
    return places


def place_in(root: str, path: str) -> str:
    """Give one such path, of what may not exist yet; raises MemtoolError where it leads out of the repo."""
    folder = os.path.realpath(os.path.dirname(path) or ".")
    place = os.path.relpath(os.path.join(folder, os.path.basename(path)), root)
    if place.split(os.sep)[0] == ".." and not os.path.isabs(path):
        place = os.path.normpath(path)
    if place.split(os.sep)[0] in {"..", ".git"}:
        raise MemtoolError(f"{path} is not in the memory repo {root}")
    return "" if place == "." else place
