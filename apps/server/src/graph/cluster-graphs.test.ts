import { Cluster } from "@bowline/api";
import { ManualClock } from "@bowline/core/testing";
import { openTestStore } from "@bowline/store/testing";
import type { Store } from "@bowline/store";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { ClusterGraphs, type ClusterGraphLimits, type GraphAtTime } from "./cluster-graphs.ts";
import { readingPod, ToldCluster } from "./testing/told-cluster.ts";

interface Told {
  readonly uid: string;
  /** Gone, if it reads none. */
  readonly secret?: string | undefined;
}

async function addCluster(store: Store, name: string) {
  const told = await ToldCluster.create(store, name);
  const tell = (parts: readonly Told[], observedAtMs: number): Promise<void> =>
    told.tell(
      parts.map(({ uid, secret }) => (secret === undefined ? { gone: uid } : readingPod(uid, secret))),
      observedAtMs,
    );
  return { clusterId: told.clusterId, told, tell };
}

async function setup(limits: Partial<ClusterGraphLimits> = {}) {
  const clock = new ManualClock();
  const store = await openTestStore({ type: "sqlite", file: ":memory:" }, { clock });
  const graphs = new ClusterGraphs({ source: store.graph, clock, limits });
  onTestFinished(() => graphs.close());
  return { clock, store, graphs, ...(await addCluster(store, "east")) };
}

/** Which Secret each pod reads. */
function secretsOf(at: GraphAtTime | undefined): Record<string, string> | undefined {
  if (at === undefined) return undefined;
  const { graph } = at;
  const found: Record<string, string> = {};
  for (const [uid, node] of graph.uids()) {
    for (const edge of graph.out(node)) found[uid] = graph.name(edge.to);
  }
  return found;
}

