"""Search with the nodes of a Ray cluster.

``python -m heist_search.ray PATTERN ROOT... --shards 64`` runs ``hs --shard I/64`` in 64 tasks over
a file system that all nodes have, and prints lines or messages as they arrive. What follows ``--``
are further flags of ``hs``. With ``--fs``, objects of an fsspec file system are searched.

Each task prints its part sorted by path, so that a part whose node is lost can run again: the new
run passes over as many lines as were printed, compares them with a checksum of those, and goes on
behind them. Nothing is lost or printed twice unless files change meanwhile, which is reported where
the checksum shows it.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import importlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import zlib
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from . import objects
from ._errors import Error
from .merge import Totals, exit_code

__all__ = ["Batch", "Plan", "main", "search"]

# A batch is sent when it has so many bytes, or is so old.
_BATCH_BYTES = 1 << 20
_BATCH_SECONDS = 0.1
# How many batches of a part may wait for the coordinator.
_BATCHES_AHEAD = 8
# How often a part may lose its node.
_MAX_RUNS = 6
_RESULTS = (b'{"type":"match"', b'{"type":"file"')
_BEGINS = (b'{"type":"begin"', b'{"type":"file"')
_ENDS = (b'{"type":"end"', b'{"type":"file"')


class Plan(NamedTuple):
    """What all parts have in common."""

    pattern: str
    roots: Tuple[str, ...]
    shards: int
    json: bool = False
    shard_by: str = "file"
    flags: Tuple[str, ...] = ()
    hs: Optional[str] = None
    fs: Optional[str] = None
    threads: int = 1


class Batch(NamedTuple):
    """Lines of a part, behind those that were sent before."""

    lines: bytes
    """Whole lines; with JSON, all messages of whole files."""
    lines_count: int
    """How many lines those are."""
    before: int
    """The checksum of all lines of the part before these."""
    after: int
    """That of the lines up to the last one of these."""
    end: Optional[Tuple[int, bytes, str]] = None
    """Behind the last line: exit code, messages for the totals, and errors."""


def run_part(plan: Plan, number: int, skip: int) -> Iterator[Batch]:
    """Search one part, and yield what is behind the first ``skip`` lines."""
    part = _ObjectPart(plan, number) if plan.fs else _ProgramPart(plan, number)
    before = after = passed = count = size = 0
    lines: List[bytes] = []
    totals: List[bytes] = []
    sent = time.monotonic()
    for line in part.lines():
        if plan.json and _is_total(line):
            totals.append(line)
            continue
        after = checksum(line, after)
        if passed < skip:
            before, passed = after, passed + 1
            continue
        lines.append(line)
        count, size = count + 1, size + len(line)
        if plan.json and not line.startswith(_ENDS):
            continue
        if size >= _BATCH_BYTES or time.monotonic() - sent >= _BATCH_SECONDS:
            yield Batch(b"".join(lines), count, before, after)
            lines, count, size, before, sent = [], 0, 0, after, time.monotonic()
    # Fewer lines than were printed are not those that were.
    before = before if passed == skip else -1
    yield Batch(b"".join(lines), count, before, after, (part.code, b"".join(totals), part.errors))


def checksum(line: bytes, before: int) -> int:
    """Return the checksum of lines behind those with the checksum ``before``.

    The message at the end of a file has times, which differ from run to run.
    """
    return before if line.startswith(b'{"type":"end"') else zlib.crc32(line, before)


def _is_total(line: bytes) -> bool:
    return line.startswith((b'{"data":', b'{"type":"s'))


class _ProgramPart:
    """A part of a tree, which ``hs`` searches."""

    def __init__(self, plan: Plan, number: int) -> None:
        self.code, self.errors = 2, ""
        self._command = [plan.hs or program(), *plan.flags, f"--shard={number}/{plan.shards}"]
        self._command += [f"--shard-by={plan.shard_by}", f"--threads={plan.threads}"]
        self._command += ["--sort=path", "--color=never", "--no-heading", "--with-filename"]
        self._command += ["--json"] if plan.json else []
        self._command += ["--regexp", plan.pattern, "--", *plan.roots]

    def lines(self) -> Iterator[bytes]:
        with tempfile.TemporaryFile() as errors:
            running = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
            )
            assert running.stdout is not None
            try:
                with running.stdout as lines:
                    yield from lines
                self.code = running.wait()
            finally:
                running.kill()
                running.wait()
            errors.seek(0)
            self.errors = errors.read().decode("utf-8", "replace")


class _ObjectPart:
    """A part of the objects, in the form in which ``hs`` prints results."""

    def __init__(self, plan: Plan, number: int) -> None:
        self.code, self.errors = 1, ""
        self._plan = plan
        self._shard = f"{number}/{plan.shards}"

    def lines(self) -> Iterator[bytes]:
        fsspec = importlib.import_module("fsspec")
        began, searched, matched, found = time.monotonic(), 0, 0, 0
        errors: List[str] = []
        for root in self._plan.roots:
            fs, path = fsspec.core.url_to_fs(f"{self._plan.fs}{root}")
            search = objects.search(fs, path, self._plan.pattern, shard=self._shard)
            last: Optional[str] = None
            try:
                for hit in search:
                    self.code = 0
                    if self._plan.json and hit.path != last:
                        yield from self._border("end", last)
                        yield from self._border("begin", hit.path)
                        matched += 1
                    last, found = hit.path, found + 1
                    yield self._result(hit)
            except Error as error:
                errors.append(str(error))
            yield from self._border("end", last)
            errors += [str(error) for error in search.errors]
            searched += search.objects_searched
        if errors:
            self.code = 2
            self.errors = "".join(f"hs: {error}\n" for error in errors)
        if self._plan.json:
            total = _elapsed(time.monotonic() - began)
            stats = {"searches": searched, "searches_with_match": matched, "matched_lines": found}
            yield _message("summary", {"elapsed_total": total, "stats": stats})

    def _border(self, kind: str, path: Optional[str]) -> Iterator[bytes]:
        if self._plan.json and path is not None:
            yield _message(kind, {"path": {"text": path}})

    def _result(self, hit: objects.ObjectHit) -> bytes:
        if not self._plan.json:
            return b"%s:%d:%s\n" % (hit.path.encode(), hit.line, hit.bytes)
        submatches = [
            {"match": _text(hit.bytes[start:end]), "start": start, "end": end}
            for start, end in hit.byte_spans
        ]
        return _message(
            "match",
            {
                "path": {"text": hit.path},
                "lines": _text(hit.bytes + b"\n"),
                "line_number": hit.line,
                "absolute_offset": hit.offset,
                "submatches": submatches,
            },
        )


def _text(data: bytes) -> Dict[str, str]:
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"bytes": base64.b64encode(data).decode()}


def _message(kind: str, data: Any) -> bytes:
    message = {"type": kind, "data": data}
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def program() -> str:
    """Return the path of the program ``hs`` on this node: that of the package, or one in PATH."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    places = [os.path.join(here, "bin"), sysconfig.get_path("scripts"), os.environ.get("PATH", "")]
    found = shutil.which("hs", path=os.pathsep.join(places))
    if not found:
        raise Error("hs is not installed on this node; --hs names it")
    return found


