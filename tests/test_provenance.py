"""The promises of provenance on real histories: memtool.edge.provenance."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory import Memory
from repos import History
from test_split_plan import section

from memtool.core.entry import entries, entry_hash
from memtool.edge import provenance
from memtool.edge.provenance import Origin, Provenance
from memtool.edge.trees import blob_id

BUNDLES = Path(__file__).resolve().parents[2] / "shared" / "data" / "histories"
A, B, UNSAID = "aaaaaa", "bbbbbb", "000000"
NOTE = "topics/a.md"


def origin(root: Path, path: str = NOTE, digits: str = UNSAID) -> Origin | None:
    return Provenance.load(str(root)).origin(path, digits)


def agent(root: Path, path: str = NOTE, digits: str = UNSAID) -> str:
    found = origin(root, path, digits)
    return found.agent if found else ""


def kept(root: Path) -> Path:
    return root / ".git" / "memtool" / "provenance"


def wrote(*digits: str, by: str = "desk", op: str = "remember") -> str:
    return f"memory\n\nMemory-Op: {op}\nMemory-Agent: {by}\nMemory-Path: {NOTE}\nMemory-Hash: {' '.join(digits)}\n"


def housekeeping(op: str) -> str:
    return f"memory\n\nMemory-Op: {op}\nMemory-Agent: desk\n"


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "memory")


# --- who wrote an entry ----------------------------------------------------------------------------------------------


def test_an_entry_that_its_commit_names_has_that_commit_agent_and_day(history: History) -> None:
    """Whatever is written to the file later; the agent is the trailer's, the day the author's, in the author's zone."""
    history.commit({NOTE: "0"}, "2026-01-01")
    history.commit({NOTE: "1"}, "2026-08-01T00:30:00+02:00", committed="2026-08-09", message=wrote(A))
    history.commit({NOTE: "2"}, "2026-09-01")
    made = history.write()
    assert origin(history.root, digits=A) == Origin(made[2], "desk", "2026-08-01", exact=True)
    assert origin(history.root) == Origin(made[3], "Ada", "2026-09-01", exact=False)


def test_a_commit_can_name_several_entries_and_speaks_of_its_own_files_only(history: History) -> None:
    history.commit({"topics/b.md": "0"}, "2026-08-01")
    history.commit({NOTE: "1"}, "2026-08-02", message=wrote(A, B))
    history.write()
    assert [agent(history.root, digits=digits) for digits in (A, B)] == ["desk", "desk"]
    assert agent(history.root, "topics/b.md", A) == "Ada"


def test_of_two_commits_that_name_an_entry_the_later_counts(history: History) -> None:
    """An entry that was revised and put back is of whoever put it back."""
    for body, digits, by in (("1", A, "desk"), ("2", B, "cron"), ("1", A, "laptop")):
        history.commit({NOTE: body}, "2026-08-01", message=wrote(digits, by=by))
    history.write()
    assert agent(history.root, digits=A) == "laptop"


def test_a_commit_that_says_what_it_wrote_does_not_claim_the_rest_of_the_file(history: History) -> None:
    """What a person wrote by hand is not labelled with the agent that added an entry, unless nothing else is known."""
    history.commit({NOTE: "by hand"}, "2026-08-01")
    history.commit({NOTE: "by hand, and more", "notes/desk.md": "x"}, "2026-08-02", message=wrote(A))
    history.write()
    assert agent(history.root) == "Ada"
    assert agent(history.root, "notes/desk.md") == "desk"


@pytest.mark.parametrize("op", ["init", "index", "split", "relink"])
def test_housekeeping_writes_no_entry(history: History, op: str) -> None:
    history.commit({NOTE: "1"}, "2026-08-01")
    history.commit({NOTE: "2", "topics/only.md": "x"}, "2026-08-02", message=housekeeping(op))
    history.write()
    assert agent(history.root) == "Ada"
    assert agent(history.root, "topics/only.md") == "desk"


def test_a_file_that_no_commit_has_has_no_origin(history: History) -> None:
    history.commit({NOTE: "1"}, "2026-08-01")
    history.commit({NOTE: "2"}, "2026-08-02", message=wrote(A))
    history.write()
    assert origin(history.root, "topics/new.md", A) is None
    assert origin(history.root, "a.md", A) is None
    assert origin(history.root, "", A) is None


