"""Text in the resident tier that is not needed at every session: open tasks, stories of incidents, a host's manual."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Line = tuple[int, str]
Misplaced = tuple[int, str, str]

_TASK = r"\s{0,12}(?:[-*+]|\d{1,4}[.)])\s+\[ \]\s+\S"
_ITEM = r"\s{0,12}(?:[-*+]|\d{1,4}[.)])\s+\S"
# The whole heading, so that "Backlog grooming", which may well be a rule, is none of our business.
_BACKLOG = (
    r"\W*(?:(?:project |product |team |my )?backlog|to-?dos?(?: list)?|(?:open|remaining|pending) (?:tasks|items|work)|"
    r"roadmap|待办(?:事项|清单|列表)?|任务(?:清单|列表)|未完成(?:任务|事项)|路线图)\W*"
)
# Boxes that are ticked anew each time are a rule, not work in hand.
_REUSED = (
    r"check-?list|template|definition of done|\bdod\b|\b(?:before|after|each|every|when)\b|"
    r"检查(?:清单|表)|模板|每次|之?前[：:]?$"
)
# One day's incident: a heading about handling incidents has no date and is left alone.
_INCIDENT = r"\b(?:incident|outage|post-?mortem|root[- ]cause analysis|rca)\b|事故|故障|复盘|宕机"
_DATE = r"\b20\d\d[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])\b|20\d\d\s*年\s*\d{1,2}\s*月\s*\d{1,2}\s*日"
_RETROSPECT = r"\W*(?:post-?mortem|incident report|outage report|事故复盘|故障复盘|事故报告|故障报告)\b"

_HOST = r"(?:Claude Code|Claude|Codex(?: CLI)?|Gemini(?: CLI)?|GitHub Copilot|Cursor|Windsurf|OpenCode|Aider|Cline)"
_TOOL = r"`?(?:Bash|Read|Write|Edit|MultiEdit|Grep|Glob|LS|WebFetch|WebSearch|Task|TodoWrite|NotebookEdit)`?"
_MANUAL = (
    (rf"[\W\d]*You are {_HOST}(?:,| ?\(|\.|$| (?:running|working|an?|the)\b)", "tells one host who it is"),
    (rf"[\W\d]*你是\s*{_HOST}(?:[,，。（(]|$)", "tells one host who it is"),
    (rf"(?:.*\W)?(?:[Uu]se|[Cc]all|[Ii]nvoke) (?:the )?{_TOOL} tool\b", "names a tool of one host"),
    (rf".*(?:使用|调用|用)\s*{_TOOL}\s*工具", "names a tool of one host"),
)
_COMMAND = r"\s*(?:\||[-*+]\s)\s*\**`?/(?P<name>[a-z][a-z-]{1,20})\b`?(?!/)"
_COMMANDS = (
    *("agents", "approvals", "chat", "clear", "compact", "context", "cost", "diff", "doctor", "hooks", "init", "login"),
    *("logout", "mcp", "memory", "model", "permissions", "resume", "review", "rewind", "status", "tools"),
)


def misplaced(prose: Iterable[Line]) -> list[Misplaced]:
    """Give (line, code, message) for what does not belong in a file that is read in full at every start."""
    lines = list(prose)
    return sorted([*_backlogs(lines), *_incidents(lines), *_manuals(lines)])


def _backlogs(lines: list[Line]) -> Iterator[Misplaced]:
    for start, title, body in _sections(lines):
        tasks = [number for number, text in body if _matches(_TASK, text)]
        items = [number for number, text in body if _matches(_ITEM, text)]
        leads = [text for number, text in body if text.strip() and tasks and number < tasks[0]]
        if items and "`" not in title and _matches(_BACKLOG + "$", title):
            yield start, "backlog", f"a backlog of {_count(len(items), 'item')}: keep it in a topic file"
        elif len(tasks) > 1 and not any(_finds(_REUSED, text) for text in [title, *leads[-1:]]):
            yield tasks[0], "backlog", f"{_count(len(tasks), 'open task')}: keep them in a topic file"


def _incidents(lines: list[Line]) -> Iterator[Misplaced]:
    for start, title, body in _sections(lines):
        dated = _finds(_DATE, title) and _finds(_INCIDENT, title)
        told = _matches(_RETROSPECT, title) and any(_finds(_DATE, text) for _number, text in body[:5])
        if dated or told:
            message = "the story of one incident: keep the rule it taught, and the story in a topic file"
            yield start, "incident-story", message


def _manuals(lines: list[Line]) -> Iterator[Misplaced]:
    for number, text in lines:
        says = next((says for pattern, says in _MANUAL if _matches(pattern, text, folded=False)), None)
        if says:
            yield number, "host-instructions", f"{says}: it belongs in that host's own settings, not in shared memory"
    for _start, _title, body in _sections(lines):
        named = [(number, name) for number, text in body if (name := _command(text))]
        if len(named) > 2 and sum(name in _COMMANDS for _number, name in named) * 2 > len(named):
            message = f"lists {len(named)} commands of one host: it belongs in that host's own settings"
            yield named[0][0], "host-instructions", message


def _sections(lines: list[Line]) -> Iterator[tuple[int, str, list[Line]]]:
    """Cut *lines* at their headings: (line, title, what stands under it); line 0 and no title before the first."""
    start, title = 0, ""
    body: list[Line] = []
    for number, text in lines:
        heading = _heading(text)
        if heading is None:
            body.append((number, text))
            continue
        yield start, title, body
        start, title, body = number, heading, []
    yield start, title, body


def _heading(text: str) -> str | None:
    rest = text.lstrip()
    title = rest.lstrip("#")
    if not 0 < len(rest) - len(title) < 7 or title[:1] not in (" ", "\t"):
        return None
    return title.strip().rstrip("#").rstrip()


def _command(text: str) -> str | None:
    import re

    match = re.match(_COMMAND, text) if "/" in text else None
    return match["name"] if match else None


def _matches(pattern: str, text: str, *, folded: bool = True) -> bool:
    import re

    return re.match(pattern, text, re.IGNORECASE if folded else 0) is not None


def _finds(pattern: str, text: str) -> bool:
    import re

    return re.search(pattern, text, re.IGNORECASE) is not None


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number > 1 else ''}"
