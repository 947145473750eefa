"""The git hooks on real git: every form of commit is judged by exactly the bytes that it would hold."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest
from memory import GOOD, Memory

BIG = "# Rules\n\n" + "x" * 5000 + "\n"
SMALL = "# Rules\n\n- two\n"
RULES = "resident/rules.md"


@pytest.fixture
def repo(tmp_path: Path) -> Memory:
    return Memory.started(tmp_path / "repo")


def test_the_staged_bytes_are_judged_not_the_files(repo: Memory) -> None:
    """Over budget in the index and small on disk is refused; small in the index and over on disk passes."""
    repo.write(RULES, BIG)
    repo.git("add", RULES)
    repo.write(RULES, SMALL)
    assert not repo.commit()
    assert "over its budget of 4,096" in repo.said
    repo.git("add", RULES)
    repo.write(RULES, BIG)
    assert repo.commit()


def test_commit_a_judges_the_index_that_it_makes(repo: Memory) -> None:
    """`git commit -a` hands the hook another index; that one is read."""
    repo.write(RULES, BIG)
    assert not repo.commit("-a")
    repo.write(RULES, SMALL)
    assert repo.commit("-a")


def test_commit_of_a_path_judges_that_path_alone(repo: Memory) -> None:
    """`git commit -- PATH` leaves what else is staged out of the verdict, and the index line's lack is a warning."""
    repo.write(RULES, BIG)
    repo.git("add", RULES)
    repo.write("topics/new.md", GOOD)
    repo.git("add", "topics/new.md")
    assert repo.commit("--", "topics/new.md")
    assert "stale-index" in repo.said
    assert not repo.commit("--", RULES)


def test_commit_p_judges_the_chosen_hunks(repo: Memory) -> None:
    """With `-p`, what is not chosen is not judged."""
    repo.write(RULES, "# Rules\n\n- one\n" + "x" * 5000 + "\n")
    chosen = repo.call("git", "commit", "-p", "-qm", "try", stdin="n\n")
    assert "over-budget" not in chosen.stderr
    assert repo.call("git", "commit", "-p", "-qm", "try", stdin="y\n").returncode == 1


def test_amend_is_judged_against_the_commit_it_replaces(repo: Memory) -> None:
    """An amended commit that grows a file over budget is refused."""
    repo.write(RULES, BIG)
    repo.git("add", RULES)
    assert not repo.commit("--amend", "--no-edit")


def test_the_first_commit_of_an_adopted_store_passes_with_its_warnings(tmp_path: Path) -> None:
    """What the store held before memtool is warned of, never refused."""
    repo = Memory.make(tmp_path / "repo")
    repo.write("memtool.yaml", "format: 1\n")
    repo.write(RULES, BIG)
    repo.write("topics/bad.md", "---\ndescription: read before: git\n---\n")
    repo.git("add", "-A")
    assert repo.commit()
    assert "over-budget" in repo.said
    assert 'description: "read before: git"' in repo.said


def test_a_file_over_budget_blocks_only_the_commit_that_makes_it_grow(repo: Memory) -> None:
    """Leaving it and slimming it pass with a warning, so that adopting and mending stay possible."""
    repo.write(RULES, BIG)
    repo.git("commit", "-qam", "forced", "--no-verify")
    repo.write("topics/other.md", GOOD)
    repo.git("add", "-A")
    assert repo.commit()
    assert "this commit does not make it grow" in repo.said
    repo.write(RULES, BIG[:-100])
    assert repo.commit("-a")
    repo.write(RULES, BIG)
    assert not repo.commit("-a")


def test_a_larger_budget_in_the_same_commit_counts(repo: Memory) -> None:
    """The configuration staged with the file is the one that judges it."""
    repo.write(RULES, BIG)
    repo.write("memtool.yaml", "format: 1\ntotal: 20 KB\nresident:\n  - path: resident/rules.md\n    budget: 8 KB\n")
    assert repo.commit("-a")


def test_a_broken_configuration_blocks_with_its_line(repo: Memory) -> None:
    """Could not check is exit 2, and names memtool.yaml:LINE."""
    repo.write("memtool.yaml", "format: 1\ntotal: much\n")
    assert not repo.commit("-a", ok=(1,))
    assert "memtool.yaml:2: total" in repo.said


