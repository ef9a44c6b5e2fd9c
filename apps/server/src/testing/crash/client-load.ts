import type { Random } from "@bowline/core";
import { seededRandom } from "@bowline/core/testing";

import { ApiConnection } from "./api-connection.ts";
import { ObjectClient, type PromisedObject } from "./object-client.ts";

export interface ClientLoadOptions {
  /** Of all servers; clients that cannot use one turn to the next. */
  readonly urls: readonly string[];
  readonly token: string;
  readonly seed: number;
}

const clients = 8;
const maxUpdates = 4;
const deletedShare = 0.25;
const readShare = 0.25;

/**
 * Clients that create, change and delete clusters as fast as they can, each over a connection of its own and each its
 * own clusters: at the end it is known exactly what there has to be.
 */
export class ClientLoad implements AsyncDisposable {
  readonly objects: PromisedObject[] = [];
  /** Why clients gave up: answers that break a promise. */
  readonly problems: string[] = [];
  readonly #options: ClientLoadOptions;
  readonly #stop = new AbortController();
  readonly #cut = new AbortController();
  readonly #running: Promise<unknown>;
  #acknowledged = 0;
  #unacknowledged = 0;
  #created = 0;
  #progress = Promise.withResolvers<void>();

  /** They begin at once. */
  constructor(options: ClientLoadOptions) {
    this.#options = options;
    this.#running = Promise.all(Array.from({ length: clients }, (_, index) => this.#runClient(index)));
  }

  /** How many attempts were not answered, or with "later". */
  get unacknowledged(): number {
    return this.#unacknowledged;
  }

  /** Resolves when so many more writes are acknowledged; rejects when a client has given up. */
  async acknowledges(count: number): Promise<void> {
    const target = this.#acknowledged + count;
    while (this.#acknowledged < target) {
      if (this.problems.length > 0) throw new Error(this.problems.join("\n"));
      await this.#progress.promise;
    }
  }

  /** Resolves when everything that was begun is acknowledged. */
  async finish(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Requests under way are given up. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#cut.abort();
    await this.finish();
  }

  async #runClient(index: number): Promise<void> {
    const { urls, token, seed } = this.#options;
    const { signal } = this.#cut;
    const random = seededRandom(seed + index);
    using connection = new ApiConnection(urls, token, index);
    signal.addEventListener("abort", () => connection[Symbol.dispose](), { once: true });
    const client = new ObjectClient({
      connection,
      signal,
      onAcknowledged: () => {
        this.#acknowledged += 1;
        this.#tell();
      },
      onUnacknowledged: () => (this.#unacknowledged += 1),
    });
    try {
      while (!this.#stop.signal.aborted) await this.#liveThrough(client, random);
    } catch (thrown) {
      if (!signal.aborted) this.problems.push(String(thrown));
      this.#tell();
    }
  }

  /** The life of one object. */
  async #liveThrough(client: ObjectClient, random: Random): Promise<void> {
    const { signal } = this.#stop;
    this.#created += 1;
    const object = await client.create(`c-${this.#created}`);
    this.objects.push(object);
    const updates = Math.floor(random() * (maxUpdates + 1));
    for (let count = 0; count < updates && !signal.aborted; count += 1) {
      await client.update(object, random() < 0.5 ? "PUT" : "PATCH");
      if (random() < readShare) await client.read(object);
    }
    if (random() >= deletedShare || signal.aborted) return;
    await client.delete(object);
    await client.read(object);
  }

  #tell(): void {
    this.#progress.resolve();
    this.#progress = Promise.withResolvers();
  }
}
