import type { Clock } from "@bowline/core";

import type { KubeMessage } from "../observe/kube-message.ts";
import type { Router, Subscription } from "../observe/router.ts";
import type { ReportQueue } from "../report/report-queue.ts";
import { ClusterViews, nodeFields, type View } from "./cluster-views.ts";
import { podFields } from "./pod-numbers.ts";

/** How often views were looked at. */
export interface ViewCounts {
  told: number;
  /** They had the numbers that were told before. */
  unchanged: number;
}

export interface ViewsObserverOptions {
  readonly router: Router;
  readonly queue: ReportQueue;
  readonly viewCounts: ViewCounts;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const pods = "/Pod";
const nodes = "/Node";

const wanted = new Map([
  [pods, { group: "", kind: "Pod", fields: podFields }],
  [nodes, { group: "", kind: "Node", fields: nodeFields }],
]);

/** Long enough to gather what changes together, short enough for people who look. */
const gatherMs = 2_000;
/** About what a number takes with its name. */
const numberBytes = 40;

/** Computes views of the cluster and puts each into the queue when it changes. */
export class ViewsObserver {
  readonly #options: ViewsObserverOptions;
  readonly #views = new ClusterViews();
  readonly #subscription: Subscription;
  readonly #told = new Map<string, string>();
  /** Kinds that were read as a whole: before that, numbers would be wrong. */
  readonly #read = new Set<string>();
  #cancelFlush: (() => void) | undefined;

  constructor(options: ViewsObserverOptions) {
    this.#options = options;
    this.#subscription = options.router.subscribe({
      name: "views",
      hasRoom: () => true,
      accept: (message) => this.#accept(message),
    });
  }

  /** To be called again and again: whether a kind can be watched shows by and by. */
  attend(): void {
    this.#subscription.want(wanted);
  }

  stop(): void {
    this.#cancelFlush?.();
    this.#subscription.leave();
  }

  #accept(message: KubeMessage): boolean {
    if (message.action === "restarted") this.#restarted(message.kind);
    else if (message.action === "deleted") this.#views.remove(message.place.uid);
    else if (message.kind === pods) this.#views.setPod(message.place, message.object);
    else this.#views.setNode(message.place, message.object);
    if (this.#read.has(message.kind)) this.#flushSoon();
    return true;
  }

  #restarted(kind: string): void {
    const present = new Set(this.#subscription.watchOf(kind)?.uids());
    if (kind === pods) this.#views.keepPods(present);
    else this.#views.keepNodes(present);
    this.#read.add(kind);
  }

  #flushSoon(): void {
    const { clock, signal } = this.#options;
    if (this.#cancelFlush !== undefined || signal.aborted) return;
    this.#cancelFlush = clock.after(gatherMs, () => {
      this.#cancelFlush = undefined;
      this.#flush();
    });
  }

  #flush(): void {
    const views: Record<string, View> = {
      ...(this.#read.has(nodes) ? this.#views.ofNodes() : {}),
      ...(this.#read.has(pods) ? this.#views.ofPods() : {}),
    };
    for (const [name, view] of Object.entries(views)) {
      const text = JSON.stringify(Object.entries(view).sort(([a], [b]) => (a < b ? -1 : 1)));
      const isNews = this.#told.get(name) !== text;
      this.#options.viewCounts[isNews ? "told" : "unchanged"] += 1;
      if (!isNews) continue;
      this.#told.set(name, text);
      const numbers = Object.fromEntries(
        Object.entries(view).map(([key, value]) => [key, wholeNumber(value)] as const),
      );
      const bytes = numberBytes * (1 + Object.keys(view).length);
      // As many as there are views, each of a bounded size.
      const item = { item: { case: "view" as const, value: { name, numbers } } };
      this.#options.queue.putAlways({ key: `view ${name}`, item, bytes });
    }
  }
}

/** Whoever writes the status of a node may write that it has more memory than there are numbers for. */
function wholeNumber(value: number): bigint {
  return BigInt(Math.round(Math.min(value, Number.MAX_SAFE_INTEGER)));
}
