/**
 * Makes the program of the agent's image: `node scripts/bundle-agent.ts FOLDER`. It is the command line without
 * what else it can run, as JavaScript that needs nothing but Node: a cluster runs no more code than its agent takes.
 */
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "rolldown";

const commandLine = fileURLToPath(new URL("../apps/cli", import.meta.url));

export async function bundleAgent(folder: string): Promise<void> {
  const program = join(folder, "dist");
  rmSync(program, { recursive: true, force: true });
  mkdirSync(program, { recursive: true });
  // The program finds its version one folder above itself.
  cpSync(join(commandLine, "package.json"), join(folder, "package.json"));
  await build({
    input: join(commandLine, "src", "main.ts"),
    platform: "node",
    external: [/^@bowline\/(?:server|demo|operator)/u],
    output: { dir: program, entryFileNames: "bowline.mjs", chunkFileNames: "[name]-[hash].mjs" },
    logLevel: "warn",
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new TypeError("Say where to: node scripts/bundle-agent.ts FOLDER");
  await bundleAgent(resolve(folder));
}
