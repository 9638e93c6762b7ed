"use strict";

const native = require("./native.js");
const { checked } = require("./errors.js");
const { known, path } = require("./options.js");

/** The rule that makes a path ignored. */
class IgnoredBy {
  constructor({ path, source, line, rule }) {
    this.path = path.text;
    this.source = source.text;
    this.line = line;
    this.rule = rule;
  }

  toString() {
    return `${this.source}:${this.line}: ${this.rule}`;
  }
}

/** The ignore rules of a tree. */
class Ignore {
  #native;

  constructor(root = ".", options = {}) {
    const { rules = "git" } = known(options, ["rules"]);
    this.#native = checked(native.ignore(path(root, "root"), String(rules)));
  }

  isIgnored(given) {
    return checked(this.#native.areIgnored([path(given, "path")]))[0];
  }

  why(given) {
    const rule = checked(this.#native.why(path(given, "path")));
    return rule == null ? undefined : new IgnoredBy(rule);
  }

  filter(paths) {
    const given = Array.from(paths);
    const ignored = checked(this.#native.areIgnored(given.map((item) => path(item, "path"))));
    return given.filter((_, index) => !ignored[index]);
  }
}

module.exports = { Ignore, IgnoredBy };
