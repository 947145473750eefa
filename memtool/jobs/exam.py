"""`eval`: exams of recall, on memories made for them in temporary folders, or on the user's own."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from typing import Self

from memtool.core.entry import parse_ref
from memtool.core.exam.case import Case
from memtool.core.exam.derived import derived
from memtool.core.exam.engine import Unsupported
from memtool.core.exam.reading import read
from memtool.core.exam.sitting import examine
from memtool.core.exam.verdict import Answer, Hit, Verdict
from memtool.core.recall import shown
from memtool.core.writing.compose import Draft
from memtool.edge import repository
from memtool.edge.files import read_regular, write_atomically
from memtool.edge.location import load_config
from memtool.edge.plumbing import git
from memtool.edge.trees import WorkTree
from memtool.errors import MemtoolError
from memtool.jobs.index import write_index
from memtool.jobs.recall import Question, Recalled, files, recall, resolve
from memtool.jobs.remember import remember
from memtool.jobs.revise import Changed, Writer, forget, revise, verify
from memtool.model import Finding

_AGENT = "exam"
_UNBOUND = 1 << 30
_NEEDED = {"remember": ("text",), "revise": ("ref",), "forget": ("ref",), "verify": ("ref",)}
"""The arguments without which a command says nothing."""
_ALL = 100
"""Hits of a question that names no number."""


def sit_file(path: str, *, today: str) -> tuple[list[Verdict], list[Finding]]:
    """Sit the exam in the file *path* on memories of its own; raises MemtoolError for cases that cannot be read."""
    data = read_regular(path)
    if isinstance(data, str):
        raise MemtoolError(f"{path}: {data}")
    cases, warnings = read(data, path)
    with Bench(os.path.dirname(os.path.abspath(path)), today) as bench:
        return list(examine(cases, bench)), warnings


def sit_self(root: str, *, today: str) -> list[Verdict]:
    """Sit the exam that the memory at *root* itself sets: nothing in it is changed."""
    tree = WorkTree(root)
    config = load_config(tree)[0]
    contents = {path: tree[path] for path in tree if config.is_on_demand(path) and not tree.odd(path)}
    return list(examine(_asked(derived(contents)), Own(root, today)))


def _asked(cases: list[Case]) -> Iterator[Case]:
    if not cases:
        raise MemtoolError(
            "no description and no void text to ask for", hint="memtool describe lists what lacks a description."
        )
    yield from cases


class Own:
    """A memory that is asked and not changed."""

    def __init__(self, root: str, today: str) -> None:
        self.root = root
        self.today = today

    def reset(self, fixture: str) -> None:
        """Leave it as it is."""

    def do(self, op: str, _args: Mapping[str, str], /) -> Mapping[str, str]:
        """Change nothing; raises Unsupported."""
        raise Unsupported(f"`{op}`: this exam changes nothing")

    def ask(self, surface: str, query: str, *, k: int, budget: int) -> Answer:
        """Give what *surface* puts before a model; raises Unsupported for one that memtool does not have."""
        if surface == "recall":
            return _answer(recall(self.root, Question(query), today=self.today, k=k or _ALL), budget)
        if surface == "history":
            everything = Question(query, include=frozenset(("void", "expired")))
            return _answer(recall(self.root, everything, today=self.today, k=k or _ALL), budget)
        if surface == "index":
            return self._index(query, k)
        raise Unsupported(f"the surface `{surface}`")

    def _index(self, query: str, k: int) -> Answer:
        """Give the rows of the files whose descriptions answer *query*."""
        found = files(self.root, query, k=k or _ALL, today=self.today)
        hits = tuple(Hit(path, about) for path, about in found)
        return Answer(hits, "\n".join(f"{path} {about}" for path, about in found).encode())


def _answer(found: Recalled, budget: int) -> Answer:
    hits = tuple(Hit(hit.ref, f"{hit.heading}\n{hit.text}", hit.qualifier, hit.status) for hit in found.hits)
    said = shown.text(found.hits, budget=budget or _UNBOUND) if hits else ""
    return Answer(hits, said.encode())


class Bench(Own):
    """A memory made for each case, in a temporary folder."""

    def __init__(self, folder: str, today: str) -> None:
        """*folder* is where the fixtures of an exam are looked for."""
        super().__init__("", today)
        self.folder = folder
        self._temporary = tempfile.TemporaryDirectory(prefix="memtool-exam-")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._temporary.cleanup()

    def reset(self, fixture: str) -> None:
        """Make a new memory, empty or as the folder *fixture* is."""
        if self.root:
            shutil.rmtree(self.root)
        self.root = os.path.join(self._temporary.name, "memory")
        if fixture:
            source = os.path.realpath(os.path.join(self.folder, fixture))
            if not os.path.isdir(source) or os.path.commonpath((source, os.path.realpath(self.folder))) == source:
                raise MemtoolError(f"{fixture}: no folder beside the exam")
            if not source.startswith(os.path.realpath(self.folder) + os.sep):
                raise MemtoolError(f"{fixture}: not below the folder of the exam")
            shutil.copytree(source, self.root, ignore=shutil.ignore_patterns(".git"))
        repository.create(self.root)
        if not os.path.exists(os.path.join(self.root, "memtool.yaml")):
            write_atomically(os.path.join(self.root, "memtool.yaml"), b"format: 1\n", durable=False)
        write_index(self.root)
        git(self.root, "add", "-A")
        named = ("-c", "user.name=exam", "-c", "user.email=exam@memtool.invalid")
        git(self.root, *named, "commit", "-qm", "An exam")

    def do(self, op: str, args: Mapping[str, str], /) -> Mapping[str, str]:
        """Carry out one command; give the ref of what it wrote, by the name that the case gives it."""
        commands = {
            "remember": self._remember,
            "revise": self._revise,
            "forget": lambda given: forget(self._writer(), given["ref"], reason=given.get("reason", "withdrawn")).ref,
            "verify": lambda given: verify(self._writer(), given["ref"]).ref,
            "jobs": self._jobs,
        }
        if op not in commands:
            raise Unsupported(f"`{op}`")
        if missing := [key for key in _NEEDED.get(op, ()) if key not in args]:
            raise MemtoolError(f"`{op}` needs `{missing[0]}`")
        said = commands[op](args)
        return {args["as"]: said} if said and "as" in args else {}

    def _remember(self, args: Mapping[str, str]) -> str:
        fields = {key: args[key] for key in ("title", "scope", "why", "source", "valid_until") if key in args}
        draft = Draft(text=args["text"], date=args.get("date", self.today), **fields)
        to = args.get("to") or (f"topics/{args['topic']}.md" if "topic" in args else None)
        return remember(self.root, draft, agent=_AGENT, to=to)[0].ref

    def _revise(self, args: Mapping[str, str]) -> str:
        reason = args.get("reason", "corrected")
        void = args.get("void")
        if void is None:  # all that it says
            _, _, entry = resolve(self.root, parse_ref(args["ref"]))
            void = entry.live.decode("utf-8", "replace").strip()
        done: Changed = revise(
            self._writer(), args["ref"], void=void, reason=reason, now=args.get("now", args.get("text", ""))
        )
        return done.ref

    def _jobs(self, _args: Mapping[str, str]) -> str:
        write_index(self.root)
        return ""

    def _writer(self) -> Writer:
        return Writer(self.root, _AGENT, self.today)
