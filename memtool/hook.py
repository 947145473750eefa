"""The light entry: what git and agent hosts call, at every commit and every start.

No Typer, no GitPython, no markdown-it here, nor below (a test holds the list of modules that it loads).
"""

from __future__ import annotations

import sys
from _collections_abc import Callable, Sequence

from memtool.errors import MemtoolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

USAGE = """\
usage: memtool hook EVENT [ARG...]

git calls these from the hooks that `memtool init` installs:
  pre-commit, pre-merge-commit   judge the commit in the making: 0 passes, 1 refuses, 2 could not be judged
  pre-push REMOTE URL            judge the commits to be pushed (read from stdin)
  post-merge, post-rewrite, post-checkout   refresh the digest; never fail
git calls this as the merge driver that `memtool init` sets up:
  merge-file BASE OURS THEIRS PATH   merge a memory file into OURS: 0 merged, 1 left to git, 2 could not
an agent host calls this at session start:
  session-start [--host claude|codex|plain] [--part resident|digest] [-C DIR] [--agent NAME]
"""


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run one hook event and exit with its code."""
    event, *args = list(sys.argv[1:] if argv is None else argv) or [""]
    run = _EVENTS.get(event)
    if run is None:
        if event in {"-h", "--help"}:
            sys.stdout.write(USAGE)
            sys.exit(0)
        tell(f"memtool: no hook event {event!r}\n\n{USAGE}" if event else USAGE)
        sys.exit(2)
    speak_utf8()
    try:
        code = run(args)
        sys.stdout.flush()
    except MemtoolError as error:
        say(error)
        code = 2
    except BrokenPipeError:
        code = 0
    sys.exit(code)


def speak_utf8() -> None:
    """Write UTF-8 whatever the locale says, and to nowhere where a caller has closed what is written to."""
    import os

    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 (it serves until the end)
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def tell(text: str) -> None:
    """Write to stderr; a reader that went away, or a full disk, changes no verdict."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        return


def say(error: MemtoolError) -> None:
    """Print an error as a person reads it: what, where, the way out."""
    tell(f"memtool: {error.message}\n" + (f"  {error.hint}\n" if error.hint else ""))


def today() -> str:
    """Give the day in UTC: all machines agree on it, whatever their zone."""
    import time

    return time.strftime("%Y-%m-%d", time.gmtime())


def _judge_commit(refused: str) -> int:
    from memtool.jobs.check import check_staged

    checked = check_staged(".", today=today())
    if checked.report.findings:
        from memtool.core import report

        tell(report.text(checked.report, checked.config, checked.snapshot, changed=checked.changed))
    if checked.report.errors:
        tell(f"memtool: {refused}\n")
    return 1 if checked.report.errors else 0


def _judge_push(args: Sequence[str]) -> int:
    import os

    from memtool.core import report
    from memtool.core.terminal import printable
    from memtool.edge.location import WRITING
    from memtool.jobs.check import check_push

    if WRITING in os.environ:
        return 0  # a sync pushes, which has judged these commits itself
    updates, remote = _pushed(args)
    stops, said = check_push(".", updates, remote=remote)
    for finding in (*said, *stops):
        what = printable(f"{finding.code}: {finding.message}")
        tell(f"memtool: {finding.severity}: {report.place(finding)}: {what}\n")
    if stops:
        tell("memtool: the push is refused; nothing was sent. Rewrite these commits before you push them.\n")
    return 1 if stops else 0


def _pushed(args: Sequence[str]) -> tuple[bytes, str]:
    """Give git's lines and the remote's name; the pre-commit framework keeps stdin and hands both in its variables."""
    import os

    updates = sys.stdin.buffer.read() if sys.stdin else b""
    if updates.strip() or "PRE_COMMIT" not in os.environ:
        return updates, args[0] if args else "origin"
    tip = os.environ.get("PRE_COMMIT_TO_REF", "HEAD")
    before = os.environ.get("PRE_COMMIT_FROM_REF", "0")
    return f"- {tip} - {before}\n".encode(), os.environ.get("PRE_COMMIT_REMOTE_NAME", "origin")


def _refresh(_args: Sequence[str]) -> int:
    from memtool.edge.location import agent
    from memtool.jobs.session import refresh_digest

    try:
        refresh_digest(".", agent=agent("."), today=today())
    except (MemtoolError, OSError):
        return 0  # git has done its work; the next start says what is wrong
    return 0


def _merge_file(args: Sequence[str]) -> int:
    import os

    from memtool.core.terminal import printable
    from memtool.edge.plumbing import path_of
    from memtool.jobs.merge import drive

    if len(args) != 4:
        raise MemtoolError("merge-file takes BASE OURS THEIRS PATH, as git gives them: %O %A %B %P")
    base, ours, theirs, path = args
    outcome = drive(base, ours, theirs, path=path_of(os.fsencode(path)))
    if outcome.said:
        tell(f"memtool: {printable(outcome.said)}\n")
    return 0 if outcome.merged else 1


def _session_start(args: Sequence[str]) -> int:
    """Print the start pack for a host; whatever fails is one line on stderr, and never the host's trouble."""
    try:
        sys.stdout.write(_start_text(_options(args)))
        sys.stdout.flush()
    except Exception as error:  # noqa: BLE001 (a session must start without its memory rather than not at all)
        reason = error.message if isinstance(error, MemtoolError) else f"{type(error).__name__}: {error}"
        tell(f"memtool: no memory at this start: {reason}\n".replace("\n", " ").rstrip() + "\n")
    return 0


def _options(args: Sequence[str]) -> dict[str, str]:
    known = {"--host": "host", "--part": "part", "-C": "directory", "--agent": "agent"}
    found: dict[str, str] = {}
    words = iter(args)
    for word in words:
        name, equals, value = word.partition("=")
        if name not in known:
            raise MemtoolError(f"session-start does not know {word!r}")
        found[known[name]] = value if equals else next(words, "")
    return found


def _start_text(options: dict[str, str]) -> str:
    from memtool.core import startpack
    from memtool.edge.location import agent, find_root, leave_foreign_environment
    from memtool.jobs.start import start

    host = startpack.HOSTS.get(options.get("host", "plain"))
    if host is None:
        raise MemtoolError(f"no host {options['host']!r}; known: {', '.join(startpack.HOSTS)}")
    root = find_root(options.get("directory"))
    leave_foreign_environment(root)
    pack = start(root, agent=agent(root, options.get("agent")), today=today())
    text = startpack.fit(startpack.part(pack, options.get("part", "")), host)
    if not host.wrapped:
        return text
    import json

    return json.dumps({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}) + "\n"


_REFUSED = "this commit is refused; nothing was changed. (git commit --no-verify overrides.)"
_MERGE_REFUSED = (
    "the merge is not committed yet. Mend the files, `git add` them, `git commit`; or take it back: git merge --abort."
)
_EVENTS: dict[str, Callable[[Sequence[str]], int]] = {
    "pre-commit": lambda _: _judge_commit(_REFUSED),
    "pre-merge-commit": lambda _: _judge_commit(_MERGE_REFUSED),
    "pre-push": _judge_push,
    "post-merge": _refresh,
    "post-rewrite": _refresh,
    "post-checkout": _refresh,
    "merge-file": _merge_file,
    "session-start": _session_start,
}
