"""Text that tells what somebody did, where a memory needs what came of it."""

from __future__ import annotations

import re

from memtool.core.split.prose import blocks
from memtool.core.split.words import unmarked

_DID = (
    r"(?:tried|try|looked|ran|run|checked|started|began|opened|searched|read|went|investigated|attempted|tested"
    r"|debugged|noticed|added|changed|fixed|created|updated|installed)"
)
_STARTS = re.compile(
    rf"""
      (?:ok(?:ay)?|so|now|first|next|then|finally|alright)?[,:]?\s*
      (?: let\s+me\b(?!\s+know) | let['’]?s\s+(?:see|try|look|check|start|first)\b
        | i(?:['’]ll|\s+will|['’]m\s+going\s+to|\s+am\s+going\s+to)\s+(?:now\s+|first\s+|start|try|look|check|read)
        | (?:first|next|then|now)[,]?\s+(?:i|we)\s+{_DID}\b
      )
    | (?:today|yesterday|this\s+(?:morning|session)|in\s+this\s+session)[,]?\s+(?:i|we)\s+\w+
    | (?:今天|昨天|刚才|刚刚|本次会话)[，,]?(?:我|我们|咱们)
    | 让我(?:来|先|们|看|试) | 我(?:先|来)(?:看|试|检查|读|运行)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_STORY = re.compile(
    rf"\b(?:i|we)\s+(?:first\s+)?{_DID}\b.{{1,300}}?\b(?:and\s+|but\s+)?(?:then|after\s+that|next)\b"
    rf"[,]?\s+(?:(?:i|we)\s+)?{_DID}\b"
    r"|(?:我|我们)(?:先|首先|试).{1,100}?(?:然后|接着|随后|再)"
    r"|(?:^|[。！？\s])首先.{1,100}?(?:然后|接着|随后).{1,100}?(?:最后|了[。，]|$)",
    re.IGNORECASE | re.DOTALL,
)
_STEP = re.compile(r"(?:step|步骤)\s*\d+\b|第[一二三四五六七八九十\d]+步|\[?\d\d:\d\d(?::\d\d)?\]?\s", re.IGNORECASE)
_STEPS = 3


def is_process(text: str) -> str:
    """Say in a sentence why *text* tells a process rather than a conclusion; empty where it seems to tell none."""
    plain, found = blocks(text.encode(errors="replace"), 0)
    paragraphs = [unmarked(plain[start:end].decode()) for kind, start, end in found if kind == "text"]
    if first := next((line for line in paragraphs if _STARTS.match(line)), ""):
        return f"It tells what was done (“{_quoted(first)}”), not what came of it."
    if story := next((line for line in paragraphs if _STORY.search(line)), ""):
        return f"It tells one step after the other (“{_quoted(story)}”), not what came of them."
    if sum(_STEP.match(line) is not None for line in paragraphs) >= _STEPS:
        return "It is a log of steps, not what came of them."
    return ""


def _quoted(line: str) -> str:
    return line if len(line) <= 40 else line[:40].rstrip() + "…"
