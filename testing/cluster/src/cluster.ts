import { join } from "node:path";
import { BowlineError } from "@bowline/core";
import type { ImageOptions } from "@bowline/packaging";
import { createTempFolder } from "@bowline/test-services";
import {
  kubernetesServiceAddress,
  type ApiServer,
  type ApiServerBase,
  type ApiServerOptions,
} from "./api-server.ts";
import { whyNoCluster } from "./cluster-obstacles.ts";
import { startControlPlaneBase } from "./control-plane.ts";
import { httpsGet } from "./https-get.ts";
import { busyboxRoot } from "./busybox-root.ts";
import { createCgroupRoot } from "./node/cgroup-root.ts";
import { importArchive, importImage, pauseImage, startContainerd, tagImage } from "./node/containerd.ts";
import { startKubelet } from "./node/kubelet.ts";
import { chooseNodeAddresses } from "./node/node-address.ts";
import { NodeNamespace } from "./node/node-namespace.ts";

const nodeName = "node-1";
const nodeUser = { name: `system:node:${nodeName}`, groups: ["system:nodes"] };

/** Every pod can use it, with `imagePullPolicy: Never`. */
export const busyboxImage = "localhost/busybox:1";

export interface Cluster extends ApiServer {
  readonly nodeName: string;
  /** How pods reach servers that the test itself started, if those listen on this address. */
  readonly hostAddress: string;
  /** Nothing can be pulled: images are made by hand, see `programFiles` and `busyboxRoot`. */
  importImage(image: ImageOptions): Promise<void>;
  /** The same from a file: what `npm run image` makes, or `docker save`. */
  importArchive(file: string): Promise<void>;
  /** Gives an image that was imported another name. */
  tagImage(name: string, other: string): Promise<void>;
}

/**
 * A control plane and one node with real pods. Root on Linux only. There is no kube-proxy: of all service addresses
 * only that of the API server works in pods; pods reach each other and this machine directly.
 */
export async function startCluster(options: ApiServerOptions = {}): Promise<Cluster> {
  const obstacle = await whyNoCluster(process.env);
  if (obstacle !== undefined)
    throw new BowlineError("MissingProgram", `Cannot start a cluster: ${obstacle}.`);
  await using starting = new AsyncDisposableStack();
  const addresses = chooseNodeAddresses();
  const folder = starting.use(await createTempFolder("node")).path;
  const cgroupRoot = starting.use(await createCgroupRoot());
  const node = starting.use(await NodeNamespace.start(folder, addresses));
  const server = starting.use(
    await startControlPlaneBase({
      ...options,
      bindAddress: addresses.host,
      users: [nodeUser, ...(options.users ?? [])],
    }),
  );
  await routeServiceAddress(node, server.url);
  await startContainerd(node, addresses.podRange);
  const layers = [await busyboxRoot()];
  await importImage(node, { name: pauseImage, layers, entrypoint: ["sleep", "2147483647"] });
  await importImage(node, { name: busyboxImage, layers, command: ["sh"] });
  await startKubelet(node, {
    binary: join(server.binaries, "kubelet"),
    version: server.version,
    nodeName,
    address: addresses.node,
    cgroupRoot: cgroupRoot.name,
    kubeconfig: server.kubeconfig(nodeUser.name),
    isReady: (signal) => takesPods(server, signal),
  });
  const owned = starting.move();
  const stop = (): Promise<void> => owned.disposeAsync();
  return {
    ...server,
    nodeName,
    hostAddress: addresses.host,
    importImage: (image) => importImage(node, image),
    importArchive: (file) => importArchive(node, file),
    tagImage: (name, other) => tagImage(node, name, other),
    logs: () => ({ ...server.logs(), ...node.logs() }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** What kube-proxy does for the one service that every pod with a client in it looks for. */
async function routeServiceAddress(node: NodeNamespace, apiServerUrl: string): Promise<void> {
  const match = ["--destination", kubernetesServiceAddress, "--protocol", "tcp", "--dport", "443"];
  for (const chain of ["PREROUTING", "OUTPUT"]) {
    const target = ["--jump", "DNAT", "--to-destination", new URL(apiServerUrl).host];
    await node.run("iptables", "--table", "nat", "--append", chain, ...match, ...target);
  }
}

/** Ready, and the controllers have noticed: a node keeps a taint until then. */
async function takesPods(server: ApiServerBase, signal: AbortSignal): Promise<boolean> {
  const url = `${server.url}/api/v1/nodes/${nodeName}`;
  const { status, body } = await httpsGet(url, { caCert: server.caCert, token: server.adminToken, signal });
  if (status !== 200) return false;
  const node = JSON.parse(body) as {
    spec: { taints?: unknown[] };
    status: { conditions?: { type: string; status: string }[] };
  };
  const isReady = node.status.conditions?.some((each) => each.type === "Ready" && each.status === "True");
  return isReady === true && (node.spec.taints ?? []).length === 0;
}
