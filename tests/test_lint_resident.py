"""The promises of memtool.core.lint.resident."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtool.core.lint.resident import misplaced

BIG_FILES = Path(__file__).resolve().parents[2] / "shared" / "data" / "big-files"


def codes(text: str) -> list[tuple[int, str]]:
    return [(line, code) for line, code, _message in misplaced(enumerate(text.splitlines(), 1))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## Plan\n\n- [ ] write the importer\n- [x] agree on the format\n- [ ] ship it\n", [(3, "backlog")]),
        ("# Backlog\n\n- dark mode\n- faster start\n", [(1, "backlog")]),
        ("## TODO\n\n1. rename the branch\n", [(1, "backlog")]),
        ("## 🗺 Roadmap ##\n\n* v3: plugins\n", [(1, "backlog")]),
        ("## 待办\n\n- 补测试\n- 发布 2.0\n", [(1, "backlog")]),
        ("## 任务清单：\n\n- 迁移数据库\n", [(1, "backlog")]),
        ("# 搬家\n\n- [ ] 退网线\n- [ ] 交钥匙\n", [(3, "backlog")]),
        (
            "## Incident 2026-03-04: the mirror was empty\n\nAt nine the mirror lost its disk.\n",
            [(1, "incident-story")],
        ),
        ("### 2026-03-04 outage of the build host\n\nNobody saw it.\n", [(1, "incident-story")]),
        ("## Post-mortem\n\nOn 2026-03-04 the deploy stopped half way.\n", [(1, "incident-story")]),
        ("## 事故复盘 2026-03-04\n\n凌晨磁盘写满。\n", [(1, "incident-story")]),
        ("## 事故复盘\n\n2026 年 3 月 4 日凌晨，磁盘写满。\n", [(1, "incident-story")]),
        ("You are Claude Code, running in a terminal.\n", [(1, "host-instructions")]),
        ("- Use the `Bash` tool for git.\n", [(1, "host-instructions")]),
        ("你是 Claude Code，运行在终端里。\n", [(1, "host-instructions")]),
        ("- 读文件时使用 Read 工具。\n", [(1, "host-instructions")]),
        ("| `/clear` | forget |\n| `/compact` | shorten |\n| `/model` | choose |\n", [(1, "host-instructions")]),
    ],
)
def test_tells_what_belongs_elsewhere(text: str, expected: list[tuple[int, str]]) -> None:
    """Open tasks, the story of one incident and the manual of one host are named, each once, where they begin."""
    assert codes(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Rules\n\n- Run the tests before you push.\n",
        "## Backlog grooming\n\n- Close what nobody has asked for in a year.\n",
        "## Backlog\n\nLives in the tracker, not here.\n",
        "## `tasks`\n\n- a list of commands\n",
        "## Tasks of the reviewer\n\n- read every line\n",
        "## Release checklist\n\n- [ ] tests are green\n- [ ] the tag is signed\n",
        "Before each commit:\n\n- [ ] tests are green\n- [ ] no secret\n",
        "- [ ] a single box is not a backlog\n",
        "- [x] done\n- [x] done too\n",
        "Never keep a TODO list in this file.\n",
        "## Incidents\n\n- Tell the user first, then repair.\n",
        "## Incident response\n\nWrite a post-mortem within two days.\n",
        "## 2026-03-04\n\nThe user moved to Berlin.\n",
        "## Post-mortem rules\n\nNo names.\n",
        "The user works with Claude Code and Codex.\n",
        "If you are Claude, sign with your name.\n",
        "You are talking to a person who reads every line.\n",
        "Pick the right tool for the job; a bash tool is not always it.\n",
        "- /etc/hosts names the printer\n- /tmp is emptied at night\n- /home is backed up\n",
        "| `/users` | list |\n| `/orders` | list |\n| `/status` | health |\n",
        "#hashtag is not a heading\n\n- one\n- two\n",
        "## 发布检查清单\n\n- [ ] 测试通过\n- [ ] 标签已签名\n",
        "每次提交前：\n\n- [ ] 测试通过\n- [ ] 没有密钥\n",
        "## 待办的写法\n\n- 动词开头\n",
        "## 事故处理\n\n- 先告诉用户，再修复\n",
        "用户同时使用 Claude Code 和 Codex。\n",
        "你是在和一个会读每一行的人说话。\n",
        "选合适的工具。\n",
    ],
)
def test_is_silent_about_rules_and_facts(text: str) -> None:
    """What only speaks of tasks, incidents or hosts stays: better silent than wrong."""
    assert codes(text) == []


def test_says_how_much() -> None:
    """The message counts what was found, so that a person can judge it without opening the file."""
    assert [message for _line, _code, message in misplaced([(7, "- [ ] a"), (8, "- [ ] b")])] == [
        "2 open tasks: keep them in a topic file"
    ]


def test_real_big_files_hold_one_backlog_each_at_most() -> None:
    """Over 19 real big files it speaks once, and rightly; guarded against more than 3 hits."""
    if not BIG_FILES.exists():
        pytest.skip(f"the big files are not here: {BIG_FILES}")
    hits = [
        hit
        for path in sorted(BIG_FILES.glob("*.md"))
        for hit in codes(prose(path.read_bytes().decode("utf-8", "replace")))
    ]
    assert (139, "backlog") in hits
    assert len(hits) <= 3


def prose(text: str) -> str:
    """Blank the fenced code, as the caller does with a real parser."""
    lines, fenced = [], False
    for line in text.splitlines():
        mark = line.lstrip().startswith(("```", "~~~"))
        lines.append("" if fenced or mark else line)
        fenced ^= mark
    return "\n".join(lines)


@pytest.mark.parametrize(
    "line", ["# " + "#" * 50_000 + "x", "用" + " " * 50_000, "- " * 50_000, "You are " * 10_000, "|" * 50_000]
)
def test_a_long_line_of_nothing_is_read_to_its_end(line: str) -> None:
    """Nothing in the patterns runs away, and nothing is found in it."""
    assert misplaced([(1, line)] * 3) == []
