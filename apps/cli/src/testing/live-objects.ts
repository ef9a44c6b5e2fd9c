import type { ApiObject, Kind, ListMeta } from "@bowline/api";
import type { ChangeEvent, Client, ReadObject } from "@bowline/client";
import { readObject } from "@bowline/client/testing";
import { BowlineError } from "@bowline/core";

import { fakeClient } from "./fake-context.ts";

interface Change {
  readonly kind: string;
  readonly type: "MODIFIED" | "DELETED";
  readonly object: ApiObject;
}

/**
 * Objects that a test sets as controllers would, with a client that lists and watches them: for the states between two
 * reconciles, which no real server can be held in. Selectors are not looked at.
 */
export class LiveObjects {
  readonly #objects = new Map<string, { readonly kind: string; readonly object: ApiObject }>();
  readonly #changes: Change[] = [];
  #wake = Promise.withResolvers<void>();

  readonly client: Client = fakeClient({
    get: async (kind, name) => this.#get(kind, name),
    listAll: (kind) => this.#list(kind),
    watch: (kind, _query, options) => this.#watch(kind, options?.signal),
  });

  set(object: ApiObject): void {
    this.#objects.set(`${object.kind}/${object.metadata.name}`, { kind: object.kind, object });
    this.#add({ kind: object.kind, type: "MODIFIED", object });
  }

  delete(object: ApiObject): void {
    this.#objects.delete(`${object.kind}/${object.metadata.name}`);
    this.#add({ kind: object.kind, type: "DELETED", object });
  }

  #add(change: Change): void {
    this.#changes.push(change);
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  #get<K extends Kind>(kind: K, name: string): ReadObject<K> {
    const found = this.#objects.get(`${kind.kind}/${name}`);
    if (found === undefined) throw new BowlineError("NotFound", `There is no ${kind.kind} "${name}".`);
    return readObject(kind, found.object);
  }

  async *#list<K extends Kind>(
    kind: K,
  ): AsyncGenerator<{ items: ReadObject<K>[]; metadata: ListMeta }, void, undefined> {
    const items = [...this.#objects.values()].filter((each) => each.kind === kind.kind);
    yield {
      items: items.map(({ object }) => readObject(kind, object)),
      metadata: { resourceVersion: String(this.#changes.length), total: items.length },
    };
  }

  async *#watch<K extends Kind>(
    kind: K,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ChangeEvent<ReadObject<K>>, void, undefined> {
    let seen = this.#changes.length;
    const aborted = Promise.withResolvers<void>();
    signal?.addEventListener("abort", () => aborted.resolve(), { once: true });
    for (;;) {
      signal?.throwIfAborted();
      for (const { kind: changed, type, object } of this.#changes.slice(seen)) {
        seen += 1;
        if (changed === kind.kind) yield { type, object: readObject(kind, object) };
      }
      if (seen === this.#changes.length) await Promise.race([this.#wake.promise, aborted.promise]);
    }
  }
}
