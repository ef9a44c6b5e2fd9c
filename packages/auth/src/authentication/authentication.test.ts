import { Token, User, type StatusOf } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { randomBytes } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import type { Store } from "@bowline/store";

import { openTestAccess, type AccessHarness, type HarnessOptions } from "../testing/access-harness.ts";
import { newTokenSecret, tokenWrite } from "../tokens/token-secret.ts";

/** An editor with a token. */
async function setup(options: HarnessOptions = {}): Promise<AccessHarness & { readonly secret: string }> {
  const harness = await openTestAccess(options);
  await harness.createUser("editor", { role: "editor", groups: ["shop"] });
  return { ...harness, secret: await harness.createToken("ci", { user: "editor" }) };
}

async function revoke({ store, access }: AccessHarness, name: string): Promise<void> {
  const withRevocation = ({ status }: Token): StatusOf<typeof Token> => ({
    ...status,
    revokedAt: "2026-01-01T00:00:00Z",
  });
  const { object } = await store.objects.writeStatus(Token, name, withRevocation);
  await access.inEffect(Token, object.metadata.resourceVersion);
}

describe("a token", () => {
  test("says who somebody is; what was seen before is answered at once", async () => {
    const { access, authenticate, secret } = await setup();
    const expected = { user: "editor", role: "editor", groups: ["shop"], method: "token", token: "ci" };
    expect(await authenticate(secret)).toEqual(expected);
    expect(access.authenticate(`bearer  ${secret}`)).toEqual(expected);
  });

  test("may narrow the role of its user, and never widens it", async () => {
    const { authenticate, createToken } = await setup();
    const narrow = await createToken("narrow", { user: "editor", role: "viewer" });
    const wide = await createToken("wide", { user: "editor", role: "admin" });
    expect(await authenticate(narrow)).toMatchObject({ role: "viewer", tokenRole: "viewer" });
    expect(await authenticate(wide)).toMatchObject({ role: "editor", tokenRole: "admin" });
  });

  test.each([
    ["nothing", undefined, "no Authorization header"],
    ["another scheme", "Basic YTpi", "must be"],
    ["no token", "Bearer ", "must be"],
    ["two tokens", "Bearer a b", "must be"],
    ["something else", "Bearer hello", "neither"],
    ["a typing error", `Bearer ${newTokenSecret(randomBytes).slice(0, -1)}`, "typing error"],
    ["a huge one", `Bearer ${"a".repeat(20_000)}`, "too long"],
    ["a JWT without an issuer", "Bearer e30.e30.e30", "no OIDC issuer"],
    ["one that nobody has issued", `Bearer ${newTokenSecret(randomBytes)}`, "unknown"],
  ])("%s is Unauthorized, and the message says why", async (_, header, message) => {
    const { access } = await setup();
    const authenticate = async (): Promise<unknown> => access.authenticate(header);
    await expect(authenticate()).rejects.toMatchObject({
      code: "Unauthorized",
      message: expect.stringContaining(message),
    });
  });

  test("works until it expires, from memory too", async () => {
    const clock = new ManualClock(Date.parse("2026-01-01T00:00:00Z"));
    const { authenticate, createToken } = await setup({ clock });
    const secret = await createToken("short", { user: "editor", expiresAt: "2026-01-01T00:01:00Z" });
    expect(await authenticate(secret)).toMatchObject({ expiresAtMs: Date.parse("2026-01-01T00:01:00Z") });
    await clock.advance(59_999);
    expect(await authenticate(secret)).toMatchObject({ user: "editor" });
    await clock.advance(1);
    await expect(authenticate(secret)).rejects.toMatchObject({
      code: "Unauthorized",
      message: expect.stringContaining("expired"),
    });
  });
});

