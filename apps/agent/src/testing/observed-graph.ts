import { CoverageState, type KnownObjects } from "@bowline/protocol";
import { onTestFinished } from "vitest";

import { GraphObserver, type ResourceName } from "../graph/graph-observer.ts";
import { kindKey } from "../observe/kube-message.ts";
import { Router } from "../observe/router.ts";
import type { ReportItem } from "../report/report-item.ts";
import { ReportQueue, type ReportQueueLimits } from "../report/report-queue.ts";
import { MovingClock } from "./moving-clock.ts";
import type { ObservedCluster } from "./observed-cluster.ts";
import { silentLogger } from "./session-fixture.ts";

type ItemOf<Case> = Extract<NonNullable<ReportItem["item"]>, { readonly case: Case }>["value"];

interface ObservedGraphOptions {
  readonly limits?: ReportQueueLimits;
  /** What the server knows from before. */
  readonly known?: readonly KnownObjects[];
  readonly moreResources?: readonly ResourceName[];
  readonly observesSecrets?: boolean;
}

/** An observer of the graph, and a server that keeps what it is told. */
export class ObservedGraph {
  readonly clock = new MovingClock();
  readonly router: Router;
  readonly observer: GraphObserver;
  readonly queue: ReportQueue;
  readonly factCounts = { told: 0, unchanged: 0, refused: 0, cut: 0 };
  readonly viewCounts = { told: 0, unchanged: 0 };
  /** Facts by UID, as a database would have them. */
  readonly facts = new Map<string, ItemOf<"facts">>();
  /** Names of the objects whose facts came, each time. */
  readonly told: string[] = [];
  /** UIDs that are gone. */
  readonly gone: string[] = [];
  /** By kind, and `KIND in NAMESPACE`. */
  readonly coverage = new Map<string, ItemOf<"coverage">>();
  /** Numbers by name. */
  readonly views = new Map<string, Record<string, number>>();
  isComplete = false;
  /** Leaves everything in the queue, as if the server were away. */
  isAway = false;
  readonly #stop = new AbortController();

  constructor(cluster: ObservedCluster, options: ObservedGraphOptions = {}) {
    const { limits, known = [], moreResources = [], observesSecrets = true } = options;
    const { client } = cluster;
    const { clock } = this;
    const { signal } = this.#stop;
    const shared = { client, observesSecrets, clock, random: Math.random, logger: silentLogger, signal };
    this.router = new Router(shared);
    this.queue = new ReportQueue(limits);
    this.queue.onItems = () => setImmediate(() => this.take());
    const { router, queue, factCounts, viewCounts } = this;
    this.observer = new GraphObserver({
      ...shared,
      router,
      queue,
      factCounts,
      viewCounts,
      moreResources: () => moreResources,
    });
    for (const objects of known) this.observer.known(objects);
    this.observer.begin();
    onTestFinished(() => this.stop());
  }

  /** Moves the clock until something is so. */
  until<T>(read: () => T): ReturnType<typeof this.clock.until<T>> {
    return this.clock.until(read);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.observer.stop();
    await this.router.stop();
  }

  take(): void {
    while (!this.isAway) {
      const taken = this.queue.take({ maxItems: 1000, maxBytes: 1e9 });
      if (taken === undefined) return;
      if (taken.kind === "complete") this.isComplete = true;
      else for (const { item } of taken.items) this.#keep(item);
    }
  }

  /** Names of the objects of a kind, as they were last told. */
  names(kind: string): string[] {
    const found = [...this.facts.values()].filter((each) => each.kind === kind);
    return found.map(({ name = "" }) => name).sort();
  }

  stateOf(kind: string, namespace = ""): string {
    const state = this.coverage.get(`${kind}${inWords(namespace)}`)?.state;
    return Object.entries(CoverageState).find(([, each]) => each === state)?.[0] ?? "";
  }

  /** As the server would say it to an agent that begins. */
  known(): KnownObjects[] {
    return [...this.facts.values()].map(({ uid = "", group = "", kind = "", namespace = "", digest }) => ({
      $typeName: "bowline.agent.v1.KnownObjects",
      group,
      kind,
      namespace,
      uids: [uid],
      digests: new Uint8Array(digest ?? []),
    }));
  }

  #keep({ item }: ReportItem): void {
    if (item?.case === "facts") {
      this.facts.set(item.value.uid ?? "", item.value);
      this.told.push(item.value.name ?? "");
    } else if (item?.case === "gone") {
      const uid = item.value.ref?.uid ?? "";
      this.facts.delete(uid);
      this.gone.push(uid);
    } else if (item?.case === "view") {
      const numbers = Object.entries(item.value.numbers ?? {}).map(([name, value]) => [name, Number(value)]);
      this.views.set(item.value.name ?? "", Object.fromEntries(numbers));
    } else if (item?.case === "coverage") {
      const { group = "", kind = "", namespace = "" } = item.value;
      this.coverage.set(`${kindKey({ group, kind })}${inWords(namespace)}`, item.value);
    }
  }
}

function inWords(namespace: string): string {
  return namespace === "" ? "" : ` in ${namespace}`;
}
