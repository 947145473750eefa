"""The proof of a split: it holds for what was moved, and for nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_split_plan import FRONT, made, section, written

from memtool.core.split import proof
from memtool.core.split.plan import Cut, Plan
from memtool.edge.trees import blob_id
from memtool.errors import MemtoolError

DATA = FRONT + b"Before.\n\n" + section("## One", 3000) + section("## Two", 4000) + section("## Three", 5000)


def oid(data: bytes) -> str:
    return blob_id(data, 40).decode()


class Commit:
    """A split commit as git would hold it: what changed, and the trailers."""

    def __init__(self, plan: Plan) -> None:
        self.files = written(plan)
        proof.prove(plan, self.files)
        self.source = plan.data
        lines = [line.split(": ", 1) for line in proof.trailers(plan, self.files, oid)]
        source, parts = ([value for key, value in lines if key == wanted] for wanted in (proof.SOURCE, proof.PART))
        found = proof.claim(source, parts)
        assert found is not None
        self.claim = found

    def examine(self) -> proof.Outcome:
        blobs = {path: data for path, data in self.files.items() if data is not None}
        contents = {oid(data): data for data in (*blobs.values(), self.source)}
        moved = proof.Moved({"topics/big.md": oid(self.source)}, {path: oid(data) for path, data in blobs.items()})
        return proof.examine(self.claim, moved, contents.__getitem__)

    def faults(self) -> list[str]:
        return list(self.examine().faults)


CUTS = [Cut(level=2), Cut(level=2, remove=True)]


@pytest.mark.parametrize("cut", CUTS, ids=["route", "remove"])
def test_a_split_is_proved_from_its_trailers(cut: Cut) -> None:
    """Blob ids and lengths are all that the proof needs."""
    assert Commit(made(DATA, cut)).faults() == []


def test_the_trailers_name_ids_and_lengths_and_no_memory_text() -> None:
    """A heading is memory text: it is in no commit message."""
    plan = made(DATA, Cut(level=2))
    said = "\n".join(proof.trailers(plan, written(plan), oid))
    assert said.splitlines()[0] == f"Memory-Source: {oid(DATA)} {len(DATA)} {plan.kept}"
    assert "one" not in said.lower()


def change(path: str, edit: Callable[[bytes], bytes]) -> list[str]:
    commit = Commit(made(DATA, Cut(level=2)))
    commit.files[path] = edit(commit.files[path] or b"")
    return commit.faults()


def test_a_tampered_part_is_named_with_its_offset() -> None:
    """The file, the byte of the source, and the byte of the part."""
    where = f"at its byte {len(DATA) - 5010:,}, byte 3,990 of the part's body"
    assert change("topics/two.md", lambda data: data[:-10] + b"!" + data[-9:]) == [
        f"part 2 of 3: topics/two.md: differs from the source {where}"
    ]


def test_a_part_cut_short_or_gone_is_named() -> None:
    """Where it ends too early, or what of the source nobody holds."""
    assert "byte 3,000 of the part's body" in change("topics/two.md", lambda data: data[:-1000])[0]
    commit = Commit(made(DATA, Cut(level=2)))
    commit.files["topics/two.md"] = None
    assert commit.faults() == [f"part 2 of 3: no file holds it, the source from byte {len(DATA) - 9000:,} on"]


def test_changed_front_matter_costs_no_byte_of_the_source() -> None:
    """A better description in an amended commit is told, and the text is proved all the same."""
    commit = Commit(made(DATA, Cut(level=2)))
    commit.files["topics/two.md"] = (commit.files["topics/two.md"] or b"").replace(b"read before", b"read after", 1)
    found = commit.examine()
    assert (found.faults, found.parts) == ((), ("topics/one.md", "topics/two.md", "topics/three.md"))
    assert found.notes == ("topics/two.md: its front matter was changed after the split; its body is the source's",)


def test_a_source_that_lost_its_head_is_named() -> None:
    """What stood before the first heading has to stay where it was."""
    assert change("topics/big.md", lambda data: data[5:]) == [
        f"topics/big.md: its first {len(FRONT) + 9:,} bytes did not stay"
    ]


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("oid", "0" * 40, "is not what the parent holds"),
        ("size", 1, "the lengths that the commit names"),
        ("kept", 1, "the lengths that the commit names"),
    ],
)
def test_a_claim_about_another_source_proves_nothing(field: str, value: object, fault: str) -> None:
    """Trailers that were edited do not pass."""
    commit = Commit(made(DATA, Cut(level=2)))
    commit.claim = commit.claim.replace(**{field: value})
    assert fault in commit.faults()[0]


DAMAGED = [[], [""], ["x"], ["x 1"], ["x 1 2 3"], ["x a b"]]


@pytest.mark.parametrize("values", DAMAGED, ids=repr)
def test_damaged_trailers_are_no_claim(values: list[str]) -> None:
    """Whatever stands there, it is never taken for a proof."""
    assert proof.claim(values, ["y 1 2"]) is None
    assert proof.claim(["x 1 2"], values) is None
    assert proof.claim(["x 1 2", "y 1 2"], ["y 1 2"]) is None


@given(st.data())
def test_no_changed_byte_passes(data: st.DataObject) -> None:
    """Any single byte of any part or of the kept head, changed, dropped or put in, is told; in a body as a fault."""
    commit = Commit(made(DATA, Cut(level=2)))
    path = data.draw(st.sampled_from(sorted(commit.files)))
    content = commit.files[path] or b""
    reach = len(FRONT) + 9 if path == "topics/big.md" else len(content)
    at = data.draw(st.integers(0, reach - 1))
    new = data.draw(st.binary(max_size=2).filter(lambda new: new != content[at : at + 1]))
    commit.files[path] = content[:at] + new + content[at + 1 :]
    found = commit.examine()
    assert found.faults or found.notes
    assert found.faults or content[at:].startswith(b"---\n") or b"\n---\n" in content[at:]


def test_files_that_are_not_the_source_are_never_written() -> None:
    """The proof before the writing refuses a lost byte, a moved one, and a heading that is read otherwise."""
    plan = made(DATA, Cut(level=2))
    good = written(plan)
    two = good["topics/two.md"] or b""
    for bad in (two[:-1], two + b"\n", two.replace(b"## Two", b"### Tw"), two.replace(b"---\n#", b"--\n#", 1)):
        with pytest.raises(MemtoolError, match="nothing was written"):
            proof.prove(plan, good | {"topics/two.md": bad})
    with pytest.raises(MemtoolError, match="not all of it"):
        proof.prove(plan, good | {"topics/big.md": b""})
    with pytest.raises(MemtoolError, match="nothing was written"):
        proof.prove(plan.replace(parts=plan.parts[:-1]), good)
