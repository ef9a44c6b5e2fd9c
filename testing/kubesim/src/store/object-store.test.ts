import { describe, expect, it } from "vitest";

import { ObjectStore } from "./object-store.ts";
import type { SimObject } from "./sim-api.ts";

function object(name: string, namespace?: string): SimObject {
  return {
    apiVersion: "v1",
    kind: "Thing",
    metadata: {
      name,
      uid: name,
      resourceVersion: "",
      creationTimestamp: "",
      ...(namespace ? { namespace } : {}),
    },
  };
}

describe("the object store", () => {
  it("counts every change of anything by one", () => {
    const store = new ObjectStore(10);
    const start = store.revision;
    const first = store.put("a", object("x"));
    const second = store.put("b", object("y"));
    store.remove("a", first);
    expect(Number(second.metadata.resourceVersion)).toBe(start + 2);
    expect(store.revision).toBe(start + 3);
  });

  it("tells all listeners every change in order, even when one of them writes", () => {
    const store = new ObjectStore(10);
    const seen: string[] = [];
    store.subscribe("a", (event) => {
      if (event.object.metadata.name === "first") store.put("a", object("second"));
    });
    store.subscribe("a", (event) => seen.push(event.object.metadata.name));
    store.put("a", object("first"));
    expect(seen).toEqual(["first", "second"]);
    expect(store.deliveredRevision).toBe(store.revision);
  });

  it("rebuilds any moment it still remembers", () => {
    const store = new ObjectStore(100);
    const moments = new Map<number, string[]>();
    const table = store.table("a");
    const remember = (): void =>
      void moments.set(
        store.revision,
        table.list().map((each) => each.metadata.resourceVersion),
      );
    for (let step = 0; step < 60; step += 1) {
      const name = `n${(step * 7) % 11}`;
      const live = table.get("ns", name);
      if (live && step % 3 === 0) store.remove("a", live);
      else store.put("a", object(name, "ns"));
      remember();
    }
    for (const [revision, versions] of moments) {
      expect(table.listAt(revision).map((each) => each.metadata.resourceVersion)).toEqual(versions);
    }
  });

  it("forgets on command and when there is too much to remember", () => {
    const store = new ObjectStore(8);
    const table = store.table("a");
    for (let step = 0; step < 100; step += 1) store.put("a", object("x"));
    expect(table.compactedRevision).toBeGreaterThanOrEqual(store.revision - 10);
    expect(table.eventsSince(table.compactedRevision).length).toBeLessThanOrEqual(10);
    store.compact();
    expect(table.compactedRevision).toBe(store.revision);
    expect(table.eventsSince(0)).toEqual([]);
  });
});
