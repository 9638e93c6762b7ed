"use strict";

const native = require("./native.js");
const { checked, errorOf } = require("./errors.js");
const { SELECTS, WALKS, known, selection, signal, walking } = require("./options.js");
const { Reader } = require("./reader.js");

/** A file or directory. */
class Entry {
  #raw;

  constructor(path, kind, depth, raw) {
    this.path = path;
    this.kind = kind;
    this.depth = depth;
    this.#raw = raw;
  }

  get pathBytes() {
    return this.#raw ?? Buffer.from(this.path);
  }

  toString() {
    return this.path;
  }
}

/** The entries of a batch; `src/walk.rs` describes its arrays. */
function unpackEntries({ paths, kinds, depths, raw }) {
  const bytes = new Map(raw.map(({ index, bytes }) => [index, bytes]));
  return paths.map((path, index) => new Entry(path, kinds[index], depths[index], bytes.get(index)));
}

/** The entries of a walk. */
class Walk {
  #reader;
  #errors = [];

  constructor(roots, options) {
    const all = known(options, SELECTS, WALKS);
    const abort = signal(all);
    const run = checked(native.walk(selection(roots, all), walking(all)));
    this.#reader = new Reader(run, {
      signal: abort,
      unpack: (step) => {
        this.#errors.push(...step.problems.map(errorOf));
        return unpackEntries(step);
      },
      isLast: (step) => step.isLast,
    });
  }

  [Symbol.iterator]() {
    return this.#reader.iterator();
  }

  [Symbol.asyncIterator]() {
    return this.#reader.asyncIterator();
  }

  close() {
    return this.#reader.close();
  }

  get errors() {
    return this.#errors;
  }
}

/** The files and directories below `roots`. */
function walk(roots, options) {
  return new Walk(roots, options);
}

module.exports = { Entry, Walk, walk };
