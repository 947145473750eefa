"""Descriptions: whether an agent can tell by one line to open a file."""

from __future__ import annotations

from _collections_abc import Iterator

from memtool.core.document import MAX_DESCRIPTION, Document

_TRIGGERS = frozenset(
    ("read", "when", "before", "after", "if", "use", "used", "while", "whenever", "during", "once", "until", "on")
)
_TRIGGERS_ZH = ("时", "前", "后", "当", "遇到", "如果", "需要", "先读", "必读", "阅读", "查阅", "适用", "用于")
_EMPTY_STARTS = ("about ", "notes on ", "notes about ", "information about ", "info on ", "this file", "关于", "有关")
_APPROVE = 'Say it as a person would, which approves it: memtool describe PATH "read before …".'
_EXAMPLE = 'Say when to open it: `description: "read before git operations: pipes swallow exit codes"`.'


def description(document: Document, title: str) -> Iterator[tuple[str, str, str]]:
    """Yield (code, message, hint) for a description that is missing or routes nobody."""
    text = document.description
    if not text:
        yield "no-description", "no description: no agent is ever sent here", _EXAMPLE
        return
    size = len(text.encode())
    if size > MAX_DESCRIPTION:
        yield (
            "weak-description",
            f"a description of {size:,} bytes; the index shows {MAX_DESCRIPTION}",
            "Keep the triggers.",
        )
    elif document.draft:
        yield "weak-description", "the description is a draft", _APPROVE
    elif why := weakness(text, title):
        yield "weak-description", f"the description {why}: “{text}”", _EXAMPLE


def weakness(text: str, title: str) -> str:
    """Say why *text* tells no agent when to open the file; nothing where it does."""
    folded = text.casefold().strip(" .。")
    if folded == title.casefold().strip(" .。"):
        return "only repeats the title"
    if folded.startswith(_EMPTY_STARTS):
        return "says what the file is about, not when it is needed"
    words = {word.strip(".,:;()\"'`—-") for word in folded.replace("/", " ").split()}
    if words.isdisjoint(_TRIGGERS) and not any(mark in folded for mark in _TRIGGERS_ZH):
        return "names no occasion to read the file"
    return ""
