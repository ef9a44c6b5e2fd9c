import { Cluster } from "@bowline/api";
import { ManualClock } from "@bowline/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { GraphItem } from "../../graph/graph.ts";
import type { GraphStore } from "../../graph/graph-store.ts";
import { cluster } from "../sample-objects.ts";
import { allOf, factsAt, factsOf, graphItems, podFacts } from "../sample-graphs.ts";
import { openTestStore, type StoreHarness } from "../store-harness.ts";

const uids = ["a", "b", "c", "d"] as const;

const part = fc.record({
  uid: fc.constantFrom(...uids),
  /** Gone, if it says nothing. */
  says: fc.option(fc.constantFrom("1", "2", "3"), { nil: undefined, freq: 4 }),
});

const step = fc.record({
  parts: fc.array(part, { maxLength: 6 }),
  passesMs: fc.integer({ min: 0, max: 20 }),
  /** By how much the agent's clock is behind, or ahead. */
  skewMs: fc.integer({ min: -30, max: 30 }),
  /** What else happens: the agent starts anew, sends the batch again, or has everything told that it has. */
  also: fc.constantFrom("nothing", "nothing", "restart", "repeat", "complete"),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What an object says from a time on; gone, if it says nothing. */
interface Moment {
  readonly fromMs: number;
  readonly says: string | undefined;
}

/** Graphs as they should be: of each object, what it said from when on. */
class GraphModel {
  readonly #moments = new Map<string, Moment[]>();

  apply({ parts, skewMs }: Step, nowMs: number): void {
    for (const { uid, says } of parts) {
      const moments = this.#moments.get(uid) ?? [];
      const last = moments.at(-1);
      if (last?.says === says) continue;
      const toldMs = says === undefined ? nowMs : Math.min(nowMs + skewMs, nowMs);
      const follows = last === undefined ? 0 : last.fromMs + (last.says === undefined ? 0 : 1);
      moments.push({ fromMs: Math.max(toldMs, follows), says });
      this.#moments.set(uid, moments);
    }
  }

  at(timeMs: number): Record<string, string> {
    return Object.fromEntries(
      [...this.#moments].flatMap(([uid, moments]) => {
        const says = moments.findLast(({ fromMs }) => fromMs <= timeMs)?.says;
        return says === undefined ? [] : [[uid, says]];
      }),
    );
  }
}

/** What somebody knows who has only ever followed the changes. */
class Follower {
  readonly objects: Record<string, string> = {};
  #change = 0;

  async follow(graph: GraphStore, clusterId: string): Promise<void> {
    for (;;) {
      const changes = await graph.changes(clusterId, this.#change, 2);
      if (changes.length === 0) return;
      for (const { change, uid, version } of changes) {
        this.#change = change;
        delete this.objects[uid];
        if (version !== undefined) Object.assign(this.objects, factsOf([version]));
      }
    }
  }
}

function itemsOf({ parts, skewMs }: Step, nowMs: number): GraphItem[] {
  return graphItems(
    nowMs + skewMs,
    parts.map(({ uid, says }) => (says === undefined ? { gone: uid } : podFacts(uid, says))),
  );
}

/** The graph of then, made of the one of now by what has changed since. */
async function undone(graph: GraphStore, clusterId: string, timeMs: number): Promise<Record<string, string>> {
  const now = await allOf(graph.current(clusterId));
  const unchanged = now.filter(({ fromMs }) => fromMs <= timeMs);
  return { ...factsOf(unchanged), ...factsOf(await allOf(graph.earlier(clusterId, timeMs, 2))) };
}

export function graphModelContract(harness: StoreHarness): void {
  describe("graphs", () => {
    test("are at any time what objects said then, whatever is told, in which order and how often", async () => {
      const property = async (steps: readonly Step[]): Promise<void> => {
        const clock = new ManualClock();
        const store = await openTestStore(await harness.newDatabase(), { clock });
        const { graph } = store;
        const clusterId = (await store.objects.create(Cluster, cluster("east"))).object.metadata.id;
        const [model, follower] = [new GraphModel(), new Follower()];
        const startMs = clock.now();
        let [epoch, sequence] = [1, 0];
        await graph.begin({ clusterId, epoch, instance: "pod-1" });
        for (const [index, one] of steps.entries()) {
          if (one.also === "restart") {
            [epoch, sequence] = [epoch + 1, 0];
            await graph.begin({ clusterId, epoch, instance: "pod-1" });
          }
          const key = { clusterId, epoch, instance: "pod-1" };
          const batch = { key, sequence: (sequence += 1), items: itemsOf(one, clock.now()) };
          await graph.store(batch);
          if (one.also === "repeat") await graph.store(batch);
          if (one.also === "complete") await graph.complete(key, (sequence += 1));
          model.apply(one, clock.now());
          if (index % 3 === 0) await follower.follow(graph, clusterId);
          await clock.advance(one.passesMs);
        }
        await follower.follow(graph, clusterId);
        expect(follower.objects).toEqual(model.at(Infinity));
        const now = await allOf(graph.current(clusterId, 2));
        expect(factsOf(now)).toEqual(model.at(Infinity));
        const state = await graph.state(clusterId);
        const factsSize = now.reduce((sum, { facts }) => sum + facts.length, 0);
        expect(state).toMatchObject({ objects: now.length, factsSize });
        for (let timeMs = startMs - 40; timeMs <= clock.now() + 10; timeMs += 7) {
          expect(await factsAt(graph, clusterId, timeMs)).toEqual(model.at(timeMs));
          expect(await undone(graph, clusterId, timeMs)).toEqual(model.at(timeMs));
        }
        await store.close();
      };
      await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 20 }), property), {
        numRuns: 15,
      });
    });
  });
}
