"""The start pack: in reading order, in every form, under every host's cap."""

from __future__ import annotations

import pytest

from memtool.core import startpack
from memtool.core.config import Config
from memtool.core.startpack import HOSTS, Pack, fit, pack, part

FILES = {
    "resident/rules.md": b"Rules; see INDEX.md.\n",
    "resident/summary.md": "Summary 记忆".encode(),
    "resident/agents/desk.md": b"Desk.\n",
    "resident/agents/other.md": b"Other.\n",
    "topics/t.md": b"Topic.\n",
}


def made(agent: str = "desk", live: str = "") -> Pack:
    return pack(FILES, Config(), agent=agent, digest="Digest.\n", live=live)


def test_a_session_reads_its_own_files_stable_first_the_digest_last() -> None:
    """Rules, summary, this agent's own summary, the digest; no other agent's, no topic."""
    assert startpack.text(made(live="Live: 1 file changed.")) == (
        "<!-- resident/rules.md -->\nRules; see INDEX.md.\n\n"
        "<!-- resident/summary.md -->\nSummary 记忆\n\n"
        "<!-- resident/agents/desk.md -->\nDesk.\n\n"
        "<!-- .memtool/digest.md -->\nDigest.\n\n"
        "Live: 1 file changed.\n"
    )


def test_an_agent_without_a_summary_or_a_name_gets_a_hint() -> None:
    """The hint names the file, or the setting."""
    assert "Agent new has no summary of its own yet" in startpack.text(made("new"))
    assert "resident/agents/new.md" in startpack.text(made("new"))
    assert "git config memtool.agent" in startpack.text(made(""))


def test_over_budget_everything_is_printed_and_said() -> None:
    """A start never truncates; the note names file and bytes."""
    files = FILES | {"resident/rules.md": b"r" * 13000}
    found = pack(files, Config(), agent="desk", digest="", live="")
    assert "r" * 13000 in startpack.text(found)
    assert found.notes[0] == "resident/rules.md: 13,000 bytes, 8,904 over its budget; all of it is printed"
    assert "over the 12,288 for all" in found.notes[1]


def test_every_format_gives_the_same_text() -> None:
    """JSON blocks with their bytes; two system blocks with a cache mark on the stable one; one string."""
    found = made()
    document = startpack.asdict(found)
    assert document["schema"] == "memtool.start/1"
    assert [block["name"] for block in document["blocks"]] == ["rules", "summary", "desk", "digest"]
    assert document["bytes"] == sum(block["bytes"] for block in document["blocks"])
    assert document["blocks"][1]["bytes"] == len("Summary 记忆".encode())
    stable, volatile = startpack.anthropic(found)["system"]
    assert (stable["cache_control"], "cache_control" in volatile) == ({"type": "ephemeral"}, False)
    assert stable["text"] + "\n" + volatile["text"] == startpack.text(found)
    assert startpack.openai(found)["instructions"] == startpack.text(found)


@pytest.mark.parametrize("host", ["claude", "codex"])
def test_a_host_never_gets_more_than_its_cap_and_always_the_digest(host: str) -> None:
    """What does not fit is left out whole and named with its path and bytes; nothing is cut silently."""
    files = FILES | {"resident/summary.md": "记忆".encode() * 900, "resident/rules.md": b"r" * 4096}
    found = pack(files, Config(), agent="desk", digest="Digest 记.\n" * 150, live="Live.")
    text = fit(found, HOSTS[host])
    assert HOSTS[host].measure(text) <= 10_000
    assert "Digest 记.\n" * 150 in text
    huge = fit(
        found.replace(blocks=tuple(b.replace(text=b.text * 4) if b.stable else b for b in found.blocks)), HOSTS[host]
    )
    assert HOSTS[host].measure(huge) <= 10_000
    assert "Digest 记.\n" * 150 in huge
    assert f"- resident/rules.md ({4096 * 4:,} bytes)" in huge
    assert "r" * 4096 not in huge


def test_a_digest_over_the_cap_is_named_not_cut() -> None:
    """Even the digest is never cut in two."""
    found = pack({}, Config(), agent="desk", digest="d" * 20_000, live="")
    assert fit(found, HOSTS["claude"]).startswith(
        "Not shown, over this host's 10,000 characters: read .memtool/digest.md now."
    )


def test_the_parts_of_two_calls_are_the_whole() -> None:
    """A host may call once for the resident files and once for the digest: its cap is per call."""
    found = made(live="Live.")
    assert part(found, "resident").blocks + part(found, "digest").blocks == found.blocks
    assert part(found, "") == found


def test_bytes_that_are_not_utf_8_are_shown_replaced() -> None:
    """One bad byte does not keep a session from its memory."""
    found = pack(FILES | {"resident/rules.md": b"\xff"}, Config(), agent="desk", digest="", live="")
    assert "\ufffd" in found.blocks[0].text


def test_a_session_is_told_of_the_index_where_no_resident_file_does() -> None:
    """An adopted rules file knows nothing of the index; what is on demand would not be found."""
    found = pack(FILES | {"resident/rules.md": b"Rules.\n"}, Config(), agent="desk", digest="", live="")
    assert "Before a task, read INDEX.md;" in startpack.text(found)
    assert "Before a task" not in startpack.text(made())


def test_a_resident_file_that_is_gone_is_said() -> None:
    """A start without the rules is no start like any other."""
    files = {path: data for path, data in FILES.items() if path != "resident/rules.md"}
    found = pack(files, Config(), agent="desk", digest="", live="")
    assert found.notes == ("resident/rules.md: every session should read it; it is not there",)
