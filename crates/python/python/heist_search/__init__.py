"""Search and walk trees of files as the program ``hs`` does: fast, and with git's ignore rules.

>>> from heist_search import Search
>>> for hit in Search(r"fn (\\w+)", "src", sort="path"):
...     print(hit.path, hit.line, hit.groups[0])  # doctest: +SKIP
"""

from ._errors import EditError, Error, FilterError, PathError, PatternError, RuleFileError
from ._native import (
    Applied,
    Change,
    ContextLine,
    Edit,
    Entry,
    FileEdit,
    Finds,
    Hit,
    Ignore,
    IgnoredBy,
    Line,
    Lines,
    Match,
    Pattern,
    Replacement,
    Search,
    Shown,
    Skipped,
    Walk,
    changes,
    replace_preview,
    undo,
    walk,
)
from ._shards import shard_of

__all__ = [
    "Applied",
    "Change",
    "ContextLine",
    "Edit",
    "EditError",
    "Entry",
    "Error",
    "FileEdit",
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
    "Replacement",
    "RuleFileError",
    "Search",
    "Shown",
    "Skipped",
    "Walk",
    "changes",
    "replace_preview",
    "shard_of",
    "undo",
    "walk",
]
