import { beforeEach, describe, expect, test } from "vitest";

import { ensureResource, removeResource, type ResourceHandler } from "./ensure-resource.ts";
import type { ResourceRecord } from "./resource-record.ts";
import { Died, MortalCalls, testWork, type TestWork } from "./testing/index.ts";

interface Thing {
  readonly id: string;
  readonly mark: string;
  /** Lists know it from then on. */
  readonly visibleAtMs: number;
  isReady: boolean;
}

const dayMs = 24 * 60 * 60_000;

let things: Thing[];
let work: TestWork;
let lagMs: number;

beforeEach(() => {
  things = [];
  lagMs = 0;
  work = testWork({ spec: { provider: "kind" } });
});

const thing: ResourceHandler = {
  step: "disk",
  type: "shop:disk",
  find: ({ id, token }) => {
    const nowMs = work.clock.now();
    const found = things.find(
      (each) => each.visibleAtMs <= nowMs && (id === undefined ? each.mark === token : each.id === id),
    );
    return Promise.resolve(found);
  },
  create: ({ token }) => {
    const made = { id: `disk-${things.length + 1}`, mark: token, visibleAtMs: work.clock.now() + lagMs };
    things.push({ ...made, isReady: false });
    return Promise.resolve({ ...made, isReady: false });
  },
  remove: ({ id }) => {
    things = things.filter((each) => each.id !== id);
    return Promise.resolve();
  },
};

const ensure = (calls = new MortalCalls()): Promise<ResourceRecord> =>
  ensureResource({ ...work, call: calls.call }, thing);

describe("a resource that is to be there", () => {
  test("is intended, made once, and ready when it was seen so", async () => {
    expect(await ensure()).toMatchObject({ state: "created", id: "disk-1", attempt: 1 });
    for (const each of things) each.isReady = true;
    const calls = new MortalCalls();
    expect(await ensure(calls)).toMatchObject({ state: "ready", id: "disk-1" });
    expect(calls.subjects).toEqual([]);
    expect(await work.records.list()).toHaveLength(1);
  });

  test("is found by its mark when whoever made it died before it heard so", async () => {
    await expect(ensure(new MortalCalls(1))).rejects.toThrow(Died);
    expect(await work.records.list()).toMatchObject([{ state: "intended" }]);
    expect(await ensure()).toMatchObject({ state: "created", id: "disk-1" });
    expect(things).toHaveLength(1);
  });

  test("is not made twice while lists lag behind", async () => {
    lagMs = 5_000;
    await expect(ensure(new MortalCalls(1))).rejects.toThrow(Died);
    const calls = new MortalCalls();
    expect(await ensure(calls)).toMatchObject({ state: "intended" });
    await work.clock.advance(9_999);
    expect(await ensure(calls)).toMatchObject({ state: "created", id: "disk-1" });
    expect(calls.subjects).toEqual([]);
  });

  test("is made when the call before it came to nothing", async () => {
    const fails = { ...thing, create: () => Promise.reject(new Error("throttled")) };
    await expect(ensureResource(work, fails)).rejects.toThrow("throttled");
    expect(await ensure()).toMatchObject({ state: "intended" });
    await work.clock.advance(10_000);
    expect(await ensure()).toMatchObject({ state: "created", attempt: 1 });
  });

  test("is made anew, with another mark, when it was missed twice", async () => {
    const { token } = await ensure();
    things = [];
    expect(await ensure()).toMatchObject({ state: "created", id: "disk-1" });
    await work.clock.advance(10_000);
    expect(await ensure()).toMatchObject({ state: "gone" });
    const again = await ensure();
    expect(again).toMatchObject({ state: "created", attempt: 2 });
    expect(again.token).not.toBe(token);
  });

  test("is made soon where the clock of whoever intended it was ahead", async () => {
    work.clock.setNow(work.clock.now() + dayMs);
    await expect(ensure(new MortalCalls(1))).rejects.toThrow(Died);
    things = [];
    work.clock.setNow(work.clock.now() - dayMs);
    expect(await ensure()).toMatchObject({ state: "intended" });
    await work.clock.advance(10_000);
    expect(await ensure()).toMatchObject({ state: "created", id: "disk-1" });
  });

  test("is never taken from somebody else", async () => {
    const foreign = { ...thing, find: () => Promise.resolve({ id: "disk", isReady: true, isForeign: true }) };
    await expect(ensureResource(work, foreign)).rejects.toThrow("was not made for this cluster");
    await removeResource(work, { ...foreign, remove: () => Promise.reject(new Error("not ours")) });
  });
});

describe("a resource that is to go", () => {
  test("is asked to, and gone when it was missed twice", async () => {
    await ensure();
    expect(await removeResource(work, thing)).toMatchObject({ state: "deleting" });
    expect(await removeResource(work, thing)).toMatchObject({ state: "deleting" });
    await work.clock.advance(10_000);
    expect(await removeResource(work, thing)).toMatchObject({ state: "gone" });
  });

  test("is gone soon where the clock of whoever missed it first was ahead", async () => {
    await ensure();
    things = [];
    work.clock.setNow(work.clock.now() + dayMs);
    await removeResource(work, thing);
    work.clock.setNow(work.clock.now() - dayMs);
    expect(await removeResource(work, thing)).not.toMatchObject({ state: "gone" });
    await work.clock.advance(10_000);
    expect(await removeResource(work, thing)).toMatchObject({ state: "gone" });
  });

  test("is found by its mark when its id was never heard of", async () => {
    await expect(ensure(new MortalCalls(1))).rejects.toThrow(Died);
    await removeResource(work, thing);
    expect(things).toEqual([]);
  });

  test("was never made when nobody intended it", async () => {
    expect(await removeResource(work, thing)).toBeUndefined();
  });
});
