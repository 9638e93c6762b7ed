"""Searches of files."""

import asyncio
import base64
import datetime
import json
import os
import subprocess
import sys
import threading
import time

import pytest

from heist_search import FilterError, PathError, Pattern, PatternError, Search, walk

FILES = {
    "a.py": "import os\ndef get_user(id):\n    return os.getuser(id)\n",
    "b.txt": "get user\ngetUser GET_USER\nünïcode get_user\n",
    "sub/c.py": "def get_group(id): pass\n",
    "sub/.hidden": "get_user\n",
}


def test_hits_have_types(tree):
    root = tree(FILES)
    hit = next(Search(r"(?P<verb>get)_(u)(x)?", root / "b.txt", sort="path"))
    assert hit.path == str(root / "b.txt")
    assert (hit.line, hit.column, hit.end) == (3, 9, 14)
    assert (hit.text, hit.spans) == ("ünïcode get_user", [(8, 13)])
    assert (hit.bytes, hit.byte_spans) == ("ünïcode get_user".encode(), [(10, 15)])
    assert hit.offset == len("get user\ngetUser GET_USER\n")
    assert (hit.groups, hit.named) == (("get", "u", None), {"verb": "get"})
    assert (hit.before, hit.after) == ([], [])
    assert str(hit) == f"{hit.path}:3:ünïcode get_user"
    assert repr(hit) == f"Hit({hit.path!r}, line=3, text={hit.text!r})"


def names(search):
    return sorted({os.path.basename(hit.path) for hit in search})


def test_files_are_selected(tree):
    root = tree(FILES)
    assert names(Search("get_", root)) == ["a.py", "b.txt", "c.py"]
    assert names(Search("get_", root, only="*.py")) == ["a.py", "c.py"]
    assert names(Search("get_", root, only=["*.py", "*.txt"], exclude=["sub"])) == ["a.py", "b.txt"]
    assert names(Search("get_", root, types="py")) == ["a.py", "c.py"]
    assert names(Search("get_", root, exclude_types=["py"])) == ["b.txt"]
    assert names(Search("get_", root, hidden=True)) == [".hidden", "a.py", "b.txt", "c.py"]
    assert names(Search("get_", root, max_depth=1)) == ["a.py", "b.txt"]
    assert names(Search("get_", root / "a.py", root / "sub")) == ["a.py", "c.py"]
    os.utime(root / "a.py", (1e9, 1e9))
    hour = datetime.timedelta(hours=1)
    assert names(Search("get_", root, newer=hour)) == ["b.txt", "c.py"]
    assert names(Search("get_", root, newer=time.time() - 3600)) == ["b.txt", "c.py"]
    assert names(Search("get_", root, newer=datetime.datetime.now() - hour)) == ["b.txt", "c.py"]
    assert names(Search("get_", root, older=hour)) == ["a.py"]


