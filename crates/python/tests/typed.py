"""What type checkers are to accept; it is not run."""

import os
from pathlib import Path
from typing import AsyncIterator, Iterator, List, Optional, Tuple

import heist_search
from heist_search import Hit, Ignore, Match, Pattern, Search, Shown, merge, shard_of, walk


def hits() -> Iterator[Tuple[str, int, str, bytes]]:
    with Search("x", Path("a"), "b", only=["*.py"], context=(1, 2), sort="path") as search:
        for hit in search:
            yield hit.path, hit.line, hit.text, hit.bytes
        shown: Optional[Shown] = search.shown
        if shown is not None and shown.cut == "limit":
            print(shown.next, [error.path for error in shown.errors])


async def awaited() -> List[Hit]:
    found: AsyncIterator[Hit] = aiter_of(Search(Pattern("x"), timeout=1.5))
    return [hit async for hit in found]


def aiter_of(search: Search) -> AsyncIterator[Hit]:
    return search.__aiter__()


def matches(data: bytes) -> List[Match]:
    return [match for match in Pattern("x", word=True).find_iter(memoryview(data))]


def paths(root: Path) -> List[Path]:
    return Ignore(root).filter([root / "a"])


def names(root: "os.PathLike[str]") -> List[str]:
    try:
        return [os.path.basename(entry) for entry in walk(root, types="py")]
    except heist_search.PathError as error:
        return [error.path or ""]


def parts(root: Path, streams: List[List[bytes]]) -> Tuple[List[bytes], int, int]:
    found = Search("x", root, shard="1/4", shard_by="directory")
    return list(merge.merge_json(streams)), merge.exit_code([0, 1]), shard_of(next(found).path, 4)


def replaced(root: Path) -> Tuple[bytes, List[str], int]:
    preview = heist_search.replace_preview("x", "y", root, word=True)
    written = preview.apply(journal=root / "changes").written
    undone = heist_search.undo(journal=root / "changes")
    return preview.patch, written, len(undone.errors) if undone else 0
