"""Search and walk trees of files as the program ``hs`` does: fast, and with git's ignore rules.

>>> from heist_search import Search
>>> for hit in Search(r"fn (\\w+)", "src", sort="path"):
...     print(hit.path, hit.line, hit.groups[0])  # doctest: +SKIP
"""

from ._errors import Error, FilterError, PathError, PatternError, RuleFileError
from ._native import (
    ContextLine,
    Entry,
    Finds,
    Hit,
    Ignore,
    IgnoredBy,
    Line,
    Lines,
    Match,
    Pattern,
    Search,
    Shown,
    Skipped,
    Walk,
    walk,
)
from ._shards import shard_of

__all__ = [
    "ContextLine",
    "Entry",
    "Error",
    "FilterError",
    "Finds",
    "Hit",
    "Ignore",
    "IgnoredBy",
    "Line",
    "Lines",
    "Match",
    "PathError",
    "Pattern",
    "PatternError",
    "RuleFileError",
    "Search",
    "Shown",
    "Skipped",
    "Walk",
    "shard_of",
    "walk",
]
