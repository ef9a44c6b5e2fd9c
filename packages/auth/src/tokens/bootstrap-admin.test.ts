import { randomBytes } from "node:crypto";
import { chmod, lstat, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Token, User } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { createTempFolder } from "@bowline/test-services";
import { describe, expect, onTestFinished, test } from "vitest";
import type { DatabaseOptions, Store } from "@bowline/store";
import { openTestStore } from "@bowline/store/testing";

import { openAccess } from "../access.ts";
import { newTokenSecret } from "./token-secret.ts";
import { bootstrapAdmin } from "./bootstrap-admin.ts";

const inMemory: DatabaseOptions = { type: "sqlite", file: ":memory:" };

async function tempFolder(): Promise<string> {
  const folder = await createTempFolder("bootstrap");
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder.path;
}

/** Whether somebody can enter as admin with what the file says. */
async function entersWith(store: Store, file: string): Promise<boolean> {
  const access = await openAccess({ store });
  try {
    const secret = (await readFile(file, "utf8")).trim();
    return (await access.authenticate(`Bearer ${secret}`)).role === "admin";
  } catch {
    return false;
  } finally {
    await access.close();
  }
}

async function counts({ objects }: Store): Promise<{ users: number; tokens: number }> {
  const [users, tokens] = [await objects.list(User), await objects.list(Token)];
  return { users: users.total, tokens: tokens.total };
}

/** The store of a process that dies before or after its call number `at`. */
function mortal({ objects }: Store, at: number, moment: "before" | "after"): Pick<Store, "objects"> {
  let calls = 0;
  return {
    objects: new Proxy(objects, {
      get(target, property) {
        const method: unknown = Reflect.get(target, property);
        if (typeof method !== "function") return method;
        return async (...args: unknown[]): Promise<unknown> => {
          const dies = calls === at;
          calls += 1;
          if (dies && moment === "before") throw new BowlineError("Internal", "killed");
          const result: unknown = await Reflect.apply(method, target, args);
          if (dies) throw new BowlineError("Internal", "killed");
          return result;
        };
      },
    }),
  };
}