def test_wrong_clocks_move_nothing(history: History) -> None:
    """The order is history's, not the clocks'."""
    history.commit({NOTE: "1"}, "2031-01-01", by="Fast")
    history.commit({NOTE: "2"}, "2026-08-01", by="Right")
    history.commit({NOTE: "3"}, "2001-01-01", by="Slow")
    history.write()
    assert agent(history.root) == "Slow"


def test_names_of_every_kind_are_found(history: History) -> None:
    """Spaces, quotes, line ends, Chinese, a leading dash, bytes that are not UTF-8, a name that is another's end."""
    names = [
        "-n.md",
        "my notes.md",
        'q"uote.md',
        "a\nb.md",
        "记忆.md",
        "bad\udcff.md",
        ":(top)x.md",
        ":100644 x.md",
        "md",
    ]
    for name in names:
        history.commit({name: "x"}, "2026-08-01", by=f"by {names.index(name)}")
        history.commit({name: "y"}, "2026-08-01", message=wrote(A, by=f"of {names.index(name)}"))
    history.write()
    assert [agent(history.root, name) for name in names] == [f"by {at}" for at in range(len(names))]
    assert [agent(history.root, name, A) for name in names] == [f"of {at}" for at in range(len(names))]


# --- files that move -------------------------------------------------------------------------------------------------


def test_a_file_that_was_moved_as_it_was_keeps_its_origins(history: History) -> None:
    """Through several moves, and back to the first name."""
    history.commit({NOTE: "1"}, "2026-08-01", by="Bea")
    history.commit({NOTE: "2"}, "2026-08-02", message=wrote(A))
    history.commit({NOTE: None, "topics/b.md": "2"}, "2026-08-03")
    history.commit({"topics/b.md": None, "topics/c.md": "2"}, "2026-08-04")
    history.write()
    assert [agent(history.root, "topics/c.md", digits) for digits in (UNSAID, A)] == ["Bea", "desk"]
    history.commit({"topics/c.md": None, NOTE: "2"}, "2026-08-05")
    history.write()
    assert [agent(history.root, NOTE, digits) for digits in (UNSAID, A)] == ["Bea", "desk"]
    assert agent(history.root, NOTE, B) == "Bea"


def test_a_new_file_owes_nothing_to_a_removed_one_of_its_name(history: History) -> None:
    history.commit({"topics/old.md": "1"}, "2026-08-01", by="Bea")
    history.commit({"topics/old.md": None, NOTE: "1"}, "2026-08-02")
    history.commit({NOTE: None}, "2026-08-03")
    history.commit({NOTE: "quite new"}, "2026-08-04", message=wrote(A))
    history.commit({"topics/old.md": "other"}, "2026-08-05", message=wrote(B, by="cron"))
    history.write()
    assert [agent(history.root, NOTE, digits) for digits in (UNSAID, A, B)] == ["desk"] * 3


def test_an_entry_keeps_its_origin_when_its_file_is_split(tmp_path: Path) -> None:
    """By memtool itself: an entry that was named, and one of which only the file was known; the agent that split wrote
    neither."""
    memory = Memory.started(tmp_path / "memory")
    named, other = section("## Named", 6000), section("## Other", 6000)
    source = b'---\ndescription: "read before all of it"\n---\n\n' + other + named
    memory.write("topics/big.md", source)
    memory.git("add", "-A")
    memory.git("commit", "-qm", "by hand", "--no-verify", "--author=Bea <b@example.invalid>")
    memory.write("topics/big.md", source + b"\n")
    memory.git("commit", "-qam", wrote(entry_hash(named + b"\n")), "--no-verify")
    memory.git("config", "memtool.agent", "cron")
    memory.run("split", "topics/big.md", ok=(0,))
    for path, digits, by in (("named.md", entry_hash(named + b"\n"), "desk"), ("other.md", entry_hash(other), "Bea")):
        content = (memory.root / "topics" / path).read_bytes()
        assert digits in {entry_hash(content[item.start : item.end]) for item in entries(content)}
        assert agent(memory.root, f"topics/{path}", digits) == by


