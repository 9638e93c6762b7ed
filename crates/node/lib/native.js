"use strict";

// Loads the native half: from the package of this platform, or from this package, where `ci/node`
// and a developer put it.

const os = process.platform;
const isMusl = os === "linux" && !process.report.getReport().header.glibcVersionRuntime;
const platform = `${os}-${process.arch}${isMusl ? "-musl" : ""}`;

function load() {
  try {
    return require("../heist_node.node");
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
  }
  try {
    return require(`@heist-search/node-${platform}`);
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
  }
  throw new Error(
    `@heist-search/node-${platform} is not installed: either there is no build for this ` +
      "platform, or optional dependencies were left out (npm install --omit=optional)",
  );
}

module.exports = load();