def test_changed_files_are_those_of_git(tree, git):
    root = tree(FILES)
    git("init", "-q", cwd=root)
    git("add", "a.py", "sub", cwd=root)
    git("-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "1", cwd=root)
    assert names(Search("get_", root, changed=True)) == ["b.txt"]
    with open(root / "a.py", "a") as file:
        file.write("# more\n")
    git("add", "a.py", cwd=root)
    assert names(Search("get_", root, changed=True)) == ["b.txt"]
    assert names(Search("get_", root, changed="HEAD")) == ["a.py", "b.txt"]
    assert names(Search("get_", root, changed=False)) == ["a.py", "b.txt", "c.py"]
    assert [os.path.basename(entry) for entry in walk(root, changed=True)] == ["b.txt"]
    with pytest.raises(PathError, match="git does not know the commit nosuch"):
        list(Search("get_", root, changed="nosuch"))


def test_patterns_are_read_as_requested(tree):
    root = tree(FILES)
    b = root / "b.txt"
    lines = lambda *arguments, **named: [hit.line for hit in Search(*arguments, **named)]
    assert lines("GET_USER", b) == [2]
    assert lines("GET_USER", b, ignore_case=True) == [2, 3]
    assert lines("get_user", b, any_case=True) == [1, 2, 3]
    assert lines("user", b, word=True) == [1]
    assert lines("t.*e", b, literal=True) == []
    assert lines(r"user\nget", b, multiline=True) == [1]
    assert lines("user.get", b, multiline=True, dotall=True) == [1]
    assert lines(Pattern("USER", ignore_case=True), b) == [1, 2, 3]
    with pytest.raises(ValueError, match="a Pattern is compiled"):
        Search(Pattern("x"), b, ignore_case=True)
    with pytest.raises(TypeError, match="a str or a Pattern"):
        Search(b"x")


def test_hits_have_context(tree):
    root = tree({"f": "".join(f"{n}{' x' if n in (3, 4, 9) else ''}\n" for n in range(1, 11))})
    hits = list(Search("x", root, context=2))
    around = lambda lines: [(line.line, line.is_match) for line in lines]
    assert [hit.line for hit in hits] == [3, 4, 9]
    assert around(hits[0].before) == [(1, False), (2, False)]
    assert around(hits[0].after) == [(4, True), (5, False)]
    assert around(hits[1].before) == [(2, False), (3, True)]
    assert around(hits[1].after) == [(5, False), (6, False)]
    assert around(hits[2].before) == [(7, False), (8, False)]
    assert around(hits[2].after) == [(10, False)]
    [hit] = Search("^9", root, context=(1, 0))
    assert ([line.text for line in hit.before], hit.after) == (["8"], [])
    [hit] = Search("x", root, context=(0, 1), limit=1)
    assert [line.text for line in hit.after] == ["4 x"]


def test_pages_follow_each_other(tree):
    root = tree({f"{n:02}": "x\n" * 3 for n in range(10)})
    whole = [(hit.path, hit.line) for hit in Search("x", root, sort="path")]
    assert len(whole) == 30
    pages, offset = [], 0
    while offset is not None:
        search = Search("x", root, sort="path", limit=7, offset=offset)
        pages += [(hit.path, hit.line) for hit in search]
        assert search.shown.offset == offset
        offset = search.shown.next
    assert pages == whole


def test_what_was_shown_is_stated(tree):
    root = tree({"a": "x\nx\n", "b": "x\n", "c": "y\n"})
    search = Search("x", root)
    assert search.shown is None
    assert len(list(search)) == 3
    shown = search.shown
    assert (shown.results, shown.files, shown.files_searched) == (3, 2, 3)
    assert shown.complete and shown.cut is None and shown.next is None
    search = Search("x", root, limit=3)
    list(search)
    assert search.shown.complete, "there are no more than the limit"
    search = Search("x", root, limit=2)
    list(search)
    assert (search.shown.cut, search.shown.complete) == ("limit", False)
    search = Search("x", root, limit=0)
    assert list(search) == [] and search.shown.cut == "limit"


def test_what_was_left_out_is_named(tree):
    root = tree({".ignore": "*.log\n", "a.log": "x", ".b": "x", "c": "x\0", "d": "x"})
    search = Search("x", root, skipped=100)
    assert names(search) == ["d"]
    left_out = {os.path.basename(entry.path): entry for entry in search.shown.skipped}
    assert left_out["a.log"].kind == "ignored"
    assert left_out["a.log"].why.endswith(".ignore:1: *.log")
    assert left_out[".b"].kind == "hidden"
    search = Search("x", root, skipped=1)
    list(search)
    assert (len(search.shown.skipped), search.shown.skipped_more > 0) == (1, True)


def test_mistakes_have_exceptions(tree):
    root = tree({"a": "x\n"})
    with pytest.raises(PatternError, match="unclosed group") as raised:
        Search("(", root)
    assert isinstance(raised.value, ValueError)
    with pytest.raises(FilterError, match="unrecognized file type: no-such-type"):
        list(Search("x", root, types="no-such-type"))
    with pytest.raises(PatternError, match=r"'a\*b' has '\*' in it"):
        Search("a*b", root, any_case=True)
    with pytest.raises(ValueError, match="not by 'size'"):
        Search("x", root, sort="size")
    missing = root / "missing"
    with pytest.raises(PathError) as raised:
        list(Search("x", root, missing))
    assert raised.value.path == raised.value.filename == str(missing)
    assert isinstance(raised.value, OSError)
    assert isinstance(raised.value.__cause__, FileNotFoundError)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
def test_files_that_cannot_be_read_are_stated(tree):
    root = tree({"a": "x\n", "b": "x\n"})
    (root / "b").chmod(0)
    search = Search("x", root)
    assert names(search) == ["a"]
    [error] = search.shown.errors
    assert isinstance(error, PathError) and error.path == str(root / "b")
    assert not search.shown.complete


def test_text_that_is_not_utf8(tree):
    root = tree({"a": b"caf\xe9 x\xff\n"})
    [hit] = Search("x", root)
    assert (hit.text, hit.spans) == ("caf\ufffd x\ufffd", [(5, 6)])
    assert (hit.bytes, hit.byte_spans) == (b"caf\xe9 x\xff", [(5, 6)])




def test_a_search_ends_with_its_block(tree):
    root = tree({f"{n}": "x\n" * 1000 for n in range(100)})
    with Search("x", root) as search:
        next(search)
    assert list(search) == []
    assert search.shown.cut == "cancelled"
    search.close()


def test_a_search_is_cancelled_from_another_thread(tree):
    root = tree({f"{n}": "x\n" * 1000 for n in range(100)})
    search = Search("x", root)
    thread = threading.Thread(target=search.cancel)
    thread.start()
    hits = len(list(search))
    thread.join()
    assert hits <= 100_000
    assert search.shown.results == hits
    assert search.shown.cut in (None, "cancelled")


def test_a_search_ends_in_time(tree):
    root = tree({f"{n}": "x y\n" * 20_000 for n in range(200)})
    search = Search("x", root, timeout=0.000001)
    list(search)
    assert search.shown.cut == "timeout"
    assert Search("x", root, timeout=datetime.timedelta(minutes=1)).__next__().line == 1
    with pytest.raises(ValueError):
        Search("x", root, timeout=-1)


def test_a_search_that_nobody_reads_is_dropped(tree):
    root = tree({f"{n}": "x\n" * 1000 for n in range(100)})
    before = threading.active_count()
    for _ in range(20):
        Search("x", root)
    assert threading.active_count() == before


def test_threads_share_a_search(tree):
    root = tree({f"{n}": "x\n" * 1000 for n in range(20)})
    search, found = Search("x", root), []
    work = lambda: found.extend((hit.path, hit.line) for hit in search)
    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(found) == len(set(found)) == 20_000


def test_other_threads_run_while_a_search_waits(tree):
    root = tree({f"{n}": "x y z\n" * 5000 for n in range(100)})
    ticks, over = [], threading.Event()

    def tick():
        while not over.is_set():
            ticks.append(1)
            time.sleep(0)

    thread = threading.Thread(target=tick)
    thread.start()
    assert list(Search("no such text", root)) == []
    over.set()
    thread.join()
    assert ticks


def test_event_loops_are_not_blocked(tree):
    root = tree({f"{n}": "x\n" * 100 for n in range(10)})

    async def count(pattern):
        return len([hit async for hit in Search(pattern, root)])

    async def both():
        return await asyncio.gather(count("x"), count("y"))

    assert asyncio.run(both()) == [1000, 0]

    async def first():
        search = Search("x", root)
        async for _ in search:
            break
        search.close()
        return search.shown.cut

    assert asyncio.run(first()) in (None, "cancelled")


def test_an_index_changes_no_result(tree, monkeypatch):
    program = os.environ.get("HEIST_SEARCH_HS")
    if not program or not sys.platform.startswith("linux"):
        pytest.skip("HEIST_SEARCH_HS names no hs, which makes indexes on Linux")
    root = tree({**{f"f{n}": f"line {n}\nsilver {n % 7}\n" for n in range(200)}, "g": "gold\n"})
    monkeypatch.setenv("XDG_CACHE_HOME", str(root / ".cache"))
    subprocess.run([program, "--no-config", "--index-update", root], check=True)
    for pattern in ["silver 3", "gold", "no such text"]:
        found = lambda index: [(h.path, h.line) for h in Search(pattern, root, sort="path", index=index)]
        assert found(True) == found(root / ".cache" / "heist") == found(None) == found(False)


def test_hits_are_those_of_ripgrep(ripgrep):
    root = os.path.join(os.path.dirname(__file__), "..", "..")
    for pattern, arguments, named in [
        ("fn", [], {}),
        (r"(?i)error\b", ["-i"], {}),
        ("^$", [], {"only": "*.rs"}),
        (r"\{\n\s+let", ["-U"], {"multiline": True}),
        ("é|ü", [], {"hidden": True}),
    ]:
        command = [ripgrep, "--no-config", "--json", *arguments, "-e", pattern]
        command += ["--hidden"] if named.get("hidden") else []
        command += ["-g", named["only"]] if "only" in named else []
        printed = subprocess.run([*command, root], stdout=subprocess.PIPE).stdout
        text = lambda data: data["text"].encode() if "text" in data else base64.b64decode(data["bytes"])
        expected = set()
        for message in map(json.loads, printed.splitlines()):
            if message["type"] == "match":
                data = message["data"]
                spans = tuple((match["start"], match["end"]) for match in data["submatches"])
                line = text(data["lines"])
                path = os.fsdecode(text(data["path"]))
                expected.add((path, data["line_number"], data["absolute_offset"], line.rstrip(b"\n"), spans))
        found = {
            (hit.path, hit.line, hit.offset, hit.bytes.rstrip(b"\n"), tuple(hit.byte_spans))
            for hit in Search(pattern, root, **named)
        }
        assert found == expected and found, pattern