class _State:
    """What the coordinator keeps of a part."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.lines = 0
        self.checksum = 0
        self.runs = 0


class Outcome:
    """What is known of a search behind its last line."""

    def __init__(self) -> None:
        self.codes: List[int] = []
        self.errors: Dict[str, None] = {}
        self.runs = 0
        self.seconds: List[float] = []


def search(
    plan: Plan, outcome: Outcome, limit: Optional[int] = None, window: Optional[int] = None
) -> Iterator[bytes]:
    """Yield lines as they arrive, from the tasks of a Ray that is initialized.

    With ``limit``, the search ends behind so many results of all parts together. ``window`` is how
    many tasks wait or run; by default, two for each processor.
    """
    ray: Any = importlib.import_module("ray")
    # A lost part runs again from here, because only here is known what was printed.
    options = {"max_retries": 0, "num_returns": "streaming", "num_cpus": plan.threads}
    options["_generator_backpressure_num_objects"] = _BATCHES_AHEAD
    task = ray.remote(**options)(run_part)
    waiting = [_State(number) for number in range(plan.shards, 0, -1)]
    running: Dict[Any, _State] = {}
    started: Dict[Any, float] = {}
    totals, results, printed = Totals(), 0, _Printed()
    try:
        while (waiting or running) and results != limit:
            width = window or max(2, 2 * int(ray.cluster_resources().get("CPU", 1)))
            while waiting and len(running) < width:
                state = waiting.pop()
                state.runs += 1
                outcome.runs += 1
                stream = task.remote(plan, state.number, state.lines)
                running[stream], started[stream] = state, time.monotonic()
            ready, _ = ray.wait(list(running), num_returns=1, timeout=5)
            for stream in ready:
                state = running[stream]
                try:
                    batch = ray.get(next(stream))
                except StopIteration:
                    # A stream ends behind its last batch, and was removed then.
                    batch = None
                except ray.exceptions.RayTaskError as error:
                    raise Error(f"shard {state.number}/{plan.shards}: {error.cause}") from error
                except ray.exceptions.RayError as error:
                    batch = None
                    if state.runs >= _MAX_RUNS:
                        message = f"shard {state.number}/{plan.shards} was lost {state.runs} times"
                        raise Error(message) from error
                if batch is None:
                    del running[stream]
                    waiting.append(state)
                    continue
                left = None if limit is None else limit - results
                shown = _accept(plan, state, batch, left, outcome)
                results += 0 if limit is None else _count(plan, shown)
                if plan.json and limit is not None:
                    printed.add(shown, _count(plan, batch.lines))
                if batch.end is not None:
                    del running[stream]
                    outcome.seconds.append(time.monotonic() - started[stream])
                    code, messages, errors = batch.end
                    outcome.codes.append(code)
                    outcome.errors.update(dict.fromkeys(errors.splitlines()))
                    for line in messages.splitlines():
                        totals.add(json.loads(line))
                if shown:
                    yield shown
                if results == limit:
                    break
    finally:
        for stream in running:
            ray.cancel(stream, recursive=True)
    if results == limit:
        outcome.codes.append(0 if results else 1)
    if plan.json and (running or waiting or printed.left_out):
        yield from printed.messages()
    elif plan.json:
        yield from totals.messages(streams=plan.shards)


def _accept(plan: Plan, state: _State, batch: Batch, left: Optional[int], outcome: Outcome) -> bytes:
    """Note a batch of a part, and return what of it is shown if ``left`` results may be."""
    if batch.before != state.checksum:
        shard = f"{state.number}/{plan.shards}"
        message = f"hs: shard {shard}: files changed before it ran again; lines may be lost or repeated"
        outcome.errors[message] = None
        outcome.codes.append(2)
    state.lines += batch.lines_count
    state.checksum = batch.after
    if left is None:
        return batch.lines
    shown: List[bytes] = []
    for line in batch.lines.split(b"\n")[:-1]:
        if left == 0:
            # The messages around the last file that is shown are complete.
            if not plan.json or line.startswith(_BEGINS):
                break
            if line.startswith(_RESULTS):
                continue
        left -= not plan.json or line.startswith(_RESULTS)
        shown.append(line + b"\n")
    return b"".join(shown)


class _Printed:
    """The counts of what was printed, if a limit ends a search: those of the parts have more."""

    def __init__(self) -> None:
        self.left_out = 0
        self._began = time.monotonic()
        self._results = self._listed = 0
        self._ends: List[Any] = []
        self._stats = dict.fromkeys(("bytes_printed", "matched_lines", "matches"), 0)

    def add(self, lines: bytes, received: int) -> None:
        """Add messages, of a batch that had so many results."""
        self.left_out += received
        for line in lines.split(b"\n")[:-1]:
            if line.startswith(_RESULTS):
                self.left_out -= 1
                self._results += 1
            message = json.loads(line)
            kind, data = message["type"], message["data"]
            self._listed += kind == "file"
            if kind == "end":
                self._ends.append(data)
                continue
            self._stats["bytes_printed"] += len(line) + 1
            if kind == "match":
                self._stats["matched_lines"] += 1
                self._stats["matches"] += len(data["submatches"])

    def messages(self) -> Iterator[bytes]:
        """Yield the messages that `hs` prints behind results that a limit ends."""
        files = self._listed or len(self._ends)
        shown = {"results": self._results, "files": files}
        found = {"results": self._results + self.left_out, "files": files}
        limited = {"shown": shown, "found": found, "exact": False, "offset": 0}
        yield _message("shown", {**limited, "limit": "max-results"})
        summary: Dict[str, Any] = {"elapsed_total": _elapsed(time.monotonic() - self._began)}
        if self._listed:
            summary["files"] = files
        else:
            searched = sum(end.get("stats", {}).get("bytes_searched", 0) for end in self._ends)
            counts = {"searches": files, "searches_with_match": files, "bytes_searched": searched}
            summary["stats"] = {**counts, **self._stats}
        yield _message("summary", summary)


def _elapsed(seconds: float) -> Dict[str, Any]:
    return {"secs": int(seconds), "nanos": int(seconds % 1 * 1e9), "human": f"{seconds:.6f}s"}


def _count(plan: Plan, lines: bytes) -> int:
    """Return how many results ``lines`` has."""
    if not plan.json:
        return lines.count(b"\n")
    return sum(line.startswith(_RESULTS) for line in lines.split(b"\n"))


def main(arguments: Optional[List[str]] = None) -> int:
    """Search as the command line says, and return the exit code of ``hs``."""
    given = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(
        prog="python -m heist_search.ray",
        description="Search with the nodes of a Ray cluster.",
        epilog="What follows -- are further flags of hs.",
    )
    parser.add_argument("pattern", metavar="PATTERN")
    parser.add_argument("roots", metavar="ROOT", nargs="+", help="on a file system of all nodes")
    parser.add_argument("--shards", type=int, default=64, help="number of parts (64)")
    parser.add_argument("--shard-by", default="file", help="as that of hs")
    parser.add_argument("--address", help="of the cluster; a local one is started without")
    parser.add_argument("--json", action="store_true", help="messages, as hs --json prints them")
    parser.add_argument("-m", "--limit", type=int, help="results of all parts together")
    parser.add_argument("--hs", help="the program on each node, if not that of the package")
    parser.add_argument("--threads", type=int, default=1, help="processors for each part (1)")
    parser.add_argument("--fs", help="such as s3://: roots are objects, or prefixes of some")
    flags: List[str] = []
    if "--" in given:
        flags = given[given.index("--") + 1 :]
        given = given[: given.index("--")]
    options = parser.parse_args(given)
    for name in ("shards", "threads"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} is a number from 1")
    if options.limit is not None and options.limit < 0:
        parser.error("--limit is a number from 0")
    if options.fs and (flags or options.shard_by != "file"):
        parser.error("--fs cannot be combined with --shard-by, nor with flags of hs")
    roots = options.roots if options.fs else [os.path.abspath(root) for root in options.roots]
    plan = Plan(
        options.pattern,
        tuple(roots),
        options.shards,
        json=options.json,
        shard_by=options.shard_by,
        flags=tuple(flags),
        hs=options.hs,
        fs=options.fs,
        threads=options.threads,
    )
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError:
        print("heist_search.ray: Ray is not installed: pip install heist-search[ray]", file=sys.stderr)
        return 2
    outcome = Outcome()
    out = sys.stdout.buffer
    # Ray reports lost nodes on what is standard output then.
    quiet = contextlib.redirect_stdout(sys.stderr)
    quiet.__enter__()
    try:
        ray.init(address=options.address, log_to_driver=False, logging_level="error")
        for lines in search(plan, outcome, options.limit):
            out.write(lines)
            out.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
        return 0
    except (Error, OSError, ValueError, RuntimeError) as error:
        outcome.errors[f"heist_search.ray: {error}"] = None
        outcome.codes.append(2)
    finally:
        ray.shutdown()
        quiet.__exit__(None, None, None)
    for message in outcome.errors:
        print(message, file=sys.stderr)
    return exit_code(outcome.codes)


if __name__ == "__main__":
    # Tasks find their function by the name of the module, which is not __main__ on their nodes.
    from heist_search.ray import main as _main

    sys.exit(_main())
