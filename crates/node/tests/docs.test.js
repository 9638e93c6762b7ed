"use strict";

// The examples of the pages print what the pages state. Each page runs as one module, in a small
// tree.

const assert = require("node:assert/strict");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const { pathToFileURL } = require("node:url");

const { tree } = require("./tree.js");

const TOP = process.env.HEIST_TOP ?? path.join(__dirname, "../../..");
const PAGES = ["crates/node/README.md", "docs/node.md"];
const FILES = {
  ".gitignore": "build/\n*.log\n!keep.log\n",
  ".git/HEAD": "",
  "src/app.py":
    "import sys\n\ndef main():\n    # TODO: arguments\n    parse(sys.argv)\n\n" +
    "def parse(arguments):\n    return arguments  # TODO: größer\n",
  "src/lib/names.py": "def get_user(user_id):\n    return getUserId(user_id)\n",
  "notes.txt": "TODO: write\nwidth=80\nheight=24\n",
  "build/app.o": "TODO\n",
};

for (const page of PAGES) {
  test(`the examples of ${page}`, (t) => {
    const text = fs.readFileSync(path.join(TOP, page), "utf8");
    tree(t, FILES);
    const blocks = Array.from(text.matchAll(/^```js\n(.*?)^```/gms), ([, block]) => block);
    assert.ok(blocks.length > 0);
    const expected = Array.from(text.matchAll(/^\/\/> (.*\n)/gm), ([, line]) => line).join("");
    const main = pathToFileURL(require.resolve("@heist-search/node")).href;
    const source = blocks.join("").replaceAll('"@heist-search/node"', JSON.stringify(main));
    const done = spawnSync(process.execPath, ["--input-type=module", "-e", source], {
      encoding: "utf8",
    });
    assert.deepEqual([done.stdout, done.stderr], [expected, ""]);
  });
}
