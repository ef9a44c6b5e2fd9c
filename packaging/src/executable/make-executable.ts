import { execFile } from "node:child_process";
import { chmod, copyFile, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { build } from "rolldown";

import type { Program } from "../program/bundle-program.ts";

/** Node looks for this in itself to see whether it has been made an application. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
/** A program that warns of names of sections, whatever it is given: it is heard when it fails. */
const injector = fileURLToPath(import.meta.resolve("postject/dist/cli.js"));
const run = promisify(execFile);
const entry = fileURLToPath(new URL("executable-main.ts", import.meta.url));

/** Makes this Node and the folder of the program one file, which runs where there is no Node. */
export async function makeExecutable(program: Program, file: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "bowline-executable-"));
  try {
    // By name alone: it is in the executable, which is the same bytes wherever it is made.
    const main = "main.cjs";
    const output = { file: join(folder, main), format: "cjs" } as const;
    await build({ input: entry, platform: "node", output, logLevel: "warn" });
    const settings = {
      main,
      output: "blob",
      disableExperimentalSEAWarning: true,
      useCodeCache: false,
      useSnapshot: false,
      // How its other programs are given flags of Node.
      execArgvExtension: "env",
      assets: await assetsOf(program.folder),
    };
    await writeFile(join(folder, "settings.json"), JSON.stringify(settings));
    const node = process.execPath;
    await run(node, ["--experimental-sea-config", "settings.json"], { cwd: folder });
    await rm(file, { force: true });
    await copyFile(node, file);
    await chmod(file, 0o755);
    await run(node, [
      injector,
      file,
      "NODE_SEA_BLOB",
      join(folder, settings.output),
      "--sentinel-fuse",
      fuse,
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Every file of the program, by its path in the folder. */
async function assetsOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  return Object.fromEntries(files.toSorted().map((file) => [file.slice(folder.length + 1), file]));
}
