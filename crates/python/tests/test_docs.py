"""The examples of the pages, run in a small tree."""

import doctest
import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
PAGES = [HERE.parent / "README.md", HERE.parents[2] / "docs" / "python.md"]
FILES = {
    ".gitignore": "build/\n*.log\n!keep.log\n",
    "src/app.py": "import sys\n\ndef main():\n    # TODO: arguments\n    parse(sys.argv)\n\n"
    "def parse(arguments):\n    return arguments  # TODO: größer\n",
    "src/lib/names.py": "def get_user(user_id):\n    return getUserId(user_id)\n",
    "notes.txt": "TODO: write\nwidth=80\nheight=24\n",
    "build/app.o": "TODO\n",
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_of_pages(page, tree, monkeypatch):
    monkeypatch.chdir(tree(FILES))
    (Path.cwd() / ".git").mkdir()
    names, failed = {}, []
    for block in re.finditer(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.S | re.M):
        line = page.read_text(encoding="utf-8")[: block.start()].count("\n") + 1
        test = doctest.DocTestParser().get_doctest(block[1], names, page.name, str(page), line)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(test, out=failed.append, clear_globs=False)
        names = test.globs
        assert test.examples, f"{page.name}:{line}: a block without an example"
    assert not failed, "".join(failed)
