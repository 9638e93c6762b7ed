"use strict";

// Options as the native half takes them: each has one type, and none is missing.

const { typeError } = require("./errors.js");

function invalid(name, what) {
  return typeError(`${name} is ${what}`);
}

function flag(value, name) {
  if (value === undefined) return false;
  if (typeof value !== "boolean") throw invalid(name, "true or false");
  return value;
}

function text(value, name) {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw invalid(name, "a string");
  return value;
}

/** One string or several, as an array. */
function texts(value, name) {
  if (value === undefined || value === null) return [];
  const list = typeof value === "string" ? [value] : value;
  if (typeof list?.[Symbol.iterator] !== "function") throw invalid(name, "a string or several");
  return Array.from(list, (item) => {
    if (typeof item !== "string") throw invalid(name, "a string or several");
    return item;
  });
}

function count(value, name, most = 2 ** 32 - 1) {
  if (value === undefined || value === null) return undefined;
  if (!Number.isSafeInteger(value) || value < 0 || value > most) {
    throw invalid(name, `a whole number from 0 to ${most}`);
  }
  return value;
}

/** A point in time, in ms since 1970. */
function time(value, name) {
  if (value === undefined || value === null) return undefined;
  const ms = value instanceof Date ? value.getTime() : value;
  if (typeof ms !== "number" || !Number.isFinite(ms)) {
    throw invalid(name, "a Date, or a number of ms since 1970");
  }
  return ms;
}

function isPath(value) {
  return typeof value === "string" || value instanceof Uint8Array;
}

/** A path: a string, or bytes where it is not UTF-8. */
function path(value, name) {
  if (!isPath(value)) throw invalid(name, "a path: a string or a Buffer");
  return typeof value === "string" || Buffer.isBuffer(value) ? value : Buffer.from(value);
}

/** One path or several, as an array. */
function paths(value, name) {
  if (value === undefined || value === null) return [];
  const list = isPath(value) ? [value] : value;
  if (typeof list?.[Symbol.iterator] !== "function") throw invalid(name, "a path or several");
  return Array.from(list, (item) => path(item, name));
}

const SELECTS = [
  "only",
  "exclude",
  "types",
  "excludeTypes",
  "hidden",
  "ignored",
  "maxDepth",
  "newer",
  "older",
  "changed",
  "shard",
  "shardBy",
  "sort",
  "reverse",
  "threads",
];
const READS = ["ignoreCase", "anyCase", "word", "literal", "multiline", "dotAll"];
const SEARCHES = ["context", "binary", "limit", "offset", "timeout", "index", "skipped", "signal"];
const WALKS = ["directories", "symlinks", "follow", "signal"];

/** The options as an object whose names are all known. */
function known(options, ...names) {
  if (options === undefined || options === null) return {};
  if (typeof options !== "object") throw invalid("options", "an object");
  const all = names.flat();
  for (const name of Object.keys(options)) {
    if (!all.includes(name)) throw typeError(`there is no option '${name}'`);
  }
  return options;
}

/** What selects files. */
function selection(roots, options) {
  const { changed } = options;
  if (!["undefined", "boolean", "string"].includes(typeof changed) && changed !== null) {
    throw invalid("changed", "true, false or the name of a commit");
  }
  return {
    roots: paths(roots, "roots"),
    only: texts(options.only, "only"),
    exclude: texts(options.exclude, "exclude"),
    types: texts(options.types, "types"),
    excludeTypes: texts(options.excludeTypes, "excludeTypes"),
    hidden: flag(options.hidden, "hidden"),
    ignored: flag(options.ignored, "ignored"),
    maxDepth: count(options.maxDepth, "maxDepth"),
    newer: time(options.newer, "newer"),
    older: time(options.older, "older"),
    changed: typeof changed === "string" || changed === true,
    changedSince: typeof changed === "string" ? changed : undefined,
    shard: text(options.shard, "shard"),
    shardBy: text(options.shardBy, "shardBy"),
    sort: text(options.sort, "sort"),
    reverse: flag(options.reverse, "reverse"),
    threads: count(options.threads, "threads"),
  };
}

/** How a pattern is read. */
function reading(options, banNul) {
  const flags = READS.map((name) => [name, flag(options[name], name)]);
  return { ...Object.fromEntries(flags), banNul };
}

/** Whether anything of how a pattern is read is not as by default. */
function setsReading(options) {
  return READS.some((name) => options[name]);
}

/** What a search does with the files that are selected. */
function searching(options) {
  const { context = 0, index = false, timeout } = options;
  const around = Array.isArray(context) ? context : [context, context];
  if (around.length !== 2) throw invalid("context", "a number, or two: before and behind");
  if (timeout !== undefined && timeout !== null && typeof timeout !== "number") {
    throw invalid("timeout", "a number of ms");
  }
  const isHome = typeof index !== "boolean" && index !== null;
  return {
    before: count(around[0], "context") ?? 0,
    after: count(around[1], "context") ?? 0,
    binary: flag(options.binary, "binary"),
    limit: count(options.limit, "limit", Number.MAX_SAFE_INTEGER),
    offset: count(options.offset, "offset", Number.MAX_SAFE_INTEGER) ?? 0,
    timeout: timeout ?? undefined,
    index: isHome || index === true,
    indexHome: isHome ? path(index, "index") : undefined,
    skipped: count(options.skipped, "skipped"),
  };
}

/** Which entries a walk yields, besides files. */
function walking(options) {
  const names = ["directories", "symlinks", "follow"];
  return Object.fromEntries(names.map((name) => [name, flag(options[name], name)]));
}

/** The signal that ends a run, which has not been given yet. */
function signal(options) {
  const { signal } = options;
  if (signal === undefined || signal === null) return undefined;
  if (typeof signal.addEventListener !== "function") throw invalid("signal", "an AbortSignal");
  signal.throwIfAborted();
  return signal;
}

module.exports = {
  READS,
  SEARCHES,
  SELECTS,
  WALKS,
  known,
  path,
  reading,
  searching,
  selection,
  setsReading,
  signal,
  walking,
};
