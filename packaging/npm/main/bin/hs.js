#!/usr/bin/env node
"use strict";

const { spawnSync } = require("node:child_process");
const { hsPath } = require("../index.js");

const done = spawnSync(hsPath, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
if (done.error) throw done.error;
// A signal that ended the program ends its starter in the same way.
if (done.signal) process.kill(process.pid, done.signal);
process.exitCode = done.status ?? 2;
