"""`init`: a memory repo made, adopted, cloned or completed. It adds what is missing and overwrites nothing.

The order makes an end at any point harmless: first a list of what will be committed, then the files, ``memtool.yaml``
last of them, the commit, the hooks. Run again, it goes on where it stopped.
"""

from __future__ import annotations

import os

from memtool.core.config import Config
from memtool.edge import remote as remotes
from memtool.edge import repository
from memtool.edge.files import read_regular, write_atomically
from memtool.edge.location import cache_path
from memtool.edge.plumbing import GitError, git
from memtool.edge.repository import Place
from memtool.errors import MemtoolError
from memtool.jobs.index import write_index
from memtool.jobs.setup import driver, hooks
from memtool.jobs.setup.plan import Plan, exclusion, make_plan
from memtool.jobs.setup.report import InitReport, count, next_steps
from memtool.jobs.setup.setting import Name, Tie, name_for, tie_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtool.jobs.setup.report import State

_JOURNAL = "init"
"""The list, under the git directory, of what an unfinished init is to commit."""
_MADE, _ADOPTED = "+", "="


def init(directory: str, *, agent: str | None, remote: str | None, dry_run: bool, today: str) -> InitReport:
    """Make *directory* a memory repo for *agent*, or complete it; *dry_run* says the same and changes nothing.

    *remote* is the URL of another copy: a memory there is cloned, an empty one becomes `origin`. *today* is ISO.
    Raises MemtoolError where it must not, or cannot, begin; what fails later is in the report's ``problem``.
    """
    repository.forget_environment()
    place = repository.look_at(directory)
    name = name_for(place, agent)
    if place.is_repo:
        repository.refuse_unfinished(place.path)
    tie = tie_to(place, remotes.absolute(remote)) if remote else Tie()
    if tie.clone:
        if dry_run:
            return _clone_to_come(place, name, tie)
        remotes.clone(tie.url, place.path, branch=tie.branch)
        place = repository.look_at(place.path)
    plan = make_plan(place, agent=name.text, today=today, unfinished=_journal(place, _MADE))
    report = InitReport(
        place.path, _state(plan, tie), dry_run, name.text, name.origin, plan.config,
        made=plan.made, completed=plan.completed, memory=plan.memory, over=plan.over, notes=plan.notes,
        remote=remotes.masked(tie.url),
    )  # fmt: skip
    return _foretold(report, plan) if dry_run else _carried_out(report, plan, name, tie)


# --- foretold ---------------------------------------------------------------------------------------------------------


def _state(plan: Plan, tie: Tie) -> State:
    if tie.clone and plan.had_config:
        return "cloned"
    if plan.had_config:
        return "completed"
    return "adopted" if plan.memory else "new"


def _clone_to_come(place: Place, name: Name, tie: Tie) -> InitReport:
    return InitReport(
        place.path, "cloned", True, name.text, name.origin, Config(), hooks=hooks.would_install(place.path),
        merge_driver=True, remote=remotes.masked(tie.url), notes=("what it holds is seen only in the clone",),
    )  # fmt: skip


def _foretold(report: InitReport, plan: Plan) -> InitReport:
    place = plan.place
    installed = hooks.install(place.path, dry_run=True) if place.is_repo else hooks.would_install(place.path)
    left_over = repository.uncommitted(place.path, _journal(place)) if place.is_repo else []
    committed = len({*plan.commits, *plan.adopted, *left_over})
    branch = repository.branch_of(place.path) if place.is_repo else repository.BRANCH
    merge_driver = not (place.is_repo and driver.is_installed(place.path))
    report = report.replace(hooks=installed, merge_driver=merge_driver, committed=committed, branch=branch)
    nothing = report.state == "completed" and not (committed or installed.written or merge_driver)
    return report.replace(state="unchanged") if nothing else report


# --- carried out -----------------------------------------------------------------------------------------------------


