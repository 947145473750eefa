"""Reading an exam: YAML, as a list of cases or a document each, or JSON, a case a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NoReturn

from memtool.core import plainyaml
from memtool.core.exam.case import SURFACES, Case, Control, Expect, Forbid, Op, Stale, flaws, folded
from memtool.core.plainyaml import BadYaml
from memtool.errors import MemtoolError
from memtool.model import Finding

if TYPE_CHECKING:
    from memtool.core.plainyaml import Lines, Value

    Where = tuple[str | int, ...]
    Kind = Callable[["_Reader", Where, Value], object]

MAX_BYTES = 16 * 1024 * 1024
"""Of one exam."""


def read(data: bytes, path: str) -> tuple[list[Case], list[Finding]]:
    """Read the exam *data* of the file *path*: its cases, and a warning for each key that is not known.

    A *path* that ends in ``.jsonl`` holds JSON, any other YAML. Raises MemtoolError with ``path:LINE`` for what cannot
    be meant, and for a case that nobody could pass.
    """
    cases: dict[str, Case] = {}
    warnings: list[Finding] = []
    documents = _json_lines if path.endswith(".jsonl") else _yaml_documents
    for value, lines, first in documents(_text(data, path), path):
        reader = _Reader(path, lines, first)
        for where, item in _items(value):
            case = reader.case(where, item)
            if case.id in cases:
                reader.refuse((*where, "id"), f"the id `{case.id}` stands at {cases[case.id].place} already")
            cases[case.id] = case
        warnings += reader.unknown
    if not cases:
        raise MemtoolError(f"{path}:1: no case in it", hint="docs/eval.md shows one.")
    return list(cases.values()), warnings


def _text(data: bytes, path: str) -> str:
    if len(data) > MAX_BYTES:
        raise MemtoolError(f"{path}:1: {len(data):,} bytes; at most {MAX_BYTES:,} are read", hint="Cut the exam.")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = 1 + data.count(b"\n", 0, error.start)
        raise MemtoolError(f"{path}:{line}: not UTF-8", hint="Save the file as UTF-8.") from None


def _items(value: Value) -> Iterable[tuple[Where, Value]]:
    if isinstance(value, list):
        return (((at,), item) for at, item in enumerate(value))
    return [((), value)] if value != "" else []


# --- YAML and JSON ---------------------------------------------------------------------------------------------------


def _yaml_documents(text: str, path: str) -> Iterator[tuple[Value, Lines, int]]:
    """Yield each document, with the lines of its keys and its first line."""
    for first, rows in _cut(text.split("\n")):
        lines: Lines = {}
        try:
            yield plainyaml.load("\n".join(rows), first=first, limit=MAX_BYTES, lines=lines), lines, first
        except BadYaml as error:
            raise MemtoolError(f"{path}:{error.line}: {error.message}", hint=error.hint) from None


def _cut(rows: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Cut at each ``---``, which YAML allows nowhere else at the start of a line, not even in a block of text."""
    starts = [at for at, row in enumerate(rows) if row == "---" or row.startswith(("--- ", "---\t"))]
    for start, end in zip([0, *starts], [*starts, len(rows)], strict=True):
        part = rows[start:end]
        yield start + 1, ["", *part[1:]] if part and part[0].rstrip() == "---" else part


def _json_lines(text: str, path: str) -> Iterator[tuple[Value, Lines, int]]:
    """Yield the value of each line that is not blank."""
    for number, row in enumerate(text.split("\n"), start=1):
        if row.strip():
            try:
                value = _json(row)
            except ValueError as error:
                hint = 'Each line is one case, a map such as {"id": …}.'
                raise MemtoolError(f"{path}:{number}: {error}", hint=hint) from None
            yield value, {}, number


def _json(row: str) -> Value:
    """Read one line, with its numbers and constants as YAML would write them; raises ValueError in plain words."""
    try:
        value = json.loads(row, object_pairs_hook=_pairs, parse_int=str, parse_float=str, parse_constant=str)
        json.dumps(value, ensure_ascii=False).encode()
        return _plain(value)
    except RecursionError:
        raise ValueError("lists and maps nested too deep") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg}, at column {error.colno}") from None
    except UnicodeEncodeError:
        raise ValueError("an escape for half a character") from None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} stands twice")
    return found


def _plain(value: Any) -> Value:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    words = {True: "true", False: "false", None: ""}
    return value if isinstance(value, str) else words[value]


# --- cases -----------------------------------------------------------------------------------------------------------


