"use strict";

// Trees of files for the tests, and programs that tests compare with.

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

// The rules of the user who runs the tests stay out of them.
process.env.GIT_CONFIG_GLOBAL = os.devNull;
process.env.GIT_CONFIG_NOSYSTEM = "1";

/** Whether this program can be started. */
function has(program) {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Writes files below `top`: a text, or {hex}. */
function write(top, files) {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(top, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content.hex === undefined ? content : Buffer.from(content.hex, "hex"));
  }
}

/** A new directory with these files, which is removed after the test, and is the current one. */
function tree(test, files) {
  const top = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "heist-node-")));
  const before = process.cwd();
  write(top, files);
  process.chdir(top);
  test.after(() => {
    process.chdir(before);
    fs.rmSync(top, { recursive: true, force: true });
  });
  return top;
}

/** Runs git without the configuration of the user. */
function git(...words) {
  const identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"];
  return execFileSync("git", [...identity, ...words], { encoding: "utf8" });
}

module.exports = { git, has, tree, write };
