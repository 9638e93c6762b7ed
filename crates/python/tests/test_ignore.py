"""Ignore rules, against git."""

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from heist_search import Error, Ignore

NAMES = ["a", "b", "ab", "a.b", "c.o", ".d"]
NAME = st.sampled_from(NAMES)
PATH = st.lists(NAME, min_size=1, max_size=3).map("/".join)
PIECE = st.sampled_from(["a", "b", "*", "**", "?", "/", ".", "[ab]", "!", "a/", "\\", "*.o", " ", "#", "d"])
RULE = st.one_of(PATH, st.lists(PIECE, min_size=1, max_size=4).map("".join), NAME.map("!{}".format))


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(RULE, min_size=1, max_size=5),
    st.lists(RULE, max_size=3),
    st.sampled_from(["a", "a/b", "ab"]),
    st.lists(PATH, min_size=1, max_size=30),
)
def test_random_rules_mean_what_git_makes_of_them(tmp_path_factory, git, rules, below, where, paths):
    root = tmp_path_factory.mktemp("repository")
    git("init", "-q", cwd=root)
    (root / ".gitignore").write_text("\n".join(rules) + "\n")
    (root / where).mkdir(parents=True)
    (root / where / ".gitignore").write_text("\n".join(below) + "\n")
    for path in paths:
        path = root / path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.write_text("")
        except OSError:
            pass
    # git refuses paths below a file.
    paths = [path for path in dict.fromkeys(paths) if (root / path).exists()]
    printed = git(
        "check-ignore", "--no-index", "-z", "--stdin", cwd=root, codes=(0, 1),
        stdin="".join(path + "\0" for path in paths).encode(),
    )
    ignored = {path.decode() for path in printed.split(b"\0") if path}
    rules = Ignore(root)
    assert {path for path in paths if rules.is_ignored(path)} == ignored
    assert rules.filter(paths) == [path for path in paths if path not in ignored]


def test_the_rule_is_named_as_git_names_it(tree, git):
    root = tree({
        ".gitignore": "# comment\n*.o\n!keep.o\n/build/\n",
        "sub/.gitignore": "!x.o\nlocal*\n",
        "build/x": "",
        ".git/info/exclude": "excluded\n",
    })
    git("init", "-q", cwd=root)
    rules = Ignore(root)
    for path in ["a.o", "sub/b.o", "build", "build/x", "sub/local.c", "excluded", "sub/excluded"]:
        by = rules.why(path)
        printed = git("check-ignore", "--no-index", "-v", path, cwd=root).decode()
        source, line, rule = printed.split("\t")[0].split(":", 2)
        assert (by.line, by.rule) == (int(line), rule), path
        assert by.source.endswith(source), path
    assert rules.why("build/x/y").path == "build"
    for path in ["keep.o", "sub/x.o", "a.c", "sub", "", "."]:
        assert rules.why(path) is None, path
    by = rules.why("a.o")
    assert str(by) == f"{by.source}:2: *.o"


# Cases that simple readings of the rules get wrong, or leave to their caller, with git's answers.
# Of these, pathspec 1.1 misses the first and the class `[[:digit:]]`.
CASES = [
    # A directory that is ignored cannot be looked into, whatever a later rule says.
    ({".gitignore": "logs/\n!logs/keep.txt\n"}, "logs/keep.txt", True),
    # Rules of directories outrank those above them.
    ({".gitignore": "*.o\n", "src/.gitignore": "!x.o\n"}, "src/x.o", False),
    ({"src/.gitignore": "/y\n"}, "src/y", True),
    ({"src/.gitignore": "/y\n"}, "y", False),
    # A rule for directories does not match a file.
    ({".gitignore": "build/\n", "build": ""}, "build", False),
    ({".gitignore": "build/\n", "build/x": ""}, "build", True),
    ({".gitignore": "trailing\\ \n"}, "trailing ", True),
    ({".gitignore": "[!a]b\n"}, "cb", True),
    ({".gitignore": "foo**bar\n"}, "foo/bar", False),
    ({".gitignore": "foo**bar\n"}, "fooxbar", True),
    ({".gitignore": "[[:digit:]]\n"}, "1", True),
    ({".gitignore": "[[:digit:]]\n"}, "d", False),
]


@pytest.mark.parametrize("files, path, expected", CASES)
def test_known_cases(tree, git, files, path, expected):
    root = tree(files)
    git("init", "-q", cwd=root)
    printed = git("check-ignore", "--no-index", path, cwd=root, codes=(0, 1))
    assert bool(printed) == expected, "git agrees"
    assert Ignore(root).is_ignored(path) == expected


def test_paths_may_be_absolute_or_objects(tree):
    root = tree({".gitignore": "*.o\n", "a.o": "", "b.c": ""})
    rules = Ignore(root)
    paths = [root / "a.o", root / "b.c"]
    left = rules.filter(paths)
    assert left == [root / "b.c"] and left[0] is paths[1]
    assert rules.is_ignored(str(root / "x" / "a.o"))
    for path in ["/elsewhere", "../a.o", "x/../a.o"]:
        with pytest.raises(Error) as raised:
            rules.is_ignored(path)
        assert raised.value.path == path


def test_rules_of_a_search(tree):
    root = tree({".ignore": "*.log\n", ".gitignore": "*.o\n"})
    assert not Ignore(root).is_ignored("a.log")
    assert Ignore(root, rules="search").is_ignored("a.log")
    assert Ignore(root, rules="search").is_ignored("a.o")
    with pytest.raises(ValueError, match="not 'other'"):
        Ignore(root, rules="other")