def test_a_split_whose_trailers_are_damaged_is_a_commit_like_another(history: History) -> None:
    history.commit({NOTE: "1"}, "2026-08-01", message=wrote(A))
    history.commit(
        {NOTE: "2", "topics/part.md": "1"}, "2026-08-02", message="s\n\nMemory-Op: split\nMemory-Source: x\n"
    )
    history.write()
    assert agent(history.root, "topics/part.md", A) == "Ada"


# --- merges ----------------------------------------------------------------------------------------------------------


def merged(history: History) -> None:
    """Two sides, each with a file of its own and a change to the same; then the merge."""
    fork = history.commit({NOTE: "0", "topics/moved.md": "m"}, "2026-08-01", by="Root")
    ours = history.commit({NOTE: "ours", "topics/ours.md": "1"}, "2026-08-03", by="Ours")
    theirs = history.commit({NOTE: "theirs", "topics/theirs.md": "1"}, "2026-08-02", by="Theirs", parents=[fork])
    both: dict[str, str | None] = {NOTE: "both", "topics/theirs.md": "1", "topics/evil.md": "x"}
    history.commit(both, "2026-08-04", by="Merger", parents=[ours, theirs])


def test_merged_work_is_found_and_the_merge_claims_nothing_that_somebody_else_wrote(history: History) -> None:
    """A file that both sides changed is of the side that was merged in, which came later to this history."""
    merged(history)
    history.write()
    found = {path: agent(history.root, f"topics/{path}.md") for path in ("a", "ours", "theirs", "moved", "evil")}
    assert found == {"a": "Theirs", "ours": "Ours", "theirs": "Theirs", "moved": "Root", "evil": "Merger"}


def test_a_file_that_one_side_removes_and_the_merge_keeps_has_its_origin(history: History) -> None:
    fork = history.commit({NOTE: "0"}, "2026-08-01", by="Root")
    ours = history.commit({NOTE: "ours"}, "2026-08-02", by="Ours")
    theirs = history.commit({NOTE: None, "x": "x"}, "2026-08-03", by="Theirs", parents=[fork])
    history.commit({"x": "x"}, "2026-08-04", parents=[ours, theirs])
    history.write()
    assert agent(history.root) == "Ours"


# --- what messages can hold ------------------------------------------------------------------------------------------


def test_words_in_the_prose_of_a_message_are_no_trailers(history: History) -> None:
    """Nor are ones in a subject, or with a hash that is none."""
    prose = f"Memory-Hash: {A}\n\nMemory-Op: init\nMemory-Hash: {A}\nMemory-Agent: forger\n\nand so it ends.\n"
    history.commit({NOTE: "1"}, "2026-08-01", message=prose)
    history.commit(
        {NOTE: "2"}, "2026-08-02", message="m\n\nMemory-Agent: x\nMemory-Hash: AAAAAA bbbbbb1 zzzzzz topics/a.md\n"
    )
    history.commit({NOTE: "3"}, "2026-08-03", message=prose)
    history.write()
    assert origin(history.root, digits=A) == origin(history.root)
    assert agent(history.root) == "Ada"


def test_folded_trailers_are_read_whole(history: History) -> None:
    history.commit({NOTE: "1"}, "2026-08-01", message=f"m\n\nMemory-Agent:\n  desk\nMemory-Hash: {A}\n {B}\n\tcccccc\n")
    history.write()
    assert [agent(history.root, digits=digits) for digits in (A, B, "cccccc")] == ["desk"] * 3


@pytest.mark.parametrize(
    "message",
    [
        b"x\x00y\n\nMemory-Agent: desk",
        b"\n:100644 100644 aaaa bbbb M\n\ntopics/b.md",
        b"%x00%H\n\n%(trailers)\x1e\x1f",
        b"caf\xe9 \xff\xfe\n\nMemory-Agent: d\xffsk",
        b"commit 0000\r\n\r\nMemory-Agent: desk\r\n",
        b"",
    ],
)
def test_no_message_breaks_what_is_read_behind_it(history: History, message: bytes) -> None:
    """NUL, lines like git's own, odd bytes, nothing at all, as no `git commit` would write them."""
    history.commit({NOTE: "1"}, "2026-08-01")
    history.write()
    who = b"Bea <b@example.invalid> 1785585600 +0000"
    tree = history.git("rev-parse", "HEAD^{tree}").strip().encode()
    above = history.git("rev-parse", "HEAD").strip().encode()
    raw = b"tree %b\nparent %b\nauthor %b\ncommitter %b\n\n%b" % (tree, above, who, who, message)
    odd = history.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=raw).strip()
    history.git("update-ref", "refs/heads/main", odd)
    (history.root / "b.md").write_text("x")
    history.git("add", "b.md")
    history.git("-c", "user.name=Cy", "-c", "user.email=c@example.invalid", "commit", "-qm", wrote(A, by="last"))
    assert [agent(history.root), agent(history.root, "b.md", A)] == ["Ada", "last"]