describe("the first start", () => {
  test("makes an admin with a token, which it returns and writes to a file for the owner only", async () => {
    const [store, folder] = [await openTestStore(inMemory), join(await tempFolder(), "data")];
    const first = await bootstrapAdmin({ store, folder });
    const file = join(folder, "admin.token");
    expect(first).toEqual({ user: "admin", file, secret: (await readFile(file, "utf8")).trim() });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["admin.token"]);
    expect(await entersWith(store, file)).toBe(true);
    expect((await store.objects.get(User, "admin"))?.metadata.annotations).toEqual({});
    const { items } = await store.audit.list();
    expect(items.map(({ actor, verb, kind, name }) => [actor.user, verb, kind, name])).toEqual([
      ["system:bootstrap", "create", "Token", "admin"],
      ["system:bootstrap", "create", "User", "admin"],
    ]);
  });

  test("is the only one: later starts make nothing and touch no file", async () => {
    const [store, folder] = [await openTestStore(inMemory), await tempFolder()];
    await bootstrapAdmin({ store, folder });
    const version = await store.changes.head();
    expect(await bootstrapAdmin({ store, folder })).toBeUndefined();
    await store.objects.delete(Token, "admin");
    expect(await bootstrapAdmin({ store, folder: join(folder, "other") })).toBeUndefined();
    expect(await store.changes.head()).toBe(version + 1);
    expect(await readdir(folder)).toEqual(["admin.token"]);
  });

  test("makes nothing when there are users already, whatever their names", async () => {
    const [store, folder] = [await openTestStore(inMemory), await tempFolder()];
    const spec = { role: "viewer" as const, groups: [], disabled: false };
    await store.objects.create(User, { metadata: { name: "viewer", labels: {}, annotations: {} }, spec });
    expect(await bootstrapAdmin({ store, folder })).toBeUndefined();
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("a file that is there already", () => {
  const contents: Record<string, (file: string) => Promise<void>> = {
    "is empty": (file) => writeFile(file, "", { mode: 0o600 }),
    "is cut off": (file) => writeFile(file, "bwl_0123", { mode: 0o600 }),
    "is large": (file) => writeFile(file, "x".repeat(100_000), { mode: 0o600 }),
    "is a link": (file) => symlink("/dev/zero", file),
    "is a link to a secret that somebody else may know": async (file) => {
      const planted = join(await tempFolder(), "planted");
      await writeFile(planted, newTokenSecret(randomBytes), { mode: 0o600 });
      await symlink(planted, file);
    },
    "could be read by others": async (file) => {
      const store = await openTestStore(inMemory);
      await bootstrapAdmin({ store, folder: join(file, "..") });
      await chmod(file, 0o644);
    },
  };

  test.each(Object.entries(contents))("and %s is replaced", async (_, prepare) => {
    const [store, folder] = [await openTestStore(inMemory), await tempFolder()];
    const file = join(folder, "admin.token");
    await prepare(file);
    await bootstrapAdmin({ store, folder });
    const kept = await lstat(file);
    expect([kept.isFile(), kept.mode & 0o777]).toEqual([true, 0o600]);
    expect(await entersWith(store, file)).toBe(true);
    expect(await readdir(folder)).toEqual(["admin.token"]);
  });
});

describe("a crash", () => {
  test.each(["before", "after"] as const)(
    "%s any call leaves a server that can be entered after the next start",
    async (moment) => {
      let crashes = 0;
      for (let at = 0; ; at += 1) {
        const [store, folder] = [await openTestStore(inMemory), await tempFolder()];
        const crashed = await bootstrapAdmin({ store: mortal(store, at, moment), folder }).then(
          () => false,
          () => true,
        );
        if (!crashed) break;
        crashes += 1;
        await bootstrapAdmin({ store, folder });
        expect([at, await entersWith(store, join(folder, "admin.token"))]).toEqual([at, true]);
        expect(await counts(store)).toEqual({ users: 1, tokens: 1 });
        expect((await store.objects.get(User, "admin"))?.metadata.annotations).toEqual({});
      }
      expect(crashes).toBeGreaterThan(6);
    },
  );

  test("of one replica is made good by another, which has a folder of its own", async () => {
    for (const at of [3, 4, 5]) {
      const [store, folder, other] = [await openTestStore(inMemory), await tempFolder(), await tempFolder()];
      await expect(bootstrapAdmin({ store: mortal(store, at, "after"), folder })).rejects.toThrow("killed");
      await bootstrapAdmin({ store, folder: other });
      const entered = [];
      for (const each of [folder, other]) entered.push(await entersWith(store, join(each, "admin.token")));
      expect([at, entered.filter(Boolean).length]).toEqual([at, 1]);
    }
  });
});

describe("a token that was given", () => {
  async function entersBy(store: Store, token: string): Promise<boolean> {
    const access = await openAccess({ store });
    try {
      return (await access.authenticate(`Bearer ${token}`)).role === "admin";
    } catch {
      return false;
    } finally {
      await access.close();
    }
  }

  test("is that of the first admin: it is written to no file and not shown", async () => {
    const [store, folder] = [await openTestStore(inMemory), await tempFolder()];
    const givenToken = newTokenSecret(randomBytes);
    expect(await bootstrapAdmin({ store, folder, givenToken })).toBeUndefined();
    expect(await entersBy(store, givenToken)).toBe(true);
    expect(await readdir(folder)).toEqual([]);
    expect(await counts(store)).toEqual({ users: 1, tokens: 1 });
  });

  test("counts at the first start only: another one later opens nothing", async () => {
    const [store, folder] = [await openTestStore(inMemory), await tempFolder()];
    const [first, second] = [newTokenSecret(randomBytes), newTokenSecret(randomBytes)];
    await bootstrapAdmin({ store, folder, givenToken: first });
    await bootstrapAdmin({ store, folder, givenToken: second });
    expect([await entersBy(store, first), await entersBy(store, second)]).toEqual([true, false]);
  });

  test("works after a crash at any point, in one replica or several", async () => {
    let crashes = 0;
    for (let at = 0; ; at += 1) {
      const [store, folder] = [await openTestStore(inMemory), await tempFolder()];
      const givenToken = newTokenSecret(randomBytes);
      const crashed = await bootstrapAdmin({ store: mortal(store, at, "after"), folder, givenToken }).then(
        () => false,
        () => true,
      );
      if (!crashed) break;
      crashes += 1;
      await Promise.all([1, 2].map(() => bootstrapAdmin({ store, folder, givenToken })));
      expect([at, await entersBy(store, givenToken)]).toEqual([at, true]);
      expect(await counts(store)).toEqual({ users: 1, tokens: 1 });
    }
    expect(crashes).toBeGreaterThan(5);
  });

  test("of another form is refused before anything is made", async () => {
    const [store, folder] = [await openTestStore(inMemory), await tempFolder()];
    const refused = bootstrapAdmin({ store, folder, givenToken: "hunter2" });
    await expect(refused).rejects.toMatchObject({ code: "InvalidArgument" });
    await expect(refused).rejects.not.toThrow("hunter2");
    expect(await counts(store)).toEqual({ users: 0, tokens: 0 });
  });
});

test("several on one folder agree on one secret", async () => {
  const [store, folder] = [await openTestStore(inMemory), await tempFolder()];
  const made = await Promise.all([1, 2, 3].map(() => bootstrapAdmin({ store, folder })));
  expect(new Set(made.map((first) => first?.secret)).size).toBe(1);
  expect(await entersWith(store, join(folder, "admin.token"))).toBe(true);
  expect(await counts(store)).toEqual({ users: 1, tokens: 1 });
  expect(await readdir(folder)).toEqual(["admin.token"]);
});
