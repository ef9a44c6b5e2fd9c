import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { BowlineError } from "@bowline/core";

import type { ClusterFolder, ClusterLevel } from "./cluster-folder.ts";
import {
  clusterVariable,
  findClusterProcesses,
  isKeeper,
  keepCommand,
  signalProcess,
} from "./cluster-processes.ts";
import { flagsOf, type ClusterSettings } from "./cluster-settings.ts";

export interface ClusterWish {
  readonly folder: ClusterFolder;
  readonly settings: ClusterSettings;
}

type Answer = Readonly<Record<string, unknown>>;

const usualSeconds: Readonly<Record<ClusterLevel, number>> = {
  "api-server": 5,
  "control-plane": 10,
  cluster: 30,
};
const startPollSeconds = 3;
const endPollSeconds = 1;

/** The answer of the program to one action of the protocol. None of them waits. */
export const actions: Readonly<Record<string, (wish: ClusterWish) => Promise<Answer>>> = {
  plan: async ({ folder, settings: { level } }) => ({
    message: `Start a ${level} on this machine\nKeep its files in ${folder.path}`,
    step: { n: 1, of: 1, text: "Everything", expectSeconds: usualSeconds[level] },
  }),
  observe: async (wish) => {
    const { folder } = wish;
    if ((await folder.read("deleting")) !== undefined) return { state: "deleting" };
    if (await hasKeeper(folder)) return how(wish);
    const isLost = (await folder.read("kubeconfig")) !== undefined;
    return { state: isLost || !existsSync(folder.path) ? "gone" : "creating" };
  },
  next: async (wish) => {
    const { folder } = wish;
    // A deletion that was taken back in its middle: it ends first.
    if ((await folder.read("deleting")) !== undefined) await takeAway(folder);
    if ((await folder.read("deleting")) !== undefined)
      return creating(wish, 1, "Taking the old cluster away");
    const failure = await folder.read("failure");
    if (failure !== undefined) {
      await folder.forget("failure");
      throw new BowlineError("ProcessFailed", `The cluster did not start: ${failure}`);
    }
    if (await hasKeeper(folder)) return how(wish);
    await folder.make();
    await folder.forget("kubeconfig");
    startKeeper(wish);
    return creating(wish, 1, "Starting the processes");
  },
  delete: async ({ folder }) => {
    await takeAway(folder);
    return existsSync(folder.path)
      ? { state: "deleting", retryAfterSeconds: endPollSeconds }
      : { state: "gone", record: null };
  },
  credentials: async ({ folder }) => {
    const kubeconfig = await folder.read("kubeconfig");
    if (kubeconfig === undefined) throw new BowlineError("NotFound", "The cluster is not ready yet.");
    return { kubeconfig };
  },
};

async function how(wish: ClusterWish): Promise<Answer> {
  if ((await wish.folder.read("kubeconfig")) === undefined)
    return creating(wish, 2, "Waiting for Kubernetes");
  return { state: "ready", record: await recordOf(wish.folder) };
}

async function creating(wish: ClusterWish, n: number, text: string): Promise<Answer> {
  return {
    state: "creating",
    step: { n, of: 2, text, expectSeconds: usualSeconds[wish.settings.level] },
    record: await recordOf(wish.folder),
    retryAfterSeconds: startPollSeconds,
  };
}

/** For people who look: the program itself finds everything by the folder. */
async function recordOf(folder: ClusterFolder): Promise<Answer> {
  const processes = await findClusterProcesses(folder.path);
  return { folder: folder.path, pids: Object.fromEntries(processes.map(({ pid, name }) => [pid, name])) };
}

async function hasKeeper(folder: ClusterFolder): Promise<boolean> {
  return (await findClusterProcesses(folder.path)).some(isKeeper);
}

/** In a session of its own, with its output in a file: it outlives this program. */
function startKeeper({ folder, settings }: ClusterWish): void {
  const program = fileURLToPath(new URL("../provider-program.ts", import.meta.url));
  const log = openSync(folder.file("keeper.log"), "a", 0o600);
  const child = spawn(process.execPath, [program, keepCommand, folder.path, ...flagsOf(settings)], {
    detached: true,
    stdio: ["ignore", log, log],
    cwd: "/",
    env: { ...process.env, TMPDIR: folder.temporary, [clusterVariable]: folder.path },
  });
  closeSync(log);
  child.unref();
}

/**
 * One push towards nothing: the keeper is asked to end and takes everything with it; whatever is left without a keeper
 * and without somebody who cleans up after it is ended by hand; the folder goes last, so that it is always found.
 */
export async function takeAway(folder: ClusterFolder): Promise<void> {
  const processes = await findClusterProcesses(folder.path);
  if (!existsSync(folder.path) && processes.length === 0) return;
  await folder.make();
  await folder.write("deleting", "");
  if (processes.length === 0) return folder.remove();
  const keepers = processes.filter(isKeeper);
  for (const { pid } of keepers) signalProcess(pid, "SIGTERM");
  const isBeingCleaned = processes.some(({ name }) => name === "reaper-main");
  if (keepers.length === 0 && !isBeingCleaned) for (const { pid } of processes) signalProcess(pid, "SIGKILL");
}
