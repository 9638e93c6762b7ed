"""Parts of a search on a Ray cluster of two nodes, one of which is lost."""

import json
import os
import random
import threading
import time

import pytest

from heist_search import Error, merge
from heist_search import ray as engine

ray = pytest.importorskip("ray", reason="Ray is not installed")
cluster_utils = pytest.importorskip("ray.cluster_utils", reason="Ray is not installed")

SHARDS = 16
# Prints 40 lines at a time, so that nodes are lost within a part too.
SLOW = """#!/usr/bin/env bash
set -o pipefail
{program} "$@" | awk '{{ print }} NR % 40 == 0 {{ fflush(); system("sleep 0.1") }}'
"""


@pytest.fixture(scope="module")
def forest(tmp_path_factory):
    """Files with 6,400 lines that match, and a program that takes its time for them."""
    place = tmp_path_factory.mktemp("forest")
    for number in range(400):
        path = place / "tree" / str(number % 7) / f"file {number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"gem {line} of {number}\nrock\n" for line in range(16)))
    slow = place / "hs"
    slow.write_text(SLOW.format(program=engine.program()))
    slow.chmod(0o755)
    return place


@pytest.fixture(scope="module")
def cluster():
    """Two nodes with a processor each; one of them can be lost."""
    # Tasks import the package from where the tests do.
    os.environ["PYTHONPATH"] = os.path.dirname(os.path.dirname(engine.__file__))
    running = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    ray.init(address=running.address, log_to_driver=False, logging_level="error")
    yield running
    ray.shutdown()
    running.shutdown()


def plan(forest, **changed):
    chosen = {"hs": str(forest / "hs"), "flags": ("-n",), **changed}
    return engine.Plan("gem", (str(forest / "tree"),), SHARDS, **chosen)


def expected(forest):
    """The lines of one run, from one task that has all files."""
    batches = engine.run_part(plan(forest, hs=None)._replace(shards=1), 1, 0)
    return sorted(b"".join(batch.lines for batch in batches).splitlines())


def run(chosen, limit=None):
    outcome = engine.Outcome()
    began = time.monotonic()
    lines = b"".join(engine.search(chosen, outcome, limit)).splitlines()
    return lines, outcome, time.monotonic() - began


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
def test_a_node_is_lost(forest, cluster, seed):
    moments = random.Random(seed)
    # A node that has no part at that moment proves nothing, nor does a time while the machine has
    # become busier. What is printed is right in every attempt.
    for _ in range(4):
        node = cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        lines, outcome, undisturbed = run(plan(forest))
        assert sorted(lines) == expected(forest) and outcome.runs == SHARDS
        moment = moments.uniform(0.1, 0.7) * undisturbed
        lost = threading.Timer(moment, cluster.remove_node, (node,), {"allow_graceful": False})
        lost.start()
        lines, outcome, taken = run(plan(forest))
        lost.join()
        print(f"lost at {moment:.1f} s: {taken:.1f} s for {undisturbed:.1f} s, {outcome.runs} runs")
        assert sorted(lines) == expected(forest)
        assert outcome.errors == {} and merge.exit_code(outcome.codes) == 0
        if outcome.runs > SHARDS and taken <= 2.2 * undisturbed:
            return
    pytest.fail("no attempt lost a node that had a part, and took at most 2.2 times as long")


def test_messages_are_complete(forest, cluster):
    lines, outcome, _ = run(plan(forest, json=True, hs=None, flags=()))
    messages = [json.loads(line) for line in lines]
    kinds = [message["type"] for message in messages]
    assert kinds.count("begin") == kinds.count("end") == 400 and kinds.count("match") == 6400
    assert kinds[-1] == "summary" and kinds.count("summary") == 1
    assert messages[-1]["data"]["stats"]["matched_lines"] == 6400
    # Those of a file follow each other.
    path = None
    for message in messages[:-1]:
        if message["type"] == "begin":
            path = message["data"]["path"]
        assert message["data"]["path"] == path


def test_one_limit_is_for_all_parts(forest, cluster):
    lines, outcome, _ = run(plan(forest), limit=100)
    assert len(set(lines)) == len(lines) == 100 and set(lines) <= set(expected(forest))
    assert merge.exit_code(outcome.codes) == 0
    lines, outcome, _ = run(plan(forest, json=True, hs=None, flags=()), limit=20)
    messages = [json.loads(line) for line in lines]
    kinds = [message["type"] for message in messages]
    assert kinds.count("match") == 20 and kinds.count("begin") == kinds.count("end")
    # Behind them is what `hs --json --max-results 20` has there, with the counts of what is shown.
    ends = [message["data"] for message in messages if message["type"] == "end"]
    assert kinds[-2:] == ["shown", "summary"] and kinds.count("summary") == 1
    shown, summary = messages[-2]["data"], messages[-1]["data"]
    assert shown["shown"] == {"results": 20, "files": len(ends)} and shown["limit"] == "max-results"
    assert shown["found"]["results"] >= 20 and not shown["exact"]
    stats = summary["stats"]
    assert stats["matched_lines"] == stats["matches"] == 20
    assert stats["searches"] == stats["searches_with_match"] == len(ends)
    assert stats["bytes_searched"] == sum(end["stats"]["bytes_searched"] for end in ends)
    # A limit that nothing exceeds changes nothing.
    lines, outcome, _ = run(plan(forest, json=True, hs=None, flags=()), limit=6401)
    last = json.loads(lines[-1])
    assert last["type"] == "summary" and last["data"]["stats"]["matched_lines"] == 6400


def test_nothing_found_and_errors(forest, cluster):
    lines, outcome, _ = run(plan(forest, hs=None)._replace(pattern="nowhere", shards=2))
    assert (lines, merge.exit_code(outcome.codes)) == ([], 1)
    missing = plan(forest, hs=None)._replace(roots=(str(forest / "missing"),), shards=2)
    lines, outcome, _ = run(missing)
    assert lines == [] and merge.exit_code(outcome.codes) == 2
    # Each part reports it, and it is printed once.
    [message] = outcome.errors
    assert "missing: No such file or directory" in message
    with pytest.raises(Error, match="shard [12]/2: .*no-such-program"):
        run(plan(forest, hs="/no-such-program")._replace(shards=2))


def test_files_that_change_between_runs_are_reported(forest):
    chosen = plan(forest, hs=None)
    [whole] = engine.run_part(chosen, 1, 0)
    behind = list(engine.run_part(chosen, 1, 100))
    first = b"".join(line + b"\n" for line in whole.lines.split(b"\n")[:100])
    assert first + b"".join(batch.lines for batch in behind) == whole.lines
    state, outcome = engine._State(1), engine.Outcome()
    state.lines, state.checksum = 100, behind[0].before
    engine._accept(chosen, state, behind[0], None, outcome)
    assert outcome.errors == {}
    state.lines, state.checksum = 100, 7
    engine._accept(chosen, state, behind[0], None, outcome)
    [message] = outcome.errors
    assert "shard 1/16: files changed before it ran again" in message and outcome.codes == [2]


def test_objects_are_searched_by_tasks(forest, cluster):
    pytest.importorskip("fsspec", reason="fsspec is not installed")
    lines, outcome, _ = run(plan(forest, fs="file://")._replace(shards=4))
    assert sorted(lines) == expected(forest)
    lines, outcome, _ = run(plan(forest, fs="file://", json=True)._replace(shards=4))
    kinds = [json.loads(line)["type"] for line in lines]
    assert kinds.count("match") == 6400 and kinds[-1] == "summary"
    assert kinds.count("begin") == kinds.count("end") == 400
