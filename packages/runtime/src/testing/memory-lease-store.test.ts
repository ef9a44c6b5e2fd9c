import { ManualClock } from "@bowline/core/testing";
import { beforeEach, describe, expect, test } from "vitest";

import { MemoryLeaseStore } from "./memory-lease-store.ts";

let clock: ManualClock;
let store: MemoryLeaseStore;

beforeEach(() => {
  clock = new ManualClock();
  store = new MemoryLeaseStore(clock);
});

async function tokenOf(key: string, owner: string): Promise<number | undefined> {
  return (await store.tryAcquire(key, owner, 100))?.token;
}

describe("MemoryLeaseStore", () => {
  test("grants a key to one owner at a time, and other keys to others", async () => {
    expect(await tokenOf("k", "a")).toBeDefined();
    expect(await tokenOf("k", "b")).toBeUndefined();
    expect(await tokenOf("other", "b")).toBeDefined();
  });

  test("every grant has a higher token, also after a release and after the time ran out", async () => {
    const tokens: number[] = [];
    for (const owner of ["a", "b", "c"]) {
      const token = (await tokenOf("k", owner)) ?? 0;
      tokens.push(token);
      if (owner === "a") await store.release("k", token);
      else await clock.advance(100);
    }
    expect(tokens).toEqual(tokens.toSorted((one, other) => one - other));
    expect(new Set(tokens).size).toBe(3);
  });

  test("an owner that asks again gets a new grant, and its old one has ended", async () => {
    const old = (await tokenOf("k", "a")) ?? 0;
    const next = (await tokenOf("k", "a")) ?? 0;
    expect(next).toBeGreaterThan(old);
    expect(await store.renew("k", old, 100)).toBe(false);
    expect(await store.renew("k", next, 100)).toBe(true);
  });

  test("a renewal counts from now; one that comes too late is refused", async () => {
    const token = (await tokenOf("k", "a")) ?? 0;
    await clock.advance(99);
    expect(await store.renew("k", token, 100)).toBe(true);
    await clock.advance(99);
    expect(await tokenOf("k", "b")).toBeUndefined();
    await clock.advance(1);
    expect(await store.renew("k", token, 100)).toBe(false);
    expect(await tokenOf("k", "b")).toBeDefined();
  });

  test("nobody can release what another one holds", async () => {
    const old = (await tokenOf("k", "a")) ?? 0;
    await clock.advance(100);
    await tokenOf("k", "b");
    await store.release("k", old);
    expect(await tokenOf("k", "c")).toBeUndefined();
  });

  test("does not keep what ran out for ever", async () => {
    for (let index = 0; index < 10_000; index += 1) {
      await tokenOf(`key-${index}`, "a");
      if (index % 100 === 0) await clock.advance(50);
    }
    expect(store.size).toBeLessThan(3000);
  });
});
