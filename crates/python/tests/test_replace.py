"""Replacing matches in files, against Python's own `re` and `git apply`."""

import os
import re

import pytest
from heist_search import Error, changes, replace_preview, undo
from hypothesis import given
from hypothesis import strategies as st

FILES = {"a.txt": "one beer\r\ntwo beers", "b/c.txt": b"\xff beer\n", "d.txt": "water\n"}


def texts(top):
    return {path: path.read_bytes() for path in top.rglob("*") if path.is_file()}


def test_a_change_is_shown_written_and_put_back(tree, tmp_path_factory):
    top, journal = tree(FILES), tmp_path_factory.mktemp("state") / "changes"
    before = texts(top)
    preview = replace_preview("be(er)", "wat$1", top)
    assert texts(top) == before
    assert [file.path for file in preview.files] == [str(top / "a.txt"), str(top / "b/c.txt")]
    edit = preview.files[0].edits[1]
    assert (edit.start, edit.end, edit.old, edit.new) == (14, 18, b"beer", b"water")
    assert (len(preview), preview.errors) == (2, [])

    applied = preview.apply(journal=journal)
    assert (applied.written, applied.errors) == ([file.path for file in preview.files], [])
    assert (top / "a.txt").read_bytes() == b"one water\r\ntwo waters"
    assert (top / "b/c.txt").read_bytes() == b"\xff water\n"
    (change,) = changes(journal=journal)
    assert (change.files, change.edits, change.first) == (2, 3, str(top / "a.txt"))

    assert undo(journal=journal).written == [os.path.realpath(path) for path in applied.written]
    assert texts(top) == before


def test_a_file_that_has_changed_since_is_refused(tree):
    top = tree({"a": "beer\n", "b": "beer\n"})
    preview = replace_preview("beer", "tea", top)
    (top / "a").write_text("beer and wine\n")
    applied = preview.apply(journal=False)
    assert applied.written == [str(top / "b")]
    (error,) = applied.errors
    assert isinstance(error, Error) and error.path == str(top / "a")
    assert "it has changed since it was read" in str(error)
    assert (top / "a").read_text() == "beer and wine\n"


def test_what_may_not_be_written_is_an_error(tree):
    top = tree({"wide": "beer\n".encode("utf-32"), "link": "beer\n"})
    os.link(top / "link", top / "other")
    preview = replace_preview("beer", "tea", top)
    assert not preview.files
    assert {os.path.basename(error.path) for error in preview.errors} == {"wide", "link", "other"}


def test_a_number_that_no_change_has_is_an_error(tmp_path):
    assert undo(journal=tmp_path / "none") is None
    with pytest.raises(Error):
        undo(7, journal=tmp_path / "none")


def test_git_applies_the_patch(tree, git, monkeypatch):
    top = tree(FILES)
    monkeypatch.chdir(top)
    preview = replace_preview(r"\bbeer\b", "tea")
    git("apply", "--check", "-", cwd=top, stdin=preview.patch)
    git("apply", "-", cwd=top, stdin=preview.patch)
    by_git = texts(top)
    tree(FILES)
    replace_preview(r"\bbeer\b", "tea").apply(journal=False)
    assert texts(top) == by_git


@given(
    text=st.text(alphabet="ab \n\u00e9", max_size=60),
    pattern=st.sampled_from(["a", "b+", "(a)(b)", r"^a", "b$", r"[^\s]"]),
    replacement=st.sampled_from(["", "x", "\u00e9\u00e9", "long " * 9]),
)
def test_texts_are_those_of_re(tmp_path_factory, text, pattern, replacement):
    path = tmp_path_factory.mktemp("text") / "text"
    path.write_bytes(text.encode())
    replace_preview(pattern, replacement, path).apply(journal=False)
    assert path.read_bytes().decode() == re.sub(pattern, replacement, text, flags=re.MULTILINE)
