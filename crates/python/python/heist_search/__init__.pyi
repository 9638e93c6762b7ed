"""Search and walk trees of files as the program ``hs`` does."""

import datetime
import os
import sys
from types import TracebackType
from typing import (
    AsyncIterator,
    Dict,
    Iterable,
    Iterator,
    List,
    Literal,
    Optional,
    Tuple,
    Type,
    TypeVar,
    Union,
    final,
)

if sys.version_info >= (3, 12):
    from collections.abc import Buffer
else:
    Buffer = Union[bytes, bytearray, memoryview]

_Bytes = bytes
_Path = Union[str, "os.PathLike[str]"]
_Texts = Union[str, Iterable[str]]
_Time = Union[float, datetime.datetime, datetime.timedelta]
_Sort = Literal["path", "modified", "accessed", "created"]
_PathT = TypeVar("_PathT", bound=_Path)

class Error(Exception):
    """What a search or a walk could not do."""

    path: Optional[str]
    """The path that the error is about, if it is about one."""

class PatternError(Error, ValueError):
    """The pattern does not compile."""

class FilterError(Error, ValueError):
    """A glob or the name of a file type is not valid."""

class RuleFileError(Error, ValueError):
    """A rule file has a line that is not valid, or could not be read. Its other rules hold."""

class EditError(Error):
    """A file may not be changed, or could not be; or the journal of a change could not."""

class PathError(Error, OSError):
    """A path could not be walked or read. ``__cause__`` is the system's exception."""

@final
class ContextLine:
    """A line before or behind a hit."""

    @property
    def line(self) -> int:
        """The number of the line, from 1."""
    @property
    def text(self) -> str:
        """The line without its terminator."""
    @property
    def is_match(self) -> bool:
        """Whether the line matches too."""

@final
class Hit:
    """A line that matches, or the lines that a match across lines touches."""

    @property
    def path(self) -> str:
        """The file, below the root as the root was given."""
    @property
    def line(self) -> int:
        """The number of the line, from 1."""
    @property
    def column(self) -> int:
        """Where the first match begins in the line: a number of characters, from 1."""
    @property
    def end(self) -> int:
        """Where the first match ends: the column behind its last character."""
    @property
    def offset(self) -> int:
        """Where the line begins in the file: a number of bytes, from 0."""
    @property
    def text(self) -> str:
        """The line without its terminator. Bytes that are not UTF-8 become U+FFFD."""
    @property
    def bytes(self) -> _Bytes:
        """The line without its terminator, as it is in the file."""
    @property
    def spans(self) -> List[Tuple[int, int]]:
        """The matches in ``text``: pairs of offsets in characters, from 0."""
    @property
    def byte_spans(self) -> List[Tuple[int, int]]:
        """The matches in ``bytes``: pairs of offsets in bytes, from 0."""
    @property
    def groups(self) -> Tuple[Optional[str], ...]:
        """The groups of the first match, from the first on; ``None`` for one that took no part."""
    @property
    def named(self) -> Dict[str, Optional[str]]:
        """The groups of the first match that have a name."""
    @property
    def before(self) -> List[ContextLine]:
        """The lines before, as many as ``context`` requests."""
    @property
    def after(self) -> List[ContextLine]:
        """The lines behind."""

@final
class Skipped:
    """A file or directory that was left out."""

    @property
    def path(self) -> str:
        """Its path. A directory was left out with all that is below it."""
    @property
    def kind(
        self,
    ) -> Literal[
        "ignored",
        "hidden",
        "not selected",
        "limit",
        "link",
        "no regular file",
        "repeated",
        "other file system",
        "other worktree",
        "submodule",
        "binary",
        "other",
    ]:
        """The reason in a word."""
    @property
    def why(self) -> str:
        """The reason, such as ``ignored by .gitignore:3: *.o``."""

@final
class Shown:
    """How much a search has shown, what it left out, and where the next page begins."""

    @property
    def results(self) -> int:
        """Lines that were shown."""
    @property
    def files(self) -> int:
        """Files that they are in."""
    @property
    def files_searched(self) -> int:
        """Files that were searched."""
    @property
    def offset(self) -> int:
        """Lines that were passed over before the first one shown."""
    @property
    def cut(self) -> Optional[Literal["limit", "timeout", "cancelled"]]:
        """What ended the search early; ``None`` if nothing did."""
    @property
    def next(self) -> Optional[int]:
        """The ``offset`` of the next page, if there is one and the files are sorted."""
    @property
    def complete(self) -> bool:
        """Whether everything there is was shown."""
    @property
    def errors(self) -> List[Error]:
        """Paths that could not be walked or read, and rule files with mistakes."""
    @property
    def skipped(self) -> List[Skipped]:
        """What was left out: at most as many as the argument ``skipped`` of the search."""
    @property
    def skipped_more(self) -> int:
        """How many more were left out."""