def test_all_resident_files_together_have_a_budget(repo: Memory) -> None:
    """Each within its own budget, the whole over the total: refused as over-total."""
    repo.write("memtool.yaml", "format: 1\ntotal: 5 KB\n")
    repo.write(RULES, "# R\n" + "x" * 2000)
    repo.write("resident/summary.md", "# S\n" + "x" * 2000)
    repo.git("add", "-A")
    assert not repo.commit()
    assert "over-total" in repo.said


@pytest.mark.parametrize(
    "name",
    [
        "with space.md",
        'qu"ote.md',
        "new\nline.md",
        "记忆.md",
        "-dash.md",
        ":(exclude)x.md",
        "a -> b.md",
        "tab\t.md",
        "é.md",
        "e\u0301.md",
    ],
)
def test_odd_names_are_judged_like_any_other(repo: Memory, name: str) -> None:
    """Spaces, quotes, newlines, CJK, leading dashes and pathspec magic hide no file from the check."""
    repo.write(f"topics/{name}", "---\ndescription: read before: git\n---\n")
    repo.git("add", "-A")
    assert not repo.commit()
    assert "bad-front-matter" in repo.said
    repo.write(f"topics/{name}", GOOD)
    repo.git("add", "-A")
    assert repo.commit()


def test_a_rename_is_judged_under_its_new_name(repo: Memory) -> None:
    """A large topic that becomes a resident file is weighed."""
    repo.write("topics/big.md", GOOD + "x" * 5000)
    repo.git("add", "-A")
    assert repo.commit()
    repo.git("mv", "-f", "topics/big.md", RULES)
    assert not repo.commit()


def test_an_intent_to_add_is_absent(repo: Memory) -> None:
    """A file added with `add -N` is in no commit yet, and is not judged as empty."""
    repo.write("topics/later.md", "no front matter")
    repo.git("add", "-N", "topics/later.md")
    repo.write(RULES, SMALL)
    repo.git("add", RULES)
    assert repo.commit()
    assert "later.md" not in repo.said


def test_a_link_on_a_resident_path_is_refused(repo: Memory) -> None:
    """Twenty bytes in the blob, fifty thousand when read: a link, also where a file was before, is no memory."""
    large = repo.write("topics/large.md", GOOD + "x" * 50_000)
    (repo.root / RULES).unlink()
    (repo.root / RULES).symlink_to(os.path.relpath(large, (repo.root / RULES).parent))
    repo.git("add", "-A")
    assert not repo.commit()
    assert "not examined: a symbolic link" in repo.said


def test_a_filter_on_a_resident_path_is_refused(repo: Memory) -> None:
    """A filter's pointer is not what will be read."""
    repo.git("config", "filter.big.clean", "head -c 20")
    repo.write(".gitattributes", "resident/*.md filter=big\n")
    repo.write(RULES, BIG)
    repo.git("add", "-A")
    assert not repo.commit()
    assert "behind the filter 'big'" in repo.said


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (GOOD + "\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", "conflict-marker"),
        (GOOD + "\n" + "AKIA" + "Z7QH2LXN4PWRT6VB" + "\n", "secret"),
        ("---\na: 1\na: 2\n---\n", "bad-front-matter"),
    ],
)
def test_what_may_not_enter_is_refused_wherever_it_stands(repo: Memory, text: str, code: str) -> None:
    """Conflict markers, secrets and unreadable front matter are errors in the files that the commit changes."""
    repo.write("topics/x.md", text)
    repo.git("add", "-A")
    assert not repo.commit()
    assert code in repo.said
    assert "Z7QH2LXN4PWRT6VB" not in repo.said


def test_a_tracked_digest_is_refused(repo: Memory) -> None:
    """The digest is generated at each start; committed it would conflict on every machine."""
    repo.write(".memtool/digest.md", "# Digest\n")
    repo.git("add", "-f", ".memtool/digest.md")
    assert not repo.commit()
    assert "digest-tracked" in repo.said


