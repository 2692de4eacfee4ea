// Answers for a peer from npm: `node adapter.cjs PEER PREFIX`. The protocol is adapter.py's.
"use strict";

const fs = require("node:fs");
const readline = require("node:readline");
const { createRequire } = require("node:module");

const [peer, prefix] = process.argv.slice(2);
const load = createRequire(`${prefix}/`);

for (const name of ["node:http", "node:https"]) {
  const refuse = () => {
    throw new Error("a reference is not fetched: there is no network here");
  };
  Object.assign(require(name), { get: refuse, request: refuse });
}

const peers = {
  "json-schema-diff": () => {
    const { diffSchemas } = load("json-schema-diff");
    return async ({ old, new: fresh, direction }) => {
      const found = await diffSchemas({ sourceSchema: old, destinationSchema: fresh });
      return direction === "arguments" ? !found.removalsFound : !found.additionsFound;
    };
  },
};

// What the peer throws by itself is a refusal, a circular reference as a ReferenceError too; what the language throws is
// a crash.
const native = [TypeError, RangeError, SyntaxError];

async function answer(ask, question) {
  const start = process.cpuUsage();
  let verdict;
  let why = "";
  try {
    verdict = (await ask(question)) ? "compatible" : "breaking";
  } catch (error) {
    verdict = native.some((kind) => error instanceof kind) ? "crash" : "gave up";
    why = String(error).slice(0, 300);
  }
  const { user, system } = process.cpuUsage(start);
  return { verdict, seconds: (user + system) / 1e6, why };
}

async function main() {
  const ask = peers[peer]();
  const say = (text) => fs.writeSync(1, `${text}\n`);
  console.log = console.info = () => {};
  await answer(ask, {
    old: { type: "object", properties: { a: { type: "string" } } },
    new: { type: "object", properties: { a: { type: "string", maxLength: 3 } } },
    direction: "arguments",
  });
  say("ready");
  for await (const line of readline.createInterface({ input: process.stdin })) {
    say(JSON.stringify(await answer(ask, JSON.parse(line))));
  }
}

main();
