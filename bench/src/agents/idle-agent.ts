import { randomUUID } from "node:crypto";

import {
  CurrentIdentity,
  establishIdentity,
  openLinks,
  type ServerDialer,
  type ServerLinks,
} from "@bowline/agent";
import { createLogger, systemClock } from "@bowline/core";

import { MemoryIdentityStore } from "./memory-identity-store.ts";

const version = "bench";
const common = {
  clock: systemClock,
  random: Math.random,
  logger: createLogger({ name: "agent", level: "silent" }),
};

const upstream = {
  maxStreams: 1,
  accept: (): never => {
    throw new Error("Nobody sends requests to an idle agent.");
  },
};

interface Facts {
  readonly clusterUid: string;
  readonly kubernetesVersion: string;
}

/**
 * The agent's own code, with a key and connections of its own, but without a cluster behind it, so that a process can
 * run a thousand.
 */
export class IdleAgent {
  readonly #identity: CurrentIdentity;
  readonly #facts: Facts;
  readonly #dialer: Pick<ServerDialer, "dial" | "dialTunnel">;
  readonly #stop = new AbortController();
  #links: ServerLinks | undefined;

  static async join(
    joinToken: string,
    dialer: Pick<ServerDialer, "dial" | "dialTunnel" | "presentedChain">,
  ): Promise<IdleAgent> {
    const store = new MemoryIdentityStore();
    const facts = { clusterUid: randomUUID(), kubernetesVersion: "v1.36.0" };
    const joined = await establishIdentity({
      ...common,
      store,
      joinToken,
      caPem: undefined,
      facts,
      agentVersion: version,
      dialer,
      signal: new AbortController().signal,
    });
    return new IdleAgent(new CurrentIdentity(joined, store, systemClock), facts, dialer);
  }

  private constructor(
    identity: CurrentIdentity,
    facts: Facts,
    dialer: Pick<ServerDialer, "dial" | "dialTunnel">,
  ) {
    this.#identity = identity;
    this.#facts = facts;
    this.#dialer = dialer;
  }

  /** When it was welcomed, wall clock; undefined while it is not connected. */
  get connectedAtMs(): number | undefined {
    return this.#links?.sessions[0]?.connectedAtMs;
  }

  /** The links that it has opened. */
  get links(): ServerLinks {
    if (this.#links === undefined) throw new Error("The agent is not connected.");
    return this.#links;
  }

  get isServing(): boolean {
    return this.#links?.sessions.some(({ isServing }) => isServing) === true;
  }

  /** As an agent that has just started; what it has learned about the server before is forgotten. */
  async connect(): Promise<void> {
    await this.#links?.drain("The agent starts again.", 0);
    this.#links = openLinks({
      ...common,
      config: {
        servers: [],
        serverCaPem: undefined,
        instance: "",
        log: { level: "silent", format: undefined },
      },
      cluster: { upstream, facts: { latest: () => Promise.resolve(this.#facts) } },
      identity: this.#identity,
      dialer: this.#dialer,
      version,
      signal: this.#stop.signal,
    });
    await this.#links.connected;
  }
}
