"use strict";

const platform = `${process.platform}-${process.arch}`;
const program = process.platform === "win32" ? "hs.exe" : "hs";

/** The path of the program, from the package of this platform. */
function find() {
  try {
    return require.resolve(`@heist-search/hs-${platform}/bin/${program}`);
  } catch {
    throw new Error(
      `@heist-search/hs-${platform} is not installed: either there is no program for ` +
        "this platform, or optional dependencies were left out (npm install --omit=optional)",
    );
  }
}

const hsPath = find();
module.exports = { hsPath, rgPath: hsPath };
