"""What needs a person: grouped, the most urgent first, on one screen."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from memory import Memory

from memtool.core import index
from memtool.core.check import Report, check
from memtool.core.config import Config
from memtool.core.merge.aside import BOTH, Aside
from memtool.core.merge.copy import written
from memtool.core.merge.file import merge_file
from memtool.core.review import SHOWN, Review, review

GOLDEN = Path(__file__).parent / "golden" / "review"
CONFIG = Config()
TODAY = "2026-11-30"
RESIDENT = {"resident/rules.md": b"# Rules\n", "resident/summary.md": b"# Summary\n"}
TOPIC = b'---\ndescription: "read before git work"\nsource_date: 2026-01-01\n---\n\n# Git\n'
COPY, COPIED = written("topics/git.md", Aside("Git", BOTH, b"# Git\n\nNever force.", "git"), CONFIG)
KEY = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


def reviewed(files: dict[str, bytes]) -> tuple[Review, Report]:
    tree = RESIDENT | files
    tree |= index.pages(tree, CONFIG)
    report = check(tree, CONFIG, source="work tree", today=TODAY)
    return review(report, CONFIG, tree), report


def messy() -> dict[str, bytes]:
    return {
        "resident/rules.md": b"# Rules\n\n" + b"Write plainly. " * 300 + b"\n",
        "resident/summary.md": b"# Summary\n\n## Priorities\n\n- ship\n\nThe release isn't pushed yet.\n",
        COPY: COPIED,
        "inbox/idea.md": b"# An idea\n",
        "inbox/plan.md": TOPIC,
        "topics/bad.md": b"---\ndescription: read before: git\n---\n",
        "topics/draft.md": TOPIC.replace(b"source", b"description_status: draft\nsource"),
        "topics/expired.md": TOPIC.replace(b"---\n\n", b"valid_until: 2026-11-29\n---\n\n"),
        "topics/git.md": TOPIC,
        "topics/late.md": TOPIC.replace(b"---\n\n", b"review_by: 2026-01-01\n---\n\n"),
        "topics/secret.md": TOPIC + KEY.encode(),
        "topics/weak.md": TOPIC.replace(b"read before git work", b"about git"),
        **{f"topics/{number}.md": b"# T\n" for number in range(5)},
    }


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_review_is_as_written_down(form: str) -> None:
    """Each group with its count, some of its rows, and the way to settle it; then what is left to `check`."""
    found, _ = reviewed(messy())
    shown = found.text() if form == "text" else json.dumps(found.asdict(), indent=1, ensure_ascii=False) + "\n"
    path = GOLDEN / f"messy.{form}"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(shown)
    assert shown == path.read_text()
    assert KEY not in shown


def test_no_finding_is_lost_and_none_is_told_twice() -> None:
    """What `check` found is in one group, or counted as left to it; only proposals that lack a description are not."""
    found, report = reviewed(messy())
    told = [item for group in found.groups for item in group.items if item.code != "proposed"]
    assert len(told) == len(set(told))
    assert set(told) <= set(report.findings)
    assert len(told) + found.others == len(report.findings)
    assert {finding for finding in report.findings if finding.severity == "error"} <= set(told)


def test_a_conflict_copy_is_no_proposal_and_what_cannot_be_read_as_one_is() -> None:
    """A file of the inbox is in one group; a draft in it is a proposal, not a draft."""
    broken = f"{CONFIG.inbox}/conflicts/broken.md"
    found, _ = reviewed({COPY: COPIED, broken: b"# Broken\n", "inbox/draft.md": b"# Draft\n"})
    groups = {group.name: [item.path for item in group.items] for group in found.groups}
    assert groups == {"conflicts": [COPY], "proposed": [broken, "inbox/draft.md"]}


def test_a_text_set_aside_inside_its_file_says_what_to_do_there() -> None:
    """No command settles it, so its row names file and line, and the way out."""
    both = merge_file(b"## A\n\na\n", b"## A\n\nours\n", b"## A\n\ntheirs\n")
    found, _ = reviewed({"topics/two.md": TOPIC + b"\n" + both, COPY: COPIED, "topics/git.md": TOPIC})
    rows = found.text().partition("2 in conflict: memtool resolve\n")[2].splitlines()[:2]
    assert rows[0].startswith(f"  {COPY}  a merge set aside another text")
    assert rows[1].startswith("  topics/two.md:12  a merge set this text aside")
    assert rows[1].endswith("Let what is right stand above, and delete this section.")


def test_a_screen_holds_the_worst_memory() -> None:
    """However much waits, of each group some rows are shown, and how many more there are."""
    found, _ = reviewed(messy() | {f"topics/x{number}.md": b"# T\n" for number in range(500)})
    assert len(found.text().splitlines()) <= len(found.groups) * (SHOWN + 3) + 1 <= 50
    assert "506 without an approved description" in found.text()
    assert "… and 503 more" in found.text()


def test_a_well_kept_memory_has_nothing_to_review() -> None:
    """Said in one sentence; what is `check`'s own to say is only counted."""
    assert reviewed({"topics/git.md": TOPIC})[0].text() == "Nothing to review.\n"
    found, _ = reviewed({"topics/git.md": TOPIC + b"\n[gone](gone.md)\n"})
    assert (found.waiting, found.others) == (0, 1)
    assert found.text() == "Nothing to review.\n\nBeside that, memtool check has 1 warning.\n"


def test_the_exit_code_tells_whether_anything_waits(tmp_path: Path) -> None:
    """0: nothing; 1: something; 2: it could not be looked at. Nothing is ever changed."""
    memory = Memory.started(tmp_path / "memory")
    assert memory.run("review", ok=(0,)).stdout == "Nothing to review.\n"
    memory.write("inbox/idea.md", TOPIC)
    before = memory.state()
    assert "1 proposed: " in memory.run("review", ok=(1,)).stdout
    answer = json.loads(memory.run("review", "--format", "json", ok=(1,)).stdout)
    assert answer.keys() == {"schema", "waiting", "groups", "others"}
    assert (answer["schema"], answer["waiting"]) == ("memtool.review/1", 1)
    assert memory.state() == before
    memory.write("memtool.yaml", "format: none\n")
    assert "memtool.yaml:1" in memory.run("review", ok=(2,)).stderr
