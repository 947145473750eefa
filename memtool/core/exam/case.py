"""A case: what to write into a memory, what to ask it, and what may and may not come out. docs/eval.md has the keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from unicodedata import normalize

from memtool.model import Record

QUERIED = ("recall", "history")
"""The surfaces that answer a query; the others are read whole."""
SURFACES = (*QUERIED, "resident", "index", "digest", "export")
REMOVING = ("revise", "forget")
"""The commands that take something out of a memory."""
_WRITTEN = ("text", "now")
"""The arguments that bring new text into the memory."""


class Op(Record):
    """One command on the memory, such as ``remember``; *args* as they are written."""

    name: str
    args: Mapping[str, str]
    line: int = 0

    @property
    def gives(self) -> str:
        """The name of the ref that it makes; empty where it makes none that matters."""
        return self.args.get("as", "")

    @property
    def written(self) -> str:
        """The new text that it brings; empty where it brings none."""
        return next((self.args[key] for key in _WRITTEN if key in self.args), "")


class Expect(Record):
    """What must come out: each of ``_all``, and at least one of ``_any`` where that names any."""

    refs_all: tuple[str, ...] = ()
    refs_any: tuple[str, ...] = ()
    text_all: tuple[str, ...] = ()
    text_any: tuple[str, ...] = ()

    @property
    def refs(self) -> tuple[str, ...]:
        return (*self.refs_all, *self.refs_any)

    @property
    def texts(self) -> tuple[str, ...]:
        return (*self.text_all, *self.text_any)


class Stale(Record):
    """What once held: it may come out with a qualifier, or not even with one."""

    refs: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    unless_qualified: bool = True


class Forbid(Record):
    """What may not come out at all; with *probe*, not even where each text is asked for by itself."""

    refs: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    probe: bool = True


class Control(Record):
    """What must still come out, for the case to prove anything; asked by a query of its own where it has one."""

    refs: tuple[str, ...] = ()
    query: str = ""


class Case(Record):
    """One question of an exam; a ref is a name that an op gave, ``path#slug@hash``, ``path#slug`` or a path."""

    id: str
    tags: tuple[str, ...] = ()
    fixture: str = ""
    """The folder that the memory starts as; empty for an empty memory."""
    setup: tuple[Op, ...] = ()
    ops: tuple[Op, ...] = ()
    surface: str = "recall"
    query: str = ""
    k: int = 3
    """How many hits may come out at most."""
    budget: int = 0
    """How many bytes may come out at most; 0 for any number."""
    expect: Expect = Expect()
    stale: Stale = Stale()
    forbid: Forbid = Forbid()
    abstain: bool = False
    """Whether nothing at all may come out."""
    control: Control = Control()
    place: str = ""
    """Where it is written, ``file:line``."""

    def resolved(self, names: Mapping[str, str]) -> Case:
        """Give the case with the refs that *names* stands for; a name that stands for none fits nothing."""

        def real(refs: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(names.get(ref, ref) for ref in refs)

        expect = self.expect.replace(refs_all=real(self.expect.refs_all), refs_any=real(self.expect.refs_any))
        return self.replace(
            expect=expect,
            stale=self.stale.replace(refs=real(self.stale.refs)),
            forbid=self.forbid.replace(refs=real(self.forbid.refs)),
            control=self.control.replace(refs=real(self.control.refs)),
        )


def folded(text: str) -> str:
    """Fold *text* as texts are compared: NFKC, without regard to case, white space as single blanks."""
    return " ".join(normalize("NFKC", text).casefold().split())


# --- what is wrong with a case ---------------------------------------------------------------------------------------


def flaws(case: Case) -> Iterator[str]:
    """Yield why *case* can be passed by nobody, or asks nothing."""
    expected = case.expect.refs + case.expect.texts
    asserted = case.stale.refs + case.stale.text + case.forbid.refs + case.forbid.text
    if not (expected or asserted or case.abstain):
        yield "it asks nothing: give `expect`, `stale`, `forbid` or `abstain`"
    if case.surface in QUERIED and not case.query:
        yield f"the surface `{case.surface}` needs a `query`"
    if case.abstain and expected:
        yield "it expects something, and `abstain` wants nothing to come out"
    if case.abstain and case.control.refs and not case.control.query:
        yield "`abstain` wants nothing to come out; give its `control` a `query` of its own"
    if case.surface in QUERIED and len(set(case.expect.refs_all)) > case.k:
        yield f"it expects {len(set(case.expect.refs_all))} refs, and k is {case.k}"
    yield from _unnamed(case)
    yield from _overlaps(case)
    yield from _new_texts(case)


def _unnamed(case: Case) -> Iterator[str]:
    """Yield the refs that are no address, and that no op has given by then."""
    given: set[str] = set()
    for op in (*case.setup, *case.ops):
        if (ref := op.args.get("ref", "")) and not _is_known(ref, given):
            yield f"`{op.name}` on line {op.line} speaks of `{ref}`, which no op before it gives with `as`"
        given.add(op.gives)
    for ref in case.expect.refs + case.stale.refs + case.forbid.refs + case.control.refs:
        if not _is_known(ref, given):
            yield f"it speaks of `{ref}`, which no op gives with `as`"


def _is_known(ref: str, given: set[str]) -> bool:
    return ref in given or "#" in ref or ref.endswith(".md")


def _barred(case: Case) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the refs and texts that may not come out, qualified or not."""
    stale = Stale() if case.stale.unless_qualified else case.stale
    return case.forbid.refs + stale.refs, case.forbid.text + stale.text


def _overlaps(case: Case) -> Iterator[str]:
    refs, texts = _barred(case)
    for ref in dict.fromkeys(case.expect.refs + case.control.refs):
        if ref in refs:
            yield f"`{ref}` must come out and may not"
    for wanted in case.expect.texts:
        if held := _held(wanted, texts):
            yield f"“{wanted}” must come out, and “{held}” in it may not"


def _new_texts(case: Case) -> Iterator[str]:
    """Yield what can only come out of a text that holds what may not come out."""
    texts = _barred(case)[1]
    ops = (*case.setup, *case.ops)
    removed = max((at for at, op in enumerate(ops) if op.name in REMOVING), default=0)
    lasting = [op for op in ops[removed:] if op.written]  # of an earlier one, the part that may not can be taken out
    for op in lasting:
        must = op.name in REMOVING or op.gives in case.expect.refs_all + case.control.refs
        if must and (held := _held(op.written, texts)):
            yield f"the text of `{op.name}` must come out, and “{held}” in it may not"
    for wanted in case.expect.text_all:
        sources = [op for op in ops if _held(op.written, (wanted,))]
        if sources and all(op in lasting and _held(op.written, texts) for op in sources) and not _held(wanted, texts):
            yield f"“{wanted}” must come out, and each text that holds it holds what may not"


def _held(text: str, parts: tuple[str, ...]) -> str:
    """Give the first of *parts* that stands in *text*; empty where none does."""
    return next((part for part in parts if folded(part) in folded(text)), "")
