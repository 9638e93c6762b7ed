"use strict";

const native = require("./native.js");
const { checked, typeError } = require("./errors.js");
const { groupParts, named } = require("./hit.js");
const { READS, known, reading } = require("./options.js");

/** The native half of each pattern. */
const natives = new WeakMap();

/** The native half of `pattern`, or nothing if it is no `Pattern`. */
function nativeOf(pattern) {
  return natives.get(pattern);
}

/** Compiles a text. */
function compile(text, options, banNul) {
  if (typeof text !== "string") throw typeError("the pattern is a string or a Pattern");
  return checked(native.compile(text, reading(options, banNul)));
}

/** The bytes of `data`, as a Buffer that shares them. */
function bytesOf(data) {
  if (Buffer.isBuffer(data)) return data;
  if (ArrayBuffer.isView(data)) return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return Buffer.from(data);
  throw typeError("a pattern is matched against bytes: encode the text first");
}

/** A compiled pattern. */
class Pattern {
  constructor(pattern, options) {
    const compiled = compile(pattern, known(options, READS), false);
    natives.set(this, compiled);
    this.pattern = pattern;
  }

  isMatch(data) {
    return nativeOf(this).isMatch(bytesOf(data));
  }

  *lines(data) {
    const bytes = bytesOf(data);
    const cursor = nativeOf(this).lines();
    const { length } = bytes;
    for (;;) {
      if (bytes.length !== length) throw new Error("the bytes have changed while they are searched");
      const numbers = cursor.next(bytes);
      if (numbers.length === 0) return;
      for (let at = 0; at < numbers.length; ) {
        const line = new Line(nativeOf(this), bytes, numbers, at);
        at += 4 + 2 * numbers[at + 3];
        yield line;
      }
    }
  }

  *findIter(data) {
    for (const line of this.lines(data)) yield* line.matches;
  }
}

/** A line of bytes that matches. */
class Line {
  #bytes;

  constructor(pattern, bytes, numbers, at) {
    this.#bytes = bytes;
    this.number = numbers[at];
    this.start = numbers[at + 1];
    this.end = numbers[at + 2];
    this.matches = [];
    for (let index = 0; index < numbers[at + 3]; index++) {
      const start = numbers[at + 4 + 2 * index];
      const end = numbers[at + 5 + 2 * index];
      this.matches.push(new Match(pattern, bytes, this, start, end));
    }
  }

  get bytes() {
    return this.#bytes.subarray(this.start, this.end);
  }

  get text() {
    return this.bytes.toString();
  }

  toString() {
    return this.text;
  }
}

/** A match in bytes. */
class Match {
  #pattern;
  #bytes;
  #line;

  constructor(pattern, bytes, line, start, end) {
    this.#pattern = pattern;
    this.#bytes = bytes;
    this.#line = line;
    this.start = start;
    this.end = end;
  }

  /** The number of the line: where a match spans lines, it may begin in a further one. */
  get line() {
    let { number } = this.#line;
    for (let at = this.#line.start; at < this.start; at++) {
      if (this.#bytes[at] === 10) number++;
    }
    return number;
  }

  get bytes() {
    return this.#bytes.subarray(this.start, this.end);
  }

  get text() {
    return this.bytes.toString();
  }

  get groups() {
    const line = this.#line.bytes;
    return groupParts(line, this.#pattern.groups(line, this.start - this.#line.start));
  }

  get named() {
    return named(this.#pattern.groupNames(), this.groups);
  }

  toString() {
    return this.text;
  }
}

module.exports = { Line, Match, Pattern, compile, nativeOf };
