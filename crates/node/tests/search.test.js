"use strict";

// What cases cannot express: iterators that are left, the event loop, signals, and other programs.

const assert = require("node:assert/strict");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const { test } = require("node:test");
const { Worker } = require("node:worker_threads");

const { Hit, Ignore, Pattern, Search, SearchError, walk } = require("@heist-search/node");
const { git, has, tree } = require("./tree.js");

const LINES_OF_FILE = 50_000;
const ripgrep = process.env.HS_TEST_JUDGE ?? "rg";

/** A tree with more hits than may wait for a reader. */
function large(t) {
  const text = "needle\n".repeat(LINES_OF_FILE);
  return tree(t, { a: text, b: text });
}

test("each hit reaches one of several iterators", async (t) => {
  large(t);
  const search = new Search("needle");
  const seen = new Set();
  const read = async () => {
    for await (const hit of search) seen.add(`${hit.path}:${hit.line}`);
  };
  await Promise.all([read(), read(), read()]);
  assert.equal(seen.size, 2 * LINES_OF_FILE);
  assert.equal(search.shown.results, 2 * LINES_OF_FILE);
});

test("timers run while hits are awaited", async (t) => {
  large(t);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  let hits = 0;
  for await (const hit of new Search("needle")) {
    hits += hit.line > 0;
    if (hits % 10_000 === 0) await new Promise(setImmediate);
  }
  clearInterval(timer);
  assert.equal(hits, 2 * LINES_OF_FILE);
  assert.ok(ticks > 0);
});

test("more searches wait at once than Node's pool has threads", async (t) => {
  tree(t, { a: "x\n" });
  const pipes = Array.from({ length: 12 }, (_, index) => `pipe${index}`);
  if (spawnSync("mkfifo", pipes).status !== 0) return t.skip("there are no named pipes");
  // A search of a pipe waits for what its writer writes.
  const writers = pipes.map((pipe) => fs.openSync(pipe, "r+"));
  let ended = 0;
  const waits = pipes.map(async (pipe) => {
    for await (const hit of new Search("needle", pipe)) assert.equal(hit.path, pipe);
    ended++;
  });
  assert.equal(await fs.promises.readFile("a", "utf8"), "x\n");
  assert.equal(ended, 0);
  for (const writer of writers) {
    fs.writeSync(writer, "needle\n");
    fs.closeSync(writer);
  }
  await Promise.all(waits);
  assert.equal(ended, 12);
});

test("a loop that is left closes the search", async (t) => {
  large(t);
  const search = new Search("needle");
  for (const hit of search) {
    assert.equal(hit.text, "needle");
    break;
  }
  assert.equal(search.shown.cut, "cancelled");
  assert.deepEqual([...search], []);
  const other = new Search("needle");
  for await (const hit of other) {
    assert.equal(hit.text, "needle");
    break;
  }
  assert.equal(other.shown.cut, "cancelled");
});

test("a search that is cancelled yields what it has found", async (t) => {
  large(t);
  const search = new Search("needle");
  const iterator = search[Symbol.iterator]();
  iterator.next();
  search.cancel();
  let hits = 1;
  while (!iterator.next().done) hits++;
  assert.ok(hits < 2 * LINES_OF_FILE);
  assert.equal(search.shown.results >= hits, true);
  assert.equal(search.shown.cut, "cancelled");
});

test("close drops what was not read, and can be called again", async (t) => {
  large(t);
  const search = new Search("needle");
  await Promise.all([search.close(), search.close()]);
  assert.deepEqual([...search], []);
  assert.equal(search.shown.cut, "cancelled");
});

test("a signal ends a search with its reason", async (t) => {
  large(t);
  const controller = new AbortController();
  const search = new Search("needle", undefined, { signal: controller.signal });
  let hits = 0;
  await assert.rejects(async () => {
    for await (const _ of search) if (++hits === 100) controller.abort();
  }, { name: "AbortError" });
  assert.equal(hits, 100);
  assert.equal(search.shown.cut, "cancelled");
});

test("a signal ends a search that is awaited", async (t) => {
  large(t);
  const controller = new AbortController();
  const search = new Search("needle", undefined, { signal: controller.signal });
  const reason = new Error("enough");
  const waits = search[Symbol.asyncIterator]().next();
  controller.abort(reason);
  await assert.rejects(waits, reason);
});

