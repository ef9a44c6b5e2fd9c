import type { EventRecord } from "@bowline/api";

import type { ClusterChange, ClusterObject } from "./cluster-watch.ts";
import { View } from "./view.ts";

/** An Event of the cluster, by the older of its two APIs, which has all of them. */
interface ClusterEvent extends ClusterObject {
  readonly involvedObject: { readonly kind: string; readonly name: string };
  readonly reason: string;
  readonly message: string;
  readonly count?: number;
  readonly series?: { readonly count: number };
}

interface Told {
  /** What it is about, and its reason; the message of an event changes where several are combined into one. */
  readonly key: string;
  readonly message: string;
  readonly count: number;
}

/** Every repetition of an event, as the cluster shows it and as Bowline does. */
export class EventSides {
  readonly #cluster: (Told & { readonly atMs: number })[] = [];
  readonly #api = new View<Told>("The list of events");
  /** Each event as it was shown last. */
  readonly #latest = { cluster: new Map<string, Told>(), api: new Map<string, Told>() };

  inCluster({ type, object }: ClusterChange<ClusterObject>): void {
    if (type !== "ADDED" && type !== "MODIFIED") return;
    const { involvedObject: about, reason, message, count = 0, series } = object as ClusterEvent;
    const told = {
      key: `${about.kind} ${about.name} ${reason}`,
      message: message.trim(),
      count: Math.max(1, count, series?.count ?? 0),
    };
    this.#cluster.push({ ...told, atMs: performance.now() });
    this.#latest.cluster.set(object.metadata.uid, told);
  }

  inApi({ id, regarding, reason, message, count, source }: EventRecord): void {
    if (source !== "kubernetes") return;
    const told = { key: `${regarding.kind} ${regarding.name} ${reason}`, message, count };
    this.#latest.api.set(id, told);
    this.#api.add(told);
  }

  get mark(): number {
    return this.#cluster.length;
  }

  /** All events as a side shows them now. */
  shownBy(side: "cluster" | "api"): string[] {
    const events = [...this.#latest[side].values()];
    return events.map(({ key, message, count }) => `${count} × ${key}: ${message}`).toSorted();
  }

  /** How much later than the cluster Bowline showed each event, of those that the cluster showed between two marks. */
  async differences({ from, to, limitMs }: { from: number; to: number; limitMs: number }): Promise<number[]> {
    const found: number[] = [];
    for (const { key, message, count, atMs } of this.#cluster.slice(from, to)) {
      const isIt = (told: Told): boolean =>
        told.key === key && (told.count > count || (told.count === count && told.message === message));
      const search = { after: 0, untilMs: atMs + limitMs };
      const toldMs = await this.#api.firstSeen(isIt, search).catch((cause: unknown) => {
        throw new Error(`The API lacks an event: ${count} × ${key}: ${message}`, { cause });
      });
      found.push(Math.round(toldMs - atMs));
    }
    return found;
  }
}
