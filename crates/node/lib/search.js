"use strict";

const native = require("./native.js");
const { checked, errorOf, typeError } = require("./errors.js");
const { unpackHits } = require("./hit.js");
const { READS, SEARCHES, SELECTS, known, searching, selection } = require("./options.js");
const { setsReading, signal } = require("./options.js");
const { compile, nativeOf } = require("./pattern.js");
const { Reader } = require("./reader.js");

/** How much a search has shown, what it left out, and where the next page begins. */
class Shown {
  constructor(account) {
    const { skipped, errors, cut, next, ...numbers } = account;
    Object.assign(this, numbers, { cut, next, errors: errors.map(errorOf) });
    this.skipped = skipped.map(({ path, kind, why }) => ({ path: path.text, kind, why }));
  }

  get complete() {
    return this.cut === undefined && this.offset === 0 && this.errors.length === 0;
  }
}

/** The native pattern of `pattern`, a text or a `Pattern`. */
function patternOf(pattern, options) {
  const compiled = nativeOf(pattern);
  if (compiled === undefined) return compile(pattern, options, options.binary !== true);
  if (setsReading(options)) {
    throw typeError("a Pattern is compiled: give it the options of how it is read");
  }
  return compiled;
}

/** A search for the lines of files that match a pattern. */
class Search {
  #run;
  #reader;
  #shown;

  constructor(pattern, roots, options) {
    const all = known(options, SELECTS, READS, SEARCHES);
    const abort = signal(all);
    const compiled = patternOf(pattern, all);
    this.#run = checked(native.search(compiled, selection(roots, all), searching(all)));
    this.#reader = new Reader(this.#run, {
      signal: abort,
      unpack: (step) => {
        if (step.shown !== undefined) this.#shown = new Shown(step.shown);
        return step.batch === undefined ? [] : unpackHits(step.batch, compiled);
      },
      isLast: (step) => step.batch === undefined,
    });
  }

  [Symbol.iterator]() {
    return this.#reader.iterator();
  }

  [Symbol.asyncIterator]() {
    return this.#reader.asyncIterator();
  }

  cancel() {
    this.#run.cancel();
  }

  close() {
    return this.#reader.close();
  }

  get shown() {
    return this.#shown;
  }
}

module.exports = { Search, Shown };
