"""What memtool ships beside its code: ``hooks/`` and ``templates/``."""

from __future__ import annotations

import os

from memtool.errors import MemtoolError

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def asset(*parts: str) -> bytes:
    """Read one shipped file, such as ``asset("hooks", "pre-commit")``.

    A wheel carries the folders inside the package; a checkout, also one installed as editable, has them beside it.
    """
    for home in (_PACKAGE, os.path.dirname(_PACKAGE)):
        path = os.path.join(home, *parts)
        try:
            with open(path, "rb") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise MemtoolError(f"{path}: {error.strerror}; it is part of memtool") from None
    raise MemtoolError(
        f"{'/'.join(parts)} is missing from this installation of memtool",
        hint="Install it again: python3 -m pip install --force-reinstall agent-memtool",
    )
