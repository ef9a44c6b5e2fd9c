import { once } from "node:events";
import { readFile } from "node:fs/promises";

import { startApiServer, type ApiServer } from "../api-server.ts";
import { startCluster } from "../cluster.ts";
import { startControlPlane } from "../control-plane.ts";
import type { ClusterFolder, ClusterLevel } from "./cluster-folder.ts";
import { findClusterProcesses, isKeeper } from "./cluster-processes.ts";
import type { ClusterSettings } from "./cluster-settings.ts";

const starts: Readonly<Record<ClusterLevel, (settings: ClusterSettings) => Promise<ApiServer>>> = {
  "api-server": ({ kubernetes }) => startApiServer(releaseOf(kubernetes)),
  "control-plane": ({ kubernetes }) => startControlPlane(releaseOf(kubernetes)),
  cluster: startWithImages,
};

/**
 * Runs a cluster until it is told to end. Whatever it started ends with it, however it ends: the harness sees to that.
 * The kubeconfig is written when the cluster can be used.
 */
export async function keepCluster(folder: ClusterFolder, settings: ClusterSettings): Promise<void> {
  // Two programs may have started one each, when the first was killed before anybody could see what it had started.
  if (await isSecond(folder)) return;
  const ended = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
  try {
    await using cluster = await starts[settings.level](settings);
    await folder.write("kubeconfig", cluster.kubeconfig());
    // Signals alone keep no process alive.
    const alive = setInterval(() => undefined, 60_000);
    await ended;
    clearInterval(alive);
  } catch (error) {
    await folder.write("failure", error instanceof Error ? error.message : String(error));
    throw error;
  }
}

function releaseOf(kubernetes: string | undefined): { readonly kubernetes?: string } {
  return kubernetes === undefined ? {} : { kubernetes };
}

async function startWithImages({ kubernetes, images }: ClusterSettings): Promise<ApiServer> {
  await using starting = new AsyncDisposableStack();
  const cluster = starting.use(await startCluster(releaseOf(kubernetes)));
  for (const file of images) await cluster.importArchive(file);
  starting.move();
  return cluster;
}

/** The first stays; of two that were born in the same tick, the one with the lower number. */
async function isSecond(folder: ClusterFolder): Promise<boolean> {
  const born = await bornAt(process.pid);
  const others = (await findClusterProcesses(folder.path)).filter(isKeeper);
  const births = await Promise.all(others.map(async ({ pid }) => ({ pid, born: await bornAt(pid) })));
  return births.some((other) => other.born < born || (other.born === born && other.pid < process.pid));
}

/** In ticks since the machine started; its name, in brackets, may have spaces. One that has ended was never there. */
async function bornAt(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const afterName = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return stat === "" ? Infinity : Number(afterName[19]);
}
