"""The command line as a person and a script meet it: words, exit codes, JSON, no traceback."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from memory import GOOD, Memory

RULES = "resident/rules.md"


@pytest.fixture
def repo(tmp_path: Path) -> Memory:
    return Memory.started(tmp_path / "repo")


def test_check_says_how_many_files_it_examined(repo: Memory) -> None:
    """A pass names its ground."""
    done = repo.run("check", ok=(0,))
    assert "3 memory files examined (work tree): 0 errors, 0 warnings." in done.stdout
    assert done.stderr == ""


def test_check_of_a_committed_file_over_budget_is_an_error(repo: Memory) -> None:
    """A clean index does not make a large file small: the whole tree is proved."""
    repo.write(RULES, "x" * 9000)
    repo.git("commit", "-qam", "x", "--no-verify")
    for args in ([], ["--rev", "HEAD"], [RULES], ["resident"]):
        done = repo.run("check", *args, ok=(1,))
        assert "over-budget" in done.stdout
    assert repo.run("check", "--staged", ok=(0,)).returncode == 0
    assert repo.run("check", "topics", ok=(0,)).returncode == 0


def test_nothing_examined_is_no_pass(repo: Memory) -> None:
    """Exit 2 and the setting to look at, when a path or a repo holds no memory."""
    repo.write("script.py", "")
    for args in (["script.py"], ["gone.md"], ["../elsewhere.md"]):
        done = repo.run("check", *args, ok=(2,))
        assert done.stdout == ""
        assert done.stderr.startswith("memtool: ")
    repo.write("memtool.yaml", "on_demand: [nowhere]\nresident: []\n")
    assert "no memory file was examined" in repo.run("check", ok=(2,)).stderr


def test_paths_are_taken_from_where_one_stands_and_from_the_root(repo: Memory) -> None:
    """`check git.md` inside topics/, and `check topics/git.md` from anywhere with -C."""
    below = Memory(repo.root / "topics")
    assert "1 memory file examined" in below.run("check", "git.md", ok=(0,)).stdout
    elsewhere = Memory(repo.root.parent)
    assert "1 memory file examined" in elsewhere.run("-C", str(repo.root), "check", "topics/git.md", ok=(0,)).stdout


def test_json_is_one_document_with_its_schema(repo: Memory) -> None:
    """Every reading command says by its schema what it is."""
    repo.write("topics/bad.md", "---\na: 1\na: 2\n---\n")
    found = json.loads(repo.run("check", "--format", "json", ok=(1,)).stdout)
    assert list(found) == ["schema", "source", "files", "findings", "resident", "total"]
    assert found["schema"] == "memtool.check/1"
    assert {"code", "severity", "path", "line", "message", "hint"} == set(found["findings"][0])
    assert {"path", "bytes", "chars", "tokens", "budget", "left"} == set(found["resident"][0])
    start = json.loads(repo.run("start", "--agent", "desk", "--format", "json", ok=(0,)).stdout)
    assert list(start) == ["schema", "blocks", "bytes", "over"]
    assert {"name", "path", "stable", "bytes", "text"} == set(start["blocks"][0])
    for command in ("stats", "doctor"):
        assert json.loads(repo.run(command, "--format", "json").stdout)["schema"] == f"memtool.{command}/1"


def test_github_marks_the_lines(repo: Memory) -> None:
    """Workflow commands, one a line."""
    repo.write("topics/bad.md", "---\na: 1\na: 2\n---\n")
    assert repo.run("check", "--format", "github", ok=(1,)).stdout.startswith("::error file=topics/bad.md,line=3,")


@pytest.mark.parametrize("command", ["check", "index", "digest", "start", "stats", "doctor"])
def test_outside_a_memory_repo_each_command_says_the_way_in(tmp_path: Path, command: str) -> None:
    """No repo, no traceback: exit 2, `memtool init` named."""
    done = Memory(tmp_path).run(command, ok=(2,))
    assert "no memory repo here" in done.stderr
    assert "memtool init" in done.stderr


def test_the_repo_is_found_by_option_variable_parent_and_setting(repo: Memory, tmp_path: Path) -> None:
    """-C, then $MEMTOOL_REPO, then the nearest parent with a memtool.yaml, then git config memtool.repo."""
    away = Memory(tmp_path / "away")
    away.root.mkdir()
    assert away.run("-C", str(repo.root), "check", ok=(0,)).returncode == 0
    assert away.run("check", ok=(0,), env={"MEMTOOL_REPO": str(repo.root)}).returncode == 0
    assert Memory(repo.root / "topics").run("check", ok=(0,)).returncode == 0
    settings = tmp_path / "gitconfig"
    settings.write_text(f"[memtool]\n\trepo = {repo.root}\n")
    assert away.run("check", ok=(0,), env={"GIT_CONFIG_GLOBAL": str(settings)}).returncode == 0
    assert "no such folder" in away.run("-C", "/nowhere", "check", ok=(2,)).stderr
    assert (
        "bare repository" in bare(tmp_path).run("check", ok=(2,), env={"MEMTOOL_REPO": str(tmp_path / "bare")}).stderr
    )


def bare(folder: Path) -> Memory:
    Memory(folder).git("init", "-q", "--bare", str(folder / "bare"))
    return Memory(folder)


def test_a_calling_gits_variables_do_not_turn_memtool_to_its_repository(repo: Memory, tmp_path: Path) -> None:
    """Run from a hook of a code repository, memtool reads and writes the memory repo alone."""
    code = Memory.make(tmp_path / "code", hooks=False)
    code.write("a.txt", "a")
    code.git("add", "-A")
    code.git("commit", "-qm", "x")
    env = {
        "GIT_DIR": str(code.root / ".git"),
        "GIT_INDEX_FILE": str(code.root / ".git" / "index"),
        "MEMTOOL_REPO": str(repo.root),
    }
    before = (code.git("ls-files", "-s"), code.git("rev-parse", "HEAD"))
    assert "3 memory files examined" in code.run("check", ok=(0,), env=env).stdout
    code.run("index", ok=(0,), env=env)
    code.run("start", ok=(0,), env=env)
    assert (code.git("ls-files", "-s"), code.git("rev-parse", "HEAD")) == before


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["check", "--rev", "nope"], "nope: no such commit"),
        (["check", "--rev", "--upload-pack=x"], "no such commit"),
        (["check", "--staged", "--rev", "HEAD"], "exclude one another"),
        (["digest", "--as-of", "yesterday"], "write it YYYY-MM-DD"),
        (["digest", "--as-of", "2026-02-31"], "is no date"),
        (["start", "--agent", "../x"], "cannot name an agent"),
    ],
)
def test_wrong_arguments_are_a_sentence(repo: Memory, args: list[str], said: str) -> None:
    """Exit 2, nothing on stdout, nothing changed."""
    before = repo.state()
    done = repo.run(*args, ok=(2,))
    assert said in done.stderr
    assert done.stdout == ""
    assert repo.state() == before


def test_a_broken_configuration_stops_every_command_with_its_line(repo: Memory) -> None:
    """memtool.yaml:LINE, exit 2."""
    repo.write("memtool.yaml", "format: 1\ntotal: much\n")
    for command in ("check", "index", "start", "stats"):
        assert "memtool.yaml:2: total" in repo.run(command, ok=(2,)).stderr


def test_odd_files_are_findings_never_tracebacks(repo: Memory) -> None:
    """A link, a folder of that name, invalid UTF-8, 100 MB: each is said, and the rest is checked."""
    (repo.root / "topics" / "link.md").symlink_to("git.md")
    (repo.root / "topics" / "folder.md").mkdir()
    repo.write("topics/folder.md/inner.md", GOOD)
    repo.write("topics/latin.md", GOOD.encode() + b"caf\xe9\n")
    repo.write("topics/huge.md", b"")
    os.truncate(repo.root / "topics" / "huge.md", 100 << 20)
    repo.run("index", ok=(0,))
    found = json.loads(repo.run("check", "--format", "json", ok=(0, 1)).stdout)
    said = {(finding["path"], finding["code"]) for finding in found["findings"]}
    assert {
        ("topics/link.md", "not-a-regular-file"),
        ("topics/latin.md", "not-utf-8"),
        ("topics/huge.md", "not-a-regular-file"),
    } <= said
    repo.run("start", ok=(0,))
    repo.run("stats", ok=(0,))


def test_before_the_first_commit_everything_works(tmp_path: Path) -> None:
    """No HEAD yet: check, start and digest answer, and say so."""
    repo = Memory.make(tmp_path / "repo")
    repo.write("memtool.yaml", "format: 1\n")
    repo.write(RULES, "# Rules\n")
    repo.run("check", ok=(0,))
    assert "No history yet" in repo.run("digest", "--stdout", ok=(0,)).stdout
    assert "# Rules" in repo.run("start", ok=(0,)).stdout


def test_start_says_what_is_not_committed_and_not_synced(repo: Memory, tmp_path: Path) -> None:
    """Live facts stand in the start pack, never in the digest."""
    repo.write("topics/new.md", GOOD)
    done = repo.run("start", "--agent", "desk", ok=(0,))
    assert "Live: 1 file changed here and not committed." in done.stdout
    repo.git("init", "-q", "--bare", str(tmp_path / "hub.git"))
    repo.git("remote", "add", "origin", str(tmp_path / "hub.git"))
    assert "this branch was never synced" in repo.run("start", ok=(0,)).stdout
    repo.git("push", "-qu", "origin", "main")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "x")
    assert "Live: 1 commit not synced since 20" in repo.run("start", ok=(0,)).stdout
    assert "Live" not in (repo.root / ".memtool" / "digest.md").read_text()


def test_session_start_always_ends_with_0_and_one_line_when_it_fails(repo: Memory, tmp_path: Path) -> None:
    """A session starts without its memory rather than not at all."""
    done = Memory(tmp_path).run("hook", "session-start", "--host", "claude", ok=(0,))
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert "no memory at this start" in done.stderr
    for args in (["--host", "nope"], ["--bogus"], ["-C", "/nowhere"]):
        assert repo.run("hook", "session-start", *args, ok=(0,)).stderr.count("\n") == 1
    (repo.root / "memtool.yaml").write_text("total: much\n")
    assert "memtool.yaml:1" in repo.run("hook", "session-start", ok=(0,)).stderr


@pytest.mark.parametrize("host", ["claude", "codex", "plain"])
def test_session_start_speaks_the_hosts_form(repo: Memory, host: str) -> None:
    """JSON with additionalContext for Claude Code and Codex, plain text otherwise; the two parts on request."""
    done = repo.run("hook", "session-start", "--host", host, "--agent", "desk", ok=(0,))
    text = done.stdout if host == "plain" else json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert "# Rules" in text
    assert ".memtool/digest.md" in text
    resident = repo.run("hook", "session-start", "--host", "plain", "--part", "resident", ok=(0,)).stdout
    digest = repo.run("hook", "session-start", "--host", "plain", "--part=digest", ok=(0,)).stdout
    assert ("# Rules" in resident, "# Rules" in digest, "digest.md" in resident, "digest.md" in digest) == (
        True,
        False,
        False,
        True,
    )


def test_a_start_twice_is_byte_equal(repo: Memory) -> None:
    """No clock, no counter: a provider's cache keeps the prefix."""
    assert repo.run("start", "--agent", "desk").stdout == repo.run("start", "--agent", "desk").stdout


