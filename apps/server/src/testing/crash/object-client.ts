import { setTimeout as sleep } from "node:timers/promises";

import type { Cluster } from "@bowline/api";

import type { ApiAnswer, ApiConnection, ApiRequest } from "./api-connection.ts";

export interface ObjectClientOptions {
  readonly connection: ApiConnection;
  /** Gives up whatever is not acknowledged. */
  readonly signal: AbortSignal;
  readonly onAcknowledged: () => void;
  readonly onUnacknowledged: () => void;
}

/** The promises to a client about an object of which it is the only writer. */
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

const collection = "/api/v1/clusters";
const mergePatch = "application/merge-patch+json";
const reconnectDelayMs = 50;

/**
 * A client that writes clusters. What was not acknowledged it sends again, word for word, until it is. Rejects when an
 * answer is not what was promised before.
 */
export class ObjectClient {
  readonly #options: ObjectClientOptions;

  constructor(options: ObjectClientOptions) {
    this.#options = options;
  }

  async create(name: string): Promise<PromisedObject> {
    const region = regionOf(1);
    const headers = { "idempotency-key": name };
    const sent = { method: "POST", path: collection, headers, body: clusterBody(name, region) };
    const answer = await this.#acknowledge(sent);
    require(answer.status === 201, sent, answer);
    const object: PromisedObject = { name, regions: [], resourceVersions: [], isDeleted: false };
    this.#keep(object, region, sent, answer);
    return object;
  }

  async update(object: PromisedObject, method: "PUT" | "PATCH"): Promise<void> {
    const { name, regions } = object;
    const region = regionOf(regions.length + 1);
    const path = `${collection}/${name}`;
    const sent =
      method === "PUT"
        ? { method, path, body: clusterBody(name, region) }
        : { method, path, headers: { "content-type": mergePatch }, body: { spec: { region } } };
    const answer = await this.#acknowledge(sent);
    require(answer.status === 200, sent, answer);
    this.#keep(object, region, sent, answer);
  }

  async delete(object: PromisedObject): Promise<void> {
    const sent = { method: "DELETE", path: `${collection}/${object.name}` };
    const answer = await this.#acknowledge(sent);
    require(answer.status === 200 || (answer.isRepeated && answer.status === 404), sent, answer);
    object.isDeleted = true;
    this.#options.onAcknowledged();
  }

  /** A write that was acknowledged can be read at once. */
  async read({ name, regions, isDeleted }: PromisedObject): Promise<void> {
    const sent = { method: "GET", path: `${collection}/${name}` };
    const answer = await this.#acknowledge(sent);
    if (isDeleted) require(answer.status === 404, sent, answer);
    else require(answer.status === 200 && isAt(answer, regions), sent, answer);
  }

  #keep(object: PromisedObject, region: string, sent: ApiRequest, answer: Acknowledgement): void {
    object.regions.push(region);
    require(isAt(answer, object.regions), sent, answer);
    const { resourceVersion } = answer.body.metadata ?? {};
    // One that changed nothing, because an attempt before it had, may tell of a later change of the status.
    if (resourceVersion !== undefined && answer.headers["bowline-outcome"] !== "unchanged")
      object.resourceVersions.push(resourceVersion);
    this.#options.onAcknowledged();
  }

  /** Sends it until it is answered, and not with "later". */
  async #acknowledge(sent: ApiRequest): Promise<Acknowledgement> {
    const { connection, signal, onUnacknowledged } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#attempt(sent);
      if (answer !== undefined && answer.status !== 503) return { ...answer, isRepeated: attempt > 1 };
      onUnacknowledged();
      connection.turn();
      const retryAfterMs = Number(answer?.headers["retry-after"] ?? 0) * 1_000;
      await sleep(Math.max(reconnectDelayMs, retryAfterMs), undefined, { signal });
    }
  }

  async #attempt(sent: ApiRequest): Promise<ApiAnswer<Cluster> | undefined> {
    try {
      return await this.#options.connection.send(sent);
    } catch (thrown) {
      // Not that the connection broke, but that nothing came at all.
      if (thrown instanceof Error && thrown.name === "AbortError") throw thrown;
      return undefined;
    }
  }
}

function require(isKept: boolean, sent: ApiRequest, { status, body }: Acknowledgement): void {
  if (!isKept) throw new Error(`${JSON.stringify(sent)} was answered ${status} ${JSON.stringify(body)}`);
}

function regionOf(generation: number): string {
  return `r-${generation}`;
}

function clusterBody(name: string, region: string): object {
  return { apiVersion: "bowline.dev/v1", kind: "Cluster", metadata: { name }, spec: { region } };
}

function isAt({ body }: ApiAnswer<Cluster>, regions: readonly string[]): boolean {
  return body.metadata?.generation === regions.length && body.spec?.region === regions.at(-1);
}
