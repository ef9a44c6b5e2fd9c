import type { Engine } from "./engine/engine.ts";
import { firstRowOf, rowsOf, run, type Transaction } from "./engine/transaction.ts";
import type { KeyRing, SecretPlace } from "./secrets/key-ring.ts";

/** A few named values, encrypted: the replica that comes first decides, and all others go by it. */
export class Installation {
  readonly #engine: Engine;
  readonly #keys: KeyRing;

  constructor(engine: Engine, keys: KeyRing) {
    this.#engine = engine;
    this.#keys = keys;
  }

  /** `DecryptionFailed` when this server does not have the key it was encrypted with. */
  async recall(name: string): Promise<string | undefined> {
    const sealed = await this.#engine.read(() => this.#select(name));
    return sealed === undefined ? undefined : this.#keys.decrypt(sealed, installationPlace(name));
  }

  /** Keeps the value unless there is one already; resolves to the one that is kept. */
  async remember(name: string, value: string): Promise<string> {
    const sealed = this.#keys.encrypt(value, installationPlace(name));
    const kept = await this.#engine.commit(() => this.#insert(name, sealed));
    return this.#keys.decrypt(kept ?? sealed, installationPlace(name));
  }

  /** Encrypts with the newest key what is still encrypted with another; resolves to how many values those were. */
  async reencrypt(): Promise<number> {
    return this.#engine.commit(() => this.#reseal());
  }

  *#select(name: string): Transaction<string | undefined> {
    const query = this.#engine.queries.selectFrom("installation").select("value").where("name", "=", name);
    return (yield* firstRowOf(query))?.value;
  }

  *#insert(name: string, value: string): Transaction<string | undefined> {
    const insert = this.#engine.queries.insertInto("installation").values({ name, value });
    yield* run(insert.onConflict((conflict) => conflict.column("name").doNothing()));
    return yield* this.#select(name);
  }

  *#reseal(): Transaction<number> {
    const { queries } = this.#engine;
    const rows = yield* rowsOf(queries.selectFrom("installation").selectAll());
    const old = rows.filter(({ value }) => !this.#keys.isNewest(value));
    for (const { name, value } of old) {
      const resealed = this.#keys.encrypt(
        this.#keys.decrypt(value, installationPlace(name)),
        installationPlace(name),
      );
      yield* run(queries.updateTable("installation").set({ value: resealed }).where("name", "=", name));
    }
    return old.length;
  }
}

export function installationPlace(name: string): SecretPlace {
  return { kind: "installation", id: name, field: "value" };
}