def test_help_version_and_unknown_events(repo: Memory) -> None:
    """`--help` teaches, `--version` is one line, an unknown event is named."""
    assert "memtool init DIR" in repo.run("--help", ok=(0,)).stdout
    assert repo.run("--version", ok=(0,)).stdout.startswith("memtool 0.")
    assert "pre-commit" in repo.run("hook", "--help", ok=(0,)).stdout
    assert "no hook event 'nope'" in repo.run("hook", "nope", ok=(2,)).stderr
    assert repo.run("check", "--bogus", ok=(2,)).stdout == ""


def test_no_color_is_obeyed(repo: Memory) -> None:
    """Output and help hold no escape when NO_COLOR is set or nobody looks."""
    for args in (["--help"], ["check"], ["check", "--bogus"]):
        done = repo.run(*args, env={"NO_COLOR": "1", "TERM": "xterm-256color"})
        assert "\x1b[" not in done.stdout + done.stderr


def test_a_full_disk_and_a_closed_pipe_are_no_findings(repo: Memory) -> None:
    """Output that cannot be written is exit 2 and a sentence; a reader that went away is no error finding."""
    memtool = f"{sys.executable} -m memtool"
    for command in ("check", "start", "stats", "check --format json"):
        done = repo.call("sh", "-c", f"{memtool} {command} > /dev/full")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert "output could not be written" in done.stderr
    piped = repo.call("bash", "-c", f"{memtool} check --format json | true; echo ${{PIPESTATUS[0]}}")
    assert piped.stdout.strip() in {"0", "141"}
    assert piped.stderr == ""


