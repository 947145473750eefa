"""The digest of one session: kept beside the git directory, made anew when HEAD, the day or the configuration moves.

While nothing moves, no git is started and nothing is imported that the answer does not need.
"""

from __future__ import annotations

import os
from _collections_abc import Sequence

from memtool import __version__
from memtool.core import config as configuration
from memtool.core.config import CONFIG
from memtool.edge import cache
from memtool.edge.files import read_regular, write_atomically
from memtool.edge.location import common_dir, head
from memtool.errors import MemtoolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtool.edge.history import Point

VERSION = f"1-{__version__}"
"""Of the cache; to be counted up whenever the same facts would give another text."""


def refresh_digest(root: str, *, agent: str, today: str) -> str:
    """Write the digest of *agent* for the day *today* where its bytes differ, and give its text.

    Raises MemtoolError for a history or a configuration that cannot be read, and where it cannot be written.
    """
    path, text = digest(root, agent=agent, today=today)
    _put(root, path, text)
    return text.decode()


def digest(root: str, *, agent: str, today: str) -> tuple[str, bytes]:
    """Give (path, bytes) of the digest, without writing it there."""
    settings, shallow, tip = _settings(root), _shallow(root), head(root)
    key = b"\0".join((today.encode(), shallow, settings))
    name = b"\0".join((tip.encode(), os.fsencode(agent), key))
    kept = cache.load(root, "digest", VERSION)
    if kept[:1] == [name]:
        return os.fsdecode(kept[1]), kept[2]
    state = cache.load(root, "digest-state", VERSION)
    path, text, ledger = _make(
        root, settings, _point(tip, today, agent, shallow), state[1:] if state[:1] == [key] else []
    )
    cache.save(root, "digest", VERSION, [name, os.fsencode(path), text])
    if ledger:
        cache.save(root, "digest-state", VERSION, [key, ledger])
    return path, text


def digest_as_of(root: str, *, agent: str, day: str) -> str:
    """Give the digest as it would have been at the end of *day*, by today's configuration; nothing is written."""
    from memtool.edge.history import as_of

    shallow = _shallow(root)
    point, hidden = as_of(root, _point(head(root), day, agent, shallow))
    return _make(root, _settings(root), point, hidden=hidden)[1].decode()


def _point(tip: str, day: str, agent: str, shallow: bytes) -> Point:
    from memtool.edge.history import Point

    return Point(tip, day, agent, frozenset(shallow.decode("ascii", "replace").split()))


def _make(
    root: str, settings: bytes, point: Point, kept: Sequence[bytes] = (), *, hidden: str = ""
) -> tuple[str, bytes, bytes]:
    """Make the digest anew: its path, its bytes, and what to keep for the next one."""
    from memtool.edge.history import Log

    if not point.tip:
        from memtool.jobs import digest as maker

        config, _ = configuration.read(settings)
        return config.digest, maker.empty(config, point, hidden=hidden), b""
    with Log(root, point.tip, point.cut, few=bool(kept)) as log:  # git is reading while Python imports the rest
        from memtool.jobs import digest as maker

        config, _ = configuration.read(settings)
        text, ledger = maker.make(root, config, point, log, kept=b"".join(kept))
        return config.digest, text, ledger


def _settings(root: str) -> bytes:
    """Read ``memtool.yaml`` as it lies in the work tree; without one the defaults apply."""
    path = os.path.join(root, CONFIG)
    data = read_regular(path)
    if isinstance(data, bytes):
        return data
    if os.path.lexists(path):
        raise MemtoolError(f"{CONFIG} is {data}")
    return b""


def _shallow(root: str) -> bytes:
    """Give git's list of the commits whose parents this clone lacks, one id a line; empty in a whole clone."""
    try:
        with open(os.path.join(common_dir(root), "shallow"), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def _put(root: str, path: str, text: bytes) -> None:
    """Write the digest unless it stands there already; through no link, which could lead out of the repo."""
    place = os.path.join(root, path)
    if read_regular(place) == text:
        return
    folder = root
    for name in path.split("/")[:-1]:
        folder = os.path.join(folder, name)
        if os.path.islink(folder):
            raise MemtoolError(f"{folder} is a symbolic link: the digest is not written through it")
    write_atomically(place, text, durable=False)
