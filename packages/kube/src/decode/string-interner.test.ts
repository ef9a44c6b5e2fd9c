import { describe, expect, it } from "vitest";
import { freezeInterned } from "./freeze-interned.ts";
import { StringInterner } from "./string-interner.ts";

describe("StringInterner", () => {
  it("never holds more than two generations, and returns equal text", () => {
    const interner = new StringInterner({ maxEntries: 100 });
    for (let index = 0; index < 10_000; index++)
      expect(interner.intern(`value-${index}`)).toBe(`value-${index}`);
    expect(interner.size).toBeLessThanOrEqual(200);
  });

  it("does not hold long strings", () => {
    const interner = new StringInterner({ maxLength: 10 });
    interner.intern("x".repeat(11));
    expect(interner.size).toBe(0);
  });
});

describe("freezeInterned", () => {
  it("freezes all of a value and keeps its contents", () => {
    const value = { a: "x", list: ["y", { deep: { z: 1 } }], nothing: null };
    const frozen = freezeInterned(structuredClone(value), new StringInterner());
    expect(frozen).toEqual(value);
    expect(() => (frozen.list[1] as { deep: { z: number } }).deep.z++).toThrow(TypeError);
    expect(() => frozen.list.push("more")).toThrow(TypeError);
  });

  it("leaves instances of classes to their owner", () => {
    const set = new Set(["a"]);
    freezeInterned({ set }, new StringInterner());
    expect(Object.isFrozen(set)).toBe(false);
  });
});