def test_a_configuration_that_is_no_file_is_a_sentence(repo: Memory, tmp_path: Path) -> None:
    """A link in its place is not followed: exit 2, the file named."""
    (repo.root / "memtool.yaml").rename(tmp_path / "elsewhere.yaml")
    (repo.root / "memtool.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    for command in ("check", "start", "stats"):
        assert "memtool.yaml is a symbolic link" in repo.run(command, ok=(2,)).stderr


def test_a_linked_folder_is_not_followed_at_start(repo: Memory, tmp_path: Path) -> None:
    """Whatever lies behind a link is not this memory."""
    (repo.root / "resident").rename(tmp_path / "elsewhere")
    (repo.root / "resident").symlink_to(tmp_path / "elsewhere")
    done = repo.run("start", ok=(0,))
    assert "# Rules" not in done.stdout
    assert "behind the symbolic link resident" in done.stderr


def test_dash_c_names_the_repo_of_a_hook_too(repo: Memory, tmp_path: Path) -> None:
    """`memtool -C DIR hook session-start` reads that memory."""
    done = Memory(tmp_path).run("-C", str(repo.root), "hook", "session-start", ok=(0,))
    assert "# Rules" in done.stdout


def test_escapes_in_a_file_do_not_reach_the_terminal(repo: Memory) -> None:
    """What a description says is shown, never obeyed."""
    repo.write("topics/x.md", '---\ndescription: "about \\e]0;pwned\\a x"\n---\n# T\n')
    assert "\x1b" not in repo.run("check").stdout


def test_many_links_in_a_line_cost_no_more_than_the_line(repo: Memory) -> None:
    """A hostile line of brackets ends in a finding or in none, not in hours."""
    repo.write("topics/x.md", GOOD + "](" * 100_000 + "\n" + "[a](b" * 50_000 + "\n")
    repo.run("index", ok=(0,))
    done = repo.call("timeout", "60", sys.executable, "-m", "memtool", "check")
    assert done.returncode == 0
