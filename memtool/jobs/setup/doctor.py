"""`doctor`: what is wrong here, and how to mend it. It changes nothing, and calls nothing well that it did not see."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence

import memtool
from memtool.core import config as configuration
from memtool.core.config import AGENT, CONFIG, Config
from memtool.core.scaffold import MERGE
from memtool.edge import repository
from memtool.edge.files import read_regular
from memtool.edge.location import agent as agent_of
from memtool.edge.location import cache_path, git_dir, head
from memtool.edge.pending import pending
from memtool.edge.plumbing import git, succeeds
from memtool.errors import MemtoolError
from memtool.jobs.setup.checkup import Check, fail, ok, warn
from memtool.jobs.setup.driver import lacking
from memtool.jobs.setup.hooks import BEFORE, HOOKS, Hook, hooks_state
from memtool.jobs.setup.managers import Manager, find
from memtool.jobs.setup.probe import probe
from memtool.jobs.sync.arrive import last_seen
from memtool.jobs.sync.line import line
from memtool.jobs.sync.stop import Stop

GIT = (2, 38)
"""`cat-file --batch-command -z`, on which the hooks stand, came with it."""
_INIT = "memtool init"
_LOCK_SECONDS = 3600


def doctor(root: str, *, agent: str | None = None, now: float = 0.0) -> list[Check]:
    """Look over the memory repo at *root* for the session of *agent*.

    *now* is in seconds since 1970, by which a lock is judged old. What could not be checked is a failure that says so.
    """
    first = [*_guarded("git", _git), *_guarded("repository", lambda: _repository(root))]
    if any(check.status == "fail" for check in first):
        return [*first, fail("rest", "nothing else could be checked before that is mended")]
    config, found = _config(root)
    look: dict[str, Callable[[], Iterator[Check]]] = {
        "hooks": lambda: _hooks(root, config),
        "attributes": lambda: _attributes(root),
        "merge": lambda: _merge(root),
        "digest": lambda: _digest(root, config),
        "agent": lambda: _agent(root, config, agent),
        "memtool": _installation,
        "sync": lambda: _sync(root),
        "waiting": lambda: _waiting(root),
        "left over": lambda: _left_over(root, now),
    }
    return [*first, *found, *(check for name, ask in look.items() for check in _guarded(name, ask))]


def _guarded(name: str, ask: Callable[[], Iterator[Check]]) -> list[Check]:
    try:
        return list(ask())
    except (MemtoolError, OSError, subprocess.SubprocessError) as error:
        said = error.message if isinstance(error, MemtoolError) else str(error)
        return [fail(name, f"could not be checked: {said}", getattr(error, "hint", ""))]


def _git() -> Iterator[Check]:
    said = git(".", "version").decode("utf-8", "replace").split()
    numbers = tuple(int(part) for part in said[2].split(".")[:2]) if len(said) > 2 else ()
    if numbers >= GIT:
        yield ok("git", f"git {said[2]}")
    else:
        yield fail("git", f"{' '.join(said)} is too old", f"Install git {GIT[0]}.{GIT[1]} or newer.")


def _repository(root: str) -> Iterator[Check]:
    git(root, "rev-parse", "--git-dir")  # refuses a repository of another owner, with the remedy
    yield ok("repository", root)
    if git(root, "rev-parse", "--is-shallow-repository").strip() == b"true":
        yield warn("history", "a shallow clone: older history is not here", "git fetch --unshallow")


def _config(root: str) -> tuple[Config, list[Check]]:
    """Read the configuration; the defaults stand in for one that cannot be read, and the check says so."""
    data = read_regular(os.path.join(root, CONFIG))
    if isinstance(data, str):
        return Config(), [fail("configuration", f"{CONFIG} is {data}", _INIT)]
    try:
        config, unknown = configuration.read(data)
    except MemtoolError as error:
        return Config(), [fail("configuration", error.message, error.hint)]
    strange = [warn("configuration", f"{CONFIG}:{item.line}: {item.message}", item.hint) for item in unknown]
    return config, strange or [ok("configuration", f"{CONFIG}, format {config.format}")]


# --- hooks -----------------------------------------------------------------------------------------------------------


def _hooks(root: str, config: Config) -> Iterator[Check]:
    manager = find(root)
    hooks = hooks_state(root)
    broken = list(_broken(hooks, manager))
    yield from broken
    if not broken and any(hook.ours for hook in hooks):
        yield ok("hooks", f"{len(HOOKS)} installed, by {hooks[0].python}")
    first = hooks[0]
    if first.ours and first.executable:
        yield _firing(root, first, config)


def _broken(hooks: Sequence[Hook], manager: Manager | None) -> Iterator[Check]:
    if manager is not None and not all(hook.ours for hook in hooks):
        if manager.calls_memtool and manager.then and not hooks[0].present:
            yield fail("hooks", f"{manager.name} is configured and not installed: no hook fires here", manager.then)
        elif manager.calls_memtool:
            remedy = f"Try it: git hook run pre-commit (it runs your other hooks of {manager.file} too)."
            yield warn("hooks", f"{manager.name} calls memtool; whether it fires was not tried", remedy)
        else:
            yield fail(
                "hooks", f"no hook checks this memory: {manager.name} looks after them", "memtool init shows the lines."
            )
        return
    missing = [hook.name for hook in hooks if not hook.present]
    foreign = [hook.name for hook in hooks if hook.present and not hook.ours]
    old = [hook.name for hook in hooks if hook.ours and not hook.current]
    if missing or foreign:
        yield fail("hooks", f"not memtool's, or not there: {', '.join(missing + foreign)}", _INIT)
    if passed_over := [hook.path for hook in hooks if hook.ours and not hook.executable]:
        yield fail("hooks", f"git passes over what may not be run: {', '.join(passed_over)}", _INIT)
    for python in {hook.python for hook in hooks if hook.ours and not hook.python_works}:
        yield fail("hooks", f"their interpreter is gone: {python or '(none)'}", _INIT)
    if old:
        yield warn("hooks", f"of another memtool or interpreter: {', '.join(old)}", _INIT)


def _firing(root: str, hook: Hook, config: Config) -> Check:
    alone = f", tried without {hook.name}{BEFORE}" if hook.before else ""
    said = probe(root, hook.path, digest=config.digest, alone=bool(hook.before))
    if said is None:
        return ok("hooks fire", f"pre-commit found fault with a trial commit of {config.digest}{alone}")
    return fail("hooks fire", f"pre-commit let a trial commit of {config.digest} pass{alone}: {said}", _INIT)


# --- the rest --------------------------------------------------------------------------------------------------------


def _attributes(root: str) -> Iterator[Check]:
    said = git(root, "check-attr", "-z", "text", "filter", "--", "memory.md").split(b"\0")
    text, filtered = said[2].decode(), said[5].decode()
    if filtered not in {"unspecified", "unset"}:
        yield fail(
            "attributes", f"a filter ({filtered}) changes *.md on its way into git", "Take it out of .gitattributes."
        )
    if text == "unset":
        yield ok("attributes", "*.md has the same bytes in git and on disk")
    else:
        yield warn(
            "attributes", "*.md may have other line ends on disk than in git", "Add `*.md -text` to .gitattributes."
        )


def _merge(root: str) -> Iterator[Check]:
    said = git(root, "check-attr", "-z", "merge", "--", "memory.md").split(b"\0")[2].decode("utf-8", "replace")
    if f"merge={said}" != MERGE:
        how = "lines" if said in {"unspecified", "set"} else f"`{said}`"
        remedy = f"Add `*.md {MERGE}` to .gitattributes, or let memtool init do it."
        yield warn("merge", f"git merges *.md by {how}, not by memtool", remedy)
    elif lack := lacking(root):
        yield warn("merge", f"git merges memory without memtool: {lack}", _INIT)
    else:
        yield ok("merge", "git merges memory by memtool")


def _digest(root: str, config: Config) -> Iterator[Check]:
    path = config.digest
    if git(root, "ls-files", "-z", "--", f":(top,literal){path}"):
        yield fail("digest", f"{path} is committed; it changes at every start", f"git rm --cached {path}")
    elif succeeds(root, "check-ignore", "-q", "--", path):
        yield ok("digest", f"{path} is kept out of git")
    else:
        yield fail("digest", f"{path} is not ignored: the next `git add` takes it in", _INIT)


def _agent(root: str, config: Config, given: str | None) -> Iterator[Check]:
    name = agent_of(root, given)
    if not name:
        yield fail("agent", "this machine's agent has no name", "memtool init --agent NAME")
        return
    own = next((item.of(name) for item in config.resident if AGENT in item.path), "")
    if own and not os.path.isfile(os.path.join(root, own)):
        yield warn("agent", f"{name} has no summary of its own ({own})", f"memtool init --agent {name}")
    else:
        yield ok("agent", f"{name}, {own}" if own else name)


def _installation() -> Iterator[Check]:
    """Compare the memtool that hosts and hook managers find by name with the one that speaks here."""
    found = shutil.which("memtool")
    here = os.path.join(os.path.dirname(sys.executable), "memtool")
    if found is None:
        remedy = f"Put {os.path.dirname(sys.executable)} on PATH." if os.path.exists(here) else "Install it with pipx."
        yield warn("memtool", "not on PATH: agent hosts and hook managers call it by its name", remedy)
    elif os.path.realpath(found) == os.path.realpath(here):
        yield ok("memtool", f"memtool {memtool.__version__}, {found}")
    else:
        yield _other(found)


def _other(path: str) -> Check:
    run = subprocess.run([path, "--version"], capture_output=True, timeout=20, check=False, stdin=subprocess.DEVNULL)
    said = run.stdout.decode("utf-8", "replace").split()
    version = said[-1] if run.returncode == 0 and said else ""
    if version == memtool.__version__:
        return warn("memtool", f"the one on PATH is another installation: {path}, also {version}", "Keep one of them.")
    what = f"memtool {version}" if version else "no memtool that runs"
    return fail("memtool", f"{path} comes first on PATH: {what}; this is {memtool.__version__}", "Keep one of them.")


def _waiting(root: str) -> Iterator[Check]:
    """Tell the files that a command stored while git could not commit them."""
    paths = repository.uncommitted(root, pending(root))
    if paths:
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        yield warn("waiting", f"{paths[0]}{more}: stored, not committed", "The next `memtool remember` commits it.")


def _sync(root: str) -> Iterator[Check]:
    """Tell what the other machines cannot have yet, without asking the remote."""
    try:
        where = line(root)
    except Stop:
        yield warn("sync", "HEAD is on no branch: nothing is synced", "git switch BRANCH")
        return
    if not where.remote:
        yield ok("sync", "no remote: this memory is on this machine alone")
        return
    seen = last_seen(root, where).last
    days = git(root, "log", "--format=%cs", "HEAD", f"^{seen}").decode().split() if seen and head(root) else []
    if not seen:
        yield warn("sync", f"never synced with {where.name}", "memtool sync")
    elif days:
        count = f"{len(days)} commit{'' if len(days) == 1 else 's'}"
        yield warn("sync", f"{count} not sent to {where.name}, the oldest of {min(days)}", "memtool sync")
    else:
        yield ok("sync", f"all is sent to {where.name}, as far as is known here")


def _left_over(root: str, now: float) -> Iterator[Check]:
    if os.path.exists(cache_path(root, "init")):
        yield warn("init", "the last `memtool init` did not come to its end", _INIT)
    lock = os.path.join(git_dir(root), "index.lock")
    if os.path.exists(lock) and now - os.stat(lock).st_mtime > _LOCK_SECONDS:
        remedy = f"If no git is running here, remove it: rm {lock}"
        yield fail("lock", "git's index has been locked for more than an hour: nothing can be committed", remedy)