describe("once the answer to it is given, no request passes any more after", () => {
  const ways: Record<string, (harness: AccessHarness) => Promise<void>> = {
    "deleting the Token": async ({ store, access }) => {
      const { object } = await store.objects.delete(Token, "ci");
      await access.inEffect(Token, object.metadata.resourceVersion);
    },
    "deleting the Token, though something holds on to it": async ({ store, access }) => {
      await store.objects.writeFinalizers(Token, "ci", () => ["example.com/hold"]);
      const { object } = await store.objects.delete(Token, "ci");
      expect(object.metadata.deletedAt).toBeDefined();
      await access.inEffect(Token, object.metadata.resourceVersion);
    },
    "revoking the Token": (harness) => revoke(harness, "ci"),
    "disabling the User": ({ changeUser }) => changeUser("editor", { disabled: true }),
    "deleting the User": async ({ store, access }) => {
      const { object } = await store.objects.delete(User, "editor", { cascade: true });
      await access.inEffect(User, object.metadata.resourceVersion);
    },
  };

  test.each(Object.entries(ways))("%s", async (_, end) => {
    const harness = await setup();
    const { access, secret } = harness;
    const identity = await harness.authenticate(secret);
    const ended = access.ended(identity);
    expect(ended.aborted).toBe(false);
    await end(harness);
    expect(ended.aborted).toBe(true);
    await expect(harness.authenticate(secret)).rejects.toMatchObject({ code: "Unauthorized" });
    await expect(harness.authenticate(secret)).rejects.toMatchObject({ code: "Unauthorized" });
  });

  test("narrowing the role takes the role away, and ends streams that stand on it", async () => {
    const { access, authenticate, changeUser, secret } = await setup();
    const ended = access.ended(await authenticate(secret));
    await changeUser("editor", { role: "viewer" });
    expect(ended.aborted).toBe(true);
    expect(await authenticate(secret)).toMatchObject({ role: "viewer" });
  });

  test("a User that is enabled again, or a change that says nothing about access, hurts nobody", async () => {
    const { access, authenticate, changeUser, secret } = await setup();
    await changeUser("editor", { disabled: true });
    await expect(authenticate(secret)).rejects.toMatchObject({ code: "Unauthorized" });
    await changeUser("editor", { disabled: false });
    const identity = await authenticate(secret);
    await changeUser("editor", { displayName: "Editor" });
    expect(access.ended(identity).aborted).toBe(false);
    expect(access.authenticate(`Bearer ${secret}`)).toBe(identity);
  });

  test("a look at the database that began before a revocation does not bring the token back", async () => {
    const harness = await setup({ storeForAccess: (store) => slowReads(store) });
    const reading = harness.authenticate(harness.secret).catch((error: unknown) => error);
    await revoke(harness, "ci");
    releaseReads();
    expect(await reading).toMatchObject({ code: "Unauthorized" });
    await expect(harness.authenticate(harness.secret)).rejects.toMatchObject({ code: "Unauthorized" });
  });

  let releaseReads = (): void => {};
  /** The first read is done at once, and its answer held back. */
  function slowReads(store: Store): Pick<Store, "objects" | "changes"> {
    const { promise, resolve } = Promise.withResolvers<void>();
    releaseReads = resolve;
    const overrides: Partial<Store["objects"]> = {
      async findByLookupKey(kind, key) {
        const found = await store.objects.findByLookupKey(kind, key);
        await promise;
        return found;
      },
    };
    return { objects: withMethodsOf(store.objects, overrides), changes: store.changes };
  }
});

