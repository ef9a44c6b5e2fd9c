import type { LeaseGrant, LeaseStore } from "@bowline/runtime";
import { sql } from "kysely";

import type { Engine } from "./engine/engine.ts";
import { firstRowOf, run } from "./engine/transaction.ts";

const oneStatement = { isOneStatement: true };

/**
 * Leases as rows. Every method is one statement, so that it is atomic on either database.
 *
 * A token is the time of its grant or, where that is not higher, one more than the last: it goes up even when the row
 * of a lease that ended long ago has been deleted in between.
 */
export class DatabaseLeaseStore implements LeaseStore {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async tryAcquire(key: string, owner: string, ttlMs: number): Promise<LeaseGrant | undefined> {
    const nowMs = this.#engine.nowMs();
    const acquire = this.#engine.queries
      .insertInto("leases")
      .values({ key, owner, token: nowMs, expires_at: sql<number>`${nowMs} + ${sql.lit(wholeMs(ttlMs))}` })
      .onConflict((conflict) =>
        conflict
          .column("key")
          .doUpdateSet({
            owner: (eb) => eb.ref("excluded.owner"),
            token: sql<number>`case when leases.token >= excluded.token then leases.token + 1 else excluded.token end`,
            expires_at: (eb) => eb.ref("excluded.expires_at"),
          })
          .where((eb) =>
            eb.or([eb("leases.owner", "=", owner), eb("leases.expires_at", "<=", this.#engine.nowMs())]),
          ),
      )
      .returning("token");
    return this.#engine.commit(() => firstRowOf(acquire), oneStatement);
  }

  async renew(key: string, token: number, ttlMs: number): Promise<boolean> {
    const nowMs = this.#engine.nowMs();
    const renew = this.#engine.queries
      .updateTable("leases")
      .set({ expires_at: sql<number>`${nowMs} + ${sql.lit(wholeMs(ttlMs))}` })
      .where("key", "=", key)
      .where("token", "=", token)
      .where("expires_at", ">", nowMs)
      .returning("token");
    return (await this.#engine.commit(() => firstRowOf(renew), oneStatement)) !== undefined;
  }

  /** The row stays for a while: two grants within a millisecond must not get the same token. */
  async release(key: string, token: number): Promise<void> {
    const release = this.#engine.queries
      .updateTable("leases")
      .set({ owner: null, expires_at: this.#engine.nowMs() })
      .where("key", "=", key)
      .where("token", "=", token);
    await this.#engine.commit(() => run(release), oneStatement);
  }
}

function wholeMs(ttlMs: number): number {
  return Math.ceil(ttlMs);
}
