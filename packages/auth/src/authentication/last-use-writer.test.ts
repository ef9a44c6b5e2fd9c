import { Token } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { expect, test, vi } from "vitest";
import type { Store } from "@bowline/store";

import { openTestAccess, type AccessHarness } from "../testing/access-harness.ts";

const start = Date.parse("2026-01-01T00:00:00Z");

async function setup(storeForAccess?: (store: Store) => Pick<Store, "objects" | "changes">) {
  const clock = new ManualClock(start);
  const harness = await openTestAccess({
    clock,
    ...(storeForAccess === undefined ? {} : { storeForAccess }),
  });
  await harness.createUser("editor");
  return { clock, ...harness, secret: await harness.createToken("ci", { user: "editor" }) };
}

async function tokenOf({ store }: AccessHarness, name = "ci"): Promise<Token> {
  const token = await store.objects.get(Token, name);
  if (token === undefined) throw new BowlineError("NotFound", name);
  return token;
}

test("the last use is written soon, and changes nothing but that", async () => {
  const harness = await setup();
  const before = await tokenOf(harness);
  expect(before.status.lastUsedAt).toBeUndefined();
  await harness.authenticate(harness.secret);
  expect((await tokenOf(harness)).status.lastUsedAt).toBeUndefined();
  await harness.clock.advance(5_000);
  const after = await tokenOf(harness);
  expect(after.status).toEqual({ ...before.status, lastUsedAt: "2026-01-01T00:00:00.000Z" });
  expect(after.spec).toEqual(before.spec);
  expect(after.metadata.generation).toBe(before.metadata.generation);
});

test("once a minute at most, however often it is used", async () => {
  const harness = await setup();
  const versions = new Set<string>();
  for (let second = 0; second < 180; second += 1) {
    await harness.authenticate(harness.secret);
    await harness.clock.advance(1_000);
    versions.add((await tokenOf(harness)).metadata.resourceVersion);
  }
  // As it was made, and after 0, 1 and 2 minutes.
  expect(versions.size).toBe(4);
  expect((await tokenOf(harness)).status.lastUsedAt).toBe("2026-01-01T00:02:00.000Z");
});

test("many tokens are written together, and who uses them stays known", async () => {
  const harness = await setup();
  const secrets: string[] = [];
  for (let index = 0; index < 30; index += 1)
    secrets.push(await harness.createToken(`t-${index}`, { user: "editor" }));
  const identities = await Promise.all(secrets.map((secret) => harness.authenticate(secret)));
  await harness.clock.advance(5_000);
  const { items } = await harness.store.objects.list(Token, { limit: 100 });
  expect(items.filter(({ status }) => status.lastUsedAt !== undefined)).toHaveLength(30);
  expect(identities.every((who) => !harness.access.ended(who).aborted)).toBe(true);
});

test("two replicas do not write the same minute twice", async () => {
  const harness = await setup();
  const { openAccess } = await import("../access.ts");
  const other = await openAccess({ store: harness.store, clock: harness.clock });
  await harness.authenticate(harness.secret);
  await harness.clock.advance(1_000);
  await other.authenticate(`Bearer ${harness.secret}`);
  await harness.clock.advance(5_000);
  expect((await tokenOf(harness)).status.lastUsedAt).toBe("2026-01-01T00:00:00.000Z");
  await other.close();
});

test("what cannot be written is late, not lost, and holds nobody up", async () => {
  const isDown = vi.fn(() => true);
  const harness = await setup((store) => ({ objects: failingStatus(store, isDown), changes: store.changes }));
  await harness.authenticate(harness.secret);
  await harness.clock.advance(5_000);
  expect(isDown).toHaveBeenCalled();
  await harness.authenticate(harness.secret);
  isDown.mockReturnValue(false);
  await harness.clock.advance(5_000);
  expect((await tokenOf(harness)).status.lastUsedAt).toBe("2026-01-01T00:00:00.000Z");
});

test("a token that is gone is let go of; closing writes what is left", async () => {
  const harness = await setup();
  const gone = await harness.createToken("gone", { user: "editor" });
  await harness.authenticate(gone);
  await harness.store.objects.delete(Token, "gone");
  await harness.clock.advance(20_000);
  await harness.authenticate(harness.secret);
  await harness.access.close();
  expect((await tokenOf(harness)).status.lastUsedAt).toBe("2026-01-01T00:00:20.000Z");
});

test("closing writes what is left, however many there are", async () => {
  const harness = await setup();
  for (let index = 0; index < 101; index += 1)
    await harness.authenticate(await harness.createToken(`t-${index}`, { user: "editor" }));
  await harness.access.close();
  expect((await tokenOf(harness, "t-100")).status.lastUsedAt).toBe("2026-01-01T00:00:00.000Z");
});

function failingStatus({ objects }: Store, isDown: () => boolean): Store["objects"] {
  return new Proxy(objects, {
    get(target, property) {
      if (property === "writeStatus" && isDown())
        return () =>
          Promise.reject(new BowlineError("DatabaseUnavailable", "The database cannot be reached."));
      const value: unknown = Reflect.get(target, property);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
