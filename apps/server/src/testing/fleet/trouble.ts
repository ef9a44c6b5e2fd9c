import type { EventRecord } from "@bowline/api";
import type { SimObject } from "@bowline/kubesim";

import { differences } from "../crash/kept-promises.ts";
import type { Fleet, FleetCluster } from "./fleet.ts";

const reason = "Trouble";
/** Of ten events, so many have happened before. */
const repeatedOfTen = 3;

interface CountedEvent extends SimObject {
  count?: number;
  message?: string;
}

/** Events about one object of a workload, new and repeated ones, as a cluster writes them. */
export class Trouble {
  readonly #cluster: FleetCluster;
  readonly #about: SimObject;
  readonly #names: string[] = [];
  #ticks = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(cluster: FleetCluster, about: SimObject) {
    this.#cluster = cluster;
    this.#about = about;
  }

  /** How many events there are. */
  get count(): number {
    return this.#names.length;
  }

  /** Writes so many a second, until `stop`. */
  start(perSecond: number): void {
    const startedMs = performance.now();
    const before = this.#ticks;
    this.#timer = setInterval(() => {
      const due = before + Math.floor(((performance.now() - startedMs) * perSecond) / 1000);
      while (this.#ticks < due) this.#write();
    }, 10);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** How many the API tells of. */
  async told(fleet: Fleet): Promise<number> {
    return (await this.#records(fleet)).length;
  }

  /** Where the API tells something else than the cluster: what is missing, has another count, or is there twice. */
  async difference(fleet: Fleet): Promise<string[]> {
    const items = await this.#records(fleet);
    const told = items.map(({ message, count }) => `${message} ${count}`);
    const twice = items
      .map(({ message }) => message)
      .toSorted()
      .filter((message, index, all) => message === all[index - 1]);
    return [...differences(this.#inCluster(), told), ...twice.map((message) => `twice: ${message}`)];
  }

  #records(fleet: Fleet): Promise<EventRecord[]> {
    return fleet.list<EventRecord>("events", `reason=${reason}&cluster=${this.#cluster.name}`);
  }

  #inCluster(): string[] {
    return this.#names.map((name) => {
      const event = this.#event(name);
      return `${event?.message} ${event?.count}`;
    });
  }

  #event(name: string): CountedEvent | undefined {
    return this.#cluster.sim.api.get("events", this.#about.metadata.namespace, name);
  }

  #write(): void {
    this.#ticks += 1;
    const isRepeated = this.#ticks % 10 >= 10 - repeatedOfTen;
    const known = isRepeated
      ? this.#event(this.#names[(this.#ticks * 7) % this.#names.length] ?? "")
      : undefined;
    const lastTimestamp = new Date().toISOString();
    const { api } = this.#cluster.sim;
    if (known !== undefined) {
      api.update("events", { ...known, count: (known.count ?? 0) + 1, lastTimestamp });
      return;
    }
    const { apiVersion, kind, metadata } = this.#about;
    const { namespace = "", name, uid } = metadata;
    const own = `${name}.${this.#ticks}`;
    this.#names.push(own);
    api.create("events", {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: own, namespace },
      involvedObject: { apiVersion, kind, namespace, name, uid },
      type: "Warning",
      reason,
      message: `Something is wrong with ${name} for the ${this.#ticks}th time.`,
      count: 1,
      firstTimestamp: lastTimestamp,
      lastTimestamp,
    });
  }
}
