import { setTimeout as sleep } from "node:timers/promises";

import type { Cluster } from "@bowline/api";
import type { Random } from "@bowline/core";

import { ApiConnection, type ApiAnswer, type ApiRequest } from "./api-connection.ts";
import { seededRandom } from "./seeded-random.ts";

export interface ClientLoadOptions {
  /** Of all servers; clients that cannot use one turn to the next. */
  readonly urls: readonly string[];
  readonly token: string;
  readonly seed: number;
}

/** What a client was promised about an object of which it is the only writer. */
export interface PromisedObject {
  readonly name: string;
  /** The region that each generation was given, from the first on. */
  readonly regions: string[];
  /** The resourceVersions of the changes, where the answer tells them. */
  readonly resourceVersions: string[];
  isDeleted: boolean;
}

/** An answer, and whether an earlier attempt had none: then that one may have been carried out. */
interface Acknowledgement extends ApiAnswer<Cluster> {
  readonly isRepeated: boolean;
}

const clients = 4;
const maxUpdates = 4;
const deletedShare = 0.25;
const readShare = 0.25;
const reconnectDelayMs = 50;

const collection = "/api/v1/clusters";

/**
 * Clients that create, change and delete clusters as fast as they can, each over a connection of its own. What was not
 * acknowledged they send again, word for word, until it is; so at the end it is known exactly what there has to be.
 */
export class ClientLoad implements AsyncDisposable {
  readonly objects: PromisedObject[] = [];
  /** Answers that break a promise. */
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

  /** How many writes were acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** How many attempts were not answered, or with 503. */
  get unacknowledged(): number {
    return this.#unacknowledged;
  }

  /** Resolves when so many more writes are acknowledged; rejects when something is wrong with an answer. */
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

  /** Whatever is under way is given up. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#cut.abort();
    await this.finish();
  }

  async #runClient(index: number): Promise<void> {
    const { urls, token, seed } = this.#options;
    const random = seededRandom(seed + index);
    using connection = new ApiConnection(urls, token, index);
    this.#cut.signal.addEventListener("abort", () => connection[Symbol.dispose](), { once: true });
    try {
      while (!this.#stop.signal.aborted) await this.#liveThrough(connection, random);
    } catch (thrown) {
      if (!this.#cut.signal.aborted) this.problems.push(String(thrown));
      this.#tell();
    }
  }

  /** The life of one object. */
  async #liveThrough(connection: ApiConnection, random: Random): Promise<void> {
    this.#created += 1;
    const name = `c-${this.#created}`;
    const object: PromisedObject = { name, regions: [], resourceVersions: [], isDeleted: false };
    await this.#create(connection, object);
    const updates = Math.floor(random() * (maxUpdates + 1));
    for (let count = 0; count < updates && !this.#stop.signal.aborted; count += 1) {
      await this.#update(connection, object, random() < 0.5 ? "PUT" : "PATCH");
      if (random() < readShare) await this.#read(connection, object);
    }
    if (random() >= deletedShare || this.#stop.signal.aborted) return;
    await this.#delete(connection, object);
    await this.#read(connection, object);
  }

  async #create(connection: ApiConnection, object: PromisedObject): Promise<void> {
    const { name } = object;
    const region = "r-1";
    const headers = { "idempotency-key": name };
    const sent = { method: "POST", path: collection, headers, body: clusterBody(name, region) };
    const answer = await this.#acknowledge(connection, sent);
    this.#require(answer.status === 201, sent, answer);
    this.objects.push(object);
    this.#keep(object, region, sent, answer);
  }

  async #update(connection: ApiConnection, object: PromisedObject, method: "PUT" | "PATCH"): Promise<void> {
    const { name, regions } = object;
    const region = `r-${regions.length + 1}`;
    const path = `${collection}/${name}`;
    const sent =
      method === "PUT"
        ? { method, path, body: clusterBody(name, region) }
        : { method, path, headers: { "content-type": mergePatch }, body: { spec: { region } } };
    const answer = await this.#acknowledge(connection, sent);
    this.#require(answer.status === 200, sent, answer);
    this.#keep(object, region, sent, answer);
  }

  async #delete(connection: ApiConnection, object: PromisedObject): Promise<void> {
    const sent = { method: "DELETE", path: `${collection}/${object.name}` };
    const answer = await this.#acknowledge(connection, sent);
    this.#require(answer.status === 200 || (answer.isRepeated && answer.status === 404), sent, answer);
    this.#count();
    object.isDeleted = true;
  }

  /** What was acknowledged can be read at once. */
  async #read(connection: ApiConnection, { name, regions, isDeleted }: PromisedObject): Promise<void> {
    const sent = { method: "GET", path: `${collection}/${name}` };
    const answer = await this.#acknowledge(connection, sent);
    if (isDeleted) return this.#require(answer.status === 404, sent, answer);
    this.#require(answer.status === 200 && isAt(answer, regions), sent, answer);
  }

  #keep(object: PromisedObject, region: string, sent: ApiRequest, answer: Acknowledgement): void {
    object.regions.push(region);
    this.#count();
    this.#require(isAt(answer, object.regions), sent, answer);
    const { resourceVersion } = answer.body.metadata ?? {};
    // One that changed nothing, because an attempt before it had, may tell of a later change of the status.
    if (resourceVersion !== undefined && answer.headers["bowline-outcome"] !== "unchanged")
      object.resourceVersions.push(resourceVersion);
  }

  #count(): void {
    this.#acknowledged += 1;
    this.#tell();
  }

  #tell(): void {
    this.#progress.resolve();
    this.#progress = Promise.withResolvers();
  }

  /** Sends it until it is answered, and not with "later". */
  async #acknowledge(connection: ApiConnection, sent: ApiRequest): Promise<Acknowledgement> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#attempt(connection, sent);
      if (answer !== undefined && answer.status !== 503) return { ...answer, isRepeated: attempt > 1 };
      this.#unacknowledged += 1;
      connection.turn();
      const retryAfterSeconds = Number(answer?.headers["retry-after"] ?? 0);
      await sleep(Math.max(reconnectDelayMs, retryAfterSeconds * 1_000), undefined, {
        signal: this.#cut.signal,
      });
    }
  }

  async #attempt(connection: ApiConnection, sent: ApiRequest): Promise<ApiAnswer<Cluster> | undefined> {
    try {
      return await connection.send(sent);
    } catch (thrown) {
      // Not that the connection broke, but that nothing came at all.
      if (thrown instanceof Error && thrown.name === "AbortError") throw thrown;
      return undefined;
    }
  }

  #require(isKept: boolean, sent: ApiRequest, { status, body }: Acknowledgement): void {
    if (!isKept) throw new Error(`${JSON.stringify(sent)} was answered ${status} ${JSON.stringify(body)}`);
  }
}

const mergePatch = "application/merge-patch+json";

function clusterBody(name: string, region: string): object {
  return { apiVersion: "bowline.dev/v1", kind: "Cluster", metadata: { name }, spec: { region } };
}

function isAt({ body }: ApiAnswer<Cluster>, regions: readonly string[]): boolean {
  return body.metadata?.generation === regions.length && body.spec?.region === regions.at(-1);
}
