import { WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import type { ChangeEvent, Client } from "@bowline/client";
import { hasCode } from "@bowline/core";
import type { Cluster } from "@bowline/test-cluster";

import { watchCluster, type ClusterObject } from "./cluster-watch.ts";
import { EventSides } from "./event-sides.ts";
import { View } from "./view.ts";

/** Two watches do not tell in the very same moment: so much earlier Bowline may show it. */
const skewMs = 500;
/** How long a cluster may take to get somewhere, and Bowline after it. */
export const patienceMs = 60_000;

interface Deployment extends ClusterObject {
  readonly spec: {
    readonly replicas: number;
    readonly template: { readonly metadata: ClusterObject["metadata"] };
  };
  readonly status?: Readonly<Partial<Record<string, number>>>;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

export interface Pod extends ClusterObject {
  readonly status: {
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly {
      readonly ready: boolean;
      readonly restartCount: number;
      readonly state: {
        readonly waiting?: { readonly reason: string };
        readonly running?: object;
        readonly terminated?: object;
      };
    }[];
  };
}

/** What the cluster itself shows of one namespace. */
export interface ClusterState {
  readonly deployments: readonly Deployment[];
  readonly pods: readonly Pod[];
}

/** What the API of Bowline shows of one instance in one cluster. */
export interface ApiState {
  readonly instance?: WorkloadInstance;
  readonly placement?: WorkloadPlacement;
}

export interface Step {
  readonly act: () => Promise<unknown>;
  readonly inCluster: (state: ClusterState) => boolean;
  readonly inApi: (state: ApiState) => boolean;
}

interface Difference {
  readonly name: string;
  readonly ms: number;
}

interface SidesOptions {
  readonly cluster: Cluster;
  readonly client: Client;
  /** Only the workload is in it. */
  readonly namespace: string;
  readonly instance: string;
}

/** A workload as its cluster shows it, and as Bowline does, with the moments of both. */
export class BothSides implements AsyncDisposable {
  readonly differences: Difference[] = [];
  readonly events = new EventSides();
  readonly #cluster = new View<ClusterState>("The cluster");
  readonly #api = new View<ApiState>("The API");
  readonly #open = new AsyncDisposableStack();

  static async open(options: SidesOptions): Promise<BothSides> {
    const sides = new BothSides();
    await sides.#watchCluster(options);
    await sides.#watchApi(options);
    return sides;
  }

  get api(): ApiState {
    return this.#api.latest ?? {};
  }

  get cluster(): ClusterState {
    return this.#cluster.latest ?? { deployments: [], pods: [] };
  }

  /** Does something, waits until the cluster shows what follows from it, and then for Bowline. */
  async step(name: string, { act, inCluster, inApi }: Step): Promise<void> {
    const after = { cluster: this.#cluster.mark, api: this.#api.mark };
    await act();
    const untilMs = performance.now() + patienceMs;
    const shownMs = await this.#cluster.firstSeen(inCluster, { after: after.cluster, untilMs });
    const toldMs = await this.#api.firstSeen(inApi, { after: after.api, untilMs: shownMs + patienceMs });
    const ms = Math.round(toldMs - shownMs);
    this.differences.push({ name, ms });
    if (ms < -skewMs) throw new Error(`${name}: the API told it ${-ms} ms before it was so.`);
  }

  /**
   * Waits until Bowline shows something, and from then on until the cluster shows something; resolves to all that Bowline
   * has shown in between.
   */
  async shownUntil({ inApi, inCluster }: Omit<Step, "act">): Promise<ApiState[]> {
    const untilMs = performance.now() + patienceMs;
    await this.#api.firstSeen(inApi, { after: Math.max(0, this.#api.mark - 1), untilMs });
    const from = this.#api.mark;
    await this.#cluster.firstSeen(inCluster, { after: Math.max(0, this.#cluster.mark - 1), untilMs });
    return this.#api.since(from);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#open.disposeAsync();
  }

  async #watchCluster({ cluster, namespace }: SidesOptions): Promise<void> {
    const [deployments, pods] = [new Map<string, Deployment>(), new Map<string, Pod>()];
    const keep = async <Item extends ClusterObject>(
      path: string,
      items: Map<string, Item>,
    ): Promise<void> => {
      const watch = await watchCluster<Item>(cluster, path, ({ type, object }) => {
        if (type === "DELETED") items.delete(object.metadata.name);
        else items.set(object.metadata.name, object);
        this.#cluster.add({ deployments: [...deployments.values()], pods: [...pods.values()] });
      });
      this.#open.use(watch);
    };
    await keep(`/apis/apps/v1/namespaces/${namespace}/deployments`, deployments);
    await keep(`/api/v1/namespaces/${namespace}/pods`, pods);
    this.#open.use(
      await watchCluster(cluster, `/api/v1/namespaces/${namespace}/events`, (change) =>
        this.events.inCluster(change),
      ),
    );
  }

  async #watchApi({ client, instance }: SidesOptions): Promise<void> {
    const stopping = new AbortController();
    const following: Promise<void>[] = [];
    this.#open.defer(async () => {
      stopping.abort();
      await Promise.all(following);
    });
    const { signal } = stopping;
    let state: ApiState = {};
    const follow = async <Item>(
      open: (onOpen: () => void) => AsyncIterable<ChangeEvent<Item>>,
      handle: (event: ChangeEvent<Item>) => void,
    ): Promise<void> => {
      const opened = Promise.withResolvers<void>();
      const run = async (): Promise<void> => {
        for await (const event of open(opened.resolve)) handle(event);
      };
      following.push(
        run().catch((error: unknown) => {
          if (!hasCode(error, "Cancelled")) throw error;
        }),
      );
      await opened.promise;
    };
    await follow(
      (onOpen) =>
        client.watch(WorkloadInstance, { fieldSelector: `metadata.name=${instance}` }, { signal, onOpen }),
      (event) => {
        if (event.type === "BOOKMARK") return;
        const { instance: _, ...others } = state;
        this.#api.add((state = event.type === "DELETED" ? others : { ...others, instance: event.object }));
      },
    );
    await follow(
      (onOpen) =>
        client.watch(WorkloadPlacement, { fieldSelector: `spec.instance=${instance}` }, { signal, onOpen }),
      (event) => {
        if (event.type === "BOOKMARK") return;
        const { placement: _, ...others } = state;
        this.#api.add((state = event.type === "DELETED" ? others : { ...others, placement: event.object }));
      },
    );
    await follow(
      (onOpen) => client.watchEvents({ instance }, { signal, onOpen }),
      (event) => {
        if (event.type !== "BOOKMARK") this.events.inApi(event.object);
      },
    );
  }
}
