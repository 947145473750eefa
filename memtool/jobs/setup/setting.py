"""Who `init` is run for, and what its remote means: settled before anything is changed."""

from __future__ import annotations

import os

from memtool.edge import remote as remotes
from memtool.edge import repository
from memtool.edge.location import head, is_agent_name
from memtool.edge.plumbing import git
from memtool.edge.repository import Place
from memtool.errors import MemtoolError
from memtool.model import Record


class Name(Record):
    """The agent of this machine."""

    text: str
    origin: str
    store: bool
    """It is to be kept in this repo's configuration."""


def name_for(place: Place, given: str | None) -> Name:
    stored = _stored(place)
    for text, origin in (
        (given, "--agent"),
        (os.environ.get("MEMTOOL_AGENT"), "$MEMTOOL_AGENT"),
        (stored, "git config memtool.agent"),
    ):
        if text:
            if not is_agent_name(text):
                raise MemtoolError(
                    f"{text!r} ({origin}) cannot name an agent",
                    hint="Letters, digits, `.`, `_` and `-`, at most 64, starting with a letter or digit.",
                )
            return Name(text, origin, store=(text != stored and origin == "--agent") or not stored)
    return Name(_host_name(), "from the name of this machine; another: memtool init --agent NAME", store=True)


def _stored(place: Place) -> str:
    where = place.path if place.is_repo else os.sep
    return git(where, "config", "--get", "memtool.agent", ok=(0, 1)).decode("utf-8", "replace").strip()


def _host_name() -> str:
    """Make a name of this machine's own; it is stored, for host names change."""
    host = os.uname().nodename.partition(".")[0].lower()
    name = "".join(char if char.isascii() and char.isalnum() else "-" for char in host).strip("-")[:64].strip("-")
    return name if name and name != "localhost" else "agent"


class Tie(Record):
    """What is to be done about the remote."""

    url: str = ""
    clone: bool = False
    add: bool = False
    branch: str = ""


def tie_to(place: Place, url: str) -> Tie:
    """Ask the remote what it holds, and decide; raises MemtoolError where two histories would meet."""
    known = repository.origin(place.path) if place.is_repo else ""
    if known and _plain(known) != _plain(url):
        raise MemtoolError(
            f"{place.path}: its remote `origin` is {remotes.masked(known)}, not {remotes.masked(url)}",
            hint="Change it yourself, if you mean to: git remote set-url origin URL",
        )
    if known and head(place.path):
        return Tie()
    far = remotes.ask(url)
    elsewhere = f"Clone it into a new folder: memtool init NEW-FOLDER --remote {remotes.masked(url)}"
    if place.is_repo:
        if far.refs and not _related(place.path, far.tips):
            raise MemtoolError(
                f"{remotes.masked(url)} holds a history of its own, which {place.path} could never be merged with",
                hint=elsewhere,
            )
        return Tie(url, add=not known)
    if not far.refs:
        return Tie(url, add=True)
    if not far.branch:
        raise MemtoolError(f"{remotes.masked(url)}: no branch to clone can be told from its {far.refs} refs")
    if place.exists and os.listdir(place.path):
        raise MemtoolError(
            f"{place.path} holds files already, and {remotes.masked(url)} holds a memory", hint=elsewhere
        )
    return Tie(url, clone=True, branch=far.branch)


def _plain(url: str) -> str:
    return remotes.absolute(url).rstrip("/").removesuffix(".git")


def _related(root: str, tips: tuple[str, ...]) -> bool:
    said = git(root, "cat-file", "--batch-check", stdin="".join(f"{tip}\n" for tip in tips).encode())
    return bool(head(root)) and any(line.endswith(b" missing") is False for line in said.splitlines())