def test_old_faults_elsewhere_do_not_block(repo: Memory) -> None:
    """Findings are about the files that the commit changes; the whole tree is the business of `check`."""
    repo.write("topics/old.md", "---\na: 1\na: 2\n---\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "forced", "--no-verify")
    repo.write("topics/new.md", GOOD)
    repo.git("add", "-A")
    assert repo.commit()
    assert "bad-front-matter" not in repo.said


def test_nothing_is_changed_by_the_verdict(repo: Memory) -> None:
    """Index, stash, refs, files and untracked files are byte-identical before and after a refusal."""
    repo.write("topics/unstaged.md", GOOD)
    repo.git("add", "-A")
    repo.git("commit", "-qm", "x", "--no-verify")
    repo.write("topics/unstaged.md", GOOD + "caf\u00e9\r\n".encode("latin-1").decode("latin-1"))
    repo.write("untracked.bin", b"\x00\xff")
    repo.write(RULES, BIG)
    repo.git("add", RULES)
    repo.git("write-tree")
    before = repo.state()
    assert not repo.commit()
    assert repo.state() == before


def test_a_commit_that_touches_no_memory_starts_no_python(repo: Memory) -> None:
    """The gate in the hook answers; a missing interpreter is not even noticed."""
    repo.install_hooks(python="/nowhere/python")
    repo.write("script.py", "print()\n")
    repo.git("add", "script.py")
    assert repo.commit(env={"PATH": "/usr/bin:/bin"})


@pytest.mark.parametrize("flag", ["--literal-pathspecs", "--glob-pathspecs", "--noglob-pathspecs", "--icase-pathspecs"])
def test_the_callers_pathspec_settings_do_not_empty_the_gate(repo: Memory, flag: str) -> None:
    """With literal pathspecs `*.md` would match no file, and every commit would pass unseen."""
    repo.write(RULES, BIG)
    repo.git("add", RULES)
    assert repo.call("git", flag, "commit", "-qm", "try").returncode == 1


def test_a_missing_memtool_blocks_with_one_clear_line(repo: Memory) -> None:
    """Neither the interpreter nor a memtool on PATH: the commit does not pass as checked."""
    repo.install_hooks(python="/nowhere/python")
    repo.write(RULES, SMALL)
    assert not repo.commit("-a", env={"PATH": "/usr/bin:/bin"})
    assert repo.said.count("memtool:") == 1
    assert "could not be checked" in repo.said


def test_a_bare_path_is_enough(repo: Memory) -> None:
    """GUI clients run hooks with a bare PATH and little else."""
    repo.write(RULES, BIG)
    repo.git("add", RULES)
    bare = {"PATH": "/usr/bin:/bin", "HOME": os.environ["HOME"]}
    hook = repo.root / ".git" / "hooks" / "pre-commit"
    done = repo.call("env", "-i", *(f"{name}={value}" for name, value in bare.items()), str(hook))
    assert done.returncode == 1, done.stderr


def test_an_interpreter_that_lost_memtool_falls_back_to_the_path(repo: Memory, tmp_path: Path) -> None:
    """A virtual environment may be made anew without memtool; the command on PATH then serves."""
    empty = tmp_path / "python"
    empty.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    empty.chmod(0o755)
    repo.install_hooks(python=str(empty))
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    (bin_folder / "memtool").write_text(f'#!/bin/sh\nexec {sys.executable} -m memtool "$@"\n')
    (bin_folder / "memtool").chmod(0o755)
    repo.write(RULES, BIG)
    assert not repo.commit("-a", env={"PATH": f"{bin_folder}:/usr/bin:/bin"})
    assert "over-budget" in repo.said


def test_a_linked_work_tree_and_a_subfolder_are_judged_right(repo: Memory, tmp_path: Path) -> None:
    """Where `.git` is a file, and from below the top, the resident paths are the same."""
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    linked = Memory(tmp_path / "linked")
    linked.write(RULES, BIG)
    assert not linked.commit("-a")
    below = Memory(linked.root / "topics")
    assert not below.commit("-a")
    linked.write(RULES, SMALL)
    assert below.commit("-a")


def test_a_chained_foreign_hook_runs_first_and_decides_too(repo: Memory) -> None:
    """A hook that was there before keeps its say."""
    foreign = repo.root / ".git" / "hooks" / "pre-commit.before-memtool"
    foreign.write_text("#!/bin/sh\necho foreign >&2\nexit 3\n")
    foreign.chmod(0o755)
    repo.write("topics/x.md", GOOD)
    repo.git("add", "-A")
    assert not repo.commit()
    assert "foreign" in repo.said
    foreign.write_text("#!/bin/sh\necho foreign >&2\n")
    assert repo.commit()


def two_sides(repo: Memory, ours: str, theirs: str) -> None:
    """Change the rules at both ends on two branches, so that git merges them cleanly."""
    middle = "".join(f"- line {number}\n" for number in range(20))
    repo.write(RULES, "# Rules\n" + middle)
    repo.git("commit", "-qam", "base", "--no-verify")
    repo.git("switch", "-qc", "side")
    repo.write(RULES, "# Rules\n" + middle + theirs)
    repo.git("commit", "-qam", "theirs", "--no-verify")
    repo.git("switch", "-q", "main")
    repo.write(RULES, "# Rules\n" + ours + middle)
    repo.git("commit", "-qam", "ours", "--no-verify")


def test_a_merge_that_makes_a_file_outgrow_its_budget_gets_the_same_verdict(repo: Memory) -> None:
    """Two sides within budget merge to one over it: pre-merge-commit refuses, and nothing is lost."""
    two_sides(repo, "x" * 2200 + "\n", "y" * 2200 + "\n")
    done = repo.call("git", "merge", "-q", "--no-edit", "side")
    assert done.returncode != 0
    assert "over-budget" in done.stderr
    repo.write(RULES, "# Rules\n\n- slimmed\n")
    assert repo.commit("-a")


def test_a_merge_that_only_takes_over_an_over_budget_file_passes(repo: Memory) -> None:
    """What the other side had outgrown already, this merge did not make grow."""
    repo.git("switch", "-qc", "side")
    repo.write(RULES, BIG)
    repo.git("commit", "-qam", "theirs", "--no-verify")
    repo.git("switch", "-q", "main")
    repo.write("topics/x.md", GOOD)
    repo.git("add", "-A")
    repo.git("commit", "-qm", "ours", "--no-verify")
    done = repo.call("git", "merge", "-q", "--no-edit", "side")
    assert done.returncode == 0, done.stderr
    assert "does not make it grow" in done.stderr


def pushed(repo: Memory, tmp_path: Path) -> str:
    if not (tmp_path / "hub.git").exists():
        repo.git("init", "-q", "--bare", str(tmp_path / "hub.git"))
        repo.git("remote", "add", "origin", str(tmp_path / "hub.git"))
    done = repo.call("git", "push", "-q", "origin", "HEAD:refs/heads/main")
    return done.stderr if done.returncode else ""


def test_a_push_is_stopped_by_a_secret_in_any_of_its_commits(repo: Memory, tmp_path: Path) -> None:
    """Taken out by a later commit it is still pushed, so it stops the push; the value is not printed."""
    assert pushed(repo, tmp_path) == ""
    repo.write("topics/x.md", GOOD + "AKIA" + "Z7QH2LXN4PWRT6VB" + "\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "x", "--no-verify")
    repo.write("topics/x.md", GOOD)
    repo.git("commit", "-qam", "y", "--no-verify")
    said = pushed(repo, tmp_path)
    assert "topics/x.md:7: secret" in said
    assert "Z7QH2LXN4PWRT6VB" not in said


def test_a_push_over_budget_is_reported_and_goes_on(repo: Memory, tmp_path: Path) -> None:
    """A merge may have come over budget; it is slimmed afterwards."""
    repo.write(RULES, BIG)
    repo.git("commit", "-qam", "x", "--no-verify")
    assert pushed(repo, tmp_path) == ""
    repo.git("commit", "-q", "--allow-empty", "-m", "y")
    repo.git("remote", "get-url", "origin")
    done = repo.call("git", "push", "origin", "HEAD:refs/heads/main")
    assert done.returncode == 0
    assert "over-budget" in done.stderr


@pytest.mark.parametrize("name", ["digest", "marker"])
def test_a_push_is_stopped_by_a_digest_and_by_a_marker(repo: Memory, tmp_path: Path, name: str) -> None:
    """The three things that must not leave this machine."""
    text = "# Digest\n" if name == "digest" else GOOD + "<<<<<<< a\n=======\n>>>>>>> b\n"
    repo.write(".memtool/digest.md" if name == "digest" else "topics/x.md", text)
    repo.git("add", "-f", "-A")
    repo.git("commit", "-qm", "x", "--no-verify")
    assert {"digest": "digest-tracked", "marker": "conflict-marker"}[name] in pushed(repo, tmp_path)


def test_deleting_a_remote_branch_and_pushing_nothing_pass(repo: Memory, tmp_path: Path) -> None:
    """There is nothing to judge in a deletion."""
    assert pushed(repo, tmp_path) == ""
    repo.git("push", "-q", "origin", "HEAD:refs/heads/side")
    repo.git("push", "-q", "origin", ":refs/heads/side")
    assert pushed(repo, tmp_path) == ""


def test_the_hooks_after_git_has_done_its_work_refresh_the_digest(repo: Memory) -> None:
    """A switch of branches, a merge and an amended commit each leave a digest of what is there now."""
    digest = repo.root / ".memtool" / "digest.md"
    repo.git("switch", "-qc", "side")
    assert digest.exists()
    repo.write("topics/x.md", GOOD)
    repo.git("add", "-A")
    repo.git("commit", "-qm", "x")
    digest.unlink()
    repo.git("commit", "-q", "--amend", "-m", "y")
    assert "topics/x.md" in digest.read_text()
    repo.git("switch", "-q", "main")
    assert "topics/x.md" not in digest.read_text()
    repo.git("merge", "-q", "side")
    assert "topics/x.md" in digest.read_text()


def test_the_hooks_after_git_has_done_its_work_never_fail(repo: Memory) -> None:
    """A broken configuration and a missing interpreter do not trouble a switch of branches."""
    repo.git("switch", "-qc", "side")
    repo.write("memtool.yaml", "total: much\n")
    repo.git("commit", "-qam", "broken", "--no-verify")
    repo.git("switch", "-q", "main")
    assert repo.call("git", "switch", "-q", "side").stderr == ""
    repo.install_hooks(python="/nowhere/python")
    assert repo.call("git", "switch", "-q", "main", env={"PATH": "/usr/bin:/bin"}).returncode == 0


SECRET = "AKIA" + "Z7QH2LXN4PWRT6VB"


def with_secret_behind(repo: Memory) -> None:
    """Commit a secret and take it out again: it is still in the history that would be pushed."""
    repo.write("topics/x.md", GOOD + SECRET + "\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "x", "--no-verify")
    repo.write("topics/x.md", GOOD)
    repo.git("commit", "-qam", "y", "--no-verify")


@pytest.mark.parametrize(
    "how", ["reflog name", "odd branch", "grafted", "renamed folder", "PRE_COMMIT", "by url", "not memory", "too large"]
)
def test_no_way_of_pushing_carries_a_secret_past_the_hook(repo: Memory, tmp_path: Path, how: str) -> None:
    """However the commits are named, replaced, mapped or hidden, what git would send is what is judged."""
    assert pushed(repo, tmp_path) == ""
    args, env = ["origin", "HEAD:refs/heads/main"], {}
    if how == "not memory":
        repo.write("script.sh", f"KEY={SECRET}\n")
    elif how == "too large":
        repo.write("topics/huge.md", GOOD + "x" * (17 << 20) + SECRET)
    else:
        with_secret_behind(repo)
    if how == "renamed folder":
        repo.git("mv", "topics", "kb")
        repo.write("memtool.yaml", "format: 1\non_demand: [kb]\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "--allow-empty", "-m", "z", "--no-verify")
    if how == "reflog name":
        args = ["origin", "@{0}:refs/heads/other"]
    elif how == "odd branch":
        repo.git("branch", "b\u2028c")
        args = ["origin", "b\u2028c"]
    elif how == "grafted":
        repo.git("replace", "--graft", "HEAD", "HEAD~3")
    elif how == "PRE_COMMIT":
        repo.git("branch", "side")
        repo.git("reset", "-q", "--hard", "origin/main")
        args, env = ["origin", "side"], {"PRE_COMMIT": "1"}
    elif how == "by url":
        args = [str(tmp_path / "hub.git"), "HEAD:refs/heads/new"]
    done = repo.call("git", "push", "-q", *args, env=env)
    assert done.returncode != 0
    assert "secret" in done.stderr


def test_a_name_with_blanks_is_judged_as_git_hands_it_over(repo: Memory, tmp_path: Path) -> None:
    """git passes the local side as it was typed: the line is cut from its end."""
    assert pushed(repo, tmp_path) == ""
    with_secret_behind(repo)
    tip = repo.git("rev-parse", "HEAD").strip()
    line = f"HEAD@{{1 second ago}} {tip} refs/heads/w {'0' * 40}\n"
    done = repo.call(sys.executable, "-m", "memtool", "hook", "pre-push", "origin", "url", stdin=line)
    assert done.returncode == 1
    done = repo.call(sys.executable, "-m", "memtool", "hook", "pre-push", "origin", "url", stdin="nonsense\n")
    assert (done.returncode, "was not understood" in done.stderr) == (2, True)
    tree = repo.git("rev-parse", "HEAD^{tree}").strip()
    line = f"refs/tags/t {tree} refs/tags/t {'0' * 40}\n"
    assert repo.call(sys.executable, "-m", "memtool", "hook", "pre-push", "origin", "url", stdin=line).returncode == 2


def test_a_push_by_url_of_what_the_remote_holds_passes(repo: Memory, tmp_path: Path) -> None:
    """An old secret that was pushed long ago is no matter of this push."""
    assert pushed(repo, tmp_path) == ""
    with_secret_behind(repo)
    repo.git("push", "-q", "--no-verify", "origin", "HEAD:refs/heads/main")
    repo.git("push", "-q", str(tmp_path / "hub.git"), "HEAD:refs/heads/new")


def test_a_filter_is_seen_wherever_it_is_named(repo: Memory) -> None:
    """In the folder's own attributes, and when only the attributes are committed."""
    repo.write("resident/.gitattributes", "*.md filter=big\n")
    repo.git("add", "-A")
    assert not repo.commit()
    assert "behind the filter" in repo.said
    repo.git("commit", "-qm", "forced", "--no-verify")
    assert "behind the filter" in repo.run("check", ok=(1,)).stdout


def test_a_submodule_on_a_resident_path_is_refused_though_git_ignores_it(repo: Memory) -> None:
    """`ignore = all` in .gitmodules hides nothing from the hook."""
    head = repo.git("rev-parse", "HEAD").strip()
    repo.write(".gitmodules", '[submodule "s"]\n\tpath = resident/summary.md\n\turl = x\n\tignore = all\n')
    repo.git("rm", "-q", "resident/summary.md")
    repo.git("add", ".gitmodules")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{head},resident/summary.md")
    assert not repo.commit()
    assert "a submodule" in repo.said


@pytest.mark.parametrize("env", [{"LANGUAGE": "zh_CN", "LC_ALL": "C.UTF-8"}, {"LC_ALL": "zh_CN.UTF-8"}, {}])
def test_the_first_commit_passes_in_any_language_and_beside_a_file_named_head(
    tmp_path: Path, env: dict[str, str]
) -> None:
    """No word of git's is needed to know that there is no commit yet."""
    repo = Memory.make(tmp_path / "repo")
    repo.write("memtool.yaml", "format: 1\n")
    repo.write("HEAD", "a file")
    repo.write("topics/a.md", GOOD)
    repo.git("add", "-A")
    assert repo.commit(env=env)
    repo.write("topics/a.md", GOOD + "more\n")
    assert repo.commit("-a", env=env)


@pytest.mark.parametrize(
    "front",
    ['description: "\\UFFFFFFFF x"', 'description: "\\U00110000"', 'description: "\\ud800 x"', "%YAML 1." + "9" * 5000],
)
def test_hostile_front_matter_is_a_finding_never_a_traceback(repo: Memory, front: str) -> None:
    """Forty bytes cannot break the hook, the index or the start."""
    repo.write("topics/x.md", f"---\n{front}\n---\n# T\n")
    repo.git("add", "-A")
    assert not repo.commit() or front.startswith("%")
    for command in ("index", "check", "start"):
        repo.run(command)


def test_closed_and_full_outputs_change_no_verdict(repo: Memory) -> None:
    """With warnings to tell and nobody to hear them, a good commit still passes."""
    repo.write("topics/new.md", "# No description\n")
    repo.git("add", "-A")
    for closing in ("2>/dev/full", "2>&-", ">&- 2>&-", "<&-"):
        done = repo.call("sh", "-c", f"{repo.root}/.git/hooks/pre-commit {closing}")
        assert done.returncode == 0, (closing, done.stderr)
    assert repo.call("sh", "-c", f"{sys.executable} -m memtool hook session-start >&-").returncode == 0


def test_a_chatty_git_does_not_stop_the_hook(repo: Memory) -> None:
    """Whatever git writes to stderr is read while its answers are."""
    for number in range(300):
        repo.write(f"topics/{number}.md", GOOD + str(number))
    repo.git("add", "-A")
    repo.git("commit", "-qm", "x", "--no-verify")
    repo.git("repack", "-adq")
    done = repo.call(
        "timeout", "60", sys.executable, "-m", "memtool", "check", "--rev", "HEAD", env={"GIT_TRACE_PACK_ACCESS": "1"}
    )
    assert done.returncode == 0, done.returncode


def test_hooks_and_session_start_are_executable_posix_sh() -> None:
    """No bash is needed; each script passes `sh -n`."""
    hooks = sorted((Path(__file__).parent.parent / "hooks").iterdir())
    assert [path.name for path in hooks] == [
        "post-checkout", "post-merge", "post-rewrite", "pre-commit", "pre-merge-commit", "pre-push", "session-start",
    ]  # fmt: skip
    for path in hooks:
        assert path.read_text().startswith("#!/bin/sh\n")
        assert path.stat().st_mode & stat.S_IXUSR
