import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";

import { ownFile, readOwnFile } from "@bowline/core";

import { compileEverything, compileWhatRuns, startInterpreted } from "./v8-flags.ts";

/**
 * A program that is shipped as one text beside the code that V8 makes of it: it is ready in two thirds of the time, and
 * takes less memory, since nothing is parsed.
 */
interface CompiledProgram {
  readonly text: string;
  readonly code: Buffer;
}

/** Files of a compiled program, by its name, in the folder of a bundle. */
export function compiledFiles(name: string): { readonly text: string; readonly code: string } {
  return { text: `${name}-program.js`, code: `${name}-program.v8` };
}

/** Names of what the text of a program is given, in place of what Node gives to modules. */
const given = ["exports", "require", "programAddress"] as const;
/** The address of the text, for files that lie beside it. */
export const addressInProgram = given[2];

/** The text of a program, of a module as Node's `require` takes it. */
export function programText(module: string): string {
  return `(function (${given.join(", ")}) {${module}\n})`;
}

/**
 * Compiles a whole program, for a process that does nothing else and was started with `compilerFlags`: the same text
 * makes the same bytes.
 */
export function compileProgram(text: string): Buffer {
  startInterpreted();
  const script = new Script(text);
  // The flags of whoever runs the code have to be those that it was made with; they are compared as a whole.
  compileWhatRuns();
  return script.createCachedData();
}

/** Flags of Node for a process that compiles a program. */
export const compilerFlags: readonly string[] = compileEverything;

/**
 * The exports of a program that was shipped with its code; undefined from the sources, and where there is none or
 * another version of V8 has made it. The process has called `startInterpreted`.
 */
export async function runCompiledProgram(
  name: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const files = compiledFiles(name);
  const source = new URL(import.meta.url);
  const address = ownFile(files.text, source);
  if (address === source) return undefined;
  const program = await readProgram(address, new URL(files.code, address));
  return program === undefined ? undefined : runProgramText(program, address);
}

/**
 * Undefined when this V8 cannot use the code; then nothing was run.
 *
 * @public Its test runs it in a process of its own.
 */
export function runProgramText(
  { text, code }: CompiledProgram,
  address: URL,
): Readonly<Record<string, unknown>> | undefined {
  const isFile = address.protocol === "file:";
  const filename = isFile ? fileURLToPath(address) : address.href;
  const script = new Script(text, { filename, cachedData: code });
  if (script.cachedDataRejected === true) return undefined;
  const exports: Record<string, unknown> = {};
  // It asks for modules of Node only, all else is in it; an executable has no files to look for others from.
  script.runInThisContext()(exports, createRequire(isFile ? address : "file:///"), address.href);
  return exports;
}

async function readProgram(text: URL, code: URL): Promise<CompiledProgram | undefined> {
  try {
    const [bytes, compiled] = await Promise.all([readOwnFile(text), readOwnFile(code)]);
    // Its characters are all ASCII: one byte for each is also how V8 keeps it then.
    return { text: bytes.toString("latin1"), code: compiled };
  } catch {
    // A package for npm comes without, as it runs on any version of Node. What is missing else, the other way tells.
    return undefined;
  }
}
