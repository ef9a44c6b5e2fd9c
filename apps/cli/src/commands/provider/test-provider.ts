import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";

import { Cluster, invalidError, validateWrite, type ExecSettings } from "@bowline/api";
import {
  asRecord,
  BowlineError,
  createLogger,
  createUuidV7Generator,
  textLog,
  wrapText,
} from "@bowline/core";
import type { TrialCheck, TrialReport } from "@bowline/providers";

import type { CommandContext } from "../../command/command-context.ts";
import { CommandExit } from "../../command/failure.ts";
import { readValuesFile } from "../../manifests/read-values-file.ts";
import { ProgressLine } from "../../output/progress-line.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { toDocument } from "../../output/to-document.ts";

export interface TestProviderOptions {
  readonly spec?: string;
  readonly env?: readonly string[];
  readonly timeout: number;
  readonly output?: "json" | "yaml";
}

type ClusterSpec = Cluster["spec"];

/** Of what a Credential would be in a server; here its keys are variables of the environment. */
const ownCredential = "environment";

export async function testProvider(
  context: CommandContext,
  [path = "", ...args]: readonly string[],
  options: TestProviderOptions,
): Promise<void> {
  const { terminal, clock, signal, environment, globals } = context;
  const spec = await trialSpec(context, args, options);
  const values = valuesOf(context, spec.exec.env ?? []);
  await requireProgramFile(path);
  const { tryProgram } = await import("@bowline/providers");
  using progress = new ProgressLine(terminal);
  const report = await tryProgram({
    program: { name: basename(path), path: resolve(path), settings: spec.exec, environment },
    spec,
    credential: () => Promise.resolve(values),
    clock,
    signal,
    logger: createLogger({
      name: "provider",
      level: globals.verbose === true ? "debug" : "silent",
      destination: textLog((line) => terminal.error(line)),
      clock,
    }),
    newId: createUuidV7Generator(clock, randomBytes),
    timeoutMs: options.timeout,
    onProgress: (text) => progress.show(text),
    onInterrupt: () => {
      progress[Symbol.dispose]();
      terminal.error("\nThe throw-away clusters are taken away; Ctrl-C again leaves them as they are.\n");
    },
    onCheck: (check) => {
      progress[Symbol.dispose]();
      if (options.output === undefined) terminal.out(checkText(context, check));
    },
  });
  progress[Symbol.dispose]();
  if (signal.aborted) {
    terminal.error(leftText(context, report));
    throw BowlineError.from(signal.reason);
  }
  const isOk = report.leftOver.length === 0 && report.checks.every(({ problem }) => problem === undefined);
  if (options.output !== undefined) terminal.out(await toDocument({ ok: isOk, ...report }, options.output));
  else terminal.out(endText(context, report, isOk));
  if (!isOk) throw new CommandExit(1);
}

/** The spec of the throw-away clusters: that of the file, with the program and the variables of the command line. */
async function trialSpec(
  context: CommandContext,
  args: readonly string[],
  { spec: file, env: names = [] }: TestProviderOptions,
): Promise<ClusterSpec & { readonly exec: ExecSettings }> {
  const read = file === undefined ? {} : await readValuesFile(context, file);
  const given = read["kind"] === "Cluster" ? asRecord(read["spec"]) : read;
  refuseOtherProvider(file, given["provider"]);
  const settings = asRecord(given["exec"]);
  const own = names.map((name) => ({ name, credential: ownCredential, key: name }));
  const env = Array.isArray(settings["env"]) ? settings["env"] : [];
  const exec = {
    ...settings,
    command: settings["command"] ?? "program",
    ...(args.length === 0 ? {} : { args }),
    ...(env.length + own.length === 0 ? {} : { env: [...env, ...own] }),
  };
  const body = { metadata: { name: "trial" }, spec: { ...given, provider: "exec", exec } };
  const checked = validateWrite(Cluster, body);
  if (!checked.ok)
    throw invalidError(file === undefined ? "The command line" : printableLine(file), checked.problems);
  const { spec } = checked.object;
  if (spec.exec === undefined)
    throw new BowlineError("Internal", "A spec that was checked has lost its exec.");
  return { ...spec, exec: spec.exec };
}

function refuseOtherProvider(file: string | undefined, provider: unknown): void {
  if (typeof provider !== "string" || provider === "exec") return;
  throw new BowlineError(
    "InvalidArgument",
    `${printableLine(file ?? "")} has a cluster of the provider ${printableLine(provider)}; only those of the provider exec are made by a program.`,
  );
}

/** A program that is not there does nothing wrong: nobody has to read of the protocol. */
async function requireProgramFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true) return;
  const what = found === undefined ? "There is no file" : "No program is";
  throw new BowlineError(
    "InvalidArgument",
    `${what} ${printableLine(path)}. Say where the program is, as in ./make-cluster.`,
  );
}

/** In a server Credentials have them; here whoever tests has put them into the environment. */
function valuesOf(
  { environment }: CommandContext,
  env: NonNullable<ExecSettings["env"]>,
): Readonly<Record<string, string>> {
  const entries = env.map(({ name, key }): [string, string] => {
    const value = environment[name];
    if (value !== undefined) return [key, value];
    throw new BowlineError(
      "InvalidArgument",
      `The variable ${name} is not set. The program is to get it: set it in the environment of this command.`,
    );
  });
  return Object.fromEntries(entries);
}

function checkText({ terminal, paint }: CommandContext, { title, problem }: TrialCheck): string {
  if (problem === undefined) return `${paint("green", "ok")}: ${title}\n`;
  const lines = problem.split("\n").flatMap((line) => paragraph(terminal.columns, line));
  return `${paint("red", "wrong")}: ${title}\n${lines.join("\n")}\n`;
}

function paragraph(columns: number | undefined, line: string): string[] {
  return wrapText(printableLine(line), { columns: columns ?? 100, indent: 2 }).map(
    (each) => `  ${each.trimStart()}`,
  );
}

function endText(context: CommandContext, report: TrialReport, isOk: boolean): string {
  if (isOk) return "\nThe program keeps the protocol.\n";
  const advice = "The program does not keep the protocol yet: docs/reference/provider-program.md has it.";
  return `${leftText(context, report)}\n${advice}\n`;
}

/** For whoever has to clean up by hand; nothing where nothing is left. */
function leftText({ terminal }: CommandContext, { leftOver }: TrialReport): string {
  const left = leftOver.flatMap(({ id, name, problem }) =>
    paragraph(terminal.columns, `${name} (${id}): ${problem.split("\n")[0] ?? ""}`),
  );
  if (left.length === 0) return "";
  return `\nOf these clusters something may be left; look for their ids:\n${left.join("\n")}\n`;
}
