import { writeSync } from "node:fs";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

import { closeNetwork } from "./close-network.ts";
import { jsonProblem } from "./json-problem.ts";
import type { ProgramAnswer, ProgramQuestion } from "./program-question.ts";
import { referenceFacts } from "./reference-facts.ts";

/**
 * The process in which an app.ts runs, under Node's permission model. The question comes on standard input, the answer
 * goes to standard output, and whatever the program prints goes to standard error.
 */
const question: ProgramQuestion = JSON.parse(await text(process.stdin));
closeNetwork();
const toError = process.stderr.write.bind(process.stderr);
process.stdout.write = toError;
// Written at once: a program that leaves a timer behind is not waited for.
writeSync(1, JSON.stringify(await answer(question)));
process.exit();

async function answer({ file, inputs }: ProgramQuestion): Promise<ProgramAnswer> {
  try {
    const imported: unknown = await import(pathToFileURL(file).href);
    const app = defaultOf(imported);
    if (app === undefined) return { problem: "has no default export that is a function" };
    const results: unknown[] = [];
    for (const { parameters, cluster } of inputs) {
      const objects: unknown = await app({ parameters, cluster: cluster ?? referenceFacts() });
      if (!Array.isArray(objects)) return { problem: "did not return a list of objects" };
      const unusable = jsonProblem(objects);
      if (unusable !== undefined) return { unusable };
      results.push(objects);
    }
    return { results };
  } catch (thrown) {
    return { problem: describe(thrown, file) };
  }
}

type AnyApp = (input: unknown) => unknown;

function defaultOf(imported: unknown): AnyApp | undefined {
  if (typeof imported !== "object" || imported === null || !("default" in imported)) return undefined;
  return isApp(imported.default) ? imported.default : undefined;
}

function isApp(value: unknown): value is AnyApp {
  return typeof value === "function";
}

/** The sentence and the line of the program, which are of use; the stack of Node's loader is not. */
function describe(thrown: unknown, file: string): string {
  if (!(thrown instanceof Error)) return `threw ${String(thrown)}`;
  const line = thrown.stack?.split("\n").find((each) => each.includes(file));
  const place = line === undefined ? undefined : /:(\d+)(?::\d+)?\)?$/u.exec(line)?.[1];
  const resource = "resource" in thrown && typeof thrown.resource === "string" ? ` (${thrown.resource})` : "";
  return `threw${place === undefined ? "" : ` on line ${place}`}: ${thrown.message}${resource}`;
}
