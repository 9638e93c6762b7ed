"use strict";

const { SearchError } = require("./errors.js");
const { Hit } = require("./hit.js");
const { Ignore, IgnoredBy } = require("./ignore.js");
const { Line, Match, Pattern } = require("./pattern.js");
const { Search, Shown } = require("./search.js");
const { Entry, Walk, walk } = require("./walk.js");

module.exports = {
  Entry,
  Hit,
  Ignore,
  IgnoredBy,
  Line,
  Match,
  Pattern,
  Search,
  SearchError,
  Shown,
  Walk,
  walk,
};
