import { setTimeout as sleep } from "node:timers/promises";

import type { Random } from "@bowline/core";
import type { Fault, Faults } from "@bowline/kubesim";

import type { Fleet, FleetCluster } from "../fleet/fleet.ts";
import type { ChangingCluster } from "./changing-cluster.ts";

export interface GraphTroubleOptions {
  readonly fleet: Fleet;
  readonly cluster: FleetCluster;
  readonly random: Random;
  readonly changing: ChangingCluster;
  /** Called while something is broken: the cluster goes on. */
  readonly meanwhile: () => void;
}

const longestOutageMs = 2_500;

/** Everything that can come between a cluster and its graph, one after the other at random. */
export class GraphTrouble {
  /** How often each has struck. */
  readonly struck = new Map<string, number>();
  readonly #options: GraphTroubleOptions;

  constructor(options: GraphTroubleOptions) {
    this.#options = options;
  }

  async strike(): Promise<void> {
    const all = Object.entries(this.#kinds);
    const [name, strike] = all[Math.floor(this.#options.random() * all.length)] ?? all[0] ?? [];
    if (name === undefined || strike === undefined) return;
    this.struck.set(name, (this.struck.get(name) ?? 0) + 1);
    await strike();
  }

  readonly #kinds: Readonly<Record<string, () => Promise<void>>> = {
    "the agent is killed": async () => {
      await this.#agent?.kill();
      await this.#agent?.launch();
    },
    "the agent is away": async () => {
      await this.#agent?.kill();
      await this.#passes();
      await this.#agent?.launch();
    },
    "the server is killed": async () => {
      await this.#options.fleet.server.kill();
      this.#options.fleet.server.launch();
    },
    "the server is away": async () => {
      await this.#options.fleet.server.kill();
      await this.#passes();
      await this.#options.fleet.server.start();
    },
    "both are killed": async () => {
      await Promise.all([this.#options.fleet.server.kill(), this.#agent?.kill()]);
      this.#options.meanwhile();
      this.#options.fleet.server.launch();
      await this.#agent?.launch();
    },
    "a kind goes and comes back": async () => {
      await this.#options.changing.undefine();
      await this.#passes();
      this.#options.changing.define();
    },
    "connections break": async () => {
      const { toApiServer, toServers } = this.#options.cluster;
      for (const network of [toApiServer, ...toServers]) network.cut();
    },
    "watches end": async () => void this.#faults.dropWatches(),
    "watches end in a line": async () => void this.#faults.cutLines(),
    "watches stall": () => this.#during(() => this.#faults.stallWatches()),
    // From where they were they cannot go on: everything is read again.
    "watches end, and history with them": () => this.#readAgain(),
    "pages of lists expire": () =>
      this.#during(() => {
        const fault = this.#faults.expireRequests({ verb: "list", path: /[?&]continue=/u, times: 2 });
        void this.#readAgain();
        return fault;
      }),
    "everything is listed": () =>
      this.#during(() => {
        const fault = this.#faults.endWatchLists();
        void this.#readAgain();
        return fault;
      }),
    "requests fail": () =>
      this.#during(() => {
        const fault = this.#faults.failRequests({ code: 503, share: 0.5, seed: this.#seed() });
        this.#faults.dropWatches();
        return fault;
      }),
  };

  get #faults(): Faults {
    return this.#options.cluster.sim.faults;
  }

  get #agent() {
    return this.#options.cluster.agents[0];
  }

  #seed(): number {
    return Math.floor(this.#options.random() * 1_000_000);
  }

  async #readAgain(): Promise<void> {
    const fault = this.#faults.failRequests({ code: 503, verb: "watch", times: 5 });
    this.#faults.dropWatches();
    this.#options.meanwhile();
    this.#faults.compact();
    fault.remove();
  }

  async #during(set: () => Fault): Promise<void> {
    const fault = set();
    await this.#passes();
    fault.remove();
  }

  async #passes(): Promise<void> {
    const { meanwhile, random } = this.#options;
    meanwhile();
    await sleep(random() * longestOutageMs);
    meanwhile();
  }
}
