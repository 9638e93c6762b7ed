"""Checks a program for macOS as far as another system can: the oldest macOS that it names is the
one of its wheel, and its signature fits its bytes; a Mac with an ARM processor kills a program with
a wrong one. Prints what is wrong, and fails.

    macho.py PROGRAM
"""

import hashlib
import struct
import sys

MAGIC, ARM = 0xFEEDFACF, 0x0100000C
VERSION_MIN, CODE_SIGNATURE, BUILD_VERSION = 0x24, 0x1D, 0x32
SUPER_BLOB, CODE_DIRECTORY = 0xFADE0CC0, 0xFADE0C02


def load_commands(data):
    """The load commands: pairs of a number and the bytes of the command."""
    magic, cpu, _, _, count = struct.unpack_from("<5I", data)
    assert magic == MAGIC, "not a 64-bit program for macOS"
    found, at = [], 32
    for _ in range(count):
        number, size = struct.unpack_from("<2I", data, at)
        found.append((number, data[at : at + size]))
        at += size
    return cpu, found


def check_signature(data, command):
    """Compares the hash of each page with the one that the code directory has for it."""
    start, size = struct.unpack_from("<2I", command, 8)
    blob = data[start : start + size]
    magic, _, count = struct.unpack_from(">3I", blob)
    assert magic == SUPER_BLOB, "the signature is no signature"
    places = [struct.unpack_from(">2I", blob, 12 + 8 * i)[1] for i in range(count)]
    for place in places:
        if struct.unpack_from(">I", blob, place)[0] != CODE_DIRECTORY:
            continue
        hashes, _, _, pages, limit = struct.unpack_from(">5I", blob, place + 16)
        hash_size, _, _, page_bits = struct.unpack_from(">4B", blob, place + 36)
        assert limit == start, f"the signature covers {limit} bytes of {start}"
        page_size = 1 << page_bits
        for page in range(pages):
            at = place + hashes + page * hash_size
            own = hashlib.sha256(data[page * page_size : min((page + 1) * page_size, limit)])
            assert blob[at : at + hash_size] == own.digest()[:hash_size], f"page {page} has changed"
        return pages
    raise AssertionError("the signature has no code directory")


def main(program):
    """Checks the program, and prints what was found."""
    with open(program, "rb") as file:
        data = file.read()
    cpu, commands = load_commands(data)
    oldest = [
        struct.unpack_from("<I", command, 12 if number == BUILD_VERSION else 8)[0]
        for number, command in commands
        if number in (BUILD_VERSION, VERSION_MIN)
    ]
    expected = (11, 0) if cpu == ARM else (10, 12)
    found = (oldest[0] >> 16, oldest[0] >> 8 & 0xFF)
    assert found == expected, f"for macOS {found}, not {expected}"
    signatures = [command for number, command in commands if number == CODE_SIGNATURE]
    assert signatures or cpu != ARM, "not signed"
    for command in signatures:
        pages = check_signature(data, command)
        print(f"{program}: for macOS {found[0]}.{found[1]}, {pages} pages as they were signed")


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except AssertionError as wrong:
        sys.exit(f"{sys.argv[1]}: {wrong}")