def test_a_message_in_another_encoding_is_read_in_its_own(history: History) -> None:
    history.commit({NOTE: "1"}, "2026-08-01")
    history.write()
    (history.root / NOTE).write_text("2")
    said = f"é\n\nMemory-Agent: José\nMemory-Hash: {A}\n".encode("latin-1")
    settings = ("-c", "i18n.commitEncoding=ISO-8859-1", "-c", "user.name=x", "-c", "user.email=x@example.invalid")
    history.git(*settings, "commit", "-qaF", "-", stdin=said)
    assert agent(history.root, digits=A) == "José"


def test_no_setting_of_the_users_changes_what_is_found(history: History) -> None:
    merged(history)
    history.commit({NOTE: None, "topics/z.md": "both"}, "2026-08-05", message=wrote(A))
    history.write()
    settings = {
        "trailer.separators": "=",
        "core.commentChar": "M",
        "log.showSignature": "true",
        "log.showRoot": "false",
        "log.diffMerges": "off",
        "log.date": "relative",
        "log.mailmap": "true",
        "log.decorate": "full",
        "diff.renames": "copies",
        "diff.noprefix": "true",
        "diff.relative": "true",
        "core.quotePath": "true",
        "core.abbrev": "4",
        "color.ui": "always",
        "format.pretty": "oneline",
        "format.notes": "*",
        "i18n.logOutputEncoding": "UTF-16",
    }
    Provenance.load(str(history.root))
    before = kept(history.root).read_bytes()
    for name, value in settings.items():
        history.git("config", name, value)
    kept(history.root).unlink()
    Provenance.load(str(history.root))
    assert kept(history.root).read_bytes() == before


# --- clones, work trees, caches --------------------------------------------------------------------------------------


def test_before_the_first_commit_nothing_has_an_origin(history: History) -> None:
    assert origin(history.root) is None
    assert not kept(history.root).exists()


def test_a_shallow_clone_tells_what_it_can_and_nothing_wrong(history: History, tmp_path: Path) -> None:
    """What the cut hides has no origin; what the oldest commit names has; a deeper clone tells the rest."""
    history.commit({NOTE: "1", "topics/old.md": "1"}, "2026-08-01", by="Bea")
    history.commit({"topics/old.md": "2"}, "2026-08-02", message=wrote(A))
    history.commit({"topics/new.md": "1"}, "2026-08-03", by="Cy")
    history.write()
    root = tmp_path / "clone"
    history.git("clone", "-q", "--depth=2", history.root.as_uri(), str(root))
    assert origin(root) is None
    assert [agent(root, "topics/old.md", A), agent(root, "topics/new.md")] == ["desk", "Cy"]
    history.git("-C", str(root), "fetch", "-q", "--unshallow")
    assert agent(root) == "Bea"


def test_a_linked_work_tree_and_a_detached_head_have_their_own_answers(history: History, tmp_path: Path) -> None:
    history.commit({NOTE: "1"}, "2026-08-01", by="Bea")
    history.commit({NOTE: "2"}, "2026-08-02", by="Cy")
    history.write()
    linked = tmp_path / "linked"
    history.git("worktree", "add", "-q", "--detach", str(linked), "HEAD~1")
    assert [agent(history.root), agent(linked), agent(history.root)] == ["Cy", "Bea", "Cy"]
    history.git("checkout", "-q", "--detach", "HEAD~1")
    assert agent(history.root) == "Bea"


