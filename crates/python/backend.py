"""Builds the package with maturin, and puts the program ``hs`` into its wheels.

Where ``hs`` comes from: the file that ``HEIST_SEARCH_HS`` names, or else a build of the repository
around this directory. A wheel from a source archive, which lacks the program's sources, is without.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from maturin import *  # noqa: F403 (the hooks that this does not replace)
from maturin import build_editable as _build_editable
from maturin import build_wheel as _build_wheel

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
HS = "hs.exe" if sys.platform == "win32" else "hs"
DATA = HERE / "heist_search.data"

# Maturin needs the directory in each hook, and a fresh clone does not have it.
DATA.mkdir(exist_ok=True)


def _target():
    """The directory for what is built: the repository's, so that both builds share crates."""
    target = os.environ.setdefault("CARGO_TARGET_DIR", str(TOP / "target"))
    return Path(target)


def _add_hs():
    """Puts ``hs`` where maturin takes it from."""
    scripts = DATA / "scripts"
    shutil.rmtree(scripts, ignore_errors=True)
    scripts.mkdir(parents=True)
    built = os.environ.get("HEIST_SEARCH_HS")
    if not built:
        if not (TOP / "crates" / "cli" / "Cargo.toml").exists():
            return
        command = ["cargo", "build", "--release", "--locked", "--package", "heist-cli", "--bin", "hs"]
        subprocess.run(command, cwd=TOP, check=True, env={**os.environ, "CARGO_TARGET_DIR": str(_target())})
        built = _target() / "release" / HS
    shutil.copy2(built, scripts / HS)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The hook of PEP 517."""
    _target()
    _add_hs()
    return _build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The hook of PEP 660."""
    _target()
    _add_hs()
    return _build_editable(wheel_directory, config_settings, metadata_directory)