describe("the graphs of clusters", () => {
  test("are loaded when somebody asks, and followed when somebody asks again", async () => {
    const { graphs, clusterId, tell, clock } = await setup({ freshMs: 100 });
    await tell([{ uid: "a", secret: "one" }], clock.now());
    expect(graphs.loaded).toEqual([]);
    expect(secretsOf(await graphs.current(clusterId))).toEqual({ a: "one" });
    await tell(
      [
        { uid: "a", secret: "two" },
        { uid: "b", secret: "one" },
      ],
      clock.now(),
    );
    expect(secretsOf(await graphs.current(clusterId))).toEqual({ a: "one" });
    await clock.advance(100);
    const current = await graphs.current(clusterId);
    expect(secretsOf(current)).toEqual({ a: "two", b: "one" });
    expect(current?.asOfMs).toBe(clock.now());
    await tell([{ uid: "a" }], clock.now());
    graphs.changed(clusterId);
    expect(secretsOf(await graphs.current(clusterId))).toEqual({ b: "one" });
  });

  test("of a cluster that nobody has told of, or that is gone, are none", async () => {
    const { graphs, store, clusterId, tell, clock } = await setup({ freshMs: 0 });
    expect(await graphs.current("unknown")).toBeUndefined();
    await tell([{ uid: "a", secret: "one" }], clock.now());
    expect(secretsOf(await graphs.current(clusterId))).toEqual({ a: "one" });
    await store.objects.delete(Cluster, "east");
    expect(await graphs.current(clusterId)).toBeUndefined();
    expect(graphs.loaded).toEqual([]);
  });

  test("say what was observed, as soon as that is another", async () => {
    const { graphs, clusterId, told, tell, clock } = await setup({ freshMs: 0 });
    await tell([{ uid: "a", secret: "one" }], clock.now());
    expect((await graphs.current(clusterId))?.coverage).toEqual([]);
    const before = clock.now();
    await clock.advance(1_000);
    const secrets = { group: "", kind: "Secret", namespace: "", message: "no", sinceMs: clock.now() };
    await told.tell([{ ...secrets, state: "forbidden" }]);
    expect((await graphs.current(clusterId))?.coverage).toMatchObject([{ state: "forbidden" }]);
    expect((await graphs.at(clusterId, before))?.coverage).toEqual([]);
  });

  test("are those of an earlier time, made of the current one and of what has changed", async () => {
    const { graphs, store, clusterId, tell, clock } = await setup({ freshMs: 0 });
    const uids = ["a", "b", "c", "d", "e", "f"];
    const start = clock.now();
    await tell(
      uids.map((uid) => ({ uid, secret: "one" })),
      start,
    );
    await clock.advance(1_000);
    await tell([{ uid: "a", secret: "two" }], clock.now());
    const read = vi.spyOn(store.graph, "earlier");
    const all = Object.fromEntries(uids.map((uid) => [uid, "one"]));
    expect(secretsOf(await graphs.at(clusterId, start))).toEqual(all);
    expect(secretsOf(await graphs.current(clusterId))).toEqual({ ...all, a: "two" });
    await clock.advance(1_000);
    await tell(
      uids.map((uid) => ({ uid, secret: "three" })),
      clock.now(),
    );
    expect(secretsOf(await graphs.at(clusterId, start + 1_000))).toEqual({ ...all, a: "two" });
    expect(secretsOf(await graphs.at(clusterId, start + 500))).toEqual(all);
    expect(read).toHaveBeenCalledTimes(3);
    // Kept: asked once more, nothing is read.
    await graphs.at(clusterId, start + 500);
    expect(read).toHaveBeenCalledTimes(3);
  });

  test("of earlier times are kept as far as there is room, and the last one always", async () => {
    const { graphs, store, clusterId, tell, clock } = await setup({ maxPastSize: 1 });
    const start = clock.now();
    await tell([{ uid: "a", secret: "one" }], start);
    await clock.advance(1_000);
    const made = vi.spyOn(store.graph, "earlier");
    for (const timeMs of [start, start, start + 500, start]) await graphs.at(clusterId, timeMs);
    expect(made.mock.calls.map(([, timeMs]) => timeMs)).toEqual([start, start + 500, start]);
  });

  test("of an earlier time are made anew when an agent tells of it later", async () => {
    const { graphs, clusterId, tell, clock } = await setup({ freshMs: 0 });
    const start = clock.now();
    await tell(
      [
        { uid: "a", secret: "one" },
        { uid: "b", secret: "one" },
      ],
      start,
    );
    await clock.advance(10_000);
    expect(secretsOf(await graphs.at(clusterId, start + 5_000))).toEqual({ a: "one", b: "one" });
    await tell([{ uid: "a", secret: "late" }], start + 3_000);
    expect(secretsOf(await graphs.at(clusterId, start + 5_000))).toEqual({ a: "late", b: "one" });
  });

  test("of an earlier time are not kept when an agent tells of it while they are made", async () => {
    const { graphs, store, clusterId, tell, clock } = await setup({ freshMs: 0 });
    const start = clock.now();
    await tell([{ uid: "a", secret: "one" }], start);
    await clock.advance(10_000);
    vi.spyOn(store.graph, "earlier").mockImplementationOnce(async function* () {
      // Nothing has changed since.
      yield [];
      await tell([{ uid: "a", secret: "late" }], start + 3_000);
      await graphs.current(clusterId);
    });
    expect(secretsOf(await graphs.at(clusterId, start + 5_000))).toEqual({ a: "one" });
    expect(secretsOf(await graphs.at(clusterId, start + 5_000))).toEqual({ a: "late" });
  });

  test("are put away when nobody asks, or others need the room, and come back", async () => {
    const { graphs, store, clusterId, tell, clock } = await setup({ maxSize: 100, idleMs: 60_000 });
    const other = await addCluster(store, "west");
    await tell([{ uid: "a", secret: "one" }], clock.now());
    await other.tell([{ uid: "a", secret: "two" }], clock.now());
    await graphs.current(clusterId);
    await clock.advance(1);
    expect(secretsOf(await graphs.current(other.clusterId))).toEqual({ a: "two" });
    expect(graphs.loaded).toEqual([other.clusterId]);
    expect(secretsOf(await graphs.current(clusterId))).toEqual({ a: "one" });
    await clock.advance(100_000);
    expect(graphs.loaded).toEqual([]);
    expect(clock.pending).toBe(0);
    expect(secretsOf(await graphs.current(clusterId))).toEqual({ a: "one" });
  });

  test("are loaded once however many ask, and again when it has failed", async () => {
    const { graphs, store, clusterId, tell, clock } = await setup();
    await tell([{ uid: "a", secret: "one" }], clock.now());
    const load = vi.spyOn(store.graph, "state").mockRejectedValueOnce(new Error("not now"));
    const failed = await Promise.allSettled([graphs.current(clusterId), graphs.current(clusterId)]);
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(load).toHaveBeenCalledOnce();
    const found = await Promise.all([graphs.current(clusterId), graphs.current(clusterId)]);
    expect(found.map(secretsOf)).toEqual([{ a: "one" }, { a: "one" }]);
    expect(load).toHaveBeenCalledTimes(2);
  });

  test("are loaded anew by a replica that was away longer than changes are kept", async () => {
    const { graphs, store, clusterId, tell, clock } = await setup({ freshMs: 0 });
    await tell(
      [
        { uid: "a", secret: "one" },
        { uid: "b", secret: "one" },
      ],
      clock.now(),
    );
    expect(secretsOf(await graphs.current(clusterId))).toEqual({ a: "one", b: "one" });
    await clock.advance(1_000);
    await tell([{ uid: "a" }], clock.now());
    await clock.advance(1_000);
    expect(await store.retention.prune({ graphMs: 0 })).toMatchObject({ graph: 1 });
    expect(secretsOf(await graphs.current(clusterId))).toEqual({ b: "one" });
  });

  test("are what was told at any time of any run", async () => {
    const step = fc.record({
      parts: fc.array(
        fc.record({
          uid: fc.constantFrom("a", "b", "c", "d", "e"),
          secret: fc.option(fc.constantFrom("one", "two"), { nil: undefined }),
        }),
        { maxLength: 4 },
      ),
      asks: fc.boolean(),
    });
    const property = async (steps: readonly { parts: readonly Told[]; asks: boolean }[]): Promise<void> => {
      const { graphs, clusterId, tell, clock, store } = await setup({ freshMs: 0 });
      const truth = new Map<string, string>();
      const moments: (readonly [timeMs: number, secrets: Record<string, string>])[] = [];
      for (const { parts, asks } of steps) {
        for (const { uid, secret } of parts) {
          if (secret === undefined) truth.delete(uid);
          else truth.set(uid, secret);
        }
        await tell(parts, clock.now());
        // Several versions of one batch follow each other by a millisecond.
        await clock.advance(10);
        moments.push([clock.now() - 1, Object.fromEntries(truth)]);
        const found = asks ? secretsOf(await graphs.current(clusterId)) : Object.fromEntries(truth);
        expect(found).toEqual(Object.fromEntries(truth));
      }
      for (const [timeMs, secrets] of moments) {
        expect(secretsOf(await graphs.at(clusterId, timeMs))).toEqual(secrets);
      }
      await store.close();
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), property), {
      numRuns: 30,
    });
  });
});
