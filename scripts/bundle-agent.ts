/**
 * Makes the program of the agent's image: `node scripts/bundle-agent.ts FOLDER`. It is the command line with the
 * commands that the image has, as JavaScript that needs nothing but Node.
 */
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "rolldown";

const manifest = fileURLToPath(new URL("../apps/cli/package.json", import.meta.url));
const entry = fileURLToPath(new URL("../apps/cli/src/agent-image-main.ts", import.meta.url));

export async function bundleAgent(folder: string): Promise<void> {
  const program = join(folder, "dist");
  rmSync(program, { recursive: true, force: true });
  mkdirSync(program, { recursive: true });
  // The program finds its version one folder above itself.
  cpSync(manifest, join(folder, "package.json"));
  await build({
    input: entry,
    platform: "node",
    output: {
      dir: program,
      entryFileNames: "bowline.mjs",
      chunkFileNames: "[name]-[hash].mjs",
      // Node keeps the text of its program, and of one with a single character beyond Latin-1 it takes two bytes for
      // each: 5 MB for an agent, of 90 MB that it has in all. Lines and names stay, for those who read stack traces.
      minify: {
        compress: false,
        mangle: false,
        codegen: { removeWhitespace: false, asciiOnly: true, legalComments: "inline" },
      },
      comments: { jsdoc: false, annotation: false, legal: true },
    },
    logLevel: "warn",
  });
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new TypeError("Say where to: node scripts/bundle-agent.ts FOLDER");
  await bundleAgent(resolve(folder));
}
