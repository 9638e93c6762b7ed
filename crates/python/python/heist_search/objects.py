"""Search objects: the files of any fsspec file system, such as ``s3://`` or ``memory://``.

Objects are read whole. Those that gzip, bzip2, xz or zstd has compressed are recognized by their
first bytes and searched decompressed; zstd needs Python 3.14 or the package ``zstandard``. Other
formats, archives among them, are searched as they are. Objects with a NUL byte are left out as
binary, and no ignore rules apply.
"""

from __future__ import annotations

import bz2
import gzip
import importlib
import lzma
import zlib
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple, Union

from . import Error, PathError, Pattern
from ._shards import shard_numbers, shard_of

__all__ = ["ObjectHit", "Objects", "decompressed", "search"]


class ObjectHit(NamedTuple):
    """A line of an object that matches."""

    path: str
    """The object, as its file system names it."""
    line: int
    """The number of the line, from 1."""
    offset: int
    """Where the line begins in the object: a number of bytes, from 0."""
    bytes: bytes
    """The line without its terminator."""
    byte_spans: List[Tuple[int, int]]
    """The matches in ``bytes``."""

    @property
    def text(self) -> str:
        """The line. Bytes that are not UTF-8 become U+FFFD."""
        return self.bytes.decode("utf-8", "replace")


class Objects:
    """Searches the objects below ``root`` of a file system, or of the protocol ``fs``.

    An iterator of the lines that match, sorted by path. The part ``shard``, such as ``"3/64"``, has
    the objects for whose paths below the root ``shard_of`` returns its number. Objects that cannot
    be read are in ``errors``.
    """

    def __init__(
        self,
        fs: Any,
        root: str,
        pattern: Union[str, Pattern],
        *,
        shard: Optional[str] = None,
        limit: Optional[int] = None,
        binary: bool = False,
    ) -> None:
        self.errors: List[Error] = []
        """Objects that could not be read or decompressed."""
        self.objects_searched = 0
        """Objects that were searched."""
        self._fs = importlib.import_module("fsspec").filesystem(fs) if isinstance(fs, str) else fs
        self._root = str(self._fs._strip_protocol(root))
        self._pattern = pattern if isinstance(pattern, Pattern) else Pattern(pattern)
        self._shard = shard_numbers(shard) if shard else None
        self._limit = limit
        self._binary = binary
        self._hits = self._find()

    def __iter__(self) -> Iterator[ObjectHit]:
        return self

    def __next__(self) -> ObjectHit:
        return next(self._hits)

    def paths(self) -> List[str]:
        """Return the objects below the root that are in the shard, sorted."""
        try:
            found = [str(path) for path in self._fs.find(self._root)]
        except OSError as error:
            raise PathError(f"{self._root}: {error}", self._root) from error
        if not found and not self._fs.exists(self._root):
            raise PathError(f"{self._root}: no such object", self._root)
        if self._shard:
            number, count = self._shard
            found = [path for path in found if shard_of(self._below_root(path), count) == number]
        return sorted(found)

    def _below_root(self, path: str) -> str:
        """Return what decides about the part: a root that is an object goes by its whole path."""
        return path if path == self._root else path[len(self._root) :].lstrip("/")

    def _find(self) -> Iterator[ObjectHit]:
        left = self._limit
        if left == 0:
            return
        for path in self.paths():
            try:
                data = decompressed(self._fs.cat_file(path))
            except Exception as error:
                # A file system has exceptions of its own.
                self.errors.append(PathError(f"{path}: {error}", path))
                continue
            self.objects_searched += 1
            if not self._binary and b"\0" in data:
                continue
            for line in self._pattern.lines(data):
                spans = [(match.start - line.start, match.end - line.start) for match in line.matches]
                yield ObjectHit(path, line.number, line.start, line.bytes, spans)
                if left is not None:
                    left -= 1
                    if left == 0:
                        return


search = Objects


def decompressed(data: bytes) -> bytes:
    """Return ``data``, decompressed if its first bytes are those of a format that is supported."""
    try:
        if data.startswith(b"\x1f\x8b"):
            return gzip.decompress(data)
        if data.startswith(b"BZh"):
            return bz2.decompress(data)
        if data.startswith(b"\xfd7zXZ\0"):
            return lzma.decompress(data)
        if data.startswith(b"\x28\xb5\x2f\xfd"):
            return _zstd(data)
    except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
        raise Error(f"cannot be decompressed: {error}") from error
    return data


def _zstd(data: bytes) -> bytes:
    try:
        module = importlib.import_module("compression.zstd")
    except ImportError:
        try:
            module = importlib.import_module("zstandard")
        except ImportError:
            raise Error("zstd needs Python 3.14 or the package zstandard") from None
        return _zstd_frames(module, data)
    try:
        return bytes(module.decompress(data))
    except module.ZstdError as error:
        raise Error(f"cannot be decompressed: {error}") from error


def _zstd_frames(module: Any, data: bytes) -> bytes:
    """Decompress all frames. A reader of the package would not report one that is cut off."""
    parts: List[bytes] = []
    while data:
        frame = module.ZstdDecompressor().decompressobj()
        try:
            parts.append(bytes(frame.decompress(data)))
        except module.ZstdError as error:
            raise Error(f"cannot be decompressed: {error}") from error
        if not frame.eof:
            raise Error("cannot be decompressed: the data ends within a frame")
        data = frame.unused_data
    return b"".join(parts)
