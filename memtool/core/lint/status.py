"""Words that state what will soon be wrong: the status of work, where only stable things belong."""

from __future__ import annotations

from memtool.core.lint.claims import CLAIMS, LABELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Match

_GUARD = (  # words before a claim that make it a rule, a condition, a definition or history
    r"\b(?:if|when|whenever|unless|until|before|once|while|whether|never|always|must|should|shall|may|might|"
    r"would|could|any|every|each|without|ensure|make sure|do not|don't|what|which|how|that|who|e\.g|for example|"
    r"such as|means|was|were|had)\b|"
    r"如果|若|假如|要是|当(?![前时年天])|每(?=[次个当条周天日批])|必须|不要|不得|不能|禁止|切勿|勿|应(?=[该当先])|总是|永远|"
    r"一律|凡是?|任何|只有|除非|一旦|务必|避免|确保|检查|列出|标记|是否|表示|指的?是|例如|比如|报告|说明|所有|宁可|记录|可能|告诉|提示"
)
_QUOTED = (  # with bounds, so that a line of nothing but openings stays cheap
    r"`+[^`]{0,400}`+",
    r'"[^"]{0,400}"',
    r"“[^”]{0,400}”",
    r"「[^」]{0,400}」",
    r"\]\([^)]{0,400}\)",
    r"https?://\S+",
    r"<!--.{0,400}?-->",
)
_AFTER = (  # words after it that do the same
    r"[^.;]{0,40}?(?:→|->|=>|\b(?:must|should|shall|may|unless|if|when|whenever|until|means)\b)|"
    r"[^，。；]{0,12}?(?:→|时[，,]|时\w|的|之?前(?![端台])|才|就|则|后再|意味|必须|应该|不要|视为)"
)
_ENUMERATION = (  # the values a field may have, not the value it has
    r"(?:\b{0}\b|{1})\W{{1,4}}(?:(?:or|and|和|或) ?)?(?:(?:\b{0}\b|{1})[\s,/|、]+(?:(?:or|and) )?)+(?:\b{0}\b|{1})"
).format(
    r"(?:pending|in[ _-]progress|done|failed|blocked|open|closed|todo|doing|draft|active|complete[d]?|waiting|running)",
    r"(?:待处理|待办|进行中|已完成|未开始|失败|阻塞|草稿|完成|取消)",
)
_DEFINITION = (  # after a label: says what the label is for, or that there is nothing
    r"[\s:：—–-]*(?:(?:an?|any|when|if|means|items?|tasks?|questions?|things|entries|what|none|nothing|n/a)\b|无|没有|指|如果|$)"
)


_WORDS = frozenset(word for words, _ in (*LABELS, *CLAIMS) for word in words.split("|"))


def rotting(text: str) -> str | None:
    """Give the words of a line of prose that state something that will soon be wrong, or None."""
    lower = text.lower()
    if not any(word in lower for word in _WORDS):  # most lines; they cost no regular expression
        return None
    import re

    plain = _plain(text)
    if re.search(_ENUMERATION, plain, re.IGNORECASE):
        return None
    for start, end in _sentences(plain):
        sentence = plain[start:end]
        found = _label(sentence) or _claim(sentence)
        if found:
            return text[start + found[0] : start + found[1]].replace("**", "").strip(" \t*_:：,，—–-()（）[]")
    return None


def _plain(text: str) -> str:
    """Blank out code, quotations, link targets and emphasis; every character keeps its place."""
    import re

    for quoted in _QUOTED:
        text = re.sub(quoted, lambda match: "x" * len(match[0]), text)
    return re.sub(r"[*~]|(?<!\w)_|_(?!\w)|^\s*(?:[>#|]\s*)+", lambda match: " " * len(match[0]), text)


def _sentences(text: str) -> list[tuple[int, int]]:
    import re

    ends = [match.end() for match in re.finditer(r"[.!?;](?=\s)|[。！？；|]", text)]
    return list(zip([0, *ends], [*ends, len(text)], strict=True))


def _label(sentence: str) -> tuple[int, int] | None:
    import re

    for match in _matches(LABELS, sentence):
        if not re.match(_DEFINITION, sentence[match.end() :], re.IGNORECASE) and not _guarded(sentence, match):
            return match.start(), len(sentence)
    return None


def _claim(sentence: str) -> tuple[int, int] | None:
    import re

    for match in _matches(CLAIMS, sentence):
        if not _guarded(sentence, match) and not re.match(_AFTER, sentence[match.end() :], re.IGNORECASE):
            return match.span()
    return None


def _matches(table: tuple[tuple[str, str], ...], sentence: str) -> Iterator[Match[str]]:
    """Find the rows of *table* in *sentence*; a pattern is compiled only for a line that holds one of its words."""
    import re

    lower = sentence.lower()
    for words, pattern in table:
        if any(word in lower for word in words.split("|")):
            yield from re.finditer(pattern, sentence, re.IGNORECASE)


def _guarded(sentence: str, match: Match[str]) -> bool:
    import re

    return bool(re.search(_GUARD, sentence[max(0, match.start() - 400) : match.start()], re.IGNORECASE))
