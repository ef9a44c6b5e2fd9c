import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { Session, Token, User } from "@bowline/api";
import { createTempFolder } from "@bowline/test-services";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "@bowline/core";
import type { DatabaseOptions } from "@bowline/store";
import { postgresSchemas, openTestStore } from "@bowline/store/testing";

import { bootstrapAdmin } from "./tokens/bootstrap-admin.ts";
import { openAccess } from "./access.ts";
import { Sessions } from "./sessions/sessions.ts";
import { openTestAccess } from "./testing/access-harness.ts";

const schemas = postgresSchemas();

async function newDatabase(): Promise<DatabaseOptions> {
  return { type: "postgres", url: await schemas.create() };
}

test("replicas that start together make one admin with one token, and one of them has it", async () => {
  const database = await newDatabase();
  const replicas = await Promise.all(
    [1, 2, 3].map(async () => {
      const [store, folder] = [await openTestStore(database), await createTempFolder("replica")];
      onTestFinished(() => folder[Symbol.asyncDispose]());
      return { store, folder: folder.path };
    }),
  );
  const made = await Promise.all(replicas.map((replica) => bootstrapAdmin(replica)));
  const first = made.find((each) => each !== undefined);
  expect(made.filter((each) => each !== undefined)).toHaveLength(1);
  const { store } = await openTestAccess({ database });
  expect((await store.objects.list(User)).total).toBe(1);
  expect((await store.objects.list(Token)).total).toBe(1);
  for (const [index, { folder }] of replicas.entries()) {
    const inFile = await readFile(join(folder, "admin.token"), "utf8").catch(() => undefined);
    expect(inFile).toBe(made[index] === undefined ? undefined : `${first?.secret}\n`);
  }
  const access = await openAccess({ store });
  onTestFinished(() => access.close());
  expect(await access.authenticate(`Bearer ${first?.secret}`)).toMatchObject({
    user: "admin",
    role: "admin",
  });
});

test("what one replica revokes, the others learn without being told", async () => {
  const database = await newDatabase();
  const [here, there] = [await openTestAccess({ database }), await openTestAccess({ database })];
  await here.createUser("editor");
  const secret = await here.createToken("ci", { user: "editor" });
  const ended = there.access.ended(await there.authenticate(secret));
  const aborted = new Promise((resolve) => ended.addEventListener("abort", resolve, { once: true }));
  await here.changeUser("editor", { disabled: true });
  await expect(here.authenticate(secret)).rejects.toMatchObject({ code: "Unauthorized" });
  await aborted;
  await expect(there.authenticate(secret)).rejects.toMatchObject({ code: "Unauthorized" });
});

test("a code of one replica makes a session at another, which ends everywhere", async () => {
  const database = await newDatabase();
  const [here, there] = [await openTestAccess({ database }), await openTestAccess({ database })];
  await here.createUser("editor");
  const identity = await here.authenticate(await here.createToken("ci", { user: "editor" }));
  const sessionsOf = ({ store }: typeof here): Sessions =>
    new Sessions({ objects: store.objects, clock: systemClock, lifetimeMs: 60_000 });
  const { code } = await sessionsOf(here).createCode(identity);
  const { secret, session } = await sessionsOf(there).redeem(code, {});
  const ended = here.access.ended(await here.access.authenticateSession(secret));
  const aborted = new Promise((resolve) => ended.addEventListener("abort", resolve, { once: true }));
  await there.store.objects.delete(Session, session.metadata.name);
  await aborted;
  await expect(async () => here.access.authenticateSession(secret)).rejects.toMatchObject({
    code: "Unauthorized",
  });
});
