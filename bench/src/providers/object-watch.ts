import { ask } from "../tunnel/ask.ts";
import type { ServerTarget } from "../tunnel/product-server.ts";
import { ApiWatch } from "../workloads/api-watch.ts";

interface NamedObject {
  readonly metadata: { readonly name: string };
}

/** The objects of one kind as the API tells of them, and whoever waits for something in them. */
export class ObjectWatch<T extends NamedObject> implements Disposable {
  readonly #objects = new Map<string, T>();
  readonly #looks = new Set<() => void>();
  #watch: ApiWatch<T> | undefined;

  /** Of a kind by its name in addresses, such as `clusters`. */
  static async open<T extends NamedObject>(api: ServerTarget, kind: string): Promise<ObjectWatch<T>> {
    const watch = new ObjectWatch<T>();
    watch.#watch = await ApiWatch.open<T>(api, `/api/v1/${kind}?watch=1`, ({ type, object }) => {
      if (object === undefined) return;
      if (type === "DELETED") watch.#objects.delete(object.metadata.name);
      else watch.#objects.set(object.metadata.name, object);
      for (const look of watch.#looks) look();
    });
    return watch;
  }

  /** Resolves to when it was first so, by the monotonic clock of this process; what is wrong ends the wait. */
  async until(
    what: string,
    isSo: (objects: ReadonlyMap<string, T>) => boolean,
    limitMs: number,
  ): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const look = (): void => {
      try {
        if (isSo(this.#objects)) resolve(performance.now());
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const limit = setTimeout(() => {
      const last = JSON.stringify([...this.#objects.values()].at(-1));
      reject(new Error(`After ${limitMs / 1000} s not ${what}; the last of ${this.#objects.size}: ${last}`));
    }, limitMs);
    this.#looks.add(look);
    look();
    return promise.finally(() => {
      clearTimeout(limit);
      this.#looks.delete(look);
    });
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]();
  }
}

export async function post(api: ServerTarget, kind: string, body: object): Promise<void> {
  await ask(api, { method: "POST", path: `/api/v1/${kind}`, body });
}
