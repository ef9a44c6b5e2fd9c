/** Writes a package for npm to `build/`, with everything in it: `npm run package`. */
import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { bundleProgram } from "./program/bundle-program.ts";
import { root } from "./program/read-version.ts";

const folder = join(root, "build");
await mkdir(folder, { recursive: true });
const program = await bundleProgram(join(folder, "program"));
execFileSync("npm", ["pack", "--silent", "--pack-destination", folder, program.folder], { stdio: "ignore" });
const file = join("build", `bowline-${program.version}.tgz`);
console.log(`${file}\nInstall it, where Node 24 or later is:\n  npm install --global ./${file}`);
