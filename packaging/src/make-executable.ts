/** Writes one file that runs without Node to `build/`: `npm run executable`. */
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { makeExecutable } from "./executable/make-executable.ts";
import { bundleProgram } from "./program/bundle-program.ts";
import { root } from "./program/read-version.ts";

const folder = join(root, "build");
await mkdir(folder, { recursive: true });
const program = await bundleProgram(join(folder, "program"));
const file = join("build", "bowline");
await makeExecutable(program, join(root, file));
const { size } = await stat(join(root, file));
console.log(`${file}: ${program.version}, ${(size / 1e6).toFixed(1)} MB, for ${process.platform} on ${process.arch}
Put it on the PATH:
  install -m 755 ${file} /usr/local/bin/bowline`);
