"""Objects of fsspec file systems."""

import bz2
import gzip
import lzma
import socket
import uuid

import pytest

from heist_search import Error, PathError, objects, shard_of

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")

TEXT = b"rock\nthe gem, gem\n"
FILES = {
    "plain.txt": TEXT,
    "a/text.gz": gzip.compress(TEXT),
    "a/by-content": bz2.compress(TEXT),
    "b/text.xz": lzma.compress(TEXT),
    "b/binary": b"gem\0",
    "c/none": b"rock\n",
    "c/empty": b"",
}
FOUND = ["a/by-content", "a/text.gz", "b/text.xz", "plain.txt"]


def memory():
    root, fs = f"/{uuid.uuid4()}", fsspec.filesystem("memory")
    return fs, root


@pytest.fixture
def s3(monkeypatch):
    """A bucket of a server of S3 that runs here."""
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    server = pytest.importorskip("moto.server", reason="moto is not installed")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
    running.start()
    try:
        fs = fsspec.filesystem("s3", endpoint_url=f"http://127.0.0.1:{port}", skip_instance_cache=True)
        fs.mkdir("vault")
        yield fs, "vault/deep"
    finally:
        running.stop()


def fill(fs, root, files=FILES):
    for name, data in files.items():
        fs.pipe_file(f"{root}/{name}", data)


def names(found, root):
    return [hit.path[len(root) :].lstrip("/") for hit in found]


def check(fs, root):
    fill(fs, root)
    found = objects.search(fs, root, "gem")
    hits = list(found)
    assert names(hits, root) == FOUND
    assert found.errors == [] and found.objects_searched == len(FILES)
    assert [(hit.line, hit.offset, hit.bytes, hit.text, hit.byte_spans) for hit in hits] == [
        (2, 5, b"the gem, gem", "the gem, gem", [(4, 7), (9, 12)])
    ] * len(FOUND)
    parts = [list(objects.search(fs, root, "gem", shard=f"{part}/3")) for part in (1, 2, 3)]
    assert sorted(hit for part in parts for hit in part) == hits
    for part, found in enumerate(parts, 1):
        assert all(shard_of(name, 3) == part for name in names(found, root))


def test_objects_in_memory():
    check(*memory())


def test_objects_of_a_server_of_s3(s3):
    check(*s3)


def test_limits_and_binary_objects():
    fs, root = memory()
    fill(fs, root)
    assert names(objects.search(fs, root, "gem", limit=3), root) == FOUND[:3]
    assert list(objects.search(fs, root, "gem", limit=0)) == []
    assert "b/binary" in names(objects.search(fs, root, "gem", binary=True), root)
    assert names(objects.search("memory", f"memory:/{root}/plain.txt", "gem"), root) == ["plain.txt"]


def test_what_cannot_be_read_is_an_error_of_its_object():
    fs, root = memory()
    fill(fs, root, {"a.gz": gzip.compress(TEXT)[:-9], "b": TEXT, "c.xz": b"\xfd7zXZ\0" + TEXT})
    found = objects.search(fs, root, "gem")
    assert names(found, root) == ["b"]
    assert [error.path[len(root) + 1 :] for error in found.errors] == ["a.gz", "c.xz"]
    assert "cannot be decompressed" in str(found.errors[0])
    with pytest.raises(PathError, match="no such object"):
        list(objects.search(fs, root + "/missing", "gem"))
    with pytest.raises(ValueError, match="'3' is no shard"):
        objects.search(fs, root, "gem", shard="3")


def test_zstd_needs_a_module_for_it():
    try:
        import compression.zstd as module

        data = module.compress(TEXT)
    except ImportError:
        module = pytest.importorskip("zstandard", reason="zstandard is not installed")
        data = module.ZstdCompressor().compress(TEXT)
    assert objects.decompressed(data) == TEXT
    assert objects.decompressed(data + data) == TEXT + TEXT
    with pytest.raises(Error, match="cannot be decompressed"):
        objects.decompressed(data[:-3])
    with pytest.raises(Error, match="cannot be decompressed"):
        objects.decompressed(b"\x28\xb5\x2f\xfd" + b"\xff" * 9)
