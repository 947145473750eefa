"""Keeps what AI agents remember in one git repository of markdown: small, routed, true and in sync."""

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtool.library import MemoryRepo

__all__ = ["MemoryRepo", "__version__"]


def __getattr__(name: str) -> object:
    """Load the library where it is asked for: git and agent hosts, which start memtool all the time, never do."""
    if name == "MemoryRepo":
        from memtool.library import MemoryRepo

        return MemoryRepo
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
