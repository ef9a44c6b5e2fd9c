import type { Clock, Logger, Random } from "@bowline/core";

import type { Replica, ReplicaStore } from "@bowline/store";

export interface ReplicaDirectoryOptions {
  readonly replicas: Pick<ReplicaStore, "list">;
  /** Names this replica. */
  readonly self: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Called after each look, with those that are there; this one is among them, unless the others took it for dead. */
  readonly onSeen: (ids: ReadonlySet<string>) => void;
}

/** How often to look, where nobody says that a replica came or went. Agents hear of it; no request waits for it. */
const intervalMs = 10_000;

/** The other replicas that take agents and requests. */
export class ReplicaDirectory {
  readonly #options: ReplicaDirectoryOptions;
  readonly #stop = new AbortController();
  #others: ReadonlyMap<string, Replica> = new Map();
  #agentUrls: readonly string[] = [];
  #running: Promise<void> | undefined;

  constructor(options: ReplicaDirectoryOptions) {
    this.#options = options;
  }

  /** Where agents reach the others, each address once. */
  get agentUrls(): readonly string[] {
    return this.#agentUrls;
  }

  find(id: string): Replica | undefined {
    return this.#others.get(id);
  }

  async start(): Promise<void> {
    await this.#look();
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** One has come or gone. */
  lookNow(): void {
    this.#look().catch((error: unknown) => this.#failed(error));
  }

  /** They were found elsewhere, before the next look. */
  learn(replicas: readonly Replica[]): void {
    if (replicas.every(({ id }) => this.#others.has(id))) return;
    this.#keep([...this.#others.values(), ...replicas]);
  }

  async #run(): Promise<void> {
    const { clock, random } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await clock.sleep(intervalMs * (0.5 + random()), signal);
        await this.#look();
      } catch (error) {
        if (!signal.aborted) this.#failed(error);
      }
    }
  }

  async #look(): Promise<void> {
    const replicas = await this.#options.replicas.list();
    this.#keep(replicas);
    this.#options.onSeen(new Set(replicas.map(({ id }) => id)));
  }

  #keep(replicas: readonly Replica[]): void {
    const others = replicas.filter(({ id }) => id !== this.#options.self);
    this.#others = new Map(others.map((replica) => [replica.id, replica]));
    this.#agentUrls = [...new Set(others.flatMap(({ agentUrls }) => agentUrls))].toSorted();
  }

  #failed(error: unknown): void {
    this.#options.logger.warn(
      { err: error },
      "The other replicas could not be looked up; will be tried again",
    );
  }
}
