"""Merged outputs of parts, against one run of the program."""

import json
import os
import random
import shutil
import subprocess
import sys

import pytest

from heist_search import Error, Search, merge, shard_of, walk

PARTS = 3


@pytest.fixture
def hs():
    """Runs the program that the wheel has installed, and returns what it prints."""
    beside = [os.path.join(place, "bin") for place in sys.path] + [os.path.dirname(sys.executable)]
    program = shutil.which("hs", path=os.pathsep.join(beside))
    if not program:
        pytest.skip("hs is not installed")

    def run(*arguments, cwd):
        done = subprocess.run([program, *arguments], cwd=cwd, capture_output=True)
        assert done.returncode in (0, 1), done.stderr
        return done.returncode, done.stdout.splitlines(keepends=True)

    return run


@pytest.fixture
def forest(tree):
    """A tree whose names sort differently by bytes and by names."""
    chosen, files = random.Random(7), {"bin": b"gem\0gem\n"}
    for name in "a/x a+ a.b a-c a0/y/z ab/q B/c ü/v/w u b/c/d b+c".split():
        lines = (chosen.choice(["gem", "rock", "gem: gem"]) for _ in range(chosen.randrange(1, 30)))
        files[name] = "".join(line + "\n" for line in lines)
    return tree(files)


def parts(hs, cwd, *arguments):
    return [hs("--shard", f"{part}/{PARTS}", *arguments, cwd=cwd) for part in range(1, PARTS + 1)]


@pytest.mark.parametrize("pattern", ["gem", "nowhere"])
@pytest.mark.parametrize("mode", [["-n", "--null"], ["-n"], ["-c"], ["-l"]])
def test_lines_are_those_of_one_run(hs, forest, pattern, mode):
    code, expected = hs("--sort", "path", *mode, pattern, cwd=forest)
    found = parts(hs, forest, "--sort", "path", *mode, pattern)
    streams = [lines for _, lines in found]
    assert list(merge.merge_lines(streams, sorted=True)) == expected
    assert sorted(merge.merge_lines(streams)) == sorted(expected)
    assert merge.exit_code(code for code, _ in found) == code


def without_times(lines):
    """The messages, without what differs from run to run."""

    def strip(value):
        if not isinstance(value, dict):
            return value
        return {key: strip(each) for key, each in value.items() if not key.startswith("elapsed")}

    return [strip(json.loads(line)) for line in lines]


LISTS = [["gem"], ["nowhere"], ["--files"], ["gem", "--max-results=99"]]


@pytest.mark.parametrize("arguments", LISTS)
def test_messages_are_those_of_one_run(hs, forest, arguments):
    _, expected = hs("--sort", "path", "--json", *arguments, cwd=forest)
    streams = [lines for _, lines in parts(hs, forest, "--sort", "path", "--json", *arguments)]
    assert without_times(merge.merge_json(streams, sorted=True)) == without_times(expected)
    merged = without_times(merge.merge_json(streams))
    assert merged[-1] == without_times(expected)[-1]
    ordered = lambda messages: sorted(json.dumps(each, sort_keys=True) for each in messages)
    assert ordered(merged) == ordered(without_times(expected))


@pytest.mark.parametrize("pattern", ["nowhere", "treasure", "gme"])
@pytest.mark.parametrize("unit", ["file", "directory:1", "directory"])
def test_what_was_left_out_adds_up(hs, forest, tree, pattern, unit):
    names = [f"{place}{name}" for place in ("", "a/", "a0/y/", "b/c/") for name in "1234"]
    hidden = {os.path.join(os.path.dirname(name), "." + name[-1]): "rock\n" for name in names}
    ignored = {f"{name}.log": "a treasure\n" for name in names}
    built = {f"b/build/{name}": "a treasure\n" for name in names}
    tree({".gitignore": "*.log\nbuild/\n", **hidden, **ignored, **built})
    flags = ["--json", "--no-require-git", "--tell-skipped", pattern]
    _, whole = hs(*flags, cwd=forest)
    streams = [lines for _, lines in parts(hs, forest, f"--shard-by={unit}", *flags)]
    [one], [merged] = (
        [each["data"] for each in without_times(lines) if each["type"] == "skipped"]
        for lines in (whole, merge.merge_json(streams))
    )
    assert one["left_out"]["ignored"] == 17 and one["left_out"]["hidden"] == 17
    # A message names the first ones only.
    named, first = merged.pop("would_match"), one.pop("would_match")
    assert all(entry in named for entry in first)
    merged["nearest"].sort(key=str)
    one["nearest"].sort(key=str)
    assert merged == one