/** Methods with private fields need their own object as `this`. */
function withMethodsOf<T extends object>(target: T, overrides: Partial<T>): T {
  return new Proxy(target, {
    get(_, property) {
      const value: unknown = Reflect.get(Object.hasOwn(overrides, property) ? overrides : target, property);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

describe("the database", () => {
  test("is asked once for a token that many requests show at the same time", async () => {
    const find = vi.fn();
    const { authenticate, secret } = await setup({ storeForAccess: (store) => counted(store, find) });
    await Promise.all(Array.from({ length: 100 }, () => authenticate(secret)));
    await authenticate(secret);
    expect(find).toHaveBeenCalledTimes(1);
  });

  test("is not asked again for a moment about an unknown token", async () => {
    const clock = new ManualClock();
    const find = vi.fn();
    const { authenticate } = await setup({ clock, storeForAccess: (store) => counted(store, find) });
    const unknown = newTokenSecret(randomBytes);
    for (let count = 0; count < 10; count += 1) {
      await expect(authenticate(unknown)).rejects.toMatchObject({ code: "Unauthorized" });
    }
    expect(find).toHaveBeenCalledTimes(1);
    await clock.advance(10_000);
    await expect(authenticate(unknown)).rejects.toMatchObject({ code: "Unauthorized" });
    expect(find).toHaveBeenCalledTimes(2);
  });

  test("a flood of unknown tokens is remembered within bounds, and pushes out no known one", async () => {
    const find = vi.fn();
    const limits = { results: 2, refusals: 3 };
    const { access, authenticate, secret } = await setup({
      limits,
      storeForAccess: (store) => counted(store, find),
    });
    const known = await authenticate(secret);
    const unknown = Array.from({ length: 50 }, () => newTokenSecret(randomBytes));
    const results = await Promise.allSettled(unknown.map((token) => authenticate(token)));
    expect(results.every(({ status }) => status === "rejected")).toBe(true);
    expect(find).toHaveBeenCalledTimes(51);
    expect(access.authenticate(`Bearer ${secret}`)).toBe(known);
    await expect(authenticate(unknown[49] ?? "")).rejects.toThrow("unknown");
    expect(find).toHaveBeenCalledTimes(51);
    await expect(authenticate(unknown[0] ?? "")).rejects.toThrow("unknown");
    expect(find).toHaveBeenCalledTimes(52);
  });

  test("a token that was refused as unknown works as soon as it is created", async () => {
    const secret = newTokenSecret(randomBytes);
    const { store, access, authenticate } = await setup();
    await expect(authenticate(secret)).rejects.toThrow("unknown");
    const desired = { metadata: { name: "late", labels: {}, annotations: {} }, spec: { user: "editor" } };
    const { object } = await store.objects.create(Token, tokenWrite(Token, desired, secret));
    await access.inEffect(Token, object.metadata.resourceVersion);
    expect(await authenticate(secret)).toMatchObject({ token: "late" });
  });

  test("results that make room for others end, and begin anew when they are used again", async () => {
    const { access, authenticate, createToken, secret } = await setup({ limits: { results: 2 } });
    const ended = access.ended(await authenticate(secret));
    for (const name of ["a", "b"]) await authenticate(await createToken(name, { user: "editor" }));
    expect(ended.aborted).toBe(true);
    expect(access.ended(await authenticate(secret)).aborted).toBe(false);
  });

  function counted(store: Store, find: () => void): Pick<Store, "objects" | "changes"> {
    const overrides: Partial<Store["objects"]> = {
      findByLookupKey(kind, key) {
        find();
        return store.objects.findByLookupKey(kind, key);
      },
    };
    return { objects: withMethodsOf(store.objects, overrides), changes: store.changes };
  }
});

describe("a replica that does not hear of changes", () => {
  /** Parts of the database that cannot be reached. */
  interface Cut {
    changes: boolean;
    objects: boolean;
  }

  function severed(store: Store, cut: Cut): Pick<Store, "objects" | "changes"> {
    const reached = async <T>(part: keyof Cut, read: () => Promise<T>): Promise<T> => {
      if (cut[part]) throw new BowlineError("DatabaseUnavailable", "The database cannot be reached.");
      return read();
    };
    const { objects, changes } = store;
    return {
      objects: withMethodsOf(objects, {
        findByLookupKey: (kind, key) => reached("objects", () => objects.findByLookupKey(kind, key)),
      }),
      changes: withMethodsOf(changes, {
        head: () => reached("changes", () => changes.head()),
      }),
    };
  }

  async function setupSevered() {
    const clock = new ManualClock();
    const cut: Cut = { changes: false, objects: false };
    return { clock, cut, ...(await setup({ clock, storeForAccess: (store) => severed(store, cut) })) };
  }

  test("trusts its memory for a while, then says that it cannot know, and recovers", async () => {
    const { clock, cut, access, authenticate, secret } = await setupSevered();
    const ended = access.ended(await authenticate(secret));
    await clock.advance(300_000);
    expect(ended.aborted).toBe(false);
    Object.assign(cut, { changes: true, objects: true });
    await clock.advance(10_000);
    expect(await authenticate(secret)).toMatchObject({ user: "editor" });
    await clock.advance(30_000);
    expect(ended.aborted).toBe(true);
    await expect(authenticate(secret)).rejects.toMatchObject({ code: "DatabaseUnavailable" });
    Object.assign(cut, { changes: false, objects: false });
    expect(await authenticate(secret)).toMatchObject({ user: "editor" });
    await clock.advance(15_000);
    expect(access.ended(await authenticate(secret)).aborted).toBe(false);
  });

  test("asks the database each time when it can, and remembers nothing", async () => {
    const { clock, cut, access, authenticate, secret } = await setupSevered();
    cut.changes = true;
    await clock.advance(40_000);
    expect(access.ended(await authenticate(secret)).aborted).toBe(true);
    expect(access.authenticate(`Bearer ${secret}`)).toBeInstanceOf(Promise);
  });
});

describe("ended", () => {
  test("aborts when the token expires", async () => {
    const clock = new ManualClock(Date.parse("2026-01-01T00:00:00Z"));
    const { access, authenticate, createToken } = await setup({ clock });
    const secret = await createToken("short", { user: "editor", expiresAt: "2026-01-01T00:01:00Z" });
    const ended = access.ended(await authenticate(secret));
    await clock.advance(59_999);
    expect(ended.aborted).toBe(false);
    await clock.advance(1);
    expect(ended.aborted).toBe(true);
    expect(ended.reason).toMatchObject({ code: "Unauthorized" });
  });

  test("waits longer when the clock was set back", async () => {
    const start = Date.parse("2026-01-01T00:00:00Z");
    const clock = new ManualClock(start);
    const { access, authenticate, createToken } = await setup({ clock });
    const secret = await createToken("short", { user: "editor", expiresAt: "2026-01-01T00:01:00Z" });
    const ended = access.ended(await authenticate(secret));
    clock.setNow(start - 60_000);
    await clock.advance(60_000);
    expect(ended.aborted).toBe(false);
    await clock.advance(60_000);
    expect(ended.aborted).toBe(true);
  });

  test("closing ends every stream and leaves no timer", async () => {
    const clock = new ManualClock();
    const { access, store, authenticate, createToken } = await setup({ clock });
    const secret = await createToken("short", { user: "editor", expiresAt: "2027-01-01T00:00:00Z" });
    const ended = access.ended(await authenticate(secret));
    await access.close();
    expect(ended.aborted).toBe(true);
    await store.close();
    expect(clock.pending).toBe(0);
  });
});

test("an answer does not wait for ever for a change that does not arrive; nothing is remembered then", async () => {
  const clock = new ManualClock();
  const { access, authenticate, secret } = await setup({ clock });
  const ended = access.ended(await authenticate(secret));
  const inEffect = access.inEffect(Token, "999999");
  await clock.advance(4_999);
  expect(ended.aborted).toBe(false);
  await clock.advance(1);
  await inEffect;
  expect(ended.aborted).toBe(true);
});
