"""Packs what `ci/release` has built. The same files give the same bytes: entries are sorted, belong
to root, and have the time SOURCE_DATE_EPOCH.

    pack.py archive OUT DIR TOP           DIR as OUT (.tar.gz or .zip), below the directory TOP
    pack.py wheel OUT_DIR DIR TARGET TAG  a wheel that installs the program hs in DIR
    pack.py fill TEMPLATE OUT DIST [NAME=VALUE...]
                                          a template whose {{NAMES}} are replaced; DIST has the
                                          archives of which it contains checksums

VERSION, REPOSITORY and SOURCE_DATE_EPOCH come from the environment.
"""

import gzip
import hashlib
import io
import os
import pathlib
import re
import sys
import tarfile
import time
import zipfile

EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
VERSION = os.environ["VERSION"]
REPOSITORY = os.environ["REPOSITORY"]
# The licences of what is in heist-mcp, which wheels do not contain.
OF_SERVER = "LICENSES-DEPENDENCIES-heist-mcp.txt"
SUMMARY = "Find text in trees of files, with the command line of ripgrep: the program hs"


def files_below(top):
    """The files below a directory, sorted: pairs of a path relative to it, with `/`, and a file."""
    found = [(path.relative_to(top).as_posix(), path) for path in top.rglob("*") if path.is_file()]
    return sorted(found)


def mode_of(path):
    """Only whether it can be executed counts: the rest depends on the builder's umask."""
    return 0o755 if os.access(path, os.X_OK) else 0o644


def zip_entry(name, mode):
    """The head of an entry of a zip archive, whose times are in no time zone."""
    entry = zipfile.ZipInfo(name, time.gmtime(max(EPOCH, 315532800))[:6])
    entry.create_system = 3
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def archive(out, top, name):
    """Writes the archive `out` with the files below `top`, in a directory called `name`."""
    files = [(f"{name}/{inside}", path) for inside, path in files_below(pathlib.Path(top))]
    if out.endswith(".zip"):
        with zipfile.ZipFile(out, "w") as packed:
            for inside, path in files:
                packed.writestr(zip_entry(inside, mode_of(path)), path.read_bytes())
        return
    with open(out, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as zipped:
        with tarfile.open(fileobj=zipped, mode="w", format=tarfile.GNU_FORMAT) as packed:
            for inside, path in files:
                data = path.read_bytes()
                entry = tarfile.TarInfo(inside)
                entry.size, entry.mode, entry.mtime = len(data), mode_of(path), EPOCH
                packed.addfile(entry, io.BytesIO(data))


def wheel(out_dir, top, target, tag):
    """Writes a wheel with the program, its manual page and its completions."""
    # The package `wheel` writes RECORD with the checksums.
    from wheel.wheelfile import WheelFile

    name, top = f"heist_search-{VERSION}", pathlib.Path(top)
    program = "hs.exe" if "windows" in target else "hs"
    licences = sorted({path.name for path in top.glob("LICENSE*")} - {OF_SERVER})
    metadata = [
        "Metadata-Version: 2.4",
        "Name: heist-search",
        f"Version: {VERSION}",
        f"Summary: {SUMMARY}",
        f"Project-URL: Repository, {REPOSITORY}",
        "License-Expression: MIT OR Apache-2.0",
        *[f"License-File: {licence}" for licence in licences],
        "Keywords: grep,search,ripgrep",
        "Classifier: Environment :: Console",
        "Classifier: Programming Language :: Rust",
        "Classifier: Topic :: Text Processing",
        "Requires-Python: >=3.8",
        "Description-Content-Type: text/markdown",
        "",
        (top / "README.md").read_text(encoding="utf-8"),
    ]
    about = [
        "Wheel-Version: 1.0",
        "Generator: heist packaging/pack.py",
        "Root-Is-Purelib: false",
        # A compressed set of tags stands for each of its members.
        *[f"Tag: py3-none-{platform}" for platform in tag.split(".")],
        "",
    ]
    shared = {
        "doc/hs.1": "share/man/man1/hs.1",
        "complete/hs.bash": "share/bash-completion/completions/hs",
        "complete/_hs": "share/zsh/site-functions/_hs",
        "complete/hs.fish": "share/fish/vendor_completions.d/hs.fish",
    }
    info, data = f"{name}.dist-info", f"{name}.data"
    with WheelFile(f"{out_dir}/{name}-py3-none-{tag}.whl", "w") as packed:

        def add(inside, content, mode=0o644):
            packed.writestr(zip_entry(inside, mode), content)

        add(f"{data}/scripts/{program}", (top / program).read_bytes(), 0o755)
        for source, place in shared.items():
            add(f"{data}/data/{place}", (top / source).read_bytes())
        add(f"{info}/METADATA", "\n".join(metadata).encode())
        add(f"{info}/WHEEL", "\n".join(about).encode())
        for licence in licences:
            add(f"{info}/licenses/{licence}", (top / licence).read_bytes())


def fill(template, out, dist, *more):
    """Writes `out`: the template with {{version}}, {{date}}, {{repository}}, {{download}}, which is
    where the artefacts of the version lie, {{sha256 NAME}}, the checksum of an artefact in `dist`,
    and what `more` defines."""
    text = pathlib.Path(template).read_text(encoding="utf-8")
    values = {
        "version": VERSION,
        "repository": REPOSITORY,
        "download": f"{REPOSITORY}/releases/download/v{VERSION}",
        "date": time.strftime("%Y-%m-%d", time.gmtime(EPOCH)),
        **dict(pair.split("=", 1) for pair in more),
    }

    def value(found):
        name, _, of = found[1].partition(" ")
        if name != "sha256":
            return values[name]
        artefact = pathlib.Path(dist, of.replace("VERSION", VERSION))
        return hashlib.sha256(artefact.read_bytes()).hexdigest()

    filled = re.sub(r"\{\{([^{}]*)\}\}", value, text)
    pathlib.Path(out).write_text(filled, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    {"archive": archive, "wheel": wheel, "fill": fill}[sys.argv[1]](*sys.argv[2:])
