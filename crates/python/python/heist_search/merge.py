"""Merge what ``hs --shard I/N`` prints, run by run, into what one run would print.

``python -m heist_search.merge --json part-*.json`` prints the messages of all files, and one
``summary`` behind them.

>>> exit_code([1, 0, 1])
0
"""

from __future__ import annotations

import argparse
import base64
import heapq
import json
import os
import sys
from typing import Any, BinaryIO, Dict, Iterable, Iterator, List, Optional, Tuple

from ._errors import Error

__all__ = ["Totals", "exit_code", "merge_counts", "merge_json", "merge_lines"]

_NANOS = 1_000_000_000
# How the messages begin that are passed on as they are, and are most of all.
_RESULTS = (b'{"type":"match"', b'{"type":"context"')


def exit_code(codes: Iterable[int]) -> int:
    """Return the exit code that one run would have: 2 for an error, 0 if anything was found.

    A code that is neither of those nor 1, such as that of a run that a signal has ended, is an
    error.
    """
    found = set(codes)
    if found - {0, 1}:
        return 2
    return 0 if 0 in found else 1


def merge_lines(streams: Iterable[Iterable[bytes]], sorted: bool = False) -> Iterator[bytes]:
    """Yield the lines of all streams, one stream behind the other.

    With ``sorted``, streams of one root with ``--sort path`` are merged into the order that one run
    would print: by the bytes of names, the contents of a directory where its name is. The path of
    a line ends at its first NUL byte (``--null``), or else at its first colon.

    >>> list(merge_lines([[b"a/b:1:x\\n", b"c:1:x\\n"], [b"a+:9:x\\n"]], sorted=True))
    [b'a/b:1:x\\n', b'a+:9:x\\n', b'c:1:x\\n']
    """
    if not sorted:
        return (line for stream in streams for line in stream)
    keyed = (((_order(_path_of(line)), line) for line in stream) for stream in streams)
    return (line for _, line in heapq.merge(*keyed, key=lambda pair: pair[0]))


def merge_counts(streams: Iterable[Iterable[bytes]]) -> Dict[bytes, int]:
    """Return the sums of ``KEY:NUMBER`` lines: those of ``--count`` and ``--count-by``.

    A line that is only a number has the key ``b""``.

    >>> merge_counts([[b"a:1\\n", b"b:2\\n"], [b"a:3\\n"]])
    {b'a': 4, b'b': 2}
    """
    sums: Dict[bytes, int] = {}
    for number, stream in enumerate(streams, 1):
        for line in stream:
            # The key ends with a NUL byte where `--null` is given.
            key, _, count = line.rstrip(b"\r\n").replace(b"\0", b":").rpartition(b":")
            if not count.isdigit():
                raise Error(f"stream {number}: a line without a number: {_excerpt(line)}")
            sums[key] = sums.get(key, 0) + int(count)
    return sums


def merge_json(streams: Iterable[Iterable[bytes]], sorted: bool = False) -> Iterator[bytes]:
    """Yield the messages of all streams of ``hs --json``, and one ``summary`` at the end.

    Messages of a file stay together. With ``sorted``, streams of one root with ``--sort path`` are
    merged into the order that one run would print. ``Totals`` describes the messages at the end.
    """
    totals = Totals()
    blocks = [_blocks(number, stream, totals) for number, stream in enumerate(streams, 1)]
    if sorted:
        merged: Iterable[Tuple[bytes, List[bytes]]] = heapq.merge(*blocks, key=lambda block: block[0])
    else:
        merged = (block for stream in blocks for block in stream)
    for _, messages in merged:
        yield from messages
    yield from totals.messages(streams=len(blocks))


class Totals:
    """The messages at the end of streams: ``skipped``, ``shown`` and ``summary``.

    Numbers are added up. ``elapsed_total`` is the longest, since runs are at the same time.
    ``skipped``, which a run prints that has found nothing, is left out if any run has found
    something. Its numbers are added up too: each file or directory that is left out is in the part
    of one run, which counts it and looks into it.
    ``summary`` is left out if one of the streams has none: that stream is not complete.
    """

    def __init__(self) -> None:
        self._summaries: List[Any] = []
        self._shown: List[Any] = []
        self._skipped: List[Any] = []
        self._found = 0

    def add(self, message: Any) -> bool:
        """Add a message; return whether it is one for the end."""
        kind = message.get("type")
        if kind == "summary":
            self._summaries.append(message["data"])
        elif kind == "shown":
            self._shown.append(message["data"])
        elif kind == "skipped":
            self._skipped.append(message["data"])
        else:
            self._found += kind in ("begin", "file")
            return False
        return True

    def messages(self, streams: int) -> Iterator[bytes]:
        """Yield the messages for the end of what so many streams have."""
        if self._shown:
            yield _line({"type": "shown", "data": _merged_shown(self._shown)})
        if self._skipped and not self._found:
            yield _line({"type": "skipped", "data": _merged_skipped(self._skipped)})
        if self._summaries and len(self._summaries) == streams:
            yield _line({"type": "summary", "data": _merged_summary(self._summaries)})


def _blocks(
    number: int, stream: Iterable[bytes], totals: Totals
) -> Iterator[Tuple[bytes, List[bytes]]]:
    """Yield the messages of each file, with the key that sorts them."""
    key = b""
    block: List[bytes] = []
    for line in stream:
        if line.startswith(_RESULTS):
            block.append(line)
            continue
        if not line.strip():
            continue
        try:
            message = json.loads(line)
            if totals.add(message):
                continue
            path = message["data"].get("path") if message["type"] in ("begin", "file") else None
            key = _order(_bytes_of(path)) if path else key
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Error(f"stream {number}: no message of hs --json: {_excerpt(line)}") from error
        block.append(line)
        if message["type"] != "begin":
            yield key, block
            block = []
    # A stream that was cut off within a file.
    if block:
        yield key, block


