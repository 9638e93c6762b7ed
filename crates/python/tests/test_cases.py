"""The cases that every binding passes: ``tests/bindings/cases.json`` at the top."""

import datetime
import errno
import json
import os
from pathlib import Path

import pytest
from heist_search import Error, FilterError, Ignore, Pattern, PatternError, PathError, Search, walk

FILE = Path(__file__).resolve().parents[3] / "tests" / "bindings" / "cases.json"
CASES = json.loads(FILE.read_text(encoding="utf-8"))["cases"]
CLASSES = {
    "pattern": PatternError,
    "filter": FilterError,
    "path": PathError,
    "argument": ValueError,
}


def time(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def options(given):
    spelt = {name: value for name, value in given.items() if name not in ("pattern", "roots")}
    for name in {"newer", "older"} & set(spelt):
        spelt[name] = time(spelt[name])
    if isinstance(spelt.get("context"), list):
        spelt["context"] = tuple(spelt["context"])
    return spelt


def plain(value):
    """A field in the form of the cases. Groups of bytes are compared as text."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if hasattr(value, "is_match"):
        return {"line": value.line, "text": value.text, "is_match": value.is_match}
    return value


def fields(found, expected):
    """The fields of ``found`` that ``expected`` names."""
    values = {name: getattr(found, name) for name in expected}
    return {
        name: value.hex() if name == "bytes" else plain(value) for name, value in values.items()
    }


def compare(found, expected):
    assert len(found) == len(expected), found
    assert [fields(one, wanted) for one, wanted in zip(found, expected)] == expected


def fails(error, run):
    """Runs what raises the exception that the case states."""
    if error is None:
        return run()
    with pytest.raises(CLASSES[error["kind"]]) as raised:
        run()
    assert isinstance(raised.value, Error) == (error["kind"] != "argument")
    if "code" in error:
        assert errno.errorcode[raised.value.errno] == error["code"]
    if "path" in error:
        assert raised.value.path == error["path"]


def play_files(case):
    given = case.get("search") or case["walk"]
    found, runs = [], []

    def run():
        roots = given.get("roots", [])
        if "walk" in case:
            runs.append(walk(*roots, **options(given)))
        else:
            runs.append(Search(given["pattern"], *roots, **options(given)))
        for one in runs[0]:
            found.append(one)

    fails(case.get("error"), run)
    compare(found, case.get("hits", case.get("entries", [])))
    if "shown" in case:
        assert fields(runs[0].shown, case["shown"]) == case["shown"]
    if "skipped" in case:
        skipped = sorted(runs[0].shown.skipped, key=lambda entry: entry.path)
        compare(skipped, case["skipped"])


def play_pattern(case):
    given = case["pattern"]
    pattern, data = Pattern(given["pattern"], **options(given)), case["bytes_of"].encode()
    assert pattern.is_match(data) == case["is_match"]
    if "lines" in case:
        compare(list(pattern.lines(data)), case["lines"])
    compare(list(pattern.find_iter(data)), case["matches"])


def play_ignore(case):
    def run():
        rules = Ignore(**case["ignore"])
        ignored, others = case["ignored"], case["not_ignored"]
        assert [name for name in ignored + others if rules.is_ignored(name)] == ignored
        assert rules.filter(ignored + others) == others
        for name, by in case.get("why", {}).items():
            why = rules.why(name)
            found = why and {
                "path": why.path,
                "source": os.path.relpath(why.source),
                "line": why.line,
                "rule": why.rule,
            }
            assert found == by

    fails(case.get("error"), run)


def prepare(case, tree, request):
    top = tree(
        {
            name: bytes.fromhex(content["hex"]) if isinstance(content, dict) else content
            for name, content in case["files"].items()
        }
    )
    if "commit" in case:
        git = request.getfixturevalue("git")
        who = ("-c", "user.name=n", "-c", "user.email=e@example.org")
        git("init", "-q", cwd=top)
        git("add", *case["commit"], cwd=top)
        git(*who, "commit", "-q", "-m", "first", cwd=top)
        tree(case["later"])
    for name, text in case.get("times", {}).items():
        os.utime(top / name, (time(text).timestamp(),) * 2)
    return top


@pytest.mark.parametrize("case", CASES, ids=[case["title"] for case in CASES])
def test_case(case, tree, request, monkeypatch):
    monkeypatch.chdir(prepare(case, tree, request))
    if "pattern" in case:
        play_pattern(case)
    elif "ignore" in case:
        play_ignore(case)
    else:
        play_files(case)


def test_there_are_many_cases():
    assert len(CASES) >= 50