def _carried_out(report: InitReport, plan: Plan, name: Name, tie: Tie) -> InitReport:
    root = plan.place.path
    changed = _write(plan)
    if name.store:
        git(root, "config", "memtool.agent", name.text)
    if tie.add:
        repository.add_origin(root, tie.url)
    report = report.replace(merge_driver=driver.install(root), branch=repository.branch_of(root))
    if plan.index:
        try:
            write_index(root)
        except MemtoolError as error:
            report = _with_problem(report, f"No index: {error.message}", error.hint)
    report = _commit(report, plan)
    try:
        report = report.replace(hooks=hooks.install(root))
    except MemtoolError as error:
        report = _with_problem(report, f"No hooks: {error.message}", error.hint)
    set_up = name.store or tie.add or report.merge_driver or report.hooks.written
    if report.state == "completed" and not (changed or set_up or report.commit or report.problem):
        report = report.replace(state="unchanged")
    return report.replace(next=next_steps(report))


def _with_problem(report: InitReport, *said: str) -> InitReport:
    return report.replace(problem="\n".join(filter(None, (report.problem, *said))))


def _write(plan: Plan) -> bool:
    """Put the files in place; tell whether any was."""
    root = plan.place.path
    if not plan.place.is_repo:
        repository.create(root)
    _note(root, plan)
    for path, data in plan.files.items():
        write_atomically(os.path.join(root, path), data)
    excluded = exclusion(root)
    if excluded is not None:
        write_atomically(*excluded)
    return bool(plan.files) or excluded is not None or plan.index


def _note(root: str, plan: Plan) -> None:
    """Write down, before anything else, what is to be committed: what an earlier run left over as well."""
    before = _journal(Place(root, exists=True, is_repo=True))
    kinds = dict.fromkeys(before, _ADOPTED) | dict.fromkeys(plan.adopted, _ADOPTED)
    kinds |= dict.fromkeys(_journal(Place(root, exists=True, is_repo=True), _MADE), _MADE)
    kinds |= dict.fromkeys(plan.commits, _MADE)
    if kinds:
        text = "\0".join(kind + path for path, kind in kinds.items())
        write_atomically(cache_path(root, _JOURNAL), text.encode("utf-8", "surrogateescape"))


def _journal(place: Place, kinds: str = _MADE + _ADOPTED) -> tuple[str, ...]:
    """List what an init that did not come to its end has yet to commit, of some *kinds*."""
    data = read_regular(cache_path(place.path, _JOURNAL)) if place.is_repo else b""
    text = data.decode("utf-8", "surrogateescape") if isinstance(data, bytes) else ""
    return tuple(item[1:] for item in text.split("\0") if item and item[0] in kinds)


def _commit(report: InitReport, plan: Plan) -> InitReport:
    """Commit what this run, or an unfinished one before it, put there; never anything else."""
    root = plan.place.path
    listed = _journal(Place(root, exists=True, is_repo=True))
    if kept_out := repository.ignored(root, listed):
        report = report.replace(notes=(*report.notes, f"git ignores {', '.join(kept_out)}: not committed"))
    paths = repository.uncommitted(root, [*listed, *_index_pages(plan, listed)])
    if paths:
        subject = {"new": "Make a memory repo", "adopted": "Make this a memory repo"}.get(report.state)
        subject = subject or f"Set up the memory repo for {report.agent}"
        try:
            made = repository.commit(root, paths, subject=subject, operation="init", agent=report.agent)
        except GitError as error:
            return _with_problem(report, _not_committed(error, len(paths)))
        report = report.replace(commit=made, committed=len(paths))
    if listed:
        os.unlink(cache_path(root, _JOURNAL))
    return report


def _index_pages(plan: Plan, listed: tuple[str, ...]) -> list[str]:
    """List the pages that were generated with the new index, in whatever folders they lie."""
    if not plan.index and plan.config.index not in listed:
        return []
    from memtool.core.page import is_generated
    from memtool.edge.trees import WorkTree

    tree = WorkTree(plan.place.path)
    return [path for path in tree if plan.config.is_index(path) and is_generated(tree.get(path, b""))]


def _not_committed(error: GitError, files: int) -> str:
    said = error.stderr.strip() or error.message
    return (
        f"Not committed: {count(files, 'file')} are in place, but git or one of its hooks said\n{said}\n"
        "Settle that, then run memtool init again."
    )
