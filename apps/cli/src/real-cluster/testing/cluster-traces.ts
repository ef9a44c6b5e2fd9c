import { existsSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";

import { findClusterProcesses } from "@bowline/test-cluster";
import { livingPids } from "@bowline/test-services";

/** What a cluster of the provider program has on this machine, as it is found from outside. */
export interface ClusterTraces {
  readonly folder: string;
  /** By name, with those of its node and of the pods there. */
  readonly processes: ReadonlyMap<number, string>;
  /** The network interface of this machine that leads to the node. */
  readonly cable: string;
  /** Under which the node has the groups of its pods. */
  readonly controlGroup: string;
}

export async function tracesOf(folder: string): Promise<ClusterTraces> {
  const { clusters } = JSON.parse(await readFile(join(folder, "kubeconfig"), "utf8")) as {
    readonly clusters: readonly { readonly cluster: { readonly server: string } }[];
  };
  const controlGroup = await controlGroupIn(join(folder, "tmp"));
  return {
    folder,
    processes: await processesOf(folder, controlGroup),
    cable: interfaceOf(new URL(clusters[0]?.cluster.server ?? "").hostname),
    controlGroup,
  };
}

type Left = Readonly<Record<keyof typeof nothing, readonly unknown[]>>;

/** What there is of it. */
export async function whatIsLeft({ folder, processes, cable, controlGroup }: ClusterTraces): Promise<Left> {
  const mounts = (await readFile("/proc/self/mounts", "utf8")).split("\n");
  const routes = (await readFile("/proc/net/route", "utf8")).split("\n");
  return {
    processes: (await livingPids([...processes.keys()])).map((pid) => processes.get(pid)),
    others: await findClusterProcesses(folder),
    mounts: mounts.filter((line) => line.includes(folder)),
    folders: existsSync(folder) ? [folder] : [],
    cables: Object.keys(networkInterfaces()).filter((name) => name === cable),
    routes: routes.filter((line) => line.startsWith(`${cable}\t`)),
    groups: (await folderNames("/sys/fs/cgroup")).filter((name) => name === controlGroup),
  };
}

export const nothing = {
  processes: [],
  others: [],
  mounts: [],
  folders: [],
  cables: [],
  routes: [],
  groups: [],
};

function interfaceOf(address: string): string {
  const entries = Object.entries(networkInterfaces());
  const found = entries.find(([, all]) => all?.some((each) => each.address === address));
  if (found === undefined) throw new Error(`No interface of this machine has the address ${address}.`);
  return found[0];
}

async function controlGroupIn(temporary: string): Promise<string> {
  const node = (await readdir(temporary)).find((name) => name.startsWith("bowline-node-")) ?? "";
  const config = await readFile(join(temporary, node, "lib", "bowline", "kubelet.json"), "utf8");
  const { cgroupRoot } = JSON.parse(config) as { readonly cgroupRoot: string };
  return cgroupRoot.replace("/", "");
}

/** By the folder, by the node's namespace of processes, and by the control groups of its pods. */
async function processesOf(folder: string, controlGroup: string): Promise<ReadonlyMap<number, string>> {
  const found = new Map((await findClusterProcesses(folder)).map(({ pid, name }) => [pid, name]));
  const here = await namespaceOf("self");
  const nodes = new Set(await Promise.all([...found.keys()].map((pid) => namespaceOf(String(pid)))));
  for (const name of await readdir("/proc")) {
    if (!/^[0-9]+$/u.test(name) || found.has(Number(name))) continue;
    const namespace = await namespaceOf(name);
    const isOnNode = namespace !== "" && namespace !== here && nodes.has(namespace);
    const isInPod = (await readIfThere(name, "cgroup")).includes(`/${controlGroup}/`);
    if (isOnNode || isInPod) found.set(Number(name), (await readIfThere(name, "comm")).trim());
  }
  return found;
}

/** A process may end while it is looked at. */
async function namespaceOf(pid: string): Promise<string> {
  return readlink(`/proc/${pid}/ns/pid`).catch(() => "");
}

async function readIfThere(pid: string, name: string): Promise<string> {
  return readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
}

/** Of control groups of both versions: at the top, and in each hierarchy. */
async function folderNames(root: string): Promise<string[]> {
  const top = await readdir(root);
  const below = await Promise.all(top.map((name) => readdir(join(root, name)).catch(() => [])));
  return [...top, ...below.flat()];
}
