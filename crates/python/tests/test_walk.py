"""Lists of files."""

import os

import pytest

from heist_search import FilterError, PathError, walk

FILES = {"a.py": "", "b/c.py": "", "b/d.txt": "", ".e": "", ".ignore": "*.o\n", "f.o": ""}


def relative(root, entries):
    return [os.path.relpath(entry, root) for entry in entries]


def test_files_are_listed(tree):
    root = tree(FILES)
    found = lambda **named: relative(root, walk(root, sort="path", **named))
    assert found() == ["a.py", os.path.join("b", "c.py"), os.path.join("b", "d.txt")]
    assert found(only="*.py", max_depth=1) == ["a.py"]
    assert found(exclude="b", hidden=True) == [".e", ".ignore", "a.py"]
    assert found(ignored=True, types="py", reverse=True) == [os.path.join("b", "c.py"), "a.py"]
    assert found(directories=True, max_depth=1) == [".", "a.py", "b"]
    assert sorted(relative(root, walk(root))) == sorted(found())


def test_entries_have_kinds(tree):
    root = tree(FILES)
    [entry] = [entry for entry in walk(root, directories=True) if entry.path.endswith("b")]
    assert (entry.kind, entry.depth) == ("directory", 1)
    assert os.stat(entry).st_mode == os.stat(entry.path).st_mode
    assert repr(entry) == f"Entry({entry.path!r}, 'directory')"


def test_git_lists_the_same(tree, git):
    root = tree({**FILES, ".gitignore": "*.txt\n"})
    git("init", "-q", cwd=root)
    listed = git("ls-files", "-co", "--exclude-standard", "-z", cwd=root).decode().split("\0")
    listed = sorted(path for path in listed if path and not path.endswith(".o"))
    found = relative(root, walk(root, hidden=True, exclude=".git"))
    assert sorted(path.replace(os.sep, "/") for path in found) == listed


def test_many_entries_arrive(tree):
    root = tree({f"{n % 10}/{n}": "" for n in range(3000)})
    assert len(set(map(str, walk(root)))) == 3000


def test_mistakes_have_exceptions(tree):
    root = tree(FILES)
    with pytest.raises(PathError) as raised:
        list(walk(root / "missing"))
    assert raised.value.path == str(root / "missing")
    with pytest.raises(FilterError):
        list(walk(root, only="[a"))
