import { AccessGrant, Cluster, type SpecOf } from "@bowline/api";
import { BowlineError, systemClock, type Clock } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, onTestFinished, test, vi, type Mock } from "vitest";

import { identity } from "@bowline/auth/testing";
import type { Store } from "@bowline/store";
import { openTestStore } from "@bowline/store/testing";
import { GrantCache } from "./grant-cache.ts";

const editor = identity("editor", "editor");
const everywhere = { selector: { matchLabels: {}, matchExpressions: [] } };

async function newStore(options?: Parameters<typeof openTestStore>[1]): Promise<Store> {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" }, options);
  await writeCluster(store, {});
  return store;
}

async function writeCluster(store: Store, labels: Record<string, string>, name = "prod"): Promise<void> {
  await store.objects.write(Cluster, name, () => ({
    metadata: { name, labels, annotations: {} },
    spec: { provider: "existing" as const },
  }));
}

async function writeGrant(
  store: Store,
  name: string,
  spec: Partial<SpecOf<typeof AccessGrant>> = {},
): Promise<void> {
  await store.objects.write(AccessGrant, name, () => ({
    metadata: { name, labels: {}, annotations: {} },
    spec: { subjects: [{ user: "editor" }], clusters: everywhere, kubernetes: { groups: [] }, ...spec },
  }));
}

interface Opened {
  readonly cache: GrantCache;
  readonly onChange: Mock<() => void>;
  readonly names: () => string[];
}

async function open(store: Pick<Store, "objects" | "changes">, clock: Clock = systemClock): Promise<Opened> {
  const onChange = vi.fn<() => void>();
  const cache = new GrantCache({ store, clock, random: () => 0.5 });
  cache.onChange(onChange);
  await cache.start();
  onTestFinished(() => cache.close());
  return { cache, onChange, names: () => cache.accessTo(editor, "prod").map(({ grant }) => grant) };
}

