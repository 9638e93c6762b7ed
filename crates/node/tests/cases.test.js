"use strict";

// The cases that every binding passes: `tests/bindings/cases.json` at the top.

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");

const { Ignore, Pattern, Search, SearchError, walk } = require("@heist-search/node");
const { git, has, tree, write } = require("./tree.js");

const TOP = process.env.HEIST_TOP ?? path.join(__dirname, "../../..");
const FILE = path.join(TOP, "tests/bindings/cases.json");
const { cases } = JSON.parse(fs.readFileSync(FILE, "utf8"));
const SPELT = { dotall: "dotAll" };
const CODES = { pattern: "ERR_PATTERN", filter: "ERR_FILTER", argument: "ERR_INVALID_ARG_VALUE" };

/** A neutral name as JavaScript spells it. */
function spelt(name) {
  return SPELT[name] ?? name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
}

function options(given) {
  const entries = Object.entries(given).filter(([name]) => !["pattern", "roots"].includes(name));
  return Object.fromEntries(
    entries.map(([name, value]) => {
      return [spelt(name), ["newer", "older"].includes(name) ? new Date(value) : value];
    }),
  );
}

/** What was found, in the form of the cases. */
function neutral(value) {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map(neutral);
  if (value === null || typeof value !== "object") return value;
  const own = Object.entries(value).map(([name, field]) => {
    return [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), neutral(field)];
  });
  return Object.fromEntries(own);
}

/** The fields of `found` that `expected` names. */
function fields(found, expected) {
  const read = (name) => {
    const value = found[spelt(name)];
    if (name === "bytes") return value.toString("hex");
    if (Array.isArray(value)) return neutral(value.map(textOf));
    if (name !== "named") return neutral(value);
    const named = Object.entries(value).map(([key, text]) => [key, textOf(text)]);
    return neutral(Object.fromEntries(named));
  };
  return Object.fromEntries(Object.keys(expected).map((name) => [name, read(name)]));
}

/** Groups of bytes are compared as text. */
function textOf(value) {
  return Buffer.isBuffer(value) ? value.toString() : value;
}

function compare(found, expected) {
  assert.equal(found.length, expected.length, `${found}`);
  assert.deepEqual(found.map((one, index) => fields(one, expected[index])), expected);
}

/** Calls `run`, which throws what the case states. */
async function meets(error, run) {
  if (error === undefined) return run();
  await assert.rejects(run, (thrown) => {
    assert.equal(thrown.code, error.code ?? CODES[error.kind]);
    assert.equal(thrown.path, error.path);
    assert.equal(thrown instanceof SearchError, error.kind !== "argument");
    return true;
  });
}

/** All that `iterable` yields, by either iterator, until it ends or throws. */
async function collect(iterable, isAsync, into) {
  if (isAsync) for await (const item of iterable) into.push(item);
  else for (const item of iterable) into.push(item);
}

async function playFiles(one, isAsync) {
  const given = one.search ?? one.walk;
  const found = [];
  let search;
  await meets(one.error, async () => {
    search = one.walk
      ? walk(given.roots, options(given))
      : new Search(given.pattern, given.roots, options(given));
    await collect(search, isAsync, found);
  });
  compare(found, one.hits ?? one.entries ?? []);
  if (one.shown) assert.deepEqual(fields(search.shown, one.shown), one.shown);
  if (one.skipped) {
    const skipped = neutral(search.shown.skipped);
    assert.deepEqual(skipped.sort((a, b) => (a.path < b.path ? -1 : 1)), one.skipped);
  }
}

function playPattern(one) {
  const pattern = new Pattern(one.pattern.pattern, options(one.pattern));
  const data = Buffer.from(one.bytes_of);
  assert.equal(pattern.isMatch(data), one.is_match);
  if (one.lines) compare([...pattern.lines(data)], one.lines);
  compare([...pattern.findIter(data)], one.matches);
}

async function playIgnore(one) {
  await meets(one.error, async () => {
    const rules = new Ignore(undefined, one.ignore);
    for (const name of one.ignored) assert.equal(rules.isIgnored(name), true, name);
    for (const name of one.not_ignored) assert.equal(rules.isIgnored(name), false, name);
    assert.deepEqual(rules.filter([...one.ignored, ...one.not_ignored]), one.not_ignored);
    for (const [name, by] of Object.entries(one.why ?? {})) {
      const why = rules.why(name);
      const source = why && path.relative(process.cwd(), path.resolve(why.source));
      assert.deepEqual(neutral(why && { ...why, source }), by);
    }
  });
}

function prepare(t, one) {
  const top = tree(t, one.files);
  if (one.commit) {
    git("init", "-q");
    git("add", ...one.commit);
    git("commit", "-q", "-m", "first");
    write(top, one.later);
  }
  for (const [name, time] of Object.entries(one.times ?? {})) {
    fs.utimesSync(name, new Date(time), new Date(time));
  }
}

for (const one of cases) {
  const skip = one.commit && !has("git") && "git is not installed";
  for (const isAsync of one.search || one.walk ? [false, true] : [false]) {
    test(`${one.title}${isAsync ? ", asynchronously" : ""}`, { skip }, async (t) => {
      prepare(t, one);
      if (one.pattern) return playPattern(one);
      if (one.ignore) return playIgnore(one);
      return playFiles(one, isAsync);
    });
  }
}

test("there are many cases", () => {
  assert.ok(cases.length >= 50, `${cases.length} cases`);
});
