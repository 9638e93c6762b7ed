"""Patterns in bytes, against the module ``re``."""

import re
import threading

import pytest
from hypothesis import given, strategies as st

from heist_search import Pattern, PatternError

# Patterns that mean the same in both syntaxes, in lines of ASCII.
PATTERNS = ["a", "ab", "a+b", "^a", "b$", "[ab]c", r"\bab\b", "(a)(b)?", "a|bc", r"\w+", "(?i)AB", "c.a"]


def expected_lines(pattern, data):
    """Numbers, places and matches of the lines, by ``re``."""
    compiled, at, found = re.compile(pattern.encode()), 0, []
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    for number, line in enumerate(lines, 1):
        spans = [(at + m.start(), at + m.end()) for m in compiled.finditer(line)]
        if spans:
            found.append((number, at, at + len(line), spans))
        at += len(line) + 1
    return found


@given(st.sampled_from(PATTERNS), st.text(alphabet="abcAB \n", max_size=60))
def test_lines_are_those_of_re(pattern, text):
    data = text.encode()
    expected = expected_lines(pattern, data)
    compiled = Pattern(pattern)
    lines = list(compiled.lines(data))
    spans = lambda line: [(match.start, match.end) for match in line.matches]
    assert [(line.number, line.start, line.end, spans(line)) for line in lines] == expected
    assert [line.bytes for line in lines] == [data[start:end] for _, start, end, _ in expected]
    assert compiled.is_match(data) == bool(expected)
    found = [(match.line, match.start, match.end) for match in compiled.find_iter(data)]
    assert found == [(number, *span) for number, _, _, spans in expected for span in spans]


@given(st.binary(max_size=200), st.binary(min_size=1, max_size=3))
def test_any_bytes_are_searched(data, needle):
    pattern = "(?-u)" + "".join(f"\\x{byte:02x}" for byte in needle)
    if b"\n" in needle:
        return
    compiled = re.compile(re.escape(needle))
    expected = [match.span() for match in compiled.finditer(data)]
    assert [(match.start, match.end) for match in Pattern(pattern).find_iter(data)] == expected


@given(st.text(alphabet="ab1_=\n", max_size=60))
def test_groups_are_those_of_re(text):
    pattern, data = r"(?P<key>[ab]+)=(\d+)?", text.encode()
    expected = [(m.groups(), m.groupdict()) for m in re.finditer(pattern.encode(), data)]
    assert [(m.groups, m.named) for m in Pattern(pattern).find_iter(data)] == expected


def test_any_buffer_is_searched():
    pattern = Pattern("b")
    for data in [b"abc", bytearray(b"abc"), memoryview(b"abc"), memoryview(b"-a-b-c")[1::2]]:
        assert [match.start for match in pattern.find_iter(data)] == [1]
    for text in ["abc", 3, None]:
        with pytest.raises(TypeError):
            pattern.is_match(text)


def test_long_haystacks_are_searched_in_parts():
    data = b"".join(b"line %d\n" % number for number in range(100_000))
    lines = list(Pattern("line").lines(data))
    assert [line.number for line in lines] == list(range(1, 100_001))
    assert lines[-1].text == "line 99999" and lines[-1].end == len(data) - 1


def test_matches_may_span_lines():
    pattern = Pattern(r"a\n(b)", multiline=True)
    [first, second] = pattern.find_iter(b"a\nb\nxa\nb")
    assert (first.start, first.end, first.line, first.groups) == (0, 3, 1, (b"b",))
    assert (second.start, second.line) == (5, 3)
    assert [line.bytes for line in pattern.lines(b"x\na\nb\n")] == [b"a\nb"]
    assert pattern.is_match(b"a\nb") and not pattern.is_match(b"")


def test_a_pattern_is_shared_by_threads():
    pattern, results = Pattern(r"\d+$"), []
    data = b"x 1\ny 22\n" * 5000
    work = lambda: results.append(sum(len(line.matches) for line in pattern.lines(data)))
    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert results == [10_000] * 4


def test_mistakes_are_stated():
    with pytest.raises(PatternError, match="unclosed character class"):
        Pattern("[a")
    assert repr(Pattern("a'b")) == 'Pattern("a\'b")'
    assert Pattern("a").pattern == "a"
