import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";

import { BowlineError, hasCode, isRecord, makeFolder, replaceFile } from "@bowline/core";

import type { Environment } from "../../command/command-context.ts";
import { thisProgram } from "../../kubeconfig/credential-program.ts";
import type { PhaseContext } from "../target.ts";
import { localFiles, type LocalOptions } from "./local-options.ts";
import type { LocalService } from "./local-service.ts";
import { findByMark, identify, isAlive, type ProcessIdentity } from "./process-table.ts";

/** In the environment of the server, so that it is found when nobody could write its number down. */
const markVariable = "BOWLINE_INSTALLATION";

const stopLimitMs = 40_000;
const lookAgainMs = 50;

/** A process of this very program that goes on when the command line ends, and not after the machine does. */
export function processService(options: LocalOptions, environment: Environment): LocalService {
  const files = localFiles(options);
  const resource = { type: "process", id: files.pid };
  const find = async ({ ledger }: PhaseContext): Promise<ProcessIdentity[]> => {
    const marked = await findByMark(markVariable, ledger.state.installation);
    const noted = await readPidFile(files.pid);
    const isNew = noted !== undefined && !marked.some(({ pid }) => pid === noted.pid);
    return isNew && (await isAlive(noted)) ? [...marked, noted] : marked;
  };
  return {
    plan: [
      `start \`${serverCommand(options).join(" ")}\` as a process of its own, with its log in ${files.log}`,
    ],
    check: async () => {},
    isRunning: async (context) => (await find(context)).length > 0,
    async start(context) {
      const { ledger, call } = context;
      await ledger.intend([resource]);
      const found = (await find(context))[0];
      const running =
        found ??
        (await call("the server process", () => start(options, environment, ledger.state.installation)));
      await call("its pid file", () => replaceFile(files.pid, `${JSON.stringify(running)}\n`));
      await ledger.made(resource, { pid: String(running.pid), startedAt: running.startedAt });
      return `process ${running.pid}${found === undefined ? "" : ", which ran already"}`;
    },
    lastWords: () => endOf(files.log),
    async remove(context) {
      const { call, progress } = context;
      for (const running of await find(context)) {
        progress(`waits for process ${running.pid} to end`);
        await call("the end of the server process", () => stop(running, context));
      }
      await call("the pid file", () => rm(files.pid, { force: true }));
      await context.ledger.gone(resource);
    },
  };
}

/** The command line of the server, as it runs from the sources, a package or an executable alike. */
export function serverCommand({ listen, data, url }: LocalOptions): string[] {
  const advertised = url === undefined ? [] : ["--advertised-url", url];
  return [...thisProgram, "server", "--listen", listen, "--data", data, ...advertised];
}

async function start(
  options: LocalOptions,
  environment: Environment,
  installation: string,
): Promise<ProcessIdentity> {
  const [command = "", ...args] = serverCommand(options);
  makeFolder(options.data);
  const log = openSync(localFiles(options).log, "a", 0o600);
  try {
    const child = spawn(command, args, {
      detached: true,
      // At its first start it shows the token of the admin to whoever started it; a log is no place for that.
      stdio: ["ignore", "ignore", log],
      cwd: options.data,
      env: { ...ownVariables(environment), [markVariable]: installation },
    });
    const identity = await new Promise<ProcessIdentity | undefined>((resolve, reject) => {
      child.once("error", reject);
      child.once("spawn", () => void identify(child.pid ?? 0).then(resolve, reject));
    });
    child.unref();
    if (identity !== undefined) return identity;
    throw new BowlineError(
      "ProcessFailed",
      `The server ended at once: ${await endOf(localFiles(options).log)}`,
    );
  } finally {
    closeSync(log);
  }
}

/** Settings of a server that happen to be in this shell are not those of one that goes on without it. */
function ownVariables(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("BOWLINE_")));
}

async function stop(running: ProcessIdentity, { clock, signal }: PhaseContext): Promise<void> {
  if (!(await isAlive(running))) return;
  sendSignal(running, "SIGTERM");
  const endMs = clock.monotonicMs() + stopLimitMs;
  while (await isAlive(running)) {
    if (clock.monotonicMs() > endMs) sendSignal(running, "SIGKILL");
    await clock.sleep(lookAgainMs, signal);
  }
}

/** It may have ended since it was looked at. */
function sendSignal({ pid }: ProcessIdentity, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, "ESRCH")) throw error;
  }
}

async function readPidFile(path: string): Promise<ProcessIdentity | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (!isRecord(value)) return undefined;
    const { pid, startedAt } = value;
    return typeof pid === "number" && pid > 1 && typeof startedAt === "string"
      ? { pid, startedAt }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The sentence that the server ended with, or its last lines. */
async function endOf(log: string): Promise<string> {
  const text = await readFile(log, "utf8").catch(() => "");
  const lines = text.trimEnd().split("\n");
  const error = lines.findLast((line) => line.startsWith("error: "));
  return error?.slice("error: ".length) ?? lines.slice(-3).join("\n");
}
