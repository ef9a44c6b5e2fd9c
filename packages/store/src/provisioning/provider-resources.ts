import { Cluster } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import type { ResourceRecord, ResourceRecords, ResourceState } from "@bowline/providers";

import { upsertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsOf, run, type Transaction } from "../engine/transaction.ts";
import { lockFence, type Fence } from "../objects/fence.ts";
import { deprovision } from "../objects/operations/preconditions.ts";
import { readObject } from "../objects/stored-object.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { openRecord, resourcePlace, sealRecord, type ResourceRow } from "./resource-row.ts";

/** How many things outside a cluster has in a state. */
interface ResourceCount {
  readonly clusterId: string;
  readonly state: ResourceState;
  readonly count: number;
}

/** As many as are encrypted anew in one transaction. */
const pageSize = 100;

/**
 * What providers have made outside, each thing on record from before it exists until after it is gone.
 *
 * A record is taken only for a Cluster that has the finalizer `bowline.dev/deprovision`, and that is not taken off while
 * a record says that something is there, unless the Cluster is to leave it there: nothing is forgotten by a mistake
 * elsewhere.
 */
export class ProviderResources {
  readonly #engine: Engine;
  readonly #keys: KeyRing;

  constructor(engine: Engine, keys: KeyRing) {
    this.#engine = engine;
    this.#keys = keys;
  }

  /**
   * The records of one cluster, by the id of its object. `put` rejects with `NotFound` when the object is gone, with
   * `Conflict` when it has no finalizer, and with `LeaseLost` when the grant of the fence was followed by another.
   */
  of(clusterId: string, { fence }: { readonly fence?: Fence | undefined } = {}): ResourceRecords {
    return { list: () => this.#list(clusterId), put: (record) => this.#put(clusterId, record, fence) };
  }

  /** How many there are, by cluster and state. */
  async counts(): Promise<ResourceCount[]> {
    const query = this.#engine.queries
      .selectFrom("provider_resources")
      .select((eb) => ["cluster_id", "state", eb.fn.countAll<number>().as("count")])
      .groupBy(["cluster_id", "state"]);
    const rows = await this.#engine.read(() => rowsOf(query));
    return rows.map(({ cluster_id: clusterId, state, count }) => ({
      clusterId,
      state: state as ResourceState,
      count,
    }));
  }

  /** Encrypts with the newest key what is still encrypted with another; resolves to how many records those were. */
  async reencrypt(): Promise<number> {
    let total = 0;
    for (let after: Page["last"] = { cluster_id: "", step: "" }; after !== undefined;) {
      const from: NonNullable<Page["last"]> = after;
      const page: Page = await this.#engine.commit(() => this.#reencryptPage(from));
      total += page.changed;
      after = page.last;
    }
    return total;
  }

  async #list(clusterId: string): Promise<readonly ResourceRecord[]> {
    const query = this.#engine.queries
      .selectFrom("provider_resources")
      .selectAll()
      .where("cluster_id", "=", clusterId)
      .orderBy("position");
    const rows = await this.#engine.read(() => rowsOf(query));
    return rows.map((row) => openRecord(this.#keys, row));
  }

  async #put(clusterId: string, record: ResourceRecord, fence: Fence | undefined): Promise<void> {
    const row = sealRecord(this.#keys, clusterId, record);
    await this.#engine.commit(() => this.#write(row, fence));
  }

  *#write(row: ResourceRow, fence: Fence | undefined): Transaction<void> {
    yield* lockFence(fence);
    yield* this.#requireKept(row.cluster_id);
    const { queries } = this.#engine;
    const known = queries
      .selectFrom("provider_resources")
      .select(["step", "position"])
      .where("cluster_id", "=", row.cluster_id);
    const rows = yield* rowsOf(known);
    const own = rows.find(({ step }) => step === row.step);
    const position = own?.position ?? Math.max(0, ...rows.map((each) => each.position)) + 1;
    yield* run(upsertRows("provider_resources", [{ ...row, position }]));
  }

  /** Locked, so that the finalizer stays until the record is there. */
  *#requireKept(clusterId: string): Transaction<void> {
    const { queries, dialect } = this.#engine;
    const query = queries.selectFrom("objects").select("body").where("id", "=", clusterId);
    const found = yield* firstRowOf(dialect === "postgres" ? query.forShare() : query);
    if (found === undefined) {
      throw new BowlineError("NotFound", `The Cluster ${clusterId} is gone; nothing more is made for it.`);
    }
    const { name, finalizers = [] } = readObject(Cluster, found.body).metadata;
    if (finalizers.includes(deprovision)) return;
    throw new BowlineError(
      "Conflict",
      `The Cluster "${name}" has no finalizer ${deprovision}; nothing is made outside before it has.`,
    );
  }

  *#reencryptPage(after: NonNullable<Page["last"]>): Transaction<Page> {
    const { queries, dialect } = this.#engine;
    const query = queries
      .selectFrom("provider_resources")
      .selectAll()
      .where((eb) =>
        eb.or([
          eb("cluster_id", ">", after.cluster_id),
          eb.and([eb("cluster_id", "=", after.cluster_id), eb("step", ">", after.step)]),
        ]),
      )
      .orderBy("cluster_id")
      .orderBy("step")
      .limit(pageSize);
    const rows = yield* rowsOf(dialect === "postgres" ? query.forUpdate() : query);
    const old = rows.filter(({ content }) => !this.#keys.isNewest(content));
    yield* run(
      upsertRows(
        "provider_resources",
        old.map((row) => {
          const place = resourcePlace(row.cluster_id, row.step);
          return { ...row, content: this.#keys.encrypt(this.#keys.decryptBytes(row.content, place), place) };
        }),
      ),
    );
    return { changed: old.length, last: rows.length < pageSize ? undefined : rows.at(-1) };
  }
}

interface Page {
  readonly changed: number;
  /** Undefined after the last page. */
  readonly last: Pick<ResourceRow, "cluster_id" | "step"> | undefined;
}
