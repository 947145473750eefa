"""Links of a memory file: those that lead nowhere, and ``@paths`` that a host would take for an import."""

from __future__ import annotations

from _collections_abc import Callable, Iterator

Prose = list[tuple[int, str]]
"""(line number, text) of the lines outside code and HTML."""

_FILES = (".md", ".mdc", ".txt", ".json", ".yaml", ".yml", ".toml")


_NO_PATH = ("//", "~", "{", "$", "[", "\\")
"""What a destination starts with that is no path: another host, home, a template, a formula."""


def without_code(line: str) -> str:
    """Blank the code spans of a line: what stands in them links to nothing."""
    if "`" not in line:
        return line
    out, at = [], 0
    while (start := line.find("`", at)) >= 0:
        run = len(line[start:]) - len(line[start:].lstrip("`"))
        end = _closing(line, start + run, run)
        out.append(line[at:start])
        if end < 0:
            out.append(line[start : start + run])
            at = start + run
        else:
            out.append(" " * (end - start))
            at = end
    return "".join(out) + line[at:]


def _closing(line: str, at: int, run: int) -> int:
    """Give the end of the run of exactly *run* backticks that closes a code span; -1 where none does."""
    while (start := line.find("`" * run, at)) >= 0:
        length = len(line[start:]) - len(line[start:].lstrip("`"))
        if length == run:
            return start + run
        at = start + length
    return -1


def broken(prose: Prose, path: str, exists: Callable[[str], bool]) -> Iterator[tuple[int, str]]:
    """Yield (line, target) of each relative link of the file *path* whose target *exists* does not know."""
    for number, line in prose:
        for target in targets(without_code(line)):
            place = resolve(path, target)
            if place and not exists(place):
                yield number, target


def targets(line: str) -> Iterator[str]:
    """Yield the destinations of the inline links, images and reference definitions in one line."""
    at = 0
    while (start := line.find("](", at)) >= 0:
        at = start + 2
        target, at = _destination(line, at)
        if target:
            yield target
    label, colon, rest = line.lstrip(" ").partition("]:")
    is_definition = colon and label.startswith("[") and not label.startswith("[^") and "]" not in label
    if is_definition and rest.strip():
        yield _destination(rest.strip() + ")", 0)[0]


def _destination(line: str, at: int) -> tuple[str, int]:
    """Read a link destination from *at*: ``<…>``, or up to a blank or the bracket that closes it; and where that ends.

    Where it is none, the next look starts behind it: what stands in it is passed over, so that no line costs more than
    its own length.
    """
    if line.startswith("<", at):
        end = line.find(">", at)
        return (line[at + 1 : end], end) if end > 0 else ("", len(line))
    depth, end = 0, at
    while end < len(line) and line[end] not in " \t":
        depth += (line[end] == "(") - (line[end] == ")")
        if depth < 0:
            return line[at:end], end
        end += 1
    closes = line[end : end + 64].lstrip(" \t")
    return (line[at:end], end) if closes[:1] in {"'", '"', "(", ")"} else ("", end)


def resolve(path: str, target: str) -> str:
    """Give the place in the repo to which *target*, in the file *path*, leads; nothing for a link out of the repo."""
    target = target.partition("#")[0].partition("?")[0]
    place = join(path, _unquote(target)) if is_path(target) else ""
    return "" if place.partition("/")[0] == ".." else place


def is_path(target: str) -> bool:
    """Tell a path of the repo from nothing, an address, a template, and a page of some site."""
    scheme, colon, _ = target.partition(":")
    if not target or target.startswith(_NO_PATH) or (colon and scheme.replace("+", "").isalnum()):
        return False
    return not (target.startswith("/") and "." not in target.rpartition("/")[2])


def join(path: str, target: str) -> str:
    """Give the path *target* as seen from the root of the repo, where the file *path* has it; ``../x`` lies outside."""
    parts = [] if target.startswith("/") else path.split("/")[:-1]
    for part in target.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)


def _unquote(target: str) -> str:
    if "%" not in target:
        return target
    from urllib.parse import unquote

    return unquote(target, errors="surrogateescape")


def imports(prose: Prose, path: str, exists: Callable[[str], bool]) -> Iterator[tuple[int, str]]:
    """Yield (line, ``@path``) of each word that Claude Code or Gemini CLI would replace by that file's content.

    Only what leads to a file is told: a path from home, root or a dot, a name with a file's ending, or one that
    *exists*; an address or a user's name is neither.
    """
    for number, line in prose:
        if "@" not in line:
            continue
        for word in without_code(line).split():
            name = word.lstrip("([\"'*_").rstrip(".,;:!?)]\"'*_")
            target = name[1:]
            if name.startswith("@") and "@" not in target and _leads_to_file(target, path, exists):
                yield number, name


def _leads_to_file(target: str, path: str, exists: Callable[[str], bool]) -> bool:
    if target.startswith(("~/", "/", "./", "../")) or target.endswith(_FILES):
        return len(target) > 2
    place = resolve(path, target)
    return bool(place) and exists(place)