def _merged_summary(summaries: List[Any]) -> Any:
    merged = _sum(summaries)
    if "elapsed_total" in merged:
        merged["elapsed_total"] = max(
            (summary["elapsed_total"] for summary in summaries if "elapsed_total" in summary),
            key=_nanos,
        )
    return merged


def _merged_shown(shown: List[Any]) -> Any:
    merged = {
        "shown": _sum([each["shown"] for each in shown]),
        "found": _sum([each["found"] for each in shown]),
        "exact": all(each["exact"] for each in shown),
        "offset": sum(each["offset"] for each in shown),
        "limit": next((each["limit"] for each in shown if each["limit"]), None),
    }
    most = [each["most"] for each in shown if each.get("most")]
    if most:
        merged["most"] = max(most, key=lambda each: each["results"])
    return merged


def _merged_skipped(skipped: List[Any]) -> Any:
    merged = dict(skipped[0])
    merged["searched"] = sum(each["searched"] for each in skipped)
    merged["complete"] = all(each["complete"] for each in skipped)
    merged["matching"] = sum(each["matching"] for each in skipped)
    merged["left_out"] = _sum([each["left_out"] for each in skipped])
    merged["would_match"] = [entry for each in skipped for entry in each["would_match"]]
    merged["not_looked_at"] = [_sum(entries) for entries in _alike(skipped, "not_looked_at", "what")]
    merged["nearest"] = [
        {**_sum(entries), "exact": all(entry["exact"] for entry in entries)}
        for entries in _alike(skipped, "nearest", "text")
    ]
    limits = (each["time_limit_ms"] for each in skipped)
    merged["time_limit_ms"] = next((limit for limit in limits if limit is not None), None)
    # What keeps one run from finding anything, such as an empty part, need not keep all.
    if any(each["cause"] != merged["cause"] for each in skipped):
        merged["cause"] = None
    return merged


def _alike(skipped: List[Any], key: str, name: str) -> Iterable[List[Any]]:
    """Return the entries of all lists `key`, those together that have the same `name`."""
    alike: Dict[str, List[Any]] = {}
    for entry in (entry for each in skipped for entry in each[key]):
        alike.setdefault(json.dumps(entry[name], sort_keys=True), []).append(entry)
    return alike.values()


def _sum(objects: List[Any]) -> Any:
    """Add up the numbers in objects of one shape, and durations as such."""
    merged: Dict[str, Any] = {}
    for key in dict.fromkeys(key for each in objects for key in each):
        values = [each[key] for each in objects if key in each]
        if isinstance(values[0], dict):
            is_duration = "nanos" in values[0]
            merged[key] = _duration(sum(map(_nanos, values))) if is_duration else _sum(values)
        elif isinstance(values[0], int) and not isinstance(values[0], bool):
            merged[key] = sum(values)
        else:
            merged[key] = values[0]
    return merged


def _nanos(duration: Any) -> int:
    return int(duration["secs"]) * _NANOS + int(duration["nanos"])


def _duration(nanos: int) -> Any:
    secs, rest = divmod(nanos, _NANOS)
    return {"human": f"{nanos / _NANOS:.6f}s", "nanos": rest, "secs": secs}


def _line(message: Any) -> bytes:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def _bytes_of(path: Any) -> bytes:
    """Return the bytes of a path or line in a message."""
    if "text" in path:
        return str(path["text"]).encode("utf-8", "surrogateescape")
    return base64.b64decode(path["bytes"])


def _path_of(line: bytes) -> bytes:
    path, nul, _ = line.partition(b"\0")
    return path if nul else line.rstrip(b"\n").partition(b":")[0]


def _order(path: bytes) -> bytes:
    """Return the bytes that sort as `--sort path` sorts paths."""
    return path.replace(b"/", b"\0")


def _excerpt(line: bytes) -> str:
    return repr(line[:60]) + ("..." if len(line) > 60 else "")


def main(arguments: Optional[List[str]] = None) -> int:
    """Merge files into standard output, and return the exit code of ``hs``."""
    parser = argparse.ArgumentParser(
        prog="python -m heist_search.merge",
        description="Merge the outputs of hs --shard I/N.",
    )
    parser.add_argument("--json", action="store_true", help="outputs of hs --json")
    parser.add_argument("--counts", action="store_true", help="lines KEY:NUMBER, to be added up")
    parser.add_argument("--sorted", action="store_true", help="outputs of hs --sort path")
    parser.add_argument("files", nargs="+", metavar="FILE", help="an output; - is standard input")
    options = parser.parse_args(arguments)
    out = sys.stdout.buffer
    files: List[BinaryIO] = []
    found = False
    try:
        for name in options.files:
            files.append(sys.stdin.buffer if name == "-" else open(name, "rb"))
        if options.counts:
            for key, count in merge_counts(files).items():
                out.write(key + b":" * bool(key) + b"%d\n" % count)
                found = found or count > 0
        elif options.json:
            for line in merge_json(files, sorted=options.sorted):
                found = found or line.startswith((b'{"type":"match"', b'{"type":"file"'))
                out.write(line)
        else:
            for line in merge_lines(files, sorted=options.sorted):
                found = True
                out.write(line)
        out.flush()
    except BrokenPipeError:
        # Python would report it once more when it flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (Error, OSError) as error:
        print(f"heist_search.merge: {error}", file=sys.stderr)
        return 2
    finally:
        for file in files:
            file.close()
    return exit_code([0 if found else 1])


if __name__ == "__main__":
    sys.exit(main())
