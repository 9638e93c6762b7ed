"""What the tests share."""

import os
import shutil
import subprocess

import pytest
from hypothesis import settings

# A machine that does other work too may be slow at any time.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture
def tree(tmp_path):
    """Writes files below a new directory, and returns it."""

    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path

    return write


@pytest.fixture
def ripgrep():
    """The path of ripgrep."""
    found = os.environ.get("HS_TEST_JUDGE") or shutil.which("rg")
    if not found:
        pytest.skip("ripgrep is not installed")
    return found


@pytest.fixture
def git():
    """Runs git, without the configuration of the user, and returns what it prints."""
    if not shutil.which("git"):
        pytest.skip("git is not installed")

    def run(*arguments, cwd, stdin=b"", codes=(0,)):
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", *arguments], cwd=cwd, input=stdin, env=environment, capture_output=True
        )
        assert done.returncode in codes, done.stderr
        return done.stdout

    return run


@pytest.fixture(autouse=True)
def no_rules_of_the_user(monkeypatch):
    """Keeps the rules of the user who runs the tests out of them."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