def test_the_longest_run_is_the_time_of_all():
    data = lambda nanos: {"elapsed_total": {"secs": 1, "nanos": nanos, "human": ""}, "files": 2}
    streams = [[json.dumps({"type": "summary", "data": data(nanos)}).encode()] for nanos in (5, 9, 7)]
    [line] = merge.merge_json(streams)
    assert json.loads(line)["data"] == {
        "elapsed_total": {"secs": 1, "nanos": 9, "human": ""},
        "files": 6,
    }
    # A stream that was cut off is not complete, and neither is what it is a part of.
    assert list(merge.merge_json([*streams, []])) == []


def test_counts_are_added_up(hs, forest):
    _, expected = hs("-c", "gem", cwd=forest)
    streams = [lines for _, lines in parts(hs, forest, "-c", "gem")]
    assert merge.merge_counts(streams) == merge.merge_counts([expected])
    assert merge.merge_counts([[b"3\n"], [b"4\n"]]) == {b"": 7}
    assert merge.merge_counts([[b"a:b\x003\n"], [b"a:b:4\n"]]) == {b"a:b": 7}
    with pytest.raises(Error, match="stream 2: a line without a number: b'a:x"):
        merge.merge_counts([[], [b"a:x\n"]])


def test_exit_codes_combine():
    codes = {(0, 0): 0, (0, 1): 0, (1, 1): 1, (0, 2): 2, (1, 2): 2, (0, -9): 2, (): 1}
    assert {pair: merge.exit_code(pair) for pair in codes} == codes


def test_the_module_is_a_program(hs, forest, tmp_path_factory):
    place = tmp_path_factory.mktemp("outputs")
    code, expected = hs("--sort", "path", "-n", "gem", cwd=forest)
    names = []
    for number, (_, lines) in enumerate(parts(hs, forest, "--sort", "path", "-n", "gem")):
        names.append(str(place / f"part-{number}"))
        (place / names[-1]).write_bytes(b"".join(lines))
    run = lambda *arguments: subprocess.run(
        [sys.executable, "-m", "heist_search.merge", *arguments], cwd=forest, capture_output=True
    )
    done = run("--sorted", *names)
    assert (done.returncode, done.stdout) == (code, b"".join(expected)), done.stderr
    assert run(os.devnull).returncode == 1
    done = run("--json", names[0], "missing")
    assert done.returncode == 2 and b"missing" in done.stderr
    done = run("--json", names[0])
    assert done.returncode == 2 and b"stream 1: no message of hs --json" in done.stderr


def test_parts_of_search_and_walk_are_disjoint_and_complete(forest):
    cut = lambda path: os.path.relpath(path, forest).replace(os.sep, "/")
    expected = sorted(cut(entry) for entry in walk(forest))
    for count in (1, 2, 5):
        listed = []
        for part in range(1, count + 1):
            paths = [cut(entry) for entry in walk(forest, shard=f"{part}/{count}")]
            assert all(shard_of(path, count) == part for path in paths)
            hits = {cut(hit.path) for hit in Search("gem|rock", forest, shard=f"{part}/{count}")}
            assert hits == set(paths) - {"bin"}
            listed += paths
        assert sorted(listed) == expected
    by_directory = [
        cut(entry)
        for part in (1, 2)
        for entry in walk(forest, shard=f"{part}/2", shard_by="directory:1")
    ]
    assert sorted(by_directory) == expected


def test_a_shard_that_does_not_exist_is_an_error(forest):
    with pytest.raises(ValueError, match="'4/3' is no shard"):
        walk(forest, shard="4/3")
    with pytest.raises(ValueError, match="choice 'size' is unrecognized"):
        Search("gem", forest, shard="1/3", shard_by="size")
    with pytest.raises(ValueError, match="shard_by requires shard"):
        walk(forest, shard_by="directory")
    with pytest.raises(ValueError, match="no 0 shards"):
        shard_of("a", 0)