test("a signal that was given before throws at once", () => {
  const signal = AbortSignal.abort();
  assert.throws(() => new Search("x", ".", { signal }), { name: "AbortError" });
  assert.throws(() => walk(".", { signal }), { name: "AbortError" });
});

test("a signal that a search has outlived keeps no listener", async (t) => {
  tree(t, { a: "needle\n" });
  const { signal } = new AbortController();
  const names = [];
  for (const name of ["addEventListener", "removeEventListener"]) {
    const own = signal[name];
    signal[name] = function (...given) {
      names.push(name);
      return own.apply(this, given);
    };
  }
  for await (const hit of new Search("needle", undefined, { signal })) assert.ok(hit);
  assert.deepEqual(names, ["addEventListener", "removeEventListener"]);
});

test("a timeout is a number of ms", (t) => {
  large(t);
  const search = new Search("needle", undefined, { timeout: 0 });
  assert.ok([...search].length < 2 * LINES_OF_FILE);
  assert.equal(search.shown.cut, "timeout");
  assert.throws(() => new Search("x", ".", { timeout: -1 }), { code: "ERR_INVALID_ARG_VALUE" });
});

test("two ways to read cannot wait at once", async (t) => {
  large(t);
  const search = new Search("needle");
  const waits = search[Symbol.asyncIterator]().next();
  assert.throws(() => [...search], /awaited/);
  await waits;
  await search.close();
});

test("mistakes in arguments are found before anything starts", () => {
  const is = (options) => () => new Search("x", ".", options);
  for (const options of [
    { limit: -1 },
    { limit: 1.5 },
    { only: 1 },
    { hidden: 1 },
    { newer: "now" },
    { newer: new Date(Number.NaN) },
    { context: [1] },
    { changed: 1 },
    { index: 1 },
    { signal: {} },
    { dotall: true },
  ]) {
    assert.throws(is(options), { name: "TypeError", code: "ERR_INVALID_ARG_TYPE" });
  }
  assert.throws(() => new Search(/x/), { code: "ERR_INVALID_ARG_TYPE" });
  assert.throws(() => new Search("x", 1), { code: "ERR_INVALID_ARG_TYPE" });
  assert.throws(() => new Pattern("x").isMatch("x"), { code: "ERR_INVALID_ARG_TYPE" });
  assert.throws(() => new Search(new Pattern("x"), ".", { word: true }), /compiled/);
});

test("errors below a root are in the account", { skip: process.getuid?.() === 0 && "root may read everything" }, (t) => {
  tree(t, { "a/b": "needle\n", c: "needle\n" });
  fs.chmodSync("a", 0);
  t.after(() => fs.chmodSync("a", 0o755));
  const search = new Search("needle");
  assert.deepEqual([...search].map(String), ["c:1:needle"]);
  const [error] = search.shown.errors;
  assert.ok(error instanceof SearchError);
  assert.equal(error.code, "EACCES");
  assert.equal(error.path, "a");
});

test("paths that are not UTF-8", { skip: process.platform !== "linux" && "names are text" }, (t) => {
  tree(t, {});
  const name = Buffer.from([0x61, 0xff]);
  fs.writeFileSync(name, "needle\n");
  const [hit] = new Search("needle", name);
  assert.equal(hit.path, "a\ufffd");
  assert.deepEqual(hit.pathBytes, name);
  assert.deepEqual([...walk()][0].pathBytes, name);
});

test("columns count units of UTF-16", (t) => {
  tree(t, { a: "😀 needle\n" });
  const [hit] = new Search("needle");
  assert.deepEqual([hit.column, hit.spans, hit.byteSpans], [4, [[3, 9]], [[5, 11]]]);
  assert.equal(hit.text.slice(...hit.spans[0]), "needle");
});

test("a hit is data", (t) => {
  tree(t, { a: "needle\n" });
  const [hit] = new Search("needle");
  assert.ok(hit instanceof Hit);
  const { path, line, text } = JSON.parse(JSON.stringify(hit));
  assert.deepEqual({ path, line, text }, { path: "a", line: 1, text: "needle" });
});

test("matches are those of RegExp", () => {
  const data = Buffer.from("a1 b22\nc333\r\nd\n".repeat(10_000));
  const text = data.toString("latin1");
  for (const source of ["[a-c](\\d+)", "\\d", "^c\\d*", "x", "b(2)(\\d)"]) {
    const expected = [...text.matchAll(new RegExp(source, "gm"))];
    const found = [...new Pattern(source).findIter(data)];
    assert.deepEqual(
      found.map((match) => [match.start, match.text, ...match.groups.map(String)]),
      expected.map((match) => [match.index, match[0], ...match.slice(1)]),
    );
  }
});

