"""YAML as memtool reads it: every scalar a string; no anchors, tags or duplicate keys; at most 8 KB and 8 levels.

The plain subset that people write (``key: value``, quoted on one line, lists, indentation) is read here, without
PyYAML's 20 ms of import; all else goes to PyYAML, whose reading is the meaning of both. A property test holds the two
to the same answer.
"""

from __future__ import annotations

from _collections_abc import Iterator

from memtool.errors import MemtoolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import yaml

    Value = str | list["Value"] | dict[str, "Value"]
    Lines = dict[tuple[str | int, ...], int]

MAX_BYTES = 8192
MAX_DEPTH = 8
_KEY_EXTRA = str.maketrans("-.", "__")
_SAFE_FIRST = frozenset("_./~(+$<=^\\;")


class BadYaml(MemtoolError):  # noqa: N818 (it names a state of the text)
    """Text that is not YAML, or is YAML that memtool does not read; *line* counts from 1, *hint* is a line to paste."""

    def __init__(self, line: int, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.line = line


class _NotPlain(Exception):  # noqa: N818 (a signal between two readers, never an error)
    """The text may well be YAML, but not of the plain subset."""


def load(text: str, *, first: int = 1, limit: int = MAX_BYTES, lines: Lines | None = None) -> Value:
    """Read *text*, whose first line is line *first* of its file; fill *lines* with the line of every key and item.

    Raises BadYaml. An empty text, or one of comments only, is an empty string.
    """
    size = len(text.encode("utf-8", "surrogateescape"))
    if size > limit:
        raise BadYaml(first, f"{size:,} bytes of YAML; at most {limit:,} are read")
    where: Lines = {} if lines is None else lines
    try:
        return _Plain(text, where, first).read()
    except _NotPlain:
        where.clear()
        return _Full(text, where, first).read()


class _Plain:
    """A reader of the plain subset; gives up by _NotPlain at the first sign of anything else."""

    def __init__(self, text: str, where: Lines, first: int) -> None:
        if not text.replace("\n", "").isprintable():
            raise _NotPlain
        self.where = where
        self.lines: list[tuple[int, int, str]] = []
        for number, line in enumerate(text.split("\n"), first):
            content = line.strip(" ")
            if content and content[0] != "#":
                self.lines.append((number, len(line) - len(line.lstrip(" ")), content))

    def read(self) -> Value:
        if not self.lines:
            return ""
        value, at = self.block(0, self.lines[0][1], ())
        if at != len(self.lines):
            raise _NotPlain
        return value

    def block(self, at: int, indent: int, path: tuple[str | int, ...]) -> tuple[Value, int]:
        if len(path) >= MAX_DEPTH:
            raise _NotPlain
        if self.lines[at][2].startswith("- "):
            return self.sequence(at, indent, path)
        return self.mapping(at, indent, path)

    def sequence(self, at: int, indent: int, path: tuple[str | int, ...]) -> tuple[Value, int]:
        items: list[Value] = []
        while at < len(self.lines) and self.lines[at][1] == indent and self.lines[at][2].startswith("- "):
            number, _, text = self.lines[at]
            here = (*path, len(items))
            self.where[here] = number
            content = text[2:].lstrip(" ")
            if _key(content) is None:
                items.append(_scalar(content))
                at += 1
                self.no_deeper(at, indent)
            else:  # a mapping that starts behind the dash
                inner = indent + len(text) - len(content)
                self.lines[at] = (number, inner, content)
                value, at = self.block(at, inner, here)
                items.append(value)
        return items, at

    def mapping(self, at: int, indent: int, path: tuple[str | int, ...]) -> tuple[Value, int]:
        found: dict[str, Value] = {}
        while at < len(self.lines) and self.lines[at][1] == indent:
            number, _, text = self.lines[at]
            key = _key(text)
            if key is None or key in found:
                raise _NotPlain
            self.where[(*path, key)] = number
            rest = text[len(key) + 1 :].lstrip(" ")
            at += 1
            if rest:
                found[key] = _scalar(rest)
                self.no_deeper(at, indent)
            else:
                found[key], at = self.nested(at, indent, (*path, key))
        return found, at

    def nested(self, at: int, indent: int, path: tuple[str | int, ...]) -> tuple[Value, int]:
        if at < len(self.lines):
            _, inner, text = self.lines[at]
            if inner > indent or (inner == indent and text.startswith("- ")):
                return self.block(at, inner, path)
        return "", at

    def no_deeper(self, at: int, indent: int) -> None:
        if at < len(self.lines) and self.lines[at][1] > indent:
            raise _NotPlain


def _key(text: str) -> str | None:
    key, colon, rest = text.partition(":")
    if colon and (not rest or rest[0] == " ") and len(key) < 1000 and key.translate(_KEY_EXTRA).isidentifier():
        return key
    return None


def _scalar(text: str) -> Value:
    first = text[0]
    if first in "\"'":
        inner = text[1:-1]
        if len(text) < 2 or text[-1] != first or first in inner or (first == '"' and "\\" in inner):
            raise _NotPlain
        return inner
    if first == "[":
        return _flow(text)
    if not (first.isalnum() or first in _SAFE_FIRST) or ": " in text or " #" in text or text[-1] == ":":
        raise _NotPlain
    return text


def _flow(text: str) -> list[Value]:
    inner = text[1:-1]
    if text[-1] != "]" or any(char in inner for char in "[]{}\"'#:?&*!|>%@`"):
        raise _NotPlain
    if not inner.strip(" "):
        return []
    items = [item.strip(" ") for item in inner.split(",")]
    if not all(items) or any(item[0] == "-" for item in items):
        raise _NotPlain
    return list(items)


class _Full:
    """The reading by PyYAML's events: no composer, so no recursion, no expansion of aliases, no types.

    Always its own parser, never libyaml's: the two differ (a tab inside a plain value), and not every machine has both.
    """

    def __init__(self, text: str, where: Lines, first: int) -> None:
        self.text = text
        self.where = where
        self.first = first

    def read(self) -> Value:
        import yaml

        try:
            return self.build(yaml.parse(self.text, Loader=yaml.BaseLoader))
        except yaml.YAMLError as error:
            raise self.explain(error) from None
        except (ValueError, OverflowError) as error:  # an escape or a version that is no number of anything
            raise BadYaml(self.first, f"not YAML: {error}") from None

    def build(self, events: Iterator[Any]) -> Value:
        """Fold the events into one value, by a stack of what is open."""
        import yaml

        root: list[Value] = []
        stack: list[tuple[Value, tuple[str | int, ...], str | None]] = [(root, (), None)]
        documents = 0
        for event in events:
            line = event.start_mark.line + self.first
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise BadYaml(line, "anchors and aliases are not read here; write the value out")
            if tag := getattr(event, "tag", None):
                raise BadYaml(line, f"the tag {tag} is not read here; all values are text")
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise BadYaml(line, "a second YAML document; only one is read")
            elif isinstance(event, yaml.ScalarEvent):
                self.add(stack, event.value, line)
            elif isinstance(event, yaml.CollectionStartEvent):
                if len(stack) > MAX_DEPTH:
                    raise BadYaml(line, f"more than {MAX_DEPTH} levels deep")
                new: Value = {} if isinstance(event, yaml.MappingStartEvent) else []
                stack.append((new, self.add(stack, new, line), None))
            elif isinstance(event, yaml.CollectionEndEvent):
                stack.pop()
        return root[0] if root else ""

    def add(
        self, stack: list[tuple[Value, tuple[str | int, ...], str | None]], value: Value, line: int
    ) -> tuple[str | int, ...]:
        """Put *value* where the open collection expects it, and give its path."""
        if isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value):
            raise BadYaml(line, "an escape for half a character")
        holder, path, key = stack[-1]
        if isinstance(holder, list):
            here = (*path, len(holder)) if len(stack) > 1 else ()
            self.where[here] = line
            holder.append(value)
            return here
        if not isinstance(holder, dict):
            raise TypeError(holder)
        if key is not None:
            holder[key] = value
            stack[-1] = (holder, path, None)
            return (*path, key)
        if not isinstance(value, str):
            raise BadYaml(line, "a list or a map stands where a key should", hint=quoted(self.line(line)))
        here = (*path, value)
        if value in holder:
            raise BadYaml(
                line, f"the key {value!r} stands twice, on lines {self.where[here]} and {line}", hint="Keep one."
            )
        self.where[here] = line
        stack[-1] = (holder, path, value)
        return here

    def explain(self, error: yaml.YAMLError) -> BadYaml:
        mark = getattr(error, "problem_mark", None)
        context = getattr(error, "context", None) or ""
        if "quoted scalar" in context or mark is None:  # an open quote is only missed at the end of the text
            mark = getattr(error, "context_mark", None) or mark
        line = mark.line + self.first if mark else self.unprintable()
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML"
        while line > self.first and not self.line(line).strip():
            line -= 1
        return BadYaml(line, f"not YAML: {problem}", hint=quoted(self.line(line)))

    def unprintable(self) -> int:
        kept = "\t\n\x85"
        numbered = enumerate(self.text.split("\n"), self.first)
        return next((number for number, line in numbered if not line.strip(kept).isprintable()), self.first)

    def line(self, number: int) -> str:
        lines = self.text.split("\n")
        at = number - self.first
        return lines[at] if at < len(lines) else ""


def quoted(line: str) -> str:
    """Give a ``key: value`` line with its value in double quotes, as every YAML reader takes it; else nothing."""
    indent = line[: len(line) - len(line.lstrip(" "))]
    dash = "- " if line.lstrip(" ").startswith("- ") else ""
    content = line.strip(" \r")[len(dash) :].lstrip(" ")
    key, colon, value = content.partition(":")
    value = value.strip()
    if not colon or not value or not key.translate(_KEY_EXTRA).isidentifier():
        return f"{indent}{dash}{quote(content)}" if dash else ""
    if len(value) > 1 and value[0] in "\"'" and value[-1] == value[0]:
        value = value[1:-1]
    elif value[0] in "\"'" and value.count(value[0]) == 1:  # a quote that was never closed
        value = value[1:]
    return f"{indent}{dash}{key}: {quote(value)}"


def quote(value: str) -> str:
    """Write *value* as a double-quoted YAML scalar on one line."""
    out = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    return '"' + "".join(char if char.isprintable() else _escape(char) for char in out) + '"'


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
