"""What a memory repo is made of: the templates filled in, and the lines that existing files lack."""

from __future__ import annotations

from _collections_abc import Iterator, Mapping, Sequence

from memtool.core import plainyaml
from memtool.core.config import KB, Config
from memtool.core.plainyaml import BadYaml
from memtool.model import Record

MERGE = "merge=memtool"
"""The attribute by which git asks for the merge driver."""
_BYTES = "-text"
IGNORE = "/.memtool/"
_TEXT_ATTRIBUTES = frozenset({"text", "eol", "crlf", "filter", "binary", "working-tree-encoding"})


def fill(template: bytes, values: Mapping[str, str]) -> bytes:
    """Put *values* in the places of *template* written ``{{name}}``."""
    for name, value in values.items():
        template = template.replace(b"{{%s}}" % name.encode(), value.encode("utf-8", "surrogateescape"))
    return template


# --- memtool.yaml ----------------------------------------------------------------------------------------------------


def settings(template: bytes, config: Config) -> bytes:
    """Write *config* in the words of the *template* of ``memtool.yaml``, all comments kept.

    The template with the defaults is the template itself, byte for byte.
    """
    values = _values(config)
    out: list[str] = []
    at: tuple[str, ...] = ()
    for line in template.decode().split("\n"):
        key, colon, _ = line.strip().partition(":")
        indent = len(line) - len(line.lstrip(" "))
        if line.lstrip().startswith("#") or not colon:
            if not (at in values and line.startswith("  -")):
                out.append(line)
            continue
        if line.startswith("  - ") or indent > 2:
            continue  # an item of a list that was written anew at its key
        at = (key,) if not indent else (at[0], key)
        out += _setting(line[: indent + len(key) + 1], values[at]) if at in values else [line]
    return "\n".join(out).encode()


def _values(config: Config) -> dict[tuple[str, ...], str | list[str]]:
    resident = [
        line
        for item in config.resident
        for line in (f"  - path: {scalar(item.path)}", f"    budget: {size(item.budget)}")
    ]
    return {
        ("format",): str(config.format),
        ("resident",): resident,
        ("total",): size(config.total),
        ("on_demand",): _items(config.on_demand),
        ("exclude",): _items(config.exclude),
        ("projects",): _items(config.projects),
        ("notes",): scalar(config.notes),
        ("handoffs",): scalar(config.handoffs),
        ("inbox",): scalar(config.inbox),
        ("digest", "path"): scalar(config.digest),
        ("digest", "budget"): size(config.digest_budget),
        ("digest", "days"): str(config.digest_days),
        ("digest", "project_days"): str(config.digest_project_days),
        ("index", "path"): scalar(config.index),
        ("index", "budget"): size(config.index_budget),
        ("index", "layout"): config.index_layout,
    }


def _setting(key: str, value: str | list[str]) -> list[str]:
    if isinstance(value, str):
        return [f"{key} {value}"]
    return [key, *value] if value else [f"{key} []"]


def _items(values: Sequence[str]) -> list[str]:
    return [f"  - {scalar(value)}" for value in values]


def scalar(value: str) -> str:
    """Write *value* as a YAML scalar, in quotes only where it needs them."""
    try:
        plain = plainyaml.load(f"k: {value}") == {"k": value} and plainyaml.load(f"- {value}") == [value]
    except BadYaml:
        plain = False
    return value if plain else plainyaml.quote(value)


def size(number: int) -> str:
    return f"{number // KB} KB" if number % KB == 0 else str(number)


# --- .gitattributes, .gitignore --------------------------------------------------------------------------------------


class Addition(Record):
    """What a file of git's lacks."""

    data: bytes
    """The file as it should be; as it was where nothing is lacking or memtool must not decide."""
    problem: str = ""
    """Why a person must decide."""


def attributes(old: bytes, template: bytes) -> Addition:
    """Complete ``.gitattributes`` by the rules of *template*; what it says about markdown already is not overruled."""
    if b"\0" in old:
        return Addition(old, "it is not written in UTF-8, so git cannot read it")
    lacking = {word for word in (_BYTES, MERGE) if not _says(old, word)}
    if _BYTES in lacking and (rule := _rule(old, _TEXT_ATTRIBUTES, but=_BYTES)):
        return Addition(old, f"{rule}: markdown may have other bytes in git than on disk")
    rule = _rule(old, frozenset({"merge"}), but=MERGE) if MERGE in lacking else ""
    lines = b"".join(part for word, part in _parts(template) if word in lacking and not (rule and word == MERGE))
    if lines:
        return Addition(_append(old, lines))
    return Addition(old, rule and f"{rule}: git merges markdown by that, not by memtool")


def names_driver(data: bytes) -> bool:
    """Tell whether a ``.gitattributes`` has memory files merged by memtool."""
    return _says(data, MERGE)


def _says(data: bytes, word: str) -> bool:
    return any(words[0] == "*.md" and word in words[1:] for _, words in _rules(data))


def _rule(data: bytes, names: frozenset[str], *, but: str) -> str:
    """Show the first rule for markdown that sets one of *names*, unless it says *but*; empty where there is none."""
    for number, words in _rules(data):
        said = {word.lstrip("-!").partition("=")[0] for word in words[1:]}
        if words[0].endswith("*.md") and said & names and but not in words[1:]:
            return f"line {number} says `{' '.join(words)}`"
    return ""


def _parts(template: bytes) -> Iterator[tuple[str, bytes]]:
    """Cut *template* into its rules, each with the comment above it: (its last word, the lines)."""
    part = b""
    for line in template.splitlines(keepends=True):
        part += line
        if not line.startswith(b"#"):
            yield line.split()[-1].decode(), part
            part = b""


def ignores(old: bytes, template: bytes) -> Addition:
    """Complete ``.gitignore`` (or ``info/exclude``) by the folder of generated files."""
    if b"\0" in old:
        return Addition(old, "it is not written in UTF-8, so git cannot read it")
    if any(words == [IGNORE] or words[0].strip("/") == ".memtool" for _, words in _rules(old)):
        return Addition(old)
    return Addition(_append(old, template))


def _rules(data: bytes) -> list[tuple[int, list[str]]]:
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    return [(n, line.split()) for n, line in enumerate(text.split("\n"), 1) if line.split() and line[0] != "#"]


def _append(old: bytes, lines: bytes) -> bytes:
    """Add *lines* below *old* in its own line ends; the bytes above stay as they are."""
    end = b"\r\n" if b"\r\n" in old else b"\n"
    gap = b"" if not old or old.endswith(b"\n") else end
    return old + gap + lines.replace(b"\n", end)
