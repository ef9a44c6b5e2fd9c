import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GenerationTable, ValueInterner } from "./value-interner.ts";

describe("GenerationTable", () => {
  it("never holds more than two generations, and keeps what is asked for", () => {
    const table = new GenerationTable<object>(100);
    const often = {};
    for (let index = 0; index < 10_000; index++) {
      expect(table.getOrAdd("often", index === 0 ? often : {})).toBe(often);
      table.getOrAdd(`once-${index}`, {});
    }
    expect(table.size).toBeLessThanOrEqual(200);
  });
});

describe("ValueInterner", () => {
  it("changes nothing about any value but that it is frozen", () => {
    const interner = new ValueInterner({ maxStrings: 10, maxParts: 10 });
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary", maxDepth: 3 }), (value) => {
        const kept = interner.keep(structuredClone(value));
        expect(kept).toEqual(value);
        expect(isDeeplyFrozen(kept)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("gives equal parts one copy, whichever object they are in", () => {
    const interner = new ValueInterner();
    const pod = (name: string) => ({
      name,
      labels: { app: "web" },
      ready: [{ type: "Ready", status: "True" }],
    });
    const one = interner.keep(pod("a"));
    const two = interner.keep(pod("b"));
    expect(two.labels).toBe(one.labels);
    expect(two.ready).toBe(one.ready);
    expect(two).not.toBe(one);
  });

  it.each([
    [{ part: { a: undefined } }, { part: {} }],
    [{ part: { a: Number.NaN } }, { part: { a: null } }],
    [{ part: { a: new Date(0) } }, { part: { a: new Date(0).toJSON() } }],
    [{ part: { a: new Map([["k", 1]]) } }, { part: { a: {} } }],
    [{ part: [1, 2] }, { part: { 0: 1, 1: 2 } }],
  ])("does not take %o for %o, whatever JSON says", (one, other) => {
    const interner = new ValueInterner();
    expect(interner.keep(other).part).not.toBe(interner.keep(one).part);
  });

  it("leaves instances of classes to their owner, and parts that are frozen as they are", () => {
    const interner = new ValueInterner();
    const set = new Set(["a"]);
    const none = Object.freeze([]);
    const kept = interner.keep({ set, none });
    expect(Object.isFrozen(set)).toBe(false);
    expect(kept.none).toBe(none);
  });

  it("does not remember what is large", () => {
    const interner = new ValueInterner();
    const large = (): { data: { text: string } } => ({ data: { text: "x".repeat(1000) } });
    expect(interner.keep(large()).data).not.toBe(interner.keep(large()).data);
  });
});

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen);
}
