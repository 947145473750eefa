"""Several machines with clones of one memory, and the bare repo between them, for tests of sync."""

from __future__ import annotations

from pathlib import Path

from memory import CONFIG, GOOD, Memory

from memtool.jobs.setup import driver
from memtool.jobs.sync.course import Options
from memtool.jobs.sync.result import Result
from memtool.jobs.sync.run import sync

TODAY = "2026-09-21"


class Machine(Memory):
    """One clone; the agent has the folder's name."""

    def sync(self, **options: object) -> Result:
        """Run a sync in this process."""
        return sync(str(self.root), Options(agent=self.root.name, today=TODAY, **options))  # type: ignore[arg-type]

    def ends(self, state: str, **options: object) -> Result:
        """Sync, and prove in which state that ends."""
        done = self.sync(**options)
        assert done.state == state, "\n".join(done.lines())
        return done

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8", errors="surrogateescape")

    def save(self, path: str, text: str | bytes) -> None:
        """Write and commit by hand, as a user does."""
        self.write(path, text)
        self.git("add", "-A")
        self.git("commit", "-qm", f"by hand on {self.root.name}")

    def files(self) -> dict[str, bytes]:
        """Map the files of HEAD to their bytes, and prove that the work tree is the same."""
        assert self.git("status", "--porcelain") == ""
        return {path: (self.root / path).read_bytes() for path in self.git("ls-files", "-z").split("\0") if path}

    def head(self) -> str:
        return self.git("rev-parse", "HEAD").strip()


class Machines:
    """A bare repo, and the clones that were made of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hub = folder / "hub.git"
        Memory(folder).git("init", "-q", "--bare", "-b", "main", str(self.hub))
        first = Machine(folder / "first")
        first.root.mkdir()
        first.git("init", "-q", "-b", "main")
        self._settle(first)
        first.git("remote", "add", "origin", str(self.hub))
        first.write("memtool.yaml", CONFIG)
        first.write(".gitignore", "/.memtool/\n")
        first.write(".gitattributes", "*.md -text merge=memtool\n")
        first.write("resident/rules.md", "# Rules\n\n- one\n")
        first.write("resident/summary.md", "# Summary\n")
        first.write("topics/git.md", GOOD)
        first.run("index", ok=(0,))
        first.git("add", "-A")
        first.git("commit", "-qm", "start")
        first.git("push", "-q", "-u", "origin", "main")
        self.all = [first]

    def clone(self, name: str) -> Machine:
        """Give one machine more."""
        Memory(self.folder).git("clone", "-q", str(self.hub), name)
        made = Machine(self.folder / name)
        self._settle(made)
        self.all.append(made)
        return made

    def _settle(self, machine: Machine) -> None:
        machine.git("config", "user.name", machine.root.name)
        machine.git("config", "user.email", f"{machine.root.name}@example.invalid")
        driver.install(str(machine.root))

    def round(self) -> None:
        """Sync each, so that the last one's work is at the remote."""
        for machine in self.all:
            machine.sync()

    def alike(self) -> dict[str, bytes]:
        """Prove that all machines hold the same; give it."""
        first, *others = (machine.files() for machine in self.all)
        assert all(other == first for other in others)
        assert len({machine.head() for machine in self.all}) == 1
        return first
