"use strict";

/** The groups that have a name, as an object. */
function named(names, groups) {
  const found = names.flatMap((name, index) => (name == null ? [] : [[name, groups[index]]]));
  return Object.fromEntries(found);
}

/** The parts of `line` that the groups take, from the flat list of their ends. */
function groupParts(line, ends) {
  const parts = [];
  for (let at = 0; at < ends.length; at += 2) {
    parts.push(ends[at] < 0 ? undefined : line.subarray(ends[at], ends[at + 1]));
  }
  return parts;
}

/** A line that matches. */
class Hit {
  #pattern;
  #raw;
  #rawPath;

  constructor(pattern, path, raw, fields) {
    this.#pattern = pattern;
    this.#rawPath = path.bytes;
    this.#raw = raw;
    this.path = path.text;
    this.line = fields.line;
    this.column = fields.spans.length === 0 ? 1 : fields.spans[0][0] + 1;
    this.end = fields.spans.length === 0 ? 1 : fields.spans[0][1] + 1;
    this.offset = fields.offset;
    this.text = fields.text;
    this.spans = fields.spans;
    this.byteSpans = fields.byteSpans;
    this.before = fields.before;
    this.after = fields.after;
  }

  get bytes() {
    return this.#raw ?? Buffer.from(this.text);
  }

  get pathBytes() {
    return this.#rawPath ?? Buffer.from(this.path);
  }

  get groups() {
    if (this.byteSpans.length === 0) return [];
    const line = this.bytes;
    const parts = groupParts(line, this.#pattern.groups(line, this.byteSpans[0][0]));
    return parts.map((part) => part?.toString());
  }

  get named() {
    return named(this.#pattern.groupNames(), this.groups);
  }

  toString() {
    return `${this.path}:${this.line}:${this.text}`;
  }
}

/** The hits of a batch; `src/hits.rs` describes its arrays. */
function unpackHits(batch, pattern) {
  const { paths, texts, numbers } = batch;
  const raw = new Map(batch.raw.map(({ index, bytes }) => [index, bytes]));
  const hits = [];
  let at = 0;
  let nextText = 0;
  const around = (count) => {
    const lines = [];
    for (let index = 0; index < count; index++, at += 2) {
      const isMatch = numbers[at + 1] === 1;
      lines.push({ line: numbers[at], text: texts[nextText++], isMatch });
    }
    return lines;
  };
  while (at < numbers.length) {
    const path = paths[numbers[at]];
    const line = numbers[at + 1];
    const offset = numbers[at + 2];
    const [countBefore, countAfter, matches] = [numbers[at + 3], numbers[at + 4], numbers[at + 5]];
    at += 6;
    const spans = [];
    const byteSpans = [];
    for (let index = 0; index < matches; index++, at += 4) {
      spans.push([numbers[at], numbers[at + 1]]);
      byteSpans.push([numbers[at + 2], numbers[at + 3]]);
    }
    const before = around(countBefore);
    const ownText = nextText++;
    const text = texts[ownText];
    const after = around(countAfter);
    const fields = { line, offset, text, spans, byteSpans, before, after };
    hits.push(new Hit(pattern, path, raw.get(ownText), fields));
  }
  return hits;
}

module.exports = { Hit, groupParts, named, unpackHits };
