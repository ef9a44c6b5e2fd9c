import { access } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { BowlineError, formatPath, isRecord, ownFile, ownProcess, shortened } from "@bowline/core";
import { describeProblem, parseManifests, type ManifestObject } from "@bowline/manifests";

import { maxExpandedLengthOf, type RenderLimits } from "../render-limits.ts";
import { runTool } from "../sandbox/run-tool.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { firstDifference } from "./first-difference.ts";
import type { JsonProblem } from "./json-problem.ts";
import type { ProgramAnswer, ProgramInput, ProgramQuestion } from "./program-question.ts";

export interface ProgramRun {
  /** The file whose default export is an `App`. */
  readonly file: string;
  /** The program is asked once for each. */
  readonly inputs: readonly ProgramInput[];
  readonly sandbox: Sandbox;
  readonly limits: RenderLimits;
  readonly signal: AbortSignal;
}

/** The types of a program, as the file that `bowline init` writes beside it. */
export const appTypes: URL = ownFile("init/bowline.ts", new URL("app.ts", import.meta.url));

const mainSource = new URL("program-main.ts", import.meta.url);
/** Of the process in which it runs, which reads nothing else of ours. */
const ownSources = [
  mainSource,
  ...["close-network.ts", "json-problem.ts", "reference-facts.ts"].map(
    (name) => new URL(name, import.meta.url),
  ),
];
/** All of them in one file. */
const bundledMain = "render-program.mjs";

/** Far apart, so that a program that formats dates where it runs is found out. */
const timeZones = ["UTC", "Pacific/Kiritimati"] as const;

/**
 * The objects that a program makes of each input. It runs twice, in processes of its own that can read its folder and
 * write nothing, and has to give the same twice. Throws `RenderFailed` for what the program does, `Invalid` for objects
 * that are none.
 */
export async function runProgram(run: ProgramRun): Promise<readonly (readonly ManifestObject[])[]> {
  const file = resolve(run.file);
  const flags = await nodeFlags(file, run.limits);
  const [first, second] = await Promise.all(timeZones.map((zone) => ask({ ...run, file }, flags, zone)));
  const difference = first
    ?.map((objects, index) => firstDifference(objects, second?.[index], ["objects"]))
    .find((found) => found !== undefined);
  if (difference !== undefined) {
    throw failed(
      file,
      `gives something else each time it is asked: ${difference}. The same input has to give the same objects: no dates, no random numbers, nothing of this machine`,
    );
  }
  return (first ?? []).map((objects) => checkedObjects(file, objects, run.limits));
}

/** Its folder, and where Node looks for packages from there. */
async function nodeFlags(file: string, { memoryBytes }: RenderLimits): Promise<string[]> {
  const own = ownSources.map((source) => ownFile(bundledMain, source));
  const files = own.flatMap((url) => (url.protocol === "file:" ? [fileURLToPath(url)] : []));
  const readable = [`${dirname(file)}/`, ...(await packageFolders(dirname(file))), ...files];
  return [
    "--permission",
    ...readable.map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${Math.ceil(memoryBytes / (1024 * 1024))}`,
    "--no-warnings",
  ];
}

async function packageFolders(folder: string): Promise<string[]> {
  const candidates: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    candidates.push(join(at, "node_modules"));
    if (dirname(at) === at) break;
  }
  const found = await Promise.all(
    candidates.map((path) =>
      access(path).then(
        () => [`${path}/`],
        () => [],
      ),
    ),
  );
  return found.flat();
}

async function ask(run: ProgramRun, flags: readonly string[], timeZone: string): Promise<readonly unknown[]> {
  const { file, inputs, limits, sandbox, signal } = run;
  const program = ownProcess(ownFile(bundledMain, mainSource), flags);
  const question: ProgramQuestion = { file, inputs };
  const [command = program.command, ...args] = await sandbox.withoutNetwork([
    program.command,
    ...program.args,
  ]);
  const { output, complaint, exitCode } = await runTool({
    command,
    args,
    cwd: dirname(file),
    env: { TZ: timeZone, LC_ALL: "C", ...program.env },
    timeoutMs: limits.renderMs,
    maxOutputBytes: limits.renderedBytes * inputs.length,
    input: JSON.stringify(question),
    signal,
  });
  const answer = exitCode === 0 ? readAnswer(new TextDecoder().decode(output)) : undefined;
  if (answer === undefined) {
    throw failed(file, `ended before it had made objects: ${shortened(complaint.slice(-500), 500)}`);
  }
  if ("results" in answer) return answer.results;
  throw failed(file, "problem" in answer ? answer.problem : describeUnusable(answer.unusable));
}

function describeUnusable({ object, path, what }: JsonProblem): string {
  const place = path.length === 0 ? "" : ` at ${formatPath(path)}`;
  return `returned something that cannot be used: object ${object} has${place} ${what}`;
}

function readAnswer(text: string): ProgramAnswer | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    if (!isRecord(answer)) return undefined;
    return isAnswer(answer) ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** From our own process: whether it is whole is all there is to ask. */
function isAnswer(answer: object): answer is ProgramAnswer {
  return "results" in answer || "problem" in answer || "unusable" in answer;
}

/** Checks objects as manifests are checked: each is a document of its own, so a problem has the number of its object. */
function checkedObjects(file: string, objects: unknown, limits: RenderLimits): readonly ManifestObject[] {
  const all: readonly unknown[] = Array.isArray(objects) ? objects : [];
  const text = all.map((object) => `---\n${JSON.stringify(object)}\n`).join("");
  const parsed = parseManifests(text, {
    maxBytes: limits.renderedBytes,
    maxExpandedLength: maxExpandedLengthOf(text, limits),
  });
  if (parsed.problems.length === 0) return parsed.objects;
  const fields = parsed.problems.map(({ document, object, path, message }) => ({
    path: `${basename(file)}, object ${document ?? 0}`,
    message: describeProblem({
      message,
      ...(object === undefined ? {} : { object }),
      ...(path === undefined ? {} : { path }),
    }),
  }));
  const [first] = fields;
  const more = fields.length === 1 ? "" : ` (and ${fields.length - 1} more)`;
  throw new BowlineError("Invalid", `${first?.path ?? ""}: ${first?.message ?? ""}${more}.`, {
    details: { fields },
  });
}

function failed(file: string, what: string): BowlineError {
  return new BowlineError("RenderFailed", `${basename(file)} ${what}.`, { details: { path: file } });
}