describe("GrantCache", () => {
  test("knows what there is, in the order of names, on however many pages", async () => {
    const store = await newStore();
    for (let index = 110; index > 0; index -= 1)
      await writeGrant(store, `g-${String(index).padStart(3, "0")}`);
    const { names } = await open(store);
    expect(names()).toHaveLength(110);
    expect(names().slice(0, 2)).toEqual(["g-001", "g-002"]);
  });

  test("hears of what is written, changed and deleted", async () => {
    const store = await newStore();
    const { names, cache } = await open(store);
    expect(names()).toEqual([]);
    await writeGrant(store, "b");
    await writeGrant(store, "a");
    await expect.poll(names).toEqual(["a", "b"]);
    await writeGrant(store, "a", { subjects: [{ user: "viewer" }] });
    await expect.poll(names).toEqual(["b"]);
    await store.objects.delete(AccessGrant, "b");
    await expect.poll(names).toEqual([]);
    await store.objects.delete(Cluster, "prod");
    await expect.poll(() => cache.cluster("prod")).toBeUndefined();
    expect(names).toThrow(expect.objectContaining({ code: "NotFound" }));
  });

  test("hears of what is taken back as it is, and not some time later", async () => {
    const clock = new ManualClock(Date.now());
    const store = await newStore({ clock, pollMs: 1_000 });
    const { names, onChange } = await open(store, clock);
    await writeGrant(store, "a");
    await expect.poll(names).toEqual(["a"]);
    onChange.mockClear();
    await store.objects.delete(AccessGrant, "a");
    await expect.poll(() => onChange.mock.calls.length).toBe(1);
    expect(names()).toEqual([]);
  });

  test("asks nobody for what it worked out before, as long as nothing of it changes", async () => {
    const store = await newStore();
    await writeGrant(store, "a");
    const { cache, onChange } = await open(store);
    const first = cache.accessTo(editor, "prod");
    expect(onChange).toHaveBeenCalledTimes(1);
    await store.objects.writeStatus(Cluster, "prod", (current) => ({
      ...current.status,
      kubernetesVersion: "1.36",
    }));
    await expect.poll(() => cache.cluster("prod")?.status.kubernetesVersion).toBe("1.36");
    expect(cache.accessTo(editor, "prod")).toBe(first);
    expect(onChange).toHaveBeenCalledTimes(1);
    await writeCluster(store, { stage: "prod" });
    await expect.poll(() => cache.accessTo(editor, "prod") === first).toBe(false);
    expect(onChange).toHaveBeenCalledTimes(2);
  });

  test("tells when a grant expires, also in a year", async () => {
    const clock = new ManualClock();
    const store = await newStore();
    const yearMs = 365 * 86_400_000;
    await writeGrant(store, "a", { expiresAt: new Date(clock.now() + yearMs).toISOString() });
    const { names, onChange, cache } = await open(store, clock);
    await clock.advance(yearMs - 1);
    expect(names()).toEqual(["a"]);
    expect(onChange).toHaveBeenCalledTimes(1);
    await clock.advance(1);
    expect(names()).toEqual([]);
    expect(onChange).toHaveBeenCalledTimes(2);
    await cache.close();
    expect(clock.pending).toBe(0);
  });

  test("goes by the wall clock, whichever way that is set", async () => {
    const clock = new ManualClock();
    const store = await newStore();
    const hourMs = 3_600_000;
    await writeGrant(store, "a", { expiresAt: new Date(clock.now() + 2 * hourMs).toISOString() });
    const { names, onChange } = await open(store, clock);
    expect(names()).toEqual(["a"]);
    clock.setNow(clock.now() - hourMs);
    await clock.advance(3 * hourMs - 1);
    expect(names()).toEqual(["a"]);
    expect(onChange).toHaveBeenCalledTimes(1);
    await clock.advance(1);
    expect(onChange).toHaveBeenCalledTimes(2);
    await writeGrant(store, "b", { expiresAt: new Date(clock.now() + 9_000 * hourMs).toISOString() });
    await expect.poll(names).toEqual(["b"]);
    // Nobody asks, and whoever is connected has to be told all the same.
    clock.setNow(clock.now() + 9_000 * hourMs);
    await clock.advance(hourMs);
    expect(onChange).toHaveBeenCalledTimes(4);
    await writeGrant(store, "c", { expiresAt: new Date(clock.now() + hourMs).toISOString() });
    await expect.poll(names).toEqual(["c"]);
    clock.setNow(clock.now() + hourMs);
    expect(names()).toEqual([]);
  });

  test("misses nothing that is written while it reads", async () => {
    const store = await newStore();
    await writeGrant(store, "a");
    const list = store.objects.list.bind(store.objects);
    vi.spyOn(store.objects, "list").mockImplementationOnce(async (kind, query) => {
      const page = await list(kind, query);
      await store.objects.delete(AccessGrant, "a");
      await writeGrant(store, "b");
      return page;
    });
    const { names } = await open(store);
    await expect.poll(names).toEqual(["b"]);
  });

  test("reads everything anew when changes were missed, and trusts nothing until then", async () => {
    const store = await newStore();
    await writeGrant(store, "a");
    await writeCluster(store, {}, "gone");
    const lost = Promise.withResolvers<void>();
    const reread = Promise.withResolvers<void>();
    let follows = 0;
    const changes: Store["changes"] = {
      head: async () => {
        if (follows > 0) await reread.promise;
        return store.changes.head();
      },
      read: (query) => store.changes.read(query),
      follow: (query) => {
        follows += 1;
        if (follows > 1) return store.changes.follow(query);
        return {
          position: query.after,
          // oxlint-disable-next-line require-yield -- it ends before the first change
          async *[Symbol.asyncIterator]() {
            await lost.promise;
            throw new BowlineError("Expired", "Too old.");
          },
        };
      },
    };
    const { names, cache } = await open({ objects: store.objects, changes });
    expect(names()).toEqual(["a"]);
    await store.objects.delete(AccessGrant, "a");
    await store.objects.delete(Cluster, "gone");
    lost.resolve();
    await expect.poll(() => followError(names)).toBe("ServerUnavailable");
    reread.resolve();
    await expect.poll(() => followError(names)).toBe("");
    expect(cache.cluster("gone")).toBeUndefined();
  });
});

function followError(names: () => string[]): string {
  try {
    return names().join(" ");
  } catch (error) {
    return BowlineError.from(error).code;
  }
}
