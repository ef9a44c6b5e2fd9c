import type { Lease, Node } from "../controllers/kinds/node.ts";
import { Resource } from "../controllers/loop/resource.ts";
import type { WorkLoop, WorkQueue } from "../controllers/loop/work-loop.ts";
import { microTimestamp } from "../controllers/timestamps.ts";
import type { SimApi } from "../store/sim-api.ts";
import { nodeStatus } from "./node-object.ts";
import type { SimNode } from "./sim-node.ts";

const leaseNamespace = "kube-node-lease";
const leaseDurationSeconds = 40;
const foreverSeconds = 2 ** 31 - 1;
const statusPeriodMs = 300_000;

export interface HeartbeatOptions {
  readonly api: SimApi;
  readonly loop: WorkLoop;
  readonly node: (name: string) => SimNode | undefined;
  /** How often a lease is renewed; 0 turns renewal off, and a node lives until it is told to fail. */
  readonly leasePeriodMs: number;
  readonly kubeletVersion: string;
}

/**
 * Signs of life, as kubelets give them: a small Lease every ten seconds, the whole status only every five minutes. The
 * nodes of a cluster take turns, so that hundreds of them never write at the same moment.
 */
export class Heartbeats {
  readonly #options: HeartbeatOptions;
  readonly #leases: Resource<Lease>;
  readonly #nodes: Resource<Node>;
  readonly #leaseQueue: WorkQueue;
  readonly #statusQueue: WorkQueue;
  #started = 0;

  constructor(options: HeartbeatOptions) {
    const { api, loop } = options;
    this.#options = options;
    this.#leases = new Resource<Lease>(api, "leases.coordination.k8s.io");
    this.#nodes = new Resource<Node>(api, "nodes");
    this.#leaseQueue = loop.queue("node-lease", (name) => this.#renew(name));
    this.#statusQueue = loop.queue("node-status", (name) => this.#report(name));
    if (api.get("namespaces", undefined, leaseNamespace) === undefined) {
      api.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: leaseNamespace } });
    }
  }

  start(node: SimNode): void {
    this.#writeLease(node);
    this.#report(node.name);
    const { leasePeriodMs } = this.#options;
    // The golden ratio spreads any number of nodes evenly over the period.
    const phase = (this.#started++ * 0.618_033_988_75) % 1;
    if (leasePeriodMs > 0) this.#leaseQueue.addAfter(node.name, leasePeriodMs * (1 + phase) * 0.5);
  }

  /** A node that was away says at once that it is back. */
  resume(node: SimNode): void {
    this.#writeLease(node);
    this.#report(node.name);
    if (this.#options.leasePeriodMs > 0) this.#leaseQueue.addAfter(node.name, this.#options.leasePeriodMs);
  }

  /** Without renewal nobody would notice a node that fails; its lease ends instead. */
  fail(node: SimNode): void {
    if (this.#options.leasePeriodMs === 0) this.#writeLease(node, leaseDurationSeconds);
  }

  forget(name: string): void {
    const lease = this.#leases.get(leaseNamespace, name);
    if (lease !== undefined) this.#leases.delete(lease);
  }

  close(): void {
    this.#leases.close();
    this.#nodes.close();
  }

  #renew(name: string): void {
    const node = this.#options.node(name);
    if (node?.isUp !== true) return;
    this.#writeLease(node);
    this.#leaseQueue.addAfter(name, this.#options.leasePeriodMs);
  }

  #writeLease(node: SimNode, durationSeconds = this.#durationSeconds()): void {
    const renewTime = microTimestamp(this.#options.loop.clock.now());
    const spec = { holderIdentity: node.name, leaseDurationSeconds: durationSeconds, renewTime };
    const lease = this.#leases.get(leaseNamespace, node.name);
    if (lease !== undefined) {
      this.#leases.update({ ...lease, spec });
      return;
    }
    const owner = this.#nodes.get(undefined, node.name);
    const ownerReferences =
      owner === undefined
        ? []
        : [{ apiVersion: "v1", kind: "Node", name: node.name, uid: owner.metadata.uid }];
    this.#leases.create({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: node.name, namespace: leaseNamespace, ownerReferences },
      spec,
    });
  }

  #durationSeconds(): number {
    return this.#options.leasePeriodMs === 0 ? foreverSeconds : leaseDurationSeconds;
  }

  #report(name: string): void {
    const simNode = this.#options.node(name);
    const node = this.#nodes.get(undefined, name);
    if (simNode?.isUp !== true || node === undefined) return;
    const nowMs = this.#options.loop.clock.now();
    const status = nodeStatus(simNode, this.#options.kubeletVersion, node.status, nowMs);
    this.#nodes.updateStatus({ ...node, status });
    this.#statusQueue.addAfter(name, statusPeriodMs);
  }
}