@final
class Search:
    """A search for the lines of files that match a pattern; an iterator of hits.

    The search runs in threads of its own from the start, a few thousand hits ahead of its reader.
    """

    def __new__(
        cls,
        pattern: Union[str, Pattern],
        *roots: _Path,
        only: Optional[_Texts] = None,
        exclude: Optional[_Texts] = None,
        types: Optional[_Texts] = None,
        exclude_types: Optional[_Texts] = None,
        hidden: bool = False,
        ignored: bool = False,
        max_depth: Optional[int] = None,
        newer: Optional[_Time] = None,
        older: Optional[_Time] = None,
        changed: Union[None, bool, str] = None,
        shard: Optional[str] = None,
        shard_by: Optional[str] = None,
        context: Union[None, int, Tuple[int, int]] = None,
        ignore_case: bool = False,
        any_case: bool = False,
        word: bool = False,
        literal: bool = False,
        multiline: bool = False,
        dotall: bool = False,
        binary: bool = False,
        sort: Optional[_Sort] = None,
        reverse: bool = False,
        limit: Optional[int] = None,
        offset: int = 0,
        timeout: Union[None, float, datetime.timedelta] = None,
        index: Union[None, bool, _Path] = None,
        threads: Optional[int] = None,
        skipped: Optional[int] = None,
    ) -> Search: ...
    def __iter__(self) -> Iterator[Hit]: ...
    def __next__(self) -> Hit: ...
    def __aiter__(self) -> AsyncIterator[Hit]: ...
    def __enter__(self) -> Search: ...
    def __exit__(
        self,
        exc_type: Optional[Type[BaseException]],
        exc_value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None: ...
    def cancel(self) -> None:
        """End the search, from any thread. The hits that were found can still be read."""
    def close(self) -> None:
        """End the search, and drop the hits that were not read."""
    @property
    def shown(self) -> Optional[Shown]:
        """The account of the search, once it is over; ``None`` before."""

@final
class Match:
    """A match in bytes."""

    @property
    def start(self) -> int:
        """Where the match begins: a number of bytes."""
    @property
    def end(self) -> int:
        """Where it ends."""
    @property
    def line(self) -> int:
        """The number of the line in which it begins, from 1."""
    @property
    def bytes(self) -> _Bytes:
        """The match."""
    @property
    def text(self) -> str:
        """The match. Bytes that are not UTF-8 become U+FFFD."""
    @property
    def groups(self) -> Tuple[Optional[_Bytes], ...]:
        """The groups, from the first on; ``None`` for one that took no part."""
    @property
    def named(self) -> Dict[str, Optional[_Bytes]]:
        """The groups that have a name."""

@final
class Line:
    """A line of bytes that matches."""

    @property
    def number(self) -> int:
        """The number of the line, from 1."""
    @property
    def start(self) -> int:
        """Where the line begins: a number of bytes."""
    @property
    def end(self) -> int:
        """Where it ends, without its terminator."""
    @property
    def bytes(self) -> _Bytes:
        """The line without its terminator."""
    @property
    def text(self) -> str:
        """The line. Bytes that are not UTF-8 become U+FFFD."""
    @property
    def matches(self) -> List[Match]:
        """The matches in the line."""

@final
class Lines:
    """The lines that match, as an iterator."""

    def __iter__(self) -> Iterator[Line]: ...
    def __next__(self) -> Line: ...

@final
class Finds:
    """The matches, as an iterator."""

    def __iter__(self) -> Iterator[Match]: ...
    def __next__(self) -> Match: ...

@final
class Pattern:
    """A compiled pattern, matched against bytes line by line as in a file. Threads share it."""

    def __new__(
        cls,
        pattern: str,
        *,
        ignore_case: bool = False,
        any_case: bool = False,
        word: bool = False,
        literal: bool = False,
        multiline: bool = False,
        dotall: bool = False,
    ) -> Pattern: ...
    @property
    def pattern(self) -> str:
        """The pattern as it was given."""
    def is_match(self, data: Buffer) -> bool:
        """Whether any line matches. Empty bytes have no line."""
    def find_iter(self, data: Buffer) -> Finds:
        """The matches, from the first to the last. Offsets are numbers of bytes."""
    def lines(self, data: Buffer) -> Lines:
        """The lines that match, from the first to the last. Offsets are numbers of bytes."""

@final
class IgnoredBy:
    """The rule that makes a path ignored."""

    @property
    def path(self) -> str:
        """What the rule matches, relative to the root: the path, or a directory above it."""
    @property
    def source(self) -> str:
        """The file with the rule."""
    @property
    def line(self) -> int:
        """The number of the rule's line, from 1."""
    @property
    def rule(self) -> str:
        """The rule as it is written."""

@final
class Ignore:
    """The ignore rules of a tree, exactly as ``git check-ignore --no-index`` has them.

    With ``rules="search"``, those of a search: ``.ignore`` and ``.rgignore`` files count too.
    """

    def __new__(
        cls, root: Optional[_Path] = None, *, rules: Literal["git", "search"] = "git"
    ) -> Ignore: ...
    def is_ignored(self, path: _Path) -> bool:
        """Whether a rule ignores ``path``, relative to the root, or a directory above it."""
    def why(self, path: _Path) -> Optional[IgnoredBy]:
        """The rule that ignores ``path``; ``None`` if none does."""
    def filter(self, paths: Iterable[_PathT]) -> List[_PathT]:
        """The paths that no rule ignores, in their order."""

@final
class Entry:
    """A file or directory."""

    @property
    def path(self) -> str:
        """The path, below the root as the root was given."""
    @property
    def kind(self) -> Literal["file", "directory", "symlink", "other"]:
        """What it is."""
    @property
    def depth(self) -> int:
        """How far it is below its root; a root has depth 0."""
    def __fspath__(self) -> str: ...

@final
class Walk:
    """The entries of a walk, as an iterator."""

    def __iter__(self) -> Iterator[Entry]: ...
    def __next__(self) -> Entry: ...
    @property
    def errors(self) -> List[Error]:
        """Paths below the roots that could not be walked, and rule files with mistakes."""

@final
class Edit:
    """Bytes of a file, and what takes their place."""

    @property
    def start(self) -> int:
        """Where the old bytes begin: a number of bytes."""
    @property
    def end(self) -> int:
        """Where they end."""
    @property
    def old(self) -> _Bytes:
        """The old bytes."""
    @property
    def new(self) -> _Bytes:
        """The new bytes."""

@final
class FileEdit:
    """The edits of a file."""

    @property
    def path(self) -> str:
        """The file, below the root as the root was given."""
    @property
    def edits(self) -> List[Edit]:
        """The edits, in the order of their places."""

@final
class Applied:
    """What was written."""

    @property
    def written(self) -> List[str]:
        """The files that were written."""
    @property
    def errors(self) -> List[Error]:
        """Why others were not, and which directory could not be synced."""

@final
class Change:
    """A change that can be put back."""

    @property
    def number(self) -> int:
        """The number of the change. Later changes have larger ones."""
    @property
    def files(self) -> int:
        """How many files it was to change."""
    @property
    def edits(self) -> int:
        """How many edits these have."""
    @property
    def first(self) -> str:
        """The first of the files."""

@final
class Replacement:
    """What would be written, and has not been. Its length is the number of files."""

    @property
    def files(self) -> List[FileEdit]:
        """The files that would change, sorted by path, with the edits of each."""
    @property
    def patch(self) -> _Bytes:
        """The change as a patch, which ``git apply`` takes."""
    @property
    def errors(self) -> List[Error]:
        """Paths that could not be walked or read, and files that may not be written."""
    def apply(self, *, journal: Union[None, bool, _Path] = None) -> Applied:
        """Write the change into the files, each at once and synced.

        With ``journal=False``, nothing can put it back; a path is a directory for the journal.
        """
    def __len__(self) -> int: ...

def replace_preview(
    pattern: Union[str, Pattern],
    replacement: str,
    *roots: _Path,
    only: Optional[_Texts] = None,
    exclude: Optional[_Texts] = None,
    types: Optional[_Texts] = None,
    exclude_types: Optional[_Texts] = None,
    hidden: bool = False,
    ignored: bool = False,
    max_depth: Optional[int] = None,
    newer: Optional[_Time] = None,
    older: Optional[_Time] = None,
    changed: Union[None, bool, str] = None,
    shard: Optional[str] = None,
    shard_by: Optional[str] = None,
    ignore_case: bool = False,
    any_case: bool = False,
    word: bool = False,
    literal: bool = False,
    multiline: bool = False,
    dotall: bool = False,
    binary: bool = False,
    threads: Optional[int] = None,
) -> Replacement:
    """What replacing the matches would change. ``$1`` and ``${name}`` stand for groups."""

def undo(number: Optional[int] = None, *, journal: Optional[_Path] = None) -> Optional[Applied]:
    """Put a change back: the last one, or that with this number; ``None`` if there is none."""

def changes(*, journal: Optional[_Path] = None) -> List[Change]:
    """The changes that can be put back, the oldest first. ``hs --undo`` knows them too."""

def walk(
    *roots: _Path,
    only: Optional[_Texts] = None,
    exclude: Optional[_Texts] = None,
    types: Optional[_Texts] = None,
    exclude_types: Optional[_Texts] = None,
    hidden: bool = False,
    ignored: bool = False,
    directories: bool = False,
    symlinks: bool = False,
    follow: bool = False,
    max_depth: Optional[int] = None,
    newer: Optional[_Time] = None,
    older: Optional[_Time] = None,
    changed: Union[None, bool, str] = None,
    shard: Optional[str] = None,
    shard_by: Optional[str] = None,
    sort: Optional[_Sort] = None,
    reverse: bool = False,
    threads: Optional[int] = None,
) -> Walk:
    """The files below ``roots``, or below the current directory, that git does not ignore."""

def shard_of(path: Union[bytes, str], count: int) -> int:
    """The number, from 1, of the part of ``count`` that ``hs --shard`` has ``path`` in."""