test("bytes of every kind", () => {
  const bytes = Buffer.from("xx needle");
  const pattern = new Pattern("needle$");
  const { buffer, byteOffset, byteLength } = bytes;
  const whole = buffer.slice(byteOffset, byteOffset + byteLength);
  const of = [bytes, new Uint8Array(whole), new DataView(whole), whole, bytes.subarray(3)];
  assert.deepEqual(of.map((data) => pattern.isMatch(data)), Array(5).fill(true));
});

test("bytes that are taken away while they are searched", () => {
  const data = new Uint8Array(Buffer.from("needle\n".repeat(10_000)));
  assert.throws(() => {
    for (const _ of new Pattern("needle").lines(data)) {
      if (data.length > 0) structuredClone(data.buffer, { transfer: [data.buffer] });
    }
  });
});

test("hits are those of ripgrep", { skip: !has(ripgrep) && "rg is not installed" }, (t) => {
  tree(t, { "a/x": "one needle\r\ntwo\n", b: "needle needle", "c.log": "needle\n", ".ignore": "*.log\n" });
  const done = spawnSync(ripgrep, ["--json", "needle", "."], { encoding: "utf8" });
  const messages = done.stdout.trim().split("\n").map((line) => JSON.parse(line));
  const expected = messages.filter(({ type }) => type === "match").map(({ data }) => ({
    path: data.path.text,
    line: data.line_number,
    offset: data.absolute_offset,
    spans: data.submatches.map(({ start, end }) => [start, end]),
  }));
  const found = [...new Search("needle", ".")].map(({ path, line, offset, byteSpans }) => {
    return { path, line, offset, spans: byteSpans };
  });
  const order = (a, b) => (a.path < b.path ? -1 : 1);
  assert.deepEqual(found.sort(order), expected.sort(order));
});

test("rules are those of git", { skip: !has("git") && "git is not installed" }, (t) => {
  tree(t, { ".gitignore": "*.o\n!keep.o\n/build/\na/**/z\n", "a/.gitignore": "!b.o\nc?\n" });
  git("init", "-q");
  const parts = ["a", "b.o", "keep.o", "build", "c1", "z", "x"];
  const paths = parts.flatMap((one) => parts.flatMap((two) => [one, `${one}/${two}`, `a/${one}/${two}`]));
  const options = { input: paths.join("\n"), encoding: "utf8" };
  const done = spawnSync("git", ["check-ignore", "--no-index", "--stdin"], options);
  const ignored = new Set(done.stdout.split("\n"));
  assert.ok(ignored.size > 10);
  assert.deepEqual(new Ignore().filter(paths), paths.filter((path) => !ignored.has(path)));
});

test("a worker may end while it searches", async (t) => {
  const top = large(t);
  for (let round = 0; round < 10; round++) {
    const source = `
      const { Search } = require(${JSON.stringify(require.resolve("@heist-search/node"))});
      const search = new Search("needle", ${JSON.stringify(top)});
      (async () => { for await (const hit of search) if (hit.line === 100) require("node:worker_threads").parentPort.postMessage(1); })();
    `;
    const worker = new Worker(source, { eval: true });
    await new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject));
    await worker.terminate();
  }
});

test("a program ends while a search that it does not read runs", (t) => {
  const top = large(t);
  const source = `
    const { Search } = require(${JSON.stringify(require.resolve("@heist-search/node"))});
    new Search("needle", ${JSON.stringify(top)});
  `;
  const done = spawnSync(process.execPath, ["-e", source], { encoding: "utf8", timeout: 60_000 });
  assert.deepEqual([done.status, done.stderr], [0, ""]);
});

test("modules import the names", (t) => {
  tree(t, { a: "needle\n" });
  const source = `
    import { Search, walk } from ${JSON.stringify(require.resolve("@heist-search/node"))};
    for await (const hit of new Search("needle")) console.log(String(hit));
    for (const entry of walk()) console.log(String(entry));
  `;
  const done = spawnSync(process.execPath, ["--input-type=module", "-e", source], { encoding: "utf8" });
  assert.deepEqual([done.stdout, done.stderr], ["a:1:needle\na\n", ""]);
});
