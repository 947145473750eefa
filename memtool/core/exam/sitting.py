"""Sitting an exam: each case is put to an engine, then to the controls, which must not pass it as well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from memtool.core.exam.case import QUERIED, Case, Op
from memtool.core.exam.engine import Engine, Unsupported, controls
from memtool.core.exam.verdict import HARD, Answer, Outcome, Verdict, judge
from memtool.errors import MemtoolError


def examine(cases: Iterable[Case], engine: Engine) -> Iterator[Verdict]:
    """Yield the verdict on each of *cases*, one at a time; a pass that a control gets too is VACUOUS."""
    for case in cases:
        verdict = sit(case, engine)
        marks = {name: sit(case, control).outcome for name, control in controls(case.setup + case.ops).items()}
        passed_by = tuple(name for name, mark in marks.items() if mark == "PASS")
        if verdict.outcome == "PASS" and passed_by:
            why = f"{' and '.join(passed_by)} would pass it too; it needs a `control`, or to expect something"
            verdict = verdict.replace(outcome="VACUOUS", why=why)
        yield verdict.replace(passed_by=passed_by)


def sit(case: Case, engine: Engine) -> Verdict:
    """Put *case* to *engine* and mark what it gives; what it cannot do is NA, what did not come about UNEXERCISED."""
    outcome: Outcome
    try:
        engine.reset(case.fixture)
        names: dict[str, str] = {}
        for op in case.setup:
            names |= _do(op, engine, names)
        refused = list(_tried(case.ops, engine, names))
        return _marked(case.resolved(names), engine).replace(refused=tuple(refused))
    except Unsupported as error:
        outcome, why = "NA", error.message
    except (MemtoolError, _Unwritten) as error:
        outcome, why = "UNEXERCISED", str(error)
    return Verdict(case=case, outcome=outcome, why=why)


class _Unwritten(Exception):  # noqa: N818 (a finding about the exam)
    """A command was carried out, and what it should have written is not there."""


def _do(op: Op, engine: Engine, names: Mapping[str, str]) -> Mapping[str, str]:
    args = dict(op.args)
    if "ref" in args:
        args["ref"] = names.get(args["ref"], args["ref"])
    given = engine.do(op.name, args)
    if op.gives and op.gives not in given:
        raise _Unwritten(f"`{op.name}` wrote no `{op.gives}`")
    return given


def _tried(ops: Iterable[Op], engine: Engine, names: dict[str, str]) -> Iterator[str]:
    """Carry out *ops* and fill *names*; yield what the engine refuses, for to refuse can be what is asked of it."""
    for op in ops:
        try:
            names |= _do(op, engine, names)
        except Unsupported:
            raise
        except MemtoolError as error:
            yield f"{op.name}: {error.message}"


def _marked(case: Case, engine: Engine) -> Verdict:
    def ask(query: str) -> Answer:
        return engine.ask(case.surface, query, k=case.k, budget=case.budget)

    answer = ask(case.query)
    probed = case.forbid.text if case.forbid.probe and case.surface in QUERIED else ()
    probes = [ask(text) for text in probed]
    control = ask(case.control.query) if case.control.query else answer
    verdict = judge(case, answer, further=[*probes, control])
    absent = [ref for ref in case.control.refs if not any(hit.is_at(ref) for hit in control.hits)]
    if absent and verdict.outcome not in HARD:
        return verdict.replace(outcome="UNEXERCISED", why=f"the control {absent[0]} did not come out")
    return verdict
