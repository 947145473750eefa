"""Why a remote did not do what git asked of it, told from git's words."""

from __future__ import annotations

import re
from typing import Literal

from memtool.errors import MemtoolError
from memtool.model import Record

Kind = Literal[
    "offline", "auth-needed", "protected", "refused", "moved", "remote-full", "timed-out", "disk-full", "missing",
    "remote-failed",
]  # fmt: skip


class RemoteFailure(MemtoolError):  # noqa: N818 (it is the remote that failed)
    """What a remote did not do; *kind* names why."""

    def __init__(self, kind: Kind, message: str, *, hint: str = "", reason: str = "") -> None:
        super().__init__(message, hint=hint)
        self.kind: Kind = kind
        self.reason = reason or message
        """What git, or the remote, says of it."""


class _Sign(Record):
    kind: Kind
    words: str
    """A regular expression; one of its lines is the reason that the user sees."""
    command: str = ""
    """It means that only for this one of git's commands."""


_SIGNS = (
    _Sign("missing", "couldn't find remote ref|^Remote branch .* not found"),
    # receive-pack and its unpackers; GitLab's storage limit
    _Sign("remote-full", "^remote: .*(?:No space left|[Qq]uota|allocated storage|exceeds maximum allowed size)"),
    _Sign("disk-full", "No space left on device|Disk quota exceeded"),
    # receive-pack where its files are read-only; the servers of GitHub and the like over ssh; their web servers
    _Sign("protected", "unable to create temporary object directory|insufficient permission for adding an object"),
    _Sign("protected", "^remote: .*Unable to create '.*': (?:Permission denied|Read-only file system)"),
    _Sign("protected", "denied to |Write access .* not granted|marked as read only|so it is read-only", "push"),
    _Sign("protected", "returned error: 403", "push"),
    _Sign("protected", r"^!\t.*(?:hook declined|is currently checked out|protected branch|permission denied)"),
    # git push itself; receive-pack where another push moved the branch, or holds it, meanwhile (by version)
    _Sign("moved", r"^!\t.*\[rejected\] \((?:fetch first|non-fast-forward)\)"),
    _Sign("moved", r"^(?:remote: |!\t).*(?:cannot lock ref|failed to update ref|incorrect old value)"),
    # ssh about its user, then about its host; git's http client; TLS
    _Sign("auth-needed", r"Permission denied \(|Too many authentication failures"),
    _Sign("auth-needed", "host key is known for|^Host key for .* has changed|Host key verification failed"),
    _Sign("auth-needed", "could not read (?:Username|Password)|Authentication failed|returned error: 40[13]|code 407"),
    _Sign("auth-needed", "[Cc]ertificate"),
    # what the remote said before it closed the line says more than that it closed
    _Sign("remote-failed", "^remote: (?:fatal|error): |RPC failed; HTTP|mismatched algorithms|hash algorithm$"),
    _Sign("timed-out", "Operation too slow"),
    # the resolver, by way of curl, ssh and git itself; then their connections; then the line in the middle of a pack
    _Sign("offline", "Could not resolve|unable to look up|[Nn]ame or service not known|in name resolution"),
    _Sign("offline", "Failed to connect|Couldn't connect|unable to connect|Connection refused|[Tt]imed out"),
    _Sign("offline", "Network is unreachable|No route to host|Empty reply|non-properly terminated|SSL_ERROR_SYSCALL"),
    _Sign("offline", "Connection (?:reset|closed)|closed by remote host|transfer closed|disconnect|Broken pipe"),
    _Sign("offline", "early EOF|expected flush after|hung up unexpectedly|\\ACould not read from remote repository"),
)
"""The first that fits counts. Collected from git 2.39 against the servers of tests/servers.py, other versions' words
from their sources; what is not listed is ``remote-failed``."""

_UNSENT = "failed to push some refs"
"""Where a remote refused, a line with ``!`` or git's ``fatal:`` stands beside these words; alone, nothing was sent."""

_BY_HAND = "Try the address with `git ls-remote`, which may ask for a password; memtool never does."
_PLAIN: dict[Kind, tuple[str, str]] = {
    "offline": ("not reached", "Nothing was changed here. Try again when it can be reached."),
    "auth-needed": ("authentication is needed", f"Nothing was changed. {_BY_HAND}"),
    "protected": ("the push is refused", "Nothing was pushed. Ask whoever looks after it for the right to push there."),
    "refused": ("the pre-push hook of this repo refused", "Mend what it names."),
    "moved": ("another push came first", "Nothing was pushed. Fetch and merge, then push again."),
    "remote-full": ("its disk is full", "Nothing was pushed. Space has to be made there."),
    "timed-out": ("ended before it was done", "If it was a push, the next fetch shows whether it arrived. Try again."),
    "disk-full": (
        "the disk of this machine is full",
        "Make space here, then try again; `git count-objects -v` names what half a fetch left behind.",
    ),
    "missing": ("it has no such branch", "`git ls-remote` lists those that it has."),
    "remote-failed": ("it failed", "Nothing was changed here. By hand, `git fetch` and `git push` show all it says."),
}


def masked(text: str) -> str:
    """Hide the password, or token, in each address of *text*."""
    return re.sub(r"(?<=://)[^/]*@", "…@", text)


def failure(kind: Kind, remote: str, reason: str) -> RemoteFailure:
    """Put *kind* and git's own *reason* into one sentence, and name the way out."""
    what, hint = _PLAIN[kind]
    return RemoteFailure(kind, f"{masked(remote)}: {what} ({masked(reason)})", hint=hint, reason=masked(reason))


def told(command: str, remote: str, said: str) -> RemoteFailure:
    """Tell from all that git *said* why *command* (``push``) was in vain; strange words are never taken for success."""
    said = said.replace("\r\n", "\n")  # as ssh ends its lines
    refused = re.search(r"^(?:!\t|fatal: )", said, re.MULTILINE)
    text = re.sub(r"^(?:fatal: |error: )?(.*?) *$", r"\1", said.strip(), flags=re.MULTILINE)
    if _UNSENT in text and not refused:
        return _own_hook(remote, text)
    for sign in _SIGNS:
        found = re.search(f"^.*(?:{sign.words}).*$", text, re.MULTILINE)
        if found and sign.command in {"", command}:
            return failure(sign.kind, remote, _reason(sign.kind, found[0], text))
    return failure("remote-failed", remote, text.partition("\n")[0] or "it said nothing")


def _own_hook(remote: str, text: str) -> RemoteFailure:
    words = [line for line in text.splitlines() if line and _UNSENT not in line]
    reason = masked(words[-1]) if words else "it does not say why"
    return RemoteFailure(
        "refused",
        f"{masked(remote)}: nothing was sent, the pre-push hook of this repo refused ({reason})",
        hint="Mend what it names; `git push --dry-run` shows all that it says.",
    )


def _reason(kind: Kind, line: str, text: str) -> str:
    """Give the telling part of *line*; where the remote refused, its own words tell more."""
    said = re.search(r"^remote: (.+)$", text, re.MULTILINE) if kind == "protected" else None
    return said[1] if said else line.removeprefix("remote: ").rpartition("\t")[2]
