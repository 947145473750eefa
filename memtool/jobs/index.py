"""`index`: write the pages of the work tree, or prove that they are right.

What makes pages is imported only where something has changed since they were last proved.
"""

from __future__ import annotations

import os
from _collections_abc import Iterator, Mapping

from memtool.core import config as configuration
from memtool.core.config import CONFIG, Config
from memtool.core.page import over_budget
from memtool.edge import index_cache
from memtool.edge.files import read_regular
from memtool.edge.index_cache import Proof
from memtool.edge.trees import WorkTree
from memtool.errors import MemtoolError
from memtool.model import Finding, Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memtool.jobs.pages import Made

_SHOWN = 10
"""How many pages the text names; JSON has all."""


class IndexResult(Record):
    """What `index` found and did."""

    files: int
    """The on-demand files, those of journals included."""
    pages: int
    """The pages that the index has."""
    written: tuple[str, ...] = ()
    """The pages whose bytes changed, or with a dry run would have."""
    removed: tuple[str, ...] = ()
    """The generated pages that are pages no longer."""
    findings: tuple[Finding, ...] = ()
    """Pages over budget; of a check also what is stale."""
    dry_run: bool = False
    """Nothing was written."""

    def asdict(self) -> dict[str, Any]:
        """Give the result in the shape of ``memtool.index/1``."""
        return {
            "schema": "memtool.index/1",
            **super().asdict(),
            "findings": [finding.asdict() for finding in self.findings],
        }

    def lines(self) -> Iterator[str]:
        """Yield the result as a person reads it."""
        verb = "would be " if self.dry_run else ""
        for what, paths in (("written", self.written), ("removed", self.removed)):
            yield from (f"{verb}{what}: {path}" for path in paths[:_SHOWN])
            if len(paths) > _SHOWN:
                yield f"{verb}{what}: {len(paths) - _SHOWN} pages more"
        for finding in self.findings:
            place = f"{finding.path}:{finding.line}" if finding.line else finding.path
            yield f"{finding.severity}: {place}: {finding.message}"
            yield f"  {finding.hint}"
        state = "" if self.written or self.removed or self.findings else ", all up to date"
        files, pages = (
            f"{n} {noun}{'' if n == 1 else 's'}" for n, noun in ((self.files, "file"), (self.pages, "page"))
        )
        yield f"{files} on {pages}{state}"


def write_index(root: str, *, dry_run: bool = False) -> IndexResult:
    """Write the pages of the index whose bytes differ and take away those that are pages no longer.

    Never touches a page that memtool did not generate: raises MemtoolError before anything is written.
    """
    tree = WorkTree(root)
    config = _config(root).writable()
    proof = _proof(tree, config)
    if proof is not None:
        return _proven(proof, config)
    from memtool.jobs import pages

    made = pages.make(tree, config)
    stale, removed = pages.changes(tree, config, made)
    if not dry_run:
        pages.apply(root, made, stale, removed)
    if not stale and not removed:
        _keep_proof(tree, config, made)
    over = _over({page: len(data) for page, data in made.pages.items()}, config)
    return IndexResult(made.files, len(made.pages), stale, removed, over, dry_run)


def check_index(root: str) -> IndexResult:
    """Prove that each on-demand file has one row and each row one file; write nothing but the cache.

    Raises MemtoolError when there is no file to examine: that must not look like a pass.
    """
    tree = WorkTree(root)
    config = _config(root)
    proof = _proof(tree, config)
    if proof is not None:
        result = _proven(proof, config)
    else:
        from memtool.core.index import compare
        from memtool.jobs import pages

        made = pages.make(tree, config)
        findings = compare(made.pages, tree, config)
        if all(finding.code == "over-budget" for finding in findings):
            _keep_proof(tree, config, made)
        result = IndexResult(made.files, len(made.pages), findings=tuple(findings))
    if not result.files:
        raise MemtoolError(
            "no on-demand file was examined", hint=f"Which files are on demand is said in {CONFIG}: on_demand, exclude."
        )
    return result


def _config(root: str) -> Config:
    """Read the configuration without listing the tree, which the proof may spare."""
    place = os.path.join(root, CONFIG)
    data = read_regular(place)
    if isinstance(data, bytes):
        return configuration.read(data)[0]
    if os.path.lexists(place):
        raise MemtoolError(f"{CONFIG}: {data}")
    return Config()


def _proof(tree: WorkTree, config: Config) -> Proof | None:
    """Give the proof of an earlier run, where nothing at all has changed since."""
    found = tree.survey()
    return index_cache.load_proof(tree.root, config, found.staged) if found.clean else None


def _keep_proof(tree: WorkTree, config: Config, made: Made) -> None:
    """Remember that the index is right, if git would tell of any change: of a page that it ignores it would not."""
    found, ids = tree.survey(), tree.ids()
    if found.clean and all(ids.get(page) for page in made.pages):
        sizes = {page: len(data) for page, data in made.pages.items()}
        index_cache.save_proof(tree.root, config, found.staged, Proof(made.files, sizes))


def _proven(proof: Proof, config: Config) -> IndexResult:
    return IndexResult(proof.files, len(proof.sizes), findings=_over(proof.sizes, config))


def _over(sizes: Mapping[str, int], config: Config) -> tuple[Finding, ...]:
    return tuple(finding for page, size in sizes.items() for finding in over_budget(page, size, config))
