import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import {
  addressInProgram,
  compiledFiles,
  compilerFlags,
  programText,
} from "@bowline/program/compiled-program";
import { build, type Plugin } from "rolldown";

import { root } from "./read-version.ts";
import { plainCode, smallerModules } from "./smaller-modules.ts";

/** Loaded for commands that ask a server, and for WebSockets; most of what they need is the whole of undici. */
const notInPrograms = /\/(?:connection\/connect-to-server|client\/port-forward)\.ts$/u;
const compiler = fileURLToPath(new URL("compile-program-main.ts", import.meta.url));

/** Leaves out what a program that runs until it is told to stop never does. */
const withoutCommands: Plugin = {
  name: "without-commands",
  load: (id) =>
    notInPrograms.test(id)
      ? 'throw new Error("This is not a part of the program.");\nexport {};\n'
      : undefined,
};

/**
 * Writes a program as one text, and the code that this Node makes of it, for those forms that are shipped with this
 * very Node. Resolves to the sources that are in it.
 */
export async function bundleCompiled(dir: string, name: string, source: string): Promise<string[]> {
  const { output } = await build({
    cwd: root,
    input: source,
    platform: "node",
    plugins: [withoutCommands, smallerModules],
    transform: { define: { "import.meta.url": addressInProgram } },
    write: false,
    output: { ...plainCode, format: "cjs", codeSplitting: false },
    logLevel: "warn",
  });
  const [chunk] = output;
  const files = compiledFiles(name);
  const text = join(dir, files.text);
  await writeFile(text, programText(chunk.code), "latin1");
  await promisify(execFile)(process.execPath, [...compilerFlags, compiler, text, join(dir, files.code)]);
  return chunk.moduleIds;
}
