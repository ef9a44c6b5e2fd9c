import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, watch } from "node:fs";
import { join } from "node:path";

import type { Cluster } from "@bowline/api";
import {
  installProviderProgram,
  openPodAddress,
  whyNoCluster,
  type InstalledProgram,
} from "@bowline/test-cluster";
import { createTempFolder, runCommand } from "@bowline/test-services";

import type { BenchmarkContext } from "../benchmark.ts";
import type { ShippedProgram } from "../ship/shipped-program.ts";
import { ask } from "../tunnel/ask.ts";
import { ProductServer, type ServerTarget } from "../tunnel/product-server.ts";
import { ObjectWatch, post } from "./object-watch.ts";

export interface ExecMeasurement {
  readonly rounds: readonly ExecTimes[];
}

/** Seconds, the times of the object from the request to create it, or to delete it. */
export interface ExecTimes {
  /** By the program alone, until it says that the cluster is ready. */
  readonly program: number;
  /** Until a watcher was told that Kubernetes is there and the agent was installed in it. */
  readonly joining: number;
  /** Until its agent has joined, as a pod, and the condition Ready is True. */
  readonly ready: number;
  readonly gone: number;
}

const programName = "kubernetes";
const limitMs = 300_000;

/** Why there can be none here; undefined when there can. */
export async function whyNoExec(): Promise<string | undefined> {
  return whyNoCluster(process.env);
}

/** A real Kubernetes from its object to nothing, in turns with the same one made by the same program alone. */
export async function measureExec(
  { main: program, env, image }: ShippedProgram,
  { progress, rounds }: BenchmarkContext,
): Promise<ExecMeasurement> {
  await using owned = new AsyncDisposableStack();
  const { path: folder } = owned.use(await createTempFolder("bench-exec"));
  const maker = owned.use(await installProviderProgram(folder, [image.archive]));
  const { address: host } = owned.use(await openPodAddress());
  const flags = [`--provider-programs=${programName}=${maker.path}`, `--agent-image=${image.name}`];
  const server = owned.use(await ProductServer.start({ program, env, host, flags }));
  using clusters = await ObjectWatch.open<Cluster>(server.api, "clusters");
  progress("a Kubernetes that is not counted, so that the machine knows its programs");
  await timeOfProgram(maker);
  const measured: ExecTimes[] = [];
  for (let at = 1; at <= rounds; at += 1) {
    progress(`round ${at}: a Kubernetes by the program alone`);
    const alone = await timeOfProgram(maker);
    progress(`round ${at}: one from its object`);
    measured.push({ program: alone, ...(await timesOfObject(server.api, clusters, `made-${at}`)) });
  }
  return { rounds: measured };
}

async function timesOfObject(
  api: ServerTarget,
  clusters: ObjectWatch<Cluster>,
  name: string,
): Promise<Omit<ExecTimes, "program">> {
  const beganMs = performance.now();
  const spec = { provider: "exec", exec: { command: programName } };
  const [joiningMs, readyMs] = await Promise.all([
    clusters.until(`${name} has its agent installed`, (all) => isJoining(all.get(name)), limitMs),
    clusters.until(`${name} is ready`, (all) => isReady(all.get(name)), limitMs),
    post(api, "clusters", { metadata: { name }, spec }),
  ]);
  const endedMs = performance.now();
  const [goneMs] = await Promise.all([
    clusters.until(`${name} is gone`, (all) => !all.has(name), limitMs),
    ask(api, { method: "DELETE", path: `/api/v1/clusters/${name}` }),
  ]);
  return {
    joining: (joiningMs - beganMs) / 1000,
    ready: (readyMs - beganMs) / 1000,
    gone: (goneMs - endedMs) / 1000,
  };
}

const isJoining = (cluster: Cluster | undefined): boolean =>
  ["Joining", "Ready"].includes(cluster?.status.provisioning?.state ?? "");

const isReady = (cluster: Cluster | undefined): boolean =>
  cluster?.status.conditions.some(({ type, status }) => type === "Ready" && status === "True") ?? false;

/** As somebody has it who begins a cluster by hand, and looks again when there is something to see. */
async function timeOfProgram(maker: InstalledProgram): Promise<number> {
  const id = randomUUID();
  const beganMs = performance.now();
  await askMaker(maker, "next", id);
  await untilThere(join(maker.clusters, id), ["kubeconfig", "failure"]);
  const { state } = await askMaker(maker, "next", id);
  const seconds = (performance.now() - beganMs) / 1000;
  if (state !== "ready") throw new Error(`The program said ${state} of a cluster that should be ready.`);
  await runCommand({ command: maker.path, args: ["end"], name: "ending the cluster" });
  return seconds;
}

/** Resolves when one of the files is in the folder. */
async function untilThere(folder: string, names: readonly string[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const look = (): void => {
    if (names.some((name) => existsSync(join(folder, name)))) resolve();
  };
  const watcher = watch(folder, look).on("error", reject);
  const limit = setTimeout(() => reject(new Error(`${folder} has none of ${names.join()}.`)), limitMs);
  look();
  await promise.finally(() => {
    clearTimeout(limit);
    watcher.close();
  });
}

async function askMaker(
  { path }: InstalledProgram,
  action: string,
  id: string,
): Promise<{ readonly state: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const asked = execFile(path, [], { env: { PATH: process.env["PATH"] } }, (error, stdout) =>
    error === null ? resolve(stdout) : reject(error),
  );
  const cluster = { id, name: "alone", labels: {} };
  asked.stdin?.end(JSON.stringify({ protocol: 1, action, cluster, spec: {}, record: null }));
  return JSON.parse(await promise);
}
