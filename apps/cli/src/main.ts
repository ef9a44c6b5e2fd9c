#!/usr/bin/env node
import { readFileSync } from "node:fs";

import { run } from "./program.ts";

const manifest: { version: string } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
);

process.exitCode = await run(process.argv.slice(2), manifest.version, {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
});