class _Reader:
    """Reads the cases of one document; keeps the warnings."""

    def __init__(self, path: str, lines: Lines, first: int) -> None:
        self.path = path
        self.lines = lines
        self.first = first
        self.unknown: list[Finding] = []

    def case(self, where: Where, value: Value) -> Case:
        fields = self.fields(where, value, _CASE)
        if not fields.get("id"):
            self.refuse(where, "a case needs an `id`")
        if fields.get("surface", "recall") not in SURFACES:
            self.refuse((*where, "surface"), f"one of {', '.join(SURFACES)} is expected, not {fields['surface']!r}")
        case = Case(**fields, place=f"{self.path}:{self.line(where)}")
        for flaw in flaws(case):
            self.refuse(where, f"the case `{case.id}` cannot be: {flaw}")
        return case

    def fields(self, where: Where, value: Value, kinds: Mapping[str, Kind]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, item in self.map(where, value).items():
            if key in kinds:
                found[key] = kinds[key](self, (*where, key), item)
            else:
                self.warn((*where, key), kinds)
        return found

    def text(self, where: Where, value: Value) -> str:
        if not isinstance(value, str):
            self.refuse(where, "a text is expected here")
        return value

    def full_text(self, where: Where, value: Value) -> str:
        if not folded(self.text(where, value)):
            self.refuse(where, "a text that is not blank is expected here")
        return self.text(where, value)

    def texts(self, where: Where, value: Value) -> tuple[str, ...]:
        return tuple(self.full_text((*where, at), item) for at, item in enumerate(self.list(where, value)))

    def number(self, where: Where, value: Value) -> int:
        text = self.text(where, value)
        if not (text.isdecimal() and text.isascii()) or len(text) > 9 or int(text) < 1:
            self.refuse(where, f"a whole number from 1 is expected, not {text!r}")
        return int(text)

    def flag(self, where: Where, value: Value) -> bool:
        text = self.text(where, value)
        if text not in {"true", "false"}:
            self.refuse(where, f"`true` or `false` is expected here, not {text!r}")
        return text == "true"

    def ops(self, where: Where, value: Value) -> tuple[Op, ...]:
        return tuple(self.op((*where, at), item) for at, item in enumerate(self.list(where, value)))

    def op(self, where: Where, value: Value) -> Op:
        """Read ``name: {key: text}``, or ``name: text`` for a command whose one argument is ``what``."""
        pairs = list(self.map(where, value).items())
        if len(pairs) != 1:
            self.refuse(where, f"one command is expected here, such as `remember`, not {len(pairs)}")
        name, args = pairs[0]
        given = {"what": args} if isinstance(args, str) and args else self.map((*where, name), args or {})
        here = (*where, name)
        return Op(name, {key: self.full_text((*here, key), item) for key, item in given.items()}, self.line(here))

    def list(self, where: Where, value: Value) -> list[Value]:
        if not isinstance(value, list):
            self.refuse(where, "a list is expected here")
        return value

    def map(self, where: Where, value: Value) -> dict[str, Value]:
        if not isinstance(value, dict):
            self.refuse(where, "keys are expected here, each as `name: value`")
        return value

    def line(self, where: Where) -> int:
        """Give the line of what stands at *where*; of a map that has none, the line of its first key."""
        below = (line for path, line in self.lines.items() if path[: len(where)] == where)
        return self.lines.get(where) or next(below, self.first)

    def refuse(self, where: Where, message: str) -> NoReturn:
        name = ".".join(str(part) for part in where if isinstance(part, str))
        said = f"{name}: {message}" if name else message
        raise MemtoolError(f"{self.path}:{self.line(where)}: {said}", hint="docs/eval.md tells what a case can say.")

    def warn(self, where: Where, known: Iterable[str]) -> None:
        nearest = get_close_matches(str(where[-1]), list(known), n=1)
        hint = f"Did you mean `{nearest[0]}`?" if nearest else f"Known here: {', '.join(known)}."
        message = f"the key `{where[-1]}` is not known"
        self.unknown.append(Finding("unknown-key", "warning", self.path, self.line(where), message, hint))


def _part(make: type[Any], kinds: Mapping[str, Kind]) -> Kind:
    return lambda reader, where, value: make(**reader.fields(where, value, kinds))


_CASE: Mapping[str, Kind] = {
    "id": _Reader.full_text,
    "tags": _Reader.texts,
    "fixture": _Reader.text,
    "setup": _Reader.ops,
    "ops": _Reader.ops,
    "surface": _Reader.text,
    "query": _Reader.text,
    "k": _Reader.number,
    "budget": _Reader.number,
    "expect": _part(Expect, dict.fromkeys(("refs_all", "refs_any", "text_all", "text_any"), _Reader.texts)),
    "stale": _part(Stale, {"refs": _Reader.texts, "text": _Reader.texts, "unless_qualified": _Reader.flag}),
    "forbid": _part(Forbid, {"refs": _Reader.texts, "text": _Reader.texts, "probe": _Reader.flag}),
    "abstain": _Reader.flag,
    "control": _part(Control, {"refs": _Reader.texts, "query": _Reader.text}),
}
