"""Which part of a tree a path is in."""

from __future__ import annotations


def shard_of(path: bytes | str, count: int) -> int:
    """Return the number, from 1, of the part of ``count`` that ``hs --shard`` has ``path`` in.

    The path is one below the searched directory, with ``/`` between names, or the name of an
    object. A text stands for its bytes on this system.

    >>> [shard_of(path, 3) for path in ("src/lib.rs", b"src/main.rs")]
    [2, 1]
    """
    if count < 1:
        raise ValueError(f"there are no {count} shards")
    if isinstance(path, str):
        path = path.encode("utf-8", "surrogateescape")
    # FNV-1a with 64 bits.
    value = 0xCBF29CE484222325
    for byte in path:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return 1 + value % count


def shard_numbers(text: str) -> tuple[int, int]:
    """Return the two numbers of ``3/64``."""
    number, slash, count = text.partition("/")
    if slash and number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count):
        return int(number), int(count)
    raise ValueError(
        f"'{text}' is no shard (accepted: I/N with numbers from 1, such as 3/64)"
    )