def test_a_repository_with_longer_ids_is_read_the_same(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main", "--object-format=sha256", str(tmp_path)], check=True)
    history = History(tmp_path)
    source = blob_id(b"1", 64).decode()
    history.commit({NOTE: "1"}, "2026-08-01", message=wrote(A))
    split = f"s\n\nMemory-Op: split\nMemory-Source: {source} 1 0\n"
    history.commit({NOTE: "2", "topics/part.md": "x"}, "2026-08-02", message=split)
    made = history.write()
    assert origin(tmp_path, "topics/part.md", A) == Origin(made[1], "desk", "2026-08-01", exact=True)


def test_a_damaged_cache_is_made_again(history: History) -> None:
    """Cut short anywhere, with any byte of what was kept wrong, or not a file at all."""
    history.commit({NOTE: "1"}, "2026-08-01", message=wrote(A))
    history.write()
    assert agent(history.root, digits=A) == "desk"
    whole = kept(history.root).read_bytes()
    cut = [whole[:at] for at in range(0, len(whole), 7)]
    wrong = [whole[:at] + b"~" + whole[at + 1 :] for at in range(0, len(whole), 7)]
    for damaged in cut + wrong:
        kept(history.root).write_bytes(damaged)
        assert agent(history.root, digits=A) == "desk"
    assert kept(history.root).read_bytes() == whole
    kept(history.root).unlink()
    kept(history.root).mkdir()
    assert agent(history.root, digits=A) == "desk"


def test_rewritten_history_leaves_nothing_behind(history: History) -> None:
    """A commit that was amended away is not named, though git still has it, or has it no more."""
    history.commit({NOTE: "1"}, "2026-08-01", by="Bea")
    history.commit({NOTE: "2"}, "2026-08-02", message=wrote(A))
    history.write()
    assert agent(history.root, digits=A) == "desk"
    history.git("reset", "-q", "--hard", "HEAD~1")
    assert agent(history.root, digits=A) == "Bea"
    history.git("reset", "-q", "--hard", "ORIG_HEAD")
    assert agent(history.root, digits=A) == "desk"
    history.git("reset", "-q", "--hard", "HEAD~1")
    history.git("reflog", "expire", "--expire=now", "--all")
    history.git("update-ref", "-d", "ORIG_HEAD")
    history.git("gc", "-q", "--prune=now")
    assert agent(history.root, digits=A) == "Bea"


def test_several_at_once_all_answer_and_leave_a_whole_cache(history: History) -> None:
    for at in range(50):
        history.commit({NOTE: str(at)}, "2026-08-01", message=wrote(A))
    history.write()
    ask = (
        "import sys; from memtool.edge.provenance import Provenance;"
        f"print(Provenance.load(sys.argv[1]).origin({NOTE!r}, {A!r}))"
    )
    run = [sys.executable, "-c", ask, str(history.root)]
    with ThreadPoolExecutor(4) as pool:
        said = set(pool.map(lambda _: subprocess.run(run, capture_output=True, check=True).stdout, range(8)))
    whole = kept(history.root).read_bytes()
    assert len(said) == 1
    assert str(origin(history.root, digits=A)).encode() in said.pop()
    assert kept(history.root).read_bytes() == whole


def test_a_cache_that_cannot_be_written_is_no_error(history: History) -> None:
    history.commit({NOTE: "1"}, "2026-08-01")
    history.write()
    kept(history.root).parent.write_text("a file where the folder should be")
    assert [agent(history.root), agent(history.root)] == ["Ada", "Ada"]


def test_history_is_read_once_and_then_only_what_is_new(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    """No git at all where HEAD has not moved; after new commits, own or pulled with a merge, only those."""
    history.commit({NOTE: "0"}, "2026-08-01", by="Bea")
    history.write()
    assert agent(history.root) == "Bea"
    monkeypatch.setattr(provenance, "_from_nothing", None)
    theirs = history.commit({"topics/theirs.md": "1"}, "2026-08-02", by="Theirs", parents=[1])
    history.write()
    assert agent(history.root, "topics/theirs.md") == "Theirs"
    ours = history.commit({NOTE: "1"}, "2026-08-02", by="Ours", parents=[1])
    history.commit({NOTE: "1", "topics/theirs.md": "1"}, "2026-08-03", by="Merger", parents=[ours, theirs])
    history.write()
    assert [agent(history.root), agent(history.root, "topics/theirs.md")] == ["Ours", "Theirs"]
    monkeypatch.setattr(provenance, "records", None)
    monkeypatch.setattr(provenance, "git", None)
    assert agent(history.root) == "Ours"


def test_a_move_that_a_merge_puts_before_what_was_known_is_told_as_from_nothing(history: History) -> None:
    fork = history.commit({NOTE: "0"}, "2026-08-01", by="Root")
    ours = history.commit({NOTE: "1"}, "2026-08-02", by="Ours")
    history.write()
    assert agent(history.root) == "Ours"
    theirs = history.commit({NOTE: None, "topics/b.md": "0"}, "2026-08-03", by="Theirs", parents=[fork])
    history.commit({"topics/b.md": "1"}, "2026-08-04", by="Merger", parents=[theirs, ours])
    history.write()
    carried = agent(history.root, "topics/b.md")
    kept(history.root).unlink()
    assert carried == agent(history.root, "topics/b.md") == "Root"


PATHS = ["a", "b", "c"]
STEPS = st.lists(
    st.tuples(
        st.integers(0, 5),  # how far back the first parent is
        st.none() | st.integers(0, 5),  # and the second
        st.dictionaries(st.sampled_from(PATHS), st.none() | st.sampled_from("123"), min_size=1),
        st.sampled_from(["memory", wrote(A), wrote(B), housekeeping("index")]),
        st.integers(1, 28),  # a day
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=25)
@given(STEPS)
def test_what_was_carried_on_says_the_same_as_what_is_read_from_nothing(
    steps: list[tuple[int, int | None, dict[str, str | None], str, int]],
) -> None:
    """Over histories of every shape: forks, merges either way round, moved and removed files, clocks at random."""
    with TemporaryDirectory() as folder:
        history = History(Path(folder))
        for at, (back, other, files, message, day) in enumerate(steps):
            parents = list(dict.fromkeys(max(1, at - far) for far in (back, other) if far is not None and at))
            history.commit(files, f"2026-08-{day:02}", by=f"by {at}", message=message, parents=parents)
        made = history.write()
        asked = [(path, digits) for path in PATHS for digits in (UNSAID, A, B)]
        for oid in made.values():
            history.git("update-ref", "--no-deref", "HEAD", oid)
            carried = [origin(history.root, *ask) for ask in asked]
            aside = kept(history.root).rename(kept(history.root).with_name("aside"))
            assert carried == [origin(history.root, *ask) for ask in asked]
            aside.replace(kept(history.root))


@pytest.mark.parametrize("name", ["engram-memory", "skill-memory-bank", "til"])
def test_real_histories_agree_with_git_log(name: str, tmp_path: Path) -> None:
    """The origin of a file that was never moved is the commit that `git log -1 --no-merges` names."""
    if not (BUNDLES / f"{name}.bundle").exists():
        pytest.skip("the shared histories are not here")
    root = tmp_path / name
    subprocess.run(["git", "clone", "-q", str(BUNDLES / f"{name}.bundle"), str(root)], check=True)

    def git(*args: str) -> list[str]:
        done = subprocess.run(["git", "-C", str(root), *args], capture_output=True, text=True, check=True)
        return [line for line in done.stdout.split("\0") if line]

    moved = set(git("log", "-z", "--format=", "--name-only", "--diff-filter=R", "-M100%", "HEAD"))
    paths = [path for path in git("ls-tree", "-rz", "--name-only", "HEAD") if path not in moved]
    known = Provenance.load(str(root))
    for path in paths[:: max(1, len(paths) // 60)]:
        last = git("log", "-z", "-1", "--no-merges", "--topo-order", "--format=%H %as %an", "HEAD", "--", path)
        found = known.origin(path, UNSAID)
        assert found
        assert [f"{found.commit} {found.date} {found.agent}"] == last


def test_a_recall_that_asks_loads_nothing_heavy() -> None:
    """Neither what costs as much as Python's own start, nor `re`, `json` and `enum`."""
    code = "import memtool.edge.provenance, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-S", "-c", code], capture_output=True, text=True, check=True,
                          env={"PYTHONPATH": str(Path(__file__).parents[1])})  # fmt: skip
    heavy = {"subprocess", "dataclasses", "typing", "pathlib", "git", "yaml", "re", "json", "enum", "hashlib"}
    assert set(done.stdout.split()) & heavy == set()
