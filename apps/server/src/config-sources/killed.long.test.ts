import { Cluster } from "@bowline/api";
import type { Store } from "@bowline/store";
import { expect, test } from "vitest";

import { applied, clusterText, ConfigHarness } from "./testing/config-harness.ts";

type Write = "writeFinalizers" | "writeAll" | "writeStatus";
type Cut = readonly [write: Write, when: "before" | "after"];

/** The store as a server sees it that is killed at one of its writes: from then on, nothing is done any more. */
function killedAt(
  store: Store,
  [cut, when]: Cut,
): { readonly store: Store; readonly isKilled: () => boolean } {
  let isDead = false;
  const die = (): Promise<never> => {
    isDead = true;
    return Promise.reject(new Error("the server was killed"));
  };
  const guarded = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (_, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return async (...args: unknown[]): Promise<unknown> => {
          if (isDead || (name === cut && when === "before")) return die();
          const answer: unknown = await Reflect.apply(method, target, args);
          return name === cut ? die() : answer;
        };
      },
    });
  const parts = { objects: guarded(store.objects), events: guarded(store.events) };
  return { store: { ...store, ...parts }, isKilled: () => isDead };
}

const cuts: readonly Cut[] = (["writeFinalizers", "writeAll", "writeStatus"] as const).flatMap((write) =>
  (["before", "after"] as const).map((when): Cut => [write, when]),
);

test.each(cuts)(
  "a server killed at %s (%s) leaves one commit or the other, and the next goes on",
  async (...cut) => {
    const harness = await ConfigHarness.open();
    const files = { "a.yaml": clusterText("a"), "b.yaml": clusterText("b"), "c.yaml": clusterText("c") };
    const commit = await harness.sources.repository.commit({ files });
    await harness.define();
    const { store, isKilled } = killedAt(harness.store, cut);
    const first = await harness.start(store);
    await harness.sources.poll(() => Promise.resolve(isKilled())).toBe(true);
    await first.stop();
    // All three or none.
    expect([0, 3]).toContain((await harness.store.objects.listNames(Cluster)).length);
    await harness.start();
    await harness.until(applied);
    expect((await harness.source()).status).toMatchObject({ applied: { commit, objects: 3 } });
    const { items } = await harness.store.objects.list(Cluster);
    expect(
      items.map(({ metadata }) => [metadata.name, metadata.generation, metadata.managedBy?.commit]),
    ).toEqual(["a", "b", "c"].map((name) => [name, 1, commit]));
    // Each was made once.
    const records = await harness.store.audit.list({ kind: "Cluster" });
    expect(records.items.map(({ verb }) => verb)).toEqual(["create", "create", "create"]);
  },
);
