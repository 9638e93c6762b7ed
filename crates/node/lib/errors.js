"use strict";

const { getSystemErrorName } = require("node:util");

const CODES = {
  pattern: "ERR_PATTERN",
  filter: "ERR_FILTER",
  "rule file": "ERR_RULE_FILE",
  other: "ERR_SEARCH",
};

/** What a search or a walk could not do. */
class SearchError extends Error {
  constructor(message, fields) {
    super(message);
    this.name = "SearchError";
    Object.assign(this, fields);
  }
}

/** The name of an error of the system, such as ENOENT. */
function codeOf(problem) {
  if (problem.errno !== undefined && process.platform !== "win32") {
    try {
      return getSystemErrorName(-problem.errno);
    } catch {
      // Node does not know the number.
    }
  }
  return problem.code ?? "ERR_PATH";
}

/** The exception for a problem of the native half. */
function errorOf(problem) {
  if (problem.kind === "argument") {
    return Object.assign(new TypeError(problem.message), { code: "ERR_INVALID_ARG_VALUE" });
  }
  const isOfPath = problem.kind === "path";
  const fields = { code: isOfPath ? codeOf(problem) : CODES[problem.kind] };
  if (problem.path !== undefined) fields.path = problem.path.text;
  if (problem.errno !== undefined) fields.errno = -problem.errno;
  return new SearchError(problem.message, fields);
}

/** What the native half has returned, unless it is a problem, which is thrown. */
function checked(value) {
  if (value?.problem !== undefined) throw errorOf(value.problem);
  return value;
}

/** The exception that an argument has another type than it may have. */
function typeError(message) {
  return Object.assign(new TypeError(message), { code: "ERR_INVALID_ARG_TYPE" });
}

module.exports = { SearchError, checked, errorOf, typeError };
