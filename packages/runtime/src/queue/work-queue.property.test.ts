import { ManualClock } from "@bowline/core/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import type { Priority } from "./queue-entry.ts";
import { WorkQueue } from "./work-queue.ts";

type Action =
  | { readonly do: "add"; readonly key: string; readonly priority: Priority }
  | { readonly do: "addAfter"; readonly key: string; readonly delayMs: number; readonly priority: Priority }
  | { readonly do: "take" }
  | { readonly do: "done"; readonly index: number }
  | { readonly do: "advance"; readonly ms: number };

const key = fc.constantFrom("a", "b", "c", "d", "e");
const priority = fc.constantFrom<Priority>("high", "normal", "low");
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constant("add" as const), key, priority }),
  fc.record({
    do: fc.constant("addAfter" as const),
    key,
    delayMs: fc.integer({ min: 1, max: 100 }),
    priority,
  }),
  fc.record({ do: fc.constant("take" as const) }),
  fc.record({ do: fc.constant("done" as const), index: fc.nat(4) }),
  fc.record({ do: fc.constant("advance" as const), ms: fc.nat(60) }),
);

/** The simplest thing that could be right: when each key is due, if at all, and which are being worked on. */
class Model {
  readonly dueMs = new Map<string, number>();
  readonly active = new Set<string>();

  add(key: string, dueMs: number): void {
    this.dueMs.set(key, Math.min(this.dueMs.get(key) ?? Infinity, dueMs));
  }

  takeable(nowMs: number): string[] {
    return [...this.dueMs].flatMap(([key, dueMs]) => (dueMs <= nowMs && !this.active.has(key) ? key : []));
  }
}

test("whatever is done with it, the queue hands out what is due, and nothing twice at once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 80, size: "max" }), async (actions) => {
      const clock = new ManualClock();
      const queue = new WorkQueue({ clock, random: () => 0 });
      const model = new Model();

      const take = async (): Promise<string | undefined> => {
        const stop = new AbortController();
        const taken = queue.take(stop.signal);
        stop.abort();
        const key = await taken;
        const takeable = model.takeable(clock.monotonicMs());
        expect(key === undefined ? takeable.length === 0 : takeable.includes(key)).toBe(true);
        if (key !== undefined) {
          model.dueMs.delete(key);
          model.active.add(key);
        }
        return key;
      };
      const finish = (key: string | undefined): void => {
        if (key === undefined) return;
        queue.done(key);
        model.active.delete(key);
      };

      for (const each of actions) {
        const nowMs = clock.monotonicMs();
        if (each.do === "add") {
          queue.add(each.key, each);
          model.add(each.key, nowMs);
        } else if (each.do === "addAfter") {
          queue.addAfter(each.key, each.delayMs, each);
          model.add(each.key, nowMs + each.delayMs);
        } else if (each.do === "take") await take();
        else if (each.do === "done") finish([...model.active][each.index]);
        else await clock.advance(each.ms);

        const { ready, delayed, active } = queue.state();
        expect(active).toBe(model.active.size);
        expect(ready).toBe(model.takeable(clock.monotonicMs()).length);
        expect(ready + delayed).toBeLessThanOrEqual(model.dueMs.size);
        expect(clock.pending).toBe(0);
      }

      // In the end every key that was added comes out, and then there is nothing left.
      for (const key of model.active) finish(key);
      await clock.advance(1000);
      for (let key = await take(); key !== undefined; key = await take()) finish(key);
      expect([...model.dueMs]).toEqual([]);
      expect(queue.state()).toMatchObject({ ready: 0, delayed: 0, active: 0 });
    }),
    { numRuns: 300 },
  );
});

test("no level is passed over longer than its patience, and high goes first when no patience ends", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(priority, { minLength: 1, maxLength: 300 }), async (added) => {
      const queue = new WorkQueue({ clock: new ManualClock(), random: () => 0 });
      const waiting = new Map<Priority, number>([
        ["high", 0],
        ["normal", 0],
        ["low", 0],
      ]);
      const passedOver = new Map<Priority, number>();
      for (const [index, each] of added.entries()) {
        queue.add(`${each}/${index}`, { priority: each });
        waiting.set(each, (waiting.get(each) ?? 0) + 1);
      }
      for (const _each of added) {
        const served = String(await queue.take()).split("/")[0];
        for (const [level, count] of waiting) {
          if (level === served) waiting.set(level, count - 1);
          passedOver.set(level, level === served || count === 0 ? 0 : (passedOver.get(level) ?? 0) + 1);
        }
        expect(passedOver.get("low")).toBeLessThanOrEqual(16);
        // One more than its patience, when that of the level below ends at the same time.
        expect(passedOver.get("normal")).toBeLessThanOrEqual(5);
        expect(passedOver.get("high")).toBeLessThanOrEqual(2);
      }
    }),
  );
});

test("a hundred thousand keys come out in order, whatever their delays were", async () => {
  const clock = new ManualClock();
  const queue = new WorkQueue({ clock, random: () => 0 });
  const count = 100_000;
  // Every delay once, in an order that is not sorted: the step has no factor in common with the count.
  for (let index = 0; index < count; index += 1) {
    const delayMs = 1 + ((index * 31_337) % count);
    queue.addAfter(`key-${delayMs}`, delayMs + count);
    queue.addAfter(`key-${delayMs}`, delayMs);
  }
  expect(queue.state()).toMatchObject({ ready: 0, delayed: count });
  await clock.advance(count);
  let inOrder = 0;
  for (let index = 1; index <= count; index += 1) {
    if ((await queue.take()) === `key-${index}`) inOrder += 1;
    queue.done(`key-${index}`);
  }
  expect(inOrder).toBe(count);
  expect(queue.state()).toMatchObject({ ready: 0, delayed: 0, active: 0 });
});
