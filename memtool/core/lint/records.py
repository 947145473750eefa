"""Quote lines that look like record lines and are none: what they say counts as live text, which nobody meant."""

from __future__ import annotations

from _collections_abc import Iterator

from memtool.core.dates import is_date
from memtool.core.entry import VALID_UNTIL, VERIFIED, is_known, key_value, unquoted
from memtool.core.lint.links import Prose

_KEYS = ("void since", "valid until", "verified", "source", "why")
_DATED = (VALID_UNTIL, VERIFIED)


def near_misses(prose: Prose) -> Iterator[tuple[int, str]]:
    """Yield (line, message) for each line that is one letter, colon or date away from a record line."""
    for number, line in prose:
        if not line[:4].lstrip(" ").startswith(">") or "**" not in line:
            continue
        inner = unquoted(line.encode("utf-8", "replace"))
        if is_known(inner):
            key, value = key_value(inner) or ("", "")
            if key in _DATED and not is_date(value[:10]):
                yield number, f"“{value[:40]}” is no date, so `{key}` says nothing"
        elif key := _meant(inner.decode("utf-8", "replace")):
            yield number, f"reads as text, not as the record line `{key}`"


def _meant(inner: str) -> str:
    """Give the key that the bold words at the start of a line seem to be; empty where they are none."""
    if not inner.startswith("**"):
        return ""
    words, mark, rest = inner[2:].partition("**")
    folded = words.casefold().strip(" :：")
    colon = words.rstrip().endswith((":", "：")) or rest.lstrip().startswith((":", "："))
    return next((key for key in _KEYS if mark and colon and (folded == key or folded.startswith(f"{key} "))), "")
